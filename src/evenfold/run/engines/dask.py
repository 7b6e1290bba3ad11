"""The workers of a dask cluster."""

from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from time import monotonic, sleep
from typing import Any, NoReturn, TypeVar

from evenfold.core.errors import WorkersLost
from evenfold.core.words import one_line
from evenfold.run.data import Data
from evenfold.run.engines.shipping import can_be_mapped, pickle_with_code
from evenfold.run.engines.workers import Pool
from evenfold.run.progress import log

_T = TypeVar("_T")
_ABSENCE_SECONDS = 300.0  # how long there may be no worker: clusters scale, machines are queued for
_PAUSE_SECONDS = 1.0
_TRIES = 5  # of what fails although there are workers
_CLOSED = "closing", "closed"


class Dask(Pool):
    """
    The workers of a ``dask.distributed`` client, on this or other machines.

    If a worker dies, dask runs the task on another worker, and gives up on a task that repeatedly
    kills workers. If the cluster is restarted, or all workers are replaced, dask forgets tasks and
    data, and both are sent again. Dask replaces its workers itself. A worker has several threads
    and may be on another machine, so it does not take over all settings.
    """

    def __init__(self, client: Any) -> None:
        from distributed import KilledWorker
        from distributed.client import FutureCancelledError

        self.broken = (KilledWorker,)
        self.withdrawn = (FutureCancelledError, CancelledError)
        self._client = client
        self._executor = client.get_executor(pure=False)
        self._seen = monotonic()  # when there was a worker

    @property
    def generation(self) -> int:
        """How often the cluster was restarted through this client."""
        return int(self._client.generation)

    @property
    def workers(self) -> int:
        return max(1, self._threads())

    def _threads(self) -> int:
        with translate_cluster_errors():
            return sum(self._client.nthreads().values())

    def ship(self, value: Any) -> Any:
        """
        Give a value to one worker.

        Other workers fetch the value from it, because a broadcast never ends if a worker stops
        meanwhile.
        """
        if not (isinstance(value, Data) and can_be_mapped(value.X)):
            value = pickle_with_code(value)
        return self._retry(lambda: self._client.scatter(value, hash=False))

    def holds(self, shipped: Any) -> bool:
        return bool(shipped.status == "finished")

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        future: Future[Any] = self._retry(lambda: self._executor.submit(function, *arguments))
        return future

    def _retry(self, call: Callable[[], _T]) -> _T:
        """Call, and call again while the cluster changes its state and gives unclear errors."""
        tries = 0
        while True:
            try:
                with translate_cluster_errors():
                    return call()
            except WorkersLost:
                tries += self.watch()
                if tries > _TRIES:
                    raise
                sleep(_PAUSE_SECONDS)

    def watch(self) -> bool:
        """Whether there are workers; raise when there have been none for too long."""
        if self._client.status in _CLOSED:
            _raise_workers_lost("the client is closed")
        now = monotonic()
        if self._client.status == "running" and self._threads():
            self._seen = now
            return True
        if now - self._seen > _ABSENCE_SECONDS:
            _raise_workers_lost(f"it has had no worker for {_ABSENCE_SECONDS:g} seconds")
        log.info("the dask cluster has no worker; waiting for one")
        return False

    def close(self, *, abandon: bool) -> None:
        with suppress(Exception):  # of a cluster that is gone already
            self._executor.shutdown(wait=not abandon)


@contextmanager
def translate_cluster_errors() -> Iterator[None]:
    """
    Turn the errors of a cluster that cannot be reached into one line.

    Errors of tasks are not changed.
    """
    try:
        yield
    except Exception as error:
        # closed clients and connections, timeouts, parts that are None by now
        _raise_workers_lost(one_line(f"{type(error).__name__}: {error}")[:200], error)


def _raise_workers_lost(why: str, error: Exception | None = None) -> NoReturn:
    raise WorkersLost(
        f"The dask cluster cannot be reached: {why}. Start it and call again; if the call has a "
        "store, finished fits are kept."
    ) from error
