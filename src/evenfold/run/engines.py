"""
Engines run cells and hand back outcomes in any order; which one is chosen never changes a result.

In this process, on a pool of workers (threads, loky processes, a dask cluster), or on any other backend
that ``joblib.parallel_config`` names.
"""

import sys
from collections import deque
from collections.abc import Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from contextlib import AbstractContextManager, nullcontext
from time import monotonic
from typing import Any, Protocol

from evenfold.core.checks import refuse
from evenfold.run.cells import Cell, Fault, Job, Outcome, fault_of, run_cell
from evenfold.run.data import Data
from evenfold.run.limits import TimedOut, hard_limit, time_limit
from evenfold.run.parcels import opened
from evenfold.run.pools import Dask, Pool, Processes, Threads
from evenfold.run.threads import one_thread

_TASK_SECONDS = 0.05  # cells are bundled until a task is worth sending
_AHEAD_SECONDS = 0.25  # how much work one process claims ahead of need
_SHARED_SECONDS = 0.01  # how long small cells in this process run before they are handed back
_LARGEST_BUNDLE = 1024


class Engine(Protocol):
    """
    What the driver needs.

    ``width`` is the number of cells worth having under way; ``parallel`` says whether workers may be idle
    while others are busy; ``load`` sets the job that cells refer to; ``collect`` waits for at least one
    outcome of what was submitted.
    """

    @property
    def width(self) -> int: ...
    @property
    def parallel(self) -> bool: ...
    def load(self, job: Job) -> None: ...
    def submit(self, cells: Sequence[Cell]) -> None: ...
    def collect(self) -> list[Outcome]: ...
    def close(self, *, abandon: bool) -> None: ...


class _Pace:
    """How long cells take, learned from their outcomes."""

    def __init__(self) -> None:
        self._mean = 0.0  # nothing known yet

    def learn(self, outcomes: Sequence[Outcome]) -> None:
        seconds = [o.fit_seconds + o.predict_seconds for o in outcomes if o.fault is None]
        if seconds:
            now = max(sum(seconds) / len(seconds), 1e-6)
            self._mean = 0.5 * (self._mean + now) if self._mean else now

    def cells_in(self, seconds: float) -> int:
        """How many cells are worth about that much time; at least one."""
        return max(1, min(_LARGEST_BUNDLE, int(seconds / self._mean))) if self._mean else 1


class InProcess:
    """One cell after the other, here."""

    parallel = False

    def __init__(self, data: Data) -> None:
        self._data = data
        self._waiting: deque[Cell] = deque()
        self._pace = _Pace()

    @property
    def width(self) -> int:
        return self._pace.cells_in(_AHEAD_SECONDS)

    def load(self, job: Job) -> None:
        self._job = job

    def submit(self, cells: Sequence[Cell]) -> None:
        self._waiting.extend(cells)

    def collect(self) -> list[Outcome]:
        start = monotonic()
        outcomes: list[Outcome] = []
        with one_thread():  # costs about as much as a small cell, so those share it
            while self._waiting and (not outcomes or monotonic() - start < _SHARED_SECONDS):
                outcomes.append(run_cell(self._job, self._data, self._waiting.popleft()))
        self._pace.learn(outcomes)
        return outcomes

    def close(self, *, abandon: bool) -> None:  # noqa: ARG002  (the protocol's signature)
        self._waiting.clear()


def work(
    job: Any, data: Any, cells: Sequence[Cell], timeout: float | None, config: dict[str, Any] | None
) -> Any:
    """Run some cells inside a worker: the caller's scikit-learn settings, and no pools inside the pool."""
    from joblib import parallel_config

    job, data = opened([job, data])
    with parallel_config("sequential"), _configured(config), one_thread():
        return [_limited(job, data, cell, timeout) for cell in cells]


def _limited(job: Job, data: Data, cell: Cell, timeout: float | None) -> Outcome:
    try:
        with time_limit(timeout):
            return run_cell(job, data, cell)
    except TimedOut as error:  # the alarm rang when the cell had just returned
        return Outcome(cell, fault=Fault("timeout", str(error)))


def _configured(config: dict[str, Any] | None) -> AbstractContextManager[Any]:
    if config is None:
        return nullcontext()
    from sklearn import config_context

    context: AbstractContextManager[Any] = config_context(**config)
    return context


class Pooled:
    """
    Cells on a pool of workers.

    When a worker dies, everything under way is suspect: each lost cell is run again, alone. One that kills
    its worker again is the culprit and becomes a failed cell; the others have lost nothing.
    """

    parallel = True

    def __init__(self, pool: Pool, data: Data, timeout: float | None = None) -> None:
        self._pool, self._data, self._timeout = pool, data, timeout
        self._shut = _shut_down()
        self._config = _sklearn_config()
        self._running: dict[Future[Any], tuple[Cell, ...]] = {}
        self._shipped_data = pool.ship(data)
        self._pace = _Pace()

    @property
    def width(self) -> int:
        return 2 * self._pool.workers * self._pace.cells_in(_TASK_SECONDS)

    def load(self, job: Job) -> None:
        self._job = job
        self._shipped_job = self._pool.ship(job)

    def submit(self, cells: Sequence[Cell]) -> None:
        size = self._pace.cells_in(_TASK_SECONDS)
        for start in range(0, len(cells), size):
            self._send(cells[start : start + size])

    def _send(self, cells: Iterable[Cell]) -> None:
        task = tuple(cells)
        try:
            future = self._submit(task)
        except self._pool.broken:  # a worker died since the last task
            self._revive()
            future = self._submit(task)
        except self._shut:  # by now the pool has a successor
            future = self._submit(task)
        self._running[future] = task

    def _submit(self, task: tuple[Cell, ...]) -> Future[Any]:
        return self._pool.submit(
            work, self._shipped_job, self._shipped_data, task, self._timeout, self._config
        )

    def collect(self) -> list[Outcome]:
        done, _ = wait(self._running, return_when=FIRST_COMPLETED)
        outcomes, lost = self._take(done)
        if lost:
            while self._running:  # what another run interrupts is sent again
                late, also_lost = self._take(wait(self._running).done)
                outcomes += late
                lost += also_lost
            outcomes += self._run_alone(lost)
        self._pace.learn(outcomes)
        return outcomes

    def _take(self, futures: Iterable[Future[Any]]) -> tuple[list[Outcome], list[Cell]]:
        outcomes: list[Outcome] = []
        lost: list[Cell] = []
        for future in list(futures):
            cells = self._running.pop(future)
            try:
                outcomes += future.result()
            except self._pool.broken:
                lost += cells
            except self._shut:  # no fault of these cells, nor of their workers
                self._send(cells)
            except (Exception, TimedOut, SystemExit) as error:  # the task itself could not travel
                outcomes += [Outcome(cell, fault=fault_of("raised", error)) for cell in cells]
        return outcomes, lost

    def _run_alone(self, cells: Sequence[Cell]) -> list[Outcome]:
        outcomes: list[Outcome] = []
        self._revive()
        for cell in cells:
            start = monotonic()
            self._send([cell])
            lost: list[Cell] = []
            while self._running and not lost:  # sent once more if another run ended the pool
                finished, lost = self._take(wait(self._running).done)
                outcomes += finished
            if lost:
                outcomes.append(Outcome(cell, fault=self._death(monotonic() - start)))
                self._revive()
        return outcomes

    def _revive(self) -> None:
        self._pool.restart()
        self._shipped_data = self._pool.ship(self._data)
        self._shipped_job = self._pool.ship(self._job)

    def _death(self, seconds: float) -> Fault:
        if self._timeout is not None and seconds >= hard_limit(self._timeout):
            return Fault("timeout", f"not done after {self._timeout} seconds, deaf to signals, ended")
        return Fault("worker died", "the worker was killed or crashed while it ran this cell alone")

    def close(self, *, abandon: bool) -> None:
        self._running.clear()
        self._pool.close(abandon=abandon)


class Rounds:
    """Any other joblib backend: everything submitted runs in one call of ``joblib.Parallel``."""

    parallel = False  # all of a round must end before the next begins

    def __init__(self, data: Data, workers: int) -> None:
        self.width = 16 * workers
        self._data, self._workers = data, workers
        self._waiting: list[Cell] = []

    def load(self, job: Job) -> None:
        self._job = job

    def submit(self, cells: Sequence[Cell]) -> None:
        self._waiting += cells

    def collect(self) -> list[Outcome]:
        from joblib import Parallel, delayed

        cells, self._waiting = self._waiting, []
        config = _sklearn_config()
        tasks = (delayed(work)(self._job, self._data, (cell,), None, config) for cell in cells)
        return [outcome for part in Parallel(self._workers)(tasks) for outcome in part]

    def close(self, *, abandon: bool) -> None:  # noqa: ARG002  (the protocol's signature)
        self._waiting.clear()


def _shut_down() -> tuple[type[BaseException], ...]:
    """Return the error of tasks whose kept pool another run, in another thread of this process, has ended."""
    from joblib.externals.loky.process_executor import ShutdownExecutorError

    return (ShutdownExecutorError,)


def _sklearn_config() -> dict[str, Any] | None:
    """Return the caller's scikit-learn settings, which are kept per thread and so must travel."""
    if "sklearn" not in sys.modules:
        return None
    from sklearn import get_config

    return dict(get_config())


def choose_engine(data: Data, *, n_jobs: int | None, timeout: float | None) -> Engine:
    """Pick the engine that ``n_jobs`` and ``joblib.parallel_config`` ask for."""
    if n_jobs in (None, 1) and timeout is None and not _is_configured():
        return InProcess(data)
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    backend, configured = get_active_backend()
    name = type(backend).__name__
    workers = effective_n_jobs(configured if n_jobs is None else n_jobs)
    if timeout is not None and name != "LokyBackend":
        refuse("timeout", "None except on loky processes", timeout, f"the joblib backend is {name}")
    if name == "DaskDistributedBackend":
        return Pooled(Dask(backend.client), data)
    if name == "LokyBackend" and (workers > 1 or timeout is not None):
        return Pooled(Processes(workers), data, timeout)
    if workers == 1 or name == "SequentialBackend":
        return InProcess(data)
    return Pooled(Threads(workers), data) if name == "ThreadingBackend" else Rounds(data, workers)


def _is_configured() -> bool:
    """Whether joblib was loaded at all, so that somebody may have said ``parallel_config``."""
    return "joblib" in sys.modules
