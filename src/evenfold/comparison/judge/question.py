"""
What all arrangements of a table share.

The question, the losses that come of it, one truth per example.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.judge.values import LARGEST, TableMeasure
from evenfold.core.checks import refuse
from evenfold.core.facts.comparison import PartialNote
from evenfold.core.inputs import TASK, Ids, Results
from evenfold.core.losses import Losses
from evenfold.core.partition import Cut, Kind, Partition
from evenfold.core.words import list_first_values

Rows = NDArray[np.int64]


# From long rows to a dense grid: every algorithm × every id, matched by ids and never by the order
# of rows.
#
# What is doubled or missing is named, the first five of them, before anything is computed.


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class RowGrid:
    """
    Where each algorithm's row for each combination of ids is.

    Attributes
    ----------
    rows : array (algorithms, *axes)
        The row of the table, −1 where an algorithm has none.
    axes : tuple of array
        The labels along each axis.
    """

    rows: Rows
    axes: tuple[NDArray[np.generic], ...]


def grid(results: Results, roles: Sequence[str]) -> RowGrid:
    """
    Lay the rows out by algorithm and by the ids of these roles.

    Refuse combinations that come twice.

    Examples
    --------
    >>> table = Results(names=("a", "b"), algorithm=np.array([0, 1, 1]),
    ...                 example=Ids(labels=np.array([3, 7]), codes=np.array([1, 0, 1])))
    >>> grid(table, ["example"]).rows.tolist()
    [[-1, 0], [1, 2]]
    """
    columns = [column(results, role) for role in roles]
    shape = (len(results.names), *(len(one) for one in columns))
    _require_room(shape, roles, len(results))
    cells = np.ravel_multi_index((results.algorithm, *(one.codes for one in columns)), shape)
    rows = np.full(int(np.prod(shape)), -1, dtype=np.int64)
    rows[cells] = np.arange(len(cells))
    if int((rows >= 0).sum()) < len(cells):
        doubled = np.bincount(cells, minlength=len(rows)) > 1
        first = name_true_cells(results, roles, doubled.reshape(shape))
        refuse(
            "table",
            "have one row for each algorithm and id",
            f"several for {int(doubled.sum())} of them",
            first,
        )
    return RowGrid(rows=rows.reshape(shape), axes=tuple(one.labels for one in columns))


_ROOM = 10_000_000  # places that any table may have; above, so many for each row
_PER_ROW = 100


def _require_room(shape: Sequence[int], roles: Sequence[str], rows: int) -> None:
    """Refuse ids that hardly ever meet: their grid would be empty, and too large for any memory."""
    cells = math.prod(shape)
    if cells > max(_ROOM, _PER_ROW * rows):
        counts = " × ".join(
            f"{size} {role}s" for size, role in zip(shape, ("algorithm", *roles), strict=True)
        )
        found = f"{counts} for {rows} rows"
        refuse(
            "table", f"have {' and '.join(roles)} ids that belong together", found, "check the ids"
        )


def examples_of_tasks(results: Results) -> Results:
    """
    Return the table with examples named by their task too.

    Example 7 of each task is another one.
    """
    task = results.parts.get(TASK)
    example = results.example
    if task is None or example is None:
        return results
    both = task.codes.astype(np.int64) * len(example) + example.codes
    places, codes = np.unique(both, return_inverse=True)
    labels = [
        f"{task.labels[k // len(example)]}/{example.labels[k % len(example)]}"
        for k in places.tolist()
    ]
    return replace(results, example=Ids(labels=np.array(labels), codes=codes.ravel()))


def column(results: Results, role: str) -> Ids:
    """Return a column that is there."""
    found = results.ids(role)
    if found is None:
        refuse("table", f"have a column {role!r}", "it has none")
    return found


def name_true_cells(results: Results, roles: Sequence[str], mask: NDArray[np.bool_]) -> str:
    """
    Say where a mask (algorithms, *ids) is true: the first algorithm of it, and the first five ids.

    Examples
    --------
    >>> table = Results(names=("a", "b"), algorithm=np.array([0, 1]),
    ...                 example=Ids(labels=np.array([3, 7]), codes=np.array([1, 0])))
    >>> name_true_cells(table, ["example"], np.array([[False, False], [True, True]]))
    "'b' at example 3, 7"
    """
    a = int(mask.reshape(len(mask), -1).any(axis=1).argmax())
    places = np.argwhere(mask[a])
    if len(roles) == 1:
        return (
            f"{results.names[a]!r} at {roles[0]} "
            f"{list_first_values(column(results, roles[0]).labels[places[:, 0]])}"
        )
    labels = [column(results, role).labels for role in roles]
    shown = [
        " ".join(f"{role} {of[i]}" for role, of, i in zip(roles, labels, place, strict=True))
        for place in places
    ]
    return f"{results.names[a]!r} at {list_first_values(shown)}"


def complete(
    found: RowGrid, results: Results, roles: Sequence[str], *, drop: bool
) -> tuple[RowGrid, str]:
    """
    Return the grid without holes, and what was dropped in words.

    The last role is what may be dropped.

    An id of the last role that some algorithm, or some run, lacks is left out for all of them, or
    refused.
    """
    holes = found.rows < 0
    lacking = np.asarray(holes.any(axis=tuple(range(holes.ndim - 1))))
    if not lacking.any():
        return found, ""
    role = roles[-1]
    if not drop:
        refuse(
            "table",
            f"have a value of every algorithm for every {role}",
            f"{int(holes.sum())} missing",
            f"{name_true_cells(results, roles, holes)}; {_how_to_complete(holes, role)}",
        )
    if lacking.all():
        refuse("table", f"have a {role} that every algorithm has", "it has none")
    kept = ~lacking
    said = (
        f"{int(lacking.sum())} of {len(lacking)} {role}s that not every algorithm has were left out"
    )
    if holes[1:].any():  # what the first, the baseline, lacks was not chosen by any candidate
        said = PartialNote(said)
    return RowGrid(rows=found.rows[..., kept], axes=(*found.axes[:-1], found.axes[-1][kept])), said


def _how_to_complete(holes: NDArray[np.bool_], role: str) -> str:
    """
    Say what to do about values that are missing.

    Where one algorithm has them all, the others were not asked everything; else each may have been
    asked something else.
    """
    lacking = holes.any(axis=tuple(range(holes.ndim - 1)))
    drop = f"pass on_missing='drop' for the {int((~lacking).sum())} that all have"
    if not holes.reshape(len(holes), -1).any(axis=1).all():
        return f"add them, or {drop}, if none is missing because it went wrong"
    if role == "example":
        return f"{drop}, or give ids of their own to examples that are others"
    return drop


def one_per(found: RowGrid, codes: NDArray[np.integer], what: str) -> NDArray[np.integer]:
    """Return one code for every example, the last axis; refuse examples that have several."""
    rows = found.rows.reshape(-1, found.rows.shape[-1])
    there = rows >= 0
    each = np.where(there, codes[rows], -1)
    most: NDArray[np.integer] = each.max(axis=0)
    other = (there & (each != most)).any(axis=0)
    if other.any():
        first = f"several for example {list_first_values(found.axes[-1][other])}"
        refuse(
            "table",
            f"have one {what} for every example",
            f"several for {int(other.sum())} of them",
            first,
        )
    return most


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TableQuestion:
    """A table and what was said of it, see :func:`evenfold.judge`; None where nothing was said."""

    results: Results
    measured: TableMeasure
    paired: bool | None = None
    n: int | None = None
    drop: bool = False
    horizon: int | None = None


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ArrangedTable:
    """
    A table as the losses that a run would give, with what must be said of it.

    ``ids`` are the labels of the examples; ``right`` (algorithms, examples) says who was right on
    which, where right and wrong is what was measured.
    """

    losses: Losses
    ids: NDArray[Any] | None = None
    right: NDArray[np.bool_] | None = None
    notes: tuple[str, ...] = ()


def losses_of(question: TableQuestion, partition: Partition, values: Any, **more: Any) -> Losses:
    """Return losses of the measure of this question; nothing was fitted."""
    values = np.asarray(values, dtype=float)
    _require_moderate(question, values, more.get("examples"))
    nothing = np.zeros(values.shape)
    return Losses(
        quantity=question.measured.quantity,
        algorithms=question.results.names,
        partition=partition,
        values=values,
        fit_seconds=nothing,
        predict_seconds=nothing,
        **more,
    )


def _require_moderate(question: TableQuestion, values: NDArray[np.float64], examples: Any) -> None:
    """Refuse values whose squares are infinite: no variance can be had of them, and no verdict."""
    parts = [values.ravel(), *(np.asarray(one) for runs in examples or () for one in runs)]
    most = max(float(np.nanmax(np.abs(part), initial=0.0)) for part in parts)
    if not most <= LARGEST:
        name = question.measured.quantity.name
        refuse(
            f"values of {name!r}",
            f"at most {LARGEST:g}",
            most,
            "they are too large: use another unit",
        )


def partition_of(
    kind: Kind,
    cut: Cut,
    *,
    repetition: NDArray[Any] | None = None,
    fold: NDArray[Any] | None = None,
) -> Partition:
    """Return a partition whose seed nobody knows."""
    places = np.arange(cut.n_splits)
    return Partition(
        kind=kind,
        seed=None,
        cut=cut,
        repetition=np.zeros_like(places) if repetition is None else repetition,
        fold=places if fold is None else fold,
    )


def require_one_truth(question: TableQuestion, found: RowGrid) -> None:
    """Refuse tables where algorithms or runs had another truth or weight for one example."""
    results = question.results
    for what, column in (("truth", results.truth), ("weight", results.weight)):
        if column is not None:
            _require_one(what, column, found)
    if results.weight is not None:
        _require_weights(results.weight, found)


def _require_one(what: str, column: NDArray[Any], found: RowGrid) -> None:
    rows = found.rows.reshape(-1, found.rows.shape[-1])
    first = column[rows.max(axis=0)]  # every example is somewhere in the table
    other = np.zeros(len(first), dtype=bool)
    for one in rows:
        other |= (one >= 0) & (column[one] != first)
    if other.any():
        several = f"several for example {list_first_values(found.axes[-1][other])}"
        if what == "truth":
            rule = "have one truth per example"
        else:
            rule = f"have one {what} for every example"
        refuse("table", rule, f"{int(other.sum())} with several", several)


_FEWEST_IN_EFFECT = 1.5


def _require_weights(weights: NDArray[Any], found: RowGrid) -> None:
    """
    Refuse weights that leave fewer than two examples: nothing varies then.

    So it is, as good as, where one outweighs all others: Kish's effective number says so.
    """
    if weights.min() < 0:
        return  # refused where weights are checked one by one
    rows = found.rows.reshape(-1, found.rows.shape[-1]).max(axis=0)
    counted = int((weights[rows] > 0).sum())
    if counted < 2 and len(rows) > 1:
        refuse("column 'weight'", "above 0 for two examples or more", counted)
    share = weights[rows] / max(weights[rows].max(), np.finfo(float).tiny)
    effective = share.sum() ** 2 / max(np.square(share).sum(), 1.0)
    if effective < _FEWEST_IN_EFFECT and len(rows) > 2:
        left = f"{effective:.2g} examples in effect (Kish)"
        refuse("column 'weight'", "such that no example outweighs all others", left)
