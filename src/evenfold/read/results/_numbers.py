"""Columns of numbers as files have them: gaps, texts that are numbers, and what is none."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.inputs.results import Floats


def gaps(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Where a column has no entry: None, NaN, a date that is none, an empty text."""
    missing: NDArray[np.bool_] = np.zeros(len(values), dtype=bool)
    if values.dtype.kind in "fc":
        missing = np.isnan(values)
    elif values.dtype.kind in "mM":
        missing = np.isnat(values)
    elif values.dtype.kind == "U":
        missing = np.char.str_len(np.char.strip(values)) == 0
    elif values.dtype.kind == "O":
        missing = np.fromiter(map(is_gap, values), bool, len(values))
    return missing


def is_gap(one: object) -> bool:
    """
    Whether an entry is none: None, an empty text, or what is not equal to itself, as NaN and NaT are.

    Examples
    --------
    >>> [is_gap(one) for one in (None, " ", float("nan"), 0, "0", [])]
    [True, True, True, False, False, False]
    """
    if isinstance(one, str):
        return not one.strip()
    if one is None:
        return True
    try:
        return bool(one != one)
    except Exception:  # pandas' NA, which is neither; an array in a cell, which is no gap
        return type(one).__name__ == "NAType"


def numbers(role: str, values: NDArray[Any]) -> Floats:
    """
    Return a column of finite numbers; texts are read, right and wrong are 1 and 0.

    Examples
    --------
    >>> numbers("value", np.array(["0.5", "1e-3"])).tolist()
    [0.5, 0.001]
    """
    found = parsed(values)
    odd = ~np.isfinite(found)
    if odd.any():
        refuse(f"column {role!r}", "finite numbers", f"{values[odd][0]!s} in row {int(odd.argmax())}")
    return found


def parsed(values: NDArray[Any]) -> Floats:
    """Numbers as they are, texts read to the last bit, NaN for everything else."""
    if values.dtype.kind in "biuf":
        return values.astype(float, copy=False)
    if values.dtype.kind not in "OU":
        return np.full(len(values), np.nan)
    try:
        if any("_" in one for one in values if isinstance(one, str)):  # Python reads 1_0 as 10
            raise ValueError("a text with a sign that no number has")
        return np.fromiter(map(float, values), float, len(values))
    except (TypeError, ValueError, OverflowError):
        return np.fromiter(map(number, values), float, len(values))


def number(one: Any) -> float:
    """Return what one entry reads as, NaN where it is no number."""
    try:
        return np.nan if isinstance(one, str) and "_" in one else float(one)
    except (TypeError, ValueError, OverflowError):  # the last of an integer beyond all floats
        return np.nan


def is_whole(values: Floats) -> bool:
    """Whether all are integers that a float holds exactly; larger ones would not survive the way to int64."""
    return bool((values == np.round(values)).all() and (np.abs(values) <= 2.0**53).all())


def numbers_or_none(values: NDArray[Any]) -> Floats | None:
    """Return a column as numbers if all of them are finite."""
    found = parsed(values)
    return found if np.isfinite(found).all() else None
