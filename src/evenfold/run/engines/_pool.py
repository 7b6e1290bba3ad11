"""
What a pool of workers is.

A pool *ships* a value once to its workers and submits tasks that refer to it. ``broken`` lists errors that
mean "a worker is gone" rather than "the task failed", after which :meth:`Pool.restart` is called;
``withdrawn`` those that are no fault of the task nor of its worker: somebody has ended or restarted the pool,
the task is sent again, and what was shipped too where the pool no longer :meth:`Pool.holds` it.
:meth:`Pool.watch` is called now and then while nothing comes, and raises when nothing can come any more.
"""

import os
from concurrent.futures import Future
from typing import Any, Protocol


class Pool(Protocol):
    """What an engine needs of a pool."""

    @property
    def workers(self) -> int: ...
    @property
    def broken(self) -> tuple[type[BaseException], ...]: ...
    @property
    def withdrawn(self) -> tuple[type[BaseException], ...]: ...
    def ship(self, value: Any) -> Any: ...
    def holds(self, shipped: Any) -> bool: ...
    def submit(self, function: Any, *arguments: Any) -> Future[Any]: ...
    def watch(self) -> None: ...
    def restart(self) -> None: ...
    def close(self, *, abandon: bool) -> None: ...


def threads_per_worker(workers: int) -> int:
    """How many BLAS threads each of several workers may use without crowding the machine."""
    return max(1, (os.cpu_count() or 1) // workers)
