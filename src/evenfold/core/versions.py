"""Which versions are installed: of evenfold, of Python, of what it needs and of each extra."""

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, packages_distributions, version

import evenfold
from evenfold.core.environment import EXTRAS, install_command, is_installed

_NUMERICAL = ("numpy", "scipy", "scikit-learn")  # what may change a number
_OTHERS = ("joblib", "threadpoolctl", "narwhals", "cloudpickle", "typer", "rich")
_LABORATORY = "evenfold-lab"
_OF_LABORATORY = {"numba": "compiled kernels", "torch": "a GPU", "cupy": "a GPU"}


def show_versions() -> None:
    """
    Print which versions are installed: of evenfold, of Python, and of what they use.

    The lines belong into the report of a bug. ``evenfold doctor`` prints them too, and tries which
    engines work.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.show_versions()  # doctest: +ELLIPSIS
    evenfold ... on Python ...
    """
    print(write_versions(versions_by_use()))


def versions_by_use() -> dict[str, str]:
    """Return what is installed by its use: what is needed, each extra, the laboratory."""
    return {
        "needed": ", ".join(f"{name} {_version(name)}" for name in (*_NUMERICAL, *_OTHERS)),
        **{extra: _extra(extra) for extra in dict.fromkeys(EXTRAS.values())},
        "laboratory": _laboratory(),
    }


def write_versions(rows: Mapping[str, str]) -> str:
    """Write rows line by line, below that of evenfold, Python and the machine."""
    first = f"evenfold {evenfold.__version__} on Python {platform.python_version()}, {_system()}"
    return "\n".join([first, *(f"  {name:<11} {text}" for name, text in rows.items())])


def version_line() -> str:
    """Return the versions of evenfold and of what its numbers depend on, in one line."""
    libraries = ", ".join(f"{name} {_version(name)}" for name in _NUMERICAL)
    python = f"Python {platform.python_version()}"
    return f"evenfold {evenfold.__version__} ({python}, {libraries}, {_system()})"


def _system() -> str:
    return f"{platform.system()} {platform.machine()}"


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


def _package_with_version(package: str) -> str:
    """Return the name under which a package is published, and its version."""
    names = packages_distributions().get(package, [package])
    return f"{names[0]} {_version(names[0])}"


def _extra(extra: str) -> str:
    packages = [package for package, home in EXTRAS.items() if home == extra]
    parts = [_package_with_version(package) for package in packages if is_installed(package)]
    absent = [package for package in packages if not is_installed(package)]
    if absent:
        parts.append(f"{' and '.join(absent)} not installed: {install_command(absent[0])}")
    return ", ".join(parts)


def _laboratory() -> str:
    version_of_laboratory = _version(_LABORATORY)
    if version_of_laboratory == "not installed":
        return f"not installed: pip install {_LABORATORY}"
    optional = [
        f"{_package_with_version(package)} ({use})"
        for package, use in _OF_LABORATORY.items()
        if is_installed(package)
    ]
    return ", ".join([f"{_LABORATORY} {version_of_laboratory}", *optional])
