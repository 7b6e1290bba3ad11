"""Ranks, placement values and cliques; numbers that differ only by rounding are tied."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.losses import rounding

Floats = NDArray[np.float64]


def midranks(values: Any, tolerance: Any = 0.0) -> Floats:
    """
    Return ranks along the last axis, from 1.

    Values that lie within ``tolerance`` share their mean rank.

    Parameters
    ----------
    values : array (..., n)
        The values to rank; the smallest has rank 1.
    tolerance : float or array that fits ``values``
        The largest distance of neighbours that are tied.

    Examples
    --------
    >>> midranks([0.3, 0.1, 0.1, 0.2]).tolist()
    [4.0, 1.5, 1.5, 3.0]
    >>> midranks([0.3, 0.1, 0.11, 0.2], 0.05).tolist()
    [4.0, 1.5, 1.5, 3.0]
    """
    values = np.asarray(values, dtype=float)
    order = np.argsort(values, axis=-1)
    ascending = np.take_along_axis(values, order, axis=-1)
    reach: Any = tolerance
    if np.ndim(tolerance):
        tolerances = np.take_along_axis(np.broadcast_to(tolerance, values.shape), order, axis=-1)
        reach = np.maximum(tolerances[..., 1:], tolerances[..., :-1])
    apart = np.diff(ascending, axis=-1) > reach
    edge = np.ones((*values.shape[:-1], 1), dtype=bool)
    place = np.arange(values.shape[-1])
    first = np.maximum.accumulate(
        np.where(np.concatenate([edge, apart], axis=-1), place, 0), axis=-1
    )
    ends = np.where(np.concatenate([apart, edge], axis=-1), place, values.shape[-1])
    last = np.minimum.accumulate(ends[..., ::-1], axis=-1)[..., ::-1]
    ranks = np.empty(values.shape)
    np.put_along_axis(ranks, order, (first + last) / 2 + 1, axis=-1)
    return ranks


def ranks(values: Any, *, lower_is_better: bool) -> Floats:
    """
    Return ranks within each row (a data set), 1 for the best.

    Values that differ only by rounding are tied.

    Examples
    --------
    >>> ranks([[0.1, 0.30000000000000004, 0.3], [0.2, 0.1, 0.3]], lower_is_better=True).tolist()
    [[1.0, 2.5, 2.5], [2.0, 1.0, 3.0]]
    """
    values = np.asarray(values, dtype=float)
    tolerance = rounding(values).max(axis=-1, keepdims=True)
    return midranks(values if lower_is_better else -values, tolerance)


def placements(
    scores: Any, positive: NDArray[np.bool_], weights: Floats | None = None
) -> tuple[Floats, Floats]:
    """
    Return the placement values of the positive and of the negative examples.

    The placement value of a positive example is the share of negative examples that score below
    it, and that of a negative example the share of positive examples that score above it. Ties
    count half. The mean of either is the area under the curve.

    Parameters
    ----------
    scores : array (..., n)
        Larger for examples that are more likely positive.
    positive : bool array (n,)
        Which examples are positive; at least one is, and at least one is not.
    weights : array (n,), optional
        Weight of each example in those shares. With weights, ``scores`` must have one dimension.

    Examples
    --------
    >>> of_positive, of_negative = placements(
    ...     [0.1, 0.4, 0.35, 0.8], np.array([False, False, True, True])
    ... )
    >>> of_positive, of_negative
    (array([0.5, 1. ]), array([1. , 0.5]))
    """
    scores = np.asarray(scores, dtype=float)
    if weights is not None:
        up = scores[positive]
        down = scores[~positive]
        of_up = weights[positive]
        of_down = weights[~positive]
        return _share_below(up, down, of_down), _share_below(-down, -up, of_up)
    m = int(positive.sum())
    k = int((~positive).sum())
    together = midranks(scores)
    # Sun and Xu 2014: the rank among all examples minus the rank within the class counts the
    # examples of the other class that score below.
    of_positive = (together[..., positive] - midranks(scores[..., positive])) / k
    of_negative = 1 - (together[..., ~positive] - midranks(scores[..., ~positive])) / m
    return of_positive, of_negative


def _share_below(scores: Floats, others: Floats, weights: Floats) -> Floats:
    """Return for each score the weighted share of others below it; ties count half."""
    order = np.argsort(others, kind="stable")
    below = np.concatenate([[0.0], np.cumsum(weights[order])])
    ends = [np.searchsorted(others[order], scores, side=side) for side in ("left", "right")]
    shares: Floats = (below[ends[0]] + below[ends[1]]) / (2 * below[-1])
    return shares


def cliques(joined: list[set[int]]) -> list[tuple[int, ...]]:
    """Return the largest sets whose members are all joined (Bron and Kerbosch, with pivot)."""
    maximal: list[tuple[int, ...]] = []

    def grow(members: set[int], open_: set[int], closed: set[int]) -> None:
        if not open_ and not closed:
            maximal.append(tuple(sorted(members)))
            return
        pivot = max(open_ | closed, key=lambda v: len(joined[v] & open_))
        for v in sorted(open_ - joined[pivot]):
            grow(members | {v}, open_ & joined[v], closed & joined[v])
            open_ = open_ - {v}
            closed = closed | {v}

    grow(set(), set(range(len(joined))), set())
    return maximal
