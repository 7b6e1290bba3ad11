"""Whose code it is: a library's, known by name and version, or the caller's own, known by its content."""

import sys
import sysconfig
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions
from importlib.metadata import version as distribution_version
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

_STDLIB = {Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "platstdlib")}
_HEAP_TYPE = 1 << 9  # the flag of classes that were made at run time


def address(value: Any, name: str | None = None) -> tuple[str, str]:
    """Return module and name under which a function or class says it can be found."""
    if isinstance(value, ModuleType):
        return value.__name__, ""
    module = getattr(value, "__module__", None)
    if isinstance(value, np.ufunc) and not module:
        module = "numpy" if getattr(np, value.__name__, None) is value else "scipy.special"
    name = name or getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    return str(module or "builtins"), str(name or "")


def holds(module: str, name: str, value: Any) -> bool:
    if isinstance(value, type) and not value.__flags__ & _HEAP_TYPE:
        return True  # part of a compiled library, even if it is not shown
    if isinstance(value, FunctionType) and version(str(value.__globals__.get("__name__"))) is None:
        return False  # the caller's, put in place of a library's
    found: Any = sys.modules.get(module)
    for part in name.split(".") if name else ():
        found = getattr(found, part, None)
    return found is value


def version(module: str) -> str | None:
    """Return the version of the library a module belongs to; None for the caller's own code."""
    root = module.partition(".")[0]
    loaded = sys.modules.get(module, sys.modules.get(root))
    if module == "__main__" or loaded is None or not is_library(loaded):
        return None
    if root in sys.stdlib_module_names:
        return sys.version.partition(" ")[0]
    said = getattr(sys.modules.get(root), "__version__", None)
    return str(said) if said is not None else _distribution_version(root)


@cache
def _distribution_version(root: str) -> str | None:
    with suppress(PackageNotFoundError):
        return distribution_version(packages_distributions().get(root, [root])[0])
    return None


def is_library(module: Any) -> bool:
    """Whether a module was installed; a version says nothing about code that is still being edited."""
    root = getattr(module, "__name__", "").partition(".")[0]
    if root == "evenfold" or (root in sys.stdlib_module_names and not hasattr(module, "__file__")):
        return True
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
    return any(_is_installed(place) for place in places if isinstance(place, str))


def own_modules() -> dict[str, ModuleType]:
    """Return the loaded modules of the caller's own by name, ``__main__`` left out."""
    return {
        name: module
        for name, module in list(sys.modules.items())
        if type(module) is ModuleType and name != "__main__" and not is_library(module)
    }


@cache
def _is_installed(place: str) -> bool:
    path = Path(place).resolve()  # an editable install may be a link
    return bool({"site-packages", "dist-packages"} & {*path.parts}) or any(map(path.is_relative_to, _STDLIB))
