"""The words about measured times: which benchmark became slower, by how much, what is open."""

from math import exp

from evenfold.core.change import Change
from evenfold.core.note import WORDS, says
from evenfold.core.words import (
    count,
    format_confidence,
    format_number,
    interval,
    join_words,
    one_line,
    precision,
)

WORDS |= {
    "baseline-before-candidate": "All runs of the baseline were measured before all runs of the "
    "candidate, so that a drift of the machine counts as a change. Measure them in turns.",
    "candidate-before-baseline": "All runs of the candidate were measured before all runs of the "
    "baseline, so that a drift of the machine can hide a change. Measure them in turns.",
    "order-unknown": "The files do not say when each run was measured. If all runs of the baseline "
    "came first, a drift of the machine counts as a change. Measure them in turns.",
    "machine-unknown": "The files do not say on which machine they were measured; make sure that "
    "it was the same.",
    "runs-in-turns": "The runs were measured in turns and are compared in pairs.",
    "floor-by-chance": "A benchmark that did not change exceeds its noise floor, the largest of "
    "{runs} A/A runs, with a probability of at most 1 in {odds}; that holds for each of the "
    "{benchmarks:of benchmark} by itself.",
}

_REASONS = {
    "new": "the baseline has no runs of it",
    "gone": "the candidate has no runs of it",
    "version": "the code of the benchmark itself differs between baseline and candidate",
    "no-spread": "its runs do not differ at all, so that their noise is unknown",
    "no-floor": "the noise floor has no entry for it",
    "old-floor": "the noise floor is {age} old, more than the limit of {limit}",
    "other-machine": "the noise floor was measured on another machine",
}


@says("benchmark-change")
def benchmark_change(
    *,
    benchmark: str,
    change: str,
    value: float,
    low: float,
    high: float,
    level: float,
    limit: float,
) -> str:
    """Say what became of one benchmark: the ratio of the times, with its interval."""
    ratio = times_as_long(value, low, high, level)
    return f"{one_line(benchmark)} takes {ratio}: {change}{_about_limit(change, limit)}"


def _about_limit(change: str, limit: float) -> str:
    """Say what is so within the limit below which a change does not matter."""
    if change == Change.UNCHANGED:
        return f" within ±{percent_of(limit)}"
    if change == Change.UNDECIDED and limit > 0:
        return f" whether it is more than ±{percent_of(limit)}"
    return ""


def times_as_long(value: float, low: float, high: float, level: float) -> str:
    """
    Write a ratio of times with its interval.

    Examples
    --------
    >>> times_as_long(1.1231, 1.0512, 1.1934, 0.05)
    '1.12 times as long (95% CI 1.05 to 1.19)'
    """
    digits = precision(value, low, high, neutral=1.0)
    ends = interval(low, high, digits=digits, neutral=1.0)
    times = format_number(value, digits=digits)
    return f"{times} times as long ({format_confidence(level)} CI {ends})"


def percent_of(log_ratio: float) -> str:
    """
    Write a log ratio as the percentage that it adds to a time.

    Examples
    --------
    >>> percent_of(0.0296), percent_of(0.0)
    ('3.0%', '0.0%')
    """
    return f"{100 * (exp(log_ratio) - 1):.1f}%"


@says("benchmark-unknown")
def benchmark_unknown(*, benchmark: str, reason: str, age: int = 0, limit: int = 0) -> str:
    """Say why nothing is known of one benchmark."""
    why = _REASONS[reason].format(age=count(age, "day"), limit=count(limit, "day"))
    return f"{one_line(benchmark)}: unknown, because {why}"


_PLURALS = {Change.REGRESSION: "regressions", Change.IMPROVEMENT: "improvements"}


@says("benchmark-changes")
def benchmark_changes(*, baseline: str, candidate: str, counts: dict[str, int], worst: str) -> str:
    """Say what became of all benchmarks, the worst first."""
    total = sum(counts.values())
    parts = [_counted(Change(change), number) for change, number in counts.items() if number]
    worst_words = f" The worst: {worst}." if worst else ""
    names = f"{one_line(candidate)} against {one_line(baseline)}"
    return f"{names}, {count(total, 'benchmark')}: {join_words(parts)}.{worst_words}"


def _counted(change: Change, number: int) -> str:
    if number == 1:
        return f"1 {change}"
    return f"{number} {_PLURALS.get(change, change)}"


@says("wide-floor")
def wide_floor(*, floor: float, benchmark: str) -> str:
    """Warn of a floor that lets a large regression through."""
    return (
        f"The noise floor of {one_line(benchmark)} is ±{percent_of(floor)}, so that any smaller "
        "change may be called unchanged. Measure on a quieter machine."
    )


@says("floor-measured")
def floor_measured(*, benchmarks: int, runs: int, largest: float, benchmark: str) -> str:
    """Say what the floor of each benchmark is, of which the largest is shown."""
    return (
        f"noise floor of {count(benchmarks, 'benchmark')} from {count(runs, 'A/A run')}; the "
        f"largest is ±{percent_of(largest)}, of {one_line(benchmark)}"
    )
