"""Arrange tables of runs: of learning procedures, trials of each example, runs of one model."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.judge.arrange import (
    ArrangedTable,
    RowGrid,
    SizesCut,
    TableOptions,
    TestedCut,
    clusters_of,
    column,
    complete,
    examples_of_tasks,
    grid,
    losses_of,
    partition_of,
    require_one_truth,
)
from evenfold.comparison.judge.values import TableMeasure, measure_of_table
from evenfold.core.checks import Advice, refuse
from evenfold.core.errors import InvalidInput
from evenfold.core.inputs import Results
from evenfold.core.note import WRITTEN, Note, note
from evenfold.core.partition import (
    CLUSTERED_RUNS,
    RUNS,
    SEEDS,
    Partition,
)
from evenfold.core.words import list_first_values
from evenfold.infer import RunNoise, pass_at_k, pass_hat_k, run_noise
from evenfold.infer.tables.tests import TWO_RUNS
from evenfold.read.results import read_results
from evenfold.run.measures.resolve import RepeatedTrials


def by_run_and_example(measured: TableMeasure, options: TableOptions) -> ArrangedTable:
    """Arrange several runs of each algorithm on the same examples."""
    results = measured.results
    roles = ["run", "example"]
    row_grid = grid(results, roles)
    there = np.asarray((row_grid.rows >= 0).any(axis=-1))
    absent = _missing_runs(results, options, there)
    filled = RowGrid(rows=np.where(there[..., None], row_grid.rows, 0), ids=row_grid.ids)
    full, dropped = complete(filled, results, roles, drop=options.drop)
    known = RowGrid(rows=np.where(there[..., None], full.rows, -1), ids=full.ids)
    require_one_truth(results, known)
    clusters = clusters_of(results, known)
    n = full.rows.shape[-1]
    S = there.shape[1]
    empty = np.full(n, np.nan)
    examples = [
        [measured.examples(full.rows[a, s], clusters) if there[a, s] else empty for s in range(S)]
        for a in range(len(results.names))
    ]
    return ArrangedTable(
        losses=losses_of(
            measured,
            partition_of(RUNS if clusters is None else CLUSTERED_RUNS, TestedCut(n=n, n_splits=S)),
            [[values.mean() for values in runs] for runs in examples],
            examples=examples,
            clusters=clusters,
            absent=absent,
        ),
        ids=full.ids,
        notes=(*dropped, *_pairing(results, options, absent), *_two_runs_notes(there)),
    )


def _missing_runs(
    results: Results, options: TableOptions, there: NDArray[np.bool_]
) -> NDArray[np.bool_] | None:
    """
    Return which runs an algorithm lacks where runs are not paired; None where they are paired.

    Runs are paired if all ids are equal, and not paired if none is; otherwise the caller must say
    which. Positions in arrays are no ids, because the fifth runs of two learning procedures need
    have nothing in common.
    """
    same = bool(there.all())
    few = there.sum(axis=1)
    if few.min() < 2:
        refuse(
            "table",
            "The table must have at least two runs of every algorithm but it has "
            f"{few.min()} of {results.names[int(few.argmin())]!r}.",
        )
    numbered = results.runs_by == _POSITION and len(results.names) > 1
    if options.paired is False or (options.paired is None and numbered):
        return ~there
    if same:
        return None
    shared = there.all(axis=0)
    if options.paired or (there.sum(axis=0) > 1).any():
        refuse(
            "table",
            "All algorithms must share their runs, or none, but some only have run "
            f"{list_first_values(column(results, 'run').labels[~shared])}.",
            Advice("Pass ", {"paired": False}, " if the runs are independent."),
        )
    return ~there


_POSITION = "position"


def _pairing(
    results: Results, options: TableOptions, absent: NDArray[np.bool_] | None
) -> Iterator[Note]:
    """Yield a note that runs were not paired, or how runs without ids were paired."""
    by = results.runs_by
    if len(results.names) < 2:
        return
    if options.paired is False:
        yield note("runs-apart")
    elif by != "id" and absent is None:
        yield note("runs-paired", by=by)
    elif by != "id" and options.paired is None:
        yield note("runs-without-ids")


def _two_runs_notes(there: NDArray[np.bool_]) -> Iterator[Note]:
    if int(there.sum(axis=1).min()) == 2:
        yield note(WRITTEN, text=TWO_RUNS)


def by_run(measured: TableMeasure, options: TableOptions) -> ArrangedTable:
    """Arrange one score per run, without examples."""
    results = measured.results
    row_grid = grid(results, ["run"])
    there = row_grid.rows >= 0
    absent = _missing_runs(results, options, there)
    values = [
        [measured.score(np.array([row])) if row >= 0 else np.nan for row in rows]
        for rows in row_grid.rows
    ]
    partition = _runs_without_examples(there.shape[1])
    notes = tuple(_pairing(results, options, absent))
    return ArrangedTable(losses=losses_of(measured, partition, values, absent=absent), notes=notes)


def one_value(measured: TableMeasure) -> ArrangedTable:
    """Arrange one value of each algorithm, as on one of several data sets."""
    results = measured.results
    values = []
    for a, name in enumerate(results.names):
        rows = np.flatnonzero(results.algorithm == a)
        if len(rows) != 1:
            refuse(
                "table",
                "The table must have one value per algorithm and data set but it has "
                f"{len(rows)} of {name!r}.",
            )
        values.append([measured.score(rows)])
    return ArrangedTable(losses=losses_of(measured, _runs_without_examples(1), values))


def _runs_without_examples(number: int) -> Partition:
    sizes = np.zeros(number, dtype=np.int64)
    return partition_of(SEEDS, SizesCut(n=0, train_sizes=sizes, test_sizes=sizes))


# Repeated trials of each example as one value of it: pass@k or pass^k.


def with_trials(results: Results, measure: RepeatedTrials) -> Results:
    """
    Return the table with one value per example in the place of its trials.

    The trials of an example are all its rows. With a measure of trials they are no longer runs:
    only examples vary, and their values contain the noise of the trials.
    """
    success = _successes(results, measure)
    cell = _cells(results)
    _, first, place = np.unique(cell, return_index=True, return_inverse=True)
    trials = np.bincount(place)
    if trials.min() < measure.k:
        fewest = int(trials.argmin())
        row = int(first[fewest])
        refuse(
            "table",
            f"The table must have at least {measure.k} trials of every example for {measure.name} "
            f"but it has {trials[fewest]} of {results.names[results.algorithm[row]]!r} on "
            f"{_example(results, row)}.",
            "Lower k, or run more trials.",
        )
    won = np.bincount(place, weights=success)
    formula = pass_hat_k if measure.all_succeed else pass_at_k
    kept = results.take(first)
    span = {"fewest": int(trials.min()), "most": int(trials.max())}
    return replace(
        kept,
        run=None,
        value=formula(won, trials, measure.k),
        truth=None,
        prediction=None,
        notes=(*kept.notes, note("trials", measure=measure.name, **span)),
    )


def _successes(results: Results, measure: RepeatedTrials) -> NDArray[np.float64]:
    """Return 1 for every trial that succeeded, and 0 for the others."""
    if results.example is None:
        refuse(
            "table",
            f"The table must have a column 'example' for {measure.name}, because trials are "
            "repeated for each example.",
        )
    if results.value is not None:
        odd = ~np.isin(results.value, (0.0, 1.0))
        if odd.any():
            refuse(
                None,
                f"Column 'value' must be 0 or 1 for {measure.name}, 1 where the trial succeeded, "
                f"but got {results.value[odd][0]:g}.",
            )
        return results.value
    if results.truth is None or results.prediction is None:
        refuse(
            "table",
            f"The table must have a column 'value' of 0 and 1 for {measure.name}.",
        )
    return np.asarray(results.truth == results.prediction, dtype=float)


def _cells(results: Results) -> NDArray[np.int64]:
    """Return the algorithm, data set, task and example of every row as one number."""
    cell = results.algorithm.astype(np.int64)
    for ids in (results.dataset, *results.parts.values(), results.example):
        if ids is not None:
            cell = cell * len(ids) + ids.codes
    return cell


def _example(results: Results, row: int) -> str:
    ids = results.example
    return "" if ids is None else f"example {ids.labels[ids.codes[row]]}"


# Runs of one model: the noise of an evaluation, and what a gate makes of it.


def noise_of(
    table: Any,
    *,
    measure: Any = None,
    margin: float = 0.0,
    level: float = 0.05,
    columns: Mapping[str, str] | None = None,
    rows: str | None = None,
    positive: Any = None,
    higher_is_better: bool | None = None,
    on_missing: str = "refuse",
) -> RunNoise:
    """
    Read runs of one model, named by a column ``run`` or as if they were algorithms.

    The result is that of :func:`evenfold.infer.run_noise`.
    """
    reading: Any = {"columns": columns, "rows": rows, "on_missing": on_missing}
    if isinstance(measure, str):
        reading["measure"] = measure
    try:
        results = read_results({"model": table}, **reading)
    except InvalidInput:  # no table of one model: its algorithms are the runs
        results = read_results(table, **reading)
    results = examples_of_tasks(results)
    roles = [role for role in ("run", "example") if role in {*results.varied, "example"}]
    if len(results.names) > 1 and "run" in roles:
        refuse(
            "table",
            "The table must have runs of one model but it has those of "
            f"{len(results.names)} models.",
            "Keep one of them.",
        )
    if len(results.names) < 2 and "run" not in roles:
        refuse(
            "table",
            "The table must have at least two runs of one model but it has a single run.",
            "Add a column 'run', or give one column of values per run.",
        )
    measured = measure_of_table(
        results, measure, higher_is_better=higher_is_better, positive=positive, per_example=True
    )
    row_grid, _ = complete(grid(results, roles), results, roles, drop=on_missing == "drop")
    runs = row_grid.rows.reshape(-1, row_grid.rows.shape[-1])
    values = np.stack([measured.examples(row) for row in runs])
    if measured.quantity.lower_is_better:
        if np.isin(values, (0.0, 1.0)).all():
            values = 1 - values
        else:
            values = -values
    return run_noise(values, margin=margin, level=level)
