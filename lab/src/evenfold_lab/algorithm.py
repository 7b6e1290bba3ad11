"""
What the lab needs of an algorithm: predictions on all splits of many data sets at once.

An algorithm with a fast path computes them together. Any scikit-learn estimator is refitted split
by split. Both give the same numbers.
"""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from evenfold.core.errors import CellFailed
from evenfold.core.words import one_line
from evenfold_lab.arrays import Array, array_like, to_numpy
from evenfold_lab.masks import Splits

Floats = NDArray[np.float64]


class Algorithm(Protocol):
    """
    An algorithm of the lab.

    ``name`` is shown in results, ``fast`` says whether it is cheaper than refitting, and
    ``estimator()`` makes the equivalent scikit-learn estimator.
    """

    @property
    def name(self) -> str: ...
    @property
    def fast(self) -> bool: ...
    def estimator(self) -> Any: ...
    def predict(self, X: Array, y: Array, splits: Splits) -> Array:
        """
        Predict every example of R data sets by the models of all J splits.

        Parameters
        ----------
        X, y : arrays, shapes (R, n, p) and (R, n)
            The data sets, in NumPy or another array library; labels are numbers 0, 1, 2, ...
        splits : Splits
            The training sets of all splits.

        Returns
        -------
        array, shape (R, J, n)
            Predictions; only those of a split's test examples mean anything.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Refitted:
    """Any scikit-learn estimator, fitted on every training set."""

    name: str
    prototype: Any
    fast: bool = False

    def estimator(self) -> Any:
        """Return an unfitted copy."""
        from sklearn.base import clone

        return clone(self.prototype)

    def predict(self, X: Array, y: Array, splits: Splits) -> Array:
        """Fit and predict, split by split, on the host."""
        if isinstance(X, np.ndarray):
            return self._predict(X, y, splits)
        here = Splits(trains=to_numpy(splits.trains), tests=to_numpy(splits.tests))
        return array_like(X, self._predict(to_numpy(X), to_numpy(y), here))

    def _predict(self, X: Floats, y: Floats, splits: Splits) -> Floats:
        R, n = y.shape
        model = self.estimator()  # one model is enough, because ``fit`` starts anew
        predictions = np.full((R, splits.count, n), np.nan)
        for r in range(R):
            trains, tests = (
                (splits.trains, splits.tests)
                if splits.shared
                else (splits.trains[r], splits.tests[r])
            )
            for j in range(splits.count):
                try:
                    model.fit(X[r, trains[j]], y[r, trains[j]])
                    predictions[r, j, tests[j]] = model.predict(X[r, tests[j]])
                except Exception as error:
                    why = one_line(f"{type(error).__name__}: {error}")
                    raise CellFailed(f"algorithm {self.name!r} failed: {why[:400]}") from error
        return predictions
