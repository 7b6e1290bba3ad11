"""Ids of rows: integers or texts, numbered by their labels."""

import re
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.inputs.results import Ids
from evenfold.core.words import count
from evenfold.read.results._base import Coded
from evenfold.read.results._numbers import is_gap

_WHOLE = re.compile(r"0|-?[1-9][0-9]{0,17}")  # what an integer looks like that fits 64 bits
_LARGEST = 2**63 - 1
_SHOWN = 5
_LONGEST_ID = 1000  # characters that any number of ids may have


def listed(values: Sequence[Any] | NDArray[Any]) -> str:
    """
    The first five of some values, and how many more there are.

    Examples
    --------
    >>> listed([3, 1, 4, 1, 5, 9, 2])
    '3, 1, 4, 1, 5 and 2 more'
    """
    shown = ", ".join(str(one) for one in values[:_SHOWN])
    return shown if len(values) <= _SHOWN else f"{shown} and {len(values) - _SHOWN} more"


def ids(role: str, values: Any) -> Ids:
    """
    Return a column of ids, its labels sorted: as integers where all of them are, else as texts.

    Examples
    --------
    >>> ids("example", np.array(["10", "9", "10"])).labels.tolist()
    [9, 10]
    """
    if isinstance(values, Coded):
        return _labelled(role, values)
    if values.dtype.kind == "u" and values.max() > _LARGEST:
        return _texts(role, values.astype(str))
    if values.dtype.kind in "iu":
        return _whole(values.astype(np.int64, copy=False))
    if values.dtype.kind in "fc":
        if np.isnan(values).any():
            _refuse_no_id(role, np.isnan(values))
        odd = f"numbers such as {values[0]!s}"
        refuse(f"column {role!r}", "integers or texts", odd, "write ids as integers")
    return _texts(role, values)


def _refuse_no_id(role: str, missing: NDArray[np.bool_]) -> NoReturn:
    where = np.flatnonzero(missing)
    found = f"{count(len(where), 'row')} without"
    refuse(f"column {role!r}", "an id in every row", found, f"row {listed(where)}")


def _whole(values: NDArray[np.int64]) -> Ids:
    low, high = int(values.min()), int(values.max())
    if high - low >= 4 * len(values) + 1000:
        labels, codes = np.unique(values, return_inverse=True)
        return Ids(labels=labels, codes=_small(codes, len(labels)))
    there = np.zeros(high - low + 1, dtype=bool)  # close together: no sorting needed
    there[values - low] = True
    labels = np.flatnonzero(there) + low
    places = _small(np.cumsum(there) - 1, len(labels))
    return Ids(labels=labels, codes=places[values - low])


def _small(codes: NDArray[Any], count: int) -> NDArray[np.integer]:
    kind = np.int32 if count < 2**31 else np.int64
    return codes.astype(kind, copy=False)


def _texts(role: str, values: NDArray[Any]) -> Ids:
    plain = values.astype(str) if values.dtype.kind in "bmM" else values
    entries = plain.tolist()
    try:
        labels = list(dict.fromkeys(entries))
    except TypeError:  # an object or a list of JSON cannot be told from others
        refuse(f"column {role!r}", "integers or texts", "objects or lists", "write ids as integers or texts")
    there = [one for one in labels if isinstance(one, str) or not is_gap(one)]
    places = dict.fromkeys(labels, -1) | {one: place for place, one in enumerate(there)}
    codes = np.fromiter(map(places.__getitem__, entries), np.intp, len(entries))
    return _labelled(role, Coded(np.fromiter(there, object, len(there)), codes))


def _labelled(role: str, column: Coded) -> Ids:
    """Sort the labels; they are few and rows are many, so everything but the numbering looks at labels."""
    there = np.zeros(len(column.labels) + 1, dtype=bool)
    there[column.codes] = True  # the last place is that of −1
    empty = np.array([isinstance(one, str) and not one.strip() for one in column.labels] + [True])
    if (there & empty).any():
        _refuse_no_id(role, empty[column.codes])
    labels = _label_texts(role, column.labels[there[:-1]])
    order = np.argsort(labels)
    places = np.zeros(len(column.labels), dtype=np.int64)
    places[np.flatnonzero(there[:-1])[order]] = np.arange(len(labels))
    return Ids(labels=labels[order], codes=_small(places, len(labels))[column.codes])


def _label_texts(role: str, uniques: NDArray[Any]) -> NDArray[Any]:
    """Labels as integers where all of them are, else as texts; no mixture of both."""
    kinds = {_kind(one) for one in set(map(type, uniques))}
    if len(kinds) > 1 or "number" in kinds:
        shown = listed(sorted(kinds))
        refuse(f"column {role!r}", "integers or texts, not both", shown, "write all ids as texts")
    texts = [str(one) for one in uniques]
    longest = max(map(len, texts), default=0)
    if longest > _LONGEST_ID and longest * len(texts) > _LONGEST_ID * 2**16:  # each takes as much as that
        refuse(f"column {role!r}", "short texts", f"one of {longest} characters", "give examples short ids")
    labels = np.array(texts)
    return labels.astype(np.int64) if all(map(_WHOLE.fullmatch, labels.tolist())) else labels


def _kind(kind: type) -> str:
    if issubclass(kind, str):
        return "text"
    if issubclass(kind, (int, np.integer)) and not issubclass(kind, (bool, np.bool_)):
        return "integer"
    return "number" if issubclass(kind, (float, np.floating)) else "other"
