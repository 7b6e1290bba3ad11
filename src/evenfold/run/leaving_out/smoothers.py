"""Linear smoothers: predictions without one example and without two, in closed form."""

from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.run.data import Data, take
from evenfold.run.measures._base import Floats

_WHOLE = 1e-9  # 1 − h below which an example is fitted whatever the others are
_ROUNDING = 1e-6  # of the spread of y: what a refit may differ by
_RULE = "a linear smoother, a forest or a bagged learner"


def smoothed(estimator: Any, data: Data) -> tuple[Floats, Floats]:
    """Predictions of i without i, (n,), and without i and j, ``[j, i]``; tried on two examples by a refit."""
    y = np.asarray(data.target.values, dtype=float)
    by = _by_neighbours if hasattr(estimator, "kneighbors") and hasattr(estimator, "n_neighbors") else _by_hat
    one, two = by(estimator, data.X, y)
    np.fill_diagonal(two, one)
    _require_exact(estimator, data.X, y, one, two)
    return one, two


def _by_hat(estimator: Any, X: Any, y: Floats) -> tuple[Floats, Floats]:
    """Residuals of S left out are (I − H_SS)⁻¹·r_S; the hat matrix is the fit to the columns of I."""
    from sklearn.base import clone

    try:
        H = np.asarray(clone(estimator).fit(X, np.eye(len(y))).predict(X), dtype=float)
    except (TypeError, ValueError):
        refuse("estimator", f"{_RULE}, which fits several targets at once", estimator)
    h, r = H.diagonal(), y - H @ y
    if (1 - h).min() < _WHOLE:
        refuse("X", "less flexible to fit: some example is fitted whatever the others are", "leverage 1")
    own, other = (1 - h)[None, :], (1 - h)[:, None]
    both: Floats = (other * r[None, :] + H.T * r[:, None]) / (own * other - H * H.T)
    return y - r / (1 - h), y - both


def _by_neighbours(estimator: Any, X: Any, y: Floats) -> tuple[Floats, Floats]:
    """Without a neighbour the next one takes its place."""
    from sklearn.base import clone

    k, n = estimator.n_neighbors, len(y)
    if estimator.get_params().get("weights") != "uniform" or k + 2 > n:
        refuse("estimator", "neighbours of equal weight, at most n − 2 of them", estimator)
    nearest = clone(estimator).fit(X, y).kneighbors(X, n_neighbors=k + 2, return_distance=False)
    itself = nearest == np.arange(n)[:, None]
    itself[~itself.any(axis=1), -1] = True  # of k + 2 copies of an example it may not be the nearest
    others = nearest[~itself].reshape(n, k + 1)
    one = y[others[:, :k]].mean(axis=1)
    two = np.tile(one, (n, 1))
    two[others[:, :k].T, np.arange(n)] = one + (y[others[:, k]] - y[others[:, :k].T]) / k
    return one, two


def _require_exact(estimator: Any, X: Any, y: Floats, one: Floats, two: Floats) -> None:
    """Refuse what the formula is not true of: leave out, for real, the two where it matters most."""
    from sklearn.base import clone

    pair = np.array(np.unravel_index(np.abs(two - one).argmax(), two.shape))
    rest = np.setdiff1d(np.arange(len(y)), pair)
    said = clone(estimator).fit(take(X, rest), y[rest]).predict(take(X, pair))
    known = two[pair[::-1], pair]
    if not np.allclose(np.ravel(said), known, rtol=0, atol=_ROUNDING * max(np.ptp(y), np.abs(known).max())):
        remedy = "steps that learn from X come before it; else run at='full'"
        refuse(
            "estimator", f"{_RULE}, whose formula a refit without two examples agrees with", estimator, remedy
        )
