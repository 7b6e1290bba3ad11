"""The sentence of a verdict: what was shown, by how much, about which models, at what cost."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from evenfold.core.estimate import Estimand
from evenfold.core.losses import Quantity, measure_name
from evenfold.core.note import WORDS, Note, says
from evenfold.core.partition import Kind
from evenfold.core.verdict import Outcome
from evenfold.core.words import (
    count,
    format_confidence,
    format_number,
    format_replicability,
    group_words,
    interval,
    join_words,
    precision,
    probability,
    round_up,
)

WORDS |= {
    "not-applicable": "not applicable: {reason}",
    "turned": "{said} With the two algorithms exchanged, the answer is '{outcome}'.",
}


@says("pair")
def pair_sentence(
    *,
    baseline: str,
    challenger: str,
    outcome: str,
    direction: str | None,
    margin: float,
    value: float,
    low: float,
    high: float,
    measure: str,
    ratio: bool,
    level: float,
    about: Note,
    cost: Note | None = None,
    probability_better: float | None = None,
    replicability: float | None = None,
    goal: float | None = None,
    simultaneous: bool = False,
    one_sided: bool = False,
    credible: bool = False,
    undecided: Sequence[Note] = (),
    sizes: Note | None = None,
    gate: Note | None = None,
) -> str:
    """
    Return the sentence about B and A.

    The amount and the interval are those of B − A, as tables and figures have them; of a ratio no
    logarithms are said.
    """
    neutral = 1.0 if ratio else 0.0
    said_value, said_low, said_high = _without_logarithms((value, low, high), ratio=ratio)
    digits = precision(said_value, said_low, said_high, neutral=neutral)
    kind = _Interval(level, simultaneous, one_sided, credible)
    limits = kind.words(said_low, said_high, digits, neutral=neutral)
    size = format_number(abs(said_value), digits=digits)
    amount = f"{_amount(baseline, value, size, ratio=ratio)} ({limits})"
    far = margin_words(margin, ratio=ratio)
    if outcome == str(Outcome.INCONCLUSIVE):
        start = _open_question(baseline, challenger, far, direction, one_sided=one_sided)
        claim = f"{start} the {measure} of {challenger} {amount}"
    else:
        claim = _claim(baseline, challenger, Outcome(outcome), measure, amount, far)
    chance = ""
    if probability_better is not None:
        chance = f"the probability that {challenger} is better is {probability(probability_better)}"
    parts = [sizes, f"{claim}, {about}", chance, cost, *undecided]
    sentence = "; ".join(str(part) for part in parts if part)
    sentences = [f"{sentence}.", gate, replicability_sentence(replicability, goal)]
    return " ".join(str(each) for each in sentences if each)


def margin_words(margin: float, *, ratio: bool) -> str:
    """Write a margin; that of logarithms is a factor."""
    if ratio and margin:
        return f"a factor of {math.exp(margin):.3g}"
    return f"{margin:g}"


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


@says("single")
def single_sentence(
    *,
    challenger: str,
    value: float,
    low: float,
    high: float,
    measure: str,
    ratio: bool,
    unit: str,
    level: float,
    about: Note,
    cost: Note | None = None,
    simultaneous: bool = False,
    one_sided: bool = False,
    credible: bool = False,
) -> str:
    """Return the sentence about one algorithm."""
    neutral = 1.0 if ratio else 0.0
    value, low, high = _without_logarithms((value, low, high), ratio=ratio)
    digits = precision(value, low, high, neutral=neutral)
    amount = f"{format_number(value, digits=digits)} {unit}".strip()
    limits = _Interval(level, simultaneous, one_sided, credible).words(low, high, digits)
    words = f"the {measure} of {challenger} is {amount} ({limits}), {about}"
    return f"{'; '.join(str(part) for part in (words, cost) if part)}."


@says("tasks")
def tasks_sentence(
    *,
    baseline: str,
    challenger: str,
    outcome: str,
    margin: float,
    level: float,
    tasks: int,
    named: Sequence[str],
) -> str:
    """Return the sentence about a candidate that must do well on each of several tasks."""
    by = f" by more than {margin:g}" if margin else ""
    on = f"on each of {tasks} tasks"
    if outcome == str(Outcome.INCONCLUSIVE):
        words = f"inconclusive for {challenger} against {baseline} on {join_words(named)}, "
        words += f"of {tasks} tasks"
    else:
        words = relation(Outcome(outcome), baseline, challenger)
        if outcome == str(Outcome.EQUIVALENT):
            by = f" up to {margin:g}"
        if outcome == str(Outcome.WORSE):
            on = f"on {join_words(named)} (Bonferroni over tasks)"
        words = f"{words}{by} {on}"
    return f"{words}, each at {format_confidence(level)}."


def _without_logarithms(
    numbers: tuple[float, float, float], *, ratio: bool
) -> tuple[float, float, float]:
    if not ratio:
        return numbers
    value, low, high = np.exp(numbers).tolist()
    return value, low, high


COMPARED = {
    Outcome.BETTER: "is better than",
    Outcome.WORSE: "is worse than",
    Outcome.NOT_WORSE: "is not worse than",
}


def relation(outcome: Outcome, a: str, b: str) -> str:
    """Say how B stands to A."""
    if outcome is Outcome.EQUIVALENT:
        return f"{b} and {a} are equivalent"
    return f"{b} {COMPARED[outcome]} {a}"


def _claim(a: str, b: str, outcome: Outcome, measure: str, amount: str, margin: str) -> str:
    """Say what was shown."""
    shown = relation(outcome, a, b)
    if outcome is Outcome.EQUIVALENT:
        return f"{shown} within {margin}: the {measure} of {b} {amount}"
    if outcome is Outcome.NOT_WORSE:
        return f"{shown} by more than {margin}: its {measure} {amount}"
    beyond = "" if margin == "0" else f", beyond the margin of {margin}"
    return f"{shown}: its {measure} {amount}{beyond}"


def heading(
    outcome: str, a: str, b: str, *, margin: float, direction: str | None, ratio: bool
) -> str:
    """Return the outcome in a few words, for the title of a summary."""
    far = margin_words(margin, ratio=ratio)
    if outcome == str(Outcome.INCONCLUSIVE):
        if direction and margin:  # only the sign is known
            return open_margin(a, b, direction, far)
        return f"inconclusive: {b} against {a}"
    if outcome not in map(str, Outcome) or Outcome(outcome).is_open:
        return f"{b} cannot be compared with {a}"
    # up to where two are alike, without which "equivalent" and "not worse" say too much
    by = {"equivalent": f" within {far}", "not worse": f" by more than {far}"}.get(outcome, "")
    return f"{relation(Outcome(outcome), a, b)}{by if margin else ''}"


def short_answer(outcome: Outcome, a: str, b: str) -> str:
    """Return the outcome in a cell of a table."""
    if outcome.is_open:
        return f"{outcome}: {a}, {b}"
    return f"{b} {outcome} {'to' if outcome is Outcome.EQUIVALENT else 'than'} {a}"


def _open_question(a: str, b: str, margin: str, direction: str | None, *, one_sided: bool) -> str:
    """Say what is not known; with a margin, that it is about the margin, and a known sign."""
    if margin == "0":
        return f"inconclusive: {neither_sentence(a, b)};"
    if direction:
        return f"{open_margin(a, b, direction, margin)}:"
    if one_sided:
        return f"inconclusive: {b} may or may not be worse than {a} by more than {margin};"
    return f"inconclusive: {b} and {a} may or may not differ by more than {margin};"


def neither_sentence(a: str, b: str) -> str:
    """Say that no difference was shown."""
    return f"neither {b} nor {a} is shown to be better"


def open_margin(a: str, b: str, direction: str, margin: str) -> str:
    """Say that the sign of the difference is known, and that its size is not."""
    return f"{b} is {direction} than {a}; whether by more than {margin} is open"


def _amount(a: str, difference: float, size: str, *, ratio: bool) -> str:
    """Say by how much the value of B is lower or higher than that of A."""
    if ratio:
        return f"is {size} times that of {a}"
    if difference == 0:
        return f"equals that of {a}"
    return f"is {'lower' if difference < 0 else 'higher'} by {size}"


class _Interval(NamedTuple):
    """What kind of interval an answer has."""

    level: float
    simultaneous: bool
    one_sided: bool
    credible: bool

    def words(self, low: float, high: float, digits: int, *, neutral: float = 0.0) -> str:
        """Write the kind of the interval and its limits."""
        confidence = format_confidence(self.level)
        if self.simultaneous:
            confidence = f"simultaneous {confidence}"
        limits = interval(low, high, digits=digits, neutral=neutral)
        if self.one_sided:
            return f"{confidence} bounds {limits}"
        if math.isinf(low) != math.isinf(high):
            return f"{confidence} bound: {limits}"
        return f"{confidence} {'credible interval' if self.credible else 'CI'} {limits}"


# What an answer is about: which models, and which examples.


@says("about-results")
def about_results(*, about: str, group: str | None) -> str:
    """Say what results that exist already are about, with the user's name for groups."""
    return about.replace(GROUPS, "groups of examples" if group is None else group_words(group)[1])


GROUPS = "{groups}"
"""What stands for the name of groups in what a kind of results is about."""

_PLACES = {
    "": "",
    "new groups": "on new {many}, ",
    "a new source": "on a new {one}, ",
    "these sources": "on these {many}, ",
}

WORDS |= {
    "about-split": "for these two models, trained on {size:count} examples",
    "about-split-alone": "for this model, trained on {size:count} examples",
    "about-windows": "for models trained on the latest {size:count} examples",
    "about-path": "for these forecasts along this path, of models trained on the latest "
    "{size:count} examples",
}


@says("about-models")
def about_models(*, size: int, where: str = "", group: str | None = None) -> str:
    """Say on how many examples the models were trained, and where they are tested."""
    singular, plural = group_words(group)
    place = _PLACES[where].format(one=singular, many=plural)
    return f"{place}for models trained on {size:,} examples"


# What it took.


@says("cost")
def cost_words(
    *, fits: int, reused: int, m: int | None = None, most: int | None = None, repeated: str = ""
) -> str:
    """Say how long a run grew, where it did, and how many fits it took."""
    words = count(fits, "fit")
    if reused:
        words = f"{words} and {reused} reused"
    if m is None:
        return words
    often = f"all {m}" if m == most else f"{m} of at most {most}"
    return f"after {often} {repeated}, {words}"


# Why an answer decides nothing, and what would decide it.

WORDS |= {
    "same-values": "they gave the same values everywhere",
    "few-of-class": "only {examples:count} of {total:of example} are {which:line}",
}


@says("half-width")
def half_width(*, size: float, ratio: bool, digits: int) -> str:
    """Say how wide the interval is, where no power is known."""
    return f"the half-width of the interval is {_size(size, digits, ratio=ratio)}"


@says("detectable")
def detectable(
    *,
    power: float,
    ratio: bool,
    digits: int,
    size: float | None = None,
    needed: float | None = None,
    unit: str = "",
) -> str:
    """Say which difference could have been found, and what one of the margin would take."""
    what = "ratio" if ratio else "difference"
    sure = f"(power {format_confidence(1 - power)})"
    enough = "" if needed is None else f"about {round_up(needed):,} {unit}"
    if size is None:  # the power of a gate is said once, and of its margin
        return f"a {what} as large as the margin takes {enough} {sure}"
    could = f"a {what} of about {_size(size, digits, ratio=ratio)} could have been found {sure}"
    return f"{could}; one as large as the margin takes {enough}" if enough else could


def _size(amount: float, digits: int, *, ratio: bool) -> str:
    """Write the size of a difference; of logarithms the ratio that it is."""
    if ratio:
        return f"{np.exp(amount):.2g}"
    return format_number(amount, digits=digits)


_OF_SOURCES = {
    "sources": "on a new {one}",
    "examples of these sources": "averaged over these {many},",
}


def estimand_words(
    estimand: Estimand,
    quantity: Quantity,
    kind: Kind,
    *,
    pairs: Sequence[tuple[str | None, str]],
    size: int,
    group: str | None,
) -> str:
    """Return what the numbers are about, with the training size, in this comparison's names."""
    named = _measure_of_pairs(quantity, pairs)
    if kind.about:
        if estimand.form == "other":
            named = str(estimand)
        return f"{named} {about_results(about=kind.about, group=group)}"
    singular, plural = group_words(group)
    of = _OF_SOURCES.get(estimand.varied, estimand.of).format(one=singular, many=plural)
    words = named
    if not kind.is_one_split:  # which models of one split are meant is said below
        words = f"{'' if estimand.quantity else 'expected '}{named} {of}".strip()
    if estimand.form == "other":
        words = str(estimand)
    if kind.is_one_split:
        whose = "of the models"
        if len(pairs) == 1 and pairs[0][0] is None:
            whose = "as it was"
        return f"{words} {whose} trained on {size:,} examples"
    return f"{words} at training size {size:,}"


def _measure_of_pairs(quantity: Quantity, pairs: Sequence[tuple[str | None, str]]) -> str:
    what = measure_name(quantity)
    if not pairs:
        return what
    if all(a is None for a, _ in pairs):
        return f"{what} of {join_words(b for _, b in pairs)}"
    set_against = quantity.against
    if len(pairs) == 1:
        a, b = pairs[0]
        set_against = f"{b} {'/' if quantity.ratio else '−'} {a}"
    return f"{quantity.contrast} {what}, {set_against},"
