"""``evenfold runs``: what a store holds."""

from typing import Annotated

import typer

from evenfold.cli.output import show

Store = Annotated[
    str, typer.Argument(metavar="STORE", help="A path or URL, as in compare --store.")
]


def runs(store: Store) -> None:
    """List the runs of a store: id, when, algorithms, measures, data, design and verdict."""
    from evenfold.comparison.reopen import runs as found

    show(found(store))
