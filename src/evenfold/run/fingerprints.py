"""
Fingerprints: two things with the same fingerprint give the same predictions.

Data are hashed by their bytes. Code of installed libraries is hashed by name and version, the caller's own by
its bytecode and everything that it refers to; other objects as pickle would take them apart. What has no
content to hash (a closure over changing state, an open file) raises :class:`Unhashable`.
"""

import copyreg
import dis
import random
import sys
import sysconfig
import types
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache, cached_property, partial
from hashlib import blake2b
from importlib import import_module
from importlib.metadata import PackageNotFoundError, packages_distributions
from importlib.metadata import version as distribution_version
from io import IOBase
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

import numpy as np

_CONTAINERS = (list, tuple, set, frozenset, dict)
_SLOTS = (types.GetSetDescriptorType, types.MemberDescriptorType)
_METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.ClassMethodDescriptorType)
_BUILTIN = (BuiltinFunctionType, types.MethodWrapperType)
_CODE = (*_BUILTIN, *_METHODS, *_SLOTS, FunctionType, MethodType, np.ufunc, partial, type, ModuleType)
_PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), type(NotImplemented))
_KEPT_BY_CLONE = ("_metadata_request", "_sklearn_output_config")
_READS = ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_FROM_DICT_OR_GLOBALS")
_NO_CONTENT = ("__repr__", "__annotate__", "__annotate_func__", "_abc_impl")  # decide no prediction
_STDLIB = {Path(sysconfig.get_path(key)).resolve() for key in ("stdlib", "platstdlib")}
_HEAP_TYPE = 1 << 9  # the flag of classes that were made at run time
_SIZE = 16  # bytes: 2**64 cells before a collision is likely


class Unhashable(Exception):
    """Something that has no content to hash; the message says what."""


def fingerprint(*values: Any, cloned: bool = False, lenient: bool = False) -> bytes:
    """
    Return the hash of some values by their content.

    ``cloned`` says that estimators among them are cloned before use, so that what they learnt plays no part;
    ``lenient`` leaves out what has no content instead of raising.
    """
    hasher = _Hasher(lenient=lenient)
    try:
        for value in values:
            hasher.add(value, cloned=cloned)
    except (RecursionError, OSError) as error:
        raise Unhashable(f"something that cannot be read to its end: {error}") from error
    return hasher.digest()


class _Hasher:
    """Feeds values to one hash; every value is preceded by its kind, so that 1, 1.0 and "1" differ."""

    def __init__(self, *, lenient: bool = False) -> None:
        self._hash = blake2b(digest_size=_SIZE)
        self._lenient = lenient
        self._open: dict[int, int] = {}  # objects on the way down with their depth, against endless recursion
        self._seen: dict[int, tuple[int, Any]] = {}  # code hashed before, by number

    def digest(self) -> bytes:
        return self._hash.digest()

    def _raw(self, kind: str, content: bytes = b"") -> None:
        self._hash.update(f"{kind}:{len(content)}:".encode())
        self._hash.update(content)

    def add(self, value: Any, *, cloned: bool = False) -> None:
        """Hash a value of any kind."""
        if type(value) in _PLAIN:
            self._raw(type(value).__name__, value if isinstance(value, bytes) else repr(value).encode())
        elif type(value) in _CONTAINERS:
            self._container(value, cloned=cloned)
        elif isinstance(value, (np.ndarray, np.generic)):
            self._array(value)
        elif id(value) in self._open:
            self._raw("above", str(self._open[id(value)]).encode())
        else:
            self._guarded(value, cloned=cloned)

    def _guarded(self, value: Any, *, cloned: bool) -> None:
        is_code = isinstance(value, _CODE)  # which has its own way to come to an end
        try:
            if not is_code:
                self._open[id(value)] = len(self._open)
            self._code(value) if is_code else self._object(value, cloned=cloned)
        except (Unhashable, OSError):
            if not self._lenient:
                raise
            self._raw("unhashable")
        finally:
            self._open.pop(id(value), None)

    def _array(self, value: Any) -> None:
        if isinstance(value, np.ma.MaskedArray):
            self.add(("masked", value.data, np.ma.getmaskarray(value), value.fill_value))
            return
        array = np.asarray(value)
        kind = "array" if type(value) in (np.ndarray, np.memmap) else type(value).__name__
        self._raw(kind, f"{array.dtype.str}{array.shape}".encode())
        if type(value) is not np.memmap and getattr(value, "__dict__", None):
            self.add(vars(value))  # what a subclass carries
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
            for digest in sorted(self._apart(item, cloned=cloned) for item in value):
                self._raw("item", digest)
        elif isinstance(value, dict):
            order = None if all(type(key) is str for key in value) else self._apart
            for key in sorted(value, key=order):
                self.add(key)
                self.add(value[key], cloned=cloned)
        else:
            for item in value:
                self.add(item, cloned=cloned)

    def _apart(self, value: Any, *, cloned: bool = False) -> bytes:
        """Hash a value for itself, to sort by it."""
        hasher = _Hasher(lenient=self._lenient)
        hasher._open, hasher._seen = {**self._open}, {**self._seen}
        hasher.add(value, cloned=cloned)
        return hasher.digest()

    def _object(self, value: Any, *, cloned: bool) -> None:
        if hasattr(value, "iloc"):
            self._frame(value)
        elif hasattr(value, "tocsr"):
            matrix = value.tocsr()
            self.add((type(matrix).__name__, matrix.shape, matrix.data, matrix.indices, matrix.indptr))
        elif hasattr(value, "get_params"):
            self._estimator(value, cloned=cloned)
        elif value is np.random.mtrand._rand or value is getattr(random, "_inst", None):
            self._raw("global randomness")  # in whatever state it happens to be
        elif isinstance(value, np.random.RandomState):
            self.add(("RandomState", value.get_state(legacy=False)))
        else:
            self._instance(value)

    def _estimator(self, value: Any, *, cloned: bool) -> None:
        """Hash class and parameters; of one that is used as it is, also what it has learnt."""
        own_way = getattr(type(value), "__sklearn_clone__", None)  # FrozenEstimator's is to stay as it is
        cloned = cloned and (own_way is None or getattr(own_way, "__module__", "") == "sklearn.base")
        parameters = value.get_params(deep=False)
        state = {key: item for key, item in getattr(value, "__dict__", {}).items() if key not in parameters}
        if cloned:
            state = {key: item for key, item in state.items() if key in _KEPT_BY_CLONE}
        self.add(type(value))
        self.add(parameters, cloned=cloned)
        self.add(state)

    def _instance(self, value: Any) -> None:
        """Hash an object as pickle would take it apart, or by its name if it lives in a library."""
        if isinstance(value, IOBase):
            raise Unhashable(f"an open file, {getattr(value, 'name', value)!r}")
        try:
            reduce = copyreg.dispatch_table.get(type(value))
            parts = reduce(value) if reduce else value.__reduce_ex__(4)
        except Exception as error:
            raise Unhashable(f"a {type(value).__name__}") from error
        if isinstance(parts, tuple):
            self._raw("object", str(len(parts)).encode())
            for part in parts:
                self.add(list(part) if isinstance(part, Iterator) else part)
        elif not self._library(value, parts):
            raise Unhashable(f"{value!r}")

    def _frame(self, frame: Any) -> None:
        """Hash a pandas frame or series column by column, with the index, which an algorithm may use."""
        columns = [frame.iloc[:, j] for j in range(frame.shape[1])] if frame.ndim == 2 else [frame]
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
            self.add(column.to_numpy(f"datetime64[{column.dtype.unit}]"))  # UTC; the dtype names the zone
        else:
            values = column.to_numpy()
            self.add(values if values.dtype.kind in "biufcMm" else column.tolist())

    def _code(self, value: Any) -> None:
        """Functions, classes, modules: by version where a library has one, else by their own code."""
        if isinstance(value, partial):
            self.add(("partial", value.func, value.args, value.keywords, vars(value)))
        elif isinstance(value, MethodType):
            self.add(("method", value.__func__, value.__self__))
        elif isinstance(value, (*_METHODS, *_SLOTS)):
            self.add(("descriptor", value.__name__, value.__objclass__))
        elif isinstance(value, _BUILTIN) and not isinstance(value.__self__, ModuleType | None):
            self.add(("bound", value.__name__, value.__self__))
        elif not self._library(value):
            self._once(value)

    def _library(self, value: Any, name: str | None = None) -> bool:
        """Hash what a library holds under its name by version, and say whether it was that."""
        module, name = _address(value, name)
        version = _version(module)
        if version is None or not _holds(module, name, value):
            return False
        self.add(("library", module, name, version))
        return True

    def _once(self, value: Any) -> None:
        if id(value) in self._seen:  # also where code calls itself
            self._raw("again", str(self._seen[id(value)][0]).encode())
            return
        self._seen[id(value)] = len(self._seen), value
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
        """Hash a module of the caller's own: its file, what is loaded of it, and own modules it uses."""
        if getattr(module, "__file__", None) is not None:
            self._raw("module", Path(str(module.__file__)).read_bytes())
        elif not hasattr(module, "__path__"):
            raise Unhashable(f"the module {module.__name__!r}, which has no file")
        for key, item in sorted(vars(module).items()):
            if key.startswith("__"):
                continue
            if type(item) in _PLAIN or isinstance(item, np.ndarray):
                self.add((key, item))
            for code in _codes(item, module.__name__):  # the file may have been edited since it was loaded
                self._bytecode(code)
            used = item if isinstance(item, ModuleType) else sys.modules.get(_address(item)[0])
            if used is not None and used.__name__ != "__main__" and _version(used.__name__) is None:
                self._once(used)

    def _class(self, value: type) -> None:
        self.add((value.__name__, value.__bases__))
        fields = vars(value).get("__dataclass_fields__", {})
        self.add([(key, field.default, field.default_factory) for key, field in fields.items()])
        for key, item in sorted(vars(value).items()):
            for part in _members(key, item, generated=bool(fields)):
                self._raw(f"member {type(item).__name__}", key.encode())
                self.add(part)

    def _function(self, function: FunctionType) -> None:
        self._raw("function", function.__qualname__.rpartition(".")[2].encode())
        self._bytecode(function.__code__)
        self.add((function.__defaults__, function.__kwdefaults__))
        free = [name for name in function.__code__.co_freevars if name != "__class__"]  # that of super()
        if _version(str(function.__globals__.get("__name__"))) is not None:  # a library's decorator
            for cell in function.__closure__ or ():
                self.add(cell.cell_contents)
            return
        if free:
            raise Unhashable(
                f"the function {function.__name__!r}, which closes over {', '.join(sorted(free))}"
            )
        for name, item in _used(function.__code__, function.__globals__):
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


def _used(code: CodeType, namespace: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Every global that a function, or a function inside it, may read, and every module it imports."""
    found: dict[str, Any] = {}
    for step in dis.get_instructions(code):
        if step.opname == "IMPORT_NAME":
            found.update(_imported(step.argval, namespace.get("__package__")))
        elif step.opname in _READS and step.argval in namespace:
            found[step.argval] = namespace[step.argval]
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found.update(_used(constant, namespace))
    return sorted(found.items(), key=lambda pair: pair[0])


def _imported(name: str, package: str | None) -> dict[str, ModuleType]:
    """Return the module that a function imports when it is called, maybe relative to its own package."""
    found = {}
    for full in (name, f"{package}.{name}") if package and name else (name or package,):
        with suppress(Exception):  # it may be an import that is meant to fail
            found[f"import {full}"] = sys.modules.get(str(full)) or import_module(str(full))
    return found


def _codes(item: Any, module: str) -> Iterator[CodeType]:
    """Yield the code of a function or of the methods of a class of a module."""
    members = vars(item).values() if isinstance(item, type) else [item]
    if getattr(item, "__module__", None) == module:
        yield from (member.__code__ for member in members if isinstance(member, FunctionType))


def _members(key: str, item: Any, *, generated: bool) -> list[Any]:
    """Return the parts of a class member that have content."""
    if key in _NO_CONTENT or isinstance(item, _SLOTS):
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


def _address(value: Any, name: str | None = None) -> tuple[str, str]:
    """Return module and name under which a function or class says it can be found."""
    if isinstance(value, ModuleType):
        return value.__name__, ""
    module = getattr(value, "__module__", None)
    if isinstance(value, np.ufunc) and not module:
        module = "numpy" if getattr(np, value.__name__, None) is value else "scipy.special"
    name = name or getattr(value, "__qualname__", None) or getattr(value, "__name__", None)
    return str(module or "builtins"), str(name or "")


def _holds(module: str, name: str, value: Any) -> bool:
    if isinstance(value, type) and not value.__flags__ & _HEAP_TYPE:
        return True  # part of a compiled library, even if it is not shown
    if isinstance(value, FunctionType) and _version(str(value.__globals__.get("__name__"))) is None:
        return False  # the caller's, put in place of a library's
    found: Any = sys.modules.get(module)
    for part in name.split(".") if name else ():
        found = getattr(found, part, None)
    return found is value


def _version(module: str) -> str | None:
    """Return the version of the library a module belongs to; None for the caller's own code."""
    root = module.partition(".")[0]
    loaded = sys.modules.get(module, sys.modules.get(root))
    if module == "__main__" or loaded is None or not is_library(loaded):
        return None
    if root in sys.stdlib_module_names:
        return sys.version.partition(" ")[0]
    version = getattr(sys.modules.get(root), "__version__", None)
    return str(version) if version is not None else _distribution_version(root)


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
