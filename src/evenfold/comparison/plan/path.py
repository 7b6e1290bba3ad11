"""
What a pilot along a path says about longer ones.

How many times, or windows, would find a difference.
"""

from dataclasses import dataclass, replace
from typing import Any

from evenfold.core.checks import integer, refuse
from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Losses
from evenfold.core.words import count as counted
from evenfold.core.words import decimals, format_confidence, format_number, round_up
from evenfold.infer import estimate
from evenfold.infer.effects import NO_SPREAD, fewest, t_power, threshold_of


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class PathPlan:
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

    method: str
    difference: float
    wanted: float
    level: float
    alternative: str
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
        both = self.alternative == "two-sided"
        threshold = threshold_of(self.level, T - 1, two_sided=both)
        error = self.standard_error * (self.count / T) ** 0.5
        return t_power(self.difference / error, threshold, T - 1, two_sided=both)

    def __str__(self) -> str:
        size = format_number(self.difference, digits=decimals(self.difference))
        test = f"{self.method}, level {self.level:g}, {sides(self.alternative)}"
        return (
            f"to find a difference of {size} with a power of {format_confidence(1 - self.wanted)} "
            f"({test}): "
            f"{counted(self.count, self.word)} have a power of {self.power():.2f}; "
            f"{counted(self.needed, self.word)} suffice, if the path goes on as it was."
        )

    def __repr__(self) -> str:
        return f"<PathPlan: {self}>"


def sides(alternative: str) -> str:
    """Say on how many sides a difference would be found."""
    if alternative == "two-sided":
        return "two-sided"
    return "one-sided"


def plan_path(losses: Losses, a: int, b: int, *, method: str, **asked: Any) -> PathPlan:
    """
    Plan from losses along a path.

    What was asked is the difference, the power, the level and the side.
    """
    found: Any = estimate(losses, method, challenger=b, baseline=a)
    if not found.standard_error > 0:
        raise NotApplicable(NO_SPREAD)
    draft = PathPlan(
        method=method,
        standard_error=float(found.standard_error),
        count=int(found.df) + 1,
        word="time" if len(losses.partition) == 1 else "window",
        **asked,
    )
    needed = fewest(lambda count: draft.power(count=count) >= draft.wanted, 2)
    return replace(draft, needed=round_up(require_enough(needed, draft.word, draft.difference)))


def require_enough(count: int | None, word: str, difference: float) -> int:
    """Return the number that suffices, or refuse a difference that no number finds."""
    if count is None:
        refuse("difference", f"large enough to be found with a billion {word}s", difference)
    return count
