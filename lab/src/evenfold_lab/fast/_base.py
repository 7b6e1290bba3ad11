"""What all fast paths share: pieces that fit into the cache, and refits where digits are lost."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np

from evenfold_lab.algorithm import Floats
from evenfold_lab.arrays import Array, array_like, namespace, room, to_numpy
from evenfold_lab.fast._batched import Together
from evenfold_lab.fast._moments import Room
from evenfold_lab.masks import Mask, Splits

WORK = 2**18  # numbers in the work space of several data sets, 2 MB: about a second-level cache
MOST = 8 * WORK  # and in that of one data set, whose splits share work


class FastPath(Together):
    """An exact algorithm made of sums over training sets, in pieces that fit into a cache."""

    @abstractmethod
    def _work(self, n: int, p: int, n_classes: int) -> int:
        """Return how many numbers one split of one data set needs at once."""

    @abstractmethod
    def _fill(self, X: Array, y: Array, splits: Splits, held: Room) -> tuple[Array, Array]:
        """Return the predictions of a piece (R, J, n), and which models (R, J) are in doubt."""

    def predict(self, X: Array, y: Array, splits: Splits) -> Array:
        """Predict every example of R data sets by the models of all J splits: (R, J, n)."""
        if not isinstance(X, np.ndarray):
            return self._predict_on(X, y, splits)
        R, n, p = X.shape
        pieces = list(_pieces(R, splits.count, self._work(n, p, int(y.max(initial=0)) + 1)))
        held = Room()
        if len(pieces) == 1:  # fresh memory would cost more than the arithmetic
            return self._mend_predictions(X, y, splits, held)
        out = np.empty((R, splits.count, n))
        for sets, some in pieces:
            out[sets, some] = self._mend_predictions(
                X[sets], y[sets], splits.part(sets, some), held
            )
        return out

    def _mend_predictions(self, X: Array, y: Array, splits: Splits, held: Room) -> Array:
        out, doubtful = self._fill(X, y, splits, held)
        doubt = to_numpy(doubtful)
        if not doubt.any():
            return out
        here = Splits(trains=to_numpy(splits.trains), tests=to_numpy(splits.tests))
        fixed = np.array(to_numpy(out))
        refit(self.estimator(), doubt, to_numpy(X), to_numpy(y), here, fixed)
        return array_like(out, fixed)

    def _predict_on(self, X: Array, y: Array, splits: Splits) -> Array:
        xp = namespace(X)
        R, n, p = X.shape
        J = splits.count
        # Masked features take n·p numbers per split, unlike the path for NumPy.
        step = max(1, room(X) // (J * (n * (p + 3) + 3 * p * p)))
        parts = []
        for r in range(0, R, step):
            sets = slice(r, min(r + step, R))
            part = splits.part(sets, slice(0, J))
            parts.append(self._mend_predictions(X[sets, ...], y[sets, ...], part, Room()))
        if len(parts) == 1:
            return parts[0]
        return xp.concat(parts)


def refit(model: Any, doubtful: Mask, X: Floats, y: Floats, splits: Splits, out: Floats) -> None:
    """
    Leave doubtful models, which are mostly singular, to scikit-learn.

    The predictions are therefore always those of scikit-learn.
    """
    trains = np.broadcast_to(splits.trains, (len(X), *splits.trains.shape[-2:]))
    for r, j in np.argwhere(doubtful):
        train = trains[r, j]
        out[r, j] = model.fit(X[r, train], y[r, train]).predict(X[r])


def _pieces(R: int, J: int, work: int) -> Iterator[tuple[slice, slice]]:
    """Cut R data sets by J splits into pieces of whole data sets, or of splits if those are big."""
    some = max(1, min(J, MOST // work))
    sets = max(1, WORK // (work * J)) if some == J else 1
    for r in range(0, R, sets):
        for j in range(0, J, some):
            yield slice(r, r + sets), slice(j, j + some)
