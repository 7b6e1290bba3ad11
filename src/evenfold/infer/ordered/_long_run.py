"""The variance of a mean whose terms are correlated up to a horizon."""

import warnings

import numpy as np

from evenfold.core.checks import integer
from evenfold.core.errors import HiddenVariance
from evenfold.core.estimate import Floats

_MANY = 20  # times the horizon from which errors were measured to be near the level
_LEAST = 1e-12  # of γ0: a sum that rounding may have made


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
