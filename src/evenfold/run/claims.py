"""
Claims keep several processes off each other's cells.

An owner is one run of one process. A thread renews its heartbeat; claims of an owner whose heartbeat is
overdue, or whose process is known to be gone, may be taken by anybody. Claims save work, they are not what
keeps the store right: a cell that two owners finish is still stored once.
"""

import os
import platform
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import Any, TypeVar
from uuid import uuid4

from sqlalchemy import (
    ColumnElement,
    Connection,
    Delete,
    Engine,
    Insert,
    Select,
    Table,
    bindparam,
    delete,
    literal_column,
    or_,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError

from evenfold.run.schema import claims, owners

_T = TypeVar("_T")
Key = tuple[bytes, bytes]  # series and split

_ALIVE_SECONDS = 60.0  # a heartbeat older than this is a dead owner's
_BEAT_SECONDS = 10.0
_LOST = ("40P01", "40001")  # PostgreSQL ended this transaction in favour of another one: deadlock, conflict
_RETRIES = 5
_active: set[str] = set()  # the owners of this process that have not been released
_CLOCKS = {  # the database's clock: those of several machines differ
    "sqlite": "(julianday('now') - 2440587.5) * 86400.0",
    "postgresql": "extract(epoch from clock_timestamp())",
}


def transact(engine: Engine, statements: Callable[[Connection], _T]) -> _T:
    """Execute statements in one transaction, again if another one got in its way."""
    for attempt in range(_RETRIES):
        try:
            with engine.begin() as connection:
                return statements(connection)
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) not in _LOST:
                raise
            sleep(0.01 * 2**attempt)
    with engine.begin() as connection:
        return statements(connection)


def insert_new(table: Table, engine: Engine) -> Insert:
    """
    Return an INSERT that leaves existing rows alone.

    Give it rows in the order of their keys: two processes that lock the same rows in different orders would
    wait for each other.
    """
    return _insert(table, engine).on_conflict_do_nothing()


def _insert(table: Table, engine: Engine) -> sqlite.Insert | postgresql.Insert:
    return sqlite.insert(table) if engine.dialect.name == "sqlite" else postgresql.insert(table)


def near(query: Select[Any], table: Table, keys: Iterable[Key]) -> Select[Any]:
    """Narrow a query to the keys and a few more; row values in an IN would make SQLite read the table."""
    series, splits = {key[0] for key in keys}, {key[1] for key in keys}
    return query.where(table.c.series.in_(series), table.c.split.in_(splits))


def delete_at(table: Table) -> Delete:
    """Return a DELETE of single rows, to be executed with :func:`rows_at`."""
    return delete(table).where(
        table.c.series == bindparam("at_series"), table.c.split == bindparam("at_split")
    )


def rows_at(keys: Iterable[Key]) -> list[dict[str, bytes]]:
    """Return the keys, in order, as parameters of :func:`delete_at`."""
    return [{"at_series": series, "at_split": split} for series, split in sorted(keys)]


class Claims:
    """The claims of one run on one database."""

    def __init__(self, engine: Engine) -> None:
        self.owner = uuid4().hex
        self._engine = engine
        self._now: ColumnElement[float] = literal_column(_CLOCKS[engine.dialect.name])
        self._stop = Event()
        self._thread: Thread | None = None

    def take(self, keys: Sequence[Key]) -> set[Key]:
        """Claim those of ``keys`` that nobody else works on; the caller looks again which are finished."""
        rows = [{"series": series, "split": split, "owner": self.owner} for series, split in sorted(keys)]

        def claim(connection: Connection) -> set[Key]:
            self._sign(connection)
            self._bury_the_dead(connection)
            connection.execute(insert_new(claims, self._engine), rows)
            mine = near(select(claims.c.series, claims.c.split), claims, keys)
            found = connection.execute(mine.where(claims.c.owner == self.owner))
            return {(bytes(series), bytes(split)) for series, split in found} & set(keys)

        _active.add(self.owner)
        taken = transact(self._engine, claim)
        if self._thread is None:
            self._thread = Thread(target=self._beat, name="evenfold-heartbeat", daemon=True)
            self._thread.start()
        return taken

    def _sign(self, connection: Connection) -> None:
        """Say that this owner lives, also if it slept so long that others have buried it."""
        until = self._now + _ALIVE_SECONDS
        row = _insert(owners, self._engine).values(id=self.owner, host=_host(), pid=os.getpid(), until=until)
        connection.execute(row.on_conflict_do_update(index_elements=[owners.c.id], set_={"until": until}))

    def _beat(self) -> None:
        while not self._stop.wait(_BEAT_SECONDS):
            with suppress(DBAPIError), self._engine.begin() as connection:  # the next beat may succeed
                self._sign(connection)

    def _bury_the_dead(self, connection: Connection) -> None:
        """Forget dead owners, then all claims that nobody owns: those of owners buried earlier too."""
        late = owners.c.until < self._now
        rows = connection.execute(select(owners, late.label("late"))).all()
        gone = [row.id for row in rows if _is_gone(row.id, row.host, row.pid)]
        if gone or any(row.late for row in rows):
            connection.execute(delete(owners).where(or_(late, owners.c.id.in_(gone))))
        connection.execute(delete(claims).where(claims.c.owner.not_in(select(owners.c.id))))

    def give_back(self, connection: Connection, keys: Sequence[Key]) -> None:
        """Drop claims in the transaction that stores their cells."""
        connection.execute(delete_at(claims).where(claims.c.owner == self.owner), rows_at(keys))

    def release(self) -> None:
        """Give back what is still claimed and end the heartbeat."""
        if self._thread is None:
            return
        self._stop.set()
        self._thread.join()
        _active.discard(self.owner)

        def leave(connection: Connection) -> None:
            connection.execute(delete(owners).where(owners.c.id == self.owner))
            connection.execute(delete(claims).where(claims.c.owner == self.owner))

        transact(self._engine, leave)


def _host() -> str:
    """Name the machine, and the container on it, within which process ids mean something."""
    namespace = Path("/proc/self/ns/pid")
    return f"{platform.node()} {namespace.readlink() if namespace.exists() else ''}"


def _is_gone(owner: str, host: str, pid: int) -> bool:
    """Whether an owner is known to be dead before its heartbeat is overdue: only on this machine."""
    if host != _host() or os.name != "posix":
        return False
    if pid == os.getpid():
        return owner not in _active
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False
