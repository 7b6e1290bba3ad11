"""The t-tests on one test set whose examples come in clusters."""

import warnings

import numpy as np

from evenfold.core.errors import HiddenVariance
from evenfold.core.estimate import Floats, StudentT
from evenfold.core.kind import CLUSTERS
from evenfold.infer._base import Pivot, method
from evenfold.infer._spread import mean_last
from evenfold.infer._valid import IN_CLUSTERS
from evenfold.infer.tables._clusters import Codes, clustered_variance, fair_variance

# Where sizes leave fewer degrees of freedom than this, the real error was measured above .06 at .05.
_FEW, _UNEVEN = 25.0, 0.7


@method(
    valid=IN_CLUSTERS,
    liberal="exact for clusters of one size; with few of very different size the largest decide",
    source="Liang 1986",
    default_for=(CLUSTERS,),
)
def clustered_t(losses: Floats, clusters: Codes) -> Pivot:
    """
    Test the mean difference of two models on examples that come in clusters.

    *Formula.* Mean, variance Σ_g (Σ_{i∈g} (d_i − d̄))²/n² · G/(G−1), reference t with G − 1 df: the default
    cluster-robust test of an intercept.

    *Validity.* About these two models on further clusters. On 50 clusters of 10 right-or-wrong differences
    with intraclass correlation .57 it errs .048 ± .003 at .05, where the paired t-test errs .44. Clusters of
    1 to 20 examples: .083, .066, .057, .051 with 10, 20, 50, 200 clusters. Where a tenth of the clusters
    holds half of the examples: .25, .26, .11, .07; :func:`clustered_fair_t` errs .059 at most there, and a
    :class:`HiddenVariance` warning says so.

    >>> e = ef.infer.clustered_t([1, 1, 0, 0, -1, 0, 1, 1], [1, 1, 2, 2, 3, 3, 4, 4])
    >>> round(float(e.standard_error), 6), round(float(e.pvalue), 6)
    (0.375, 0.391002)
    """
    mean, count = mean_last(losses), int(clusters.max()) + 1
    centred = losses - mean[..., None]
    if fair_variance(centred, clusters, count)[1] < min(_FEW, _UNEVEN * (count - 1)):
        share = np.bincount(clusters).max() / len(clusters)
        said = f"the largest of {count} clusters holds {share:.0%} of the examples: clustered-t is liberal"
        warnings.warn(f"{said} there, clustered-fair-t much less", HiddenVariance, stacklevel=4)
    return Pivot(mean, clustered_variance(centred, clusters, count), StudentT(count - 1))


@method(
    valid=IN_CLUSTERS,
    depends="near its level; .059 ± .002 at .05 where 5 of 50 clusters hold half of the examples, and far "
    "below it with fewer",
    source="after Bell 2002",
    recommended=True,
)
def clustered_fair_t(losses: Floats, clusters: Codes) -> Pivot:
    """
    Test the mean difference of two models on examples that come in clusters of very different size.

    *Formula.* Mean, variance Σ w_g²(m_g − d̄)²/(1 − 2w_g + Σw²) of the cluster means m_g with shares w_g,
    reference t with Satterthwaite's df; all as in :func:`clustered_t` where sizes are equal.

    *Validity.* About these two models on further clusters. On the tables of :func:`clustered_t` it errs .048
    to .056 with clusters of 10 and of 1 to 20, and .001, .003, .055, .052 where a tenth of 10, 20, 50, 200
    clusters holds half of the examples (± .004).

    >>> e = ef.infer.clustered_fair_t([1, 1, 1, 1, -1, 0, 1, 0], [1, 1, 1, 1, 2, 2, 3, 3])
    >>> round(float(e.df), 3), round(float(e.pvalue), 3)
    (1.446, 0.446)
    """
    mean = mean_last(losses)
    variance, df = fair_variance(losses - mean[..., None], clusters, int(clusters.max()) + 1)
    return Pivot(mean, variance, StudentT(df))
