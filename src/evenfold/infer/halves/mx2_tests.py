"""Tests on the 2m hold-out values of an m×2 design (W14 section 5.5; R19 chapter 5)."""

from functools import partial

from evenfold.core.checks import number, refuse
from evenfold.core.estimate import Floats, StudentT
from evenfold.core.partition import MX2, MX2_BCV
from evenfold.infer._base import Pivot, method
from evenfold.infer._spread import mean_and_between, mean_and_v2, mean_mx2, safe_variance, within
from evenfold.infer._valid import HALVES, THREE_BALANCED
from evenfold.infer.theory import ratios
from evenfold.infer.theory.gaussian import c_hat, c_m, f_m

_halves = partial(method, valid=HALVES)


@_halves(
    depends="one hold-out value with a variance that holds part of it; liberal for large ρ1, else "
    "conservative",
    source="R19 section 5.5 (Dietterich 1998 with m repetitions)",
    ratio=ratios.halves,
)
def mx2_paired_t(d: Floats) -> Pivot:
    """
    Dietterich's test with m repetitions: one hold-out value over the spread of the halves.

    *Formula.* μ̂_1^(1), variance ΣS_i²/m, reference t with m df.

    *Validity.* Its estimate depends on which half came first, and its reference is not exact even for
    independent values. For comparison only; use :func:`mx2_t`.

    >>> round(float(ef.infer.mx2_paired_t([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]).statistic), 6)
    0.707107
    """
    m = d.shape[-2]
    variance = within(d) / m
    return Pivot(d[..., 0, 0], variance, StudentT(m))


@_halves(
    liberal="its variance goes to 0 with more repetitions, that of the mean does not",
    source="R19 section 5.5 (Yildiz 2013 with m repetitions)",
    ratio=ratios.combined,
)
def mx2_combined_t(d: Floats) -> Pivot:
    """
    Yildiz's test with m repetitions: the mean of all, as if all halves were independent.

    *Formula.* μ̂, variance ΣS_i²/(2m²), reference t with m df.

    *Validity.* Liberal: the ratio of the true to the estimated variance is (1+ρ1+2(m−1)ρ2)/(1−ρ1), about m
    where ρ2 is near ½. For comparison only; use :func:`mx2_t`.

    >>> round(float(ef.infer.mx2_combined_t([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]).statistic), 6)
    3.464102
    """
    m = d.shape[-2]
    variance = within(d) / (2 * m**2)
    return Pivot(mean_mx2(d), variance, StudentT(m))


@method(
    valid=THREE_BALANCED,
    depends="with λ = ⅔ liberal where 1+ρ1+4ρ2 exceeds 3, conservative below; λ = 0 may be either",
    source="W14 section 5.5, eqs. 4.1–4.3",
    ratio=ratios.blocked_3x2,
)
def blocked_3x2_t(d: Floats, *, lam: float = 2 / 3) -> Pivot:
    """
    Test the mean of a blocked 3×2 cross-validation.

    *Formula.* μ̂, variance ⅙ΣS_i² + λ·½Σ(μ̂^(i) − μ̂)², reference t with 5 df (3 where λ = 0).

    *Validity.* The ratio of the true to the estimated variance at λ = ⅔ is (1+ρ1+4ρ2)/(5−ρ1−4ρ2): below 1,
    conservative, unless 1+ρ1+4ρ2 > 3. :func:`mx2_t` adds a factor that keeps it below 1 up to ρ = ½.

    >>> d = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]
    >>> [round(float(ef.infer.blocked_3x2_t(d, lam=lam).statistic), 6) for lam in (0, 2 / 3)]
    [2.0, 1.549193]

    Parameters
    ----------
    lam : float, default 2/3
        λ ≥ 0, the weight of the spread between repetitions: W14 use ⅔ and, more cautiously, 4/3; 0 gives
        their "L" estimator.
    """
    lam = number("lam", lam, low=0.0)
    mean, between = mean_and_between(d)
    variance = within(d) / 6 + lam / 2 * between
    reference = StudentT(5 if lam > 0 else 3)
    return Pivot(mean, variance, reference)


@_halves(
    conservative="its variance is right at ρ1 = ρ2 = ½ and too large below, by 3 to 6 times for most "
    "differences",
    source="R19 section 5.2, eqs. 5.32–5.36",
    default_for=(MX2_BCV, MX2),
    joint="t",
    ratio=lambda m, rho1, rho2: (c_m(m, rho1, rho2) / c_hat(m)) ** 2,
)
def mx2_t(d: Floats) -> Pivot:
    """
    Test the mean of an m×2 design with a variance that is safe for correlations up to ½.

    *Formula.* μ̂, variance Ĉ_m²·V2 with V2 = (1/2m)ΣΣ(μ̂_k^(i) − μ̂)² and Ĉ_m² = (2m+1)/(2m−1), reference t
    with 2m − 1 df.

    *Validity.* In the Gaussian model exact at ρ1 = ρ2 = ½ and conservative where both are smaller, except
    near (0, ½), where V2 has only m degrees of freedom (size .056 at the level .05 and .017 at .01 for m = 3,
    .053 and .013 for m = 9). Liberal where ρ2 exceeds ½, as it does for recall.

    >>> e = ef.infer.mx2_t([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]])
    >>> round(float(e.statistic), 6), round(float(e.pvalue), 6)
    (1.309307, 0.247367)
    """
    m = d.shape[-2]
    mean, v2 = mean_and_v2(d)
    return Pivot(mean, safe_variance(v2, m), StudentT(2 * m - 1))


@_halves(
    depends="liberal where 1+ρ1+2(m−1)ρ2 exceeds m, conservative below",
    source="R19 section 5.5.3",
    joint="t",
    ratio=lambda m, rho1, rho2: c_m(m, rho1, rho2) ** 2,
)
def mx2_block_t(d: Floats) -> Pivot:
    """
    Test the mean of an m×2 design with V2 as it is; the blocked 3×2 test for any m.

    *Formula.* μ̂, variance V2 = (1/2m)ΣΣ(μ̂_k^(i) − μ̂)², reference t with 2m − 1 df.

    *Validity.* As :func:`mx2_t` without its factor: liberal for ρ's near ½, by little.

    >>> round(float(ef.infer.mx2_block_t([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]).statistic), 6)
    1.549193
    """
    mean, v2 = mean_and_v2(d)
    reference = StudentT(2 * d.shape[-2] - 1)
    return Pivot(mean, v2, reference)


@_halves(
    depends="knows the correlations, and is near its level: .047 to .058 at .05 on the lab's populations",
    source="R19 theorem 5.2",
)
def mx2_oracle_t(d: Floats, *, rho1: float, rho2: float) -> Pivot:
    """
    Test the mean of an m×2 design whose correlations are known, as they are in the lab.

    *Formula.* μ̂, variance C_m²·V2, reference t with f_m df.

    *Validity.* In the Gaussian model exact at ρ1 = ρ2 and at ρ2 = (1+ρ1)/2, elsewhere nearly so (m = 3,
    (.5, .1): size .045 at .05). No use on real data, where the correlations are unknown.

    >>> e = ef.infer.mx2_oracle_t([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]], rho1=0.0, rho2=0.5)
    >>> round(float(e.statistic), 6), float(e.df)
    (1.549193, 3.0)

    Parameters
    ----------
    rho1, rho2 : float
        Correlation of the halves of one repetition, and across repetitions; ρ2 ≤ (1+ρ1)/2.
    """
    m = d.shape[-2]
    rho1, rho2 = number("rho1", rho1), number("rho2", rho2)
    if not (-1 < rho1 < 1 and -(1 + rho1) / (2 * (m - 1)) < rho2 <= (1 + rho1) / 2):
        refuse("(rho1, rho2)", f"a correlation structure of {m}×2 values", f"({rho1}, {rho2})")
    mean, v2 = mean_and_v2(d)
    variance = c_m(m, rho1, rho2) ** 2 * v2
    reference = StudentT(f_m(m, rho1, rho2))
    return Pivot(mean, variance, reference)
