"""
Scores that are no means, as means: a value per example whose mean is the score and whose spread is its error.

For a score that is a function of sums :mod:`evenfold.core.scores` knows the influence of every example; for
any other smooth score the jackknife finds it. Whatever is valid for a mean over examples, clusters of them,
or runs × examples, is then valid for the score, to first order.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Floats
from evenfold.infer.tables._clusters import Codes


def jackknife_values(
    score: Callable[[NDArray[np.intp]], float], n: int, *, blocks: Codes, count: int
) -> Floats:
    """
    Return values for any smooth score by leaving out one block of examples at a time.

    A block that holds m of the n examples has the influence ψ = (n − m)/m·(θ̄ − θ_(−block)) on the mean of its
    examples, less the mean of these, so that the values have the score as their mean. Blocks are clusters, or
    blocks of examples drawn at random where there are no clusters.

    Parameters
    ----------
    score : callable
        The score of the examples whose indices it is given.
    n : int
        Number of examples.
    blocks, count : array (n,), int
        The block of each example, and their number.
    """
    everything = np.arange(n)
    theta = float(score(everything))
    left = np.array([float(score(everything[blocks != g])) for g in range(count)])
    if not np.isfinite(left).all() or not np.isfinite(theta):
        raise NotApplicable("the score has no value where some of the examples are left out")
    sizes = np.bincount(blocks, minlength=count)
    influence = (n - sizes) / sizes * (theta - left)
    centred = influence - (influence * sizes).sum() / n
    values: Floats = theta + centred[blocks]
    return values


def random_blocks(n: int, count: int, rng: np.random.Generator) -> Codes:
    """Deal examples into blocks whose sizes differ by one at most."""
    codes: Codes = rng.permutation(np.arange(n) % count).astype(np.intp)
    return codes
