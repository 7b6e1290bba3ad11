"""
From what inference says of a pair to its verdict: outcome, direction and what the sentence says.

:func:`add_verdicts` is the step from answers to verdicts; everything else here says, as data, which
models and examples an answer is about, what more would decide it, and what a gate would catch.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import Any

import numpy as np

from evenfold.comparison.plan.table import (
    plan_of_answers,
    plan_path,
    plan_table,
    recommended_for_flips,
)
from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import Estimate, PosteriorEstimate, TestEstimate
from evenfold.core.facts.answers import GatePower
from evenfold.core.losses import Losses, Quantity, measure_name
from evenfold.core.note import WRITTEN, Note, note
from evenfold.core.verdict import Outcome, PairResult, Verdict
from evenfold.core.words import precision
from evenfold.infer.effects import examples_needed, fewest, needed_noncentrality
from evenfold.infer.family import Criteria, direction_of, outcome_of
from evenfold.infer.halves.influence import Parts, influence_pilot
from evenfold.infer.inputs.values import tested_times
from evenfold.infer.planning import PowerOfGate, power_of_gate
from evenfold.infer.turned import turn_estimate


def add_verdicts(
    losses: Losses, pairs: Sequence[PairResult], rule: Criteria, *, cost: Note | None
) -> list[PairResult]:
    """Return every pair with its verdict, or with its sentence where there is one algorithm."""
    return [_add_verdict(losses, pair, rule, cost) for pair in pairs]


def _add_verdict(losses: Losses, pair: PairResult, rule: Criteria, cost: Note | None) -> PairResult:
    estimate = pair.estimate
    if estimate is None:
        assert pair.verdict is not None  # it says why the method is not applicable
        return with_verdict(pair, pair.verdict)
    quantity = _judged_quantity(losses, rule)
    values: dict[str, Any] = {
        **{name: getattr(pair, name) for name in ("challenger", "value", "low", "high")},
        "measure": measure_name(quantity),
        "ratio": quantity.ratio,
        "level": rule.level,
        "about": _subject(losses, rule, alone=pair.baseline is None),
        "cost": cost,
        "simultaneous": estimate.shared is not None,
        "one_sided": rule.not_worse,
        "credible": isinstance(estimate, PosteriorEstimate),
    }
    if pair.outcome is None:
        return replace(pair, sentence=str(note("single", unit=quantity.unit, **values)))
    outcome = Outcome(pair.outcome)
    if isinstance(estimate, PosteriorEstimate):
        pair = _add_probabilities(pair, estimate, losses, rule.margin)
    if outcome is Outcome.INCONCLUSIVE:  # the reasons take long to find
        values["undecided"] = _reasons_undecided(losses, pair, estimate, rule)
    message = note(
        "pair",
        baseline=pair.baseline,
        outcome=pair.outcome,
        direction=pair.direction,
        margin=rule.margin,
        probability_better=pair.probability,
        replicability=pair.replicability,
        goal=rule.replicability if rule.most is not None else None,
        **values,
    )
    verdict = Verdict(
        outcome=outcome,
        direction=pair.direction,
        margin=rule.margin,
        level=rule.level,
        replicability=pair.replicability,
        said=message,
    )
    return with_verdict(pair, verdict)


def with_verdict(pair: PairResult, verdict: Verdict) -> PairResult:
    """Return a pair with a verdict, its outcome and its sentence."""
    return replace(
        pair,
        verdict=verdict,
        outcome=str(verdict.outcome),
        direction=verdict.direction,
        sentence=str(verdict),
    )


def add_to_sentence(pair: PairResult, **notes: Note) -> PairResult:
    """Return a pair whose verdict also says these notes; one without a verdict stays as it is."""
    if pair.verdict is None:
        return pair
    message = pair.verdict.said
    more = replace(message, values={**message.values, **notes})
    return with_verdict(pair, replace(pair.verdict, said=more))


def _add_probabilities(
    pair: PairResult, posterior: PosteriorEstimate, losses: Losses, margin: float
) -> PairResult:
    """
    Add the posterior probability that B is better than A by more than the margin.

    That is P(H1); with it come P(H0) and the more probable hypothesis (R19 algorithm 6.1).
    """
    if losses.lower_is_better:
        chance = float(1 - posterior.probability(-margin))
    else:
        chance = float(posterior.probability(margin))
    accepted = "H1" if chance > 1 - chance else "H0"
    return replace(pair, probability=chance, null_probability=1 - chance, accepted=accepted)


# A pair seen from the other side.


def turn_pair(pair: PairResult, quantity: Quantity, *, one_sided: bool) -> PairResult:
    """Return a pair with A and B exchanged; its sentence, which names both, stays."""
    assert pair.baseline is not None  # of two algorithms
    pair = replace(
        pair,
        baseline=pair.challenger,
        challenger=pair.baseline,
        sizes=None,
        **_turned_numbers(pair),
    )
    if pair.estimate is None or pair.verdict is None:
        return pair
    estimate = turn_estimate(pair.estimate)
    withheld = bool(estimate.undecided)
    worst, best = quantity.improvements(pair.low, pair.high)
    outcome = outcome_of(worst, best, pair.verdict.margin, one_sided=one_sided, withheld=withheld)
    message = pair.verdict.said
    if one_sided:
        message = note("turned", outcome=str(outcome), said=message)
    verdict = replace(
        pair.verdict,
        outcome=outcome,
        direction=None if withheld else direction_of(quantity, pair.low, pair.high),
        said=message,
    )
    return with_verdict(replace(pair, estimate=estimate), verdict)


def _turned_numbers(pair: PairResult) -> dict[str, Any]:
    """Everything that has a sign or a side, seen from the other one."""
    return {
        "value": -pair.value,
        "low": -pair.high,
        "high": -pair.low,
        "statistic": _negative(pair.statistic),
        "probability": None,  # that A is better by more than the margin is not 1 less that B is
        "null_probability": None,
        "accepted": None,
        "differences": tuple(-difference for difference in pair.differences),
        "path": tuple(
            replace(look, value=-look.value, low=-look.high, high=-look.low) for look in pair.path
        ),
        "curves": pair.curves[::-1],
        "along": tuple((times, -total) for times, total in pair.along),
        "cohen_d": _negative(pair.cohen_d),
        "cohen_d_low": _negative(pair.cohen_d_high),
        "cohen_d_high": _negative(pair.cohen_d_low),
        "a12": _complement(pair.a12),
        "a12_low": _complement(pair.a12_high),
        "a12_high": _complement(pair.a12_low),
    }


def _negative(value: float | None) -> float | None:
    return None if value is None else -value


def _complement(value: float | None) -> float | None:
    return None if value is None else 1 - value


# What an answer is about.


def _judged_quantity(losses: Losses, rule: Criteria) -> Quantity:
    """Return what the verdict speaks of, where a method is about a part of the examples only."""
    about = rule.entry.estimand
    if about.form != "other":
        return losses.quantity
    return replace(losses.quantity, words=about.quantity, counts_wrong=False)


def _subject(losses: Losses, rule: Criteria, *, alone: bool) -> Note:
    """
    Return which models the answer is about, and where examples come in groups, on which of them.

    One split has one model of each algorithm: what is tested there are these models, not their
    training.
    """
    kind = losses.partition.kind
    if kind.about:
        return note("about-results", about=kind.about, group=rule.group)
    size = rule.entry.n_train(losses.partition)
    if kind.is_one_split:
        return note("about-split-alone" if alone else "about-split", size=size)
    if kind.is_ordered:
        return note("about-path" if rule.entry.estimand.of else "about-windows", size=size)
    where = ""
    if _keeps_groups(losses):
        where = "new groups"
    if kind.is_by_source:
        where = "a new source" if rule.entry.estimand.varied == "sources" else "these sources"
    return note("about-models", size=size, where=where, group=rule.group)


def _keeps_groups(losses: Losses) -> bool:
    """Whether examples come in groups, and no tested example is in a group that trained."""
    groups = losses.clusters
    partition = losses.partition
    if groups is None or partition.kind.is_ordered:
        return False
    return not np.isin(groups[partition.test[0]], groups[partition.train[0]]).any()


# What an undecided answer could have found, and what a difference of the margin would take. These
# are the numbers of :func:`evenfold.plan` with the answer as its pilot.


POWER = 0.8
_FEWEST = 8  # examples that a run can have
_FAR = 1000  # times as many examples as there are: too many for an advice


def _reasons_undecided(
    losses: Losses, pair: PairResult, estimate: Estimate, rule: Criteria
) -> list[Note]:
    """Return why an answer decides nothing, and what would decide it."""
    if _shows_no_difference(pair, estimate):
        return [note("same-values")]
    if estimate.undecided:  # nobody knows how many more examples would show a few rare ones
        return [note(WRITTEN, text=estimate.undecided), *_scarce_class(losses)]
    reasons = []
    if estimate.remark:
        reasons = [note(WRITTEN, text=estimate.remark), *_scarce_class(losses)]
    detectable = _detectable_note(losses, pair, estimate, rule)
    if detectable is not None:
        reasons.append(detectable)
    return reasons


def _shows_no_difference(pair: PairResult, estimate: Estimate) -> bool:
    """Whether two algorithms showed no difference at all."""
    return not any((pair.value, pair.low, pair.high)) or (
        isinstance(estimate, TestEstimate)
        and bool((estimate.value == 0) & (estimate.standard_error == 0))
    )


def _scarce_class(losses: Losses) -> Iterator[Note]:
    """Yield which class is the rarest, where the measure looks at how classes are ranked."""
    sizes = losses.class_sizes
    if sizes is None or losses.quantity.target != "labels":
        return
    label, examples = min(sizes.items(), key=itemgetter(1))
    which = f"of class {label}"
    if len(sizes) == 2:
        positive = losses.quantity.positive or list(sizes)[-1]
        which = "positive" if label == positive else "negative"
    yield note("few-of-class", examples=examples, total=sum(sizes.values()), which=which)


def _detectable_note(
    losses: Losses, pair: PairResult, estimate: Estimate, rule: Criteria
) -> Note | None:
    """
    Return which difference could have been found, and how much more one of the margin would take.

    What the difference that was seen would take is not said: it is a guess at the truth, and its
    square is in the number.
    """
    half = (pair.high - pair.low) / 2
    if not np.isfinite(half) or abs(pair.value) > half + rule.margin:
        return None  # nothing is known, or it was not the interval that left the question open
    if pair.low > 0 or pair.high < 0:
        return None  # only by how much is open, which no number of examples is promised to answer
    pilot = _pilot(losses, pair, rule)
    if pilot is None:
        size = _detectable_by_test(estimate, half, rule)
        have, unit = _what_grows(losses, rule)
    else:
        size = pilot.detectable(
            m=rule.most or len(losses.partition) // 2,
            level=pair.level,
            alternative=_side(rule),
            power=POWER,
        )
        have = losses.partition.n
        unit = "examples" if losses.clusters is None else "examples in groups like these"
    shown: dict[str, Any] = {
        "ratio": losses.quantity.ratio,
        "digits": precision(pair.value, pair.low, pair.high),
    }
    if size is None or not np.isfinite(size):
        return note("half-width", size=half, **shown)
    shown["power"] = POWER
    is_gate = rule.margin or rule.not_worse
    if not is_gate or _power_of_gate(pair, rule, losses.quantity) is None:
        shown["size"] = size  # else the report says the power relative to the margin
    if rule.margin:
        if pilot is None:
            needed = _needed_by_test(losses, pair, estimate, rule, have)
        else:
            needed = _needed_by_pilot(losses, pair, pilot, rule)
        if have and needed is not None and have < needed <= _FAR * have:
            shown |= {"needed": needed, "unit": unit}
    if "size" in shown or "needed" in shown:
        return note("detectable", **shown)
    return None


def _side(rule: Criteria) -> str:
    return "greater" if rule.not_worse else "two-sided"


def _pilot(losses: Losses, pair: PairResult, rule: Criteria) -> Parts | None:
    """What single examples of halvings show, where the test looks at them."""
    is_halving = losses.partition.kind.is_halving
    if pair.baseline is None or not is_halving or not rule.entry.takes.closely:
        return None
    b = losses.index(pair.challenger)
    a = losses.index(pair.baseline)
    try:
        return influence_pilot(losses, rule.method, challenger=b, baseline=a)
    except NotApplicable:  # nothing varies
        return None


def _needed_by_pilot(losses: Losses, pair: PairResult, pilot: Parts, rule: Criteria) -> int | None:
    """How many examples would find a difference of the margin."""
    m = rule.most or len(losses.partition) // 2
    side = _side(rule)

    def is_enough(n: int) -> bool:
        power = pilot.power(rule.margin, n=n, m=m, level=pair.level, alternative=side)
        return power >= POWER

    return fewest(is_enough, _FEWEST)


def _detectable_by_test(estimate: Estimate, half: float, rule: Criteria) -> float | None:
    """Return the difference that is found with a power of 80%; None where nobody knows."""
    known = _error_and_df(estimate)
    if known is None:
        return None
    error, df = known
    return needed_noncentrality(POWER, half / error, df, two_sided=not rule.not_worse) * error


def _needed_by_test(
    losses: Losses, pair: PairResult, estimate: Estimate, rule: Criteria, have: int
) -> float | None:
    """How many of what grows would find a difference of the margin, by the plan that fits."""
    kind = losses.partition.kind
    if pair.baseline is not None and (kind.about or kind.is_ordered):
        return _planned_number(losses, pair.baseline, pair, rule)
    known = _error_and_df(estimate)
    if not have or known is None:
        return None
    error, df = known
    half = (pair.high - pair.low) / 2
    return examples_needed(
        rule.margin, n=have, standard_error=error, reach=half, df=df, power=POWER
    )


def _error_and_df(estimate: Estimate) -> tuple[float, float] | None:
    """Return standard error and degrees of freedom of a test that has one of each."""
    if not isinstance(estimate, TestEstimate) or not estimate.standard_error > 0:
        return None
    df = np.asarray(estimate.df)
    if df.ndim:
        return None
    return float(estimate.standard_error), float(df)


def _planned_number(losses: Losses, baseline: str, pair: PairResult, rule: Criteria) -> int | None:
    """Return how many units or runs the plan of a table or a path asks for."""
    a = losses.index(baseline)
    b = losses.index(pair.challenger)
    question: dict[str, Any] = {"difference": rule.margin, "wanted": POWER}
    question |= {"level": pair.level, "alternative": _side(rule)}
    try:
        if losses.partition.kind.is_ordered:
            return plan_path(losses, a, b, method=rule.method, **question).needed
        if rule.method == recommended_for_flips():  # right and wrong answers have their own test
            return plan_of_answers(losses, a, b, **question).units
        plan = plan_table(losses, a, b, method=rule.method, **question)
    except NotApplicable:
        return None
    if plan.word:
        return plan.units
    return plan.runs


def _what_grows(losses: Losses, rule: Criteria) -> tuple[int, str]:
    """
    Return how many there are of what lowers the standard error, and what they are.

    The number is 0 where two things vary.
    """
    partition = losses.partition
    kind = partition.kind
    if kind.is_runs:
        return 0, ""
    if kind.is_seeds:
        return len(partition), "runs"
    if kind.is_ordered:
        if len(partition) > 1:
            return len(partition), "windows"
        return tested_times(partition), "times"
    if losses.clusters is not None:
        groups = int(losses.clusters.max()) + 1
        return groups, "clusters" if kind.about else "groups"
    if rule.entry.estimand.varied == "sources":
        return len(partition), "sources"
    if kind.is_one_split:
        return partition.n_test, "test examples"
    return partition.n, "examples"


# The power of a gate: what it would have caught and passed with the examples that there were.


_HALF = 0.5  # of the candidates without a difference: if fewer pass, the gate says what would do


def gate_powers(
    pairs: Sequence[PairResult], rule: Criteria, quantity: Quantity
) -> tuple[GatePower, ...]:
    """Return the power of each pair's verdict where a gate was asked for."""
    if not rule.is_gate:
        return ()
    each = (_gate_power(pair, rule, quantity) for pair in pairs)
    return tuple(power for power in each if power is not None)


def _gate_power(pair: PairResult, rule: Criteria, quantity: Quantity) -> GatePower | None:
    power = _power_of_gate(pair, rule, quantity)
    if power is None or pair.baseline is None:
        return None
    drop = rule.power_at or power.default_drop()
    if not math.isfinite(drop):
        return None
    return GatePower(
        baseline=pair.baseline,
        challenger=pair.challenger,
        drop=drop,
        caught=power.catches(drop),
        differ=None if power.differ is None else max(power.differ, drop),
        **_chances_without_difference(power, rule),
    )


def _power_of_gate(pair: PairResult, rule: Criteria, quantity: Quantity) -> PowerOfGate | None:
    """Return the power of the test behind a pair; None for ratios and one-sided questions, too."""
    if rule.alternative in ("greater", "less") or quantity.ratio:
        return None
    error = pair.level if rule.not_worse else pair.level / 2
    return power_of_gate(pair.estimate, (pair.value, pair.low, pair.high), rule.margin, error)


def _chances_without_difference(power: PowerOfGate, rule: Criteria) -> dict[str, float | None]:
    """How often a candidate whose true difference is 0 passes, and what would let it pass."""
    if not (rule.margin or rule.not_worse):
        return {}
    passed = power.passes()
    if passed >= _HALF or not rule.not_worse:
        return {"passed": passed}
    enough = {
        "enough_margin": power.enough_margin(),
        "enough_examples": power.enough_examples(),
    }
    finite = {name: value if math.isfinite(value) else None for name, value in enough.items()}
    return {"passed": passed, **finite}


def add_gate_warnings(pairs: Sequence[PairResult], powers: Sequence[GatePower]) -> list[PairResult]:
    """Let the verdict of a gate say that it stops most candidates without a difference."""
    warnings = {(power.baseline, power.challenger): power.warning for power in powers}
    warned = []
    for pair in pairs:
        warning = warnings.get((pair.baseline or "", pair.challenger))
        warned.append(pair if warning is None else add_to_sentence(pair, gate=warning))
    return warned
