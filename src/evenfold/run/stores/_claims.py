"""
Claims keep several processes off each other's cells.

An owner is one run of one process. A thread renews its heartbeat; claims of an owner whose heartbeat is
overdue, or whose process is known to be gone, may be taken by anybody. Clocks of two machines are never
compared: PostgreSQL has one of its own; on an SQLite file a heartbeat of this machine is compared with its
clock, and one of another machine is overdue when it has not changed for a minute. Claims save work, they are
not what keeps the store right: a cell that two owners finish is still stored once.
"""

import os
import platform
from collections.abc import Collection, Iterable
from contextlib import suppress
from functools import cache
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import Any
from uuid import uuid4

from sqlalchemy import (
    ColumnElement,
    Connection,
    Double,
    Engine,
    Row,
    delete,
    literal,
    literal_column,
    select,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import DBAPIError

from evenfold.core.processes import is_alive
from evenfold.run.stores._database import claims, owners
from evenfold.run.stores._patience import transact
from evenfold.run.stores._rows import execute_many, fetch

_ALIVE_SECONDS = 60.0  # a heartbeat older than this is a dead owner's
_BEAT_SECONDS = 10.0
_active: set[str] = set()  # the owners of this process that have not been released
_CLAIM = "INSERT INTO claims (key, owner) VALUES (?, ?) ON CONFLICT (key) DO NOTHING"
_GIVE_BACK = "DELETE FROM claims WHERE (key, owner) IN (VALUES (?, ?))"
_MINE = "SELECT key FROM claims WHERE owner = ?"
_SERVERS_CLOCK: ColumnElement[float] = literal_column("extract(epoch from clock_timestamp())", Double)


class Claims:
    """The claims of one run on one database."""

    def __init__(self, engine: Engine) -> None:
        self.owner = uuid4().hex
        self._engine = engine
        self._seen: dict[str, tuple[float, float]] = {}  # heartbeats of other machines, since when
        self._stop = Event()
        self._thread: Thread | None = None

    def take(self, keys: Collection[bytes]) -> set[bytes]:
        """Claim those of ``keys`` that nobody else works on; the caller looks again which are finished."""
        rows = [(key, self.owner) for key in sorted(keys)]

        def claim(connection: Connection) -> set[bytes]:
            self._sign(connection)
            self._bury_the_dead(connection)
            execute_many(connection, _CLAIM, rows)
            return {key for (key,) in fetch(connection, _MINE, [self.owner])} & set(keys)

        _active.add(self.owner)
        taken = transact(self._engine, claim)
        if self._thread is None:
            self._thread = Thread(target=self._beat, name="evenfold-heartbeat", daemon=True)
            self._thread.start()
        return taken

    @property
    def _now(self) -> ColumnElement[float]:
        return _SERVERS_CLOCK if self._has_a_server else literal(monotonic(), Double)

    @property
    def _has_a_server(self) -> bool:
        return self._engine.dialect.name == "postgresql"

    def _sign(self, connection: Connection) -> None:
        """Say that this owner lives, also if it slept so long that others have buried it."""
        until = self._now + _ALIVE_SECONDS
        kind = postgresql.insert if self._has_a_server else sqlite.insert
        row = kind(owners).values(id=self.owner, host=_host(), pid=os.getpid(), until=until)
        connection.execute(row.on_conflict_do_update(index_elements=[owners.c.id], set_={"until": until}))

    def _beat(self) -> None:
        while not self._stop.wait(_BEAT_SECONDS):
            with suppress(DBAPIError), self._engine.begin() as connection:  # the next beat may succeed
                self._sign(connection)

    def _bury_the_dead(self, connection: Connection) -> None:
        """Forget dead owners, then all claims that nobody owns: those of owners buried earlier too."""
        rows = connection.execute(select(owners, (owners.c.until < self._now).label("late"))).all()
        if dead := [row.id for row in rows if self._is_late(row) or _is_gone(row.id, row.host, row.pid)]:
            connection.execute(delete(owners).where(owners.c.id.in_(dead)))
        connection.execute(delete(claims).where(claims.c.owner.not_in(select(owners.c.id))))

    def _is_late(self, row: Row[Any]) -> bool:
        """Whether a heartbeat is overdue: by a clock that it shares with us, or by ours since we know it."""
        if self._has_a_server or _boot(row.host) == _boot(_host()):
            return bool(row.late)
        beat, since = self._seen.get(row.id, (None, monotonic()))
        if beat != row.until:
            since = monotonic()
        self._seen[row.id] = row.until, since
        return monotonic() - since > _ALIVE_SECONDS

    def give_back(self, connection: Connection, keys: Iterable[bytes]) -> None:
        """Drop claims in the transaction that stores their cells."""
        rows = [(key, self.owner) for key in sorted(keys)]
        if rows and self._thread is not None:
            execute_many(connection, _GIVE_BACK, rows)

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


@cache
def _host() -> str:
    """Name the machine, the container and since when it runs: within that process ids mean something."""
    namespace, boot = Path("/proc/self/ns/pid"), Path("/proc/sys/kernel/random/boot_id")
    container = namespace.readlink() if namespace.exists() else ""
    since = (
        boot.read_text(encoding="ascii").strip() if boot.exists() else uuid4().hex
    )  # two machines may have one name
    return f"{platform.node()} {container} {since}"


def _boot(host: str) -> str:
    """The part of a host that stands for one machine while it runs, which has one clock."""
    return host.rpartition(" ")[2]


def _is_gone(owner: str, host: str, pid: int) -> bool:
    """Whether an owner is known to be dead before its heartbeat is overdue: only on this machine."""
    if host != _host():
        return False
    if pid == os.getpid():
        return owner not in _active
    return not is_alive(pid)
