"""Several algorithms as a ranked list: intervals of ranks that hold together, and who is tied."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.errors import EvenfoldError
from evenfold.core.estimate import LookingEstimate, PivotEstimate, TestEstimate
from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.comparison import Candidate
from evenfold.core.losses import Losses
from evenfold.core.verdict import Outcome
from evenfold.corridor.answer import Found, Names, Rule
from evenfold.infer import adjustment, estimate
from evenfold.infer.tables import rank_intervals, tie_groups

# How ranks hold together where pairs were not asked to, or by a joint law that other pairs do not have.
_TOGETHER = {"none": "holm", "max-t": "bonferroni"}


def ranked(
    losses: Losses, each: Sequence[Candidate], found: Mapping[Names, Found], rule: Rule
) -> tuple[Candidate, ...]:
    """
    Return the candidates with their ranks, the best value first.

    All pairs are tested two-sided and adjusted as asked, so that all decisions, and with them all rank
    intervals, hold together. Methods without a test leave the ranks without intervals.
    """
    values = np.array([one.value for one in each])
    worse = values[:, None] > values if losses.lower_is_better else values[:, None] < values
    ranks = 1 + worse.sum(axis=1)
    try:
        better = _better(losses, each, found, rule)
    except EvenfoldError:  # a method that has no such test, or not at this level
        return tuple(replace(one, rank=int(rank)) for one, rank in zip(each, ranks, strict=True))
    first, last = rank_intervals(better)
    ties = tie_groups(values, better, lower_is_better=losses.lower_is_better)
    return tuple(
        replace(one, rank=int(ranks[i]), first=int(first[i]), last=int(last[i]), ties=ties[i])
        for i, one in enumerate(each)
    )


def _better(
    losses: Losses, each: Sequence[Candidate], found: Mapping[Names, Found], rule: Rule
) -> NDArray[np.bool_]:
    """``better[i, j]``: i was shown to be better than j, all decisions together at the level."""
    k = len(each)
    pairs = list(combinations(range(k), 2))
    share = rule.asked.level / len(pairs)
    seen = [_pair(losses, each[i].name, each[j].name, found, rule, share) for i, j in pairs]
    how = _TOGETHER.get(rule.asked.adjust, rule.asked.adjust)
    told = adjustment([pvalue for _, pvalue in seen], how) <= rule.asked.level
    better = np.zeros((k, k), dtype=bool)
    for (i, j), (gain, _), apart in zip(pairs, seen, told, strict=True):
        better[j, i], better[i, j] = apart and gain > 0, apart and gain < 0
    return better


def _pair(
    losses: Losses, a: str, b: str, found: Mapping[Names, Found], rule: Rule, level: float
) -> tuple[float, float]:
    """How much better b is than a, and the two-sided p-value, from what is known of the pair if possible."""
    for pair, sign in (((a, b), 1), ((b, a), -1)):
        known = found.get(pair)
        if isinstance(known, PivotEstimate) and known.null == 0:
            p = float(replace(known, alternative="two-sided").pvalue)
            return sign * losses.quantity.improvement(float(known.value)), p
        if isinstance(known, TestEstimate) and known.null == 0 and known.alternative == "two-sided":
            return sign * losses.quantity.improvement(float(known.value)), float(known.pvalue)
    test = estimate(losses, rule.method, challenger=b, baseline=a, level=level, most=rule.most)
    if not isinstance(test, TestEstimate):
        raise EvenfoldError(f"method {rule.method!r} has no test")
    if isinstance(test, LookingEstimate):
        test = test.latest()  # as the pairs: at the last look
    return losses.quantity.improvement(float(test.value)), float(test.pvalue)


def ranked_by_pairs(facts: AcrossFacts) -> tuple[Candidate, ...]:
    """Return the algorithms of several data sets by mean rank, from the decisions about all pairs."""
    names, ranks = facts.algorithms, np.array(facts.ranks)
    k = len(names)
    if len(facts.pairs) < k * (k - 1) // 2:
        refuse("ranking", "asked where all pairs were compared", "a baseline", "leave it out")
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
