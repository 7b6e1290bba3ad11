"""``evenfold doctor``: what is installed and works; or what a file holds and can answer."""

import platform
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path
from typing import Annotated

import typer

import evenfold
from evenfold.cli import options as o
from evenfold.cli.output import all_options
from evenfold.core.environment import EXTRAS, install_command, is_installed
from evenfold.core.words import one_line

_NUMERICAL = ("numpy", "scipy", "scikit-learn")  # what may change a number
_OTHERS = ("joblib", "threadpoolctl", "narwhals", "cloudpickle", "typer", "rich")
_LABORATORY = "evenfold-lab"
_OF_LABORATORY = {"numba": "compiled kernels", "torch": "a GPU", "cupy": "a GPU"}
_PATIENCE_SECONDS = 60.0  # for a process to start, on a machine that does other things, too

File = Annotated[
    Path | None,
    o.argument(metavar="FILE", help="A table or a log of results, or a folder of logs."),
]


def doctor(file: File = None) -> None:
    """Show what is installed and works; or what a file holds, and what it can answer, and how."""
    if file is None:
        typer.echo(installation())
        return
    from evenfold.cli.app import spell_error
    from evenfold.comparison.doctor import diagnose

    options = all_options()
    typer.echo(f"{file}\n{diagnose(file, lambda error: spell_error(error, options))}")


def version_line() -> str:
    """Return the versions of evenfold and of what its numbers depend on, in one line."""
    below = [
        f"Python {platform.python_version()}",
        *(f"{name} {_version(name)}" for name in _NUMERICAL),
    ]
    return f"evenfold {evenfold.__version__} ({', '.join(below)}, {_system()})"


def installation() -> str:
    """Return what is installed, which extras are complete, and which engines work, line by line."""
    rows = {
        "needed": ", ".join(f"{name} {_version(name)}" for name in (*_NUMERICAL, *_OTHERS)),
        **{extra: _extra(extra) for extra in dict.fromkeys(EXTRAS.values())},
        "laboratory": _laboratory(),
        "engines": "; ".join(_engines()),
    }
    lines = [f"evenfold {evenfold.__version__} on Python {platform.python_version()}, {_system()}"]
    return "\n".join([*lines, *(f"  {name:<11} {text}" for name, text in rows.items())])


def _system() -> str:
    return f"{platform.system()} {platform.machine()}"


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


def _package_with_version(package: str) -> str:
    """A package with its version, by the name under which it is published."""
    names = packages_distributions().get(package, [package])
    return f"{names[0]} {_version(names[0])}"


def _extra(extra: str) -> str:
    packages = [package for package, home in EXTRAS.items() if home == extra]
    there = [_package_with_version(package) for package in packages if is_installed(package)]
    absent = [package for package in packages if not is_installed(package)]
    if not absent:
        return ", ".join(there)
    return ", ".join(
        [*there, f"{' and '.join(absent)} not installed: {install_command(absent[0])}"]
    )


def _laboratory() -> str:
    found = _version(_LABORATORY)
    if found == "not installed":
        return f"not installed: pip install {_LABORATORY}"
    more = [
        f"{_package_with_version(one)} ({use})"
        for one, use in _OF_LABORATORY.items()
        if is_installed(one)
    ]
    return ", ".join([f"{_LABORATORY} {found}", *more])


def _engines() -> Iterator[str]:
    """Try the engines of this machine; those of others are said to be there, or not."""
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
