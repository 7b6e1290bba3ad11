"""Frames of any library, by narwhals: their columns by role."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import one_of, refuse
from evenfold.core.inputs.results import IDS, NUMBERS, PREDICTED, PROBABILITY, SLICE, TASK
from evenfold.read.plain_tables import PlainTable
from evenfold.read.results._base import Coded, Given

ROLES = ("algorithm", *IDS, TASK, *NUMBERS, *PREDICTED)
_SEED = "seed"


def as_frame(table: Any) -> Any:
    """Return a table as a narwhals frame or a plain one, None where it is none; lazy ones are collected."""
    if isinstance(table, PlainTable):
        return table
    import narwhals as nw

    try:
        frame = nw.from_native(table, pass_through=True)
    except Exception as reason:  # narwhals' own errors: a frame, but a broken one
        first = str(reason).splitlines()[0]
        refuse("table", "a frame whose columns are named once", type(table).__name__, first)
    if isinstance(frame, nw.LazyFrame):
        return frame.collect()
    return frame if isinstance(frame, nw.DataFrame) else None


def column(frame: Any, name: str) -> Any:
    """Return a column as an array, or as codes where the library has them; gaps are None or NaN."""
    if isinstance(frame, PlainTable):
        return frame[name]
    series = frame[name]
    native = series.to_native()
    if hasattr(native, "cat") and hasattr(native.cat, "codes"):  # pandas' categories
        return Coded(native.cat.categories.to_numpy(), native.cat.codes.to_numpy())
    if series.dtype.is_float():
        return np.asarray(series.to_numpy(), dtype=float)
    return np.array(series.to_list(), dtype=object) if series.null_count() else np.asarray(series.to_numpy())


def array(frame: Any, name: str) -> NDArray[Any]:
    """Return a column as an array, whatever the library."""
    found = frame[name]
    return found if isinstance(frame, PlainTable) else np.asarray(found.to_numpy())


def by_role(frame: Any, given: Given) -> dict[str, Any]:
    """Return the columns that have a role, named by it, and those of probabilities."""
    present = frame.columns
    for role, name in given.columns.items():
        one_of("columns", role, ROLES)
        if name not in present:
            one_of(f"columns[{role!r}]", name, present)
    names = {role: _named(role, present, given) for role in ROLES}
    chosen = {role: name for role, name in names.items() if name in present}
    if "score" not in given.columns and "score" in given.columns.values():
        del chosen["score"]  # somebody said what it is: {"value": "score"}
    chosen |= {name: name for name in present if name.startswith(PROBABILITY)}
    _require_one_role(chosen)
    chosen |= {f"{SLICE}{name}": one_of("slices", name, present) for name in given.slices}
    return {role: column(frame, name) for role, name in chosen.items()}


def _named(role: str, present: Sequence[str], given: Given) -> str:
    """What a table calls a role; its runs may be told apart by their seeds."""
    name = given.name(role)
    return _SEED if role == "run" and name not in present and "run" not in given.columns else name


def _require_one_role(chosen: Mapping[str, str]) -> None:
    """Refuse a column in two roles: a truth that is the prediction makes every answer right."""
    roles: dict[str, str] = {}
    for role, name in chosen.items():
        first = roles.setdefault(name, role)
        if first != role:
            refuse("columns", "of one role each", f"column {name!r} as {first!r} and as {role!r}")


def others(frame: Any, given: Given) -> list[str]:
    """Return the names of columns without a role."""
    taken = {*(_named(role, frame.columns, given) for role in ROLES), *given.slices}
    return [name for name in frame.columns if name not in taken and not name.startswith(PROBABILITY)]


def is_measured(columns: Iterable[str]) -> bool:
    """Whether columns hold values, or a truth with what was predicted: labels, scores or probabilities."""
    roles = set(columns)
    predicted = "prediction" in roles or any(role.startswith(PROBABILITY) for role in roles)
    return bool(roles & {"value", "score"}) or ("truth" in roles and predicted)
