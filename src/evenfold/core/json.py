"""
Values as JSON and back, in two forms.

The plain form is for people and other programs. It is read by the annotations of the fields that it
fills, and what does not fit them is refused. The strings "NaN" and "Infinity" are numbers only in a
field of numbers.

The typed form is for partitions, losses and estimates, so that a comparison that was read answers
like the one that was written. Every value says its type, and only types of evenfold are built.
"""

import json
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from functools import cache
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import NoneType, UnionType
from typing import Any, Literal, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from evenfold.core.checks import refuse, refuse_value, short_repr
from evenfold.core.errors import EvenfoldError
from evenfold.core.estimate import Estimand, UnreadableEstimate
from evenfold.core.partition import Kind
from evenfold.core.words import one_line

T = TypeVar("T")

_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_DEEP = 60  # nested lists in a file; results have fewer than ten, logs of programs perhaps twenty
_DIGITS = 300  # of an integer; a longer one is beyond all floats
LARGEST_BYTES = 2**28  # of a file of results; ten thousand pairs take a tenth of that
_HUGE = sys.float_info.max


BEHIND = "behind"
"""Metadata of fields that plain JSON leaves out."""


def to_plain(value: Any) -> Any:
    """
    Turn nested values into what JSON can write; NaN and infinities become strings.

    Examples
    --------
    >>> to_plain({"a": (1.0, float("inf"))})
    {'a': [1.0, 'Infinity']}
    """
    if is_dataclass(value) and not isinstance(value, type):
        names = [field.name for field in fields(value) if not field.metadata.get(BEHIND)]
        names += getattr(value, "derived", ())  # properties that readers need not compute
        return {name: to_plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return json.dumps(value)
    return value


def write_json(plain: Mapping[str, Any]) -> str:
    """Write plain values as JSON."""
    return json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)


def read(text: str | bytes) -> dict[str, Any]:
    """Parse a JSON object, or refuse the text in one line."""
    if not isinstance(text, (str, bytes)):
        refuse_value("text", text, "JSON that to_json wrote")
    if len(text) > LARGEST_BYTES:
        refuse("text", f"text must be at most {LARGEST_BYTES:,} bytes but got {len(text):,} bytes.")
    try:
        parsed = parse(text, parse_constant=_refuse_constant)
    except ValueError as reason:
        refuse(
            "text",
            f"text must be JSON that to_json wrote but cannot be read: {one_line(reason)[:120]}.",
        )
    if not isinstance(parsed, dict):
        refuse_value("text", parsed, "a JSON object that to_json wrote")
    return parsed


def parse(text: str | bytes, **hooks: Any) -> Any:
    """
    Parse JSON from any source. Deep nesting, repeated keys and huge integers raise ValueError.

    Examples
    --------
    >>> parse('{"a": 1, "a": 2}')
    Traceback (most recent call last):
        ...
    ValueError: the key 'a' stands twice in an object
    """
    try:
        parsed = json.loads(text, object_pairs_hook=_build_object, parse_int=_integer, **hooks)
        is_too_deep = _is_nested([parsed], _DEEP + 1)
    except RecursionError:
        is_too_deep = True
    if is_too_deep:
        raise ValueError(f"nested more than {_DEEP} deep")
    return parsed


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose keys are all different."""
    built: dict[str, Any] = {}
    for name, value in pairs:
        if name in built:
            raise ValueError(f"the key {name[:40]!r} stands twice in an object")
        built[name] = value
    return built


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"an integer of {len(digits)} digits")
    return int(digits)


def _is_nested(parsed: dict[str, Any] | list[Any], most: int) -> bool:
    """Return whether lists and objects are nested more than ``most`` levels deep."""
    items = parsed.values() if isinstance(parsed, dict) else parsed
    inner = (item for item in items if isinstance(item, (dict, list)))
    return most < 0 or any(_is_nested(item, most - 1) for item in inner)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def parse_schema_object(
    text: str | bytes | Mapping[str, Any], schema: str | int, earlier: tuple[str | int, ...] = ()
) -> dict[str, Any]:
    """Parse a JSON object of a schema or of an earlier one, or refuse it."""
    plain = dict(text) if isinstance(text, Mapping) else read(text)
    written = plain.pop("evenfold", None)
    if written not in (schema, *earlier) or isinstance(written, bool):
        refuse(
            "text",
            f"text must have the schema {schema} but has {short_repr(written)}.",
            "Write it with to_json of this version of evenfold.",
        )
    return plain


def build(kind: type[T], plain: Any, name: str = "facts") -> T:
    """
    Build a value of a type from its plain form; fields that are missing or do not fit are refused.

    Examples
    --------
    >>> build(tuple[float, ...], ["NaN", 1])
    (nan, 1.0)
    >>> build(tuple[str, ...], ["NaN", 1])
    Traceback (most recent call last):
        ...
    evenfold.core.errors.InvalidInput: facts[1] must be text but got 1.
    """
    return _build(kind, plain, name)  # type: ignore[no-any-return]  # of the given type


def _build(kind: Any, plain: Any, where: str) -> Any:
    if where.count("[") + where.count(".") > _DEEP:
        refuse("facts", f"facts must be nested at most {_DEEP} levels deep but are deeper.")
    origin = get_origin(kind)
    kinds = get_args(kind)
    if kind is Any or (plain is None and NoneType in kinds):
        return plain
    if origin in (Union, UnionType):
        return _build(next(kind for kind in kinds if kind is not NoneType), plain, where)
    if origin is tuple:
        return _build_tuple(kinds, plain, where)
    if origin is list:
        return list(_build_tuple((*kinds, ...), plain, where))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        _require_object(plain, where)
        return {key: _build(kinds[1], item, f"{where}.{key[:20]}") for key, item in plain.items()}
    if hasattr(kind, "from_plain"):  # for what an earlier version wrote in another form
        return kind.from_plain(plain, where)
    if is_dataclass(kind):
        return _build_record(kind, plain, where)
    return _build_atom(kind, plain, where)


def _build_tuple(kinds: tuple[Any, ...], plain: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(plain, list):
        refuse_value(where, plain, "a list")
    if kinds[-1] is ...:
        kinds = (kinds[0],) * len(plain)
    if len(plain) != len(kinds):
        refuse(where, f"{where} must be a list of {len(kinds)} entries but got {len(plain)}.")
    pairs = zip(kinds, plain, strict=True)
    return tuple(_build(kind, item, f"{where}[{i}]") for i, (kind, item) in enumerate(pairs))


def _require_object(plain: Any, where: str) -> None:
    if not isinstance(plain, dict):
        refuse_value(where, plain, "an object")


def _build_record(kind: Any, plain: Any, where: str) -> Any:
    _require_object(plain, where)
    hints = hints_of(kind)
    known = {}
    for field in fields(kind):
        if field.name in plain:
            known[field.name] = _build(
                hints[field.name], plain[field.name], f"{where}.{field.name}"
            )
        elif field.default is MISSING and field.default_factory is MISSING:
            refuse(
                f"{where}.{field.name}",
                f"{where}.{field.name} is missing.",
                "Write the file with evenfold.",
            )
    return kind(**known)


def _build_atom(kind: Any, plain: Any, where: str) -> Any:
    if kind is float and isinstance(plain, str) and plain in _NUMBERS:
        return _NUMBERS[plain]  # always the same NaN, so that equal files give equal values
    if kind is float and _is_number(plain) and abs(plain) <= _HUGE:
        return float(plain)
    if kind is not float and (type(plain) is kind or plain in get_args(kind)):
        return plain
    words = {float: "a number", str: "text", int: "an integer", bool: "true or false"}
    rule = words.get(kind) or f"one of {', '.join(map(repr, get_args(kind)))}"
    refuse_value(where, plain, rule)


# The typed form. The annotations of the fields are checked, so that no value gets fields of a wrong
# type.


@cache
def hints_of(kind: type[Any]) -> dict[str, Any]:
    """Return the annotations of the fields of a class; nothing if a name cannot be resolved."""
    try:
        return get_type_hints(kind)
    except NameError:  # a name that only type checkers import
        return {}


def fits(hint: Any, value: Any) -> bool:
    """
    Return whether a value has an annotated type, as far as that can be checked.

    Examples
    --------
    >>> fits(float | None, 1), fits(tuple[str, ...], ("a", 2)), fits(int, True)
    (True, False, False)
    """
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return any(fits(alternative, value) for alternative in get_args(hint))
    if origin is Literal:
        return value in get_args(hint)
    if origin is np.ndarray:
        return isinstance(value, (np.ndarray, np.generic)) or _is_number(value)
    if origin is tuple:
        return _fits_tuple(get_args(hint), value)
    if origin in (Mapping, dict):
        return isinstance(value, Mapping)
    if origin in (Sequence, list):
        return isinstance(value, Sequence) and not isinstance(value, str)
    return _fits_plain(hint, value)


def _fits_plain(hint: Any, value: Any) -> bool:
    if hint is Any:
        return True
    if hint is float:
        return _is_number(value)
    if hint is int:
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if hint is bool:
        return isinstance(value, (bool, np.bool_))
    if getattr(hint, "_is_protocol", False):  # it must have all members
        return all(hasattr(value, name) for name in vars(hint) if not name.startswith("_"))
    return not isinstance(hint, type) or isinstance(value, hint)


def _fits_tuple(kinds: tuple[Any, ...], value: Any) -> bool:
    if not isinstance(value, tuple):
        return False
    if not kinds:
        return True
    if kinds[-1] is ...:
        return all(fits(kinds[0], item) for item in value)
    return len(kinds) == len(value) and all(map(fits, kinds, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


_TYPE = "!"
_PLACES = ("evenfold.core.", "evenfold.infer.", "evenfold.comparison.")
_OLD_PLACES = ("evenfold.corridor.", "evenfold.verdict.")  # up to versions 0.1 and 0.2
# the estimate of the default test, up to version 0.2
_DELETED = "evenfold.infer.halves.influence_sequential.InfluenceSequentialEstimate"
_VERDICT = "evenfold.core.verdict.Verdict"
_PACKAGE = Path(__file__).parents[1]
_PLAIN = (str, int, bool, type(None))
_KINDS = "biufU"  # of arrays and their scalars: booleans, integers, numbers and text
_EMPTY = 10_000  # the longest side of an array without items
_ARRAY_BYTES = 2**24  # any array of texts may take so much, however short most of them are
_TIMES = 100  # a larger one may take so many times what its texts take by themselves


def to_typed(value: Any) -> Any:
    """
    Turn a value into what JSON can write, with its type beside it.

    Examples
    --------
    >>> to_typed((1, float("nan")))
    {'!': 'tuple', 'items': [1, {'!': 'number', 'is': 'NaN'}]}
    """
    if isinstance(value, Kind):
        return {_TYPE: "kind", "key": str(value), "shape": value.shape, "about": value.about}
    if isinstance(value, Estimand):
        return {_TYPE: "estimand", **{name: getattr(value, name) for name in Estimand.__slots__}}
    if isinstance(value, Enum):
        return {_TYPE: "member", "of": _path(type(value)), "is": value.value}
    if isinstance(value, np.generic):
        return {_TYPE: "scalar", "dtype": str(value.dtype), "is": to_typed(value.item())}
    if isinstance(value, UnreadableEstimate):
        return value.written
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return {_TYPE: "number", "is": to_plain(value)}
    return _to_typed_composite(value)


def _to_typed_composite(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        items = value.ravel().tolist()
        return {
            _TYPE: "array",
            "dtype": str(value.dtype),
            "shape": value.shape,
            "items": to_plain(items),
        }
    if is_dataclass(value) and not isinstance(value, type):
        typed = {
            field.name: to_typed(getattr(value, field.name))
            for field in fields(value)
            if field.init
        }
        return {_TYPE: _path(type(value)), **typed}
    if isinstance(value, Mapping):
        return {
            _TYPE: "mapping",
            "items": [[str(key), to_typed(item)] for key, item in value.items()],
        }
    if isinstance(value, Sequence):
        return {_TYPE: "tuple", "items": [to_typed(item) for item in value]}
    refuse(
        "value",
        f"value must consist of plain values, arrays and values of evenfold but got a "
        f"{type(value).__name__}.",
    )


def _path(kind: type) -> str:
    path = f"{kind.__module__}.{kind.__qualname__}"
    if not path.startswith(_PLACES):
        refuse(
            "value",
            f"value must have a type of evenfold to be written as JSON but got a {path}.",
            "Pickle it instead.",
        )
    return path


def from_typed(typed: Any) -> Any:
    """Build the value that :func:`to_typed` wrote, or refuse it in one line."""
    if isinstance(typed, dict):
        kind = typed.get(_TYPE)
        if not isinstance(kind, str):
            refuse(None, f"The type of a value must be text but got {short_repr(kind)}.")
        try:
            if kind in _BUILT:
                return _BUILT[kind](typed)
            return _from_typed_record(kind, typed)
        except EvenfoldError:
            raise  # the error of an inner value, which the outer ones need not repeat
        except (
            KeyError,
            TypeError,
            ValueError,
            AttributeError,
            OverflowError,
            MemoryError,
            RecursionError,
        ) as reason:
            why = one_line(reason)[:80] or type(reason).__name__
            refuse(None, f"A {kind[:60]} must be what to_json wrote but cannot be read: {why}.")
    if isinstance(typed, (*_PLAIN, float)):
        return typed
    refuse("value", f"value must be what to_json wrote but got a {type(typed).__name__}.")


def _from_typed_record(kind: str, typed: dict[str, Any]) -> Any:
    cls = _class(kind)
    hints = hints_of(cls)
    known = {}
    for field in fields(cls):
        if not field.init or (field.name not in typed and field.default is not MISSING):
            continue  # the field is newer than the file
        value = from_typed(typed[field.name])
        if not fits(hints.get(field.name, Any), value):
            refuse(
                None,
                f"The field {field.name} of a {cls.__name__} must have the type that to_json "
                f"wrote but got {short_repr(value)}.",
            )
        known[field.name] = value
    return cls(**known)


@cache
def _class(path: str) -> Any:
    """Find a dataclass or an enumeration of evenfold, without importing anything else."""
    module, _, name = path.rpartition(".")
    if not path.startswith((*_PLACES, *_OLD_PLACES)) or not path.replace(".", "_").isidentifier():
        _refuse_type(path)
    try:
        cls = getattr(import_module(module), name, None)
    except ModuleNotFoundError:
        cls = None
    cls = cls or _find_moved_type(name)
    if not _is_serialised(cls):
        _refuse_type(path)
    return cls


def _refuse_type(path: str) -> NoReturn:
    refuse(None, f"The type of a value must be one of evenfold's but got {short_repr(path[:60])}.")


def _is_serialised(cls: Any) -> bool:
    return isinstance(cls, type) and (is_dataclass(cls) or issubclass(cls, Enum))


def _find_moved_type(name: str) -> type | None:
    """Find a type by its name alone, because its module may have moved since it was written."""
    types = _serialised_types().get(name, set())
    return next(iter(types)) if len(types) == 1 else None


@cache
def _serialised_types() -> dict[str, set[type]]:
    """Return all types that a file may hold, by name; several types may have one name."""
    types: dict[str, set[type]] = {}
    for place in ("core", "infer", "comparison"):
        for info in walk_packages([str(_PACKAGE / place)], f"evenfold.{place}."):
            for name, cls in vars(import_module(info.name)).items():
                if _is_serialised(cls):
                    types.setdefault(name, set()).add(cls)
    return types


def _array(typed: dict[str, Any]) -> Any:
    dtype = _dtype(typed)
    shape = tuple(map(int, typed["shape"]))
    items = typed["items"]
    if not isinstance(items, list) or min(shape, default=0) < 0 or math.prod(shape) != len(items):
        refuse("array", f"array must have as many items as its shape {shape} says but got others.")
    # an array with very many empty rows would take too long
    if max(shape, default=0) > max(len(items), _EMPTY):
        refuse(
            "array", f"array must have items where its shape is as large as {shape} but got none."
        )
    if dtype.kind == "U":
        return _texts(items).reshape(shape)
    if dtype.kind == "f":
        items = list(map(float, items))
    return np.array(items, dtype=dtype).reshape(shape)


def _dtype(typed: dict[str, Any]) -> np.dtype[Any]:
    try:
        dtype = np.dtype(str(typed["dtype"]))
    except SyntaxError:  # numpy evaluates what stands between commas
        refuse("dtype", f"dtype must be a type of numpy but got {short_repr(typed['dtype'])}.")
    if dtype.kind not in _KINDS or dtype.subdtype is not None:
        refuse("dtype", f"dtype must be one of numbers, booleans or text but got {dtype!s}.")
    return dtype


def _texts(items: list[Any]) -> Any:
    """
    Return an array of texts, in which every text takes as much memory as the longest.

    The width in the file does not count, because a width of a million characters would fill memory.
    So would one long text among many empty ones, which is refused.
    """
    texts = list(map(str, items))
    widest = max(map(len, texts), default=0)
    taken = 4 * widest * len(texts)
    if taken > max(_ARRAY_BYTES, _TIMES * sum(map(len, texts))):
        refuse(
            "array",
            f"array must hold texts of similar lengths, but its {len(texts):,} texts would take "
            f"{taken:,} bytes.",
        )
    return np.array(texts, dtype=str)


def _verdict(typed: dict[str, Any]) -> Any:
    """Build a verdict; up to version 0.2 it held a sentence, which becomes a note as written."""
    if "said" not in typed:
        written = {_TYPE: "mapping", "items": [["text", typed["sentence"]]]}
        note = {_TYPE: "evenfold.core.note.Note", "code": "written", "values": written}
        typed = {**typed, "said": note}
    return _from_typed_record(_VERDICT, typed)


def _estimand(typed: dict[str, Any]) -> Estimand:
    """Build an estimand; up to version 0.2 its field ``names_size`` was called ``said``."""
    parts = {"names_size": typed.get("said"), **typed}
    return Estimand(**{name: parts[name] for name in Estimand.__slots__})


def _unreadable_estimate(typed: dict[str, Any]) -> UnreadableEstimate:
    """Keep an estimate of a deleted type as it was written."""
    return UnreadableEstimate(
        method=str(typed["method"]),
        estimand=from_typed(typed["estimand"]),
        level=float(typed["level"]),
        written=typed,
    )


_BUILT: dict[str, Callable[[dict[str, Any]], Any]] = {
    "kind": lambda typed: Kind(
        str(typed["key"]), shape=typed["shape"], about=str(typed.get("about", ""))
    ),
    "estimand": _estimand,
    "member": lambda typed: _class(typed["of"])(typed["is"]),
    "scalar": lambda typed: _dtype(typed).type(from_typed(typed["is"])),
    "number": lambda typed: float(typed["is"]),
    "array": _array,
    "mapping": lambda typed: {str(key): from_typed(item) for key, item in typed["items"]},
    "tuple": lambda typed: tuple(map(from_typed, typed["items"])),
    _VERDICT: _verdict,
    "evenfold.verdict.Verdict": _verdict,
    _DELETED: _unreadable_estimate,
}
