"""
Confidence sequences for means of bounded values: intervals that hold at all sample sizes at once.

- :func:`bernstein_reach` for a mean that may drift: the running mean of the conditional means (Choe and
  Ramdas, arXiv 2110.00115, after Howard et al. 2021, proposition 9: the gamma-exponential mixture).
- :func:`betting_limits` where the conditional mean is constant (Waudby-Smith and Ramdas, arXiv 2010.09686,
  section 4.4: the hedged capital process with predictable plug-in bets).
"""

import math
from typing import cast

import numpy as np
from scipy import special

from evenfold.core.estimate import Floats

_LEVEL = 0.05  # at which the free parameters are tuned; all levels are valid, and agree with the p-value
_BEST_AT = 25.0  # the boundary is tightest where the variance process is so many times the squared range
_RHO = _BEST_AT / (2 * math.log(2 / _LEVEL) + math.log1p(2 * math.log(2 / _LEVEL)))
_HALVINGS = 100
_GRID = 1001  # candidate means of the betting sequence
_TRUNCATION = 0.5  # bets stay below this share of what could be lost at once


def variance_process(x: Floats, start: float) -> Floats:
    """Σ (x_i − x̂_i)² with predictions x̂_i, the mean of ``start`` and what came before; (..., n)."""
    n = x.shape[-1]
    before = np.cumsum(x, axis=-1) - x
    predicted = (start + before) / np.arange(1, n + 1)
    process: Floats = np.cumsum((x - predicted) ** 2, axis=-1)
    return process


def bernstein_reach(variance: Floats, width: float, error: float) -> Floats:
    """
    Return s with Σ(x_i − μ_i) < s at all times, with probability 1 − ``error``, where the process is v.

    Parameters
    ----------
    variance : array
        The variance process; see :func:`variance_process`.
    width : float
        The range of the values, which lie in an interval of this width.
    error : float
        Error probability of this side.

    Examples
    --------
    >>> float(bernstein_reach(np.array(100.0), 2.0, 0.025).round(1))
    37.1
    """
    v = np.asarray(variance, dtype=float) / width**2
    low, high = np.zeros_like(v), np.full_like(v, 8.0)
    for _ in range(_HALVINGS):  # the mixture grows in s
        inside = _log_mixture(high, v) < np.log(1 / error)
        if not inside.any():
            break
        high = np.where(inside, 2 * high, high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        inside = _log_mixture(middle, v) < np.log(1 / error)
        low, high = np.where(inside, middle, low), np.where(inside, high, middle)
    return (high * width)[()]


def _log_mixture(s: Floats, v: Floats) -> Floats:
    """Logarithm of the gamma-exponential mixture, of range 1 (Howard et al. 2021, eq. 67)."""
    constant = _RHO * np.log(_RHO) - special.gammaln(_RHO) - np.log(special.gammainc(_RHO, _RHO))
    shape, reached = v + _RHO, s + v + _RHO
    lower = special.gammaln(shape) + np.log(special.gammainc(shape, reached))
    return cast("Floats", constant + lower - shape * np.log(reached) + s + v)


def bernstein_evidence(variance: Floats, excess: Floats, width: float) -> Floats:
    """Logarithm of the mixture at an observed sum of deviations: evidence against a mean, at any time."""
    v, s = np.asarray(variance) / width**2, np.maximum(np.asarray(excess) / width, 0.0)
    return _log_mixture(s, v)


def betting_limits(x: Floats, error: float) -> tuple[Floats, Floats]:
    """
    Return the limits after the last of x (..., n) in [0, 1]: the means that no bet so far has refuted.

    ``error`` is that of each side. Limits lie on a grid of 1001 means and are rounded outwards to it.
    """
    means = np.linspace(0.0, 1.0, _GRID)
    up, down = _capital(x, means)
    kept = (up < np.log(1 / error)) & (down < np.log(1 / error))
    low = np.maximum(np.argmax(kept, axis=-1) - 1, 0)
    high = np.minimum(_GRID - np.argmax(kept[..., ::-1], axis=-1), _GRID - 1)
    nothing = ~kept.any(axis=-1)
    limits = means[np.where(nothing, 0, low)], means[np.where(nothing, _GRID - 1, high)]
    return limits[0][()], limits[1][()]


def betting_evidence(x: Floats, mean: float) -> tuple[Floats, Floats]:
    """
    Return the logarithm of the largest capital won so far by betting that the mean is above, or below.

    Both start with 1, so that either exceeds 1/α at any time with probability α at most where the mean is
    ``mean``.
    """
    up, down = _capital(x, np.array([mean]))
    return up[..., 0], down[..., 0]


def _capital(x: Floats, means: Floats) -> tuple[Floats, Floats]:
    """The largest log capital of each side at any time so far, (..., means)."""
    bets = _bets(x)
    up = np.zeros((*x.shape[:-1], len(means)))
    down, most_up, most_down = up.copy(), up.copy(), up.copy()
    with np.errstate(divide="ignore"):
        limit_up, limit_down = _TRUNCATION / means, _TRUNCATION / (1 - means)
    for t in range(x.shape[-1]):
        bet, gain = bets[..., t, None], x[..., t, None] - means
        up = up + np.log1p(np.minimum(bet, limit_up) * gain)
        down = down + np.log1p(-np.minimum(bet, limit_down) * gain)
        most_up, most_down = np.maximum(most_up, up), np.maximum(most_down, down)
    return most_up, most_down


def _bets(x: Floats) -> Floats:
    """λ_t = √(2 log(2/α)/(σ̂²_{t−1}·t·log(t + 1))), from what came before (eq. 26)."""
    n = x.shape[-1]
    t = np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(x, axis=-1)) / (t + 1)
    spread = (0.25 + np.cumsum((x - mean) ** 2, axis=-1)) / (t + 1)
    first = np.full((*x.shape[:-1], 1), 0.25)
    before = np.concatenate([first, spread[..., :-1]], axis=-1)
    bets: Floats = np.sqrt(2 * np.log(2 / _LEVEL) / (before * t * np.log1p(t)))
    return bets
