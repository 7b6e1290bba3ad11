"""
The mean model, in which the political ratio of a method can be computed exactly.

The algorithm predicts the mean of its training examples, the loss is squared, the examples are
standard normal. Then each hold-out value is a quadratic form y'Ay in the examples, and two of them
have the covariance 2·tr(AB), whatever the splits are.
"""

from collections.abc import Iterable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import hypergeom
from sklearn.dummy import DummyRegressor

import evenfold as ef
from evenfold.core.partition import HOLDOUT, KFOLD, MX2, MX2_BCV, RERUNS, RLT, Indices, Partition
from evenfold.infer._registry import Method
from evenfold.infer.folds.tests import assumed_correlation

Matrix = NDArray[np.float64]
Splits = Iterable[tuple[Indices, Indices]]

# the methods of the sources whose ratio has a formula there
METHODS = {key: entry for key, entry in ef.infer.methods().items() if entry.ratio is not None}


def compare(key: str, n: int, seed: int, *, data: int = 0) -> Any:
    """Ask ``compare`` about the mean of n standard normal examples, with the method's design."""
    y = np.random.default_rng(data).normal(size=n)
    mean = {"mean": DummyRegressor()}
    return ef.compare(
        mean, np.zeros((n, 1)), y, measure="squared", method=key, random_state=seed, progress=False
    )


def example_covariance(splits: Splits, n: int) -> tuple[Matrix, Indices]:
    """Covariance of the losses of all tested examples, and the split of each."""
    rows = []
    for train, test in splits:
        residual = np.zeros((len(test), n))
        residual[np.arange(len(test)), test] = 1.0
        residual[:, train] -= 1 / len(train)
        rows.append(residual)
    split = np.repeat(np.arange(len(rows)), [len(row) for row in rows])
    stacked = np.concatenate(rows)
    return 2 * np.square(stacked @ stacked.T), split


def holdout_covariance(splits: Splits, n: int) -> Matrix:
    """Covariance of the hold-out values."""
    covariance, split = example_covariance(splits, n)
    starts = np.flatnonzero(np.diff(split, prepend=-1))
    sizes = np.diff(starts, append=len(split))
    sums = np.add.reduceat(np.add.reduceat(covariance, starts, axis=0), starts, axis=1)
    return np.asarray(sums / np.outer(sizes, sizes))


def correlation(n: int, n_train: int, overlap: int) -> float:
    """Correlation of two hold-out values whose training sets share so many examples."""
    everyone = np.arange(n)
    first = everyone[:n_train]
    second = everyone[n_train - overlap : 2 * n_train - overlap]
    pairs = [(train, np.setdiff1d(everyone, train)) for train in (first, second)]
    covariance = holdout_covariance(pairs, n)
    return float(covariance[0, 1] / covariance[0, 0])


def random_correlation(n: int, n_train: int) -> float:
    """Mean correlation of the hold-out values of two random splits."""
    overlaps = np.arange(max(2 * n_train - n, 0), n_train + 1)
    chances = hypergeom(n, n_train, n_train).pmf(overlaps)
    return float(
        sum(p * correlation(n, n_train, int(x)) for p, x in zip(chances, overlaps, strict=True))
    )


def ratio_of_source(entry: Method, partition: Partition) -> float:
    """Political ratio that the source's formula gives with the correlations of the mean model."""
    n = partition.n
    n1 = partition.n_train
    J = int(partition.about.sum())
    known: dict[str, Any] = {"n_train": n1, "n_test": n - n1, "J": J, "K": J, "m": J // 2}
    known["lam"] = 2 / 3
    known["rho_assumed"] = assumed_correlation(J)
    if entry.default_design == HOLDOUT:
        known["rho0"] = 1 / (n1 + 1) ** 2  # two test losses of one model share the training mean
    elif entry.default_design == KFOLD:
        known["rho"] = correlation(n, n1, 2 * n1 - n)
    elif entry.default_design in (RLT, RERUNS):
        known["rho"] = random_correlation(n, n1)
    else:
        assert entry.default_design in (MX2, MX2_BCV)
        known["rho1"] = correlation(n, n1, 0)
        even = entry.default_design == MX2_BCV
        known["rho2"] = correlation(n, n1, n // 4) if even else random_correlation(n, n1)
    assert entry.ratio is not None
    needed = signature(entry.ratio).parameters
    ratio = ef.infer.theory.political_ratio(entry.key, **{name: known[name] for name in needed})
    return float(ratio)
