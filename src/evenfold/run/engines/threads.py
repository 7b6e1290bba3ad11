"""Threads of this process, for estimators that release the interpreter lock."""

from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from evenfold.run.engines.workers import Pool, threads_per_worker


class Threads(Pool):
    """Threads of this process; BLAS is limited for as long as the pool lives."""

    def __init__(self, workers: int) -> None:
        from threadpoolctl import threadpool_limits

        super().__init__(workers)
        threads = threads_per_worker(workers)
        # BLAS has one limit per process, OpenMP one per thread
        self._limits = threadpool_limits(threads)
        self._pool = ThreadPoolExecutor(workers, "evenfold", threadpool_limits, (threads,))

    def submit(self, function: Any, *arguments: Any) -> Future[Any]:
        return self._pool.submit(function, *arguments)

    def close(self, *, abandon: bool) -> None:
        self._pool.shutdown(wait=not abandon, cancel_futures=abandon)
        self._limits.restore_original_limits()
