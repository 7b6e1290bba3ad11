"""Estimate + margin + level → better, worse, not worse, equivalent, inconclusive; a sentence."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from evenfold.core.facts.comparison import Pair
from evenfold.core.losses import Quantity, measure_name
from evenfold.core.outcome import Outcome
from evenfold.core.words import (
    escape_control_text,
    format_confidence,
    format_number,
    format_replicability,
    interval,
    precision,
    probability,
)


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
    direction : {"better", "worse"} or None
        On which side of 0 the interval lies; None if it holds 0.
    replicability : float or None
        The probability that the same data, partitioned anew at random, give the same verdict; None
        if it cannot be known.
    """

    outcome: Outcome
    sentence: str
    margin: float
    level: float
    direction: str | None = None
    replicability: float | None = None

    def __str__(self) -> str:
        return escape_control_text(self.sentence)

    def __repr__(self) -> str:
        return f"<Verdict {self.outcome.value!r}: {escape_control_text(self.sentence)}>"


def make_verdict(
    pair: Pair,
    quantity: Quantity,
    *,
    outcome: Outcome,
    direction: str | None = None,
    margin: float,
    level: float,
    about: str,
    cost: str = "",
    simultaneous: bool = False,
    one_sided: bool = False,
    credible: bool = False,
    goal: float | None = None,
    more: Callable[[], str] = str,
) -> Verdict:
    """
    Put what was decided about a pair into a sentence.

    Parameters
    ----------
    pair : Pair
        B − A with its interval, the posterior probability that B is better and the replicability,
        where there are such.
    quantity : Quantity
        What was measured; it says in which direction B improves on A.
    outcome, direction : Outcome, str or None
        What the interval says of B given the margin, and on which side of 0 it lies.
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
    goal : float, optional
        The replicability that a run that stops by itself was to reach.
    more : function
        Says what would decide it; it is asked only if this did not.

    Examples
    --------
    >>> error = Quantity(name="zero-one", words="error", lower_is_better=True)
    >>> pair = Pair(
    ...     baseline="tree", challenger="forest", value=-0.021, low=-0.034, high=-0.008, level=0.05
    ... )
    >>> about = "for models trained on 285 examples"
    >>> shown = {"outcome": Outcome.BETTER, "margin": 0.0, "level": 0.05}
    >>> print(make_verdict(pair, error, **shown, about=about, cost="16 fits"))
    forest is better than tree: its error is lower by 0.021 (95% CI −0.034 to −0.008), for models
    trained on 285 examples; 16 fits.
    """
    value, low, high = _without_logarithms(pair, quantity)
    digits = precision(value, low, high, neutral=quantity.neutral)
    limits = _interval(
        low,
        high,
        digits,
        level,
        neutral=quantity.neutral,
        simultaneous=simultaneous,
        one_sided=one_sided,
        credible=credible,
    )
    # how far apart they are, and the interval of B − A, as tables and figures have it
    amount = f"{_amount(pair, quantity, format_number(abs(value), digits=digits))} ({limits})"
    far = f"{margin:g}"
    if quantity.ratio and margin:
        far = f"a factor of {math.exp(margin):.3g}"
    if outcome is Outcome.INCONCLUSIVE:
        start = _open_question(pair, far, direction, one_sided=one_sided)
        claim = f"{start} the {measure_name(quantity)} of {pair.challenger} {amount}"
    else:
        claim = _claim(pair, outcome, measure_name(quantity), amount, far)
        more = str
    if pair.probability is not None:
        chance = probability(pair.probability)
        about += f"; the probability that {pair.challenger} is better is {chance}"
    sentence = "; ".join(filter(None, [f"{claim}, {about}", cost, more()]))
    sentences = [f"{sentence}.", replicability_sentence(pair.replicability, goal)]
    return Verdict(
        outcome=outcome,
        direction=direction,
        sentence=" ".join(filter(None, sentences)),
        margin=margin,
        level=level,
        replicability=pair.replicability,
    )


def replicability_sentence(chance: float | None, goal: float | None = None) -> str:
    """
    Say how likely another partition is to give the same verdict.

    Examples
    --------
    >>> replicability_sentence(0.953)
    'If the data were partitioned again at random, the verdict would be the same in about 95% of
    cases.'
    """
    if chance is None:
        return ""
    share = f"{format_replicability(chance)} of cases"
    if goal is not None and chance < goal:
        return (
            "This is a close call: if the data were partitioned again at random, the verdict would "
            f"be the same in only about {share}."
        )
    return (
        f"If the data were partitioned again at random, the verdict would be the same in about "
        f"{share}."
    )


def single_sentence(
    pair: Pair, quantity: Quantity, *, level: float, about: str, cost: str = "", **kind: bool
) -> str:
    """Return the sentence about one algorithm; keywords are those of :func:`make_verdict`."""
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


def _open_question(pair: Pair, margin: str, direction: str | None, *, one_sided: bool) -> str:
    """Say what is not known; with a margin, that it is about the margin, and a known sign."""
    a = pair.baseline
    b = pair.challenger
    if margin == "0":
        return f"inconclusive: neither {b} nor {a} is shown to be better;"
    if direction:
        return f"{b} is {direction} than {a}; whether by more than {margin} is open:"
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
    neutral: float = 0.0,
    simultaneous: bool = False,
    one_sided: bool = False,
    credible: bool = False,
) -> str:
    confidence = f"{'simultaneous ' if simultaneous else ''}{format_confidence(level)}"
    words = interval(low, high, digits=digits, neutral=neutral)
    if one_sided:
        return f"{confidence} bounds {words}"
    if words.startswith("at "):
        return f"{confidence} bound: {words}"
    return f"{confidence} {'credible interval' if credible else 'CI'} {words}"
