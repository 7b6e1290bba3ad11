"""What code refers to: the globals a function reads, the modules it imports, the parts of a class."""

import dis
import sys
import types
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec, resolve_name
from inspect import get_annotations
from types import CodeType, FunctionType, ModuleType
from typing import Any

from evenfold.run.fingerprints._libraries import (
    imports_by_name,
    installed_version,
    is_installed,
    is_library,
    texts_of,
)

SLOTS = (types.GetSetDescriptorType, types.MemberDescriptorType)
_READS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_ACCIDENTS = {  # how a class came to be, which its code cannot tell from another way
    *("__module__", "__qualname__", "__dict__", "__weakref__", "__firstlineno__", "__static_attributes__"),
    *("__dataclass_fields__", "__dataclass_params__", "__abstractmethods__", "_abc_impl", "__orig_bases__"),
    *("__parameters__", "__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__"),
}


class Unhashable(Exception):
    """Something that has no content to hash; the message says what."""


def used(code: CodeType, namespace: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Every global that a function, or a function inside it, may read, and every module it imports."""
    found: dict[str, Any] = {}
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            found.update(_imported(step.argval, namespace.get("__package__")))
        elif step.opname in _READS and step.argval in namespace:
            found[step.argval] = namespace[step.argval]
    if imports_by_name(code):
        found.update(_named_modules(code, namespace.get("__package__")))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found.update(used(constant, namespace))
    return sorted(found.items(), key=lambda pair: pair[0])


def _imported(name: str, package: str | None) -> dict[str, ModuleType]:
    """Return the module that a function imports when it is called, maybe relative to its own package."""
    found = {}
    for full in (name, f"{package}.{name}") if package and name else (name or package,):
        with suppress(Exception):  # it may be an import that is meant to fail
            found[f"import {full}"] = sys.modules.get(str(full)) or import_module(str(full))
    return found


def _named_modules(code: CodeType, package: str | None) -> dict[str, Any]:
    """Return the modules that code imports by a text in it; raise where that is made only when it runs."""
    found: dict[str, Any] = {}
    for text in texts_of(code):
        with suppress(Exception):  # most texts name no module
            name = resolve_name(text, package)
            found |= _module_named(name)
    if not found:
        raise Unhashable(f"the function {code.co_name!r}, which imports a module that only it can name")
    return found


def _module_named(name: str) -> dict[str, Any]:
    """Return a module, loaded if it is the caller's own; of a library that is not loaded the version."""
    spec = find_spec(name)
    if spec is None:
        return {}
    if name in sys.modules or not is_installed(spec.origin):
        return {f"import {name}": import_module(name)}
    return {f"import {name}": installed_version(name.partition(".")[0])}


def annotations_of(thing: Any) -> dict[str, Any]:
    """Return the annotations of a class or function, in their order; none where they cannot be had."""
    try:
        return dict(get_annotations(thing))
    except Exception:  # names that are not there
        return {}


def replaced(library_class: type) -> list[tuple[str, Any]]:
    """Return what somebody has put in place of methods of a library's class or of its parents."""
    parts = ((key, item) for kind in library_class.__mro__ for key, item in vars(kind).items())
    return [(key, item) for key, item in parts if isinstance(item, FunctionType) and _is_own(item)]


def _is_own(function: FunctionType) -> bool:
    """Whether a function is of a module that is loaded and no library's."""
    home = sys.modules.get(str(function.__globals__.get("__name__")))
    return home is not None and vars(home) is function.__globals__ and not is_library(home)


def members(key: str, item: Any, *, generated: bool) -> list[Any]:
    """Return the parts of a class member that have content."""
    if key in _ACCIDENTS or isinstance(item, SLOTS):
        return []
    if isinstance(item, property):
        return [function for function in (item.fget, item.fset, item.fdel) if function]
    if isinstance(item, (staticmethod, classmethod, cached_property)):
        return [item.func if isinstance(item, cached_property) else item.__func__]
    # what a dataclass writes for itself closes over its fields, which are hashed as such
    is_generated = generated and isinstance(item, FunctionType) and item.__code__.co_freevars
    return [] if is_generated and item.__code__.co_filename == "<string>" else [item]


def compiled_source(value: Any) -> tuple[Any, ...] | None:
    """
    Return what a function was compiled from by Numba: its source, options and signatures; None of others.

    As pickle takes it apart it has a number of its own in every process.
    """
    kind = type(value)
    if not kind.__module__.startswith("numba."):
        return None
    inner = getattr(value, "_dispatcher", value)
    function = getattr(value, "py_func", None) or getattr(inner, "py_func", None)
    if not isinstance(function, FunctionType):
        return None
    given = getattr(inner, "_can_compile", True)
    signatures = [] if given else sorted(map(str, getattr(value, "signatures", ()) or ()))
    return kind, function, getattr(inner, "targetoptions", {}), getattr(inner, "locals", {}), signatures
