"""The only import of Numba, with types."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.options import DefaultOptions
from numpy.typing import NDArray

Numbers = NDArray[Any]

F = TypeVar("F", bound=Callable[..., object])
# A function that makes no arrays needs no reference counts (``_nrt``), which take half of the time
# in the small nodes of trees. A version of Numba may lack these options; then kernels are slower.
_BARE: dict[str, Any] = {
    key: value
    for key, value in {"forceinline": True, "_nrt": False}.items()
    if hasattr(DefaultOptions, key)
}
# If anything in this package changes, all of it is compiled again. By itself, Numba looks only at a
# function's own file, and would keep outdated code of the other files.
STAMP = tuple(
    (file.name, file.stat().st_size, file.stat().st_mtime_ns)
    for file in sorted(Path(__file__).parent.glob("*.py"))
)


def compiled(function: F) -> F:
    """
    Compile a function at its first call, and keep the machine code for later processes.

    It is kept beside the source or, if that is read-only, in the user's cache, or nowhere.
    Division by zero gives what NumPy gives, and other threads may run meanwhile. Callers keep to
    one type and layout of every argument, because each combination is compiled separately.
    """
    return _compile_with(function)


def compiled_inline(function: F) -> F:
    """Compile a function that makes no arrays, as a part of those that call it."""
    return _compile_with(function, **_BARE)


def compiled_without_nan(function: F) -> F:
    """Compile a function that meets no NaN, so that it can be vectorised, inline."""
    return _compile_with(function, **_BARE, fastmath={"nnan", "nsz"})


def _compile_with(function: F, **options: Any) -> F:
    options |= {"nogil": True, "error_model": "numpy"}
    try:
        made = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # machine code cannot be kept anywhere
        return cast("F", numba.njit(**options)(function))
    with suppress(AttributeError):  # another version of Numba may store it elsewhere
        made._cache._cache_file._source_stamp = STAMP
    return cast("F", made)
