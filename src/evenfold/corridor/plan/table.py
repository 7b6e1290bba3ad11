"""What a pilot table says about larger ones: how many examples, clusters or runs would find a difference."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Losses
from evenfold.core.words import decimals, many, percent, round_up, shown
from evenfold.infer.tables import Spread, parts, runs_needed, unit_variance, units_needed
from evenfold.infer.theory.planning import NO_SPREAD, t_power, threshold_of

_SINGLE = "the pilot has no values of single examples, as one from JSON has not; judge the table again"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class TablePlan:
    """
    What it takes to find a difference with a table like the pilot.

    Attributes
    ----------
    difference, wanted, level
        What is to be found, with which power, at which level, two-sided.
    spread : Spread
        The variances of differences between units, between runs, and of a unit in a run.
    word : str
        What a unit is: "examples" or "clusters"; empty where there are only runs.
    paired : bool
        Whether the runs of both belong together; else each has as many, the fewer of the pilot's.
    units, runs : int or None
        How many of each would do while the other stays as it is; None where no number does.
    """

    difference: float
    wanted: float
    level: float
    spread: Spread
    word: str
    units: int | None
    runs: int | None
    paired: bool = True

    def power(self, *, units: int | None = None, runs: int | None = None) -> float:
        """Return the power with so many units and runs, by default those of the pilot."""
        variance = self.spread.variance(units or self.spread.units, runs or self.spread.runs)
        return t_power(self.difference / math.sqrt(variance), threshold_of(self.level, math.inf), math.inf)

    def __str__(self) -> str:
        size = shown(self.difference, digits=decimals(self.difference))
        power = f"a power of {percent(1 - self.wanted)} (level {self.level:g})"
        has = f"to find a difference of {size} with {power}: {self._has} have a power of {self.power():.2f}"
        ways = [
            way for way in (self._enough(self.units, self.word), self._enough(self.runs, self._runs)) if way
        ]
        return f"{has}; {' or '.join(ways) or 'no number of either suffices alone'}."

    @property
    def _runs(self) -> str:
        return "runs" if self.paired else "runs of each"

    @property
    def _has(self) -> str:
        runs = f"{self.spread.runs} {self._runs}"
        if not self.word:
            return runs
        units = f"{self.spread.units} {self.word}"
        return f"{runs} on {units}" if self.spread.runs > 1 else units

    def _enough(self, count: int | None, word: str) -> str:
        if not word or (word == self._runs and self.spread.runs == 1):
            return ""
        return f"no number of {word} suffices alone" if count is None else f"{many(count)} {word} suffice"

    def __repr__(self) -> str:
        return f"<TablePlan: {self}>"


def plan_table(
    losses: Losses, a: int, b: int, *, difference: float, wanted: float, level: float, alternative: str
) -> TablePlan:
    """Plan from the losses of a table whose models were trained elsewhere."""
    if alternative != "two-sided":
        refuse("alternative", "'two-sided' where a table is the pilot", alternative)
    spread, word = _spread(losses, a, b)
    if spread.unit + spread.run + spread.both == 0:
        raise NotApplicable(NO_SPREAD)
    asked = {"level": level, "power": wanted}
    units = units_needed(spread, difference, **asked) if word else math.inf
    runs = runs_needed(spread, difference, **asked) if spread.runs > 1 else math.inf
    return TablePlan(
        difference=difference,
        wanted=wanted,
        level=level,
        spread=spread,
        word=word,
        units=_whole(units),
        runs=_whole(runs),
        paired=losses.absent is None,
    )


def _whole(count: float) -> int | None:
    return round_up(max(count, 2)) if math.isfinite(count) else None


def _spread(losses: Losses, a: int, b: int) -> tuple[Spread, str]:
    """The spread of the differences, and what a unit is."""
    losses.require_complete(a, b)
    if losses.examples is None:
        if len(losses.partition) < 2:
            raise NotApplicable(_SINGLE)
        ours, theirs = (_own(losses, losses.values[one], one) for one in (a, b))
        return _of_scores(ours, theirs, paired=losses.absent is None), ""
    first, second = (np.stack(_own(losses, losses.examples[one], one)) for one in (a, b))
    clusters = losses.clusters
    units = first.shape[-1] if clusters is None else int(clusters.max()) + 1
    word, count = ("examples", 0) if clusters is None else ("clusters", units)
    if losses.absent is not None:
        between = unit_variance(second.mean(axis=0) - first.mean(axis=0), clusters)
        both, runs = (parts(y, clusters, count) for y in (first, second)), (len(first), len(second))
        return Spread.apart(*both, unit=between, units=units, runs=runs), word
    d = second - first
    if len(d) == 1:
        return Spread(unit=unit_variance(d[0], clusters), units=units), word
    return Spread.of(parts(d, clusters, count), units=units, runs=len(d)), word


def _own(losses: Losses, values: Any, algorithm: int) -> list[Any]:
    """The values of the runs that an algorithm has."""
    absent = losses.absent
    return [np.asarray(one) for s, one in enumerate(values) if absent is None or not absent[algorithm, s]]


def _of_scores(ours: list[Any], theirs: list[Any], *, paired: bool) -> Spread:
    """Of one score per run: of their differences, or of each where runs are not paired."""
    scores: list[Any] = [np.subtract(theirs, ours)] if paired else [ours, theirs]
    run = sum(float(np.var(one, ddof=1)) for one in scores)
    return Spread(unit=0.0, run=run, units=1, runs=min(map(len, scores)))
