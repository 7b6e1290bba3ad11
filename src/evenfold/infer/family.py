"""
A family of questions about one run: which pair differs, by how much, and how surely.

This is the only place that decides. A pair has one estimate, one interval and one p-value; all
pairs are tested at one level, so that the probability of any error is the level of the family; the
outcome follows from the interval.

:class:`Family` asks and answers, and :class:`Criteria` is a family with the checked arguments of a
comparison. :func:`are_settled` says whether a run that may grow is long enough.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, Self

import numpy as np

from evenfold.core.checks import Advice, fraction, number, one_of, refuse, refuse_value, short_repr
from evenfold.core.errors import EvenfoldError, EvenfoldWarning, NotApplicable
from evenfold.core.estimate import (
    ALTERNATIVES,
    Bounds,
    Estimate,
    Floats,
    PivotEstimate,
    PosteriorEstimate,
    TestEstimate,
)
from evenfold.core.json import BEHIND
from evenfold.core.losses import Losses, Quantity
from evenfold.core.note import note
from evenfold.core.partition import Kind, Partition
from evenfold.core.sharing import SharedLevel
from evenfold.core.verdict import Outcome, PairResult, Verdict
from evenfold.infer._registry import Method, estimate, methods, recommended, require
from evenfold.infer.adjust import ADJUSTMENTS, joint_law
from evenfold.infer.adjust import adjustment as adjustment_of
from evenfold.infer.data_sets.signs import equal_signs_test
from evenfold.infer.halves.influence import NOT_BEFORE, InfluenceEstimate
from evenfold.infer.halves.sequential import SequentialEstimate
from evenfold.infer.inputs import Setting
from evenfold.infer.inputs.values import tested_times

Names = tuple[str | None, str]  # A, none where an algorithm is estimated alone, and B
Direction = Literal["better", "worse"]

NOT_WORSE = "not-worse"
SIDES = (*ALTERNATIVES, NOT_WORSE)
MOST_LEVEL = 0.5
REPLICABILITY = 0.8  # the default goal
_MOST_JOINT = 1000  # more pairs than these share the level by Bonferroni
_FEW_VERDICTS = 10  # if there are fewer, all must be stable
_STABLE_SHARE = 0.9  # the share that must be stable if there are more
# relative to the ends of an interval: the mean of differences of ±1 is not always exactly 0
_ROUNDING = 1e-12
_VALUES_ROUNDING = 16 * float(np.finfo(float).eps)  # relative to the values behind the differences


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Family:
    """
    Several questions that are asked together with one method.

    Parameters
    ----------
    method : str
        A key of :func:`evenfold.infer.methods`.
    pairs : tuple of (A, B)
        The questions; A is None where an algorithm is estimated alone.
    margin, level, alternative, adjust
        As in :func:`evenfold.compare`.
    most : int, optional
        The last repetition of a run that may stop before.
    method_options : mapping, optional
        Options of the method.
    """

    method: str
    pairs: tuple[Names, ...]
    margin: float = 0.0
    level: float = 0.05
    alternative: str = "two-sided"
    adjust: str = "max-t"
    most: int | None = None
    method_options: Mapping[str, Any] | None = None

    @property
    def entry(self) -> Method:
        """Return what the registry says of the method."""
        return methods()[self.method]

    @property
    def not_worse(self) -> bool:
        """Whether both ends of an interval are bounds by themselves, each at the level."""
        return self.alternative == NOT_WORSE

    @property
    def _side(self) -> str:
        """Return the alternative that the method tests."""
        if self.not_worse:
            return "two-sided"
        return self.alternative

    @property
    def thresholds(self) -> tuple[float, ...]:
        """Return the values of B − A that a verdict compares the interval with."""
        if self.margin == 0:
            return (0.0,)
        return (-self.margin, 0.0, self.margin)

    def level_of_method(self, level: float) -> float:
        """The level that a method is asked for where a pair has this one."""
        if self.not_worse:
            return 2 * level
        return level

    def check(
        self, partition: Partition, quantity: Quantity, *, weights: Floats | None = None
    ) -> None:
        """
        Raise the error that the method would raise on losses of this kind, before there are any.

        One pair stands for all, because what a method refuses does not depend on who is compared.
        """
        setting = Setting(
            method=self.method,
            partition=partition,
            quantity=quantity,
            weighted=weights is not None,
            alone=self.pairs[0][0] is None,
            has_examples=quantity.per_example != "none",
        )
        entry, _ = require(
            setting,
            alternative=self._side,
            level=self.level,
            most=self.most,
            method_options=self.method_options,
        )
        _require_decision(entry, partition.kind)
        self._require_no_margin_of_part(quantity)

    def answers(self, losses: Losses) -> tuple[PairResult, ...]:
        """
        Answer every question, all of them at one level.

        The verdicts are still without words, except for pairs to which the method is not
        applicable.
        """
        answers = {pair: self._ask(losses, pair) for pair in self.pairs}
        members = [pair for pair, answer in answers.items() if _may_err(answer)]
        shared = self._shared_level(losses, members)
        pvalues = {pair: self._pvalue(answer) for pair, answer in answers.items()}
        adjusted = self._adjust(pvalues, shared)
        return tuple(
            self._result(losses.quantity, shared, pair, answer, adjusted.get(pair))
            for pair, answer in answers.items()
        )

    def alone(self, losses: Losses, name: str) -> tuple[float, float, float]:
        """
        Return the value of one algorithm with its own interval at 1 − level.

        The limits are infinite where the method only compares.
        """
        try:
            with warnings.catch_warnings():
                # the answers about pairs carry the warnings
                warnings.simplefilter("ignore", EvenfoldWarning)
                answer = self._estimate(losses, (None, name), "two-sided")
        except EvenfoldError:
            return float(losses.means()[losses.index(name)]), -math.inf, math.inf
        return limits(answer.at(self.level))

    def _ask(self, losses: Losses, pair: Names) -> Estimate | NotApplicable:
        """Ask the method about one pair, or return the reason why it has no answer."""
        try:
            return self._estimate(losses, pair, self._side)
        except NotApplicable as reason:
            return reason

    def _estimate(self, losses: Losses, pair: Names, side: str) -> Estimate:
        a, b = pair
        answer = estimate(
            losses,
            self.method,
            challenger=b,
            baseline=a,
            alternative=side,
            level=self.level,
            most=self.most,
            method_options=self.method_options,
        )
        _require_decision(self.entry, losses.partition.kind)
        self._require_no_margin_of_part(losses.quantity)
        if isinstance(answer, SequentialEstimate):
            answer = answer.latest()  # every pair is judged on all repetitions that were run
        return limit_to_range(answer, losses, alone=a is None)

    def _require_no_margin_of_part(self, quantity: Quantity) -> None:
        """Refuse a margin, which is about all examples, where a method is about some of them."""
        about = self.entry.estimand
        if self.margin and about.form == "other":
            raise NotApplicable(
                f"method {self.method!r} estimates the {about.quantity}, but a margin is about the "
                f"measure {quantity.name!r} on all examples. Leave margin or method out."
            )

    def _pvalue(self, answer: Estimate | NotApplicable) -> float | None:
        """Return the p-value of "no difference", which does not answer "not worse"."""
        if isinstance(answer, TestEstimate) and not self.not_worse:
            return float(answer.pvalue)
        return None

    def _shared_level(self, losses: Losses, members: Sequence[Names]) -> SharedLevel | None:
        """Return how the pairs share the level; None where each has all of it."""
        adjustment = ADJUSTMENTS[self.adjust]
        if len(members) < 2 or not adjustment.shares:
            return None
        has_joint_law = adjustment.joint and self.entry.joint
        if not has_joint_law or len(members) > _MOST_JOINT:
            return SharedLevel(count=len(members))
        side = self.alternative
        if self.not_worse:
            side = "greater"
        # in the order of names, so that the order of the algorithms changes nothing
        by_name = sorted(members, key=lambda pair: sorted(map(str, pair)))
        if side == "two-sided":
            by_name = [_in_order_of_names(pair) for pair in by_name]
        joint = joint_law(losses, self.entry, by_name, side)
        if self.not_worse:
            return joint.shared_by_bounds
        return joint.shared

    def _adjust(
        self, pvalues: Mapping[Names, float | None], shared: SharedLevel | None
    ) -> dict[Names, float]:
        """Return the adjusted p-values of the tests."""
        known = {pair: p for pair, p in pvalues.items() if p is not None}
        adjustment = ADJUSTMENTS[self.adjust]
        if not known or (adjustment.single_step and shared is None):
            return known
        if adjustment.single_step and shared is not None:
            return {pair: shared.overall(p) for pair, p in known.items()}
        adjusted = adjustment_of(list(known.values()), self.adjust).tolist()
        return dict(zip(known, adjusted, strict=True))

    def _result(
        self,
        quantity: Quantity,
        shared: SharedLevel | None,
        pair: Names,
        answer: Estimate | NotApplicable,
        adjusted: float | None,
    ) -> PairResult:
        a, b = pair
        if isinstance(answer, NotApplicable):
            verdict = Verdict(
                outcome=Outcome.NOT_APPLICABLE,
                margin=self.margin,
                level=self.level,
                said=note("not-applicable", reason=str(answer)),
            )
            return PairResult(baseline=a, challenger=b, level=self.level, verdict=verdict)
        at = answer.at(self.level_of_method(self.level), shared)
        value, low, high = limits(at)
        error = at.error(None)
        if self.not_worse:
            error = error / 2
        result = PairResult(
            baseline=a, challenger=b, estimate=at, value=value, low=low, high=high, level=error
        )
        if a is None:
            return result
        withheld = bool(at.undecided)
        return replace(
            result,
            pvalue=self._pvalue(at),
            adjusted_pvalue=adjusted,
            outcome=str(self.decide(quantity, low, high, withheld=withheld)),
            direction=None if withheld else direction_of(quantity, low, high),
            replicability=at.replicability_at(self.thresholds),
        )

    def decide(
        self, quantity: Quantity, low: float, high: float, *, withheld: bool = False
    ) -> Outcome:
        """Return what an interval of B − A decides."""
        worst, best = quantity.improvements(low, high)
        return outcome_of(worst, best, self.margin, one_sided=self.not_worse, withheld=withheld)


def _in_order_of_names(pair: Names) -> Names:
    """Return a pair with the smaller name first, as a two-sided test has no direction."""
    a, b = pair
    if a is None or a <= b:
        return pair
    return b, a


def _may_err(answer: Estimate | NotApplicable) -> bool:
    """Whether a test could reject a true hypothesis, which one without any spread cannot."""
    if isinstance(answer, NotApplicable):
        return False
    if not isinstance(answer, TestEstimate):
        return True
    return not (bool(np.all(answer.standard_error == 0)) and float(answer.pvalue) == 1)


def _require_decision(entry: Method, kind: Kind) -> None:
    """Refuse a method that decides no pair, and name methods that do."""
    if entry.family == "omnibus":
        raise NotApplicable(
            f"method {entry.key!r} gives no interval, so that it decides no pair. Use "
            "ef.infer.estimate."
        )
    if entry.family == "variance":
        fitting = [
            repr(other.key)
            for other in methods().values()
            if kind in other.designs and other.family == "test" and other.recommended
        ]
        test = f"the method {' or '.join(fitting)}" if fitting else "a test"
        raise NotApplicable(
            f"method {entry.key!r} estimates a variance and decides nothing. Use {test}."
        )


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Criteria(Family):
    """
    The checked arguments of :func:`evenfold.compare` that say what is asked of every pair.

    The method is empty until one is chosen, and there are no pairs until the algorithms are known:
    set both before the family is asked anything.
    """

    method: str = field(default="", metadata={BEHIND: True})
    pairs: tuple[Names, ...] = field(default=(), metadata={BEHIND: True})
    most: int | None = field(default=None, metadata={BEHIND: True})
    baseline: str | None = None
    replicability: float = REPLICABILITY
    power_at: float | None = None
    group: str | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.method_options, Mapping | None):
            refuse(
                "method_options",
                "method_options must be a mapping of names to values but got "
                f"{short_repr(self.method_options)}.",
            )
        if self.power_at is not None and number("power_at", self.power_at, low=0) == 0:
            refuse("power_at", f"power_at must be above 0 but got {short_repr(self.power_at)}.")
        one_of("adjust", self.adjust, ADJUSTMENTS)
        if str(self.alternative).lower().replace("-", "").startswith("noninferior"):
            refuse(
                "alternative",
                f"alternative must be one of {', '.join(map(repr, SIDES))} but got "
                f"{short_repr(self.alternative)}.",
                Advice("Pass ", {"alternative": NOT_WORSE}, ", the test of non-inferiority."),
            )
        one_of("alternative", self.alternative, SIDES)
        number("margin", self.margin, low=0)
        if str(self.level) in ("0.8", "0.9", "0.95", "0.99"):
            level = float(f"{1 - self.level:.2g}")
            refuse(
                "level",
                f"level must be a number between 0 and {MOST_LEVEL:g} but got "
                f"{short_repr(self.level)}.",
                Advice("Pass ", {"level": level}, f" for a confidence of {self.level:g}."),
            )
        fraction("level", self.level, high=MOST_LEVEL)
        if self.not_worse and self.level > MOST_LEVEL / 2:
            refuse(
                "level",
                f"level must be at most {MOST_LEVEL / 2} with alternative='{NOT_WORSE}' "
                f"but got {short_repr(self.level)}.",
            )
        check_replicability(self.replicability)

    @property
    def is_gate(self) -> bool:
        """Whether a gate is asked for: by a margin, by the question "not worse?" or by a drop."""
        return self.power_at is not None or bool(self.margin) or self.not_worse

    def with_pairs_of(self, algorithms: Sequence[str]) -> Self:
        """Return the criteria with the pairs of these algorithms."""
        return replace(self, pairs=tuple(which_pairs(algorithms, self.baseline)))

    def check_margin(self, quantity: Quantity) -> None:
        """
        Refuse a margin as wide as the range of the measure.

        Nothing is further apart than that.
        """
        if self.margin and self.margin >= quantity.width:
            refuse(
                "margin",
                f"margin must be below {quantity.width:g}, the range of measure "
                f"{quantity.name!r}, but got {short_repr(self.margin)}.",
                "Divide percentages by 100." if quantity.width == 1 else "",
            )

    def check_adjustment(self, algorithms: int) -> None:
        """Refuse an adjustment that cannot do so many algorithms, or needs other pairs."""
        ADJUSTMENTS[self.adjust].check("adjust", algorithms, baseline=self.baseline)


def which_pairs(algorithms: Sequence[str], baseline: str | None) -> list[Names]:
    """Return the pairs (A, B): all, or all against a baseline; one algorithm alone has no A."""
    if len(algorithms) == 1:
        return [(None, algorithms[0])]
    if baseline is None and len(algorithms) > 1:
        return list(combinations(algorithms, 2))
    pairs: list[Names] = [(baseline, other) for other in algorithms if other != baseline]
    if not pairs:
        refuse(
            "algorithms",
            "algorithms must be two or more that differ in name but got "
            f"{', '.join(algorithms) or 'no names'}.",
        )
    return pairs


def default_method(losses: Losses) -> str:
    """Return the method for existing losses where the caller chose none."""
    return recommended(losses.partition.kind, measure=remaining_quantity(losses))


def remaining_quantity(losses: Losses) -> Quantity:
    """
    Return the quantity with what these losses still have of it.

    For example, a store has no values per example of a measure that is a function of the user.
    """
    flips = losses.quantity.right_or_wrong and len(losses.algorithms) > 1
    quantity = replace(losses.quantity, weighted=losses.weights is not None, right_or_wrong=flips)
    if losses.examples is None and losses.outcomes is None:
        return replace(quantity, per_example="none")
    return quantity


def outcome_of(
    low: float, high: float, margin: float, *, one_sided: bool = False, withheld: bool = False
) -> Outcome:
    """
    Return what an interval of the improvement of B over A decides.

    Parameters
    ----------
    low, high : float
        The interval; better is positive.
    margin : float
        Differences up to this size do not matter.
    one_sided : bool
        Whether both ends are bounds by themselves, as the question "not worse?" wants them.
    withheld : bool
        Whether no difference may be claimed, whatever the interval.

    Examples
    --------
    >>> [str(outcome_of(*ends, 0.02)) for ends in [(0.03, 0.05), (-0.01, 0.01), (-0.01, 0.03)]]
    ['better', 'equivalent', 'inconclusive']
    """
    if low > margin and not withheld:
        return Outcome.BETTER
    if high < -margin and not withheld:
        return Outcome.WORSE
    if -margin < low and high < margin:
        return Outcome.EQUIVALENT
    if one_sided and low > -margin:
        return Outcome.NOT_WORSE
    return Outcome.INCONCLUSIVE


def direction_of(quantity: Quantity, low: float, high: float) -> Direction | None:
    """Return whether an interval of B − A shows that B is better or worse, or neither."""
    worst, best = quantity.improvements(low, high)
    if worst > 0:
        return "better"
    if best < 0:
        return "worse"
    return None


# When a run that may grow is long enough.


def check_replicability(goal: object) -> float:
    """Return the requested replicability, or refuse it."""
    goal = number("replicability", goal, low=0.5)
    if goal >= 1:
        refuse_value(
            "replicability", goal, "below 1", "No number of repetitions makes a verdict certain."
        )
    return goal


def is_stable(same: Any, rejects: Any, m: int, *, goal: float) -> Any:
    """
    Say whether a verdict, or each of an array of them, may be taken as final after m repetitions.

    A verdict that rejects nothing is believed from nine repetitions on: with fewer, V is too large
    and the forecast too sure.
    """
    return (same >= goal) & (rejects | (m >= NOT_BEFORE))


def are_settled(families: Sequence[Sequence[PairResult]], *, goal: float) -> bool:
    """
    Say whether a run that may grow is long enough for all its verdicts.

    Nine in ten of the verdicts about all pairs and measures, or all of fewer than ten, must be
    stable. Verdicts whose stability cannot be known must be decided.

    Parameters
    ----------
    families : sequence of answers
        The answers about each measure.
    goal : float
        The replicability that is asked for.
    """
    answers = [pair for pairs in families for pair in pairs if pair.estimate is not None]
    all_reject = not any(map(_is_open, answers))
    stable = [_is_settled(pair, all_reject=all_reject, goal=goal) for pair in answers]
    if len(stable) < _FEW_VERDICTS:
        return all(stable)
    return sum(stable) >= _STABLE_SHARE * len(stable)


def _is_settled(answer: PairResult, *, all_reject: bool, goal: float) -> bool:
    test = answer.estimate
    if isinstance(test, SequentialEstimate):
        return all_reject or int(test.stopped_at) == test.plan.M or not _is_open(answer)
    if not isinstance(test, InfluenceEstimate) or test.between is None:
        return True  # more repetitions of this run could settle nothing
    if answer.baseline is None:
        return bool(test.is_steady) and int(np.asarray(test.m)) >= NOT_BEFORE
    if answer.replicability is None:
        return False  # a few examples outweigh all others, which only the last look may report
    return bool(is_stable(answer.replicability, all_reject, int(np.asarray(test.m)), goal=goal))


def _is_open(answer: PairResult) -> bool:
    return answer.outcome is None or Outcome(answer.outcome).is_open


# The range of an estimand, inside which an interval stays and which no interval shrinks to 0.


def limits(estimate: Estimate) -> tuple[float, float, float]:
    """Return value, low and high of a test or a posterior; a value that is only rounding is 0."""
    if isinstance(estimate, PosteriorEstimate):
        value = float(estimate.mean)
        low, high = estimate.interval()
    else:
        assert isinstance(estimate, TestEstimate)
        value = float(estimate.value)
        low, high = estimate.confidence_interval()
    reach = max((abs(end) for end in (low, high) if math.isfinite(end)), default=0.0)
    if abs(value) < _ROUNDING * reach:
        value = 0.0
    return value, float(low), float(high)


def limit_to_range(estimate: Estimate, losses: Losses, *, alone: bool) -> Estimate:
    """Return a test that knows the range of its estimand."""
    if not isinstance(estimate, TestEstimate):
        return estimate
    quantity = losses.quantity
    low, high = -quantity.width, quantity.width
    if alone:
        low, high = quantity.low, quantity.high
    bounds = Bounds(low=low, high=high, units=independent_units(losses), alone=alone)
    if not alone and _is_flat(estimate, losses):
        if bounds.units and math.isfinite(high - low):
            estimate = replace(
                estimate,
                standard_error=np.zeros_like(estimate.value),
                statistic=bounds.statistic(estimate.value, estimate.null),
            )
        elif isinstance(estimate, PivotEstimate):
            estimate = equal_signs_test(estimate, losses, bounds.units)
    return replace(estimate, bounds=bounds)


def independent_units(losses: Losses) -> int:
    """Return how many independent units were tested: sources, clusters, times or examples."""
    partition = losses.partition
    if partition.kind.is_by_source:
        return len(partition)
    if partition.kind.is_ordered:
        return tested_times(partition)
    if losses.clusters is not None:
        return int(losses.clusters.max()) + 1
    if partition.kind.is_one_split:
        return partition.n_test
    return partition.n


def _is_flat(test: TestEstimate, losses: Losses) -> bool:
    """Whether the differences vary by no more than the rounding of the values behind them."""
    if not isinstance(test, PivotEstimate):
        return bool(test.standard_error == 0)
    size = float(np.nanmax(np.abs(losses.values), initial=0.0))
    return bool(test.standard_error <= _VALUES_ROUNDING * max(size, abs(float(test.value))))
