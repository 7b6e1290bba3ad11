"""Tables of algorithms that were trained and tested on parts of one data set, such as folds."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.judge.arrange import (
    ArrangedTable,
    RowGrid,
    SizesCut,
    TableOptions,
    WindowSizesCut,
    column,
    complete,
    grid,
    horizon_of_table,
    losses_of,
    one_per,
    partition_of,
    require_one_truth,
)
from evenfold.comparison.judge.values import Codes, TableMeasure
from evenfold.core.checks import ELLIPSIS, Advice, integer, refuse
from evenfold.core.inputs import Floats, Results
from evenfold.core.note import Note, note
from evenfold.core.partition import (
    FOLDS_APART,
    GROWING,
    KFOLD,
    MX2,
    REPEATED_KFOLD,
    RLT,
    ROLLING,
    BlockCut,
    Cut,
    FoldCut,
    Partition,
)
from evenfold.core.words import list_first_values


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


_MOST = 100_000_000  # examples that can be numbered one by one


def by_fold(measured: TableMeasure, options: TableOptions) -> ArrangedTable:
    """Arrange one score per fold, or the values of the examples of every fold."""
    results = measured.results
    if options.paired is False and len(results.names) > 1:
        return _by_own_folds(measured)
    if results.example is None:
        rows = _rows_by_split(results, ["fold"])
        train, test = _sizes(results, options, rows, folds=True)
        integer("n", int(test.sum()), low=2, high=_MOST, remedy="The folds hold so many examples.")
        cut: Cut = FoldCut(
            folds=np.repeat(np.arange(len(test)), test).astype(np.uint32), n_splits=len(test)
        )
        if not np.array_equal(cut.sizes()[0], train):
            refuse(
                "n_train",
                f"n_train must be n − n_test where folds are cut of n = {int(test.sum()):,} "
                f"examples but got {train[0]:,}.",
            )
        return ArrangedTable(
            losses=losses_of(measured, partition_of(KFOLD, cut), _scores(measured, rows))
        )
    roles = ["example"]
    row_grid, dropped = complete(grid(results, roles), results, roles, drop=options.drop)
    require_one_truth(results, row_grid)
    codes = one_per(row_grid, column(results, "fold").codes, "fold")
    cut = FoldCut(folds=codes.astype(np.uint32), n_splits=len(column(results, "fold")))
    places = [(0, np.flatnonzero(codes == j)) for j in range(cut.n_splits)]
    each = RowGrid(rows=row_grid.rows[:, None], ids=row_grid.ids)
    return _losses_of_tested_examples(measured, each, places, partition_of(KFOLD, cut), dropped)


def _by_own_folds(measured: TableMeasure) -> ArrangedTable:
    """Arrange folds that each algorithm has of its own, all together as splits."""
    results = measured.results
    if results.example is None:
        refuse(
            "table",
            "The table must have a column 'example' where every algorithm has folds of its own.",
        )
    rows = grid(results, ["fold", "example"]).rows
    folds = []
    for a, rows_of_algorithm in enumerate(rows):
        for fold in rows_of_algorithm:
            tested = fold[fold >= 0]
            if len(tested):
                folds.append((a, tested))
    owner = np.array([a for a, _ in folds])
    absent = owner != np.arange(len(results.names))[:, None]
    for name, missing in zip(results.names, absent, strict=True):
        if np.count_nonzero(~missing) < 2:
            refuse(
                "table",
                "The table must have at least two folds of every algorithm but it has one of "
                f"{name!r}.",
            )
    test = np.array([len(tested) for _, tested in folds])
    n = np.bincount(owner, weights=test).astype(np.int64)
    cut = SizesCut(n=int(n.max()), train_sizes=n[owner] - test, test_sizes=test)
    scores = np.array([measured.score(tested) for _, tested in folds])
    values = np.where(absent, np.nan, scores).tolist()
    losses = losses_of(measured, partition_of(FOLDS_APART, cut), values, absent=absent)
    return ArrangedTable(losses=losses, notes=(note("own-folds"),))


def by_half(measured: TableMeasure, options: TableOptions) -> ArrangedTable:
    """Arrange halvings of an m×2 design, with scores of halves or values of examples."""
    results = measured.results
    m = len(column(results, "repetition"))
    repetition = np.repeat(np.arange(m), 2)
    fold = np.tile([0, 1], m)
    if results.example is None:
        rows = _rows_by_split(results, ["repetition", "fold"])
        train, test = _sizes(results, options, rows, folds=True)
        cut: Cut = SizesCut(n=int(test[:2].sum()), train_sizes=train, test_sizes=test)
        partition = partition_of(MX2, cut, repetition=repetition, fold=fold)
        return ArrangedTable(losses=losses_of(measured, partition, _scores(measured, rows)))
    roles = ["repetition", "example"]
    row_grid, dropped = complete(grid(results, roles), results, roles, drop=options.drop)
    require_one_truth(results, row_grid)
    rounds = [RowGrid(rows=row_grid.rows[:, r], ids=row_grid.ids) for r in range(m)]
    codes = column(results, "fold").codes
    halves = np.stack([one_per(round_grid, codes, "fold") for round_grid in rounds])
    blocks, trains = halving_blocks(halves)
    partition = partition_of(
        MX2, BlockCut(blocks=blocks, trains=trains), repetition=repetition, fold=fold
    )
    places = [(r, np.flatnonzero(halves[r] == k)) for r in range(m) for k in (0, 1)]
    return _losses_of_tested_examples(measured, row_grid, places, partition, dropped)


def _losses_of_tested_examples(
    measured: TableMeasure,
    row_grid: RowGrid,
    places: Sequence[tuple[int, Codes]],
    partition: Partition,
    dropped: tuple[Note, ...],
) -> ArrangedTable:
    """Return losses of examples that are tested once in each repetition."""
    mine = [[rows[r, test] for r, test in places] for rows in row_grid.rows]
    values = [[measured.score(cell) for cell in cells] for cells in mine]
    each = None
    if measured.quantity.per_example == "values":
        each = [[measured.examples(cell) for cell in cells] for cells in mine]
    losses = losses_of(measured, partition, values, examples=each)
    return ArrangedTable(losses=losses, ids=row_grid.ids, notes=dropped)


def by_split(measured: TableMeasure, options: TableOptions) -> ArrangedTable:
    """Arrange random splits, or repeated K-fold cross-validation as K·r splits."""
    results = measured.results
    roles = ["repetition", "fold"]
    kind = REPEATED_KFOLD
    if "split" in results.varied:
        roles = ["split"]
        kind = RLT
    rows = _rows_by_split(results, roles)
    train, test = _sizes(results, options, rows, folds="fold" in roles)
    n = options.n or int((train + test).max())
    if results.horizon is not None and results.example is None:
        kind = GROWING if np.ptp(train) else ROLLING
        ahead = horizon_of_table(results, options)
        cut: Cut = WindowSizesCut(n=n, train_sizes=train, test_sizes=test, windows_ahead=ahead)
    else:
        cut = SizesCut(n=n, train_sizes=train, test_sizes=test)
    partition = partition_of(kind, cut)
    return ArrangedTable(losses=losses_of(measured, partition, _scores(measured, rows)))


def _rows_by_split(results: Results, roles: list[str]) -> list[list[NDArray[np.int64]]]:
    """
    Return the rows of every algorithm on every split: that of its score, or of its test examples.

    The test examples of a split must be the same for all algorithms.
    """
    if results.example is None:
        row_grid = grid(results, roles)
        flat = RowGrid(rows=row_grid.rows.reshape(len(results.names), -1), ids=row_grid.ids)
        if (flat.rows < 0).any():
            complete(row_grid, results, roles, drop=False)
        return [[np.array([row]) for row in rows] for rows in flat.rows]
    row_grid = grid(results, [*roles, "example"])
    cells = row_grid.rows.reshape(len(results.names), -1, row_grid.rows.shape[-1])
    there = cells >= 0
    other = (there != there[0]).any(axis=(0, 1))
    if other.any():
        refuse(
            "table",
            "The table must have the same test examples for every algorithm but not all have "
            f"example {list_first_values(row_grid.ids[other])} in the same splits.",
        )
    require_one_truth(results, RowGrid(rows=cells, ids=row_grid.ids))
    tested = there[0]  # the same for all algorithms
    return [[rows[mask] for rows, mask in zip(splits, tested, strict=True)] for splits in cells]


def _scores(measured: TableMeasure, rows: list[list[NDArray[np.int64]]]) -> list[list[float]]:
    return [[measured.score(cell) for cell in cells] for cells in rows]


def _sizes(
    results: Results, options: TableOptions, rows: list[list[NDArray[np.int64]]], *, folds: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return training and test sizes of every split, or say what is missing."""
    test = _test_sizes(results, options, rows, folds=folds)
    if results.n_train is not None:
        return _one_size("n_train", results.n_train, rows), test
    if not folds:
        refuse(
            "table",
            "The table of random splits has no column 'n_train'.",
            "Add the sizes of the training sets.",
        )
    total = test.reshape(_rounds(results), -1).sum(axis=1)
    return np.repeat(total, len(test) // len(total)) - test, test


def _rounds(results: Results) -> int:
    """Return how often all examples were cut into folds."""
    if results.repetition is None:
        return 1
    return len(results.repetition)


def _test_sizes(
    results: Results, options: TableOptions, rows: list[list[NDArray[np.int64]]], *, folds: bool
) -> NDArray[np.int64]:
    if results.example is not None:
        return np.array([len(cell) for cell in rows[0]])
    if results.n_test is not None:
        return _one_size("n_test", results.n_test, rows)
    if not folds:
        refuse(
            "table",
            "The table of splits has no column 'n_test'.",
            "Add the sizes of the test sets.",
        )
    if options.n is None:
        refuse(
            "table",
            "The table of folds has no column 'n_test'.",
            Advice("Add it, or pass ", {"n": ELLIPSIS}, ", the number of examples."),
        )
    rounds = _rounds(results)
    each = len(rows[0]) // rounds
    sizes = np.full(each, options.n // each) + (np.arange(each) < options.n % each)
    return np.tile(sizes, rounds)


def _one_size(role: str, sizes: Floats, rows: list[list[NDArray[np.int64]]]) -> NDArray[np.int64]:
    """Return the size of every split; refuse several sizes for one split and invalid ones."""
    whole_sizes = []
    for cells in zip(*rows, strict=True):
        values = np.unique(np.concatenate([sizes[cell] for cell in cells]))
        if len(values) > 1 or values[0] < 1 or values[0] != int(values[0]):
            refuse(
                None,
                f"Column {role!r} must have one whole number of at least 1 for every split but "
                f"got {list_first_values(values)}.",
            )
        whole_sizes.append(int(values[0]))
    return np.array(whole_sizes)
