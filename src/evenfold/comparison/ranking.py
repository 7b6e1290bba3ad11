"""
Rank several algorithms.

The intervals of their ranks hold together; they show who is tied and who may be the best.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import Advice, refuse
from evenfold.core.estimate import TestEstimate
from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.answers import Candidate, Look, Pair
from evenfold.core.facts.comparison import Facts
from evenfold.core.losses import Losses, Quantity
from evenfold.core.verdict import Outcome, PairResult
from evenfold.infer.boards import rank_intervals, tie_groups
from evenfold.infer.family import Criteria

_FEWEST = 3
# adjustments whose level bounds the share of false discoveries, not the chance of any
_FALSE_DISCOVERY = ("benjamini-hochberg", "benjamini-yekutieli")


def candidates(
    losses: Losses, answers: Sequence[PairResult], rule: Criteria
) -> tuple[Candidate, ...]:
    """
    Return every algorithm without a failure, the best value first; none for fewer than three.

    Ranks, ties and the set of the best follow from the intervals of the pairs. With a baseline the
    algorithms were not compared with each other, so there are none.
    """
    failed = {failure.algorithm for failure in losses.failures}
    names = [name for name in losses.algorithms if name not in failed]
    if len(names) < _FEWEST or rule.baseline is not None:
        return ()
    each = []
    for name in names:
        value, low, high = rule.alone(losses, name)
        each.append(
            Candidate(
                name=name,
                value=value,
                low=low,
                high=high,
                level=rule.level,
                pvalue=None,
                among_best=None,
            )
        )
    best_first = sorted(
        each, key=lambda candidate: candidate.value if losses.lower_is_better else -candidate.value
    )
    return with_ranks(best_first, answers, losses.quantity)


def with_ranks(
    each: Sequence[Candidate], answers: Sequence[PairResult], quantity: Quantity
) -> tuple[Candidate, ...]:
    """
    Return the candidates, the best value first, with what the intervals say of their ranks.

    The intervals hold together, and with them all rank sets; an algorithm may be the best exactly
    if its rank set holds 1. Methods without a test have no rank sets.
    """
    values = np.array([candidate.value for candidate in each])
    if quantity.lower_is_better:
        ahead = values[:, None] > values
    else:
        ahead = values[:, None] < values
    ranks = 1 + ahead.sum(axis=1)
    if not any(isinstance(pair.estimate, TestEstimate) for pair in answers):
        return tuple(
            replace(candidate, rank=int(rank)) for candidate, rank in zip(each, ranks, strict=True)
        )
    better = _better(
        [candidate.name for candidate in each],
        ((pair.baseline, pair.challenger, pair.direction) for pair in answers),
    )
    first, last = rank_intervals(better)
    ties = tie_groups(values, better, lower_is_better=quantity.lower_is_better)
    return tuple(
        replace(
            candidate,
            rank=int(ranks[i]),
            first=int(first[i]),
            last=int(last[i]),
            among_best=bool(first[i] == 1),
            ties=ties[i],
            pvalue=_pvalue(candidate.name, answers, quantity),
        )
        for i, candidate in enumerate(each)
    )


def _better(
    names: Sequence[str], verdicts: Iterable[tuple[str | None, str, str | None]]
) -> NDArray[np.bool_]:
    """``better[i, j]``: i was shown to be better than j, by verdicts of each B against its A."""
    better = np.zeros((len(names), len(names)), dtype=bool)
    place = {name: i for i, name in enumerate(names)}
    for baseline, challenger, verdict in verdicts:
        if baseline in place and challenger in place:
            a = place[baseline]
            b = place[challenger]
            better[b, a] = verdict == "better"
            better[a, b] = verdict == "worse"
    return better


def _pvalue(name: str, answers: Sequence[PairResult], quantity: Quantity) -> float | None:
    """
    P-value of "no other is better".

    The smallest adjusted one of the pairs in which it is behind.
    """
    behind = []
    for pair in answers:
        gain = quantity.improvement(pair.value)
        loses = (pair.baseline == name and gain > 0) or (pair.challenger == name and gain < 0)
        if pair.adjusted_pvalue is not None and loses:
            behind.append(pair.adjusted_pvalue)
    if behind:
        return min(behind)
    if all(pair.adjusted_pvalue is None for pair in answers):
        return None
    return 1.0


def rank_by_pairs(facts: AcrossFacts) -> tuple[Candidate, ...]:
    """Return the algorithms of several data sets by mean rank, from decisions about all pairs."""
    names = facts.algorithms
    ranks = np.array(facts.ranks)
    k = len(names)
    if len(facts.pairs) < k * (k - 1) // 2:
        refuse(
            "ranking",
            "ranking is known only where all pairs were compared, but there is a baseline.",
            "Leave baseline out.",
        )
    if facts.test.endswith(_FALSE_DISCOVERY):
        refuse(
            "ranking",
            "ranking is known only where the decisions about all pairs hold together, but the "
            f"test was {facts.test!r}.",
            Advice("Pass ", {"adjust": "holm"}, "."),
        )
    outcomes = [  # a file may hold any text as outcome, and Outcome refuses what is none
        (pair.baseline, pair.challenger, Outcome(pair.outcome).value) for pair in facts.pairs
    ]
    better = _better(names, outcomes)
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
    return tuple(sorted(each, key=lambda candidate: candidate.value))


# Facts of a measure whose values are logarithms, as they are shown: values and ratios.


_Interval = TypeVar("_Interval", Pair, Look, Candidate)


def as_ratios(facts: Facts) -> Facts:
    """Return facts without logarithms: geometric means, and B / A with its interval."""
    return replace(
        facts,
        values=tuple(tuple(_exp(row)) for row in facts.values),
        pairs=tuple(map(_pair_as_ratio, facts.pairs)),
        candidates=tuple(map(_as_ratio, facts.candidates)),
    )


def _exp(values: tuple[float, ...]) -> list[float]:
    shown: list[float] = np.exp(np.asarray(values, dtype=float)).tolist()
    return shown


def _as_ratio(holder: _Interval) -> _Interval:
    value, low, high = _exp((holder.value, holder.low, holder.high))
    return replace(holder, value=value, low=low, high=high)


def _pair_as_ratio(pair: Pair) -> Pair:
    """A standard error is that of a logarithm: none is shown."""
    path = tuple(map(_as_ratio, pair.path))
    differences = tuple(_exp(pair.differences))
    return replace(_as_ratio(pair), differences=differences, path=path, standard_error=None)
