"""Statements as the driver takes them: many rows would spend half of their time in SQLAlchemy."""

import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection


def execute_many(connection: Connection, statement: str, rows: list[tuple[Any, ...]]) -> None:
    """
    Execute a statement about ``VALUES (?, …)`` for all rows, which come in the order of their keys.

    Two processes that lock the same rows in different orders would wait for each other. PostgreSQL gets all
    rows at once: so a process is stopped between statements, where the server can end its transaction.
    """
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(statement, rows)
        return
    arrays = ", ".join("%s::bytea[]" if isinstance(value, bytes) else "%s::text[]" for value in rows[0])
    at_once = re.sub(r"VALUES \([?, ]+\)", f"SELECT * FROM unnest({arrays})", statement)
    connection.exec_driver_sql(at_once, tuple(map(list, zip(*rows, strict=True))))


def fetch(connection: Connection, statement: str, values: Sequence[Any]) -> list[Any]:
    """Execute a statement that reads, and return its rows, tuples of bytes."""
    if connection.dialect.name != "sqlite":
        statement = statement.replace("?", "%s")
    rows = list(connection.exec_driver_sql(statement, tuple(values)).cursor.fetchall())
    if any(type(value) is not bytes for row in rows for value in row):
        return [tuple(map(_as_bytes, row)) for row in rows]
    return rows


def _as_bytes(value: Any) -> bytes:
    """Return bytes: some drivers give views of memory, and SQLite whatever somebody put into a column."""
    if isinstance(value, (bytes, memoryview, bytearray)):
        return bytes(value)
    return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else b""
