"""
Arrange a table as the losses that a run would give: what varied in it, and its ids on a grid.

This file has the examples of models that were trained elsewhere; runs and folds have their own.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.judge.parts import POOLED
from evenfold.comparison.judge.values import LARGEST, Codes, TableMeasure, measure_of_table
from evenfold.core.checks import Advice, flag, integer, one_of, refuse, short_repr
from evenfold.core.errors import NotApplicable
from evenfold.core.inputs import TASK, Ids, Results
from evenfold.core.losses import Losses
from evenfold.core.note import Note, note
from evenfold.core.partition import (
    CLUSTERS,
    PATH,
    TEST_SET,
    TWO_TEST_SETS,
    TWO_TEST_SETS_RIGHT,
    Cut,
    Indices,
    Integers,
    Kind,
    Partition,
)
from evenfold.core.words import count, format_count, group_words, list_first_values
from evenfold.infer.naming import require_method

Rows = NDArray[np.int64]


# From long rows to a dense grid: every algorithm × every id, matched by ids and never by the order
# of rows. Rows that are doubled or missing are refused, with the ids of the first five.


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class RowGrid:
    """
    Where each algorithm's row for each combination of ids is.

    Attributes
    ----------
    rows : array (algorithms, *ids of each role)
        The row of the table, −1 where an algorithm has none.
    ids : array
        The labels along the last axis.
    """

    rows: Rows
    ids: NDArray[np.generic]


def grid(results: Results, roles: Sequence[str]) -> RowGrid:
    """
    Lay the rows out by algorithm and by the ids of these roles, or refuse rows with the same ids.

    Examples
    --------
    >>> table = Results(names=("a", "b"), algorithm=np.array([0, 1, 1]),
    ...                 example=Ids(labels=np.array([3, 7]), codes=np.array([1, 0, 1])))
    >>> grid(table, ["example"]).rows.tolist()
    [[-1, 0], [1, 2]]
    """
    columns = [column(results, role) for role in roles]
    shape = (len(results.names), *(len(ids) for ids in columns))
    _require_room(shape, roles, len(results))
    cells = np.ravel_multi_index((results.algorithm, *(ids.codes for ids in columns)), shape)
    rows = np.full(int(np.prod(shape)), -1, dtype=np.int64)
    rows[cells] = np.arange(len(cells))
    if int((rows >= 0).sum()) < len(cells):
        doubled = np.bincount(cells, minlength=len(rows)) > 1
        first = name_true_cells(results, roles, doubled.reshape(shape))
        refuse(
            "table",
            "The table must have one row for each algorithm and id but it has several for "
            f"{int(doubled.sum()):,} of them.",
            f"Look at {first}.",
        )
    return RowGrid(rows=rows.reshape(shape), ids=columns[-1].labels)


_ROOM = 10_000_000  # cells that the grid of any table may have
_PER_ROW = 100  # cells for each row that a larger grid may have


def _require_room(shape: Sequence[int], roles: Sequence[str], rows: int) -> None:
    """Refuse ids that hardly ever occur together, because their grid would need too much memory."""
    cells = math.prod(shape)
    if cells > max(_ROOM, _PER_ROW * rows):
        counts = " × ".join(
            f"{size:,} {role}s" for size, role in zip(shape, ("algorithm", *roles), strict=True)
        )
        refuse(
            "table",
            f"The {' and '.join(roles)} ids of the table hardly ever occur together: there are "
            f"{counts} but {rows:,} rows.",
            "Check the ids.",
        )


def examples_of_tasks(results: Results) -> Results:
    """
    Return the table with the task in the id of each example.

    Examples of different tasks are different even if they have the same number.
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


def baseline_first(results: Results, baseline: str | None) -> Results:
    """Return the table with the baseline as its first algorithm."""
    if baseline is None:
        return results
    one_of("baseline", baseline, results.names)
    order = sorted(results.names, key=lambda name: name != baseline)
    places = np.array([order.index(name) for name in results.names])
    return replace(results, names=tuple(order), algorithm=places[results.algorithm])


def column(results: Results, role: str) -> Ids:
    """Return the ids of a role, or refuse a table without them."""
    ids = results.ids(role)
    if ids is None:
        refuse("table", f"The table has no column {role!r}.")
    return ids


def name_true_cells(results: Results, roles: Sequence[str], mask: NDArray[np.bool_]) -> str:
    """
    Say where a mask (algorithms, *ids) is true: its first algorithm, and the first five ids.

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
    row_grid: RowGrid, results: Results, roles: Sequence[str], *, drop: bool
) -> tuple[RowGrid, tuple[Note, ...]]:
    """
    Return the grid without holes, and a note about what was dropped.

    An id of the last role that some algorithm, or some run, lacks is left out for all of them, or
    refused.
    """
    holes = row_grid.rows < 0
    lacking = np.asarray(holes.any(axis=tuple(range(holes.ndim - 1))))
    if not lacking.any():
        return row_grid, ()
    role = roles[-1]
    if not drop:
        cells = name_true_cells(results, roles, holes)
        refuse(
            "table",
            f"The table must have a value of every algorithm for every {role} but "
            f"lacks {int(holes.sum()):,}, such as {cells}.",
            _how_to_complete(holes, role),
        )
    if lacking.all():
        refuse("table", f"The table has no {role} that every algorithm has.")
    kept = ~lacking
    # The first algorithm is the baseline: what only it lacks was not chosen by any candidate.
    dropped = left_out(lacking, f"{role}s", partial=bool(holes[1:].any()))
    kept_rows = RowGrid(rows=row_grid.rows[..., kept], ids=row_grid.ids[kept])
    return kept_rows, (dropped,)


def left_out(
    lacking: NDArray[np.bool_], what: str, *, who: str = "algorithm", partial: bool = True
) -> Note:
    """Return a note of how many were left out because not every algorithm has them."""
    numbers = {"left_out": int(lacking.sum()), "total": len(lacking)}
    return Note("left-out", {**numbers, "what": what, "who": who}, partial)


def _how_to_complete(holes: NDArray[np.bool_], role: str) -> Advice:
    """
    Say what to do about values that are missing.

    If one algorithm has them all, the others lack rows; else algorithms may have other examples.
    """
    lacking = holes.any(axis=tuple(range(holes.ndim - 1)))
    complete = int((~lacking).sum())
    drop = Advice(
        {"on_missing": "drop"},
        f" to use only the {role}s that all algorithms have ({complete:,} of {lacking.size:,})",
    )
    if not holes.reshape(len(holes), -1).any(axis=1).all():
        return Advice("Add them. If none is missing because it failed, pass ", drop, ".")
    if role == "example":
        return Advice("Pass ", drop, ", or give different examples different ids.")
    return Advice("Pass ", drop, ".")


def one_per(row_grid: RowGrid, column: NDArray[Any], what: str) -> NDArray[Any]:
    """Return the value of every example, the last axis; refuse examples that have several."""
    rows = row_grid.rows.reshape(-1, row_grid.rows.shape[-1])
    values: NDArray[Any] = column[rows.max(axis=0)]  # every example is somewhere in the table
    several = np.zeros(len(values), dtype=bool)
    for row in rows:
        several |= (row >= 0) & (column[row] != values)
    if several.any():
        refuse(
            "table",
            f"The table must have one {what} for every example but {int(several.sum()):,} have "
            f"several: {list_first_values(row_grid.ids[several])}.",
        )
    return values


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TableOptions:
    """
    The caller's options about a table, with the defaults of :func:`evenfold.judge`.

    Readers and arrangements check most of them.
    """

    columns: Mapping[str, str] | None = None
    rows: str | None = None
    cv: Any = None
    n: int | None = None
    paired: bool | None = None
    horizon: int | None = None
    on_missing: str = "refuse"
    positive: Any = None
    higher_is_better: bool | None = None
    method: str | None = None
    stop_early: bool = False
    random_state: int = 0
    tasks: str = POOLED
    slices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("paired", "higher_is_better"):
            if getattr(self, name) is not None:
                flag(name, getattr(self, name))
        flag("stop_early", self.stop_early)
        integer("random_state", self.random_state, low=0)
        if self.horizon is not None:
            integer("horizon", self.horizon, low=1)
        if self.method is not None:
            require_method(self.method)
        if self.positive is not None and np.ndim(self.positive):
            refuse("positive", f"positive must be one label but got {short_repr(self.positive)}.")

    @property
    def drop(self) -> bool:
        """Whether ids that not every algorithm has are left out."""
        return self.on_missing == "drop"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ArrangedTable:
    """
    A table as the losses that a run would give, with notes about it.

    ``ids`` are the labels of the examples; ``right`` (algorithms, examples) says who was right on
    which, where right and wrong is what was measured; ``is_mean`` says whether the measure is the
    mean of values of single examples, each within its range.
    """

    losses: Losses
    ids: NDArray[Any] | None = None
    right: NDArray[np.bool_] | None = None
    notes: tuple[Note, ...] = ()
    is_mean: bool = True


def losses_of(measured: TableMeasure, partition: Partition, values: Any, **more: Any) -> Losses:
    """Return losses by this measure, with fit times of 0."""
    values = np.asarray(values, dtype=float)
    _require_moderate(measured, values, more.get("examples"))
    nothing = np.zeros(values.shape)
    return Losses(
        quantity=measured.quantity,
        algorithms=measured.results.names,
        partition=partition,
        values=values,
        fit_seconds=nothing,
        predict_seconds=nothing,
        **more,
    )


def _require_moderate(measured: TableMeasure, values: NDArray[np.float64], examples: Any) -> None:
    """Refuse values whose squares are infinite, because they have no variance."""
    parts = [values.ravel(), *(np.asarray(row) for runs in examples or () for row in runs)]
    most = max(float(np.nanmax(np.abs(part), initial=0.0)) for part in parts)
    if not most <= LARGEST:
        name = measured.quantity.name
        refuse(
            None,
            f"Values of {name!r} must be at most {LARGEST:g} but got {most:g}.",
            "Use another unit.",
        )


def partition_of(
    kind: Kind,
    cut: Cut,
    *,
    repetition: NDArray[Any] | None = None,
    fold: NDArray[Any] | None = None,
) -> Partition:
    """Return a partition whose seed is unknown."""
    places = np.arange(cut.n_splits)
    return Partition(
        kind=kind,
        seed=None,
        cut=cut,
        repetition=np.zeros_like(places) if repetition is None else repetition,
        fold=places if fold is None else fold,
    )


def require_one_truth(results: Results, row_grid: RowGrid) -> None:
    """Refuse tables in which an example has several truths or weights."""
    for what, column in (("truth", results.truth), ("weight", results.weight)):
        if column is not None:
            one_per(row_grid, column, what)
    if results.weight is not None:
        _require_weights(results.weight, row_grid)


_FEWEST_IN_EFFECT = 1.5


def _require_weights(weights: NDArray[Any], row_grid: RowGrid) -> None:
    """
    Refuse weights that leave fewer than two examples, because then nothing varies.

    Hardly anything varies where one example outweighs all others, by Kish's effective sample size.
    """
    if weights.min() < 0:
        return  # TableMeasure.weights refuses these
    rows = row_grid.rows.reshape(-1, row_grid.rows.shape[-1]).max(axis=0)
    counted = int((weights[rows] > 0).sum())
    if counted < 2 and len(rows) > 1:
        refuse(
            None,
            f"Column 'weight' must be above 0 for at least two examples but is for {counted}.",
        )
    share = weights[rows] / max(weights[rows].max(), np.finfo(float).tiny)
    effective = share.sum() ** 2 / max(np.square(share).sum(), 1.0)
    if effective < _FEWEST_IN_EFFECT and len(rows) > 2:
        refuse(
            None,
            "Column 'weight' must let no example outweigh all others but leaves an effective "
            f"sample size (Kish) of {effective:.2g}.",
        )


# Which examples trained and which were tested, as far as a table says it.


class _Unknown:
    """The parts of a cut that no table says: who trained together, and how often."""

    __slots__ = ()

    def overlaps(self) -> Integers:
        """An empty table: unknown."""
        return np.empty((0, 0), dtype=np.int64)

    def occurrences(self) -> Integers:
        """An empty vector: unknown."""
        return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class SizesCut(_Unknown):
    """
    Splits of which only the sizes are known.

    ``n`` is 0 where the number of examples is unknown.
    """

    n: int
    train_sizes: Integers
    test_sizes: Integers

    @property
    def n_splits(self) -> int:
        return len(self.train_sizes)

    def train(self, split: int) -> Indices:
        raise NotApplicable(f"The table does not say which examples trained in split {split}.")

    def test(self, split: int) -> Indices:
        raise NotApplicable(f"The table does not say which examples were tested in split {split}.")

    def pairs(self) -> Iterator[tuple[Indices, Indices]]:
        yield from ((self.train(j), self.test(j)) for j in range(self.n_splits))

    def sizes(self) -> tuple[Integers, Integers]:
        return self.train_sizes, self.test_sizes


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class WindowSizesCut(SizesCut):
    """
    Windows in time of which the sizes are known, and how many windows ahead they test.

    Their test sets follow each other up to the last example.
    """

    windows_ahead: int

    def test(self, split: int) -> Indices:
        stops = self.n - self.test_sizes.sum() + np.cumsum(self.test_sizes)
        return np.arange(stops[split] - self.test_sizes[split], stops[split])


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TestedCut(_Unknown):
    """
    Runs of models trained elsewhere.

    Every split tests all n examples; which examples trained is unknown.
    """

    n: int
    n_splits: int

    def train(self, split: int) -> Indices:  # noqa: ARG002  (one signature)
        return np.empty(0, dtype=np.intp)

    def test(self, split: int) -> Indices:  # noqa: ARG002  (one signature)
        return np.arange(self.n)

    def pairs(self) -> Iterator[tuple[Indices, Indices]]:
        yield from ((self.train(j), self.test(j)) for j in range(self.n_splits))

    def sizes(self) -> tuple[Integers, Integers]:
        return np.zeros(self.n_splits, dtype=np.int64), np.full(self.n_splits, self.n)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class PathCut(TestedCut):
    """Forecasts made elsewhere, ``horizon`` times ahead, of examples that have times (0, 1, …)."""

    times: Indices
    horizon: int


# Models that have different examples: nothing is paired.


def is_apart(results: Results, options: TableOptions, row_grid: RowGrid) -> bool:
    """Whether no two algorithms have an example in common, or the caller says ``paired=False``."""
    models = (row_grid.rows >= 0).sum(axis=0)
    several = len(results.names) > 1
    return several and (
        options.paired is False or (bool((models < 2).all()) and options.paired is not True)
    )


def by_own_examples(measured: TableMeasure, row_grid: RowGrid) -> ArrangedTable:
    """Arrange one value per example of fixed models that have different examples."""
    results = measured.results
    if results.group is not None or (results.time is not None and len(results.time) > 1):
        refuse(
            "table",
            "The table must have no groups and no times if every model has examples of its own.",
            "Compare models on the same examples, or leave the column out.",
        )
    rows = [of[of >= 0] for of in row_grid.rows]
    for name, own_rows in zip(results.names, rows, strict=True):
        if len(own_rows) < 2:
            refuse(
                "table",
                f"The table must have at least two examples of every algorithm but it has "
                f"{len(own_rows)} of {name!r}.",
            )
    values = [measured.examples(own_rows) for own_rows in rows]
    right = all(np.isin(value, (0.0, 1.0)).all() for value in values)
    sizes = np.array([len(own_rows) for own_rows in rows])
    k = len(rows)
    cut = SizesCut(n=int(sizes.sum()), train_sizes=np.zeros(k, dtype=np.int64), test_sizes=sizes)
    empty = np.empty(0)
    is_own = np.eye(k, dtype=bool)
    return ArrangedTable(
        losses=losses_of(
            measured,
            partition_of(TWO_TEST_SETS_RIGHT if right else TWO_TEST_SETS, cut),
            [[values[a].mean() if is_own[a, j] else np.nan for j in range(k)] for a in range(k)],
            examples=[[values[a] if is_own[a, j] else empty for j in range(k)] for a in range(k)],
            absent=~is_own,
        ),
        notes=(note("apart"),),
    )


def by_example(measured: TableMeasure, options: TableOptions) -> ArrangedTable:
    """Arrange one value per example of fixed models; the examples may come in clusters."""
    results = measured.results
    roles = ["example"]
    all_rows = grid(results, roles)
    if is_apart(results, options, all_rows):
        return by_own_examples(measured, all_rows)
    row_grid, dropped = complete(all_rows, results, roles, drop=options.drop)
    require_one_truth(results, row_grid)
    clusters = clusters_of(results, row_grid)
    row_grid, order = _order_by_time(results, row_grid)
    if clusters is not None:
        clusters = clusters[order]
    values = [measured.examples(rows, clusters) for rows in row_grid.rows]
    partition = _partition_of_test_set(results, options, row_grid, clusters)
    return ArrangedTable(
        losses=losses_of(
            measured,
            partition,
            [[value.mean()] for value in values],
            examples=[[value] for value in values],
            clusters=clusters,
        ),
        ids=row_grid.ids,
        right=_right_answers(measured, row_grid),
        notes=(
            *dropped,
            *_time_order_notes(results, clusters),
            *_few_examples_notes(measured, row_grid),
        ),
    )


def _partition_of_test_set(
    results: Results, options: TableOptions, row_grid: RowGrid, clusters: Codes | None
) -> Partition:
    """Return one test set: a path if its examples have times, or clusters, or single examples."""
    n = row_grid.rows.shape[-1]
    time = results.time
    if clusters is not None or time is None or len(time) < 2:
        if options.horizon is not None:
            refuse(
                "horizon",
                f"horizon must be left out where examples have no times but got {options.horizon}.",
                "Say which column is the time, or leave horizon out.",
            )
        return partition_of(TEST_SET if clusters is None else CLUSTERS, TestedCut(n=n, n_splits=1))
    _, when = np.unique(one_per(row_grid, time.codes, "time"), return_inverse=True)
    return partition_of(
        PATH, PathCut(n=n, n_splits=1, times=when, horizon=horizon_of_table(results, options))
    )


def horizon_of_table(results: Results, options: TableOptions) -> int:
    """Return how many times ahead the forecasts of a table were made."""
    column = results.horizon
    if column is not None:
        ahead = np.unique(column).tolist()
    else:
        ahead = [1.0]
    if options.horizon is not None:
        return options.horizon
    if len(ahead) > 1:
        refuse(
            None,
            "Column 'horizon' must be the same in all rows but got "
            f"{', '.join(f'{h:g}' for h in ahead[:5])}.",
            "Keep the rows of one horizon.",
        )
    return integer("horizon", int(ahead[0]) if float(ahead[0]).is_integer() else ahead[0], low=1)


# Examples that a score rests on: with 30 of 300, recall was measured to err 7.5% at a level of 5%.
_SCARCE = 50


def _few_examples_notes(measured: TableMeasure, row_grid: RowGrid) -> Iterator[Note]:
    """Yield a note about a score that rests on few of the examples."""
    fewest = min(measured.rests_on(rows) for rows in row_grid.rows)
    examples = row_grid.rows.shape[-1]
    if fewest < min(_SCARCE, examples):
        words = measured.quantity.words
        yield note("few-examples", measure=words, fewest=int(fewest), examples=examples)


def _time_order_notes(results: Results, clusters: Codes | None) -> Iterator[Note]:
    """Yield a note that the test of clusters does not use the times that the table has."""
    if clusters is not None and results.time is not None and len(results.time) > 1:
        yield note("times-not-used")


def _order_by_time(results: Results, row_grid: RowGrid) -> tuple[RowGrid, Codes]:
    """Put examples in the order of their times if the table has times, and return the order."""
    n = row_grid.rows.shape[-1]
    if results.time is None:
        return row_grid, np.arange(n)
    times = one_per(row_grid, results.time.codes, "time")
    order = np.argsort(times, kind="stable")
    return RowGrid(rows=row_grid.rows[..., order], ids=row_grid.ids[order]), order


def clusters_of(results: Results, row_grid: RowGrid) -> Codes | None:
    """Return the cluster of every example as a number without gaps; None if each is alone."""
    if results.group is None:
        return None
    codes = one_per(row_grid, results.group.codes, "group")
    labels, clusters = np.unique(codes, return_inverse=True)
    if len(labels) < 2:
        refuse(
            None,
            "Column 'group' must have at least two groups but it has one.",
            "Leave the column out, because one group says nothing about others.",
        )
    return None if len(labels) == len(codes) else clusters.astype(np.intp)


def _right_answers(measured: TableMeasure, row_grid: RowGrid) -> NDArray[np.bool_] | None:
    parts = [measured.right(rows) for rows in row_grid.rows]
    right = [part for part in parts if part is not None]
    if len(right) == len(parts):
        return np.stack(right)
    return None


class Varied(Enum):
    """What the rows of a table are, as its ids show."""

    EXAMPLES = "examples"  # one value per example of two fixed models
    RUNS = "runs on examples"  # several runs × the same examples
    SEEDS = "runs"  # one score per run and nothing else
    FOLDS = "folds"
    REPEATED_FOLDS = "repeated folds"
    HALVES = "halvings"
    SPLITS = "splits"
    DATA_SETS = "data sets"


def what_varied(results: Results) -> Varied:
    """
    Say what the rows of a table are.

    Examples
    --------
    >>> import numpy as np
    >>> from evenfold.core.inputs import Ids
    >>> ten = Ids(labels=np.arange(10), codes=np.arange(10))
    >>> what_varied(Results(names=("a",), algorithm=np.zeros(10, dtype=int), fold=ten))
    <Varied.FOLDS: 'folds'>
    """
    varied = set(results.varied) - {"group", "time"}
    cuts = varied & {"split", "fold", "repetition"}
    if "dataset" in varied:
        return Varied.DATA_SETS
    if cuts:
        return _cut_of_results(results, cuts)
    if "run" in varied:
        if "example" in varied:
            return Varied.RUNS
        return Varied.SEEDS
    if "example" not in varied:
        refuse(
            "table",
            "The table must have several values of each algorithm but it has one of each.",
            _REMEDY,
        )
    return Varied.EXAMPLES


_REMEDY = "Give the values of single examples, runs, folds or data sets."


def _cut_of_results(results: Results, cuts: set[str]) -> Varied:
    """Tell folds from splits of one data set; runs inside them have been averaged."""
    names = ", ".join(sorted(cuts))
    if "split" in cuts:
        if len(cuts) > 1:
            refuse(
                "table",
                f"The table must have either splits or folds but it has the columns {names}.",
                "Leave one of the columns out.",
            )
        return Varied.SPLITS
    if "fold" not in cuts:
        refuse(
            "table",
            "The table must have a fold beside every repetition but it has repetitions alone.",
            "Add a column 'fold'.",
        )
    if "repetition" not in cuts:
        return Varied.FOLDS
    if results.fold is not None and len(results.fold) == 2:
        return Varied.HALVES
    return Varied.REPEATED_FOLDS


def arrange(results: Results, varied: Varied, measure: Any, options: TableOptions) -> ArrangedTable:
    """Arrange a table of one data set by what varied in it, measured as the caller asked."""
    measured = measure_of_table(
        results,
        measure,
        higher_is_better=options.higher_is_better,
        positive=options.positive,
        per_example=results.example is not None,
    )
    from evenfold.comparison.judge import folds, runs

    arrangement = {
        Varied.EXAMPLES: by_example,
        Varied.RUNS: runs.by_run_and_example,
        Varied.SEEDS: runs.by_run,
        Varied.FOLDS: folds.by_fold,
        Varied.HALVES: folds.by_half,
        Varied.REPEATED_FOLDS: folds.by_split,
        Varied.SPLITS: folds.by_split,
    }[varied]
    return replace(arrangement(measured, options), is_mean=measured.is_mean)


def describe_table(losses: Losses, varied: Varied, group: str | None = None) -> str:
    """Say what the table holds: "300 examples from 50 patients", "5 runs on 300 examples"."""
    partition = losses.partition
    examples = count(partition.n, "example")
    if losses.clusters is not None:
        groups = int(losses.clusters.max()) + 1
        examples += f" from {format_count(groups)} {group_words(group)[groups > 1]}"
    if isinstance(partition.cut, PathCut):
        examples += f" at {count(int(partition.cut.times.max()) + 1, 'time')}"
    if partition.kind.is_two_test_sets:
        sizes = " and ".join(format_count(int(size)) for size in partition.cut.sizes()[1])
        return f"{sizes} examples, other ones for each"
    if varied is Varied.EXAMPLES:
        return examples
    runs = count(len(partition), "run")
    if varied is Varied.RUNS:
        return f"{runs} on {examples}"
    if varied is Varied.SEEDS:
        return runs
    if varied is Varied.HALVES:
        return f"{count(len(partition) // 2, 'halving')} of {examples}"
    return f"{count(len(partition), 'split' if varied is Varied.SPLITS else 'fold')} of {examples}"
