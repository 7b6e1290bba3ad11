"""
Claims keep several processes off each other's cells.

An owner is one run of one process. A thread renews its heartbeat; claims of an owner whose heartbeat is
overdue, or whose process is known to be gone, may be taken by anybody. Claims save work, they are not what
keeps the store right: a cell that two owners finish is still stored once.
"""

import os
import platform
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from time import sleep
from typing import TypeVar
from uuid import uuid4

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    delete,
    literal_column,
    or_,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError

from evenfold.run.stores._database import claims, owners

_T = TypeVar("_T")

_ALIVE_SECONDS = 60.0  # a heartbeat older than this is a dead owner's
_BEAT_SECONDS = 10.0
_LOST = ("40P01", "40001")  # PostgreSQL ended this transaction in favour of another one: deadlock, conflict
_RETRIES = 5
_active: set[str] = set()  # the owners of this process that have not been released
# As the driver takes them: rows by the ten thousand would spend half of their time in SQLAlchemy.
_CLAIM = "INSERT INTO claims (key, owner) VALUES (?, ?) ON CONFLICT (key) DO NOTHING"
_GIVE_BACK = "DELETE FROM claims WHERE key = ? AND owner = ?"
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


def marked(statement: str, engine: Engine) -> str:
    """
    Return a statement with the marks of the driver for its parameters.

    Give it rows in the order of their keys: two processes that lock the same rows in different orders would
    wait for each other.
    """
    return statement if engine.dialect.name == "sqlite" else statement.replace("?", "%s")


class Claims:
    """The claims of one run on one database."""

    def __init__(self, engine: Engine) -> None:
        self.owner = uuid4().hex
        self._engine = engine
        self._now: ColumnElement[float] = literal_column(_CLOCKS[engine.dialect.name])
        self._stop = Event()
        self._thread: Thread | None = None

    def take(self, keys: Collection[bytes]) -> set[bytes]:
        """Claim those of ``keys`` that nobody else works on; the caller looks again which are finished."""
        rows = [(key, self.owner) for key in sorted(keys)]

        def claim(connection: Connection) -> set[bytes]:
            self._sign(connection)
            self._bury_the_dead(connection)
            connection.exec_driver_sql(marked(_CLAIM, self._engine), rows)
            found = connection.scalars(select(claims.c.key).where(claims.c.owner == self.owner))
            return {bytes(key) for key in found} & set(keys)

        _active.add(self.owner)
        taken = transact(self._engine, claim)
        if self._thread is None:
            self._thread = Thread(target=self._beat, name="evenfold-heartbeat", daemon=True)
            self._thread.start()
        return taken

    def _sign(self, connection: Connection) -> None:
        """Say that this owner lives, also if it slept so long that others have buried it."""
        until = self._now + _ALIVE_SECONDS
        kind = sqlite.insert if self._engine.dialect.name == "sqlite" else postgresql.insert
        row = kind(owners).values(id=self.owner, host=_host(), pid=os.getpid(), until=until)
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

    def give_back(self, connection: Connection, keys: Iterable[bytes]) -> None:
        """Drop claims in the transaction that stores their cells."""
        rows = [(key, self.owner) for key in sorted(keys)]
        if rows and self._thread is not None:
            connection.exec_driver_sql(marked(_GIVE_BACK, self._engine), rows)

    def release(self) -> None:
        """Give back what is still claimed and end the heartbeat."""
        if self._thread is None:
            return
        self._stop.set()
        self._thread.join()
        self._thread = None
        self._stop.clear()
        _active.discard(self.owner)

        def leave(connection: Connection) -> None:
            connection.execute(delete(owners).where(owners.c.id == self.owner))
            connection.execute(delete(claims).where(claims.c.owner == self.owner))

        transact(self._engine, leave)


def _host() -> str:
    """Name the machine, since when it runs, and the container on it: within it process ids mean something."""
    namespace, boot = Path("/proc/self/ns/pid"), Path("/proc/sys/kernel/random/boot_id")
    container = namespace.readlink() if namespace.exists() else ""
    return f"{platform.node()} {container} {boot.read_text().strip() if boot.exists() else ''}"


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
