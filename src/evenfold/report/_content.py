"""The table of pairs as plain strings, which every format then writes in its own way."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.board import BoardFacts
from evenfold.core.facts.comparison import Chosen, Facts
from evenfold.core.losses import failures_in_words
from evenfold.core.words import (
    NONE,
    count,
    format_confidence,
    format_number,
    interval,
    join_words,
    one_line,
    precision,
    probability,
    pvalue,
    seconds,
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
    """
    A header and rows of strings, and how to read them.

    Numeric columns are aligned to the right.
    """

    caption: str
    header: tuple[str, ...]
    numeric: tuple[bool, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Column:
    """A title, whether it holds numbers, and how a row's cell is written."""

    title: str
    numeric: bool
    cell: Callable[[Any], str]

    def of(self, part: int) -> "Column":
        """The same column of one part of rows that have several."""
        return Column(self.title, self.numeric, lambda row: self.cell(row[part]))


def text(title: str, cell: Callable[[Any], str]) -> Column:
    """Return a column of words."""
    return Column(title, False, cell)


def number(title: str, cell: Callable[[Any], str]) -> Column:
    """Return a column of numbers."""
    return Column(title, True, cell)


BOTH = [
    text("baseline A", lambda pair: one_line(pair.baseline or NONE)),
    text("challenger B", lambda pair: one_line(pair.challenger)),
]


def table(
    caption: str, columns: Sequence[Column], rows: Iterable[Any], *, whole: bool = True
) -> Grid:
    """Write the cells of all rows; unless whole, columns that have nothing to say are left out."""
    cells = [tuple(column.cell(row) for column in columns) for row in rows]
    said = [whole or any(row[k] != NONE for row in cells) for k in range(len(columns))]
    kept = list(compress(columns, said))
    return Grid(
        caption=caption,
        header=tuple(column.title for column in kept),
        numeric=tuple(column.numeric for column in kept),
        rows=tuple(tuple(compress(row, said)) for row in cells),
    )


def pair_grid(facts: Facts) -> Grid:
    """Return the table of pairs, without the columns that have nothing to say."""
    columns = [*_names(facts), *_estimate(facts), *_evidence(facts)]
    if any(pair.outcome for pair in facts.pairs):
        columns.append(_VERDICT)
    return table(_differing(facts), columns, facts.pairs)


_VERDICT = text("verdict", lambda pair: pair.outcome or NONE)


def grids(facts: Facts) -> Iterator[Grid]:
    """Yield the tables that a text has room for: ranking, pairs, further measures, flips."""
    if facts.candidates:
        yield rank_grid(facts)
    yield pair_grid(facts)
    if facts.others:
        yield measure_grid(facts)
    if facts.flips:
        yield flip_grid(facts)
    if facts.parts:
        yield part_grid(facts)


def part_grid(facts: Facts) -> Grid:
    """Return what was found on every task and slice, in the order of the table."""
    digits = max(precision(one.value, one.low, one.high) for one in facts.parts)
    columns = [
        text("part", lambda one: one_line(f"{one.column} {one.label}")),
        *(BOTH if len(facts.pairs) > 1 else []),
        number("examples", lambda one: str(one.n)),
        number("fixed", lambda one: NONE if one.fixed is None else str(one.fixed)),
        number("broke", lambda one: NONE if one.broke is None else str(one.broke)),
        number(facts.quantity.against, lambda one: format_number(one.value, digits=digits)),
        number(_kind(facts), lambda one: interval(one.low, one.high, digits=digits)),
        number("confidence", lambda one: format_confidence(one.level)),
        number(f"p ({facts.parts[0].adjust})", lambda one: pvalue(one.adjusted_pvalue)),
        text("verdict", lambda one: one.outcome),
    ]
    return table(
        "Each task and slice, at its share of the level.",
        columns,
        facts.parts,
        whole=False,
    )


def rank_grid(facts: Facts) -> Grid:
    """Return the ranked list of several algorithms, with the ranks they may truly have and ties."""
    digits = max((precision(one.value, one.low, one.high) for one in facts.candidates), default=3)
    columns = [
        number("rank", lambda one: str(one.rank)),
        text("algorithm", lambda one: one_line(one.name)),
        number(one_line(facts.measure_words), lambda one: format_number(one.value, digits=digits)),
        number(
            "true rank",
            lambda one: NONE if one.first is None else rank_range(one.first, one.last),
        ),
        text("ties", lambda one: one.ties or NONE),
        text("may be best", lambda one: {None: NONE, True: "yes", False: "no"}[one.among_best]),
    ]
    if any(one.left_after is not None for one in facts.candidates):
        columns.append(number("repetitions", lambda one: _repetitions(facts, one.left_after)))
    return table(_rank_caption(facts), columns, facts.candidates)


def rank_range(first: int, last: int | None) -> str:
    """Write the ranks from first to last; one rank alone if they are the same."""
    return str(first) if first == last else f"{first} to {last}"


def _repetitions(facts: Facts, left_after: int | None) -> str:
    if left_after is None:
        run = len(facts.design.repetition) // 2
    else:
        run = left_after
    return str(run)


def _rank_caption(facts: Facts) -> str:
    if facts.alternative == "not-worse":  # both sides of every pair
        level = 2 * facts.level
    else:
        level = facts.level
    tied = "Algorithms that share a letter are tied."
    if facts.question != "pairs":
        return (
            f"With {format_confidence(level)} confidence, the best is among those marked 'may be "
            "best'; algorithms that dropped out of the race were not fitted again. Each limit of "
            f"a true rank holds for that algorithm alone. {tied}{_race_intervals(facts)}"
        )
    return f"Ranks are simultaneous {format_confidence(level)} confidence sets. {tied}"


def _race_intervals(facts: Facts) -> str:
    """Say why the intervals of a race have another level than was asked for."""
    if not facts.shared:
        return ""
    tests = f"the {len(facts.algorithms) - 1} one-sided tests against each algorithm"
    confidence = format_confidence(facts.pairs[0].level)
    return (
        f" Intervals of pairs have a confidence of {confidence}, because {tests} share the level "
        f"of {facts.level:g}."
    )


def flip_grid(facts: Facts) -> Grid:
    """Return how many examples each challenger fixed and broke, with the first ids."""
    columns = [
        *BOTH,
        number("fixed", lambda one: str(len(one.fixed))),
        number("broke", lambda one: str(len(one.broke))),
        text("fixed examples", lambda one: _first_ids(one.fixed)),
        text("broken examples", lambda one: _first_ids(one.broke)),
    ]
    return table("Fixed: A was wrong and B is right; broke: the reverse.", columns, facts.flips)


def size_grid(facts: Facts) -> Grid:
    """Return both algorithms and their difference at every training size, row by row."""
    digits = facts.value_digits
    change = number("B − A", lambda row: format_number(row[1].value, digits=row[0].sizes.digits))
    both = [_mean("A", 0, digits), _mean("B", 1, digits), change]
    columns = [
        *(column.of(0) for column in _names(facts)),
        number("trained on", lambda row: str(row[1].n_train)),
        *([_mean("value", 0, digits)] if is_about_singles(facts) else both),
        number(
            "interval", lambda row: interval(row[1].low, row[1].high, digits=row[0].sizes.digits)
        ),
    ]
    rows = [(pair, one) for pair in facts.pairs if pair.sizes is not None for one in pair.sizes.at]
    return table("Results by training size.", columns, rows)


def _mean(title: str, k: int, digits: int) -> Column:
    return number(title, lambda row: format_number(row[1].means[k], digits=digits))


def _first_ids(ids: tuple[Any, ...]) -> str:
    """The first ids, and whether there are more."""
    shown_ids = ", ".join(one_line(str(one)) for one in ids[:_IDS])
    return (f"{shown_ids}, …" if len(ids) > _IDS else shown_ids) or NONE


def effect_grid(facts: Facts) -> Grid:
    """Return how large every difference is in units of its own."""
    columns = [
        *BOTH,
        number("Cohen's d", lambda pair: format_number(pair.cohen_d, digits=2)),
        number("interval", lambda pair: _ends(pair.cohen_d_low, pair.cohen_d_high, digits=2)),
        number("A12", lambda pair: format_number(pair.a12, digits=3)),
        number("interval", lambda pair: _ends(pair.a12_low, pair.a12_high, digits=3)),
    ]
    if facts.lower_is_better:
        better = "below"
    else:
        better = "above"
    return table(
        "Cohen's d: B − A over the standard deviation of the differences on single examples. A12: "
        "the probability "
        f"that the {one_line(facts.measure_words)} of B is above that of A on an example, ties "
        "counted half; "
        f"Cliff's δ is 2·A12 − 1. B is better where d is {better} 0 and A12 {better} ½. The "
        "intervals have the level of the verdict.",
        columns,
        [pair for pair in facts.pairs if pair.cohen_d is not None],
    )


def _ends(low: float | None, high: float | None, *, digits: int) -> str:
    if low is None or high is None:
        return NONE
    return interval(low, high, digits=digits)


def measure_grid(facts: Facts) -> Grid:
    """Return what the further measures say, one row for each of them and each pair."""
    by_itself = is_about_singles(facts)
    ways = dict.fromkeys(other.quantity.against for other in facts.others)
    if by_itself:
        title = "value"
    else:
        title = " or ".join(ways)
    if facts.shared:
        p_title = f"p ({facts.adjust})"
    else:
        p_title = "p"

    def digits(row: Any) -> int:
        return precision(row[1].value, row[1].low, row[1].high, neutral=row[0].quantity.neutral)

    def times(row: Any) -> str:
        if row[0].quantity.ratio and not by_itself:
            return " ×"
        return ""

    columns = [
        text("measure", lambda row: one_line(row[0].measure_words)),
        text("better", lambda row: "lower" if row[0].lower_is_better else "higher"),
        *(column.of(1) for column in _names(facts)),
        number(
            "value" if by_itself else title,
            lambda row: format_number(row[1].value, digits=digits(row)) + times(row),
        ),
        number(
            interval_title(facts), lambda row: interval(row[1].low, row[1].high, digits=digits(row))
        ),
        number(
            p_title, lambda row: pvalue(row[1].adjusted_pvalue if facts.shared else row[1].pvalue)
        ),
        number("P(B better)", lambda row: probability(row[1].probability)),
        _VERDICT.of(1),
    ]
    rows = [(other, pair) for other in facts.others for pair in other.pairs]
    return table(
        "Each measure at the full level, from the same fits.",
        columns,
        rows,
        whole=False,
    )


def _names(facts: Facts) -> list[Column]:
    if is_about_singles(facts):
        return [text("algorithm", BOTH[1].cell)]
    return BOTH


def _estimate(facts: Facts) -> list[Column]:
    decimals = facts.digits
    if is_about_singles(facts):
        title = one_line(facts.measure_words)
    else:
        title = _direction_phrase(facts)
    return [
        number(title, lambda pair: format_number(pair.value, digits=decimals)),
        number(interval_title(facts), lambda pair: interval(pair.low, pair.high, digits=decimals)),
    ]


def _direction_phrase(facts: Facts) -> str:
    """B − A or B / A, and which side of it favours B."""
    if facts.lower_is_better:
        side = "negative"
    else:
        side = "positive"
    if facts.quantity.ratio:
        if facts.lower_is_better:
            side = "below 1"
        else:
            side = "above 1"
    return f"{facts.quantity.against} ({side}: B better)"


def interval_title(facts: Facts) -> str:
    """
    Name the intervals of all pairs.

    Their one level, whether they hold together, and what their ends are.

    With the question "not worse?" each end is a bound by itself, at the level.
    """
    own = {pair.level for pair in facts.pairs}
    together = facts.shared and facts.question == "pairs" and not facts.of_discoveries
    if together or len(own) != 1:
        level = facts.level
    else:
        level = own.pop()
    return f"{'simultaneous ' if together else ''}{format_confidence(level)} {_kind(facts)}"


def _kind(facts: Facts) -> str:
    """What the ends of an interval are."""
    if facts.alternative == "not-worse":
        return "one-sided bounds"
    if credible(facts):
        return "credible interval"
    if facts.alternative == "two-sided":
        return "CI"
    return "bound"


def _evidence(facts: Facts) -> list[Column]:
    columns = []
    if any(pair.pvalue is not None for pair in facts.pairs):
        columns.append(number("p", lambda pair: pvalue(pair.pvalue)))
    if facts.shared and any(pair.adjusted_pvalue is not None for pair in facts.pairs):
        columns.append(number(f"p ({facts.adjust})", lambda pair: pvalue(pair.adjusted_pvalue)))
    if any(pair.probability is not None for pair in facts.pairs):
        columns.append(number("P(B better)", lambda pair: probability(pair.probability)))
    return columns


def zero_note(facts: Facts) -> str:
    """Return a sentence, with a blank before it, where a decided pair has an end written as 0."""
    decided = [pair for pair in facts.pairs if pair.outcome in ("better", "worse")]
    ends = [end for pair in decided for end in (pair.low, pair.high)]
    if facts.margin or facts.quantity.ratio:
        return ""
    if not any(float(f"{end:.{max(facts.digits, 0)}f}") == 0 for end in ends):
        return ""
    return " An interval of a decided pair that is written to 0 does not contain 0."


def _differing(facts: Facts) -> str:
    words = one_line(facts.measure_words)
    if not is_about_singles(facts):
        sign = f"{'negative' if facts.lower_is_better else 'positive'} values"
        if facts.quantity.ratio:
            sign = f"values {'below' if facts.lower_is_better else 'above'} 1"
        words = f"{facts.quantity.against} in {words}; {sign} favour the challenger B"
    if facts.margin:
        return f"{words}; differences up to {facts.margin:g} do not matter."
    return f"{words}.{zero_note(facts)}"


def is_about_singles(facts: Facts) -> bool:
    """Whether algorithms are estimated by themselves, without a baseline."""
    return all(pair.baseline is None for pair in facts.pairs)


def credible(facts: Facts) -> bool:
    """Whether the intervals come from a posterior."""
    return any(pair.curves or pair.probability is not None for pair in facts.pairs)


SENTENCES = 6  # of pairs; more are read in the table
_NAMES = 4  # more than this are read in the ranking


def method_and_design(facts: Facts) -> str:
    """Return method and design with what was asked of them."""
    words = [f"{facts.method.key} on {one_line(facts.design.name)}"]
    if not is_about_singles(facts):
        two = facts.alternative == "two-sided"
        words.append(facts.alternative if two else f"one-sided ({facts.alternative})")
    if facts.margin:
        words.append(f"margin {facts.margin:g}")
    if len(facts.pairs) > 1:
        pairs = count(len(facts.pairs), "pair")
        if facts.question == "pairs":
            how = f"adjusted by {facts.adjust}"
        else:
            how = "in a race for the best"
        words.append(f"{pairs} {how}" if facts.shared else f"{pairs}, not adjusted")
    text = ", ".join(words)
    if facts.method.recommended:
        return text
    return f"{text}; for comparison only"


def best(facts: Facts) -> str:
    """
    Return the headline of several algorithms.

    Who beats the baseline, or else who may be the best.
    """
    if facts.baseline is not None:
        return against_baseline(facts)
    return _best(facts)


def against_baseline(facts: Facts) -> str:
    """Say of every challenger what became of it against the baseline, those that beat it first."""
    by_outcome: dict[str, list[str]] = {outcome: [] for outcome in _AGAINST}
    for pair in facts.pairs:
        by_outcome[pair.outcome or "not applicable"].append(one_line(pair.challenger))
    words = [
        f"{_names_or_count(names)} {_AGAINST[outcome]}"
        for outcome, names in by_outcome.items()
        if names
    ]
    if not by_outcome["better"]:
        words.insert(0, f"none of {count(len(facts.pairs), 'algorithm')} is shown to be better")
    if facts.margin:
        margin = f" (margin {facts.margin:g})"
    else:
        margin = ""
    if facts.shared:
        confidence = f"with {format_confidence(facts.level)} confidence in all of these together"
    else:
        confidence = ""
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


def _names_or_count(names: list[str]) -> str:
    if len(names) <= _NAMES:
        return join_words(names)
    return f"{len(names)} of them"


def _best(facts: Facts) -> str:
    """Return who has the best value, with an interval for the choice, and who may be the best."""
    first = facts.candidates[0]
    digits = precision(first.value, first.low, first.high)
    words = f"{one_line(first.name)} ranks first: {one_line(facts.measure_words)} "
    words += format_number(first.value, digits=digits)
    if math.isfinite(first.high - first.low):
        limits = interval(first.low, first.high, digits=digits)
        words += f" ({format_confidence(facts.level)} CI {limits}, adjusted for selection)"
    among = [one_line(one.name) for one in facts.candidates if one.among_best]
    if not among:
        return f"{words}."
    if facts.alternative == "not-worse":  # both sides of every pair
        level = 2 * facts.level
    else:
        level = facts.level
    return (
        f"{words}; with {format_confidence(level)} confidence, "
        f"{_best_set_phrase(among, facts)}{_left_out_sentence(facts)}."
    )


def _left_out_sentence(facts: Facts) -> str:
    """Say who a race left out, and after how many repetitions."""
    out: dict[int, list[str]] = {}
    for one in facts.candidates:
        if one.left_after is not None:
            out.setdefault(one.left_after, []).append(one_line(one.name))
    if not out:
        return ""
    words = [f"{_names_or_count(out[m])} after {m}" for m in sorted(out)]
    return f"; dropped out of the race: {', '.join(words)} repetitions"


def _best_set_phrase(names: list[str], facts: Facts) -> str:
    if len(names) == 1:
        return "no other can be the best"
    if len(names) == len(facts.candidates):
        return f"any of the {len(names)} may be the best"
    if len(names) <= _NAMES:
        return f"the best is among {join_words(names)}"
    return f"the best is one of {len(names)} among the {len(facts.candidates)}"


def powers(facts: Facts) -> list[str]:
    """Return what each gate would have caught; with several, of whom."""
    if len(facts.power) == 1:
        return [str(facts.power[0])]
    pairs = [f"{one_line(one.challenger)} against {one_line(one.baseline)}" for one in facts.power]
    return [f"{pair}: {one}" for pair, one in zip(pairs, facts.power, strict=True)]


def name_algorithms(facts: Facts | AcrossFacts) -> str:
    """Name the algorithms, or say how many there are."""
    names = [one_line(name) for name in facts.algorithms]
    if len(names) <= _NAMES:
        return join_words(names)
    return f"{len(names)} algorithms"


def fits_phrase(facts: Facts | AcrossFacts) -> str:
    """Return how many fits there were, for a table."""
    if facts.reused:
        return f"{facts.fits} + {facts.reused} reused"
    return str(facts.fits)


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


def failed_fits_sentence(facts: Facts) -> str:
    """Return whose fits failed, on how many splits, and why."""
    return one_line(failures_in_words(facts.failures, len(facts.design.repetition)))


def chose(one: Chosen) -> str:
    """
    Return what a search chose, the most frequent first.

    Examples
    --------
    >>> chose(Chosen(algorithm="tuned", parameters=({"C": 1}, {"C": 10}, {"C": 1})))
    'tuned: C=1 in 2 of 3 fits; C=10 in 1'
    """
    often = Counter(words for words in one.words if words)
    shown = often.most_common(_NAMES)
    rest = len(often) - _NAMES
    said = [f"{one_line(words)} in {times}" for words, times in shown]
    said[0] += f" of {count(often.total(), 'fit')}"
    if rest > 0:
        more = [f"{rest} others"]
    else:
        more = []
    return f"{one_line(one.algorithm)}: {'; '.join([*said, *more])}"
