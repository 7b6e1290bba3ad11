"""
All pairs of a few algorithms as a square.

The row minus the column, with interval and verdict.
"""

from collections.abc import Mapping

from evenfold.core.facts.comparison import Facts, Pair
from evenfold.core.words import NONE, format_number, interval, one_line
from evenfold.report._content import MARKS, Grid, interval_title

MOST = 4  # algorithms whose square fits on a line
_TURNED = {"better": "worse", "worse": "better"}


def is_square(facts: Facts) -> bool:
    """Whether all pairs of three or four algorithms were compared, so that a square holds them."""
    names = [one.name for one in facts.candidates]
    asked = len(names) * (len(names) - 1) // 2
    plain = facts.baseline is None and facts.alternative == "two-sided" and not facts.quantity.ratio
    plain = plain and facts.question == "pairs"  # in a race pairs rest on other repetitions each
    return plain and 2 < len(names) <= MOST and len(facts.pairs) == asked


def square(facts: Facts) -> Grid:
    """
    Return the square of pairs, the best algorithm first; below the diagonal there is nothing new.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> is_square(sample())
    False
    """
    names = [one.name for one in facts.candidates]
    pairs = {(pair.baseline, pair.challenger): pair for pair in facts.pairs}
    rows = []
    for i, row in enumerate(names[:-1]):
        cells = [NONE] * i + [_entry(pairs, row, column, facts.digits) for column in names[i + 1 :]]
        rows.append((one_line(row), *cells))
    return Grid(
        caption=_caption(facts),
        header=("row − column", *(one_line(name) for name in names[1:])),
        numeric=(False, *(True for _ in names[1:])),
        rows=tuple(rows),
    )


def _entry(pairs: Mapping[tuple[str | None, str], Pair], row: str, column: str, digits: int) -> str:
    """The row minus the column, its interval, and a mark for the verdict about the row."""
    if (pair := pairs.get((column, row))) is not None:
        return _format_pair_cell(pair.value, pair.low, pair.high, pair.outcome, digits)
    pair = pairs.get((row, column))
    if pair is None:  # a file may name an algorithm that no pair has
        return NONE
    outcome = _TURNED.get(pair.outcome or "", pair.outcome)
    return _format_pair_cell(-pair.value, -pair.high, -pair.low, outcome, digits)


def _format_pair_cell(
    value: float, low: float, high: float, outcome: str | None, digits: int
) -> str:
    limits = interval(low, high, digits=digits)
    return (
        f"{format_number(value, digits=digits)} ({limits}) {MARKS.get(outcome or '', '')}".rstrip()
    )


def _caption(facts: Facts) -> str:
    same = f", {MARKS['equivalent']} equivalent" if facts.margin else ""
    return (
        f"Difference in {one_line(facts.measure_words)} with {interval_title(facts)}: "
        f"{MARKS['better']} row "
        f"better, {MARKS['worse']} row worse{same}, {MARKS['inconclusive']} inconclusive."
    )
