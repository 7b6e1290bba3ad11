"""How many examples, clusters or runs would show a difference, from the spread of a pilot table."""

import math
from dataclasses import dataclass

from scipy import special

from evenfold.core.estimate import Floats
from evenfold.infer.tables._clusters import Codes, clustered_variance
from evenfold.infer.tables._crossed import Parts


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread:
    """
    Variances of differences: between units, between runs, and of a unit in a run.

    A unit is an example, or a cluster of them. With n units and S runs the mean difference has the variance
    unit/n + run/S + both/(nS).

    Attributes
    ----------
    unit, run, both : float
        The three variances; the last two are 0 where there is one run.
    units, runs : int
        How many of each the pilot has.
    """

    unit: float
    run: float = 0.0
    both: float = 0.0
    units: int
    runs: int = 1

    @classmethod
    def of(cls, parts: Parts, *, units: int, runs: int) -> "Spread":
        """Read the variances off the parts of a crossed table (METHODS 14)."""
        A, R, E = float(parts.A), float(parts.R), float(parts.E)
        return cls(
            unit=max(A - E, 0.0) * units,
            run=max(R - E, 0.0) * runs,
            both=E * units * runs,
            units=units,
            runs=runs,
        )

    @classmethod
    def apart(cls, a: Parts, b: Parts, *, unit: float, units: int, runs: tuple[int, int]) -> "Spread":
        """
        Read the variances off the parts of two algorithms whose runs do not belong together.

        ``unit`` is the variance between units of their mean differences; both have as many runs.
        """
        each = [cls.of(one, units=units, runs=S) for one, S in zip((a, b), runs, strict=True)]
        return cls(
            unit=max(unit - float(a.E + b.E) * units, 0.0),
            run=each[0].run + each[1].run,
            both=each[0].both + each[1].both,
            units=units,
            runs=min(runs),
        )

    def variance(self, units: float, runs: float) -> float:
        """Variance of the mean difference with so many units and runs."""
        return self.unit / units + self.run / runs + self.both / (units * runs)


def standard_error_needed(difference: float, *, level: float, power: float) -> float:
    """
    Return the standard error at which a two-sided test finds a difference with this power.

    Examples
    --------
    >>> round(standard_error_needed(0.02, level=0.05, power=0.8), 5)
    0.00714
    """
    reach = float(special.ndtri(1 - level / 2) + special.ndtri(power))
    return abs(difference) / reach


def units_needed(spread: Spread, difference: float, *, level: float, power: float) -> float:
    """
    Return how many units would show a difference with the runs of the pilot; infinite where none would.

    Examples
    --------
    >>> round(units_needed(Spread(unit=0.2, units=100), 0.02, level=0.05, power=0.8))
    3924
    """
    left = standard_error_needed(difference, level=level, power=power) ** 2 - spread.run / spread.runs
    return math.inf if left <= 0 else (spread.unit + spread.both / spread.runs) / left


def runs_needed(spread: Spread, difference: float, *, level: float, power: float) -> float:
    """
    Return how many runs would show a difference on the units of the pilot; infinite where none would.

    Examples
    --------
    >>> seeds = Spread(unit=0.05, run=0.001, both=0.1, units=2000, runs=3)
    >>> round(runs_needed(seeds, 0.03, level=0.05, power=0.8), 1)
    11.7
    """
    left = standard_error_needed(difference, level=level, power=power) ** 2 - spread.unit / spread.units
    return math.inf if left <= 0 else (spread.run + spread.both / spread.units) / left


def unit_variance(d: Floats, codes: Codes | None) -> float:
    """
    Return the variance between units, examples or clusters: that of the mean times their number.

    Examples
    --------
    >>> import numpy as np
    >>> unit_variance(np.array([0.0, 1.0, 2.0]), None)
    1.0
    """
    if codes is None:
        return float(d.var(ddof=1))
    count = int(codes.max()) + 1
    return float(clustered_variance(d - d.mean(), codes, count)) * count
