"""Every question of a comparison: which pairs, at which level, with which estimate and verdict."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from evenfold.core.errors import NotApplicable
from evenfold.core.estimate import (
    Estimate,
    LookingEstimate,
    PivotEstimate,
    PosteriorEstimate,
    TestEstimate,
)
from evenfold.core.facts.comparison import Sizes
from evenfold.core.intervals import Bounds
from evenfold.core.losses import Losses
from evenfold.core.measure import Quantity
from evenfold.core.verdict import Outcome, Verdict
from evenfold.corridor.ask import Asked
from evenfold.corridor.said.phrases import about, gave_the_same, judged, more, units
from evenfold.infer import MaxT, Method, estimate, jointly, methods
from evenfold.infer.many.adjust import ADJUSTMENTS, shared_level
from evenfold.verdict import Finding, alone, judge, not_applicable, outcome

_FUTILE = "more repetitions would hardly help, more examples would"
_ROUNDING = 1e-12  # of the ends of an interval: a mean of zeros and ones does not always come out as 0

_VALUES_ROUNDING = 16 * float(np.finfo(float).eps)  # of the values whose differences are judged
_MOST_SIGNS = 1000  # beyond, the chance of so many equal signs is no float

Names = tuple[str | None, str]
Found = Estimate | NotApplicable


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Rule:
    """How the pairs of one measure are judged: what was asked, by which method, M of a sequential one."""

    asked: Asked
    method: str
    most: int | None = None

    @property
    def entry(self) -> Method:
        """What the registry says of the method."""
        return methods()[self.method]

    @property
    def looks(self) -> tuple[int, ...]:
        """The repetitions after which it looks, none where all are run at once."""
        return () if self.most is None else self.entry.looks_to(self.most)

    def decides(self, quantity: Quantity, low: float, high: float, *, only_same: bool = False) -> Outcome:
        """Return what an interval of B − A decides."""
        worst, best = quantity.improvements(low, high)
        asked = self.asked
        return outcome(worst, best, asked.margin, one_sided=asked.not_worse, only_same=only_same)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class PairResult:
    """
    One question and its answer.

    Attributes
    ----------
    baseline, challenger : str or None, str
        A and B; no baseline where one algorithm is estimated alone.
    estimate : Estimate or None
        What inference says; None where it was not applicable.
    verdict : Verdict or None
        The verdict; None where one algorithm is estimated alone.
    sentence : str
        The answer in words.
    level : float
        Error level that the adjustment left for this pair.
    pvalue, adjusted_pvalue : float or None
        Of a test.
    sizes : Sizes or None
        What changes with the training size, where the run had two.
    """

    baseline: str | None
    challenger: str
    estimate: Estimate | None
    verdict: Verdict | None
    sentence: str
    level: float
    pvalue: float | None = None
    adjusted_pvalue: float | None = None
    sizes: Sizes | None = None


def which_pairs(algorithms: Sequence[str], baseline: str | None) -> list[Names]:
    """Return the pairs (A, B): all, or all against a baseline; one algorithm alone has no A."""
    if len(algorithms) == 1:
        return [(None, algorithms[0])]
    if baseline is None:
        return list(combinations(algorithms, 2))
    return [(baseline, other) for other in algorithms if other != baseline]


def estimated(losses: Losses, pair: Names, rule: Rule, level: float, before: Found | None = None) -> Found:
    """Ask the method about one pair, beyond what it said before; or why it has no answer."""
    a, b = pair
    try:
        found = estimate(
            losses,
            rule.method,
            challenger=b,
            baseline=a,
            alternative=rule.asked.side,
            level=rule.asked.of_method(level),
            most=rule.most,
            before=before if isinstance(before, Estimate) else None,
        )
    except NotApplicable as reason:
        return reason
    if not isinstance(found, (TestEstimate, PosteriorEstimate)):
        what = {
            "variance": f"estimates a variance and decides nothing; {_tests(losses)}",
            "omnibus": "is a test without an interval and decides no pair; use ef.infer.estimate",
        }[rule.entry.family]
        return NotApplicable(f"method {rule.method!r} {what}")
    if isinstance(found, LookingEstimate) and (rule.asked.margin > 0 or rule.asked.not_worse):
        found = found.latest()  # the method's own stop is about 0
    return within(found, losses, alone=a is None)


def settled(found: TestEstimate, rule: Rule, quantity: Quantity) -> bool:
    """Whether a look decides, or no later one could."""
    if not isinstance(found, LookingEstimate):
        return True
    _, low, high = limits(found)
    said = rule.decides(quantity, low, high, only_same=bool(found.undecided))
    decided = said is not Outcome.INCONCLUSIVE and bool(found.may_decide)
    return decided or hopeless(found, rule, quantity)


def hopeless(found: Estimate, rule: Rule, quantity: Quantity) -> bool:
    """Whether the last look, which is to come, could hardly decide: what it might see at best would not."""
    if not isinstance(found, LookingEstimate) or int(found.stopped_at) == rule.most:
        return False
    if not found.prospects:
        return bool(found.futile)
    ends = [(float(low), float(high)) for low, high in found.prospects]
    return all(rule.decides(quantity, *limits) is Outcome.INCONCLUSIVE for limits in ends)


def estimates(losses: Losses, pairs: Sequence[Names], rule: Rule) -> dict[Names, Found]:
    """Ask the method about every pair, once."""
    level = rule.asked.share(len(pairs))
    return {pair: estimated(losses, pair, rule, level) for pair in pairs}


def complete(found: dict[Names, Found]) -> dict[Names, Found]:
    """Return the estimates, or raise the reason why one is missing."""
    for one in found.values():
        if isinstance(one, NotApplicable):
            raise one
    return found


def answer(losses: Losses, found: Mapping[Names, Found], rule: Rule, *, cost: str) -> list[PairResult]:
    """Share the level among the pairs, and judge each at what it was left."""
    asked, pairs = rule.asked, list(found)
    pvalues = [None if a is None else _pvalue(found[a, b], asked) for a, b in pairs]
    joint = _joint(losses, found, rule)
    adjusted, levels = shared_level(pvalues, asked.level, asked.adjust, joint=joint)
    if (asked.margin > 0 or asked.not_worse) and joint is None:
        levels = [asked.share(len(pairs))] * len(pairs)  # Holm's steps are about 0, not a margin
    drafts = [
        PairResult(
            baseline=a,
            challenger=b,
            estimate=None,
            verdict=None,
            sentence="",
            level=level,
            pvalue=p,
            adjusted_pvalue=q,
        )
        for (a, b), level, p, q in zip(pairs, levels, pvalues, adjusted, strict=True)
    ]
    return [
        _judged(losses, draft, rule, _at(found[pair], draft.level, asked), cost)
        for pair, draft in zip(pairs, drafts, strict=True)
    ]


def _pvalue(found: Found, asked: Asked) -> float | None:
    """The p-value of a test; that of "they are equal" says nothing about being worse by a margin."""
    return float(found.pvalue) if isinstance(found, TestEstimate) and not asked.not_worse else None


def _at(found: Found, level: float, asked: Asked) -> Found:
    return found if isinstance(found, NotApplicable) else found.at(asked.of_method(level))


def _joint(losses: Losses, found: Mapping[Names, Found], rule: Rule) -> MaxT | None:
    """Return the joint law of the pairs that have an estimate, where max-t was asked for."""
    usable = [pair for pair, one in found.items() if isinstance(one, Estimate)]
    if not ADJUSTMENTS[rule.asked.adjust].joint or not usable:
        return None
    return jointly(losses, rule.method, usable, alternative=rule.asked.side)


def within(found: Estimate, losses: Losses, *, alone: bool) -> Estimate:
    """Tell a test the range of what it is about: its intervals stay inside, and nothing is taken as sure."""
    if not isinstance(found, TestEstimate):
        return found
    quantity = losses.quantity
    low, high = (quantity.low, quantity.high) if alone else (-quantity.width, quantity.width)
    bounds = Bounds(low=low, high=high, units=units(losses), alone=alone)
    if not alone and bounds.units and _is_flat(found, losses):
        if math.isfinite(high - low):
            found = replace(
                found,
                standard_error=np.zeros_like(found.value),
                statistic=bounds.statistic(found.value, found.null),
            )
        elif isinstance(found, PivotEstimate):
            found = _by_signs(found, _signs(losses, bounds.units))
    return replace(found, bounds=bounds)


def _is_flat(found: TestEstimate, losses: Losses) -> bool:
    """Whether the differences vary by no more than the rounding of the values that they are made of."""
    if not isinstance(found, PivotEstimate):
        return bool(found.standard_error == 0)
    size = float(np.nanmax(np.abs(losses.values), initial=0.0))
    return bool(found.standard_error <= _VALUES_ROUNDING * max(size, abs(float(found.value))))


def _signs(losses: Losses, units: int) -> int:
    """How many differences have a sign: one per split, or per unit of a single test set."""
    splits = len(losses.partition)
    return min(units if splits == 1 else min(units, splits), _MOST_SIGNS)


def _by_signs(found: PivotEstimate, count: int) -> PivotEstimate:
    """
    Give equal differences, of a measure without a range, the p-value of so many equal signs.

    They have no spread, and a t of infinity would be sure of everything: three equal numbers are no proof.
    What is known is that all have one sign, of which the sign test, exact for any symmetric law, says
    2^(1−n). The standard error is the one with which the test says so, so that the interval agrees with the
    p-value and neither depends on the unit.
    """
    away = found.value - found.null
    if not away:
        return replace(found, standard_error=np.zeros_like(found.value), statistic=np.zeros_like(found.value))
    size = found.reference.isf(0.5**count)
    error = np.abs(away) / size
    return replace(found, standard_error=error, statistic=np.copysign(size, away))


def _tests(losses: Losses) -> str:
    """Name the tests that the design may have."""
    kind = losses.partition.kind
    fitting = [
        m.key for m in methods().values() if kind in m.designs and m.family == "test" and m.recommended
    ]
    return f"use {' or '.join(map(repr, fitting))}" if fitting else "use a test"


def _judged(losses: Losses, draft: PairResult, rule: Rule, found: Found, cost: str) -> PairResult:
    """Answer a question whose level is known."""
    if isinstance(found, NotApplicable):
        none = not_applicable(str(found), margin=rule.asked.margin, level=draft.level)
        return replace(draft, verdict=none, sentence=str(none))
    pair = draft.baseline, draft.challenger
    finding = _finding(losses, pair, rule, found, draft.level, cost)
    if draft.baseline is None:
        return replace(draft, estimate=found, sentence=alone(finding))
    verdict = judge(finding, margin=rule.asked.margin)
    return replace(draft, estimate=found, verdict=verdict, sentence=str(verdict))


def limits(found: Estimate) -> tuple[float, float, float]:
    """Return value, low and high of a test or a posterior; a value that is but rounding is 0."""
    if isinstance(found, PosteriorEstimate):
        value, (low, high) = float(found.mean), found.interval()
    else:
        assert isinstance(found, TestEstimate)
        value, (low, high) = float(found.value), found.confidence_interval()
    reach = max((abs(end) for end in (low, high) if math.isfinite(end)), default=0.0)
    return 0.0 if abs(value) < _ROUNDING * reach else value, float(low), float(high)


def probability_better(found: Estimate, losses: Losses, margin: float) -> float | None:
    """Return the posterior probability that B is better than A by more than the margin."""
    if not isinstance(found, PosteriorEstimate):
        return None
    if losses.lower_is_better:
        return float(1 - found.probability(-margin))
    return float(found.probability(margin))


def _finding(losses: Losses, pair: Names, rule: Rule, found: Estimate, level: float, cost: str) -> Finding:
    value, low, high = limits(found)
    margin = rule.asked.margin
    return Finding(
        baseline=pair[0],
        challenger=pair[1],
        quantity=judged(losses, rule.method),
        value=value,
        low=low,
        high=high,
        level=level,
        about=about(losses, rule.entry, alone=pair[0] is None),
        cost=cost,
        one_sided=rule.asked.not_worse,
        credible=isinstance(found, PosteriorEstimate),
        probability=None if pair[0] is None else probability_better(found, losses, margin),
        only_same=bool(found.undecided),
        more=_more(losses, rule, found, (value, low, high)),
    )


def _more(losses: Losses, rule: Rule, found: Estimate, limits: tuple[float, float, float]) -> str:
    """Say why an answer that decides nothing does not, and what would."""
    futile = _FUTILE if hopeless(found, rule, losses.quantity) else ""
    size = more(found, limits, rule.asked.margin, losses, rule.method)
    if gave_the_same(found, limits):
        return size
    return "; ".join(filter(None, [found.undecided or found.remark, futile, size]))
