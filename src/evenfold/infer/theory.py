"""
What the Gaussian model says of m×2 designs and of the tests' variances: constants, rates, ratios.

All functions take numbers or arrays. ρ1 is the correlation of the two halves of one repetition, ρ2 that of
hold-out values of different repetitions, σ² the variance of one hold-out value.
"""

from collections.abc import Callable
from inspect import signature
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from evenfold.core.checks import fraction, one_of, refuse
from evenfold.core.estimate import Floats

__all__ = [
    "c_hat",
    "c_m",
    "expected_sigma_hat",
    "f_m",
    "interval_shrinkage",
    "political_ratio",
    "recommended_repetitions",
    "v_m",
    "variance_of_mean",
    "variance_shrinkage",
]


def _spread(m: ArrayLike, rho1: ArrayLike, rho2: ArrayLike) -> Floats:
    """1 + ρ1 + 2(m−1)ρ2, which is 2m·Var μ̂/σ²."""
    m, rho1, rho2 = (np.asarray(x, dtype=float) for x in (m, rho1, rho2))
    spread: Floats = 1 + rho1 + 2 * (m - 1) * rho2
    return spread


def _squares(m: ArrayLike, rho1: ArrayLike, rho2: ArrayLike) -> Floats:
    """Σλ² over the 2m − 1 eigenvalues within V2: m of 1 − ρ1 and m − 1 of 1 + ρ1 − 2ρ2."""
    m, rho1, rho2 = (np.asarray(x, dtype=float) for x in (m, rho1, rho2))
    squares: Floats = m * (1 - rho1) ** 2 + (m - 1) * (1 + rho1 - 2 * rho2) ** 2
    return squares


def variance_of_mean(m: ArrayLike, rho1: ArrayLike, rho2: ArrayLike, *, sigma2: float = 1.0) -> Floats:
    """
    Var μ̂ of an m×2 design: σ²/(2m)·(1 + ρ1 + 2(m−1)ρ2), which does not go to 0 as m grows.

    References
    ----------
    R19 eq. 5.3.

    Examples
    --------
    >>> float(variance_of_mean(3, 0.0, 0.5))
    0.5
    """
    variance: Floats = sigma2 * _spread(m, rho1, rho2) / (2 * np.asarray(m))
    return variance


def c_m(m: ArrayLike, rho1: ArrayLike, rho2: ArrayLike) -> Floats:
    """
    C_m = √(Var μ̂ / E V2): what the root of V2 must be multiplied by to be right.

    References
    ----------
    R19 theorem 5.2.

    Examples
    --------
    >>> [round(float(c_m(3, *rho)), 3) for rho in [(0, 0), (0, 0.5), (0.5, 0.5)]]
    [0.447, 1.0, 1.183]
    """
    spread = _spread(m, rho1, rho2)
    ratio: Floats = np.sqrt(spread / (2 * np.asarray(m) - spread))
    return ratio


def c_hat(m: ArrayLike) -> Floats:
    """
    Ĉ_m = √((2m+1)/(2m−1)): C_m at ρ1 = ρ2 = ½, its largest value where neither exceeds ½.

    References
    ----------
    R19 eq. 5.32.

    Examples
    --------
    >>> round(float(c_hat(3)), 3)
    1.183
    """
    m = np.asarray(m)
    ratio: Floats = np.sqrt((2 * m + 1) / (2 * m - 1))
    return ratio


def f_m(m: ArrayLike, rho1: ArrayLike, rho2: ArrayLike) -> Floats:
    """
    Satterthwaite's degrees of freedom of V2.

    Exact at ρ1 = ρ2, where f_m = 2m − 1, and at ρ2 = (1+ρ1)/2, where f_m = m.

    References
    ----------
    R19 theorem 5.2; the denominator in its section 5.9.2 is Σλ².

    Examples
    --------
    >>> [round(float(f_m(3, *rho)), 3) for rho in [(0, 0), (0, 0.5), (0.5, 0.5)]]
    [5.0, 3.0, 5.0]
    """
    trace = 2 * np.asarray(m) - _spread(m, rho1, rho2)
    df: Floats = trace**2 / _squares(m, rho1, rho2)
    return df


def v_m(m: ArrayLike, rho1: ArrayLike, rho2: ArrayLike) -> Floats:
    """
    v_m = Σλ²/Σλ, the scale of the χ² that V2 resembles.

    References
    ----------
    R19 section 5.9.2.

    Examples
    --------
    >>> float(v_m(3, 0.0, 0.0))
    1.0
    """
    scale: Floats = _squares(m, rho1, rho2) / (2 * np.asarray(m) - _spread(m, rho1, rho2))
    return scale


def expected_sigma_hat(m: ArrayLike, rho1: ArrayLike, rho2: ArrayLike, *, sigma: float = 1.0) -> Floats:
    """
    E σ̂_m, the mean of the root of V2: √(v_m/m)·Γ((f_m+1)/2)/Γ(f_m/2)·σ.

    References
    ----------
    R19 eq. 5.23, which has C_m where v_m belongs.

    Examples
    --------
    >>> round(float(expected_sigma_hat(3, 0.5, 0.5)), 4)
    0.6142
    """
    f = f_m(m, rho1, rho2)
    root: Floats = np.sqrt(v_m(m, rho1, rho2) / np.asarray(m)) * special.poch(f / 2, 0.5) * sigma
    return root


def _mean_over_square(function: Callable[[Floats, Floats], Floats]) -> float:
    """Mean over ρ1, ρ2 ∈ (0, ½) by a 32 × 32-point Gauss-Legendre rule."""
    x, w = np.polynomial.legendre.leggauss(32)
    values = function((x[:, None] + 1) / 4, (x[None, :] + 1) / 4)
    return float(np.einsum("i,j,ij->", w, w, values) / 4)


def variance_shrinkage(m: int) -> float:
    """
    Mean relative drop of Var μ̂ from m to m + 1 repetitions, over ρ1, ρ2 ∈ (0, ½).

    References
    ----------
    R19 section 3.4.

    Examples
    --------
    >>> round(variance_shrinkage(3), 4)
    0.0984
    """
    return _mean_over_square(
        lambda rho1, rho2: 1 - variance_of_mean(m + 1, rho1, rho2) / variance_of_mean(m, rho1, rho2)
    )


def interval_shrinkage(m: int, *, level: float = 0.05) -> float:
    """
    Mean relative shrinking of the interval of ``mx2-t`` from m to m + 1, over ρ1, ρ2 ∈ (0, ½).

    References
    ----------
    R19 table 5.4, which was computed with the wrong E σ̂_m; these are the right values.

    Examples
    --------
    >>> [round(interval_shrinkage(m), 4) for m in (3, 9)]
    [0.0837, 0.009]
    """
    level = fraction("level", level)

    def length(m: int, rho1: Floats, rho2: Floats) -> Floats:
        quantile = -special.stdtrit(2 * m - 1, level / 2)
        reach: Floats = c_hat(m) * quantile * expected_sigma_hat(m, rho1, rho2)
        return reach

    return _mean_over_square(lambda rho1, rho2: 1 - length(m + 1, rho1, rho2) / length(m, rho1, rho2))


def recommended_repetitions(*, level: float = 0.05, below: float = 0.01) -> int:
    """
    The smallest M ≥ 2 from which one more repetition shortens the interval by less than ``below``.

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


def _exchangeable(J: ArrayLike, rho: ArrayLike) -> Floats:
    """Var of the mean over E(S²/J), for J equally correlated values."""
    rho = np.asarray(rho, dtype=float)
    ratio: Floats = 1 + np.asarray(J) * rho / (1 - rho)
    return ratio


def _corrected(J: int, rho: ArrayLike, n_train: int, n_test: int) -> Floats:
    return _exchangeable(J, rho) / (1 + J * n_test / n_train)


def _corrected_folds(K: int, rho: ArrayLike, rho_assumed: float) -> Floats:
    return _exchangeable(K, rho) / _exchangeable(K, rho_assumed)


def _blocked_3x2(rho1: ArrayLike, rho2: ArrayLike, lam: float) -> Floats:
    rho1, rho2 = np.asarray(rho1, dtype=float), np.asarray(rho2, dtype=float)
    ratio: Floats = variance_of_mean(3, rho1, rho2) / ((1 - rho1) / 2 + lam * (1 + rho1 - 2 * rho2) / 2)
    return ratio


def _halves(rho1: ArrayLike) -> Floats:
    ratio: Floats = 1 / (1 - np.asarray(rho1, dtype=float))
    return ratio


def _combined(m: int, rho1: ArrayLike, rho2: ArrayLike) -> Floats:
    return _spread(m, rho1, rho2) * _halves(rho1)


# Var μ̂ / E σ̂² by method: NB table 1, W14 table 5, and what follows from them for the m×2 tests of R19.
_RATIOS: dict[str, Callable[..., Floats]] = {
    "holdout-t": lambda n_test, rho0: _exchangeable(n_test, rho0),
    "resampled-t": lambda J, rho: _exchangeable(J, rho),
    "bootstrap": lambda J, rho: _exchangeable(J, rho),
    "corrected-resampled-t": lambda J, rho, n_train, n_test: _corrected(J, rho, n_train, n_test),
    "corrected-bootstrap": lambda J, rho, n_train, n_test: _corrected(J, rho, n_train, n_test),
    "kfold-t": lambda K, rho: _exchangeable(K, rho),
    "corrected-kfold-t": lambda K, rho, rho_assumed: _corrected_folds(K, rho, rho_assumed),
    "5x2-t": lambda rho1: _halves(rho1),
    "5x2-t-independent": lambda rho1: _halves(rho1),
    "5x2-t-mean": lambda rho1: _combined(1, rho1, 0.0),
    "5x2-combined-t": lambda rho1, rho2: _combined(5, rho1, rho2),
    "mx2-paired-t": lambda rho1: _halves(rho1),
    "mx2-combined-t": lambda m, rho1, rho2: _combined(m, rho1, rho2),
    "blocked-3x2-t": lambda rho1, rho2, lam: _blocked_3x2(rho1, rho2, lam),
    "mx2-block-t": lambda m, rho1, rho2: c_m(m, rho1, rho2) ** 2,
    "mx2-t": lambda m, rho1, rho2: (c_m(m, rho1, rho2) / c_hat(m)) ** 2,
}


def political_ratio(method: str, **parameters: Any) -> Floats:
    """
    Var μ̂ / E σ̂² of a method: above 1 the test is liberal, below 1 conservative.

    Parameters
    ----------
    method : str
        Key of a method on hold-out values; ``conservative-z`` has no formula, only the conjecture that
        its ratio is below 1.
    **parameters
        What its formula needs: the correlation ``rho`` of two hold-out values with ``J`` (or ``K``),
        ``n_train`` and ``n_test``; ``rho1``, ``rho2`` and ``m`` for m×2 designs; ``lam`` (λ) for
        ``blocked-3x2-t``; ``rho_assumed`` for ``corrected-kfold-t``; for ``holdout-t`` the correlation
        ``rho0`` of two test losses of one model.

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
    ratio = _RATIOS[one_of("method", method, _RATIOS)]
    needed = signature(ratio).parameters
    if set(parameters) != set(needed):
        refuse("parameters", f"{', '.join(needed)} for {method!r}", ", ".join(parameters) or "none")
    return ratio(**parameters)
