"""
Adjustments for all pairs of algorithms, which use that equality is transitive.

If A = B and B = C then A = C, so not every set of pairs can be the set of true hypotheses: only those can
that hold all pairs inside the blocks of a partition of the algorithms (exhaustive sets).
"""

from collections.abc import Iterator
from functools import cache
from itertools import combinations
from math import comb, isqrt

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.estimate import Floats
from evenfold.infer.many._adjustments import ADJUSTMENTS, Adjustment, stepping_down

_MOST = 9  # algorithms, 21 147 partitions


def algorithms_of(pairs: int) -> int:
    """Return how many algorithms have so many pairs, or refuse the number."""
    K = (1 + isqrt(1 + 8 * pairs)) // 2
    if comb(K, 2) != pairs:
        refuse("pvalues", "those of all pairs of some algorithms (1, 3, 6, 10, …)", f"{pairs} of them")
    return K


@cache
def true_counts(K: int) -> frozenset[int]:
    """
    Return how many of all pairs of K algorithms may be equal: S(K) of Shaffer (1986).

    Examples
    --------
    >>> sorted(true_counts(5))
    [0, 1, 2, 3, 4, 6, 10]
    """
    if K < 2:
        return frozenset({0})
    return frozenset(comb(j, 2) + rest for j in range(1, K + 1) for rest in true_counts(K - j))


def _factors(pairs: int) -> Floats:
    """t_i of Shaffer's static procedure: the most that can be true when i − 1 are false."""
    possible = np.array(sorted(true_counts(algorithms_of(pairs))))
    return possible[np.searchsorted(possible, np.arange(pairs, 0, -1), side="right") - 1]


def partitions(K: int) -> Iterator[tuple[int, ...]]:
    """
    All ways to put K algorithms into blocks, each as the block of every algorithm.

    Examples
    --------
    >>> list(partitions(3))
    [(0, 0, 0), (0, 0, 1), (0, 1, 0), (0, 1, 1), (0, 1, 2)]
    """
    if K == 0:
        yield ()
        return
    for before in partitions(K - 1):
        for block in range(max(before, default=-1) + 2):
            yield (*before, block)


@cache
def _exhaustive(K: int) -> NDArray[np.bool_]:
    """Every exhaustive set as a row of pairs, those of ``combinations(range(K), 2)``."""
    blocks = np.array(list(partitions(K)))
    first, second = np.array(list(combinations(range(K), 2))).T
    sets: NDArray[np.bool_] = blocks[:, first] == blocks[:, second]
    return np.asarray(sets[sets.any(axis=1)])


def _bergmann_hommel(p: Floats) -> Floats:
    """Largest |I|·min{p of I} over the exhaustive sets I that hold a pair."""
    K = algorithms_of(p.shape[-1])
    BERGMANN_HOMMEL.check("how", K)
    sets = _exhaustive(K)
    size = sets.sum(axis=1)
    adjusted = np.empty_like(p)
    for place in np.ndindex(p.shape[:-1]):
        smallest = np.where(sets, p[place], np.inf).min(axis=1)
        adjusted[place] = np.where(sets, (size * smallest)[:, None], 0.0).max(axis=0)
    return np.minimum(adjusted, 1.0)


_ALWAYS = "whatever the dependence of the tests, where all pairs are compared; never worse than Holm's"
SHAFFER = stepping_down(
    "shaffer", "Shaffer's adjustment", _ALWAYS, lambda p: _factors(p.shape[-1]), all_pairs=True
)
BERGMANN_HOMMEL = Adjustment(
    key="bergmann-hommel",
    words="Bergmann and Hommel's adjustment",
    why=_ALWAYS,
    rule=_bergmann_hommel,
    all_pairs=True,
    most=_MOST,
    why_most=f"it goes through all partitions of them, 21147 for {_MOST} and 115975 for {_MOST + 1}",
)
for _one in (SHAFFER, BERGMANN_HOMMEL):
    ADJUSTMENTS.add(_one.key, _one)
