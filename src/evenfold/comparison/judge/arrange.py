"""
Tables of algorithms that were trained and tested on parts of one data set.

Folds, halvings, splits.
"""

from collections.abc import Callable, Sequence
from enum import Enum

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.judge.models import (
    PathCut,
    SizesCut,
    by_example,
    by_run,
    by_run_and_example,
    halving_blocks,
)
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
from evenfold.core.inputs import Floats, Results
from evenfold.core.losses import Losses
from evenfold.core.partition import (
    KFOLD,
    MX2,
    REPEATED_KFOLD,
    RLT,
    BlockCut,
    Cut,
    FoldCut,
    Kind,
    Partition,
)
from evenfold.core.words import count, format_count, group_words, list_first_values

_MOST = 100_000_000  # examples that are numbered one by one


def by_fold(question: TableQuestion) -> ArrangedTable:
    """One score per fold, or the values of the examples of every fold."""
    results = question.results
    if results.example is None:
        rows = _rows_by_split(question, ["fold"])
        train, test = _sizes(question, rows, folds=True)
        integer(
            "n", int(test.sum()), low=2, high=_MOST, remedy="so many examples were cut into folds"
        )
        cut: Cut = FoldCut(
            folds=np.repeat(np.arange(len(test)), test).astype(np.uint32), n_splits=len(test)
        )
        if not np.array_equal(cut.sizes()[0], train):
            refuse(
                "n_train",
                f"n − n_test where folds are cut of n = {int(test.sum())} examples",
                train[0],
            )
        return ArrangedTable(
            losses=losses_of(question, partition_of(KFOLD, cut), _scores(question, rows))
        )
    roles = ["example"]
    found, dropped = complete(grid(results, roles), results, roles, drop=question.drop)
    require_one_truth(question, found)
    codes = one_per(found, column(results, "fold").codes, "fold")
    cut = FoldCut(folds=codes.astype(np.uint32), n_splits=len(column(results, "fold")))
    places = [(0, np.flatnonzero(codes == j)) for j in range(cut.n_splits)]
    each = RowGrid(rows=found.rows[:, None], axes=found.axes)
    return _losses_of_tested_examples(question, each, places, partition_of(KFOLD, cut), dropped)


def by_half(question: TableQuestion) -> ArrangedTable:
    """Halvings of an m×2 design, by half or by example."""
    results = question.results
    m = len(column(results, "repetition"))
    repetition = np.repeat(np.arange(m), 2)
    fold = np.tile([0, 1], m)
    if results.example is None:
        rows = _rows_by_split(question, ["repetition", "fold"])
        train, test = _sizes(question, rows, folds=True)
        cut: Cut = SizesCut(n=int(test[:2].sum()), train_sizes=train, test_sizes=test)
        partition = partition_of(MX2, cut, repetition=repetition, fold=fold)
        return ArrangedTable(losses=losses_of(question, partition, _scores(question, rows)))
    roles = ["repetition", "example"]
    found, dropped = complete(grid(results, roles), results, roles, drop=question.drop)
    require_one_truth(question, found)
    rounds = [RowGrid(rows=found.rows[:, r], axes=found.axes[1:]) for r in range(m)]
    codes = column(results, "fold").codes
    halves = np.stack([one_per(one, codes, "fold") for one in rounds])
    blocks, trains = halving_blocks(halves)
    partition = partition_of(
        MX2, BlockCut(blocks=blocks, trains=trains), repetition=repetition, fold=fold
    )
    places = [(r, np.flatnonzero(halves[r] == k)) for r in range(m) for k in (0, 1)]
    return _losses_of_tested_examples(question, found, places, partition, dropped)


def _losses_of_tested_examples(
    question: TableQuestion,
    found: RowGrid,
    places: Sequence[tuple[int, Codes]],
    partition: Partition,
    dropped: str,
) -> ArrangedTable:
    """
    Losses of examples that are tested once in each repetition.

    Rows (algorithms, repetitions, n).
    """
    mine = [[one[r, test] for r, test in places] for one in found.rows]
    values = [[question.measured.score(cell) for cell in cells] for cells in mine]
    each = None
    if question.measured.quantity.per_example == "values":
        each = [[question.measured.examples(cell) for cell in cells] for cells in mine]
    losses = losses_of(question, partition, values, examples=each)
    return ArrangedTable(losses=losses, ids=found.axes[-1], notes=(dropped,) if dropped else ())


def by_repeated_fold(question: TableQuestion) -> ArrangedTable:
    """Repeated K-fold: as K·r splits."""
    return _arrange_splits(question, ["repetition", "fold"], REPEATED_KFOLD)


def by_split(question: TableQuestion) -> ArrangedTable:
    """One score per random split, or the values of the examples of every split."""
    return _arrange_splits(question, ["split"], RLT)


def _arrange_splits(question: TableQuestion, roles: list[str], kind: Kind) -> ArrangedTable:
    rows = _rows_by_split(question, roles)
    train, test = _sizes(question, rows, folds="fold" in roles)
    n = question.n or int((train + test).max())
    cut = SizesCut(n=n, train_sizes=train, test_sizes=test)
    partition = partition_of(kind, cut)
    return ArrangedTable(losses=losses_of(question, partition, _scores(question, rows)))


def _rows_by_split(question: TableQuestion, roles: list[str]) -> list[list[NDArray[np.int64]]]:
    """
    Return the rows of every algorithm on every split.

    One of a score, or those of its test examples.

    The test examples of a split are the same for all algorithms.
    """
    results = question.results
    if results.example is None:
        found = grid(results, roles)
        flat = RowGrid(rows=found.rows.reshape(len(results.names), -1), axes=found.axes[-1:])
        if (flat.rows < 0).any():
            complete(found, results, roles, drop=False)
        return [[np.array([row]) for row in rows] for rows in flat.rows]
    found = grid(results, [*roles, "example"])
    cells = found.rows.reshape(len(results.names), -1, found.rows.shape[-1])
    there = cells >= 0
    other = (there != there[0]).any(axis=(0, 1))
    if other.any():
        first = f"example {list_first_values(found.axes[-1][other])}"
        refuse(
            "table", "have the same test examples for every algorithm", "some have others", first
        )
    require_one_truth(question, RowGrid(rows=cells, axes=found.axes[-1:]))
    tested = there[0]  # alike for all
    return [[rows[mask] for rows, mask in zip(one, tested, strict=True)] for one in cells]


def _scores(question: TableQuestion, rows: list[list[NDArray[np.int64]]]) -> list[list[float]]:
    return [[question.measured.score(cell) for cell in cells] for cells in rows]


def _sizes(
    question: TableQuestion, rows: list[list[NDArray[np.int64]]], *, folds: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return training and test sizes of every split, or say what is missing."""
    results = question.results
    cells = rows[0]
    test = _test_sizes(question, rows, folds=folds)
    if results.n_train is not None:
        return _one_size("n_train", results.n_train, rows), test
    if not folds:
        remedy = "how large were the training sets?"
        refuse("table", "have a column 'n_train' for random splits", "it has none", remedy)
    if results.repetition is None:
        rounds = 1
    else:
        rounds = len(results.repetition)
    each = len(cells) // rounds
    total = np.repeat(test.reshape(rounds, each).sum(axis=1), each)
    return total - test, test


def _test_sizes(
    question: TableQuestion, rows: list[list[NDArray[np.int64]]], *, folds: bool
) -> NDArray[np.int64]:
    results = question.results
    if results.example is not None:
        return np.array([len(cell) for cell in rows[0]])
    if results.n_test is not None:
        return _one_size("n_test", results.n_test, rows)
    if question.n is None or not folds:
        if folds:
            what = "folds"
        else:
            what = "splits"
        if folds:
            remedy = "or pass n=, the number of examples"
        else:
            remedy = "how large were the test sets?"
        refuse("table", f"have a column 'n_test' for {what}", "it has none", remedy)
    if results.repetition is None:
        rounds = 1
    else:
        rounds = len(results.repetition)
    each = len(rows[0]) // rounds
    sizes = np.full(each, question.n // each) + (np.arange(each) < question.n % each)
    return np.tile(sizes, rounds)


def _one_size(role: str, sizes: Floats, rows: list[list[NDArray[np.int64]]]) -> NDArray[np.int64]:
    """Return the size of every split; refuse several for one split, and sizes that are none."""
    found = []
    for cells in zip(*rows, strict=True):
        values = np.unique(np.concatenate([sizes[cell] for cell in cells]))
        if len(values) > 1 or values[0] < 1 or values[0] != int(values[0]):
            refuse(
                f"column {role!r}",
                "one whole number ≥ 1 for every split",
                list_first_values(values),
            )
        found.append(int(values[0]))
    return np.array(found)


class Varied(Enum):
    """What the rows of a table are, once its ids have been looked at."""

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
    Say what varied.

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
        refuse("table", "have several values of each algorithm", "one of each", _REMEDY)
    return Varied.EXAMPLES


_REMEDY = "one number of each says nothing of others: give examples, runs, folds or data sets"


def _cut_of_results(results: Results, cuts: set[str]) -> Varied:
    """Folds or splits of one data set; runs inside them have been averaged."""
    names = ", ".join(sorted(cuts))
    if "split" in cuts:
        if len(cuts) > 1:
            refuse(
                "table",
                "have either splits or folds, not both",
                names,
                "leave one of the columns out",
            )
        return Varied.SPLITS
    if "fold" not in cuts:
        refuse(
            "table",
            "have a fold beside every repetition",
            "repetitions alone",
            "add a column 'fold'",
        )
    if "repetition" not in cuts:
        return Varied.FOLDS
    if results.fold is not None and len(results.fold) == 2:
        return Varied.HALVES
    return Varied.REPEATED_FOLDS


_ARRANGEMENTS: dict[Varied, Callable[[TableQuestion], ArrangedTable]] = {
    Varied.EXAMPLES: by_example,
    Varied.RUNS: by_run_and_example,
    Varied.SEEDS: by_run,
    Varied.FOLDS: by_fold,
    Varied.HALVES: by_half,
    Varied.REPEATED_FOLDS: by_repeated_fold,
    Varied.SPLITS: by_split,
}


def arrange(question: TableQuestion, varied: Varied) -> ArrangedTable:
    """Arrange a table by what varied in it; data sets are no arrangement of one."""
    return _ARRANGEMENTS[varied](question)


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
