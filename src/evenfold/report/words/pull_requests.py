"""The words of the comment on a pull request."""

from collections.abc import Sequence

from evenfold.core.note import Note
from evenfold.core.words import (
    count,
    format_confidence,
    format_number,
    interval,
    join_words,
    precision,
)
from evenfold.report.words._base import WORDS, says

WORDS |= {
    "no-baseline": "there is no baseline: no file is called {path}",
    "baseline-changed": "the pull request changes its own baseline, {path}; merge a new baseline "
    "by itself",
    "configuration-changed": "The pull request changes {path}. The checks of its base decided; the "
    "change takes effect when it is merged.",
    "ids-match": "ids: all {n:count} match",
    "hardly-passes": "this check can hardly pass: a candidate whose true difference is 0 would "
    "pass with probability {passes:.0%}; evenfold plan --gate says what would help",
    "hardly-fails": "this check can hardly fail: a candidate that is worse by twice the margin "
    "would be stopped with probability {catches:.0%}; evenfold plan --gate says what would help",
    "of-benchmark": "{name}: {said}",
    "level-of-check": "judged at a level of {level:.3g}, {share:.0%} of the error budget",
    "counted-as": "the configuration makes an undecided answer of this check {counted_as}",
    "wide-margin": "the margin of {margin:g} is more than half of {room:.3g}, all that the base "
    "could lose",
    "gate-refused": "nothing decided: {check} cannot be judged",
    "gate-regression": "regression in {check}: {change}",
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


@says("improved")
def improved_words(*, check: str, change: Note) -> str:
    """Say which check became better by how much."""
    return f"{check}: {change}"


@says("same-quality")
def same_quality(*, margin: float, change: Note) -> str:
    """Say that quality is the same, and what became cheaper or faster."""
    return f"same quality within {margin:g}, {change}"


@says("change-of-difference")
def change_of_difference(*, name: str, value: float, low: float, high: float, level: float) -> str:
    """Say by how much a value of the head differs from that of the base."""
    digits = precision(value, low, high)
    way = "lower" if value < 0 else "higher"
    amount = f"{name} {way} by {format_number(abs(value), digits=digits)}"
    return f"{amount} ({format_confidence(level)} bounds {interval(low, high, digits=digits)})"


@says("change-of-ratio")
def change_of_ratio(
    *, name: str, value: float, low: float, high: float, level: float, words: tuple[str, str]
) -> str:
    """Say by which percentage a measurement is larger or smaller; ends in the order of size."""
    way = words[0] if value < 1 else words[1]
    sign = -1 if value < 1 else 1
    ends = sorted(100 * sign * (end - 1) for end in (low, high))
    digits = max(0, precision(100 * sign * (value - 1), *ends))
    first, last = (f"{format_number(end, digits=digits)}%" for end in ends)
    size = f"{format_number(100 * abs(value - 1), digits=digits)}%"
    about = f"{name} " if name else ""
    return f"{about}{size} {way} ({format_confidence(level)} CI {first} to {last})"


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
        f"The {count(checks, 'check')} share an error budget of {share}: a pull request that is "
        "worse by more than a margin passes, and one that is not is called a regression, with a "
        f"probability of at most {share} each. An undecided answer that counts as passed is not in "
        "the first of these."
    )
