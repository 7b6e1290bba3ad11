"""Facts in words: what ``print`` shows."""

import math
from collections import Counter

from evenfold.core.facts.across import AcrossFacts
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
        words.append(f"{pairs} adjusted by {facts.adjust}" if facts.shared else f"{pairs}, not adjusted")
    text = ", ".join(words)
    return text if facts.method.recommended else f"{text}; for comparison only"


def best(facts: Facts) -> str:
    """Return who has the best value, with an interval that allows for the choice, and who may be the best."""
    first = facts.candidates[0]
    digits = precision(first.value, first.low, first.high)
    words = f"{one_line(first.name)} looks best: its {one_line(facts.measure_words)} is "
    words += shown(first.value, digits=digits)
    if math.isfinite(first.high - first.low):
        limits = interval(first.low, first.high, digits=digits)
        words += f" ({percent(facts.level)} interval for the winner {limits})"
    among = [one_line(one.name) for one in facts.candidates if one.among_best]
    return (
        f"{words}; with {percent(facts.level)} confidence {_among(among, facts)}." if among else f"{words}."
    )


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


def versions(facts: Facts | AcrossFacts) -> str:
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
