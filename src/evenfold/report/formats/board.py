"""
A leaderboard in every format.

Words, Markdown for a README, a page that sorts and filters, a frame.
"""

import base64
import hashlib
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from evenfold.core.facts.board import BoardEntry, BoardFacts
from evenfold.core.words import (
    NONE,
    count,
    escape_control_text,
    format_confidence,
    format_number,
    interval,
    one_line,
)
from evenfold.report._content import Column, Grid, number, rank_range, table, text, versions
from evenfold.report.figures.board import board_infos
from evenfold.report.formats._base import format  # noqa: A004  (as users say it)
from evenfold.report.formats.html import NEEDS, environment, figures
from evenfold.report.formats.latex import latex_table
from evenfold.report.formats.markdown import escape_markdown, markdown_table
from evenfold.report.formats.text import align_grid

if TYPE_CHECKING:
    import pandas as pd


# The table as plain strings, which every format then writes in its own way.


def board_grid(facts: BoardFacts, *, whole: bool = False) -> Grid:
    """
    Return the ranked list: value with interval, rank set, tier.

    All that is known where ``whole``.
    """
    digits = facts.digits
    columns = [
        number("rank", lambda one: str(one.rank)),
        text("model", lambda one: one_line(one.name)),
        number(one_line(facts.measure_words), lambda one: format_number(one.value, digits=digits)),
        number(
            f"{format_confidence(facts.level)} CI",
            lambda one: interval(one.low, one.high, digits=digits),
        ),
        number("true rank", lambda one: _span(one.first, one.last)),
        number("tier", lambda one: str(one.tier)),
        text("ties", lambda one: one.ties),
        text("may be best", lambda one: "yes" if one.among_best else "no"),
    ]
    if whole:
        columns += _more_columns(facts)
    return table(board_caption(facts), columns, facts.entries)


def _more_columns(facts: BoardFacts) -> list[Column]:
    further = [number("rank on a further task", _further_ranks)] if facts.tasks else []
    return [
        number("true rank alone", lambda one: _span(one.marginal_first, one.marginal_last)),
        *further,
        number("battles" if not facts.tasks else "tasks", lambda one: str(one.count)),
    ]


def _further_ranks(one: BoardEntry) -> str:
    if one.further_first is None or one.further_last is None:
        return _span(None, None)
    return f"{one.further_first:g} to {one.further_last:g}"


def _span(first: int | None, last: int | None) -> str:
    return NONE if first is None else rank_range(first, last)


def board_caption(facts: BoardFacts) -> str:
    """Say how the table is to be read."""
    return (
        f"True ranks and intervals are simultaneous {format_confidence(facts.level)} confidence "
        "sets, "
        f"for {facts.about}. "
        "Models that share a letter are tied, and so are all models of a tier."
    )


def pairs_resolved(facts: BoardFacts) -> str:
    """Say how many of all pairs were decided."""
    models = len(facts.entries)
    pairs = models * (models - 1) // 2
    return f"{sum(map(len, facts.beats))} of {count(pairs, 'pair')}"


# The formats.


@format("text", suffix=".txt", of=BoardFacts)
def board_text(facts: BoardFacts) -> str:
    """Say what is resolved, then the board."""
    lines = [
        f"  about     {one_line(facts.about)}",
        f"  resolved  {pairs_resolved(facts)}",
        *(f"  note      {one_line(note)}" for note in facts.notes),
    ]
    return escape_control_text(
        "\n\n".join([one_line(facts.sentence), align_grid(board_grid(facts)), "\n".join(lines)])
    )


@format("markdown", suffix=".md", of=BoardFacts)
def board_markdown(facts: BoardFacts) -> str:
    """Write the sentence and the board as a pipe table."""
    notes = [escape_markdown(one_line(note)) for note in facts.notes]
    grid = board_grid(facts)
    parts = [
        escape_markdown(one_line(facts.sentence)),
        markdown_table(grid),
        escape_markdown(grid.caption),
    ]
    return "\n\n".join([*parts, *notes])


@format("latex", suffix=".tex", of=BoardFacts)
def board_latex(facts: BoardFacts) -> str:
    """Write the board as a booktabs table."""
    return latex_table(board_grid(facts))


@format("frame", of=BoardFacts, needs=["pandas"])
def board_frame(facts: BoardFacts) -> "pd.DataFrame":
    """Return one row for each model."""
    import pandas as pd

    names = (
        "name",
        "value",
        "low",
        "high",
        "rank",
        "first",
        "last",
        "among_best",
        "ties",
        "tier",
        "marginal_first",
        "marginal_last",
        "further_first",
        "further_last",
        "count",
    )
    return pd.DataFrame([{name: getattr(one, name) for name in names} for one in facts.entries])


@format("html", suffix=".html", of=BoardFacts, needs=NEEDS)
def board_html(facts: BoardFacts) -> str:
    """Write the board as one self-contained page that sorts and filters without a network."""
    script, _, _ = environment().loader.get_source(environment(), "board.js")  # type: ignore[union-attr]
    return environment().get_template("board.html").render(_page(facts, script))


def _page(facts: BoardFacts, script: str) -> dict[str, Any]:
    from markupsafe import Markup

    # the page may run this very script and nothing else
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return {
        "facts": facts,
        "title": f"{count(len(facts.entries), 'model')} by {one_line(facts.measure_words)}",
        "grid": board_grid(facts, whole=True),
        "key_numbers": tuple(_numbers(facts)),
        "figures": figures("board", board_infos(facts)),
        "script": Markup(script),
        "digest": digest,
        "versions": versions(facts),
    }


def _numbers(facts: BoardFacts) -> Iterator[tuple[str, str]]:
    yield "models", str(len(facts.entries))
    yield f"{facts.unit}s", str(facts.units)
    yield "neighbours resolved", f"{facts.resolved} of {len(facts.entries) - 1}"
    yield "pairs resolved", pairs_resolved(facts)
