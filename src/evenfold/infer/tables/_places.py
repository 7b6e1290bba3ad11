"""Ranks of several algorithms with intervals that hold together, from pairs that were told apart."""

import numpy as np
from numpy.typing import NDArray

from evenfold.core.estimate import Floats


def rank_intervals(better: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """
    Return the lowest and the highest rank of each algorithm.

    Where the decisions about all pairs hold together with confidence 1 − α, so do these intervals: an
    algorithm has at least as many before it as are better than it, and at least as many behind it as are
    worse (Al Mohamad, van Zwet, Solari and Goeman 2021).

    Parameters
    ----------
    better : bool array (k, k)
        ``better[i, j]``: i was shown to be better than j.

    Examples
    --------
    >>> first, last = rank_intervals(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool))
    >>> first.tolist(), last.tolist()
    ([1, 1, 3], [2, 2, 3])
    """
    k = len(better)
    return 1 + better.sum(axis=0), k - better.sum(axis=1)


def tie_groups(values: Floats, better: NDArray[np.bool_], *, lower_is_better: bool) -> tuple[str, ...]:
    """
    Return letters: algorithms that share one were not told apart, directly or across those between them.

    Examples
    --------
    >>> better = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> tie_groups(np.array([0.9, 0.8, 0.7]), better, lower_is_better=False)
    ('a', 'ab', 'b')
    """
    order = np.argsort(values if lower_is_better else -values, kind="stable")
    apart = better | better.T
    groups: list[tuple[int, int]] = []
    for first in range(len(order)):
        last = first
        while last + 1 < len(order) and not apart[order[first : last + 1], order[last + 1]].any():
            last += 1
        if not groups or last > groups[-1][1]:
            groups.append((first, last))
    letters = [""] * len(order)
    for g, (first, last) in enumerate(groups):
        for place in range(first, last + 1):
            letters[order[place]] += _letter(g)
    return tuple(letters)


def _letter(g: int) -> str:
    return chr(ord("a") + g) if g < 26 else f"({g + 1})"
