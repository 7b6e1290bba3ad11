"""Facts in words: what ``print`` shows."""

from collections.abc import Iterator
from dataclasses import replace

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.comparison import Facts, Pair
from evenfold.core.words import align_columns, count, escape_control_text, one_line, width
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
    measure_grid,
    method_and_design,
    pair_grid,
    part_grid,
    powers,
)
from evenfold.report._content import rank_grid as ranked
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)
from evenfold.report.formats.markdown import escape_markdown, to_markdown
from evenfold.report.square import is_square, square

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
    said, found, _ = one_line(pair.sentence).partition(" is inconclusive: ")
    if found and "; whether by more than" in said:  # the sign is known, the margin is not
        return f"{MARKS.get(outcome, '')} {said} is inconclusive"
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
    if len(facts.pairs) > 1 and is_square(facts) and not details:
        grid = square(facts)
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
