"""What an engine is, and how cells run inside a worker."""

from collections.abc import Sequence
from typing import Any, Protocol

from evenfold.run.cells import Cell, CellOutcome, Fault, Job, TimedOut, run_cell
from evenfold.run.data import Data
from evenfold.run.engines.blas import one_thread
from evenfold.run.engines.limits import time_limit
from evenfold.run.engines.parcels import opened
from evenfold.run.engines.world import inside

_LARGEST_BUNDLE = 4096


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
    def collect(self) -> list[CellOutcome]: ...
    def close(self, *, abandon: bool) -> None: ...


class Pace:
    """How long cells take, learned from their outcomes."""

    def __init__(self) -> None:
        self._mean = 0.0  # nothing known yet

    def learn(self, outcomes: Sequence[CellOutcome]) -> None:
        seconds = [o.fit_seconds + o.predict_seconds for o in outcomes if o.fault is None]
        if seconds:
            now = max(sum(seconds) / len(seconds), 1e-6)
            self._mean = 0.5 * (self._mean + now) if self._mean else now

    def cells_in(self, seconds: float) -> int:
        """How many cells are worth about that much time; at least one."""
        return max(1, min(_LARGEST_BUNDLE, int(seconds / self._mean))) if self._mean else 1


def work(job: Any, data: Any, cells: Sequence[Cell], timeout: float | None) -> Any:
    """Run some cells inside a worker: in the caller's world, and no pools inside the pool."""
    from joblib import parallel_config

    job, data = opened([job, data])
    with parallel_config("sequential"), inside(job.world), one_thread():
        return [_limited(job, data, cell, timeout) for cell in cells]


def _limited(job: Job, data: Data, cell: Cell, timeout: float | None) -> CellOutcome:
    try:
        with time_limit(timeout):
            return run_cell(job, data, cell)
    except TimedOut as error:  # the alarm rang when the cell had just returned
        return CellOutcome(cell, fault=Fault("timeout", str(error)))
