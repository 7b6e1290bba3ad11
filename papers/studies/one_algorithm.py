"""
Intervals of one algorithm's error near 0.

How often they hold the truth, by three ways to stay above 0.

Two Gaussian classes on a line, the threshold half-way between the class means of the training set.
The truth is the expected error at the design's training size, from a run with many more data sets.
Run as ``python -m papers.studies.one_algorithm``; docs/ranges.md has the table.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

import evenfold as ef
from evenfold.core.estimate import Bounds, PivotEstimate
from evenfold.core.partition import Partition

LEVEL = 0.05
Limits = tuple[Any, Any]


def errors(
    partition: Partition, distance: float, replications: int, rng: np.random.Generator
) -> np.ndarray:
    """Hold-out errors (replications, splits) of the threshold between class means."""
    n = partition.n
    y = np.arange(n) % 2
    x = rng.normal(size=(replications, n)) + distance * y
    wrong = np.empty((replications, len(partition)))
    for j, (train, test) in enumerate(partition):
        mean_0, mean_1 = (x[:, train[y[train] == k]].mean(axis=1) for k in (0, 1))
        middle, turned = (mean_0 + mean_1) / 2, mean_0 > mean_1
        predicted = (x[:, test] > middle[:, None]) ^ turned[:, None]
        wrong[:, j] = (predicted != y[test]).mean(axis=1)
    return wrong


def plain(estimate: PivotEstimate, _: int) -> Limits:
    """The usual interval, cut at the ends of the range."""
    low, high = estimate.confidence_interval(1 - LEVEL)
    return np.clip(low, 0, 1), np.clip(high, 0, 1)


def logit(estimate: PivotEstimate, _: int) -> Limits:
    """On the logit scale, by the delta method; nothing to be said at 0 and 1."""
    v, q = np.asarray(estimate.value), estimate.reference.isf(LEVEL / 2)
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = q * estimate.standard_error / (v * (1 - v))
        low, high = special.expit(special.logit(v) - reach), special.expit(special.logit(v) + reach)
    ends = (v == 0) | (v == 1)
    return np.where(ends, v, low), np.where(ends, v, high)


def wilson(estimate: PivotEstimate, units: int) -> Limits:
    """Wilson's form, as ``compare`` gives it."""
    q = estimate.reference.isf(LEVEL / 2)
    return Bounds(low=0.0, high=1.0, units=units, alone=True).limits(
        estimate.value, q * estimate.standard_error, q
    )


WAYS: dict[str, Callable[[PivotEstimate, int], Limits]] = {
    "cut": plain,
    "logit": logit,
    "Wilson": wilson,
}


def _mx2(values: np.ndarray, partition: Partition) -> Any:
    return ef.infer.mx2_t(values.reshape(len(values), -1, 2)), partition.n


def _kfold(values: np.ndarray, partition: Partition) -> Any:
    return ef.infer.corrected_kfold_t(values), partition.n


def _resampled(values: np.ndarray, partition: Partition) -> Any:
    estimate = ef.infer.corrected_resampled_t(
        values, n_train=partition.n_train, n_test=partition.n_test
    )
    return estimate, partition.n


DESIGNS: dict[str, tuple[Any, Any]] = {
    "m×2 t-test, 9 repetitions": (ef.Mx2BCV(9, random_state=0), _mx2),
    "corrected t-test, 10 folds": (ef.KFold(10, random_state=0), _kfold),
    "corrected resampled t-test, 15 splits": (ef.BRLT(15, 0.9, random_state=0), _resampled),
}


def study(n: int = 100, replications: int = 4000, seed: int = 0) -> list[str]:
    """Return the rows of the table: design, true error, coverage and mean width of each way."""
    rows = []
    for name, (design, method) in DESIGNS.items():
        partition = design.partition(n)
        for distance in (6.0, 4.6, 3.6, 2.6, 1.7):
            rng = np.random.default_rng([seed, int(10 * distance)])
            truth = float(errors(partition, distance, 20_000, rng).mean())
            estimate, units = method(errors(partition, distance, replications, rng), partition)
            cells = []
            for way in WAYS.values():
                low, high = way(estimate, units)
                held, width = np.mean((low <= truth) & (truth <= high)), np.mean(high - low)
                cells.append(f"{held:.3f} ({width:.3f})")
            none = np.mean(np.asarray(estimate.value) == 0)
            rows.append(f"| {name} | {truth:.4f} | {none:.2f} | {' | '.join(cells)} |")
    return rows


def main() -> None:
    """Print the table."""
    print(f"| method | true error | no mistake | {' | '.join(WAYS)} |")
    print("| --- | --: | --: | " + " | ".join(["--:"] * len(WAYS)) + " |")
    print("\n".join(study()))


if __name__ == "__main__":
    main()
