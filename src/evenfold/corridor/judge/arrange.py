"""
From a table of results to losses: the same value that a run hands to inference.

Each arrangement matches the ids, checks what it needs, and says which design the table amounts to.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.kind import CLUSTERS, HOLDOUT, KFOLD, MX2, RLT, RUNS, SEEDS, Kind
from evenfold.core.losses import Losses
from evenfold.core.partition import BlockCut, Cut, FoldCut, Partition
from evenfold.core.results import Floats, Ids, Results
from evenfold.corridor.judge.cuts import SizesCut, TestedCut, halving_blocks
from evenfold.corridor.judge.grid import Grid, column, complete, grid, one_per
from evenfold.corridor.judge.values import Codes, Measured
from evenfold.corridor.judge.varied import Varied
from evenfold.read.results import listed

Examples = list[list[Floats]]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Question:
    """
    A table and what was said of it.

    Attributes
    ----------
    results : Results
        The table.
    measured : Measured
        What is measured.
    paired : bool or None
        Whether the runs of two algorithms belong together; None: if their ids are equal.
    n : int or None
        How many examples were cut into folds, where the table does not say it.
    drop : bool
        Whether ids that not every algorithm has are left out instead of refused.
    """

    results: Results
    measured: Measured
    paired: bool | None = None
    n: int | None = None
    drop: bool = False


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Arranged:
    """
    A table as losses.

    Attributes
    ----------
    losses : Losses
        As a run would give them.
    ids : array or None
        The label of every example.
    right : array (algorithms, examples) of bool, or None
        Who was right on which example, where right and wrong is what was measured.
    notes : tuple of str
        What was left out, and what must be said.
    """

    losses: Losses
    ids: NDArray[Any] | None = None
    right: NDArray[np.bool_] | None = None
    notes: tuple[str, ...] = ()


def arrange(question: Question, varied: Varied) -> Arranged:
    """Arrange a table by what varied in it."""
    return _ARRANGEMENTS[varied](question)


def _losses(question: Question, partition: Partition, values: Any, **more: Any) -> Losses:
    values = np.asarray(values, dtype=float)
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


def _partition(
    kind: Kind, cut: Cut, *, repetition: NDArray[Any] | None = None, fold: NDArray[Any] | None = None
) -> Partition:
    places = np.arange(cut.n_splits)
    return Partition(
        kind=kind,
        seed=None,
        cut=cut,
        repetition=np.zeros_like(places) if repetition is None else repetition,
        fold=places if fold is None else fold,
    )


def _said(*notes: str) -> tuple[str, ...]:
    return tuple(note for note in notes if note)


# --- one test set ---------------------------------------------------------------------------------------


def _examples(question: Question) -> Arranged:
    """One value per example of each of several fixed models, examples perhaps in clusters."""
    results, roles = question.results, ["example"]
    found, dropped = complete(grid(results, roles), results, roles, drop=question.drop)
    _require_one_truth(question, found)
    clusters = _clusters(results, found)
    found, order = _in_time(results, found)
    clusters = None if clusters is None else clusters[order]
    values = [question.measured.examples(rows, clusters) for rows in found.rows]
    partition = _partition(
        HOLDOUT if clusters is None else CLUSTERS, TestedCut(n=found.rows.shape[-1], n_splits=1)
    )
    return Arranged(
        losses=_losses(
            question,
            partition,
            [[one.mean()] for one in values],
            examples=[[one] for one in values],
            clusters=clusters,
        ),
        ids=found.axes[-1],
        right=_right(question, found),
        notes=_said(dropped),
    )


def _in_time(results: Results, found: Grid) -> tuple[Grid, Codes]:
    """Put examples in the order of their times, where the table has times; by id else."""
    n = found.rows.shape[-1]
    if results.time is None:
        return found, np.arange(n)
    times = one_per(found, results.time.codes, "time", "example")
    order = np.argsort(times, kind="stable")
    return Grid(rows=found.rows[..., order], axes=(*found.axes[:-1], found.axes[-1][order])), order


def _clusters(results: Results, found: Grid) -> Codes | None:
    """The cluster of every example as a number without gaps; None where each is its own."""
    if results.group is None:
        return None
    codes = one_per(found, results.group.codes, "group", "example")
    labels, clusters = np.unique(codes, return_inverse=True)
    if len(labels) < 2:
        refuse("column 'group'", "two groups or more", len(labels), "leave it out: one group says nothing")
    return None if len(labels) == len(codes) else clusters.astype(np.intp)


def _right(question: Question, found: Grid) -> NDArray[np.bool_] | None:
    parts = [question.measured.right(rows) for rows in found.rows]
    right = [part for part in parts if part is not None]
    return np.stack(right) if len(right) == len(parts) else None


def _require_one_truth(question: Question, found: Grid) -> None:
    """Refuse tables in which algorithms, or runs, were asked for another truth about one example."""
    truth = question.results.truth
    if truth is None:
        return
    rows = found.rows.reshape(-1, found.rows.shape[-1])
    first = truth[rows.max(axis=0)]  # every example is somewhere in the table
    other = np.zeros(len(first), dtype=bool)
    for one in rows:
        other |= (one >= 0) & (truth[one] != first)
    if other.any():
        refuse("table", "one with one truth per example", f"several for example {listed(found.axes[-1][other])}")


# --- runs -----------------------------------------------------------------------------------------------


def _runs(question: Question) -> Arranged:
    """Several runs of each algorithm on the same examples."""
    results, roles = question.results, ["run", "example"]
    found = grid(results, roles)
    there = (found.rows >= 0).any(axis=-1)
    absent = _absent(question, there)
    filled = Grid(rows=np.where(there[..., None], found.rows, 0), axes=found.axes)
    full, dropped = complete(filled, results, roles, drop=question.drop)
    _require_one_truth(question, full if absent is None else _known(full, there))
    clusters = _clusters(results, full if absent is None else _known(full, there))
    n, S = full.rows.shape[-1], there.shape[1]
    empty = np.full(n, np.nan)
    examples = [
        [question.measured.examples(full.rows[a, s], clusters) if there[a, s] else empty for s in range(S)]
        for a in range(len(results.names))
    ]
    return Arranged(
        losses=_losses(
            question,
            _partition(RUNS, TestedCut(n=n, n_splits=S)),
            [[one.mean() for one in runs] for runs in examples],
            examples=examples,
            clusters=clusters,
            absent=absent,
        ),
        ids=full.axes[-1],
        notes=_said(dropped, _few(there)),
    )


def _known(found: Grid, there: NDArray[np.bool_]) -> Grid:
    return Grid(rows=np.where(there[..., None], found.rows, -1), axes=found.axes)


def _absent(question: Question, there: NDArray[np.bool_]) -> NDArray[np.bool_] | None:
    """
    Return which runs an algorithm does not have where runs are not paired; None where they are.

    Equal ids mean paired, no id in common means not; anything between must be said.
    """
    results, same = question.results, bool(there.all())
    few = there.sum(axis=1)
    if few.min() < 2:
        refuse("table", "one with two runs or more of every algorithm", f"{few.min()} of {results.names[few.argmin()]!r}")
    if same and question.paired is not False:
        return None
    shared = there.all(axis=0)
    if question.paired or (question.paired is None and (there.sum(axis=0) > 1).any()):
        labels = column(results, "run").labels[~shared]
        refuse("runs", "those of every algorithm, or of one each", f"run {listed(labels)} of some only", "or say paired=False")
    return ~there


def _few(there: NDArray[np.bool_]) -> str:
    fewest = int(there.sum(axis=1).min())
    return "with two runs the real error may be up to .09 at a level of .05: add a run" if fewest == 2 else ""


def _seeds(question: Question) -> Arranged:
    """One score per run and nothing else."""
    found = grid(question.results, ["run"])
    there = found.rows >= 0
    absent = _absent(question, there)
    measured = question.measured
    values = [
        [measured.score(np.array([row])) if row >= 0 else np.nan for row in rows] for rows in found.rows
    ]
    sizes = np.zeros(there.shape[1], dtype=np.int64)
    partition = _partition(SEEDS, SizesCut(n=0, train_sizes=sizes, test_sizes=sizes))
    return Arranged(losses=_losses(question, partition, values, absent=absent))


# --- folds and splits -----------------------------------------------------------------------------------


def _folds(question: Question) -> Arranged:
    """One score per fold, or the values of the examples of every fold."""
    results = question.results
    if results.example is None:
        rows = _by_place(question, ["fold"])
        train, test = _sizes(question, rows, folds=True)
        cut: Cut = FoldCut(folds=np.repeat(np.arange(len(test)), test).astype(np.uint32), n_splits=len(test))
        if not np.array_equal(cut.sizes()[0], train):
            refuse("n_train", f"n − n_test where folds are cut of n = {int(test.sum())} examples", train[0])
        return Arranged(losses=_losses(question, _partition(KFOLD, cut), _scores(question, rows)))
    roles = ["example"]
    found, dropped = complete(grid(results, roles), results, roles, drop=question.drop)
    _require_one_truth(question, found)
    codes = one_per(found, column(results, "fold").codes, "fold", "example")
    cut = FoldCut(folds=codes.astype(np.uint32), n_splits=len(column(results, "fold")))
    tests = [np.flatnonzero(codes == j) for j in range(cut.n_splits)]
    return _tested(question, found.rows[:, None], [(0, test) for test in tests], _partition(KFOLD, cut), found, dropped)


def _halves(question: Question) -> Arranged:
    """Halvings of an m×2 design, by half or by example."""
    results = question.results
    m = len(column(results, "repetition"))
    repetition, fold = np.repeat(np.arange(m), 2), np.tile([0, 1], m)
    if results.example is None:
        rows = _by_place(question, ["repetition", "fold"])
        train, test = _sizes(question, rows, folds=True)
        cut: Cut = SizesCut(n=int(test[:2].sum()), train_sizes=train, test_sizes=test)
        partition = _partition(MX2, cut, repetition=repetition, fold=fold)
        return Arranged(losses=_losses(question, partition, _scores(question, rows)))
    roles = ["repetition", "example"]
    found, dropped = complete(grid(results, roles), results, roles, drop=question.drop)
    _require_one_truth(question, found)
    halves = np.stack([
        one_per(Grid(rows=found.rows[:, r], axes=found.axes[1:]), column(results, "fold").codes, "fold", "example")
        for r in range(m)
    ])
    blocks, trains = halving_blocks(halves)
    partition = _partition(MX2, BlockCut(blocks=blocks, trains=trains), repetition=repetition, fold=fold)
    places = [(r, np.flatnonzero(halves[r] == k)) for r in range(m) for k in (0, 1)]
    return _tested(question, found.rows, places, partition, found, dropped)


def _tested(
    question: Question, rows: NDArray[Any], places: Sequence[tuple[int, Codes]],
    partition: Partition, found: Grid, dropped: str,
) -> Arranged:  # fmt: skip
    """Losses of examples that are tested once in each repetition: rows (algorithms, repetitions, n)."""
    mine = [[one[r, test] for r, test in places] for one in rows]
    values = [[question.measured.score(cell) for cell in cells] for cells in mine]
    each = None
    if question.measured.quantity.per_example == "values":
        each = [[question.measured.examples(cell) for cell in cells] for cells in mine]
    return Arranged(
        losses=_losses(question, partition, values, examples=each), ids=found.axes[-1], notes=_said(dropped)
    )


def _repeated_folds(question: Question) -> Arranged:
    """Repeated K-fold: as K·r splits, which is liberal."""
    return _as_splits(question, ["repetition", "fold"], _LIBERAL)


_LIBERAL = "repeated folds are judged as random splits of the same size, which is liberal"


def _splits(question: Question) -> Arranged:
    """One score per random split, or the values of the examples of every split."""
    return _as_splits(question, ["split"], "")


def _as_splits(question: Question, roles: list[str], note: str) -> Arranged:
    rows = _by_place(question, roles)
    train, test = _sizes(question, rows, folds="fold" in roles)
    n = question.n or int((train + test).max())
    cut = SizesCut(n=n, train_sizes=train, test_sizes=test)
    partition = _partition(RLT, cut)
    return Arranged(losses=_losses(question, partition, _scores(question, rows)), notes=_said(note))


def _by_place(question: Question, roles: list[str]) -> list[list[NDArray[np.int64]]]:
    """
    Return the rows of every algorithm on every split: one of a score, or those of its test examples.

    The test examples of a split are the same for all algorithms.
    """
    results = question.results
    if results.example is None:
        found = grid(results, roles)
        flat = Grid(rows=found.rows.reshape(len(results.names), -1), axes=found.axes[-1:])
        if (flat.rows < 0).any():
            complete(found, results, roles, drop=False)
        return [[np.array([row]) for row in rows] for rows in flat.rows]
    found = grid(results, [*roles, "example"])
    cells = found.rows.reshape(len(results.names), -1, found.rows.shape[-1])
    there = cells >= 0
    other = (there != there[0]).any(axis=(0, 1))
    if other.any():
        refuse("table", "one with the same test examples of every algorithm", f"example {listed(found.axes[-1][other])} of some only")
    _require_one_truth(question, Grid(rows=cells, axes=found.axes[-1:]))
    return [[rows[mask] for rows, mask in zip(one, its, strict=True)] for one, its in zip(cells, there, strict=True)]


def _scores(question: Question, rows: list[list[NDArray[np.int64]]]) -> list[list[float]]:
    return [[question.measured.score(cell) for cell in cells] for cells in rows]


def _sizes(
    question: Question, rows: list[list[NDArray[np.int64]]], *, folds: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return training and test sizes of every split, or say what is missing."""
    results, cells = question.results, rows[0]
    test = _test_sizes(question, rows, folds=folds)
    if results.n_train is not None:
        return _one_size("n_train", results.n_train, rows), test
    if not folds:
        refuse("table", "one with a column 'n_train' for random splits", "none", "how large were the training sets?")
    rounds = 1 if results.repetition is None else len(results.repetition)
    each = len(cells) // rounds
    total = np.repeat(test.reshape(rounds, each).sum(axis=1), each)
    return total - test, test


def _test_sizes(
    question: Question, rows: list[list[NDArray[np.int64]]], *, folds: bool
) -> NDArray[np.int64]:
    results = question.results
    if results.example is not None:
        return np.array([len(cell) for cell in rows[0]])
    if results.n_test is not None:
        return _one_size("n_test", results.n_test, rows)
    if question.n is None or not folds:
        what = "folds" if folds else "splits"
        remedy = "or say n=, the number of examples" if folds else "how large were the test sets?"
        refuse("table", f"one with a column 'n_test' for {what}", "none", remedy)
    rounds = 1 if results.repetition is None else len(results.repetition)
    each = len(rows[0]) // rounds
    sizes = np.full(each, question.n // each) + (np.arange(each) < question.n % each)
    return np.tile(sizes, rounds)


def _one_size(role: str, sizes: Floats, rows: list[list[NDArray[np.int64]]]) -> NDArray[np.int64]:
    """Return the size of every split; refuse several for one split, and sizes that are none."""
    found = []
    for cells in zip(*rows, strict=True):
        values = np.unique(np.concatenate([sizes[cell] for cell in cells]))
        if len(values) > 1 or values[0] < 1 or values[0] != int(values[0]):
            refuse(f"column {role!r}", "one whole number ≥ 1 for every split", listed(values))
        found.append(int(values[0]))
    return np.array(found)


_ARRANGEMENTS: dict[Varied, Callable[[Question], Arranged]] = {
    Varied.EXAMPLES: _examples,
    Varied.RUNS: _runs,
    Varied.SEEDS: _seeds,
    Varied.FOLDS: _folds,
    Varied.HALVES: _halves,
    Varied.REPEATED_FOLDS: _repeated_folds,
    Varied.SPLITS: _splits,
}
