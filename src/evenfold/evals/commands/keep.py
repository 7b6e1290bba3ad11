"""``evenfold keep FILE`` keeps or discards a proposal and bounds the error of the whole loop."""

from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from evenfold.cli import options as o
from evenfold.cli.gate import GATE_FAILED
from evenfold.cli.output import deliver_text, writable
from evenfold.core.json import to_plain, write_json

_start_option = partial(o.plain_option, rich_help_panel="At the start")

File = Annotated[Path, o.argument(metavar="FILE", help="File that holds the state of the loop.")]
Table = Annotated[
    Path | None, o.of_data(metavar="TABLE", help="Results of the proposal, one per item.")
]


@o.option_group
class _Loop(o.OptionGroup):
    """The options of the start of a loop, and of a proposal."""

    baseline: Path | None = o.data_option(
        metavar="TABLE", help="Results of the baseline; starts a loop."
    )
    fresh: Path | None = o.data_option(
        metavar="TABLE", help="Results of the current best on new items."
    )
    name: str | None = o.data_option(help="Name of the proposal, or of the baseline.")
    column: o.Column = None
    shown: str | None = _start_option(
        metavar="nothing|decisions|scores",
        help="What the proposer sees of the results on these items; required at the start.",
    )
    control: str = _start_option(
        default="any",
        metavar="any|rate",
        help="Bound the probability of any false keep, or the rate of false keeps.",
    )
    horizon: int | None = _start_option(help="Number of proposals to come, if known.", min=1)
    hold_back: float = _start_option(default=0.0, help="Share of the items that no decision uses.")
    measure: str | None = _start_option(metavar="NAME", help="Name of the measure.")
    margin: o.Margin = 0.0
    level: o.Level = 0.05
    positive: o.Positive = None
    higher: bool | None = _start_option(
        "--higher-is-better/--lower-is-better",
        help="Direction of values whose measure is not known.",
    )
    seed: o.Seed = 0


@o.take_option_groups
def keep(*, file: File, candidate: Table = None, loop: _Loop, as_json: o.Json = None) -> None:
    """
    Keep a proposal if it beats the best so far (exit 0) or discard it (3).

    --baseline starts a loop.
    """
    from evenfold.evals.keep.api import keep as decide

    writable("json", as_json)
    options = loop.values
    table = candidate or loop.baseline or Path()
    result = decide(
        file,
        candidate,
        name=options.pop("name") or table.stem or None,
        higher_is_better=options.pop("higher"),
        columns=o.roles_of(options.pop("column")) or None,
        random_state=options.pop("seed"),
        **options,
    )
    if str(as_json) != "-":
        typer.echo(str(result))
    if as_json is not None:
        deliver_text(as_json, write_json(to_plain(_numbers(result))))
    if result.kept is False:
        raise typer.Exit(GATE_FAILED)


def _numbers(result: Any) -> dict[str, Any]:
    """Return the decision and the state of the loop."""
    return {
        "proposal": result.proposal,
        "best": result.best,
        "improvement": result.improvement,
        "level": result.ledger.level,
        "level_left": result.level_left,
        "proposals": len(result.proposals),
        "kept": result.ledger.kept,
        "guarantee": result.guarantee,
    }
