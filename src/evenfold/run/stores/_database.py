"""The tables of a store, and how a database is opened."""

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from sqlalchemy import (
    Column,
    Connection,
    Double,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    insert,
    inspect,
    select,
    text,
)
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, OperationalError, SQLAlchemyError

from evenfold.core.checks import refuse
from evenfold.core.errors import InvalidInput, StoreError, in_a_line
from evenfold.core.words import is_url
from evenfold.run.stores._base import DRAWERS, store_name
from evenfold.run.stores._patience import patiently, reading

SCHEMA = 2
_PORTS = 2**16
_BUSY_SECONDS = 60  # how long a process waits for another one's write
_OPENING_SECONDS = (
    3.0  # how long for a server: longer than its restart, not much longer than a typing mistake
)
_LOCK = 0x65766E  # the advisory lock under which PostgreSQL tables are made

tables = MetaData()
about = Table("evenfold", tables, Column("schema", Integer, primary_key=True))
# In SQLite laid out in the order of the keys: a series of cells is read in one sweep.
drawers = {
    name: Table(
        name,
        tables,
        Column("key", LargeBinary, primary_key=True),
        Column("content", LargeBinary, nullable=False),
        sqlite_with_rowid=False,
    )
    for name in DRAWERS
}
claims = Table(
    "claims",
    tables,
    Column("key", LargeBinary, primary_key=True),
    Column("owner", String(32), nullable=False, index=True),
    sqlite_with_rowid=False,
)
owners = Table(
    "owners",
    tables,
    Column("id", String(32), primary_key=True),
    Column("host", String(200), nullable=False),
    Column("pid", Integer, nullable=False),
    Column("until", Double, nullable=False),
)


def open_database(store: str, *, create: bool = True) -> Engine:
    """Open, or make where ``create``, the database behind a path or an SQLAlchemy URL; check its schema."""
    engine = _engine(_url(store, create=create), store)
    try:
        with translated(store):
            seconds = _OPENING_SECONDS if engine.dialect.name == "postgresql" else None
            patiently(engine, lambda: _check_schema(engine, store_name(store), create=create), seconds)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _url(store: str, *, create: bool) -> URL:
    if not is_url(store):
        return _sqlite(_path(store, create=create))
    try:
        url = make_url(store)
        port = url.port
        database = url.database
    except (ArgumentError, ValueError):  # the latter of a port that is no number
        refuse("store", "a path or an SQLAlchemy URL", store_name(store))
    if url.get_backend_name() != "sqlite":
        _require_one_reading(store, port)
    if url.get_backend_name() == "postgresql":
        return url.set(drivername="postgresql+psycopg")
    if not database or database == ":memory:":
        refuse("store", "the URL of a file", store_name(store), "write memory:// for one in memory")
    _path(unquote(database.removeprefix("file:")), create=create)
    return url


def _require_one_reading(store: str, port: int | None) -> None:
    """Refuse a URL whose password would be taken for a host or a port, and then stand in messages."""
    address = store.partition("://")[2]
    authority = re.split("[/?#]", address, maxsplit=1)[0]
    numbered = port is None or 0 < port < _PORTS
    if address.count("@") > 1 or "@" in address[len(authority) :] or not numbered:
        remedy = "write @ : / ? and # in a password as %40 %3A %2F %3F and %23"
        refuse("store", "a URL of one user, host and port up to 65535", store_name(store), remedy)


def _path(store: str, *, create: bool) -> Path:
    """Return the path of a file that is there, or that can be made."""
    try:
        path = Path(store).expanduser()
        there = path.is_file()
        folder = path.parent.is_dir()
        path.exists()
    except (OSError, RuntimeError) as error:  # a name that is too long, a home that nobody has
        refuse("store", "a path that a file can have", store, in_a_line(error)[:80])
    if not create and not there:
        refuse("store", "a store that exists", store)
    if not folder:
        refuse("store", "a path in an existing directory, or an SQLAlchemy URL", store)
    return path


def _sqlite(path: Path) -> URL:
    """Name an SQLite file; one that lies where nothing can be written is read as it is, without a WAL."""
    writable = os.access(path.parent, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))
    if writable or path.with_name(f"{path.name}-wal").exists():
        return URL.create("sqlite", database=str(path))
    as_it_is = {"mode": "ro", "immutable": "1", "uri": "true"}
    return URL.create("sqlite", database=f"file:{quote(str(path.absolute()))}", query=as_it_is)


def _engine(url: URL, store: str) -> Engine:
    try:
        return _made(url)
    except InvalidInput:
        raise
    except (SQLAlchemyError, ImportError, TypeError, ValueError):  # a driver or an option that nobody knows
        refuse(
            "store", "a URL that SQLAlchemy understands", store_name(store), "leave out driver and options"
        )


def _made(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        engine = create_engine(url, connect_args={"timeout": _BUSY_SECONDS})
        event.listen(engine, "connect", _on_sqlite_connect)
        event.listen(engine, "begin", _on_sqlite_begin)
        return engine
    if url.get_backend_name() != "postgresql":
        refuse("store", "SQLite or PostgreSQL", url.get_backend_name())
    try:
        from evenfold.run.stores import _server
    except ImportError:
        refuse("store", "readable", url.render_as_string(hide_password=True), "install evenfold[postgres]")
    wishes = {key: value for key, value in _server.WISHES.items() if key not in url.query}
    engine = create_engine(url, connect_args=wishes)
    event.listen(engine, "do_connect", _server.connect)
    return engine


def _on_sqlite_connect(connection: Any, record: Any) -> None:  # noqa: ARG001  (SQLAlchemy's signature)
    connection.isolation_level = None  # transactions begin where _on_sqlite_begin says
    connection.text_factory = _any_text
    cursor = connection.cursor()
    cursor.execute("PRAGMA synchronous=NORMAL")  # with WAL: safe against a killed process
    cursor.close()


def _any_text(content: bytes) -> str:
    """Read a text that may be none, so that one damaged row does not hide the others."""
    return content.decode(errors="surrogateescape")


def _on_sqlite_begin(connection: Connection) -> None:
    """Writers take the lock at once: one that first reads and then writes could find itself stale."""
    if begin := connection.get_execution_options().get("begin", "BEGIN IMMEDIATE"):
        connection.exec_driver_sql(begin)


def _check_schema(engine: Engine, store: str, *, create: bool) -> None:
    with reading(engine) as connection:
        known = inspect(connection).get_table_names()
        found = connection.scalar(select(about.c.schema)) if about.name in known else None
    if found is None and known:
        refuse("store", "a store of evenfold", store, "the database holds other tables")
    if found is None and not create:
        refuse("store", "a store that exists", store, "the database is empty")
    if found is None:
        _create(engine)
    elif found != SCHEMA:
        age, remedy = ("newer", "update evenfold") if found > SCHEMA else ("older", "begin a new file")
        raise StoreError(f"store {store} has schema {found}, {age} than {SCHEMA}; {remedy} to use it")


def _create(engine: Engine) -> None:
    if engine.dialect.name == "sqlite":
        with engine.connect().execution_options(begin="") as connection:
            connection.exec_driver_sql("PRAGMA journal_mode=WAL")
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        tables.create_all(connection)
        if connection.scalar(select(about.c.schema)) is None:
            connection.execute(insert(about).values(schema=SCHEMA))


@contextmanager
def translated(store: str) -> Iterator[None]:
    """Turn the database's errors into one line."""
    try:
        yield
    except OperationalError as error:
        raise StoreError(
            f"store {store_name(store)} cannot be used: {_line(error)}; {_remedy(error)}"
        ) from error
    except (DBAPIError, sqlite3.Error) as error:  # the latter while rows are read
        raise StoreError(f"store {store_name(store)} cannot be used: {_line(error)}") from error


def _line(error: Exception) -> str:
    return in_a_line(getattr(error, "orig", error))


def _remedy(error: DBAPIError) -> str:
    message = str(error.orig).lower()
    if "readonly" in message or "read-only" in message:
        return "it is read-only and some cells are missing in it"
    if "locked" in message:
        return "another process has held it for a minute: let it go on or end it, or take PostgreSQL"
    if "full" in message or "i/o error" in message or "no space" in message:
        return "make room and call again: finished cells are kept"
    return "check that it exists, that you may write it and that its server runs"
