"""``evenfold runs`` and ``report`` read what a store holds, without data and without fits."""

from dataclasses import replace
from typing import Annotated

import typer

from evenfold.cli import options as o
from evenfold.cli.output import Outputs, command, finish, show
from evenfold.core.checks import refuse

Run = Annotated[str, o.argument(metavar="RUN", help="The id of a run, which compare prints.")]
Store = Annotated[
    str, typer.Option(metavar="PATH|URL", help="The store of the run.", show_default=False)
]
Most = Annotated[
    int | None,
    typer.Option(
        metavar="M",
        help="Most repetitions that a run which stopped early could have taken (default: 9).",
    ),
]


@o.take_option_groups
def report(
    ctx: typer.Context,
    run: Run,
    store: Store,
    question: o.QuestionOptions,
    outputs: Outputs,
    most: Most = None,
) -> None:
    """Answer from a stored run, with another measure, method or margin, without a fit."""
    question.check()
    from evenfold.comparison.reopen import reopen

    keywords = {name: value for name, value in question.keywords.items() if _was_typed(ctx, name)}
    if question.fail_unless is not None:  # a gate may ask for an alternative of its own
        keywords["alternative"] = question.keywords["alternative"]
    done = reopen(
        store,
        run,
        **{**keywords, "measure": o.single_value(question.measure, "--measure")},
        most=most,
    )
    outputs.deliver(replace(done, facts=replace(done.facts, call=command(ctx))))
    finish(done, question)


def _was_typed(ctx: typer.Context, name: str) -> bool:
    """Return whether an option was typed. Others are as in the comparison that made the run."""
    source = ctx.get_parameter_source(name)
    return source is not None and source.name not in ("DEFAULT", "DEFAULT_MAP")


Held = Annotated[
    str | None, typer.Argument(metavar="STORE", help="A path or URL, as in compare --store.")
]
HeldByOption = Annotated[
    str | None,
    typer.Option("--store", metavar="PATH|URL", help="The same as STORE.", show_default=False),
]


def runs(store: Held = None, named: HeldByOption = None) -> None:
    """List the runs of a store: id, when, algorithms, measures, data, design and verdict."""
    from evenfold.comparison.reopen import runs as found

    if (store is None) == (named is None):
        refuse(None, "Give the store once, as STORE or by --store.")
    show(found(store or named or ""))
