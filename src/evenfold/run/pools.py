"""
Pools of workers behind one small interface: threads, loky processes, a dask cluster.

A pool *ships* a value once to its workers and submits tasks that refer to it; ``broken`` lists the errors
that mean "a worker is gone" rather than "the task failed", after which :meth:`restart` is called.
"""

import os
import shutil
import sys
import tempfile
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from itertools import count
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from threading import Thread
from time import sleep
from typing import Any, ClassVar, Protocol

from evenfold.run.data import Data
from evenfold.run.fingerprints import own_modules
from evenfold.run.parcels import maps, pack, sealed

_BLAS = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
_WATCH_SECONDS = 1.0
_IDLE_SECONDS = 300  # an unused process pool then ends by itself


class Pool(Protocol):
    """What an engine needs of a pool."""

    @property
    def workers(self) -> int: ...
    @property
    def broken(self) -> tuple[type[BaseException], ...]: ...
    def ship(self, value: Any) -> Any: ...
    def submit(self, function: Any, *arguments: Any) -> Future[Any]: ...
    def restart(self) -> None: ...
    def close(self, *, abandon: bool) -> None: ...


def threads_per_worker(workers: int) -> int:
    """How many BLAS threads each of several workers may use without crowding the machine."""
    return max(1, (os.cpu_count() or 1) // workers)


class Threads:
    """Threads of this process; BLAS is limited for as long as the pool lives."""

    broken: tuple[type[BaseException], ...] = ()

    def __init__(self, workers: int) -> None:
        from threadpoolctl import threadpool_limits

        self.workers = workers
        threads = threads_per_worker(workers)
        self._limits = threadpool_limits(threads)  # BLAS has one limit per process, OpenMP one per thread
        self._pool = ThreadPoolExecutor(workers, "evenfold", threadpool_limits, (threads,))

    def ship(self, value: Any) -> Any:
        return value

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        return self._pool.submit(function, *arguments)

    def restart(self) -> None:
        """Threads do not die alone."""

    def close(self, *, abandon: bool) -> None:
        self._pool.shutdown(wait=not abandon, cancel_futures=abandon)
        self._limits.restore_original_limits()


class Processes:
    """Loky processes, kept between runs because starting them costs more than most fits."""

    _kept: ClassVar[dict[tuple[int, int], Executor]] = {}  # by process, which may have been forked, and size
    _loaded: ClassVar[dict[tuple[int, int], tuple[list[str], dict[str, Any]]]] = {}  # what workers may know

    def __init__(self, workers: int) -> None:
        from joblib.externals.loky.process_executor import BrokenProcessPool

        self.workers = workers
        self._which = os.getpid(), workers
        self.broken: tuple[type[BaseException], ...] = (BrokenProcessPool,)
        self._folder = Path(tempfile.mkdtemp(prefix="evenfold-"))
        self._names = count()
        self._leave_old_code()

    def _leave_old_code(self) -> None:
        """Let workers go that know another search path, or a module from before it was loaded again."""
        path, modules = list(sys.path), {name: module.__spec__ for name, module in own_modules().items()}
        known_path, known = self._loaded.get(self._which, (path, {}))
        if path != known_path or any(modules.get(name, spec) is not spec for name, spec in known.items()):
            if (pool := self._kept.pop(self._which, None)) is not None:
                pool.shutdown(wait=False)  # another thread may still wait for its results
            known = {}
        self._loaded[self._which] = path, known | modules

    def ship(self, value: Any) -> Any:
        return pack(value, self._folder / f"{next(self._names)}.joblib")

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        return self._pool().submit(function, *arguments)

    def _pool(self) -> Executor:
        if self._which not in self._kept:
            from joblib.externals.loky import ProcessPoolExecutor

            threads = str(threads_per_worker(self.workers))
            env = {f"{name}_NUM_THREADS": threads for name in _BLAS}
            self._kept[self._which] = ProcessPoolExecutor(
                self.workers,
                timeout=_IDLE_SECONDS,
                env=env,
                initializer=_follow_parent,
                initargs=(os.getpid(),),
            )
        return self._kept[self._which]

    def restart(self) -> None:
        if (pool := self._kept.pop(self._which, None)) is not None:
            pool.shutdown(wait=True, kill_workers=True)  # type: ignore[call-arg]  # loky's own argument

    def close(self, *, abandon: bool) -> None:
        if abandon:
            self.restart()
        shutil.rmtree(self._folder, ignore_errors=True)


def _follow_parent(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end soon after it was killed instead of waiting for work for ever."""
    signal(SIGINT, SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            sleep(_WATCH_SECONDS)
        os._exit(1)

    Thread(target=watch, name="evenfold-parent", daemon=True).start()


class Dask:
    """
    The workers of a ``dask.distributed`` client, on this or other machines.

    A worker that dies is dask's business first: it runs the task elsewhere, and gives up on a task that
    keeps killing workers.
    """

    def __init__(self, client: Any) -> None:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        self.broken: tuple[type[BaseException], ...] = (KilledWorker, FutureCancelledError, CancelledError)
        self._client = client
        self._executor = client.get_executor(pure=False)

    @property
    def workers(self) -> int:
        threads: int = sum(self._client.nthreads().values())
        return max(1, threads)

    def ship(self, value: Any) -> Any:
        letter = value if isinstance(value, Data) and maps(value.X) else sealed(value)
        return self._client.scatter(letter, broadcast=True, hash=False)

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        future: Future[Any] = self._executor.submit(function, *arguments)
        return future

    def restart(self) -> None:
        """Dask replaces its workers itself."""

    def close(self, *, abandon: bool) -> None:
        self._executor.shutdown(wait=not abandon)
