"""Tables of models that were trained elsewhere: by example, by run and example, by run alone."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.judge.question import (
    ArrangedTable,
    RowGrid,
    TableQuestion,
    column,
    complete,
    grid,
    losses_of,
    one_per,
    partition_of,
    require_one_truth,
)
from evenfold.comparison.judge.values import Codes
from evenfold.core.checks import integer, refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.inputs import Results
from evenfold.core.partition import (
    CLUSTERED_RUNS,
    CLUSTERS,
    PATH,
    RUNS,
    SEEDS,
    TEST_SET,
    TWO_TEST_SETS,
    TWO_TEST_SETS_RIGHT,
    Indices,
    Integers,
    Partition,
)
from evenfold.core.words import list_first_values
from evenfold.infer.tables.tests import TWO_RUNS

# Who trained and who was tested, as far as a table says it.


class _Unknown:
    """What no table says: who trained together, and how often."""

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

    n is 0 where nobody said how many examples there are.
    """

    n: int
    train_sizes: Integers
    test_sizes: Integers

    @property
    def n_splits(self) -> int:
        return len(self.train_sizes)

    def train(self, split: int) -> Indices:
        raise NotApplicable(f"the table does not say which examples trained in split {split}")

    def test(self, split: int) -> Indices:
        raise NotApplicable(f"the table does not say which examples were tested in split {split}")

    def pairs(self) -> Iterator[tuple[Indices, Indices]]:
        yield from ((self.train(j), self.test(j)) for j in range(self.n_splits))

    def sizes(self) -> tuple[Integers, Integers]:
        return self.train_sizes, self.test_sizes


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TestedCut(_Unknown):
    """
    Runs of models trained elsewhere.

    Every split tests all n examples, nobody says who trained.
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
    """Forecasts made elsewhere, so many times ahead, of examples that have times (0, 1, 2, …)."""

    times: Indices
    horizon: int


def halving_blocks(
    folds: NDArray[np.integer],
) -> tuple[NDArray[np.unsignedinteger], NDArray[np.bool_]]:
    """
    Return the block of every example, and which blocks train in which split, from halves (m, n).

    Examples
    --------
    >>> blocks, trains = halving_blocks(np.array([[0, 0, 1, 1], [0, 1, 1, 0]]))
    >>> blocks.tolist(), trains[0].tolist()
    ([0, 1, 3, 2], [False, True, False, True])
    """
    patterns, blocks = np.unique(folds.T, axis=0, return_inverse=True)
    trains = np.empty((len(patterns), 2 * len(folds)), dtype=bool)
    trains[:, 0::2] = patterns != 0
    trains[:, 1::2] = patterns != 1
    return blocks.astype(np.min_scalar_type(len(patterns))), trains


# Models that were asked other examples each: nothing is paired.


def is_apart(question: TableQuestion, found: RowGrid) -> bool:
    """Whether no example was asked of two algorithms, or it was said that they are unpaired."""
    asked = (found.rows >= 0).sum(axis=0)
    several = len(question.results.names) > 1
    return several and (
        question.paired is False or (bool((asked < 2).all()) and question.paired is not True)
    )


def by_own_examples(question: TableQuestion, found: RowGrid) -> ArrangedTable:
    """One value per example of each of several fixed models, other examples for each."""
    results = question.results
    if results.group is not None or (results.time is not None and len(results.time) > 1):
        remedy = "compare models on the same examples, or leave the column out"
        refuse(
            "table",
            "without groups and times where every model has its own examples",
            "such a column",
            remedy,
        )
    rows = [of[of >= 0] for of in found.rows]
    for name, own in zip(results.names, rows, strict=True):
        if len(own) < 2:
            refuse(
                "table", "have two examples or more of every algorithm", f"{len(own)} of {name!r}"
            )
    values = [question.measured.examples(own) for own in rows]
    right = all(np.isin(one, (0.0, 1.0)).all() for one in values)
    sizes = np.array([len(own) for own in rows])
    k = len(rows)
    cut = SizesCut(n=int(sizes.sum()), train_sizes=np.zeros(k, dtype=np.int64), test_sizes=sizes)
    empty = np.empty(0)
    own = np.eye(k, dtype=bool)
    return ArrangedTable(
        losses=losses_of(
            question,
            partition_of(TWO_TEST_SETS_RIGHT if right else TWO_TEST_SETS, cut),
            [[values[a].mean() if own[a, j] else np.nan for j in range(k)] for a in range(k)],
            examples=[[values[a] if own[a, j] else empty for j in range(k)] for a in range(k)],
            absent=~own,
        ),
        notes=("no example was asked of both: nothing is paired, which takes many more examples",),
    )


def by_example(question: TableQuestion) -> ArrangedTable:
    """One value per example of each of several fixed models, examples perhaps in clusters."""
    results = question.results
    roles = ["example"]
    all_rows = grid(results, roles)
    if is_apart(question, all_rows):
        return by_own_examples(question, all_rows)
    found, dropped = complete(all_rows, results, roles, drop=question.drop)
    require_one_truth(question, found)
    clusters = _clusters(results, found)
    found, order = _order_by_time(results, found)
    if clusters is None:
        clusters = None
    else:
        clusters = clusters[order]
    values = [question.measured.examples(rows, clusters) for rows in found.rows]
    partition = _partition_of_test_set(question, found, clusters)
    return ArrangedTable(
        losses=losses_of(
            question,
            partition,
            [[one.mean()] for one in values],
            examples=[[one] for one in values],
            clusters=clusters,
        ),
        ids=found.axes[-1],
        right=_right_answers(question, found),
        notes=tuple(
            filter(
                None,
                [dropped, _time_order_note(results, clusters), _few_examples_note(question, found)],
            )
        ),
    )


def _partition_of_test_set(
    question: TableQuestion, found: RowGrid, clusters: Codes | None
) -> Partition:
    """One test set: a path where its examples have times, clusters where they come in some."""
    n = found.rows.shape[-1]
    time = question.results.time
    if clusters is not None or time is None or len(time) < 2:
        if question.horizon is not None:
            remedy = "say which column is the time, or leave the horizon out"
            refuse(
                "horizon",
                "None where examples have no times of their own",
                question.horizon,
                remedy,
            )
        return partition_of(TEST_SET if clusters is None else CLUSTERS, TestedCut(n=n, n_splits=1))
    _, when = np.unique(one_per(found, time.codes, "time"), return_inverse=True)
    return partition_of(PATH, PathCut(n=n, n_splits=1, times=when, horizon=_horizon(question)))


def _horizon(question: TableQuestion) -> int:
    """How many times ahead all forecasts of a table were made."""
    column = question.results.horizon
    if column is not None:
        ahead = np.unique(column).tolist()
    else:
        ahead = [1.0]
    if question.horizon is not None:
        return question.horizon
    if len(ahead) > 1:
        remedy = "keep the rows of one"
        refuse(
            "column 'horizon'",
            "the same in all rows",
            ", ".join(f"{h:g}" for h in ahead[:5]),
            remedy,
        )
    return integer("horizon", int(ahead[0]) if float(ahead[0]).is_integer() else ahead[0], low=1)


# examples that a score rests on: with 30 of 300 recall was measured to err .075 at .05
_SCARCE = 50


def _few_examples_note(question: TableQuestion, found: RowGrid) -> str:
    """What must be said of a score that looks at few of the examples."""
    fewest = min(question.measured.rests_on(rows) for rows in found.rows)
    if fewest >= min(_SCARCE, found.rows.shape[-1]):
        return ""
    words = question.measured.quantity.words
    return (
        f"{words} rests on {fewest} of {found.rows.shape[-1]} examples here: the test is "
        "liberal then"
    )


def _time_order_note(results: Results, clusters: Codes | None) -> str:
    """The caution for clusters of examples that have times, of which the test knows nothing."""
    if clusters is None or results.time is None or len(results.time) < 2:
        return ""
    return (
        "examples have times, which a test by groups does not look at: leave 'group' out to "
        "compare by time"
    )


def _order_by_time(results: Results, found: RowGrid) -> tuple[RowGrid, Codes]:
    """Put examples in the order of their times, where the table has times; by id else."""
    n = found.rows.shape[-1]
    if results.time is None:
        return found, np.arange(n)
    times = one_per(found, results.time.codes, "time")
    order = np.argsort(times, kind="stable")
    return RowGrid(
        rows=found.rows[..., order], axes=(*found.axes[:-1], found.axes[-1][order])
    ), order


def _clusters(results: Results, found: RowGrid) -> Codes | None:
    """The cluster of every example as a number without gaps; None where each is its own."""
    if results.group is None:
        return None
    codes = one_per(found, results.group.codes, "group")
    labels, clusters = np.unique(codes, return_inverse=True)
    if len(labels) < 2:
        refuse(
            "column 'group'",
            "two groups or more",
            len(labels),
            "leave the column out: one group says nothing of others",
        )
    return None if len(labels) == len(codes) else clusters.astype(np.intp)


def _right_answers(question: TableQuestion, found: RowGrid) -> NDArray[np.bool_] | None:
    parts = [question.measured.right(rows) for rows in found.rows]
    right = [part for part in parts if part is not None]
    if len(right) == len(parts):
        return np.stack(right)
    return None


def by_run_and_example(question: TableQuestion) -> ArrangedTable:
    """Several runs of each algorithm on the same examples."""
    results = question.results
    roles = ["run", "example"]
    found = grid(results, roles)
    there = np.asarray((found.rows >= 0).any(axis=-1))
    absent = _missing_runs(question, there)
    filled = RowGrid(rows=np.where(there[..., None], found.rows, 0), axes=found.axes)
    full, dropped = complete(filled, results, roles, drop=question.drop)
    require_one_truth(question, full if absent is None else _mask_missing_rows(full, there))
    clusters = _clusters(results, full if absent is None else _mask_missing_rows(full, there))
    n = full.rows.shape[-1]
    S = there.shape[1]
    empty = np.full(n, np.nan)
    examples = [
        [
            question.measured.examples(full.rows[a, s], clusters) if there[a, s] else empty
            for s in range(S)
        ]
        for a in range(len(results.names))
    ]
    return ArrangedTable(
        losses=losses_of(
            question,
            partition_of(RUNS if clusters is None else CLUSTERED_RUNS, TestedCut(n=n, n_splits=S)),
            [[one.mean() for one in runs] for runs in examples],
            examples=examples,
            clusters=clusters,
            absent=absent,
        ),
        ids=full.axes[-1],
        notes=tuple(filter(None, [dropped, _pairing(question, absent), _two_runs_note(there)])),
    )


def _mask_missing_rows(found: RowGrid, there: NDArray[np.bool_]) -> RowGrid:
    return RowGrid(rows=np.where(there[..., None], found.rows, -1), axes=found.axes)


def _missing_runs(question: TableQuestion, there: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """
    Return which runs an algorithm does not have where runs are not paired; None where they are.

    Equal ids mean paired, no id in common means not; anything between must be said. Positions in
    arrays are no ids: the fifth runs of two learning procedures need have nothing in common.
    """
    results = question.results
    same = bool(there.all())
    few = there.sum(axis=1)
    if few.min() < 2:
        which = f"{few.min()} of {results.names[int(few.argmin())]!r}"
        refuse("table", "have two runs or more of every algorithm", which)
    numbered = results.runs_by == _POSITION and len(results.names) > 1
    if question.paired is False or (question.paired is None and numbered):
        return ~there
    if same:
        return None
    shared = there.all(axis=0)
    if question.paired or (there.sum(axis=0) > 1).any():
        first = f"run {list_first_values(column(results, 'run').labels[~shared])}"
        remedy = f"{first}; pass paired=False if the runs are independent"
        refuse("runs", "shared by all algorithms or by none", "runs of some only", remedy)
    return ~there


_POSITION = "position"


def _pairing(question: TableQuestion, absent: NDArray[np.bool_] | None) -> str:
    """Say that runs were not paired, or how those without ids were."""
    by = question.results.runs_by
    if len(question.results.names) < 2:
        return ""
    if question.paired is False:
        return "runs are not paired, as was asked"
    if by == "id":
        return ""
    if absent is None:
        return f"runs are paired by {by}: run k of one algorithm with run k of the other"
    if question.paired is None:
        remedy = "pass paired=True if the k-th runs belong together, e.g. share a seed"
        return f"runs have no ids, so they are not paired; {remedy}"
    return ""


def _two_runs_note(there: NDArray[np.bool_]) -> str:
    fewest = int(there.sum(axis=1).min())
    if fewest == 2:
        return TWO_RUNS
    return ""


def by_run(question: TableQuestion) -> ArrangedTable:
    """One score per run and nothing else."""
    found = grid(question.results, ["run"])
    there = found.rows >= 0
    absent = _missing_runs(question, there)
    measured = question.measured
    values = [
        [measured.score(np.array([row])) if row >= 0 else np.nan for row in rows]
        for rows in found.rows
    ]
    sizes = np.zeros(there.shape[1], dtype=np.int64)
    partition = partition_of(SEEDS, SizesCut(n=0, train_sizes=sizes, test_sizes=sizes))
    notes = tuple(filter(None, [_pairing(question, absent)]))
    return ArrangedTable(losses=losses_of(question, partition, values, absent=absent), notes=notes)


def one_value(question: TableQuestion) -> ArrangedTable:
    """One value of each algorithm and nothing that varied: a block among others."""
    results = question.results
    values = []
    for a, name in enumerate(results.names):
        rows = np.flatnonzero(results.algorithm == a)
        if len(rows) != 1:
            refuse("table", "one value per algorithm and data set", f"{len(rows)} of {name!r}")
        values.append([question.measured.score(rows)])
    sizes = np.zeros(1, dtype=np.int64)
    partition = partition_of(SEEDS, SizesCut(n=0, train_sizes=sizes, test_sizes=sizes))
    return ArrangedTable(losses=losses_of(question, partition, values))
