"""``evenfold keep FILE``: keep or discard proposals, with an error known for the whole loop."""

import json
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from evenfold.cli import options as o
from evenfold.cli.gate import GATE_FAILED
from evenfold.cli.output import note, writable

_data = partial(typer.Option, rich_help_panel="Data")
_start = partial(typer.Option, rich_help_panel="At the start")

File = Annotated[
    Path, typer.Argument(metavar="FILE", help="Where the loop is remembered.", show_default=False)
]
Table = Annotated[
    Path | None, _data(metavar="TABLE", help="Answers per item of the proposal to judge.")
]
Baseline = Annotated[
    Path | None, _data(metavar="TABLE", help="Answers of the baseline; starts the loop.")
]
Fresh = Annotated[Path | None, _data(metavar="TABLE", help="Answers of the best on new items.")]
Name = Annotated[str | None, _data(help="What the proposal, or the baseline, is called.")]
Shown = Annotated[
    str | None,
    _start(
        metavar="nothing|decisions|scores",
        help="What the proposer sees of results on these items; to be given at the start.",
    ),
]
Control = Annotated[
    str,
    _start(
        metavar="any|rate", help="Bound the chance of any false keep, or the share of false keeps."
    ),
]
Horizon = Annotated[
    int | None, _start(help="How many proposals there will be, if that is known.", min=1)
]
HoldBack = Annotated[float, _start(help="Share of the items that no decision looks at.")]


def keep(
    file: File,
    candidate: Table = None,
    baseline: Baseline = None,
    fresh: Fresh = None,
    name: Name = None,
    column: o.Column = None,
    shown: Shown = None,
    control: Control = "any",
    horizon: Horizon = None,
    hold_back: HoldBack = 0.0,
    measure: Annotated[str | None, _start(metavar="NAME", help="What is measured.")] = None,
    margin: o.Margin = 0.0,
    level: o.Level = 0.05,
    positive: o.Positive = None,
    higher: Annotated[
        bool | None, _start("--higher-is-better/--lower-is-better", help="Of bare values.")
    ] = None,
    seed: o.Seed = 0,
    as_json: Annotated[
        Path | None,
        typer.Option("--json", metavar="PATH", help="Write all numbers.", rich_help_panel="Output"),
    ] = None,
) -> None:
    """
    Keep a proposal if it beats the best so far (exit 0) or discard it (3).

    --baseline starts a loop.
    """
    from evenfold.comparison.keep.api import keep as decide

    writable("json", as_json)
    result = decide(
        file,
        candidate,
        baseline=baseline,
        fresh=fresh,
        name=name or _name_of(candidate or baseline),
        shown=shown,
        control=control,
        horizon=horizon,
        hold_back=hold_back,
        measure=measure,
        margin=margin,
        level=level,
        positive=positive,
        higher_is_better=higher,
        columns=o.roles_of(column) or None,
        random_state=seed,
    )
    typer.echo(str(result))
    if as_json is not None:
        as_json.write_text(
            json.dumps(_numbers(result), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
        )
        note(f"{as_json} written")
    if result.kept is False:
        raise typer.Exit(GATE_FAILED)


def _name_of(table: Path | None) -> str | None:
    if table is None:
        return None
    return table.stem


def _numbers(result: Any) -> dict[str, Any]:
    """The decision and where the loop stands, as plain numbers."""
    return {
        "proposal": None if result.proposal is None else asdict(result.proposal),
        "best": result.best,
        "improvement": None if result.improvement is None else asdict(result.improvement),
        "level": result.ledger.level,
        "level_left": result.level_left,
        "proposals": len(result.proposals),
        "kept": result.ledger.kept,
        "guarantee": result.guarantee,
    }
