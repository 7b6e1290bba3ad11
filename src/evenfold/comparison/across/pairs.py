"""
One pair of algorithms over several data sets.

Counts, tests, posterior, mean difference, and the words.
"""

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.comparison.answer import limits
from evenfold.comparison.result import Comparison
from evenfold.core.checks import fraction, number, refuse
from evenfold.core.errors import EvenfoldError, EvenfoldWarning
from evenfold.core.estimate import TestEstimate
from evenfold.core.facts.across import AcrossPair
from evenfold.core.losses import Losses, difference, measure_name
from evenfold.core.words import (
    format_confidence,
    format_number,
    interval,
    join_words,
    p_is,
    precision,
)
from evenfold.infer import (
    FriedmanTest,
    RankPairs,
    RanksTest,
    bayes_signed_rank,
    estimate,
    random_effects,
)
from evenfold.infer.data_sets import Spelled, parse_test_spelling

# of posteriors: standard errors of .002 and .011 at most
_DRAWS = 50_000
_FEWEST_DRAWS = 2_000
_WEIGHTS = 50_000_000  # drawn for all pairs together, a few seconds
_NONE = (math.nan, math.nan)
_NOT_RUN = (math.nan, math.nan, math.nan)
_SKILLINGS = "the test of Skillings and Mack"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class AcrossAsked:
    """What was asked over all data sets."""

    test: str
    margin: float
    level: float
    baseline: str | None
    adjust: str | None = None

    def __post_init__(self) -> None:
        self.check(2)
        number("margin", self.margin, low=0)
        fraction("level", self.level, high=0.5)

    @property
    def decides(self) -> Spelled:
        """The test that decides, with its adjustment."""
        return parse_test_spelling(self.test, self.adjust)

    def check(self, algorithms: int) -> None:
        """Refuse what the test, or its adjustment, cannot do for so many algorithms."""
        self.decides.check(algorithms, self.baseline)


def across_pair(
    comparisons: Mapping[str, Comparison],
    names: Sequence[str],
    ranks: np.ndarray,
    judged: RankPairs,
    k: int,
    asked: AcrossAsked,
) -> AcrossPair:
    """Gather all that is known of the k-th pair, from the data sets that have both."""
    i, j = judged.pairs[k]
    a = names[i]
    b = names[j]
    both = {name: c for name, c in comparisons.items() if {a, b} <= {*c.losses.algorithms}}
    if len(both) < 2:
        refuse(
            "data sets",
            f"at least two that have both {a} and {b}",
            len(both),
            "leave one of them out",
        )
    means = [c.losses.means()[[c.losses.index(a), c.losses.index(b)]] for c in both.values()]
    of_a, of_b = np.array(means).T
    d = difference(of_b, of_a)
    losses = next(iter(both.values())).losses
    if losses.lower_is_better:
        gain = -d
    else:
        gain = d
    posterior = bayes_signed_rank(
        d,
        margin=asked.margin,
        scale=np.maximum(np.abs(of_a), np.abs(of_b)),
        draws=max(_FEWEST_DRAWS, min(_DRAWS, _WEIGHTS // (len(judged.pairs) * (len(d) + 1)))),
    )
    chances = (posterior.lower, posterior.same, posterior.higher)
    better, same, worse = chances if losses.lower_is_better else chances[::-1]
    known: dict[str, Any] = {
        "baseline": a,
        "challenger": b,
        "outcome": _outcome(judged, k, asked),
        "wins": int((gain > 0).sum()),
        "ties": int((gain == 0).sum()),
        "losses": int((gain < 0).sum()),
        "rank_difference": float(ranks[j] - ranks[i]),
        "median_difference": float(np.median(d)),
        "pvalue": float(judged.pvalue[k]),
        "adjusted_pvalue": float(judged.adjusted[k]),
        "better": better,
        "same": same,
        "worse": worse,
        **_effects(both, a, b, d, asked),
    }
    measured = dict(zip(both, known["differences"], strict=True))
    known["differences"] = tuple(measured.get(name, _NOT_RUN) for name in comparisons)
    return AcrossPair(sentence=_sentence(known, losses, asked, len(d)), **known)


def _outcome(judged: RankPairs, k: int, asked: AcrossAsked) -> str:
    """Decide by the test; the side is that of its own statistic."""
    if judged.adjusted[k] > asked.level:
        return "inconclusive"
    if judged.gain[k] > 0:
        return "better"
    return "worse"


def _effects(
    comparisons: Mapping[str, Comparison], a: str, b: str, d: np.ndarray, asked: AcrossAsked
) -> dict[str, Any]:
    """Mean over data sets with each one's own variance, where the method has standard errors."""
    found = [
        _own_interval(c.losses, c.facts.method.key, a, b, asked.level) for c in comparisons.values()
    ]
    errors = [one[3] for one in found]
    differences = tuple((value, low, high) for value, low, high, _ in found)
    value = float(d.mean())
    (low, high) = _NONE
    tau = math.nan
    predicted = _NONE
    varied = (
        any(errors) or len({one[0] for one in found}) > 1
    )  # else nobody knows how far the mean may be off
    if all(map(math.isfinite, errors)) and varied:
        mean = random_effects([one[0] for one in found], np.square(errors), level=asked.level)
        value = mean.value
        (low, high) = mean.confidence_interval()
        tau = math.sqrt(mean.tau2)
        if mean.df >= 2:
            predicted = mean.measured_interval()
        else:
            predicted = _NONE
    return {
        "value": value,
        "low": low,
        "high": high,
        "tau": tau,
        "predicted_low": predicted[0],
        "predicted_high": predicted[1],
        "differences": differences,
    }


def _own_interval(
    losses: Losses, method: str, a: str, b: str, level: float
) -> tuple[float, float, float, float]:
    """B − A on one data set, its interval, and its standard error where the method has one."""
    try:
        with warnings.catch_warnings(action="ignore", category=EvenfoldWarning):
            one = estimate(losses, method, challenger=b, baseline=a, level=level)
            if isinstance(one, TestEstimate):
                error = float(one.standard_error)
            else:
                error = math.nan
            return (*limits(one), error)
    except EvenfoldError:
        return float(losses.differences(b, a).mean()), *_NOT_RUN


def _sentence(known: Mapping[str, Any], losses: Losses, asked: AcrossAsked, N: int) -> str:
    a = known["baseline"]
    b = known["challenger"]
    outcome = known["outcome"]
    counts = f"better on {known['wins']} of {N} data sets, worse on {known['losses']}"
    p = f"{p_is(known['adjusted_pvalue'])}, {asked.decides.words}"
    if outcome == "inconclusive":
        said = f"inconclusive: neither {b} nor {a} is shown to be better; {b} is {counts} ({p})"
    else:
        said = f"{b} is {outcome} than {a}: it is {counts} ({p})"
    if not math.isfinite(known["low"]):
        return f"{said}."
    digits = precision(known["value"], known["low"], known["high"])
    mean = (
        f"the weighted mean difference in {measure_name(losses.quantity)}, {b} − {a}, is "
        f"{format_number(known['value'], digits=digits)} ({format_confidence(asked.level)} CI "
        f"{interval(known['low'], known['high'], digits=digits)})"
    )
    if not math.isfinite(known["predicted_low"]):
        return f"{said}; {mean}."
    prediction = f"{format_confidence(asked.level)} prediction interval"
    further = interval(known["predicted_low"], known["predicted_high"], digits=digits)
    return f"{said}; {mean}; {prediction} for a new data set {further}."


def overall(
    algorithms: Sequence[str],
    ranks: Sequence[float],
    pairs: Sequence[AcrossPair],
    test: FriedmanTest | RanksTest | None,
    asked: AcrossAsked,
    N: int,
) -> str:
    """Return the answer over all data sets in a sentence or two."""
    if test is None:
        return pairs[0].sentence
    order = sorted(range(len(algorithms)), key=lambda i: ranks[i])
    best = algorithms[order[0]]
    if isinstance(test, FriedmanTest):
        words = "Friedman test with Iman and Davenport's correction"
    else:
        words = _SKILLINGS
    if isinstance(test, FriedmanTest):
        p = test.f_pvalue
    else:
        p = test.pvalue
    if p > asked.level:
        alike = f"no difference is shown over {N} data sets"
    else:
        alike = f"the algorithms differ over {N} data sets"
    first = (
        f"{best} ranks first (mean rank {format_number(ranks[order[0]], digits=2)} of "
        f"{len(algorithms)})"
    )
    beaten = [
        pair.baseline for pair in pairs if (pair.challenger, pair.outcome) == (best, "better")
    ]
    beaten += [
        pair.challenger for pair in pairs if (pair.baseline, pair.outcome) == (best, "worse")
    ]
    if beaten:
        told = f"and is better than {join_words(beaten)}"
    else:
        told = "but is not shown to be better than any other"
    return f"{alike} ({words}, {p_is(p)}); {first}, {told} ({asked.decides.words})."
