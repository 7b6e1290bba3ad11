"""Processes on this machine."""

import os
import shutil
import sys
import tempfile
from concurrent.futures import Executor, Future
from functools import cache
from itertools import count
from pathlib import Path
from signal import SIG_IGN, SIGINT, signal
from typing import Any, ClassVar

from evenfold.core.processes import follow  # its import also lets workers find named modules
from evenfold.run.engines._pool import threads_per_worker
from evenfold.run.engines.parcels import pack
from evenfold.run.fingerprints import own_modules

_BLAS = ("OMP", "OPENBLAS", "MKL", "BLIS", "NUMEXPR")
_IDLE_SECONDS = 300  # an unused process pool then ends by itself


class Processes:
    """Loky processes, kept between runs because starting them costs more than most fits."""

    generation = 0
    own = True
    _kept: ClassVar[dict[tuple[int, int], Executor]] = {}  # by process, which may have been forked, and size
    _loaded: ClassVar[dict[tuple[int, int], tuple[list[str], dict[str, Any]]]] = {}  # what workers may know

    def __init__(self, workers: int) -> None:
        from joblib.externals.loky.process_executor import BrokenProcessPool, ShutdownExecutorError

        self.workers = workers
        self._which = os.getpid(), workers
        self.broken: tuple[type[BaseException], ...] = (BrokenProcessPool,)
        self.withdrawn: tuple[type[BaseException], ...] = (ShutdownExecutorError,)  # by another thread's run
        self._folder = Path(tempfile.mkdtemp(prefix=f"evenfold-{os.getpid()}-"))
        _sweep(self._folder.parent)
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

    def holds(self, shipped: Any) -> bool:  # noqa: ARG002  (files stay)
        return True

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

    def watch(self) -> bool:
        return True

    def restart(self) -> None:
        if (pool := self._kept.pop(self._which, None)) is not None:
            pool.shutdown(wait=True, kill_workers=True)  # type: ignore[call-arg]  # loky's own argument

    def close(self, *, abandon: bool) -> None:
        if abandon:
            self.restart()
        shutil.rmtree(self._folder, ignore_errors=True)


@cache
def _sweep(folder: Path) -> None:
    """Remove, once, what processes of ours left behind that were killed."""
    for left in folder.glob("evenfold-[0-9]*-*"):
        pid = left.name.split("-")[1]
        if pid.isdigit() and not _is_alive(int(pid)):
            shutil.rmtree(left, ignore_errors=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # another user's, or a number that is none
        return True
    return True


def _follow_parent(parent: int) -> None:
    """Leave Ctrl-C to the parent, and end soon after it was killed instead of waiting for work for ever."""
    signal(SIGINT, SIG_IGN)
    follow(parent, lambda: os._exit(1))
