"""``evenfold plan``: how many repetitions, examples or runs it takes to find a difference."""

from typing import Annotated, Any

import typer

from evenfold.cli import options as o
from evenfold.cli.output import show
from evenfold.core.checks import refuse

Difference = Annotated[
    float, typer.Argument(help="The difference to be found; may be negative.", show_default=False)
]
Sigma = Annotated[
    float | None,
    typer.Option(
        help="Standard deviation of the difference: of a hold-out value on --n examples, or of "
        "one of --rows."
    ),
]
N = Annotated[
    int | None, typer.Option("--n", help="Number of examples (half of them train), or of --rows.")
]
M = Annotated[int | None, typer.Option("--m", help="Number of repetitions.")]
RunId = Annotated[
    str | None,
    typer.Option("--run", metavar="ID", help="A stored run as the pilot; needs --store."),
]
Rows = Annotated[
    str | None,
    typer.Option(
        help="Plan an evaluation without fits: how many 'runs' (seeds) or test 'examples'?"
    ),
]
Differ = Annotated[
    float | None,
    typer.Option(
        help="Share of answers on which A and B differ in being right; plans the number of answers."
    ),
]
Accuracy = Annotated[float | None, typer.Option(help="Accuracy of both, if --differ is not known.")]
Margin = Annotated[
    float,
    typer.Option(
        help="With --differ: plan a gate 'not worse by more than this' for a model that is worse "
        "by "
        "DIFFERENCE."
    ),
]
Power = Annotated[float, typer.Option(help="Power: the probability of finding it.")]


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
    """Plan how many repetitions, examples or runs it takes to find a difference."""
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
