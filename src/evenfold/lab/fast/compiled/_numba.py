"""The one door to Numba, with types."""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., object])


def compiled(function: F) -> F:
    """
    Compile a function at its first call, and keep what was made for later processes.

    It is kept beside the source, or in the user's cache where that may not be written. Division by zero gives
    what NumPy gives; other threads may run meanwhile. Callers keep to one type and layout of every argument,
    because each combination is compiled by itself.
    """
    return cast("F", numba.njit(cache=True, nogil=True, error_model="numpy")(function))
