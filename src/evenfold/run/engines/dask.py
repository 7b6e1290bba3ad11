"""The workers of a dask cluster."""

from collections.abc import Iterator
from concurrent.futures import CancelledError, Future
from contextlib import contextmanager, suppress
from typing import Any

from evenfold.core.errors import WorkersLost
from evenfold.run.data import Data
from evenfold.run.engines.parcels import maps, sealed


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
        with reached():
            threads: int = sum(self._client.nthreads().values())
        return max(1, threads)

    def ship(self, value: Any) -> Any:
        letter = value if isinstance(value, Data) and maps(value.X) else sealed(value)
        with reached():
            return self._client.scatter(letter, broadcast=True, hash=False)

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        with reached():
            future: Future[Any] = self._executor.submit(function, *arguments)
        return future

    def restart(self) -> None:
        """Dask replaces its workers itself."""

    def close(self, *, abandon: bool) -> None:
        with suppress(Exception):  # of a cluster that is gone already
            self._executor.shutdown(wait=not abandon)


@contextmanager
def reached() -> Iterator[None]:
    """Turn the many errors of a cluster that is gone into one line; tasks have errors of their own."""
    try:
        yield
    except Exception as error:  # closed clients and connections, timeouts, parts that are None by now
        why = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        remedy = "start it again and call again: with a store finished cells are kept"
        raise WorkersLost(f"the dask cluster cannot be reached ({why}); {remedy}") from error
