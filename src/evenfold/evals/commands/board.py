"""``evenfold board FILE`` ranks models on tasks or by battles and shows which ranks are certain."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from evenfold.cli import options as o
from evenfold.cli.output import command, deliver_text, note, show, writable
from evenfold.core.checks import refuse_value

File = Annotated[
    Path,
    o.argument(
        metavar="FILE",
        help="CSV, TSV, Parquet or JSON lines with columns model, task, value; or one row per "
        "model and one column per task; or battles with columns model_a, model_b, winner; or a "
        "folder of logs that name their tasks.",
    ),
]


@o.option_group
class _Ranking(o.OptionGroup):
    """The options of a board of tasks or battles."""

    aggregate: str = o.question_option(
        default="mean",
        metavar="NAME",
        help="How tasks are combined: mean, mean-rank, borda, win-rate or z-score.",
    )
    measure: str | None = o.question_option(metavar="NAME", help="Name of the measure.")
    higher: o.Higher = None
    positive: o.Positive = None
    tasks: str | None = o.question_option(
        help="sample: generalize to new tasks; fixed: to new examples of these tasks."
    )
    weight: list[str] | None = o.question_option(
        metavar="TASK=NUMBER", help="Weight of a task (default: 1); may be repeated."
    )
    ties: str = o.question_option(
        default="davidson",
        help="Ties in battles: davidson (a model of ties), or split (half a win each).",
    )
    both_bad: str = o.question_option(
        default="tie", help="Battles in which both answers were bad: tie or drop."
    )
    level: o.Level = 0.05
    column: o.Column = None
    on_missing: str = o.data_option(
        default="refuse",
        help="Missing values: refuse, drop tasks that some model lacks, or keep them.",
    )
    seed: o.Seed = 0

    @property
    def keywords(self) -> dict[str, Any]:
        """The keyword arguments of ``ef.board``."""
        keywords = self.values
        keywords["higher_is_better"] = keywords.pop("higher")
        keywords["weights"] = _weights(keywords.pop("weight"))
        keywords["columns"] = o.roles_of(keywords.pop("column")) or None
        keywords["random_state"] = keywords.pop("seed") or 0
        return keywords


@o.take_option_groups
def board(
    ctx: typer.Context,
    file: File,
    ranking: _Ranking,
    html: Annotated[
        Path | None, o.of_file(help="Write an HTML page that can be sorted and filtered.")
    ] = None,
    markdown: Annotated[Path | None, o.of_file(help="Write a Markdown table.")] = None,
    as_json: o.Json = None,
    figure: Annotated[
        Path | None, o.of_file(help="Draw rank intervals and tiers (png, svg, pdf).")
    ] = None,
) -> None:
    """Rank models on tasks, or by battles, and show which ranks are certain."""
    from evenfold.evals.board import board as rank_models

    files = {"html": html, "markdown": markdown, "json": as_json}
    for option, path in {**files, "figure": figure}.items():
        writable(option, path)
    leaderboard = rank_models(file, **ranking.keywords)
    leaderboard = replace(leaderboard, facts=replace(leaderboard.facts, call=command(ctx)))
    if "-" not in map(str, (*files.values(), figure)):
        show(leaderboard)
    for form, path in files.items():
        if path is not None:
            deliver_text(path, leaderboard.to(form))
    if figure is not None:
        leaderboard.save(figure)
        note(f"{figure} written")


def _weights(texts: list[str] | None) -> dict[str, float] | None:
    """Read the weights of tasks from texts ``TASK=NUMBER``. The name of a task may contain "="."""
    weights = {}
    for text in texts or []:
        task, _, number = text.rpartition("=")
        try:
            weights[task] = float(number)
        except ValueError:
            refuse_value("weight", text, "TASK=NUMBER")
    return weights or None
