"""Facts in words: what ``print`` shows."""

import math
from collections.abc import Iterator

from evenfold.core.facts import Facts
from evenfold.core.words import count, interval, listed, one_line, percent, precision, seconds, shown, width
from evenfold.report._grid import Grid, alone, flip_grid, measure_grid, padded, pair_grid, rank_grid

_SENTENCES = 6  # more pairs than this are read in the table


def to_text(facts: Facts) -> str:
    """
    Say everything that matters in a terminal: verdict, estimand, method, cost, warnings.

    Parameters
    ----------
    facts : Facts
        What a comparison found.

    Returns
    -------
    str
        Several lines without a final newline. One sentence for each pair, and a table where there are
        several.

    Examples
    --------
    >>> from evenfold.report._sample import sample
    >>> print(to_text(sample()))
    forest is better than tree: its error is lower by 0.021 ...
    <BLANKLINE>
      estimand  expected difference in error, forest − tree, at training size 285
      method    mx2-sequential-t on Mx2BCV(9), two-sided
      cost      16 fits, 640 ms of fitting
    """
    sentences = [one_line(pair.sentence) for pair in facts.pairs] if len(facts.pairs) <= _SENTENCES else []
    parts = ["\n".join(sentences), *_tables(facts), "\n".join(_lines(facts))]
    return "\n\n".join(part for part in parts if part)


def asked(facts: Facts) -> str:
    """Return method and design with what was asked of them."""
    words = [f"{facts.method.key} on {one_line(facts.design.name)}"]
    if not alone(facts):
        two = facts.alternative == "two-sided"
        words.append(facts.alternative if two else f"one-sided ({facts.alternative})")
    if facts.margin:
        words.append(f"margin {facts.margin:g}")
    if len(facts.pairs) > 1:
        words.append(f"{count(len(facts.pairs), 'pair')} adjusted by {facts.adjust}")
    text = ", ".join(words)
    return text if facts.method.recommended else f"{text}; for comparison only"


def best(facts: Facts) -> str:
    """Return who has the best value, with an interval that allows for the choice, and who may be the best."""
    first = facts.candidates[0]
    digits = precision(first.value, first.low, first.high)
    words = f"{one_line(first.name)} with {one_line(facts.measure_words)} {shown(first.value, digits=digits)}"
    if math.isfinite(first.high - first.low):
        limits = interval(first.low, first.high, digits=digits)
        words += f" ({percent(facts.level)} interval for the winner {limits})"
    among = [one_line(one.name) for one in facts.candidates if one.among_best]
    if not among:
        return words
    only = "no other can be" if len(among) == 1 else f"the best is among {listed(among)}"
    return f"{words}; with {percent(facts.level)} confidence {only}"


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


def failed(facts: Facts) -> str:
    """Return how many cells failed, and whose."""
    names = dict.fromkeys(one_line(failure.algorithm) for failure in facts.failures)
    return f"{count(len(facts.failures), 'cell')} of {listed(names)} failed" if names else ""


def aligned(grid: Grid) -> str:
    """Write a table in columns, with a rule under the header."""
    widths = [max(width(cell) for cell in column) for column in zip(grid.header, *grid.rows, strict=True)]
    lines = [grid.header, tuple("─" * w for w in widths), *grid.rows]
    return "\n".join("  ".join(padded(line, widths, grid.numeric)).rstrip() for line in lines)


def _tables(facts: Facts) -> Iterator[str]:
    if len(facts.pairs) > 1:
        yield aligned(pair_grid(facts))
    if facts.candidates:
        yield aligned(rank_grid(facts))
    if len(facts.flips) > 1:
        yield aligned(flip_grid(facts))
    if facts.others:
        yield aligned(measure_grid(facts))


def _lines(facts: Facts) -> Iterator[str]:
    yield f"  estimand  {one_line(facts.estimand)}"
    yield f"  method    {asked(facts)}"
    if facts.candidates:
        yield f"  best      {best(facts)}"
    if len(facts.flips) == 1:
        yield f"  flips     {facts.flips[0]}"
    yield f"  cost      {cost(facts)}"
    if facts.failures:
        yield f"  failures  {failed(facts)}: {one_line(facts.failures[0].message)}"
    for note in facts.notes:
        yield f"  note      {one_line(note)}"
