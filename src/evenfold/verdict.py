"""Estimate + margin + level → better, worse, not worse, equivalent, inconclusive; a sentence."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from evenfold.core.facts.comparison import Pair
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


def judge(
    pair: Pair,
    quantity: Quantity,
    *,
    margin: float,
    level: float,
    about: str,
    cost: str = "",
    simultaneous: bool = False,
    one_sided: bool = False,
    credible: bool = False,
    only_same: bool = False,
    more: Callable[[], str] = str,
) -> Verdict:
    """
    Turn the interval of a pair into a verdict.

    With the interval [lo, hi] of the improvement of B over A: better if lo > margin, worse if hi <
    −margin, equivalent if it lies inside (−margin, margin), else inconclusive. With one-sided
    bounds it is asked whether B is not worse: then lo > −margin decides. Where no difference may be
    claimed, none is.

    Parameters
    ----------
    pair : Pair
        B − A with its interval, and the posterior probability that B is better, if there is one.
    quantity : Quantity
        What was measured; it says in which direction B improves on A.
    margin : float
        Differences up to this size do not matter.
    level : float
        Error level of the interval, or of each of its ends where ``one_sided``.
    about : str
        Which models, and where it is not plain which examples, the answer is about: "for models
        trained on 285 examples".
    cost : str
        What it took, in words: "16 fits", or "after 4 of at most 9 repetitions, 16 fits"; empty
        where nothing was fitted.
    simultaneous : bool
        Whether the level is that of the intervals of all pairs together.
    one_sided : bool
        Whether both ends are bounds at ``level`` by themselves, as the question "not worse?" wants
        them.
    credible : bool
        Whether the interval is a posterior one.
    only_same : bool
        Whether no difference may be claimed, whatever the interval.
    more : function
        Says what would decide it; it is asked only if this did not.

    Examples
    --------
    >>> error = Quantity(name="zero-one", words="error", lower_is_better=True)
    >>> pair = Pair(
    ...     baseline="tree", challenger="forest", value=-0.021, low=-0.034, high=-0.008, level=0.05
    ... )
    >>> about = "for models trained on 285 examples"
    >>> print(judge(pair, error, margin=0.0, level=0.05, about=about, cost="16 fits"))
    forest is better than tree: its error is lower by 0.021 (95% CI −0.034 to −0.008), for models
    trained on 285 examples; 16 fits.
    """
    worst, best = quantity.improvements(pair.low, pair.high)
    claimed = outcome(worst, best, margin, one_sided=one_sided, only_same=only_same)
    value, low, high = _without_logarithms(pair, quantity)
    digits = precision(value, low, high, neutral=quantity.neutral)
    limits = _interval(
        low, high, digits, level, simultaneous=simultaneous, one_sided=one_sided, credible=credible
    )
    # how far apart they are, and the interval of B − A, as tables and figures have it
    amount = f"{_amount(pair, quantity, format_number(abs(value), digits=digits))} ({limits})"
    far = f"{margin:g}"
    if quantity.ratio and margin:
        far = f"a factor of {math.exp(margin):.3g}"
    if claimed is Outcome.INCONCLUSIVE:
        sign = 0 if only_same else int(worst > 0) - int(best < 0)
        start = _open_question(pair, far, sign, one_sided=one_sided)
        claim = f"{start} the {measure_name(quantity)} of {pair.challenger} {amount}"
    else:
        claim = _claim(pair, claimed, measure_name(quantity), amount, far)
        more = str
        cost = f"decided {cost}" if cost.startswith("after") else cost
    if pair.probability is not None:
        chance = probability(pair.probability)
        about += f"; the probability that {pair.challenger} is better is {chance}"
    sentence = "; ".join(filter(None, [f"{claim}, {about}", cost, more()]))
    return Verdict(outcome=claimed, sentence=f"{sentence}.", margin=margin, level=level)


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


def single_sentence(
    pair: Pair, quantity: Quantity, *, level: float, about: str, cost: str = "", **kind: bool
) -> str:
    """Return the sentence about one algorithm; keywords are those of :func:`judge`."""
    value, low, high = _without_logarithms(pair, quantity)
    digits = precision(value, low, high, neutral=quantity.neutral)
    amount = f"{format_number(value, digits=digits)} {quantity.unit}".strip()
    limits = _interval(low, high, digits, level, **kind)
    words = f"the {measure_name(quantity)} of {pair.challenger} is {amount} ({limits}), {about}"
    return f"{'; '.join(filter(None, [words, cost]))}."


def not_applicable(reason: str, *, margin: float, level: float) -> Verdict:
    """Return the verdict that there is none, with the reason."""
    return Verdict(
        outcome=Outcome.NOT_APPLICABLE,
        sentence=f"not applicable: {reason}",
        margin=margin,
        level=level,
    )


def _without_logarithms(pair: Pair, quantity: Quantity) -> tuple[float, float, float]:
    """Value, low and high as they are said: of a ratio no logarithms."""
    if not quantity.ratio:
        return pair.value, pair.low, pair.high
    value, low, high = np.exp([pair.value, pair.low, pair.high]).tolist()
    return value, low, high


def _claim(pair: Pair, outcome: Outcome, measure: str, amount: str, margin: str) -> str:
    """Say what was shown."""
    a = pair.baseline
    b = pair.challenger
    beyond = "" if margin == "0" else f", beyond the margin of {margin}"
    its = f"its {measure} {amount}"
    return {
        Outcome.BETTER: f"{b} is better than {a}: {its}{beyond}",
        Outcome.WORSE: f"{b} is worse than {a}: {its}{beyond}",
        Outcome.NOT_WORSE: f"{b} is not worse than {a} by more than {margin}: {its}",
        Outcome.EQUIVALENT: f"{b} and {a} are equivalent within {margin}: the {measure} of {b} "
        f"{amount}",
    }[outcome]


def _open_question(pair: Pair, margin: str, sign: int, *, one_sided: bool) -> str:
    """Say what is not known; with a margin, that it is about the margin, and a known sign."""
    a = pair.baseline
    b = pair.challenger
    if margin == "0":
        return f"inconclusive: neither {b} nor {a} is shown to be better;"
    if sign:
        way = "better" if sign > 0 else "worse"
        return f"{b} is {way} than {a}; whether by more than {margin} is open:"
    if one_sided:
        return f"inconclusive: {b} may or may not be worse than {a} by more than {margin};"
    return f"inconclusive: {b} and {a} may or may not differ by more than {margin};"


def _amount(pair: Pair, quantity: Quantity, value: str) -> str:
    """Say by how much the value of B is lower or higher than that of A."""
    if quantity.ratio:
        return f"is {value} times that of {pair.baseline}"
    if pair.value == 0:
        return f"equals that of {pair.baseline}"
    return f"is {'lower' if pair.value < 0 else 'higher'} by {value}"


def _interval(
    low: float,
    high: float,
    digits: int,
    level: float,
    *,
    simultaneous: bool = False,
    one_sided: bool = False,
    credible: bool = False,
) -> str:
    confidence = f"{'simultaneous ' if simultaneous else ''}{format_confidence(level)}"
    words = interval(low, high, digits=digits)
    if one_sided:
        return f"{confidence} bounds {words}"
    if words.startswith("at "):
        return f"{confidence} bound: {words}"
    return f"{confidence} {'credible interval' if credible else 'CI'} {words}"
