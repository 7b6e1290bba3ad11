"""A store in a database: an SQLite file, or PostgreSQL for several machines."""

import os
import platform
import re
import sqlite3
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from threading import Event, Thread
from time import monotonic, sleep
from typing import Any, TypeVar
from urllib.parse import quote, unquote
from uuid import uuid4
from weakref import WeakSet

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError

from evenfold.core.checks import refuse, refuse_value, short_repr
from evenfold.core.environment import require
from evenfold.core.errors import StoreError
from evenfold.core.processes import is_alive
from evenfold.core.words import hide_password, is_url, one_line
from evenfold.run.progress import log
from evenfold.run.stores import BUCKETS, Address, Store, store_name

# Retries: a server may restart, a connection may drop, another process may hold a lock.
#
# Every operation of a store may be done twice, so an interrupted one is tried again, with growing
# pauses, for at most a minute.


_T = TypeVar("_T")

_PATIENCE_SECONDS = 60.0
_LONGEST_PAUSE = 2.0
_TEMPORARY_STATES = (  # of PostgreSQL
    *("40P01", "40001"),  # ended in favour of another transaction: deadlock, conflict
    "55P03",  # somebody held a lock for too long
    "25P03",  # we were asleep inside a transaction
    *("57P01", "57P02", "57P03", "53300"),  # the server stops, has crashed, starts, is crowded
)
# databases that did not answer in time: they are not waited for again until they answer
_given_up: WeakSet[sa.Engine] = WeakSet()


def transact(
    engine: sa.Engine, statements: Callable[[sa.Connection], _T], *, reads_only: bool = False
) -> _T:
    """Execute statements in one transaction, and repeat it if something got in its way."""

    def attempt() -> _T:
        with reading(engine) if reads_only else engine.begin() as connection:
            return statements(connection)

    return retry_while_busy(engine, attempt)


def reading(engine: sa.Engine) -> sa.Connection:
    """Return a connection that never asks for the right to write."""
    return engine.connect().execution_options(begin="BEGIN")


def retry_while_busy(
    engine: sa.Engine, attempt: Callable[[], _T], seconds: float | None = None
) -> _T:
    """Call a function, and again as long as its error is temporary and there is time."""
    patience = _PATIENCE_SECONDS if seconds is None else seconds
    until = monotonic() + (0.0 if engine in _given_up else patience)
    pause = 0.01
    while True:
        try:
            done = attempt()
        except DBAPIError as error:
            if not _is_temporary(error):
                raise
            if monotonic() + pause > until:
                _given_up.add(engine)
                raise
            log.info("the store does not answer (%s); trying again", one_line(error.orig))
            sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
        else:
            _given_up.discard(engine)
            return done


def _is_temporary(error: DBAPIError) -> bool:
    """Whether an error may disappear if the statement is repeated."""
    code = getattr(error.orig, "sqlite_errorcode", None)
    if code is not None:
        return (code & 0xFF) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
    state = getattr(error.orig, "sqlstate", None)
    if state is None:  # no answer at all: there is no connection, or none any more
        return error.connection_invalidated or isinstance(error, OperationalError)
    return state in _TEMPORARY_STATES or state.startswith("08")


# Statements for the driver, because SQLAlchemy would take half of the time of many rows.


def execute_many(connection: sa.Connection, statement: str, rows: list[tuple[Any, ...]]) -> None:
    """
    Execute a statement about ``VALUES (?, …)`` for all rows, which come in the order of their keys.

    Two processes that lock the same rows in different orders would wait for each other. PostgreSQL
    gets all rows in one statement, so that a process can only be stopped between statements, where
    the server can end its transaction.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(statement, rows)
        return
    arrays = ", ".join(
        "%s::bytea[]" if isinstance(value, bytes) else "%s::text[]" for value in rows[0]
    )
    at_once = re.sub(r"VALUES \([?, ]+\)", f"SELECT * FROM unnest({arrays})", statement)
    connection.exec_driver_sql(at_once, tuple(map(list, zip(*rows, strict=True))))


def fetch(connection: sa.Connection, statement: str, values: Sequence[Any]) -> list[Any]:
    """Execute a statement that reads, and return its rows, tuples of bytes."""
    if connection.dialect.name != "sqlite":
        statement = statement.replace("?", "%s")
    rows = list(connection.exec_driver_sql(statement, tuple(values)).cursor.fetchall())
    if any(type(value) is not bytes for row in rows for value in row):
        return [tuple(map(_as_bytes, row)) for row in rows]
    return rows


def _as_bytes(value: Any) -> bytes:
    """Return a value as bytes. Some drivers return memory views, and SQLite returns any type."""
    if isinstance(value, (bytes, memoryview, bytearray)):
        return bytes(value)
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    return b""


# The tables of a store, and functions that open a database.


SCHEMA = 2
_PORTS = 2**16
_BUSY_SECONDS = 60  # how long a process waits for another one's write
# how long for a server: longer than its restart, not much longer than a typing mistake
_OPENING_SECONDS = 3.0
_LOCK = 0x65766E  # the advisory lock under which PostgreSQL tables are made

tables = sa.MetaData()
about = sa.Table("evenfold", tables, sa.Column("schema", sa.Integer, primary_key=True))
# In SQLite laid out in the order of the keys: a series of fits is read in one sweep.
buckets = {
    name: sa.Table(
        name,
        tables,
        sa.Column("key", sa.LargeBinary, primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    for name in BUCKETS
}
claims = sa.Table(
    "claims",
    tables,
    sa.Column("key", sa.LargeBinary, primary_key=True),
    sa.Column("owner", sa.String(32), nullable=False, index=True),
    sqlite_with_rowid=False,
)
owners = sa.Table(
    "owners",
    tables,
    sa.Column("id", sa.String(32), primary_key=True),
    sa.Column("host", sa.String(200), nullable=False),
    sa.Column("pid", sa.Integer, nullable=False),
    sa.Column("until", sa.Double, nullable=False),
)


def open_database(store: str, *, create: bool = True) -> sa.Engine:
    """
    Open the database of a path or an SQLAlchemy URL, and check its schema.

    If ``create``, a database that does not exist is made.
    """
    engine = _engine(_url(store, create=create), store)
    seconds = _OPENING_SECONDS if engine.dialect.name == "postgresql" else None
    check = partial(_check_schema, engine, store_name(store), create=create)
    try:
        with translate_database_errors(store):
            retry_while_busy(engine, check, seconds)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _url(store: str, *, create: bool) -> URL:
    message = f"store must be a path or an SQLAlchemy URL but got {short_repr(store_name(store))}."
    if not is_url(store):
        if hide_password(store) != store:  # a password is no name for a file
            refuse("store", message, "Write postgresql://user@host/database.")
        return _sqlite(_path(store, create=create))
    url = None
    with suppress(ArgumentError, ValueError):  # the latter of a port that is no number
        url = make_url(store)
    if url is None:  # refused here, where no error with the password is under way
        refuse("store", message)
    if url.get_backend_name() != "sqlite":
        _require_one_reading(store, url.port)
        return url.set(drivername="postgresql+psycopg")
    database = url.database
    if not database or database == ":memory:":
        refuse_value(
            "store", store_name(store), "the URL of a file", "Write memory:// for one in memory."
        )
    _path(unquote(database.removeprefix("file:")), create=create)
    return url


def _require_one_reading(store: str, port: int | None) -> None:
    """Refuse a URL in which a part of the password may be read as host or port, and be shown."""
    address = store.partition("://")[2]
    authority = re.split("[/?#]", address, maxsplit=1)[0]
    numbered = port is None or 0 < port < _PORTS
    if address.count("@") > 1 or "@" in address[len(authority) :] or not numbered:
        refuse_value(
            "store",
            store_name(store),
            "a URL of one user, one host and a port up to 65535",
            "Write @ : / ? and # in a password as %40 %3A %2F %3F and %23.",
        )


def _path(store: str, *, create: bool) -> Path:
    """Return the path of a file that exists or can be made."""
    try:
        path = Path(store).expanduser()
        there = path.is_file()
        folder = path.parent.is_dir()
        path.exists()
    except (OSError, RuntimeError) as error:  # a name that is too long, a home that does not exist
        refuse_value(
            "store",
            store_name(store),
            "a path that a file can have",
            f"The system says: {one_line(error)[:80]}.",
        )
    if not create and not there:
        refuse("store", f"There is no store {short_repr(store_name(store))}.")
    if not folder:
        refuse(
            "store",
            "store must be a path in an existing directory, or an SQLAlchemy URL, but got "
            f"{short_repr(store_name(store))}.",
        )
    return path


def _sqlite(path: Path) -> URL:
    """Return the URL of an SQLite file, which is read-only if nothing can be written there."""
    writable = os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))
    if writable or path.with_name(f"{path.name}-wal").exists():
        return URL.create("sqlite", database=str(path))
    as_it_is = {"mode": "ro", "immutable": "1", "uri": "true"}
    return URL.create("sqlite", database=f"file:{quote(str(path.absolute()))}", query=as_it_is)


def _engine(url: URL, store: str) -> sa.Engine:
    if url.get_backend_name() != "sqlite":
        require("psycopg", "a store in PostgreSQL")
    try:
        return _make_engine(url)
    except (SQLAlchemyError, ImportError, TypeError, ValueError):
        # an unknown driver or option
        refuse_value(
            "store",
            store_name(store),
            "a URL that SQLAlchemy understands",
            "Leave out driver and options.",
        )


def _make_engine(url: URL) -> sa.Engine:
    if url.get_backend_name() == "sqlite":
        engine = sa.create_engine(url, connect_args={"timeout": _BUSY_SECONDS})
        sa.event.listen(engine, "connect", _on_sqlite_connect)
        sa.event.listen(engine, "begin", _on_sqlite_begin)
        return engine
    from evenfold.run.stores import _server

    settings = {key: value for key, value in _server.DEFAULTS.items() if key not in url.query}
    engine = sa.create_engine(url, connect_args=settings)
    sa.event.listen(engine, "do_connect", _server.connect)
    return engine


def _on_sqlite_connect(connection: Any, record: Any) -> None:  # noqa: ARG001  (SQLAlchemy's signature)
    connection.isolation_level = None  # transactions begin where _on_sqlite_begin says
    # texts may have invalid bytes, so that one damaged row does not hide the others
    connection.text_factory = partial(bytes.decode, errors="surrogateescape")
    connection.execute("PRAGMA synchronous=NORMAL")  # with WAL: safe against a killed process


def _on_sqlite_begin(connection: sa.Connection) -> None:
    """Begin a transaction; writers take the lock before they read, so that no row is outdated."""
    if begin := connection.get_execution_options().get("begin", "BEGIN IMMEDIATE"):
        connection.exec_driver_sql(begin)


def _check_schema(engine: sa.Engine, store: str, *, create: bool) -> None:
    schema = None
    with reading(engine) as connection:
        known = sa.inspect(connection).get_table_names()
        if about.name in known:
            schema = connection.scalar(sa.select(about.c.schema))
    if schema is None and known:
        refuse(
            "store",
            f"store must be a store of evenfold but the database {store!r} holds other tables.",
        )
    if schema is None and not create:
        refuse(
            "store",
            f"There is no store in {store!r}: the database is empty.",
        )
    if schema is None:
        _create(engine)
    elif schema != SCHEMA:
        if schema > SCHEMA:
            remedy = f"newer than {SCHEMA}. Update evenfold to use it."
        else:
            remedy = f"older than {SCHEMA}. Begin a new store."
        raise StoreError(f"Store {store} has schema {schema}, {remedy}")


def _create(engine: sa.Engine) -> None:
    if engine.dialect.name == "sqlite":
        with engine.connect().execution_options(begin="") as connection:
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        tables.create_all(connection)
        if connection.scalar(sa.select(about.c.schema)) is None:
            connection.execute(sa.insert(about).values(schema=SCHEMA))


@contextmanager
def translate_database_errors(store: str) -> Iterator[None]:
    """Turn the database's errors into one line."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:  # the latter while rows are read
        line = one_line(getattr(error, "orig", error))
        remedy = _remedy(error) if isinstance(error, OperationalError) else ""
        raise StoreError(
            f"Store {store_name(store)} cannot be used: {line.rstrip('.')}. {remedy}".rstrip()
        ) from error


def _remedy(error: DBAPIError) -> str:
    message = str(error.orig).lower()
    if "readonly" in message or "read-only" in message:
        return "The store is read-only and some fits are missing in it."
    if "locked" in message:
        return (
            "Another process has held it for a minute. Wait for that process or end it, or use "
            "PostgreSQL."
        )
    if "full" in message or "i/o error" in message or "no space" in message:
        return "Make room and call again: finished fits are kept."
    return "Check that it exists, that you may write to it and that its server runs."


# Claims prevent several processes from running the same fits.
#
# An owner is one run of one process. A thread renews its heartbeat. If the heartbeat is overdue, or
# the process is known to be gone, other owners may take its claims. Clocks of two machines are not
# compared. PostgreSQL has a clock of its own. On an SQLite file, a heartbeat of this machine is
# compared with its clock, and one of another machine is overdue if it has not changed for a minute.
# Claims only save work: a fit that two owners finish is still stored once.


_ALIVE_SECONDS = 60.0  # a heartbeat older than this is a dead owner's
_BEAT_SECONDS = 10.0
_active: set[str] = set()  # the owners of this process that have not been released
_CLAIM = "INSERT INTO claims (key, owner) VALUES (?, ?) ON CONFLICT (key) DO NOTHING"
_GIVE_BACK = "DELETE FROM claims WHERE (key, owner) IN (VALUES (?, ?))"
_MINE = "SELECT key FROM claims WHERE owner = ?"
_SERVERS_CLOCK: sa.ColumnElement[float] = sa.literal_column(
    "extract(epoch from clock_timestamp())", sa.Double
)


class RunClaims:
    """The claims of one run on one database."""

    def __init__(self, engine: sa.Engine) -> None:
        self.owner = uuid4().hex
        self._engine = engine
        self._seen: dict[str, tuple[float, float]] = {}  # heartbeats of other machines, since when
        self._stop = Event()
        self._thread: Thread | None = None

    def take(self, keys: Collection[bytes]) -> set[bytes]:
        """
        Claim those of ``keys`` that no other owner has claimed.

        The caller then checks again which of them are finished.
        """
        rows = [(key, self.owner) for key in sorted(keys)]

        def claim(connection: sa.Connection) -> set[bytes]:
            self._renew_heartbeat(connection)
            self._remove_dead_owners(connection)
            execute_many(connection, _CLAIM, rows)
            return {key for (key,) in fetch(connection, _MINE, [self.owner])} & set(keys)

        _active.add(self.owner)
        taken = transact(self._engine, claim)
        if self._thread is None:
            self._thread = Thread(target=self._heartbeat, name="evenfold-heartbeat", daemon=True)
            self._thread.start()
        return taken

    @property
    def _now(self) -> sa.ColumnElement[float]:
        if self._has_a_server:
            return _SERVERS_CLOCK
        return sa.literal(monotonic(), sa.Double)

    @property
    def _has_a_server(self) -> bool:
        return self._engine.dialect.name == "postgresql"

    def _renew_heartbeat(self, connection: sa.Connection) -> None:
        """Write that this owner is alive, even if others have already removed it."""
        until = self._now + _ALIVE_SECONDS
        kind = postgresql.insert if self._has_a_server else sqlite.insert
        row = kind(owners).values(id=self.owner, host=_host(), pid=os.getpid(), until=until)
        connection.execute(
            row.on_conflict_do_update(index_elements=[owners.c.id], set_={"until": until})
        )

    def _heartbeat(self) -> None:
        while not self._stop.wait(_BEAT_SECONDS):
            # the next beat may succeed
            with suppress(DBAPIError), self._engine.begin() as connection:
                self._renew_heartbeat(connection)

    def _remove_dead_owners(self, connection: sa.Connection) -> None:
        """Remove dead owners, then all claims without an owner, earlier ones included."""
        rows = connection.execute(
            sa.select(owners, (owners.c.until < self._now).label("late"))
        ).all()
        dead = [row.id for row in rows if self._is_late(row) or _is_gone(row.id, row.host, row.pid)]
        if dead:
            connection.execute(sa.delete(owners).where(owners.c.id.in_(dead)))
        connection.execute(sa.delete(claims).where(claims.c.owner.not_in(sa.select(owners.c.id))))

    def _is_late(self, row: sa.Row[Any]) -> bool:
        """
        Whether a heartbeat is overdue.

        The clock is a shared one, or that of this machine since the owner was first seen.
        """
        if self._has_a_server or _boot_id(row.host) == _boot_id(_host()):
            return bool(row.late)
        beat, since = self._seen.get(row.id, (None, monotonic()))
        if beat != row.until:
            since = monotonic()
        self._seen[row.id] = row.until, since
        return monotonic() - since > _ALIVE_SECONDS

    def give_back(self, connection: sa.Connection, keys: Iterable[bytes]) -> None:
        """Remove claims in the transaction that stores their fits."""
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

        def leave(connection: sa.Connection) -> None:
            connection.execute(sa.delete(owners).where(owners.c.id == self.owner))
            connection.execute(sa.delete(claims).where(claims.c.owner == self.owner))

        transact(self._engine, leave)


@cache
def _host() -> str:
    """
    Identify the machine and the container, and the time since they run.

    The number of a process identifies it only there.
    """
    namespace = Path("/proc/self/ns/pid")
    boot = Path("/proc/sys/kernel/random/boot_id")
    container = namespace.readlink() if namespace.exists() else ""
    # two machines may have one name
    since = boot.read_text(encoding="ascii").strip() if boot.exists() else uuid4().hex
    return f"{platform.node()} {container} {since}"


def _boot_id(host: str) -> str:
    """Return the part of a host that identifies a running machine, which has one clock."""
    return host.rpartition(" ")[2]


def _is_gone(owner: str, host: str, pid: int) -> bool:
    """
    Whether an owner is known to be dead before its heartbeat is overdue.

    This can be known only of owners on this machine.
    """
    if host != _host():
        return False
    if pid == os.getpid():
        return owner not in _active
    return not is_alive(pid)


_AT_ONCE = 5000  # keys of one statement
_FINISHED = ("cells", "faults")  # what is written there is claimed no longer
_REPLACE = (
    "INSERT INTO {} (key, content) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET content = "
    "excluded.content"
)
_REMOVE = "DELETE FROM {} WHERE key IN (VALUES (?))"


class SQLStore(Store):
    """
    Buckets as tables, shared by any number of processes.

    Parameters
    ----------
    store : str
        A path, or an SQLAlchemy URL of SQLite or PostgreSQL.
    create : bool
        Whether a store is made in a database that has none; otherwise it is refused.
    """

    def __init__(self, store: str, *, create: bool = True) -> None:
        self.name = store
        self.engine = open_database(store, create=create)
        self._claims = RunClaims(self.engine)

    def read(self, bucket: str, keys: Collection[bytes]) -> Mapping[bytes, bytes]:
        if not keys:
            return {}
        return self._transact(
            lambda connection: _fetch_contents(connection, bucket, keys), reads_only=True
        )

    def write(self, items: Mapping[Address, bytes]) -> None:
        def statements(connection: sa.Connection) -> None:
            for bucket, rows in _rows_by_bucket(items).items():
                execute_many(connection, _REPLACE.format(bucket), rows)
            done = {key for bucket, key in items if bucket in _FINISHED}
            self._claims.give_back(connection, done)

        self._transact(statements)

    def remove(self, addresses: Iterable[Address]) -> None:
        def statements(connection: sa.Connection) -> None:
            for bucket, rows in gone.items():
                execute_many(connection, _REMOVE.format(bucket), [(key,) for key, _ in rows])

        gone = _rows_by_bucket(dict.fromkeys(addresses, b""))
        if gone:
            self._transact(statements)

    def keys(self, bucket: str) -> Iterable[bytes]:
        every = f"SELECT key FROM {bucket}"
        rows = self._transact(lambda connection: fetch(connection, every, ()), reads_only=True)
        return [key for (key,) in rows]

    def claim(self, keys: Collection[bytes]) -> set[bytes]:
        with translate_database_errors(self.name):
            return self._claims.take(keys)

    def release(self, keys: Iterable[bytes]) -> None:
        mine = list(keys)
        self._transact(lambda connection: self._claims.give_back(connection, mine))

    def _transact(
        self, statements: Callable[[sa.Connection], _T], *, reads_only: bool = False
    ) -> _T:
        with translate_database_errors(self.name):
            return transact(self.engine, statements, reads_only=reads_only)

    def close(self) -> None:
        """Give back all claims and close all connections, which are opened again when needed."""
        try:
            with translate_database_errors(self.name):
                self._claims.release()
        finally:
            self.engine.dispose()


def _rows_by_bucket(items: Mapping[Address, bytes]) -> dict[str, list[tuple[bytes, bytes]]]:
    """Sort rows by key, because processes that lock them in other orders block each other."""
    rows: dict[str, list[tuple[bytes, bytes]]] = {}
    for (bucket, key), content in items.items():
        rows.setdefault(bucket, []).append((key, content))
    return {bucket: sorted(rows[bucket]) for bucket in sorted(rows)}


def _fetch_contents(
    connection: sa.Connection, bucket: str, keys: Collection[bytes]
) -> dict[bytes, bytes]:
    find = f"SELECT key, content FROM {bucket} WHERE key IN"
    contents: dict[bytes, bytes] = {}
    listed = list(keys)
    for start in range(0, len(listed), _AT_ONCE):
        some = listed[start : start + _AT_ONCE]
        contents.update(fetch(connection, f"{find} ({', '.join('?' * len(some))})", some))
    return contents
