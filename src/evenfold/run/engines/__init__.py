"""
Engines run fits and hand back outcomes in any order; which one is chosen never changes a result.

In this process, on a pool of workers (threads, loky processes, a dask cluster), or on any other
backend that ``joblib.parallel_config`` names. Here is what an engine and a pool are, and how fits
run inside a worker.
"""

import ctypes
import faulthandler
import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from threading import Lock, Timer, get_ident
from time import monotonic
from types import FunctionType, ModuleType
from typing import Any, Protocol

import numpy as np

from evenfold.core.checks import refuse
from evenfold.run.cells import Cell, CellOutcome, Fault, Job, TimedOut, run_cell
from evenfold.run.data import Data
from evenfold.run.libraries import imported_inside, own_modules

# What a fit may see beside its data: settings of the caller's process, which travel to the workers.
#
# Workers are kept between runs, so they know the environment, the folder and the settings of the
# day they began; and what numpy and scikit-learn keep per thread, no thread of a pool has.


# What a worker has of its own: how many threads it may use, and how it was started.
_OF_WORKERS = ("LOKY_", "JOBLIB_", "DASK_")
_THREADS = "_NUM_THREADS"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ProcessSettings:
    """
    Settings of the process that compares.

    Attributes
    ----------
    sklearn : mapping or None
        The configuration of scikit-learn; None where it is not loaded.
    numpy : mapping
        What numpy does at errors of floating point, see ``numpy.seterr``.
    pandas : mapping
        Those options of pandas that are not as usual.
    filters : list or None
        Which warnings are shown, silent or errors; None where it is not the workers' to set.
    recursion : int
        How deep calls may be nested.
    folder : str or None
        The current directory; None where it is gone or not the workers' to change.
    environment : mapping or None
        The environment variables; None where they are not the workers' to change.
    """

    sklearn: Mapping[str, Any] | None
    numpy: Mapping[str, Any]
    pandas: Mapping[str, Any] = field(default_factory=dict)
    filters: list[Any] | None = None
    recursion: int = 0
    folder: str | None = None
    environment: Mapping[str, str] | None = None


def current_world(*, whole: bool) -> ProcessSettings:
    """
    Return the settings of this process.

    Not ``whole`` those alone that every thread has for itself: other settings are of a whole
    process, which threads share, or which is on a machine of its own.
    """
    sklearn = sklearn_config()
    if not whole:
        return ProcessSettings(sklearn=sklearn, numpy=np.geterr())
    return ProcessSettings(
        sklearn=sklearn,
        numpy=np.geterr(),
        pandas=_pandas_options(),
        filters=list(warnings.filters),
        recursion=sys.getrecursionlimit(),
        folder=_folder(),
        environment=dict(os.environ),
    )


def _folder() -> str | None:
    try:
        return os.getcwd()  # noqa: PTH109  (a text, to travel)
    except OSError:
        return None


def _pandas_options() -> dict[str, Any]:
    """
    Return the options of pandas that somebody has set.

    Pandas lists them in a private place only.
    """
    if "pandas" not in sys.modules:
        return {}
    with suppress(Exception):
        from pandas._config import config

        known = config._registered_options
        usable = known.keys() - config._deprecated_options.keys()
        now = {key: config.get_option(key) for key in known if key in usable}
        return {key: value for key, value in now.items() if value != known[key].defval}
    return {}


def sklearn_config() -> dict[str, Any] | None:
    """Return the caller's scikit-learn settings, which are kept per thread."""
    if "sklearn" not in sys.modules:
        return None
    from sklearn import get_config

    return dict(get_config())


@contextmanager
def apply_settings(world: ProcessSettings | None) -> Iterator[None]:
    """Let a fit see the settings of the process that compares."""
    if world is None:
        yield
        return
    _move(world)
    with ExitStack() as stack:
        stack.enter_context(np.errstate(**world.numpy))
        if world.sklearn is not None:
            from sklearn import config_context

            stack.enter_context(config_context(**world.sklearn))
        if world.pandas:
            import pandas as pd

            options = [x for pair in world.pandas.items() for x in pair]
            stack.enter_context(pd.option_context(*options))
        if world.filters is not None:
            stack.enter_context(warnings.catch_warnings())
            _filter(world.filters)
        yield


def _filter(filters: list[Any]) -> None:
    """Set the filters of warnings, and let modules forget which they have shown."""
    warnings.resetwarnings()
    warnings.filters[:] = filters  # type: ignore[index]  # a list, whatever typeshed says
    warnings.simplefilter("default", _Never)  # so that Python notices


class _Never(UserWarning):
    """Raised by nobody."""


def _move(world: ProcessSettings) -> None:
    """
    Go where the caller is, with the caller's environment.

    This process is a worker and nobody else's.
    """
    if world.recursion:
        sys.setrecursionlimit(world.recursion)
    if world.folder is not None:
        with suppress(OSError):  # gone meanwhile
            os.chdir(world.folder)
    if world.environment is None:
        return
    wanted = {key: value for key, value in world.environment.items() if not _is_of_worker(key)}
    for key in [key for key in os.environ if key not in wanted and not _is_of_worker(key)]:
        del os.environ[key]
    for key, value in wanted.items():
        if os.environ.get(key) != value:
            os.environ[key] = value


def _is_of_worker(key: str) -> bool:
    return key.startswith(_OF_WORKERS) or key.endswith(_THREADS)


# One BLAS and OpenMP thread inside every fit, whichever engine runs it.
#
# Threads change the order of sums and so the last bits of a fit; with one everywhere, the same
# seed gives the same numbers in this process, on threads, on processes and on a cluster.


_lock = Lock()
# fits now under the limit; BLAS has one limit per process, which the last one out lifts
_inside = 0
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
    """Find the libraries; looked for again only after an import, because that takes a while."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


# A time limit for one fit, inside the worker process that runs it.
#
# Two alarms: one that raises in Python code at the limit, and, for native code that never comes
# back to Python, a watchdog that ends the whole worker after twice the limit. The engine then
# finds the worker dead. The first alarm is a signal where the system has one, which also wakes
# sleepers; elsewhere, as on Windows, a thread asks the interpreter to raise, which it does at the
# next line of Python.


def hard_limit(seconds: float) -> float:
    """When a worker that does not react is ended."""
    return 2 * seconds + 1


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """
    Stop the body after ``seconds``; None means no limit.

    Only for the main thread of a worker.
    """
    if seconds is None:
        yield
        return
    alarm = _signal_alarm if hasattr(signal, "SIGALRM") else _thread_alarm
    with open(os.devnull, "w", encoding="utf-8") as nowhere:  # noqa: PTH123  (a device, not a path)
        faulthandler.dump_traceback_later(hard_limit(seconds), exit=True, file=nowhere)
        try:
            with alarm(seconds):
                yield
        finally:
            faulthandler.cancel_dump_traceback_later()


def _message(seconds: float) -> str:
    return f"not done after {seconds} seconds"


@contextmanager
def _signal_alarm(seconds: float) -> Iterator[None]:
    def ring(signum: int, frame: Any) -> None:  # noqa: ARG001  (a signal handler's signature)
        raise TimedOut(_message(seconds))

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        yield
    finally:
        try:
            signal.setitimer(signal.ITIMER_REAL, 0)
        finally:  # also when the alarm, which rings once, rings during the line above
            signal.signal(signal.SIGALRM, before)


@contextmanager
def _thread_alarm(seconds: float) -> Iterator[None]:
    class Late(TimedOut):
        """Made by the interpreter, which gives it no message."""

        def __str__(self) -> str:
            return _message(seconds)

    here = ctypes.c_ulong(get_ident())
    turn = Lock()
    over = False

    def ring() -> None:
        with turn:
            if not over:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(here, ctypes.py_object(Late))

    timer = Timer(seconds, ring)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        try:
            timer.cancel()
        finally:  # also when it rings during the line above
            with turn:
                over = True
                # what was asked for and has not come yet must not come to whoever runs next
                ctypes.pythonapi.PyThreadState_SetAsyncExc(here, None)


# Fits on any other backend of joblib.


class Rounds:
    """Any other joblib backend: everything submitted runs in one call of ``joblib.Parallel``."""

    parallel = False  # all of a round must end before the next begins

    def __init__(self, data: Data, workers: int) -> None:
        self.width = 16 * workers
        self._data = data
        self._workers = workers
        self._waiting: list[Cell] = []

    def load(self, job: Job) -> None:
        self._job = replace(job, world=current_world(whole=False))

    def submit(self, cells: Sequence[Cell]) -> None:
        self._waiting += cells

    def collect(self) -> list[CellOutcome]:
        from joblib import Parallel, delayed

        cells = self._waiting
        self._waiting = []
        tasks = (delayed(work)(self._job, self._data, (cell,), None) for cell in cells)
        return [outcome for part in Parallel(self._workers)(tasks) for outcome in part]

    def close(self, *, abandon: bool) -> None:  # noqa: ARG002  (the protocol's signature)
        self._waiting.clear()


_LARGEST_BUNDLE = 4096


class Engine(Protocol):
    """
    What the driver needs.

    ``width`` is the number of fits worth having under way; ``parallel`` says whether workers may be
    idle while others are busy; ``load`` sets the job that fits refer to; ``collect`` waits for at
    least one outcome of what was submitted.
    """

    @property
    def width(self) -> int: ...
    @property
    def parallel(self) -> bool: ...
    def load(self, job: Job) -> None: ...
    def submit(self, cells: Sequence[Cell]) -> None: ...
    def collect(self) -> list[CellOutcome]: ...
    def close(self, *, abandon: bool) -> None: ...


class Pace:
    """How long fits take, learned from their outcomes."""

    def __init__(self) -> None:
        self._mean = 0.0  # nothing known yet

    def learn(self, outcomes: Sequence[CellOutcome]) -> None:
        seconds = [o.fit_seconds + o.predict_seconds for o in outcomes if o.fault is None]
        if seconds:
            now = max(sum(seconds) / len(seconds), 1e-6)
            self._mean = 0.5 * ((self._mean or now) + now)

    def cells_in(self, seconds: float) -> int:
        """How many fits are worth about that much time; at least one."""
        if self._mean:
            return max(1, min(_LARGEST_BUNDLE, int(seconds / self._mean)))
        return 1


def work(job: Any, data: Any, cells: Sequence[Cell], timeout: float | None) -> Any:
    """Run some fits inside a worker: in the caller's world, and no pools inside the pool."""
    from joblib import parallel_config

    job, data = open_parcels([job, data])
    with parallel_config("sequential"), apply_settings(job.world), one_thread():
        return [_run_limited(job, data, cell, timeout) for cell in cells]


def _run_limited(job: Job, data: Data, cell: Cell, timeout: float | None) -> CellOutcome:
    try:
        with time_limit(timeout):
            return run_cell(job, data, cell)
    except TimedOut as error:  # the alarm rang when the fit had just returned
        return CellOutcome(cell, fault=Fault("timeout", str(error)))


# What a pool of workers is.
#
# A pool *ships* a value once to its workers and submits tasks that refer to it. `broken` lists
# errors that mean "a worker is gone" rather than "the task failed", after which
# Pool.restart is called; `withdrawn` those of tasks that were taken back, because
# somebody ended or restarted the pool: they are sent again, and so is what was shipped where the
# `generation` is another one. Where it is not, and the pool no longer Pool.holds what
# was shipped, all its workers have died. Workers that are `own`, processes on this machine that
# one fit has for itself, take over all settings. Pool.watch says whether there are
# workers, and raises when there have been none for too long.


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


# Values that travel once per worker instead of once per fit.
#
# A parcel is written to a private file of this run; a worker reads it on first use (arrays as
# memory maps, so that all workers on a machine share them) and keeps it. Tasks carry only the name
# of the file.


@dataclass(frozen=True, slots=True)
class Parcel:
    """The address of a value."""

    path: str

    def open(self) -> Any:
        """Return the value; read from disk only on the first call in a process."""
        return _install_modules(*_load(self.path))


def pack(value: Any, path: Path) -> Parcel:
    """Write ``value``, which may hold lambdas and classes of ``__main__``, to a new file."""
    import joblib

    X = None
    if isinstance(value, Data) and maps(value.X):
        X = value.X
        value = replace(value, X=None)
    joblib.dump((X, seal_letter(value).content), path)
    return Parcel(str(path))


@dataclass(frozen=True, slots=True)
class Letter:
    """A value that travels as bytes."""

    content: bytes

    def open(self) -> Any:
        """Return the value; read only on the first call in a process."""
        return _install_modules(*_read(self.content))


def seal_letter(value: Any) -> Letter:
    """
    Write a value with the caller's own code inside it.

    A worker that imported that code anew would have what is in the files, not the globals and
    functions as they are here, and would compute something else. So do modules that functions
    import when they are called.
    """
    import cloudpickle

    modules = own_modules()
    try:
        for name in modules:
            cloudpickle.register_pickle_by_value(modules[name])
        return Letter(cloudpickle.dumps((_imported_modules(value), value)))
    except Exception as error:
        what = "X" if isinstance(value, Data) else "algorithms"
        found = f"{type(error).__name__}: {error}"
        refuse(what, "picklable to be sent to other processes", found, "take n_jobs=1 or threads")
    finally:
        for name in modules:
            with suppress(ValueError):  # one that was not reached
                cloudpickle.unregister_pickle_by_value(modules[name])


def _imported_modules(value: Any) -> dict[str, ModuleType]:
    """
    Return the modules that algorithms import when they are called; data call nothing.

    One that holds what cannot travel (a file, a lock) is left to the workers, who import it
    themselves.
    """
    if isinstance(value, Data):
        return {}
    subjects = [algorithm.subject for algorithm in getattr(value, "algorithms", ())]
    things = (one if isinstance(one, FunctionType) else type(one) for one in subjects)
    return {name: module for name, module in imported_inside(*things).items() if _travels(module)}


def _travels(module: ModuleType) -> bool:
    import cloudpickle

    try:
        cloudpickle.dumps(module)
    except Exception:
        return False
    return True


@lru_cache(maxsize=4)  # as below
def _read(content: bytes) -> tuple[dict[str, ModuleType], Any]:
    import cloudpickle

    modules, value = cloudpickle.loads(content)
    return modules, value


def maps(X: Any) -> bool:
    """Whether X consists of arrays that joblib can map into memory."""
    return isinstance(X, np.ndarray) or hasattr(X, "tocsr") or hasattr(X, "iloc")


@lru_cache(maxsize=4)  # the data and the job of this run and of the one before
def _load(path: str) -> tuple[dict[str, ModuleType], Any]:
    import joblib

    X, rest = joblib.load(path, mmap_mode="r")
    modules, value = _read(rest)
    return modules, value if X is None else replace(value, X=X)


def _install_modules(modules: dict[str, ModuleType], value: Any) -> Any:
    """Let functions that import one of the modules find it as it was where the value comes from."""
    sys.modules.update(modules)
    return value


def open_parcels(values: Sequence[Any]) -> list[Any]:
    """Open those that are parcels; values that came by other ways are what they are."""
    return [value.open() if isinstance(value, (Parcel, Letter)) else value for value in values]


# Fits in this process, one after the other.


_AHEAD_SECONDS = 0.25  # how much work one process claims ahead of need
_SHARED_SECONDS = 0.01  # how long small fits in this process run before they are handed back


class InProcess:
    """One fit after the other, here."""

    parallel = False

    def __init__(self, data: Data) -> None:
        self._data = data
        self._waiting: deque[Cell] = deque()
        self._pace = Pace()

    @property
    def width(self) -> int:
        return self._pace.cells_in(_AHEAD_SECONDS)

    def load(self, job: Job) -> None:
        self._job = job

    def submit(self, cells: Sequence[Cell]) -> None:
        self._waiting.extend(cells)

    def collect(self) -> list[CellOutcome]:
        start = monotonic()
        outcomes: list[CellOutcome] = []
        with one_thread():  # costs about as much as a small fit, so those share it
            while self._waiting and (not outcomes or monotonic() - start < _SHARED_SECONDS):
                outcomes.append(run_cell(self._job, self._data, self._waiting.popleft()))
        self._pace.learn(outcomes)
        return outcomes

    def close(self, *, abandon: bool) -> None:  # noqa: ARG002  (the protocol's signature)
        self._waiting.clear()


# Threads of this process, for estimators that release the interpreter lock.


class Threads:
    """Threads of this process; BLAS is limited for as long as the pool lives."""

    broken: tuple[type[BaseException], ...] = ()
    withdrawn: tuple[type[BaseException], ...] = ()
    generation = 0
    own = False

    def __init__(self, workers: int) -> None:
        from threadpoolctl import threadpool_limits

        self.workers = workers
        threads = threads_per_worker(workers)
        # BLAS has one limit per process, OpenMP one per thread
        self._limits = threadpool_limits(threads)
        self._pool = ThreadPoolExecutor(workers, "evenfold", threadpool_limits, (threads,))

    def ship(self, value: Any) -> Any:
        return value

    def holds(self, shipped: Any) -> bool:  # noqa: ARG002  (the protocol's signature)
        return True

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        return self._pool.submit(function, *arguments)

    def watch(self) -> bool:
        return True

    def restart(self) -> None:
        """Threads do not die alone."""

    def close(self, *, abandon: bool) -> None:
        self._pool.shutdown(wait=not abandon, cancel_futures=abandon)
        self._limits.restore_original_limits()
