"""The interval of an answer: in its range, within what single intervals allow, as it was decided."""

import math
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from evenfold.comparison.wording.phrases import units
from evenfold.core.errors import EvenfoldError, EvenfoldWarning
from evenfold.core.estimate import (
    Bounds,
    Estimate,
    LookingEstimate,
    PivotEstimate,
    PosteriorEstimate,
    TestEstimate,
)
from evenfold.core.losses import Losses
from evenfold.infer import estimate

if TYPE_CHECKING:
    from evenfold.comparison.answer import Rule

_ROUNDING = 1e-12  # of the ends of an interval: a mean of zeros and ones does not always come out as 0
_BESIDE_ZERO = 1e-12  # of the value: the end of an interval that holds all on its side of 0, but not 0
_VALUES_ROUNDING = 16 * float(np.finfo(float).eps)  # of the values whose differences are judged
_MOST_SIGNS = 1000  # beyond, the chance of so many equal signs is no float


def limits(found: Estimate) -> tuple[float, float, float]:
    """Return value, low and high of a test or a posterior; a value that is but rounding is 0."""
    if isinstance(found, PosteriorEstimate):
        value, (low, high) = float(found.mean), found.interval()
    else:
        assert isinstance(found, TestEstimate)
        value, (low, high) = float(found.value), found.confidence_interval()
    reach = max((abs(end) for end in (low, high) if math.isfinite(end)), default=0.0)
    return 0.0 if abs(value) < _ROUNDING * reach else value, float(low), float(high)


def within(found: Estimate, losses: Losses, *, alone: bool) -> Estimate:
    """Tell a test the range of what it is about: its intervals stay inside, and nothing is taken as sure."""
    if not isinstance(found, TestEstimate):
        return found
    quantity = losses.quantity
    low, high = (quantity.low, quantity.high) if alone else (-quantity.width, quantity.width)
    bounds = Bounds(low=low, high=high, units=units(losses), alone=alone)
    if not alone and bounds.units and _is_flat(found, losses):
        if math.isfinite(high - low):
            found = replace(
                found,
                standard_error=np.zeros_like(found.value),
                statistic=bounds.statistic(found.value, found.null),
            )
        elif isinstance(found, PivotEstimate):
            found = _by_signs(found, _signs(losses, bounds.units))
    return replace(found, bounds=bounds)


def _is_flat(found: TestEstimate, losses: Losses) -> bool:
    """Whether the differences vary by no more than the rounding of the values that they are made of."""
    if not isinstance(found, PivotEstimate):
        return bool(found.standard_error == 0)
    size = float(np.nanmax(np.abs(losses.values), initial=0.0))
    return bool(found.standard_error <= _VALUES_ROUNDING * max(size, abs(float(found.value))))


def _signs(losses: Losses, units: int) -> int:
    """How many differences have a sign: one per split, or per unit of a single test set."""
    splits = len(losses.partition)
    return min(units if splits == 1 else min(units, splits), _MOST_SIGNS)


def _by_signs(found: PivotEstimate, count: int) -> PivotEstimate:
    """
    Give equal differences, of a measure without a range, the p-value of so many equal signs.

    They have no spread, and a t of infinity would be sure of everything: three equal numbers are no proof.
    What is known is that all have one sign, of which the sign test, exact for any symmetric law, says
    2^(1−n). The standard error is the one with which the test says so, so that the interval agrees with the
    p-value and neither depends on the unit.
    """
    away = found.value - found.null
    if not away:
        return replace(found, standard_error=np.zeros_like(found.value), statistic=np.zeros_like(found.value))
    size = found.reference.isf(0.5**count)
    error = np.abs(away) / size
    return replace(found, standard_error=error, statistic=np.copysign(size, away))


class Singles:
    """The interval of each algorithm by itself, estimated once; none where a method only compares."""

    def __init__(self, losses: Losses, rule: "Rule") -> None:
        self._losses = losses
        self._rule = rule
        self._known: dict[str, Estimate | None] = {}

    def interval(self, name: str, level: float) -> tuple[float, float, float]:
        """Return value, low and high of one algorithm at a level, without ends where there is no estimate."""
        losses = self._losses.together(name)
        if name not in self._known:
            self._known[name] = self._estimated(losses, name)
        own = self._known[name]
        if own is None:
            return float(losses.means()[losses.index(name)]), -math.inf, math.inf
        return limits(own.at(level))

    def _estimated(self, losses: Losses, name: str) -> Estimate | None:
        rule = self._rule
        asked: dict[str, Any] = {"level": rule.asked.level, "most": rule.most}
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", EvenfoldWarning)  # what is to be said is said of the pairs
                own = estimate(losses, rule.method, challenger=name, baseline=None, **asked)
        except EvenfoldError:
            return None
        if isinstance(own, LookingEstimate):
            # The intervals of all looks hold together, so the last one does whenever the run has stopped.
            own = own.latest()
        return within(own, losses, alone=True)


def between_singles(
    value: float, low: float, high: float, a: tuple[float, float, float], b: tuple[float, float, float]
) -> tuple[float, float]:
    """Cut an interval of B − A where the intervals of A and of B, by themselves, leave no room."""
    least = min(b[1] - a[2], value)
    most = max(b[2] - a[1], value)
    return max(low, least) if math.isfinite(low) else low, min(high, most) if math.isfinite(high) else high


def agreeing(value: float, low: float, high: float, *, rejected: bool) -> tuple[float, float]:
    """
    Return an interval that holds 0 exactly where "no difference" was not rejected.

    Steps may reject what an interval with an equal share of the level does not: it then ends at 0, on the
    side of the value. One that would not hold 0 although nothing was rejected is widened to it.

    Examples
    --------
    >>> low, high = agreeing(0.02, -0.001, 0.041, rejected=True)
    >>> 0 < low < 1e-9, high
    (True, 0.041)
    >>> agreeing(0.02, 0.001, 0.039, rejected=False)
    (0.0, 0.039)
    """
    if not rejected:
        return min(low, 0.0), max(high, 0.0)
    if value > 0:
        return max(low, _BESIDE_ZERO * value), high
    if value < 0:
        return low, min(high, _BESIDE_ZERO * value)
    return low, high
