"""What a gate would have caught, and how many examples, clusters or runs show a difference."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy import special

from evenfold.core.estimate import (
    Estimate,
    Floats,
    PivotEstimate,
    Reference,
    StudentT,
    TestEstimate,
)
from evenfold.infer.anytime import ItemGateEstimate
from evenfold.infer.effects import fewest, t_power, threshold_of
from evenfold.infer.halves.sequential import SequentialEstimate
from evenfold.infer.one_test_set.tango_exact import FlipsEstimate, tango_power
from evenfold.infer.tables.kernels import Codes, CrossedComponents, MixedT, clustered_variance

_DEFAULT_POWER = 0.8
_CORRECTIONS = 4  # steps from the drop of a normal law to that of the exact one
_DOUBLINGS = 12  # of a first guess; a larger number would be no useful advice


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class PowerOfGate:
    """
    How often a gate stops a drop, and how often it lets an equal challenger pass.

    Attributes
    ----------
    catches : function of a drop
        How often a challenger that is worse by it is called worse.
    passes : function
        How often one that is as good is called not worse.
    likely_catch : function of a drop
        A fast approximation of ``catches``, by a normal law where the exact one takes long.
    likely_pass : function of a margin and a number
        About how often one that is as good is called not worse by more than a margin, with so many
        times as many examples.
    margin : float
        The margin of the gate.
    differ : float or None
        The share of examples on which both differ, if the power depends on it.
    """

    catches: Callable[[float], float]
    passes: Callable[[], float]
    likely_catch: Callable[[float], float]
    likely_pass: Callable[[float, float], float]
    margin: float
    differ: float | None = None

    def default_drop(self) -> float:
        """Return about the smallest drop that is caught with a power of 80%."""
        start = max(self.margin, 0.001)
        drop = _smallest(lambda drop: self.likely_catch(drop) >= _DEFAULT_POWER, start)
        if not math.isfinite(drop):
            return drop
        for _ in range(_CORRECTIONS):
            caught = self.catches(drop)
            if abs(caught - _DEFAULT_POWER) < 0.01 or not 0 < caught < 1:
                break
            drop += (special.ndtri(_DEFAULT_POWER) - special.ndtri(caught)) / self._slope(drop)
        return drop

    def _slope(self, drop: float) -> float:
        """Return how fast the probit of the power rises with the drop; it is nearly a line."""
        here = special.ndtri(self.likely_catch(drop))
        beyond = special.ndtri(self.likely_catch(1.01 * drop))
        return float((beyond - here) / (0.01 * drop))

    def enough_margin(self) -> float:
        """Return about the smallest margin with which 80% of unchanged challengers pass."""
        start = max(self.margin, 0.001)
        return _smallest(lambda margin: self.likely_pass(margin, 1.0) >= _DEFAULT_POWER, start)

    def enough_examples(self) -> float:
        """Return by what factor examples must grow for 80% of unchanged challengers to pass."""
        if not self.margin:
            return math.inf
        return _smallest(lambda times: self.likely_pass(self.margin, times) >= _DEFAULT_POWER, 1.0)


def _smallest(is_enough: Callable[[float], bool], start: float) -> float:
    """Return the smallest number that is enough, to 1%; infinity if none is found."""
    high = start
    for _ in range(_DOUBLINGS):
        if is_enough(high):
            break
        high *= 2
    else:
        return math.inf
    low = 0.0 if high == start else high / 2
    while high - low > 0.01 * high:
        middle = (low + high) / 2
        if is_enough(middle):
            high = middle
        else:
            low = middle
    return high


def power_of_gate(
    estimate: Estimate | None, limits: tuple[float, float, float], margin: float, error: float
) -> PowerOfGate | None:
    """
    Return the power of the test behind an answer.

    It is None for tests that stop by themselves and for posteriors.

    Parameters
    ----------
    estimate : Estimate or None
        What the test gave.
    limits : tuple of float
        B − A with its interval.
    margin : float
        How much worse is not yet worse.
    error : float
        The error of each bound.
    """
    if isinstance(estimate, FlipsEstimate):
        return _of_flips(estimate, margin, error)
    if isinstance(estimate, PivotEstimate):
        return _of_pivot(estimate, margin, error)
    if isinstance(estimate, TestEstimate) and not isinstance(
        estimate, (SequentialEstimate, ItemGateEstimate)
    ):
        return _power_of_bound(estimate, limits, margin)
    return None


def _of_flips(estimate: FlipsEstimate, margin: float, error: float) -> PowerOfGate:
    n = int(estimate.n)
    share = float(estimate.up + estimate.down) / n
    power = partial(tango_power, n=n, null=-margin, level=error)

    def catches(drop: float) -> float:
        differ = min(max(share, drop), 1.0)  # a drop needs at least that share of differences
        return power(-min(drop, 1.0), differ=differ, alternative="less")

    def passes() -> float:
        return power(0.0, differ=share, alternative="greater")

    return PowerOfGate(
        catches=catches,
        passes=passes,
        likely_catch=lambda drop: _normal_power(share, n, drop, drop - margin, margin, error),
        likely_pass=lambda margin, times: _normal_power(
            share, times * n, 0.0, margin, margin, error
        ),
        margin=margin,
        differ=share,
    )


def _normal_power(
    share: float, n: float, drop: float, distance: float, margin: float, error: float
) -> float:
    """Return the power of the score test by normal laws, at a distance from the margin."""
    if distance <= 0 or max(drop, margin) >= 1:
        return float(distance > 0)
    # a difference needs at least that share of answers that differ, and one may always differ
    true = max(share, drop, 1 / n) - drop**2
    null = max(share, margin, drop) - margin**2
    reach = special.ndtri(1 - error) * math.sqrt(null)
    return float(special.ndtr((distance * math.sqrt(n) - reach) / math.sqrt(true)))


def _of_pivot(estimate: PivotEstimate, margin: float, error: float) -> PowerOfGate | None:
    spread = float(estimate.standard_error)
    df = float(estimate.df)
    if not 0 < spread < math.inf:
        return None
    threshold = threshold_of(error, df, two_sided=False)
    power = partial(t_power, threshold=threshold, df=df, two_sided=False)
    return _by_distance(lambda distance: power(distance / spread), margin)


def _by_distance(power: Callable[[float], float], margin: float) -> PowerOfGate:
    """Return the power of a test that depends on the distance from the margin alone."""

    def catches(drop: float) -> float:
        return power(drop - margin)

    return PowerOfGate(
        catches=catches,
        passes=lambda: power(margin),
        likely_catch=catches,
        likely_pass=lambda margin, times: power(margin * math.sqrt(times)),
        margin=margin,
    )


def _power_of_bound(
    estimate: TestEstimate, limits: tuple[float, float, float], margin: float
) -> PowerOfGate | None:
    """Return the power of a bound that stays as far from the mean as here."""
    spread = float(estimate.standard_error)
    value, low, high = limits
    reach = max(high - value, value - low)
    if not 0 < spread < math.inf or not math.isfinite(high - low):
        return None
    return _by_distance(lambda distance: float(special.ndtr((distance - reach) / spread)), margin)


# How often an interval lies within a limit on both sides, where nothing changed.


def passes_within(half_width: float, limit: float, error: float) -> float:
    """
    Return about how often an interval around 0 lies within ± ``limit``, by a normal law.

    Parameters
    ----------
    half_width : float
        Half the length of the interval.
    limit : float
        What counts as no difference.
    error : float
        One minus the confidence of the interval.

    Examples
    --------
    >>> round(passes_within(1.96, 3.6, 0.05), 2), passes_within(1.96, 1.9, 0.05)
    (0.9, 0.0)
    """
    spread = half_width / float(special.ndtri(1 - error / 2))
    return max(0.0, 2 * float(special.ndtr((limit - half_width) / spread)) - 1)


def enough_limit(half_width: float, error: float) -> float:
    """
    Return about the smallest limit within which such an interval lies in 80% of cases.

    Examples
    --------
    >>> round(enough_limit(1.96, 0.05), 2)
    3.24
    """
    spread = half_width / float(special.ndtri(1 - error / 2))
    return half_width + spread * float(special.ndtri((1 + _DEFAULT_POWER) / 2))


# How many examples, clusters or runs would show a difference, from the spread of a pilot table.


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
        Shares of ``run`` that A and B have if their runs are not paired; one share if they are.
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
        Read the variances off the parts of two algorithms whose runs are not paired.

        ``unit`` is the variance between units of their mean differences, and ``runs`` are the
        numbers of runs of A and of B.
        """
        spread_a = cls.of(a, units=units, runs=runs[0])
        spread_b = cls.of(b, units=units, runs=runs[1])
        return cls(
            unit=max(unit - float(a.E + b.E) * units, 0.0),
            run=spread_a.run + spread_b.run,
            both=spread_a.both + spread_b.both,
            units=units,
            runs=min(runs),
            of_each=shares(spread_a.run, spread_b.run),
        )

    def variance(self, units: float, runs: float) -> float:
        """Return the variance of the mean difference with so many units and runs."""
        return self.unit / units + self.run / runs + self.both / (units * runs)

    def reference(self, units: float, runs: float) -> Reference:
        """
        Return the law that the test of such a table refers to.

        If only units vary, it is t with n − 1 df. If only runs vary, it is t with S − 1 df, or with
        Welch's df if the runs are not paired. If both vary, it is the mixture of ``crossed-t``.
        """
        by_units = self.unit / units + self.both / (units * runs)
        parts = [(by_units, units - 1.0)]
        parts += [(share * self.run / runs, runs - 1.0) for share in self.of_each]
        positive = [(variance, df) for variance, df in parts if variance > 0]
        total = sum(variance for variance, _ in positive)
        mixed = MixedT(
            shares=np.array([variance / total for variance, _ in positive]),
            dfs=tuple(df for _, df in positive),
        )
        if by_units == 0:
            return StudentT(float(mixed.df))
        return mixed

    def power(
        self, difference: float, *, units: float, runs: float, level: float, two_sided: bool = True
    ) -> float:
        """
        Return the chance that the test of such a table finds a difference.

        The statistic has a noncentral t distribution with the degrees of freedom of the table.

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

    The result is None if no number would.

    Examples
    --------
    >>> units_needed(Spread(unit=0.2, units=100), 0.02, level=0.05, power=0.8)
    3927
    """
    power_with = partial(
        spread.power, difference, runs=spread.runs, level=level, two_sided=two_sided
    )
    return fewest(lambda units: power_with(units=units) >= power, 2)


def runs_needed(
    spread: Spread, difference: float, *, level: float, power: float, two_sided: bool = True
) -> int | None:
    """
    Return how many runs would show a difference on the units of the pilot.

    The result is None if no number would.

    Examples
    --------
    >>> seeds = Spread(unit=0.05, run=0.001, both=0.1, units=2000, runs=3)
    >>> runs_needed(seeds, 0.03, level=0.05, power=0.8)
    14
    """
    power_with = partial(
        spread.power, difference, units=spread.units, level=level, two_sided=two_sided
    )
    return fewest(lambda runs: power_with(runs=runs) >= power, 2)


def unit_variance(d: Floats, codes: Codes | None) -> float:
    """
    Return the variance between units: that of the mean times the number of units.

    Examples
    --------
    >>> import numpy as np
    >>> unit_variance(np.array([0.0, 1.0, 2.0]), None)
    1.0
    """
    if codes is None:
        return float(d.var(ddof=1))
    return float(clustered_variance(d - d.mean(), codes)) * (int(codes.max()) + 1)
