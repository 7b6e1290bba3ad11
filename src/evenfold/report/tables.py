"""The table of pairs as a data frame, in Markdown and in LaTeX."""

import re
from typing import TYPE_CHECKING

from evenfold.core.facts import Facts
from evenfold.core.words import one_line, width
from evenfold.report._grid import Grid, measure_grid, padded, pair_grid

if TYPE_CHECKING:
    import pandas as pd

_PAIR_COLUMNS = (
    "baseline",
    "challenger",
    "outcome",
    "value",
    "low",
    "high",
    "level",
    "standard_error",
    "statistic",
    "df",
    "pvalue",
    "adjusted_pvalue",
    "probability",
)
_TEXT_COLUMNS = ("baseline", "challenger", "outcome")

_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"$<$",
    ">": r"$>$",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "−": r"$-$",
    "–": "--",
    "∞": r"$\infty$",
    "×": r"$\times$",
    "[": "{[}",  # a row that begins with [ would be an argument of \\
    "]": "{]}",
}


def to_frame(facts: Facts) -> "pd.DataFrame":
    """
    Return one row for each pair, and again for each further measure.

    Parameters
    ----------
    facts : Facts
        What a comparison found.

    Returns
    -------
    pandas.DataFrame
        Names and verdict, the estimate B − A with its interval and level, test or posterior quantities
        (NaN where the method has none), and measure, method and training size, so that frames of several
        comparisons can be stacked.

    Examples
    --------
    >>> from evenfold.report._sample import sample
    >>> frame = to_frame(sample())
    >>> print(frame[["baseline", "challenger", "outcome", "value"]])
      baseline challenger outcome  value
    0     tree     forest  better -0.021
    """
    import pandas as pd

    columns = {
        name: pd.Series(
            [getattr(pair, name) for pair in facts.pairs],
            dtype=object if name in _TEXT_COLUMNS else float,
        )
        for name in _PAIR_COLUMNS
    }
    frame = pd.DataFrame(columns).assign(
        measure=facts.measure, method=facts.method.key, n_train=facts.design.n_train, margin=facts.margin
    )
    return pd.concat([frame, *map(to_frame, facts.others)], ignore_index=True) if facts.others else frame


def to_markdown(facts: Facts) -> str:
    """
    Write the table of pairs in Markdown.

    Parameters
    ----------
    facts : Facts
        What a comparison found.

    Returns
    -------
    str
        A pipe table without a final newline; names are escaped, so they show as they are. A second one
        where further measures were asked for.

    Examples
    --------
    >>> from evenfold.report._sample import sample
    >>> print(to_markdown(sample()))
    | baseline A | challenger B |  B − A |    95 % interval |     p | verdict |
    | :--------- | :----------- | -----: | ---------------: | ----: | :------ |
    | tree       | forest       | −0.021 | −0.034 to −0.008 | 0.004 | better  |
    """
    grids = [pair_grid(facts), *([measure_grid(facts)] if facts.others else [])]
    return "\n\n".join(map(markdown_table, grids))


def markdown_table(grid: Grid) -> str:
    """Write any table as a pipe table."""
    header, *rows = [tuple(map(_markdown, cells)) for cells in (grid.header, *grid.rows)]
    widths = [max(width(cell) for cell in column) for column in zip(header, *rows, strict=True)]
    sides = zip(widths, grid.numeric, strict=True)
    rule = tuple("-" * (w - 1) + ":" if right else ":" + "-" * (w - 1) for w, right in sides)
    return "\n".join(
        "| " + " | ".join(padded(cells, widths, grid.numeric)) + " |" for cells in (header, rule, *rows)
    )


def to_latex(facts: Facts, *, full: bool = True) -> str:
    r"""
    Write the table of pairs for LaTeX with the package booktabs.

    Parameters
    ----------
    facts : Facts
        What a comparison found.
    full : bool, default True
        Whether to write a whole table; if not, only its rows, to be put into one of your own.

    Returns
    -------
    str
        LaTeX without a final newline; everything in it is escaped.

    Examples
    --------
    >>> from evenfold.report._sample import sample
    >>> print(to_latex(sample(), full=False))
    tree & forest & $-$0.021 & $-$0.034 to $-$0.008 & 0.004 & better \\
    """
    grid = pair_grid(facts)
    rows = [" & ".join(map(_latex, cells)) + r" \\" for cells in grid.rows]
    if not full:
        return "\n".join(rows)
    return latex_table(grid, f"{_sentence_case(one_line(facts.estimand))}; method {facts.method.key}.")


def latex_table(grid: Grid, caption: str) -> str:
    """Write any table with booktabs; everything in it is escaped."""
    rows = [" & ".join(map(_latex, cells)) + r" \\" for cells in grid.rows]
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_latex(caption)}}}",
        rf"  \begin{{tabular}}{{{''.join('r' if right else 'l' for right in grid.numeric)}}}",
        r"    \toprule",
        "    " + " & ".join(map(_latex, grid.header)) + r" \\",
        r"    \midrule",
        *(f"    {row}" for row in rows),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


def _latex(text: str) -> str:
    return "".join(_LATEX.get(c, c) for c in text)


def _markdown(text: str) -> str:
    entities = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_{}\[\]|$~])", r"\\\1", entities)
