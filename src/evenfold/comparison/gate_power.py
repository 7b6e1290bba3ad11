"""The power of a gate: what it would have caught, and passed, with the examples there were."""

import math
from collections.abc import Iterator, Sequence

from evenfold.comparison.criteria import Criteria
from evenfold.comparison.pair import PairResult, say_more
from evenfold.core.facts.answers import GatePower
from evenfold.core.losses import Quantity
from evenfold.infer.planning import PowerOfGate, power_of_gate


def gate_power(
    results: Sequence[PairResult], rule: Criteria, quantity: Quantity
) -> tuple[GatePower, ...]:
    """
    Return the power of each pair's verdict of a gate.

    Tests that stop by themselves, and posteriors, have none here.
    """
    if rule.side != "two-sided" or quantity.ratio:
        return ()
    return tuple(_powers(results, rule))


def _powers(results: Sequence[PairResult], rule: Criteria) -> Iterator[GatePower]:
    for one in results:
        if rule.not_worse:
            error = one.level
        else:
            error = one.level / 2
        power = power_of_gate(one.estimate, (one.value, one.low, one.high), rule.margin, error)
        if power is None or one.baseline is None:
            continue
        drop = rule.power_at or power.default_drop()
        if not math.isfinite(drop):
            continue
        yield GatePower(
            baseline=one.baseline,
            challenger=one.challenger,
            drop=drop,
            caught=power.catches(drop),
            differ=None if power.differ is None else max(power.differ, drop),
            **_of_no_change(power, rule),
        )


_HALF = 0.5  # of the candidates without a difference: if fewer pass, the gate says what would do


def _of_no_change(power: PowerOfGate, rule: Criteria) -> dict[str, float | None]:
    """What becomes of a candidate whose true difference is 0, and what would let it pass."""
    if not (rule.margin or rule.not_worse):
        return {}
    passed = power.passes()
    if passed >= _HALF or not rule.not_worse:
        return {"passed": passed}
    enough = {
        "enough_margin": power.enough_margin(),
        "enough_examples": power.enough_examples(),
    }
    finite = {name: one if math.isfinite(one) else None for name, one in enough.items()}
    return {"passed": passed, **finite}


def add_gate_warnings(
    results: list[PairResult], rule: Criteria, quantity: Quantity
) -> list[PairResult]:
    """Let the verdict of a gate say that it stops most candidates without a difference."""
    powers = gate_power(results, rule, quantity)
    warnings_by_pair = {(one.baseline, one.challenger): one.warning for one in powers}
    warned = []
    for one in results:
        warning = warnings_by_pair.get((one.baseline or "", one.challenger))
        warned.append(one if warning is None else say_more(one, gate=warning))
    return warned
