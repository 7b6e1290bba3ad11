"""``evenfold methods`` lists the methods, or describes one of them."""

import re
from textwrap import wrap
from typing import Annotated, Any

import typer
from rich.table import Table

from evenfold.cli import options as o
from evenfold.cli.output import console, listing
from evenfold.core.facts.bibliography import cited_works
from evenfold.core.facts.card import summary, table
from evenfold.core.words import align_columns

Key = Annotated[str | None, o.argument(help="Show all that is known of this method.")]
On = Annotated[
    str | None, typer.Option("--design", metavar="KEY", help="Only methods that fit this design.")
]
From = Annotated[
    str | None,
    typer.Option(
        "--source", metavar="TAG", help="Only methods of this paper: nb, w14, r19, g13, t15, …"
    ),
]
Recommended = Annotated[
    bool, typer.Option("--recommended", help="Only methods that are fit to base a decision on.")
]


def methods(
    key: Key = None, design: On = None, source: From = None, recommended: Recommended = False
) -> None:
    """List the methods, or show all that is known of one."""
    from evenfold.infer import methods as registry

    registered = registry()
    if key is not None:
        o.require_known("method", key, registered, "evenfold methods")
        typer.echo(describe_method(registered[key]))
        return
    if design is not None:
        kinds = {kind for entry in registered.values() for kind in entry.designs}
        o.require_known("design", design, kinds, "evenfold design --help")
    rows = [entry for entry in registered.values() if design is None or design in entry.designs]
    if source is not None:
        rows = [entry for entry in rows if _is_from(entry, source)]
        if not rows:
            works = (cited_works(entry.source) for entry in registered.values())
            tags = sorted({tag for cited in works for tag, _ in cited})
            o.require_known("source", source, tags, "evenfold methods")
    if recommended:
        rows = [entry for entry in rows if entry.recommended]
    console().print(_listing(rows))


def _is_from(entry: Any, source: str) -> bool:
    """Return whether a method is from a paper, by its tag or by the name of an author."""
    return re.search(rf"\b{re.escape(source)}\b", entry.source, re.IGNORECASE) is not None


def _listing(rows: list[Any]) -> Table:
    """Return a table of methods with the recommended ones first."""
    table = listing("method", "use", "kind", "type I error", "designs")
    for entry in sorted(rows, key=lambda entry: (not entry.recommended, entry.key)):
        style = "bold" if entry.recommended else ""
        designs = ", ".join(entry.designs)
        table.add_row(entry.key, _use(entry), entry.family, entry.leaning, designs, style=style)
    return table


def _use(entry: Any) -> str:
    return "recommended" if entry.recommended else "for comparison only"


_UNSAID = {False: "models that were trained elsewhere", True: "whatever was known at each time"}


def describe_method(entry: Any) -> str:
    """Return all that is known of one method, as text."""
    facts = {
        "kind": entry.family,
        "use": _use(entry),
        "designs": ", ".join(entry.designs),
        "takes": ", ".join((*entry.inputs, *entry.arguments)),
        "estimates": entry.estimand,
        "for training sets of": entry.training_size or _UNSAID[entry.default_design.is_ordered],
        "type I error": f"{entry.leaning}. {entry.why}",
        "paper": entry.source,
        **dict(cited_works(entry.source)),
        "measured": f"not: {entry.why_no_card}" if entry.why_no_card else summary(entry.card),
    }
    lines = [entry.key]
    for name, text in facts.items():
        lines += wrap(
            text,
            98,
            initial_indent=f"  {name:<22}",
            subsequent_indent=" " * 24,
            break_on_hyphens=False,
        )
    if entry.card is not None:
        headings, cells = table(entry.card)
        rows = align_columns([headings, *cells], [name != headings[0] for name in headings])
        lines += ["", *("  " + "  ".join(row) for row in rows)]
    return "\n".join(lines)
