"""The table of pairs as plain strings, which every format then writes in its own way."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

from evenfold.core.facts.comparison import Facts, Pair
from evenfold.core.words import (
    NONE,
    interval,
    one_line,
    percent,
    precision,
    probability,
    pvalue,
    shown,
    width,
)

_IDS = 5  # of flipped examples that a table shows

MARKS = {
    "better": "▲",
    "worse": "▼",
    "not worse": "△",
    "equivalent": "=",
    "inconclusive": "?",
    "not applicable": "∅",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Grid:
    """A header and rows of strings, and how to read them; numeric columns are aligned to the right."""

    caption: str
    header: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    numeric: bool
    cell: Callable[[Pair], str]


def pair_grid(facts: Facts) -> Grid:
    """Return the table of pairs, without the columns that have nothing to say."""
    columns = [*_names(facts), *_estimate(facts), *_evidence(facts)]
    if any(pair.outcome for pair in facts.pairs):
        columns.append(_Column("verdict", False, lambda pair: pair.outcome or NONE))
    return Grid(
        caption=_differing(facts),
        header=tuple(column.title for column in columns),
        numeric=tuple(column.numeric for column in columns),
        rows=tuple(tuple(column.cell(pair) for column in columns) for pair in facts.pairs),
    )


def grids(facts: Facts) -> Iterator[Grid]:
    """Yield the tables that a text has room for: ranking, pairs, further measures, flips."""
    if facts.candidates:
        yield rank_grid(facts)
    yield pair_grid(facts)
    if facts.others:
        yield measure_grid(facts)
    if facts.flips:
        yield flip_grid(facts)


def rank_grid(facts: Facts) -> Grid:
    """Return the ranked list of several algorithms, with the ranks they may truly have and ties."""
    digits = max((precision(one.value, one.low, one.high) for one in facts.candidates), default=3)
    rows = tuple(
        (
            str(one.rank),
            one_line(one.name),
            shown(one.value, digits=digits),
            NONE if one.first is None else f"{one.first} to {one.last}",
            one.ties or NONE,
            NONE if one.among_best is None else "yes" if one.among_best else "no",
        )
        for one in facts.candidates
    )
    return Grid(
        caption=f"The ranks that each may truly have hold together with {percent(facts.level)} confidence. "
        "Who shares a letter was not told apart.",
        header=("rank", "algorithm", one_line(facts.measure_words), "true rank", "ties", "may be best"),
        numeric=(True, False, True, True, False, False),
        rows=rows,
    )


def flip_grid(facts: Facts) -> Grid:
    """Return how many examples each challenger fixed and broke, with the first ids."""
    rows = tuple(
        (
            one_line(one.baseline),
            one_line(one.challenger),
            str(len(one.fixed)),
            str(len(one.broke)),
            _first(one.fixed),
            _first(one.broke),
        )
        for one in facts.flips
    )
    return Grid(
        caption="Fixed: A was wrong and B is right; broke: the reverse.",
        header=("baseline A", "challenger B", "fixed", "broke", "fixed examples", "broken examples"),
        numeric=(False, False, True, True, False, False),
        rows=rows,
    )


def size_grid(facts: Facts) -> Grid:
    """Return both algorithms and their difference at every training size, one row for each size and pair."""
    digits = facts.value_digits
    rows = tuple(
        (
            *([one_line(pair.baseline)] if pair.baseline is not None else []),
            one_line(pair.challenger),
            str(one.n_train),
            *(shown(mean, digits=digits) for mean in one.means),
            *([shown(one.value, digits=pair.sizes.digits)] if pair.baseline is not None else []),
            interval(one.low, one.high, digits=pair.sizes.digits),
        )
        for pair in facts.pairs
        if pair.sizes is not None
        for one in pair.sizes.at
    )
    header: tuple[str, ...] = ("baseline A", "challenger B", "trained on", "A", "B", "B − A", "interval")
    if alone(facts):
        header = ("algorithm", "trained on", "value", "interval")
    return Grid(
        caption="What was found by the number of examples that models were trained on.",
        header=header,
        numeric=(*[False] * header.index("trained on"), *[True] * (len(header) - header.index("trained on"))),
        rows=rows,
    )


def _first(ids: tuple[Any, ...]) -> str:
    """The first ids, and whether there are more."""
    shown_ids = ", ".join(one_line(str(one)) for one in ids[:_IDS])
    return (f"{shown_ids}, …" if len(ids) > _IDS else shown_ids) or NONE


def effect_grid(facts: Facts) -> Grid:
    """Return how large every difference is in units of its own."""
    known = [pair for pair in facts.pairs if pair.cohen_d is not None]
    return Grid(
        caption="Cohen's d: B − A over the standard deviation of the differences on single examples. A12: "
        "the chance that B is better on an example, ties counted half; Cliff's δ is 2·A12 − 1. The intervals "
        "reach as far as that of the verdict.",
        header=("baseline A", "challenger B", "Cohen's d", "interval", "A12", "interval"),
        numeric=(False, False, True, True, True, True),
        rows=tuple(
            (
                one_line(pair.baseline or NONE),
                one_line(pair.challenger),
                shown(pair.cohen_d, digits=2),
                _ends(pair.cohen_d_low, pair.cohen_d_high, digits=2),
                shown(pair.a12, digits=3),
                _ends(pair.a12_low, pair.a12_high, digits=3),
            )
            for pair in known
        ),
    )


def _ends(low: float | None, high: float | None, *, digits: int) -> str:
    return NONE if low is None or high is None else interval(low, high, digits=digits)


def measure_grid(facts: Facts) -> Grid:
    """Return what the further measures say, one row for each of them and each pair."""
    by_itself = alone(facts)
    title = " or ".join(dict.fromkeys(other.quantity.against for other in facts.others))
    header = (
        ("measure", "algorithm", "value") if by_itself else ("measure", "baseline A", "challenger B", title)
    )
    right = (*[False] * (len(header) - 1), True)
    rows = tuple(
        _measured(other, pair, by_itself=by_itself) for other in facts.others for pair in other.pairs
    )
    return _without_empty(
        Grid(
            caption="Every measure by itself at its whole level, from the same fits.",
            header=(*header, "interval", "p", "P(B better)", "verdict"),
            numeric=(*right, True, True, True, False),
            rows=rows,
        )
    )


def _without_empty(grid: Grid) -> Grid:
    """Leave out the columns that have nothing to say."""
    said = [any(row[k] != NONE for row in grid.rows) for k in range(len(grid.header))]
    return replace(
        grid,
        header=tuple(compress(grid.header, said)),
        numeric=tuple(compress(grid.numeric, said)),
        rows=tuple(tuple(compress(row, said)) for row in grid.rows),
    )


def _measured(facts: Facts, pair: Pair, *, by_itself: bool) -> tuple[str, ...]:
    names = (pair.challenger,) if by_itself else (pair.baseline or NONE, pair.challenger)
    digits = precision(pair.value, pair.low, pair.high, neutral=facts.quantity.neutral)
    return (
        one_line(facts.measure_words),
        *map(one_line, names),
        shown(pair.value, digits=digits) + (" ×" if facts.quantity.ratio and not by_itself else ""),
        interval(pair.low, pair.high, digits=digits),
        pvalue(pair.adjusted_pvalue if len(facts.pairs) > 1 else pair.pvalue),
        probability(pair.probability),
        pair.outcome or NONE,
    )


def _names(facts: Facts) -> list[_Column]:
    if alone(facts):
        return [_Column("algorithm", False, lambda pair: one_line(pair.challenger))]
    return [
        _Column("baseline A", False, lambda pair: one_line(pair.baseline or NONE)),
        _Column("challenger B", False, lambda pair: one_line(pair.challenger)),
    ]


def _estimate(facts: Facts) -> list[_Column]:
    decimals = facts.digits
    title = one_line(facts.measure_words) if alone(facts) else facts.quantity.against
    confidences = {percent(pair.level) for pair in facts.pairs}
    kind = "credible interval" if credible(facts) else "interval"
    columns = [
        _Column(title, True, lambda pair: shown(pair.value, digits=decimals)),
        _Column(
            f"{confidences.copy().pop()} {kind}" if len(confidences) == 1 else kind,
            True,
            lambda pair: interval(pair.low, pair.high, digits=decimals),
        ),
    ]
    if len(confidences) > 1:
        columns.append(_Column("confidence", True, lambda pair: percent(pair.level)))
    return columns


def _evidence(facts: Facts) -> list[_Column]:
    columns = []
    if any(pair.pvalue is not None for pair in facts.pairs):
        columns.append(_Column("p", True, lambda pair: pvalue(pair.pvalue)))
    if len(facts.pairs) > 1 and any(pair.adjusted_pvalue is not None for pair in facts.pairs):
        columns.append(_Column(f"p ({facts.adjust})", True, lambda pair: pvalue(pair.adjusted_pvalue)))
    if any(pair.probability is not None for pair in facts.pairs):
        columns.append(_Column("P(B better)", True, lambda pair: probability(pair.probability)))
    return columns


def _differing(facts: Facts) -> str:
    words = one_line(facts.measure_words)
    if not alone(facts):
        sign = f"{'negative' if facts.lower_is_better else 'positive'} values"
        if facts.quantity.ratio:
            sign = f"values {'below' if facts.lower_is_better else 'above'} 1"
        words = f"{facts.quantity.against} in {words}; {sign} favour the challenger B"
    return f"{words}; differences up to {facts.margin:g} do not matter." if facts.margin else f"{words}."


def alone(facts: Facts) -> bool:
    """Whether algorithms are estimated by themselves, without a baseline."""
    return all(pair.baseline is None for pair in facts.pairs)


def credible(facts: Facts) -> bool:
    """Whether the intervals come from a posterior."""
    return any(pair.curves or pair.probability is not None for pair in facts.pairs)


def padded(cells: tuple[str, ...], widths: list[int], numeric: tuple[bool, ...]) -> list[str]:
    """Fill cells with blanks to the widths of their columns; numbers stand on the right."""
    return [
        " " * (w - width(cell)) + cell if right else cell + " " * (w - width(cell))
        for cell, w, right in zip(cells, widths, numeric, strict=True)
    ]
