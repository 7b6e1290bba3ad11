"""
Values as JSON and back: for people and other programs, and whole.

What people and other programs read is plain: what a file says is built by the types of the fields,
or refused. A name stays a name, even "NaN": only where a field holds a number are the strings that
stand for NaN and the infinities read as numbers.

What stands behind it, partitions, losses and estimates, is typed: every value says its type, and
only types of evenfold are built, so that a comparison that was read again answers like the one
written.
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

from evenfold.core.checks import refuse, short_repr
from evenfold.core.errors import EvenfoldError
from evenfold.core.estimate import Estimand, UnreadableEstimate
from evenfold.core.partition import Kind
from evenfold.core.words import one_line

T = TypeVar("T")

_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_DEEP = 60  # nested lists in a file; ours have fewer than ten, logs of programs perhaps twenty
_DIGITS = 300  # of an integer; those of longer ones are no float
LARGEST_BYTES = 2**28  # of a file of results; ten thousand pairs take a tenth of that
_HUGE = sys.float_info.max


BEHIND = "behind"
"""Metadata of fields that stand behind what is told: plain JSON leaves them out."""


def to_plain(value: Any) -> Any:
    """
    Turn nested values into what JSON can write; NaN and infinities become strings.

    Examples
    --------
    >>> to_plain({"a": (1.0, float("inf"))})
    {'a': [1.0, 'Infinity']}
    """
    if is_dataclass(value) and not isinstance(value, type):
        told = [field.name for field in fields(value) if not field.metadata.get(BEHIND)]
        told += getattr(value, "derived", ())  # what readers need not compute
        return {name: to_plain(getattr(value, name)) for name in told}
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
        refuse("text", f"text must be JSON that to_json wrote but got {short_repr(text)}.")
    if len(text) > LARGEST_BYTES:
        refuse("text", f"text must be at most {LARGEST_BYTES:,} bytes but got {len(text):,} bytes.")
    try:
        found = parse(text, parse_constant=_not_ours)
    except ValueError as reason:
        refuse(
            "text",
            f"text must be JSON that to_json wrote but cannot be read: {one_line(reason)[:120]}.",
        )
    if not isinstance(found, dict):
        refuse(
            "text",
            f"text must be a JSON object that to_json wrote but got {short_repr(found)}.",
        )
    return found


def parse(text: str | bytes, **hooks: Any) -> Any:
    """
    Parse JSON of strangers: endless nesting, a key named twice and odd numbers are ValueErrors.

    Examples
    --------
    >>> parse('{"a": 1, "a": 2}')
    Traceback (most recent call last):
        ...
    ValueError: the key 'a' stands twice in an object
    """
    try:
        found = json.loads(text, object_pairs_hook=_build_object, parse_int=_integer, **hooks)
    except RecursionError:
        raise ValueError(f"nested more than {_DEEP} deep") from None
    _require_flat(text, found)
    return found


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; one that says a thing twice says nothing."""
    found: dict[str, Any] = {}
    for name, value in pairs:
        if name in found:
            raise ValueError(f"the key {name[:40]!r} stands twice in an object")
        found[name] = value
    return found


def _integer(digits: str) -> int:
    if len(digits) > _DIGITS:
        raise ValueError(f"an integer of {len(digits)} digits")
    return int(digits)


def _require_flat(text: str | bytes, found: Any) -> None:
    """
    Refuse what is nested deep, level by level.

    a walk that calls itself would end in a raw error.
    """
    if isinstance(text, bytes):
        opened = text.count(b"[") + text.count(b"{")
    else:
        opened = text.count("[") + text.count("{")
    if opened <= _DEEP:  # most lines of tables
        return
    level = [found]
    for _ in range(_DEEP + 1):
        level = [
            item
            for one in level
            for item in (one.values() if isinstance(one, dict) else one)
            if isinstance(item, (dict, list))
        ]
        if not level:
            return
    raise ValueError(f"nested more than {_DEEP} deep")


def _not_ours(name: str) -> NoReturn:
    raise ValueError(f"{name}: that is no number of JSON")


def parse_schema_object(
    text: str | bytes | Mapping[str, Any], schema: str | int, earlier: tuple[str | int, ...] = ()
) -> dict[str, Any]:
    """Parse a JSON object of a schema or of an earlier one, or refuse it."""
    found = dict(text) if isinstance(text, Mapping) else read(text)
    if (got := found.pop("evenfold", None)) not in (schema, *earlier) or isinstance(got, bool):
        refuse(
            "text",
            f"text must have the schema {schema} but has {short_repr(got)}.",
            "Write it with to_json.",
        )
    return found


def build(kind: type[T], found: Any, name: str = "facts") -> T:
    """
    Build a value of a type from what a file says.

    a field that is missing or of another type is refused.

    Examples
    --------
    >>> build(tuple[float, ...], ["NaN", 1])
    (nan, 1.0)
    >>> build(tuple[str, ...], ["NaN", 1])
    Traceback (most recent call last):
        ...
    evenfold.core.errors.InvalidInput: facts[1] must be text but got 1.
    """
    return _build(kind, found, name)  # type: ignore[no-any-return]  # of the kind asked for


def _build(kind: Any, found: Any, where: str) -> Any:
    if where.count("[") + where.count(".") > _DEEP:
        refuse("facts", f"facts must be nested at most {_DEEP} levels deep but are deeper.")
    origin = get_origin(kind)
    if kind is Any:
        return found
    if origin in (Union, UnionType):
        return _build_optional(get_args(kind), found, where)
    if origin is tuple:
        return _tuple(get_args(kind), found, where)
    if origin is list:
        return list(_tuple((*get_args(kind), ...), found, where))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(get_args(kind)[1], found, where)
    if hasattr(kind, "from_plain"):  # it was written otherwise by an earlier version
        return kind.from_plain(found, where)
    if is_dataclass(kind):
        return _build_record(kind, found, where)
    return _build_atom(kind, found, where)


def _build_optional(kinds: tuple[Any, ...], found: Any, where: str) -> Any:
    if found is None and NoneType in kinds:
        return None
    return _build(next(kind for kind in kinds if kind is not NoneType), found, where)


def _tuple(kinds: tuple[Any, ...], found: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(found, list):
        refuse(where, f"{where} must be a list but got {short_repr(found)}.")
    if kinds[-1] is ...:
        return tuple(_build(kinds[0], item, f"{where}[{i}]") for i, item in enumerate(found))
    if len(found) != len(kinds):
        refuse(where, f"{where} must be a list of {len(kinds)} entries but got {len(found)}.")
    pairs = zip(kinds, found, strict=True)
    return tuple(_build(kind, item, f"{where}[{i}]") for i, (kind, item) in enumerate(pairs))


def _mapping(kind: Any, found: Any, where: str) -> dict[str, Any]:
    if not isinstance(found, dict):
        refuse(where, f"{where} must be an object but got {short_repr(found)}.")
    return {key: _build(kind, item, f"{where}.{key[:20]}") for key, item in found.items()}


def _build_record(kind: Any, found: Any, where: str) -> Any:
    if not isinstance(found, dict):
        refuse(where, f"{where} must be an object but got {short_repr(found)}.")
    known = {}
    for field in fields(kind):
        if field.name in found:
            known[field.name] = _build(
                hints_of(kind)[field.name], found[field.name], f"{where}.{field.name}"
            )
        elif field.default is MISSING and field.default_factory is MISSING:
            refuse(
                f"{where}.{field.name}",
                f"{where}.{field.name} is missing.",
                "Write the file with to_json.",
            )
    return kind(**known)


def _build_atom(kind: Any, found: Any, where: str) -> Any:
    if kind is float:
        if isinstance(found, str) and found in _NUMBERS:
            return _NUMBERS[found]  # one and the same NaN, so that values read alike are equal
        if isinstance(found, (int, float)) and not isinstance(found, bool) and abs(found) <= _HUGE:
            return float(found)
        refuse(where, f"{where} must be a number but got {short_repr(found)}.")
    words = {str: "text", int: "an integer", bool: "true or false"}
    if kind in words:
        if type(found) is kind:
            return found
        refuse(where, f"{where} must be {words[kind]} but got {short_repr(found)}.")
    return _build_literal(kind, found, where)


def _build_literal(kind: Any, found: Any, where: str) -> Any:
    """One of the words that a Literal allows."""
    allowed = get_args(kind)
    if found not in allowed:
        refuse(
            where,
            f"{where} must be one of {', '.join(map(repr, allowed))} but got {short_repr(found)}.",
        )
    return found


# Whole values, each with its type.
#
# Whether a value is what the annotation of a field says, so that nothing of a wrong type is built.


@cache
def hints_of(kind: type[Any]) -> dict[str, Any]:
    """Return what the fields of a class are annotated with; nothing where that cannot be found."""
    try:
        return get_type_hints(kind)
    except NameError:  # a name that only type checkers import
        return {}


def fits(hint: Any, value: Any) -> bool:
    """
    Return whether a value is of an annotated type, as far as that can be told.

    Examples
    --------
    >>> fits(float | None, 1), fits(tuple[str, ...], ("a", 2)), fits(int, True)
    (True, False, False)
    """
    origin = get_origin(hint)
    if origin in (Union, UnionType):
        return any(fits(one, value) for one in get_args(hint))
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
    if hint in (None, NoneType):
        return value is None
    if hint is float:
        return _is_number(value)
    if hint is int:
        return isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if hint is bool:
        return isinstance(value, (bool, np.bool_))
    if getattr(hint, "_is_protocol", False):  # what it asks for has to be there
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
_ARRAY_BYTES = 2**24  # that any array of texts may take, however short most of them are
_TIMES = 100  # above that, so many times what its texts take by themselves


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
        own = {
            field.name: to_typed(getattr(value, field.name))
            for field in fields(value)
            if field.init
        }
        return {_TYPE: _path(type(value)), **own}
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


def from_typed(found: Any) -> Any:
    """Build the value that :func:`to_typed` wrote, or refuse it in one line."""
    if isinstance(found, dict):
        kind = found.get(_TYPE)
        if not isinstance(kind, str):
            refuse(None, f"The type of a value must be text but got {short_repr(kind)}.")
        try:
            if kind in _BUILT:
                return _BUILT[kind](found)
            return _from_typed_record(kind, found)
        except EvenfoldError:
            raise  # in its own words, not in those of every value around it
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
    if isinstance(found, (*_PLAIN, float)):
        return found
    refuse("value", f"value must be what to_json wrote but got a {type(found).__name__}.")


def _from_typed_record(kind: str, found: dict[str, Any]) -> Any:
    cls = _class(kind)
    hints = hints_of(cls)
    known = {}
    for field in fields(cls):
        if not field.init or (field.name not in found and field.default is not MISSING):
            continue  # one that is newer than the file
        value = from_typed(found[field.name])
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
    """Find a dataclass or an enumeration of evenfold; nothing else is imported or called."""
    module, _, name = path.rpartition(".")
    if not path.startswith((*_PLACES, *_OLD_PLACES)) or not path.replace(".", "_").isidentifier():
        _refuse_type(path)
    try:
        cls = getattr(import_module(module), name, None)
    except ModuleNotFoundError:
        cls = None
    cls = cls or _find_moved_type(name)
    if not _is_written(cls):
        _refuse_type(path)
    return cls


def _refuse_type(path: str) -> NoReturn:
    refuse(None, f"The type of a value must be one of evenfold's but got {short_repr(path[:60])}.")


def _is_written(cls: Any) -> bool:
    return isinstance(cls, type) and (is_dataclass(cls) or issubclass(cls, Enum))


def _find_moved_type(name: str) -> type | None:
    """Find a type by its name alone: it may have moved since its file or store was written."""
    found = _serialised_types().get(name, set())
    return next(iter(found)) if len(found) == 1 else None


@cache
def _serialised_types() -> dict[str, set[type]]:
    """All types that may stand in a file, by name; of one name there may be several."""
    found: dict[str, set[type]] = {}
    for place in ("core", "infer", "comparison"):
        for info in walk_packages([str(_PACKAGE / place)], f"evenfold.{place}."):
            for name, cls in vars(import_module(info.name)).items():
                if _is_written(cls):
                    found.setdefault(name, set()).add(cls)
    return found


def _array(found: dict[str, Any]) -> Any:
    dtype = _dtype(found)
    shape = tuple(map(int, found["shape"]))
    items = found["items"]
    if not isinstance(items, list) or min(shape, default=0) < 0 or math.prod(shape) != len(items):
        refuse("array", f"array must have as many items as its shape {shape} says but got others.")
    # ten to the twelve rows of nothing take for ever
    if max(shape, default=0) > max(len(items), _EMPTY):
        refuse(
            "array", f"array must have items where its shape is as large as {shape} but got none."
        )
    if dtype.kind == "U":
        return _texts(items).reshape(shape)
    return np.array([float(x) if dtype.kind == "f" else x for x in items], dtype=dtype).reshape(
        shape
    )


def _dtype(found: dict[str, Any]) -> np.dtype[Any]:
    dtype = np.dtype(str(found["dtype"]))
    if dtype.kind not in _KINDS or dtype.subdtype is not None:
        refuse("dtype", f"dtype must be one of numbers, booleans or text but got {dtype!s}.")
    return dtype


def _texts(items: list[Any]) -> Any:
    """
    Texts as an array, which is as wide as the longest of them in every place.

    The width that a file says is not asked: a type of a million characters would fill memory. Nor
    may one long text make much out of many that are empty.
    """
    texts = [str(x) for x in items]
    widest = max(map(len, texts), default=0)
    taken = 4 * widest * len(texts)
    if taken > max(_ARRAY_BYTES, _TIMES * sum(map(len, texts))):
        refuse(
            "array",
            f"array must hold texts of similar lengths, but its {len(texts):,} texts would take "
            f"{taken:,} bytes.",
        )
    return np.array(texts, dtype=str)


def _verdict(found: dict[str, Any]) -> Any:
    """Build a verdict; up to version 0.2 it held its sentence, which stays as it was written."""
    if "said" not in found:
        written = {_TYPE: "mapping", "items": [["text", found["sentence"]]]}
        said = {_TYPE: "evenfold.core.note.Note", "code": "written", "values": written}
        found = {**found, "said": said}
    return _from_typed_record(_VERDICT, found)


def _unreadable_estimate(found: dict[str, Any]) -> UnreadableEstimate:
    """Keep an estimate of a deleted type as it was written."""
    return UnreadableEstimate(
        method=str(found["method"]),
        estimand=from_typed(found["estimand"]),
        level=float(found["level"]),
        written=found,
    )


_BUILT: dict[str, Callable[[dict[str, Any]], Any]] = {
    "kind": lambda found: Kind(
        str(found["key"]), shape=found["shape"], about=str(found.get("about", ""))
    ),
    "estimand": lambda found: Estimand(**{name: found[name] for name in Estimand.__slots__}),
    "member": lambda found: _class(found["of"])(found["is"]),
    "scalar": lambda found: _dtype(found).type(from_typed(found["is"])),
    "number": lambda found: float(found["is"]),
    "array": _array,
    "mapping": lambda found: {str(key): from_typed(item) for key, item in found["items"]},
    "tuple": lambda found: tuple(from_typed(item) for item in found["items"]),
    _VERDICT: _verdict,
    "evenfold.verdict.Verdict": _verdict,
    _DELETED: _unreadable_estimate,
}
