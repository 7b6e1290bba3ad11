"""
Few examples, each a block of its own: halvings whose overlaps are as even as they can be.

With blocks of several examples those left over add up to more than R19's bound E|φ − n/4| below 76 examples.
A Hadamard matrix of the order of n has none left over. The order depends on n alone, so that all m share one
sequence of repetitions.
"""

from functools import cache

import numpy as np

from evenfold.design._units import Units
from evenfold.design.search.hadamard import Signs, hadamard

_MOST = 75  # beyond, blocks keep R19's bound at every m


def few_and_free(units: Units) -> bool:
    """Whether examples are so few, no power of two (which has exact blocks), with nothing to balance."""
    n = len(units)
    bound = (units.of_example, units.stratum, units.value, units.traits)
    return 4 < n <= _MOST and n & (n - 1) != 0 and all(part is None for part in bound)


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
