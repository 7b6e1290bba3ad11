"""Level counts of texts: what sentences and documents carry, for ``balance="features"``."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import examples, integer, refuse

Unit = str | Sequence[str]

_MOST_CLASSES = 10**6


def text_features(
    sentences: Sequence[Unit] | None = None,
    tags: Sequence[Sequence[str]] | None = None,
    *,
    words: int = 50,
    lengths: int = 5,
) -> NDArray[np.int64]:
    """
    Count in every sentence or document what a fair split spreads evenly: tags, frequent words, length.

    Parameters
    ----------
    sentences : sequence of token sequences or of texts, optional
        One per unit; a text is split at white space.
    tags : sequence of tag sequences, optional
        One per unit; every tag but ``O`` is a level.
    words : int, default 50
        How many of the most frequent words (capitals ignored) are levels.
    lengths : int, default 5
        In how many classes of about the same size the units are put by their length.

    Returns
    -------
    array, shape (units, levels)
        For ``features=`` of a design, of ``partition`` and of ``compare``.

    Notes
    -----
    The words and tags of the whole data are counted, test sentences included. That is no leak: who trains and
    who tests is settled before the first fit, and no algorithm sees the counts.

    Examples
    --------
    >>> sentences = [["Ada", "slept"], ["all", "slept", "well"], ["Ada", "sang"], ["all", "sang"]]
    >>> tags = [["B-PER", "O"], ["O", "O", "O"], ["B-PER", "O"], ["O", "O"]]
    >>> text_features(sentences, tags, words=1, lengths=0)
    array([[1, 1],
           [0, 0],
           [1, 1],
           [0, 0]])
    """
    integer("words", words, low=0)
    integer("lengths", lengths, low=0, high=_MOST_CLASSES)
    if sentences is None and tags is None:
        refuse("sentences", "given, or tags", None)
    tokens, marks = _units("sentences", sentences), _units("tags", tags)
    if tokens and marks and [*map(len, tokens)] != [*map(len, marks)]:
        refuse("tags", "one for each token of each sentence", "sequences of other lengths")
    parts = [
        _counted([[tag for tag in unit if tag != "O"] for unit in marks], most=None),
        _counted([[token.lower() for token in unit] for unit in tokens], most=words),
        _classes([len(unit) for unit in tokens or marks], lengths),
    ]
    counted = [part for part in parts if part.size]
    if not counted:
        refuse("words and lengths", "such that something is counted", f"{words} and {lengths}")
    return np.concatenate(counted, axis=1)


def _units(name: str, units: Sequence[Unit] | None) -> list[list[str]]:
    """Return the strings of each unit, none where nothing was given; a text is split at white space."""
    if units is None:
        return []
    if examples(name, units) == 0:
        refuse(name, "at least one unit", "none")
    found = [unit.split() if isinstance(unit, str) else unit for unit in units]
    if not all(isinstance(unit, (list, tuple)) and all(isinstance(t, str) for t in unit) for unit in found):
        refuse(name, "lists of strings, one per unit, or texts", "something else")
    return [list(unit) for unit in found]


def _counted(units: Sequence[Sequence[str]], most: int | None) -> NDArray[np.int64]:
    """Count the ``most`` frequent strings (all of them for None) in every unit."""
    total = Counter(string for unit in units for string in unit)
    levels = sorted(total, key=lambda string: (-total[string], string))[:most]
    column = {level: j for j, level in enumerate(levels)}
    table = np.zeros((len(units), len(levels)), dtype=np.int64)
    for row, unit in zip(table, units, strict=True):
        for string in unit:
            if string in column:
                row[column[string]] += 1
    return table


def _classes(lengths: Sequence[int], count: int) -> NDArray[np.int64]:
    """Mark the class of each unit by length; units of one length are in one class."""
    if not count or not lengths:
        return np.zeros((len(lengths), 0), dtype=np.int64)
    limits = np.quantile(lengths, np.arange(1, count) / count)
    found = np.searchsorted(limits, lengths)
    table: NDArray[np.int64] = (found[:, None] == np.unique(found)).astype(np.int64)
    return table
