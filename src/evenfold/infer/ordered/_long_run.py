"""The variance of a mean whose terms are correlated up to a horizon."""

import warnings

import numpy as np
from scipy import special

from evenfold.core.checks import integer
from evenfold.core.errors import HiddenVariance
from evenfold.core.estimate import Floats

_MANY = 20  # times the horizon from which errors were measured to be near the level
_LEAST = 1e-12  # of γ0: a sum that rounding may have made
_FARTHEST = 60  # lags that are looked at
_STANDARD_ERRORS = 2.0  # 1/√T each, that a correlation must reach to be said
_Z = 1.959964  # of a two-sided test at .05


def of_path(d: Floats, horizon: object) -> tuple[int, int]:
    """Return the length of a path and its horizon, with a warning where the path is short for it."""
    T = d.shape[-1]
    h = horizon_within(horizon, T)
    _caution_short(h, T)
    return T, h


def horizon_within(horizon: object, T: int) -> int:
    """Return a horizon that is shorter than the path, or refuse it."""
    remedy = f"there are {T} times" if T > 2 else ""
    return integer("horizon", horizon, low=1, high=T - 1, remedy=remedy)


def _caution_short(horizon: int, T: int) -> None:
    """Warn of a path that is short for its horizon."""
    if horizon > 1 and _MANY * horizon > T:
        warnings.warn(
            f"the path is short for its horizon ({T} times, horizon {horizon}), so that intervals are too "
            "short: at a level of .05 errors of .08 to .10 were measured at 8 times the horizon, .15 at 3",
            HiddenVariance,
            stacklevel=6,
        )


def caution_correlated(d: Floats, horizon: int, *, stacklevel: int = 5) -> None:
    """
    Warn of differences that are alike beyond the horizon: by how much, up to which lag, and what it costs.

    The error that is named is that of a mean of first-order autoregressive differences (Φ of
    z·√((1−r)/(1+r))), which was measured to be near the truth at horizon 1: .26 for .25 at a correlation of
    .5, .51 for .52 at .8.
    """
    alike = alike_beyond(d, horizon)
    if alike is None:
        return
    r, lag = alike
    found = f"correlation {r:.2f} at lag {horizon}, above chance up to lag {lag}"
    cost = "so that the test is liberal"
    if horizon == 1:
        cost = (
            f"at a level of .05 the test errs about {2 * special.ndtr(-_Z * np.sqrt((1 - r) / (1 + r))):.2f}"
        )
    remedy = f"say horizon={lag + 1}, or method='diebold-mariano-fixed-b'"
    said = f"differences are alike beyond the horizon: {found}; {cost}; {remedy}"
    warnings.warn(said, HiddenVariance, stacklevel=stacklevel)


def alike_beyond(d: Floats, horizon: int) -> tuple[float, int] | None:
    """Return the correlation at the horizon, and the last lag above chance; None where it is chance."""
    T = d.shape[-1]
    most = min(T // 3, _FARTHEST)
    if most <= horizon:
        return None
    near = _correlations(d, horizon + 1)
    beyond = near[horizon:]
    # Bartlett 1946: the standard error of a correlation beyond those that are there by design
    limit = _STANDARD_ERRORS * np.sqrt((1 + 2 * np.square(near[1:horizon]).sum()) / T)
    if min(beyond[0], beyond.sum()) < limit:  # what goes up and down by turns makes a mean steadier
        return None
    low = np.flatnonzero(_correlations(d, most)[horizon:] < limit)
    lag = horizon + int(low[0]) - 1 if len(low) else most
    return float(beyond[0]), lag


def _correlations(d: Floats, lags: int) -> Floats:
    """Autocorrelations at lags 0, …, lags: of several paths their means, of a path without spread 0."""
    gamma = autocovariances(d, lags).reshape(-1, lags + 1)
    spread = gamma[:, :1]
    each: Floats = np.where(spread > 0, gamma / np.where(spread > 0, spread, 1.0), 0.0)
    return np.asarray(each.mean(axis=0))


def autocovariances(d: Floats, lags: int) -> Floats:
    """γ_0, …, γ_lags of ``d`` (..., T), each a sum over T (Diebold and Mariano 1995), as (..., lags + 1)."""
    T, centred = d.shape[-1], d - d.mean(axis=-1, keepdims=True)
    return np.stack(
        [np.einsum("...t,...t->...", centred[..., k:], centred[..., : T - k]) / T for k in range(lags + 1)],
        axis=-1,
    )


def long_run_variance(d: Floats, horizon: int) -> Floats:
    """
    γ_0 + 2Σ γ_k over k < ``horizon``; where that is not positive, with Bartlett's weights 1 − k/h.

    Examples
    --------
    >>> float(long_run_variance(np.array([1.0, 3.0, 1.0, 3.0]), 2).round(3))  # 1 − 2·¾ is negative
    0.25
    """
    gamma, k = autocovariances(d, horizon - 1), np.arange(1, horizon)
    plain = gamma[..., 0] + 2 * gamma[..., 1:].sum(axis=-1)
    weighted = gamma[..., 0] + 2 * (gamma[..., 1:] * (1 - k / horizon)).sum(axis=-1)
    found: Floats = np.where(plain > _LEAST * gamma[..., 0], plain, np.maximum(weighted, 0.0))[()]
    return found


def cosine_variance(d: Floats, count: int) -> Floats:
    """
    The long-run variance of ``d`` (..., T) from its ``count`` slowest cosines, each of which estimates it.

    Λ_j = √(2/T)·Σ cos(πj(t − ½)/T)·d_t are nearly independent, each with the long-run variance, whatever the
    correlation, as long as that is flat over the slowest frequencies.

    Examples
    --------
    >>> float(cosine_variance(np.array([1.0, 3.0, 1.0, 3.0]), 1).round(3))
    0.586
    """
    T = d.shape[-1]
    j = np.arange(1, count + 1)
    waves = np.sqrt(2 / T) * np.cos(np.pi * j[:, None] * (np.arange(T) + 0.5) / T)
    parts = d @ waves.T
    found: Floats = np.einsum("...j,...j->...", parts, parts) / count
    return found
