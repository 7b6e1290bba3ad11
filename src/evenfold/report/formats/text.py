"""Facts in words: what ``print`` shows."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.comparison import Facts, Pair
from evenfold.core.words import (
    NONE,
    align_columns,
    count,
    escape_control_text,
    format_number,
    interval,
    one_line,
    width,
)
from evenfold.report._across import cost as spent
from evenfold.report._across import pair_grid as across_pairs
from evenfold.report._across import rank_grid, sizes
from evenfold.report._content import (
    MARKS,
    SENTENCES,
    Grid,
    best,
    chose,
    cost,
    failed_fits_sentence,
    flip_grid,
    interval_title,
    measure_grid,
    method_and_design,
    pair_grid,
    part_grid,
    powers,
    zero_note,
)
from evenfold.report._content import rank_grid as ranked
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)
from evenfold.report.formats.markdown import escape_markdown, to_markdown

# The verdict as a few lines of Markdown, fit for a pull request.


@format("summary", suffix=".md")
def to_summary(facts: Facts) -> str:
    """
    Write a summary in Markdown: verdicts, table, what changed, and the power of a gate.

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
        few = facts.pairs
    else:
        few = ()
    parts += [escape_markdown(one_line(pair.sentence)) for pair in few]
    parts.append(to_markdown(facts))
    lines = [f"Power: {line}." for line in powers(facts)]
    lines += [f"Estimand: {one_line(facts.estimand)}.", f"Method: {method_and_design(facts)}."]
    lines += [f"Note: {one_line(note)}." for note in facts.notes]
    parts.append("\n".join(f"- {escape_markdown(line)}" for line in lines))
    return "\n\n".join(parts)


def _heading(facts: Facts) -> str:
    """The outcome of the only pair, who may be the best of several, or how many pairs there are."""
    if facts.candidates:
        return best(facts)
    if len(facts.pairs) != 1:
        return f"{len(facts.pairs)} pairs of algorithms"
    pair = facts.pairs[0]
    outcome = pair.outcome or ""
    said, found, _ = one_line(pair.sentence).partition(" is open: ")
    if found and "; whether by more than" in said:  # the sign is known, the margin is not
        return f"{MARKS.get(outcome, '')} {said} is open"
    if outcome == "inconclusive":
        a, b = one_line(pair.baseline or ""), one_line(pair.challenger)
        return f"{MARKS[outcome]} inconclusive: {b} against {a}"
    words = {
        "better": "is better than",
        "worse": "is worse than",
        "not worse": "is not worse than",
        "equivalent": "is equivalent to",
    }.get(outcome, "cannot be compared with")
    a = one_line(pair.baseline or "")
    b = one_line(pair.challenger)
    return f"{MARKS.get(outcome, '')} {b} {words} {a}{_margin(outcome, facts.margin)}".strip()


def _margin(outcome: str, margin: float) -> str:
    """Up to where two are alike, without which "equivalent" and "not worse" say too much."""
    by = {"equivalent": "within", "not worse": "by more than"}.get(outcome, "")
    if by and margin:
        return f" {by} {margin:g}"
    return ""


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
      method    mx2-sequential-t on Mx2BCV(9), two-sided
      cost      16 fits, 640 ms of fitting
    """
    sentences = []
    if (details or not facts.candidates) and len(facts.pairs) <= SENTENCES:
        sentences = [one_line(pair.sentence) for pair in facts.pairs]
    tables = _tables(facts, details=details)
    lines = _lines(facts, details=details)
    parts = [*_ranking(facts), "\n".join(sentences), *tables, "\n".join(lines)]
    return escape_control_text("\n\n".join(part for part in parts if part))


@format("text", suffix=".txt", of=AcrossFacts)
def over_data_sets(facts: AcrossFacts, *, details: bool = False) -> str:
    """Write all that matters for a terminal: verdict, ranks, pairs, cost, warnings."""
    method = f"  method    {facts.test} over data sets" + (
        f"; {facts.method} on each" if facts.method else ""
    )
    lines = [
        "  data      "
        f"{', '.join(filter(None, (count(len(facts.data_sets), 'data set'), sizes(facts))))}",
        *([method] if details else []),
        f"  cost      {spent(facts)}",
        *(f"  note      {one_line(note)}" for note in facts.notes),
    ]
    tables = [align_grid(across_pairs(facts))]
    if len(facts.algorithms) > 2:
        tables.insert(0, align_grid(rank_grid(facts)))
    return escape_control_text("\n\n".join([one_line(facts.sentence), *tables, "\n".join(lines)]))


def align_grid(grid: Grid) -> str:
    """Write a table in columns, with a rule under the header."""
    header, *rows = align_columns([grid.header, *grid.rows], grid.numeric)
    rule = ["─" * width(cell) for cell in header]
    return "\n".join("  ".join(line).rstrip() for line in (header, rule, *rows))


def _ranking(facts: Facts) -> Iterator[str]:
    if facts.candidates:
        yield best(facts)
        grid = ranked(facts)
        yield f"{align_grid(grid)}\n{grid.caption}"


def _decided_pairs(facts: Facts) -> tuple[Pair, ...]:
    return tuple(
        pair for pair in facts.pairs if pair.outcome not in ("inconclusive", "not applicable")
    )


def _tables(facts: Facts, *, details: bool) -> Iterator[str]:
    if len(facts.pairs) <= _ROWS or not facts.candidates:
        shown = facts.pairs
    else:
        shown = _decided_pairs(facts)
    if len(facts.pairs) > 1 and _is_square(facts) and not details:
        grid = _square(facts)
        yield f"{align_grid(grid)}\n{grid.caption}"
    elif len(facts.pairs) > 1 and shown:
        yield align_grid(pair_grid(replace(facts, pairs=shown)))
    if len(facts.flips) > 1:
        yield align_grid(flip_grid(facts))
    if facts.parts:
        yield align_grid(part_grid(facts))
    if facts.others:
        yield align_grid(measure_grid(facts))


def _lines(facts: Facts, *, details: bool) -> Iterator[str]:
    yield f"  estimand  {one_line(facts.estimand)}"
    if details or not facts.method.recommended:
        yield f"  method    {method_and_design(facts)}"
    yield from (
        f"  size      {one_line(pair.sizes.sentence)}" for pair in facts.pairs if pair.sizes
    )
    if facts.candidates and len(facts.pairs) > _ROWS:
        decided = len(_decided_pairs(facts))
        yield f"  pairs     {decided} of {len(facts.pairs)} were decided; c.to_frame() lists all"
    if len(facts.flips) == 1:
        yield f"  flips     {facts.flips[0]}"
    yield from (f"  power     {line}" for line in powers(facts))
    yield from (f"  chosen    {chose(one)}" for one in facts.chosen)
    yield f"  cost      {cost(facts)}"
    if facts.failures:
        yield f"  failures  {failed_fits_sentence(facts)}"
    for note in facts.notes:
        yield f"  note      {one_line(note)}"


# All pairs of a few algorithms as a square: the row minus the column, with its verdict, and its
# interval where there is space for one.

_MOST_IN_SQUARE = 10  # algorithms whose square fits into a terminal
_WITH_INTERVALS = 4  # algorithms at most
_TURNED = {"better": "worse", "worse": "better"}


def _is_square(facts: Facts) -> bool:
    """Whether all pairs of three to ten algorithms were compared, so that a square holds them."""
    names = {one.name for one in facts.candidates}
    asked = len(names) * (len(names) - 1) // 2
    plain = facts.baseline is None and facts.alternative == "two-sided" and not facts.quantity.ratio
    plain = plain and facts.question == "pairs"  # in a race pairs rest on other repetitions each
    among = sum({pair.baseline, pair.challenger} <= names for pair in facts.pairs)
    return plain and 2 < len(names) <= _MOST_IN_SQUARE and among == asked


def _square(facts: Facts) -> Grid:
    """
    Return the square of pairs, the best algorithm first; below the diagonal there is nothing new.

    Up to four algorithms have their intervals; of more, columns are numbered as in the ranking.
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
