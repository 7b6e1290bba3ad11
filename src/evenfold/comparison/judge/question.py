"""What all arrangements of a table share: the question, the losses that come of it, one truth per example."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.judge.grid import Grid
from evenfold.comparison.judge.values import LARGEST, Measured
from evenfold.core.checks import refuse
from evenfold.core.inputs.results import Results
from evenfold.core.losses import Losses
from evenfold.core.partition import Cut, Kind, Partition
from evenfold.read.results import listed


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Question:
    """A table and what was said of it, see :func:`evenfold.judge`; None where nothing was said."""

    results: Results
    measured: Measured
    paired: bool | None = None
    n: int | None = None
    drop: bool = False
    horizon: int | None = None


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Arranged:
    """
    A table as the losses that a run would give, with what must be said of it.

    ``ids`` are the labels of the examples; ``right`` (algorithms, examples) says who was right on which,
    where right and wrong is what was measured.
    """

    losses: Losses
    ids: NDArray[Any] | None = None
    right: NDArray[np.bool_] | None = None
    notes: tuple[str, ...] = ()


def losses_of(question: Question, partition: Partition, values: Any, **more: Any) -> Losses:
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


def _require_moderate(question: Question, values: NDArray[np.float64], examples: Any) -> None:
    """Refuse values whose squares are infinite: no variance can be had of them, and no verdict."""
    parts = [values.ravel(), *(np.asarray(one) for runs in examples or () for one in runs)]
    most = max(float(np.nanmax(np.abs(part), initial=0.0)) for part in parts)
    if not most <= LARGEST:
        name = question.measured.quantity.name
        refuse(f"values of {name!r}", f"at most {LARGEST:g}", most, "they are too large: use another unit")


def partition_of(
    kind: Kind, cut: Cut, *, repetition: NDArray[Any] | None = None, fold: NDArray[Any] | None = None
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


def require_one_truth(question: Question, found: Grid) -> None:
    """Refuse tables in which algorithms, or runs, had another truth or another weight for one example."""
    results = question.results
    for what, column in (("truth", results.truth), ("weight", results.weight)):
        if column is not None:
            _require_one(what, column, found)
    if results.weight is not None:
        _require_weights(results.weight, found)


def _require_one(what: str, column: NDArray[Any], found: Grid) -> None:
    rows = found.rows.reshape(-1, found.rows.shape[-1])
    first = column[rows.max(axis=0)]  # every example is somewhere in the table
    other = np.zeros(len(first), dtype=bool)
    for one in rows:
        other |= (one >= 0) & (column[one] != first)
    if other.any():
        several = f"several for example {listed(found.axes[-1][other])}"
        rule = (
            "one with one truth per example" if what == "truth" else f"one with one {what} for every example"
        )
        refuse("table", rule, f"{int(other.sum())} with several", several)


def _require_weights(weights: NDArray[Any], found: Grid) -> None:
    """Refuse weights that leave fewer than two examples: nothing varies then."""
    rows = found.rows.reshape(-1, found.rows.shape[-1]).max(axis=0)
    counted = int((weights[rows] > 0).sum())
    if counted < 2 and len(rows) > 1 and weights.min() >= 0:
        refuse("column 'weight'", "such that there are two examples or more with a weight above 0", counted)
