"""``evenfold report``: a run that a store knows, read again, without data and without a fit."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from evenfold.cli import options as o
from evenfold.cli.gate import side
from evenfold.cli.names import check_method, only
from evenfold.cli.output import Outputs, check_wish, finish
from evenfold.cli.redo import command
from evenfold.core.checks import refuse

Run = Annotated[
    str, typer.Argument(metavar="RUN", help="The id of a run, which compare prints.", show_default=False)
]
Store = Annotated[str, typer.Option(metavar="PATH|URL", help="The store that has it.", show_default=False)]
Most = Annotated[
    int | None,
    typer.Option(
        metavar="M", help="Repetitions that a run which stopped early might have taken: 9 if not said."
    ),
]


def report(
    ctx: typer.Context,
    run: Run,
    store: Store,
    measure: o.Measure = None,
    method: o.Method = None,
    most: Most = None,
    margin: o.Margin = 0.0,
    level: o.Level = 0.05,
    alternative: o.Alternative = "two-sided",
    baseline: o.Baseline = None,
    adjust: o.Adjust = "holm",
    fail_unless: o.FailUnless = None,
    undecided: o.Undecided = None,
    html: o.Html = None,
    json: o.Json = None,
    latex: o.Latex = None,
    markdown: o.Markdown = None,
    write: o.Write = None,
) -> None:
    """Answer again from a stored run: another measure, method or margin, without a fit."""
    outputs = Outputs.asked(write, html=html, json=json, latex=latex, markdown=markdown)
    if "://" not in store and not Path(store).expanduser().is_file():
        refuse("--store", "a store that exists", store)
    check_method(method)
    check_wish(fail_unless, 2, undecided)
    from evenfold.corridor import reopen

    done = reopen(
        store,
        run,
        measure=only(measure, "--measure"),
        method=method,
        most=most,
        margin=margin,
        level=level,
        alternative=side(alternative, fail_unless),
        baseline=baseline,
        adjust=adjust,
    )
    outputs.deliver(replace(done, facts=replace(done.facts, call=command(ctx))))
    finish(done, fail_unless, undecided)
