"""Answers about a part of what was given: a gate must not take them for answers about all of it."""

from collections.abc import Iterable


class PartialNote(str):
    """
    A note that the answer is about a part of what was given, chosen by who failed or was not run.

    Examples
    --------
    >>> why_partial(["a remark", PartialNote("4 of 10 data sets were left out")])
    '4 of 10 data sets were left out'
    """

    __slots__ = ()


def why_partial(notes: Iterable[str]) -> str:
    """Return what says that an answer is partial; nothing where it is not."""
    return next((str(note) for note in notes if isinstance(note, PartialNote)), "")
