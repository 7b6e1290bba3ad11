"""
Several algorithms as a ranked list.

Ranks that hold together, who is tied, and who may be the best.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.answer import PairResult, Singles
from evenfold.comparison.request import Criteria
from evenfold.core.checks import refuse
from evenfold.core.estimate import TestEstimate
from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.comparison import FALSE_DISCOVERY, Candidate, Facts, Look, Pair
from evenfold.core.losses import LEFT_OUT, Losses, Quantity
from evenfold.infer import jointly, methods
from evenfold.infer.boards import rank_intervals, tie_groups
from evenfold.verdict import Outcome

# More than two algorithms one by one: how good each is, which ranks it may have, who may be the
# best.


_FEWEST = 3

RANKED = 60  # algorithms beside a baseline: all pairs of 60 take seconds, of 400 minutes


def candidates(
    losses: Losses,
    results: Sequence[PairResult],
    rule: Criteria,
    singles: Singles | None = None,
) -> tuple[Candidate, ...]:
    """
    Return every algorithm without a failure, the best value first; none for fewer than three.

    Ranks, ties and the set of the best follow from the decisions about the pairs, so that they
    cannot contradict them. The intervals of the single algorithms hold together, so that of
    whichever looks best holds too.
    """
    failed = {failure.algorithm for failure in losses.failed}
    names = [name for name in losses.algorithms if name not in failed]
    if len(names) < _FEWEST or too_many_to_rank(len(names), rule) or not rule.sharing.familywise:
        return ()
    level = _single_level(losses, names, rule)
    singles = singles or Singles(losses, rule)
    out = {failure.algorithm for failure in losses.failures if failure.kind == LEFT_OUT}
    each = []
    for name in names:
        value, low, high = singles.interval(name, level)
        run = None
        if name in out:
            run = len(losses.together(name).partition) // 2
        each.append(
            Candidate(
                name=name,
                value=value,
                low=low,
                high=high,
                level=level,
                pvalue=None,
                among_best=None,
                left_after=run,
            )
        )
    best_first = sorted(each, key=lambda one: one.value if losses.lower_is_better else -one.value)
    return with_ranks(best_first, results, losses.quantity)


def too_many_to_rank(algorithms: int, rule: Criteria) -> bool:
    """Whether a ranking is left out because only a baseline is asked about."""
    return rule.baseline is not None and algorithms > RANKED


def no_ranking_notes(losses: Losses, rule: Criteria) -> list[str]:
    """Say that there is no ranking where there could be one."""
    if len(losses.algorithms) >= _FEWEST and not rule.sharing.familywise:
        return [
            f"{rule.sharing.words} bounds the expected share of false ones among the differences "
            "that are decided, not the chance of any: no ranking follows; intervals are those of "
            "what was decided"
        ]
    if not too_many_to_rank(len(losses.algorithms), rule):
        return []
    return [
        f"no ranking of more than {RANKED} algorithms is made beside a baseline: leave it out to "
        "have one"
    ]


def _single_level(losses: Losses, names: list[str], rule: Criteria) -> float:
    """Return the level of each interval at which all hold together."""
    if not methods()[rule.method].joint or losses.together(*names) is not losses:
        return rule.level / len(names)
    return jointly(losses, rule.method, [(None, name) for name in names]).per_test(rule.level)


# Facts of a measure whose values are logarithms, as they are shown: values and ratios.


_Interval = TypeVar("_Interval", Pair, Look, Candidate)


def as_ratios(facts: Facts) -> Facts:
    """Return facts without logarithms: geometric means, and B / A with its interval."""
    return replace(
        facts,
        values=tuple(tuple(_exp(row)) for row in facts.values),
        pairs=tuple(map(_pair, facts.pairs)),
        candidates=tuple(map(_interval, facts.candidates)),
    )


def _exp(values: tuple[float, ...]) -> list[float]:
    found: list[float] = np.exp(np.asarray(values, dtype=float)).tolist()
    return found


def _interval(one: _Interval) -> _Interval:
    value, low, high = _exp((one.value, one.low, one.high))
    return replace(one, value=value, low=low, high=high)


def _pair(pair: Pair) -> Pair:
    """A standard error is that of a logarithm: none is shown."""
    path = tuple(map(_interval, pair.path))
    differences = tuple(_exp(pair.differences))
    return replace(_interval(pair), differences=differences, path=path, standard_error=None)


def with_ranks(
    each: Sequence[Candidate], results: Sequence[PairResult], quantity: Quantity
) -> tuple[Candidate, ...]:
    """
    Return the candidates, the best value first, with what decisions about pairs say of their ranks.

    The decisions hold together, and with them all rank sets; an algorithm may be the best exactly
    if its rank set holds 1. Of pairs that were not asked about, because there is a baseline, only
    that is known which follows: who beats the baseline is better than whom it beats. Methods
    without a test have no rank sets.
    """
    values = np.array([one.value for one in each])
    if quantity.lower_is_better:
        ahead = values[:, None] > values
    else:
        ahead = values[:, None] < values
    ranks = 1 + ahead.sum(axis=1)
    if not any(isinstance(pair.estimate, TestEstimate) for pair in results):
        return tuple(replace(one, rank=int(rank)) for one, rank in zip(each, ranks, strict=True))
    better = _better([one.name for one in each], results, quantity)
    first, last = rank_intervals(better)
    ties = tie_groups(values, better, lower_is_better=quantity.lower_is_better)
    return tuple(
        replace(
            one,
            rank=int(ranks[i]),
            first=int(first[i]),
            last=int(last[i]),
            among_best=bool(first[i] == 1),
            ties=ties[i],
            pvalue=_pvalue(one.name, results, quantity),
        )
        for i, one in enumerate(each)
    )


def _better(
    names: Sequence[str], results: Sequence[PairResult], quantity: Quantity
) -> NDArray[np.bool_]:
    """``better[i, j]``: i was shown to be better than j, or that follows and was not asked."""
    better = np.zeros((len(names), len(names)), dtype=bool)
    asked = np.eye(len(names), dtype=bool)
    place = {name: i for i, name in enumerate(names)}
    for pair in results:
        if pair.baseline in place and pair.challenger in place:
            a = place[pair.baseline]
            b = place[pair.challenger]
            asked[a, b] = asked[b, a] = True
            better[b, a] = improvement_of(pair, quantity) > 0
            better[a, b] = improvement_of(pair, quantity) < 0
    follows = (better.astype(int) @ better.astype(int)) > 0
    known: NDArray[np.bool_] = better | (follows & ~asked)
    return known


def improvement_of(pair: PairResult, quantity: Quantity) -> int:
    """Return 1 where B was shown to be better than A, −1 where worse, 0 where they are tied."""
    if pair.estimate is None or pair.estimate.undecided:
        return 0
    low, high = quantity.improvements(pair.low, pair.high)
    return int(low > 0) - int(high < 0)


def _pvalue(name: str, results: Sequence[PairResult], quantity: Quantity) -> float | None:
    """
    P-value of "no other is better".

    The smallest adjusted one of the pairs in which it is behind.
    """
    behind = []
    for pair in results:
        gain = quantity.improvement(pair.value)
        loses = (pair.baseline == name and gain > 0) or (pair.challenger == name and gain < 0)
        if pair.adjusted_pvalue is not None and loses:
            behind.append(pair.adjusted_pvalue)
    if behind:
        return min(behind)
    if all(pair.adjusted_pvalue is None for pair in results):
        return None
    return 1.0


def rank_by_pairs(facts: AcrossFacts) -> tuple[Candidate, ...]:
    """Return the algorithms of several data sets by mean rank, from decisions about all pairs."""
    names = facts.algorithms
    ranks = np.array(facts.ranks)
    k = len(names)
    if len(facts.pairs) < k * (k - 1) // 2:
        refuse("ranking", "used where all pairs were compared", "a baseline", "leave it out")
    if facts.test.endswith(FALSE_DISCOVERY):
        rule = "used where the decisions about all pairs hold together"
        refuse("ranking", rule, facts.test, "use adjust='holm'")
    better = np.zeros((k, k), dtype=bool)
    for pair in facts.pairs:
        a = names.index(pair.baseline)
        b = names.index(pair.challenger)
        outcome = Outcome(pair.outcome)
        better[b, a] = outcome is Outcome.BETTER
        better[a, b] = outcome is Outcome.WORSE
    first, last = rank_intervals(better)
    ties = tie_groups(ranks, better, lower_is_better=True)
    each = [
        Candidate(
            name=name,
            value=float(ranks[i]),
            low=float(first[i]),
            high=float(last[i]),
            level=facts.level,
            pvalue=None,
            among_best=bool(first[i] == 1),
            rank=1 + int((ranks < ranks[i]).sum()),
            first=int(first[i]),
            last=int(last[i]),
            ties=ties[i],
        )
        for i, name in enumerate(names)
    ]
    return tuple(sorted(each, key=lambda one: one.value))
