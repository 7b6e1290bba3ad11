"""``evenfold board FILE``: a leaderboard, or battles, with the ranks that are certain."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from evenfold.cli import options as o
from evenfold.cli.output import command, note, show, writable
from evenfold.core.checks import refuse, short_repr

File = Annotated[
    Path,
    o.argument(
        metavar="FILE",
        help="CSV, TSV, Parquet or JSON lines with columns model, task, value; or one row per "
        "model and one column per task; or battles with columns model_a, model_b, winner; or a "
        "folder of logs that name their tasks.",
    ),
]


@dataclass(frozen=True, eq=False, kw_only=True)
class _Ranking(o.OptionGroup):
    """What is asked of tasks or battles."""

    aggregate: Annotated[
        str,
        o.of_question(
            metavar="NAME",
            help="How tasks are combined: mean, mean-rank, borda, win-rate or z-score.",
        ),
    ] = "mean"
    measure: Annotated[str | None, o.of_question(metavar="NAME", help="Name of the measure.")] = (
        None
    )
    higher: o.Higher = None
    positive: o.Positive = None
    tasks: Annotated[
        str | None,
        o.of_question(
            help="sample: generalize to new tasks; fixed: to new examples of these tasks."
        ),
    ] = None
    weight: Annotated[
        list[str] | None,
        o.of_question(metavar="TASK=NUMBER", help="What a task counts, else 1. May be repeated."),
    ] = None
    ties: Annotated[
        str,
        o.of_question(
            help="Ties in battles: davidson (a model of ties), or split (half a win each)."
        ),
    ] = "davidson"
    both_bad: Annotated[
        str, o.of_question(help="Battles in which both answers were bad: tie or drop.")
    ] = "tie"
    level: o.Level = 0.05
    column: o.Column = None
    on_missing: Annotated[
        str,
        o.of_data(help="Missing values: refuse, drop tasks that some model lacks, or keep them."),
    ] = "refuse"
    seed: o.Seed = 0

    @property
    def keywords(self) -> dict[str, Any]:
        """The keywords of a board."""
        found = self.values
        return {
            "higher_is_better": found.pop("higher"),
            "weights": _weights(found.pop("weight")),
            "columns": o.roles_of(found.pop("column")) or None,
            "random_state": found.pop("seed") or 0,
            **found,
        }


@o.take_option_groups
def board(
    ctx: typer.Context,
    file: File,
    ranking: _Ranking,
    html: Annotated[
        Path | None, o.of_file(help="Write an HTML page that can be sorted and filtered.")
    ] = None,
    markdown: Annotated[Path | None, o.of_file(help="Write a Markdown table.")] = None,
    as_json: Annotated[Path | None, o.of_file("--json", help="Write all results as JSON.")] = None,
    figure: Annotated[
        Path | None, o.of_file(help="Draw rank intervals and tiers (png, svg, pdf).")
    ] = None,
) -> None:
    """Rank models on tasks, or by battles, and show which ranks are certain."""
    from evenfold.evals.board import board as answer

    files = {"html": html, "markdown": markdown, "json": as_json, "figure": figure}
    for option, path in files.items():
        writable(option, path)
    found = answer(file, **ranking.keywords)
    found = replace(found, facts=replace(found.facts, call=command(ctx)))
    if "-" not in map(str, files.values()):
        show(found)
    for form, path in files.items():
        if path is None:
            continue
        if form == "figure":
            found.save(path)
        elif str(path) == "-":
            typer.echo(found.to(form))
            continue
        else:
            found.to(form, path)
        note(f"{path} written")


def _weights(texts: list[str] | None) -> dict[str, float] | None:
    """Read ``TASK=NUMBER``: what tasks count; a task may have the sign in its name."""
    found = {}
    for text in texts or []:
        task, _, number = text.rpartition("=")
        try:
            found[task] = float(number)
        except ValueError:
            refuse("weight", f"weight must be TASK=NUMBER but got {short_repr(text)}.")
    return found or None
