"""Facts in words: what ``print`` shows."""

from collections.abc import Iterator
from dataclasses import replace

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.comparison import Facts, Pair
from evenfold.core.words import count, harmless, in_columns, one_line, width
from evenfold.report._across import cost as spent
from evenfold.report._across import pair_grid as across_pairs
from evenfold.report._across import rank_grid, sizes
from evenfold.report._grid import Grid, flip_grid, measure_grid, pair_grid, part_grid
from evenfold.report._grid import rank_grid as ranked
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)
from evenfold.report.sentences import SENTENCES, asked, best, chose, cost, failed, powers

_ROWS = 30  # of more pairs only those are shown that were decided


@format("text", suffix=".txt")
def to_text(facts: Facts) -> str:
    """
    Say everything that matters in a terminal: verdict, estimand, method, cost, warnings.

    Returns
    -------
    str
        Several lines without a final newline. More than two algorithms open with
        their ranking; then one sentence for each pair, and a table where there are several.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> print(to_text(sample()))
    forest is better than tree: its error is lower by 0.021 ...
    <BLANKLINE>
      estimand  expected difference in error, forest − tree, at training size 285
      method    mx2-sequential-t on Mx2BCV(9), two-sided
      cost      16 fits, 640 ms of fitting
    """
    sentences = [one_line(pair.sentence) for pair in facts.pairs] if len(facts.pairs) <= SENTENCES else []
    parts = [*_ranking(facts), "\n".join(sentences), *_tables(facts), "\n".join(_lines(facts))]
    return harmless("\n\n".join(part for part in parts if part))


@format("text", suffix=".txt", of=AcrossFacts)
def over_data_sets(facts: AcrossFacts) -> str:
    """Say everything that matters in a terminal: verdict, ranks, pairs, cost, warnings."""
    lines = [
        f"  data      {', '.join(filter(None, (count(len(facts.data_sets), 'data set'), sizes(facts))))}",
        f"  method    {facts.test} over data sets" + (f"; {facts.method} on each" if facts.method else ""),
        f"  cost      {spent(facts)}",
        *(f"  note      {one_line(note)}" for note in facts.notes),
    ]
    tables = [aligned(across_pairs(facts))]
    if len(facts.algorithms) > 2:
        tables.insert(0, aligned(rank_grid(facts)))
    return harmless("\n\n".join([one_line(facts.sentence), *tables, "\n".join(lines)]))


def aligned(grid: Grid) -> str:
    """Write a table in columns, with a rule under the header."""
    header, *rows = in_columns([grid.header, *grid.rows], grid.numeric)
    rule = ["─" * width(cell) for cell in header]
    return "\n".join("  ".join(line).rstrip() for line in (header, rule, *rows))


def _ranking(facts: Facts) -> Iterator[str]:
    if facts.candidates:
        yield best(facts)
        yield aligned(ranked(facts))


def _decided(facts: Facts) -> tuple[Pair, ...]:
    return tuple(pair for pair in facts.pairs if pair.outcome not in ("inconclusive", "not applicable"))


def _tables(facts: Facts) -> Iterator[str]:
    shown = facts.pairs if len(facts.pairs) <= _ROWS or not facts.candidates else _decided(facts)
    if len(facts.pairs) > 1 and shown:
        yield aligned(pair_grid(replace(facts, pairs=shown)))
    if len(facts.flips) > 1:
        yield aligned(flip_grid(facts))
    if facts.parts:
        yield aligned(part_grid(facts))
    if facts.others:
        yield aligned(measure_grid(facts))


def _lines(facts: Facts) -> Iterator[str]:
    yield f"  estimand  {one_line(facts.estimand)}"
    yield f"  method    {asked(facts)}"
    yield from (f"  size      {one_line(pair.sizes.sentence)}" for pair in facts.pairs if pair.sizes)
    if facts.candidates and len(facts.pairs) > _ROWS:
        yield f"  pairs     {len(_decided(facts))} of {len(facts.pairs)} were decided; a frame holds all"
    if len(facts.flips) == 1:
        yield f"  flips     {facts.flips[0]}"
    yield from (f"  power     {line}" for line in powers(facts))
    yield from (f"  chosen    {chose(one)}" for one in facts.chosen)
    yield f"  cost      {cost(facts)}"
    if facts.failures:
        yield f"  failures  {failed(facts)}: {one_line(facts.failures[0].message)}"
    for note in facts.notes:
        yield f"  note      {one_line(note)}"
