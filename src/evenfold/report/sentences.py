"""Facts in words: what ``print`` shows."""

import math
from collections import Counter

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.board import BoardFacts
from evenfold.core.facts.comparison import Chosen, Facts
from evenfold.core.words import count, interval, listed, one_line, percent, precision, seconds, shown
from evenfold.report._grid import alone

SENTENCES = 6  # of pairs; more are read in the table
_NAMES = 4  # more than this are read in the ranking


def asked(facts: Facts) -> str:
    """Return method and design with what was asked of them."""
    words = [f"{facts.method.key} on {one_line(facts.design.name)}"]
    if not alone(facts):
        two = facts.alternative == "two-sided"
        words.append(facts.alternative if two else f"one-sided ({facts.alternative})")
    if facts.margin:
        words.append(f"margin {facts.margin:g}")
    if len(facts.pairs) > 1:
        pairs = count(len(facts.pairs), "pair")
        how = f"adjusted by {facts.adjust}" if facts.question == "pairs" else "in a race for the best"
        words.append(f"{pairs} {how}" if facts.shared else f"{pairs}, not adjusted")
    text = ", ".join(words)
    return text if facts.method.recommended else f"{text}; for comparison only"


def best(facts: Facts) -> str:
    """Return the headline of several algorithms: who beats the baseline, or else who may be the best."""
    return against_baseline(facts) if facts.baseline is not None else _best(facts)


def against_baseline(facts: Facts) -> str:
    """Say of every challenger what became of it against the baseline, those that beat it first."""
    by_outcome: dict[str, list[str]] = {outcome: [] for outcome in _AGAINST}
    for pair in facts.pairs:
        by_outcome[pair.outcome or "not applicable"].append(one_line(pair.challenger))
    words = [f"{_some(names)} {_AGAINST[outcome]}" for outcome, names in by_outcome.items() if names]
    if not by_outcome["better"]:
        words.insert(0, f"none of {count(len(facts.pairs), 'algorithm')} is shown to be better")
    margin = f" (margin {facts.margin:g})" if facts.margin else ""
    confidence = f"with {percent(facts.level)} confidence in all of this together" if facts.shared else ""
    said = f"against the baseline {one_line(facts.baseline or '')}{margin}: {'; '.join(words)}"
    return f"{', '.join(filter(None, [said, confidence]))}."


_AGAINST = {
    "better": "better",
    "not worse": "not worse",
    "equivalent": "equivalent",
    "inconclusive": "inconclusive",
    "worse": "worse",
    "not applicable": "without an answer",
}


def _some(names: list[str]) -> str:
    return listed(names) if len(names) <= _NAMES else f"{len(names)} of them"


def _best(facts: Facts) -> str:
    """Return who has the best value, with an interval that allows for the choice, and who may be the best."""
    first = facts.candidates[0]
    digits = precision(first.value, first.low, first.high)
    words = f"{one_line(first.name)} looks best: its {one_line(facts.measure_words)} is "
    words += shown(first.value, digits=digits)
    if math.isfinite(first.high - first.low):
        limits = interval(first.low, first.high, digits=digits)
        words += f" ({percent(facts.level)} interval for the winner {limits})"
    among = [one_line(one.name) for one in facts.candidates if one.among_best]
    if not among:
        return f"{words}."
    level = 2 * facts.level if facts.alternative == "not-worse" else facts.level  # both sides of every pair
    return f"{words}; with {percent(level)} confidence {_among(among, facts)}{_left_out(facts)}."


def _left_out(facts: Facts) -> str:
    """Say who a race left out, and after how many repetitions."""
    out: dict[int, list[str]] = {}
    for one in facts.candidates:
        if one.left_after is not None:
            out.setdefault(one.left_after, []).append(one_line(one.name))
    if not out:
        return ""
    words = [f"{_some(out[m])} after {m}" for m in sorted(out)]
    return f"; left out of the race: {', '.join(words)} repetitions"


def _among(names: list[str], facts: Facts) -> str:
    if len(names) == 1:
        return "no other can be the best"
    few = len(names) <= _NAMES
    return f"the best is {'among' if few else 'one of'} " + (
        listed(names) if few else f"{len(names)} of the {len(facts.candidates)}"
    )


def powers(facts: Facts) -> list[str]:
    """Return what each gate would have caught; with several, of whom."""
    if len(facts.power) == 1:
        return [str(facts.power[0])]
    pairs = [f"{one_line(one.challenger)} against {one_line(one.baseline)}" for one in facts.power]
    return [f"{pair}: {one}" for pair, one in zip(pairs, facts.power, strict=True)]


def who(facts: Facts | AcrossFacts) -> str:
    """Name the algorithms, or say how many there are."""
    names = [one_line(name) for name in facts.algorithms]
    return listed(names) if len(names) <= _NAMES else f"{len(names)} algorithms"


def fitted(facts: Facts | AcrossFacts) -> str:
    """Return how many fits there were, in a cell of a table."""
    return f"{facts.fits} + {facts.reused} reused" if facts.reused else str(facts.fits)


def versions(facts: Facts | AcrossFacts | BoardFacts) -> str:
    """Return what the answer was made with."""
    return ", ".join(f"{name} {version}" for name, version in facts.versions.items())


def cost(facts: Facts) -> str:
    """Return what the answer took."""
    if not (facts.fits or facts.reused):
        return "nothing was fitted"
    words = [count(facts.fits, "fit")]
    if facts.speculative:
        words[0] += f" ({facts.speculative} run ahead without need)"
    if facts.reused:
        words.append(f"{facts.reused} found in the store")
    return ", ".join([*words, f"{seconds(facts.seconds)} of fitting"])


def failed(facts: Facts) -> str:
    """Return how many cells failed, and whose."""
    names = dict.fromkeys(one_line(failure.algorithm) for failure in facts.failures)
    return f"{count(len(facts.failures), 'cell')} of {listed(names)} failed" if names else ""


def chose(one: Chosen) -> str:
    """
    Return what a search chose, the most frequent first.

    Examples
    --------
    >>> chose(Chosen(algorithm="tuned", parameters=({"C": 1}, {"C": 10}, {"C": 1})))
    'tuned: C=1 in 2 of 3 fits; C=10 in 1'
    """
    often = Counter(words for words in one.words if words)
    shown, rest = often.most_common(_NAMES), len(often) - _NAMES
    said = [f"{one_line(words)} in {times}" for words, times in shown]
    said[0] += f" of {count(often.total(), 'fit')}"
    more = [f"{rest} others"] if rest > 0 else []
    return f"{one_line(one.algorithm)}: {'; '.join([*said, *more])}"
