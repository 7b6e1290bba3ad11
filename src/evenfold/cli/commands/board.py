"""``evenfold board FILE``: a leaderboard, or battles, with the ranks that are certain."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from evenfold.cli import options as o
from evenfold.cli.output import note, show, writable
from evenfold.cli.redo import command
from evenfold.core.checks import refuse

_data = partial(typer.Option, rich_help_panel="Data")
_question = partial(typer.Option, rich_help_panel="Question")
_output = partial(typer.Option, rich_help_panel="Output", metavar="PATH")

File = Annotated[
    Path,
    typer.Argument(
        metavar="FILE",
        help="CSV, TSV, Parquet or JSON lines with columns model, task, value; or one row per "
        "model and one column per task; or battles with columns model_a, model_b, winner; or a "
        "folder of logs that name their tasks.",
        show_default=False,
    ),
]


def board(
    ctx: typer.Context,
    file: File,
    aggregate: Annotated[
        str,
        _question(
            metavar="NAME",
            help="How tasks are combined: mean, mean-rank, borda, win-rate or z-score.",
        ),
    ] = "mean",
    measure: Annotated[str | None, _question(metavar="NAME", help="Name of the measure.")] = None,
    higher: Annotated[
        bool | None,
        _question(
            "--higher-is-better/--lower-is-better",
            help="Direction of values whose measure is not known.",
        ),
    ] = None,
    positive: o.Positive = None,
    tasks: Annotated[
        str | None,
        _question(help="sample: generalize to new tasks; fixed: to new examples of these tasks."),
    ] = None,
    weight: Annotated[
        list[str] | None,
        _question(metavar="TASK=NUMBER", help="What a task counts, else 1. May be repeated."),
    ] = None,
    ties: Annotated[
        str,
        _question(help="Ties in battles: davidson (a model of ties), or split (half a win each)."),
    ] = "davidson",
    both_bad: Annotated[
        str, _question(help="Battles in which both answers were bad: tie or drop.")
    ] = "tie",
    level: o.Level = 0.05,
    column: o.Column = None,
    on_missing: Annotated[
        str,
        _data(help="Missing values: refuse, drop tasks that some model lacks, or keep them."),
    ] = "refuse",
    seed: o.Seed = 0,
    html: Annotated[
        Path | None, _output(help="Write an HTML page that can be sorted and filtered.")
    ] = None,
    markdown: Annotated[Path | None, _output(help="Write a Markdown table.")] = None,
    as_json: Annotated[Path | None, _output("--json", help="Write all results as JSON.")] = None,
    figure: Annotated[
        Path | None, _output(help="Draw rank intervals and tiers (png, svg, pdf).")
    ] = None,
) -> None:
    """Rank models on tasks, or by battles, and show which ranks are certain."""
    from evenfold.comparison.board import board as answer

    files = {"html": html, "markdown": markdown, "json": as_json, "figure": figure}
    for option, path in files.items():
        writable(option, path)
    # it checks them
    words: dict[str, Any] = {"tasks": tasks, "both_bad": both_bad, "on_missing": on_missing}
    found = answer(
        file,
        aggregate=aggregate,
        measure=measure,
        higher_is_better=higher,
        positive=positive,
        weights=_weights(weight),
        ties=ties,
        level=level,
        columns=o.roles_of(column) or None,
        random_state=seed or 0,
        **words,
    )
    found = replace(found, facts=replace(found.facts, call=command(ctx)))
    if "-" not in map(str, files.values()):
        show(found)
    for form in ("html", "markdown", "json"):
        path = files[form]
        if str(path) == "-":
            typer.echo(found.to(form))
        elif path is not None:
            found.to(form, path)
            note(f"{path} written")
    if figure is not None:
        found.save(figure)
        note(f"{figure} written")


def _weights(texts: list[str] | None) -> dict[str, float] | None:
    """Read ``TASK=NUMBER``: what tasks count; a task may have the sign in its name."""
    found = {}
    for text in texts or []:
        task, _, number = text.rpartition("=")
        try:
            found[task] = float(number)
        except ValueError:
            refuse("--weight", "TASK=NUMBER", text)
    return found or None
