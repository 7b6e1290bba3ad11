"""What code refers to: the globals a function reads, the modules it imports, the parts of a class."""

import dis
import sys
import types
from collections.abc import Mapping
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from types import CodeType, FunctionType, ModuleType
from typing import Any

SLOTS = (types.GetSetDescriptorType, types.MemberDescriptorType)
_READS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_NO_CONTENT = ("__repr__", "__annotate__", "__annotate_func__", "_abc_impl")  # decide no prediction


def used(code: CodeType, namespace: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Every global that a function, or a function inside it, may read, and every module it imports."""
    found: dict[str, Any] = {}
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            found.update(_imported(step.argval, namespace.get("__package__")))
        elif step.opname in _READS and step.argval in namespace:
            found[step.argval] = namespace[step.argval]
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


def members(key: str, item: Any, *, generated: bool) -> list[Any]:
    """Return the parts of a class member that have content."""
    if key in _NO_CONTENT or isinstance(item, SLOTS):
        return []
    if isinstance(item, property):
        return [function for function in (item.fget, item.fset, item.fdel) if function]
    if isinstance(item, (staticmethod, classmethod, cached_property)):
        return [item.func if isinstance(item, cached_property) else item.__func__]
    if not key.startswith("__"):
        return [item]
    if not callable(item):
        return []  # __doc__, __annotations__ and so on
    # what a dataclass writes for itself closes over its fields, which are hashed as such
    is_generated = generated and isinstance(item, FunctionType) and item.__code__.co_freevars
    return [] if is_generated and item.__code__.co_filename == "<string>" else [item]
