"""
How liberal a test is: Var μ̂ / E σ̂² in the Gaussian model (NB table 1, W14 table 5).

Each method says in its own file which of these ratios is its own, and of which parameters.
"""

from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from evenfold.core.checks import integer, number, one_of, refuse
from evenfold.core.estimate import Floats
from evenfold.infer._arrays import broadcast_finite
from evenfold.infer._registry import METHODS
from evenfold.infer.theory.gaussian import count, structure, variance_of_mean, with_spread

_ROUNDING = 1e-12


def exchangeable(J: ArrayLike, rho: ArrayLike) -> Floats:
    """Var of the mean over E(S²/J), for J equally correlated values."""
    values, rho = broadcast_finite(J=J, rho=rho)
    count("J", values)
    if np.any((rho >= 1) | (1 + (values - 1) * rho <= 0)):
        refuse("rho", "a correlation of J values, below 1", f"from {rho.min():g} to {rho.max():g}")
    ratio: Floats = 1 + values * rho / (1 - rho)
    return ratio[()]


def corrected(J: int, rho: ArrayLike, n_train: int, n_test: int) -> Floats:
    """The same where the variance is multiplied by 1 + J·n2/n1."""
    n1 = integer("n_train", n_train, low=1)
    n2 = integer("n_test", n_test, low=1)
    return exchangeable(J, rho) / (1 + np.asarray(J) * (n2 / n1))


def corrected_folds(K: int, rho: ArrayLike, rho_assumed: float) -> Floats:
    """The same where the variance allows for an assumed correlation."""
    return exchangeable(K, rho) / exchangeable(K, rho_assumed)


def blocked_3x2(rho1: ArrayLike, rho2: ArrayLike, lam: float) -> Floats:
    """Of the mean of a blocked 3×2 design, whose variance weighs between-repetition spread by λ."""
    lam = number("lam", lam, low=0, high=1e100)
    with_spread(3, rho1, rho2)
    _, within, between = structure(3, rho1, rho2)
    ratio: Floats = variance_of_mean(3, rho1, rho2) / (
        _nonzero_spread(within) / 2 + lam * between / 2
    )
    return ratio


def halves(rho1: ArrayLike) -> Floats:
    """Of one hold-out value, whose variance comes from the spread of the halves."""
    _, within, _ = structure(1, rho1, 0.0)
    return 1 / _nonzero_spread(within)


def _nonzero_spread(within: Floats) -> Floats:
    """1 − ρ1, unless it is 0: halves that agree always show no spread."""
    if np.any(within <= _ROUNDING):
        refuse("rho1", "below 1", 1.0)
    return within


def combined(m: int, rho1: ArrayLike, rho2: ArrayLike) -> Floats:
    """Of the mean of all halves, taken as independent."""
    return structure(m, rho1, rho2)[0] * halves(rho1)


def political_ratio(method: str, **parameters: Any) -> Floats:
    """
    Var μ̂ / E σ̂² of a method: above 1 the test is liberal, below 1 conservative.

    Parameters
    ----------
    method : str
        Key of a method on hold-out values; ``conservative-z`` has no formula, only the conjecture
        that its ratio is below 1.
    **parameters
        What its formula needs: the correlation ``rho`` of two hold-out values with ``J`` (or
        ``K``), ``n_train`` and ``n_test``; ``rho1``, ``rho2`` and ``m`` for m×2 designs; ``lam``
        (λ) for ``blocked-3x2-t``; ``rho_assumed`` for ``corrected-kfold-t``; for ``holdout-t`` the
        correlation ``rho0`` of two test losses of one model.

    References
    ----------
    NB table 1; W14 table 5.

    Examples
    --------
    >>> round(float(political_ratio("resampled-t", J=15, rho=0.1)), 4)
    2.6667
    >>> round(float(political_ratio("mx2-t", m=3, rho1=0.0, rho2=0.2)), 4)
    0.3061
    """
    known = {key: entry.ratio for key, entry in METHODS.items() if entry.ratio is not None}
    ratio = known[one_of("method", method, known)]
    needed = signature(ratio).parameters
    if set(parameters) != set(needed):
        refuse(
            "parameters",
            f"{', '.join(needed)} for {method!r}",
            ", ".join(parameters) or "no parameters",
        )
    found: Floats = ratio(**parameters)
    return found
