"""The paired permutation test on one test set, with the interval that belongs to it."""

import numpy as np

from evenfold.core.checks import integer
from evenfold.core.estimate import Floats
from evenfold.core.rng import stream
from evenfold.infer._base import Answer
from evenfold.infer._spread import mean_and_variance
from evenfold.infer.one_test_set._order import OrderEstimate, by_draws, drawn_means, enough, of_draws, subsets


@of_draws(
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
    """
    draws, seed = enough(draws), integer("random_state", random_state, low=0)
    n = losses.shape[-1]
    mean, s2 = mean_and_variance(losses)
    rng = stream(seed, "permutation", n)
    swaps = subsets(draws, n, lambda count: _members(rng, count, n))
    means, empty = drawn_means(losses, np.ones(n), swaps)
    return by_draws(mean, s2 / n, null, means, identities=empty)


def _members(rng: np.random.Generator, count: int, n: int) -> Floats:
    """Rows of random bits."""
    octets = np.frombuffer(rng.bytes(count * -(-n // 8)), dtype=np.uint8).reshape(count, -1)
    return np.unpackbits(octets, axis=1, count=n).astype(float)
