"""How many right/wrong answers it takes to find a difference, or to pass a model that did not change."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from evenfold.comparison.plan.path import found_with, sides
from evenfold.core.checks import number, refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Losses, Quantity
from evenfold.core.partition import TEST_SET
from evenfold.core.words import decimals, many, percent, round_up, shown
from evenfold.infer import recommended, tango_power
from evenfold.infer.theory.planning import NO_SPREAD, fewest

_FEWEST = 10
_ANSWERS = Quantity(name="answers", lower_is_better=False, per_example="values", right_or_wrong=True)


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
        """Return the power with so many answers, by default those that there are, else those that suffice."""
        n = units or self.n or self.units
        asked = partial(tango_power, n=n, differ=self.differ, level=self.level)
        if self.margin:  # a drop within the margin is to pass
            return asked(-self.difference, null=-self.margin, alternative="greater")
        truth = -self.difference if self.alternative == "less" else self.difference
        return asked(truth, alternative=self.alternative)

    def __str__(self) -> str:
        size = shown(self.difference, digits=decimals(self.difference or 0.01))
        what = f"to find a difference of {size}"
        side = sides(self.alternative)
        if self.margin:
            worse = f" that is worse by {size}" if self.difference else " without a change"
            what = f"to pass a model{worse} as not worse by {self.margin:g}"
            side = "one-sided"
        test = f"{self.method}, level {self.level:g}, {side}"
        share = f"where {100 * self.differ:.3g} % of the answers differ"
        has = "" if self.n is None else f"{many(self.n)} answers have a power of {self.power():.2f}; "
        enough = f"about {many(round_up(self.units))} answers suffice"
        return f"{what} with a power of {percent(1 - self.wanted)} ({test}), {share}: {has}{enough}."

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
    units = found_with(enough, "answer", difference)
    # power rises in steps and falls a little between them: go on until it stays
    while min(draft.power(units=units + k) for k in _ahead(units)) < wanted:
        units += max(units // 200, 1)
    return replace(draft, units=units)


def _ahead(units: int) -> tuple[int, ...]:
    step = max(units // 100, 1)
    return (0, step, 2 * step, 3 * step)


def _share(differ: float | None, accuracy: float | None, difference: float) -> float:
    """The share of answers that differ: as said, or at most what two models that share nothing would have."""
    if differ is not None:
        share = number("differ", differ, low=0, high=1)
        if share < difference:
            refuse("differ", f"at least the difference, {difference:g}", share)
        return max(share, 1e-9)
    if accuracy is None:
        refuse("differ", "given, or accuracy instead", "neither")
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
