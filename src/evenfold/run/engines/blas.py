"""
One BLAS and OpenMP thread inside every cell, whichever engine runs it.

Threads change the order of sums and so the last bits of a fit; with one everywhere, the same seed gives the
same numbers in this process, on threads, on processes and on a cluster.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any

_lock = Lock()
_inside = 0  # cells now under the limit; BLAS has one limit per process, which the last one out lifts
_blas: Any = None


@contextmanager
def one_thread() -> Iterator[None]:
    """Limit BLAS and OpenMP to one thread; it may be entered by several threads at once."""
    global _inside, _blas
    controller = _controller(len(sys.modules))
    with _lock:
        if not _inside:
            _blas = controller.limit(limits=1, user_api="blas")
        _inside += 1
    openmp = controller.limit(limits=1, user_api="openmp")  # has a limit per thread
    try:
        yield
    finally:
        openmp.restore_original_limits()
        with _lock:
            _inside -= 1
            if not _inside:
                _blas.restore_original_limits()


@lru_cache(maxsize=1)
def _controller(modules: int) -> Any:  # noqa: ARG001  (the key of the cache)
    """Find the libraries; looked for again only after something was imported, because that takes a while."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
