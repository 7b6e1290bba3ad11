"""The t-tests on one test set whose examples come in clusters."""

import warnings
from collections.abc import Iterable

import numpy as np

from evenfold.core.checks import integer
from evenfold.core.errors import HiddenVariance
from evenfold.core.estimate import Floats, StudentT
from evenfold.core.partition import CLUSTERS
from evenfold.core.rng import stream
from evenfold.infer._arrays import mean_last
from evenfold.infer._base import Answer, Pivot, method
from evenfold.infer._registry import IN_CLUSTERS
from evenfold.infer.one_test_set.areas import (
    OrderEstimate,
    answer_from_draws,
    check_draws,
    draw_means,
    subsets,
    weight_batches,
)
from evenfold.infer.tables._kernels import (
    Codes,
    cluster_sums,
    clustered_variance,
    cr2_variance,
    fair_variance,
)

# Where sizes leave fewer degrees of freedom than this, the real error was measured above .06 at
# .05.
_FEW = 25.0
_UNEVEN = 0.7


@method(
    valid=IN_CLUSTERS,
    liberal="exact for clusters of one size; with few of very different size the largest decide",
    source="Liang 1986",
    recommended=False,
)
def clustered_t(losses: Floats, clusters: Codes) -> Pivot:
    """
    Test the mean difference of two models on examples that come in clusters.

    *Formula.* Mean, variance Σ_g (Σ_{i∈g} (d_i − d̄))²/n² · G/(G−1), reference t with G − 1 df: the
    default cluster-robust test of an intercept.

    *Validity.* About these two models on new clusters. On 50 clusters of 10 right-or-wrong
    differences with intraclass correlation .57 it errs .048 ± .003 at .05, where the paired t-test
    errs .44. Clusters of 1 to 20 examples: .083, .066, .057, .051 with 10, 20, 50, 200 clusters.
    Where a tenth of the clusters holds half of the examples: .25, .26, .11, .07.
    :func:`clustered_cr2_t` is the same where sizes are equal and errs less where they are not; this
    one is kept because other programs print it.

    >>> e = ef.infer.clustered_t([1, 1, 0, 0, -1, 0, 1, 1], [1, 1, 2, 2, 3, 3, 4, 4])
    >>> round(float(e.standard_error), 6), round(float(e.pvalue), 6)
    (0.375, 0.391002)
    """
    mean = mean_last(losses)
    count = int(clusters.max()) + 1
    centred = losses - mean[..., None]
    _warn_of_sizes(centred, clusters, "clustered-t is liberal there, clustered-cr2-t less")
    return Pivot(mean, clustered_variance(centred, clusters, count), StudentT(count - 1))


def _warn_of_sizes(centred: Floats, clusters: Codes, said: str) -> None:
    """Warn where a few clusters hold most of the examples."""
    count = int(clusters.max()) + 1
    if fair_variance(centred, clusters, count)[1] < min(_FEW, _UNEVEN * (count - 1)):
        share = np.bincount(clusters).max() / len(clusters)
        largest = f"the largest of {count} clusters holds {share:.0%} of the examples"
        warnings.warn(f"{largest}: {said}", HiddenVariance, stacklevel=5)


@method(
    valid=IN_CLUSTERS,
    depends="exact for clusters of one size and normal values; somewhat liberal where a few "
    "clusters that "
    "agree in themselves hold most of the examples, .13 at .05 at worst in what was measured",
    source="Bell 2002; Pustejovsky 2018",
    default_for=(CLUSTERS,),
)
def clustered_cr2_t(losses: Floats, clusters: Codes) -> Pivot:
    """
    Test the mean difference of two models on examples in clusters, small-sample corrected.

    *Formula.* Mean, variance CR2 = Σ_g (Σ_{i∈g} (d_i − d̄))²/(n²(1 − w_g)) with the shares w_g of
    the examples, reference t with 1/(Σw² + (Σw²/(1−w))² − Σw⁴/(1−w)²) df, Satterthwaite's for
    independent working errors: what clubSandwich prints for an intercept. All as in
    :func:`clustered_t` where sizes are equal.

    *Validity.* About these two models on new clusters. On right-or-wrong differences with
    intraclass correlation .57 it errs .052, .048, .048, .051 at .05 with 10, 20, 50, 200 clusters
    of 10; .071, .059, .053, .051 with clusters of 1 to 20; and .052, .129, .086, .060 where a tenth
    of the clusters holds half of the examples (± .004), where :func:`clustered_t` errs .25, .26,
    .11, .07. There :func:`clustered_fair_t` errs .059 at most but hardly decides anything with 20
    clusters or fewer; a :class:`HiddenVariance` warning says so. Skewed values need more clusters:
    .080 with 20 of 10 examples each.

    >>> e = ef.infer.clustered_cr2_t([1, 1, 1, 1, -1, 0, 1, 0], [1, 1, 1, 1, 2, 2, 3, 3])
    >>> round(float(e.df), 3), round(float(e.pvalue), 3)
    (1.8, 0.398)
    """
    mean = mean_last(losses)
    centred = losses - mean[..., None]
    cautious = "clustered-fair-t is the cautious test there, and seldom decides"
    _warn_of_sizes(centred, clusters, f"clustered-cr2-t may be liberal; {cautious}")
    variance, df = cr2_variance(centred, clusters, int(clusters.max()) + 1)
    return Pivot(mean, variance, StudentT(df))


@method(
    valid=IN_CLUSTERS,
    depends="near its level; .059 ± .002 at .05 where 5 of 50 clusters hold half of the examples, "
    "and far "
    "below it with fewer",
    source="after Bell 2002",
    recommended=True,
)
def clustered_fair_t(losses: Floats, clusters: Codes) -> Pivot:
    """
    Test the mean difference of two models on examples that come in clusters of very different size.

    *Formula.* Mean, variance Σ w_g²(m_g − d̄)²/(1 − 2w_g + Σw²) of the cluster means m_g with
    shares w_g, reference t with Satterthwaite's df; all as in :func:`clustered_t` where sizes are
    equal.

    *Validity.* About these two models on new clusters. On the tables of :func:`clustered_t` it errs
    .048 to .056 with clusters of 10 and of 1 to 20, and .001, .003, .055, .052 where a tenth of 10,
    20, 50, 200 clusters holds half of the examples (± .004).

    >>> e = ef.infer.clustered_fair_t([1, 1, 1, 1, -1, 0, 1, 0], [1, 1, 1, 1, 2, 2, 3, 3])
    >>> round(float(e.df), 3), round(float(e.pvalue), 3)
    (1.446, 0.446)
    """
    mean = mean_last(losses)
    variance, df = fair_variance(losses - mean[..., None], clusters, int(clusters.max()) + 1)
    return Pivot(mean, variance, StudentT(df))


@method(
    valid=IN_CLUSTERS,
    depends="resamples clusters as wholes; with few of unequal size their spread is hardly known",
    source="Efron 1987",
)
def clustered_bootstrap(
    losses: Floats, clusters: Codes, *, null: float, draws: int = 9999, random_state: int = 0
) -> Answer[OrderEstimate]:
    """
    Test the mean difference of two models by resampling clusters of examples.

    *Formula.* Mean; BCa interval between two means over resampled clusters. The statistic and the
    standard error are those of :func:`clustered_t`, for information.

    *Validity.* About these two models on new clusters. On right-or-wrong differences with
    intraclass correlation .57 it errs .04 at .05 with 10, 20 and 50 clusters of 10, and .07, .05,
    .05 with clusters of 1 to 20 (± .005), but .10 where 5 of 50 hold half of the examples;
    :func:`clustered_t` needs no draws.

    >>> e = ef.infer.clustered_bootstrap(
    ...     [1, 1, 0, 0, -1, 0, 1, 1, 1, 0], [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    ... )
    >>> [round(float(x), 2) for x in (e.value, *e.confidence_interval())]
    [0.4, -0.2, 0.9]
    """
    count = int(clusters.max()) + 1
    rng = stream(integer("random_state", random_state, low=0), "cluster bootstrap", count)

    def times(rows: int) -> Floats:
        drawn = rng.integers(count, size=(rows, count)) + count * np.arange(rows)[:, None]
        return np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count).astype(float)

    means, _ = _draw_cluster_means(
        losses, clusters, weight_batches(check_draws(draws), count, times)
    )
    return _answer(losses, clusters, null, means, bca=True)


@method(
    valid=IN_CLUSTERS,
    conservative="never above its level for these two models where clusters are independent and "
    "differences "
    "symmetric; few clusters and ties keep it below",
    source="Hartigan 1969; Phipson 2010",
)
def clustered_permutation(
    losses: Floats, clusters: Codes, *, null: float, draws: int = 9999, random_state: int = 0
) -> Answer[OrderEstimate]:
    """
    Test the mean difference of two models by swapping A and B in whole clusters.

    Swapping A and B in some clusters turns the signs of their sums. The swapped mean is at least
    the observed one just if the mean over the swapped clusters is at most Δ: the means over random
    sets of clusters give the p-value of every Δ and the interval, as in :func:`permutation`.

    *Formula.* Mean; p-value (1 + number of swaps at least as extreme)/(draws + 1), interval by
    inversion. The statistic and the standard error are those of :func:`clustered_t`, for
    information.

    *Validity.* Never above its level for the two models at hand if cluster sums are symmetric about
    Δ times their size; on the tables of :func:`clustered_bootstrap` it errs .04 and .06, .05, .05.
    Below 6 clusters nothing can be significant at .05.

    >>> d, clusters = [1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1], [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    >>> float(ef.infer.clustered_permutation(d, clusters).pvalue)
    0.0625

    Parameters
    ----------
    draws : int, default 9999
        Random swaps; all 2^G are taken where there are no more.
    """
    count = int(clusters.max()) + 1
    rng = stream(integer("random_state", random_state, low=0), "cluster permutation", count)
    swaps = subsets(
        check_draws(draws), count, lambda rows: rng.integers(2, size=(rows, count)).astype(float)
    )
    means, empty = _draw_cluster_means(losses, clusters, swaps)
    return _answer(losses, clusters, null, means, identities=empty)


def _draw_cluster_means(d: Floats, clusters: Codes, draws: Iterable[Floats]) -> tuple[Floats, int]:
    sizes = np.bincount(clusters).astype(float)
    return draw_means(cluster_sums(d, clusters, len(sizes)), sizes, draws)


def _answer(
    d: Floats,
    clusters: Codes,
    null: float,
    means: Floats,
    *,
    identities: int = 0,
    bca: bool = False,
) -> Answer[OrderEstimate]:
    count = int(clusters.max()) + 1
    mean = mean_last(d)
    centred = d - mean[..., None]
    variance = clustered_variance(centred, clusters, count)
    if bca:
        influence = cluster_sums(centred, clusters, count)
    else:
        influence = None
    return answer_from_draws(
        mean, variance, null, means, identities=identities, influence=influence
    )
