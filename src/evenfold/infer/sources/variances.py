"""
Sources, one left out at a time: two questions, two variances (G13).

*A new source*: sources are a sample, and the spread of their means is the variance (``sources-new-t``).
*These K sources*: only the losses within each source vary (``sources-these-t``, variance
``sources-theta-b``). G13 mixes the two; as sources grow the second variance goes to 0 while the first does
not. The four naive estimators of G13 table 1 are kept for contrast.

G13 assumes sources of equal size. Here μ̂ is the mean of the source means; s_k^σ, s_k^ω and s_kl^γ are moments
of single sources and pairs, so table 1, θA and θB carry over to any sizes M_k, with S_k²/M_k in the place of
(s_k^σ − s_k^ω)/M.
"""

from functools import partial

from evenfold.core.checks import integer, refuse
from evenfold.core.estimate import Estimand, Floats
from evenfold.infer._base import Variance, method
from evenfold.infer._blocks import summed
from evenfold.infer._valid import EACH_SOURCE
from evenfold.infer.inputs import Blocks

_variance = partial(
    method,
    valid=EACH_SOURCE,
    estimand=Estimand(
        words="variance of the leave-one-source-out estimate for these K sources",
        varied="examples of these sources",
    ),
)


@_variance(liberal="sees no covariance at all", source="G13 eq. 11, θA")
def sources_theta_a(losses: list[Floats]) -> Variance:
    """
    θA = (1/K²)·Σ S_k²/M_k, as if all losses of these sources were independent.

    *Validity.* About these K sources, not about a new one. Bias −Σω_k/K² − Σ_{k≠l}γ_kl/K², negative in
    practice: liberal. It vanishes as the sources grow.

    >>> round(float(ef.infer.sources_theta_a([[0.1, 0.3], [0.5, 0.9, 0.7]]).value), 6)
    0.005833
    """
    return Variance(summed(losses).within, "−Σω_k/K² − Σ_{k≠l}γ_kl/K²")


@_variance(
    depends="terms of both signs in its bias; right order for these K sources, far too small for a new one",
    source="G13 eq. 12, θB",
    recommended=True,
)
def sources_theta_b(losses: list[Floats]) -> Variance:
    """
    θB = 2·θA, whose bias has terms of both signs.

    *Validity.* About these K sources: for a new one use :func:`sources_new_t`. Bias
    (1/K²)·[Σ(σ_k²−ω_k)/M_k − Σω_k − Σ_{k≠l}γ_kl], which for equal sizes is G13's
    (1/K²M)·[Σσ_k² − (M+1)Σω_k − MΣγ_kl]: usually smaller than that of θA, of either sign.

    >>> round(float(ef.infer.sources_theta_b([[0.1, 0.3], [0.5, 0.9, 0.7]]).value), 6)
    0.011667
    """
    bias = "(1/K²)·[Σ(σ_k²−ω_k)/M_k − Σω_k − Σ_{k≠l}γ_kl]"
    return Variance(2 * summed(losses).within, bias)


@_variance(
    depends="its bias holds the squared mean loss of one source against the others",
    source="G13 table 1, line 1",
    arguments=("source",),
)
def sources_theta_omega1(losses: list[Floats], *, source: int = 0) -> Variance:
    """
    θ^ω_k = μ̂² − s_k^ω, right if all means are equal and losses of the one source k are uncorrelated.

    *Validity.* For comparison only. Bias −ω_k + (Σμ_l/K)² − μ_k², dominated by the means; may be negative.

    >>> round(float(ef.infer.sources_theta_omega1([[0.1, 0.3], [0.5, 0.9, 0.7]], source=0).value), 6)
    0.1725

    Parameters
    ----------
    source : int
        The source k, from 0.
    """
    b = summed(losses)
    k = integer("source", source, low=0, high=b.K - 1)
    value = b.estimate**2 - b.product_within[..., k]
    return Variance(value, "−ω_k + (Σ_l μ_l/K)² − μ_k²")


@_variance(
    takes=Blocks(smallest=1),
    depends="its bias holds the product of the mean losses of two sources against the others",
    source="G13 table 1, line 2",
    arguments=("pair",),
)
def sources_theta_gamma1(losses: list[Floats], *, pair: tuple[int, int] = (0, 1)) -> Variance:
    """
    θ^γ_kl = μ̂² − ē_k·ē_l, right if all means are equal and the one pair of sources k, l is uncorrelated.

    *Validity.* For comparison only. Bias −γ_kl + (Σμ_j/K)² − μ_k·μ_l, dominated by the means; may be
    negative.

    >>> round(float(ef.infer.sources_theta_gamma1([[0.1, 0.3], [0.5, 0.9, 0.7]], pair=(0, 1)).value), 6)
    0.0625

    Parameters
    ----------
    pair : pair of int
        Two different sources k and l, from 0.
    """
    b = summed(losses)
    try:
        sources = [integer("pair", source, low=0, high=b.K - 1) for source in pair]
    except TypeError:
        sources = []
    if len(set(sources)) != 2 or len(sources) != 2:
        refuse("pair", "two different sources", pair)
    value = b.estimate**2 - b.means[..., sources].prod(axis=-1)
    return Variance(value, "−γ_kl + (Σ_j μ_j/K)² − μ_k·μ_l")


@_variance(
    liberal="subtracts the spread of the source means; mostly negative where sources differ",
    source="G13 table 1, line 3",
)
def sources_theta_omega(losses: list[Floats]) -> Variance:
    """
    θ^ω = μ̂² − Σ s_k^ω/K, right if all means are equal and losses of one source are uncorrelated.

    *Validity.* For comparison only. Bias −Σω_k/K − (K−1)/K·S²(μ_k), with S² the sample variance of the true
    means of the sources: negative wherever they differ. The same algebra as :func:`cv_theta2`.

    >>> round(float(ef.infer.sources_theta_omega([[0.1, 0.3], [0.5, 0.9, 0.7]]).value), 6)
    -0.050833
    """
    value = summed(losses).without_omega
    return Variance(value, "−Σω_k/K − (K−1)/K·S²(μ_k)")


@_variance(
    takes=Blocks(smallest=1),
    conservative="holds the spread between sources, which is no variance of the estimate for these sources",
    source="G13 table 1, line 4",
)
def sources_theta_gamma(losses: list[Floats]) -> Variance:
    """
    θ^γ = S²(ē_k)/K, right for these sources if all means are equal and sources are uncorrelated.

    *Validity.* As a variance for these K sources its bias is −mean γ_kl + S²(μ_k)/K, with S² the sample
    variance of the true means of the sources: it does not vanish as sources grow. For a *new* source that
    term belongs to the variance and this is the right one: see :func:`sources_new_t`.

    >>> round(float(ef.infer.sources_theta_gamma([[0.1, 0.3], [0.5, 0.9, 0.7]]).value), 6)
    0.0625
    """
    b = summed(losses)
    return Variance(b.between / b.K, "−Σ_{k≠l}γ_kl/(K(K−1)) + S²(μ_k)/K")
