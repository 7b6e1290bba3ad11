"""The 5×2 family: five repetitions of two-fold CV (Dietterich, Alpaydin, Yildiz, NB)."""

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np
from scipy import special

from evenfold.core.estimate import Floats, StudentT, TestEstimate
from evenfold.infer._arrays import (
    mean_and_v2,
    mean_and_variance,
    mean_last,
    mean_mx2,
    within_repetitions,
)
from evenfold.infer._base import ROUNDING, Answer, Pivot, is_any_true, method
from evenfold.infer._registry import FIVE_BALANCED, FIVE_HALVINGS
from evenfold.infer.theory import ratios

_five = partial(method, valid=FIVE_HALVINGS)


@_five(
    depends="conservative for independent values (size .028 at .05), liberal where ρ1 is large",
    source="Dietterich 1998; W14 section 5.2; NB section 4, method 3",
    ratio=ratios.halves,
)
def five_by_two_t(d: Floats) -> Pivot:
    """
    Dietterich's 5×2 cv paired t-test.

    *Formula.* μ̂_1^(1), variance ΣS_i²/5, reference t with 5 df.

    *Validity.* The estimate is one of ten values and depends on their order; numerator and
    denominator share a repetition, so even for independent Gaussian values the law is not t_5 (size
    .028 at .05).

    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.1, 0.1], [0.3, 0.1]]
    >>> round(float(ef.infer.five_by_two_t(d).statistic), 6)
    0.790569
    """
    variance = within_repetitions(d) / 5
    return Pivot(d[..., 0, 0], variance, StudentT(5))


@_five(
    liberal="exact for independent values; the variance lacks a factor 1/(1−ρ1)",
    source="NB section 4, method 3, first remedy",
    ratio=ratios.halves,
)
def five_by_two_t_independent(d: Floats) -> Pivot:
    """
    Dietterich's test with a denominator that does not share a repetition with the numerator.

    *Formula.* μ̂_1^(1), variance of the last four repetitions ΣS_i²/4, reference t with 4 df.

    *Validity.* Exact for independent Gaussian values, liberal where ρ1 > 0. For comparison only.

    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.1, 0.1], [0.3, 0.1]]
    >>> round(float(ef.infer.five_by_two_t_independent(d).statistic), 6)
    0.816497
    """
    variance = within_repetitions(d[..., 1:, :]) / 4
    return Pivot(d[..., 0, 0], variance, StudentT(4))


@_five(
    liberal="exact for independent values; the variance lacks a factor (1+ρ1)/(1−ρ1)",
    source="NB section 4, method 3, second remedy",
    ratio=lambda rho1: ratios.combined(1, rho1, 0.0),
)
def five_by_two_t_mean(d: Floats) -> Pivot:
    """
    Dietterich's test on the mean of the first repetition, which is independent of its spread.

    *Formula.* μ̂^(1), variance ½·ΣS_i²/5, reference t with 5 df.

    *Validity.* Exact for independent Gaussian values, liberal where ρ1 > 0. For comparison only.

    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.1, 0.1], [0.3, 0.1]]
    >>> round(float(ef.infer.five_by_two_t_mean(d).statistic), 6)
    2.236068
    """
    variance = within_repetitions(d) / 10
    mean = mean_last(d[..., 0, :])
    return Pivot(mean, variance, StudentT(5))


@_five(
    liberal="exact for independent values; the variance lacks a factor 1/(1−(ρ1+8ρ2)/9)",
    source="NB section 4, method 3: statistics distributed as t_8",
    ratio=lambda rho1, rho2: 9 / (9 - rho1 - 8 * rho2),
)
def five_by_two_t_others(d: Floats) -> Pivot:
    """
    Dietterich's test with the variance of all values but the one in the numerator.

    Eight degrees of freedom.

    *Formula.* μ̂_1^(1), variance of the nine other values, reference t with 8 df.

    *Validity.* Exact for ten independent Gaussian values, liberal for those of one data set. NB say
    that such a statistic exists and do not write it down; this is the simplest. For comparison
    only.

    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.1, 0.1], [0.3, 0.1]]
    >>> round(float(ef.infer.five_by_two_t_others(d).statistic), 6)
    0.787839
    """
    rest = d.reshape(*d.shape[:-2], 10)[..., 1:]
    _, variance = mean_and_variance(rest)
    return Pivot(d[..., 0, 0], variance, StudentT(8))


@_five(
    liberal="exact for independent values; the variance lacks a factor (1+ρ1+8ρ2)/(1−ρ1)",
    source="Yildiz 2013; R19 section 5.5.2",
    ratio=lambda rho1, rho2: ratios.combined(5, rho1, rho2),
)
def five_by_two_combined_t(d: Floats) -> Pivot:
    """
    Yildiz's 5×2 test on the mean of all ten values.

    *Formula.* μ̂, variance (1/10)·ΣS_i²/5, reference t with 5 df.

    *Validity.* Exact for ten independent Gaussian values, grossly liberal for those of one data
    set. For comparison only; use :func:`mx2_t`.

    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.1, 0.1], [0.3, 0.1]]
    >>> round(float(ef.infer.five_by_two_combined_t(d).statistic), 6)
    4.5
    """
    variance = within_repetitions(d) / 50
    return Pivot(mean_mx2(d), variance, StudentT(5))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class FEstimate(TestEstimate):
    """
    The outcome of Alpaydin's F: two-sided only, and without a standard error.

    Attributes
    ----------
    spread : array
        √((1/10)·ΣΣ(μ̂_k^(i) − μ̂)²), by whose square the statistic exceeds what the mean alone
        explains.
    scale : array
        √(ΣS_i²/5), whose square is the denominator of the statistic.
    df : tuple of float
        Degrees of freedom of numerator and denominator.
    """

    units = MappingProxyType({"value": 1, "spread": 1, "scale": 1})

    spread: Floats
    scale: Floats
    df: tuple[float, float] = (10.0, 5.0)

    @property
    def pvalue(self) -> Floats:
        """The p-value, computed when asked for."""
        return special.fdtrc(*self.df, self.statistic)

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """All null values that are not rejected; ``(nan, nan)`` where every value is rejected."""
        error = 2 * self.error_per_side(confidence_level)
        most = np.sqrt(special.fdtri(*self.df, 1 - error)) * self.scale
        # √(most² − spread²), without squares of what may be small
        room = np.where(most >= self.spread, most - self.spread, np.nan)
        reach = (np.sqrt(room) * np.sqrt(most + self.spread))[()]
        return self.value - reach, self.value + reach


_f_test = partial(method, sides=False, instead="mx2-t")


@_f_test(
    valid=FIVE_HALVINGS,
    depends="numerator and denominator are dependent: size .0175 at .05 for independent values, "
    ".00 to .04 "
    "on most populations of the lab, .19 where the difference is skewed",
    source="Alpaydin 1999; W14 section 5.4",
)
def five_by_two_f(d: Floats, *, null: float) -> Answer[FEstimate]:
    """
    Alpaydin's combined 5×2 cv F-test.

    *Formula.* F = (1/10)ΣΣ(μ̂_k^(i) − Δ)² ÷ (ΣS_i²/5), reference F with 10 and 5 df. The interval
    holds the null values that the test would not reject and is empty, ``(nan, nan)``, where it
    rejects them all.

    *Validity.* Not F_{10,5} even for independent Gaussian values (size .0175 at .05): conservative
    there, less so where values are correlated. For comparison only.

    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.1, 0.1], [0.3, 0.1]]
    >>> e = ef.infer.five_by_two_f(d)
    >>> round(float(e.statistic), 6), round(float(e.pvalue), 6)
    (2.875, 0.127666)
    """
    return _f(d, null, (10.0, 5.0))


@_f_test(
    valid=FIVE_BALANCED,
    depends="fewer numerator df than the statistic of 5x2-f is usually given; it errs about as "
    "that does, "
    ".00 to .04 at .05 on most populations of the lab and .19 where the difference is skewed",
    source="Wang, Li and Li 2017; Alpaydin 1999",
)
def five_by_two_f_calibrated(d: Floats, *, null: float) -> Answer[FEstimate]:
    """
    Alpaydin's statistic on a balanced 5×2 cross-validation, against F(7, 5).

    *Formula.* The statistic of 5x2-f on balanced halvings, reference F with 7 and 5 df.

    *Validity.* The degrees of freedom were fitted to simulations with halvings whose training sets
    overlap evenly. For comparison only.

    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.1, 0.1], [0.3, 0.1]]
    >>> e = ef.infer.five_by_two_f_calibrated(d)
    >>> round(float(e.statistic), 6), round(float(e.pvalue), 6)
    (2.875, 0.131437)
    """
    return _f(d, null, (7.0, 5.0))


def _f(d: Floats, null: float, df: tuple[float, float]) -> Answer[FEstimate]:
    mean, spread = mean_and_v2(d)
    scale = within_repetitions(d) / 5
    numerator = spread + (mean - null) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = numerator / scale
    flat = scale <= (ROUNDING * mean) ** 2
    if is_any_true(flat):
        at_null = numerator <= (ROUNDING * np.maximum(np.abs(mean), abs(null))) ** 2
        spread = np.where(spread <= (ROUNDING * mean) ** 2, 0.0, spread)[()]
        # repetitions differ, but not within: the denominator sees nothing
        blind = flat & (spread > 0)
        statistic = np.where(flat, np.where(at_null | blind, 0.0, np.inf), statistic)[()]
        scale = np.where(blind, np.inf, np.where(flat, 0.0, scale))[()]
    nothing = np.full_like(mean, np.nan)[()]
    return Answer(
        FEstimate,
        value=mean,
        standard_error=nothing,
        statistic=statistic,
        spread=np.sqrt(spread),
        scale=np.sqrt(scale),
        df=df,
        flat=flat,
    )
