"""Labels as files write them: which stand for a missing one, and which are meant to be the same."""

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

_MARKS = frozenset(
    {"nan", "+nan", "-nan", "none", "null", "na", "n/a", "#n/a", "<na>", "nat", "nil"}
)
_EXACT = 2**53  # up to which every integer is a float
_LARGEST = 2**63 - 1
_LONG = 16  # digits that larger ones have
_INTEGER = re.compile(r"[+-]?[0-9]{1,40}")
_TRUE_AND_FALSE = {"true": "1", "false": "0"}


def missing_marks(values: NDArray[Any]) -> NDArray[np.bool_]:
    """
    Say which entries of a column of numbers are words for "there is none".

    Among words they are words.

    Examples
    --------
    >>> (
    ...     missing_marks(np.array(["1.0", "nan", "0"])).tolist(),
    ...     missing_marks(np.array(["nan", "naan"])).any(),
    ... )
    ([False, True, False], np.False_)
    """
    if values.dtype.kind not in "OU" or not any(map(_is_mark, _different(values))):
        return np.zeros(len(values), dtype=bool)
    marks = np.fromiter((_is_mark(one) for one in values), bool, len(values))
    if marks.all() or not marks.any():
        return np.zeros(len(values), dtype=bool)
    if all(map(is_number, values[~marks])):
        return marks
    return np.zeros(len(values), dtype=bool)


def _different(values: NDArray[Any]) -> Iterable[Any]:
    """
    The different entries, which are few where rows are many.

    All, where some cannot be compared so.
    """
    entries: list[Any] = values.tolist()
    try:
        return set(entries)
    except TypeError:  # lists, which are refused elsewhere
        return entries


def _is_mark(one: Any) -> bool:
    return isinstance(one, str) and one.strip().casefold() in _MARKS


def is_number(one: Any) -> bool:
    """
    Whether something is a number, or a text that is one.

    Infinities are, NaN is not, nor is 1_0.
    """
    try:
        return not (isinstance(one, str) and "_" in one) and not math.isnan(float(one))
    except (TypeError, ValueError, OverflowError):
        return False


def label_text(one: Any) -> str:
    """
    Write a label as a text, equal numbers alike.

    Examples
    --------
    >>> label_text("1.0"), label_text(1), label_text(True), label_text("0.50"), label_text("idk")
    ('1', '1', '1', '0.5', 'idk')
    """
    if not is_number(one) or math.isinf(float(one)):
        return str(one)
    if _INTEGER.fullmatch(str(one).strip()):
        return str(int(one))  # one beyond 2⁵³ is no float
    number = float(one)
    if number.is_integer():
        return str(int(number))
    return repr(number)


def look_alike(labels: Iterable[Any], known: Iterable[Any]) -> tuple[Any, Any] | None:
    """
    Return the first unknown label that would be known if written like another, and that other.

    Case, blanks and the composition of letters are what people do not see; ``True`` is written for
    1.

    Examples
    --------
    >>> look_alike(["cat", "Dog "], ["cat", "dog"])
    ('Dog ', 'dog')
    """
    known = set(known)
    by_looks = {_looks(one): one for one in known}
    for label in labels:
        if label not in known and _looks(label) in by_looks:
            return label, by_looks[_looks(label)]
    return None


def _looks(label: Any) -> str:
    text = unicodedata.normalize("NFKC", str(label)).strip().casefold()
    return _TRUE_AND_FALSE.get(text, text)


def large_integers(columns: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    """
    Return labels as they are where all are integers and one is no float.

    Nothing where floats do.
    """
    if not any(map(_may_be_large, columns.values())):
        return {}
    read = {role: _integers(values) for role, values in columns.items()}
    largest = max(
        (max(map(abs, values), default=0) for values in read.values() if values is not None),
        default=0,
    )
    if any(values is None for values in read.values()) or not _EXACT < largest <= _LARGEST:
        return {}
    return {role: np.array(values, dtype=np.int64) for role, values in read.items()}


def _may_be_large(values: NDArray[Any]) -> bool:
    """Whether a column can hold an integer that is no float: looked at before all are read."""
    if values.dtype.kind in "iu":
        return bool(len(values)) and max(abs(int(values.min())), abs(int(values.max()))) > _EXACT
    if values.dtype.kind not in "OU":
        return False
    return any(len(one) >= _LONG if isinstance(one, str) else _is_large(one) for one in values)


def _is_large(one: Any) -> bool:
    return isinstance(one, (int, np.integer)) and abs(int(one)) > _EXACT


def _integers(values: NDArray[Any]) -> list[int] | None:
    """Return a column as integers of any size; None where one is something else."""
    if values.dtype.kind in "biu":
        return [int(one) for one in values]
    if values.dtype.kind == "f":
        if (values == np.round(values)).all():
            return [int(one) for one in values]
        return None
    if values.dtype.kind not in "OU":
        return None
    texts = [str(one).strip() for one in values]
    if all(map(_INTEGER.fullmatch, texts)):
        return [int(one) for one in texts]
    return None
