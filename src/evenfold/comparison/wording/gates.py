"""The power of a gate: what it would have caught, and passed, with the examples that there were."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from scipy import special

from evenfold.comparison.answer import PairResult, Rule
from evenfold.core.estimate import LookingEstimate, PivotEstimate, TestEstimate
from evenfold.core.facts.comparison import GatePower
from evenfold.core.losses import Quantity
from evenfold.infer import tango_power
from evenfold.infer.one_test_set.tango_exact import FlipsEstimate
from evenfold.infer.theory.planning import t_power, threshold_of

_USUAL = 0.8  # the power at which a drop is looked for where neither a margin nor a drop was said
_HALVINGS = 30


def gate_power(results: Sequence[PairResult], rule: Rule, quantity: Quantity) -> tuple[GatePower, ...]:
    """
    Return the power of each pair's verdict where a gate was asked for.

    It is asked for by a margin, by the question "not worse?" or by a drop. Tests that stop by themselves, and
    posteriors, have none here.
    """
    asked = rule.asked
    if asked.power_at is None and not (asked.margin or asked.not_worse):
        return ()
    if asked.side != "two-sided" or quantity.ratio:
        return ()
    return tuple(_powers(results, rule))


def _powers(results: Sequence[PairResult], rule: Rule) -> Iterator[GatePower]:
    asked = rule.asked
    for one in results:
        power = _power_of(one, asked.margin, one.level if asked.not_worse else one.level / 2)
        if power is None or one.baseline is None:
            continue
        catches, passes, differ = power
        drop = asked.power_at or 2 * asked.margin or _found_mostly(catches)
        yield GatePower(
            baseline=one.baseline,
            challenger=one.challenger,
            drop=drop,
            caught=catches(drop),
            passed=passes() if asked.margin else None,
            differ=None if differ is None else max(differ, drop),
        )


Power = tuple[Callable[[float], float], Callable[[], float], float | None]


def _power_of(one: PairResult, margin: float, error: float) -> Power | None:
    """How often a drop is called worse, how often no change is called not worse, and which share differs."""
    found = one.estimate
    if isinstance(found, FlipsEstimate):
        n = int(found.n)
        share = float(found.up + found.down) / n
        asked = partial(tango_power, n=n, null=-margin, level=error)
        return (
            lambda drop: asked(-min(drop, 1.0), differ=min(max(share, drop), 1.0), alternative="less"),
            lambda: asked(0.0, differ=share, alternative="greater"),
            share,
        )
    if isinstance(found, TestEstimate) and not isinstance(found, (PivotEstimate, LookingEstimate)):
        return _power_of_bound(one, found, margin)
    if not isinstance(found, PivotEstimate):
        return None
    spread = float(found.standard_error)
    df = float(found.df)
    if not 0 < spread < float("inf"):
        return None
    threshold = threshold_of(error, df, two_sided=False)
    power = partial(t_power, threshold=threshold, df=df, two_sided=False)
    return lambda drop: power((drop - margin) / spread), lambda: power(margin / spread), None


def _power_of_bound(one: PairResult, found: TestEstimate, margin: float) -> Power | None:
    """Of a bound, which is as far from the mean as it is here while the mean varies by its standard error."""
    spread = float(found.standard_error)
    above = one.high - one.value
    below = one.value - one.low
    if not 0 < spread < math.inf or not math.isfinite(above + below):
        return None
    return (
        lambda drop: float(special.ndtr((drop - margin - max(above, below)) / spread)),
        lambda: float(special.ndtr((margin - max(above, below)) / spread)),
        None,
    )


def _found_mostly(catches: Callable[[float], float]) -> float:
    """The smallest drop that is caught with the usual power."""
    high = 0.001
    while catches(high) < _USUAL and high < 1:
        high *= 2
    low = 0.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if catches(middle) < _USUAL:
            low = middle
        else:
            high = middle
        if high - low < 1e-3 * high:
            break
    return high
