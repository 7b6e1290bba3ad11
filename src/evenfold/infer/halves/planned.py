"""What the losses of one run tell about the power of the influence test on more examples, or repetitions."""

import math
from dataclasses import dataclass

from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Losses
from evenfold.infer._inputs import hypothesis
from evenfold.infer.feeds import AllTested, Question
from evenfold.infer.halves._parts import Halvings, Parts
from evenfold.infer.theory.planning import NO_SPREAD, t_power, threshold_of


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class InfluencePilot:
    """
    The parts of the variance of one pair, as a run showed them.

    Attributes
    ----------
    parts : Parts
        T, R, W, U and Q of the run.
    n : int
        Its examples.

    Notes
    -----
    Every part is taken to fall as 1/n, and T to lose W/m with more repetitions; the standard error is taken
    for the true one, although it is 1.2 to 1.5 times as large for most differences: sizes are on the safe
    side.
    """

    parts: Parts
    n: int
    fewest = 3

    @property
    def name(self) -> str:
        """How figures call it."""
        return "as in the pilot"

    def power(self, difference: float, *, n: int, m: int, level: float, alternative: str) -> float:
        """The chance that the test, or the last look of it, finds a difference."""
        two_sided = hypothesis(0.0, alternative)[1] == "two-sided"
        variance, df = (float(x) for x in self.parts.after(m, n / self.n).variance())
        threshold = threshold_of(level, df, two_sided=two_sided)
        return t_power(abs(difference) / math.sqrt(variance), threshold, df, two_sided=two_sided)


def influence_pilot(losses: Losses, method: str, *, challenger: int, baseline: int) -> InfluencePilot:
    """Read the parts of a pair off a run, or say why that cannot be."""
    takes = AllTested()
    asked = Question(losses, challenger, baseline, method)
    e, sides = takes.check(("losses", "sides"), takes.read(asked))
    parts = Halvings(e, sides, **takes.further(asked)).parts(len(sides))
    if parts.variance()[0] == 0:
        raise NotApplicable(NO_SPREAD)
    return InfluencePilot(parts=parts, n=losses.partition.n)
