"""
Claims keep several processes off each other's cells.

An owner is one run of one process. A thread renews its heartbeat; claims of an owner whose heartbeat is
overdue, or whose process is known to be gone, may be taken by anybody. Claims save work, they are not what
keeps the store right: a cell that two owners finish is still stored once.
"""

import os
import platform
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Any
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
    insert,
    literal_column,
    select,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError

from evenfold.run.schema import claims, owners

Key = tuple[bytes, bytes]  # series and split

_ALIVE_SECONDS = 60.0  # a heartbeat older than this is a dead owner's
_BEAT_SECONDS = 10.0
_active: set[str] = set()  # the owners of this process that have not been released
_CLOCKS = {  # the database's clock: those of several machines differ
    "sqlite": "(julianday('now') - 2440587.5) * 86400.0",
    "postgresql": "extract(epoch from clock_timestamp())",
}


def insert_new(table: Table, engine: Engine) -> Insert:
    """Return an INSERT that leaves existing rows alone."""
    if engine.dialect.name == "sqlite":
        return sqlite.insert(table).on_conflict_do_nothing()
    return postgresql.insert(table).on_conflict_do_nothing()


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
    """Return the keys as parameters of :func:`delete_at`."""
    return [{"at_series": series, "at_split": split} for series, split in keys]


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
        self._register()
        rows = [{"series": series, "split": split, "owner": self.owner} for series, split in keys]
        with self._engine.begin() as connection:
            self._bury_the_dead(connection)
            connection.execute(insert_new(claims, self._engine), rows)
            mine = near(select(claims.c.series, claims.c.split), claims, keys)
            found = connection.execute(mine.where(claims.c.owner == self.owner))
            return {(bytes(series), bytes(split)) for series, split in found} & set(keys)

    def _register(self) -> None:
        if self._thread is not None:
            return
        row = {"id": self.owner, "host": _host(), "pid": os.getpid(), "until": self._now + _ALIVE_SECONDS}
        with self._engine.begin() as connection:
            connection.execute(insert(owners).values(row))
        _active.add(self.owner)
        self._thread = Thread(target=self._beat, name="evenfold-heartbeat", daemon=True)
        self._thread.start()

    def _beat(self) -> None:
        while not self._stop.wait(_BEAT_SECONDS):
            renew = update(owners).where(owners.c.id == self.owner)
            with suppress(DBAPIError), self._engine.begin() as connection:  # the next beat may succeed
                connection.execute(renew.values(until=self._now + _ALIVE_SECONDS))

    def _bury_the_dead(self, connection: Connection) -> None:
        rows = connection.execute(select(owners, (owners.c.until < self._now).label("late"))).all()
        dead = [row.id for row in rows if row.late or _is_gone(row.id, row.host, row.pid)]
        if dead:
            connection.execute(delete(claims).where(claims.c.owner.in_(dead)))
            connection.execute(delete(owners).where(owners.c.id.in_(dead)))

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
        with self._engine.begin() as connection:
            connection.execute(delete(claims).where(claims.c.owner == self.owner))
            connection.execute(delete(owners).where(owners.c.id == self.owner))


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
