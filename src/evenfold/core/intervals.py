"""
Intervals that stay inside the range of what they are about.

An error cannot be below 0, an area under a curve not above 1. For one algorithm, whose value lies in a range
[a, b], the interval is Wilson's: all p with (v − p)² ≤ reach²·(p − a)(b − p) / ((v − a)(b − v)), that is with
the spread that p itself would have, in units of the spread that was seen. It is inside [a, b] by itself, the
usual interval where v is far from both ends, and wider towards the middle where it is near one. Where nothing
was seen to vary, as with no mistake at all, the spread is that of a share of independent units.

Differences of two values are cut at the width of the range, which costs no coverage. Where nothing was seen
to vary, as with two models that answer alike, Wilson's limit says which share of the units might yet: the
interval reaches as far as it would if those lay at an end of the range.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """
    Where an estimate can lie.

    Attributes
    ----------
    low, high : float
        The ends of the range, infinite where there are none.
    units : int
        How many independent things were tested, examples or sources: what is known where nothing varied; 0
        where nobody knows, or runs are all that varies.
    alone : bool
        Whether it is the value of one algorithm, not a difference.

    Examples
    --------
    No mistake among 100 examples, and ten of them, with the normal quantile of 95 %:

    >>> bounds = Bounds(low=0.0, high=1.0, units=100, alone=True)
    >>> [round(float(end), 3) for end in bounds.limits(0.0, 0.0, 1.96)]
    [0.0, 0.037]
    >>> [round(float(end), 3) for end in bounds.limits(0.1, 1.96 * 0.03, 1.96)]
    [0.055, 0.174]

    Two models that are right and wrong on the same of 100 examples:

    >>> bounds = Bounds(low=-1.0, high=1.0, units=100)
    >>> [round(float(end), 3) for end in bounds.limits(0.0, 0.0, 1.96)]
    [-0.037, 0.037]
    """

    low: float
    high: float
    units: int = 0
    alone: bool = False

    def limits(self, value: Any, reach: Any, quantile: Any) -> tuple[Floats, Floats]:
        """Return both limits of an interval that would reach so far, ``quantile`` standard errors."""
        value, reach = np.asarray(value, dtype=float), np.asarray(reach, dtype=float)
        below = above = reach
        if self.units and 0 < self.high - self.low < np.inf:
            k = np.square(np.asarray(quantile, dtype=float)) / self.units
            if self.alone:
                return self._wilson(value, reach, k)
            seen, unseen = reach > 0, k / (1 + k)  # the share of units that none of them rules out
            below = np.where(seen, reach, unseen * (value - self.low))
            above = np.where(seen, reach, unseen * (self.high - value))
        low, high = (np.clip(end, self.low, self.high) for end in (value - below, value + above))
        return low[()], high[()]

    def statistic(self, value: Any, null: float) -> Floats:
        """Return the quantile at which an interval of what was not seen to vary ends at the null."""
        room = np.where(value > null, value - self.low, self.high - value)
        share = np.abs(value - null) / np.where(room > 0, room, 1.0)
        with np.errstate(divide="ignore"):  # a null at the end of the range is not ruled in by any share
            size: Floats = np.sqrt(self.units * share / (1 - share))
        signed: Floats = np.copysign(size, value - null)[()]
        return signed

    def _wilson(self, value: Floats, reach: Floats, unseen: Floats) -> tuple[Floats, Floats]:
        width = self.high - self.low
        u = np.clip((value - self.low) / width, 0.0, 1.0)
        spread = u * (1 - u)
        seen = (spread > 0) & (reach > 0)
        # q² / effective number of units: from the spread that was seen, else from the units themselves
        k = np.where(seen, (reach / width) ** 2 / np.where(seen, spread, 1.0), unseen)
        middle = (u + k / 2) / (1 + k)
        half = np.sqrt(k * (k / 4 + spread)) / (1 + k)
        low, high = self.low + width * (middle - half), self.low + width * (middle + half)
        # at an end the root is exactly there; rounding must not say otherwise
        return np.where(u == 0, self.low, low)[()], np.where(u == 1, self.high, high)[()]
