"""
Optional packages, and a folder for results that can be computed again.

The module knows which extra installs each package, and refuses a use if its package is missing.
"""

import json
import os
import sys
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from evenfold.core.errors import NotInstalled

EXTRAS = {
    "matplotlib": "report",
    "jinja2": "report",
    "sqlalchemy": "store",
    "pandas": "tables",
    "pyarrow": "tables",
    "skrub": "tables",
    "distributed": "dask",
    "psycopg": "postgres",
    "pycrfsuite": "text",
    "mlflow": "mlflow",
}
"""The extra of evenfold that installs a package, by the name under which Python imports it."""


def require(package: str, use: str) -> None:
    """
    Refuse a use if its package is not installed, with the command that installs it.

    Examples
    --------
    >>> require("matplotlib", "plot()")
    """
    try:
        import_module(package)
    except ModuleNotFoundError as error:
        if error.name != package:  # it is there, but something that it needs is not
            raise
        message = f"{use} needs {package}, which is not installed: {install_command(package)}"
        raise NotInstalled(message) from None


def install_command(package: str) -> str:
    """
    Return the command that installs a package, with the extra that brings it.

    Examples
    --------
    >>> install_command("pandas")
    'pip install "evenfold[tables]"'
    """
    if package in EXTRAS:
        return f'pip install "evenfold[{EXTRAS[package]}]"'
    return f"pip install {package}"


def is_installed(package: str) -> bool:
    """Return whether a package can be imported, without importing it."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # a finder raises it, or the module was made by hand
        return False


def user_cache() -> Path:
    """
    Return the user's cache folder for evenfold, which may not exist yet.

    ``XDG_CACHE_HOME`` names its parent; if it is not set, the platform's convention does.
    """
    home = os.environ.get("XDG_CACHE_HOME", "")
    if Path(home).is_absolute():  # the XDG standard says to ignore relative paths
        return Path(home) / "evenfold"
    if sys.platform == "darwin":
        return Path("~/Library/Caches/evenfold").expanduser()
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", "~")).expanduser() / "evenfold" / "Cache"
    return Path("~/.cache/evenfold").expanduser()


def recall(file: Path) -> Any:
    """Return the value in a file of :func:`remember`; None if it is missing or damaged."""
    with suppress(OSError, ValueError):
        return json.loads(file.read_text(encoding="utf-8"))
    return None


def remember(file: Path, value: Any) -> None:
    """Write a value as JSON, atomically; if the folder cannot be written, nothing happens."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        with NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as written:
            json.dump(value, written)
        Path(written.name).replace(file)
