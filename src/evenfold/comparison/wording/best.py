"""More than two algorithms one by one: how good each is, which ranks it may have, who may be the best."""

from collections.abc import Sequence

from evenfold.comparison.answer import PairResult, Rule
from evenfold.comparison.intervals import Singles
from evenfold.comparison.wording.ranking import with_ranks
from evenfold.core.facts.comparison import Candidate
from evenfold.core.losses import LEFT_OUT, Losses
from evenfold.infer import jointly, methods

_FEWEST = 3

RANKED = 60  # algorithms beside a baseline: all pairs of 60 take seconds, of 400 minutes


def candidates(
    losses: Losses, results: Sequence[PairResult], rule: Rule, singles: Singles | None = None
) -> tuple[Candidate, ...]:
    """
    Return every algorithm without a failure, the best value first; none for fewer than three.

    Ranks, ties and the set of the best follow from the decisions about the pairs, so that they cannot
    contradict them. The intervals of the single algorithms hold together, so that of whichever looks best
    holds too.
    """
    failed = {failure.algorithm for failure in losses.failed}
    names = [name for name in losses.algorithms if name not in failed]
    if len(names) < _FEWEST or too_many_to_rank(len(names), rule) or not rule.asked.sharing.familywise:
        return ()
    level = _single_level(losses, names, rule)
    singles = singles or Singles(losses, rule)
    out = {failure.algorithm for failure in losses.failures if failure.kind == LEFT_OUT}
    each = []
    for name in names:
        value, low, high = singles.interval(name, level)
        run = len(losses.together(name).partition) // 2 if name in out else None
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


def too_many_to_rank(algorithms: int, rule: Rule) -> bool:
    """Whether a ranking is left out because only a baseline is asked about."""
    return rule.asked.baseline is not None and algorithms > RANKED


def unranked(losses: Losses, rule: Rule) -> list[str]:
    """Say that there is no ranking where there could be one."""
    if len(losses.algorithms) >= _FEWEST and not rule.asked.sharing.familywise:
        return [
            f"{rule.asked.sharing.words} bounds the expected share of false ones among the differences that "
            "are decided, not the chance of any: no ranking follows; intervals are those of what was decided"
        ]
    if not too_many_to_rank(len(losses.algorithms), rule):
        return []
    return [
        f"no ranking of more than {RANKED} algorithms is made beside a baseline: leave it out to have one"
    ]


def _single_level(losses: Losses, names: list[str], rule: Rule) -> float:
    """Return the level of each interval at which all hold together."""
    if not methods()[rule.method].joint or losses.together(*names) is not losses:
        return rule.asked.level / len(names)
    return jointly(losses, rule.method, [(None, name) for name in names]).per_test(rule.asked.level)
