"""The tables of an answer for LaTeX with the package booktabs."""

from dataclasses import replace

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.comparison import Facts
from evenfold.core.words import one_line
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)
from evenfold.report.methods_text import across_paragraph, paragraph
from evenfold.report.tables import Grid, across_grid, grids, pair_grid

_LATEX = str.maketrans(
    {
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
        **{
            raised: rf"$^{{{plain}}}$"
            for raised, plain in zip("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789", strict=True)
        },
        "[": "{[}",  # at the beginning of a row, [ would be an argument of \\
        "]": "{]}",
    }
)


@format("latex", suffix=".tex")
def to_latex(facts: Facts, *, full: bool = True) -> str:
    r"""
    Write the tables of an answer for LaTeX with the package booktabs.

    Parameters
    ----------
    facts : Facts
        What a comparison found.
    full : bool, default True
        Whether to write whole tables: the ranking of more than two algorithms, the pairs, what
        further measures say, and which examples flipped; and the methods paragraph. Otherwise only
        the rows of the pairs are written, for your own table.

    Returns
    -------
    str
        LaTeX without a final newline; everything in it is escaped.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> print(to_latex(sample(), full=False))
    tree & forest & $-$0.021 & $-$0.034 to $-$0.008 & 0.004 & better \\
    """
    if not full:
        return "\n".join(_rows(pair_grid(facts)))
    estimand = one_line(facts.estimand)
    about = f"{estimand[:1].upper()}{estimand[1:]}; {facts.method.called}."
    tables = [
        latex_table(replace(grid, caption=f"{about} {grid.caption}")) for grid in grids(facts)
    ]
    return "\n\n".join([*tables, rf"\paragraph{{Methods.}} {_latex(paragraph(facts))}"])


@format("latex", suffix=".tex", of=AcrossFacts)
def across_latex(facts: AcrossFacts) -> str:
    """Return the table of pairs and the methods paragraph."""
    caption = f"{facts.measure_words} over {len(facts.data_sets)} data sets; {facts.test}."
    table = latex_table(replace(across_grid(facts), caption=caption))
    return f"{table}\n\n\\paragraph{{Methods.}} {_latex(across_paragraph(facts))}"


def latex_table(grid: Grid) -> str:
    """Write any table with booktabs; everything in it is escaped."""
    lines = [
        r"\begin{table}",
        r"  \centering",
        rf"  \caption{{{_latex(grid.caption)}}}",
        rf"  \begin{{tabular}}{{{''.join('r' if right else 'l' for right in grid.numeric)}}}",
        r"    \toprule",
        "    " + " & ".join(map(_latex, grid.header)) + r" \\",
        r"    \midrule",
        *(f"    {row}" for row in _rows(grid)),
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines)


def _rows(grid: Grid) -> list[str]:
    return [" & ".join(map(_latex, cells)) + r" \\" for cells in grid.rows]


def _latex(text: str) -> str:
    return text.translate(_LATEX)
