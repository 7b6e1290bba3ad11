"""The words of the comment on a pull request."""

import math
from collections.abc import Sequence

from evenfold.core.note import WORDS, Note, says
from evenfold.core.words import (
    count,
    format_confidence,
    format_number,
    interval,
    join_words,
    one_line,
    precision,
    round_up,
)

WORDS |= {
    "no-baseline": "There is no baseline: no file is called {path}.",
    "no-floor-file": "There is no noise floor: no file is called {path}. Write one with evenfold "
    "floor.",
    "baseline-changed": "The pull request changes its own baseline, {path}. Merge a new baseline "
    "by itself.",
    "configuration-changed": "The pull request changes {path}. The checks of its base decided; the "
    "change takes effect when it is merged.",
    "configuration-of-head": "The base has no configuration: {path} of the pull request decided.",
    "ids-match": "all {n:count} ids match",
    "hardly-passes": "This check can hardly pass: a candidate whose true difference is 0 would "
    "pass with probability {passes:.0%}. evenfold plan --gate says what would help.",
    "hardly-fails": "This check can hardly fail: a candidate that is worse by twice the margin "
    "would be stopped with probability {catches:.0%}. evenfold plan --gate says what would help.",
    "of-check": "{name:line}: {said}",
    "level-of-check": "judged at a level of {level:.3g}, {share:.0%} of the error budget",
    "counted-as": "The configuration makes an undecided answer of this check {counted_as}.",
    "wide-margin": "The margin of {margin:g} is more than half of {room:.3g}, which is all that "
    "the base could lose.",
    "gate-regression": "regression in {check}: {change}",
    "improved": "{check}: {change}",
    "same-quality": "same quality within {margin:g}, {change}",
    "gate-open": "{state}: {checks:join}",
    "gate-open-fails": "{state}, which counts as a failure: {checks:join}",
}

_DAY = 86400.0
_HOUR = 3600.0


@says("gate-passed")
def gate_passed(
    *, checks: int, improved: Sequence[Note], tied: Note | None, open_checks: Sequence[str]
) -> str:
    """Say that nothing became worse, what became better, and what nobody knows."""
    words = f"no regression in {count(checks, 'check')}"
    if tied is not None:
        words = str(tied)
    elif improved:
        words = f"{words}; improvement in {join_words(map(str, improved))}"
    if open_checks:
        words = f"{words}; not decided, which counts as passed: {join_words(open_checks)}"
    return words


@says("gate-refused")
def gate_refused(*, check: str, regression: Note | None) -> str:
    """Say which check cannot be judged, after the worst regression of the others."""
    words = f"{one_line(check)} cannot be judged"
    return f"nothing decided: {words}" if regression is None else f"{regression}; {words}"


@says("change-of-difference")
def change_of_difference(*, name: str, value: float, low: float, high: float, level: float) -> str:
    """Say by how much a value of the head differs from that of the base."""
    digits = precision(value, low, high)
    way = "lower" if value < 0 else "higher"
    amount = f"{name} {way} by {format_number(abs(value), digits=digits)}"
    return f"{amount} ({format_confidence(level)} bounds {interval(low, high, digits=digits)})"


@says("change-of-time")
def change_of_time(*, name: str, value: float, low: float, high: float, level: float) -> str:
    """
    Say which percentage of time the head takes more or less.

    Examples
    --------
    >>> change_of_time(name="parse", value=1.123, low=1.08, high=1.17, level=0.05)
    'parse takes 12.3% more time (95% CI 8.0% to 17.0%)'
    >>> change_of_time(name="", value=0.62, low=0.56, high=0.69, level=0.05)
    '38% less time (95% CI 31% to 44%)'
    """
    if value < 1:
        sign = -1
        way = "less time"
    else:
        sign = 1
        way = "more time"
    size, *ends = (100 * sign * (ratio - 1) for ratio in (value, low, high))
    digits = max(0, precision(size, *sorted(ends)))
    first, last = (f"{format_number(end, digits=digits)}%" for end in sorted(ends))
    takes = f"{one_line(name)} takes " if name else ""
    amount = f"{takes}{format_number(size, digits=digits)}% {way}"
    return f"{amount} ({format_confidence(level)} CI {first} to {last})"


@says("baseline-commit")
def baseline_commit(*, base: str | None, head: str | None, age: float | None) -> str:
    """Name the baseline with its commit and its age."""
    if base is None:
        return "Baseline: its commit is not known; pass --base-commit and --head-commit."
    words = f"Baseline: commit {base}"
    if age is None or head is None:
        return f"{words}; its age is not known without --head-commit."
    if age >= 2 * _DAY:
        old = count(int(age // _DAY), "day")
    else:
        old = count(int(age // _HOUR), "hour")
    return f"{words}, {old} older than the head, {head}."


@says("error-budget")
def error_budget(*, level: float, checks: int) -> str:
    """Say what the levels of all checks add up to."""
    share = f"{100 * level:g}%"
    return (
        f"The {count(checks, 'check')} share an error budget of {share}. A pull request that is "
        f"worse by more than a margin passes with a probability of at most {share}, unless an "
        "undecided answer counts as passed. One that is not worse by more than a margin is called "
        f"a regression with a probability of at most {share}."
    )


@says("check-plan")
def check_plan(
    *,
    name: str,
    items: int | None,
    margin: float,
    wished: float,
    passes: float,
    enough_margin: float,
    times: float,
) -> str:
    """Say what a check can carry, and what a wished margin takes."""
    there = "the present runs" if items is None else count(items, "item")
    words = (
        f"{one_line(name)}: with {there} and a margin of {margin:.3g}, a candidate whose true "
        f"difference is 0 passes with a probability of about {passes:.0%}; "
    )
    smallest = "no margin lets 80% of them pass"
    if math.isfinite(enough_margin):
        smallest = f"80% of them pass with a margin of about {enough_margin:.2g} or more"
    return f"{words}{smallest}; {_needed(items, wished, times)}."


def _needed(items: int | None, wished: float, times: float) -> str:
    if not math.isfinite(times):
        return f"no number in sight suffices for a margin of {wished:.3g}"
    if times <= 1:
        return f"they suffice for a margin of {wished:.3g}"
    if items is None:
        return f"a margin of {wished:.3g} needs about {times:.1f} times as many runs"
    return f"a margin of {wished:.3g} needs about {round_up(times * items):,} items"
