"""The workers of a dask cluster."""

from concurrent.futures import CancelledError, Future
from typing import Any

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
