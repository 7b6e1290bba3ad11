"""The base of algorithms that are written once for every array library."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from evenfold.core.checks import refuse, short_repr
from evenfold.core.registry import check_parameters
from evenfold_lab.arrays import Array, namespace, room
from evenfold_lab.masks import Splits

_LARGEST = 1e150  # its square is still finite


def check_finite(**arrays: Array) -> None:
    """Refuse NaN, infinities and numbers that are too large to be squared."""
    for name, x in arrays.items():
        xp = namespace(x)
        # Both comparisons are false for NaN.
        if not (bool(xp.max(x) < _LARGEST) and bool(xp.min(x) > -_LARGEST)):
            refuse(
                name,
                f"{name} must be numbers below {_LARGEST:g} in size but got others, or NaN.",
                "Fill them in or rescale.",
            )


def n_labels(y: Array, most: int | None = None, name: str = "") -> int:
    """
    Return how many labels 0, 1, 2, ... there may be.

    Other labels are refused, and so are more than the ``most`` that the algorithm ``name`` takes.
    """
    xp = namespace(y)
    strange = y[~((y >= 0) & (y == xp.floor(y)))]
    if strange.shape[0]:
        refuse(
            "y",
            f"y must be labels 0, 1, 2, ... but got {short_repr(float(strange[0]))}.",
            "Number the classes.",
        )
    classes = int(xp.max(y)) + 1
    if most is not None and classes > most:
        refuse("y", f"y must be labels 0 and 1 for {name} but got more classes.")
    return classes


class Together(ABC):
    """An algorithm whose models on all splits of many data sets are computed together."""

    fast: ClassVar[bool] = True

    def __post_init__(self) -> None:
        check_parameters(self)

    @property
    @abstractmethod
    def name(self) -> str:
        """The name that results show."""

    @abstractmethod
    def estimator(self) -> Any:
        """The scikit-learn estimator that this equals."""


class Batched(Together):
    """An algorithm that is written once for every array library."""

    @abstractmethod
    def _work(self, n: int, p: int) -> int:
        """Return how many numbers one split of one data set needs at once."""

    def _memory_room(self, X: Array, y: Array) -> int:  # noqa: ARG002 - trees look at both
        """Return how many numbers there may be at once."""
        return room(X)

    @abstractmethod
    def _fill(self, X: Array, y: Array, splits: Splits) -> Array:
        """Return the predictions of a piece (R, J, n)."""

    def predict(self, X: Array, y: Array, splits: Splits) -> Array:
        """Predict the test examples of R data sets by the models of all J splits: (R, J, n)."""
        xp = namespace(X)
        check_finite(X=X, y=y)
        R, n, p = X.shape
        space = self._memory_room(X, y) // self._work(n, p)
        some = max(1, min(splits.count, space))
        sets = max(1, space // some)
        rows = []
        for r in range(0, R, sets):
            part = slice(r, min(r + sets, R))
            row = [
                self._fill(X[part, ...], y[part, ...], splits.part(part, slice(j, j + some)))
                for j in range(0, splits.count, some)
            ]
            rows.append(row[0] if len(row) == 1 else xp.concat(row, axis=1))
        if len(rows) == 1:
            return rows[0]
        return xp.concat(rows)
