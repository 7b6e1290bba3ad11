"""Workers that die, hang or crash: loky and a real dask cluster."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from time import sleep, time
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.errors import EvenfoldError
from evenfold.core.partition import HOLDOUT, MX2_BCV, BlockCut, Partition
from evenfold.run.engines.loky import Processes

pytestmark = pytest.mark.faults

N = 80
BOTH = {"tree": DecisionTreeClassifier(max_features=1), "bayes": GaussianNB()}


def halvings(m: int) -> Partition:
    signs = np.array([[(b & i).bit_count() % 2 == 0 for i in range(1, m + 1)] for b in range(8)])
    trains = np.repeat(signs, 2, axis=1)
    trains[:, 1::2] ^= True
    return Partition(
        kind=MX2_BCV,
        seed=0,
        cut=BlockCut(blocks=(np.arange(N) % 8).astype(np.uint8), trains=trains),
        repetition=np.repeat(np.arange(m), 2),
        fold=np.tile([0, 1], m),
    )


@pytest.fixture
def xy() -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=N)
    return rng.normal(size=(N, 3)) + y[:, None], y


def killed_once(marker: Path) -> Any:
    """An algorithm whose worker is killed by SIGKILL the first time it runs."""

    def algorithm(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        import os
        import signal

        if not marker.exists():
            marker.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return (X_test[:, 0] > X_train[:, 0].mean()).astype(int)

    return algorithm


def assert_as_undisturbed(done: ef.run.Run, undisturbed: ef.run.Run) -> None:
    assert done.failures == ()
    for name in undisturbed:
        np.testing.assert_array_equal(done[name].values, undisturbed[name].values)


def test_a_worker_that_is_stopped_is_ended_soon_after_the_limit(
    xy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """How long workers need to begin does not count once they have."""
    said = tmp_path / "stopped at"

    def stopped(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        import os
        import signal
        import time

        said.write_text(str(time.time()))
        os.kill(os.getpid(), signal.SIGSTOP)
        return np.zeros(len(X_test), dtype=int)

    noticed = []
    restart = Processes.restart

    def restarted(pool: Processes) -> None:
        if said.exists():
            noticed.append(time() - float(said.read_text()))
        restart(pool)

    monkeypatch.setattr(Processes, "restart", restarted)
    done = ef.run.run({"stopped": stopped, "bayes": GaussianNB()}, halvings(1), *xy, timeout=0.5)
    assert [(f.algorithm, f.kind) for f in done.failures] == [("stopped", "timeout")] * 2
    assert 2 < min(noticed) < 15  # it was half a minute more


@pytest.mark.parametrize("attempt", range(3))
def test_a_run_abandoned_just_after_a_task_was_sent_leaves_no_thread_with_an_error(
    attempt: int,
) -> None:
    pool = Processes(2)
    first, *_ = [pool.submit(sleep, 0) for _ in range(4)]
    first.result()
    last = pool.submit(sleep, attempt)
    pool.close(
        abandon=True
    )  # loky's thread met the last task while it shut down: pytest tells of its KeyError
    assert last.exception() is not None or last.result() is None


def test_a_killed_loky_worker_costs_nothing(xy: tuple[Any, Any], tmp_path: Path) -> None:
    marker = tmp_path / "killed"
    algorithms = {**BOTH, "killed": killed_once(marker)}
    options: dict[str, Any] = {"seed": 0, "version": {"killed": "1"}, "store": tmp_path / "runs.db"}
    done = ef.run.run(algorithms, halvings(3), *xy, n_jobs=2, **options)
    assert marker.exists()
    assert_as_undisturbed(done, ef.run.run(algorithms, halvings(3), *xy, seed=0))
    assert done.fits == 18
    assert ef.run.run(algorithms, halvings(3), *xy, **options).fits == 0


def test_a_worker_that_crashes_costs_only_the_cell_that_crashed_it(xy: tuple[Any, Any]) -> None:
    def crash(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        import os

        os._exit(3)

    done = ef.run.run({"crash": crash, "bayes": GaussianNB()}, halvings(1), *xy, n_jobs=2)
    alone = ef.run.run({"bayes": GaussianNB()}, halvings(1), *xy)
    assert [(f.algorithm, f.kind) for f in done.failures] == [("crash", "worker died")] * 2
    np.testing.assert_array_equal(done["zero-one"].values[1], alone["zero-one"].values[0])


def test_native_code_that_never_returns_is_stopped(xy: tuple[Any, Any]) -> None:
    def deaf(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        import signal
        import time

        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])
        time.sleep(60)

    done = ef.run.run({"deaf": deaf, "bayes": GaussianNB()}, halvings(1), *xy, timeout=2.0)
    assert [(f.algorithm, f.kind) for f in done.failures] == [("deaf", "timeout")] * 2
    assert "did not react to signals" in done.failures[0].message
    assert not np.isnan(done["zero-one"].values[1]).any()


def test_a_dask_cluster_that_goes_away_is_said_in_one_line(
    xy: tuple[Any, Any], tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed", reason="needs evenfold[dask]")
    started = tmp_path / "started"

    def slow(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        import time

        started.touch()
        time.sleep(0.2)
        return np.zeros(len(X_test), dtype=int)

    cluster = distributed.LocalCluster(n_workers=1, threads_per_worker=1, dashboard_address=":0")
    client = distributed.Client(cluster)

    def leave() -> None:
        while not started.exists():
            sleep(0.05)
        client.close()
        cluster.close()

    leaving = Thread(target=leave)
    leaving.start()
    store = tmp_path / "runs.db"
    options: dict[str, Any] = {"store": store, "version": "1", "seed": 0}
    with joblib.parallel_config("dask"), pytest.raises(EvenfoldError) as caught:
        ef.run.run({"slow": slow}, halvings(7), *xy, **options)
    leaving.join()
    assert "\n" not in str(caught.value)
    assert ef.run.run({"slow": slow}, halvings(7), *xy, **options).failures == ()


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed", reason="needs evenfold[dask]")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=":0"
        ) as workers,
        distributed.Client(workers) as client,
    ):
        yield client


def test_a_dask_cluster_gives_the_same_bits(
    cluster: Any, xy: tuple[Any, Any], tmp_path: Path
) -> None:
    options: dict[str, Any] = {"seed": 0, "measures": ["zero-one", "log"]}
    undisturbed = ef.run.run(BOTH, halvings(3), *xy, **options)
    with joblib.parallel_config("dask"):
        done = ef.run.run(BOTH, halvings(3), *xy, store=tmp_path / "runs.db", **options)
    assert done.fits == 12
    assert_as_undisturbed(done, undisturbed)
    assert cluster.nthreads()


@pytest.mark.usefixtures("cluster")
def test_a_killed_dask_worker_costs_nothing(xy: tuple[Any, Any], tmp_path: Path) -> None:
    marker = tmp_path / "killed"
    algorithms = {**BOTH, "killed": killed_once(marker)}
    options: dict[str, Any] = {"seed": 0, "version": {"killed": "1"}, "store": tmp_path / "runs.db"}
    with joblib.parallel_config("dask"):
        done = ef.run.run(algorithms, halvings(3), *xy, **options)
    assert marker.exists()
    assert_as_undisturbed(done, ef.run.run(algorithms, halvings(3), *xy, seed=0))
    assert ef.run.run(algorithms, halvings(3), *xy, **options).fits == 0


class Paced:
    """An algorithm that takes its time, and tells how often it was started."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG002  (labels play no part)
        import time
        from tempfile import mkstemp

        mkstemp(dir=self.folder)
        time.sleep(0.3)
        return (X_test[:, 0] > X_train[:, 0].mean()).astype(int)

    @property
    def started(self) -> int:
        return len(list(self.folder.iterdir()))


@contextmanager
def meanwhile(paced: Paced, change: Callable[[], Any]) -> Iterator[None]:
    """Change something once some fits have been started."""

    def watch() -> None:
        while paced.started < 3:
            sleep(0.05)
        change()

    watching = Thread(target=watch)
    watching.start()
    try:
        yield
    finally:
        watching.join()


@pytest.fixture
def paced(tmp_path: Path) -> Paced:
    (tmp_path / "started").mkdir()
    return Paced(tmp_path / "started")


def test_a_dask_cluster_that_is_restarted_costs_nothing(
    cluster: Any, xy: tuple[Any, Any], paced: Paced
) -> None:
    def restart() -> None:
        # On a busy machine dask may lose a worker here; the run must end all the same.
        cluster.restart(wait_for_workers=False)
        sleep(1.0)
        cluster.restart(wait_for_workers=False)

    with joblib.parallel_config("dask"), meanwhile(paced, restart):
        done = ef.run.run({"paced": paced}, halvings(7), *xy, seed=0)
    assert paced.started > 14
    assert_as_undisturbed(done, ef.run.run({"paced": paced}, halvings(7), *xy, seed=0))


def test_a_dask_cluster_without_workers_is_waited_for(
    cluster: Any, xy: tuple[Any, Any], paced: Paced
) -> None:
    def leave_and_return() -> None:
        cluster.cluster.scale(0)
        while cluster.nthreads():
            sleep(0.1)
        cluster.cluster.scale(2)

    with joblib.parallel_config("dask"), meanwhile(paced, leave_and_return):
        done = ef.run.run({"paced": paced}, halvings(7), *xy, seed=0)
    assert_as_undisturbed(done, ef.run.run({"paced": paced}, halvings(7), *xy, seed=0))


def test_a_dask_cluster_whose_workers_stay_away_is_said_in_one_line(
    cluster: Any, xy: tuple[Any, Any], paced: Paced, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evenfold.run.engines.dask._ABSENCE_SECONDS", 3.0)
    options: dict[str, Any] = {"store": tmp_path / "runs.db", "version": "1", "seed": 0}
    gone = meanwhile(paced, lambda: cluster.cluster.scale(0))
    with joblib.parallel_config("dask"), gone, pytest.raises(EvenfoldError) as caught:
        ef.run.run({"paced": paced}, halvings(7), *xy, **options)
    cluster.cluster.scale(2)
    cluster.wait_for_workers(2)
    assert "\n" not in str(caught.value)
    assert "no worker for 3 seconds" in str(caught.value)
    again = ef.run.run({"paced": paced}, halvings(7), *xy, **options)
    assert (again.failures, again.fits + again.reused) == ((), 14)
    assert again.reused


@pytest.mark.usefixtures("cluster")
def test_a_cell_that_kills_every_dask_worker_is_recorded(xy: tuple[Any, Any]) -> None:
    def crash(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        import os

        os._exit(3)

    cut = BlockCut(blocks=(np.arange(N) % 2).astype(np.uint8), trains=np.array([[True], [False]]))
    one = Partition(
        kind=HOLDOUT,
        seed=0,
        cut=cut,
        repetition=np.zeros(1, dtype=int),
        fold=np.zeros(1, dtype=int),
    )
    with joblib.parallel_config("dask"):
        done = ef.run.run({"crash": crash, "bayes": GaussianNB()}, one, *xy)
    assert [(f.algorithm, f.kind) for f in done.failures] == [("crash", "worker died")]
