"""Which of several algorithms may be the best, and how good is the one that looks best."""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evenfold.core.errors import EvenfoldError
from evenfold.core.estimate import Alternative, LookingEstimate, PivotEstimate, TestEstimate
from evenfold.core.facts.comparison import Candidate
from evenfold.core.losses import Losses
from evenfold.corridor.answer import Found, Names, Rule, limits, within
from evenfold.corridor.said.ranking import ranked
from evenfold.infer import estimate, jointly, methods

_RANKED = 60  # algorithms beside a baseline: all pairs of 60 take seconds, of 400 minutes


def candidates(losses: Losses, found: Mapping[Names, Found], rule: Rule) -> tuple[Candidate, ...]:
    """
    Return every algorithm without a failure, the best value first; none for fewer than three.

    An algorithm is left out of the set of the best if a one-sided test says that some other is better. The
    tests against one algorithm share the level, those against different ones need not: the best is one, and
    only its own tests can wrongly leave it out. The intervals of the single algorithms hold together, so
    that of whichever looks best holds too.
    """
    failed = {failure.algorithm for failure in losses.failures}
    names = [name for name in losses.algorithms if name not in failed]
    if len(names) < 3 or too_many_to_rank(len(names), rule):
        return ()
    level = _single_level(losses, names, rule)
    each = []
    for name in names:
        value, low, high = _alone(losses, name, rule, level)
        pvalue = _pvalue(losses, name, [other for other in names if other != name], found, rule)
        among = None if pvalue is None else pvalue > rule.asked.level
        each.append(
            Candidate(
                name=name, value=value, low=low, high=high, level=level, pvalue=pvalue, among_best=among
            )
        )
    best_first = sorted(each, key=lambda one: one.value if losses.lower_is_better else -one.value)
    return ranked(losses, best_first, found, rule)


def too_many_to_rank(algorithms: int, rule: Rule) -> bool:
    """Whether a ranking, which needs all pairs, is left out because only a baseline is asked about."""
    return rule.asked.baseline is not None and algorithms > _RANKED


def unranked(losses: Losses, rule: Rule) -> list[str]:
    """Say that there is no ranking where there could be one."""
    if not too_many_to_rank(len(losses.algorithms), rule):
        return []
    return [
        f"no ranking of more than {_RANKED} algorithms is made beside a baseline: leave it out to have one"
    ]


def _pvalue(
    losses: Losses, name: str, others: list[str], found: Mapping[Names, Found], rule: Rule
) -> float | None:
    """P-value of "this one is the best": small if some other is better beyond chance."""
    share = rule.asked.level / len(others)
    try:
        pvalues = _beaten(losses, name, others, found, rule, share)
    except EvenfoldError:  # two-sided tests only, or a level that a sequential test was not calibrated for
        return None
    known = [p for p in pvalues if p is not None]
    if not known:
        return None
    if not methods()[rule.method].joint:
        return min(1.0, len(others) * min(known))
    side = "less" if losses.lower_is_better else "greater"
    joint = jointly(losses, rule.method, [(name, other) for other in others], alternative=side)
    return joint.overall(min(known))


def _beaten(
    losses: Losses, name: str, others: list[str], found: Mapping[Names, Found], rule: Rule, level: float
) -> list[float | None]:
    """P-values of "the other is not better than this one", from what is known of a pair, if that can be."""
    better: Alternative = "less" if losses.lower_is_better else "greater"
    worse: Alternative = "greater" if losses.lower_is_better else "less"
    known: dict[str, float | None] = {}
    for other in others:
        for pair, side in (((name, other), better), ((other, name), worse)):
            if isinstance(one := found.get(pair), PivotEstimate):
                known[other] = float(replace(one, alternative=side).pvalue)
    left = [other for other in others if other not in known]
    asked: Any = {"alternative": better, "level": level, "most": rule.most}
    if rule.entry.sequential and left:  # all at once
        batch = losses.against(name, left)
        tests: Any = estimate(batch, rule.method, challenger=batch.algorithms[1], baseline=name, **asked)
        return [*known.values(), *tests.pvalue.tolist()]
    for other in left:
        test = estimate(losses, rule.method, challenger=other, baseline=name, **asked)
        known[other] = float(test.pvalue) if isinstance(test, TestEstimate) else None
    return list(known.values())


def _single_level(losses: Losses, names: list[str], rule: Rule) -> float:
    """Return the level of each interval at which all hold together."""
    if not methods()[rule.method].joint:
        return rule.asked.level / len(names)
    return jointly(losses, rule.method, [(None, name) for name in names]).per_test(rule.asked.level)


def _alone(losses: Losses, name: str, rule: Rule, level: float) -> tuple[float, float, float]:
    try:
        own = estimate(losses, rule.method, challenger=name, baseline=None, level=level, most=rule.most)
        if isinstance(own, LookingEstimate):
            # The intervals of all looks hold together, so the last one does whenever the run has stopped.
            own = own.latest()
        return limits(within(own, losses, alone=True))
    except EvenfoldError:  # a method that only compares
        return float(losses.means()[losses.index(name)]), -math.inf, math.inf
