"""Answers over several data sets, in words."""

import math
from collections.abc import Sequence

from evenfold.core.note import says
from evenfold.core.verdict import Outcome
from evenfold.core.words import (
    format_confidence,
    format_number,
    interval,
    join_words,
    p_is,
    precision,
)
from evenfold.report.words.verdict import COMPARED, neither_sentence, relation

_TESTS = {
    "friedman": "Friedman test with Iman and Davenport's correction",
    "skillings-mack": "the test of Skillings and Mack",
}


@says("across-pair")
def across_pair(
    *,
    baseline: str,
    challenger: str,
    outcome: str,
    wins: int,
    losses: int,
    data_sets: int,
    adjusted_pvalue: float,
    test: str,
    measure: str,
    level: float,
    value: float,
    low: float,
    high: float,
    predicted: Sequence[float],
) -> str:
    """Return the sentence about one pair over all data sets."""
    counts = f"better on {wins} of {data_sets} data sets, worse on {losses}"
    p = f"{p_is(adjusted_pvalue)}, {test}"
    if outcome == str(Outcome.INCONCLUSIVE):
        neither = neither_sentence(baseline, challenger)
        sentence = f"inconclusive: {neither}; {challenger} is {counts} ({p})"
    else:
        sentence = f"{relation(Outcome(outcome), baseline, challenger)}: it is {counts} ({p})"
    if not math.isfinite(low):
        return f"{sentence}."
    digits = precision(value, low, high)
    confidence = format_confidence(level)
    mean = (
        f"the weighted mean difference in {measure}, {challenger} − {baseline}, is "
        f"{format_number(value, digits=digits)} ({confidence} CI "
        f"{interval(low, high, digits=digits)})"
    )
    if not math.isfinite(predicted[0]):
        return f"{sentence}; {mean}."
    further = interval(*predicted, digits=digits)
    return f"{sentence}; {mean}; {confidence} prediction interval for a new data set {further}."


@says("across")
def across_sentence(
    *,
    test: str,
    pvalue: float,
    level: float,
    data_sets: int,
    best: str,
    rank: float,
    algorithms: int,
    beaten: Sequence[str],
    decides: str,
) -> str:
    """Return the answer over all data sets about three algorithms or more."""
    alike = f"the algorithms differ over {data_sets} data sets"
    if pvalue > level:
        alike = f"no difference is shown over {data_sets} data sets"
    first = f"{best} ranks first (mean rank {format_number(rank, digits=2)} of {algorithms})"
    outcome = "but is not shown to be better than any other"
    if beaten:
        outcome = f"and {COMPARED[Outcome.BETTER]} {join_words(beaten)}"
    return f"{alike} ({_TESTS[test]}, {p_is(pvalue)}); {first}, {outcome} ({decides})."
