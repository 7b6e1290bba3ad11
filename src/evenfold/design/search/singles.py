"""
Few examples, each a block of its own: halvings whose overlaps are as even as they can be.

With blocks of several examples those left over add up to more than R19's bound E|φ − n/4| below 76 examples.
A Hadamard matrix of the order of n has none left over. The order depends on n alone, so that all m share one
sequence of repetitions. What is to be balanced decides which example takes which row.
"""

from dataclasses import replace
from functools import cache

import numpy as np

from evenfold.design._units import Codes, Units, with_traits
from evenfold.design.search.deal import flat_rows
from evenfold.design.search.exchange import unevenness
from evenfold.design.search.hadamard import Signs, hadamard

_MOST = 75  # beyond, blocks keep R19's bound up to 15 repetitions
# How much the unevenness of a repetition counts: of the first 3, 7, 15 and 31, and nothing of later ones.
_WEIGHTS = np.repeat([7.0, 5.0, 3.0, 1.0], [3, 4, 8, 16])
_DRAWS = 4  # exchanges end where they started from leads them; the best of so many is taken


def few(units: Units) -> bool:
    """Whether these are single examples, so few, and no power of two (which has exact blocks)."""
    n = len(units)
    return 4 < n <= _MOST and n & (n - 1) != 0 and units.of_example is None


def single_rows(units: Units, signs: Signs, rng: np.random.Generator) -> Codes:
    """
    Return the row of ``signs`` that each example takes: by chance, or such that traits come out even.

    All columns together are as uneven whoever takes which row (Parseval), so the first ones are evened.
    """
    n, traits = len(units), with_traits(units).traits
    if traits is None:
        return rng.permutation(n)
    if traits.shape[1] > n:  # distances are all that counts, and n axes hold those of n points
        traits = np.transpose(np.linalg.qr(traits.T).R)
    weights = _WEIGHTS[: signs.shape[1]]
    early = (signs[:, : len(weights)] > 0) * np.sqrt(weights)
    even = replace(units, traits=traits)
    draws = [flat_rows(even, rng.permutation(n), early, rng, run=None) for _ in range(_DRAWS)]
    return min(draws, key=lambda rows: unevenness(traits, rows, early))


@cache
def single_signs(n: int) -> tuple[int, Signs]:
    """
    Return the order of the matrix and the signs, shape (n, order − 1), of n examples.

    Any two columns share each pair of signs n/4 times, to within ½ for even n and ¾ for odd n, the least that
    whole numbers allow: n = 4k + 1 adds an example to a matrix of order 4k, n = 4k + 2 two of opposite signs,
    n = 4k + 3 leaves one out of order 4k + 4.
    """
    over = n % 4
    order = n + 1 if over == 3 else n - over
    signs = hadamard(order)[:, 1:]
    if over == 3:
        return order, signs[:-1]
    extra = np.resize(np.array([1, -1], dtype=np.int8), order - 1)
    return order, np.concatenate([signs, *([extra], [-extra])[:over]])
