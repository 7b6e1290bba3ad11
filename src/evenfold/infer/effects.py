"""Effect sizes, and the power to find them: Cohen's d, Cliff's δ, A12; noncentral t."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
from scipy import special

from evenfold.core.checks import flag, fraction, integer, number, one_of, refuse
from evenfold.core.estimate import Floats, t_quantile
from evenfold.core.losses import Losses, safe_ratio
from evenfold.infer._arrays import (
    ROUNDING,
    hypothesis,
    mean_and_variance,
    ordinary_unit,
    refuse_shape,
    sized,
)
from evenfold.infer.theory.gaussian import c_hat, c_m, f_m, variance_of_mean

# Effect sizes (Cohen's d, Cliff's δ, and A12 of Vargha and Delaney) describe differences of losses
# or scores of single examples, runs or data sets; they decide nothing.


_FAR = 200.0  # a noncentral t beyond it is taken as normal


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class EffectSize:
    """
    An effect size with its standard error.

    Attributes
    ----------
    name : str
        Which one: ``"d_z"``, ``"d_av"``, ``"d_s"``, ``"delta"`` or ``"A12"``.
    value, standard_error : arrays
        Above 0 (above ½ for A12) where the values of B are larger.
    df : float
        Degrees of freedom of the interval.
    pairs : int
        For δ and A12, how many pairs have no value in common: the size of the smaller sample.
    """

    name: str
    value: Floats
    standard_error: Floats
    df: float
    pairs: int = 0

    def confidence_interval(self, confidence_level: float = 0.95) -> tuple[Floats, Floats]:
        """
        Return the interval of Student's t; for δ and A12 that of Cliff (1996), inside the range.

        If B is always above A there is no spread, and Cliff's interval would be 1 to 1. But B wins
        all of k pairs that have no value in common with the chance A12^k, so A12 may be as small as
        (level/2)^(1/k), and the lower end of the interval is not above that.
        """
        error = (1 - fraction("confidence_level", confidence_level)) / 2
        t = float(t_quantile(self.df, error))
        if self.name.startswith("d_"):
            middle = _zero_infinite(self.value)
            reach = t * self.standard_error
            return middle - reach, middle + reach
        if self.name == "A12":  # (δ + 1)/2
            spread = 2 * self.standard_error
            delta = replace(self, name="delta", value=2 * self.value - 1, standard_error=spread)
            low, high = delta.confidence_interval(confidence_level)
            return (low + 1) / 2, (high + 1) / 2
        low, high = _cliff_interval(self.value, self.standard_error, t)
        most = 2 * all_won(self.pairs, error) - 1
        return np.minimum(low, most)[()], np.maximum(high, -most)[()]


def all_won(pairs: int, error: float) -> float:
    """
    Return the chance of winning a contest at which all of ``pairs`` are won with chance ``error``.

    Examples
    --------
    >>> round(all_won(10, 0.025), 3)  # Clopper and Pearson's limit of 10 out of 10
    0.692
    """
    if pairs:
        return float(error ** (1 / pairs))
    return 1.0


def noncentral_limits(t: float, df: float, error: float) -> tuple[float, float]:
    """
    Return limits of δ, with this error beyond each, from an observed noncentral t with δ and df.

    For n normal values δ is √n times their mean over their standard deviation, so δ/√n are limits
    of Cohen's d that allow for the estimated standard deviation (Steiger and Fouladi 1997).

    Examples
    --------
    >>> [round(x / 20**0.5, 3) for x in noncentral_limits(2 * 20**0.5, 19, 0.025)]
    [1.223, 2.759]
    """
    if abs(t) < _FAR:
        low, high = (float(special.nctdtrinc(df, p, t)) for p in (1 - error, error))
        if np.isfinite([low, high]).all():
            return low, high
    # far out t is nearly normal about δ with variance 1 + δ²/(2df): roots of (t − δ)² = z²(1 +
    # δ²/(2df))
    z2 = float(special.ndtri(error)) ** 2
    a = 1 - z2 / (2 * df)
    half = np.sqrt(max(t**2 - a * (t**2 - z2), 0.0))
    return float((t - half) / a), float((t + half) / a)


_ALIKE = 1e-14  # of the largest value: differences that vary by so little are alike

Limits = tuple[float, float, float]


def effect_sizes_of(
    losses: Losses, baseline: str, challenger: str, limits: Limits, error: float
) -> dict[str, float]:
    """
    Return d and A12 of a pair, with intervals that belong to that of its difference.

    Parameters
    ----------
    losses : Losses
        With values of single examples.
    baseline, challenger : str
        A and B.
    limits : tuple of float
        B − A and the interval of the verdict.
    error : float
        The error of each side of that interval.
    """
    spread, d, signs = _single_differences(losses, baseline, challenger)
    if min(spread, d.std()) == 0:
        return {}
    names = "cohen_d", "cohen_d_low", "cohen_d_high", "a12", "a12_low", "a12_high"
    # the ends are as many standard errors away as those of the verdict
    ratio = signs.std() / d.std()
    # without spread of the signs an infinite bound must not give NaN
    away = (ratio * (x - limits[0]) if ratio else 0.0 for x in limits)
    shares = (float(np.clip(0.5 + (signs.mean() + x) / 2, 0.0, 1.0)) for x in away)
    sizes = dict(zip(names, (*(x / spread for x in limits), *shares), strict=True))
    return sizes | _ends_of_sizes(sizes, limits, spread, len(d), error)


def _ends_of_sizes(
    sizes: dict[str, float], limits: Limits, spread: float, n: int, error: float
) -> dict[str, float]:
    """
    Return the ends with an estimated spread; even if B always wins, A12 is not certain.

    The interval of the verdict is as wide as one from N examples. Then d√N is a noncentral t, whose
    limits are on the same side of 0 as those of the verdict.
    """
    value, *ends = limits
    quantile = float(t_quantile(n - 1, error))
    end_sizes = {}
    for k, (name, end) in enumerate(zip(("cohen_d_low", "cohen_d_high"), ends, strict=True)):
        reach = abs(end - value)
        if 0 < reach < np.inf:
            root = quantile * spread / reach  # √N
            end_sizes[name] = noncentral_limits(root * value / spread, n - 1, error)[k] / root
    most = all_won(n, error)
    end_sizes["a12_low"] = min(sizes["a12_low"], most)
    end_sizes["a12_high"] = max(sizes["a12_high"], 1 - most)
    return end_sizes


def _single_differences(
    losses: Losses, baseline: str, challenger: str
) -> tuple[float, Floats, Floats]:
    """
    Return the spread of B − A over the examples of a split.

    The mean difference of every example and the mean of its sign come with it.
    """
    assert losses.examples is not None  # the caller checks this
    a = losses.examples[losses.index(baseline)]
    b = losses.examples[losses.index(challenger)]
    sums = np.zeros((3, losses.partition.n))
    squares = 0.0
    df = 0
    largest = 0.0
    for test, of_a, of_b in zip(losses.partition.test, a, b, strict=True):
        d = of_b - of_a
        squares += float(np.square(d - d.mean()).sum())
        df += len(d) - 1
        largest = max(largest, float(np.abs(of_a).max()), float(np.abs(of_b).max()))
        sums[:, test] += d, np.sign(d), np.ones(len(d))
    d, signs, times = sums[:, sums[2] > 0]
    spread = float(np.sqrt(squares / max(df, 1)))
    if spread <= _ALIKE * largest:
        spread = 0.0
    return spread, d / times, signs / times


def cohen_d(a: Any, b: Any, *, paired: bool = True, by: str = "differences") -> EffectSize:
    """
    Return Cohen's d: the difference of means, B − A, in standard deviations.

    Parameters
    ----------
    a, b : arrays of shape (..., n)
        Values of A and B; where ``paired`` on the same examples, runs or data sets.
    paired : bool, default True
        Whether values belong together.
    by : {"differences", "average"}
        The standard deviation of paired values: that of their differences (d_z), or the root of the
        mean of both variances (d_av), as of two groups. Unpaired values have the pooled one (d_s).

    Returns
    -------
    EffectSize

    Notes
    -----
    The standard error is that of the influence values of d, so nothing is taken to be normal.
    Values without any spread have d = 0 where they are equal, and an infinite d of unknown error
    where they are not.

    *Validity.* It is nearly right from 30 values on, somewhat liberal below. It is about the values
    given: these fitted models, if these are examples.

    References
    ----------
    Cohen (1988), Statistical Power Analysis; Lakens (2013), Frontiers in Psychology 4, for the
    names.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.cohen_d([1, 2, 3, 4, 5, 6], [2, 4, 4, 5, 8, 6])
    >>> round(float(e.value), 3)
    1.291
    """
    one_of("by", by, ("differences", "average"))
    x, y = _values(a, b, paired=flag("paired", paired))
    unit = ordinary_unit(x, y)
    x = x / unit
    y = y / unit
    if not paired:
        return _d_s(x, y)
    return {"differences": _d_z, "average": _d_av}[by](x, y)


def _cohen(name: str, value: Floats, *influences: Floats) -> EffectSize:
    """Return a d with the influence values of each sample; an infinite d has an infinite error."""
    sizes = [influence.shape[-1] for influence in influences]
    variances = [mean_and_variance(influence)[1] for influence in influences]
    variance = sum(s2 / n for s2, n in zip(variances, sizes, strict=True))
    error = np.where(np.isinf(value), np.inf, np.sqrt(variance))[()]
    return EffectSize(name=name, value=value, standard_error=error, df=sum(sizes) - len(sizes))


def _zero_infinite(value: Floats) -> Floats:
    return np.where(np.isinf(value), 0.0, value)[()]


def _standardised_difference(
    difference: Floats, s2: Floats, x: Floats, y: Floats
) -> tuple[Floats, Floats]:
    """
    Return a difference of means of x and y in units of its spread, and that spread; 0 over 0 is 0.

    Numbers within the rounding of x and y count as 0, as equal differences are rarely exact.
    """
    noise = ROUNDING * np.maximum(np.abs(x).max(axis=-1), np.abs(y).max(axis=-1))
    spread = np.where(s2 <= noise**2, 0.0, np.sqrt(s2))
    far = np.where(np.abs(difference) <= noise, 0.0, np.copysign(np.inf, difference))
    size = np.where(spread > 0, difference / np.where(spread > 0, spread, 1.0), far)
    return size[()], spread[..., None]


def _half(value: Floats) -> Floats:
    """Return half of a finite d, as one of the factors of influence values."""
    return _zero_infinite(value)[..., None] / 2


def _d_z(x: Floats, y: Floats) -> EffectSize:
    d = y - x
    mean, s2 = mean_and_variance(d)
    value, spread = _standardised_difference(mean, s2, x, y)
    z = safe_ratio(d - mean[..., None], spread)
    return _cohen("d_z", value, z - _half(value) * (z**2 - 1))


def _d_av(x: Floats, y: Floats) -> EffectSize:
    mean_x, sx = mean_and_variance(x)
    mean_y, sy = mean_and_variance(y)
    value, spread = _standardised_difference(mean_y - mean_x, (sx + sy) / 2, x, y)
    dx = safe_ratio(x - mean_x[..., None], spread)
    dy = safe_ratio(y - mean_y[..., None], spread)
    return _cohen("d_av", value, dy - dx - _half(value) * ((dx**2 + dy**2) / 2 - 1))


def _d_s(x: Floats, y: Floats) -> EffectSize:
    mean_x, sx = mean_and_variance(x)
    mean_y, sy = mean_and_variance(y)
    m = x.shape[-1]
    n = y.shape[-1]
    s2 = ((m - 1) * sx + (n - 1) * sy) / (m + n - 2)
    value, spread = _standardised_difference(mean_y - mean_x, s2, x, y)
    dx = safe_ratio(x - mean_x[..., None], spread)
    dy = safe_ratio(y - mean_y[..., None], spread)
    half = _half(value) / (m + n)
    return _cohen("d_s", value, -dx - half * m * dx**2, dy - half * n * dy**2)


def cliff_delta(a: Any, b: Any, *, paired: bool = False) -> EffectSize:
    """
    Return Cliff's δ: how much more often B is above A than below it, from −1 to 1.

    Parameters
    ----------
    a, b : arrays of shape (..., m) and (..., n)
        Values of A and B.
    paired : bool, default False
        Whether values belong together: then B is compared with A on the same example, run or data
        set, else every value of B with every value of A.

    Returns
    -------
    EffectSize

    Notes
    -----
    *Validity.* Cliff's interval, with his unbiased variance for unpaired values, stays in the
    range; it is near its level from ten values of each on. If one group is entirely above the
    other, the limit is exact and conservative: it uses the pairs that have no value in common, as
    many as the smaller group has values. For normal samples of ten with A12 = .92 and .98 the
    interval covered .976 and .964 (Cliff's alone .83 and .48).

    References
    ----------
    Cliff (1993), Psychological Bulletin 114; Cliff (1996), Ordinal Methods for Behavioral Data
    Analysis.

    Examples
    --------
    >>> import evenfold as ef
    >>> a, b = [10, 20, 30, 40, 40, 50], [10, 10, 20, 20, 20, 30, 30, 30, 40, 50]
    >>> e = ef.infer.cliff_delta(a, b)
    >>> float(e.value), [round(float(x), 3) for x in e.confidence_interval()]
    (-0.25, [-0.727, 0.389])
    """
    x, y = _values(a, b, paired=flag("paired", paired))
    m = x.shape[-1]
    n = y.shape[-1]
    if paired:
        mean, s2 = mean_and_variance(np.sign(y - x))
        error = np.sqrt(s2 / n)
        return EffectSize(name="delta", value=mean, standard_error=error, df=n - 1, pairs=n)
    signs = np.sign(y[..., :, None] - x[..., None, :])
    mean_y = signs.mean(axis=-1)
    mean_x = signs.mean(axis=-2)
    delta = mean_y.mean(axis=-1)
    away_y = np.square(mean_y - delta[..., None]).sum(axis=-1)
    away_x = np.square(mean_x - delta[..., None]).sum(axis=-1)
    all_away = np.square(signs - delta[..., None, None]).sum(axis=(-1, -2))
    # Cliff (1996), eq. 5.19; never below the variance that a single pair leaves
    s2 = (m**2 * away_y + n**2 * away_x - all_away) / (m * n * (m - 1) * (n - 1))
    least = (1 - delta**2) / (m * n - 1)
    error = np.sqrt(np.maximum(s2, least))
    return EffectSize(
        name="delta", value=delta, standard_error=error, df=m + n - 2, pairs=min(m, n)
    )


def a12(a: Any, b: Any, *, paired: bool = False) -> EffectSize:
    """
    Return A12 of Vargha and Delaney: the chance that B is above A, with ties counted half.

    Parameters
    ----------
    a, b, paired
        As in :func:`cliff_delta`, of which it is (δ + 1)/2.

    Returns
    -------
    EffectSize

    Notes
    -----
    *Validity.* It is as valid as :func:`cliff_delta`. The authors call .56 small, .64 medium and
    .71 large.

    References
    ----------
    Vargha and Delaney (2000), Journal of Educational and Behavioral Statistics 25.

    Examples
    --------
    >>> import evenfold as ef
    >>> float(ef.infer.a12([1, 2, 3, 4], [2, 3, 4, 5]).value)
    0.71875
    """
    delta = cliff_delta(a, b, paired=paired)
    return EffectSize(
        name="A12",
        value=(delta.value + 1) / 2,
        standard_error=delta.standard_error / 2,
        df=delta.df,
        pairs=delta.pairs,
    )


def _cliff_interval(delta: Floats, error: Floats, t: float) -> tuple[Floats, Floats]:
    """Return the interval of Cliff (1996), eq. 5.12."""
    middle = delta - delta**3
    reach = t * error * np.sqrt((1 - delta**2) ** 2 + (t * error) ** 2)
    below = 1 - delta**2 + (t * error) ** 2
    none = below == 0  # all signs are alike, and the data show no spread
    safe = np.where(none, 1.0, below)
    low = np.where(none, delta, (middle - reach) / safe)
    high = np.where(none, delta, (middle + reach) / safe)
    return low[()], high[()]


def _values(a: Any, b: Any, *, paired: bool) -> tuple[Floats, Floats]:
    x = sized("a", a, "(..., n ≥ 2)", axes=1, batch=True)
    y = sized("b", b, "(..., n ≥ 2)", axes=1, batch=True)
    if paired and x.shape != y.shape:
        refuse_shape("b", y.shape, f"of the shape of a, {x.shape}, where values are paired")
    if x.shape[:-1] != y.shape[:-1]:
        refuse_shape("b", y.shape, f"of the batch shape of a, {x.shape[:-1]},")
    return x, y


# How large a difference a test would find, and how many repetitions or examples it would take.


_HUGE = 1e4  # thresholds beyond it have a limit to six digits, and scipy no numbers
_CERTAIN = 100.0
_MOST = 10**9  # examples, runs, times: what would take more is not planned
NO_SPREAD = "The differences of the pilot show no spread, so that nothing can be planned from it."

EXACT = (0.5, 0.5)
"""Correlations at which ``mx2-t`` errs as often as it says, and its variance is right."""
USUAL = (0.2, 0.2)
"""
Correlations of differences of algorithms in many studies.

R19 table 5.9 has ρ2 from .15 to .25.
"""


def threshold_of(level: float, df: float, *, two_sided: bool = True) -> float:
    """Return what a t statistic must exceed at a level; it is normal where ``df`` is infinite."""
    return float(t_quantile(df, level / (2 if two_sided else 1)))


def t_power(noncentrality: Any, threshold: float, df: float, *, two_sided: bool = True) -> float:
    """
    Return the chance that a t statistic exceeds its threshold.

    Parameters
    ----------
    noncentrality : float
        True difference over the true standard error, ≥ 0.
    threshold : float
        What the statistic must exceed.
    df : float
        Degrees of freedom of the variance; infinity for a known one.
    two_sided : bool
        Whether the other side counts too, which hardly ever matters.

    Examples
    --------
    >>> round(t_power(2.8, 1.959964, float("inf")), 3)
    0.8
    """
    above = _probability_above(noncentrality, threshold, df)
    return above + (_probability_above(-noncentrality, threshold, df) if two_sided else 0.0)


def _probability_above(noncentrality: float, threshold: float, df: float) -> float:
    """Return P(T > threshold) for a noncentral t."""
    if np.isinf(df):
        return float(special.ndtr(noncentrality - threshold))
    far = _CERTAIN * max(1.0, abs(threshold))  # from here on the chance is 0 or 1 to every digit
    if noncentrality < 0:
        # if the other side is certain to the last digit, the function gives NaN for a chance of 0
        return float(np.nan_to_num(1 - special.nctdtr(df, max(noncentrality, -far), threshold)))
    # P(T > t | δ) = P(T < −t | −δ), which keeps the digits of a small chance
    return float(special.nctdtr(df, max(-noncentrality, -far), -threshold))


def needed_noncentrality(
    power: float, threshold: float, df: float, *, two_sided: bool = True
) -> float:
    """
    Return the true difference, in true standard errors, that is found with this power.

    Examples
    --------
    >>> round(needed_noncentrality(0.8, 1.959964, float("inf")), 3)
    2.802
    """
    # thousands of pairs have the same threshold, up to rounding
    return _noncentrality(
        fraction("power", power), float(f"{threshold:.12g}"), float(df), two_sided
    )


@lru_cache(maxsize=4096)
def _noncentrality(power: float, threshold: float, df: float, two_sided: bool) -> float:
    if threshold > _HUGE and np.isfinite(df):
        # T = (Z + δ)/√(χ²/df): Z is negligible, and P(T > t) = P(χ²/df < (δ/t)²)
        return float(threshold * np.sqrt(special.chdtri(df, 1 - power) / df))
    high = threshold + 4.0
    while t_power(high, threshold, df, two_sided=two_sided) < power:
        high *= 2
    if t_power(0.0, threshold, df, two_sided=two_sided) >= power:
        return 0.0
    from scipy.optimize import brentq  # takes as long to load as the rest of this package

    root = brentq(
        lambda x: t_power(x, threshold, df, two_sided=two_sided) - power, 0.0, high, xtol=1e-9
    )
    return float(root)


def fewest(enough: Callable[[int], bool], low: int) -> int | None:
    """
    Return the smallest count from ``low`` on that is enough, by doubling and bisection.

    The result is None if a billion is not enough.

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
    Return the power of ``mx2-t``: the chance that it finds a difference.

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
        The level and the side of the test.

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
            None,
            "rho1 and rho2 must be correlations with 0 ≤ ρ1 < 1 and 0 ≤ ρ2 ≤ (1 + ρ1)/2 but got "
            f"{rho1:g} and {rho2:g}.",
        )


def sigma_from(v2: float, m: int, rho1: float, rho2: float) -> float:
    """Return σ of a hold-out value from V2; E V2 = σ²·(2m − (1+ρ1+2(m−1)ρ2))/(2m)."""
    _correlations(rho1, rho2)
    # Var μ̂ = C_m²·E V2, and Var μ̂ is known in units of σ²
    return float(np.sqrt(v2 * c_m(m, rho1, rho2) ** 2 / variance_of_mean(m, rho1, rho2)))


def examples_needed(
    difference: float, *, n: int, standard_error: float, reach: float, df: float, power: float = 0.8
) -> float:
    """
    Return how many examples a test needs to find a difference, if its error falls as 1/√n.

    Parameters
    ----------
    difference : float
        The difference to find.
    n, standard_error, reach, df
        The examples, the standard error, half the length of the interval and the degrees of freedom
        of the test that was made.
    power : float, default 0.8
        The chance of finding it.

    Notes
    -----
    The standard error is taken for the true one, which is right if the method is exact. The
    standard error of a conservative method is too large, and fewer examples may be enough.

    Examples
    --------
    >>> round(examples_needed(0.1, n=100, standard_error=0.1, reach=0.1959964, df=float("inf")))
    785
    """
    needed = needed_noncentrality(power, reach / standard_error, df)
    return n * (needed * standard_error / abs(difference)) ** 2
