"""Three estimates of the variance of the mean of an m×2 design (R19 section 5.2)."""

from functools import partial

from evenfold.core.estimate import Estimand, Floats
from evenfold.infer._base import Variance, method
from evenfold.infer._spread import mean_and_between, mean_and_v2, within
from evenfold.infer._valid import HALVES

_variance = partial(
    method,
    valid=HALVES,
    estimand=Estimand(words="variance of the mean μ̂ of an m×2 design"),
)


@_variance(
    depends="sees only the spread of the halves; too small where 1+ρ1+2(m−1)ρ2 exceeds m(1−ρ1)",
    source="R19 section 5.2",
)
def mx2_v1(d: Floats) -> Variance:
    """
    V1 = (1/2m)·ΣS_i², from the spread of the two halves of each repetition.

    *Validity.* E V1 = σ²(1−ρ1)/2 whatever m, while Var μ̂ = σ²(1+ρ1+2(m−1)ρ2)/(2m): too large for small
    ρ's, too small for large ones. No unbiased estimate exists (R19 theorem 5.1).

    >>> round(float(ef.infer.mx2_v1([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]).value), 6)
    0.01
    """
    bias = "σ²[m(1−ρ1) − (1+ρ1+2(m−1)ρ2)]/(2m)"
    return Variance(within(d) / (2 * d.shape[-2]), bias)


@_variance(
    conservative="too large unless 1+ρ1+2(m−1)ρ2 exceeds m",
    source="R19 section 5.2, eq. 5.12",
    recommended=True,
)
def mx2_v2(d: Floats) -> Variance:
    """
    V2 = (1/2m)·ΣΣ(μ̂_k^(i) − μ̂)², from the spread of all 2m values; the one the tests use.

    *Validity.* E V2 = σ²[2m − (1+ρ1+2(m−1)ρ2)]/(2m): conservative as long as 1+ρ1+2(m−1)ρ2 < m.

    >>> round(float(ef.infer.mx2_v2([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]).value), 6)
    0.016667
    """
    return Variance(mean_and_v2(d)[1], "σ²[m − (1+ρ1+2(m−1)ρ2)]/m")


@_variance(conservative="too large unless ρ2 exceeds ½", source="R19 section 5.2")
def mx2_v3(d: Floats) -> Variance:
    """
    V3 = V1 + (m+1)/(m(m−1))·Σ(μ̂^(i) − μ̂)², with more weight on the spread between repetitions.

    *Validity.* Its bias σ²(1−2ρ2) does not depend on ρ1 or m: conservative for every ρ2 below ½, and
    unbiased at ½. It is more variable than V2 where repetitions differ little.

    >>> round(float(ef.infer.mx2_v3([[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]).value), 6)
    0.023333
    """
    m = d.shape[-2]
    value = within(d) / (2 * m) + (m + 1) / (m * (m - 1)) * mean_and_between(d)[1]
    return Variance(value, "σ²(1 − 2ρ2)")
