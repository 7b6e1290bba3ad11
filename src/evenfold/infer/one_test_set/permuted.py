"""The paired permutation test on one test set, with the interval that belongs to it."""

from collections.abc import Iterator

import numpy as np

from evenfold.core.checks import integer
from evenfold.core.estimate import Floats
from evenfold.core.rng import stream
from evenfold.infer._base import Answer, method, standardise
from evenfold.infer._spread import mean_and_variance
from evenfold.infer._valid import ONE_SPLIT
from evenfold.infer.feeds import OneTestSet
from evenfold.infer.one_test_set._order import MOST_DRAWS, OrderEstimate, in_parcels, weighted_means


@method(
    valid=ONE_SPLIT,
    takes=OneTestSet(means=True),
    liberal="exact for these two models; it does not know that other training sets would give others",
    source="Hartigan 1969; Phipson 2010",
)
def permutation(
    losses: Floats, *, null: float, draws: int = 9999, random_state: int = 0
) -> Answer[OrderEstimate]:
    """
    Test the mean of the loss differences on one test set by swapping A and B at random.

    Swapping A and B on some points changes the sign of their differences. The swapped mean is at least the
    observed one just if the mean over the swapped points is at most Δ. So the means over random subsets,
    computed once, give the p-value of every Δ and the interval: Hartigan's typical values.

    *Formula.* Mean; p-value (1 + number of swaps at least as extreme)/(draws + 1); interval by inversion. The
    statistic and the standard error are those of :func:`holdout_t`, for information.

    *Validity.* Never above its level for the two models at hand if the differences are symmetric about Δ
    (for 0-1 losses: always, and it is the exact McNemar test). Liberal for the algorithms, as
    :func:`holdout_t` is, because one training set says nothing about others. Where n2 is below 6 nothing can
    be significant at .05.

    >>> e = ef.infer.permutation([0.3, 0.1, 0.4, -0.1, 0.2, 0.3, 0.1, 0.2])
    >>> float(e.pvalue), [round(float(x), 4) for x in e.confidence_interval(0.95)]
    (0.03125, [0.05, 0.3])

    Parameters
    ----------
    draws : int, default 9999
        Random swaps; all 2^n2 are taken where there are no more.
    random_state : int, default 0
        Seed of the swaps. It is fixed, so that the same data give the same p-value.
    """
    draws = integer("draws", draws, low=19, high=MOST_DRAWS)
    seed = integer("random_state", random_state, low=0)
    mean, s2 = mean_and_variance(losses)
    statistic, error, flat = standardise(mean, s2 / losses.shape[-1], null)
    subsets, identities = _subset_means(losses, draws, seed)
    nothing = np.zeros_like(mean)
    return Answer(
        OrderEstimate,
        value=mean,
        standard_error=error,
        statistic=statistic,
        draws=subsets,
        identities=identities,
        shift=nothing,
        acceleration=nothing,
        flat=flat,
    )


def _subset_means(d: Floats, draws: int, seed: int) -> tuple[Floats, int]:
    """Sorted means over non-empty subsets, all or random ones, and how many random ones were empty."""
    n = d.shape[-1]
    if 2**n - 1 <= draws:
        codes = np.arange(1, 2**n)[:, None]
        return weighted_means(d, iter([(codes >> np.arange(n) & 1).astype(float)])), 0
    rng, empty = stream(seed, "permutation", n), 0

    def subsets() -> Iterator[Floats]:
        nonlocal empty
        for rows in in_parcels(draws, n, lambda count: _members(rng, count, n)):
            some = rows.any(axis=1)
            empty += int((~some).sum())
            yield rows[some]

    return weighted_means(d, subsets()), empty


def _members(rng: np.random.Generator, count: int, n: int) -> Floats:
    """Rows of random bits."""
    octets = np.frombuffer(rng.bytes(count * -(-n // 8)), dtype=np.uint8).reshape(count, -1)
    return np.unpackbits(octets, axis=1, count=n).astype(float)
