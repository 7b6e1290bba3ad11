"""What runs inside a worker, and what a pool of workers is."""

import os
from collections.abc import Sequence
from concurrent.futures import Future
from typing import Any, Protocol

from evenfold.run.cells import Cell, CellOutcome, Fault, Job, TimedOut, run_cell
from evenfold.run.data import Data
from evenfold.run.engines import one_thread
from evenfold.run.engines.parcels import open_parcels
from evenfold.run.engines.settings import apply_settings
from evenfold.run.engines.time_limits import time_limit


def work(job: Any, data: Any, cells: Sequence[Cell], timeout: float | None) -> Any:
    """Run some fits inside a worker: with the caller's settings, and no pools inside the pool."""
    from joblib import parallel_config

    job, data = open_parcels([job, data])
    with parallel_config("sequential"), apply_settings(job.settings), one_thread():
        return [_run_limited(job, data, cell, timeout) for cell in cells]


def _run_limited(job: Job, data: Data, cell: Cell, timeout: float | None) -> CellOutcome:
    try:
        with time_limit(timeout):
            return run_cell(job, data, cell)
    except TimedOut as error:  # the alarm rang when the fit had just returned
        return CellOutcome(cell, fault=Fault("timeout", str(error)))


# What a pool of workers is.
#
# A pool *ships* a value once to its workers and submits tasks that refer to it. `broken` lists
# errors that mean "a worker is gone" rather than "the task failed", after which
# Pool.restart is called; `withdrawn` those of tasks that were taken back, because
# somebody ended or restarted the pool: they are sent again, and so is what was shipped where the
# `generation` is another one. Where it is not, and the pool no longer Pool.holds what
# was shipped, all its workers have died. Workers that are `own`, processes on this machine that
# one fit has for itself, take over all settings. Pool.watch says whether there are
# workers, and raises when there have been none for too long.


class Pool(Protocol):
    """What an engine needs of a pool."""

    @property
    def workers(self) -> int: ...
    @property
    def has_processes(self) -> bool: ...
    @property
    def broken(self) -> tuple[type[BaseException], ...]: ...
    @property
    def generation(self) -> int: ...
    @property
    def withdrawn(self) -> tuple[type[BaseException], ...]: ...
    def ship(self, value: Any) -> Any: ...
    def holds(self, shipped: Any) -> bool: ...
    def submit(self, function: Any, *arguments: Any) -> Future[Any]: ...
    def watch(self) -> bool: ...
    def restart(self) -> None: ...
    def close(self, *, abandon: bool) -> None: ...


def threads_per_worker(workers: int) -> int:
    """How many BLAS threads each of several workers may use without crowding the machine."""
    return max(1, (os.cpu_count() or 1) // workers)
