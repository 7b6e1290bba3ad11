"""The one door to Numba, with types."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])
# Kernels make no arrays, so that nobody need count who holds them: that would take a third of their time.
_OPTIONS: dict[str, Any] = {
    "cache": True,
    "nogil": True,
    "error_model": "numpy",
    "forceinline": True,
    "_nrt": False,
}


def compiled(function: F) -> F:
    """
    Compile a function at its first call, and keep what was made for later processes.

    It is kept beside the source, or in the user's cache where that may not be written. Division by zero gives
    what NumPy gives; other threads may run meanwhile; arrays come from the caller. Callers keep to one type
    and layout of every argument, because each combination is compiled by itself.
    """
    return cast("F", numba.njit(**_OPTIONS)(function))


def unordered(function: F) -> F:
    """Compile a function that meets no NaN, so that it may look at several numbers at once."""
    return cast("F", numba.njit(**_OPTIONS, fastmath={"nnan", "nsz"})(function))
