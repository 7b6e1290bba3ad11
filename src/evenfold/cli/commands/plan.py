"""``evenfold plan``: how many repetitions, examples or runs it takes to find a difference."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from evenfold.cli import options as o
from evenfold.cli.output import show
from evenfold.core.checks import refuse
from evenfold.core.registry import Registry

Difference = Annotated[
    float | None, o.argument(help="The difference to be found; may be negative. Not with --gate.")
]
Gate = Annotated[
    Path | None,
    o.of_data(
        metavar="FILE",
        help="Configuration of evenfold pr: which margins can its checks carry, how often does an "
        "unchanged candidate pass, and how many items does --margin need?",
    ),
]
# How the checks of a configuration are planned: functions of its path and a wished margin.
GATE_PLANS: Registry[Callable[..., Any]] = Registry("plan of a gate", "evenfold.gate_plans")


@dataclass(frozen=True, eq=False, kw_only=True)
class _Study(o.OptionGroup):
    """What is known of the study that is planned, and what is asked of it."""

    sigma: Annotated[
        float | None,
        typer.Option(
            help="Standard deviation of the difference: of a hold-out value on --n examples, or of "
            "one of --rows."
        ),
    ] = None
    n: Annotated[
        int | None,
        typer.Option("--n", help="Number of examples (half of them train), or of --rows."),
    ] = None
    m: Annotated[int | None, typer.Option("--m", help="Number of repetitions.")] = None
    rho1: Annotated[
        float | None,
        typer.Option("--rho1", help="Correlation of the two halves of a repetition; with --rho2."),
    ] = None
    rho2: Annotated[
        float | None,
        typer.Option("--rho2", help="Correlation of halves of different repetitions."),
    ] = None
    rows: Annotated[
        str | None,
        typer.Option(
            help="Plan an evaluation without fits: how many 'runs' (seeds) or test 'examples'?"
        ),
    ] = None
    run: Annotated[
        str | None,
        typer.Option("--run", metavar="ID", help="A stored run as the pilot; needs --store."),
    ] = None
    store: o.Store = None
    power: Annotated[float, typer.Option(help="Power: the probability of finding it.")] = 0.8
    level: o.Level = 0.05
    alternative: o.Alternative = "two-sided"
    differ: Annotated[
        float | None,
        typer.Option(
            help="Share of answers on which A and B differ in being right; plans the number of "
            "answers."
        ),
    ] = None
    accuracy: Annotated[
        float | None, typer.Option(help="Accuracy of both, if --differ is not known.")
    ] = None
    margin: Annotated[
        float,
        typer.Option(
            help="With --differ: plan a gate 'not worse by more than this' for a model that is "
            "worse by DIFFERENCE. With --gate: the margin that is wished for."
        ),
    ] = 0.0


@o.take_option_groups
def plan(*, difference: Difference = None, gate: Gate = None, study: _Study) -> None:
    """Plan how many repetitions, examples or runs it takes to find a difference."""
    if gate is not None:
        if difference is not None:
            refuse(None, f"--gate takes no difference but got {difference:g}.")
        for gate_plan in GATE_PLANS["pull-request"](gate, margin=study.margin):
            show(gate_plan)
        return
    if difference is None:
        refuse(None, "Give the difference to find, or --gate.")
    from evenfold.comparison.plan.api import plan as planned

    values = study.values
    run = values.pop("run")
    store = values.pop("store")
    pilot: Any = None
    if run is not None:
        if store is None:
            refuse(None, "--run needs --store, which holds the run.")
        from evenfold.run import load

        pilot = next(iter(load(store, run).values()))
    elif {study.rows, study.differ, study.accuracy} == {None} and None in (study.sigma, study.n):
        refuse(None, "Give one of --run, --differ and --rows, or --sigma together with --n.")
    show(planned(difference, pilot=pilot, **values))
