"""Clusters resampled, or swapped as wholes: the bootstrap and the permutation test of one test set."""

from collections.abc import Callable, Iterator

import numpy as np

from evenfold.core.checks import integer
from evenfold.core.estimate import Floats
from evenfold.core.rng import stream
from evenfold.infer._base import Answer, method, standardise
from evenfold.infer._spread import mean_last
from evenfold.infer._valid import IN_CLUSTERS
from evenfold.infer.one_test_set._order import (
    MOST_DRAWS,
    OrderEstimate,
    acceleration,
    bias_shift,
    in_parcels,
)
from evenfold.infer.tables._clusters import Codes, cluster_sums, clustered_variance

_INFORMATION = "The statistic and the standard error are those of :func:`clustered_t`, for information."


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
    1 to 20 (± .005); :func:`clustered_t` needs no draws.

    >>> e = ef.infer.clustered_bootstrap([1, 1, 0, 0, -1, 0, 1, 1, 1, 0], [1, 1, 2, 2, 3, 3, 4, 4, 5, 5])
    >>> [round(float(x), 2) for x in (e.value, *e.confidence_interval())]
    [0.4, -0.2, 0.9]

    Parameters
    ----------
    draws : int, default 9999
        Resamples.
    random_state : int, default 0
        Seed of the resamples. It is fixed, so that the same data give the same p-value.
    """
    count = int(clusters.max()) + 1
    rng = stream(integer("random_state", random_state, low=0), "cluster bootstrap", count)

    def times(rows: int) -> Floats:
        drawn = rng.integers(count, size=(rows, count)) + count * np.arange(rows)[:, None]
        return np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count).astype(float)

    means, _ = _drawn(losses, clusters, _draws(draws), times)
    return _answer(losses, clusters, null, means, 0, bca=True)


@method(
    valid=IN_CLUSTERS,
    exact="exact for these two models where clusters are independent and differences symmetric",
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
    random_state : int, default 0
        Seed of the swaps. It is fixed, so that the same data give the same p-value.
    """
    count, draws = int(clusters.max()) + 1, _draws(draws)
    if 2**count - 1 <= draws:
        codes = np.arange(1, 2**count)[:, None]
        every = (codes >> np.arange(count) & 1).astype(float)
        means, empty = _drawn(losses, clusters, len(every), lambda rows: every[:rows], at_once=True)
    else:
        rng = stream(integer("random_state", random_state, low=0), "cluster permutation", count)
        means, empty = _drawn(
            losses, clusters, draws, lambda rows: rng.integers(2, size=(rows, count)).astype(float)
        )
    return _answer(losses, clusters, null, means, empty, bca=False)


def _draws(draws: object) -> int:
    return integer("draws", draws, low=19, high=MOST_DRAWS)


def _drawn(
    d: Floats, clusters: Codes, draws: int, make: Callable[[int], Floats], *, at_once: bool = False
) -> tuple[Floats, int]:
    """Sorted means over drawn clusters, Σ w_g S_g/Σ w_g n_g, and how many draws held none."""
    count = int(clusters.max()) + 1
    sums, sizes = cluster_sums(d, clusters, count), np.bincount(clusters).astype(float)
    parts, empty = [], 0
    parcels: Iterator[Floats] = iter([make(draws)]) if at_once else in_parcels(draws, count, make)
    for rows in parcels:
        some = rows.any(axis=1)
        empty += int((~some).sum())
        parts.append((sums @ rows[some].T) / (rows[some] @ sizes))
    means = np.concatenate(parts, axis=-1)
    means.sort(axis=-1)
    return means, empty


def _answer(
    d: Floats, clusters: Codes, null: float, means: Floats, empty: int, *, bca: bool
) -> Answer[OrderEstimate]:
    count, mean = int(clusters.max()) + 1, mean_last(d)
    centred = d - mean[..., None]
    statistic, error, flat = standardise(mean, clustered_variance(centred, clusters, count), null)
    nothing = np.zeros_like(mean)
    z0, a = nothing, nothing
    if bca:
        z0, a = bias_shift(means, mean), acceleration(cluster_sums(centred, clusters, count))
    return Answer(
        OrderEstimate,
        value=mean,
        standard_error=error,
        statistic=statistic,
        draws=means,
        identities=empty,
        shift=z0,
        acceleration=a,
        flat=flat,
    )
