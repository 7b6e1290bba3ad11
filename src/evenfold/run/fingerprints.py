"""
Fingerprints: two things with the same fingerprint give the same predictions.

Data are hashed by their bytes. Estimators are hashed by class, parameters and the version of the library
they come from; functions and classes of the caller's own by their code and everything the code refers to.
What has no content to hash (a closure over changing state, an open file) raises :class:`Unhashable`.
"""

import sys
from contextlib import suppress
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import partial
from hashlib import blake2b
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as distribution_version
from io import IOBase
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_CODE = (FunctionType, MethodType, BuiltinFunctionType, np.ufunc, partial, type, ModuleType)
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...))
_SIZE = 16  # bytes: 2**64 cells before a collision is likely


class Unhashable(Exception):
    """Something that has no content to hash; the message says what."""


def fingerprint(*values: Any) -> bytes:
    """Return the hash of some values by their content."""
    hasher = _Hasher()
    for value in values:
        hasher.add(value)
    return hasher.digest()


class _Hasher:
    """Feeds values to one hash; every value is preceded by its kind, so that 1, 1.0 and "1" differ."""

    def __init__(self) -> None:
        self._hash = blake2b(digest_size=_SIZE)
        self._open: set[int] = set()  # objects on the way down, against endless recursion
        self._seen: dict[int, tuple[int, Any]] = {}  # functions and classes hashed before, by number

    def digest(self) -> bytes:
        return self._hash.digest()

    def _raw(self, kind: str, content: bytes = b"") -> None:
        self._hash.update(f"{kind}:{len(content)}:".encode())
        self._hash.update(content)

    def add(self, value: Any) -> None:
        """Hash a value of any kind."""
        if type(value) in _PLAIN:
            self._raw(type(value).__name__, value if isinstance(value, bytes) else repr(value).encode())
        elif isinstance(value, np.ndarray):
            self._array(value)
        elif isinstance(value, np.generic):
            self._array(np.asarray(value))
        elif isinstance(value, np.dtype):
            self._raw("dtype", str(value).encode())
        elif isinstance(value, (list, tuple, set, frozenset, dict)):
            self._container(value)
        elif isinstance(value, _CODE):
            self._code(value)
        elif id(value) not in self._open:
            self._open.add(id(value))
            self._object(value)
            self._open.discard(id(value))

    def _array(self, array: np.ndarray) -> None:
        if array.dtype.kind == "O":
            self._raw("objects", repr(array.shape).encode())
            for item in array.ravel().tolist():
                self.add(item)
            return
        self._raw("array", f"{array.dtype.str}{array.shape}".encode())
        self._hash.update(np.ascontiguousarray(array).view(np.uint8).data if array.size else b"")

    def _container(self, value: Any) -> None:
        self._raw(type(value).__name__, str(len(value)).encode())
        if isinstance(value, (set, frozenset)):
            for digest in sorted(fingerprint(item) for item in value):
                self._raw("item", digest)
        elif isinstance(value, dict):
            for key, item in sorted(value.items(), key=lambda pair: repr(pair[0])):
                self.add(key)
                self.add(item)
        else:
            for item in value:
                self.add(item)

    def _object(self, value: Any) -> None:
        if hasattr(value, "iloc"):
            self._frame(value)
        elif hasattr(value, "tocsr"):
            matrix = value.tocsr()
            self.add(("sparse", matrix.shape, matrix.data, matrix.indices, matrix.indptr))
        elif isinstance(value, np.random.RandomState):
            self.add(("RandomState", value.get_state(legacy=False)))
        elif isinstance(value, np.random.Generator):
            self.add(("Generator", value.bit_generator.state))
        elif hasattr(value, "get_params"):
            self.add((type(value), value.get_params(deep=False)))
        else:
            self._instance(value)

    def _instance(self, value: Any) -> None:
        """Hash a plain object as its class and attributes; one with its own way to pickle is not plain."""
        kind: Any = type(value)
        if isinstance(value, Enum):
            self.add((kind, value.name))
        elif is_dataclass(value):
            self.add((kind, {f.name: getattr(value, f.name) for f in fields(value)}))
        elif isinstance(value, (int, float, str)):
            self.add((kind, repr(value)))
        elif isinstance(value, IOBase):
            raise Unhashable(f"an open file, {getattr(value, 'name', value)!r}")
        elif (
            kind.__reduce__ is object.__reduce__
            and kind.__reduce_ex__ is object.__reduce_ex__
            and hasattr(value, "__dict__")
        ):
            self.add((kind, vars(value)))
        else:
            raise Unhashable(f"a {kind.__name__}")

    def _frame(self, frame: Any) -> None:
        """Hash a pandas frame or series column by column; the index plays no part in fitting."""
        columns = [frame.iloc[:, j] for j in range(frame.shape[1])] if frame.ndim == 2 else [frame]
        self.add(["frame", len(frame), [(str(column.name), str(column.dtype)) for column in columns]])
        for column in columns:
            values = column.to_numpy()
            self.add(values if values.dtype.kind in "biufcMm" else column.tolist())

    def _code(self, value: Any) -> None:
        """Functions, classes, modules: by version where a library has one, else by their own code."""
        if isinstance(value, partial):
            self.add(("partial", value.func, value.args, value.keywords))
        elif isinstance(value, ModuleType):
            self.add(("module", value.__name__, _version(value.__name__)))
        elif isinstance(value, MethodType):
            self.add(("method", value.__func__, value.__self__))
        else:
            self._named(value)

    def _named(self, value: Any) -> None:
        module = getattr(value, "__module__", None) or "numpy"
        name = getattr(value, "__qualname__", value.__name__)
        version = _version(module)
        self.add(("named", module if version else "", name, version))
        if version is not None:
            return
        if id(value) in self._seen:  # also where code calls itself
            self._raw("again", str(self._seen[id(value)][0]).encode())
        else:
            self._seen[id(value)] = len(self._seen), value
            self._own(value)

    def _own(self, value: Any) -> None:
        if isinstance(value, FunctionType):
            self._function(value)
        elif isinstance(value, type):
            self.add(value.__bases__)
            for key, item in sorted(vars(value).items()):
                for part in _members(key, item):
                    self._raw("member", key.encode())
                    self.add(part)
        else:
            raise Unhashable(f"{value!r}")

    def _function(self, function: FunctionType) -> None:
        free = set(function.__code__.co_freevars) - {"__class__"}  # what super() needs is no state
        if free:
            names = ", ".join(sorted(free))
            raise Unhashable(f"the function {function.__name__!r}, which closes over {names}")
        self._bytecode(function.__code__)
        self.add((function.__defaults__, function.__kwdefaults__))
        for name in _names(function.__code__):
            if name in function.__globals__:
                self._raw("global", name.encode())
                self.add(function.__globals__[name])

    def _bytecode(self, code: CodeType) -> None:
        self._raw("code", code.co_code)
        self.add((code.co_names, code.co_varnames, code.co_argcount))
        for constant in code.co_consts:
            if isinstance(constant, CodeType):
                self._bytecode(constant)
            else:
                self.add(constant)


def _names(code: CodeType) -> list[str]:
    """Every global name that a function or a function inside it may read."""
    inner = [
        name for constant in code.co_consts if isinstance(constant, CodeType) for name in _names(constant)
    ]
    return sorted({*code.co_names, *inner})


def _members(key: str, item: Any) -> list[Any]:
    """Return the parts of a class member that have content: functions and plain values."""
    if isinstance(item, property):
        return [function for function in (item.fget, item.fset) if function]
    if isinstance(item, (staticmethod, classmethod)):
        return [item.__func__]
    if isinstance(item, FunctionType):
        return [] if key == "__repr__" else [item]  # how it prints decides no prediction
    is_value = isinstance(item, (*_PLAIN, tuple, list, dict, np.ndarray)) and not key.startswith("__")
    return [item] if is_value else []


def _version(module: str) -> str | None:
    """Return the version of the library a module belongs to; None for the caller's own code."""
    root = module.partition(".")[0]
    if root == "__main__":
        return None
    if root in sys.stdlib_module_names:
        return sys.version.partition(" ")[0]
    version = getattr(sys.modules.get(root), "__version__", None)
    if version is not None:
        return str(version)
    with suppress(PackageNotFoundError):
        return distribution_version(root)
    return None
