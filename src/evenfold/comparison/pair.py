"""One question of a comparison and its answer: the numbers of a pair with its verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

from evenfold.comparison.criteria import Criteria
from evenfold.comparison.statement import judged_quantity, reasons_undecided, subject
from evenfold.core.estimate import (
    Estimate,
    PosteriorEstimate,
)
from evenfold.core.facts.answers import Pair
from evenfold.core.json import BEHIND
from evenfold.core.losses import Losses, Quantity, measure_name
from evenfold.core.note import Note, note
from evenfold.core.outcome import Outcome
from evenfold.core.verdict import Verdict
from evenfold.infer.family import PairAnswer, direction_of, outcome_of
from evenfold.infer.turned import turn_estimate


@dataclass(frozen=True, eq=False, kw_only=True, slots=True, repr=False)
class PairResult(Pair):
    """
    One question and its answer: all that a report says of it, and what is behind.

    Attributes
    ----------
    estimate : Estimate or None
        What inference says; None where it was not applicable.
    verdict : Verdict or None
        The verdict; None where one algorithm is estimated alone.

    Notes
    -----
    The rest is that of :class:`evenfold.core.facts.answers.Pair`: ``baseline``, ``challenger``,
    ``outcome``, ``sentence``, ``value``, ``low``, ``high``, ``level``, ``pvalue``,
    ``adjusted_pvalue``, the ``differences`` on every split, the ``path`` of looks, effect sizes,
    ``sizes``.
    """

    estimate: Estimate | None = field(default=None, metadata={BEHIND: True})
    verdict: Verdict | None = field(default=None, metadata={BEHIND: True})

    def __eq__(self, other: object) -> bool:
        """Whether a report would say the same of both."""
        if not isinstance(other, Pair):
            return NotImplemented
        told = [one.name for one in fields(Pair)]
        return [getattr(self, name) for name in told] == [getattr(other, name) for name in told]

    __hash__ = Pair.__hash__

    def __repr__(self) -> str:
        return f"<PairResult: {self.sentence}>"


def pair_results(
    losses: Losses, answers: Sequence[PairAnswer], rule: Criteria, *, cost: Note | None
) -> list[PairResult]:
    """Return every pair with its verdict."""
    return [_pair_result(losses, answer, rule, cost) for answer in answers]


def _pair_result(
    losses: Losses, answer: PairAnswer, rule: Criteria, cost: Note | None
) -> PairResult:
    pair = PairResult(
        **{name: getattr(answer, name) for name in _NUMBERS},
        estimate=answer.estimate,
    )
    if answer.estimate is None:
        said = note("not-applicable", reason=answer.reason)
        outcome = Outcome.NOT_APPLICABLE
        return with_verdict(
            pair, Verdict(outcome=outcome, margin=rule.margin, level=rule.level, said=said)
        )
    quantity = judged_quantity(losses, rule.method)
    values: dict[str, Any] = {
        **{name: getattr(pair, name) for name in ("challenger", "value", "low", "high")},
        "measure": measure_name(quantity),
        "ratio": quantity.ratio,
        "level": rule.level,
        "about": subject(losses, rule, alone=answer.baseline is None),
        "cost": cost,
        "simultaneous": answer.estimate.shared is not None,
        "one_sided": rule.not_worse,
        "credible": isinstance(answer.estimate, PosteriorEstimate),
    }
    if answer.outcome is None:
        return replace(pair, sentence=str(note("single", unit=quantity.unit, **values)))
    chance = probability_better(answer.estimate, losses, rule.margin)
    pair = replace(pair, probability=chance, **_other_hypothesis(chance))
    if answer.outcome is Outcome.INCONCLUSIVE:  # it takes long to find out
        values["undecided"] = reasons_undecided(losses, pair, rule, answer.estimate)
    said = note(
        "pair",
        baseline=answer.baseline,
        outcome=str(answer.outcome),
        direction=answer.direction,
        margin=rule.margin,
        probability_better=chance,
        replicability=answer.replicability,
        goal=rule.replicability if rule.most is not None else None,
        **values,
    )
    verdict = Verdict(
        outcome=answer.outcome,
        direction=answer.direction,
        margin=rule.margin,
        level=rule.level,
        replicability=answer.replicability,
        said=said,
    )
    return with_verdict(pair, verdict)


_NUMBERS = (
    "baseline",
    "challenger",
    "value",
    "low",
    "high",
    "level",
    "pvalue",
    "adjusted_pvalue",
    "replicability",
)


def with_verdict(pair: PairResult, verdict: Verdict) -> PairResult:
    """Return a pair with a verdict, its outcome and its sentence."""
    return replace(
        pair,
        verdict=verdict,
        outcome=str(verdict.outcome),
        direction=verdict.direction,
        sentence=str(verdict),
    )


def say_more(pair: PairResult, **values: Note) -> PairResult:
    """Return a pair whose verdict also says this; one without a verdict says nothing more."""
    if pair.verdict is None:
        return pair
    said = pair.verdict.said
    more = replace(said, values={**said.values, **values})
    return with_verdict(pair, replace(pair.verdict, said=more))


def probability_better(found: Estimate, losses: Losses, margin: float) -> float | None:
    """Return the posterior probability that B is better than A by more than the margin."""
    if not isinstance(found, PosteriorEstimate):
        return None
    if losses.lower_is_better:
        return float(1 - found.probability(-margin))
    return float(found.probability(margin))


def _other_hypothesis(chance: float | None) -> dict[str, Any]:
    """P(H0) and the more probable hypothesis, where P(H1) is known (R19 algorithm 6.1)."""
    if chance is None:
        return {}
    null = 1 - chance
    return {"null_probability": null, "accepted": "H1" if chance > null else "H0"}


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
    verdict = _turn_verdict(
        pair.verdict, pair, quantity, one_sided=one_sided, withheld=bool(estimate.undecided)
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
        "differences": tuple(-one for one in pair.differences),
        "path": tuple(
            replace(one, value=-one.value, low=-one.high, high=-one.low) for one in pair.path
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
    if value is None:
        return None
    return -value


def _complement(value: float | None) -> float | None:
    if value is None:
        return None
    return 1 - value


def _turn_verdict(
    before: Verdict, pair: PairResult, quantity: Quantity, *, one_sided: bool, withheld: bool
) -> Verdict:
    worst, best = quantity.improvements(pair.low, pair.high)
    now = outcome_of(worst, best, before.margin, one_sided=one_sided, withheld=withheld)
    direction = None if withheld else direction_of(quantity, pair.low, pair.high)
    said = before.said
    if one_sided:
        said = note("turned", outcome=str(now), said=said)
    return replace(before, outcome=now, direction=direction, said=said)
