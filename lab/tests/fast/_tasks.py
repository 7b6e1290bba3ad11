"""Random tasks on which the algorithms of the lab are compared with scikit-learn."""

import warnings
from typing import Any, NamedTuple

import numpy as np

from evenfold.design import Mx2
from evenfold_lab.algorithm import Algorithm, Refitted
from evenfold_lab.fast import (
    KNN,
    LDA,
    OLS,
    Forest,
    GaussianNB,
    Lasso,
    Logistic,
    Mean,
    OLSClassifier,
    Ridge,
    SplusTree,
    Tree,
    TriangularKNN,
)
from evenfold_lab.masks import Splits

NUMBERS: list[Algorithm] = [Mean(), OLS(), Ridge(2.0), Lasso(0.1), Lasso(1.0)]
LABELS: list[Algorithm] = [
    GaussianNB(),
    LDA(),
    OLSClassifier(),
    KNN(1),
    KNN(5),
    TriangularKNN(),
]
TWO_CLASSES: list[Algorithm] = [Logistic(), Logistic(C=0.5)]
NUMBER_TREES: list[Algorithm] = [
    Tree(criterion="squared"),
    Tree(criterion="squared", max_depth=3, min_samples_leaf=4),
    Tree(criterion="squared", min_samples_split=12),
]
LABEL_TREES: list[Algorithm] = [
    Tree(),
    Tree(criterion="entropy", min_samples_leaf=3),
    Tree(max_depth=2),
    SplusTree(),
]
FORESTS: list[Algorithm] = [
    Forest(n_trees=5),
    Forest(n_trees=5, max_features=1),
    Forest(n_trees=3, criterion="squared"),
]


class Task(NamedTuple):
    """Some data sets of one size, and how they are cut."""

    X: np.ndarray
    y: np.ndarray
    splits: Splits


def task(seed: int, *, classes: int = 0, p: int | None = None) -> Task:
    """Features on different scales, far from 0; numbers, or so many classes."""
    rng = np.random.default_rng(seed)
    R = 2
    n = int(rng.integers(30, 90))
    p = p or int(rng.integers(1, 9))
    X = rng.normal(size=(R, n, p)) * np.geomspace(0.2, 5.0, p) + 10.0
    shared = bool(rng.integers(2))
    splits = Splits.of(
        [Mx2(2, random_state=seed + r).partition(n) for r in range(1 if shared else R)]
    )
    if not classes:
        return Task(X, 3 + 2 * X[..., 0] + np.sin(X[..., -1]) + rng.normal(size=(R, n)), splits)
    y = rng.permuted(np.tile(np.arange(n) % classes, (R, 1)), axis=1).astype(float)
    X[..., 0] += 0.2 * y
    X[..., -1] -= 2.0 * (y == 1)
    return Task(X, y, splits)


def on_tests(values: np.ndarray, splits: Splits) -> np.ndarray:
    """The values of test examples."""
    chosen: np.ndarray = values[np.broadcast_to(splits.tests, values.shape)]
    return chosen


def refitted(algorithm: Algorithm, given: Task, **changes: Any) -> np.ndarray:
    """The predictions of scikit-learn."""
    model = algorithm.estimator().set_params(**changes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # collinear features, and the like
        return on_tests(Refitted(name="peer", prototype=model).predict(*given), given.splits)


def ours(algorithm: Algorithm, given: Task) -> np.ndarray:
    """The predictions of the lab."""
    return on_tests(algorithm.predict(*given), given.splits)
