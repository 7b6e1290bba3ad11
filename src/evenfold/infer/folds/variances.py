"""
Five estimates of the variance of a K-fold estimate from per-example losses (G13 table 2, 5).

With random folds the losses have only three covariances: σ² (a loss with itself), ω (two losses of
one fold) and γ (two losses of different folds), and Var μ̂ = hσ² + (1/K − h)ω + (1 − 1/K)γ with h =
(1/K²)·Σ 1/M_k, which is 1/N for equal folds. No unbiased estimate exists (Bengio and Grandvalet
2004), so each of these trades one bias for another.

G13 assumes equal folds. Here μ̂ is the mean of the fold means, whatever their sizes M_k, and every
estimate is written in two statistics: S²(ē_k), whose mean is Kh(σ² − ω) + ω − γ, and W = (1/K²)·Σ
S_k²/M_k, whose mean is h(σ² − ω). For equal folds that is G13's table 2 rewritten; for unequal ones
all five biases stay.
"""

from functools import partial

from evenfold.core.estimate import Estimand, Floats
from evenfold.infer._arrays import sum_blocks
from evenfold.infer._base import Variance, method
from evenfold.infer._registry import LARGE_FOLDS
from evenfold.infer.inputs import Blocks

_variance = partial(
    method,
    valid=LARGE_FOLDS,
    estimand=Estimand(words="variance of the K-fold estimate"),
)


@_variance(
    takes=Blocks(smallest=1),
    conservative="it is μ̂² itself, right only if the mean loss is 0",
    source="G13 table 2, θ1 (Grandvalet and Bengio 2006)",
)
def cv_theta1(losses: list[Floats]) -> Variance:
    """
    θ1 = μ̂²: right if the mean loss is 0, useless otherwise.

    *Validity.* Bias μ². For a loss that is grossly conservative; for a difference of two equal
    algorithms it is unbiased, with one degree of freedom. In G13's moments s1/N + (M−1)s2/N +
    (N−M)s3/N.

    >>> round(float(ef.infer.cv_theta1([[0.1, 0.3], [0.2, 0.4, 0.0]]).value), 6)
    0.04
    """
    return Variance(sum_blocks(losses).estimate ** 2, "μ²")


@_variance(
    liberal="right only if two losses of one fold are uncorrelated; too small if ω > 0, and may "
    "be negative",
    source="G13 table 2, θ2 (Grandvalet and Bengio 2006)",
)
def cv_theta2(losses: list[Floats]) -> Variance:
    """
    θ2 = K·W − (1 − 1/K)·S²(ē_k): right if losses of one fold are uncorrelated.

    *Validity.* Bias −ω: liberal where losses of one fold are positively correlated, and often
    negative. For equal folds s1/N − (N+1−M)s2/N + (N−M)s3/N; here W = (1/K²)·Σ S_k²/M_k for any
    fold sizes.

    >>> round(float(ef.infer.cv_theta2([[0.1, 0.3], [0.2, 0.4, 0.0]]).value), 6)
    0.011667
    """
    return Variance(sum_blocks(losses).without_omega, "−ω")


@_variance(
    takes=Blocks(smallest=1),
    liberal="right only if losses of different folds are uncorrelated; too small if γ > 0",
    source="G13 table 2, θ3 (Grandvalet and Bengio 2006)",
)
def cv_theta3(losses: list[Floats]) -> Variance:
    """
    θ3 = S²(ē_k)/K: right if losses of different folds are uncorrelated.

    The variance of ``kfold-t``.

    *Validity.* Bias −γ: liberal where losses of different folds are positively correlated, as they
    usually are because training sets overlap. For equal folds s1/N + (M−1)s2/N − M·s3/N; the form
    S²(ē_k)/K and its bias hold for any fold sizes.

    >>> round(float(ef.infer.cv_theta3([[0.1, 0.3], [0.3, 0.5, 0.1]]).value), 6)
    0.0025
    """
    b = sum_blocks(losses)
    return Variance(b.between / b.K, "−γ")


@_variance(
    liberal="treats all losses as independent; too small if ω and γ are positive",
    source="G13 table 2, θ4 (Grandvalet and Bengio 2006)",
)
def cv_theta4(losses: list[Floats]) -> Variance:
    """
    θ4 = W = (1/K²)·Σ S_k²/M_k.

    The pooled within-fold variance over N, as if all losses were independent.

    *Validity.* Bias −ω/K − (K−1)γ/K: liberal where losses are positively correlated. It is the
    least variable of the five. For equal folds (s1−s2)/N; for unequal ones W, the variance of a
    stratified mean, keeps the bias.

    >>> round(float(ef.infer.cv_theta4([[0.1, 0.3], [0.3, 0.5, 0.1]]).value), 6)
    0.005833
    """
    return Variance(sum_blocks(losses).within, "−ω/K − (K−1)γ/K")


@_variance(
    depends="its bias ω − 2γ is small if ω and γ are; very variable, and may be negative",
    source="G13 section 5, θ5",
    recommended=True,
)
def cv_theta5(losses: list[Floats]) -> Variance:
    """
    θ5 = (1 + 1/K)·S²(ē_k) − K·W: the smallest bias where ω and γ are of one size.

    *Validity.* Bias ω − 2γ, which G13 find to be small in practice. The price is variance: S²(ē_k)
    has K − 1 df and is weighted K + 1 times as much as in θ3, so single values scatter widely and
    are often negative. Fit for averages over many data sets, not for an interval on one. For equal
    folds s1/N + (N+M−1)s2/N − (N+M)s3/N; the form above and its bias hold for any fold sizes.

    >>> e = ef.infer.cv_theta5([[0.1, 0.3], [0.5, 0.9, 0.7]])
    >>> round(float(e.value), 6), e.bias
    (0.175833, 'ω − 2γ')
    """
    b = sum_blocks(losses)
    return Variance((1 + 1 / b.K) * b.between - b.K * b.within, "ω − 2γ")
