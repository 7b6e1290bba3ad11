"""What algorithms share that are written once for every array library."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from evenfold.core.plumbing.rules import check_parameters
from evenfold.lab.arrays import Array, namespace, room
from evenfold.lab.masks import Splits


class Together(ABC):
    """An algorithm whose models on all splits of many data sets are computed together."""

    fast: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    @abstractmethod
    def name(self) -> str:
        """Shown in results."""

    @abstractmethod
    def estimator(self) -> Any:
        """The scikit-learn estimator that this equals."""


class Batched(Together):
    """One that is written once for every array library."""

    @abstractmethod
    def _work(self, n: int, p: int) -> int:
        """Numbers needed at once for one split of one data set."""

    def _room(self, X: Array) -> int:
        """How many numbers there may be at once."""
        return room(X)

    @abstractmethod
    def _fill(self, X: Array, y: Array, splits: Splits) -> Array:
        """Predictions of a piece, shape (R, J, n)."""

    def predict(self, X: Array, y: Array, splits: Splits) -> Array:
        """Predict the test examples of R data sets by the models of all J splits: (R, J, n)."""
        xp = namespace(X)
        R, n, p = X.shape
        some = max(1, min(splits.count, self._room(X) // self._work(n, p)))
        sets = max(1, self._room(X) // (self._work(n, p) * some))
        rows = []
        for r in range(0, R, sets):
            part = slice(r, min(r + sets, R))
            row = [
                self._fill(X[part, ...], y[part, ...], splits.part(part, slice(j, j + some)))
                for j in range(0, splits.count, some)
            ]
            rows.append(row[0] if len(row) == 1 else xp.concat(row, axis=1))
        return rows[0] if len(rows) == 1 else xp.concat(rows)
