"""Nearest neighbours through one distance matrix per data set."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import integer, refuse, short_repr
from evenfold_lab.algorithm import Floats
from evenfold_lab.arrays import Array, array_like
from evenfold_lab.fast import compiled
from evenfold_lab.fast._base import MOST, WORK
from evenfold_lab.fast._batched import check_finite, n_labels
from evenfold_lab.fast._moments import Room
from evenfold_lab.fast.neighbours._nearest import (
    FEW_EXAMPLES,
    Keys,
    candidates,
    distances,
    low_bits,
    products,
    sampling_step,
    sort_all_keys,
)
from evenfold_lab.fast.neighbours._neighbours import knn as neighbours
from evenfold_lab.fast.trees._vote import Words, vote, winners, words
from evenfold_lab.masks import Splits


@dataclass(frozen=True)
class KNN:
    """
    The majority among the k nearest training examples, the smallest label of equals.

    Parameters
    ----------
    k : int
        Number of neighbours.
    metric_weights : tuple of float, optional
        Factors of the squared differences in each feature (NB's distorted metric).

    Notes
    -----
    Of equally distant examples, the first in the data set counts as nearer. Distances count as
    equal if they differ by less than about 1e-13 of themselves, or 1e-11 from ten thousand examples
    on. On continuous data the predictions are those of scikit-learn, whose order of ties depends on
    its algorithm.
    """

    fast: ClassVar[bool] = True
    k: int = 5
    metric_weights: tuple[float, ...] | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        integer("k", self.k, low=1)
        if self.metric_weights is not None and not all(w >= 0 for w in self.metric_weights):
            refuse(
                "metric_weights",
                f"metric_weights must be numbers ≥ 0 but got {short_repr(self.metric_weights)}.",
            )

    @property
    def name(self) -> str:
        if self.metric_weights is None:
            return f"{self.k}-nn"
        return f"weighted {self.k}-nn"

    def estimator(self) -> Any:
        """A scikit-learn ``KNeighborsClassifier``."""
        from sklearn.neighbors import KNeighborsClassifier

        if self.metric_weights is None:
            return KNeighborsClassifier(self.k)
        return KNeighborsClassifier(self.k, metric_params={"w": np.array(self.metric_weights)})

    def predict(self, X: Array, y: Array, splits: Splits) -> Array:
        """Predict the test examples of R data sets by the models of all J splits: (R, J, n)."""
        R, n, p = X.shape
        smallest = splits.smallest()
        integer(
            "k",
            self.k,
            low=1,
            high=smallest,
            remedy=f"The smallest training set has only {smallest:,} examples.",
        )
        check_finite(X=X, y=y)
        if not isinstance(X, np.ndarray):
            return neighbours(
                X, y, splits, k=self.k, w=array_like(X, self._weights(p)), share=smallest / n
            )
        w = self._weights(p)
        many = _enough(self.k, smallest / n)
        room = Room()
        if n > FEW_EXAMPLES and compiled.usable(X):
            return self._one_by_one(X, y, splits, w, many)
        trains = words(splits.trains)
        tests = words(splits.tests)
        out = np.empty((R, splits.count, n))
        for sets, rows in _blocks(R, n, trains.shape[-1] * self.k.bit_length() * n_labels(y)):
            cuts = ... if splits.shared else sets
            book = _Book.of(trains[cuts], y[sets])
            tested = np.broadcast_to(
                tests[cuts][..., rows, :], (*y[sets, rows].shape, tests.shape[-1])
            )
            batch = _TestedRows(
                X=X[sets], w=w, rows=rows, tested=tested.reshape(-1, tests.shape[-1])
            )
            labels = winners(self._votes(batch, book, many, room), splits.count)
            out[sets, :, rows] = np.swapaxes(labels.reshape(*tested.shape[:2], -1), 1, 2)
        return out

    def _one_by_one(self, X: Floats, y: Floats, splits: Splits, w: Floats, many: int) -> Floats:
        from evenfold_lab.fast.compiled.neighbours import vote

        (R, n) = y.shape
        step = max(1, MOST // y.shape[1])
        out = np.empty((R, splits.count, n))
        labels = y.astype(np.int64, order="C")
        # The kernel is compiled only for writable arrays in C order.
        trains, tests = (
            np.array(z.reshape(-1, *z.shape[-2:]), order="C") for z in (splits.trains, splits.tests)
        )
        settings = (self.k, n_labels(y), low_bits(n), *sampling_step(n, many))
        for r in range(R):
            train = trains[r % len(trains)]
            test = tests[r % len(tests)]
            for i in range(0, n, step):
                inner, squares = products(X[r], w, slice(i, min(i + step, n)))
                vote(inner, i, squares, labels[r], train, test, *settings, out[r])
        return out

    def _weights(self, p: int) -> Floats:
        if self.metric_weights is None:
            return np.ones(p)
        if len(self.metric_weights) != p:
            refuse(
                "metric_weights",
                f"metric_weights must be one number per feature ({p}) but got "
                f"{short_repr(self.metric_weights)}.",
            )
        return np.array(self.metric_weights, dtype=np.float64)

    def _votes(self, batch: "_TestedRows", book: "_Book", many: int, room: Room) -> Words:
        """Count the votes of the nearest, or of all for examples with too few of them."""
        waiting = batch.tested.copy()
        m = batch.rows.stop - batch.rows.start
        near = candidates(batch.X, batch.w, batch.rows, many, room)
        counts = vote(book.read(near, m), book.n_classes, waiting, self.k)
        short = np.flatnonzero(waiting.any(axis=1))
        if len(short):  # There is one data set here; in several small ones, all examples vote.
            square = distances(batch.X, batch.w, batch.rows.start + short, room)[0]
            again = book.read(sort_all_keys(square), len(short))
            counts[:, :, short] = vote(again, book.n_classes, batch.tested[short], self.k)
        return counts


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class _TestedRows:
    """Some rows of some data sets, and the splits in which they are tested."""

    X: Floats
    w: Floats
    rows: slice
    tested: Words


def _enough(k: int, share: float) -> int:
    """Return how many neighbours contain k training examples in all splits, in all likelihood."""
    return int(np.ceil((k + 3 * np.sqrt(k) + 3) / share))


def _blocks(R: int, n: int, counters: int) -> Iterator[tuple[slice, slice]]:
    """Cut the work into several small data sets, or into rows of one large data set."""
    if n <= FEW_EXAMPLES:
        sets = max(1, WORK // (n * max(n, counters)))
        rows = n
    else:
        sets = 1
        rows = min(n, max(1, MOST // counters))
    for r in range(0, R, sets):
        for i in range(0, n, rows):
            yield slice(r, r + sets), slice(i, min(i + rows, n))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class _Book:
    """Splits and label of each example, under the low bits of its key; ``NOBODY`` never trains."""

    trains: Words
    labels: NDArray[np.intp]
    low: int
    n_classes: int

    @classmethod
    def of(cls, trains: Words, y: Floats) -> "_Book":
        S, n = y.shape
        low = low_bits(n)
        entries = np.zeros((S, low + 1, trains.shape[-1]), dtype=np.uint64)
        entries[:, :n] = trains
        labels = np.zeros((S, low + 1), dtype=np.intp)
        labels[:, :n] = y
        flat = entries.reshape(S * (low + 1), -1)
        return cls(trains=flat, labels=labels.reshape(-1), low=low, n_classes=n_labels(y))

    def read(self, keys: Keys, m: int) -> Iterator[tuple[Words, NDArray[np.intp]]]:
        """Yield splits and labels of all rows' nearest, m rows per data set, then of the second."""
        places = np.ascontiguousarray(keys.T)
        places &= self.low
        places += (self.low + 1) * (np.arange(places.shape[1]) // m)
        for place in places:
            yield self.trains[place], self.labels[place]
