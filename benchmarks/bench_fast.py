"""
Hold-out estimates per second of the lab's fast paths, beside refits of scikit-learn in the same run.

An estimate is the loss of one split's model, averaged over its test set, from the data to the number. Both
sides run on one thread; times are processor seconds, best of a few.
"""

import time
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

import evenfold as ef
from evenfold.lab.algorithm import Algorithm
from evenfold.lab.fast import (
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
from evenfold.lab.masks import Splits


class Task(NamedTuple):
    """An algorithm on data sets of one size, some at a time."""

    algorithm: Algorithm
    n: int
    p: int
    batch: int
    classes: bool
    within: float = 1e-8  # of refits: more where ties are broken by chance, or scikit-learn stops earlier


TASKS = [
    Task(Mean(), 200, 1, 200, classes=False),
    Task(OLS(), 200, 2, 200, classes=False),
    Task(OLSClassifier(), 200, 2, 200, classes=True),
    Task(GaussianNB(), 200, 2, 200, classes=True),
    Task(LDA(), 200, 2, 200, classes=True),
    Task(Ridge(1.0), 1000, 100, 10, classes=False),
    Task(KNN(5), 200, 2, 50, classes=True),
    Task(KNN(5), 1000, 20, 10, classes=True),
    Task(KNN(1), 1000, 20, 10, classes=True),
    Task(Tree(), 100, 8, 100, classes=True, within=0.3),
    Task(Tree(), 200, 8, 50, classes=True, within=0.3),
    Task(Tree(), 1000, 20, 4, classes=True, within=0.3),
    Task(SplusTree(), 200, 2, 100, classes=True, within=0.3),
    Task(Forest(n_trees=10, max_features=3), 200, 8, 10, classes=True, within=0.3),
    Task(Lasso(0.1), 200, 8, 100, classes=False, within=1e-2),
    Task(Lasso(0.1), 1000, 100, 5, classes=False, within=1e-2),
    Task(Logistic(), 200, 8, 50, classes=True),
    Task(TriangularKNN(), 200, 8, 20, classes=True),
]


def data(task: Task) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(task.batch, task.n, task.p))
    y = rng.normal(size=(task.batch, task.n)) + X[..., 0]
    return X, (y > 0).astype(np.float64) if task.classes else y


def estimates(algorithm: Algorithm, X: np.ndarray, y: np.ndarray, splits: Splits) -> np.ndarray:
    """Mean squared loss of every split of every data set; for labels 0 and 1 that is the error rate."""
    found = np.empty((len(X), splits.count))
    sizes = splits.tests.sum(axis=-1)
    tests = splits.tests.astype(np.float64)
    step = max(1, 2**18 // (splits.count * y.shape[1]))  # losses that fit into the cache
    for r in range(0, len(X), step):
        some = slice(r, r + step)
        losses = np.square(algorithm.predict(X[some], y[some], splits) - y[some, None])
        found[some] = np.einsum("rjn,jn->rj", losses, tests) / sizes
    return found


def refits(estimator: Any, X: np.ndarray, y: np.ndarray, splits: Splits) -> np.ndarray:
    """The plain loop that the fast paths replace."""
    found = np.empty((len(X), splits.count))
    for r in range(len(X)):
        for j, (train, test) in enumerate(zip(splits.trains, splits.tests, strict=True)):
            model = estimator.fit(X[r, train], y[r, train])
            found[r, j] = np.mean((model.predict(X[r, test]) - y[r, test]) ** 2)
    return found


def seconds(function: Callable[[], Any], repeats: int = 5) -> float:
    best = float("inf")
    for _ in range(repeats):
        begin = time.process_time()
        function()
        best = min(best, time.process_time() - begin)
    return best


def row(task: Task, m: int) -> None:
    X, y = data(task)
    splits = Splits.of([ef.Mx2BCV(m, random_state=0).partition(task.n)])
    few = min(task.batch, 3)
    algorithm, estimator = task.algorithm, task.algorithm.estimator()
    np.testing.assert_allclose(
        estimates(algorithm, X[:few], y[:few], splits),
        refits(estimator, X[:few], y[:few], splits),
        rtol=task.within if task.within < 0.1 else 0.0,
        atol=task.within if task.within >= 0.1 else 0.0,
    )
    each = seconds(lambda: refits(estimator, X[:few], y[:few], splits), 3) / (few * splits.count)
    alone = seconds(lambda: estimates(algorithm, X[:1], y[:1], splits), 20) / splits.count
    many = seconds(lambda: estimates(algorithm, X, y, splits)) / (task.batch * splits.count)
    size = f"n={task.n}, p={task.p}"
    print(
        f"{algorithm.name:<16}{size:<16}{m:>3}×2{1 / each:>14,.0f}{1 / alone:>14,.0f}{each / alone:>7.0f}×"
        f"{1 / many:>14,.0f}{each / many:>7.0f}×",
        flush=True,
    )


def main() -> None:
    import sklearn.neighbors  # noqa: F401 - the limit holds for libraries that are loaded
    from threadpoolctl import threadpool_limits

    print("\nHold-out estimates per second, m×2 BCV, one thread\n")
    print(f"{'':37}{'scikit-learn':>17}{'one data set':>16}{'':>8}{'in a batch':>14}")
    with threadpool_limits(1):
        for task in TASKS:
            for m in (7, 15):
                row(task, m)


if __name__ == "__main__":
    main()
