"""
Values that travel once per worker instead of once per fit.

A value is written to a private file of this run. A worker reads it on first use and keeps it, and
tasks carry only the name of the file. Arrays are memory maps, which all workers on a machine share.
"""

import sys
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from evenfold.core.checks import refuse
from evenfold.run.data import Data
from evenfold.run.libraries import imported_inside, own_modules


def write_value_file(value: Any, path: Path) -> Path:
    """Write ``value``, which may hold lambdas and classes of ``__main__``, to a new file."""
    import joblib

    X = None
    if isinstance(value, Data) and can_be_mapped(value.X):
        X = value.X
        value = replace(value, X=None)
    joblib.dump((X, pickle_with_code(value)), path)
    return path


def pickle_with_code(value: Any) -> bytes:
    """
    Pickle a value together with the caller's own code.

    A worker that imported that code anew would get what is in the files, not the globals and
    functions as they are here, and would compute something else. The same is true of modules that
    functions import when they are called.
    """
    import cloudpickle

    modules = own_modules()
    try:
        for name in modules:
            cloudpickle.register_pickle_by_value(modules[name])
        return bytes(cloudpickle.dumps((_imported_modules(value), value)))
    except Exception as error:
        what = "X" if isinstance(value, Data) else "algorithms"
        refuse(
            what,
            f"{what} must be picklable to be sent to other processes but pickling failed with "
            f"{type(error).__name__}: {error}.",
            "Pass n_jobs=1 or use threads.",
        )
    finally:
        for name in modules:
            with suppress(ValueError):  # one that was not reached
                cloudpickle.unregister_pickle_by_value(modules[name])


def _imported_modules(value: Any) -> dict[str, ModuleType]:
    """
    Return the modules that algorithms import when they are called.

    Modules that cannot be pickled, for example because they hold a file or a lock, are imported by
    the workers themselves.
    """
    if isinstance(value, Data):
        return {}
    subjects = [algorithm.subject for algorithm in getattr(value, "algorithms", ())]
    things = (
        subject if isinstance(subject, FunctionType) else type(subject) for subject in subjects
    )
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


def can_be_mapped(X: Any) -> bool:
    """Whether X consists of arrays that joblib can map into memory."""
    return isinstance(X, np.ndarray) or hasattr(X, "tocsr") or hasattr(X, "iloc")


@lru_cache(maxsize=4)  # the data and the job of this run and of the one before
def _load(path: Path) -> tuple[dict[str, ModuleType], Any]:
    import joblib

    X, rest = joblib.load(path, mmap_mode="r")
    modules, value = _read(rest)
    return modules, value if X is None else replace(value, X=X)


def open_value(value: Any) -> Any:
    """
    Return the value in a file or a pickle, which a process reads once; other values as they are.

    Functions that import a module of the caller then find it as it was in the caller's process.
    """
    if isinstance(value, Path):
        modules, value = _load(value)
    elif isinstance(value, bytes):
        modules, value = _read(value)
    else:
        return value
    sys.modules.update(modules)
    return value
