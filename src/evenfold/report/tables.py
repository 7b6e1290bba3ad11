"""The tables of a report as plain strings, which every format then writes in its own way."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.answers import Pair
from evenfold.core.facts.comparison import Facts
from evenfold.core.facts.plain import shared_digits
from evenfold.core.verdict import PairResult
from evenfold.core.words import (
    NONE,
    format_confidence,
    format_number,
    format_replicability,
    interval,
    one_line,
    precision,
    probability,
    pvalue,
)

_IDS = 5  # of flipped examples that a table shows


@dataclass(frozen=True, kw_only=True, slots=True)
class Grid:
    """
    A table of strings with its caption.

    Numeric columns are aligned to the right.
    """

    caption: str
    header: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its title, whether it holds numbers, and the function that writes a cell."""

    title: str
    numeric: bool
    cell: Callable[[Any], str]

    def of(self, part: int) -> "Column":
        """Return this column for rows that are tuples, of which it shows one part."""
        return Column(self.title, self.numeric, lambda row: self.cell(row[part]))


def text(title: str, cell: Callable[[Any], str]) -> Column:
    """Return a column of words."""
    return Column(title, False, cell)


def number(title: str, cell: Callable[[Any], str]) -> Column:
    """Return a column of numbers."""
    return Column(title, True, cell)


def estimates(value: str, ends: str, digits: int, *, neutral: float = 0.0) -> list[Column]:
    """Return columns with these titles of an estimate and of its interval."""
    return [
        number(value, lambda pair: format_number(pair.value, digits=digits)),
        number(ends, lambda pair: interval(pair.low, pair.high, digits=digits, neutral=neutral)),
    ]


BOTH = [
    text("baseline A", lambda pair: one_line(pair.baseline or NONE)),
    text("challenger B", lambda pair: one_line(pair.challenger)),
]
_VERDICT = text("verdict", lambda pair: pair.outcome or NONE)
_SAME = number("same verdict", lambda pair: format_replicability(pair.replicability))
_HYPOTHESES = [
    number("P(H0)", lambda pair: probability(pair.null_probability)),
    number("P(H1: B better)", lambda pair: probability(pair.probability)),
    text("accepted", lambda pair: pair.accepted or NONE),
]


def table(
    caption: str, columns: Sequence[Column], rows: Iterable[Any], *, whole: bool = True
) -> Grid:
    """Write the cells of all rows. Unless ``whole``, columns without any value are left out."""
    cells = [tuple(column.cell(row) for column in columns) for row in rows]
    is_kept = [whole or any(row[k] != NONE for row in cells) for k in range(len(columns))]
    kept = list(compress(columns, is_kept))
    return Grid(
        caption=caption,
        header=tuple(column.title for column in kept),
        numeric=tuple(column.numeric for column in kept),
        rows=tuple(tuple(compress(row, is_kept)) for row in cells),
    )


def grids(facts: Facts) -> Iterator[Grid]:
    """Yield the tables of a text: ranking, pairs, further measures, flips, tasks and slices."""
    if facts.candidates:
        yield rank_grid(facts)
    yield pair_grid(facts)
    yield from further_grids(facts)
    if facts.flips:
        yield flip_grid(facts)
    if facts.parts:
        yield part_grid(facts)


def pair_grid(facts: Facts) -> Grid:
    """Return the table of pairs, without columns that have no value."""
    title = one_line(facts.measure_words)
    if not is_about_singles(facts):
        title = f"{facts.quantity.against} ({_values_favouring_b(facts)}: B better)"
    neutral = facts.quantity.neutral
    columns = [
        *_names(facts),
        *estimates(title, interval_title(facts), facts.digits, neutral=neutral),
    ]
    if any(pair.pvalue is not None for pair in facts.pairs):
        columns.append(number("p", lambda pair: pvalue(pair.pvalue)))
    if facts.shared and any(pair.adjusted_pvalue is not None for pair in facts.pairs):
        columns.append(number(f"p ({facts.adjust})", lambda pair: pvalue(pair.adjusted_pvalue)))
    if any(pair.probability is not None for pair in facts.pairs):
        columns += _HYPOTHESES
    if any(pair.outcome for pair in facts.pairs):
        columns.append(_VERDICT)
    if any(pair.replicability is not None for pair in facts.pairs):
        columns.append(_SAME)
    return table(_pair_caption(facts), columns, pairs_by_rank(facts))


def pairs_by_rank(facts: Facts) -> list[Pair]:
    """Return the pairs in the order of the ranking, the best algorithm first, if there is one."""
    ranks = {candidate.name: candidate.rank for candidate in facts.candidates}
    last = len(facts.algorithms) + 1

    def places(pair: Pair) -> list[int]:
        return sorted(ranks.get(name, last) for name in (pair.baseline or "", pair.challenger))

    return sorted(facts.pairs, key=places) if ranks else list(facts.pairs)


def compared_words(facts: Facts) -> str:
    """Return the measure by which pairs are compared; some methods look at a part of the values."""
    for pair in facts.pairs:
        if isinstance(pair, PairResult) and pair.verdict is not None:
            return one_line(pair.verdict.said.values.get("measure", facts.measure_words))
    return one_line(facts.measure_words)


def _pair_caption(facts: Facts) -> str:
    words = compared_words(facts)
    if not is_about_singles(facts):
        sign = f"{_values_favouring_b(facts)} values"
        if facts.quantity.ratio:
            sign = f"values {_values_favouring_b(facts)}"
        words = f"{facts.quantity.against} in {words}; {sign} favour the challenger B"
    if facts.margin:
        return f"{words}; differences up to {facts.margin:g} do not matter."
    return f"{words}."


def _values_favouring_b(facts: Facts) -> str:
    """Return the word for the values of B − A, or of B / A, that favour B."""
    if facts.quantity.ratio:
        return "below 1" if facts.lower_is_better else "above 1"
    return "negative" if facts.lower_is_better else "positive"


def part_grid(facts: Facts) -> Grid:
    """Return the result on every task and slice, in the order of the user's table."""
    digits = shared_digits(facts.parts)
    # tasks of which each decides by itself are not adjusted, while slices beside them are
    adjusted = {part.adjust for part in facts.parts if part.adjusted_pvalue is not None}
    columns = [
        text("part", lambda part: one_line(f"{part.column} {part.label}")),
        *(BOTH if len(facts.pairs) > 1 else []),
        number("examples", lambda part: str(part.n)),
        number("fixed", lambda part: format_number(part.fixed, digits=0)),
        number("broke", lambda part: format_number(part.broke, digits=0)),
        *estimates(facts.quantity.against, _kind(facts), digits, neutral=facts.quantity.neutral),
        number("confidence", lambda part: format_confidence(part.level)),
        number("p", lambda part: pvalue(part.pvalue if part.adjusted_pvalue is None else None)),
        *(number(f"p ({how})", lambda part: pvalue(part.adjusted_pvalue)) for how in adjusted),
        _VERDICT,
    ]
    caption = "Each task and slice, at the confidence of its interval."
    return table(caption, columns, facts.parts, whole=False)


def rank_grid(facts: Facts) -> Grid:
    """Return the ranked list of several algorithms, with the ranks they may truly have and ties."""
    digits = shared_digits(facts.candidates)
    columns = [
        number("rank", lambda candidate: str(candidate.rank)),
        text("algorithm", lambda candidate: one_line(candidate.name)),
        number(
            one_line(facts.measure_words),
            lambda candidate: format_number(candidate.value, digits=digits),
        ),
        number("true rank", lambda candidate: rank_range(candidate.first, candidate.last)),
        text("ties", lambda candidate: candidate.ties or NONE),
        text(
            "may be best",
            lambda candidate: {None: NONE, True: "yes", False: "no"}[candidate.among_best],
        ),
    ]
    return table(_rank_caption(facts), columns, facts.candidates)


def rank_range(first: int | None, last: int | None) -> str:
    """Write the ranks from first to last; one rank alone if they are the same, a dash for none."""
    if first is None:
        return NONE
    return str(first) if first == last else f"{first} to {last}"


def set_confidence(facts: Facts) -> str:
    """Write the confidence of a set of ranks, or of the best."""
    if facts.alternative == "not-worse":  # both sides of every pair
        return format_confidence(2 * facts.level)
    return format_confidence(facts.level)


def _rank_caption(facts: Facts) -> str:
    sentences = [
        f"Ranks are simultaneous {set_confidence(facts)} confidence sets.",
        "Algorithms that share a letter are tied.",
        least_certain(facts),
    ]
    return " ".join(filter(None, sentences))


def least_certain(facts: Facts) -> str:
    """Say how likely another partition gives the least certain of several verdicts again."""
    known = [pair for pair in facts.pairs if pair.replicability is not None]
    if len(known) < 2:
        return ""
    least = min(known, key=lambda pair: pair.replicability or 0.0)
    names = f"{one_line(least.challenger)} against {one_line(least.baseline or NONE)}"
    return (
        "If the data were partitioned again at random, the least certain of the "
        f"{len(known)} verdicts, {names}, would be the same in about "
        f"{format_replicability(least.replicability)} of cases."
    )


def flip_grid(facts: Facts) -> Grid:
    """Return how many examples each challenger fixed and broke, with the first ids."""
    columns = [
        *BOTH,
        number("fixed", lambda flips: str(len(flips.fixed))),
        number("broke", lambda flips: str(len(flips.broke))),
        text("fixed examples", lambda flips: _first_ids(flips.fixed)),
        text("broken examples", lambda flips: _first_ids(flips.broke)),
    ]
    return table("Fixed: A was wrong and B is right; broke: the reverse.", columns, facts.flips)


def _first_ids(ids: tuple[Any, ...]) -> str:
    """Write the first ids, and whether there are more."""
    shown = [one_line(str(name)) for name in ids[:_IDS]]
    if len(ids) > _IDS:
        shown.append("…")
    return ", ".join(shown) or NONE


def size_grid(facts: Facts) -> Grid:
    """Return both algorithms and their difference at every training size."""
    means = [number("A", _mean(facts, 0)), number("B", _mean(facts, 1))]
    change = number("B − A", lambda row: format_number(row[1].value, digits=row[0].sizes.digits))
    columns = [
        *(column.of(0) for column in _names(facts)),
        number("trained on", lambda row: str(row[1].n_train)),
        *([number("value", _mean(facts, 0))] if is_about_singles(facts) else [*means, change]),
        number(
            interval_title(facts),
            lambda row: interval(row[1].low, row[1].high, digits=row[0].sizes.digits),
        ),
    ]
    rows = [
        (pair, at_size)
        for pair in facts.pairs
        if pair.sizes is not None
        for at_size in pair.sizes.at
    ]
    return table("Results by training size.", columns, rows)


def _mean(facts: Facts, k: int) -> Callable[[Any], str]:
    return lambda row: format_number(row[1].means[k], digits=facts.value_digits)


def effect_grid(facts: Facts) -> Grid:
    """Return standardised effect sizes of every difference."""
    ends = interval_title(facts)
    columns = [
        *BOTH,
        number("Cohen's d", lambda pair: format_number(pair.cohen_d, digits=2)),
        number(ends, lambda pair: _interval_or_dash(pair.cohen_d_low, pair.cohen_d_high, digits=2)),
        number("A12", lambda pair: format_number(pair.a12, digits=3)),
        number(ends, lambda pair: _interval_or_dash(pair.a12_low, pair.a12_high, digits=3)),
    ]
    better = "below" if facts.lower_is_better else "above"
    caption = (
        "Cohen's d: B − A over the standard deviation of the differences on single examples. A12: "
        f"the probability that the {one_line(facts.measure_words)} of B is above that of A on an "
        f"example, ties counted half; Cliff's δ is 2·A12 − 1. B is better where d is {better} 0 "
        f"and A12 {better} ½. The intervals have the level of the verdict."
    )
    return table(caption, columns, [pair for pair in facts.pairs if pair.cohen_d is not None])


def _interval_or_dash(low: float | None, high: float | None, *, digits: int) -> str:
    if low is None or high is None:
        return NONE
    return interval(low, high, digits=digits)


def further_grids(facts: Facts) -> Iterator[Grid]:
    """Yield the results of further measures: their rankings, and one table of pairs."""
    ranked = [other for other in facts.others if other.candidates]
    for other in ranked:
        grid = rank_grid(other)
        yield replace(grid, caption=f"Ranking by {one_line(other.measure_words)}. {grid.caption}")
    rest = tuple(other for other in facts.others if not other.candidates)
    if rest:
        yield measure_grid(replace(facts, others=rest))


def measure_grid(facts: Facts) -> Grid:
    """Return the results of further measures, with a row for each measure and pair."""
    by_itself = is_about_singles(facts)
    title = "value"
    if not by_itself:
        title = " or ".join(dict.fromkeys(other.quantity.against for other in facts.others))

    def digits(row: Any) -> int:
        return precision(row[1].value, row[1].low, row[1].high, neutral=row[0].quantity.neutral)

    def value(row: Any) -> str:
        times = " ×" if row[0].quantity.ratio and not by_itself else ""
        return format_number(row[1].value, digits=digits(row)) + times

    def ends(row: Any) -> str:
        neutral = row[0].quantity.neutral
        return interval(row[1].low, row[1].high, digits=digits(row), neutral=neutral)

    if facts.shared:
        p = number(f"p ({facts.adjust})", lambda row: pvalue(row[1].adjusted_pvalue))
    else:
        p = number("p", lambda row: pvalue(row[1].pvalue))
    columns = [
        text("measure", lambda row: one_line(row[0].measure_words)),
        text("better", lambda row: "lower" if row[0].lower_is_better else "higher"),
        *(column.of(1) for column in _names(facts)),
        number(title, value),
        number(interval_title(facts), ends),
        p,
        *(column.of(1) for column in _HYPOTHESES),
        _VERDICT.of(1),
        _SAME.of(1),
    ]
    rows = [(other, pair) for other in facts.others for pair in other.pairs]
    return table("Each measure at the full level, from the same fits.", columns, rows, whole=False)


def _names(facts: Facts) -> list[Column]:
    if is_about_singles(facts):
        return [text("algorithm", BOTH[1].cell)]
    return BOTH


def interval_title(facts: Facts) -> str:
    """
    Name the intervals of all pairs.

    The title has their confidence, whether they hold simultaneously, and what their limits are.
    For the alternative "not-worse", each end is a bound by itself.
    """
    levels = {pair.level for pair in facts.pairs}
    if facts.shared and not _is_of_discoveries(facts):
        return f"simultaneous {format_confidence(facts.level)} {_kind(facts)}"
    level = levels.pop() if len(levels) == 1 else facts.level
    return f"{format_confidence(level)} {_kind(facts)}"


def _is_of_discoveries(facts: Facts) -> bool:
    """
    Whether the intervals bound the false coverage rate and so do not hold simultaneously.

    They do so in files of version 0.2; now they are Bonferroni's, whatever the adjustment.
    """
    bonferroni = facts.level / len(facts.pairs)
    return facts.adjust.startswith("benjamini-") and any(
        pair.level > bonferroni * (1 + 1e-9) for pair in facts.pairs
    )


def _kind(facts: Facts) -> str:
    """Return the name of an interval with such ends."""
    if facts.alternative == "not-worse":
        return "one-sided bounds"
    if any(pair.curves or pair.probability is not None for pair in facts.pairs):
        return "credible interval"
    if facts.alternative == "two-sided":
        return "CI"
    return "bound"


def is_about_singles(facts: Facts) -> bool:
    """Return whether algorithms are estimated by themselves, without a baseline."""
    return all(pair.baseline is None for pair in facts.pairs)


# The tables over several data sets.


def mean_rank_grid(facts: AcrossFacts) -> Grid:
    """Return the algorithms by mean rank, with their mean values and numbers of wins."""
    mean = f"mean {one_line(facts.measure_words)}"
    digits = facts.value_digits
    columns = [
        text("algorithm", lambda i: one_line(facts.algorithms[i])),
        number("mean rank", lambda i: format_number(facts.ranks[i], digits=2)),
        number(mean, lambda i: format_number(facts.means[i], digits=digits)),
        number("best on", lambda i: str(facts.best_on[i])),
    ]
    order = sorted(range(len(facts.algorithms)), key=lambda i: facts.ranks[i])
    return table("Mean rank over the data sets, 1 is best.", columns, order)


def across_grid(facts: AcrossFacts) -> Grid:
    """Return a row per pair: counts, test, posterior, mean difference and, if known, its error."""
    digits = facts.digits
    confidence = format_confidence(facts.level)
    same = [number("P(as good)", lambda pair: probability(pair.same))]
    weighted = any(math.isfinite(pair.low) for pair in facts.pairs)
    mean = "weighted mean B − A" if weighted else "mean B − A"
    value, ends = estimates(mean, f"{confidence} CI", digits)
    predicted = number(
        f"{confidence} PI, new data set",
        lambda pair: interval(pair.predicted_low, pair.predicted_high, digits=digits),
    )
    columns = [
        *BOTH,
        number("B wins/ties/loses", lambda pair: f"{pair.wins}/{pair.ties}/{pair.losses}"),
        number(f"p ({facts.test})", lambda pair: pvalue(pair.adjusted_pvalue)),
        number("P(B better)", lambda pair: probability(pair.better)),
        *(same if any(pair.same > 0 for pair in facts.pairs) else []),
        value,
        *([ends, predicted] if facts.method else []),  # single values have no error of their own
        _VERDICT,
    ]
    return table(_across_caption(facts, weighted=weighted), columns, facts.pairs)


def _across_caption(facts: AcrossFacts, *, weighted: bool) -> str:
    """Say what the columns mean, and why a weighted mean may differ from that of the values."""
    sentences = [
        f"B − A in {one_line(facts.measure_words)}.",
        "P(B better) is the posterior probability that B is better on a new data set (Bayesian "
        "signed-rank test).",
    ]
    if weighted:
        sentences.append(
            "A mean with an interval weighs every data set by how precisely its difference is "
            "known, so it need not equal the difference of the mean values."
        )
    return " ".join(sentences)


def value_grid(facts: AcrossFacts) -> Grid:
    """Return a row per data set: its size, if known, and the mean value of each algorithm."""
    sized = [
        number("examples", lambda row: str(row.n)),
        number("trained on", lambda row: str(row.n_train)),
    ]
    columns = [
        text("data set", lambda row: one_line(row.name)),
        *(sized if any(row.n_train for row in facts.data_sets) else []),
        *(_values(facts, k) for k in range(len(facts.algorithms))),
    ]
    return table(f"Mean hold-out {one_line(facts.measure_words)}.", columns, facts.data_sets)


def _values(facts: AcrossFacts, k: int) -> Column:
    digits = facts.value_digits
    return number(
        one_line(facts.algorithms[k]), lambda row: format_number(row.values[k], digits=digits)
    )
