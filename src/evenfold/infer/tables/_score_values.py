"""
Scores that are no means, as means: a value per example whose mean is the score and whose spread is its error.

For a smooth score θ of n examples the values are θ + ψ_i with influence values ψ_i that sum to 0. Whatever is
valid for a mean over examples, clusters of them, or runs × examples, is then valid for the score, to first
order.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Floats
from evenfold.infer.tables._clusters import Codes


def ratio_values(above: Any, below: Any) -> Floats:
    """
    Return values for a ratio of two sums over examples, such as F1: ψ_i = (above_i − θ·below_i)/mean(below).

    Parameters
    ----------
    above, below : arrays (..., n)
        What every example adds above and below the line.

    Examples
    --------
    >>> tp, fp, fn = np.array([[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0]])
    >>> float(ratio_values(2 * tp, 2 * tp + fp + fn).mean())  # F1 = 2·2/(2·2 + 1 + 1)
    0.6666666666666667
    """
    above, below = np.asarray(above, dtype=float), np.asarray(below, dtype=float)
    total = below.sum(axis=-1, keepdims=True)
    if not np.all(total > 0):
        raise NotApplicable("the score is 0/0: no example is positive, neither by truth nor by prediction")
    theta = above.sum(axis=-1, keepdims=True) / total
    values: Floats = theta + (above - theta * below) * (above.shape[-1] / total)
    return values


def weighted_values(values: Floats, weights: Floats) -> Floats:
    """
    Return values for a weighted mean: a ratio of Σ w·x and Σ w.

    Examples
    --------
    >>> float(weighted_values(np.array([0.0, 1.0]), np.array([1.0, 3.0])).mean())
    0.75
    """
    mean = (values * weights).sum(axis=-1, keepdims=True) / weights.sum()
    found: Floats = mean + weights * (values - mean) / weights.mean()
    return found


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
