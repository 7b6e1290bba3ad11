"""
Learners of R19 chapter 7 that scikit-learn lacks, for use in any pipeline.

:func:`maximal_information` is a scorer for ``SelectKBest``, :class:`NegativeBinomial` a regressor::

    from papers.learners import NegativeBinomial, maximal_information

    model = make_pipeline(SelectKBest(maximal_information, k=10), NegativeBinomial())

The coefficient is that of Reshef et al. (2011). minepy, the one library that has it, does not build
on the Pythons of today (its issues 45 and 46), and is under the GPL. What is needed here is short.
As in Reshef's ApproxMaxMI one side of a grid is filled equally, the other is chosen by dynamic
programming; here over all cuts, where theirs joins examples to superclumps.
"""

import warnings
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy
from sklearn.base import BaseEstimator, RegressorMixin

Floats = NDArray[np.float64]


def maximal_information(X: Floats, y: Floats) -> Floats:
    """
    Return the MIC of each column of X with y, a scorer for ``SelectKBest``.

    Models on one training set share it: the last 512 answers are remembered.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(100, 2))
    >>> maximal_information(X, X[:, 0] ** 2).round(2).tolist()
    [1.0, 0.23]
    """
    columns = np.ascontiguousarray(np.asarray(X, dtype=float).T)
    return np.array(_of_columns(columns.tobytes(), np.asarray(y, dtype=float).tobytes()))


@lru_cache(maxsize=512)
def _of_columns(columns: bytes, y: bytes) -> tuple[float, ...]:
    target = np.frombuffer(y)
    return tuple(mic(x, target) for x in np.frombuffer(columns).reshape(-1, len(target)))


def mic(x: Floats, y: Floats, alpha: float = 0.6) -> float:
    """
    Return the largest normalised mutual information of a grid.

    It is divided by the logarithm of the shorter side of the grid. Grids have at most n^alpha
    cells; one side has equally many examples in each row, the other is the best.
    """
    cells = max(len(x) ** alpha, 4.0)
    return max(_one_way(x, y, cells), _one_way(y, x, cells))


def _one_way(x: Floats, y: Floats, cells: float) -> float:
    """Rows by y, equally filled; columns by x, the best."""
    best = 0.0
    for rows in range(2, int(cells // 2) + 1):
        row = equal_rows(y, rows)
        for columns, information in enumerate(best_columns(x, row, int(cells // rows)), start=2):
            best = max(best, information / np.log(min(rows, columns)))
    return best


def equal_rows(y: Floats, rows: int) -> NDArray[np.intp]:
    """The row of each example: as equally filled as equal values, which stay together, allow."""
    values, which, counts = np.unique(y, return_inverse=True, return_counts=True)
    row = np.zeros(len(values), dtype=np.intp)
    at, filled, left = 0, 0, len(y)
    for i, count in enumerate(counts):
        wanted = left / (rows - at)
        if filled and abs(filled + count - wanted) >= abs(filled - wanted) and at < rows - 1:
            left, at, filled = left - filled, at + 1, 0
        row[i], filled = at, filled + count
    return row[which]


def best_columns(x: Floats, row: NDArray[np.intp], most: int) -> list[float]:
    """The largest information of 2, 3, ..., ``most`` columns, by dynamic programming over x."""
    n = len(x)
    values, which = np.unique(x, return_inverse=True)
    counts = np.zeros((len(values) + 1, row.max() + 1))
    np.add.at(counts, (which + 1, row), 1)
    before = counts.cumsum(axis=0)  # by cut and row, how many lie below
    inside = before[None, :, :] - before[:, None, :]
    total = inside.sum(axis=-1)
    gain = (
        xlogy(inside, np.maximum(inside, 1)).sum(axis=-1) - xlogy(total, np.maximum(total, 1))
    ) / n
    # of the column between two cuts: −n_c/n · H(row | column)
    gain = np.where(total > 0, gain, -np.inf)
    share = before[-1] / n
    entropy = -float(xlogy(share, share).sum())
    reach, gains = gain[0], []
    for _ in range(2, most + 1):
        reach = np.max(reach[:, None] + gain, axis=0)
        gains.append(max(0.0, entropy + float(reach[-1])))
    return gains


class NegativeBinomial(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """
    Negative binomial regression of counts, as statsmodels fits it, for scikit-learn.

    The variance is μ + α·μ² (NB2), the link is the logarithm, and α is estimated.

    Attributes
    ----------
    coef_ : array of shape (n_features + 1,)
        Intercept first.
    converged_ : bool
        Whether the likelihood reached its maximum.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 2))
    >>> counts = rng.negative_binomial(2, 2 / (2 + np.exp(0.5 + X[:, 0])))
    >>> model = NegativeBinomial().fit(X, counts)
    >>> model.converged_, model.predict(X[:3]).shape
    (True, (3,))
    """

    def fit(self, X: Any, y: Any) -> "NegativeBinomial":
        """Maximise the likelihood; where that does not converge the last iterate ranks modules."""
        from statsmodels.discrete.discrete_model import NegativeBinomial as Model

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of steps that overflow on the way
            result = Model(np.asarray(y), self._with_constant(X)).fit(
                method="bfgs", maxiter=500, disp=0
            )
        self.coef_, self.converged_ = result.params[:-1], bool(result.mle_retvals["converged"])
        return self

    def predict(self, X: Any) -> Floats:
        """Return expected counts, cut where they would overflow."""
        expected: Floats = np.exp(np.clip(self._with_constant(X) @ self.coef_, -50, 50))
        return expected

    @staticmethod
    def _with_constant(X: Any) -> Floats:
        return np.column_stack([np.ones(len(X)), X])
