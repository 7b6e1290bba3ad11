"""Fits on any other backend of joblib."""

from collections.abc import Sequence
from dataclasses import replace

from evenfold.run.cells import Cell, CellOutcome, Job
from evenfold.run.data import Data
from evenfold.run.engines.settings import current_settings
from evenfold.run.engines.workers import work


class Rounds:
    """Any other joblib backend: everything submitted runs in one call of ``joblib.Parallel``."""

    parallel = False  # all of a round must end before the next begins

    def __init__(self, data: Data, workers: int) -> None:
        self.width = 16 * workers
        self._data = data
        self._workers = workers
        self._waiting: list[Cell] = []

    def load(self, job: Job) -> None:
        self._job = replace(job, settings=current_settings(whole=False))

    def submit(self, cells: Sequence[Cell]) -> None:
        self._waiting += cells

    def collect(self) -> list[CellOutcome]:
        from joblib import Parallel, delayed

        cells = self._waiting
        self._waiting = []
        tasks = (delayed(work)(self._job, self._data, (cell,), None) for cell in cells)
        return [outcome for part in Parallel(self._workers)(tasks) for outcome in part]

    def close(self, *, abandon: bool) -> None:  # noqa: ARG002  (the protocol's signature)
        self._waiting.clear()
