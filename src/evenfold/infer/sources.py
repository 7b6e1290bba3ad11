"""
The mean on a new source: sources are a sample, and the spread of their means is the variance (G13).

``sources-new-t`` takes the source means as independent; ``sources-new-corrected-t`` allows for
training data that they share, as Nadeau and Bengio do for splits.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

from evenfold.core.checks import integer, refuse_value
from evenfold.core.estimate import Alternative, Estimand, PivotEstimate, StudentT, VarianceEstimate
from evenfold.core.partition import SOURCES
from evenfold.infer._arrays import ArrayLike, sum_blocks
from evenfold.infer._base import Pivot, mean_t, method
from evenfold.infer._designs import EACH_SOURCE
from evenfold.infer.folds.tests import corrected_mean
from evenfold.infer.inputs import BlockMeans, Blocks

_new = partial(
    method,
    valid=EACH_SOURCE,
    takes=BlockMeans(),
    estimand=Estimand(of="on a new source", varied="sources"),
    recommended=True,
    joint="t",
)


@_new(
    name="the t-test on the means of the groups",
    liberal="The sources share training data, so their means move together: much for errors, "
    "little for differences.",
    source="G13 table 1, θ^γ, read as S²(ē_k)/K",
    default_for=(SOURCES,),
)
def sources_new_t(
    losses: Sequence[ArrayLike], *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean on a new source, with the spread of the source means.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per fold or source.
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
    *Formula.* Mean of the source means, variance S²(ē_k)/K, reference t with K − 1 df.

    *Validity.* The answer is about a source not seen yet, if the K sources are a random sample. For
    independent source means the coverage is .95/.95/.94 of nominal .95 at K = 10 and 50/200/2000
    examples per source, where θA with z covers .81/.59/.20 and θB with t .96/.81/.33. But sources
    share training data: on product reviews and in a simulated population the error of an algorithm
    was covered .88 to .93 of the time, a difference .93 to .96, and
    :func:`sources_new_corrected_t` covered .96 to .99. G13 call this variance naive because it does
    not vanish as sources grow, but it must not vanish. Every source counts the same, whatever its
    size.

    *How it errs.* It is liberal. The sources share training data, so their means move together:
    much for errors, little for differences. It estimates the expected difference B − A on a new
    source at training size K − 1 of the K sources.

    References
    ----------
    G13 table 1, θ^γ, read as S²(ē_k)/K. Geras, K. J., Sutton, C. (2013). Multiple-source
    cross-validation. ICML.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.sources_new_t([[0.1, 0.3], [0.5, 0.9, 0.7], [0.4]])
    >>> round(float(e.value), 6), round(float(e.pvalue), 6), e.df
    (0.433333, 0.096438, 2)
    """
    return mean_t(sum_blocks(losses).means).test(null, alternative)


@_new(
    name="the corrected t-test on the means of the groups",
    conservative="It assumes that two source means are correlated by 1/K, which is mostly too "
    "much.",
    source="NB section 4, ρ = n2/(n1+n2), on the source means of G13",
)
def sources_new_corrected_t(
    losses: Sequence[ArrayLike], *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean on a new source, allowing for training data that the sources share.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per fold or source.
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
    *Formula.* Mean of the source means, variance S²(ē_k)·(1/K + 1/(K − 1)), reference t with K − 1
    df.

    *Validity.* The answer is about a source not seen yet, like :func:`sources_new_t`, whose
    interval it widens by a factor of little more than √2. On product reviews and in a simulated
    population it covered .956 to .991 where that one covered .88 to .96. The correction guesses
    that the correlation is 1/K, the share of one source in the data; it does not estimate it.

    *How it errs.* It is conservative. It assumes that two source means are correlated by 1/K, which
    is mostly too much. It estimates the expected difference B − A on a new source at training size
    K − 1 of the K sources.

    References
    ----------
    NB section 4, ρ = n2/(n1+n2), on the source means of G13. Geras, K. J., Sutton, C. (2013).
    Multiple-source cross-validation. ICML. Nadeau, C., Bengio, Y. (1999). Inference for the
    generalization error. CIRANO Scientific Series 99s-25.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.sources_new_corrected_t([[0.1, 0.3], [0.5, 0.9, 0.7], [0.4]])
    >>> round(float(e.value), 6), round(float(e.pvalue), 6), e.df
    (0.433333, 0.199905, 2)
    """
    return corrected_mean(sum_blocks(losses).means).test(null, alternative)


@method(
    name="the t-test on these groups alone",
    valid=EACH_SOURCE,
    estimand=Estimand(of="averaged over these sources,", varied="examples of these sources"),
    depends="The variance estimator θB has a bias of either sign. The test is right for these "
    "sources, and its intervals are far too narrow for a new one.",
    source="G13 eq. 12, θB, as a test",
    recommended=True,
)
def sources_these_t(
    losses: Sequence[ArrayLike], *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean over these K sources, as if no other source will ever matter.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per fold or source.
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
    *Formula.* Mean of the source means, variance θB = 2W, reference t with Welch's degrees of
    freedom of W = (1/K²)·Σ S_k²/M_k.

    *Validity.* The answer is about new examples of *these* sources, each predicted by a model
    trained on the K − 1 others. For a new source it is liberal without limit: the interval shrinks
    to a point as the sources grow, while sources go on to differ. Use :func:`sources_new_t` there.
    For these sources it errs as θB does: on product reviews, 25 to 400 per source, it covered .954
    to .985 for errors, .980 to .993 for differences.

    *How it errs.* The variance estimator θB has a bias of either sign. The test is right for these
    sources, and its intervals are far too narrow for a new one. It estimates the expected
    difference B − A averaged over these sources, at training size K − 1 of the K sources.

    References
    ----------
    G13 eq. 12, θB, as a test. Geras, K. J., Sutton, C. (2013). Multiple-source cross-validation.
    ICML.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.sources_these_t([[0.1, 0.3], [0.5, 0.9, 0.7], [0.4, 0.6]])
    >>> round(float(e.value), 6), round(float(e.standard_error), 6), round(float(e.df), 6)
    (0.466667, 0.086066, 3.846154)
    """
    b = sum_blocks(losses)
    return Pivot(b.estimate, 2 * b.within, StudentT(b.within_df)).test(null, alternative)


@method(
    name="the t-test on all losses of the groups",
    valid=EACH_SOURCE,
    estimand=Estimand(of="averaged over these sources,", varied="examples of these sources"),
    liberal="It sees no covariance at all.",
    source="G13 eq. 11, θA, as a test",
)
def sources_theta_a_t(
    losses: Sequence[ArrayLike], *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean over these K sources, as if all losses were independent.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per fold or source.
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
    *Formula.* Mean of the source means, variance θA = W = (1/K²)·Σ S_k²/M_k, reference t with
    Welch's degrees of freedom of W.

    *Validity.* It is liberal: losses of one source share a model, and models share training
    sources. :func:`sources_these_t` is the same with twice the variance, θB; :func:`sources_new_t`
    is about a new source. It is here for comparison only.

    *How it errs.* It is liberal. It sees no covariance at all. It estimates the expected difference
    B − A averaged over these sources, at training size K − 1 of the K sources.

    References
    ----------
    G13 eq. 11, θA, as a test. Geras, K. J., Sutton, C. (2013). Multiple-source cross-validation.
    ICML.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.sources_theta_a_t([[0.1, 0.3], [0.5, 0.9, 0.7], [0.4, 0.6]])
    >>> round(float(e.value), 6), round(float(e.standard_error), 6)
    (0.466667, 0.060858)
    """
    b = sum_blocks(losses)
    return Pivot(b.estimate, b.within, StudentT(b.within_df)).test(null, alternative)


_variance = partial(
    method,
    valid=EACH_SOURCE,
    estimand=Estimand(
        words="variance of the leave-one-source-out estimate for these K sources",
        varied="examples of these sources",
    ),
)


@_variance(liberal="It sees no covariance at all.", source="G13 eq. 11, θA")
def sources_theta_a(losses: Sequence[ArrayLike]) -> VarianceEstimate:
    """
    θA = (1/K²)·Σ S_k²/M_k, as if all losses of these sources were independent.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per fold or source.

    Returns
    -------
    VarianceEstimate
        The estimated variance, and its bias in words.

    Notes
    -----
    *Validity.* The answer is about these K sources, not about a new one. Its bias is −Σω_k/K² −
    Σ_{k≠l}γ_kl/K², negative in practice: liberal. It vanishes as the sources grow.

    *How it errs.* It is liberal. It sees no covariance at all. It estimates the variance of the
    leave-one-source-out estimate for these K sources at training size K − 1 of the K sources.

    References
    ----------
    G13 eq. 11, θA. Geras, K. J., Sutton, C. (2013). Multiple-source cross-validation. ICML.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.sources_theta_a([[0.1, 0.3], [0.5, 0.9, 0.7]]).value), 6)
    0.005833
    """
    return VarianceEstimate(value=sum_blocks(losses).within, bias="−Σω_k/K² − Σ_{k≠l}γ_kl/K²")


@_variance(
    depends="Its bias has terms of both signs. It has the right order for these K sources, and is "
    "far too small for a new one.",
    source="G13 eq. 12, θB",
    recommended=True,
)
def sources_theta_b(losses: Sequence[ArrayLike]) -> VarianceEstimate:
    """
    θB = 2·θA, whose bias has terms of both signs.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per fold or source.

    Returns
    -------
    VarianceEstimate
        The estimated variance, and its bias in words.

    Notes
    -----
    *Validity.* The answer is about these K sources: for a new one use :func:`sources_new_t`. Its
    bias is (1/K²)·[Σ(σ_k²−ω_k)/M_k − Σω_k − Σ_{k≠l}γ_kl], which for equal sizes is G13's
    (1/K²M)·[Σσ_k² − (M+1)Σω_k − MΣγ_kl]: usually smaller than that of θA, of either sign.

    *How it errs.* Its bias has terms of both signs. It has the right order for these K sources, and
    is far too small for a new one. It estimates the variance of the leave-one-source-out estimate
    for these K sources at training size K − 1 of the K sources.

    References
    ----------
    G13 eq. 12, θB. Geras, K. J., Sutton, C. (2013). Multiple-source cross-validation. ICML.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.sources_theta_b([[0.1, 0.3], [0.5, 0.9, 0.7]]).value), 6)
    0.011667
    """
    bias = "(1/K²)·[Σ(σ_k²−ω_k)/M_k − Σω_k − Σ_{k≠l}γ_kl]"
    return VarianceEstimate(value=2 * sum_blocks(losses).within, bias=bias)


def _one_source(n_splits: int, source: object) -> int:
    return integer("source", source, low=0, high=n_splits - 1)


@_variance(
    depends="Its bias contains the squared mean loss of one source against the others.",
    source="G13 table 1, line 1",
    check=_one_source,
    arguments=("source",),
)
def sources_theta_omega1(losses: Sequence[ArrayLike], *, source: int = 0) -> VarianceEstimate:
    """
    θ^ω_k = μ̂² − s_k^ω, right if means are equal and losses of source k are uncorrelated.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per fold or source.
    source : int
        The source k, from 0.

    Returns
    -------
    VarianceEstimate
        The estimated variance, and its bias in words.

    Notes
    -----
    *Validity.* It is here for comparison only. Its bias is −ω_k + (Σμ_l/K)² − μ_k², dominated by
    the means; may be negative.

    *How it errs.* Its bias contains the squared mean loss of one source against the others. It
    estimates the variance of the leave-one-source-out estimate for these K sources at training size
    K − 1 of the K sources.

    References
    ----------
    G13 table 1, line 1. Geras, K. J., Sutton, C. (2013). Multiple-source cross-validation. ICML.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(
    ...     float(ef.infer.sources_theta_omega1([[0.1, 0.3], [0.5, 0.9, 0.7]], source=0).value), 6
    ... )
    0.1725
    """
    b = sum_blocks(losses)
    k = _one_source(b.K, source)
    value = b.estimate**2 - b.product_within[..., k]
    return VarianceEstimate(value=value, bias="−ω_k + (Σ_l μ_l/K)² − μ_k²")


def _two_sources(n_splits: int, pair: Any) -> list[int]:
    try:
        sources = [integer("pair", source, low=0, high=n_splits - 1) for source in pair]
    except TypeError:
        sources = []
    if len(set(sources)) != 2 or len(sources) != 2:
        refuse_value("pair", pair, "two different sources")
    return sources


@_variance(
    takes=Blocks(smallest=1),
    depends="Its bias contains the product of the mean losses of two sources against the others.",
    source="G13 table 1, line 2",
    check=_two_sources,
    arguments=("pair",),
)
def sources_theta_gamma1(
    losses: Sequence[ArrayLike], *, pair: tuple[int, int] = (0, 1)
) -> VarianceEstimate:
    """
    θ^γ_kl = μ̂² − ē_k·ē_l, right if means are equal and sources k, l are uncorrelated.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per fold or source.
    pair : pair of int
        Two different sources k and l, from 0.

    Returns
    -------
    VarianceEstimate
        The estimated variance, and its bias in words.

    Notes
    -----
    *Validity.* It is here for comparison only. Its bias is −γ_kl + (Σμ_j/K)² − μ_k·μ_l, dominated
    by the means; may be negative.

    *How it errs.* Its bias contains the product of the mean losses of two sources against the
    others. It estimates the variance of the leave-one-source-out estimate for these K sources at
    training size K − 1 of the K sources.

    References
    ----------
    G13 table 1, line 2. Geras, K. J., Sutton, C. (2013). Multiple-source cross-validation. ICML.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(
    ...     float(ef.infer.sources_theta_gamma1([[0.1, 0.3], [0.5, 0.9, 0.7]], pair=(0, 1)).value),
    ...     6,
    ... )
    0.0625
    """
    b = sum_blocks(losses)
    sources = _two_sources(b.K, pair)
    value = b.estimate**2 - b.means[..., sources].prod(axis=-1)
    return VarianceEstimate(value=value, bias="−γ_kl + (Σ_j μ_j/K)² − μ_k·μ_l")


@_variance(
    liberal="It subtracts the spread of the source means, so it is mostly negative where sources "
    "differ.",
    source="G13 table 1, line 3",
)
def sources_theta_omega(losses: Sequence[ArrayLike]) -> VarianceEstimate:
    """
    θ^ω = μ̂² − Σ s_k^ω/K, right if all means are equal and losses of one source are uncorrelated.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per fold or source.

    Returns
    -------
    VarianceEstimate
        The estimated variance, and its bias in words.

    Notes
    -----
    *Validity.* It is here for comparison only. Its bias is −Σω_k/K − (K−1)/K·S²(μ_k), with S² the
    sample variance of the true means of the sources: negative wherever they differ. Its algebra is
    that of :func:`cv_theta2`.

    *How it errs.* It is liberal. It subtracts the spread of the source means, so it is mostly
    negative where sources differ. It estimates the variance of the leave-one-source-out estimate
    for these K sources at training size K − 1 of the K sources.

    References
    ----------
    G13 table 1, line 3. Geras, K. J., Sutton, C. (2013). Multiple-source cross-validation. ICML.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.sources_theta_omega([[0.1, 0.3], [0.5, 0.9, 0.7]]).value), 6)
    -0.050833
    """
    bias = "−Σω_k/K − (K−1)/K·S²(μ_k)"
    return VarianceEstimate(value=sum_blocks(losses).without_omega, bias=bias)


@_variance(
    takes=Blocks(smallest=1),
    conservative="It contains the spread between sources, which is no variance of the estimate "
    "for these sources.",
    source="G13 table 1, line 4",
)
def sources_theta_gamma(losses: Sequence[ArrayLike]) -> VarianceEstimate:
    """
    θ^γ = S²(ē_k)/K, right for these sources if all means are equal and sources are uncorrelated.

    Parameters
    ----------
    losses : sequence of K arrays of shape (..., M_k)
        Per-example losses, or differences B − A, one array per fold or source.

    Returns
    -------
    VarianceEstimate
        The estimated variance, and its bias in words.

    Notes
    -----
    *Validity.* As a variance for these K sources its bias is −mean γ_kl + S²(μ_k)/K, with S² the
    sample variance of the true means of the sources: it does not vanish as sources grow. For a
    *new* source that term belongs to the variance and this is the right one: see
    :func:`sources_new_t`.

    *How it errs.* It is conservative. It contains the spread between sources, which is no variance
    of the estimate for these sources. It estimates the variance of the leave-one-source-out
    estimate for these K sources at training size K − 1 of the K sources.

    References
    ----------
    G13 table 1, line 4. Geras, K. J., Sutton, C. (2013). Multiple-source cross-validation. ICML.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.sources_theta_gamma([[0.1, 0.3], [0.5, 0.9, 0.7]]).value), 6)
    0.0625
    """
    b = sum_blocks(losses)
    return VarianceEstimate(value=b.between / b.K, bias="−Σ_{k≠l}γ_kl/(K(K−1)) + S²(μ_k)/K")
