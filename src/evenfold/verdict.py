"""Estimate + margin + level → better, worse, equivalent or inconclusive, and a sentence that says so."""

import math
from dataclasses import dataclass

import numpy as np

from evenfold.core.verdict import Outcome, Verdict

_WORDS = {
    "zero-one": "error",
    "squared": "squared error",
    "absolute": "absolute error",
    "log": "log loss",
    "brier": "Brier score",
    "pinball": "pinball loss",
    "f1": "F1",
    "auc": "AUC",
    "fpa": "FPA",
}


def measure_words(measure: str) -> str:
    """Return what people call a measure."""
    return _WORDS.get(measure, measure)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Finding:
    """
    What a verdict is made from.

    Attributes
    ----------
    baseline, challenger : str or None, str
        A (None: the challenger is estimated alone) and B.
    measure : str
        Name of the measure.
    lower_is_better : bool
        Whether B improves on A by a smaller value.
    value, low, high : float
        B − A, or B's own value, and its interval.
    level : float
        Error level of the interval.
    n_train : int
        The training size that the answer is about.
    cost : str
        What it took, in words: "16 fits", or "after 4 of at most 9 repetitions, 16 fits".
    credible : bool
        Whether the interval is a posterior one.
    probability : float or None
        Posterior probability that B is better, if there is one.
    more : str
        What would decide it, if this did not.
    population : str
        Which examples it is about where that is not plain: "on a new source".
    """

    baseline: str | None
    challenger: str
    measure: str
    lower_is_better: bool
    value: float
    low: float
    high: float
    level: float
    n_train: int
    cost: str
    credible: bool = False
    probability: float | None = None
    more: str = ""
    population: str = ""

    @property
    def improvement(self) -> tuple[float, float]:
        """Interval of how much better B is than A."""
        return (-self.high, -self.low) if self.lower_is_better else (self.low, self.high)


def judge(finding: Finding, *, margin: float) -> Verdict:
    """
    Turn an interval into a verdict.

    With the interval [lo, hi] of the improvement of B over A: better if lo > margin, worse if hi < −margin,
    equivalent if it lies inside (−margin, margin), else inconclusive.

    Examples
    --------
    >>> finding = Finding(baseline="tree", challenger="forest", measure="zero-one", lower_is_better=True,
    ...                   value=-0.021, low=-0.034, high=-0.008, level=0.05, n_train=285, cost="16 fits")
    >>> print(judge(finding, margin=0.0))
    forest is better than tree: its error is lower by 0.021 (95 % interval 0.008 to 0.034), for models trained
    on 285 examples; 16 fits.
    """
    low, high = finding.improvement
    if low > margin:
        outcome = Outcome.BETTER
    elif high < -margin:
        outcome = Outcome.WORSE
    elif -margin < low and high < margin:
        outcome = Outcome.EQUIVALENT
    else:
        outcome = Outcome.INCONCLUSIVE
    return Verdict(
        outcome=outcome, sentence=_sentence(finding, outcome, margin), margin=margin, level=finding.level
    )


def alone(finding: Finding) -> str:
    """Return the sentence about one algorithm."""
    words = measure_words(finding.measure)
    limits = _interval(finding, finding.low, finding.high)
    about = f"the {words} of {finding.challenger} is {shown(finding.value)} ({limits})"
    return f"{about}, {_models(finding)}; {finding.cost}."


def not_applicable(reason: str, *, margin: float, level: float) -> Verdict:
    """Return the verdict that there is none, with the reason."""
    return Verdict(
        outcome=Outcome.NOT_APPLICABLE, sentence=f"not applicable: {reason}", margin=margin, level=level
    )


def _sentence(finding: Finding, outcome: Outcome, margin: float) -> str:
    a, b = finding.baseline, finding.challenger
    words, size = measure_words(finding.measure), abs(finding.value)
    way = "lower" if finding.value < 0 else "higher"
    limits = (-finding.high, -finding.low) if finding.value < 0 else (finding.low, finding.high)
    amount = f"is {way} by {shown(size)} ({_interval(finding, *limits)})"
    whose = f"the {words} of {b}"
    beyond = f", beyond the margin of {shown(margin)}" if margin else ""
    said = {
        Outcome.BETTER: f"{b} is better than {a}: its {words} {amount}{beyond}",
        Outcome.WORSE: f"{b} is worse than {a}: its {words} {amount}{beyond}",
        Outcome.EQUIVALENT: f"{b} and {a} are equivalent up to {shown(margin)}: {whose} {amount}",
        Outcome.INCONCLUSIVE: f"no decision between {b} and {a}: {whose} {amount}",
    }[outcome]
    chance = (
        ""
        if finding.probability is None
        else f"; the probability that {b} is better is {finding.probability:.3f}"
    )
    more = f"; {finding.more}" if finding.more and outcome is Outcome.INCONCLUSIVE else ""
    decided = "decided " if finding.cost.startswith("after") and outcome is not Outcome.INCONCLUSIVE else ""
    return f"{said}, {_models(finding)}{chance}; {decided}{finding.cost}{more}."


def _interval(finding: Finding, low: float, high: float) -> str:
    kind = "credible interval" if finding.credible else "interval"
    confidence = f"{100 * (1 - finding.level):.4g} %"
    if np.isinf(low):
        return f"{confidence} bound: at most {shown(high)}"
    if np.isinf(high):
        return f"{confidence} bound: at least {shown(low)}"
    return f"{confidence} {kind} {shown(low)} to {shown(high)}"


def _models(finding: Finding) -> str:
    models = f"for models trained on {finding.n_train} examples"
    return f"{finding.population}, {models}" if finding.population else models


def shown(x: float) -> str:
    """Three decimals, or as many digits as small and large numbers need."""
    plain = x == 0 or 5e-4 <= abs(x) < 1e5
    text = f"{x:.{3 if abs(x) < 100 else 1}f}" if plain else f"{x:.2g}"
    return text.replace("-", "−")


def round_up(n: float) -> int:
    """
    Round a number of examples up to three digits.

    Examples
    --------
    >>> round_up(1234.2), round_up(87), round_up(1e6)
    (1240, 87, 1000000)
    """
    whole = math.ceil(n)
    unit: int = 10 ** max(len(str(whole)) - 3, 0)
    return -(-whole // unit) * unit
