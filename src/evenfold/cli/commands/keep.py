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
    Path,
    typer.Argument(
        metavar="FILE", help="File that holds the state of the loop.", show_default=False
    ),
]
Table = Annotated[
    Path | None, _data(metavar="TABLE", help="Results of the proposal, one per item.")
]
Baseline = Annotated[
    Path | None, _data(metavar="TABLE", help="Results of the baseline; starts a loop.")
]
Fresh = Annotated[
    Path | None, _data(metavar="TABLE", help="Results of the current best on new items.")
]
Name = Annotated[str | None, _data(help="Name of the proposal, or of the baseline.")]
Shown = Annotated[
    str | None,
    _start(
        metavar="nothing|decisions|scores",
        help="What the proposer sees of the results on these items; required at the start.",
    ),
]
Control = Annotated[
    str,
    _start(
        metavar="any|rate",
        help="Bound the probability of any false keep, or the rate of false keeps.",
    ),
]
Horizon = Annotated[int | None, _start(help="Number of proposals to come, if known.", min=1)]
HoldBack = Annotated[float, _start(help="Share of the items that no decision uses.")]


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
    measure: Annotated[str | None, _start(metavar="NAME", help="Name of the measure.")] = None,
    margin: o.Margin = 0.0,
    level: o.Level = 0.05,
    positive: o.Positive = None,
    higher: Annotated[
        bool | None,
        _start(
            "--higher-is-better/--lower-is-better",
            help="Direction of values whose measure is not known.",
        ),
    ] = None,
    seed: o.Seed = 0,
    as_json: Annotated[
        Path | None,
        typer.Option(
            "--json", metavar="PATH", help="Write all results as JSON.", rich_help_panel="Output"
        ),
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
