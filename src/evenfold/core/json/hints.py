"""Whether a value is what the annotation of a field says, so that nothing of a wrong type is built."""

from collections.abc import Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np


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
