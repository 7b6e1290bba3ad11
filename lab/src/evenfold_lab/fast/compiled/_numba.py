"""The one door to Numba, with types."""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
from numba.core.options import DefaultOptions
from numpy.typing import NDArray

Numbers = NDArray[Any]

F = TypeVar("F", bound=Callable[..., object])
# What makes no arrays need not count who holds them (``_nrt``): for the small nodes of trees that
# is half of the time. Both options are little known, and a version of Numba may lack them; then it
# is slower.
_BARE: dict[str, Any] = {
    key: value
    for key, value in {"forceinline": True, "_nrt": False}.items()
    if hasattr(DefaultOptions, key)
}
# Whatever changes in this package, all of it is compiled again: by itself Numba looks at a
# function's own file alone, and keeps what other files were when that was compiled.
STAMP = tuple(
    (file.name, file.stat().st_size, file.stat().st_mtime_ns)
    for file in sorted(Path(__file__).parent.glob("*.py"))
)


def compiled(function: F) -> F:
    """
    Compile a function at its first call, and keep what was made for later processes.

    It is kept beside the source, in the user's cache where that may not be written, or nowhere if
    that may not either. Division by zero gives what NumPy gives; other threads may run meanwhile.
    Callers keep to one type and layout of every argument, because each combination is compiled by
    itself.
    """
    return _compile_with(function)


def compiled_inline(function: F) -> F:
    """Compile a function that makes no arrays, as a part of those that call it."""
    return _compile_with(function, **_BARE)


def compiled_without_nan(function: F) -> F:
    """The same for one that meets no NaN, so that it may look at several numbers at once."""
    return _compile_with(function, **_BARE, fastmath={"nnan", "nsz"})


def _compile_with(function: F, **options: Any) -> F:
    options |= {"nogil": True, "error_model": "numpy"}
    try:
        made = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # nothing can be kept anywhere
        return cast("F", numba.njit(**options)(function))
    with suppress(AttributeError):  # a version of Numba may have it elsewhere
        made._cache._cache_file._source_stamp = STAMP
    return cast("F", made)
