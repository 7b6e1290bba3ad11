"""
Fingerprints: values with the same fingerprint give the same predictions.

Data are hashed by their bytes. Code of installed libraries is hashed by name and version, and the
caller's own code by its bytecode and everything that it refers to. Other objects are hashed by the
parts that pickle would write. Values without content, such as a closure over changing state or an
open file, raise :class:`Unhashable`.
"""

import copyreg
import dis
import os
import random
import sys
import types
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cached_property, partial
from hashlib import blake2b
from importlib import import_module
from importlib.machinery import EXTENSION_SUFFIXES
from importlib.util import find_spec, resolve_name
from inspect import get_annotations
from io import IOBase
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

from evenfold.run.libraries import (
    address,
    holds,
    imports_by_name,
    installed_version,
    is_installed,
    is_library,
    texts_of,
    version,
)

# What code refers to: the globals a function reads, the modules it imports, the parts of a class.


SLOTS = (types.GetSetDescriptorType, types.MemberDescriptorType)
_READS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_BY_ANY_NAME = ("globals", "eval", "exec")  # builtins by which code reaches whatever a text says
_ENVIRONMENT = {"environ", "getenv"}
_READING = {"open", "read_text", "read_bytes"}
_WRITING = {"w", "a", "x", "wb", "ab", "xb", "r+", "write", "write_text", "write_bytes", "touch"}
_ACCIDENTS = {  # attributes that say how a class was made and not what it does
    "__module__",
    "__qualname__",
    "__dict__",
    "__weakref__",
    "__firstlineno__",
    "__static_attributes__",
    "__dataclass_fields__",
    "__dataclass_params__",
    "__abstractmethods__",
    "_abc_impl",
    "__orig_bases__",
    "__parameters__",
    "__annotations__",
    "__annotate__",
    "__annotate_func__",
    "__annotations_cache__",
}


class Unhashable(Exception):
    """Something that has no content to hash; the message says what."""


def used_globals(code: CodeType, namespace: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the globals that a function and its inner functions may read, and their imports."""
    used: dict[str, Any] = {}
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            used.update(_imported_module(step.argval, namespace.get("__package__")))
        elif step.opname in _READS and step.argval in namespace:
            used[step.argval] = namespace[step.argval]
        elif step.opname in _READS and step.argval in _BY_ANY_NAME:
            raise Unhashable(f"the function {code.co_name!r}, which calls {step.argval}()")
    if imports_by_name(code):
        used.update(_modules_imported_by_text(code, namespace.get("__package__")))
    used.update(_read_from_outside(code))
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            used.update(used_globals(constant, namespace))
    return sorted(used.items(), key=lambda pair: pair[0])


def _read_from_outside(code: CodeType) -> dict[str, Any]:
    """
    Return the environment variables and files that code reads and names by a text constant.

    If the code computes the name of a variable, it raises an error.
    """
    read: dict[str, Any] = {}
    texts = [text for text in code.co_consts if isinstance(text, str)]
    if not _ENVIRONMENT.isdisjoint(code.co_names):
        names = [text for text in texts if text.isidentifier()]
        if not names:
            raise Unhashable(
                f"the function {code.co_name!r}, which reads an environment variable whose name it "
                "computes"
            )
        read |= {f"environment {name}": os.environ.get(name) for name in names}
    # what code writes, too, is its own notes
    writes = _WRITING.intersection((*code.co_names, *texts))
    if not writes and not _READING.isdisjoint(code.co_names):
        for text in texts:
            with suppress(OSError, ValueError):  # most texts name no file
                read[f"file {text}"] = Path(text).read_bytes()
    return read


def _imported_module(name: str, package: str | None) -> dict[str, ModuleType]:
    """Return the module that a function imports when it is called, by its full name."""
    imported = {}
    for full in (name, f"{package}.{name}") if package and name else (name or package,):
        with suppress(Exception):  # it may be an import that is meant to fail
            imported[f"import {full}"] = sys.modules.get(str(full)) or import_module(str(full))
    return imported


def _modules_imported_by_text(code: CodeType, package: str | None) -> dict[str, Any]:
    """
    Return the modules that code imports by a text constant.

    If the code computes the name of a module, it raises an error.
    """
    imported: dict[str, Any] = {}
    for text in texts_of(code):
        with suppress(Exception):  # most texts name no module
            name = resolve_name(text, package)
            imported |= _load_module(name)
    if not imported:
        raise Unhashable(
            f"the function {code.co_name!r}, which imports a module whose name it computes"
        )
    return imported


def _load_module(name: str) -> dict[str, Any]:
    """
    Return a module, loaded if it is the caller's own.

    A library that is not loaded is represented by its version.
    """
    spec = find_spec(name)
    if spec is None:
        return {}
    if name in sys.modules or not is_installed(spec.origin):
        return {f"import {name}": import_module(name)}
    return {f"import {name}": installed_version(name.partition(".")[0])}


def _is_own(function: FunctionType) -> bool:
    """Whether a function belongs to a loaded module of the caller's own."""
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
    if is_generated and item.__code__.co_filename == "<string>":
        return []
    return [item]


def compiled_source(value: Any) -> tuple[Any, ...] | None:
    """
    Return what a function was compiled from by Numba: its source, options and signatures.

    The result is None for other functions. A pickle would not do, because it contains a number
    that differs between processes.
    """
    kind = type(value)
    if not kind.__module__.startswith("numba."):
        return None
    inner = getattr(value, "_dispatcher", value)
    function = getattr(value, "py_func", None) or getattr(inner, "py_func", None)
    if not isinstance(function, FunctionType):
        return None
    signatures: list[str] = []
    if not getattr(inner, "_can_compile", True):
        signatures = sorted(map(str, getattr(value, "signatures", ()) or ()))
    options = getattr(inner, "targetoptions", {})
    return kind, function, options, getattr(inner, "locals", {}), signatures


def fingerprint(*values: Any, cloned: bool = False, lenient: bool = False) -> bytes:
    """
    Return the hash of some values by their content.

    ``cloned`` says that estimators among them are cloned before use, so that what they learnt plays
    no part; ``lenient`` leaves out what has no content instead of raising.
    """
    hasher = Hasher(lenient=lenient)
    try:
        for value in values:
            hasher.add(value, cloned=cloned)
    except Unhashable:
        raise
    except Exception as error:  # of objects that are not what they seem, too
        raise Unhashable(f"an object that cannot be read: {error}") from error
    return hasher.digest()


# The walk over all parts of a value, each of them once, even if parts refer to each other.


_CONTAINERS = (list, tuple, set, frozenset, dict)
_METHODS = (
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
)
_BUILTIN = (BuiltinFunctionType, types.MethodWrapperType)
_CODE = (
    *_BUILTIN,
    *_METHODS,
    *SLOTS,
    FunctionType,
    MethodType,
    np.ufunc,
    partial,
    type,
    ModuleType,
)
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))
_KEPT_BY_CLONE = ("_metadata_request", "_sklearn_output_config")
_SIZE = 16  # bytes: 2**64 fits before a collision is likely
_MOST = 20_000_000  # parts of one value; more are no parameters but a database

# which value, whether it is cloned before use, whether gaps are left out
_Key = tuple[int, bool, bool]


class Hasher:
    """
    Hashes values. Every value is preceded by its kind, so that 1, 1.0 and "1" differ.

    Each composite value is hashed once, and its digest takes its place wherever it occurs. Values
    that refer to each other are identified by their distance from the first of their cycle, which
    Gabow's algorithm for strongly connected components finds on the way. So the work grows with the
    number of parts, not of paths.
    """

    def __init__(self, *, lenient: bool = False) -> None:
        self._hash = blake2b(digest_size=_SIZE)
        self._lenient = lenient
        self._done: dict[_Key, bytes] = {}
        # values whose cycle is not complete yet
        self._number: dict[_Key, int] = {}
        # number and depth of those values that may begin a cycle
        self._firsts: list[tuple[int, int]] = []
        self._depth = 0
        self._kept: list[Any] = []  # so that no other object gets the address of a hashed one

    def digest(self) -> bytes:
        return self._hash.digest()

    def _raw(self, kind: str, content: bytes = b"") -> None:
        self._hash.update(f"{kind}:{len(content)}:".encode())
        self._hash.update(content)

    def add(self, value: Any, *, cloned: bool = False) -> None:
        """Hash a value of any kind."""
        if type(value) in _PLAIN:
            self._raw(
                type(value).__name__,
                value if isinstance(value, bytes) else repr(value).encode("utf-8", "surrogatepass"),
            )
        else:
            self._raw("part", self._part(value, cloned=cloned))

    def _part(self, value: Any, *, cloned: bool) -> bytes:
        """Return the digest of a composite value, or where in its cycle it stands."""
        key = id(value), cloned, self._lenient
        if key in self._done:
            return self._done[key]
        if key in self._number:
            while self._firsts[-1][0] > self._number[key]:  # all below belong to one cycle
                self._firsts.pop()
            first, depth = self._firsts[-1]
            return b"%d after %d above" % (self._number[key] - first, self._depth - depth)
        return self._enter(key, value)

    def _enter(self, key: _Key, value: Any) -> bytes:
        number = len(self._kept)
        if number > _MOST:
            raise Unhashable(f"an object of more than {_MOST:,} parts")
        self._kept.append(value)
        self._number[key] = number
        self._firsts.append((number, self._depth))
        self._depth += 1
        outer = self._hash
        self._hash = blake2b(digest_size=_SIZE)
        self._hash_content(value, cloned=key[1])
        digest = self._hash.digest()
        self._hash = outer
        self._depth -= 1
        if self._firsts[-1][0] == number:
            self._firsts.pop()
            self._settle(number, digest)
        return digest

    def _settle(self, number: int, digest: bytes) -> None:
        """Store the final digests of the first value of a cycle and of all others in it."""
        while self._number:
            last, place = self._number.popitem()
            if place < number:
                self._number[last] = place  # it belongs to an outer cycle
                break
            name = blake2b(b"%d" % (place - number), key=digest, digest_size=_SIZE).digest()
            self._done[last] = name if place > number else digest

    def _hash_content(self, value: Any, *, cloned: bool) -> None:
        try:
            if type(value) in _CONTAINERS:
                self._container(value, cloned=cloned)
            elif isinstance(value, (np.ndarray, np.generic)):
                self._array(value)
            elif isinstance(value, _CODE):
                self._code(value)
            else:
                self._object(value, cloned=cloned)
        except (Unhashable, OSError):
            if not self._lenient:
                raise
            self._raw("unhashable")

    def _array(self, value: Any) -> None:
        if isinstance(value, np.ma.MaskedArray):
            self.add(("masked", value.data, np.ma.getmaskarray(value), value.fill_value))
            return
        array = np.asarray(value)
        kind = "array" if type(value) in (np.ndarray, np.memmap) else type(value).__name__
        self._raw(kind, f"{array.dtype.str}{array.shape}".encode())
        if type(value) is not np.memmap and getattr(value, "__dict__", None):
            self._state(vars(value))  # what a subclass carries
        if array.dtype.names:  # field by field: the gaps between them hold anything
            for name in array.dtype.names:
                self._raw("field", name.encode())
                self._array(array[name])
        elif array.dtype.hasobject or array.dtype.kind == "T":
            self.add(array.ravel().tolist())
        elif array.size:
            self._hash.update(np.ascontiguousarray(array).view(np.uint8).data)

    def _container(self, value: Any, *, cloned: bool) -> None:
        self._raw(type(value).__name__, str(len(value)).encode())
        if isinstance(value, (set, frozenset)):
            for digest in sorted(self._digest_alone(item, cloned=cloned) for item in value):
                self._raw("item", digest)
        elif isinstance(value, dict):  # in its order, which a search over parameters follows
            for key, item in value.items():
                self.add(key)
                self.add(item, cloned=cloned)
        else:
            for item in value:
                self.add(item, cloned=cloned)

    def _digest_alone(self, value: Any, *, cloned: bool) -> bytes:
        """Return the digest of a value by itself, by which the items of a set are sorted."""
        outer = self._hash
        self._hash = blake2b(digest_size=_SIZE)
        try:
            self.add(value, cloned=cloned)
            return self._hash.digest()
        finally:
            self._hash = outer

    def _state(self, state: Mapping[str, Any], *, cloned: bool = False) -> None:
        """Hash attributes by name, because their order has no meaning."""
        for key in sorted(state, key=str):
            self._raw("attribute", str(key).encode("utf-8", "surrogatepass"))
            self.add(state[key], cloned=cloned)

    def _object(self, value: Any, *, cloned: bool) -> None:
        if hasattr(value, "iloc"):
            self._frame(value)
        elif hasattr(value, "tocsr"):
            matrix = value.tocsr()
            self.add(
                (type(matrix).__name__, matrix.shape, matrix.data, matrix.indices, matrix.indptr)
            )
        elif hasattr(value, "get_params"):
            self._estimator(value, cloned=cloned)
        elif (source := compiled_source(value)) is not None:
            self.add(("compiled", *source))
        elif value is np.random.mtrand._rand or value is getattr(random, "_inst", None):
            self._raw("global randomness")  # in whatever state it happens to be
        elif isinstance(value, np.random.RandomState):
            self.add(("RandomState", value.get_state(legacy=False)))
        else:
            self._instance(value)

    def _estimator(self, value: Any, *, cloned: bool) -> None:
        """Hash class and parameters, and the learnt state if the estimator is not cloned."""
        # FrozenEstimator's is to stay as it is
        own_way = getattr(type(value), "__sklearn_clone__", None)
        cloned = cloned and (
            own_way is None or getattr(own_way, "__module__", "") == "sklearn.base"
        )
        parameters = value.get_params(deep=False)
        state = {
            key: item
            for key, item in getattr(value, "__dict__", {}).items()
            if key not in parameters and (key in _KEPT_BY_CLONE or not cloned)
        }
        self.add(type(value))
        self._state(parameters, cloned=cloned)
        self._raw("learnt")
        self._state(state)

    def _instance(self, value: Any) -> None:
        """Hash an object by the parts that pickle would write, or by its name in a library."""
        if isinstance(value, IOBase):
            raise Unhashable(f"an open file, {getattr(value, 'name', value)!r}")
        try:
            reduce = copyreg.dispatch_table.get(type(value))
            parts = reduce(value) if reduce else value.__reduce_ex__(4)
        except Exception as error:
            raise Unhashable(f"a {type(value).__name__}") from error
        if isinstance(parts, tuple):
            self._raw("object", str(len(parts)).encode())
            for place, part in enumerate(parts):
                self._piece(part, is_state=place == 2)
        elif not self._library(value, parts):
            raise Unhashable(f"{value!r}")

    def _piece(self, part: Any, *, is_state: bool) -> None:
        """Hash one part of a pickled object; a state may be two mappings, one of them of slots."""
        halves = part if is_state and isinstance(part, tuple) and len(part) == 2 else (part,)
        for half in halves:
            if is_state and type(half) is dict:
                self._state(half)
            else:
                self.add(list(half) if isinstance(half, Iterator) else half)

    def _frame(self, frame: Any) -> None:
        """Hash a pandas frame or series by column, with the index, which an algorithm may use."""
        columns = [frame]
        if frame.ndim == 2:
            columns = [frame.iloc[:, j] for j in range(frame.shape[1])]
        self._raw(type(frame).__name__, repr(frame.shape).encode())
        self.add(([column.name for column in columns], list(frame.index.names)))
        for column in (frame.index, *columns):
            self._column(column)

    def _column(self, column: Any) -> None:
        self._raw("column", str(column.dtype).encode())
        if hasattr(column.dtype, "categories"):
            categorical = column.array
            self.add((categorical.codes, bool(categorical.ordered)))
            self._column(categorical.categories)
        elif getattr(column.dtype, "tz", None) is not None:
            # UTC; the dtype names the zone
            self.add(column.to_numpy(f"datetime64[{column.dtype.unit}]"))
        else:
            values = column.to_numpy()
            self.add(values if values.dtype.kind in "biufcMm" else column.tolist())

    def _code(self, value: Any) -> None:
        """Hash functions, classes and modules by their version if they are of a library."""
        if isinstance(value, partial):
            self.add(("partial", value.func, value.args, value.keywords))
            self._state(vars(value))
        elif isinstance(value, MethodType):
            self.add(("method", value.__func__, value.__self__))
        elif isinstance(value, (*_METHODS, *SLOTS)):
            self.add(("descriptor", value.__name__, value.__objclass__))
        elif isinstance(value, _BUILTIN) and not isinstance(value.__self__, ModuleType | None):
            self.add(("bound", value.__name__, value.__self__))
        elif not self._library(value):
            self._hash_own(value)

    def _library(self, value: Any, name: str | None = None) -> bool:
        """Hash a value of a library by name and version; return whether it is one."""
        module, name = address(value, name)
        known = version(module)
        if known is None or not holds(module, name, value):
            return False
        self.add(("library", module, name, known))
        if isinstance(value, type):
            methods = [pair for parent in value.__mro__ for pair in vars(parent).items()]
            for key, item in methods:
                if isinstance(item, FunctionType) and _is_own(item):  # put in place of another
                    self._raw("replaced", key.encode())
                    self.add(item)
        return True

    def _hash_own(self, value: Any) -> None:
        if isinstance(value, ModuleType):
            self._module(value)
        elif isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, type):
            self._class(value)
        elif isinstance(value, BuiltinFunctionType) and isinstance(value.__self__, ModuleType):
            self.add((value.__name__, value.__self__))
        else:
            raise Unhashable(f"{value!r}")

    def _module(self, module: ModuleType) -> None:
        """Hash a loaded module of the caller's own, of which its importers can use everything."""
        self._raw("module", module.__name__.encode())
        file = str(getattr(module, "__file__", None))
        if file.endswith(tuple(EXTENSION_SUFFIXES)):
            self._raw("compiled", Path(file).read_bytes())
        try:
            self._state(
                {key: item for key, item in vars(module).items() if not key.startswith("__")}
            )
        except Unhashable as error:
            raise Unhashable(f"{error}, in the module {module.__name__!r}") from error

    def _class(self, value: type) -> None:
        self.add((value.__name__, value.__bases__))
        if version(type(value).__module__) is None:  # a metaclass of the caller's own
            self.add(type(value))
        fields = vars(value).get("__dataclass_fields__", {})
        self.add([(key, field.default, field.default_factory) for key, field in fields.items()])
        for key, item in sorted(vars(value).items()):
            for part in members(key, item, generated=bool(fields)):
                self._raw(f"member {type(item).__name__}", key.encode())
                self.add(part)
        self._annotations(value)

    def _annotations(self, thing: Any) -> None:
        """Hash annotations, which some code reads; types without content by their names alone."""
        before = self._lenient
        self._lenient = True
        try:
            try:
                annotations = get_annotations(thing)
            except Exception:  # names that are not there
                annotations = {}
            self._state(annotations)
        finally:
            self._lenient = before

    def _function(self, function: FunctionType) -> None:
        self._raw("function", function.__qualname__.rpartition(".")[2].encode())
        self._bytecode(function.__code__)
        self.add((function.__defaults__, function.__kwdefaults__, function.__doc__))
        self._annotations(function)
        self._state(vars(function))
        # __class__ is the variable of super()
        free = [name for name in function.__code__.co_freevars if name != "__class__"]
        if version(str(function.__globals__.get("__name__"))) is not None:  # a library's decorator
            for cell in function.__closure__ or ():
                self.add(cell.cell_contents)
            return
        if free:
            raise Unhashable(
                f"the function {function.__name__!r}, which closes over {', '.join(sorted(free))}"
            )
        for name, item in used_globals(function.__code__, function.__globals__):
            self._raw("global", name.encode())
            self.add(item)

    def _bytecode(self, code: CodeType) -> None:
        self._raw("code", code.co_code)
        self.add((code.co_names, code.co_varnames, code.co_freevars, code.co_exceptiontable))
        self.add((code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags))
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._bytecode(constant)
            else:
                self.add(constant)
