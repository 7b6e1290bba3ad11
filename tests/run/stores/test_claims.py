"""Claims, on a database of their own."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from threading import Timer
from typing import Any

import pytest
from sqlalchemy import Engine, insert, select, update
from sqlalchemy.exc import DBAPIError

from evenfold.core.errors import StoreError
from evenfold.run.stores import open_store
from evenfold.run.stores import sql as _database
from evenfold.run.stores import sql as _patience
from evenfold.run.stores import sql as module
from evenfold.run.stores.sql import RunClaims, claims, open_database, owners, transact

pytestmark = pytest.mark.quick

KEYS = [bytes([i, j]) * 16 for i in range(2) for j in range(3)]


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    database = open_database(str(tmp_path / "runs.db"))
    yield database
    database.dispose()


def test_a_cell_is_claimed_once(engine: Engine) -> None:
    first, second = RunClaims(engine), RunClaims(engine)
    assert first.take(KEYS[:4]) == set(KEYS[:4])
    assert second.take(KEYS) == set(KEYS[4:])
    first.release()
    assert second.take(KEYS) == set(KEYS)
    second.release()
    with engine.connect() as connection:
        assert connection.execute(select(claims)).all() == []
        assert connection.execute(select(owners)).all() == []


def test_finished_cells_are_given_back_at_once(engine: Engine) -> None:
    first, second = RunClaims(engine), RunClaims(engine)
    first.take(KEYS)
    with engine.begin() as connection:
        first.give_back(connection, KEYS[:2])
    assert second.take(KEYS) == set(KEYS[:2])
    first.release()
    second.release()


@pytest.fixture
def dead_process() -> int:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.mark.parametrize(
    "how", ["heartbeat overdue", "process gone", "released badly", "alive elsewhere"]
)
def test_a_dead_owner_loses_its_claims(engine: Engine, dead_process: int, how: str) -> None:
    dead, living = RunClaims(engine), RunClaims(engine)
    dead.take(KEYS)
    changes: dict[str, Any] = {
        "heartbeat overdue": {"until": 0.0},
        "process gone": {"pid": dead_process},
        "released badly": {},
        "alive elsewhere": {"pid": dead_process, "host": "another machine"},
    }
    if changes[how]:
        with engine.begin() as connection:
            connection.execute(update(owners).where(owners.c.id == dead.owner).values(changes[how]))
    else:
        module._active.discard(dead.owner)
    assert living.take(KEYS) == (set() if how == "alive elsewhere" else set(KEYS))
    dead.release()
    living.release()


def test_the_heart_beats(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BEAT_SECONDS", 0.01)
    one = RunClaims(engine)
    one.take(KEYS)
    with engine.begin() as connection:
        connection.execute(update(owners).values(until=0.0))
    deadline = 500
    while deadline:
        with engine.connect() as connection:
            if (until := connection.scalar(select(owners.c.until))) and until > 0:
                break
        deadline -= 1
    assert deadline
    one.release()


def test_another_users_process_is_alive(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: int) -> None:
        raise PermissionError

    row = {"id": "theirs", "host": module._host(), "pid": os.getpid() + 1, "until": 1e12}
    with engine.begin() as connection:
        connection.execute(insert(owners).values(row))
        connection.execute(insert(claims).values(key=KEYS[0], owner="theirs"))
    monkeypatch.setattr(os, "kill", forbidden)
    one = RunClaims(engine)
    assert one.take(KEYS[:1]) == set()
    one.release()


def test_an_owner_that_was_buried_alive_comes_back(engine: Engine) -> None:
    sleeper, other = RunClaims(engine), RunClaims(engine)
    sleeper.take(KEYS[:1])
    with engine.begin() as connection:
        connection.execute(update(owners).values(until=0.0))
    other.take(KEYS[1:2])
    assert sleeper.take(KEYS[2:3]) == {KEYS[2]}
    with engine.connect() as connection:
        assert set(connection.scalars(select(owners.c.id))) == {sleeper.owner, other.owner}
    sleeper.release()
    other.release()


def test_claims_without_an_owner_are_free(engine: Engine) -> None:
    with engine.begin() as connection:
        connection.execute(insert(claims).values(key=KEYS[0], owner="ghost"))
    one = RunClaims(engine)
    assert one.take(KEYS) == set(KEYS)
    one.release()


def _lost(sqlstate: str) -> DBAPIError:
    error: Any = Exception("deadlock detected")
    error.sqlstate = sqlstate
    return DBAPIError("", None, error)


@pytest.mark.parametrize(("sqlstate", "tries"), [("40P01", 3), ("40001", 3), ("23505", 1)])
def test_a_transaction_that_lost_to_another_is_tried_again(
    engine: Engine, sqlstate: str, tries: int
) -> None:
    errors = [_lost(sqlstate), _lost(sqlstate)]
    calls = []

    def statements(connection: Any) -> int:  # noqa: ARG001
        calls.append(1)
        if errors:
            raise errors.pop()
        return len(calls)

    with suppress(DBAPIError):
        assert transact(engine, statements) == 3
    assert len(calls) == tries


@pytest.fixture
def elsewhere(engine: Engine) -> Callable[[float], None]:
    """
    An owner on a machine of the same name, started at another time.

    Its heart beats when called.
    """
    host = f"{module._host().rpartition(' ')[0]} another-boot"
    with engine.begin() as connection:
        row = {"id": "theirs", "host": host, "pid": 1, "until": 0.0}
        connection.execute(insert(owners).values(row))
        connection.execute(insert(claims).values(key=KEYS[0], owner="theirs"))

    def beat(until: float) -> None:
        with engine.begin() as connection:
            connection.execute(update(owners).where(owners.c.id == "theirs").values(until=until))

    return beat


def test_clocks_of_other_machines_do_not_count(
    engine: Engine, elsewhere: Callable[[float], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(module, "monotonic", lambda: now[0])
    one = RunClaims(engine)
    for beat in range(5):  # far in the past of this machine's clock, but alive
        assert one.take(KEYS[:1]) == set()
        elsewhere(float(beat))
        now[0] += 50.0
    assert one.take(KEYS[:1]) == set()
    now[0] += 61.0  # and now it is silent
    assert one.take(KEYS[:1]) == {KEYS[0]}
    one.release()


def test_a_machine_of_the_same_name_is_another_one(
    engine: Engine, elsewhere: Callable[[float], None], dead_process: int
) -> None:
    elsewhere(1e12)
    with engine.begin() as connection:
        connection.execute(update(owners).values(pid=dead_process))
    one = RunClaims(engine)
    assert one.take(KEYS[:1]) == set()
    one.release()


def test_two_processes_may_begin_one_file(tmp_path: Path) -> None:
    """While another connection locks a new file, SQLite refuses to change its mode at once."""
    path = tmp_path / "new.db"
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    waiting = Timer(0.3, lambda: other.execute("ROLLBACK"))
    waiting.start()
    open_database(str(path)).dispose()
    waiting.join()
    other.close()


def test_a_file_that_somebody_holds_for_too_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_database, "_BUSY_SECONDS", 0.05)
    monkeypatch.setattr(_patience, "_PATIENCE_SECONDS", 0.1)
    store = open_store(str(tmp_path / "runs.db"))
    other = sqlite3.connect(tmp_path / "runs.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(
        StoreError, match=r"database is locked\. Another process has held it for a minute"
    ):
        store.write({("cells", KEYS[0]): b"content"})
    other.execute("ROLLBACK")
    store.write({("cells", KEYS[0]): b"content"})
    store.close()
    other.close()


def test_many_keys_are_read_whether_their_series_are_few_or_many(tmp_path: Path) -> None:
    store = open_store(str(tmp_path / "runs.db"))
    of_one = {("cells", b"s" * 16 + i.to_bytes(16, "big")): bytes([i % 7]) for i in range(6000)}
    of_many = {("answers", i.to_bytes(16, "big") + b"split"): bytes([i % 7]) for i in range(6000)}
    store.write({**of_one, **of_many, ("cells", b"s" * 16 + b"\xff" * 16): b"not asked for"})
    for items in (of_one, of_many):
        (bucket,) = {bucket for bucket, _ in items}
        found = store.read(bucket, [key for _, key in items])
        assert {(bucket, key): content for key, content in found.items()} == items
    store.close()
