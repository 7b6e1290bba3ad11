"""
Patience: a server restarts, a connection drops, another process holds a lock. Most of that passes.

Whatever a store does may be done twice (writing replaces, removing forgets), so what was interrupted is done
again, with growing pauses, for a minute at most.
"""

import sqlite3
from collections.abc import Callable, Iterator
from time import monotonic, sleep
from typing import TypeVar
from weakref import WeakSet

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from evenfold.core.errors import in_a_line
from evenfold.run.progress import log

_T = TypeVar("_T")

_PATIENCE_SECONDS = 60.0
_LONGEST_PAUSE = 2.0
_PASSING = (  # states of PostgreSQL that pass
    *("40P01", "40001"),  # ended in favour of another transaction: deadlock, conflict
    "55P03",  # somebody held a lock for too long
    "25P03",  # we were asleep inside a transaction
    *("57P01", "57P02", "57P03", "53300"),  # the server stops, has crashed, starts, is crowded
)
_given_up: WeakSet[Engine] = WeakSet()  # waited for in vain: nobody waits again before they answer


def transact(engine: Engine, statements: Callable[[Connection], _T]) -> _T:
    """Execute statements in one transaction, again if something got in its way."""

    def attempt() -> _T:
        with engine.begin() as connection:
            return statements(connection)

    return patiently(engine, attempt)


def reading(engine: Engine) -> Connection:
    """Return a connection that never asks for the right to write."""
    return engine.connect().execution_options(begin="BEGIN")


def look(engine: Engine, statements: Callable[[Connection], _T]) -> _T:
    """Execute statements that only read, again if something got in their way."""

    def attempt() -> _T:
        with reading(engine) as connection:
            return statements(connection)

    return patiently(engine, attempt)


def patiently(engine: Engine, attempt: Callable[[], _T], seconds: float | None = None) -> _T:
    """Try, and try again as long as the reason may pass and the time is not over."""
    patience = _PATIENCE_SECONDS if seconds is None else seconds
    until = monotonic() + (0.0 if engine in _given_up else patience)
    for pause in _pauses():
        try:
            done = attempt()
        except DBAPIError as error:
            if not _passes(error):
                raise
            if monotonic() + pause > until:
                _given_up.add(engine)
                raise
            log.info("the store does not answer (%s); trying again", in_a_line(error.orig))
            sleep(pause)
        else:
            _given_up.discard(engine)
            return done
    raise AssertionError("pauses never end")


def _pauses() -> Iterator[float]:
    pause = 0.01
    while True:
        yield pause
        pause = min(2 * pause, _LONGEST_PAUSE)


def _passes(error: DBAPIError) -> bool:
    """Whether an error is about the moment, not about what was asked."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        return (code & 0xFF) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    state = getattr(error.orig, "sqlstate", None)
    if state is None:  # no answer at all: there is no connection, or none any more
        return error.connection_invalidated or isinstance(error, OperationalError)
    return state in _PASSING or state.startswith("08")
