"""Classification by scores that are linear in few functions of the features."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np

from evenfold.core.registry import NotNegative
from evenfold_lab.arrays import Array, counting, namespace
from evenfold_lab.fast._base import FastPath
from evenfold_lab.fast._batched import n_labels
from evenfold_lab.fast._dual import Trained, dot, least_norm, least_norm_weights, or_one
from evenfold_lab.fast._lacking import contiguous
from evenfold_lab.fast._moments import Moments, Room, centre_features, moments, training_sums
from evenfold_lab.fast._solve import TOLERANCE, solve
from evenfold_lab.masks import Splits

FAINT = 1e-10  # a variance below this share of the mean square has lost too many digits


def indicators(y: Array) -> Array:
    """Return the class indicators (C, R, n) of labels 0, 1, 2, ...."""
    xp = namespace(y)
    classes = xp.astype(counting(y, n_labels(y)), y.dtype)
    return xp.astype(y == classes[:, None, None], xp.float64)


def largest(basis: Array, weights: Array, intercepts: Array, present: Array) -> Array:
    """
    Return the class with the largest score (R, J, n), or the smallest label of equals.

    Absent classes never win.

    Parameters
    ----------
    basis : array, shape (R, q, n)
        Functions of the features.
    weights, intercepts : arrays, shapes (R, J, q, C) and (R, J, C)
        Scores are ``weights · basis + intercepts``.
    present : bool array, shape (R, J, C)
        Classes that have training examples.
    """
    xp = namespace(basis)
    intercepts = xp.where(present, intercepts, xp.full_like(intercepts, -xp.inf))
    if intercepts.shape[-1] == 2:
        lead = xp.matmul(weights[..., 1] - weights[..., 0], basis)
        least = (intercepts[..., 0] - intercepts[..., 1])[..., None]
        if isinstance(lead, np.ndarray):  # in place, because fresh memory doubles the time
            return np.greater(lead, least, out=lead, casting="unsafe")
        return xp.astype(lead > least, xp.float64)
    best = _scores(basis, weights, intercepts, 0)
    label = xp.zeros_like(best)
    for c in range(1, intercepts.shape[-1]):
        scores = _scores(basis, weights, intercepts, c)
        label[scores > best] = float(c)
        best = xp.maximum(best, scores)
    return label


def _scores(basis: Array, weights: Array, intercepts: Array, c: int) -> Array:
    scores = namespace(basis).matmul(weights[..., c], basis)
    scores += intercepts[..., c][..., None]
    return scores


class _FromMoments(FastPath):
    """Scores from the moments of features and class indicators."""

    def _work(self, n: int, p: int, n_classes: int) -> int:
        return 3 * n + p * (p + n_classes)

    @abstractmethod
    def _rule(self, m: Moments) -> tuple[Array, Array, Array]:
        """Weights (R, J, p, C), intercepts (R, J, C) and which models are in doubt."""

    @abstractmethod
    def _means(self, n_classes: int) -> int:
        """Return how many means are subtracted, each of which costs a rank."""

    @abstractmethod
    def _rule_of_few(self, trained: Trained) -> tuple[Array, Array, Array]:
        """Return the same if there are about as many features as training examples."""

    def _fill(self, X: Array, y: Array, splits: Splits, held: Room) -> tuple[Array, Array]:
        rows = centre_features(X)
        t = indicators(y)
        if splits.largest() < X.shape[-1] + self._means(t.shape[0]):
            trained = Trained.of(rows, t, splits)
            shares = trained.means()[1]
            rule = self._rule_of_few(trained)
        else:
            m = moments(rows, t, splits, held)
            shares = m.t
            rule = self._rule(m)
        weights, intercepts, doubtful = rule
        basis = namespace(X).matrix_transpose(rows)
        return largest(basis, weights, intercepts, shares > 0), doubtful


@dataclass(frozen=True)
class OLSClassifier(_FromMoments):
    """Least squares on class indicators; the largest value wins (NB table 3, W14 table 6)."""

    name: ClassVar[str] = "ols-classifier"

    def estimator(self) -> Any:
        """A :class:`~evenfold_lab.fast.least_squares.LeastSquaresClassifier`."""
        from evenfold_lab.fast.least_squares import LeastSquaresClassifier

        return LeastSquaresClassifier()

    def _rule(self, m: Moments) -> tuple[Array, Array, Array]:
        slopes, doubtful = solve(m.xx, m.xt)
        return slopes, m.t - dot(m.x[..., None], slopes), doubtful

    def _means(self, n_classes: int) -> int:  # noqa: ARG002 - that of all
        return 1

    def _rule_of_few(self, trained: Trained) -> tuple[Array, Array, Array]:
        slopes, doubtful = least_norm(trained, 0.0)
        x, t = trained.means()
        return slopes, t - dot(x[..., None], slopes), doubtful


@dataclass(frozen=True)
class LDA(_FromMoments):
    """
    Linear discriminant analysis.

    Classes are normal with a common covariance, and priors come from the training set. Training
    sets with a single class are left to scikit-learn, whose older releases refuse them.
    """

    name: ClassVar[str] = "lda"

    def estimator(self) -> Any:
        """A scikit-learn ``LinearDiscriminantAnalysis``."""
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

        return LinearDiscriminantAnalysis()

    def _rule(self, m: Moments) -> tuple[Array, Array, Array]:
        counts = m.t * m.count[..., None]
        apart = m.xt / or_one(counts)[..., None, :]  # class means about the mean of all
        within = m.xx
        for c in range(counts.shape[-1]):
            within -= m.xt[..., c][..., None] * apart[..., c][..., None, :]
        weights, doubtful = solve(within, apart * _freedom(m.t, m.count)[..., None, None])
        return self._add_priors(m.x, m.t, apart, weights, doubtful)

    def _means(self, n_classes: int) -> int:
        return n_classes

    def _rule_of_few(self, trained: Trained) -> tuple[Array, Array, Array]:
        xp = namespace(trained.x)
        x, t = trained.means()
        counts = t * trained.count[..., None]
        sums = (
            xp.matmul(xp.matrix_transpose(trained.x), trained.t)
            - x[..., None] * counts[..., None, :]
        )
        apart = sums / or_one(counts)[..., None, :]
        weights, doubtful = least_norm_weights(
            trained, apart * _freedom(t, trained.count)[..., None, None]
        )
        return self._add_priors(x, t, apart, weights, doubtful)

    @staticmethod
    def _add_priors(
        x: Array, shares: Array, apart: Array, weights: Array, doubtful: Array
    ) -> tuple[Array, Array, Array]:
        """Add the intercepts that priors imply, and the degenerate models to the doubtful ones."""
        priors = namespace(x).log(or_one(shares))
        intercepts = priors - 0.5 * dot(apart, weights) - dot(x[..., None], weights)
        return weights, intercepts, doubtful | _degenerate(apart, weights, shares)


def _freedom(shares: Array, count: Array) -> Array:
    """Return the divisor of the scatter within classes."""
    xp = namespace(shares)
    return count - _lost_per_class() * xp.sum(xp.astype(shares > 0, xp.float64), axis=-1)


@cache
def _lost_per_class() -> float:
    """
    Ask scikit-learn whether it divides the scatter within C classes by n or by n − C: 0 or 1.

    The two differ between its releases, and with unequal classes in predictions too.
    """
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    model = LinearDiscriminantAnalysis().fit([[0.0], [2.0], [3.0], [5.0]], [0, 0, 1, 1])
    # The means are 3 apart and the scatter is 4, so that the coefficient is 3 (4 − 2·lost)/4.
    return float(round((4 - model.coef_[0, 0] * 4 / 3) / 2))


def _degenerate(apart: Array, weights: Array, shares: Array) -> Array:
    """
    Return which models scikit-learn would not fit by the plain formula.

    It treats a single class in its own way. It also drops directions in which the class means
    differ by less than 1e-4 of the widest, which are eigenvalues below 1e-8 of the weighted
    products of the class means.
    """
    xp = namespace(apart)
    n_classes = xp.sum(xp.astype(shares > 0, xp.int64), axis=-1)
    rank = xp.clip(n_classes - 1, max=apart.shape[-2])
    doubtful = n_classes < 2
    if apart.shape[-1] > 2 and bool(xp.any(rank > 1)):
        root = xp.sqrt(shares)
        products = xp.matmul(xp.matrix_transpose(apart), weights)
        spread = xp.flip(
            xp.linalg.eigvalsh(root[..., :, None] * products * root[..., None, :]), axis=-1
        )
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
        As in scikit-learn: this share of the largest variance in the training set is added to all
        variances.
    """

    name: ClassVar[str] = "gaussian-nb"
    var_smoothing: NotNegative = 1e-9

    def estimator(self) -> Any:
        """A scikit-learn ``GaussianNB``."""
        from sklearn.naive_bayes import GaussianNB

        return GaussianNB(var_smoothing=self.var_smoothing)

    def _work(self, n: int, p: int, n_classes: int) -> int:
        return 3 * n + 2 * p * n_classes

    def _fill(self, X: Array, y: Array, splits: Splits, held: Room) -> tuple[Array, Array]:  # noqa: ARG002 - small
        xp = namespace(X)
        p = X.shape[-1]
        rows = contiguous(xp.permute_dims(centre_features(X), (2, 0, 1)))
        basis = xp.concat([rows, rows * rows])
        masks = xp.astype(splits.trains, xp.float64)
        t = indicators(y)
        counts = training_sums(t, masks)  # (C, R, J)
        sums = training_sums(basis[:, None, ...] * t, masks)  # (2p, C, R, J)
        weights, intercepts, doubtful = self._rule(sums[:p, ...], sums[p:, ...], counts)
        start, present = (xp.permute_dims(a, (1, 2, 0)) for a in (intercepts, counts > 0))
        across = xp.permute_dims(weights, (2, 3, 0, 1))
        return largest(xp.permute_dims(basis, (1, 0, 2)), across, start, present), doubtful

    def _rule(self, sums: Array, squares: Array, counts: Array) -> tuple[Array, Array, Array]:
        """Write out log P(c) − ½ Σ log 2πv − ½ Σ (x−μ)²/v in x and x²."""
        xp = namespace(sums)
        n = xp.sum(counts, axis=0)
        ones = xp.ones_like(counts)
        away = xp.sum(sums, axis=1) / n
        spread = xp.sum(squares, axis=1) / n - away * away
        safe = xp.where(counts > 0, counts, ones)
        means = sums / safe
        square = squares / safe
        variances = square - means * means + self.var_smoothing * xp.max(spread, axis=0)
        doubtful = xp.any((variances <= FAINT * square) & (counts > 0), axis=(0, 1))
        variances = xp.where(doubtful | (counts == 0), ones, variances)
        slopes = means / variances
        intercepts = xp.log(safe / n) - 0.5 * xp.sum(xp.log(variances) + means * slopes, axis=0)
        return xp.concat([slopes, -0.5 / variances]), intercepts, doubtful
