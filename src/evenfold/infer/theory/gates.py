"""The power of a gate: what it would have caught, and passed, with the examples that there were."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from scipy import special

from evenfold.core.estimate import Estimate, LookingEstimate, PivotEstimate, TestEstimate
from evenfold.infer.one_test_set.flips import tango_power
from evenfold.infer.one_test_set.tango_exact import FlipsEstimate
from evenfold.infer.ordered.item_gate import ItemGateEstimate
from evenfold.infer.theory.planning import t_power, threshold_of

_USUAL = 0.8  # the power at which a drop is looked for where neither a margin nor a drop was said
_HALVINGS = 30


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class PowerOfGate:
    """
    How often a gate stops a drop, and lets no change pass.

    Attributes
    ----------
    catches : function of a drop
        How often a challenger that is worse by it is called worse.
    passes : function
        How often one that is as good is called not worse.
    differ : float or None
        The share of examples on which both differ, where the power rests on it.
    """

    catches: Callable[[float], float]
    passes: Callable[[], float]
    differ: float | None = None

    def usual_drop(self) -> float:
        """Return the smallest drop that is caught with a power of 80%."""
        high = 0.001
        while self.catches(high) < _USUAL and high < 1:
            high *= 2
        low = 0.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            if self.catches(middle) < _USUAL:
                low = middle
            else:
                high = middle
            if high - low < 1e-3 * high:
                break
        return high


def power_of_gate(
    found: Estimate | None, limits: tuple[float, float, float], margin: float, error: float
) -> PowerOfGate | None:
    """
    Return the power of the test behind an answer.

    None for tests that stop by themselves and posteriors.

    Parameters
    ----------
    found : Estimate or None
        What the test found.
    limits : tuple of float
        B − A with its interval.
    margin : float
        How much worse is not yet worse.
    error : float
        Of each bound.
    """
    if isinstance(found, FlipsEstimate):
        return _of_flips(found, margin, error)
    if isinstance(found, PivotEstimate):
        return _of_pivot(found, margin, error)
    if isinstance(found, TestEstimate) and not isinstance(
        found, (LookingEstimate, ItemGateEstimate)
    ):
        return _power_of_bound(found, limits, margin)
    return None


def _of_flips(found: FlipsEstimate, margin: float, error: float) -> PowerOfGate:
    n = int(found.n)
    share = float(found.up + found.down) / n
    power = partial(tango_power, n=n, null=-margin, level=error)

    def catches(drop: float) -> float:
        differ = min(max(share, drop), 1.0)  # who is worse by a drop differs at least so often
        return power(-min(drop, 1.0), differ=differ, alternative="less")

    def passes() -> float:
        return power(0.0, differ=share, alternative="greater")

    return PowerOfGate(catches=catches, passes=passes, differ=share)


def _of_pivot(found: PivotEstimate, margin: float, error: float) -> PowerOfGate | None:
    spread = float(found.standard_error)
    df = float(found.df)
    if not 0 < spread < math.inf:
        return None
    threshold = threshold_of(error, df, two_sided=False)
    power = partial(t_power, threshold=threshold, df=df, two_sided=False)
    return PowerOfGate(
        catches=lambda drop: power((drop - margin) / spread), passes=lambda: power(margin / spread)
    )


def _power_of_bound(
    found: TestEstimate, limits: tuple[float, float, float], margin: float
) -> PowerOfGate | None:
    """Of a bound, as far from the mean as here, while the mean varies by its standard error."""
    spread = float(found.standard_error)
    value, low, high = limits
    reach = max(high - value, value - low)
    if not 0 < spread < math.inf or not math.isfinite(high - low):
        return None
    return PowerOfGate(
        catches=lambda drop: float(special.ndtr((drop - margin - reach) / spread)),
        passes=lambda: float(special.ndtr((margin - reach) / spread)),
    )
