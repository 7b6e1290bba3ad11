"""
What a pool of workers is.

A pool *ships* a value once to its workers and submits tasks that refer to it. ``broken`` lists errors that
mean "a worker is gone" rather than "the task failed", after which :meth:`Pool.restart` is called;
``withdrawn`` those of tasks that were taken back, because somebody ended or restarted the pool: they are sent
again, and so is what was shipped where the ``generation`` is another one. Where it is not, and the pool no
longer :meth:`Pool.holds` what was shipped, all its workers have died.
Workers that are ``own``, processes on this machine that one fit has for itself, take over all settings.
:meth:`Pool.watch` says whether there are workers, and raises when there have been none for too long.
"""

import os
from concurrent.futures import Future
from typing import Any, Protocol


class Pool(Protocol):
    """What an engine needs of a pool."""

    @property
    def workers(self) -> int: ...
    @property
    def own(self) -> bool: ...
    @property
    def broken(self) -> tuple[type[BaseException], ...]: ...
    @property
    def generation(self) -> int: ...
    @property
    def withdrawn(self) -> tuple[type[BaseException], ...]: ...
    def ship(self, value: Any) -> Any: ...
    def holds(self, shipped: Any) -> bool: ...
    def submit(self, function: Any, *arguments: Any) -> Future[Any]: ...
    def watch(self) -> bool: ...
    def restart(self) -> None: ...
    def close(self, *, abandon: bool) -> None: ...


def threads_per_worker(workers: int) -> int:
    """How many BLAS threads each of several workers may use without crowding the machine."""
    return max(1, (os.cpu_count() or 1) // workers)
