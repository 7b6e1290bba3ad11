"""
Warnings of algorithms while they fit: noted for one line in the answer, not shown one by one.

Filters hold: what is ignored is not noted, and what is an error fails the fit.
"""

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from evenfold.core.words import one_line

_MOST = 20  # different warnings that are kept of a fit
_here = threading.local()  # has what the fit in this thread warned of
_lock = threading.Lock()
_shows: list[Any] = []  # what showed warnings before the fits that run now


@contextmanager
def note_warnings() -> Iterator[list[str]]:
    """Note what is warned of in this thread, each warning once, instead of showing it."""
    seen: list[str] = []
    outer = getattr(_here, "seen", None)
    _begin()
    _here.seen = seen
    try:
        yield seen
    finally:
        _here.seen = outer
        _end()


def _begin() -> None:
    with _lock:
        with warnings.catch_warnings():
            pass  # Python forgets what it has shown, so that every fit may warn
        _shows.append(warnings.showwarning)
        warnings.showwarning = _show


def _end() -> None:
    with _lock:
        show = _shows.pop()
        if not _shows:
            warnings.showwarning = show


def _show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
    seen = getattr(_here, "seen", None)
    if seen is None:
        _shows[0](message, category, *where, **more)
        return
    text = f"{category.__name__}: {one_line(str(message))}"
    if text not in seen and len(seen) < _MOST:
        seen.append(text)
