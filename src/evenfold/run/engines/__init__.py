"""
Engines run fits and return outcomes in any order. The choice of the engine never changes a result.

Fits run in this process, on a pool of workers (threads, loky processes, a dask cluster), or on any
other backend that ``joblib.parallel_config`` names. This module defines what an engine is, and the
engine that runs fits in this process.
"""

import sys
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from time import monotonic
from typing import Any, Protocol

from evenfold.run.cells import Cell, CellOutcome, Job, run_cell
from evenfold.run.data import Data

_LARGEST_BUNDLE = 4096


class Engine(Protocol):
    """
    What the driver needs of an engine.

    ``width`` is the number of fits that should be submitted at a time. ``parallel`` says whether
    some workers may be idle while others are busy. ``load`` sets the job of the fits. ``collect``
    waits for at least one outcome of the submitted fits.
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
    """An estimate of how long a fit takes, from the fits so far."""

    def __init__(self) -> None:
        self._mean = 0.0  # nothing known yet

    def learn(self, outcomes: Sequence[CellOutcome]) -> None:
        seconds = [o.fit_seconds + o.predict_seconds for o in outcomes if o.fault is None]
        if seconds:
            now = max(sum(seconds) / len(seconds), 1e-6)
            self._mean = 0.5 * ((self._mean or now) + now)

    def cells_in(self, seconds: float) -> int:
        """Return how many fits take about that much time; at least one."""
        if self._mean:
            return max(1, min(_LARGEST_BUNDLE, int(seconds / self._mean)))
        return 1


# One BLAS and OpenMP thread inside every fit, whichever engine runs it.
#
# Threads change the order of sums and so the last bits of a fit; with one everywhere, the same
# seed gives the same numbers in this process, on threads, on processes and on a cluster.


_lock = Lock()
# fits that run under the limit; BLAS has one limit per process, which the last of them lifts
_inside = 0
_blas: Any = None


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS and OpenMP to one thread. Several threads may be inside at once."""
    global _inside, _blas
    controller = _controller(len(sys.modules))
    with _lock:
        if not _inside:
            _blas = controller.limit(limits=1, user_api="blas")
        _inside += 1
    openmp = controller.limit(limits=1, user_api="openmp")  # has a limit per thread
    try:
        yield
    finally:
        openmp.restore_original_limits()
        with _lock:
            _inside -= 1
            if not _inside:
                _blas.restore_original_limits()


@lru_cache(maxsize=1)
def _controller(modules: int) -> Any:  # noqa: ARG001  (the key of the cache)
    """Find the libraries. They are searched again only after an import, because that is slow."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


# Fits in this process, one after the other.


_AHEAD_SECONDS = 0.25  # how much work one process claims ahead of need
_SHARED_SECONDS = 0.01  # how long small fits in this process run before they are handed back


class InProcess:
    """Runs one fit after the other in this process."""

    parallel = False

    def __init__(self, data: Data) -> None:
        self._data = data
        self._waiting: deque[Cell] = deque()
        self._pace = Pace()

    @property
    def width(self) -> int:
        return self._pace.cells_in(_AHEAD_SECONDS)

    def load(self, job: Job) -> None:
        self._job = job

    def submit(self, cells: Sequence[Cell]) -> None:
        self._waiting.extend(cells)

    def collect(self) -> list[CellOutcome]:
        start = monotonic()
        outcomes: list[CellOutcome] = []
        with one_thread():  # costs about as much as a small fit, so those share it
            while self._waiting and (not outcomes or monotonic() - start < _SHARED_SECONDS):
                outcomes.append(run_cell(self._job, self._data, self._waiting.popleft()))
        self._pace.learn(outcomes)
        return outcomes

    def close(self, *, abandon: bool) -> None:  # noqa: ARG002  (the protocol's signature)
        self._waiting.clear()
