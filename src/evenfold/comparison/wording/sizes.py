"""Does the answer move with the training size? Said of every pair of a run at two sizes or three."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

from evenfold.comparison.answer import PairResult, Rule
from evenfold.comparison.intervals import limits, within
from evenfold.core.estimate import TestEstimate
from evenfold.core.facts.comparison import AtSize, Sizes, Step
from evenfold.core.losses import Losses, Quantity
from evenfold.core.words import called, interval, listed, percent, shown
from evenfold.infer import SizeChange, size_change
from evenfold.infer.inputs.examples import stages


def with_sizes(losses: Losses, result: PairResult, rule: Rule) -> PairResult:
    """
    Add what changes with the training size.

    Where sign or verdict differ, that is said first, but only if the change itself is beyond chance: two
    verdicts from two intervals, one of which just reaches 0, differ without any change.
    """
    shaped = losses.partition.kind.shape == "folds and halves"
    if not shaped or not isinstance(result.estimate, TestEstimate) or not rule.entry.takes.closely:
        return result
    sizes = _sizes(losses, result, rule, result.estimate)
    changes = sizes.decided or any(step.decided for step in sizes.steps)
    if not sizes.differs or not changes or result.verdict is None:
        return replace(result, sizes=sizes)
    verdict = replace(result.verdict, sentence=f"{_warning(sizes)}; {result.verdict.sentence}")
    return replace(result, sizes=sizes, verdict=verdict, sentence=str(verdict))


def _sizes(losses: Losses, result: PairResult, rule: Rule, large: TestEstimate) -> Sizes:
    a, b = result.baseline, result.challenger
    level = rule.asked.of_method(result.level)
    known = stages(losses.partition)

    def between(small: str, bigger: str) -> SizeChange:
        two = small, bigger
        return size_change(losses, challenger=b, baseline=a, level=level, large=large, between=two)

    steps = [between(*two) for two in pairwise(known)]
    names, splits = ([b] if a is None else [a, b]), known.values()
    points = [(steps[0].sizes[0], steps[0].small), *((one.sizes[1], one.large) for one in steps)]
    at = tuple(
        AtSize(n_train=n, **_at(found, losses, result, rule), means=_means(losses.only(part), names))
        for (n, found), part in zip(points, splits, strict=True)
    )
    most = steps[0] if len(steps) == 1 else between(*(list(known)[k] for k in (0, -1)))
    whole = _step(most, level)
    sizes = Sizes(
        at=at,
        value=whole.value,
        low=whole.low,
        high=whole.high,
        decided=whole.decided,
        differs=a is not None and _differ(at),
        sentence="",
        steps=tuple(_step(one, level) for one in steps) if len(steps) > 1 else (),
    )
    return replace(sizes, sentence=_sentence(sizes, result, losses.quantity, level))


def _step(found: SizeChange, level: float) -> Step:
    value, low, high = limits(found.change)
    decided = bool(found.change.pvalue < level) and not (low <= 0 <= high or found.change.undecided)
    return Step(sizes=found.sizes, value=value, low=low, high=high, decided=decided)


def _means(losses: Losses, names: list[str]) -> tuple[float, ...]:
    means = losses.means()
    return tuple(float(means[losses.index(name)]) for name in names)


def _at(found: TestEstimate, losses: Losses, result: PairResult, rule: Rule) -> dict[str, Any]:
    alone = result.baseline is None
    value, low, high = limits(within(found, losses, alone=alone))
    said = rule.decides(losses.quantity, low, high, only_same=bool(found.undecided))
    return {"value": value, "low": low, "high": high, "outcome": None if alone else str(said)}


def _differ(at: tuple[AtSize, ...]) -> bool:
    values = [one.value for one in at]
    return len({one.outcome for one in at}) > 1 or min(values) * max(values) < 0


def _warning(sizes: Sizes) -> str:
    """Say first that the answer depends on the training size."""
    on = [f"on {one.n_train}{' examples' if k == 0 else ''}" for k, one in enumerate(sizes.at)]
    if len({one.outcome for one in sizes.at}) > 1:
        said = [f"{one.outcome} {where}" for one, where in zip(sizes.at, on, strict=True)]
        return f"the verdict depends on the training size, {listed(said)}"
    said = [f"{_signed(one, sizes)} {where}" for one, where in zip(sizes.at, on, strict=True)]
    return f"the sign depends on the training size: B − A is {listed(said)}"


def _signed(one: AtSize, sizes: Sizes) -> str:
    return shown(one.value, digits=sizes.digits)


def _sentence(sizes: Sizes, result: PairResult, quantity: Quantity, level: float) -> str:
    """What changes, from what to what, and how surely; changes of a lead have the sign of the lead."""
    if result.baseline is None:
        way = "gets better" if quantity.improvement(sizes.value) > 0 else "gets worse"
        how = way if sizes.decided else _otherwise(sizes)
        path = " → ".join(_signed(one, sizes) for one in sizes.at)
        said, sign = f"the {called(quantity)} of {result.challenger} {how} as data grow: {path}", 1.0
    else:
        said, sign = _lead(sizes, result, quantity)
    of = f"{' → '.join(str(one.n_train) for one in sizes.at)} training examples"
    steps = [
        f"{_changed(one, sign, sizes.digits)} from {one.sizes[0]} to {one.sizes[1]}" for one in sizes.steps
    ]
    whole = _changed(sizes, sign, sizes.digits, f", {percent(level)} interval ")
    return f"{said} ({of}; change {'; '.join([whole, *steps])})"


def _otherwise(sizes: Sizes) -> str:
    """What is said where the smallest and the largest size do not differ beyond chance."""
    return "changes on the way" if any(one.decided for one in sizes.steps) else "is not known to change"


def _changed(one: Sizes | Step, sign: float, digits: int, between: str = ", interval ") -> str:
    low, high = sorted((sign * one.low, sign * one.high))
    return f"{shown(sign * one.value, digits=digits)}{between}{interval(low, high, digits=digits)}"


def _lead(sizes: Sizes, result: PairResult, quantity: Quantity) -> tuple[str, float]:
    """Say whose lead it is and whether it grows; and how the lead follows from B − A."""
    leads = [quantity.improvement(one.value) for one in sizes.at]
    names = {True: result.challenger, False: str(result.baseline)}
    amounts = [shown(abs(x), digits=sizes.digits) for x in leads]
    if min(leads) * max(leads) < 0:
        known = "" if sizes.decided else ", within chance"
        path = ", then ".join(f"{names[x > 0]} by {size}" for x, size in zip(leads, amounts, strict=True))
        return f"the lead changes hands as data grow{known}: {path}", 1.0
    if not any(leads):
        return "no difference at either size", 1.0
    ahead = sum(leads) > 0
    way = "shrinks" if abs(leads[-1]) < abs(leads[0]) else "grows"
    how = way if sizes.decided else _otherwise(sizes)
    said = f"the lead of {names[ahead]} over {names[not ahead]} {how} as data grow: {' → '.join(amounts)}"
    return said, quantity.improvement(1.0 if ahead else -1.0)
