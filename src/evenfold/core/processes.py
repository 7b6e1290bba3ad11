"""Whether other processes are alive, ending with one's parent, and modules for workers."""

import os
import sys
from collections.abc import Callable, Iterable
from importlib import import_module
from importlib.machinery import (
    EXTENSION_SUFFIXES,
    SOURCE_SUFFIXES,
    ExtensionFileLoader,
    FileFinder,
    ModuleSpec,
    SourceFileLoader,
)
from threading import Thread
from time import sleep
from typing import Any

_WATCH_SECONDS = 1.0
_SYNCHRONIZE = 0x100000  # the right to wait for a process, in the words of Windows
_STILL_RUNNING = 0x102  # what waiting returns if the process has not ended


def is_alive(pid: int) -> bool:
    """Return whether a process with this number is on this machine; True if that is unknown."""
    if sys.platform == "win32":  # there os.kill(pid, 0) sends Ctrl-C
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:  # the process of another user, or an impossible number
        return True
    return True


def _is_alive_on_windows(pid: int) -> bool:
    windows: Any = import_module("_winapi")  # Python's own, only there
    try:
        handle = windows.OpenProcess(_SYNCHRONIZE, False, pid)
    except PermissionError:
        return True
    except OSError:
        return False
    try:
        return bool(windows.WaitForSingleObject(handle, 0) == _STILL_RUNNING)
    finally:
        windows.CloseHandle(handle)


def follow(parent: int, leave: Callable[[], None]) -> None:
    """Call ``leave``, in a thread of its own, soon after the parent of this process has gone."""

    def watch() -> None:
        while os.getppid() == parent and is_alive(parent):  # Windows never gives a new parent
            sleep(_WATCH_SECONDS)
        leave()

    Thread(target=watch, name="evenfold-parent", daemon=True).start()


_MARK = "evenfold-modules:"


class _NamedFinder(FileFinder):
    """Finds some modules of a folder and nothing else."""

    names: frozenset[str] = frozenset()

    def find_spec(self, fullname: str, target: Any = None) -> ModuleSpec | None:
        """Find a module in the folder only if it is one of the names."""
        if fullname in self.names:
            return super().find_spec(fullname, target)
        return None


def _find(entry: str) -> _NamedFinder:
    """Return the finder of an entry of the search path, if it is one of ours."""
    if not entry.startswith(_MARK):
        raise ImportError
    names, _, folder = entry.removeprefix(_MARK).partition(":")
    sources = SourceFileLoader, SOURCE_SUFFIXES
    finder = _NamedFinder(folder, (ExtensionFileLoader, EXTENSION_SUFFIXES), sources)
    finder.names = frozenset(names.split(","))
    return finder


def allow_modules(folder: str, names: Iterable[str]) -> None:
    """
    Let modules and packages of a folder be imported by name, after everything installed.

    Examples
    --------
    >>> before = list(sys.path)
    >>> allow_modules("/data", ["mine"])
    >>> sys.path[-1]
    'evenfold-modules:mine:/data'
    >>> sys.path[:] = before
    """
    allowed = {name for name in names if name.isidentifier()}  # no module has another name
    known = [
        entry for entry in sys.path if entry.startswith(_MARK) and entry.endswith(f":{folder}")
    ]
    for entry in known:
        allowed.update(entry.removeprefix(_MARK).partition(":")[0].split(","))
    entry = f"{_MARK}{','.join(sorted(allowed))}:{folder}"
    if known != [entry]:
        sys.path[:] = [other for other in sys.path if other not in known] + [entry]


sys.path_hooks.append(_find)
for _entry in [entry for entry in sys.path_importer_cache if entry.startswith(_MARK)]:
    del sys.path_importer_cache[_entry]  # the entry was looked at before it had a finder
