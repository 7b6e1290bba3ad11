"""A network with one hidden layer, and the perceptron: all models at once, as in scikit-learn."""

from abc import abstractmethod
from dataclasses import dataclass
from math import sqrt
from typing import Any, ClassVar

import numpy as np

from evenfold.core.registry import Count, NotNegative
from evenfold_lab.arrays import Array, array_like, namespace
from evenfold_lab.fast import compiled, programs
from evenfold_lab.fast._batched import Batched, n_labels
from evenfold_lab.fast._moments import scales, standardise_features
from evenfold_lab.masks import Splits

_PATIENCE = 5  # epochs of the perceptron without improvement, as in scikit-learn
_DECAY = 0.9  # Adam's β1
_DECAY_SQUARES = 0.999  # Adam's β2
_TINY = 1e-8  # Adam's ε


class _TwoClasses(Batched):
    """A classifier of labels 0 and 1, with features scaled in each training set."""

    def _fill(self, X: Array, y: Array, splits: Splits) -> Array:
        xp = namespace(X)
        n_labels(y, most=2, name=self.name)
        trains = xp.broadcast_to(splits.trains, (X.shape[0], *splits.trains.shape[-2:]))
        masks = xp.astype(trains, xp.float64)
        lead = self._lead(X, y, masks)
        share = xp.sum(masks * y[:, None, :], axis=-1, keepdims=True) / xp.sum(
            masks, axis=-1, keepdims=True
        )
        lead = xp.where(share > 0, lead, xp.full_like(lead, -1.0))  # a single class is predicted
        return xp.astype((lead > 0) | (share == 1), xp.float64)

    @abstractmethod
    def _lead(self, X: Array, y: Array, masks: Array) -> Array:
        """Return how far each example is on the side of class 1: (R, J, n)."""

    def _scaled_estimator(self, model: Any) -> Any:
        from sklearn.pipeline import make_pipeline
        from sklearn.preprocessing import StandardScaler

        return make_pipeline(StandardScaler(), model)


@dataclass(frozen=True, kw_only=True)
class MLP(_TwoClasses):
    """
    A network with one hidden layer of rectified units, trained by Adam on whole training sets.

    Parameters
    ----------
    hidden : int
        Units of the hidden layer.
    alpha : float
        Penalty on squared weights.
    seed : int
        Seed of the starting weights, which are the same for all models.
    steps : int
        Epochs at most.

    Notes
    -----
    Up to 200 training examples, this equals scikit-learn's ``MLPClassifier`` but for rounding. With
    more, scikit-learn takes batches of 200 in random order, and this takes the whole training set.
    """

    hidden: Count = 5
    alpha: NotNegative = 1e-4
    seed: int = 0
    steps: int = 200
    rate: float = 1e-3

    @property
    def name(self) -> str:
        return f"mlp-{self.hidden}-{self.seed}"

    def estimator(self) -> Any:
        """A scikit-learn ``MLPClassifier`` behind a ``StandardScaler``."""
        from sklearn.neural_network import MLPClassifier

        network = MLPClassifier(
            (self.hidden,),
            learning_rate_init=self.rate,
            alpha=self.alpha,
            random_state=self.seed,
            max_iter=self.steps,
        )
        return self._scaled_estimator(network)

    def _work(self, n: int, p: int) -> int:
        return n * (2 * p + 4 * self.hidden)

    def _weights(self, p: int, rows: Array) -> list[Array]:
        """Return scikit-learn's starting weights: slopes, then intercepts, layer after layer."""
        rng = np.random.RandomState(self.seed)  # scikit-learn's own
        drawn = []
        for before, after in ((p, self.hidden), (self.hidden, 1)):
            bound = sqrt(6 / (before + after))
            drawn += [
                rng.uniform(-bound, bound, (before, after)),
                rng.uniform(-bound, bound, (1, after)),
            ]
        xp = namespace(rows)
        lead = rows.shape[:2]
        return [xp.broadcast_to(array_like(rows, w), (*lead, *w.shape)) for w in drawn]

    def _lead(self, X: Array, y: Array, masks: Array) -> Array:
        xp = namespace(X)
        rows = standardise_features(X, masks)
        y = y[:, None, :]
        weights = self._weights(rows.shape[-1], rows)
        first = [xp.zeros_like(w) for w in weights]
        second = [xp.zeros_like(w) for w in weights]
        count = xp.sum(masks, axis=-1)[..., None, None]
        best = xp.full_like(count, float("inf"))
        waited = xp.zeros_like(count)
        for t in range(1, self.steps + 1):
            loss, slopes = self._slopes(weights, rows, y, masks, count)
            going = waited <= 10
            first = [_DECAY * m + (1 - _DECAY) * g for m, g in zip(first, slopes, strict=True)]
            second = [
                _DECAY_SQUARES * v + (1 - _DECAY_SQUARES) * g * g
                for v, g in zip(second, slopes, strict=True)
            ]
            rate = self.rate * sqrt(1 - _DECAY_SQUARES**t) / (1 - _DECAY**t)
            moved = [
                w - rate * m / (xp.sqrt(v) + _TINY)
                for w, m, v in zip(weights, first, second, strict=True)
            ]
            weights = [xp.where(going, new, w) for new, w in zip(moved, weights, strict=True)]
            worse = loss > best - 1e-4
            waited = xp.where(going, xp.where(worse, waited + 1, xp.zeros_like(waited)), waited)
            best = xp.where(loss < best, loss, best)
            if not bool(xp.any(waited <= 10)):
                break
        return _forward(weights, rows)[1][..., 0]

    def _slopes(
        self, weights: list[Array], rows: Array, y: Array, masks: Array, count: Array
    ) -> tuple[Array, list[Array]]:
        """Return the penalised log loss of each model, and its derivatives."""
        xp = namespace(rows)
        unit, lead = _forward(weights, rows)
        chance = 1 / (1 + xp.exp(-xp.clip(lead, min=-500.0, max=500.0)))
        target = y[..., None]
        used = masks[..., None]
        safe = xp.clip(chance, min=1e-15, max=1 - 1e-15)
        each = target * xp.log(safe) + (1 - target) * xp.log(1 - safe)
        squares = sum(xp.sum(w * w, axis=(-2, -1), keepdims=True) for w in (weights[0], weights[2]))
        loss = (0.5 * self.alpha * squares - xp.sum(used * each, axis=-2, keepdims=True)) / count
        out = used * (chance - target)
        back = xp.matmul(out, xp.matrix_transpose(weights[2])) * xp.astype(unit > 0, xp.float64)
        slopes = []
        for incoming, delta, slope in ((rows, back, weights[0]), (unit, out, weights[2])):
            slopes += [
                (xp.matmul(xp.matrix_transpose(incoming), delta) + self.alpha * slope) / count,
                xp.sum(delta, axis=-2, keepdims=True) / count,
            ]
        return loss, slopes


def _forward(weights: list[Array], rows: Array) -> tuple[Array, Array]:
    xp = namespace(rows)
    unit = xp.matmul(rows, weights[0]) + weights[1]
    unit = xp.where(unit > 0, unit, xp.zeros_like(unit))
    return unit, xp.matmul(unit, weights[2]) + weights[3]


@dataclass(frozen=True, kw_only=True)
class Perceptron(_TwoClasses):
    """
    Rosenblatt's perceptron, which adds misclassified examples to the weights one after the other.

    Parameters
    ----------
    epochs : int
        Passes over the training set at most. Training ends after five that gain less than ``tol``
        per example.
    tol : float
        As in scikit-learn.

    Notes
    -----
    This equals scikit-learn's ``Perceptron(shuffle=False)`` but for rounding. Examples come in the
    order of the data set, which is random in the lab.
    """

    name: ClassVar[str] = "perceptron"
    epochs: int = 1000
    tol: float = 1e-3

    def estimator(self) -> Any:
        """A scikit-learn ``Perceptron`` behind a ``StandardScaler``."""
        from sklearn.linear_model import Perceptron

        return self._scaled_estimator(Perceptron(max_iter=self.epochs, tol=self.tol, shuffle=False))

    def _work(self, n: int, p: int) -> int:
        return 2 * n * p

    def _lead(self, X: Array, y: Array, masks: Array) -> Array:
        if programs.usable(X, X.shape[-1]):
            rows = standardise_features(X, masks)
            w, start = programs.train_perceptrons(
                rows, 2 * y - 1, masks, self.epochs, self.tol, _PATIENCE
            )
            return _leads(rows, w, start)
        if not compiled.usable(X):
            return self._lead_together(standardise_features(X, masks), y[:, None, :], masks)
        from evenfold_lab.fast.compiled.perceptron import leads

        rows = np.array(X - X.mean(axis=1, keepdims=True), order="C")
        means, deviations = scales(rows, masks)
        sign = np.array(2 * y - 1, order="C")
        trains = np.array(masks > 0, order="C")
        return leads(rows, means, deviations, sign, trains, self.epochs, self.tol, _PATIENCE)

    def _lead_together(self, rows: Array, y: Array, masks: Array) -> Array:
        xp = namespace(rows)
        sign = 2 * y - 1
        w = xp.zeros_like(rows[..., 0, :])
        start = xp.zeros_like(masks[..., 0])
        count = xp.sum(masks, axis=-1)
        best = xp.full_like(count, float("inf"))
        waited = xp.zeros_like(count)
        for _ in range(self.epochs):
            going = xp.astype(waited < _PATIENCE, xp.float64)
            total = xp.zeros_like(count)
            for i in range(rows.shape[-2]):
                side = sign[..., i]
                row = rows[..., i, :]
                margin = side * (xp.sum(w * row, axis=-1) + start)
                step = xp.astype(margin <= 0, xp.float64) * masks[..., i] * going
                total = total - step * margin
                w = w + (step * side)[..., None] * row
                start = start + step * side
            worse = xp.astype(total > best - self.tol * count, xp.float64)
            waited = xp.where(going > 0, worse * (waited + 1), waited)
            best = xp.where((going > 0) & (total < best), total, best)
            if not bool(xp.any(waited < _PATIENCE)):
                break
        return _leads(rows, w, start)


def _leads(rows: Array, w: Array, start: Array) -> Array:
    return namespace(rows).matmul(rows, w[..., None])[..., 0] + start[..., None]
