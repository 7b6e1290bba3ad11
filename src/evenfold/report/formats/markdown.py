"""The tables of an answer in Markdown."""

import re

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.comparison import Facts
from evenfold.core.words import align_columns, one_line, width
from evenfold.report import tables
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)

_ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", "@": "&#64;"})


@format("markdown", suffix=".md")
def to_markdown(facts: Facts) -> str:
    """
    Write the tables of an answer in Markdown.

    Parameters
    ----------
    facts : Facts
        What a comparison found.

    Returns
    -------
    str
        Pipe tables without a final newline; names are escaped, so they show as they are. The
        ranking of more than two algorithms, the pairs, what further measures say, and which
        examples flipped.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> print(to_markdown(sample()))
    | baseline A | challenger B | B − A (negative: B better) |           95% CI |     p | verdict |
    | :--------- | :----------- | -------------------------: | ---------------: | ----: | :------ |
    | tree       | forest       |                     −0.021 | −0.034 to −0.008 | 0.004 | better  |
    """
    parts = [markdown_table(grid) for grid in tables.grids(facts)]
    if facts.candidates and (sentence := tables.least_certain(facts)):
        parts.insert(1, escape_markdown(sentence))  # below the ranking
    return "\n\n".join(parts)


@format("markdown", suffix=".md", of=AcrossFacts)
def across_markdown(facts: AcrossFacts) -> str:
    """Return the sentence and the tables of ranks, pairs and data sets, each with its caption."""
    blocks = [escape_markdown(one_line(facts.sentence))]
    for grid in (tables.mean_rank_grid(facts), tables.across_grid(facts), tables.value_grid(facts)):
        blocks += [markdown_table(grid), escape_markdown(grid.caption)]
    return "\n\n".join(blocks)


def markdown_table(grid: tables.Grid) -> str:
    """Write any table as a pipe table."""
    lines = [[*map(escape_markdown, cells)] for cells in (grid.header, *grid.rows)]
    header, *rows = align_columns(lines, grid.numeric)
    dashes = ["-" * (width(cell) - 1) for cell in header]
    rule = [f"{d}:" if right else f":{d}" for d, right in zip(dashes, grid.numeric, strict=True)]
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, rule, *rows))


def escape_markdown(text: str) -> str:
    r"""
    Write a text so that Markdown shows it as it is.

    The text makes no HTML, emphasis, list, heading or mention.

    Examples
    --------
    >>> print(escape_markdown("<img onerror=f()> beats @team"))
    &lt;img onerror=f()&gt; beats &#64;team
    >>> print(escape_markdown("# 1_a"))
    \# 1\_a
    """
    escaped = re.sub(r"([\\`*_{}\[\]|$~])", r"\\\1", text.translate(_ENTITIES))
    # a sign that begins a heading, a rule or a list is escaped; a number is parted from its point
    escaped = re.sub(r"^(\s*)([#+=-])", r"\1\\\2", escaped)
    return re.sub(r"^(\s*\d+)(?=[.)]\s)", r"\1&#8203;", escaped)
