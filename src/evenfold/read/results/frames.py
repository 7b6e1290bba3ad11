"""
Long frames of any library.

One row per value, with columns that say of which algorithm and what varied.
"""

import re
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.inputs import IDS
from evenfold.read.results._base import (
    ROWS,
    Coded,
    Given,
    Long,
    Reader,
    each_is,
    mask_to_gaps,
    name_columns,
    register,
)
from evenfold.read.results._columns import (
    SYNONYMS,
    array,
    as_frame,
    by_role,
    columns_without_role,
    is_long,
    is_measured,
    parse_numbers,
    unused_groups_note,
)
from evenfold.read.results._sizes import add_sizes, fold_of_each


@register
class LongFrame(Reader):
    """A frame with a column ``algorithm``."""

    key = "long"
    takes = "a long frame with a column 'algorithm'"

    def knows(self, table: Any, given: Given) -> bool:
        frame = as_frame(table)
        return frame is not None and is_long(frame, given)

    def read(self, table: Any, given: Given) -> Long:
        frame = as_frame(table)
        columns: dict[str, Any] = dict(by_role(frame, given))
        if not is_measured(columns):
            names = ", ".join(map(repr, frame.columns[:8]))
            refuse("table", "have a column 'value', or 'truth' and 'prediction'", names, _REMEDY)
        if not any(role in columns for role in IDS):
            refuse(
                "table",
                f"have a column that says what varied ({', '.join(IDS)})",
                "it has none",
                _ids(given),
            )
        note = unused_groups_note([frame], [columns], given)
        return Long(columns=columns, notes=(note,) if note else ())


_REMEDY = "map other names by columns={'value': 'score'}"


def _ids(given: Given) -> str:
    if given.rows in ROWS:
        return "rows= is for tables without a column 'algorithm'"
    return "add ids"


_COUNTED = 10  # rows that are counted one by one in a column of numbers are no coincidence
_NAMES_OF_IDS = (*SYNONYMS["example"], *SYNONYMS["run"])
# what a counter of rows is called
_COUNTER = re.compile(r"id|idx|index|row|unnamed: \d+|", re.IGNORECASE)


@register
class WideFrame(Reader):
    """A frame without a column ``algorithm``: every column without a role is an algorithm."""

    key = "wide"
    takes = "a wide frame with one column per algorithm"
    general = True

    def knows(self, table: Any, given: Given) -> bool:
        frame = as_frame(table)
        return frame is not None and not is_long(frame, given)

    def read(self, table: Any, given: Given) -> Long:
        frame = as_frame(table)
        names = columns_without_role(frame, given)
        if not names:
            refuse(
                "table", "have a column 'algorithm', or one column per algorithm", "it has neither"
            )
        ids = by_role(frame, given)
        truth = ids.pop("truth", None)
        values = {name: array(frame, name) for name in names}
        for name, column in values.items():
            _require_algorithm(name, column, values, predicted=truth is not None)
        return stack_algorithms(values, ids, given, truth=truth)


def _require_algorithm(
    name: str, column: NDArray[Any], all_columns: Mapping[str, NDArray[Any]], *, predicted: bool
) -> None:
    """
    Refuse a column that counts the rows, and words in the place of values.

    Neither is an algorithm's.

    Predictions may be words, and numbers that count the rows unless the name says that they do
    nothing else.
    """
    rule = "an algorithm's values, as it has no role,"
    found = parse_numbers(column)
    if not predicted and np.isnan(found).all() and (words := _nonblank_texts(column)):
        measured = [
            one
            for one, them in all_columns.items()
            if np.isfinite(parse_numbers(them)).all() and one not in _NAMES_OF_IDS
        ]
        roles = f"'value': {measured[0]!r}" if len(measured) == 1 else "'value': …"
        if not measured:
            roles = "'truth': …, 'prediction': …"
        remedy = (
            f"pass columns={{'algorithm': {name!r}, {roles}}} if the table has a row for each "
            "algorithm"
        )
        refuse(f"column {name!r}", rule, words[0], remedy)
    if predicted and not _COUNTER.fullmatch(name):
        return
    if len(column) >= _COUNTED and np.isfinite(found).all() and (np.diff(found) == 1).all():
        remedy = f"pass columns={{'example': {name!r}}}, or leave it out"
        refuse(f"column {name!r}", rule, "the numbers of rows", remedy)


def _nonblank_texts(column: NDArray[Any]) -> list[str]:
    return [str(one) for one in column if isinstance(one, str) and one.strip()]


def stack_algorithms(
    values: dict[str, Any],
    ids: dict[str, Any],
    given: Given,
    *,
    truth: Any = None,
    runs_by: str = "row",
) -> Long:
    """
    Put columns of algorithms below each other; ids, or what ``rows`` says, repeated beside them.

    ``runs_by`` says what numbers the runs where they have no ids: the rows of one frame, or
    positions.
    """
    count = len(next(iter(values.values())))
    numbers: dict[str, Any] = {}
    if not any(role in ids for role in IDS if role != "group"):  # a group tells no rows apart
        numbers = number_rows(count, given, truth=truth, groups=ids.get("group"))
    ids = {**ids, **numbers}
    many = len(values)
    columns: dict[str, Any] = {role: tile_column(column, many) for role, column in ids.items()}
    columns["algorithm"] = Coded.repeated([str(name) for name in values], count)
    columns["value" if truth is None else "prediction"] = np.concatenate(list(values.values()))
    if truth is not None:
        columns["truth"] = tile_column(truth, many)
    if runs_by == "row" and "run" not in numbers:
        known = "id"
    else:
        known = runs_by
    return Long(columns=columns, names=[str(name) for name in values], runs_by=known)


def tile_column(column: Any, times: int) -> Any:
    """Return a column so many times below itself."""
    if isinstance(column, Coded):
        return Coded(column.labels, np.tile(column.codes, times))
    return np.tile(np.asarray(column), times)


def number_rows(
    count: int, given: Given, *, truth: Any = None, groups: Any = None
) -> dict[str, Any]:
    """
    Return the columns of a table whose rows are only numbered.

    What ``rows`` says, and their folds.
    """
    if given.rows is None and given.cv is None:
        refuse("rows", f"given, one of {', '.join(map(repr, ROWS))}", None, "the table has no ids")
    if given.rows == "examples" and given.cv is not None:
        return {"example": np.arange(count), "fold": fold_of_each(count, given, truth, groups)}
    if given.rows in ("folds", "splits") or given.cv is not None:
        return add_sizes(count, given)
    return {ROWS[str(given.rows)]: np.arange(count)}


@register
class Arrays(Reader):
    """
    A mapping of names to arrays of one length.

    Arrays of two axes are runs × examples.
    """

    key = "arrays"
    takes = "a mapping of algorithm to array"

    def knows(self, table: Any, given: Given) -> bool:  # noqa: ARG002  (one signature)
        return each_is(table, _is_numbers)

    def read(self, table: Any, given: Given) -> Long:
        values = {name: mask_to_gaps(one) for name, one in name_columns(table).items()}
        shapes = {array.shape for array in values.values()}
        if len(shapes) > 1 and {len(shape) for shape in shapes} != {1}:
            refuse("arrays", "of one shape", ", ".join(map(str, sorted(shapes))))
        axes = len(next(iter(shapes)))
        if axes == 2:
            return _runs(values, given)
        if len(shapes) > 1:
            return _unequal(values, given)
        if axes != 1:
            refuse("arrays", "of one axis, or runs × examples", f"{axes} axes")
        return stack_algorithms(values, {}, given, runs_by="position")


def _is_numbers(one: Any) -> bool:
    if isinstance(one, (str, Mapping)) or hasattr(one, "columns"):
        return False
    try:
        array = np.asarray(one)
    except ValueError:  # a ragged list
        return False
    return array.ndim > 0 and array.dtype.kind in "biuf"


def _runs(values: dict[str, Any], given: Given) -> Long:
    if given.rows not in (None, "runs"):
        refuse("rows", "'runs' where arrays have two axes, runs × examples", given.rows)
    runs, n = next(iter(values.values())).shape
    ids = {"run": np.repeat(np.arange(runs), n), "example": np.tile(np.arange(n), runs)}
    flat = {name: array.ravel() for name, array in values.items()}
    return stack_algorithms(flat, ids, given, runs_by="position")


def _unequal(values: dict[str, Any], given: Given) -> Long:
    """Only runs may be more for one algorithm than for another: then they are not the same runs."""
    if given.rows != "runs":
        lengths = ", ".join(f"{name}: {len(array)}" for name, array in values.items())
        refuse("arrays", "of one length unless rows='runs'", lengths)
    return Long(
        columns={
            "algorithm": Coded.repeated(list(values), [len(array) for array in values.values()]),
            "run": np.array(
                [f"{name} {i}" for name, array in values.items() for i in range(len(array))]
            ),
            "value": np.concatenate(list(values.values())),
        },
        names=list(values),
    )
