"""Facts in words: what ``print`` shows, and the sentences that other formats say, too."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.answers import Pair
from evenfold.core.facts.board import BoardFacts
from evenfold.core.facts.comparison import Facts
from evenfold.core.losses import failures_in_words
from evenfold.core.words import (
    NONE,
    align_columns,
    count,
    escape_control_text,
    format_confidence,
    format_number,
    interval,
    join_words,
    one_line,
    precision,
    probability,
    seconds,
    width,
)
from evenfold.report import tables
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)
from evenfold.report.formats.markdown import escape_markdown, to_markdown
from evenfold.report.words.chosen import choice_words
from evenfold.report.words.verdict import heading

MARKS = {
    "better": "▲",
    "worse": "▼",
    "not worse": "△",
    "equivalent": "=",
    "inconclusive": "?",
    "not applicable": "∅",
}
SENTENCES = 6  # of pairs; more are read in the table
_NAMES = 4  # more than this are read in the ranking

# The verdict as a few lines of Markdown, fit for a pull request.


@format("summary", suffix=".md")
def to_summary(facts: Facts) -> str:
    """
    Write a summary in Markdown: verdicts, table, what changed, and the power of a gate.

    Parameters
    ----------
    facts : Facts
        What a comparison found.

    Returns
    -------
    str
        Markdown with a heading, without a final newline.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> print(to_summary(sample()).splitlines()[0])
    ### ▲ forest is better than tree
    """
    parts = [f"### {escape_markdown(_heading(facts))}"]
    if len(facts.pairs) <= SENTENCES:
        parts += [escape_markdown(one_line(pair.sentence)) for pair in facts.pairs]
    parts.append(to_markdown(facts))
    lines = [f"Test: {line}." for line in hypotheses(facts)]
    lines += [f"Power: {line}." for line in powers(facts)]
    lines += [f"Estimand: {one_line(facts.estimand)}.", f"Method: {method_and_design(facts)}."]
    lines += [f"Note: {one_line(note)}." for note in facts.notes]
    parts.append("\n".join(f"- {escape_markdown(line)}" for line in lines))
    return "\n\n".join(parts)


def _heading(facts: Facts) -> str:
    """The outcome of the only pair, who may be the best of several, or how many pairs there are."""
    if sentence := headline(facts):
        return sentence
    if len(facts.pairs) != 1:
        return f"{len(facts.pairs)} pairs of algorithms"
    pair = facts.pairs[0]
    outcome = pair.outcome or ""
    mark = MARKS.get(outcome, "")
    sentence = heading(
        outcome,
        one_line(pair.baseline or ""),
        one_line(pair.challenger),
        margin=facts.margin,
        direction=pair.direction,
        ratio=facts.quantity.ratio,
    )
    return f"{mark} {sentence}".strip()


_ROWS = 30  # of more pairs only those are shown that were decided


@format("text", suffix=".txt")
def to_text(facts: Facts, *, details: bool = False) -> str:
    """
    Write all that matters for a terminal: verdict, estimand, cost, warnings.

    Parameters
    ----------
    facts : Facts
        What a comparison found.
    details : bool, default False
        Whether to name the method and the design, and to say every pair of several algorithms in a
        sentence and with its p-value.

    Returns
    -------
    str
        Several lines without a final newline. More than two algorithms open with a headline and
        their ranking; then come the pairs, of up to ten algorithms as a square, of more as a table.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> print(to_text(sample(), details=True))
    forest is better than tree: its error is lower by 0.021 ...
    <BLANKLINE>
      estimand  expected difference in error, forest − tree, at training size 285
      method    the sequential m×2 cv t-test (mx2-sequential-t) on Mx2BCV(9), two-sided
      cost      16 fits, 640 ms of fitting
    """
    sentences = []
    if (details or not headline(facts)) and len(facts.pairs) <= SENTENCES:
        sentences = [one_line(pair.sentence) for pair in facts.pairs]
    lines = "\n".join(_lines(facts, details=details))
    parts = [*_ranking(facts), "\n".join(sentences), *_tables(facts, details=details), lines]
    return escape_control_text("\n\n".join(part for part in parts if part))


@format("text", suffix=".txt", of=AcrossFacts)
def across_plain_text(facts: AcrossFacts, *, details: bool = False) -> str:
    """Write all that matters for a terminal: verdict, ranks, pairs, cost, warnings."""
    data = [count(len(facts.data_sets), "data set"), training_sizes(facts)]
    lines = [f"  data      {', '.join(filter(None, data))}"]
    if details:
        each = f"; {facts.method} on each" if facts.method else ""
        lines.append(f"  method    {facts.test} over data sets{each}")
    lines.append(f"  cost      {cost(facts)}")
    lines += [f"  note      {one_line(note)}" for note in facts.notes]
    pairs = _with_caption(tables.across_grid(facts))
    parts = [one_line(facts.sentence), pairs, "\n".join(lines)]
    if len(facts.algorithms) > 2:
        parts.insert(1, align_grid(tables.mean_rank_grid(facts)))
    return escape_control_text("\n\n".join(parts))


def align_grid(grid: tables.Grid) -> str:
    """Write a table in columns, with a rule under the header."""
    header, *rows = align_columns([grid.header, *grid.rows], grid.numeric)
    rule = ["─" * width(cell) for cell in header]
    return "\n".join("  ".join(line).rstrip() for line in (header, rule, *rows))


def _with_caption(grid: tables.Grid) -> str:
    return f"{align_grid(grid)}\n{grid.caption}"


def _ranking(facts: Facts) -> Iterator[str]:
    yield headline(facts)
    if facts.candidates:
        yield _with_caption(tables.rank_grid(facts))


def _decided_pairs(facts: Facts) -> tuple[Pair, ...]:
    return tuple(
        pair for pair in facts.pairs if pair.outcome not in ("inconclusive", "not applicable")
    )


def _tables(facts: Facts, *, details: bool) -> Iterator[str]:
    shown = facts.pairs
    if len(facts.pairs) > _ROWS and headline(facts):
        shown = _decided_pairs(facts)
    if len(facts.pairs) > 1 and _is_square(facts) and not details:
        yield _with_caption(_square(facts))
    elif len(facts.pairs) > 1 and shown:
        yield align_grid(tables.pair_grid(replace(facts, pairs=shown)))
    if len(facts.flips) > 1 and (details or len(facts.flips) <= SENTENCES):
        yield align_grid(tables.flip_grid(facts))
    if facts.parts:
        yield align_grid(tables.part_grid(facts))
    for other in facts.others:
        yield from _further_ranking(other)
    rest = tuple(other for other in facts.others if not other.candidates)
    if rest:
        yield align_grid(tables.measure_grid(replace(facts, others=rest)))


def _further_ranking(other: Facts) -> Iterator[str]:
    """Write the ranking by a further measure, with a square of its pairs where there is room."""
    if not other.candidates:
        return
    yield f"By {one_line(other.measure_words)}: {headline(other)}"
    yield align_grid(tables.rank_grid(other))
    if _is_square(other):
        yield _with_caption(_square(other))


def _lines(facts: Facts, *, details: bool) -> Iterator[str]:
    yield f"  estimand  {one_line(facts.estimand)}"
    if details or not facts.method.recommended:
        yield f"  method    {method_and_design(facts)}"
    yield from (
        f"  size      {one_line(pair.sizes.sentence)}" for pair in facts.pairs if pair.sizes
    )
    if len(facts.pairs) > _ROWS and headline(facts):
        decided = len(_decided_pairs(facts))
        yield f"  pairs     {decided} of {len(facts.pairs)} were decided; c.to_frame() lists all"
    yield from (f"  test      {line}" for line in hypotheses(facts))
    if len(facts.flips) == 1:
        yield f"  flips     {facts.flips[0]}"
    yield from (f"  power     {line}" for line in powers(facts))
    yield from (f"  chosen    {choice_words(choice)}" for choice in facts.chosen)
    yield f"  cost      {cost(facts)}"
    if facts.failures:
        yield f"  failures  {failed_fits_sentence(facts)}"
    for note in facts.notes:
        yield f"  note      {one_line(note)}"


def hypotheses(facts: Facts) -> list[str]:
    """P(H0), P(H1) and R19's decision of every pair that has a posterior, if they are few."""
    pairs = [pair for pair in facts.pairs if pair.accepted]
    if len(pairs) > SENTENCES:
        return []
    margin = f" by more than {facts.margin:g}" if facts.margin else ""
    return [_hypotheses_of_pair(pair, margin) for pair in pairs]


def _hypotheses_of_pair(pair: Pair, margin: str) -> str:
    names = f"{one_line(pair.challenger)} is better than {one_line(pair.baseline or NONE)}"
    return (
        f"P(H0) = {probability(pair.null_probability)}, P(H1) = {probability(pair.probability)}, "
        f"where H1 says that {names}{margin}; {pair.accepted} is more probable and is accepted"
    )


# All pairs of a few algorithms as a square: the row minus the column, with its verdict, and its
# interval where there is space for one.

_MOST_IN_SQUARE = 10  # algorithms whose square fits into a terminal
_WITH_INTERVALS = 4  # algorithms at most
_TURNED = {"better": "worse", "worse": "better"}


def _is_square(facts: Facts) -> bool:
    """Whether all pairs of three to ten algorithms were compared, so that a square holds them."""
    names = {candidate.name for candidate in facts.candidates}
    n_pairs = len(names) * (len(names) - 1) // 2
    plain = facts.baseline is None and facts.alternative == "two-sided" and not facts.quantity.ratio
    among = sum({pair.baseline, pair.challenger} <= names for pair in facts.pairs)
    return plain and 2 < len(names) <= _MOST_IN_SQUARE and among == n_pairs


def _square(facts: Facts) -> tables.Grid:
    """
    Return the square of pairs, the best algorithm first; below the diagonal there is nothing new.

    Up to four algorithms have their intervals. With more, columns are numbered as in the ranking.
    """
    names = [candidate.name for candidate in facts.candidates]
    pairs = {(pair.baseline, pair.challenger): pair for pair in facts.pairs}
    numbered = len(names) > _WITH_INTERVALS
    rows = []
    for i, row in enumerate(names[:-1]):
        cells = [_entry(pairs, row, column, facts.digits, numbered) for column in names[i + 1 :]]
        title = f"{i + 1} {one_line(row)}" if numbered else one_line(row)
        rows.append((title, *[NONE] * i, *cells))
    titles = [str(k + 2) if numbered else one_line(name) for k, name in enumerate(names[1:])]
    return tables.Grid(
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
    what = f"Difference in {tables.compared_words(facts)}"
    if not numbered:
        what += f" with {tables.interval_title(facts)}"
    return (
        f"{what}: {MARKS['better']} row better, {MARKS['worse']} row worse{same}, "
        f"{MARKS['inconclusive']} inconclusive."
    )


# Sentences.


def method_and_design(facts: Facts) -> str:
    """Return method and design with what was asked of them."""
    method = facts.method.key
    if facts.method.name:
        method = f"{facts.method.name} ({method})"
    words = [f"{method} on {one_line(facts.design.name)}"]
    if not tables.is_about_singles(facts):
        words.append(sides(facts))
    if facts.margin:
        words.append(f"margin {facts.margin:g}")
    if len(facts.pairs) > 1:
        how = ", not adjusted"
        if facts.shared:
            how = f" adjusted by {facts.adjust}"
        words.append(count(len(facts.pairs), "pair") + how)
    if not facts.method.recommended:
        words[-1] += "; for comparison only"
    return ", ".join(words)


def sides(facts: Facts) -> str:
    """Say whether the test was two-sided, and if not which side it asked about."""
    if facts.alternative == "two-sided":
        return facts.alternative
    return f"one-sided ({facts.alternative})"


def headline(facts: Facts) -> str:
    """
    Return the headline of several algorithms; nothing for fewer.

    It says who beats the baseline, or else who may be the best, and which algorithms failed on
    every split.
    """
    if len(facts.pairs) > 1 and facts.baseline is not None:
        sentences = [
            _against_baseline(facts, one_line(facts.baseline)),
            tables.least_certain(facts),
        ]
    elif facts.candidates:
        sentences = [_best(facts)]
    elif len(facts.pairs) > 1:
        sentences = []
    else:
        return ""
    if failed := _failed_everywhere(facts):
        were = "was" if len(failed) == 1 else "were"
        names = _names_or_count([one_line(name) for name in failed])
        sentences.append(f"{names} failed on every split and {were} not compared.")
    return " ".join(filter(None, sentences))


def _failed_everywhere(facts: Facts) -> list[str]:
    """Return the algorithms that failed on every split, of which nothing is known."""
    return [
        name
        for name, values in zip(facts.algorithms, facts.values, strict=False)
        if not any(map(math.isfinite, values))
    ]


_OUTCOMES = ("better", "not worse", "equivalent", "inconclusive", "worse", "not applicable")


def _against_baseline(facts: Facts, baseline: str) -> str:
    """Say of every challenger what became of it against the baseline, those that beat it first."""
    by_outcome: dict[str, list[str]] = {outcome: [] for outcome in _OUTCOMES}
    failed = _failed_everywhere(facts)
    compared = [pair for pair in facts.pairs if pair.challenger not in failed]
    for pair in compared:
        by_outcome[pair.outcome or "not applicable"].append(one_line(pair.challenger))
    words = [
        f"{_names_or_count(names)} {outcome.replace('not applicable', 'without an answer')}"
        for outcome, names in by_outcome.items()
        if names
    ]
    if not by_outcome["better"]:
        words.insert(0, f"none of {count(len(compared), 'algorithm')} is shown to be better")
    margin = f" (margin {facts.margin:g})" if facts.margin else ""
    sentence = f"against the baseline {baseline}{margin}: {'; '.join(words)}"
    if facts.shared:
        sentence += f", with {format_confidence(facts.level)} confidence in all of these together"
    return f"{sentence}."


def _names_or_count(names: list[str]) -> str:
    if len(names) <= _NAMES:
        return join_words(names)
    return f"{len(names)} of them"


def _best(facts: Facts) -> str:
    """Return who has the best value, with its own interval, and who may be the best."""
    first = facts.candidates[0]
    digits = precision(first.value, first.low, first.high)
    words = f"{one_line(first.name)} ranks first: {one_line(facts.measure_words)} "
    words += format_number(first.value, digits=digits)
    if math.isfinite(first.high - first.low):
        limits = interval(first.low, first.high, digits=digits)
        confidence = f"{format_confidence(facts.level)} CI"
        if first.level == facts.level:
            words += f" (its own {confidence} {limits})"
        else:  # only in files of version 0.2
            words += f" ({confidence} {limits}, adjusted for selection)"
    among = [one_line(candidate.name) for candidate in facts.candidates if candidate.among_best]
    if among:
        words += (
            f"; with {tables.set_confidence(facts)} confidence, {_best_set_phrase(among, facts)}"
        )
    return f"{words}."


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
    return [
        f"{one_line(power.challenger)} against {one_line(power.baseline)}: {power}"
        for power in facts.power
    ]


def name_algorithms(facts: Facts | AcrossFacts, most: int = _NAMES) -> str:
    """Name the algorithms, or say how many there are if they are more than so many."""
    if len(facts.algorithms) > most:
        return f"{len(facts.algorithms)} algorithms"
    return join_words(map(one_line, facts.algorithms))


def fits_phrase(facts: Facts | AcrossFacts) -> str:
    """Return how many fits there were, for a table."""
    if facts.reused:
        return f"{facts.fits} + {facts.reused} reused"
    return str(facts.fits)


def versions(facts: Facts | AcrossFacts | BoardFacts) -> str:
    """Return what the answer was made with."""
    return ", ".join(f"{name} {version}" for name, version in facts.versions.items())


def cost(facts: Facts | AcrossFacts) -> str:
    """Return what the answer took."""
    if not (facts.fits or facts.reused):
        return "nothing was fitted"
    words = [count(facts.fits, "fit")]
    if isinstance(facts, Facts) and facts.speculative:
        words[0] += f" ({facts.speculative} run ahead without need)"
    if facts.reused:
        words.append(f"{facts.reused} found in the store")
    if isinstance(facts, Facts):
        words.append(f"{seconds(facts.seconds)} of fitting")
        if tuning := sum(choice.seconds_of_tuning for choice in facts.chosen):
            words.append(f"{seconds(tuning)} of it tuning")
    return ", ".join(words)


def training_sizes(facts: AcrossFacts) -> str:
    """Say on how many examples the models of the data sets were trained, if that is known."""
    known = {row.n_train for row in facts.data_sets if row.n_train}
    if not known:
        return ""
    ends = sorted({min(known), max(known)})
    return f"models trained on {' to '.join(map(str, ends))} examples"


def failed_fits_sentence(facts: Facts) -> str:
    """Return whose fits failed, on how many splits, and why."""
    return one_line(failures_in_words(facts.failures, len(facts.design.repetition)))
