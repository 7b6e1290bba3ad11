"""
The mean on a new source: sources are a sample, and the spread of their means is the variance (G13).

``sources-new-t`` takes the source means as independent; ``sources-new-corrected-t`` allows for training data
that they share, as Nadeau and Bengio do for splits.
"""

from functools import partial

from evenfold.core.estimate import Estimand, Floats
from evenfold.core.partition import SOURCES
from evenfold.infer._base import Pivot, mean_t, method
from evenfold.infer._blocks import summed
from evenfold.infer._valid import EACH_SOURCE
from evenfold.infer.inputs import BlockMeans

_new = partial(
    method,
    valid=EACH_SOURCE,
    takes=BlockMeans(),
    estimand=Estimand(of="on a new source", varied="sources"),
    recommended=True,
    joint="t",
)


@_new(
    liberal="sources share training data, so their means move together; much for errors, little for "
    "differences",
    source="G13 table 1, θ^γ, read as S²(ē_k)/K",
    default_for=(SOURCES,),
)
def sources_new_t(losses: list[Floats]) -> Pivot:
    """
    Test the mean on a new source, with the spread of the source means.

    *Formula.* Mean of the source means, variance S²(ē_k)/K, reference t with K − 1 df.

    *Validity.* The answer for a source not seen yet, if the K sources are a random sample: coverage
    .95/.95/.94 of nominal .95 at K = 10 and 50/200/2000 examples per source, where θA with z covers
    .81/.59/.20 and θB with t .96/.81/.33. That is for independent source means. Sources share training data:
    on product reviews and in a made world the error of an algorithm was covered .88 to .93 of the time, a
    difference .93 to .96; :func:`sources_new_corrected_t` covered .96 to .99. G13 call this
    variance naive because it does not vanish as sources grow: it must not. Every source counts the same,
    whatever its size.

    >>> e = ef.infer.sources_new_t([[0.1, 0.3], [0.5, 0.9, 0.7], [0.4]])
    >>> round(float(e.value), 6), round(float(e.pvalue), 6), e.df
    (0.433333, 0.096438, 2)
    """
    return mean_t(summed(losses).means)


@_new(
    conservative="assumes that two source means are correlated by 1/K, more than they mostly are",
    source="NB section 4, ρ = n2/(n1+n2), on the source means of G13",
)
def sources_new_corrected_t(losses: list[Floats]) -> Pivot:
    """
    Test the mean on a new source, allowing for training data that the sources share.

    *Formula.* Mean of the source means, variance S²(ē_k)·(1/K + 1/(K − 1)), reference t with K − 1 df.

    *Validity.* About a source not seen yet, like :func:`sources_new_t`, whose interval it widens by a factor
    of √2 and a little. On product reviews and in a made world it covered .956 to .991 where that one covered
    .88 to .96. The correction is a guess of the correlation, the share 1/K of the data that one source is,
    not an estimate of it.

    >>> e = ef.infer.sources_new_corrected_t([[0.1, 0.3], [0.5, 0.9, 0.7], [0.4]])
    >>> round(float(e.value), 6), round(float(e.pvalue), 6), e.df
    (0.433333, 0.199905, 2)
    """
    means = summed(losses).means
    K = means.shape[-1]
    return mean_t(means, 1 / K + 1 / (K - 1))
