"""Posterior distributions of a score and of the difference of two scores."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self, cast

import numpy as np
from scipy import special

from evenfold.core.checks import fraction, number
from evenfold.core.estimate import Estimand, Floats, PosteriorEstimate
from evenfold.core.numpydoc import with_parameters
from evenfold.infer._base import method
from evenfold.infer.inputs import Input
from evenfold.infer.scores import _beta

_TOLERANCE = 1e-9  # of a limit, on the probit scale
_RESOLUTION = 4 * float(np.finfo(np.float64).eps)  # of a limit itself
_SMALLEST = 2.0**-53
_SECANT_STEPS = 12
_BISECTIONS = 52  # from a bracket of length 2 to the resolution

of_score = with_parameters(measure=('{"precision", "recall", "f1"}', "The score."))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ScorePosterior(PosteriorEstimate):
    """
    Posterior of one algorithm's precision, recall or F1.

    Attributes
    ----------
    a, b : array
        The score is expit(logit V + shift) with V ~ Be(a, b).
    shift : float
        0 for precision and recall, where the score is V itself; ln 2 for F1 = 2V/(1 + V).
    """

    a: Floats
    b: Floats
    shift: float

    @property
    def mean(self) -> Floats:
        """Posterior mean."""
        if self.shift == 0:
            return self.a / (self.a + self.b)
        shapes = np.array([np.ravel(self.a), np.ravel(self.b)])
        answer: Floats = _beta.mean(shapes, shift=self.shift).reshape(np.shape(self.a))[()]
        return answer

    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Equal-tailed credible interval: the two quantiles."""
        tail = self.error(confidence_level) / 2
        return self._quantile(tail), self._quantile(1 - tail)

    def _quantile(self, q: float) -> Floats:
        odds_factor, v = np.exp(self.shift), special.betaincinv(self.a, self.b, q)
        quantile: Floats = odds_factor * v / (1 + (odds_factor - 1) * v)
        return quantile

    def probability(self, null: float = 0.0) -> Floats:
        """Posterior probability that the score exceeds ``null``."""
        x, odds_factor = number("null", null, low=0.0, high=1.0), np.exp(self.shift)
        return cast("Floats", special.betaincc(self.a, self.b, x / (odds_factor + (1 - odds_factor) * x)))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Rope:
    """
    Three posterior probabilities that add up to 1.

    Attributes
    ----------
    worse, equivalent, better : array
        P(B − A < −margin), P(−margin ≤ B − A ≤ margin), P(B − A > margin).
    """

    worse: Floats
    equivalent: Floats
    better: Floats


class OfTwoScores(PosteriorEstimate):
    """The difference B − A of two scores, ``a`` and ``b`` being the posteriors of either by itself."""

    __slots__ = ()

    a: PosteriorEstimate
    b: PosteriorEstimate

    def at(self, level: float) -> Self:
        """Return the same estimate with another error level of its intervals, those of A and B too."""
        of_both: dict[str, Any] = {"a": self.a.at(level), "b": self.b.at(level)}
        return replace(self, level=level, **of_both)

    def rope(self, margin: float) -> Rope:
        """Probabilities that B is worse, equivalent and better, where ±``margin`` counts as equivalent."""
        margin = number("margin", margin, low=0.0, high=1.0)
        better, worse = self.probability(margin), 1 - self.probability(-margin)
        return Rope(worse=worse, equivalent=np.maximum(1 - worse - better, 0.0), better=better)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class DifferencePosterior(OfTwoScores):
    """
    Posterior of the difference B − A of two scores, taken as independent.

    Attributes
    ----------
    a, b : ScorePosterior
        The posteriors of the two algorithms.
    """

    a: ScorePosterior
    b: ScorePosterior

    @property
    def mean(self) -> Floats:
        """Posterior mean of B − A."""
        return self.b.mean - self.a.mean

    def probability(self, null: float = 0.0) -> Floats:
        """P(H1): the posterior probability that B − A exceeds ``null``, by quadrature to 1e-10."""
        shapes, batch = self._shapes()
        margin = np.full(shapes.shape[-1], fraction("null", null, low=-1.0, high=1.0))
        answer: Floats = _beta.exceedance(shapes, margin=margin, shift=self.a.shift).reshape(batch)[()]
        return answer

    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Equal-tailed credible interval of B − A, by inverting :meth:`probability`."""
        tail = self.error(confidence_level) / 2
        shapes, batch = self._shapes()
        exceeded = np.repeat([1 - tail, tail], shapes.shape[-1])
        low, high = _limits(np.tile(shapes, 2), self.a.shift, exceeded).reshape(2, *batch)
        return low[()], high[()]

    def _shapes(self) -> tuple[Floats, tuple[int, ...]]:
        """Shapes a and b of A and B as a (2, 2, n) array, and the shape of the batch."""
        parts: tuple[Floats, ...] = (self.a.a, self.b.a, self.a.b, self.b.b)
        if self.a.a.shape != self.b.a.shape:
            parts = np.broadcast_arrays(*parts)
        return np.array(parts).reshape(2, 2, -1), parts[0].shape


def _limits(shapes: Floats, shift: float, exceeded: Floats) -> Floats:
    """The Δ with P(ν_B − ν_A > Δ) = ``exceeded``: secant steps on the probit scale, then bisection."""
    target = special.ndtri(exceeded)
    low, high = np.full(target.shape, -1.0), np.full(target.shape, 1.0)
    x, slope = _normal_guess(shapes, shift, target)
    last_x, last_f = x.copy(), np.zeros(target.shape)
    todo = np.arange(target.size)
    for step in range(_SECANT_STEPS + _BISECTIONS):
        f = _probit(_beta.exceedance(shapes[..., todo], margin=x[todo], shift=shift)) - target[todo]
        low[todo], high[todo] = np.where(f > 0, x[todo], low[todo]), np.where(f > 0, high[todo], x[todo])
        slope[todo] = _secant(x[todo] - last_x[todo], f - last_f[todo], slope[todo])
        last_x[todo], last_f[todo] = x[todo], f
        todo = todo[(np.abs(f) > _TOLERANCE) & (high[todo] - low[todo] > _RESOLUTION)]
        if todo.size == 0:
            break
        new = last_x[todo] - last_f[todo] / slope[todo]
        inside = (low[todo] < new) & (new < high[todo]) & (step < _SECANT_STEPS)
        x[todo] = np.where(inside, new, 0.5 * (low[todo] + high[todo]))
    return x


def _probit(p: Floats) -> Floats:
    """Φ⁻¹(p), finite also where p is 0 or 1."""
    z: Floats = special.ndtri(np.clip(p, _SMALLEST, 1 - _SMALLEST))
    return z


def _normal_guess(shapes: Floats, shift: float, target: Floats) -> tuple[Floats, Floats]:
    """Limit, and slope of the probit of P(ν_B − ν_A > Δ), as if both posteriors were normal."""
    a, b = shapes
    centre = special.expit(np.log(a / b) + shift)
    sd = np.sqrt(1 / a + 1 / b) * centre * (1 - centre)  # delta method on the logit scale
    spread = np.maximum(np.hypot(sd[0], sd[1]), np.finfo(np.float64).tiny)
    return np.clip(centre[1] - centre[0] - target * spread, -0.999, 0.999), -1 / spread


def _secant(dx: Floats, df: Floats, slope: Floats) -> Floats:
    """The slope of the last step, or the old one where the step says nothing."""
    useful = np.isfinite(df) & (df * dx < 0)
    return np.where(useful, df / np.where(useful, dx, 1.0), slope)


def of_quantity(
    quantity: str, *, takes: Callable[[str], Input], alone: Callable[..., Any], **claims: Any
) -> method:
    """Register a method about a score of an m×2 design; ``alone`` answers for one algorithm."""
    measure = quantity.lower()
    return method(
        takes=takes(measure),
        estimand=Estimand(quantity=quantity),
        run=partial(alone, measure=measure),
        **claims,
    )
