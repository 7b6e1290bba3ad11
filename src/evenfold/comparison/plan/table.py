"""
Plan how many examples, clusters, runs or times it takes.

The spread comes from a pilot table, from a pilot along a path, or from prior knowledge.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from evenfold.core.checks import fraction, integer, number, one_of, refuse, short_repr
from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Losses, Quantity
from evenfold.core.note import note
from evenfold.core.partition import SEEDS, TEST_SET
from evenfold.core.words import round_up
from evenfold.infer import estimate, methods, recommended, tango_power
from evenfold.infer.effects import NO_SPREAD, fewest, t_power, threshold_of
from evenfold.infer.planning import Spread, runs_needed, shares, unit_variance, units_needed
from evenfold.infer.tables.kernels import parts


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class PlanBase:
    """
    The question that every plan answers.

    Attributes
    ----------
    method : str
        The test that is planned with.
    difference, wanted, level, alternative
        What is to be found, with which power, at which level, on which side.
    """

    method: str
    difference: float
    wanted: float
    level: float
    alternative: str

    @property
    def two_sided(self) -> bool:
        """Whether the test looks for a difference on both sides."""
        return self.alternative == "two-sided"

    @property
    def question(self) -> dict[str, Any]:
        """What is to be found, and by which test."""
        names = ("method", "difference", "wanted", "level", "alternative")
        return {"test": methods()[self.method].name} | {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class PathPlan(PlanBase):
    """
    What it takes to find a difference of two forecasters along a path like that of the pilot.

    Attributes
    ----------
    method : str
        The test that is planned with.
    difference, wanted, level, alternative
        What is to be found, with which power, at which level, on which side.
    standard_error : float
        That of the pilot; it knows how far differences are correlated.
    count : int
        Times of the pilot, or windows where models were trained.
    word : str
        Which of both.
    needed : int
        How many would do.
    """

    standard_error: float
    count: int
    word: str
    needed: int = 0

    def power(self, *, count: int | None = None) -> float:
        """Return the power with so many times or windows, by default those of the pilot."""
        if count is None:
            T = self.count
        else:
            T = integer("count", count, low=2)
        threshold = threshold_of(self.level, T - 1, two_sided=self.two_sided)
        error = self.standard_error * (self.count / T) ** 0.5
        return t_power(self.difference / error, threshold, T - 1, two_sided=self.two_sided)

    def __str__(self) -> str:
        sentence = note(
            "plan-path",
            question=self.question,
            word=self.word,
            power=self.power(),
            have=self.count,
            needed=self.needed,
        )
        return str(sentence)


def plan_path(losses: Losses, a: int, b: int, *, method: str, **aim: Any) -> PathPlan:
    """Plan from losses along a path; ``aim`` has difference, power, level and side."""
    estimated: Any = estimate(losses, method, challenger=b, baseline=a)
    if not estimated.standard_error > 0:
        raise NotApplicable(NO_SPREAD)
    draft = PathPlan(
        method=method,
        standard_error=float(estimated.standard_error),
        count=int(estimated.df) + 1,
        word="time" if len(losses.partition) == 1 else "window",
        **aim,
    )
    needed = fewest(lambda count: draft.power(count=count) >= draft.wanted, 2)
    return replace(draft, needed=round_up(require_enough(needed, draft.word, draft.difference)))


def require_enough(count: int | None, word: str, difference: float) -> int:
    """Return the number that suffices, or refuse a difference that no number finds."""
    if count is None:
        refuse(
            "difference",
            f"difference must be large enough to be found with 1,000,000,000 {word}s but got "
            f"{short_repr(difference)}.",
        )
    return count


# How many right/wrong answers it takes to find a difference, or to pass an unchanged model.


_FEWEST = 10
_ANSWERS = Quantity(
    name="answers", lower_is_better=False, per_example="values", right_or_wrong=True
)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class FlipsPlan(PlanBase):
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

    margin: float
    differ: float
    n: int | None
    units: int

    @property
    def runs(self) -> None:
        """None, because the plan has one run of each model."""

    def power(self, *, units: int | None = None) -> float:
        """Return the power with so many answers, by default those there are or those needed."""
        n = units or self.n or self.units
        power = partial(tango_power, n=n, differ=self.differ, level=self.level)
        if self.margin:  # a drop within the margin should pass
            return power(-self.difference, null=-self.margin, alternative="greater")
        truth = self.difference
        if self.alternative == "less":
            truth = -self.difference
        return power(truth, alternative=self.alternative)

    def __str__(self) -> str:
        sentence = note(
            "plan-answers",
            question=self.question,
            margin=self.margin,
            differ=self.differ,
            needed=self.units,
            have=self.n,
            power=None if self.n is None else self.power(),
        )
        return str(sentence)


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
        refuse(
            "difference",
            f"difference must be below the margin {margin:g}, so that the model may pass, but "
            f"got {short_repr(difference)}.",
        )
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
    # The power rises in steps and falls a little between them: go on until it stays high enough.
    while min(draft.power(units=units + k) for k in _next_sizes(units)) < wanted:
        units += max(units // 200, 1)
    return replace(draft, units=units)


def _next_sizes(units: int) -> tuple[int, ...]:
    step = max(units // 100, 1)
    return (0, step, 2 * step, 3 * step)


def _share(differ: float | None, accuracy: float | None, difference: float) -> float:
    """Return the share of answers that differ: the caller's, or that of independent models."""
    if differ is not None:
        share = number("differ", differ, low=0, high=1)
        if share < difference:
            refuse(
                "differ",
                f"differ must be at least the difference of {difference:g} but got "
                f"{short_repr(share)}.",
            )
        return max(share, 1e-9)
    if accuracy is None:
        refuse("differ", "differ must be given, or accuracy instead.")
    right = number("accuracy", accuracy, low=0, high=1)
    other = min(max(right - difference, 0.0), 1.0)
    return max(right * (1 - other) + other * (1 - right), difference, 1e-9)


def recommended_for_flips() -> str:
    """Return the key of the test of right/wrong answers."""
    return recommended(TEST_SET, measure=_ANSWERS)


def plan_of_answers(losses: Losses, a: int, b: int, *, method: str = "", **aim: Any) -> FlipsPlan:  # noqa: ARG001  (one signature)
    """Plan from a table of right/wrong answers, with the share of answers that differ in it."""
    losses.require_complete(a, b)
    assert losses.examples is not None  # callers check this
    differ = float((losses.examples[a][0] != losses.examples[b][0]).mean())
    if differ == 0:
        raise NotApplicable(NO_SPREAD)
    share = min(max(differ, aim["difference"]), 1.0)
    return plan_flips(differ=share, n=losses.partition.n, **aim)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class TablePlan(PlanBase):
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
        Whether the number of units and runs is that of a pilot or of the caller.
    units, runs : int or None
        How many of each would do while the other stays as it is; None where no number does.
    """

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
            two_sided=self.two_sided,
        )

    def __str__(self) -> str:
        words = {}
        if self.spread.runs > 1 or not self.word:
            words["runs"] = "runs" if self.paired else "runs of each"
        if self.word:
            words["units"] = self.word
        have = []
        if self.counted:
            have = [(word, getattr(self.spread, name)) for name, word in words.items()]
        sentence = note(
            "plan-table",
            question=self.question,
            ways=[
                (words[name], getattr(self, name)) for name in ("units", "runs") if name in words
            ],
            have=have,
            power=self.power(),
        )
        return str(sentence)


def plan_table(losses: Losses, a: int, b: int, *, method: str, **aim: Any) -> TablePlan:
    """Plan from the losses of a table whose models were trained elsewhere."""
    if losses.partition.kind.is_two_test_sets:
        raise NotApplicable(
            "A plan needs models on the same examples, but each model of the pilot has its own."
        )
    spread, word = _spread(losses, a, b)
    if spread.unit + spread.run + spread.both == 0:
        raise NotApplicable(NO_SPREAD)
    return _solve_table(spread, word, method=method, paired=losses.absent is None, **aim)


ROWS = ("runs", "examples")


def plan_rows(rows: str, *, sigma: float | None, n: int | None, **aim: Any) -> TablePlan:
    """Plan without a pilot, by the standard deviation of one run's or one example's difference."""
    one_of("rows", rows, ROWS)
    if sigma is None:
        refuse(
            "sigma",
            f"sigma must be given with rows={rows!r}.",
            f"It is the standard deviation of the difference B − A of one of the {rows}.",
        )
    variance = fraction("sigma", sigma, high=np.inf) ** 2
    if n is None:
        count = 2
    else:
        count = integer("n", n, low=2)
    if rows == "runs":
        spread = Spread(unit=0.0, run=variance, units=1, runs=count)
        return _solve_table(spread, "", method=recommended(SEEDS), counted=n is not None, **aim)
    spread = Spread(unit=variance, units=count)
    return _solve_table(
        spread, "examples", method=recommended(TEST_SET), counted=n is not None, **aim
    )


def _solve_table(
    spread: Spread, word: str, *, difference: float, wanted: float, **aim: Any
) -> TablePlan:
    """Find how many units suffice with these runs, and how many runs with these units."""
    side = {
        "level": aim["level"],
        "two_sided": aim["alternative"] == "two-sided",
        "power": wanted,
    }
    units = None
    if word:
        units = units_needed(spread, difference, **side)
    runs = None
    if spread.runs > 1 or not word:
        runs = runs_needed(spread, difference, **side)
    return TablePlan(
        difference=difference,
        wanted=wanted,
        spread=spread,
        word=word,
        units=None if units is None else round_up(units),
        runs=None if runs is None else round_up(runs),
        **aim,
    )


def _spread(losses: Losses, a: int, b: int) -> tuple[Spread, str]:
    """Return the spread of the differences, and the word for a unit."""
    losses.require_complete(a, b)
    if losses.examples is None:
        if len(losses.partition) < 2:
            raise NotApplicable(
                "The pilot has no values of single examples, because JSON does not hold them. "
                "Judge the table again."
            )
        ours, theirs = (
            _own_values(losses, losses.values[algorithm], algorithm) for algorithm in (a, b)
        )
        return _spread_of_scores(ours, theirs, paired=losses.absent is None), ""
    first, second = (
        np.stack(_own_values(losses, losses.examples[algorithm], algorithm)) for algorithm in (a, b)
    )
    clusters = losses.clusters
    if clusters is None:
        units = first.shape[-1]
        word = "examples"
    else:
        units = int(clusters.max()) + 1
        word = "clusters"
    if losses.absent is not None:
        between = unit_variance(second.mean(axis=0) - first.mean(axis=0), clusters)
        both = (parts(y, clusters) for y in (first, second))
        runs = (len(first), len(second))
        return Spread.apart(*both, unit=between, units=units, runs=runs), word
    d = second - first
    if len(d) == 1:
        return Spread(unit=unit_variance(d[0], clusters), units=units), word
    return Spread.of(parts(d, clusters), units=units, runs=len(d)), word


def _own_values(losses: Losses, values: Any, algorithm: int) -> list[Any]:
    """Return the values of the runs that an algorithm has."""
    absent = losses.absent
    return [
        np.asarray(value)
        for s, value in enumerate(values)
        if absent is None or not absent[algorithm, s]
    ]


def _spread_of_scores(ours: list[Any], theirs: list[Any], *, paired: bool) -> Spread:
    """Return the spread of differences of paired runs, or of the scores of each algorithm."""
    if paired:
        run = float(np.var(np.subtract(theirs, ours), ddof=1))
        return Spread(unit=0.0, run=run, units=1, runs=len(ours))
    of_a = float(np.var(ours, ddof=1))
    of_b = float(np.var(theirs, ddof=1))
    each = shares(of_a, of_b)
    return Spread(
        unit=0.0, run=of_a + of_b, units=1, runs=min(len(ours), len(theirs)), of_each=each
    )
