"""What is known of fits while a run goes on, and where it is kept: in memory, or in a store."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np

from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Losses
from evenfold.core.partition import Partition
from evenfold.run.cells import Cell, CellOutcome, Fault
from evenfold.run.measures import Evaluated


class Result(NamedTuple):
    """One fit: its times and every measure, each a value or the reason why there is none."""

    fit_seconds: float
    predict_seconds: float
    measured: dict[str, Evaluated | Fault]

    @property
    def fault(self) -> Fault | None:
        """The first reason why a measure has no value."""
        return next((value for value in self.measured.values() if isinstance(value, Fault)), None)


class Finished(NamedTuple):
    """A result together with the answers that it was derived from."""

    outcome: CellOutcome
    result: Result


class FitShelf(Protocol):
    """
    Where finished fits are kept.

    ``find`` gives those known already; ``claim`` those of some fits that this process may run now;
    ``put`` keeps a finished or failed fit, at the latest with ``flush``; ``answer`` reads one
    prediction; ``extend`` tells of more splits; ``record`` keeps a whole run and gives its id;
    ``close`` gives back what is claimed.
    """

    def extend(self, partition: Partition) -> None: ...
    def find(self, cells: Sequence[Cell]) -> dict[Cell, Result]: ...
    def claim(self, cells: Sequence[Cell]) -> set[Cell]: ...
    def put(self, finished: Finished) -> None: ...
    def flush(self) -> None: ...
    def answer(self, cell: Cell, response: str) -> Any: ...
    def record(self, losses: Mapping[str, Losses], about: dict[str, Any], y: Any) -> str | None: ...
    def close(self) -> None: ...


class Unstored:
    """A shelf without a store: nothing is known before, nobody else works on it."""

    def __init__(self) -> None:
        # in little memory, and the type it had
        self._answers: dict[tuple[Cell, str], tuple[Any, Any]] = {}

    def find(self, cells: Sequence[Cell]) -> dict[Cell, Result]:  # noqa: ARG002  (keeps nothing)
        return {}

    def claim(self, cells: Iterable[Cell]) -> set[Cell]:
        return set(cells)

    def put(self, finished: Finished) -> None:
        for response, answer in finished.outcome.answers.items():
            self._answers[finished.outcome.cell, response] = (
                _smallest_integers(answer),
                getattr(answer, "dtype", None),
            )

    def flush(self) -> None:
        """Nothing waits to be written."""

    def answer(self, cell: Cell, response: str) -> Any:
        if (cell, response) not in self._answers:
            raise NotApplicable(f"there is no {response} of fit {tuple(cell)}: it failed")
        small, dtype = self._answers[cell, response]
        if dtype is None:
            return small
        return small.astype(dtype)

    def extend(self, partition: Partition) -> None:
        """Fits are known by their positions alone."""

    def record(self, losses: Mapping[str, Losses], about: dict[str, Any], y: Any) -> str | None:  # noqa: ARG002  (keeps nothing)
        return None

    def close(self) -> None:
        """Nothing is claimed."""


def _smallest_integers(answer: Any) -> Any:
    """
    Return whole numbers in as few bytes as hold them.

    Labels are small, and all predictions are kept.
    """
    if getattr(answer, "dtype", None) is None or answer.dtype.kind not in "iu" or not answer.size:
        return answer
    return answer.astype(
        np.result_type(np.min_scalar_type(answer.min()), np.min_scalar_type(answer.max()))
    )
