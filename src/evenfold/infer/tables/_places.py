"""Ranks of several algorithms with intervals that hold together, from pairs that were told apart."""

import numpy as np
from numpy.typing import NDArray

from evenfold.core.estimate import Floats
from evenfold.core.ranking import cliques


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
    Return letters: two algorithms share one exactly if they were not told apart.

    A letter stands for a largest set of algorithms none of which was told apart from another (a compact
    letter display: Piepho 2004), those of the best first.

    Examples
    --------
    >>> better = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)
    >>> tie_groups(np.array([0.9, 0.8, 0.7]), better, lower_is_better=False)
    ('a', 'ab', 'b')
    """
    order = np.argsort(values if lower_is_better else -values, kind="stable")
    apart = (better | better.T)[np.ix_(order, order)]
    joined = [set(np.flatnonzero(~row).tolist()) - {place} for place, row in enumerate(apart)]
    letters = [""] * len(order)
    for g, group in enumerate(sorted(cliques(joined))):
        for place in group:
            letters[order[place]] += _letter(g)
    return tuple(letters)


def _letter(g: int) -> str:
    return chr(ord("a") + g) if g < 26 else f"({g + 1})"
