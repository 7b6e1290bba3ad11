"""The power of the influence test with looks: from the losses of one run, or from what is assumed."""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from evenfold.core.errors import NotApplicable
from evenfold.core.losses import Losses
from evenfold.infer._inputs import hypothesis
from evenfold.infer.halves._parts import Halvings, Parts
from evenfold.infer.inputs import AllTested, Question
from evenfold.infer.theory.planning import NO_SPREAD, needed_noncentrality, t_power, threshold_of


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
    side. The power is that of the last look, at which the whole level is left.
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
        if variance == 0:  # examples that only flip average out: any difference would be seen
            return 1.0 if difference else level
        threshold = threshold_of(level, df, two_sided=two_sided)
        return t_power(abs(difference) / math.sqrt(variance), threshold, df, two_sided=two_sided)

    def detectable(self, *, m: int, level: float, alternative: str, power: float = 0.8) -> float:
        """The difference that m repetitions on the examples of the run find with this power."""
        two_sided = hypothesis(0.0, alternative)[1] == "two-sided"
        variance, df = (float(x) for x in self.parts.after(m).variance())
        threshold = threshold_of(level, df, two_sided=two_sided)
        return needed_noncentrality(power, threshold, df, two_sided=two_sided) * math.sqrt(variance)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class InfluenceCase:
    """
    Two algorithms of which only the spread of a hold-out difference is known, or assumed.

    Attributes
    ----------
    sigma : float
        Standard deviation of one hold-out difference where half of n examples train.
    n : int
        Those examples.
    rho2 : float
        Correlation of hold-out differences of two repetitions, at most ½: 2·ρ2 of the variance of an
        example's difference stays whatever the training set, the rest flips from one to the next.

    Notes
    -----
    The model: d_ir = τ_i + w_ir, so that σ² = (τ² + w²)/(n/2). Then Var μ̂ = T = τ²/n + w²/(nm) and the parts
    of the test have the expectations t = τ²/n, W = R = w²/n, Q = W·m/(m − 1), U = t + W·(1 + 4/(m − 1)).
    The test's V is larger than Var μ̂ where examples flip; the threshold rises with it. Whole models that
    shift, as small neural networks do, are not in it: there a pilot is needed.
    """

    sigma: float
    n: int
    rho2: float
    fewest = 3

    @property
    def name(self) -> str:
        """How figures call it."""
        return f"ρ2 = {self.rho2:g}"

    def power(self, difference: float, *, n: int, m: int, level: float, alternative: str) -> float:
        """The chance that the last look of the test finds a difference."""
        two_sided = hypothesis(0.0, alternative)[1] == "two-sided"
        parts = self._parts(n, m)
        V, df = (float(x) for x in parts.variance())
        true = float(parts.test)
        threshold = threshold_of(level, df, two_sided=two_sided) * math.sqrt(V / true)
        return t_power(abs(difference) / math.sqrt(true), threshold, df, two_sided=two_sided)

    def _parts(self, n: int, m: int) -> Parts:
        """What the parts of the test are on average, with so many examples and repetitions."""
        of_half = self.sigma**2 * self.n / n  # Var of one hold-out difference, (τ² + w²)/(n/2)
        t = self.rho2 * of_half
        W = (0.5 - self.rho2) * of_half
        T = t + W / m
        Q = W * m / (m - 1)
        U = t + W * (1 + 4 / (m - 1))
        # X = U − Q − T counts where it is positive, and U varies as χ² with m df does
        X = _positive_part(U - Q - T, U * math.sqrt(2 / m))
        one = np.ones(())
        return Parts(
            m=m,
            mean=0 * one,
            test=T * one,
            test_df=(n - 1) * one,
            repetition=W * one,
            flips=W * one,
            influence=(X + Q + T) * one,
            halves=(t + W + (m - 1) / m * W) * one,
            training=Q * one,
            differ=n * one,
            largest=0 * one,
            held=0 * one,
            trimmed=0 * one,
            n=n,
        )


def _positive_part(mean: float, deviation: float) -> float:
    """Return E max(X, 0) of a normal X."""
    z = mean / deviation
    return float(mean * special.ndtr(z) + deviation * math.exp(-(z**2) / 2) / math.sqrt(2 * math.pi))


def influence_pilot(losses: Losses, method: str, *, challenger: int, baseline: int) -> InfluencePilot:
    """Read the parts of a pair off a run, or say why that cannot be."""
    takes = AllTested()
    asked = Question(losses, challenger, baseline, method)
    e, sides = takes.check(("losses", "sides"), takes.read(asked))
    parts = Halvings(e, sides, **takes.further(asked)).parts(len(sides))
    if parts.variance()[0] == 0:
        raise NotApplicable(NO_SPREAD)
    return InfluencePilot(parts=parts, n=losses.partition.n)
