"""``evenfold plan``: how many repetitions, examples or runs it takes to find a difference."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

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


@o.option_group
class _Study(o.OptionGroup):
    """What is known of the study that is planned, and what is asked of it."""

    sigma: float | None = o.plain_option(
        help="Standard deviation of the difference: of a hold-out value on --n examples, or of "
        "one of --rows."
    )
    n: int | None = o.plain_option(
        "--n", help="Number of examples (half of them train), or of --rows."
    )
    m: int | None = o.plain_option("--m", help="Number of repetitions.")
    rho1: float | None = o.plain_option(
        "--rho1", help="Correlation of the two halves of a repetition; with --rho2."
    )
    rho2: float | None = o.plain_option(
        "--rho2", help="Correlation of halves of different repetitions."
    )
    rows: str | None = o.plain_option(
        help="Plan an evaluation without fits: how many 'runs' (seeds) or test 'examples'?"
    )
    run: str | None = o.plain_option(
        "--run", metavar="ID", help="A stored run as the pilot; needs --store."
    )
    store: o.Store = None
    power: float = o.plain_option(default=0.8, help="Power: the probability of finding it.")
    level: o.Level = 0.05
    alternative: o.Alternative = "two-sided"
    differ: float | None = o.plain_option(
        help="Share of answers on which A and B differ in being right; plans the number of answers."
    )
    accuracy: float | None = o.plain_option(help="Accuracy of both, if --differ is not known.")
    margin: float = o.plain_option(
        default=0.0,
        help="With --differ: plan a gate 'not worse by more than this' for a model that is "
        "worse by DIFFERENCE. With --gate: the margin that is wished for.",
    )


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
