"""Every question of a comparison: which pairs, at which level, with which estimate and verdict."""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import partial
from itertools import combinations
from typing import Any, Self

import numpy as np

from evenfold.comparison.request import Criteria, Names
from evenfold.comparison.wording.phrases import (
    detectable_phrase,
    estimand_phrase,
    gave_the_same,
    judged_quantity,
    units,
)
from evenfold.core.checks import refuse
from evenfold.core.errors import EvenfoldError, EvenfoldWarning, NotApplicable
from evenfold.core.estimate import (
    Alternative,
    Bounds,
    Estimate,
    Floats,
    LookingEstimate,
    PivotEstimate,
    PosteriorEstimate,
    TestEstimate,
)
from evenfold.core.facts.comparison import Pair
from evenfold.core.json import BEHIND
from evenfold.core.losses import Losses, Quantity
from evenfold.infer import MaxT, estimate, jointly, methods
from evenfold.infer.adjust import ADJUSTMENTS, shared_level
from evenfold.infer.data_sets.signs import equal_signs_test
from evenfold.verdict import (
    Outcome,
    Verdict,
    judge,
    not_applicable,
    outcome,
    single_sentence,
)

# The interval of an answer: in its range, within what single intervals allow, as it was decided.


# of the ends of an interval: a mean of zeros and ones does not always come out as 0
_ROUNDING = 1e-12
# of the value: the end of an interval that holds all on its side of 0, but not 0
_BESIDE_ZERO = 1e-12
_VALUES_ROUNDING = 16 * float(np.finfo(float).eps)  # of the values whose differences are judged


def limits(found: Estimate) -> tuple[float, float, float]:
    """Return value, low and high of a test or a posterior; a value that is but rounding is 0."""
    if isinstance(found, PosteriorEstimate):
        value = float(found.mean)
        (low, high) = found.interval()
    else:
        assert isinstance(found, TestEstimate)
        value = float(found.value)
        (low, high) = found.confidence_interval()
    reach = max((abs(end) for end in (low, high) if math.isfinite(end)), default=0.0)
    return 0.0 if abs(value) < _ROUNDING * reach else value, float(low), float(high)


def limit_to_range(found: Estimate, losses: Losses, *, alone: bool) -> Estimate:
    """
    Tell a test the range of what it is about.

    Its intervals stay inside, and nothing is taken as sure.
    """
    if not isinstance(found, TestEstimate):
        return found
    quantity = losses.quantity
    low, high = (quantity.low, quantity.high) if alone else (-quantity.width, quantity.width)
    bounds = Bounds(low=low, high=high, units=units(losses), alone=alone)
    if not alone and _is_flat(found, losses):
        if bounds.units and math.isfinite(high - low):
            found = replace(
                found,
                standard_error=np.zeros_like(found.value),
                statistic=bounds.statistic(found.value, found.null),
            )
        elif isinstance(found, PivotEstimate):
            found = equal_signs_test(found, losses, bounds.units)
    return replace(found, bounds=bounds)


def _is_flat(found: TestEstimate, losses: Losses) -> bool:
    """Whether the differences vary by no more than the rounding of the values behind them."""
    if not isinstance(found, PivotEstimate):
        return bool(found.standard_error == 0)
    size = float(np.nanmax(np.abs(losses.values), initial=0.0))
    return bool(found.standard_error <= _VALUES_ROUNDING * max(size, abs(float(found.value))))


class Singles:
    """
    The interval of each algorithm by itself, estimated once.

    None where a method only compares.
    """

    def __init__(self, losses: Losses, rule: Criteria) -> None:
        self._losses = losses
        self._rule = rule
        self._known: dict[str, Estimate | None] = {}

    def interval(self, name: str, level: float) -> tuple[float, float, float]:
        """Return value, low and high of one algorithm at a level; no ends without an estimate."""
        losses = self._losses.together(name)
        if name not in self._known:
            self._known[name] = self._estimate_single(losses, name)
        own = self._known[name]
        if own is None:
            return float(losses.means()[losses.index(name)]), -math.inf, math.inf
        return limits(own.at(level))

    def _estimate_single(self, losses: Losses, name: str) -> Estimate | None:
        rule = self._rule
        options: dict[str, Any] = {"level": rule.level, "most": rule.most}
        options |= {"method_options": rule.method_options, "challenger": name, "baseline": None}
        try:
            with warnings.catch_warnings():
                # what is to be said is said of the pairs
                warnings.simplefilter("ignore", EvenfoldWarning)
                own = estimate(losses, rule.method, **options)
        except EvenfoldError:
            return None
        if isinstance(own, LookingEstimate):
            # The intervals of all looks hold together, so the last one does whenever the run has
            # stopped.
            own = own.latest()
        return limit_to_range(own, losses, alone=True)


def cut_interval_by_singles(
    value: float,
    low: float,
    high: float,
    a: tuple[float, float, float],
    b: tuple[float, float, float],
) -> tuple[float, float]:
    """
    Cut an interval of B − A where the intervals of A and of B, by themselves, leave no room.

    Where neither showed any spread they say nothing of it.
    """
    if a[1] == a[2] and b[1] == b[2]:
        return low, high
    least = min(b[1] - a[2], value)
    most = max(b[2] - a[1], value)
    if math.isfinite(low):
        low = max(low, least)
    if math.isfinite(high):
        high = min(high, most)
    return low, high


def agreeing(value: float, low: float, high: float, *, rejected: bool) -> tuple[float, float]:
    """
    Return an interval that holds 0 exactly where "no difference" was not rejected.

    Steps may reject what an interval with an equal share of the level does not: it then ends at 0,
    on the side of the value. One that would not hold 0 although nothing was rejected is widened to
    it.

    Examples
    --------
    >>> low, high = agreeing(0.02, -0.001, 0.041, rejected=True)
    >>> 0 < low < 1e-9, high
    (True, 0.041)
    >>> agreeing(0.02, 0.001, 0.039, rejected=False)
    (0.0, 0.039)
    """
    if not rejected:
        return min(low, 0.0), max(high, 0.0)
    if value > 0:
        return max(low, _BESIDE_ZERO * value), high
    if value < 0:
        return low, min(high, _BESIDE_ZERO * value)
    return low, high


_FUTILE = "more repetitions would hardly help, more examples would"
_OF_SINGLES = 0.05  # of a pair's level, spent on each single interval that may bound its difference

Found = Estimate | NotApplicable


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
    The rest is that of :class:`evenfold.core.facts.comparison.Pair`: ``baseline``, ``challenger``,
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


def which_pairs(algorithms: Sequence[str], baseline: str | None) -> list[Names]:
    """Return the pairs (A, B): all, or all against a baseline; one algorithm alone has no A."""
    if len(algorithms) == 1:
        return [(None, algorithms[0])]
    if baseline is None and len(algorithms) > 1:
        return list(combinations(algorithms, 2))
    pairs: list[Names] = [(baseline, other) for other in algorithms if other != baseline]
    if not pairs:
        refuse("algorithms", "two or more that differ in name", ", ".join(algorithms) or "no names")
    return pairs


def estimate_pair(
    losses: Losses, pair: Names, rule: Criteria, level: float, before: Found | None = None
) -> Found:
    """Ask the method about one pair, beyond what it said before; or why it has no answer."""
    a, b = pair
    try:
        found = estimate(
            losses,
            rule.method,
            challenger=b,
            baseline=a,
            alternative=rule.side,
            level=rule.of_method(level),
            most=rule.most,
            before=before if isinstance(before, Estimate) else None,
            method_options=rule.method_options,
        )
    except NotApplicable as reason:
        return reason
    if not isinstance(found, (TestEstimate, PosteriorEstimate)):
        what = {
            "variance": f"estimates a variance and decides nothing; {_tests(losses)}",
            "omnibus": "is a test without an interval and decides no pair; use ef.infer.estimate",
        }[rule.entry.family]
        return NotApplicable(f"method {rule.method!r} {what}")
    if isinstance(found, LookingEstimate):
        # One look, one answer: every pair is judged on all repetitions that were run.
        found = found.latest()
    return limit_to_range(found, losses, alone=a is None)


def is_settled(found: LookingEstimate, rule: Criteria, quantity: Quantity) -> bool:
    """Whether a look decides, or no later one could."""
    return _is_decided(found, rule, quantity) or is_hopeless(found, rule, quantity)


def _is_decided(found: LookingEstimate, rule: Criteria, quantity: Quantity) -> bool:
    _, low, high = limits(found)
    claimed = rule.decides(quantity, low, high, only_same=bool(found.undecided))
    return claimed is not Outcome.INCONCLUSIVE and bool(found.may_decide)


def is_hopeless(found: Estimate, rule: Criteria, quantity: Quantity) -> bool:
    """Whether no look that is to come could answer the question, as the test itself sees it."""

    def decides(low: float, high: float) -> bool:
        return rule.decides(quantity, low, high) is not Outcome.INCONCLUSIVE

    return isinstance(found, LookingEstimate) and found.is_hopeless(decides, rule.most)


def estimates(losses: Losses, pairs: Sequence[Names], rule: Criteria) -> dict[Names, Found]:
    """Ask the method about every pair, once."""
    level = rule.share(len(pairs))
    return {pair: estimate_pair(losses.together(*pair), pair, rule, level) for pair in pairs}


def complete(found: dict[Names, Found]) -> dict[Names, Found]:
    """Return the estimates, or raise the reason why one is missing."""
    for one in found.values():
        if isinstance(one, NotApplicable):
            raise one
    return found


def answer(
    losses: Losses,
    found: Mapping[Names, Found],
    rule: Criteria,
    *,
    cost: str,
    singles: Singles | None = None,
) -> list[PairResult]:
    """Share the level among the pairs, and judge all of them together."""
    singles = singles or Singles(losses, rule)
    pvalues = [None if a is None else _pvalue(found[a, b], rule) for a, b in found]
    adjusted, share, levels = shared_level(
        pvalues, rule.level, rule.sharing, joint=_joint(losses, found, rule)
    )
    results = []
    for (pair, one), p, q, own in zip(found.items(), pvalues, adjusted, levels, strict=True):
        draft = PairResult(
            baseline=pair[0],
            challenger=pair[1],
            level=share,
            pvalue=p,
            adjusted_pvalue=q,
        )
        if isinstance(one, NotApplicable):
            none = not_applicable(str(one), margin=rule.margin, level=rule.level)
            results.append(with_verdict(draft, none))
            continue
        draft = _add_interval(
            draft, _estimate_at_level(one, share, rule, losses.quantity), rule, singles
        )
        part = losses.together(*pair)
        spent = cost
        if part is not losses:  # a race was over for the pair
            m = len(part.partition) // 2
            often = f"after {m} of at most {rule.most} repetitions"
            spent = f"{often}, when the race was over for one"
        results.append(
            _judge_pair(
                part, draft, rule, _estimate_at_level(one, own, rule, losses.quantity), spent
            )
        )
    return results


def _add_interval(
    draft: PairResult, found: Estimate, rule: Criteria, singles: Singles
) -> PairResult:
    """
    Return a pair with its interval.

    As its test and its two algorithms allow, and as it was decided.
    """
    value, low, high = limits(found)
    if draft.baseline is not None and isinstance(found, TestEstimate):
        level = draft.level * _OF_SINGLES
        a = singles.interval(draft.baseline, level)
        b = singles.interval(draft.challenger, level)
        low, high = cut_interval_by_singles(value, low, high, a, b)
    if draft.adjusted_pvalue is not None:
        low, high = agreeing(value, low, high, rejected=draft.adjusted_pvalue <= rule.level)
    return replace(draft, value=value, low=low, high=high)


def _pvalue(found: Found, rule: Criteria) -> float | None:
    """The p-value of a test; that of "they are equal" does not say "not worse by a margin"."""
    if isinstance(found, TestEstimate) and not rule.not_worse:
        return float(found.pvalue)
    return None


def _estimate_at_level(
    found: Estimate, level: float, rule: Criteria, quantity: Quantity
) -> Estimate:
    """Return the estimate at a pair's level; a look that decides nothing then has all of it."""
    found = found.at(rule.of_method(level))
    if not isinstance(found, LookingEstimate) or _is_decided(found, rule, quantity):
        return found
    if found.bounds is not None and found.bounds.alone:  # no question of one algorithm is open
        return found
    margin = rule.margin
    return found.including(-margin, found.null, margin)


def _joint(losses: Losses, found: Mapping[Names, Found], rule: Criteria) -> MaxT | None:
    """Return the joint law of the pairs that have an estimate, where max-t was asked for."""
    usable = [pair for pair, one in found.items() if isinstance(one, Estimate)]
    if not rule.sharing.joint or not usable:
        return None
    return jointly(losses, rule.method, usable, alternative=rule.side)


def _tests(losses: Losses) -> str:
    """Name the tests that the design may have."""
    kind = losses.partition.kind
    fitting = [
        m.key
        for m in methods().values()
        if kind in m.designs and m.family == "test" and m.recommended
    ]
    if fitting:
        return f"use {' or '.join(map(repr, fitting))}"
    return "use a test"


def _judge_pair(
    losses: Losses, draft: PairResult, rule: Criteria, found: Estimate, cost: str
) -> PairResult:
    """Answer a question whose interval is known."""
    alone = draft.baseline is None
    quantity = judged_quantity(losses, rule.method)
    level = rule.stated_level(draft.level)
    words: dict[str, Any] = {
        "level": level,
        "about": estimand_phrase(losses, rule, alone=alone),
        "cost": cost,
        "simultaneous": ADJUSTMENTS[rule.adjust].familywise and level != draft.level,
        "one_sided": rule.not_worse,
        "credible": isinstance(found, PosteriorEstimate),
    }
    if alone:
        return replace(draft, estimate=found, sentence=single_sentence(draft, quantity, **words))
    chance = probability_better(found, losses, rule.margin)
    pair = replace(draft, estimate=found, probability=chance)
    verdict = judge(
        pair,
        quantity,
        margin=rule.margin,
        only_same=bool(found.undecided),
        more=partial(_undecided_sentence, losses, pair, rule, found),  # it takes long to find out
        **words,
    )
    return with_verdict(pair, verdict)


def with_verdict(pair: PairResult, verdict: Verdict) -> PairResult:
    """Return a pair with a verdict, its outcome and its sentence."""
    return replace(pair, verdict=verdict, outcome=str(verdict.outcome), sentence=str(verdict))


def probability_better(found: Estimate, losses: Losses, margin: float) -> float | None:
    """Return the posterior probability that B is better than A by more than the margin."""
    if not isinstance(found, PosteriorEstimate):
        return None
    if losses.lower_is_better:
        return float(1 - found.probability(-margin))
    return float(found.probability(margin))


def _undecided_sentence(losses: Losses, pair: PairResult, rule: Criteria, found: Estimate) -> str:
    """Say why an answer that decides nothing does not, and what would."""
    futile = _FUTILE if is_hopeless(found, rule, losses.quantity) else ""
    size = detectable_phrase(found, pair, losses, rule)
    if gave_the_same(found, pair):
        return size
    if futile and isinstance(found, LookingEstimate) and found.claimable:
        # which look may decide matters while one is to come
        return "; ".join(filter(None, [futile, size]))
    if found.undecided:  # of what a few examples hold nobody knows how many more would show it
        return "; ".join(filter(None, [found.undecided, futile]))
    return "; ".join(filter(None, [found.remark, futile, size]))


_OTHER: dict[Alternative, Alternative] = {
    "two-sided": "two-sided",
    "greater": "less",
    "less": "greater",
}


def _as_it_was(name: str) -> Any:
    """Return a property that has the value of the estimate itself."""
    return property(lambda turned: getattr(turned.of, name))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TurnedTest(TestEstimate):
    """A test with the sign of everything turned; ``of`` is the test itself."""

    of: TestEstimate

    df = _as_it_was("df")
    pvalue = _as_it_was("pvalue")
    remark = _as_it_was("remark")
    undecided = _as_it_was("undecided")

    def at(self, level: float) -> Self:
        """Return the same with another error level."""
        return replace(self, of=self.of.at(level), level=level)

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Lower and upper limit, turned."""
        low, high = self.of.confidence_interval(confidence_level)
        return -high, -low


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TurnedPosterior(PosteriorEstimate):
    """A posterior of the difference with its sign turned; ``of`` is the posterior itself."""

    of: PosteriorEstimate

    @property
    def mean(self) -> Floats:
        """Posterior mean, turned."""
        return -self.of.mean

    def at(self, level: float) -> Self:
        """Return the same with another error level."""
        return replace(self, of=self.of.at(level), level=level)

    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Credible interval, turned."""
        low, high = self.of.interval(confidence_level)
        return -high, -low

    def probability(self, null: float = 0.0) -> Floats:
        """Posterior probability that the difference exceeds ``null``."""
        return 1 - self.of.probability(-null)


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
    estimate = _turn_estimate(pair.estimate)
    verdict = _verdict(
        pair.verdict, pair, quantity, one_sided=one_sided, only_same=bool(estimate.undecided)
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


def _turn_estimate(found: Estimate) -> Estimate:
    shared = {name: getattr(found, name) for name in ("method", "estimand", "card", "level")}
    if isinstance(found, PosteriorEstimate):
        return TurnedPosterior(**shared, of=found)
    assert isinstance(found, TestEstimate)  # what decides is a test or a posterior
    return TurnedTest(
        **shared,
        value=-found.value,
        standard_error=found.standard_error,
        statistic=-found.statistic,
        null=-found.null,
        alternative=_OTHER[found.alternative],
        bounds=None,
        of=found,
    )


def _verdict(
    before: Verdict, pair: PairResult, quantity: Quantity, *, one_sided: bool, only_same: bool
) -> Verdict:
    worst, best = quantity.improvements(pair.low, pair.high)
    now = outcome(worst, best, before.margin, one_sided=one_sided, only_same=only_same)
    same = f"asked the other way round {now}: {before.sentence}"
    if not one_sided:
        same = before.sentence
    return replace(before, outcome=now, sentence=same)
