"""
All pairs of a few algorithms as a square.

The row minus the column, with its verdict, and its interval where there is space for one.
"""

from collections.abc import Mapping

from evenfold.core.facts.comparison import Facts, Pair
from evenfold.core.words import NONE, format_number, interval, one_line
from evenfold.report._content import MARKS, Grid, interval_title, zero_note

MOST = 10  # algorithms whose square fits into a terminal
_WITH_INTERVALS = 4  # algorithms at most
_TURNED = {"better": "worse", "worse": "better"}


def is_square(facts: Facts) -> bool:
    """Whether all pairs of three to ten algorithms were compared, so that a square holds them."""
    names = {one.name for one in facts.candidates}
    asked = len(names) * (len(names) - 1) // 2
    plain = facts.baseline is None and facts.alternative == "two-sided" and not facts.quantity.ratio
    plain = plain and facts.question == "pairs"  # in a race pairs rest on other repetitions each
    among = sum({pair.baseline, pair.challenger} <= names for pair in facts.pairs)
    return plain and 2 < len(names) <= MOST and among == asked


def square(facts: Facts) -> Grid:
    """
    Return the square of pairs, the best algorithm first; below the diagonal there is nothing new.

    Up to four algorithms have their intervals; of more, columns are numbered as in the ranking.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> is_square(sample())
    False
    """
    names = [one.name for one in facts.candidates]
    pairs = {(pair.baseline, pair.challenger): pair for pair in facts.pairs}
    numbered = len(names) > _WITH_INTERVALS
    rows = []
    for i, row in enumerate(names[:-1]):
        cells = [_entry(pairs, row, column, facts.digits, numbered) for column in names[i + 1 :]]
        title = f"{i + 1} {one_line(row)}" if numbered else one_line(row)
        rows.append((title, *[NONE] * i, *cells))
    titles = [str(k + 2) if numbered else one_line(name) for k, name in enumerate(names[1:])]
    return Grid(
        caption=_caption(facts, numbered),
        header=("row − column", *titles),
        numeric=(False, *(True for _ in titles)),
        rows=tuple(rows),
    )


def _entry(
    pairs: Mapping[tuple[str | None, str], Pair], row: str, column: str, digits: int, short: bool
) -> str:
    """The row minus the column, its interval if it is not short, and a mark for the row."""
    sign = -1
    pair = pairs.get((row, column))
    if pair is None:
        sign = 1
        pair = pairs.get((column, row))
    if pair is None:  # a file may name an algorithm that no pair has
        return NONE
    outcome = pair.outcome or ""
    if sign < 0:
        outcome = _TURNED.get(outcome, outcome)
    low, high = sorted((sign * pair.low, sign * pair.high))
    limits = "" if short else f" ({interval(low, high, digits=digits)})"
    value = format_number(sign * pair.value, digits=digits)
    return f"{value}{limits} {MARKS.get(outcome, '')}".rstrip()


def _caption(facts: Facts, numbered: bool) -> str:
    same = f", {MARKS['equivalent']} equivalent" if facts.margin else ""
    what = f"Difference in {one_line(facts.measure_words)}"
    if not numbered:
        what += f" with {interval_title(facts)}"
    legend = (
        f"{what}: {MARKS['better']} row better, {MARKS['worse']} row worse{same}, "
        f"{MARKS['inconclusive']} inconclusive."
    )
    if numbered:
        return legend
    return f"{legend}{zero_note(facts)}"
