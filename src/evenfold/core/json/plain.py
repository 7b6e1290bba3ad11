"""
Values as JSON and back: what a file says is built by the types of the fields, or refused.

A name stays a name, even "NaN": only where a field holds a number are the strings that stand for
NaN and the infinities read as numbers.
"""

import json
import math
import sys
from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, NoReturn, TypeVar, Union, get_args, get_origin, get_type_hints

from evenfold.core.checks import refuse
from evenfold.core.words import one_line

T = TypeVar("T")

_NUMBERS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_DEEP = 60  # nested lists in a file; ours have fewer than ten, logs of programs perhaps twenty
_DIGITS = 300  # of an integer; those of longer ones are no float
LARGEST_BYTES = 2**28  # of a file of results; ten thousand pairs take a tenth of that
_HUGE = sys.float_info.max
_NO_NUMBER = "that is no number of JSON"


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
        return {name: to_plain(getattr(value, name)) for name in told}
    if isinstance(value, Mapping):
        return {key: to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            return "NaN"
        if value > 0:
            return "Infinity"
        return "-Infinity"
    return value


def write_json(plain: Mapping[str, Any]) -> str:
    """Write plain values as JSON."""
    return json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False)


def read(text: str | bytes) -> dict[str, Any]:
    """Parse a JSON object, or refuse the text in one line."""
    if not isinstance(text, (str, bytes)):
        refuse("text", "JSON that to_json wrote", text)
    if len(text) > LARGEST_BYTES:
        refuse("text", f"at most {LARGEST_BYTES} bytes", f"{len(text)} bytes")
    try:
        found = parse(text, parse_constant=_not_ours)
    except ValueError as reason:
        refuse("text", "JSON that to_json wrote", f"something else ({one_line(reason)[:120]})")
    if not isinstance(found, dict):
        refuse("text", "JSON that to_json wrote", "something else", "write it with to_json")
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
    raise ValueError(f"{name}: {_NO_NUMBER}")


def parse_schema_object(text: str | bytes | Mapping[str, Any], schema: str | int) -> dict[str, Any]:
    """Parse a JSON object of a schema, or refuse it."""
    if isinstance(text, Mapping):
        found = dict(text)
    else:
        found = read(text)
    if (got := found.pop("evenfold", None)) != schema or isinstance(got, bool):
        refuse("text", f"facts of schema {schema}", "something else", "write it with to_json")
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
    evenfold.core.errors.InvalidInput: facts[1] must be text but got 1
    """
    return _build(kind, found, name)  # type: ignore[no-any-return]  # of the kind asked for


def _build(kind: Any, found: Any, where: str) -> Any:
    if where.count("[") + where.count(".") > _DEEP:
        refuse("facts", f"nested at most {_DEEP} deep", "a deeper one")
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
    if is_dataclass(kind):
        return _value(kind, found, where)
    return _build_atom(kind, found, where)


def _build_optional(kinds: tuple[Any, ...], found: Any, where: str) -> Any:
    if found is None and NoneType in kinds:
        return None
    return _build(next(kind for kind in kinds if kind is not NoneType), found, where)


def _tuple(kinds: tuple[Any, ...], found: Any, where: str) -> tuple[Any, ...]:
    if not isinstance(found, list):
        refuse(where, "a list", found)
    if kinds[-1] is ...:
        return tuple(_build(kinds[0], item, f"{where}[{i}]") for i, item in enumerate(found))
    if len(found) != len(kinds):
        refuse(where, f"a list of {len(kinds)}", f"{len(found)} entries")
    pairs = zip(kinds, found, strict=True)
    return tuple(_build(kind, item, f"{where}[{i}]") for i, (kind, item) in enumerate(pairs))


def _mapping(kind: Any, found: Any, where: str) -> dict[str, Any]:
    if not isinstance(found, dict):
        refuse(where, "an object", found)
    return {key: _build(kind, item, f"{where}.{key[:20]}") for key, item in found.items()}


@cache
def _types(kind: type[Any]) -> dict[str, Any]:
    return get_type_hints(kind)


def _value(kind: Any, found: Any, where: str) -> Any:
    if not isinstance(found, dict):
        refuse(where, "an object", found)
    known = {}
    for field in fields(kind):
        if field.name in found:
            known[field.name] = _build(
                _types(kind)[field.name], found[field.name], f"{where}.{field.name}"
            )
        elif field.default is MISSING and field.default_factory is MISSING:
            refuse(f"{where}.{field.name}", "given", None, "was the file written by to_json?")
    return kind(**known)


def _build_atom(kind: Any, found: Any, where: str) -> Any:
    if kind is float:
        if isinstance(found, str) and found in _NUMBERS:
            return _NUMBERS[found]
        if isinstance(found, (int, float)) and not isinstance(found, bool) and abs(found) <= _HUGE:
            return float(found)
        refuse(where, "a number", found)
    words = {str: "text", int: "an integer", bool: "true or false"}
    if kind in words:
        if type(found) is kind:
            return found
        refuse(where, words[kind], found)
    return _build_literal(kind, found, where)


def _build_literal(kind: Any, found: Any, where: str) -> Any:
    """One of the words that a Literal allows."""
    allowed = get_args(kind)
    if found not in allowed:
        refuse(where, f"one of {', '.join(map(repr, allowed))}", found)
    return found
