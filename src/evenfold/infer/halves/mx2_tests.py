"""Tests on the 2m hold-out values of an m×2 design (W14 section 5.5; R19 chapter 5)."""

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType

import numpy as np
from scipy import special

from evenfold.core.checks import number, one_of, refuse
from evenfold.core.estimate import (
    Alternative,
    Estimand,
    Floats,
    PivotEstimate,
    StudentT,
    TestEstimate,
    VarianceEstimate,
)
from evenfold.core.partition import MX2, MX2_BCV
from evenfold.infer._arrays import (
    ROUNDING,
    ArrayLike,
    floats,
    is_any_true,
    mean_and_between,
    mean_and_v2,
    mean_and_variance,
    mean_last,
    mean_mx2,
    safe_variance,
    warn_degenerate,
    within_repetitions,
)
from evenfold.infer._base import Pivot, method
from evenfold.infer._designs import FIVE_BALANCED, FIVE_HALVINGS, HALVES, THREE_HALVINGS
from evenfold.infer.bayes_scores import kappa
from evenfold.infer.inputs import Tables
from evenfold.infer.one_test_set.flips import (
    ONLY_RIGHT,
    ONLY_WRONG,
    PART,
    McNemarEstimate,
    discordant,
)
from evenfold.infer.theory import gaussian
from evenfold.infer.theory.gaussian import c_hat, c_m, f_m

_halves = partial(method, valid=HALVES)


@_halves(
    name="Dietterich's paired t-test with m repetitions",
    depends="It divides one hold-out value by a variance that holds only a part of that value's "
    "own. It is liberal for large ρ1, and conservative otherwise.",
    source="R19 section 5.5 (Dietterich 1998 with m repetitions)",
    ratio=gaussian.halves,
)
def mx2_paired_t(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Dietterich's test with m repetitions: one hold-out value over the spread of the halves.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* μ̂_1^(1), variance ΣS_i²/m, reference t with m df.

    *Validity.* Its estimate depends on which half came first, and its reference is not exact even
    for independent values. It is here for comparison only; use :func:`mx2_t`.

    *How it errs.* It divides one hold-out value by a variance that holds only a part of that
    value's own. It is liberal for large ρ1, and conservative otherwise. It estimates the expected
    difference B − A at training size n/2.

    References
    ----------
    R19 section 5.5 (Dietterich 1998 with m repetitions). Wang, R. (2019). Regularized
    cross-validation methods for comparing the predictive performance of supervised learning
    algorithms (in Chinese). Doctoral thesis, Shanxi University. Dietterich, T. G. (1998).
    Approximate statistical tests for comparing supervised classification learning algorithms.
    Neural Computation 10.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.mx2_paired_t([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]).statistic), 6)
    0.707107
    """
    d = floats(d)
    m = d.shape[-2]
    return Pivot(d[..., 0, 0], within_repetitions(d) / m, StudentT(m)).test(null, alternative)


@_halves(
    name="Yıldız's combined t-test with m repetitions",
    liberal="Its variance goes to 0 with more repetitions, but the variance of the mean does not.",
    source="R19 section 5.5 (Yildiz 2013 with m repetitions)",
    ratio=gaussian.combined,
)
def mx2_combined_t(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Yildiz's test with m repetitions: the mean of all, as if all halves were independent.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* μ̂, variance ΣS_i²/(2m²), reference t with m df.

    *Validity.* It is liberal: the ratio of the true to the estimated variance is
    (1+ρ1+2(m−1)ρ2)/(1−ρ1), about m where ρ2 is near ½. It is here for comparison only; use
    :func:`mx2_t`.

    *How it errs.* It is liberal. Its variance goes to 0 with more repetitions, but the variance of
    the mean does not. It estimates the expected difference B − A at training size n/2.

    References
    ----------
    R19 section 5.5 (Yildiz 2013 with m repetitions). Wang, R. (2019). Regularized cross-validation
    methods for comparing the predictive performance of supervised learning algorithms (in Chinese).
    Doctoral thesis, Shanxi University.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.mx2_combined_t([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]).statistic), 6)
    3.464102
    """
    d = floats(d)
    m = d.shape[-2]
    variance = within_repetitions(d) / (2 * m**2)
    return Pivot(mean_mx2(d), variance, StudentT(m)).test(null, alternative)


def _weight(lam: object = 0.0) -> float:
    """Return the weight of the spread of the repetitions, or refuse it."""
    return number("lam", lam, low=0.0)


@method(
    name="the blocked 3×2 cv t-test",
    valid=THREE_HALVINGS,
    depends="With λ = ⅔ it is liberal where 1+ρ1+4ρ2 exceeds 3, and conservative below. With λ = "
    "0 it may be either.",
    check=_weight,
    source="W14 section 5.5, eqs. 4.1–4.3",
    ratio=gaussian.blocked_3x2,
)
def blocked_3x2_t(
    d: ArrayLike, *, lam: float = 2 / 3, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean of a blocked 3×2 cross-validation.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    lam : float, default 2/3
        λ ≥ 0, the weight of the spread between repetitions: W14 use ⅔ and, more cautiously, 4/3; 0
        gives their "L" estimator.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* μ̂, variance ⅙ΣS_i² + λ·½Σ(μ̂^(i) − μ̂)², reference t with 5 df (3 where λ = 0).

    *Validity.* The ratio of the true to the estimated variance at λ = ⅔ is (1+ρ1+4ρ2)/(5−ρ1−4ρ2):
    below 1, conservative, unless 1+ρ1+4ρ2 > 3. :func:`mx2_t` adds a factor that keeps it below 1 up
    to ρ = ½.

    *Random halvings.* It can be asked for on a random 3×2 (``design=ef.design.Mx2(3)``). Its source
    is about blocks: the halves of random halvings share more or fewer examples by chance, so that
    their ρ2 is another one, which is not known, and the sizes in the source do not apply.

    *How it errs.* With λ = ⅔ it is liberal where 1+ρ1+4ρ2 exceeds 3, and conservative below. With λ
    = 0 it may be either. It estimates the expected difference B − A at training size n/2.

    References
    ----------
    W14 section 5.5, eqs. 4.1–4.3. Wang, Y., Wang, R., Jia, H., Li, J. (2014). Blocked 3×2
    cross-validated t-test for comparing supervised classification learning algorithms. Neural
    Computation 26.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]
    >>> [round(float(ef.infer.blocked_3x2_t(d, lam=lam).statistic), 6) for lam in (0, 2 / 3)]
    [2.0, 1.549193]
    """
    d = floats(d)
    lam = _weight(lam)
    mean, between = mean_and_between(d)
    variance = within_repetitions(d) / 6 + lam / 2 * between
    return Pivot(mean, variance, StudentT(5 if lam > 0 else 3)).test(null, alternative)


@_halves(
    name="the m×2 cv t-test",
    conservative="Its variance is right at ρ1 = ρ2 = ½. It is too large for smaller correlations, "
    "by 3 to 6 times for most differences.",
    source="R19 section 5.2, eqs. 5.32–5.36",
    default_for=(MX2_BCV, MX2),
    joint="t",
    ratio=lambda m, rho1, rho2: (c_m(m, rho1, rho2) / c_hat(m)) ** 2,
)
def mx2_t(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean of an m×2 design with a variance that is safe for correlations up to ½.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* μ̂, variance Ĉ_m²·V2 with V2 = (1/2m)ΣΣ(μ̂_k^(i) − μ̂)² and Ĉ_m² = (2m+1)/(2m−1),
    reference t with 2m − 1 df.

    *Validity.* In the Gaussian model exact at ρ1 = ρ2 = ½ and conservative where both are smaller,
    except near (0, ½), where V2 has only m degrees of freedom (size .056 at the level .05 and .017
    at .01 for m = 3, .053 and .013 for m = 9). It is liberal where ρ2 exceeds ½, as it does for
    recall.

    *How it errs.* It is conservative. Its variance is right at ρ1 = ρ2 = ½. It is too large for
    smaller correlations, by 3 to 6 times for most differences. It estimates the expected difference
    B − A at training size n/2.

    References
    ----------
    R19 section 5.2, eqs. 5.32–5.36. Wang, R. (2019). Regularized cross-validation methods for
    comparing the predictive performance of supervised learning algorithms (in Chinese). Doctoral
    thesis, Shanxi University.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.mx2_t([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]])
    >>> round(float(e.statistic), 6), round(float(e.pvalue), 6)
    (1.309307, 0.247367)
    """
    d = floats(d)
    m = d.shape[-2]
    mean, v2 = mean_and_v2(d)
    return Pivot(mean, safe_variance(v2, m), StudentT(2 * m - 1)).test(null, alternative)


@_halves(
    name="the block t-test on m×2 cross-validation",
    depends="It is liberal where 1+ρ1+2(m−1)ρ2 exceeds m, and conservative below.",
    source="R19 section 5.5.3",
    joint="t",
    ratio=lambda m, rho1, rho2: c_m(m, rho1, rho2) ** 2,
)
def mx2_block_t(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean of an m×2 design with V2 as it is; the blocked 3×2 test for any m.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* μ̂, variance V2 = (1/2m)ΣΣ(μ̂_k^(i) − μ̂)², reference t with 2m − 1 df.

    *Validity.* It is as valid as :func:`mx2_t` without its factor: liberal for ρ's near ½, by
    little.

    *How it errs.* It is liberal where 1+ρ1+2(m−1)ρ2 exceeds m, and conservative below. It estimates
    the expected difference B − A at training size n/2.

    References
    ----------
    R19 section 5.5.3. Wang, R. (2019). Regularized cross-validation methods for comparing the
    predictive performance of supervised learning algorithms (in Chinese). Doctoral thesis, Shanxi
    University.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.mx2_block_t([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]).statistic), 6)
    1.549193
    """
    d = floats(d)
    mean, v2 = mean_and_v2(d)
    return Pivot(mean, v2, StudentT(2 * d.shape[-2] - 1)).test(null, alternative)


def _correlations(m: int, rho1: object, rho2: object) -> tuple[float, float]:
    """Return the correlations of m×2 values, or refuse what these cannot have."""
    first = number("rho1", rho1)
    second = number("rho2", rho2)
    if not (-1 < first < 1 and -(1 + first) / (2 * (m - 1)) < second <= (1 + first) / 2):
        refuse(
            None,
            f"(rho1, rho2) must be a correlation structure of {m}×2 values but got "
            f"({first}, {second}).",
        )
    return first, second


@_halves(
    name="the m×2 cv t-test with known correlations",
    depends="It knows the correlations and is near its level: it errs .047 to .058 at .05 on the "
    "lab's populations.",
    source="R19 theorem 5.2",
    check=_correlations,
)
def mx2_oracle_t(
    d: ArrayLike,
    *,
    rho1: float,
    rho2: float,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Test the mean of an m×2 design whose correlations are known, as they are in the lab.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    rho1, rho2 : float
        Correlation of the halves of one repetition, and across repetitions; ρ2 ≤ (1+ρ1)/2.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* μ̂, variance C_m²·V2, reference t with f_m df.

    *Validity.* In the Gaussian model it is exact at ρ1 = ρ2 and at ρ2 = (1+ρ1)/2, and nearly so
    elsewhere (m = 3, (.5, .1): size .045 at .05). It is of no use on real data, whose correlations
    are unknown.

    *How it errs.* It knows the correlations and is near its level: it errs .047 to .058 at .05 on
    the lab's populations. It estimates the expected difference B − A at training size n/2.

    References
    ----------
    R19 theorem 5.2. Wang, R. (2019). Regularized cross-validation methods for comparing the
    predictive performance of supervised learning algorithms (in Chinese). Doctoral thesis, Shanxi
    University.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.mx2_oracle_t([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]], rho1=0.0, rho2=0.5)
    >>> round(float(e.statistic), 6), float(e.df)
    (1.549193, 3.0)
    """
    d = floats(d)
    m = d.shape[-2]
    rho1, rho2 = _correlations(m, rho1, rho2)
    mean, v2 = mean_and_v2(d)
    variance = c_m(m, rho1, rho2) ** 2 * v2
    return Pivot(mean, variance, StudentT(f_m(m, rho1, rho2))).test(null, alternative)


# Three estimates of the variance of the mean of an m×2 design (R19 section 5.2).


_variance = partial(
    method, valid=HALVES, estimand=Estimand(words="variance of the mean μ̂ of an m×2 design")
)


@_variance(
    depends="It sees only the spread of the halves. It is too small where 1+ρ1+2(m−1)ρ2 exceeds "
    "m(1−ρ1).",
    source="R19 section 5.2",
)
def mx2_v1(d: ArrayLike) -> VarianceEstimate:
    """
    V1 = (1/2m)·ΣS_i², from the spread of the two halves of each repetition.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.

    Returns
    -------
    VarianceEstimate
        The estimated variance, and its bias in words.

    Notes
    -----
    *Validity.* E V1 = σ²(1−ρ1)/2 whatever m, while Var μ̂ = σ²(1+ρ1+2(m−1)ρ2)/(2m): too large for
    small ρ's, too small for large ones. No unbiased estimate exists (R19 theorem 5.1).

    *How it errs.* It sees only the spread of the halves. It is too small where 1+ρ1+2(m−1)ρ2
    exceeds m(1−ρ1). It estimates the variance of the mean μ̂ of an m×2 design at training size n/2.

    References
    ----------
    R19 section 5.2. Wang, R. (2019). Regularized cross-validation methods for comparing the
    predictive performance of supervised learning algorithms (in Chinese). Doctoral thesis, Shanxi
    University.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.mx2_v1([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]).value), 6)
    0.01
    """
    d = floats(d)
    bias = "σ²[m(1−ρ1) − (1+ρ1+2(m−1)ρ2)]/(2m)"
    return VarianceEstimate(value=within_repetitions(d) / (2 * d.shape[-2]), bias=bias)


@_variance(
    conservative="It is too large unless 1+ρ1+2(m−1)ρ2 exceeds m.",
    source="R19 section 5.2, eq. 5.12",
    recommended=True,
)
def mx2_v2(d: ArrayLike) -> VarianceEstimate:
    """
    V2 = (1/2m)·ΣΣ(μ̂_k^(i) − μ̂)², from the spread of all 2m values; the one the tests use.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.

    Returns
    -------
    VarianceEstimate
        The estimated variance, and its bias in words.

    Notes
    -----
    *Validity.* E V2 = σ²[2m − (1+ρ1+2(m−1)ρ2)]/(2m), so V2 is conservative as long as
    1+ρ1+2(m−1)ρ2 < m.

    *How it errs.* It is conservative. It is too large unless 1+ρ1+2(m−1)ρ2 exceeds m. It estimates
    the variance of the mean μ̂ of an m×2 design at training size n/2.

    References
    ----------
    R19 section 5.2, eq. 5.12. Wang, R. (2019). Regularized cross-validation methods for comparing
    the predictive performance of supervised learning algorithms (in Chinese). Doctoral thesis,
    Shanxi University.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.mx2_v2([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]).value), 6)
    0.016667
    """
    return VarianceEstimate(value=mean_and_v2(floats(d))[1], bias="σ²[m − (1+ρ1+2(m−1)ρ2)]/m")


@_variance(conservative="It is too large unless ρ2 exceeds ½.", source="R19 section 5.2")
def mx2_v3(d: ArrayLike) -> VarianceEstimate:
    """
    V3 = V1 + (m+1)/(m(m−1))·Σ(μ̂^(i) − μ̂)², with more weight on the spread between repetitions.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.

    Returns
    -------
    VarianceEstimate
        The estimated variance, and its bias in words.

    Notes
    -----
    *Validity.* Its bias σ²(1−2ρ2) does not depend on ρ1 or m: conservative for every ρ2 below ½,
    and unbiased at ½. It is more variable than V2 where repetitions differ little.

    *How it errs.* It is conservative. It is too large unless ρ2 exceeds ½. It estimates the
    variance of the mean μ̂ of an m×2 design at training size n/2.

    References
    ----------
    R19 section 5.2. Wang, R. (2019). Regularized cross-validation methods for comparing the
    predictive performance of supervised learning algorithms (in Chinese). Doctoral thesis, Shanxi
    University.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.mx2_v3([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]).value), 6)
    0.023333
    """
    d = floats(d)
    m = d.shape[-2]
    value = within_repetitions(d) / (2 * m) + (m + 1) / (m * (m - 1)) * mean_and_between(d)[1]
    return VarianceEstimate(value=value, bias="σ²(1 − 2ρ2)")


# McNemar's test on the effective table of a block-regularized 5×2 cross-validation (Yang 2023).


_VARIANTS = ("asymptotic", "corrected")


def _effective_share(
    m: int, rho: tuple[float, float] = (0.5, 0.5), variant: str = "asymptotic"
) -> float:
    """Return what the summed counts of 2m tables are worth, or refuse the options."""
    one_of("variant", variant, _VARIANTS)
    return kappa(m, rho=rho)


@method(
    name="the 5×2 cv McNemar test",
    valid=FIVE_BALANCED,
    takes=Tables(),
    check=_effective_share,
    estimand=Estimand(words=ONLY_WRONG, quantity=PART),
    depends="It is liberal where counts of hold-outs are correlated by more than ½, or vary more "
    "than binomial counts.",
    source="Yang 2023; R19 section 6.2 for the effective counts",
    nulls=False,
    instead="mx2-t",
    counted=ONLY_RIGHT,
)
def five_by_two_mcnemar(
    n10: ArrayLike,
    n01: ArrayLike,
    *,
    rho: tuple[float, float] = (0.5, 0.5),
    variant: str = "asymptotic",
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> McNemarEstimate:
    """
    Test whether two classifiers err equally often, from ten correlated tables of disagreement.

    Parameters
    ----------
    n10, n01 : arrays of shape (..., 5, 2)
        On each half of a 5×2 BCV: test points that A gets wrong and B right, and that A gets right
        and B wrong.
    rho : pair of float, default (½, ½)
        Assumed correlations (ρ1, ρ2) of the counts within and across repetitions.
    variant : {"asymptotic", "corrected"}
        Normal reference, plain or with continuity correction; counts that are no integers have no
        binomial.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    McNemarEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* Of the effective counts: the sums over all ten tables times 1/(1 + ρ1 + 8ρ2), by
    default 2/11, which is 20/11 times the mean table. Everything else is as in :func:`mcnemar`.

    *Validity.* The ten tables test every example five times; at ρ1 = ρ2 = ½, the largest
    correlations that are expected, they are worth 10/11 of n independent examples. Like all
    effective counts it takes the variance *within* a table for binomial, so it does not know how
    the difference of error rates moves with the training set (:func:`bayes_f1` has the same gap).
    The factor is that of the paper; whether the paper's statistic is continuity-corrected is not
    settled here, so both variants exist. The answer is about training on n/2 examples.

    *How it errs.* It is liberal where counts of hold-outs are correlated by more than ½, or vary
    more than binomial counts. It estimates P(only B wrong) − P(only A wrong), given that one of
    them is, at training size n/2.

    References
    ----------
    Yang 2023; R19 section 6.2 for the effective counts. Wang, R. (2019). Regularized
    cross-validation methods for comparing the predictive performance of supervised learning
    algorithms (in Chinese). Doctoral thesis, Shanxi University. Yang, J., Wang, R., Song, Y., Li,
    J. (2023). Block-regularized 5×2 cross-validated McNemar's test for comparing two classification
    algorithms. arXiv 2304.03990.

    Examples
    --------
    >>> import evenfold as ef
    >>> n10 = [[9, 12], [10, 11], [8, 12], [11, 9], [10, 10]]
    >>> n01 = [[4, 6], [5, 5], [3, 6], [4, 4], [5, 6]]
    >>> e = ef.infer.five_by_two_mcnemar(n10, n01)
    >>> round(float(e.only_b), 4), round(float(e.statistic), 4), round(float(e.pvalue), 4)
    (18.5455, 1.88, 0.0601)
    """
    n10 = floats(n10)
    n01 = floats(n01)
    share = _effective_share(n10.shape[-2], rho, variant)
    only_b, only_a = (share * table.sum(axis=(-2, -1)) for table in (n10, n01))
    return discordant(only_b, only_a, variant, null, alternative)


# The 5×2 family: five repetitions of two-fold CV (Dietterich, Alpaydin, Yildiz, NB).


_five = partial(method, valid=FIVE_HALVINGS)


@_five(
    name="Dietterich's 5×2 cv paired t-test",
    depends="It is conservative for independent values (size .028 at .05), and liberal where ρ1 "
    "is large.",
    source="Dietterich 1998; W14 section 5.2; NB section 4, method 3",
    ratio=gaussian.halves,
)
def five_by_two_t(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Dietterich's 5×2 cv paired t-test.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* μ̂_1^(1), variance ΣS_i²/5, reference t with 5 df.

    *Validity.* The estimate is one of ten values and depends on their order; numerator and
    denominator share a repetition, so even for independent Gaussian values the law is not t_5 (size
    .028 at .05).

    *How it errs.* It is conservative for independent values (size .028 at .05), and liberal where
    ρ1 is large. It estimates the expected difference B − A at training size n/2.

    References
    ----------
    Dietterich 1998; W14 section 5.2; NB section 4, method 3. Wang, Y., Wang, R., Jia, H., Li, J.
    (2014). Blocked 3×2 cross-validated t-test for comparing supervised classification learning
    algorithms. Neural Computation 26. Nadeau, C., Bengio, Y. (1999). Inference for the
    generalization error. CIRANO Scientific Series 99s-25. Dietterich, T. G. (1998). Approximate
    statistical tests for comparing supervised classification learning algorithms. Neural
    Computation 10.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.1, 0.1], [0.3, 0.1]]
    >>> round(float(ef.infer.five_by_two_t(d).statistic), 6)
    0.790569
    """
    d = floats(d)
    return Pivot(d[..., 0, 0], within_repetitions(d) / 5, StudentT(5)).test(null, alternative)


@_five(
    name="the 5×2 cv t-test with an independent denominator",
    liberal="It is exact for independent values. For others its variance lacks a factor 1/(1−ρ1).",
    source="NB section 4, method 3, first remedy",
    ratio=gaussian.halves,
)
def five_by_two_t_independent(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Dietterich's test with a denominator that does not share a repetition with the numerator.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* μ̂_1^(1), variance of the last four repetitions ΣS_i²/4, reference t with 4 df.

    *Validity.* It is exact for independent Gaussian values, liberal where ρ1 > 0. It is here for
    comparison only.

    *How it errs.* It is liberal. It is exact for independent values. For others its variance lacks
    a factor 1/(1−ρ1). It estimates the expected difference B − A at training size n/2.

    References
    ----------
    NB section 4, method 3, first remedy. Nadeau, C., Bengio, Y. (1999). Inference for the
    generalization error. CIRANO Scientific Series 99s-25.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.1, 0.1], [0.3, 0.1]]
    >>> round(float(ef.infer.five_by_two_t_independent(d).statistic), 6)
    0.816497
    """
    d = floats(d)
    variance = within_repetitions(d[..., 1:, :]) / 4
    return Pivot(d[..., 0, 0], variance, StudentT(4)).test(null, alternative)


@_five(
    name="the 5×2 cv t-test on the mean of the first repetition",
    liberal="It is exact for independent values. For others its variance lacks a factor "
    "(1+ρ1)/(1−ρ1).",
    source="NB section 4, method 3, second remedy",
    ratio=lambda rho1: gaussian.combined(1, rho1, 0.0),
)
def five_by_two_t_mean(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Dietterich's test on the mean of the first repetition, which is independent of its spread.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* μ̂^(1), variance ½·ΣS_i²/5, reference t with 5 df.

    *Validity.* It is exact for independent Gaussian values, liberal where ρ1 > 0. It is here for
    comparison only.

    *How it errs.* It is liberal. It is exact for independent values. For others its variance lacks
    a factor (1+ρ1)/(1−ρ1). It estimates the expected difference B − A at training size n/2.

    References
    ----------
    NB section 4, method 3, second remedy. Nadeau, C., Bengio, Y. (1999). Inference for the
    generalization error. CIRANO Scientific Series 99s-25.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.1, 0.1], [0.3, 0.1]]
    >>> round(float(ef.infer.five_by_two_t_mean(d).statistic), 6)
    2.236068
    """
    d = floats(d)
    variance = within_repetitions(d) / 10
    return Pivot(mean_last(d[..., 0, :]), variance, StudentT(5)).test(null, alternative)


@_five(
    name="the 5×2 cv t-test with the variance of the other values",
    liberal="It is exact for independent values. For others its variance lacks a factor "
    "1/(1−(ρ1+8ρ2)/9).",
    source="NB section 4, method 3: statistics distributed as t_8",
    ratio=lambda rho1, rho2: 9 / (9 - rho1 - 8 * rho2),
)
def five_by_two_t_others(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Dietterich's test with the variance of all values but the one in the numerator.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    It has eight degrees of freedom.

    *Formula.* μ̂_1^(1), variance of the nine other values, reference t with 8 df.

    *Validity.* It is exact for ten independent Gaussian values, liberal for those of one data set.
    NB say that such a statistic exists and do not write it down; this is the simplest. It is here
    for comparison only.

    *How it errs.* It is liberal. It is exact for independent values. For others its variance lacks
    a factor 1/(1−(ρ1+8ρ2)/9). It estimates the expected difference B − A at training size n/2.

    References
    ----------
    NB section 4, method 3: statistics distributed as t_8. Nadeau, C., Bengio, Y. (1999). Inference
    for the generalization error. CIRANO Scientific Series 99s-25.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.1, 0.1], [0.3, 0.1]]
    >>> round(float(ef.infer.five_by_two_t_others(d).statistic), 6)
    0.787839
    """
    d = floats(d)
    rest = d.reshape(*d.shape[:-2], 10)[..., 1:]
    _, variance = mean_and_variance(rest)
    return Pivot(d[..., 0, 0], variance, StudentT(8)).test(null, alternative)


@_five(
    name="Yıldız's combined 5×2 cv t-test",
    liberal="It is exact for independent values. For others its variance lacks a factor "
    "(1+ρ1+8ρ2)/(1−ρ1).",
    source="Yildiz 2013; R19 section 5.5.2",
    ratio=lambda rho1, rho2: gaussian.combined(5, rho1, rho2),
)
def five_by_two_combined_t(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Yildiz's 5×2 test on the mean of all ten values.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* μ̂, variance (1/10)·ΣS_i²/5, reference t with 5 df.

    *Validity.* It is exact for ten independent Gaussian values, grossly liberal for those of one
    data set. It is here for comparison only; use :func:`mx2_t`.

    *How it errs.* It is liberal. It is exact for independent values. For others its variance lacks
    a factor (1+ρ1+8ρ2)/(1−ρ1). It estimates the expected difference B − A at training size n/2.

    References
    ----------
    Yildiz 2013; R19 section 5.5.2. Wang, R. (2019). Regularized cross-validation methods for
    comparing the predictive performance of supervised learning algorithms (in Chinese). Doctoral
    thesis, Shanxi University.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.1, 0.1], [0.3, 0.1]]
    >>> round(float(ef.infer.five_by_two_combined_t(d).statistic), 6)
    4.5
    """
    d = floats(d)
    return Pivot(mean_mx2(d), within_repetitions(d) / 50, StudentT(5)).test(null, alternative)


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
    name="Alpaydın's combined 5×2 cv F-test",
    valid=FIVE_HALVINGS,
    depends="Its numerator and denominator are dependent. At .05 it errs .0175 for independent "
    "values, .00 to .04 on most populations of the lab, and .19 where the difference is skewed.",
    source="Alpaydin 1999; W14 section 5.4",
)
def five_by_two_f(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> FEstimate:
    """
    Alpaydin's combined 5×2 cv F-test.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    FEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* F = (1/10)ΣΣ(μ̂_k^(i) − Δ)² ÷ (ΣS_i²/5), reference F with 10 and 5 df. The interval
    holds the null values that the test would not reject and is empty, ``(nan, nan)``, where it
    rejects them all.

    *Validity.* The statistic does not have the distribution F_{10,5} even for independent Gaussian
    values (size .0175 at .05): the test is conservative there, and less so where values are
    correlated. It is here for comparison only.

    *How it errs.* Its numerator and denominator are dependent. At .05 it errs .0175 for independent
    values, .00 to .04 on most populations of the lab, and .19 where the difference is skewed. It
    estimates the expected difference B − A at training size n/2.

    References
    ----------
    Alpaydin 1999; W14 section 5.4. Wang, Y., Wang, R., Jia, H., Li, J. (2014). Blocked 3×2
    cross-validated t-test for comparing supervised classification learning algorithms. Neural
    Computation 26. Alpaydin, E. (1999). Combined 5×2 cv F test for comparing supervised
    classification learning algorithms. Neural Computation 11.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.1, 0.1], [0.3, 0.1]]
    >>> e = ef.infer.five_by_two_f(d)
    >>> round(float(e.statistic), 6), round(float(e.pvalue), 6)
    (2.875, 0.127666)
    """
    return _f(floats(d), null, alternative, (10.0, 5.0))


@_f_test(
    name="the calibrated 5×2 cv F-test",
    valid=FIVE_BALANCED,
    depends="It has fewer numerator degrees of freedom than 5x2-f. It errs about as often, .00 to "
    ".04 at .05 on most populations of the lab and .19 where the difference is skewed.",
    source="Wang, Li and Li 2017; Alpaydin 1999",
)
def five_by_two_f_calibrated(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> FEstimate:
    """
    Alpaydin's statistic on a balanced 5×2 cross-validation, against F(7, 5).

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    FEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* The statistic of 5x2-f on balanced halvings, reference F with 7 and 5 df.

    *Validity.* The degrees of freedom were fitted to simulations with halvings whose training sets
    overlap evenly. It is here for comparison only.

    *How it errs.* It has fewer numerator degrees of freedom than 5x2-f. It errs about as often, .00
    to .04 at .05 on most populations of the lab and .19 where the difference is skewed. It
    estimates the expected difference B − A at training size n/2.

    References
    ----------
    Wang, Li and Li 2017; Alpaydin 1999. Alpaydin, E. (1999). Combined 5×2 cv F test for comparing
    supervised classification learning algorithms. Neural Computation 11.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2], [0.1, 0.1], [0.3, 0.1]]
    >>> e = ef.infer.five_by_two_f_calibrated(d)
    >>> round(float(e.statistic), 6), round(float(e.pvalue), 6)
    (2.875, 0.131437)
    """
    return _f(floats(d), null, alternative, (7.0, 5.0))


def _f(d: Floats, null: float, alternative: Alternative, df: tuple[float, float]) -> FEstimate:
    mean, spread = mean_and_v2(d)
    scale = within_repetitions(d) / 5
    numerator = spread + (mean - null) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = numerator / scale
    flat = scale <= (ROUNDING * mean) ** 2
    if is_any_true(flat):
        warn_degenerate(flat, stacklevel=6)
        at_null = numerator <= (ROUNDING * np.maximum(np.abs(mean), abs(null))) ** 2
        spread = np.where(spread <= (ROUNDING * mean) ** 2, 0.0, spread)[()]
        # repetitions differ, but not within: the denominator sees nothing
        blind = flat & (spread > 0)
        statistic = np.where(flat, np.where(at_null | blind, 0.0, np.inf), statistic)[()]
        scale = np.where(blind, np.inf, np.where(flat, 0.0, scale))[()]
    nothing = np.full_like(mean, np.nan)[()]
    return FEstimate(
        value=mean,
        standard_error=nothing,
        statistic=statistic,
        spread=np.sqrt(spread),
        scale=np.sqrt(scale),
        df=df,
        null=null,
        alternative=alternative,
    )
