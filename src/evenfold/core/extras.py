"""
Packages that only some uses need.

Which extra brings each, and the one line where one is missing.
"""

from importlib import import_module
from importlib.util import find_spec

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
    Refuse a use in one line, with the command that helps, where a package is not installed.

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
    """Whether a package can be imported; it is looked for, not loaded."""
    try:
        return find_spec(package) is not None
    except (ImportError, ValueError):  # a finder says so; or a module that was put there by hand
        return False
