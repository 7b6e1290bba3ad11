"""
What the room ``run`` costs above bare fit + predict, beside its peers, in one run.

The machine may be noisy: every round measures all contestants one after the other, the median over
rounds is shown, and what counts are the ratios. What runs in this process is shown in processor
time too, which other people's work disturbs less.
"""

import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, NamedTuple

import numpy as np

import evenfold as ef
from evenfold.core.partition import MX2, IndexCut, Partition
from evenfold.run.data import check_data
from evenfold.run.engines.dask import Dask
from evenfold.run.engines.loky import PooledEngine, Processes

N, ROUNDS, REPETITIONS = 300, 7, 60


def halvings(n: int, m: int) -> Partition:
    rng = np.random.default_rng(0)
    orders = [rng.permutation(n) for _ in range(m)]
    halves = [np.sort(half) for order in orders for half in np.array_split(order, 2)]
    swapped = [halves[j ^ 1] for j in range(2 * m)]
    cut = IndexCut(n=n, trains=tuple(halves), tests=tuple(swapped))
    places = np.divmod(np.arange(2 * m), 2)
    return Partition(kind=MX2, seed=0, cut=cut, repetition=places[0], fold=places[1])


class Spent(NamedTuple):
    """Seconds on the clock and of the processor."""

    wall: float
    processor: float


def spent(function: Callable[[], Any]) -> Spent:
    wall, processor = perf_counter(), process_time()
    function()
    return Spent(perf_counter() - wall, process_time() - processor)


def bare(estimator: Any, X: Any, y: Any, partition: Partition) -> Spent:
    """Fit and predict on arrays that are sliced and cloned before the clock starts."""
    from sklearn.base import clone

    ready = [(clone(estimator), X[a], y[a], X[b]) for a, b in partition]
    return spent(lambda: [model.fit(a, b).predict(c) for model, a, b, c in ready])


def floor(estimator: Any, X: Any, y: Any, partition: Partition) -> None:
    """The least that any such loop must do."""
    from sklearn.base import clone

    for a, b in partition:
        np.mean(clone(estimator).fit(X[a], y[a]).predict(X[b]) != y[b])


def overhead(estimator: Any) -> None:
    """Milliseconds per cell above bare fit + predict."""
    from mlxtend.evaluate import paired_ttest_5x2cv
    from sklearn.datasets import make_classification
    from sklearn.model_selection import cross_validate

    X, y = make_classification(N, 10, random_state=0)
    partition = halvings(N, REPETITIONS)
    splits = list(partition)
    folder = tempfile.TemporaryDirectory()
    names = iter(range(10**6))

    def stored() -> None:
        ef.run.run(
            [estimator], partition, X, y, seed=0, store=Path(folder.name) / f"{next(names)}.db"
        )

    contestants: dict[str, tuple[Callable[[], Any], int]] = {
        "floor: clone, slice, accuracy": (lambda: floor(estimator, X, y, partition), len(splits)),
        "evenfold": (lambda: ef.run.run([estimator], partition, X, y, seed=0), len(splits)),
        "evenfold, SQLite": (stored, len(splits)),
        "cross_validate": (lambda: cross_validate(estimator, X, y, cv=splits), len(splits)),
        "mlxtend 5x2": (lambda: paired_ttest_5x2cv(estimator, estimator, X, y, random_seed=0), 20),
        "evenfold, n_jobs=2": (
            lambda: ef.run.run([estimator], partition, X, y, seed=0, n_jobs=2),
            len(splits),
        ),
        "cross_validate, n_jobs=2": (
            lambda: cross_validate(estimator, X, y, cv=splits, n_jobs=2),
            len(splits),
        ),
    }
    for function, _ in contestants.values():  # start pools, import what is imported lazily
        function()
    rounds = []
    for _ in range(ROUNDS):
        plain = bare(estimator, X, y, partition)
        rounds.append(
            (plain, {name: spent(function) for name, (function, _) in contestants.items()})
        )
    folder.cleanup()
    each = 1e3 / len(splits)
    bare_time = each * median(plain.processor for plain, _ in rounds)
    print(
        f"\n{type(estimator).__name__}, n={N}: bare fit + predict {bare_time:.2f} ms of processor; "
        "above it:"
    )
    for name, (_, fits) in contestants.items():
        wall = median(1e3 * all_[name].wall / fits - each * plain.wall for plain, all_ in rounds)
        above = median(
            1e3 * all_[name].processor / fits - each * plain.processor for plain, all_ in rounds
        )
        shown = "      " if "n_jobs" in name else f"{above:+6.3f}"
        print(f"  {name:32s} {shown} ms processor {wall:+7.3f} ms clock per cell")


def traffic() -> None:
    """Bytes and milliseconds per cell with an X of 20 MB."""
    import cloudpickle
    import distributed

    X = np.random.default_rng(0).normal(size=(2500, 1000))
    y = (X[:, 0] > 0).astype(int)
    partition = halvings(2500, 20)

    def sign(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        return (X_test[:, 0] > 0).astype(int)

    print(f"\nX of {X.nbytes / 1e6:.0f} MB, {len(partition)} cells that only slice it")

    def clock(run: Callable[[], Any]) -> float:
        return 1e3 * median(spent(run).wall for _ in range(ROUNDS)) / len(partition)

    print(f"  here     {clock(lambda: ef.run.run(sign, partition, X, y)):.2f} ms per cell")

    def report(name: str, run: Callable[[], Any], pool: Any) -> None:
        run()
        engine = PooledEngine(pool, check_data(X, y))
        engine._shipped_job = engine._shipped_data
        task = len(
            cloudpickle.dumps((engine._shipped_data, engine._shipped_job, ((0, 1),), None, None))
        )
        engine.close(abandon=False)
        share = f"{task} bytes per task, {task / X.nbytes:.1e} of X"
        print(f"  {name:8s} {clock(run):.2f} ms per cell, {share}")

    report("loky", lambda: ef.run.run(sign, partition, X, y, n_jobs=2), Processes(2))
    import joblib

    dask: Any = distributed
    with (
        dask.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0") as cluster,
        dask.Client(cluster) as client,
        joblib.parallel_config("dask"),
    ):
        report("dask", lambda: ef.run.run(sign, partition, X, y), Dask(client))


def constant(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
    return np.zeros(len(X_test), dtype=int)


def reload() -> None:
    """100 000 stored cells: found again by a run, and loaded by id."""
    m, n = 25_000, 24
    partition = halvings(n, m)
    X, y = np.zeros((n, 1)), np.arange(n) % 2
    algorithms = {"a": constant, "b": constant}
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "runs.db"
        first = ef.run.run(algorithms, partition, X, y, seed=0, store=store, version="1")
        assert first.fits == 4 * m
        again = spent(
            lambda: ef.run.run(algorithms, partition, X, y, seed=0, store=store, version="1")
        )
        loaded = spent(lambda: ef.run.load(store, str(first.id)))
    print(f"\n{4 * m} stored cells, seconds of processor and clock:")
    print(f"  loaded by id            {loaded.processor:.2f} {loaded.wall:.2f}")
    print(f"  found by a whole run    {again.processor:.2f} {again.wall:.2f}")


def main() -> None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.naive_bayes import GaussianNB
    from threadpoolctl import threadpool_limits

    warnings.simplefilter("ignore")  # what other libraries deprecate is not measured here
    with threadpool_limits(1):  # as in the workers; on tiny fits more threads only add noise
        for estimator in (GaussianNB(), LogisticRegression()):
            overhead(estimator)
    traffic()
    reload()


if __name__ == "__main__":
    main()
