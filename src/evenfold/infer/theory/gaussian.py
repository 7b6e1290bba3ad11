"""
What the Gaussian model says of m×2 designs and of the tests' variances: constants, rates, ratios.

All functions take numbers or arrays. ρ1 is the correlation of the two halves of one repetition, ρ2
that of hold-out values of different repetitions, σ² the variance of one hold-out value.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from evenfold.core.checks import fraction, integer, number, one_of, refuse
from evenfold.core.estimate import Floats, t_quantile
from evenfold.infer._arrays import broadcast_finite, finite
from evenfold.infer._registry import METHODS

_ROUNDING = 1e-12
_LARGEST = 10**9  # repetitions, splits


def structure(m: ArrayLike, rho1: ArrayLike, rho2: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return the eigenvalues 1 + ρ1 + 2(m−1)ρ2, 1 − ρ1 and 1 + ρ1 − 2ρ2, none negative."""
    repetitions, first, second = broadcast_finite(m=m, rho1=rho1, rho2=rho2)
    count("m", repetitions)
    spread = 1 + first + 2 * (repetitions - 1) * second
    within = 1 - first
    between = np.where(repetitions > 1, 1 + first - 2 * second, 0.0)
    wrong = np.minimum(np.minimum(spread, within), between) < -_ROUNDING
    if np.any(wrong):
        refuse(
            None,
            "rho1 and rho2 must be possible correlations of m×2 values but got "
            f"{first[wrong][0]:g} and {second[wrong][0]:g} at m = {repetitions[wrong][0]:g}.",
        )
    return np.maximum(spread, 0.0)[()], np.maximum(within, 0.0)[()], np.maximum(between, 0.0)[()]


def count(name: str, values: Floats) -> None:
    """Refuse anything but numbers of repetitions or splits."""
    wrong = (values < 1) | (values > _LARGEST) | (values != np.floor(values))
    if np.any(wrong):
        refuse(
            name,
            f"{name} must be whole numbers from 1 to {_LARGEST:,} but got "
            f"{values[wrong].flat[0]:g}.",
        )


def with_spread(m: ArrayLike, rho1: ArrayLike, rho2: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """Return 1 + ρ1 + 2(m−1)ρ2, the trace Σλ of V2 and Σλ²; refuse values that are all equal."""
    spread, within, between = structure(m, rho1, rho2)
    m = np.asarray(m, dtype=float)
    trace = m * within + (m - 1) * between
    if np.any(trace <= _ROUNDING):
        refuse(
            None, "rho1 and rho2 must not both be 1, because values that are equal have no spread."
        )
    return spread, trace, m * within**2 + (m - 1) * between**2


def variance_of_mean(
    m: ArrayLike, rho1: ArrayLike, rho2: ArrayLike, *, sigma2: float = 1.0
) -> Floats:
    """
    Return Var μ̂ of an m×2 design, σ²/(2m)·(1 + ρ1 + 2(m−1)ρ2), whose limit is not 0.

    References
    ----------
    R19 eq. 5.3.

    Examples
    --------
    >>> float(variance_of_mean(3, 0.0, 0.5))
    0.5
    """
    spread, _, _ = structure(m, rho1, rho2)
    variance: Floats = number("sigma2", sigma2, low=0, high=1e300) * spread / (2 * np.asarray(m))
    return variance


def c_m(m: ArrayLike, rho1: ArrayLike, rho2: ArrayLike) -> Floats:
    """
    Return C_m = √(Var μ̂ / E V2), the right factor of the root of V2.

    References
    ----------
    R19 theorem 5.2.

    Examples
    --------
    >>> [round(float(c_m(3, *rho)), 3) for rho in [(0, 0), (0, 0.5), (0.5, 0.5)]]
    [0.447, 1.0, 1.183]
    """
    spread, trace, _ = with_spread(m, rho1, rho2)
    return np.sqrt(spread / trace)


def c_hat(m: ArrayLike) -> Floats:
    """
    Return Ĉ_m = √((2m+1)/(2m−1)), the largest C_m for ρ1 and ρ2 up to ½.

    References
    ----------
    R19 eq. 5.32.

    Examples
    --------
    >>> round(float(c_hat(3)), 3)
    1.183
    """
    m = finite("m", m)
    count("m", m)
    return np.sqrt((2 * m + 1) / (2 * m - 1))[()]


def f_m(m: ArrayLike, rho1: ArrayLike, rho2: ArrayLike) -> Floats:
    """
    Return Satterthwaite's degrees of freedom of V2.

    The formula is exact at ρ1 = ρ2, where f_m = 2m − 1, and at ρ2 = (1+ρ1)/2, where f_m = m.

    References
    ----------
    R19 theorem 5.2; the denominator in its section 5.9.2 is Σλ².

    Examples
    --------
    >>> [round(float(f_m(3, *rho)), 3) for rho in [(0, 0), (0, 0.5), (0.5, 0.5)]]
    [5.0, 3.0, 5.0]
    """
    _, trace, squares = with_spread(m, rho1, rho2)
    return trace**2 / squares


def v_m(m: ArrayLike, rho1: ArrayLike, rho2: ArrayLike) -> Floats:
    """
    Return v_m = Σλ²/Σλ, the scale of the χ² that V2 resembles.

    References
    ----------
    R19 section 5.9.2.

    Examples
    --------
    >>> float(v_m(3, 0.0, 0.0))
    1.0
    """
    _, trace, squares = with_spread(m, rho1, rho2)
    return squares / trace


def expected_sigma_hat(
    m: ArrayLike, rho1: ArrayLike, rho2: ArrayLike, *, sigma: float = 1.0
) -> Floats:
    """
    Return E σ̂_m, the mean of the root of V2: √(v_m/m)·Γ((f_m+1)/2)/Γ(f_m/2)·σ.

    References
    ----------
    R19 eq. 5.23, which has C_m where v_m belongs.

    Examples
    --------
    >>> round(float(expected_sigma_hat(3, 0.5, 0.5)), 4)
    0.6142
    """
    f = f_m(m, rho1, rho2)
    sigma = number("sigma", sigma, low=0, high=1e300)
    root: Floats = np.sqrt(v_m(m, rho1, rho2) / np.asarray(m)) * special.poch(f / 2, 0.5) * sigma
    return root


def _mean_over_square(function: Callable[[Floats, Floats], Floats]) -> float:
    """Return the mean over ρ1, ρ2 ∈ (0, ½) by a 32 × 32-point Gauss-Legendre rule."""
    x, w = np.polynomial.legendre.leggauss(32)
    values = function((x[:, None] + 1) / 4, (x[None, :] + 1) / 4)
    return float(np.einsum("i,j,ij->", w, w, values) / 4)


def variance_shrinkage(m: int) -> float:
    """
    Return the mean relative drop of Var μ̂ from m to m + 1 repetitions, over ρ1, ρ2 ∈ (0, ½).

    References
    ----------
    R19 section 3.4.

    Examples
    --------
    >>> round(variance_shrinkage(3), 4)
    0.0984
    """
    m = integer("m", m, low=1, high=_LARGEST)
    return _mean_over_square(
        lambda rho1, rho2: 1 - variance_of_mean(m + 1, rho1, rho2) / variance_of_mean(m, rho1, rho2)
    )


def interval_shrinkage(m: int, *, level: float = 0.05) -> float:
    """
    Return how much the interval of ``mx2-t`` shrinks from m to m + 1, over ρ1, ρ2 ∈ (0, ½).

    References
    ----------
    R19 table 5.4, which was computed with the wrong E σ̂_m; these are the right values.

    Examples
    --------
    >>> [round(interval_shrinkage(m), 4) for m in (3, 9)]
    [0.0837, 0.009]
    """
    level = fraction("level", level, low=1e-12)
    m = integer("m", m, low=1, high=_LARGEST)

    def length(m: int, rho1: Floats, rho2: Floats) -> Floats:
        return c_hat(m) * t_quantile(2 * m - 1, level / 2) * expected_sigma_hat(m, rho1, rho2)

    return _mean_over_square(
        lambda rho1, rho2: 1 - length(m + 1, rho1, rho2) / length(m, rho1, rho2)
    )


def recommended_repetitions(*, level: float = 0.05, below: float = 0.01) -> int:
    """
    Return the smallest M ≥ 2 after which a repetition shortens the interval by less than ``below``.

    References
    ----------
    R19 eq. 5.45, whose max is a min.

    Examples
    --------
    >>> [recommended_repetitions(level=level) for level in (0.1, 0.05, 0.01)]
    [8, 9, 11]
    """
    below = fraction("below", below, low=1e-4)
    m = 2
    while interval_shrinkage(m, level=level) >= below:
        m += 1
    return m


# How liberal a test is: Var μ̂ / E σ̂² in the Gaussian model (NB table 1, W14 table 5). Each method
# names its ratio in its own file.


def exchangeable(J: ArrayLike, rho: ArrayLike) -> Floats:
    """Return the variance of a mean of J equally correlated values, in units of E(S²/J)."""
    values, rho = broadcast_finite(J=J, rho=rho)
    count("J", values)
    if np.any((rho >= 1) | (1 + (values - 1) * rho <= 0)):
        refuse(
            "rho",
            "rho must be a possible correlation of J values, below 1, but got values from "
            f"{rho.min():g} to {rho.max():g}.",
        )
    ratio: Floats = 1 + values * rho / (1 - rho)
    return ratio[()]


def corrected(J: int, rho: ArrayLike, n_train: int, n_test: int) -> Floats:
    """Return that ratio for a variance that is multiplied by 1 + J·n2/n1."""
    n1 = integer("n_train", n_train, low=1)
    n2 = integer("n_test", n_test, low=1)
    return exchangeable(J, rho) / (1 + np.asarray(J) * (n2 / n1))


def corrected_folds(K: int, rho: ArrayLike, rho_assumed: float) -> Floats:
    """Return that ratio for a variance that allows for an assumed correlation."""
    return exchangeable(K, rho) / exchangeable(K, rho_assumed)


def blocked_3x2(rho1: ArrayLike, rho2: ArrayLike, lam: float) -> Floats:
    """Return the ratio of a blocked 3×2 design, whose variance weighs the spread between by λ."""
    lam = number("lam", lam, low=0, high=1e100)
    with_spread(3, rho1, rho2)
    _, within, between = structure(3, rho1, rho2)
    return variance_of_mean(3, rho1, rho2) / (_nonzero_spread(within) / 2 + lam * between / 2)


def halves(rho1: ArrayLike) -> Floats:
    """Return the variance of one hold-out value, in units of what its two halves estimate."""
    _, within, _ = structure(1, rho1, 0.0)
    return 1 / _nonzero_spread(within)


def _nonzero_spread(within: Floats) -> Floats:
    """Return 1 − ρ1, or refuse 0, as halves that always agree show no spread."""
    if np.any(within <= _ROUNDING):
        refuse("rho1", "rho1 must be below 1 but got 1.")
    return within


def combined(m: int, rho1: ArrayLike, rho2: ArrayLike) -> Floats:
    """Return the ratio of the mean of all halves, taken as independent."""
    return structure(m, rho1, rho2)[0] * halves(rho1)


def political_ratio(method: str, **parameters: Any) -> Floats:
    """
    Return Var μ̂ / E σ̂² of a method: above 1 the test is liberal, below 1 conservative.

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
            f"parameters must be {', '.join(needed)} for {method!r} but got "
            f"{', '.join(parameters) or 'none'}.",
        )
    return cast("Floats", ratio(**parameters))
