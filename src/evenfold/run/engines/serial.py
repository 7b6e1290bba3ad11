"""Cells in this process, one after the other."""

from collections import deque
from collections.abc import Sequence
from time import monotonic

from evenfold.run.cells import Cell, CellOutcome, Job, run_cell
from evenfold.run.data import Data
from evenfold.run.engines._base import Pace
from evenfold.run.engines.blas import one_thread

_AHEAD_SECONDS = 0.25  # how much work one process claims ahead of need
_SHARED_SECONDS = 0.01  # how long small cells in this process run before they are handed back


class InProcess:
    """One cell after the other, here."""

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
        with one_thread():  # costs about as much as a small cell, so those share it
            while self._waiting and (not outcomes or monotonic() - start < _SHARED_SECONDS):
                outcomes.append(run_cell(self._job, self._data, self._waiting.popleft()))
        self._pace.learn(outcomes)
        return outcomes

    def close(self, *, abandon: bool) -> None:  # noqa: ARG002  (the protocol's signature)
        self._waiting.clear()
