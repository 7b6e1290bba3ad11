"""Estimate + margin + level → better, worse, not worse, equivalent, inconclusive; a sentence."""

import math
from dataclasses import dataclass, replace
from enum import Enum

import numpy as np

from evenfold.core.losses import Quantity, measure_name
from evenfold.core.words import (
    escape_control_text,
    format_confidence,
    format_number,
    interval,
    precision,
    probability,
)


class Outcome(Enum):
    """
    Better, worse, not worse, equivalent, inconclusive, or not applicable.

    About the challenger B.
    """

    BETTER = "better"
    WORSE = "worse"
    NOT_WORSE = "not worse"
    EQUIVALENT = "equivalent"
    INCONCLUSIVE = "inconclusive"
    NOT_APPLICABLE = "not applicable"

    def __str__(self) -> str:
        return self.value

    @property
    def decided(self) -> bool:
        """Whether one of them was shown to be better."""
        return self in (Outcome.BETTER, Outcome.WORSE)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Verdict:
    """
    The answer to one question.

    Attributes
    ----------
    outcome : Outcome
        What the interval of the improvement of B over A says, given the margin.
    sentence : str
        The same in words, with size, interval, training size and cost.
    margin : float
        Differences up to this size do not matter. "Equivalent" is TOST (two one-sided tests) at
        level/2 each, because the two-sided interval at 1 − level lies inside ±margin.
    level : float
        Error level of this verdict; of several pairs, that of all verdicts together.
    """

    outcome: Outcome
    sentence: str
    margin: float
    level: float

    def __str__(self) -> str:
        return escape_control_text(self.sentence)

    def __repr__(self) -> str:
        return f"<Verdict {self.outcome.value!r}: {escape_control_text(self.sentence)}>"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Finding:
    """
    What a verdict is made from.

    Attributes
    ----------
    baseline, challenger : str or None, str
        A (None: the challenger is estimated alone) and B.
    quantity : Quantity
        What was measured; it says in which direction B improves on A.
    value, low, high : float
        B − A, or B's own value, and its interval.
    level : float
        Error level of the interval, or of each of its ends where ``one_sided``.
    simultaneous : bool
        Whether that is the level of the intervals of all pairs together.
    about : str
        Which models, and where it is not plain which examples, the answer is about: "for models
        trained on 285 examples".
    cost : str
        What it took, in words: "16 fits", or "after 4 of at most 9 repetitions, 16 fits"; empty
        where nothing was fitted.
    one_sided : bool
        Whether both ends are bounds at ``level`` by themselves, as the question "not worse?" wants
        them.
    credible : bool
        Whether the interval is a posterior one.
    probability : float or None
        Posterior probability that B is better, if there is one.
    more : str
        What would decide it, if this did not.
    only_same : bool
        Whether no difference may be claimed, whatever the interval.
    """

    baseline: str | None
    challenger: str
    quantity: Quantity
    value: float
    low: float
    high: float
    level: float
    about: str
    cost: str
    simultaneous: bool = False
    one_sided: bool = False
    credible: bool = False
    probability: float | None = None
    more: str = ""
    only_same: bool = False

    @property
    def improvement(self) -> tuple[float, float]:
        """Interval of how much better B is than A."""
        return self.quantity.improvements(self.low, self.high)

    def format_value(self, x: float) -> str:
        """Write a number in the precision of this finding's interval."""
        return format_number(x, digits=self.digits)

    @property
    def digits(self) -> int:
        """Decimals of its interval."""
        return precision(self.value, self.low, self.high, neutral=self.quantity.neutral)

    @property
    def without_logarithms(self) -> "Finding":
        """The same as it is said: of a ratio no logarithms."""
        if not self.quantity.ratio:
            return self
        value, low, high = (float(np.exp(x)) for x in (self.value, self.low, self.high))
        return replace(self, value=value, low=low, high=high)


def judge(finding: Finding, *, margin: float) -> Verdict:
    """
    Turn an interval into a verdict.

    With the interval [lo, hi] of the improvement of B over A: better if lo > margin, worse if hi <
    −margin, equivalent if it lies inside (−margin, margin), else inconclusive. With one-sided
    bounds it is asked whether B is not worse: then lo > −margin decides. Where no difference may be
    claimed, none is.

    Examples
    --------
    >>> error = Quantity(name="zero-one", words="error", lower_is_better=True)
    >>> finding = Finding(
    ...     baseline="tree",
    ...     challenger="forest",
    ...     quantity=error,
    ...     value=-0.021,
    ...     low=-0.034,
    ...     high=-0.008,
    ...     level=0.05,
    ...     about="for models trained on 285 examples",
    ...     cost="16 fits",
    ... )
    >>> print(judge(finding, margin=0.0))
    forest is better than tree: its error is lower by 0.021 (95% CI 0.008 to 0.034), for models
    trained on 285 examples; 16 fits.
    """
    low, high = finding.improvement
    claimed = outcome(low, high, margin, one_sided=finding.one_sided, only_same=finding.only_same)
    return Verdict(
        outcome=claimed,
        sentence=_sentence(finding, claimed, margin),
        margin=margin,
        level=finding.level,
    )


def outcome(
    low: float, high: float, margin: float, *, one_sided: bool = False, only_same: bool = False
) -> Outcome:
    """
    Return what an interval of the improvement of B over A decides.

    ``one_sided``: both ends are bounds by themselves; ``only_same``: no difference may be claimed.

    Examples
    --------
    >>> [str(outcome(*limits, 0.02)) for limits in [(0.03, 0.05), (-0.01, 0.01), (-0.01, 0.03)]]
    ['better', 'equivalent', 'inconclusive']
    """
    if low > margin and not only_same:
        return Outcome.BETTER
    if high < -margin and not only_same:
        return Outcome.WORSE
    if -margin < low and high < margin:
        return Outcome.EQUIVALENT
    if one_sided and low > -margin:
        return Outcome.NOT_WORSE
    return Outcome.INCONCLUSIVE


def single_sentence(finding: Finding) -> str:
    """Return the sentence about one algorithm."""
    told = finding.without_logarithms
    limits = _interval(told, told.low, told.high)
    value = f"{told.format_value(told.value)} {finding.quantity.unit}".strip()
    about = f"the {measure_name(finding.quantity)} of {finding.challenger} is {value} ({limits})"
    return f"{'; '.join(filter(None, [f'{about}, {finding.about}', finding.cost]))}."


def not_applicable(reason: str, *, margin: float, level: float) -> Verdict:
    """Return the verdict that there is none, with the reason."""
    return Verdict(
        outcome=Outcome.NOT_APPLICABLE,
        sentence=f"not applicable: {reason}",
        margin=margin,
        level=level,
    )


def _sentence(finding: Finding, outcome: Outcome, margin: float) -> str:
    if finding.quantity.ratio and margin:
        far = f"a factor of {math.exp(margin):.3g}"
    else:
        far = f"{margin:g}"
    said = _decision_sentence(finding, outcome, far)
    chance = ""
    if finding.probability is not None:
        chance = (
            f"; the probability that {finding.challenger} is better is "
            f"{probability(finding.probability)}"
        )
    open_ = outcome is Outcome.INCONCLUSIVE
    cost = finding.cost
    if cost.startswith("after") and not open_:
        cost = f"decided {cost}"
    more = finding.more if open_ else ""
    return f"{'; '.join(filter(None, [f'{said}, {finding.about}{chance}', cost, more]))}."


def _decision_sentence(finding: Finding, outcome: Outcome, margin: str) -> str:
    a = finding.baseline
    b = finding.challenger
    words = measure_name(finding.quantity)
    amount = _amount_phrase(finding)
    whose = f"the {words} of {b}"
    if margin != "0":
        beyond = f", beyond the margin of {margin}"
    else:
        beyond = ""
    return {
        Outcome.BETTER: f"{b} is better than {a}: its {words} {amount}{beyond}",
        Outcome.WORSE: f"{b} is worse than {a}: its {words} {amount}{beyond}",
        Outcome.NOT_WORSE: f"{b} is not worse than {a} by more than {margin}: its {words} {amount}",
        Outcome.EQUIVALENT: f"{b} and {a} are equivalent within {margin}: {whose} {amount}",
        Outcome.INCONCLUSIVE: f"{_open_sentence(finding, margin)} {whose} {amount}",
    }[outcome]


def _open_sentence(finding: Finding, margin: str) -> str:
    """Say what is not known; with a margin, that it is about the margin, and a known sign."""
    a = finding.baseline
    b = finding.challenger
    low, high = finding.improvement
    if margin == "0":
        return f"inconclusive: neither {b} nor {a} is shown to be better;"
    if low > 0 and not finding.only_same:
        return f"{b} is better than {a}; whether by more than {margin} is open:"
    if high < 0 and not finding.only_same:
        return f"{b} is worse than {a}; whether by more than {margin} is open:"
    if finding.one_sided:
        return f"inconclusive: {b} may or may not be worse than {a} by more than {margin};"
    return f"inconclusive: {b} and {a} may or may not differ by more than {margin};"


def _amount_phrase(finding: Finding) -> str:
    """Say by how much the value is lower or higher; the interval is turned with it."""
    if finding.quantity.ratio:
        told = finding.without_logarithms
        times = f"is {told.format_value(told.value)} times that of {finding.baseline}"
        return f"{times} ({_interval(told, told.low, told.high)})"
    low = finding.low
    high = finding.high
    if finding.value == 0:
        return f"equals that of {finding.baseline} ({_interval(finding, low, high)})"
    way = "higher"
    if finding.value < 0:
        way, low, high = "lower", -high, -low
    return (
        f"is {way} by {finding.format_value(abs(finding.value))} ({_interval(finding, low, high)})"
    )


def _interval(finding: Finding, low: float, high: float) -> str:
    confidence = (
        f"{'simultaneous ' if finding.simultaneous else ''}{format_confidence(finding.level)}"
    )
    words = interval(low, high, digits=finding.digits)
    if finding.one_sided:
        return f"{confidence} bounds {words}"
    if words.startswith("at "):
        return f"{confidence} bound: {words}"
    return f"{confidence} {'credible interval' if finding.credible else 'CI'} {words}"
