"""Several processes on one real PostgreSQL database."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, create_engine, func, select, text

import evenfold as ef
from evenfold.core.errors import StoreError
from evenfold.run.stores import open_store
from evenfold.run.stores._claims import Claims
from evenfold.run.stores._database import claims, drawers, open_database, owners, tables
from evenfold.testing import check_store

pytest.importorskip("psycopg", reason="needs evenfold[postgres]")

JOB = Path(__file__).with_name("job.py")
CELLS = 60


def start(*arguments: object) -> subprocess.Popen[str]:
    command = [sys.executable, str(JOB), *map(str, arguments)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
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
    assert (count(database, drawers["cells"]), count(database, claims), count(database, owners)) == (
        CELLS,
        0,
        0,
    )


def test_a_killed_process_loses_nothing(undisturbed: dict[str, Any], postgres: str, database: Engine) -> None:
    first, second = (start("--store", postgres) for _ in range(2))
    time.sleep(0.5)
    first.kill()
    first.communicate()
    assert result(second)["values"] == undisturbed["values"]
    assert count(database, drawers["cells"]) == CELLS
    again = result(start("--store", postgres))
    assert (again["fits"], again["reused"]) == (0, CELLS)
    assert again["values"] == undisturbed["values"]


def test_it_keeps_the_contract_of_stores(postgres: str, database: Engine) -> None:
    del database  # empties the tables
    check_store(lambda: open_store(postgres), lasting=True, shared=True)


def test_claims_use_the_clock_of_the_database(postgres: str, database: Engine) -> None:
    keys = [bytes([i]) * 32 for i in range(3)]
    engine = open_database(postgres)
    first, second = Claims(engine), Claims(engine)
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
    done = ef.run.run({"coin": coin}, partition(), X, y, seed=1, store=postgres, measures=["zero-one", "f1"])
    assert done.id is not None
    again = ef.run.load(postgres, done.id)
    assert again["f1"].values.tolist() == done["f1"].values.tolist()
    examples = again["zero-one"].examples
    assert examples is not None
    assert examples[0][5].mean() == done["zero-one"].values[0, 5]
    assert count(database, drawers["cells"]) == len(partition())


def test_a_server_that_does_not_answer(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"check that it exists.*and that its server runs"):
        open_database(f"postgresql://nobody@/nothing?host={tmp_path}")
