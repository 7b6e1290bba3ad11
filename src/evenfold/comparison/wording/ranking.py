"""Several algorithms as a ranked list: ranks that hold together, who is tied, and who may be the best."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from evenfold.comparison.answer import PairResult
from evenfold.core.checks import refuse
from evenfold.core.estimate import TestEstimate
from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.comparison import FALSE_DISCOVERY, Candidate
from evenfold.core.losses import Quantity
from evenfold.core.verdict import Outcome
from evenfold.infer.tables import rank_intervals, tie_groups


def with_ranks(
    each: Sequence[Candidate], results: Sequence[PairResult], quantity: Quantity
) -> tuple[Candidate, ...]:
    """
    Return the candidates, the best value first, with what the decisions about the pairs say of their ranks.

    The decisions hold together, and with them all rank sets; an algorithm may be the best exactly if its rank
    set holds 1. Of pairs that were not asked about, because there is a baseline, only that is known which
    follows: who beats the baseline is better than whom it beats. Methods without a test have no rank sets.
    """
    values = np.array([one.value for one in each])
    ahead = values[:, None] > values if quantity.lower_is_better else values[:, None] < values
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


def _better(names: Sequence[str], results: Sequence[PairResult], quantity: Quantity) -> NDArray[np.bool_]:
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
    """Return 1 where B was shown to be better than A, −1 where worse, 0 where they were not told apart."""
    if pair.estimate is None or pair.estimate.undecided:
        return 0
    low, high = quantity.improvements(pair.low, pair.high)
    return int(low > 0) - int(high < 0)


def _pvalue(name: str, results: Sequence[PairResult], quantity: Quantity) -> float | None:
    """P-value of "no other is better": the smallest adjusted one of the pairs in which it is behind."""
    behind = []
    for pair in results:
        gain = quantity.improvement(pair.value)
        loses = (pair.baseline == name and gain > 0) or (pair.challenger == name and gain < 0)
        if pair.adjusted_pvalue is not None and loses:
            behind.append(pair.adjusted_pvalue)
    if behind:
        return min(behind)
    return None if all(pair.adjusted_pvalue is None for pair in results) else 1.0


def ranked_by_pairs(facts: AcrossFacts) -> tuple[Candidate, ...]:
    """Return the algorithms of several data sets by mean rank, from the decisions about all pairs."""
    names, ranks = facts.algorithms, np.array(facts.ranks)
    k = len(names)
    if len(facts.pairs) < k * (k - 1) // 2:
        refuse("ranking", "asked where all pairs were compared", "a baseline", "leave it out")
    if facts.test.endswith(FALSE_DISCOVERY):
        rule = "asked where the decisions about all pairs hold together"
        refuse("ranking", rule, facts.test, "use adjust='holm'")
    better = np.zeros((k, k), dtype=bool)
    for pair in facts.pairs:
        a, b = names.index(pair.baseline), names.index(pair.challenger)
        outcome = Outcome(pair.outcome)
        better[b, a], better[a, b] = outcome is Outcome.BETTER, outcome is Outcome.WORSE
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
