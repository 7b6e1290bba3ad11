"""How large a difference a test would find, and how many repetitions or examples it would take."""

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special

from evenfold.core.checks import fraction, integer, number, refuse
from evenfold.core.estimate import StudentT
from evenfold.infer._arrays import hypothesis
from evenfold.infer.theory.gaussian import c_hat, c_m, f_m, variance_of_mean

_HUGE = 1e4  # thresholds beyond it have a limit to six digits, and scipy no numbers
_FAR = 100.0
_MOST = 10**9  # examples, runs, times: what would take more is not planned
NO_SPREAD = "the pilot's differences show no spread, so nothing can be planned from it"

EXACT = (0.5, 0.5)
"""Correlations at which ``mx2-t`` errs as often as it says, and its variance is right."""
USUAL = (0.2, 0.2)
"""
Correlations of differences of algorithms in many studies.

R19 table 5.9 has ρ2 from .15 to .25.
"""


def threshold_of(level: float, df: float, *, two_sided: bool = True) -> float:
    """What a t statistic must exceed at a level; a normal one where ``df`` is infinite."""
    return float(StudentT(df).isf(level / (2 if two_sided else 1)))


def t_power(noncentrality: Any, threshold: float, df: float, *, two_sided: bool = True) -> float:
    """
    The chance that a t statistic passes its threshold.

    Parameters
    ----------
    noncentrality : float
        True difference over the true standard error, ≥ 0.
    threshold : float
        What the statistic must exceed.
    df : float
        Degrees of freedom of the variance; infinity for a known one.
    two_sided : bool
        Whether the far side counts too; it hardly ever does.

    Examples
    --------
    >>> round(t_power(2.8, 1.959964, float("inf")), 3)
    0.8
    """
    above = _probability_above(noncentrality, threshold, df)
    return above + (_probability_above(-noncentrality, threshold, df) if two_sided else 0.0)


def _probability_above(noncentrality: float, threshold: float, df: float) -> float:
    """P(T > threshold) for a noncentral t."""
    if np.isinf(df):
        return float(special.ndtr(noncentrality - threshold))
    far = _FAR * max(1.0, abs(threshold))  # from here on the chance is 0 or 1 to every digit
    if noncentrality < 0:
        # where the other side is certain to the last digit the function has no answer: then the
        # chance is 0
        return float(np.nan_to_num(1 - special.nctdtr(df, max(noncentrality, -far), threshold)))
    # P(T > t | δ) = P(T < −t | −δ), which keeps the digits of a small chance
    return float(special.nctdtr(df, max(-noncentrality, -far), -threshold))


def needed_noncentrality(
    power: float, threshold: float, df: float, *, two_sided: bool = True
) -> float:
    """
    The true difference, in true standard errors, that is found with this power.

    Examples
    --------
    >>> round(needed_noncentrality(0.8, 1.959964, float("inf")), 3)
    2.802
    """
    # thousands of pairs ask the same but for rounding
    return _noncentrality(
        fraction("power", power), float(f"{threshold:.12g}"), float(df), two_sided
    )


@lru_cache(maxsize=4096)
def _noncentrality(power: float, threshold: float, df: float, two_sided: bool) -> float:
    if threshold > _HUGE and np.isfinite(df):
        # T = (Z + δ)/√(χ²/df): Z does not count any more, and P(T > t) = P(χ²/df < (δ/t)²)
        return float(threshold * np.sqrt(special.chdtri(df, 1 - power) / df))
    high = threshold + 4.0
    while t_power(high, threshold, df, two_sided=two_sided) < power:
        high *= 2
    if t_power(0.0, threshold, df, two_sided=two_sided) >= power:
        return 0.0
    from scipy.optimize import brentq  # as long to load as the rest of this package

    root = brentq(
        lambda x: t_power(x, threshold, df, two_sided=two_sided) - power, 0.0, high, xtol=1e-9
    )
    return float(root)


def fewest(enough: Callable[[int], bool], low: int) -> int | None:
    """
    Return the smallest count from ``low`` on that is enough, by doubling and halving.

    None beyond a billion.

    Examples
    --------
    >>> fewest(lambda n: n >= 2, 2), fewest(lambda n: n >= 1000, 2), fewest(lambda n: False, 2)
    (2, 1000, None)
    """
    if enough(low):
        return low
    high = 2 * low
    while not enough(high):
        low = high
        high *= 2
        if high > _MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        if enough(middle):
            high = middle
        else:
            low = middle
    return high


def mx2_power(
    difference: float,
    *,
    sigma: float,
    m: int,
    rho1: float = EXACT[0],
    rho2: float = EXACT[1],
    level: float = 0.05,
    alternative: str = "two-sided",
) -> float:
    """
    Power of ``mx2-t``: the chance that it finds a difference.

    Parameters
    ----------
    difference : float
        The true difference; its size counts, not its sign.
    sigma : float
        Standard deviation σ of one hold-out difference.
    m : int
        Number of repetitions, at least 2.
    rho1, rho2 : float, default 0.5
        Correlations within and between repetitions; at ½ the test is exact.
    level, alternative
        Of the test.

    Notes
    -----
    With τ_m² = Var μ̂ the statistic times Ĉ_m/C_m is a noncentral t with f_m df and noncentrality
    difference/τ_m (R19 theorem 5.2; a Satterthwaite approximation unless ρ1 = ρ2).

    Examples
    --------
    >>> import evenfold as ef
    >>> round(ef.infer.mx2_power(0.05, sigma=0.02, m=9), 3)
    0.9
    >>> round(ef.infer.mx2_power(0.05, sigma=0.02, m=9, rho1=0.2, rho2=0.2), 3)
    0.839
    """
    difference = abs(number("difference", difference, low=-1e100, high=1e100))
    sigma = number("sigma", sigma, low=0, high=1e100)
    m = integer("m", m, low=2)
    side = hypothesis(0.0, alternative)[1]
    _correlations(rho1, rho2)
    two_sided = side == "two-sided"
    threshold = threshold_of(fraction("level", level), 2 * m - 1, two_sided=two_sided)
    threshold *= float(c_hat(m) / c_m(m, rho1, rho2))
    error = float(np.sqrt(variance_of_mean(m, rho1, rho2, sigma2=sigma**2)))
    if error == 0:
        if difference:
            return 1.0
        return float(level)
    return t_power(difference / error, threshold, float(f_m(m, rho1, rho2)), two_sided=two_sided)


def _correlations(rho1: float, rho2: float) -> None:
    rho1 = number("rho1", rho1)
    rho2 = number("rho2", rho2)
    if not (0 <= rho1 < 1 and 0 <= rho2 <= (1 + rho1) / 2):
        refuse(
            "(rho1, rho2)",
            "correlations with 0 ≤ ρ1 < 1 and 0 ≤ ρ2 ≤ (1+ρ1)/2",
            f"({rho1}, {rho2})",
        )


def sigma_from(v2: float, m: int, rho1: float, rho2: float) -> float:
    """σ of one hold-out value from V2 of m repetitions: E V2 = σ²·(2m − (1+ρ1+2(m−1)ρ2))/(2m)."""
    _correlations(rho1, rho2)
    # Var μ̂ = C_m²·E V2, and Var μ̂ is known in units of σ²
    return float(np.sqrt(v2 * c_m(m, rho1, rho2) ** 2 / variance_of_mean(m, rho1, rho2)))


def examples_needed(
    difference: float, *, n: int, standard_error: float, reach: float, df: float, power: float = 0.8
) -> float:
    """
    Examples with which a test like this one would find a difference, if its error falls as 1/√n.

    Parameters
    ----------
    difference : float
        What is to be found.
    n, standard_error, reach, df
        Of the test that was made: examples, standard error, half the length of its interval,
        degrees of freedom.
    power : float, default 0.8
        The chance of finding it.

    Notes
    -----
    The standard error is taken for the true one, as it is where the method is exact; with a
    conservative method it is too large, and fewer examples may do.

    Examples
    --------
    >>> round(examples_needed(0.1, n=100, standard_error=0.1, reach=0.1959964, df=float("inf")))
    785
    """
    needed = needed_noncentrality(power, reach / standard_error, df)
    return n * (needed * standard_error / abs(difference)) ** 2
