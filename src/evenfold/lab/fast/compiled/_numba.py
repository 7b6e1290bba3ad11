"""The one door to Numba, with types."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
from numba.core.options import DefaultOptions
from numpy.typing import NDArray

Numbers = NDArray[Any]

F = TypeVar("F", bound=Callable[..., object])
# What makes no arrays need not count who holds them (``_nrt``): for the small nodes of trees that is half of
# the time. Both options are little known, and a version of Numba may lack them; then it is slower.
_BARE: dict[str, Any] = {
    key: value for key, value in {"forceinline": True, "_nrt": False}.items() if hasattr(DefaultOptions, key)
}


def compiled(function: F) -> F:
    """
    Compile a function at its first call, and keep what was made for later processes.

    It is kept beside the source, in the user's cache where that may not be written, or nowhere if that may
    not either. Division by zero gives what NumPy gives; other threads may run meanwhile. Callers keep to one
    type and layout of every argument, because each combination is compiled by itself.
    """
    return _made(function)


def bare(function: F) -> F:
    """Compile a function that makes no arrays, as a part of those that call it."""
    return _made(function, **_BARE)


def swept(function: F) -> F:
    """The same for one that meets no NaN, so that it may look at several numbers at once."""
    return _made(function, **_BARE, fastmath={"nnan", "nsz"})


def _made(function: F, **options: Any) -> F:
    options |= {"nogil": True, "error_model": "numpy"}
    try:
        return cast("F", numba.njit(cache=True, **options)(function))
    except RuntimeError:  # nothing can be kept anywhere
        return cast("F", numba.njit(**options)(function))
