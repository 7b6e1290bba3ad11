"""What a pilot table, or prior knowledge, says of how many examples, clusters or runs it takes."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from evenfold.comparison.plan.path import require_enough, sides
from evenfold.core.checks import fraction, integer, number, one_of, refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Losses, Quantity
from evenfold.core.partition import SEEDS, TEST_SET
from evenfold.core.words import decimals, format_confidence, format_count, format_number, round_up
from evenfold.infer import recommended, tango_power
from evenfold.infer.effects import NO_SPREAD, fewest
from evenfold.infer.planning import Spread, runs_needed, shares, unit_variance, units_needed
from evenfold.infer.tables.kernels import parts

# How many right/wrong answers it takes to find a difference, or to pass a model that did not
# change.


_FEWEST = 10
_ANSWERS = Quantity(
    name="answers", lower_is_better=False, per_example="values", right_or_wrong=True
)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class FlipsPlan:
    """
    What it takes to find a difference of two models whose answers are right or wrong.

    Attributes
    ----------
    method : str
        The test that is planned with; its power is enumerated, not approximated.
    difference, wanted, level, alternative
        What is to be found, with which power, at which level, on which side.
    margin : float
        Above 0 the plan is for the question "not worse by the margin?", of a model that differs by
        ``difference``.
    differ : float
        The share of answers that one model gets right and the other wrong.
    n : int or None
        Answers that there are, where that is known.
    units : int
        How many answers suffice.
    """

    method: str
    difference: float
    wanted: float
    level: float
    alternative: str
    margin: float
    differ: float
    n: int | None
    units: int

    @property
    def runs(self) -> None:
        """Nothing: one run of each model is planned with."""

    def power(self, *, units: int | None = None) -> float:
        """Return the power with so many answers, by default those there are or those needed."""
        n = units or self.n or self.units
        asked = partial(tango_power, n=n, differ=self.differ, level=self.level)
        if self.margin:  # a drop within the margin is to pass
            return asked(-self.difference, null=-self.margin, alternative="greater")
        if self.alternative == "less":
            truth = -self.difference
        else:
            truth = self.difference
        return asked(truth, alternative=self.alternative)

    def __str__(self) -> str:
        size = format_number(self.difference, digits=decimals(self.difference or 0.01))
        what = f"to find a difference of {size}"
        side = sides(self.alternative)
        if self.margin:
            if self.difference:
                worse = f" that is worse by {size}"
            else:
                worse = " without a change"
            what = f"to pass a model{worse} as not worse by {self.margin:g}"
            side = "one-sided"
        test = f"{self.method}, level {self.level:g}, {side}"
        share = f"where {100 * self.differ:.3g}% of the answers differ"
        if self.n is None:
            has = ""
        else:
            has = f"{format_count(self.n)} answers have a power of {self.power():.2f}; "
        enough = f"about {format_count(round_up(self.units))} answers suffice"
        return (
            f"{what} with a power of {format_confidence(1 - self.wanted)} ({test}), {share}: "
            f"{has}{enough}."
        )

    def __repr__(self) -> str:
        return f"<FlipsPlan: {self}>"


def plan_flips(
    *,
    difference: float,
    wanted: float,
    level: float,
    alternative: str,
    differ: float | None = None,
    accuracy: float | None = None,
    margin: float = 0.0,
    n: int | None = None,
) -> FlipsPlan:
    """Plan with the exact test; ``alternative`` is about the side of the difference."""
    margin = number("margin", margin, low=0, high=1)
    if margin and difference >= margin:
        refuse("difference", f"below the margin {margin:g} of a model that is to pass", difference)
    share = _share(differ, accuracy, difference)
    draft = FlipsPlan(
        method=recommended_for_flips(),
        difference=difference,
        wanted=wanted,
        level=level,
        alternative=alternative,
        margin=margin,
        differ=share,
        n=n,
        units=_FEWEST,
    )
    enough = fewest(lambda size: draft.power(units=size) >= wanted, _FEWEST)
    units = require_enough(enough, "answer", difference)
    # power rises in steps and falls a little between them: go on until it stays
    while min(draft.power(units=units + k) for k in _next_sizes(units)) < wanted:
        units += max(units // 200, 1)
    return replace(draft, units=units)


def _next_sizes(units: int) -> tuple[int, ...]:
    step = max(units // 100, 1)
    return (0, step, 2 * step, 3 * step)


def _share(differ: float | None, accuracy: float | None, difference: float) -> float:
    """
    The share of answers that differ.

    As said, or at most what two models that share nothing would have.
    """
    if differ is not None:
        share = number("differ", differ, low=0, high=1)
        if share < difference:
            refuse("differ", f"at least the difference, {difference:g}", share)
        return max(share, 1e-9)
    if accuracy is None:
        refuse("differ", "given, or accuracy instead", None)
    right = number("accuracy", accuracy, low=0, high=1)
    other = min(max(right - difference, 0.0), 1.0)
    return max(right * (1 - other) + other * (1 - right), difference, 1e-9)


def recommended_for_flips() -> str:
    """The key of the test of right/wrong answers."""
    return recommended(TEST_SET, measure=_ANSWERS)


def plan_of_answers(losses: Losses, a: int, b: int, *, method: str = "", **asked: Any) -> FlipsPlan:  # noqa: ARG001  (one signature)
    """Plan from a table of right/wrong answers: with the share of them that differs there."""
    losses.require_complete(a, b)
    assert losses.examples is not None  # asked before
    differ = float((losses.examples[a][0] != losses.examples[b][0]).mean())
    if differ == 0:
        raise NotApplicable(NO_SPREAD)
    share = min(max(differ, asked["difference"]), 1.0)
    return plan_flips(differ=share, n=losses.partition.n, **asked)


_SINGLE = (
    "the pilot has no values of single examples, as one from JSON has not; judge the table again"
)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class TablePlan:
    """
    What it takes to find a difference with a table like the pilot, or of a known spread.

    Attributes
    ----------
    method : str
        The test that is planned with, at the degrees of freedom that it will have.
    difference, wanted, level, alternative
        What is to be found, with which power, at which level, on which side.
    spread : Spread
        The variances of differences between units, between runs, and of a unit in a run.
    word : str
        What a unit is: "examples" or "clusters"; empty where there are only runs.
    paired : bool
        Whether the runs of both belong together; else each has as many, the fewer of the pilot's.
    counted : bool
        Whether there is a number of units and runs to speak of: that of a pilot, or one that was
        said.
    units, runs : int or None
        How many of each would do while the other stays as it is; None where no number does.
    """

    method: str
    difference: float
    wanted: float
    level: float
    alternative: str
    spread: Spread
    word: str
    units: int | None
    runs: int | None
    paired: bool = True
    counted: bool = True

    def power(self, *, units: int | None = None, runs: int | None = None) -> float:
        """Return the power with so many units and runs, by default those of the pilot."""
        return self.spread.power(
            self.difference,
            units=units or self.spread.units,
            runs=runs or self.spread.runs,
            level=self.level,
            two_sided=self.alternative == "two-sided",
        )

    def __str__(self) -> str:
        size = format_number(self.difference, digits=decimals(self.difference))
        power = f"a power of {format_confidence(1 - self.wanted)}"
        test = f"{self.method}, level {self.level:g}, {sides(self.alternative)}"
        if self.counted:
            has = f"{self._has} have a power of {self.power():.2f}; "
        else:
            has = ""
        ways = [
            self._suffices_phrase(self.units, self.word),
            self._suffices_phrase(self.runs, self._runs),
        ]
        enough = " or ".join(filter(None, ways)) or "no number of either suffices alone"
        return f"to find a difference of {size} with {power} ({test}): {has}{enough}."

    @property
    def _runs(self) -> str:
        if not self._vary_runs:
            return ""
        if self.paired:
            return "runs"
        return "runs of each"

    @property
    def _vary_runs(self) -> bool:
        return self.spread.runs > 1 or not self.word

    @property
    def _has(self) -> str:
        units = f"{format_count(self.spread.units)} {self.word}"
        runs = f"{self.spread.runs} {self._runs}"
        if not self.word:
            return runs
        if self._vary_runs:
            return f"{runs} on {units}"
        return units

    def _suffices_phrase(self, count: int | None, word: str) -> str:
        if not word:
            return ""
        if count is None:
            return f"no number of {word} suffices alone"
        return f"{format_count(count)} {word} suffice"

    def __repr__(self) -> str:
        return f"<TablePlan: {self}>"


def plan_table(losses: Losses, a: int, b: int, *, method: str, **asked: Any) -> TablePlan:
    """Plan from the losses of a table whose models were trained elsewhere."""
    if losses.partition.kind.is_two_test_sets:
        raise NotApplicable(
            "no plan is made from models on other examples each: ask both the same ones"
        )
    spread, word = _spread(losses, a, b)
    if spread.unit + spread.run + spread.both == 0:
        raise NotApplicable(NO_SPREAD)
    return _solve_table(spread, word, method=method, paired=losses.absent is None, **asked)


ROWS = ("runs", "examples")


def plan_rows(rows: str, *, sigma: float | None, n: int | None, **asked: Any) -> TablePlan:
    """Plan without a pilot, by the standard deviation of one run's or one example's difference."""
    one_of("rows", rows, ROWS)
    if sigma is None:
        remedy = f"it is the standard deviation of the difference B − A of one of the {rows}"
        refuse("sigma", f"given for rows={rows!r}", sigma, remedy)
    variance = fraction("sigma", sigma, high=np.inf) ** 2
    if n is None:
        count = 2
    else:
        count = integer("n", n, low=2)
    if rows == "runs":
        spread = Spread(unit=0.0, run=variance, units=1, runs=count)
        return _solve_table(spread, "", method=recommended(SEEDS), counted=n is not None, **asked)
    spread = Spread(unit=variance, units=count)
    return _solve_table(
        spread, "examples", method=recommended(TEST_SET), counted=n is not None, **asked
    )


def _solve_table(
    spread: Spread, word: str, *, difference: float, wanted: float, **asked: Any
) -> TablePlan:
    """Find how many units and runs suffice, each while the other stays."""
    side = {
        "level": asked["level"],
        "two_sided": asked["alternative"] == "two-sided",
        "power": wanted,
    }
    if word:
        units = units_needed(spread, difference, **side)
    else:
        units = None
    if spread.runs > 1 or not word:
        runs = runs_needed(spread, difference, **side)
    else:
        runs = None
    return TablePlan(
        difference=difference,
        wanted=wanted,
        spread=spread,
        word=word,
        units=None if units is None else round_up(units),
        runs=None if runs is None else round_up(runs),
        **asked,
    )


def _spread(losses: Losses, a: int, b: int) -> tuple[Spread, str]:
    """The spread of the differences, and what a unit is."""
    losses.require_complete(a, b)
    if losses.examples is None:
        if len(losses.partition) < 2:
            raise NotApplicable(_SINGLE)
        ours, theirs = (_own_values(losses, losses.values[one], one) for one in (a, b))
        return _spread_of_scores(ours, theirs, paired=losses.absent is None), ""
    first, second = (np.stack(_own_values(losses, losses.examples[one], one)) for one in (a, b))
    clusters = losses.clusters
    if clusters is None:
        units = first.shape[-1]
    else:
        units = int(clusters.max()) + 1
    word, count = ("examples", 0) if clusters is None else ("clusters", units)
    if losses.absent is not None:
        between = unit_variance(second.mean(axis=0) - first.mean(axis=0), clusters)
        both = (parts(y, clusters, count) for y in (first, second))
        runs = (len(first), len(second))
        return Spread.apart(*both, unit=between, units=units, runs=runs), word
    d = second - first
    if len(d) == 1:
        return Spread(unit=unit_variance(d[0], clusters), units=units), word
    return Spread.of(parts(d, clusters, count), units=units, runs=len(d)), word


def _own_values(losses: Losses, values: Any, algorithm: int) -> list[Any]:
    """The values of the runs that an algorithm has."""
    absent = losses.absent
    return [
        np.asarray(one)
        for s, one in enumerate(values)
        if absent is None or not absent[algorithm, s]
    ]


def _spread_of_scores(ours: list[Any], theirs: list[Any], *, paired: bool) -> Spread:
    """Of one score per run: of their differences, or of each where runs are not paired."""
    if paired:
        run = float(np.var(np.subtract(theirs, ours), ddof=1))
        return Spread(unit=0.0, run=run, units=1, runs=len(ours))
    of_a = float(np.var(ours, ddof=1))
    of_b = float(np.var(theirs, ddof=1))
    each = shares(of_a, of_b)
    return Spread(
        unit=0.0, run=of_a + of_b, units=1, runs=min(len(ours), len(theirs)), of_each=each
    )
