"""
Settings of the caller's process that may change a fit, and that are sent to the workers.

Workers are kept between runs, so they have the environment, the folder and the settings of the time
when they began. The settings that numpy and scikit-learn keep per thread are unknown to the threads
of a pool.
"""

import os
import sys
import warnings
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# Variables that each worker has for itself: its number of threads, and how it was started.
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
        The options of pandas that differ from the default.
    filters : list or None
        The filters of warnings; None if workers must not change them.
    recursion : int
        How deep calls may be nested.
    folder : str or None
        The current directory; None if it is gone or workers must not change it.
    environment : mapping or None
        The environment variables; None if workers must not change them.
    """

    sklearn: Mapping[str, Any] | None
    numpy: Mapping[str, Any]
    pandas: Mapping[str, Any] = field(default_factory=dict)
    filters: list[Any] | None = None
    recursion: int = 0
    folder: str | None = None
    environment: Mapping[str, str] | None = None


def current_settings(*, whole: bool) -> ProcessSettings:
    """
    Return the settings of this process.

    If not ``whole``, these are only the settings that each thread has for itself. Workers that are
    threads share the others, and workers on another machine must not take them over.
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
    Return the options of pandas that differ from the default.

    Pandas lists its options only in a private module.
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
def apply_settings(settings: ProcessSettings | None) -> Iterator[None]:
    """Let a fit see the settings of the process that compares."""
    if settings is None:
        yield
        return
    _apply_process_settings(settings)
    with ExitStack() as stack:
        stack.enter_context(np.errstate(**settings.numpy))
        if settings.sklearn is not None:
            from sklearn import config_context

            stack.enter_context(config_context(**settings.sklearn))
        if settings.pandas:
            import pandas as pd

            options = [x for pair in settings.pandas.items() for x in pair]
            stack.enter_context(pd.option_context(*options))
        if settings.filters is not None:
            stack.enter_context(warnings.catch_warnings())
            _set_warning_filters(settings.filters)
        yield


def _set_warning_filters(filters: list[Any]) -> None:
    """Set the filters of warnings, and reset which warnings were shown."""
    warnings.resetwarnings()
    warnings.filters[:] = filters  # type: ignore[index]  # a list, whatever typeshed says
    # what Python does without a filter; the call makes it notice the others
    warnings.simplefilter("default", append=True)


def _apply_process_settings(settings: ProcessSettings) -> None:
    """Take over the folder and the environment of the caller's process, in a worker of its own."""
    if settings.recursion:
        sys.setrecursionlimit(settings.recursion)
    if settings.folder is not None:
        with suppress(OSError):  # gone meanwhile
            os.chdir(settings.folder)
    if settings.environment is None:
        return
    wanted = {key: value for key, value in settings.environment.items() if not _is_of_worker(key)}
    for key in [key for key in os.environ if key not in wanted and not _is_of_worker(key)]:
        del os.environ[key]
    for key, value in wanted.items():
        if os.environ.get(key) != value:
            os.environ[key] = value


def _is_of_worker(key: str) -> bool:
    return key.startswith(_OF_WORKERS) or key.endswith(_THREADS)
