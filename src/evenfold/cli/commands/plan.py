"""``evenfold plan``: how many repetitions, examples or runs it takes to find a difference."""

from typing import Annotated, Any

import typer

from evenfold.cli import options as o
from evenfold.cli.output import show
from evenfold.core.checks import refuse

Difference = Annotated[
    float, typer.Argument(help="The difference that is to be found.", show_default=False)
]
Sigma = Annotated[
    float | None,
    typer.Option(
        help="Standard deviation of a difference: of hold-outs on --n examples, or of --rows."
    ),
]
N = Annotated[
    int | None, typer.Option("--n", help="Number of examples, half of which train, or of --rows.")
]
M = Annotated[int | None, typer.Option("--m", help="Repetitions to plan with.")]
RunId = Annotated[
    str | None, typer.Option("--run", metavar="ID", help="A stored run as pilot; see --store.")
]
Rows = Annotated[
    str | None,
    typer.Option(help="Plan results of models that exist: 'runs' (seeds) or test 'examples'."),
]
Differ = Annotated[
    float | None,
    typer.Option(help="Share of right/wrong answers that differ: how many answers are needed?"),
]
Accuracy = Annotated[
    float | None, typer.Option(help="The accuracy of both, where --differ is not known.")
]
Margin = Annotated[
    float,
    typer.Option(
        help="With --differ: pass a model that is worse by DIFFERENCE as not worse by this."
    ),
]
Power = Annotated[float, typer.Option(help="The chance with which it is to be found.")]


def plan(
    difference: Difference,
    sigma: Sigma = None,
    n: N = None,
    m: M = None,
    rows: Rows = None,
    run: RunId = None,
    store: o.Store = None,
    power: Power = 0.8,
    level: o.Level = 0.05,
    alternative: o.Alternative = "two-sided",
    differ: Differ = None,
    accuracy: Accuracy = None,
    margin: Margin = 0.0,
) -> None:
    """Say how many repetitions, examples or runs it takes to find a difference."""
    from evenfold.comparison.plan.api import plan as planned

    pilot: Any = None
    if run is not None:
        if store is None:
            refuse("--store", "given with --run", None)
        from evenfold.run import load

        pilot = next(iter(load(store, run).values()))
    elif rows is None and (sigma is None or n is None) and differ is None and accuracy is None:
        refuse("--run", "given, or --differ, --rows, or --sigma and --n instead", None)
    words: dict[str, Any] = {"rows": rows, "alternative": alternative}  # plan itself checks them
    answer = planned(
        difference,
        pilot=pilot,
        sigma=sigma,
        n=n,
        m=m,
        power=power,
        level=level,
        differ=differ,
        accuracy=accuracy,
        margin=margin,
        **words,
    )
    show(answer)
