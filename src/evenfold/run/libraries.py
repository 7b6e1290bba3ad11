"""Which code belongs to a library, with a name and a version, and which is the caller's own."""

import dis
import sys
import sysconfig
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, packages_distributions
from importlib.metadata import version as distribution_version
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

_STDLIB = {Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "platstdlib")}
_DYNAMIC = {"import_module", "__import__"}  # functions that import what a text names
_OURS = {"evenfold", "evenfold_lab"}  # libraries to everybody else, also while we edit them
_HEAP_TYPE = 1 << 9  # the flag of classes that were made at run time


def address(value: Any, name: str | None = None) -> tuple[str, str]:
    """Return the module and the name that a function or class states as its own."""
    if isinstance(value, ModuleType):
        return value.__name__, ""
    module = getattr(value, "__module__", None)
    if isinstance(value, np.ufunc) and not module:
        module = "numpy" if getattr(np, value.__name__, None) is value else "scipy.special"
    name = name or getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    return str(module or "builtins"), str(name or "")


def holds(module: str, name: str, value: Any) -> bool:
    """Whether a library holds a value under the name that the value states."""
    if isinstance(value, type) and not value.__flags__ & _HEAP_TYPE:
        return True  # part of a compiled library, even if it is not shown
    if isinstance(value, FunctionType) and version(str(value.__globals__.get("__name__"))) is None:
        return False  # the caller's, put in place of a library's
    held: Any = sys.modules.get(module)
    for part in filter(None, name.split(".")):
        held = getattr(held, part, None)
    return held is value


def version(module: str) -> str | None:
    """Return the version of the library a module belongs to; None for the caller's own code."""
    root = module.partition(".")[0]
    loaded = sys.modules.get(module, sys.modules.get(root))
    if module == "__main__" or loaded is None or not is_library(loaded):
        return None
    if root in sys.stdlib_module_names:
        return sys.version.partition(" ")[0]
    return installed_version(root)


def installed_version(root: str) -> str | None:
    """
    Return the version of a library.

    It is the version that a loaded library states, else the installed one.
    """
    stated = getattr(sys.modules.get(root), "__version__", None)
    if stated is not None:
        return str(stated)
    return _distribution_version(root)


@cache
def _distribution_version(root: str) -> str | None:
    with suppress(PackageNotFoundError):
        return distribution_version(packages_distributions().get(root, [root])[0])
    return None


def is_library(module: Any) -> bool:
    """
    Whether a module was installed.

    The version of a package says nothing about code that is still being edited.
    """
    root = getattr(module, "__name__", "").partition(".")[0]
    is_built_in = root in sys.stdlib_module_names and not hasattr(module, "__file__")
    if root in _OURS or is_built_in:
        return True
    places = [getattr(module, "__file__", None), *getattr(module, "__path__", ())]
    return any(is_installed(place) for place in places if isinstance(place, str))


def own_modules() -> dict[str, ModuleType]:
    """Return the loaded modules of the caller's own by name, ``__main__`` left out."""
    return {
        name: module
        for name, module in list(sys.modules.items())
        if type(module) is ModuleType and name != "__main__" and not is_library(module)
    }


def imported_inside(*things: Any) -> dict[str, ModuleType]:
    """
    Return the caller's own modules that code imports when it is called, with their packages.

    The search covers the given functions and classes, and everything that the modules define.
    """
    modules = own_modules()
    last_names = {_last_name(name) for name in modules}
    spaces: list[Mapping[Any, Any]] = [dict(enumerate(things)), vars(sys.modules["__main__"])]
    spaces += [vars(module) for module in modules.values()]
    imported: set[str] = set()
    for space in spaces:
        for code in _codes(space):
            names = [*code.co_names, *texts_of(code)]
            if not last_names.isdisjoint(map(_last_name, names)):
                imported.update(_imports(code))
    with_packages: set[str] = set()
    for name in modules:
        if name in imported or _last_name(name) in imported:
            parts = name.split(".")
            with_packages.update(".".join(parts[: i + 1]) for i in range(len(parts)))
    return {name: modules[name] for name in sorted(with_packages & modules.keys())}


def _last_name(name: str) -> str:
    """Return the last part of a dotted name."""
    return name.rpartition(".")[2]


def _codes(space: Mapping[Any, Any]) -> Iterator[CodeType]:
    """Yield the code of all functions of a module or class, and of those inside them."""
    for thing in list(space.values()):
        is_wrapped = isinstance(thing, (staticmethod, classmethod))
        function = thing.__func__ if is_wrapped else thing
        if isinstance(function, FunctionType):
            yield from _code_objects(function.__code__)
        elif isinstance(thing, type) and not is_library(sys.modules.get(thing.__module__)):
            yield from _codes(vars(thing))


def _code_objects(code: CodeType) -> Iterator[CodeType]:
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from _code_objects(part)


def texts_of(code: CodeType) -> list[str]:
    """Return the text constants that may be names of modules, if code imports by name."""
    if imports_by_name(code):
        return [text for text in code.co_consts if isinstance(text, str)]
    return []


def imports_by_name(code: CodeType) -> bool:
    """Whether code imports modules that are named by texts."""
    return not _DYNAMIC.isdisjoint(code.co_names)


def _imports(code: CodeType) -> Iterator[str]:
    """Yield the names of modules and of their members that code imports."""
    yield from (text.lstrip(".") for text in texts_of(code))
    for step in dis.get_instructions(code):
        if step.opname in ("IMPORT_NAME", "IMPORT_FROM"):
            yield str(step.argval)


@cache
def is_installed(place: str | None) -> bool:
    """Whether a file belongs to Python or to an installed library; built-in modules have none."""
    if place in (None, "built-in", "frozen"):
        return True
    path = Path(str(place)).resolve()  # an editable install may be a link
    return bool({"site-packages", "dist-packages"} & {*path.parts}) or any(
        map(path.is_relative_to, _STDLIB)
    )
