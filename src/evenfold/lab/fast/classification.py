"""Classification by scores that are linear in few functions of the features."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from evenfold.core.checks import number
from evenfold.lab.algorithm import Floats
from evenfold.lab.fast._base import FastPath
from evenfold.lab.fast._moments import Moments, Room, centred, moments, training_sums
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
    def _rule(self, m: Moments) -> tuple[Floats, Floats, Mask]:
        """Weights (R, J, p, C), intercepts (R, J, C) and which models are in doubt."""

    def _fill(self, X: Floats, y: Floats, splits: Splits, out: Floats, room: Room) -> Mask:
        rows = centred(X)
        m = moments(rows, indicators(y), splits, room)
        weights, intercepts, doubtful = self._rule(m)
        largest(np.swapaxes(rows, 1, 2), weights, intercepts, m.t > 0, out)
        return doubtful


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

    def _rule(self, m: Moments) -> tuple[Floats, Floats, Mask]:
        slopes, doubtful = solve(m.xx, m.xt)
        return slopes, m.t - np.einsum("rjp,rjpc->rjc", m.x, slopes), doubtful


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

    def _rule(self, m: Moments) -> tuple[Floats, Floats, Mask]:
        counts = m.t * m.count[..., None]
        present = counts > 0
        apart = m.xt / np.where(present, counts, 1.0)[..., None, :]  # class means about the mean of all
        within = m.xx
        for c in range(counts.shape[-1]):
            within -= m.xt[..., :, None, c] * apart[..., None, :, c]
        freedom = m.count - _lost_per_class() * present.sum(axis=-1)
        weights, doubtful = solve(within, apart * freedom[..., None, None])
        doubtful |= _degenerate(apart, weights, m.t)
        half = 0.5 * np.einsum("rjpc,rjpc->rjc", apart, weights)
        priors = np.log(np.where(present, m.t, 1.0))
        return weights, priors - half - np.einsum("rjp,rjpc->rjc", m.x, weights), doubtful


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


def _degenerate(apart: Floats, weights: Floats, shares: Floats) -> Mask:
    """
    Which models scikit-learn would not fit by the plain formula.

    It treats a single class in its own way, and drops directions in which the class means differ by less
    than 1e-4 of the widest: eigenvalues below 1e-8 of the weighted products of the class means.
    """
    n_classes = np.count_nonzero(shares, axis=-1)
    rank = np.minimum(n_classes - 1, apart.shape[-2])
    doubtful: Mask = n_classes < 2
    if (rank > 1).any():
        root = np.sqrt(shares)
        products = np.einsum("rjpc,rjpd->rjcd", apart, weights)
        spread = np.linalg.eigvalsh(root[..., :, None] * products * root[..., None, :])[..., ::-1]
        last = np.take_along_axis(spread, np.maximum(rank - 1, 0)[..., None], axis=-1)[..., 0]
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

    def _fill(self, X: Floats, y: Floats, splits: Splits, out: Floats, room: Room) -> Mask:  # noqa: ARG002 - small
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

    def _rule(self, sums: Floats, squares: Floats, counts: Floats) -> tuple[Floats, Floats, Mask]:
        """Write out log P(c) − ½ Σ log 2πv − ½ Σ (x−μ)²/v in x and x²."""
        n = counts.sum(axis=0)
        spread = squares.sum(axis=1) / n - (sums.sum(axis=1) / n) ** 2
        safe = np.where(counts > 0, counts, 1.0)
        means, square = sums / safe, squares / safe
        variances = square - means**2 + self.var_smoothing * spread.max(axis=0)
        doubtful = ((variances <= FAINT * square) & (counts > 0)).any(axis=(0, 1))
        variances[:, counts == 0] = 1.0
        variances[:, :, doubtful] = 1.0
        slopes = means / variances
        intercepts = np.log(safe / n) - 0.5 * (np.log(variances) + means * slopes).sum(axis=0)
        return np.concatenate([slopes, -0.5 / variances]), intercepts, doubtful
