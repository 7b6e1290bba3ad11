"""A leaderboard in every format: words, Markdown, LaTeX, JSON, a frame, and a page that sorts."""

import base64
import hashlib
from collections.abc import Iterator
from dataclasses import asdict
from importlib import resources
from typing import TYPE_CHECKING, Any

from evenfold.core.facts.board import BoardEntry, BoardFacts
from evenfold.core.words import NONE, count, escape_control_text, format_confidence, one_line
from evenfold.evals.figures import board_infos
from evenfold.report.formats import format  # noqa: A004  (as users say it)
from evenfold.report.formats.html import NEEDS, environment, figures
from evenfold.report.formats.latex import latex_table
from evenfold.report.formats.markdown import escape_markdown, markdown_table
from evenfold.report.formats.text import align_grid, versions
from evenfold.report.tables import Grid, estimates, number, rank_range, table, text

if TYPE_CHECKING:
    import pandas as pd


# The table as plain strings, which every format then writes in its own way.


def board_grid(facts: BoardFacts, *, whole: bool = False) -> Grid:
    """Return the ranked list: value with interval, rank set and tier; more columns if ``whole``."""
    value = one_line(facts.measure_words)
    columns = [
        number("rank", lambda entry: str(entry.rank)),
        text("model", lambda entry: one_line(entry.name)),
        *estimates(value, f"{format_confidence(facts.level)} CI", facts.digits),
        number("true rank", lambda entry: rank_range(entry.first, entry.last)),
        number("tier", lambda entry: str(entry.tier)),
        text("ties", lambda entry: entry.ties),
        text("may be best", lambda entry: "yes" if entry.among_best else "no"),
    ]
    if whole:
        columns.append(
            number(
                "true rank alone",
                lambda entry: rank_range(entry.marginal_first, entry.marginal_last),
            )
        )
        if facts.tasks:
            columns.append(number("rank on a further task", _further_ranks))
        columns.append(
            number("tasks" if facts.tasks else "battles", lambda entry: str(entry.count))
        )
    return table(board_caption(facts), columns, facts.entries)


def _further_ranks(entry: BoardEntry) -> str:
    if entry.further_first is None or entry.further_last is None:
        return NONE
    return f"{entry.further_first:g} to {entry.further_last:g}"


def board_caption(facts: BoardFacts) -> str:
    """Say how the table is to be read."""
    return (
        f"True ranks and intervals are simultaneous {format_confidence(facts.level)} confidence "
        f"sets, for {facts.about}. Models that share a letter are tied, and so are all models of a "
        "tier."
    )


def pairs_resolved(facts: BoardFacts) -> str:
    """Say how many of all pairs were decided."""
    models = len(facts.entries)
    pairs = models * (models - 1) // 2
    return f"{sum(map(len, facts.beats))} of {count(pairs, 'pair')}"


# The formats.


@format("text", suffix=".txt", of=BoardFacts)
def board_text(facts: BoardFacts, *, details: bool = False) -> str:
    """Say what is resolved, then the board, with all that is known of a model where details."""
    lines = [
        f"  about     {one_line(facts.about)}",
        f"  resolved  {pairs_resolved(facts)}",
        *(f"  note      {one_line(note)}" for note in facts.notes),
    ]
    board = board_grid(facts, whole=details)
    return escape_control_text(
        "\n\n".join([one_line(facts.sentence), align_grid(board), "\n".join(lines)])
    )


@format("markdown", suffix=".md", of=BoardFacts)
def board_markdown(facts: BoardFacts) -> str:
    """Write the sentence and the board as a pipe table."""
    grid = board_grid(facts)
    sentence, *notes = [escape_markdown(one_line(text)) for text in (facts.sentence, *facts.notes)]
    return "\n\n".join([sentence, markdown_table(grid), escape_markdown(grid.caption), *notes])


@format("latex", suffix=".tex", of=BoardFacts)
def board_latex(facts: BoardFacts) -> str:
    """Write the board as a booktabs table."""
    return latex_table(board_grid(facts))


@format("json", suffix=".json", of=BoardFacts)
def board_json(facts: BoardFacts) -> str:
    """Return all facts as JSON, for ``Board.from_json``."""
    return facts.to_json()


@format("frame", of=BoardFacts, needs=["pandas"])
def board_frame(facts: BoardFacts) -> "pd.DataFrame":
    """Return one row for each model."""
    import pandas as pd

    return pd.DataFrame([asdict(entry) for entry in facts.entries])


@format("html", suffix=".html", of=BoardFacts, needs=NEEDS)
def board_html(facts: BoardFacts) -> str:
    """Write the board as one self-contained page that sorts and filters without a network."""
    folder = resources.files("evenfold.evals") / "templates"
    template = environment().from_string((folder / "board.html").read_text(encoding="utf-8"))
    return template.render(_page(facts, (folder / "board.js").read_text(encoding="utf-8")))


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
