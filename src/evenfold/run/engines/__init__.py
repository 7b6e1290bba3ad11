"""
Engines run fits and hand back outcomes in any order; which one is chosen never changes a result.

In this process, on a pool of workers (threads, loky processes, a dask cluster), or on any other
backend that ``joblib.parallel_config`` names.
"""

import sys
from contextlib import nullcontext

from evenfold.core.checks import refuse
from evenfold.run.data import Data
from evenfold.run.engines._base import Engine, InProcess, Rounds, Threads
from evenfold.run.engines.dask import Dask, translate_cluster_errors
from evenfold.run.engines.loky import PooledEngine, Processes

__all__ = ["Engine", "choose_engine"]


def choose_engine(data: Data, *, n_jobs: int | None, timeout: float | None) -> Engine:
    """Pick the engine that ``n_jobs`` and ``joblib.parallel_config`` ask for."""
    if n_jobs in (None, 1) and timeout is None and not _is_configured():
        return InProcess(data)
    from joblib import effective_n_jobs
    from joblib.parallel import get_active_backend

    backend, configured = get_active_backend()
    name = type(backend).__name__
    with translate_cluster_errors() if name == "DaskDistributedBackend" else nullcontext():
        workers = effective_n_jobs(configured if n_jobs is None else n_jobs)
    if timeout is not None and name != "LokyBackend":
        refuse("timeout", "None except on loky processes", timeout, f"the joblib backend is {name}")
    if name == "DaskDistributedBackend":
        return PooledEngine(Dask(backend.client), data)
    if name == "LokyBackend" and (workers > 1 or timeout is not None):
        return PooledEngine(Processes(workers), data, timeout)
    if workers == 1 or name == "SequentialBackend":
        return InProcess(data)
    if name == "ThreadingBackend":
        return PooledEngine(Threads(workers), data)
    return Rounds(data, workers)


def _is_configured() -> bool:
    """Whether joblib was loaded at all, so that somebody may have said ``parallel_config``."""
    return "joblib" in sys.modules
