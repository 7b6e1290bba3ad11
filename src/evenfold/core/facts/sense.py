"""
Whether facts that were read from a file can be: chances are chances, and no interval is upside down.

A name has one meaning in all facts, so that every value is checked by the name of its field, wherever it
stands.
"""

import math
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

from evenfold.core.checks import refuse

_CHANCES = frozenset(
    {
        "pvalue",
        "adjusted_pvalue",
        "probability",
        "level",
        "better",
        "same",
        "worse",
        "caught",
        "passed",
        "differ",
        "a12",
    }
)
_COUNTS = frozenset(
    {"fits", "reused", "speculative", "n", "n_train", "n_test", "wins", "ties", "losses", "rank"}
)
_ENDS = (("low", "high"), ("predicted_low", "predicted_high"), ("a12_low", "a12_high"))
_LARGEST = 2**53  # up to which every count is a float
_FILE = "as to_json wrote it"


def require_sense(facts: Any, where: str = "facts") -> None:
    """Refuse in one line facts that no comparison can have found."""
    for field in fields(facts):
        value = getattr(facts, field.name)
        place = f"{where}.{field.name}"
        if field.name in _CHANCES and isinstance(value, float) and (value < 0 or value > 1):
            refuse(place, "a number from 0 to 1", value, f"is the file {_FILE}?")
        if field.name == "level" and not (isinstance(value, float) and 0 < value < 1):
            refuse(place, "a number between 0 and 1", value, f"is the file {_FILE}?")
        if field.name in _COUNTS and isinstance(value, int) and not 0 <= value <= _LARGEST:
            refuse(place, "a count", value, f"is the file {_FILE}?")
        for inner, one in _inside(value):
            require_sense(one, f"{place}{inner}")
    _require_order(facts, where)


def _inside(value: Any) -> Iterable[tuple[str, Any]]:
    """The facts in a fact, one by one or in a row, each with its place."""
    if is_dataclass(value):
        return [("", value)]
    if isinstance(value, tuple):
        return [(f"[{i}]", one) for i, one in enumerate(value) if is_dataclass(one)]
    return []


def _require_order(facts: Any, where: str) -> None:
    for low, high in _ENDS:
        bottom = getattr(facts, low, None)
        top = getattr(facts, high, None)
        if bottom is not None and top is not None and bottom > top:
            refuse(f"{where}.{low}", f"at most {high} ({top:g})", bottom, f"is the file {_FILE}?")


def require_same(names: Iterable[str], one: Any, other: Any, where: str) -> None:
    """Refuse two values in one file that say different things under these names."""
    for name in names:
        said = getattr(one, name)
        behind = getattr(other, name)
        if not _is_same(said, behind):
            refuse(f"{where}.{name}", f"what stands behind it ({_short(behind)})", _short(said))


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, float) and isinstance(other, float) and math.isnan(one):
        return math.isnan(other)
    return bool(one == other)


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def require_table(name: str, rows: tuple[tuple[Any, ...], ...], shape: tuple[int, int]) -> None:
    """Refuse a table of another shape than algorithms by splits."""
    if len(rows) != shape[0] or any(len(row) != shape[1] for row in rows):
        refuse(name, f"{shape[0]} rows of {shape[1]} values", f"{len(rows)} rows of other lengths")
