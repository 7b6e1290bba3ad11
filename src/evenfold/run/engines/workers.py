"""The function that runs inside a worker, and the base of pools of workers."""

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, ClassVar

from evenfold.run.cells import Cell, CellOutcome, Fault, Job, TimedOut, run_cell
from evenfold.run.data import Data
from evenfold.run.engines import one_thread
from evenfold.run.engines.settings import apply_settings
from evenfold.run.engines.shipping import open_value
from evenfold.run.engines.time_limits import time_limit


def work(job: Any, data: Any, cells: Sequence[Cell], timeout: float | None) -> Any:
    """Run some fits inside a worker: with the caller's settings, and no pools inside the pool."""
    from joblib import parallel_config

    job = open_value(job)
    data = open_value(data)
    with parallel_config("sequential"), apply_settings(job.settings), one_thread():
        return [_run_limited(job, data, cell, timeout) for cell in cells]


def _run_limited(job: Job, data: Data, cell: Cell, timeout: float | None) -> CellOutcome:
    try:
        with time_limit(timeout):
            return run_cell(job, data, cell)
    except TimedOut as error:  # the alarm rang when the fit had just returned
        return CellOutcome(cell, fault=Fault("timeout", str(error)))


class Pool(ABC):
    """
    What an engine needs of a pool of workers.

    A pool *ships* a value once to its workers, and tasks refer to it.

    Attributes
    ----------
    workers : int
        How many tasks can run at once.
    has_processes : bool
        Whether workers are processes on this machine that one fit has for itself. They take over
        all settings.
    broken : tuple of exceptions
        Errors that mean "a worker is gone" rather than "the task failed". :meth:`restart` is called
        after them.
    withdrawn : tuple of exceptions
        Errors of tasks that were taken back, because somebody ended or restarted the pool. The
        tasks are sent again, and so is what was shipped if the ``generation`` is another one.
    generation : int
        How often the pool was restarted. If it is the same and the pool no longer :meth:`holds`
        what was shipped, all workers have died.
    """

    has_processes: ClassVar[bool] = False
    broken: tuple[type[BaseException], ...] = ()
    withdrawn: tuple[type[BaseException], ...] = ()

    def __init__(self, workers: int) -> None:
        self._workers = workers

    @property
    def workers(self) -> int:
        return self._workers

    @property
    def generation(self) -> int:
        return 0

    def ship(self, value: Any) -> Any:
        """Give a value to the workers, and return what tasks refer to it by."""
        return value

    def holds(self, shipped: Any) -> bool:  # noqa: ARG002  (most pools keep all)
        """Whether the workers still know what was shipped."""
        return True

    @abstractmethod
    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        """Send a task."""

    def watch(self) -> bool:
        """Whether there are workers; it raises when there have been none for too long."""
        return True

    def restart(self) -> None:  # noqa: B027  (most workers do not die alone)
        """Replace the workers."""

    @abstractmethod
    def close(self, *, abandon: bool) -> None:
        """End the work, at once if it is abandoned."""


def threads_per_worker(workers: int) -> int:
    """How many BLAS threads each of several workers may use without crowding the machine."""
    return max(1, (os.cpu_count() or 1) // workers)
