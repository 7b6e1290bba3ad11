"""``evenfold doctor``: what is installed and works; or what a file holds and can answer."""

from pathlib import Path
from typing import Annotated

import typer

File = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE", help="A table or a log of results, or a folder of logs.", show_default=False
    ),
]


def doctor(file: File = None) -> None:
    """Show what is installed and works; or what a file holds, and what it can answer, and how."""
    if file is None:
        from evenfold.cli.installed import installation

        typer.echo(installation())
        return
    from evenfold.comparison.doctor import diagnose

    typer.echo(f"{file}\n{diagnose(file)}")
