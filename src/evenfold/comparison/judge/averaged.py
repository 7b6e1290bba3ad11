"""Runs inside folds or splits: an algorithm that is run several times on the same training set."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.inputs.results import IDS, Results

_CUTS = ("split", "repetition", "fold")
_BUT_RUNS = tuple(role for role in IDS if role != "run")


def over_runs(results: Results) -> Results:
    """
    Return the table with the mean over the runs in the place of runs inside folds or splits.

    What runs add then varies together with training sets, in the values of the folds; the answer is about
    the recipes on average over so many runs. Other tables are returned as they are.

    Examples
    --------
    >>> from evenfold.core.inputs.results import Ids
    >>> fold, run = ([0, 0, 1, 1], [0, 1, 0, 1])
    >>> ids = [Ids(labels=np.arange(2), codes=np.array(codes)) for codes in (fold, run)]
    >>> table = Results(names=("a",), algorithm=np.zeros(4, dtype=int), fold=ids[0], run=ids[1],
    ...                 value=np.array([0.1, 0.3, 0.5, 0.5]))
    >>> over_runs(table).value.tolist()
    [0.2, 0.5]
    """
    cuts = [role for role in _CUTS if role in results.varied]
    if "run" not in results.varied or not cuts:
        return results
    what = " and ".join(f"{role}s" for role in cuts)
    if results.value is None:
        remedy = "give the value of every row, or predictions of one run"
        refuse("table", f"one with a column 'value' where there are runs inside {what}", "none", remedy)
    cell, place = (_cells(results, roles) for roles in (_BUT_RUNS, (*_BUT_RUNS, "run")))
    if len(np.unique(place)) < len(results):
        refuse("table", "one value for every algorithm and run on every split", "some doubled")
    count = np.bincount(cell)
    if count.min() < count.max():
        rule = f"one with as many runs of every algorithm inside all {what}"
        refuse("table", rule, f"{count.min()} to {count.max()}")
    rows = np.argsort(place).reshape(-1, count[0])  # whatever their order: sums must not hang on it
    means = results.value[rows].mean(axis=1)
    note = f"values are means over the {count[0]} runs inside {what}: the answer is about such means"
    return replace(results.take(rows[:, 0]), run=None, value=means, notes=(*results.notes, note))


def _cells(results: Results, roles: tuple[str, ...]) -> NDArray[np.int64]:
    """The place of every row among the combinations of algorithm and ids that occur, in their order."""
    columns = [results.algorithm, *(ids.codes for role in roles if (ids := results.ids(role)) is not None)]
    cells: NDArray[np.int64] = np.unique(np.stack(columns), axis=1, return_inverse=True)[1].ravel()
    return cells
