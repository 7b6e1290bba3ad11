"""Find whether the answer about a pair changes with the training size."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

from evenfold.comparison.pair import add_to_sentence
from evenfold.core.estimate import TestEstimate
from evenfold.core.facts.answers import AtSize, Sizes, Step
from evenfold.core.losses import Losses
from evenfold.core.note import note
from evenfold.core.verdict import PairResult
from evenfold.infer import SizeChange, size_change
from evenfold.infer.family import Criteria, limit_to_range, limits
from evenfold.infer.inputs.examples import stages
from evenfold.report.words.sizes import sizes_sentence


def add_size_changes(losses: Losses, result: PairResult, rule: Criteria) -> PairResult:
    """
    Add what changes with the training size.

    Where sign or verdict differ, that is said first, but only if the change itself is beyond
    chance: two verdicts from two intervals, one of which just reaches 0, differ without any change.
    """
    if not isinstance(result.estimate, TestEstimate) or not rule.entry.takes.closely:
        return result
    sizes = _sizes(losses, result, rule, result.estimate)
    changes = sizes.decided or any(step.decided for step in sizes.steps)
    if not sizes.differs or not changes or result.verdict is None:
        return replace(result, sizes=sizes)
    warning = note(
        "sizes-differ",
        n_train=[size.n_train for size in sizes.at],
        outcomes=[size.outcome for size in sizes.at],
        values=[size.value for size in sizes.at],
        digits=sizes.digits,
    )
    return add_to_sentence(replace(result, sizes=sizes), sizes=warning)


def _sizes(losses: Losses, result: PairResult, rule: Criteria, large: TestEstimate) -> Sizes:
    a = result.baseline
    b = result.challenger
    level = rule.level_of_method(result.level)
    known = stages(losses.partition)

    def between(small: str, bigger: str) -> SizeChange:
        two = small, bigger
        return size_change(losses, challenger=b, baseline=a, level=level, large=large, between=two)

    steps = [between(*two) for two in pairwise(known)]
    if a is None:
        names = [b]
    else:
        names = [a, b]
    splits = known.values()
    points = [(steps[0].sizes[0], steps[0].small), *((step.sizes[1], step.large) for step in steps)]
    at = tuple(
        AtSize(
            n_train=n,
            **_outcome_at_size(estimate, losses, result, rule),
            means=_means(losses.only(part), names),
        )
        for (n, estimate), part in zip(points, splits, strict=True)
    )
    if len(steps) == 1:
        most = steps[0]
    else:
        most = between(*(list(known)[k] for k in (0, -1)))
    whole = _step(most, level)
    sizes = Sizes(
        at=at,
        value=whole.value,
        low=whole.low,
        high=whole.high,
        decided=whole.decided,
        differs=a is not None and _sign_or_verdict_differs(at),
        sentence="",
        steps=tuple(_step(step, level) for step in steps if len(steps) > 1),
    )
    return replace(sizes, sentence=sizes_sentence(sizes, a, b, losses.quantity, level))


def _step(size_change: SizeChange, level: float) -> Step:
    value, low, high = limits(size_change.change)
    decided = bool(size_change.change.pvalue < level) and not (
        low <= 0 <= high or size_change.change.undecided
    )
    return Step(sizes=size_change.sizes, value=value, low=low, high=high, decided=decided)


def _means(losses: Losses, names: list[str]) -> tuple[float, ...]:
    means = losses.means()
    return tuple(float(means[losses.index(name)]) for name in names)


def _outcome_at_size(
    estimate: TestEstimate, losses: Losses, result: PairResult, rule: Criteria
) -> dict[str, Any]:
    alone = result.baseline is None
    value, low, high = limits(limit_to_range(estimate, losses, alone=alone))
    outcome = rule.decide(losses.quantity, low, high, withheld=bool(estimate.undecided))
    return {"value": value, "low": low, "high": high, "outcome": None if alone else str(outcome)}


def _sign_or_verdict_differs(at: tuple[AtSize, ...]) -> bool:
    values = [size.value for size in at]
    return len({size.outcome for size in at}) > 1 or min(values) * max(values) < 0
