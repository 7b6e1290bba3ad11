"""Repeated trials of each example as one value of it: pass@k or pass^k."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.inputs import Results
from evenfold.infer import pass_at_k, pass_hat_k
from evenfold.run.measures.resolve import RepeatedTrials


def with_trials(results: Results, asked: RepeatedTrials) -> Results:
    """
    Return the table with one value per example in the place of its trials.

    The trials of an example are its rows, whatever tells them apart; where a measure of trials is
    asked for they are no runs any more: examples are what varies, and their values carry the noise
    of the trials.
    """
    success = _successes(results, asked)
    cell = _cells(results)
    _, first, place = np.unique(cell, return_index=True, return_inverse=True)
    trials = np.bincount(place)
    if trials.min() < asked.k:
        fewest = int(trials.argmin())
        row = int(first[fewest])
        where = (
            f"{trials[fewest]} of {results.names[results.algorithm[row]]!r} on "
            f"{_example(results, row)}"
        )
        rule = f"have {asked.k} trials or more of every example for {asked.name}"
        refuse("table", rule, where, "lower k, or run more trials")
    won = np.bincount(place, weights=success)
    formula = pass_hat_k if asked.all_succeed else pass_at_k
    kept = results.take(first)
    span = (
        f"{trials.min()}" if trials.min() == trials.max() else f"{trials.min()} to {trials.max()}"
    )
    note = f"{asked.name} of every example from {span} trials; the interval is over examples"
    return replace(
        kept,
        run=None,
        value=formula(won, trials, asked.k),
        truth=None,
        prediction=None,
        notes=(*kept.notes, note),
    )


def _successes(results: Results, asked: RepeatedTrials) -> NDArray[np.float64]:
    """1 for every trial that succeeded."""
    if results.example is None:
        rule = f"have a column 'example' for {asked.name}"
        refuse("table", rule, "it has none", "trials are repeated for each example")
    if results.value is not None:
        odd = ~np.isin(results.value, (0.0, 1.0))
        if odd.any():
            rule = f"0 or 1 for {asked.name}, 1 where the trial succeeded"
            refuse("column 'value'", rule, float(results.value[odd][0]))
        return results.value
    if results.truth is None or results.prediction is None:
        refuse("table", f"have a column 'value' of 0 and 1 for {asked.name}", "it has none")
    return np.asarray(results.truth == results.prediction, dtype=float)


def _cells(results: Results) -> NDArray[np.int64]:
    """The algorithm, data set, task and example of every row, as one number."""
    cell = results.algorithm.astype(np.int64)
    for ids in (results.dataset, *results.parts.values(), results.example):
        if ids is not None:
            cell = cell * len(ids) + ids.codes
    return cell


def _example(results: Results, row: int) -> str:
    ids = results.example
    return "" if ids is None else f"example {ids.labels[ids.codes[row]]}"
