"""
Answer for parts of the examples: the tasks of a benchmark, and slices.

All tasks together lead to one decision. With ``pooled`` every example counts alike, whatever its
task, so that the answer is about δ = Σ n_k δ_k / n. With ``each`` B is not worse (better,
equivalent) if it is so on every task, each tested at the level of the pair (intersection–union
test), and B is worse if it is worse on any task (Bonferroni). The level of a pair is the whole
level for two algorithms, and that of one test in the family of pairs for more. Slices decide
nothing: each has an interval at its share of the level over all slices.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from evenfold.comparison.pair import with_verdict
from evenfold.comparison.result import Comparison
from evenfold.core.errors import EvenfoldError
from evenfold.core.facts.answers import GatePower, Part
from evenfold.core.inputs import TASK, Ids, Results
from evenfold.core.note import note
from evenfold.core.sharing import SharedLevel
from evenfold.core.verdict import Outcome, PairResult, Verdict
from evenfold.infer.adjust import BONFERRONI, UNADJUSTED
from evenfold.infer.family import Criteria, limits

POOLED, EACH = TASKS = "pooled", "each"
_PASSES = (Outcome.BETTER, Outcome.EQUIVALENT, Outcome.NOT_WORSE)

Judge = Callable[[Results], Comparison]


@dataclass(frozen=True, eq=False, slots=True)
class _PartAnswer:
    """One part of the examples and the answer on it, None where it has no answer."""

    column: str
    label: str
    comparison: Comparison | None


def with_parts(
    whole: Comparison, results: Results, rule: Criteria, judge: Judge, *, tasks: str
) -> Comparison:
    """Return the answer with a row for every task and slice; with ``each`` the tasks decide."""
    parts = {
        name: [
            _PartAnswer(name, str(label), _judge_part(judge, results, column, i))
            for i, label in enumerate(column.labels)
        ]
        for name, column in results.parts.items()
    }
    rows: list[Part] = []
    notes = [
        note("no-answer-on", column=part.column, label=part.label)
        for each in parts.values()
        for part in each
        if not part.comparison
    ]
    by_task = parts.pop(TASK, [])
    slices = [part for each in parts.values() for part in each]
    for family in filter(None, [by_task, slices]):
        for k, pair in enumerate(whole.pairs):
            if tasks == EACH and family is by_task:
                rows += _rows(family, k, rule, pair.level, None)
            else:
                rows += _rows(family, k, rule, rule.level, SharedLevel(count=len(family)))
    pairs = whole.pairs
    power = whole.facts.power
    if tasks == EACH and by_task:
        pairs = tuple(_judge_each_task(by_task, k, rule, pair) for k, pair in enumerate(pairs))
        power = _least_power(by_task)
    facts = replace(
        whole.facts, parts=tuple(rows), power=power, notes=(*whole.facts.notes, *notes), pairs=pairs
    )
    return replace(whole, pairs=pairs, facts=facts)


def _judge_part(judge: Judge, results: Results, column: Ids, label: int) -> Comparison | None:
    """Return the answer on one part; None where it has too few examples for one."""
    part = results.take(column.codes == label)
    try:
        return judge(replace(part, parts={}, notes=()))
    except EvenfoldError:
        return None


def _rows(
    family: Sequence[_PartAnswer],
    pair: int,
    rule: Criteria,
    level: float,
    sharing: SharedLevel | None,
) -> list[Part]:
    """Return the rows of one pair, each at the level, or at its share of it."""
    rows = []
    for part in family:
        if part.comparison is None:
            continue
        row = _row(part, part.comparison.pairs[pair], rule, level, sharing)
        if row is not None:
            rows.append(row)
    return rows


def _row(
    part: _PartAnswer, pair: PairResult, rule: Criteria, level: float, sharing: SharedLevel | None
) -> Part | None:
    """Return what one part says of one pair; None where the pair has no estimate."""
    if pair.estimate is None or pair.baseline is None or part.comparison is None:
        return None
    adjusted = None
    if sharing is not None:
        level = sharing.per_test(level)
        adjusted = None if pair.pvalue is None else sharing.overall(pair.pvalue)
    value, low, high = limits(pair.estimate.at(rule.level_of_method(level)))
    flips = [
        flip
        for flip in part.comparison.facts.flips
        if (flip.baseline, flip.challenger) == (pair.baseline, pair.challenger)
    ]
    outcome = rule.decide(
        part.comparison.facts.quantity, low, high, withheld=bool(pair.estimate.undecided)
    )
    return Part(
        column=part.column,
        label=part.label,
        baseline=pair.baseline,
        challenger=pair.challenger,
        n=part.comparison.facts.design.n,
        fixed=next((len(flip.fixed) for flip in flips), None),
        broke=next((len(flip.broke) for flip in flips), None),
        value=value,
        low=low,
        high=high,
        level=level,
        pvalue=pair.pvalue,
        adjusted_pvalue=adjusted,
        outcome=str(outcome),
        adjust=UNADJUSTED.key if sharing is None else BONFERRONI.key,
    )


def _judge_each_task(
    by_task: Sequence[_PartAnswer], pair: int, rule: Criteria, pooled: PairResult
) -> PairResult:
    """Return the verdict that tasks reach: all pass at the level, or one is worse at its share."""
    if pooled.verdict is None:
        return pooled
    level = pooled.level  # of one pair in its family, so that several pairs share the error
    at_level = _outcomes(by_task, pair, rule, level, None)
    shared = _outcomes(by_task, pair, rule, level, SharedLevel(count=len(by_task)))
    worse = [task for task, decision in shared.items() if decision is Outcome.WORSE]
    open_ = [task for task, decision in at_level.items() if decision not in _PASSES]
    if worse:
        outcome = Outcome.WORSE
    elif open_:
        outcome = Outcome.INCONCLUSIVE
    else:
        outcome = _common(at_level)
    message = note(
        "tasks",
        baseline=pooled.baseline,
        challenger=pooled.challenger,
        outcome=str(outcome),
        margin=rule.margin,
        level=level,
        tasks=len(by_task),
        named=worse or open_,
    )
    verdict = Verdict(outcome=outcome, margin=rule.margin, level=rule.level, said=message)
    return with_verdict(pooled, verdict)


def _least_power(by_task: Sequence[_PartAnswer]) -> tuple[GatePower, ...]:
    """Return the power of the gate of each pair on the task where it is least."""
    each = [part.comparison.facts.power for part in by_task if part.comparison is not None]
    return tuple(min(same, key=lambda power: power.caught) for same in zip(*each, strict=False))


def _outcomes(
    by_task: Sequence[_PartAnswer],
    pair: int,
    rule: Criteria,
    level: float,
    sharing: SharedLevel | None,
) -> Mapping[str, Outcome]:
    """Return what each task decides; a task without an answer is inconclusive."""
    outcomes = dict.fromkeys((part.label for part in by_task), Outcome.INCONCLUSIVE)
    for part in by_task:
        if part.comparison is None:
            continue
        row = _row(part, part.comparison.pairs[pair], rule, level, sharing)
        if row is not None:
            outcomes[part.label] = Outcome(row.outcome)
    return outcomes


def _common(outcomes: Mapping[str, Outcome]) -> Outcome:
    """Return the outcome that all tasks share, or else that B is not worse."""
    kinds = set(outcomes.values())
    if len(kinds) == 1:
        return kinds.pop()
    return Outcome.NOT_WORSE
