"""Several processes on one real PostgreSQL database."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, func, inspect, select, text

import evenfold as ef
from evenfold.core.errors import StoreError
from evenfold.run.stores import _server, open_store
from evenfold.run.stores import sql as _patience
from evenfold.run.stores.sql import RunClaims, buckets, claims, open_database, owners, tables
from evenfold.testing import check_store

from .conftest import Server

pytestmark = pytest.mark.faults

pytest.importorskip("psycopg", reason="needs evenfold[postgres]")

JOB = Path(__file__).with_name("job.py")
CELLS = 60


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, str(JOB), *map(str, arguments)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def result(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, _ = process.communicate(timeout=60)
    return dict(json.loads(out))


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, Any]:
    return result(start())


@pytest.fixture
def database(postgres: str) -> Iterator[Engine]:
    engine = create_engine(postgres.replace("postgresql://", "postgresql+psycopg://"))
    yield engine
    tables.drop_all(engine)
    engine.dispose()


def count(engine: Engine, table: Any) -> int:
    with engine.connect() as connection:
        return int(connection.scalar(select(func.count()).select_from(table)) or 0)


def test_two_processes_race_on_one_database(
    undisturbed: dict[str, Any], postgres: str, database: Engine
) -> None:
    racers = [start("--store", postgres) for _ in range(2)]
    done = [result(racer) for racer in racers]
    for one in done:
        assert one["values"] == undisturbed["values"]
        assert one["fits"] + one["reused"] == CELLS
    assert sum(one["fits"] for one in done) == CELLS
    assert min(one["fits"] for one in done) > 0
    assert (
        count(database, buckets["cells"]),
        count(database, claims),
        count(database, owners),
    ) == (
        CELLS,
        0,
        0,
    )


def test_a_killed_process_loses_nothing(
    undisturbed: dict[str, Any], postgres: str, database: Engine
) -> None:
    first, second = (start("--store", postgres) for _ in range(2))
    time.sleep(0.5)
    first.kill()
    first.communicate()
    assert result(second)["values"] == undisturbed["values"]
    assert count(database, buckets["cells"]) == CELLS
    again = result(start("--store", postgres))
    assert (again["fits"], again["reused"]) == (0, CELLS)
    assert again["values"] == undisturbed["values"]


def test_it_keeps_the_contract_of_stores(postgres: str, database: Engine) -> None:
    del database  # empties the tables
    check_store(partial(open_store, postgres), lasting=True, shared=True, killed=True)


def test_claims_use_the_clock_of_the_database(postgres: str, database: Engine) -> None:
    keys = [bytes([i]) * 32 for i in range(3)]
    engine = open_database(postgres)
    first, second = RunClaims(engine), RunClaims(engine)
    assert first.take(keys[:2]) == set(keys[:2])
    assert second.take(keys) == {keys[2]}
    with database.begin() as connection:
        connection.execute(text("UPDATE owners SET until = 0 WHERE id = :id"), {"id": first.owner})
    assert second.take(keys) == set(keys)
    first.release()
    second.release()
    engine.dispose()


def test_a_run_is_loaded_by_its_id(postgres: str, database: Engine) -> None:
    from .job import coin, data, partition

    X, y = data()
    done = ef.run.run(
        {"coin": coin}, partition(), X, y, seed=1, store=postgres, measures=["zero-one", "f1"]
    )
    assert done.id is not None
    again = ef.run.load(postgres, done.id)
    assert again["f1"].values.tolist() == done["f1"].values.tolist()
    examples = again["zero-one"].examples
    assert examples is not None
    assert examples[0][5].mean() == done["zero-one"].values[0, 5]
    assert count(database, buckets["cells"]) == len(partition())


def test_a_server_that_does_not_answer(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"Check that it exists.*and that its server runs"):
        open_database(f"postgresql://nobody@/nothing?host={tmp_path}")


SLEEPER = """
import os, signal, sys
from evenfold.run.stores import (_server, open_store)
from evenfold.run.stores import sql as _claims

_server._IDLE_SECONDS, _claims._ALIVE_SECONDS = 2, 4
store = open_store(sys.argv[1])
assert store.claim([b"a" * 32]) == {b"a" * 32}
execute, asleep = _claims.execute_many, []

def stop(*arguments):
    execute(*arguments)
    if not asleep:
        asleep.append(True)
        print("asleep", flush=True)
        os.kill(os.getpid(), signal.SIGSTOP)

_claims.execute_many = stop
print(len(store.claim([b"b" * 32])))
store.close()
"""


@pytest.mark.usefixtures("database")
def test_a_process_stopped_inside_a_transaction_is_taken_over(
    postgres: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_server, "_LOCK_SECONDS", 1)
    store = open_store(postgres)
    command = [sys.executable, "-c", SLEEPER, postgres]
    sleeper = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert sleeper.stdout is not None
    assert sleeper.stdout.readline() == "asleep\n"
    mine: set[bytes] = set()
    began = time.monotonic()
    while len(mine) < 2 and time.monotonic() - began < 30:
        mine |= store.claim([b"a" * 32, b"b" * 32])  # waits for the lock that the sleeper holds
        time.sleep(0.1)
    assert len(mine) == 2
    sleeper.send_signal(signal.SIGCONT)
    # it lost its connection, and knows that it is late
    assert sleeper.communicate(timeout=60)[0] == "0\n"
    store.close()


def test_dropped_connections_cost_nothing(
    undisturbed: dict[str, Any], postgres: str, database: Engine
) -> None:
    others = "FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND usename = user"
    process = start("--store", postgres)
    while process.poll() is None:
        with database.connect() as connection:
            connection.execute(text(f"SELECT pg_terminate_backend(pid) {others}"))
        time.sleep(0.2)
    done = result(process)
    assert done["values"] == undisturbed["values"]
    assert (done["fits"], done["failed"]) == (CELLS, [])
    assert (
        count(database, buckets["cells"]),
        count(database, claims),
        count(database, owners),
    ) == (
        CELLS,
        0,
        0,
    )


def test_a_restart_of_the_server_costs_nothing(
    undisturbed: dict[str, Any], server: Server, database: Engine
) -> None:
    process = start("--store", server.url)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not _has_cells(database):
        time.sleep(0.05)
    server.stop()
    database.dispose()
    time.sleep(1)
    server.start()
    done = result(process)
    assert done["values"] == undisturbed["values"]
    assert (done["fits"], done["failed"]) == (CELLS, [])
    assert count(database, buckets["cells"]) == CELLS


def _has_cells(engine: Engine) -> bool:
    return inspect(engine).has_table("cells") and count(engine, buckets["cells"]) > 0


def test_a_server_that_stays_away_is_said_once(
    server: Server, database: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = open_store(server.url)
    assert store.claim([b"a" * 32])
    monkeypatch.setattr(_patience, "_PATIENCE_SECONDS", 1.0)
    server.stop()
    try:
        for longest in (5.0, 0.9):  # after it was waited for in vain nobody waits again
            began = time.monotonic()
            with pytest.raises(StoreError, match="cannot be used") as caught:
                store.write({("cells", b"a" * 32): b"content"})
            assert time.monotonic() - began < longest
            assert "\n" not in str(caught.value)
    finally:
        server.start()
        database.dispose()
    store.write({("cells", b"a" * 32): b"content"})
    store.close()


def test_a_server_that_is_stopped_is_left_in_one_line_and_found_again_when_it_goes_on(
    server: Server, database: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """
    It accepts connections, acknowledges what it gets, and says nothing.

    The client counts the seconds.
    """
    monkeypatch.setattr(_server, "_SILENCE_SECONDS", 1.0)
    monkeypatch.setitem(_server.DEFAULTS, "connect_timeout", 2)
    monkeypatch.setattr(_patience, "_PATIENCE_SECONDS", 2.0)
    store, content = open_store(server.url), {("cells", b"a" * 32): b"content"}
    assert store.claim([b"a" * 32])  # there are connections now
    server.send(signal.SIGSTOP)
    try:
        began = time.monotonic()
        with pytest.raises(StoreError, match="cannot be used") as caught:
            store.write(content)
        assert time.monotonic() - began < 15
        assert "\n" not in str(caught.value)
        with pytest.raises(StoreError, match="cannot be used"):
            open_store(server.url)
    finally:
        server.send(signal.SIGCONT)
        database.dispose()
    store.write(content)
    assert store.read("cells", [b"a" * 32])
    store.close()


def test_a_server_that_is_stopped_for_a_while_costs_nothing(
    undisturbed: dict[str, Any], server: Server, database: Engine
) -> None:
    process = start("--store", server.url, "--silence", 1)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and not _has_cells(database):
        time.sleep(0.05)
    server.send(signal.SIGSTOP)
    try:
        time.sleep(4)
    finally:
        server.send(signal.SIGCONT)
    done = result(process)
    assert done["values"] == undisturbed["values"]
    assert (done["fits"], done["failed"]) == (CELLS, [])
    assert count(database, buckets["cells"]) == CELLS


STUDY = """
import sys, evenfold as ef
asked = {"methods": ["5x2-t"], "n": 40, "replications": 4000, "random_state": 0}
found = ef.lab.type1("normal-mean", store=sys.argv[1], **asked)
print(found.to_frame().to_json())
"""


@pytest.mark.usefixtures("database")
def test_two_studies_that_finish_one_chunk(postgres: str) -> None:
    command = [sys.executable, "-c", STUDY, postgres]
    both = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    first, second = (one.communicate(timeout=120)[0] for one in both)
    assert [one.returncode for one in both] == [0, 0]
    assert first == second
