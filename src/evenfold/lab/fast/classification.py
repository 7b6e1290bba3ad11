"""Classification by scores that are linear in few functions of the features."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from evenfold.core.checks import number
from evenfold.lab.algorithm import Floats
from evenfold.lab.arrays import Array, namespace
from evenfold.lab.fast._base import FastPath
from evenfold.lab.fast._moments import Moments, Room, centred, moments, training_sums
from evenfold.lab.fast._on_arrays import indicators_of, largest_of, moments_of, solve_on
from evenfold.lab.fast._solve import TOLERANCE, solve
from evenfold.lab.masks import Mask, Splits

FAINT = 1e-10  # of a mean square: a variance below has lost too many digits to cancellation


def indicators(y: Floats) -> Floats:
    """Class indicators (C, R, n) of labels 0, 1, 2, ...."""
    classes = np.arange(int(y.max(initial=0)) + 1)
    same: Mask = y == classes[:, None, None]
    return same.astype(np.float64)


def largest(basis: Floats, weights: Floats, intercepts: Floats, present: Mask, out: Floats) -> None:
    """
    Write the class whose score is largest, the smallest label of equals; absent classes never win.

    Parameters
    ----------
    basis : array, shape (R, q, n)
        Functions of the features.
    weights, intercepts : arrays, shapes (R, J, q, C) and (R, J, C)
        Scores are ``weights · basis + intercepts``.
    present : bool array, shape (R, J, C)
        Classes that have training examples.
    out : array, shape (R, J, n)
        Receives the labels.
    """
    intercepts = np.where(present, intercepts, -np.inf)
    if intercepts.shape[-1] == 2:
        lead = (weights[..., 1] - weights[..., 0]) @ basis
        np.greater(lead, (intercepts[..., 0] - intercepts[..., 1])[..., None], out=out, casting="unsafe")
        return
    out[:] = 0.0
    best = _scores(basis, weights, intercepts, 0)
    for c in range(1, intercepts.shape[-1]):
        scores = _scores(basis, weights, intercepts, c)
        np.copyto(out, float(c), where=scores > best)
        np.maximum(best, scores, out=best)


def _scores(basis: Floats, weights: Floats, intercepts: Floats, c: int) -> Floats:
    scores: Floats = weights[..., c] @ basis
    scores += intercepts[..., c, None]
    return scores


class _FromMoments(FastPath):
    """Scores from the moments of features and class indicators."""

    def _work(self, n: int, p: int, n_classes: int) -> int:
        return 3 * n + p * (p + n_classes)

    @abstractmethod
    def _rule(self, m: Moments) -> tuple[Array, Array, Array]:
        """Weights (R, J, p, C), intercepts (R, J, C) and which models are in doubt."""

    def _fill(self, X: Floats, y: Floats, splits: Splits, out: Floats, room: Room) -> Array:
        rows = centred(X)
        m = moments(rows, indicators(y), splits, room)
        weights, intercepts, doubtful = self._rule(m)
        largest(np.swapaxes(rows, 1, 2), weights, intercepts, m.t > 0, out)
        return doubtful

    def _fill_on(self, X: Array, y: Array, splits: Splits) -> tuple[Array, Array]:
        xp = namespace(X)
        rows = X - xp.mean(X, axis=1, keepdims=True)
        m = moments_of(rows, indicators_of(y), splits)
        weights, intercepts, doubtful = self._rule(m)
        return largest_of(xp.matrix_transpose(rows), weights, intercepts, m.t > 0), doubtful


@dataclass(frozen=True)
class OLSClassifier(_FromMoments):
    """Least squares on class indicators, the largest fitted value wins (NB table 3, W14 table 6)."""

    @property
    def name(self) -> str:
        return "ols-classifier"

    def estimator(self) -> Any:
        """A :class:`~evenfold.lab.fast.least_squares.LeastSquaresClassifier`."""
        from evenfold.lab.fast.least_squares import LeastSquaresClassifier

        return LeastSquaresClassifier()

    def _rule(self, m: Moments) -> tuple[Array, Array, Array]:
        slopes, doubtful = _solved(m.xx, m.xt)
        return slopes, m.t - _dot(m.x[..., None], slopes), doubtful


@dataclass(frozen=True)
class LDA(_FromMoments):
    """
    Linear discriminant analysis: normal classes with a common covariance, priors from the training set.

    Training sets with one class only are left to scikit-learn, whose older releases refuse them.
    """

    @property
    def name(self) -> str:
        return "lda"

    def estimator(self) -> Any:
        """A scikit-learn ``LinearDiscriminantAnalysis``."""
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        return LinearDiscriminantAnalysis()

    def _rule(self, m: Moments) -> tuple[Array, Array, Array]:
        xp = namespace(m.t)
        counts = m.t * m.count[..., None]
        present, one = counts > 0, xp.ones_like(counts)
        apart = m.xt / xp.where(present, counts, one)[..., None, :]  # class means about the mean of all
        within = m.xx
        for c in range(counts.shape[-1]):
            within -= m.xt[..., c][..., None] * apart[..., c][..., None, :]
        freedom = m.count - _lost_per_class() * xp.sum(xp.astype(present, xp.float64), axis=-1)
        weights, doubtful = _solved(within, apart * freedom[..., None, None])
        doubtful = doubtful | _degenerate(apart, weights, m.t)
        priors = xp.log(xp.where(present, m.t, one))
        return weights, priors - 0.5 * _dot(apart, weights) - _dot(m.x[..., None], weights), doubtful


def _solved(A: Array, b: Array) -> tuple[Array, Array]:
    return solve(A, b) if isinstance(A, np.ndarray) else solve_on(A, b)


def _dot(a: Array, b: Array) -> Array:
    """Sum over features of (R, J, p, C)."""
    if isinstance(a, np.ndarray):
        return np.einsum("rjpc,rjpc->rjc", np.broadcast_to(a, b.shape), b)  # without writing the products
    return namespace(a).sum(a * b, axis=-2)


@cache
def _lost_per_class() -> float:
    """
    Ask scikit-learn whether it divides the scatter within C classes by n or by n − C: 0 or 1.

    The two differ between its releases, and with unequal classes in predictions too.
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    model = LinearDiscriminantAnalysis().fit([[0.0], [2.0], [3.0], [5.0]], [0, 0, 1, 1])
    return float(
        round((4 - model.coef_[0, 0] * 4 / 3) / 2)
    )  # means 3 apart, scatter 4: coef = 3 (4 − 2·lost)/4


def _degenerate(apart: Array, weights: Array, shares: Array) -> Array:
    """
    Which models scikit-learn would not fit by the plain formula.

    It treats a single class in its own way, and drops directions in which the class means differ by less
    than 1e-4 of the widest: eigenvalues below 1e-8 of the weighted products of the class means.
    """
    xp = namespace(apart)
    n_classes = xp.sum(xp.astype(shares > 0, xp.int64), axis=-1)
    rank = xp.clip(n_classes - 1, max=apart.shape[-2])
    doubtful = n_classes < 2
    if apart.shape[-1] > 2 and bool(xp.any(rank > 1)):
        root = xp.sqrt(shares)
        products = xp.matmul(xp.matrix_transpose(apart), weights)
        spread = xp.flip(xp.linalg.eigvalsh(root[..., :, None] * products * root[..., None, :]), axis=-1)
        last = xp.take_along_axis(spread, xp.clip(rank - 1, min=0)[..., None], axis=-1)[..., 0]
        doubtful = doubtful | ((rank > 1) & (last <= TOLERANCE * spread[..., 0]))
    return doubtful


@dataclass(frozen=True)
class GaussianNB(FastPath):
    """
    Naive Bayes with normal features.

    Parameters
    ----------
    var_smoothing : float
        As in scikit-learn: this share of the largest variance in the training set is added to all variances.
    """

    var_smoothing: float = 1e-9

    def __post_init__(self) -> None:
        number("var_smoothing", self.var_smoothing, low=0.0)

    @property
    def name(self) -> str:
        return "gaussian-nb"

    def estimator(self) -> Any:
        """A scikit-learn ``GaussianNB``."""
        from sklearn.naive_bayes import GaussianNB

        return GaussianNB(var_smoothing=self.var_smoothing)

    def _work(self, n: int, p: int, n_classes: int) -> int:
        return 3 * n + 2 * p * n_classes

    def _fill(self, X: Floats, y: Floats, splits: Splits, out: Floats, room: Room) -> Array:  # noqa: ARG002 - small
        p = X.shape[-1]
        basis = np.empty((2 * p, *y.shape))
        np.subtract(np.moveaxis(X, -1, 0), X.mean(axis=1).T[..., None], out=basis[:p])
        np.square(basis[:p], out=basis[p:])
        masks, t = splits.trains.astype(np.float64), indicators(y)
        counts = training_sums(t, masks)  # (C, R, J)
        sums = training_sums(basis[:, None] * t, masks)  # (2p, C, R, J)
        weights, intercepts, doubtful = self._rule(sums[:p], sums[p:], counts)
        across = np.moveaxis(weights, (0, 1), (-2, -1))
        present = np.moveaxis(counts, 0, -1) > 0
        largest(np.moveaxis(basis, 0, 1), across, np.moveaxis(intercepts, 0, -1), present, out)
        return doubtful

    def _fill_on(self, X: Array, y: Array, splits: Splits) -> tuple[Array, Array]:
        xp = namespace(X)
        p = X.shape[-1]
        rows = xp.permute_dims(X - xp.mean(X, axis=1, keepdims=True), (2, 0, 1))
        basis = xp.concat([rows, rows * rows])
        masks, t = xp.astype(splits.trains, xp.float64), xp.permute_dims(indicators_of(y), (2, 0, 1))
        counts = training_sums(t, masks)  # (C, R, J)
        sums = training_sums(basis[:, None, ...] * t, masks)  # (2p, C, R, J)
        weights, intercepts, doubtful = self._rule(sums[:p, ...], sums[p:, ...], counts)
        across = xp.permute_dims(weights, (2, 3, 0, 1))
        start, present = (xp.permute_dims(a, (1, 2, 0)) for a in (intercepts, counts > 0))
        return largest_of(xp.permute_dims(basis, (1, 0, 2)), across, start, present), doubtful

    def _rule(self, sums: Array, squares: Array, counts: Array) -> tuple[Array, Array, Array]:
        """Write out log P(c) − ½ Σ log 2πv − ½ Σ (x−μ)²/v in x and x²."""
        xp = namespace(sums)
        n, one = xp.sum(counts, axis=0), xp.ones_like(counts)
        away = xp.sum(sums, axis=1) / n
        spread = xp.sum(squares, axis=1) / n - away * away
        safe = xp.where(counts > 0, counts, one)
        means, square = sums / safe, squares / safe
        variances = square - means * means + self.var_smoothing * xp.max(spread, axis=0)
        doubtful = xp.any((variances <= FAINT * square) & (counts > 0), axis=(0, 1))
        variances = xp.where(doubtful | (counts == 0), one, variances)
        slopes = means / variances
        intercepts = xp.log(safe / n) - 0.5 * xp.sum(xp.log(variances) + means * slopes, axis=0)
        return xp.concat([slopes, -0.5 / variances]), intercepts, doubtful
