"""Clusters resampled, or swapped as wholes: the bootstrap and the permutation test of one test set."""

from collections.abc import Iterable

import numpy as np

from evenfold.core.checks import integer
from evenfold.core.estimate import Floats
from evenfold.core.rng import stream
from evenfold.infer._base import Answer, method
from evenfold.infer._spread import mean_last
from evenfold.infer._valid import IN_CLUSTERS
from evenfold.infer.one_test_set._order import (
    OrderEstimate,
    by_draws,
    drawn_means,
    enough,
    in_parcels,
    subsets,
)
from evenfold.infer.tables._clusters import Codes, cluster_sums, clustered_variance


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

    *Formula.* Mean; BCa interval between two means over resampled clusters. The statistic and the standard
    error are those of :func:`clustered_t`, for information.

    *Validity.* About these two models on further clusters. On right-or-wrong differences with intraclass
    correlation .57 it errs .04 at .05 with 10, 20 and 50 clusters of 10, and .07, .05, .05 with clusters of
    1 to 20 (± .005), but .10 where 5 of 50 hold half of the examples; :func:`clustered_t` needs no draws.

    >>> e = ef.infer.clustered_bootstrap([1, 1, 0, 0, -1, 0, 1, 1, 1, 0], [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
    >>> [round(float(x), 2) for x in (e.value, *e.confidence_interval())]
    [0.4, -0.2, 0.9]
    """
    count = int(clusters.max()) + 1
    rng = stream(integer("random_state", random_state, low=0), "cluster bootstrap", count)

    def times(rows: int) -> Floats:
        drawn = rng.integers(count, size=(rows, count)) + count * np.arange(rows)[:, None]
        return np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count).astype(float)

    means, _ = _drawn(losses, clusters, in_parcels(enough(draws), count, times))
    return _answer(losses, clusters, null, means, bca=True)


@method(
    valid=IN_CLUSTERS,
    conservative="never above its level for these two models where clusters are independent and differences "
    "symmetric; few clusters and ties keep it below",
    source="Hartigan 1969; Phipson 2010",
)
def clustered_permutation(
    losses: Floats, clusters: Codes, *, null: float, draws: int = 9999, random_state: int = 0
) -> Answer[OrderEstimate]:
    """
    Test the mean difference of two models by swapping A and B in whole clusters.

    Swapping A and B in some clusters turns the signs of their sums. The swapped mean is at least the observed
    one just if the mean over the swapped clusters is at most Δ: the means over random sets of clusters give
    the p-value of every Δ and the interval, as in :func:`permutation`.

    *Formula.* Mean; p-value (1 + number of swaps at least as extreme)/(draws + 1), interval by inversion. The
    statistic and the standard error are those of :func:`clustered_t`, for information.

    *Validity.* Never above its level for the two models at hand if cluster sums are symmetric about Δ times
    their size; on the tables of :func:`clustered_bootstrap` it errs .04 and .06, .05, .05. Below 6 clusters
    nothing can be significant at .05.

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
    swaps = subsets(enough(draws), count, lambda rows: rng.integers(2, size=(rows, count)).astype(float))
    means, empty = _drawn(losses, clusters, swaps)
    return _answer(losses, clusters, null, means, identities=empty)


def _drawn(d: Floats, clusters: Codes, draws: Iterable[Floats]) -> tuple[Floats, int]:
    sizes = np.bincount(clusters).astype(float)
    return drawn_means(cluster_sums(d, clusters, len(sizes)), sizes, draws)


def _answer(
    d: Floats, clusters: Codes, null: float, means: Floats, *, identities: int = 0, bca: bool = False
) -> Answer[OrderEstimate]:
    count, mean = int(clusters.max()) + 1, mean_last(d)
    centred = d - mean[..., None]
    variance = clustered_variance(centred, clusters, count)
    influence = cluster_sums(centred, clusters, count) if bca else None
    return by_draws(mean, variance, null, means, identities=identities, influence=influence)
