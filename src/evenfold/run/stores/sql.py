"""A store in a database: an SQLite file, or PostgreSQL for several machines."""

from collections.abc import Collection, Iterable, Mapping

from sqlalchemy import Connection

from evenfold.run.stores._base import Address, Store
from evenfold.run.stores._claims import Claims
from evenfold.run.stores._database import open_database, translated
from evenfold.run.stores._patience import look, transact
from evenfold.run.stores._rows import execute_many, fetch

_FEW = 5000  # keys that are looked up one by one rather than by reading whole series
_FEW_SERIES = 100
_SERIES = 16  # bytes that the keys of a series of cells have in common
_FINISHED = ("cells", "faults")  # what is written there is claimed no longer
_REPLACE = (
    "INSERT INTO {} (key, content) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET content = excluded.content"
)
_REMOVE = "DELETE FROM {} WHERE key IN (VALUES (?))"


class SQLStore(Store):
    """
    Drawers as tables, shared by any number of processes.

    Parameters
    ----------
    store : str
        A path, or an SQLAlchemy URL of SQLite or PostgreSQL.
    create : bool
        Whether a database without a store gets one; else it is refused.
    """

    def __init__(self, store: str, *, create: bool = True) -> None:
        self.name = store
        self.engine = open_database(store, create=create)
        self._claims = Claims(self.engine)

    def read(self, drawer: str, keys: Collection[bytes]) -> Mapping[bytes, bytes]:
        if not keys:
            return {}
        with translated(self.name):
            found = look(self.engine, lambda connection: _found(connection, drawer, keys))
        wanted = set(keys)
        return found if found.keys() <= wanted else {key: found[key] for key in wanted & found.keys()}

    def write(self, items: Mapping[Address, bytes]) -> None:
        def statements(connection: Connection) -> None:
            for drawer, rows in _by_drawer(items).items():
                execute_many(connection, _REPLACE.format(drawer), rows)
            done = {key for drawer, key in items if drawer in _FINISHED}
            self._claims.give_back(connection, done)

        with translated(self.name):
            transact(self.engine, statements)

    def remove(self, addresses: Iterable[Address]) -> None:
        def statements(connection: Connection) -> None:
            for drawer, rows in gone.items():
                execute_many(connection, _REMOVE.format(drawer), [(key,) for key, _ in rows])

        gone = _by_drawer(dict.fromkeys(addresses, b""))
        if gone:
            with translated(self.name):
                transact(self.engine, statements)

    def keys(self, drawer: str) -> Iterable[bytes]:
        with translated(self.name):
            rows = look(self.engine, lambda connection: fetch(connection, f"SELECT key FROM {drawer}", ()))
        return [key for (key,) in rows]

    def claim(self, keys: Collection[bytes]) -> set[bytes]:
        with translated(self.name):
            return self._claims.take(keys)

    def release(self, keys: Iterable[bytes]) -> None:
        mine = list(keys)
        with translated(self.name):
            transact(self.engine, lambda connection: self._claims.give_back(connection, mine))

    def close(self) -> None:
        """Give back all claims and close all connections; one is opened again to read a prediction."""
        try:
            with translated(self.name):
                self._claims.release()
        finally:
            self.engine.dispose()


def _by_drawer(items: Mapping[Address, bytes]) -> dict[str, list[tuple[bytes, bytes]]]:
    """Sort rows by key: processes that lock the same rows in different orders would wait for each other."""
    rows: dict[str, list[tuple[bytes, bytes]]] = {}
    for (drawer, key), content in items.items():
        rows.setdefault(drawer, []).append((key, content))
    return {drawer: sorted(rows[drawer]) for drawer in sorted(rows)}


def _found(connection: Connection, drawer: str, keys: Collection[bytes]) -> dict[bytes, bytes]:
    """Return the contents of keys, and perhaps others of their series."""
    find = f"SELECT key, content FROM {drawer} WHERE"
    series = {key[:_SERIES] for key in keys}
    if len(keys) > _FEW and len(series) <= _FEW_SERIES:
        ends = [end for one in series for end in (one, one + b"\xff" * 64)]
        between = " OR ".join(["key BETWEEN ? AND ?"] * len(series))
        return dict(fetch(connection, f"{find} {between}", ends))
    found: dict[bytes, bytes] = {}
    listed = list(keys)
    for start in range(0, len(listed), _FEW):
        some = listed[start : start + _FEW]
        found.update(fetch(connection, f"{find} key IN ({', '.join('?' * len(some))})", some))
    return found
