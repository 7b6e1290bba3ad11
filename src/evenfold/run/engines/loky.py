"""Processes on this machine."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ALL_COMPLETED, FIRST_COMPLETED, Executor, Future, wait
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import count
from math import inf
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from time import monotonic, sleep
from typing import Any, ClassVar

from evenfold.core.processes import follow, is_alive
from evenfold.run.cells import Cell, CellOutcome, Fault, Job, TimedOut, fault_of
from evenfold.run.data import Data
from evenfold.run.engines import Pace
from evenfold.run.engines.settings import current_settings
from evenfold.run.engines.shipping import write_value_file
from evenfold.run.engines.time_limits import hard_limit
from evenfold.run.engines.workers import Pool, threads_per_worker, work
from evenfold.run.libraries import own_modules

# Fits on a pool of workers: threads, loky processes, a dask cluster.


_START_SECONDS = 30.0  # what a worker may need until it begins, on a busy machine
_DELAY_SECONDS = 2.0  # how late one that has begun may be, on such a machine
_TASK_SECONDS = 0.05  # the time that the fits of one task should take
_WATCH_SECONDS = 1.0  # how often the engine checks that there are workers


class PooledEngine:
    """
    Fits on a pool of workers.

    If a worker dies, each of the lost fits is run again, alone. A fit that kills its worker again
    becomes a failed fit, and the others get their results. If another run ended or restarted the
    pool, its fits are sent again, and none of them becomes a failed fit.
    """

    parallel = True

    def __init__(self, pool: Pool, data: Data, timeout: float | None = None) -> None:
        self._pool = pool
        self._data = data
        self._timeout = timeout
        self._stale = False  # a fit has killed its worker, and perhaps all that knew the data
        self._settings = current_settings(whole=pool.has_processes)
        self._running: dict[Future[Any], tuple[Cell, ...]] = {}
        self._generation = pool.generation
        self._shipped_data = pool.ship(data)
        self._pace = Pace()
        self._begun = False  # whether a worker has answered, so that the next answer is not far

    @property
    def width(self) -> int:
        return 2 * self._pool.workers * self._pace.cells_in(_TASK_SECONDS)

    def load(self, job: Job) -> None:
        self._job = replace(job, settings=self._settings)
        self._shipped_job = self._pool.ship(self._job)

    def submit(self, cells: Sequence[Cell]) -> None:
        size = self._pace.cells_in(_TASK_SECONDS)
        for start in range(0, len(cells), size):
            self._send(cells[start : start + size])

    def _send(self, cells: Iterable[Cell]) -> None:
        task = tuple(cells)
        if self._stale:
            self._restart_pool()
        if self._timeout is not None and not self._begun:
            self._begun = self._has_begun()
        try:
            future = self._submit(task)
        except self._pool.broken:  # a worker died since the last task
            self._restart_pool()
            future = self._submit(task)
        except self._pool.withdrawn:  # by now the pool has a successor
            future = self._submit(task)
        self._running[future] = task

    def _has_begun(self) -> bool:
        """Whether a worker has answered an empty task, so that it can work."""
        with suppress(*self._pool.broken, *self._pool.withdrawn):
            return bool(wait([self._submit(())], _START_SECONDS).done)
        return False

    def _submit(self, task: tuple[Cell, ...]) -> Future[Any]:
        return self._pool.submit(work, self._shipped_job, self._shipped_data, task, self._timeout)

    def collect(self) -> list[CellOutcome]:
        outcomes, lost = self._next_outcomes(FIRST_COMPLETED)
        if lost:
            while self._running:  # what another run interrupts is sent again
                late, also_lost = self._next_outcomes(ALL_COMPLETED)
                outcomes += late
                lost += also_lost
            outcomes += self._run_alone(lost)
        self._pace.learn(outcomes)
        return outcomes

    def _next_outcomes(self, until: str) -> tuple[list[CellOutcome], list[Cell]]:
        """Return the next outcomes, and the lost fits, which are all if nothing comes in time."""
        end = monotonic() + self._longest_wait()
        while monotonic() < end:
            seconds = min(_WATCH_SECONDS, max(0.0, end - monotonic()))
            if done := wait(self._running, seconds, until).done:
                return self._gather(done)
            self._pool.watch()
            if not self._is_shipped:  # tasks sent during a restart wait for data that are gone
                tasks = list(self._running.values())
                self._running.clear()
                return [], self._send_again(tasks)
        lost = [cell for cells in self._running.values() for cell in cells]
        self._running.clear()  # the workers were stopped: not dead, but nothing will come
        return [], lost

    def _longest_wait(self) -> float:
        """How many seconds the first of the running tasks can take; infinite without a limit."""
        if self._timeout is None:
            return inf
        delay = _DELAY_SECONDS if self._begun else _START_SECONDS
        return delay + hard_limit(self._timeout) * max(map(len, self._running.values()), default=1)

    def _gather(self, futures: Iterable[Future[Any]]) -> tuple[list[CellOutcome], list[Cell]]:
        outcomes: list[CellOutcome] = []
        lost: list[Cell] = []
        again: list[tuple[Cell, ...]] = []
        for future in list(futures):
            cells = self._running.pop(future)
            try:
                outcomes += future.result()
            except self._pool.broken:
                lost += cells
            except self._pool.withdrawn:
                again.append(cells)
            except (Exception, TimedOut, SystemExit) as error:  # the task itself could not travel
                outcomes += [CellOutcome(cell, fault=fault_of("raised", error)) for cell in cells]
        return outcomes, lost + self._send_again(again)

    @property
    def _is_shipped(self) -> bool:
        """Whether the workers still have the data and the job."""
        return self._pool.holds(self._shipped_data) and self._pool.holds(self._shipped_job)

    def _send_again(self, tasks: Sequence[tuple[Cell, ...]]) -> list[Cell]:
        """Send withdrawn tasks again, and return the fits that may have killed all workers."""
        if not tasks:
            return []
        if self._pool.generation != self._generation:  # somebody restarted it
            self._ship()
        elif not self._is_shipped:
            return [cell for cells in tasks for cell in cells]
        for cells in tasks:
            self._send(cells)
        return []

    def _run_alone(self, cells: Sequence[Cell]) -> list[CellOutcome]:
        outcomes: list[CellOutcome] = []
        self._restart_pool()
        waiting = list(cells)
        while waiting:
            cell = waiting.pop(0)
            generation = self._pool.generation
            start = monotonic()
            self._send([cell])
            lost: list[Cell] = []
            while self._running and not lost:  # sent once more if another run ended the pool
                finished, lost = self._next_outcomes(ALL_COMPLETED)
                outcomes += finished
            if lost and self._restarted_since(generation):
                waiting.append(cell)
            elif lost:
                outcomes.append(CellOutcome(cell, fault=self._worker_fault(monotonic() - start)))
                self._stale = True
        return outcomes

    def _restarted_since(self, generation: int) -> bool:
        """
        Whether another run restarted the pool.

        The pool has another generation then, and the data and the job must be sent again.
        """
        if self._is_shipped:
            return False
        self._restart_pool()
        return self._pool.generation != generation

    def _restart_pool(self) -> None:
        self._pool.restart()
        self._begun = False
        self._ship()
        self._stale = False

    def _ship(self) -> None:
        self._generation = self._pool.generation
        self._shipped_data = self._pool.ship(self._data)
        self._shipped_job = self._pool.ship(self._job)

    def _worker_fault(self, seconds: float) -> Fault:
        if self._timeout is not None and seconds >= hard_limit(self._timeout):
            message = (
                f"the fit took more than {self._timeout} seconds and did not react to signals, so "
                "its worker was ended"
            )
            return Fault("timeout", message)
        return Fault("worker died", "the worker was killed or crashed while it ran this fit alone")

    def close(self, *, abandon: bool) -> None:
        self._running.clear()
        self._pool.close(abandon=abandon)


_BLAS = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
_IDLE_SECONDS = 300  # an unused process pool then ends by itself
_HANDOVER_SECONDS = 0.2  # what loky may need to take a task that was just sent


class Processes(Pool):
    """Loky processes, kept between runs because starting them costs more than most fits."""

    has_processes = True
    # by process, which may have been forked, and size
    _kept: ClassVar[dict[tuple[int, int], Executor]] = {}
    # what workers may know
    _loaded: ClassVar[dict[tuple[int, int], tuple[list[str], dict[str, Any]]]] = {}

    def __init__(self, workers: int) -> None:
        from joblib.externals.loky.process_executor import BrokenProcessPool, ShutdownExecutorError

        super().__init__(workers)
        self._which = os.getpid(), workers
        self.broken = (BrokenProcessPool,)
        self.withdrawn = (ShutdownExecutorError,)  # by another thread's run
        self._folder = Path(tempfile.mkdtemp(prefix=f"evenfold-{os.getpid()}-"))
        _remove_leftovers(self._folder.parent)
        self._names = count()
        self._last_sent: Future[Any] | None = None
        self._drop_outdated_workers()

    def _drop_outdated_workers(self) -> None:
        """End workers that have another search path, or a module that was reloaded since."""
        path = list(sys.path)
        modules = {name: module.__spec__ for name, module in own_modules().items()}
        known_path, known = self._loaded.get(self._which, (path, {}))
        reloaded = any(modules.get(name, spec) is not spec for name, spec in known.items())
        if path != known_path or reloaded:
            if (pool := self._kept.pop(self._which, None)) is not None:
                pool.shutdown(wait=False)  # another thread may still wait for its results
            known = {}
        self._loaded[self._which] = path, known | modules

    def ship(self, value: Any) -> Any:
        return write_value_file(value, self._folder / f"{next(self._names)}.joblib")

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        self._last_sent = self._pool().submit(function, *arguments)
        return self._last_sent

    def _pool(self) -> Executor:
        if self._which not in self._kept:
            from joblib.externals.loky import ProcessPoolExecutor

            threads = str(threads_per_worker(self.workers))
            env = {f"{name}_NUM_THREADS": threads for name in _BLAS}
            self._kept[self._which] = ProcessPoolExecutor(
                self.workers,
                timeout=_IDLE_SECONDS,
                env=env,
                initializer=_follow_parent,
                initargs=(os.getpid(),),
            )
        return self._kept[self._which]

    def restart(self) -> None:
        if (pool := self._kept.pop(self._which, None)) is not None:
            self._wait_for_handover()
            pool.shutdown(wait=True, kill_workers=True)  # type: ignore[call-arg]  # loky's own argument

    def _wait_for_handover(self) -> None:
        """Wait until loky has taken the last task, which would raise a KeyError while loky ends."""
        end = monotonic() + _HANDOVER_SECONDS
        while self._last_sent is not None and monotonic() < end:
            if self._last_sent.running() or self._last_sent.done():
                break
            sleep(0.001)

    def close(self, *, abandon: bool) -> None:
        if abandon:
            self.restart()
        shutil.rmtree(self._folder, ignore_errors=True)


@cache
def _remove_leftovers(folder: Path) -> None:
    """Remove, once, the folders that killed processes of evenfold left behind."""
    for left in folder.glob("evenfold-[0-9]*-*"):
        pid = left.name.split("-")[1]
        if pid.isdigit() and not is_alive(int(pid)):
            shutil.rmtree(left, ignore_errors=True)


def _follow_parent(parent: int) -> None:
    """Ignore Ctrl-C, which the parent handles, and end soon after the parent was killed."""
    signal(SIGINT, SIG_IGN)
    follow(parent, lambda: os._exit(1))
