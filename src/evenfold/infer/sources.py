"""
Data from several sources, one left out at a time: two questions, two variances (G13).

*A new source*: sources are a sample, and the spread of their means is the variance (``sources-new-t``).
*These K sources*: only the losses within each source vary (``sources-these-t``, variance
``sources-theta-b``). G13 mixes the two; as sources grow the second variance goes to 0 while the first does
not. The four naive estimators of G13 table 1 are kept for contrast.

G13 assumes sources of equal size. Here μ̂ is the mean of the source means; s_k^σ, s_k^ω and s_kl^γ are moments
of single sources and pairs, so table 1, θA and θB carry over to any sizes M_k, with S_k²/M_k in the place of
(s_k^σ − s_k^ω)/M.
"""

from typing import Any

from evenfold.core.checks import integer, refuse
from evenfold.core.estimate import PivotEstimate, StudentT, VarianceEstimate
from evenfold.infer._blocks import blocks, variance
from evenfold.infer._registry import method
from evenfold.infer._result import pivot

_DESIGNS = ("sources",)
_SIZE = "K − 1 of the K sources"
_ESTIMAND = "variance of the leave-one-source-out estimate for these K sources"


@method(
    "sources-new-t",
    designs=_DESIGNS,
    inputs=("blocks",),
    estimand="expected difference B − A on a new source",
    training_size=_SIZE,
    leaning="liberal",
    why="sources share training data, so their means move together; much for errors, little for differences",
    source="G13 table 1, θ^γ, read as S²(ē_k)/K",
    recommended=True,
)
def sources_new_t(losses: Any, *, null: float = 0.0, alternative: str = "two-sided") -> PivotEstimate:
    """
    Test the mean on a new source, with the spread of the source means.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per source.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean of the source means, variance S²(ē_k)/K, reference t with K − 1 df.

    Notes
    -----
    *Validity.* The answer for a source not seen yet, if the K sources are a random sample: coverage
    .95/.95/.94 of nominal .95 at K = 10 and 50/200/2000 examples per source, where θA with z covers
    .81/.59/.20 and θB with t .96/.81/.33. That is for independent source means. Sources share training data:
    on product reviews and in a made world the error of an algorithm was covered .88 to .93 of the time, a
    difference .93 to .95; :func:`sources_new_corrected_t` covered .96 to .99. G13 call this
    variance naive because it does not vanish as sources grow: it must not. Every source counts the same,
    whatever its size.

    References
    ----------
    Geras and Sutton (2013), table 1.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.sources_new_t([[0.1, 0.3], [0.5, 0.9, 0.7], [0.4]])
    >>> round(float(e.value), 6), round(float(e.pvalue), 6), e.df
    (0.433333, 0.096438, 2)
    """
    b = blocks(losses, smallest=1)
    return pivot(
        "sources-new-t", b.estimate, b.between / b.K, StudentT(b.K - 1), null=null, alternative=alternative
    )


@method(
    "sources-these-t",
    designs=_DESIGNS,
    inputs=("blocks",),
    estimand="expected difference B − A averaged over these sources,",
    training_size=_SIZE,
    leaning="depends",
    why="θB has a bias of either sign; right for these sources, far too narrow for a new one",
    source="G13 eq. 12, θB, as a test",
    recommended=True,
)
def sources_these_t(losses: Any, *, null: float = 0.0, alternative: str = "two-sided") -> PivotEstimate:
    """
    Test the mean over these K sources, as if no other source will ever matter.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k), M_k ≥ 2
        Per-example losses, or differences B − A, one array per source.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean of the source means, variance θB = 2W, reference t with Welch's degrees of freedom of
        W = (1/K²)·Σ S_k²/M_k.

    Notes
    -----
    *Validity.* About new examples of *these* sources, each predicted by a model trained on the K − 1 others.
    For a new source it is liberal without limit: the interval shrinks to a point as the sources grow, while
    sources go on to differ. Use :func:`sources_new_t` there. For these sources it leans as θB does: on
    product reviews, 25 to 400 per source, it covered .954 to .985 for errors, .980 to .993 for differences.

    References
    ----------
    Geras and Sutton (2013), eq. 12.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.sources_these_t([[0.1, 0.3], [0.5, 0.9, 0.7], [0.4, 0.6]])
    >>> round(float(e.value), 6), round(float(e.standard_error), 6), round(float(e.df), 6)
    (0.466667, 0.086066, 3.846154)
    """
    b = blocks(losses, smallest=2)
    return pivot(
        "sources-these-t", b.estimate, 2 * b.within, StudentT(b.within_df), null=null, alternative=alternative
    )


@method(
    "sources-theta-a",
    family="variance",
    designs=_DESIGNS,
    inputs=("blocks",),
    estimand=_ESTIMAND,
    training_size=_SIZE,
    leaning="liberal",
    why="sees no covariance at all",
    source="G13 eq. 11, θA",
    recommended=False,
)
def sources_theta_a(losses: Any) -> VarianceEstimate:
    """
    θA = (1/K²)·Σ S_k²/M_k, as if all losses of these sources were independent.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k), M_k ≥ 2
        Per-example losses, or differences B − A, one array per source.

    Notes
    -----
    *Validity.* About these K sources, not about a new one. Bias −Σω_k/K² − Σ_{k≠l}γ_kl/K², negative in
    practice: liberal. It vanishes as the sources grow.

    References
    ----------
    Geras and Sutton (2013), eq. 11.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.sources_theta_a([[0.1, 0.3], [0.5, 0.9, 0.7]]).value), 6)
    0.005833
    """
    return variance("sources-theta-a", blocks(losses, smallest=2).within, "−Σω_k/K² − Σ_{k≠l}γ_kl/K²")


@method(
    "sources-theta-b",
    family="variance",
    designs=_DESIGNS,
    inputs=("blocks",),
    estimand=_ESTIMAND,
    training_size=_SIZE,
    leaning="depends",
    why="terms of both signs in its bias; right order for these K sources, far too small for a new one",
    source="G13 eq. 12, θB",
    recommended=True,
)
def sources_theta_b(losses: Any) -> VarianceEstimate:
    """
    θB = 2·θA, whose bias has terms of both signs.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k), M_k ≥ 2
        Per-example losses, or differences B − A, one array per source.

    Notes
    -----
    *Validity.* About these K sources: for a new one use :func:`sources_new_t`. Bias
    (1/K²)·[Σ(σ_k²−ω_k)/M_k − Σω_k − Σ_{k≠l}γ_kl], which for equal sizes is G13's
    (1/K²M)·[Σσ_k² − (M+1)Σω_k − MΣγ_kl]: usually smaller than that of θA, of either sign.

    References
    ----------
    Geras and Sutton (2013), eq. 12.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.sources_theta_b([[0.1, 0.3], [0.5, 0.9, 0.7]]).value), 6)
    0.011667
    """
    bias = "(1/K²)·[Σ(σ_k²−ω_k)/M_k − Σω_k − Σ_{k≠l}γ_kl]"
    return variance("sources-theta-b", 2 * blocks(losses, smallest=2).within, bias)


@method(
    "sources-theta-omega1",
    family="variance",
    designs=_DESIGNS,
    inputs=("blocks",),
    arguments=("source",),
    estimand=_ESTIMAND,
    training_size=_SIZE,
    leaning="depends",
    why="its bias holds the squared mean loss of one source against the others",
    source="G13 table 1, line 1",
    recommended=False,
)
def sources_theta_omega1(losses: Any, *, source: int = 0) -> VarianceEstimate:
    """
    θ^ω_k = μ̂² − s_k^ω, right if all means are equal and losses of the one source k are uncorrelated.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k), M_k ≥ 2
        Per-example losses, or differences B − A, one array per source.
    source : int
        The source k, from 0.

    Notes
    -----
    *Validity.* For comparison only. Bias −ω_k + (Σμ_l/K)² − μ_k², dominated by the means; may be negative.

    References
    ----------
    Geras and Sutton (2013), table 1.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.sources_theta_omega1([[0.1, 0.3], [0.5, 0.9, 0.7]], source=0).value), 6)
    0.1725
    """
    b = blocks(losses, smallest=2)
    k = integer("source", source, low=0, high=b.K - 1)
    value = b.estimate**2 - b.product_within[..., k]
    return variance("sources-theta-omega1", value, "−ω_k + (Σ_l μ_l/K)² − μ_k²")


@method(
    "sources-theta-gamma1",
    family="variance",
    designs=_DESIGNS,
    inputs=("blocks",),
    arguments=("pair",),
    estimand=_ESTIMAND,
    training_size=_SIZE,
    leaning="depends",
    why="its bias holds the product of the mean losses of two sources against the others",
    source="G13 table 1, line 2",
    recommended=False,
)
def sources_theta_gamma1(losses: Any, *, pair: tuple[int, int] = (0, 1)) -> VarianceEstimate:
    """
    θ^γ_kl = μ̂² − ē_k·ē_l, right if all means are equal and the one pair of sources k, l is uncorrelated.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per source.
    pair : pair of int
        Two different sources k and l, from 0.

    Notes
    -----
    *Validity.* For comparison only. Bias −γ_kl + (Σμ_j/K)² − μ_k·μ_l, dominated by the means; may be
    negative.

    References
    ----------
    Geras and Sutton (2013), table 1.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.sources_theta_gamma1([[0.1, 0.3], [0.5, 0.9, 0.7]], pair=(0, 1)).value), 6)
    0.0625
    """
    b = blocks(losses, smallest=1)
    try:
        sources = [integer("pair", source, low=0, high=b.K - 1) for source in pair]
    except TypeError:
        sources = []
    if len(set(sources)) != 2 or len(sources) != 2:
        refuse("pair", "two different sources", pair)
    value = b.estimate**2 - b.means[..., sources].prod(axis=-1)
    return variance("sources-theta-gamma1", value, "−γ_kl + (Σ_j μ_j/K)² − μ_k·μ_l")


@method(
    "sources-theta-omega",
    family="variance",
    designs=_DESIGNS,
    inputs=("blocks",),
    estimand=_ESTIMAND,
    training_size=_SIZE,
    leaning="liberal",
    why="subtracts the spread of the source means; mostly negative where sources differ",
    source="G13 table 1, line 3",
    recommended=False,
)
def sources_theta_omega(losses: Any) -> VarianceEstimate:
    """
    θ^ω = μ̂² − Σ s_k^ω/K, right if all means are equal and losses of one source are uncorrelated.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k), M_k ≥ 2
        Per-example losses, or differences B − A, one array per source.

    Notes
    -----
    *Validity.* For comparison only. Bias −Σω_k/K − (K−1)/K·S²(μ_k), with S² the sample variance of the true
    means of the sources: negative wherever they differ. The same algebra as :func:`cv_theta2`.

    References
    ----------
    Geras and Sutton (2013), table 1.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.sources_theta_omega([[0.1, 0.3], [0.5, 0.9, 0.7]]).value), 6)
    -0.050833
    """
    value = blocks(losses, smallest=2).without_omega
    return variance("sources-theta-omega", value, "−Σω_k/K − (K−1)/K·S²(μ_k)")


@method(
    "sources-theta-gamma",
    family="variance",
    designs=_DESIGNS,
    inputs=("blocks",),
    estimand=_ESTIMAND,
    training_size=_SIZE,
    leaning="conservative",
    why="holds the spread between sources, which is no variance of the estimate for these sources",
    source="G13 table 1, line 4",
    recommended=False,
)
def sources_theta_gamma(losses: Any) -> VarianceEstimate:
    """
    θ^γ = S²(ē_k)/K, right for these sources if all means are equal and sources are uncorrelated.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per source.

    Notes
    -----
    *Validity.* As a variance for these K sources its bias is −mean γ_kl + S²(μ_k)/K, with S² the sample
    variance of the true means of the sources: it does not vanish as sources grow. For a *new* source that
    term belongs to the variance and this is the right one: see :func:`sources_new_t`.

    References
    ----------
    Geras and Sutton (2013), table 1.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.sources_theta_gamma([[0.1, 0.3], [0.5, 0.9, 0.7]]).value), 6)
    0.0625
    """
    b = blocks(losses, smallest=1)
    return variance("sources-theta-gamma", b.between / b.K, "−Σ_{k≠l}γ_kl/(K(K−1)) + S²(μ_k)/K")
