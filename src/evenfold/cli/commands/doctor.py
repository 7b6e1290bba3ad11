"""``evenfold doctor``: what is installed; with a file, what it holds and which question it can answer."""

import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated

import typer

_PLAIN = ("numpy", "scipy", "scikit-learn", "joblib", "narwhals", "cloudpickle", "typer", "rich")
_MORE = {
    "reports": ("matplotlib", "Jinja2"),
    "stores": ("SQLAlchemy", "psycopg"),
    "tables": ("pandas", "pyarrow", "polars", "skrub"),
    "workers": ("distributed",),
    "texts": ("python-crfsuite",),
    "compiled kernels": ("numba",),
    "devices": ("torch", "cupy"),
}

File = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE", help="A table or a log of results, or a folder of logs.", show_default=False
    ),
]


def doctor(file: File = None) -> None:
    """Say what is installed; or what a file holds, which question it can answer, and the next command."""
    if file is None:
        typer.echo(_installed())
        return
    from evenfold.comparison.doctor import diagnose

    typer.echo(f"{file}\n{diagnose(file)}")


def _installed() -> str:
    lines = [f"evenfold {_version('evenfold')} on Python {platform.python_version()}, {platform.system()}"]
    lines.append(f"  needed            {', '.join(f'{name} {_version(name)}' for name in _PLAIN)}")
    for what, names in _MORE.items():
        lines.append(f"  {what:<17} {', '.join(f'{name} {_version(name)}' for name in names)}")
    return "\n".join(lines)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
