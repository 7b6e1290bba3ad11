"""``evenfold doctor`` says what is installed and works, or what a file holds and can answer."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated

import typer

from evenfold.cli import options as o
from evenfold.cli.output import all_options
from evenfold.core.environment import install_command, is_installed
from evenfold.core.versions import versions_by_use, write_versions
from evenfold.core.words import one_line

_PATIENCE_SECONDS = 60.0  # for a process to start on a busy machine

File = Annotated[
    Path | None,
    o.argument(metavar="FILE", help="A table or a log of results, or a folder of logs."),
]


def doctor(file: File = None) -> None:
    """Show what is installed and works; or what a file holds, and what it can answer, and how."""
    if file is None:
        typer.echo(installation())
        return
    from evenfold.cli.spelling import spell_error
    from evenfold.comparison.doctor import diagnose

    options = all_options()
    typer.echo(f"{file}\n{diagnose(file, lambda error: spell_error(error, options))}")
    if not file.exists():
        raise typer.Exit(2)


def installation() -> str:
    """Return what is installed, which extras are complete, and which engines work, line by line."""
    return write_versions({**versions_by_use(), "engines": "; ".join(_engines())})


def _engines() -> Iterator[str]:
    """Try the engines of this machine, and say whether the package for others is installed."""
    yield "serial works"
    with ThreadPoolExecutor(1) as pool:
        pool.submit(abs, -1).result()
    yield "threads work"
    yield _processes()
    if is_installed("distributed"):
        yield "dask is installed"
    else:
        yield f"dask needs {install_command('distributed')}"


def _processes() -> str:
    from evenfold.run.engines.loky import Processes

    pool = Processes(1)
    try:
        pool.submit(abs, -1).result(timeout=_PATIENCE_SECONDS)
    except Exception as error:  # whatever a system refuses: semaphores, memory, a program file
        return f"processes fail ({type(error).__name__}: {one_line(error)[:80]})"
    finally:
        pool.close(abandon=True)
    return "processes work"
