"""How the tests of a family share one error level."""

from dataclasses import dataclass
from functools import lru_cache
from math import log10, sqrt

import numpy as np

# log10 of the levels of one test at which the number of effective tests is known
NODES = (
    *(-12.0, -9.0, -6.0, -5.0, -4.0, -3.5, -3.0, -2.5),
    *(-2.0, -1.75, -1.5, -1.25, -1.0, -0.75, -0.5, -0.25, 0.0),
)
_HALVINGS = 40  # after them the level of one test is known to 12 digits


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class SharedLevel:
    """
    The level that each test of a family has if any of them may err with a given probability.

    Attributes
    ----------
    count : int
        Number of tests.
    effective : tuple of float
        For each level in ``NODES``, the number of independent tests that would err as often as
        the family does. It is empty if the joint distribution of the tests is not known; then the
        level is shared by Bonferroni's inequality.

    Examples
    --------
    >>> bonferroni = SharedLevel(count=4)
    >>> bonferroni.per_test(0.05), bonferroni.overall(0.02)
    (0.0125, 0.08)
    """

    count: int
    effective: tuple[float, ...] = ()

    def overall(self, per_test: float) -> float:
        """
        Return the probability that any test errs if each has the level ``per_test``.

        At the p-value of a test this is its adjusted p-value.
        """
        if not 0 < per_test < 1:
            return float(min(max(per_test, 0.0), 1.0))
        if not self.effective:
            return min(1.0, self.count * per_test)
        place = log10(per_test)
        if place < NODES[0]:
            return self.count * per_test
        tests = float(np.interp(place, NODES, self.effective))
        return min(1.0, per_test * max(tests, 1.0))

    def per_test(self, level: float) -> float:
        """Return the level of each test at which any of them errs with probability ``level``."""
        return _level_of_each(self, level)


@lru_cache(maxsize=16)  # every estimate of a family asks for the same level, several times
def _level_of_each(shared: SharedLevel, level: float) -> float:
    low = level / shared.count
    if not shared.effective:
        return low
    high = level
    for _ in range(_HALVINGS):
        middle = sqrt(low * high)
        if shared.overall(middle) <= level:
            low = middle
        else:
            high = middle
    return low
