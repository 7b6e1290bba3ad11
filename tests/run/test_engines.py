"""Which engine runs the cells never changes a result."""

import os
from collections.abc import Callable
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.core.partition import Partition
from evenfold.run.data import check_data
from evenfold.run.engines import InProcess, Pooled, Rounds, choose_engine
from evenfold.run.pools import threads_per_worker

Halvings = Callable[..., Partition]
XY = tuple[Any, Any]

ALGORITHMS = {"tree": DecisionTreeClassifier(max_features=1), "bayes": GaussianNB()}
MEASURES = ["zero-one", "log", "f1"]


def assert_equal_runs(a: ef.run.Run, b: ef.run.Run) -> None:
    assert list(a) == list(b)
    for name in a:
        np.testing.assert_array_equal(a[name].values, b[name].values)
        if a[name].counts is not None:
            np.testing.assert_array_equal(a[name].counts, b[name].counts)


@pytest.mark.parametrize("backend", ["sequential", "threading", "multiprocessing", "loky"])
def test_bit_identical_on_every_backend(halvings: Halvings, xy: XY, backend: str) -> None:
    options: dict[str, Any] = {"measures": MEASURES, "seed": 5}
    expected = ef.run.run(ALGORITHMS, halvings(80, 3), *xy, **options)
    with joblib.parallel_config(backend, n_jobs=2):
        done = ef.run.run(ALGORITHMS, halvings(80, 3), *xy, **options)
    assert_equal_runs(done, expected)


def test_n_jobs_chooses_processes_and_they_are_kept(halvings: Halvings, xy: XY) -> None:
    def pid(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        import os

        return np.full(len(X_test), os.getpid())

    mean = ef.run.measure(lambda truth, predicted: predicted, name="pid")  # noqa: ARG005
    runs = [ef.run.run(pid, halvings(80, 3), *xy, n_jobs=2, measures=mean) for _ in range(2)]
    pids = [set(done["pid"].values.ravel().tolist()) for done in runs]
    assert os.getpid() not in pids[0]
    assert len(pids[0] | pids[1]) <= 2


def test_any_kind_of_table_travels(halvings: Halvings, xy: XY) -> None:
    class Row:  # a class that no worker could import
        def __init__(self, value: float) -> None:
            self.value = value

    def by_sign(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        return np.array([int(row.value > 0.5) for row in X_test])

    X, y = xy
    for kind in (pd.DataFrame(X), scipy.sparse.csr_matrix(X)):
        here = ef.run.run([LogisticRegression()], halvings(80, 1), kind, y)
        there = ef.run.run([LogisticRegression()], halvings(80, 1), kind, y, n_jobs=2)
        assert_equal_runs(here, there)
    rows = [Row(x) for x in X[:, 0]]
    here, there = (ef.run.run(by_sign, halvings(80, 1), rows, y, n_jobs=jobs) for jobs in (1, 2))
    assert_equal_runs(here, there)


def test_what_cannot_travel_is_refused(halvings: Halvings, xy: XY) -> None:
    from threading import Lock

    lock = Lock()

    def locked(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        with lock:
            return np.zeros(len(X_test), dtype=int)

    with pytest.raises(InvalidInput, match=r"algorithms must be able to travel.*take n_jobs=1 or threads"):
        ef.run.run(locked, halvings(80, 1), *xy, n_jobs=2)


def test_settings_of_scikit_learn_travel(halvings: Halvings, xy: XY) -> None:
    def routed(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        from sklearn import get_config

        return np.full(len(X_test), int(get_config()["enable_metadata_routing"]))

    ones = np.ones(80, dtype=int)
    with sklearn.config_context(enable_metadata_routing=True):
        for backend in ("threading", "loky"):
            with joblib.parallel_config(backend, n_jobs=2):
                done = ef.run.run(routed, halvings(80, 1), xy[0], ones)
            assert (done["zero-one"].values == 0).all()


def test_workers_do_not_crowd_the_machine(halvings: Halvings, xy: XY) -> None:
    def blas_threads(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        import joblib
        import threadpoolctl

        most = max(pool["num_threads"] for pool in threadpoolctl.threadpool_info())
        inner = joblib.effective_n_jobs(-1)  # an estimator inside the worker that wants all cores
        return np.full(len(X_test), most + 100 * inner)

    allowed = threads_per_worker(2)
    for backend in ("threading", "loky"):
        with joblib.parallel_config(backend, n_jobs=2):
            done = ef.run.run(blas_threads, halvings(80, 1), *xy, measures={"t": lambda t, p: p})  # noqa: ARG005
        assert (done["t"].values == 100 + allowed).all()


def test_the_engine_is_chosen_by_n_jobs_and_by_joblib(xy: XY) -> None:
    data = check_data(*xy, n=80)

    def chosen(backend: str, n_jobs: int | None) -> type:
        with joblib.parallel_config(backend, n_jobs=n_jobs):
            engine = choose_engine(data, n_jobs=None, timeout=None)
            engine.close(abandon=False)
        return type(engine)

    assert chosen("loky", 1) is InProcess
    assert chosen("sequential", 2) is InProcess
    assert chosen("loky", 2) is Pooled
    assert chosen("threading", 2) is Pooled
    assert chosen("multiprocessing", 2) is Rounds
    engine = choose_engine(data, n_jobs=None, timeout=None)
    assert type(engine) is InProcess


def test_work_is_sent_as_numbers(xy: XY) -> None:
    """What a task carries does not grow with the data."""
    import cloudpickle

    from evenfold.run.pools import Processes

    sizes = []
    for times in (1, 100):
        data = check_data(np.tile(xy[0], (1, times)), xy[1], n=80)
        engine = Pooled(Processes(2), data)
        engine._shipped_job = None
        sizes.append(len(cloudpickle.dumps((engine._shipped_data, engine._shipped_job, (0, 1)))))
        engine.close(abandon=False)
    assert sizes[1] <= sizes[0] + 10
    assert sizes[0] < 300
