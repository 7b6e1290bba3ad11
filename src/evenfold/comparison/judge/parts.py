"""
Tasks of a benchmark, and slices of it: parts of the examples that get answers of their own.

All tasks together are one decision. ``pooled``: every example counts alike, whatever its task, so
that the answer is about δ = Σ n_k δ_k / n; tasks that differ make the spread smaller than one task
would have, never larger. ``each``: not worse (better, equivalent) on every task, each tested at the
whole level (intersection–union), and worse if it is worse on one of them (Bonferroni). Slices
decide nothing: each has an interval at its share of the level over all slices, and none is picked
out.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from evenfold.comparison.criteria import Criteria
from evenfold.comparison.pair import with_verdict
from evenfold.comparison.result import Comparison
from evenfold.core.errors import EvenfoldError
from evenfold.core.facts.answers import GatePower, Part
from evenfold.core.inputs import TASK, Ids, Results
from evenfold.core.note import note
from evenfold.core.sharing import SharedLevel
from evenfold.core.verdict import Outcome, PairResult, Verdict
from evenfold.infer.adjust import BONFERRONI
from evenfold.infer.ranges import limits

POOLED, EACH = TASKS = "pooled", "each"
_PASSES = (Outcome.BETTER, Outcome.EQUIVALENT, Outcome.NOT_WORSE)

Judge = Callable[[Results], Comparison]


@dataclass(frozen=True, eq=False, slots=True)
class _PartAnswer:
    """One part of the examples and what was found on it; nothing where it has no answer."""

    column: str
    label: str
    found: Comparison | None


def with_parts(
    whole: Comparison, results: Results, rule: Criteria, judge: Judge, *, tasks: str
) -> Comparison:
    """
    Return the answer with a row for every task and slice.

    Tasks decide where each of them is asked.
    """
    parts = {
        name: [
            _PartAnswer(name, str(label), _judge_part(judge, results, column, i))
            for i, label in enumerate(column.labels)
        ]
        for name, column in results.parts.items()
    }
    rows: list[Part] = []
    notes = [
        note("no-answer-on", column=one.column, label=one.label)
        for each in parts.values()
        for one in each
        if not one.found
    ]
    by_task = parts.pop(TASK, [])
    slices = [one for each in parts.values() for one in each]
    for family in filter(None, [by_task, slices]):
        for k in range(len(whole.pairs)):
            rows += _rows(family, k, rule, whole=tasks == EACH and family is by_task)
    pairs = whole.pairs
    power = whole.facts.power
    if tasks == EACH and by_task:
        pairs = tuple(_judge_each_task(by_task, k, rule, one) for k, one in enumerate(pairs))
        power = _least_power(by_task)
    facts = replace(
        whole.facts, parts=tuple(rows), power=power, notes=(*whole.facts.notes, *notes), pairs=pairs
    )
    return replace(whole, pairs=pairs, facts=facts)


def _judge_part(judge: Judge, results: Results, column: Ids, label: int) -> Comparison | None:
    """The answer on one part; None where so few examples have none."""
    part = results.take(column.codes == label)
    try:
        return judge(replace(part, parts={}, notes=()))
    except EvenfoldError:
        return None


def _rows(family: Sequence[_PartAnswer], pair: int, rule: Criteria, *, whole: bool) -> list[Part]:
    """The rows of one pair, each at its share of the level, or at all of it."""
    found = [None if one.found is None else one.found.pairs[pair] for one in family]
    sharing = SharedLevel(count=len(family))
    level = rule.level
    if not whole:
        level = sharing.per_test(rule.level)
    rows = [
        _row(part, one, rule, level, None if one.pvalue is None else sharing.overall(one.pvalue))
        for part, one in zip(family, found, strict=True)
        if one is not None
    ]
    return [row for row in rows if row is not None]


def _row(
    part: _PartAnswer, one: PairResult, rule: Criteria, level: float, adjusted: float | None
) -> Part | None:
    if one.estimate is None or one.baseline is None or part.found is None:
        return None
    value, low, high = limits(one.estimate.at(rule.of_method(level)))
    flips = [
        flip
        for flip in part.found.facts.flips
        if (flip.baseline, flip.challenger) == (one.baseline, one.challenger)
    ]
    said = rule.family([(one.baseline, one.challenger)]).decide(
        part.found.facts.quantity, low, high, withheld=bool(one.estimate.undecided)
    )
    return Part(
        column=part.column,
        label=part.label,
        baseline=one.baseline,
        challenger=one.challenger,
        n=part.found.facts.design.n,
        fixed=next((len(one.fixed) for one in flips), None),
        broke=next((len(one.broke) for one in flips), None),
        value=value,
        low=low,
        high=high,
        level=level,
        pvalue=one.pvalue,
        adjusted_pvalue=adjusted,
        outcome=str(said),
        adjust=BONFERRONI.key,
    )


def _judge_each_task(
    by_task: Sequence[_PartAnswer], pair: int, rule: Criteria, pooled: PairResult
) -> PairResult:
    """The verdict on every task: passed by all at the level, or worse on one at its share of it."""
    if pooled.verdict is None:
        return pooled
    at_level = _outcomes(by_task, pair, rule, rule.level)
    shared = _outcomes(by_task, pair, rule, rule.level / len(by_task))
    worse = [task for task, said in shared.items() if said is Outcome.WORSE]
    open_ = [task for task, said in at_level.items() if said not in _PASSES]
    if worse:
        outcome = Outcome.WORSE
    elif open_:
        outcome = Outcome.INCONCLUSIVE
    else:
        outcome = _common(at_level)
    said = note(
        "tasks",
        baseline=pooled.baseline,
        challenger=pooled.challenger,
        outcome=str(outcome),
        margin=rule.margin,
        level=rule.level,
        tasks=len(by_task),
        named=worse or open_,
    )
    verdict = Verdict(outcome=outcome, margin=rule.margin, level=rule.level, said=said)
    return with_verdict(pooled, verdict)


def _least_power(by_task: Sequence[_PartAnswer]) -> tuple[GatePower, ...]:
    """The power of the gate of each pair on the task where it is least."""
    each = [one.found.facts.power for one in by_task if one.found is not None]
    return tuple(min(same, key=lambda power: power.caught) for same in zip(*each, strict=False))


def _outcomes(
    by_task: Sequence[_PartAnswer], pair: int, rule: Criteria, level: float
) -> Mapping[str, Outcome]:
    """What each task decides at a level; a task without an answer leaves the question open."""
    outcomes = dict.fromkeys((one.label for one in by_task), Outcome.INCONCLUSIVE)
    for one in by_task:
        if one.found and (row := _row(one, one.found.pairs[pair], rule, level, None)):
            outcomes[one.label] = Outcome(row.outcome)
    return outcomes


def _common(outcomes: Mapping[str, Outcome]) -> Outcome:
    """What all tasks say together: the same, or at least that none is worse."""
    kinds = set(outcomes.values())
    if len(kinds) == 1:
        return kinds.pop()
    return Outcome.NOT_WORSE
