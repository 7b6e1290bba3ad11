"""Which engine runs the fits never changes a result."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
import sklearn
import threadpoolctl
from joblib.externals.loky.process_executor import ShutdownExecutorError
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.core.partition import Partition
from evenfold.core.rng import stream
from evenfold.run.algorithms import check_algorithms
from evenfold.run.api import choose_engine
from evenfold.run.cells import Cell, CellOutcome, Job
from evenfold.run.data import check_data
from evenfold.run.engines import InProcess, loky, one_thread
from evenfold.run.engines.loky import PooledEngine
from evenfold.run.engines.rounds import Rounds
from evenfold.run.engines.threads import Threads

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


@pytest.mark.parametrize("backend", ["threading", "multiprocessing", "loky"])
def test_bit_identical_on_wide_data(halvings: Halvings, backend: str) -> None:
    """Wide enough for BLAS to use threads, which change the last bits."""
    rng = stream(0, "wide")
    X = rng.normal(size=(600, 150))
    y = X @ rng.normal(size=150) + rng.normal(size=600)
    algorithms = {"ridge": Ridge(), "least squares": LinearRegression()}
    here = ef.run.run(algorithms, halvings(600, 2), X, y, measures="squared", seed=0)
    with joblib.parallel_config(backend, n_jobs=2):
        there = ef.run.run(algorithms, halvings(600, 2), X, y, measures="squared", seed=0)
    assert_equal_runs(here, there)


def blas() -> list[int]:
    return [
        pool["num_threads"]
        for pool in threadpoolctl.threadpool_info()
        if pool["user_api"] == "blas"
    ]


def test_the_limit_on_threads_is_lifted_by_the_last_one_out() -> None:
    with threadpoolctl.threadpool_limits(2):
        first, second = one_thread(), one_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert set(blas()) == {1}
        second.__exit__(None, None, None)
        assert set(blas()) == {2}


def test_a_pool_that_another_run_ends_costs_no_cell(halvings: Halvings, xy: XY) -> None:
    class Ended(Threads):
        """Ends, as if by a run in another thread, at its first two tasks."""

        withdrawn = (ShutdownExecutorError,)
        left = 2

        def submit(self, function: Any, *arguments: Any) -> Future[Any]:
            if not self.left:
                return super().submit(function, *arguments)
            self.left -= 1
            if self.left:
                raise ShutdownExecutorError
            future: Future[Any] = Future()
            future.set_exception(ShutdownExecutorError())
            return future

    data = check_data(*xy)
    [bayes] = check_algorithms(GaussianNB())
    engine = PooledEngine(Ended(2), data)
    engine.load(
        Job(
            algorithms=[bayes],
            responses=[("predict",)],
            scorers={},
            cut=halvings(80, 1).cut,
            seed=0,
        )
    )
    engine.submit([Cell(0, 0), Cell(0, 1)])
    outcomes: list[CellOutcome] = []
    while len(outcomes) < 2:
        outcomes += engine.collect()
    engine.close(abandon=False)
    assert [outcome.fault for outcome in outcomes] == [None, None]


def test_n_jobs_chooses_processes_and_they_are_kept(halvings: Halvings, xy: XY) -> None:
    def pid(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        import os

        return np.full(len(X_test), os.getpid())

    mean = ef.run.measure(lambda truth, predicted: predicted, name="pid", higher_is_better=True)  # noqa: ARG005
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

    with pytest.raises(
        InvalidInput, match=r"algorithms must be picklable.*Pass n_jobs=1 or use threads"
    ):
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

    said = ef.run.measure(lambda t, p: p, name="t", higher_is_better=False)  # noqa: ARG005
    for backend in ("threading", "loky"):
        with joblib.parallel_config(backend, n_jobs=2):
            done = ef.run.run(blas_threads, halvings(80, 1), *xy, measures=said)
        assert (done["t"].values == 101).all()


def test_the_engine_is_chosen_by_n_jobs_and_by_joblib(xy: XY) -> None:
    data = check_data(*xy)

    def chosen(backend: str, n_jobs: int | None) -> type:
        with joblib.parallel_config(backend, n_jobs=n_jobs):
            engine = choose_engine(data, n_jobs=None, timeout=None)
            engine.close(abandon=False)
        return type(engine)

    assert chosen("loky", 1) is InProcess
    assert chosen("sequential", 2) is InProcess
    assert chosen("loky", 2) is PooledEngine
    assert chosen("threading", 2) is PooledEngine
    assert chosen("multiprocessing", 2) is Rounds
    engine = choose_engine(data, n_jobs=None, timeout=None)
    assert type(engine) is InProcess


def test_work_is_sent_as_numbers(xy: XY) -> None:
    """What a task carries does not grow with the data."""
    import cloudpickle

    from evenfold.run.engines.loky import Processes

    sizes = []
    for times in (1, 100):
        data = check_data(np.tile(xy[0], (1, times)), xy[1])
        engine = PooledEngine(Processes(2), data)
        engine._shipped_job = None
        sizes.append(len(cloudpickle.dumps((engine._shipped_data, engine._shipped_job, (0, 1)))))
        engine.close(abandon=False)
    assert sizes[1] <= sizes[0] + 10
    assert sizes[0] < 300


def test_what_a_killed_process_left_behind_is_swept_up(tmp_path: Path) -> None:
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    left, kept = (tmp_path / f"evenfold-{pid}-x" for pid in (dead.pid, os.getpid()))
    for folder in (left, kept, tmp_path / "evenfold-notes"):
        folder.mkdir()
    loky._remove_leftovers(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([kept.name, "evenfold-notes"])
