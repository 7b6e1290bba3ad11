"""Does the answer move with the training size? Said of every pair of a run at two sizes."""

from dataclasses import replace
from typing import Any

from evenfold.core.estimate import TestEstimate
from evenfold.core.facts.comparison import AtSize, Sizes
from evenfold.core.losses import Losses
from evenfold.core.measure import Quantity
from evenfold.core.words import called, interval, percent, shown
from evenfold.corridor.answer import PairResult, Rule, limits, within
from evenfold.infer import size_change


def with_sizes(losses: Losses, result: PairResult, rule: Rule) -> PairResult:
    """Add what changes with the training size; where sign or verdict differ, that is said first."""
    shaped = losses.partition.kind.shape == "folds and halves"
    if not shaped or not isinstance(result.estimate, TestEstimate) or not rule.entry.takes.closely:
        return result
    sizes = _sizes(losses, result, rule, result.estimate)
    if not sizes.differs or result.verdict is None:
        return replace(result, sizes=sizes)
    verdict = replace(result.verdict, sentence=f"{_warning(sizes)}; {result.verdict.sentence}")
    return replace(result, sizes=sizes, verdict=verdict, sentence=str(verdict))


def _sizes(losses: Losses, result: PairResult, rule: Rule, large: TestEstimate) -> Sizes:
    a, b = result.baseline, result.challenger
    level = rule.asked.of_method(result.level)
    found = size_change(losses, challenger=b, baseline=a, level=level, large=large)
    ends = [_at(found.small, losses, result, rule), _at(found.large, losses, result, rule)]
    names = [b] if a is None else [a, b]
    halves = losses.only(slice(int((~losses.partition.about).sum())))
    curves = [[float(part.means()[part.index(name)]) for name in names] for part in (halves, losses)]
    at = tuple(
        AtSize(n_train=n, **end, means=tuple(means))
        for n, end, means in zip(found.sizes, ends, curves, strict=True)
    )
    value, low, high = limits(found.change)
    sizes = Sizes(
        at=at,
        value=value,
        low=low,
        high=high,
        decided=bool(found.change.pvalue < level) and not low <= 0 <= high,
        differs=a is not None and _differ(at),
        sentence="",
    )
    return replace(sizes, sentence=_sentence(sizes, result, losses.quantity, level))


def _at(found: TestEstimate, losses: Losses, result: PairResult, rule: Rule) -> dict[str, Any]:
    alone = result.baseline is None
    value, low, high = limits(within(found, losses, alone=alone))
    said = rule.decides(losses.quantity, low, high, only_same=bool(found.undecided))
    return {"value": value, "low": low, "high": high, "outcome": None if alone else str(said)}


def _differ(at: tuple[AtSize, ...]) -> bool:
    small, large = at
    return small.outcome != large.outcome or small.value * large.value < 0


def _warning(sizes: Sizes) -> str:
    """Say first that the answer depends on the training size."""
    small, large = sizes.at
    on = f"on {small.n_train} examples", f"on {large.n_train}"
    if small.outcome != large.outcome:
        return (
            f"the verdict depends on the training size, {small.outcome} {on[0]} and {large.outcome} {on[1]}"
        )
    known = "" if sizes.decided else ", within chance"
    signs = f"B − A is {_signed(small, sizes)} {on[0]} and {_signed(large, sizes)} {on[1]}"
    return f"the sign depends on the training size{known}: {signs}"


def _signed(one: AtSize, sizes: Sizes) -> str:
    return shown(one.value, digits=sizes.digits)


def _sentence(sizes: Sizes, result: PairResult, quantity: Quantity, level: float) -> str:
    """What changes, from what to what, and how surely; changes of a lead have the sign of the lead."""
    small, large = sizes.at
    if result.baseline is None:
        way = "gets better" if quantity.improvement(sizes.value) > 0 else "gets worse"
        how = way if sizes.decided else "is not known to change"
        path = f"{_signed(small, sizes)} → {_signed(large, sizes)}"
        said, sign = f"the {called(quantity)} of {result.challenger} {how} as data grow: {path}", 1.0
    else:
        said, sign = _lead(sizes, result, quantity)
    low, high = sorted((sign * sizes.low, sign * sizes.high))
    change, ends = shown(sign * sizes.value, digits=sizes.digits), interval(low, high, digits=sizes.digits)
    of = f"{small.n_train} → {large.n_train} training examples"
    return f"{said} ({of}; change {change}, {percent(level)} interval {ends})"


def _lead(sizes: Sizes, result: PairResult, quantity: Quantity) -> tuple[str, float]:
    """Say whose lead it is and whether it grows; and how the lead follows from B − A."""
    small, large = (quantity.improvement(one.value) for one in sizes.at)
    names = {True: result.challenger, False: str(result.baseline)}
    amounts = [shown(abs(x), digits=sizes.digits) for x in (small, large)]
    if small * large < 0:
        known = "" if sizes.decided else ", within chance"
        path = f"{names[small > 0]} by {amounts[0]}, then {names[large > 0]} by {amounts[1]}"
        return f"the lead changes hands as data grow{known}: {path}", 1.0
    if small == large == 0:
        return "no difference at either size", 1.0
    ahead = small + large > 0
    way = "shrinks" if abs(large) < abs(small) else "grows"
    how = way if sizes.decided else "is not known to change"
    path = f"{amounts[0]} → {amounts[1]}"
    said = f"the lead of {names[ahead]} over {names[not ahead]} {how} as data grow: {path}"
    return said, quantity.improvement(1.0 if ahead else -1.0)
