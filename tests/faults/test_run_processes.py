"""Whole processes that are killed, interrupted, starved of disk, or race each other on SQLite."""

import json
import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import StoreError
from evenfold.core.partition import MX2, BlockCut, Partition
from evenfold.run.stores.sql import buckets, open_database, reading

pytestmark = pytest.mark.faults

JOB = Path(__file__).with_name("job.py")
CELLS = 60
KILLS = 20


def start(*arguments: object) -> subprocess.Popen[str]:
    """Start the job and wait until it has imported everything."""
    command = [sys.executable, str(JOB), *map(str, arguments)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def result(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, _ = process.communicate(timeout=60)
    return dict(json.loads(out))


@pytest.fixture(scope="module")
def undisturbed() -> dict[str, Any]:
    done = result(start())
    assert done["fits"] == CELLS
    return done


def rows(store: Path, query: str) -> list[tuple[Any, ...]]:
    connection = sqlite3.connect(store)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def stored_cells(store: Path) -> int:
    if not store.exists() or not rows(store, "SELECT 1 FROM sqlite_master WHERE name = 'cells'"):
        return 0
    assert rows(store, "PRAGMA integrity_check") == [("ok",)]
    return int(rows(store, "SELECT count(*) FROM cells")[0][0])


def test_kill_9_at_twenty_random_instants(undisturbed: dict[str, Any], tmp_path: Path) -> None:
    rng = random.Random(0)
    kills = finished = 0
    store = tmp_path / "0.db"
    before = 0
    while kills < KILLS:
        process = start("--store", store)
        time.sleep(rng.uniform(0, 0.7))
        process.kill()
        out, _ = process.communicate()
        if out:  # it was faster than the bullet
            done = json.loads(out)
            assert done["values"] == undisturbed["values"]
            assert done["fits"] + done["reused"] == CELLS
            assert done["reused"] >= before
            finished += 1
            store, before = tmp_path / f"{finished}.db", 0
            continue
        kills += 1
        after = stored_cells(store)
        assert after >= before  # nothing lost
        before = after
    done = result(start("--store", store))
    assert done["values"] == undisturbed["values"]
    assert (done["fits"], done["reused"]) == (CELLS - before, before)  # nothing doubled
    assert stored_cells(store) == CELLS
    assert rows(store, "SELECT count(*) FROM claims") == [(0,)]


def test_kill_9_with_processes_at_work(undisturbed: dict[str, Any], tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    process = start("--store", store, "--jobs", 2)
    deadline = time.monotonic() + 60
    while stored_cells(store) < 5 and time.monotonic() < deadline:
        time.sleep(0.05)
    children = children_of(process.pid)
    process.kill()
    process.communicate()
    before = stored_cells(store)
    assert before >= 5
    done = result(start("--store", store, "--jobs", 2))
    assert done["values"] == undisturbed["values"]
    assert done["reused"] == before
    deadline = time.monotonic() + 30
    while (
        left := [pid for pid in children if Path(f"/proc/{pid}").exists()]
    ) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert left == []  # orphaned workers go away by themselves


def children_of(pid: int) -> list[int]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if int(fields[1]) == pid:
            found.append(int(stat.parent.name))
    return found


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_stops_cleanly_and_the_next_call_goes_on(
    undisturbed: dict[str, Any], tmp_path: Path, jobs: int
) -> None:
    store = tmp_path / "runs.db"
    process = start("--store", store, "--jobs", jobs)
    deadline = time.monotonic() + 60
    while stored_cells(store) < 5 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)  # as a terminal does: the workers get it too
    out, err = process.communicate(timeout=60)
    assert json.loads(out) == {"error": "interrupted"}
    assert "Traceback" not in err
    assert process.returncode == 130
    before = stored_cells(store)
    assert 5 <= before < CELLS
    assert rows(store, "SELECT count(*) FROM claims") == [(0,)]
    done = result(start("--store", store))
    assert done["values"] == undisturbed["values"]
    assert (done["fits"], done["reused"]) == (CELLS - before, before)


@pytest.mark.parametrize("limit", [20_000, 200_000, 350_000])
def test_a_full_disk_loses_nothing_that_was_finished(
    undisturbed: dict[str, Any], tmp_path: Path, limit: int
) -> None:
    store = tmp_path / "runs.db"
    process = start("--store", store, "--file-limit", limit)
    error = result(process)["error"]
    assert process.returncode == 3
    assert "cannot be used" in error
    assert "Make room and call again: finished fits are kept." in error
    assert "\n" not in error
    before = stored_cells(store)
    assert (before > 0) == (limit > 20_000)
    done = result(start("--store", store))
    assert done["values"] == undisturbed["values"]
    assert (done["fits"], done["reused"]) == (CELLS - before, before)


def test_two_processes_race_on_one_sqlite_file(undisturbed: dict[str, Any], tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    racers = [start("--store", store) for _ in range(2)]
    done = [result(racer) for racer in racers]
    for one in done:
        assert one["values"] == undisturbed["values"]
        assert one["fits"] + one["reused"] == CELLS
    assert sum(one["fits"] for one in done) == CELLS  # nothing was fitted twice
    assert min(one["fits"] for one in done) > 0  # and both worked
    assert stored_cells(store) == CELLS


def test_the_claims_of_a_killed_racer_are_taken_over(
    undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    store = tmp_path / "runs.db"
    first, second = (start("--store", store) for _ in range(2))
    time.sleep(0.4)
    first.kill()
    first.communicate()
    done = result(second)
    assert done["values"] == undisturbed["values"]
    assert done["failed"] == []
    assert stored_cells(store) == CELLS


def asleep_for_a_minute(sleeper: subprocess.Popen[str], store: Path) -> bool:
    """
    Stop a process and age its heartbeat.

    Where it stopped in the midst of a write, wake it and say no.
    """
    sleeper.send_signal(signal.SIGSTOP)
    connection = sqlite3.connect(store, timeout=0.5)
    try:
        connection.execute("UPDATE owners SET until = 0")
        connection.commit()
    except sqlite3.OperationalError:  # it holds the lock
        sleeper.send_signal(signal.SIGCONT)
        return False
    finally:
        connection.close()
    return True


def test_a_stopped_process_that_wakes_up_stores_nothing_twice(
    undisturbed: dict[str, Any], tmp_path: Path
) -> None:
    store = tmp_path / "runs.db"
    sleeper = start("--store", store)
    deadline = time.monotonic() + 60
    while stored_cells(store) < 5 and time.monotonic() < deadline:
        time.sleep(0.02)
    while not asleep_for_a_minute(sleeper, store):
        time.sleep(0.02)
    done = result(start("--store", store))
    assert done["values"] == undisturbed["values"]
    sleeper.send_signal(signal.SIGCONT)
    assert result(sleeper)["values"] == undisturbed["values"]
    assert stored_cells(store) == CELLS


def halves() -> Partition:
    cut = BlockCut(
        blocks=(np.arange(40) % 2).astype(np.uint8), trains=np.array([[True, False], [False, True]])
    )
    return Partition(
        kind=MX2, seed=0, cut=cut, repetition=np.zeros(2, dtype=int), fold=np.arange(2)
    )


def zeros(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
    return np.zeros(len(X_test), dtype=int)


def test_a_read_only_store_gives_what_it_has(tmp_path: Path) -> None:
    X, y = np.zeros((40, 1)), np.arange(40) % 2
    store = tmp_path / "runs.db"
    options: dict[str, Any] = {"seed": 0, "version": "1"}
    first = ef.run.run({"a": zeros}, halves(), X, y, store=store, **options)
    url = f"sqlite:///file:{store}?mode=ro&uri=true"
    again = ef.run.run({"a": zeros}, halves(), X, y, store=url, **options)
    assert (again.fits, again.reused, again.id) == (0, 2, first.id)  # the same run, kept before
    np.testing.assert_array_equal(again["zero-one"].values, first["zero-one"].values)
    derived = ef.run.run({"a": zeros}, halves(), X, y, store=url, measures="squared", **options)
    assert (derived.fits, derived["squared"].values.tolist()) == (0, [[1.0, 0.0]])
    with pytest.raises(StoreError, match="The store is read-only and some fits are missing in it"):
        ef.run.run({"a": zeros, "b": zeros}, halves(), X, y, store=url, **options)


@pytest.fixture
def archive() -> Iterator[Path]:
    """A folder that everybody can reach."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody who may not write")
def test_a_store_in_a_read_only_folder(archive: Path, tmp_path: Path) -> None:
    """Without the right to write beside the file there can be no WAL; the file is read as it is."""
    store = archive / "runs.db"
    assert result(start("--store", store))["fits"] == CELLS
    store.chmod(0o444)
    archive.chmod(0o555)
    open_database(str(tmp_path / "warm.db")).dispose()  # load the drivers while they can be read
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
            with reading(open_database(str(store))) as connection:
                status = int(len(connection.execute(buckets["cells"].select()).all()) != CELLS)
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0
