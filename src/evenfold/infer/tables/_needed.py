"""How many examples, clusters or runs would show a difference, from the spread of a pilot table."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenfold.core.estimate import Floats, Reference, StudentT
from evenfold.core.ranking import cliques
from evenfold.infer.tables._kernels import Codes, CrossedComponents, MixedT, clustered_variance
from evenfold.infer.theory.planning import fewest, t_power


@dataclass(frozen=True, kw_only=True, slots=True)
class Spread:
    """
    Variances of differences: between units, between runs, and of a unit in a run.

    A unit is an example, or a cluster of them. With n units and S runs the mean difference has the
    variance unit/n + run/S + both/(nS).

    Attributes
    ----------
    unit, run, both : float
        The three variances; the last two are 0 where there is one run.
    units, runs : int
        How many of each the pilot has.
    of_each : tuple of float
        Shares of ``run`` that A and B have where runs do not belong together; one share where they
        do.
    """

    unit: float
    run: float = 0.0
    both: float = 0.0
    units: int
    runs: int = 1
    of_each: tuple[float, ...] = (1.0,)

    @classmethod
    def of(cls, parts: CrossedComponents, *, units: int, runs: int) -> "Spread":
        """Read the variances off the parts of a crossed table (docs/infer/tables)."""
        A = float(parts.A)
        R = float(parts.R)
        E = float(parts.E)
        return cls(
            unit=max(A - E, 0.0) * units,
            run=max(R - E, 0.0) * runs,
            both=E * units * runs,
            units=units,
            runs=runs,
        )

    @classmethod
    def apart(
        cls,
        a: CrossedComponents,
        b: CrossedComponents,
        *,
        unit: float,
        units: int,
        runs: tuple[int, int],
    ) -> "Spread":
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
            of_each=shares(each[0].run, each[1].run),
        )

    def variance(self, units: float, runs: float) -> float:
        """Variance of the mean difference with so many units and runs."""
        return self.unit / units + self.run / runs + self.both / (units * runs)

    def reference(self, units: float, runs: float) -> Reference:
        """
        Return the law that the test of such a table refers to.

        Units alone: t with n − 1 df. Runs alone: t with S − 1 df, or Welch's where they do not
        belong together. Both: the mixture of ``crossed-t``.
        """
        of_units = self.unit / units + self.both / (units * runs)
        of_runs = [share * self.run / runs for share in self.of_each]
        parts = [(of_units, units - 1.0), *((one, runs - 1.0) for one in of_runs)]
        there = [(size, df) for size, df in parts if size > 0]
        total = sum(size for size, _ in there)
        mixed = MixedT(
            shares=np.array([size / total for size, _ in there]), dfs=tuple(df for _, df in there)
        )
        if of_units == 0:
            return StudentT(float(mixed.df))
        return mixed

    def power(
        self, difference: float, *, units: float, runs: float, level: float, two_sided: bool = True
    ) -> float:
        """
        Return the chance that the test of such a table finds a difference.

        a noncentral t with its own df.

        Examples
        --------
        >>> seeds = Spread(unit=0.0, run=0.0096**2, units=1)
        >>> [round(seeds.power(0.02, units=1, runs=S, level=0.05), 3) for S in (2, 3, 4, 5)]
        [0.183, 0.496, 0.785, 0.928]
        """
        error = math.sqrt(self.variance(units, runs))
        law = self.reference(units, runs)
        threshold = float(law.isf(level / 2 if two_sided else level))
        return t_power(abs(difference) / error, threshold, float(law.df), two_sided=two_sided)


def shares(a: float, b: float) -> tuple[float, float]:
    """Return which shares of a sum two variances have; halves where both are 0."""
    total = a + b
    if total > 0:
        return (a / total, b / total)
    return (0.5, 0.5)


def units_needed(
    spread: Spread, difference: float, *, level: float, power: float, two_sided: bool = True
) -> int | None:
    """
    Return how many units would show a difference with the runs of the pilot.

    None where no number would.

    Examples
    --------
    >>> units_needed(Spread(unit=0.2, units=100), 0.02, level=0.05, power=0.8)
    3927
    """

    def enough(units: int) -> bool:
        found = spread.power(
            difference, units=units, runs=spread.runs, level=level, two_sided=two_sided
        )
        return found >= power

    return fewest(enough, 2)


def runs_needed(
    spread: Spread, difference: float, *, level: float, power: float, two_sided: bool = True
) -> int | None:
    """
    Return how many runs would show a difference on the units of the pilot.

    None where no number would.

    Examples
    --------
    >>> seeds = Spread(unit=0.05, run=0.001, both=0.1, units=2000, runs=3)
    >>> runs_needed(seeds, 0.03, level=0.05, power=0.8)
    14
    """

    def enough(runs: int) -> bool:
        found = spread.power(
            difference, units=spread.units, runs=runs, level=level, two_sided=two_sided
        )
        return found >= power

    return fewest(enough, 2)


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


# Ranks of several algorithms with intervals that hold together, from pairs that were decided.


def rank_intervals(better: NDArray[np.bool_]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """
    Return the lowest and the highest rank of each algorithm.

    Where the decisions about all pairs hold together with confidence 1 − α, so do these intervals:
    an algorithm has at least as many before it as are better than it, and at least as many behind
    it as are worse (Al Mohamad, van Zwet, Solari and Goeman 2021).

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


def tie_groups(
    values: Floats, better: NDArray[np.bool_], *, lower_is_better: bool
) -> tuple[str, ...]:
    """
    Return letters: two algorithms share one exactly if they are tied.

    A letter stands for a largest set of algorithms that are tied with each other (a compact
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
    if g < 26:
        return chr(ord("a") + g)
    return f"({g + 1})"
