"""From rows of a board to one value per model and task, or per model and example of fixed tasks."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.judge.values import TableMeasure, ValueColumn, measure_of_table
from evenfold.core.checks import refuse
from evenfold.core.inputs import Ids, Results
from evenfold.core.losses import Quantity
from evenfold.core.words import list_first_values
from evenfold.infer.tables.kernels import cluster_covariance

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Cells:
    """
    Values of models on tasks.

    Attributes
    ----------
    names, tasks : tuple of str
        The models and the tasks.
    values : array (tasks, models)
        Mean over examples and runs; NaN where a model was not run on a task.
    quantity : Quantity
        What was measured.
    of : Measured
        Where single examples come from.
    notes : tuple of str
        What was done with the table.
    """

    names: tuple[str, ...]
    tasks: tuple[str, ...]
    values: Floats
    quantity: Quantity
    of: TableMeasure
    notes: tuple[str, ...] = ()

    def take(self, tasks: NDArray[np.bool_], note: str) -> "Cells":
        """The same with some of the tasks."""
        kept = tuple(name for name, there in zip(self.tasks, tasks, strict=True) if there)
        return replace(self, tasks=kept, values=self.values[tasks], notes=(*self.notes, note))


def cells_of(
    results: Results, *, measure: Any, higher_is_better: bool | None, positive: Any
) -> Cells:
    """Return the mean of every model on every task."""
    tasks = results.dataset
    if tasks is None:
        refuse("table", "have a column 'task'", "it has none")
    if len(results.names) < 2:
        refuse("table", "have two models or more", f"only {results.names[0]!r}")
    one = measure_of_table(
        results,
        measure,
        higher_is_better=higher_is_better,
        positive=positive,
        per_example=results.example is not None,
    )
    _require_once(results, tasks)
    shape = (len(tasks), len(results.names))
    cell = tasks.codes.astype(np.int64) * shape[1] + results.algorithm
    if isinstance(one, ValueColumn) and results.weight is None:
        values = _means(one.values, cell, shape)
    else:
        values = _scores(one, results, cell, shape)
    return Cells(
        names=results.names,
        tasks=tuple(map(str, tasks.labels)),
        values=values,
        quantity=one.quantity,
        of=one,
        notes=results.notes,
    )


def _require_once(results: Results, tasks: Ids) -> None:
    """Refuse a model that has two values where nothing says how they differ."""
    place = results.algorithm.astype(np.int64) * len(tasks) + tasks.codes
    for ids in (results.example, results.run):
        if ids is not None:
            place = place * len(ids) + ids.codes
    first = np.unique(place, return_index=True)[1]
    if len(first) < len(place):
        again = np.setdiff1d(np.arange(len(place)), first)[0]
        name = results.names[results.algorithm[again]]
        where = f"{name!r} on task {tasks.labels[tasks.codes[again]]}"
        remedy = "add a column 'example' or 'run'"
        refuse("table", "have one value per model and task", f"several of {where}", remedy)


def _scores(
    one: TableMeasure, results: Results, cell: NDArray[np.int64], shape: tuple[int, int]
) -> Floats:
    """A score of each run on each task, and its mean over the runs."""
    found = np.full(shape[0] * shape[1], np.nan)
    order = np.argsort(cell, kind="stable")
    edges = np.flatnonzero(np.diff(cell[order])) + 1
    for rows in np.split(order, edges):
        runs = np.zeros(len(rows)) if results.run is None else results.run.codes[rows]
        found[cell[rows[0]]] = np.mean([one.score(rows[runs == run]) for run in np.unique(runs)])
    return found.reshape(shape)


class ExampleMoments(NamedTuple):
    """Means over the examples of fixed tasks, their covariance, and how many examples there are."""

    mean: Floats
    covariance: Floats
    examples: int
    fewest: int  # groups of any task, or examples where there are no groups


def example_moments(cells: Cells, weights: Floats) -> ExampleMoments:
    """
    Return mean and covariance of all models over new examples of these very tasks.

    Runs are averaged first; the examples of a task must be those of every model. Where examples
    come in groups, sums over groups vary, not examples.
    """
    results = cells.of.results
    share = weights / weights.sum()
    mean = np.zeros(len(cells.names))
    covariance = np.zeros((len(cells.names), len(cells.names)))
    examples = 0
    fewest = np.iinfo(np.int64).max
    for place, task in enumerate(cells.tasks):
        values, groups = _values_of_task(cells, results, task)
        examples += len(values)
        fewest = min(fewest, int(groups.max()) + 1)
        if fewest < 2:
            refuse("column 'group'", "of two groups or more in every task", f"one in task {task}")
        mean += share[place] * values.mean(axis=0)
        covariance += share[place] ** 2 * cluster_covariance(values, groups)
    return ExampleMoments(mean, covariance, examples, int(fewest))


def _values_of_task(cells: Cells, results: Results, task: str) -> tuple[Floats, NDArray[np.intp]]:
    """Values (examples, models) of one task, and the group of each example."""
    tasks = results.dataset
    examples = results.example
    if tasks is None or examples is None:
        refuse(
            "table",
            "have a column 'example' where tasks are fixed",
            "it has none",
            "pass tasks='sample'",
        )
    rows = np.flatnonzero(np.array(list(map(str, tasks.labels)))[tasks.codes] == task)
    labels, places = np.unique(examples.codes[rows], return_inverse=True)
    shape = (len(labels), len(cells.names))
    cell = places * shape[1] + results.algorithm[rows]
    values = _means(cells.of.examples(rows), cell, shape)
    lacking = np.isnan(values).any(axis=1)
    if lacking.any():
        first = list_first_values(examples.labels[labels[lacking]])
        refuse(
            "table",
            f"have a value of every model for every example of task {task}",
            f"none for {first}",
        )
    if shape[0] < 2:
        refuse("table", "have two examples or more of every task", f"one of task {task}")
    groups = np.arange(shape[0])
    if results.group is not None:
        groups[places] = results.group.codes[rows]
    return values, np.unique(groups, return_inverse=True)[1]


def _means(values: Floats, cell: NDArray[np.int64], shape: tuple[int, int]) -> Floats:
    count = np.bincount(cell, minlength=shape[0] * shape[1])
    total = np.bincount(cell, weights=values, minlength=shape[0] * shape[1])
    return np.where(count > 0, total / np.maximum(count, 1), np.nan).reshape(shape)
