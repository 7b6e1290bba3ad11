"""
Stores that come from elsewhere: every checksum is right, and the content may be anything.

One line for an answer, bounded memory, and one bad run does not hide the good ones.
"""

import json
import os
import tracemalloc
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from typer.testing import CliRunner

import evenfold as ef
from evenfold.cli import app
from evenfold.core.errors import EvenfoldError
from evenfold.run.stores import MemoryStore, add_checksums, check_and_strip_checksums
from evenfold.run.stores.sql import SQLStore

CALLS = int(os.environ.get("EVENFOLD_FUZZ_CALLS", "400")) // 20
RNG = np.random.default_rng(0)
y = np.tile([0, 1], 20)
X = RNG.normal(size=(40, 2)) + y[:, None]
TWO = {
    "dummy": DummyClassifier(),
    "bayes": GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-2]}, cv=2),
}
THIRDS = ef.KFold(3, random_state=0)
NONSENSE: list[Any] = [
    None,
    True,
    -1,
    0,
    7,
    1e300,
    "x",
    "NaN",
    [],
    {},
    [[]],
    {"a": 1},
    "9" * 400,
    10**30,
]
Items = dict[tuple[str, bytes], bytes]


def asked(store: Any) -> ef.Comparison:
    return ef.compare(
        TWO, X, y, design=THIRDS, measure=["zero-one", "f1"], random_state=0, store=store
    )


@pytest.fixture(scope="module")
def right(tmp_path_factory: pytest.TempPathFactory) -> tuple[Items, str]:
    """The items of a store with one run, without their checksums, and its id."""
    path = tmp_path_factory.mktemp("right") / "runs.db"
    run_id = asked(path).facts.run_id
    assert run_id is not None
    store = SQLStore(str(path))
    items: Items = {}
    for bucket in ("cells", "answers", "faults", "runs", "arrays"):
        contents = check_and_strip_checksums(bucket, store.read(bucket, list(store.keys(bucket))))
        items |= {(bucket, key): content for key, content in contents.items()}
    store.close()
    return items, run_id


def store_of(items: Items) -> MemoryStore:
    store = MemoryStore()
    store.write(add_checksums(items))
    return store


def look(store: Any, run_id: str) -> list[Any]:
    """Ask everything that reads a store; what is wrong is one line of ours."""
    answers: list[Any] = [ef.runs(store)]
    for ask in (
        lambda: ef.run.load(store, run_id),
        lambda: str(ef.reopen(store, run_id)),
        lambda: str(ef.reopen(store, run_id, measure="f1")),
        lambda: asked(store),
    ):
        try:
            answers.append(ask())
        except EvenfoldError as error:
            answers.append(error)
    said = [str(one) for one in answers if isinstance(one, EvenfoldError)]
    assert all("\n" not in one and len(one) < 3000 for one in said)
    return answers


def test_a_right_store_is_read(right: tuple[Items, str]) -> None:
    items, run_id = right
    runs, loaded, said, _, again = look(store_of(items), run_id)
    assert runs[0].id == run_id
    assert loaded.algorithms == ("dummy", "bayes")
    assert again.fits == 0
    assert said


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner = (
        value.items()
        if isinstance(value, dict)
        else enumerate(value)
        if isinstance(value, list)
        else ()
    )
    for key, item in inner:
        yield from places(item, (*path, key))


def changed(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copied = dict(value) if isinstance(value, dict) else list(value)
    copied[path[0]] = changed(value[path[0]], path[1:], new)
    return copied


def test_descriptions_say_anything(right: tuple[Items, str]) -> None:
    items, run_id = right
    place = ("runs", run_id.encode())
    told = json.loads(items[place])
    everywhere = list(places(told))
    rng = np.random.default_rng(1)
    for _ in range(CALLS):
        path, new = everywhere[rng.integers(len(everywhere))], NONSENSE[rng.integers(len(NONSENSE))]
        spoiled = json.dumps(changed(told, path, new)).encode()
        look(store_of({**items, place: spoiled, ("runs", b"other"): b"{}"}), run_id)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"x",
        b"{}",
        b"[]",
        b"null",
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"1" * 9999,
    ],
)
def test_one_bad_run_does_not_hide_the_good_ones(right: tuple[Items, str], content: bytes) -> None:
    items, run_id = right
    store = store_of({**items, ("runs", b"bad"): content, ("runs", b"\xff\xff"): content})
    runs, *_ = look(store, run_id)
    good = [one for one in runs if one.id == run_id]
    assert len(runs) == 3
    assert good[0].verdict.startswith("bayes better")
    assert all(one.verdict.startswith("none: Run ") for one in runs if one.id != run_id)
    with pytest.raises(EvenfoldError, match="cannot be read"):
        ef.run.load(store, "bad")


def test_bytes_are_anything(right: tuple[Items, str]) -> None:
    items, run_id = right
    rng = np.random.default_rng(2)
    every = sorted(items)
    for _ in range(CALLS):
        place = every[rng.integers(len(every))]
        content = bytearray(items[place])
        how = rng.integers(5)
        if how == 0:
            content = content[: rng.integers(len(content))]
        elif how == 1:
            content += rng.bytes(int(rng.integers(1, 9)))
        elif how == 2:
            content = bytearray(rng.bytes(len(content)))
        else:
            for at in rng.integers(len(content), size=1 + 5 * (how == 4)):
                content[at] = rng.integers(256)
        look(store_of({**items, place: bytes(content)}), run_id)


def npy(descr: Any, shape: tuple[int, ...], data: bytes = b"") -> bytes:
    header = repr({"descr": descr, "fortran_order": False, "shape": shape}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + data


BOMBS = {
    "items of no size": npy("|V0", (10**12,)),
    "texts of no size": npy("<U0", (10**12,)),
    "a type that fills memory": npy(("<f8", (10**9,)), (1,), b"\0" * 8),
    "more items than bytes": npy("<f8", (10**9,), b"\0" * 8),
    "a negative size": npy("<f8", (-1,), b"\0" * 8),
    "objects": npy("|O", (1,), b"\0" * 8),
    "no header": b"\x93NUMPY\x01\x00\x10\x00((((((((((((((((",
    "deep header": b"\x93NUMPY\x01\x00\xff\xff" + b"(" * 65535,
    "one number": npy("<f8", (), b"\0" * 8),
}


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("bucket", ["answers", "arrays", "members"])
def test_arrays_that_fill_memory_are_refused_unread(
    right: tuple[Items, str], bomb: str, bucket: str
) -> None:
    items, run_id = right
    spoiled = dict(items)
    for place in items:
        if place[0] == bucket:
            spoiled[place] = BOMBS[bomb]
        elif place[0] == "arrays" and bucket == "members":
            spoiled[place] = with_member(items[place], "values0", BOMBS[bomb])
    tracemalloc.start()
    look(store_of(spoiled), run_id)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**27


def with_member(npz: bytes, name: str, content: bytes) -> bytes:
    buffer = BytesIO()
    with ZipFile(BytesIO(npz)) as old, ZipFile(buffer, "w", ZIP_DEFLATED) as new:
        for one in old.namelist():
            new.writestr(one, content if one == f"{name}.npy" else old.read(one))
    return buffer.getvalue()


def test_little_that_becomes_much_is_refused_unread(right: tuple[Items, str]) -> None:
    items, run_id = right
    place = ("arrays", run_id.encode())
    bomb = with_member(items[place], "values0", npy("<f8", (2**26,), bytes(2**29)))
    assert len(bomb) < 2**20
    tracemalloc.start()
    with pytest.raises(EvenfoldError, match="bytes that would become"):
        ef.run.load(store_of({**items, place: bomb}), run_id)
    assert tracemalloc.get_traced_memory()[1] < 2**25
    tracemalloc.stop()


@pytest.mark.parametrize(
    "name", ["values0", "series", "splits", "y", "fit_seconds", "repetition", "folds"]
)
def test_arrays_of_another_size_or_kind_are_refused(right: tuple[Items, str], name: str) -> None:
    items, run_id = right
    place = ("arrays", run_id.encode())
    for array in (
        np.zeros(3),
        np.zeros((2, 2, 2)),
        np.full((2, 4), np.nan),
        np.array(["x"]),
        np.arange(99),
    ):
        buffer = BytesIO()
        np.save(buffer, array)
        store = store_of({**items, place: with_member(items[place], name, buffer.getvalue())})
        with pytest.raises(EvenfoldError, match="cannot be read"):
            ef.run.load(store, run_id)


def test_a_table_of_sqlite_may_hold_anything(right: tuple[Items, str], tmp_path: Path) -> None:
    import sqlite3

    items, run_id = right
    path = tmp_path / "runs.db"
    store = SQLStore(str(path))
    store.write(add_checksums(items))
    store.close()
    values: list[Any] = ["text", b"\xff", 7, 1.5, ""]
    with sqlite3.connect(path) as connection:
        for i, value in enumerate(values):
            for bucket in ("cells", "answers", "runs", "arrays"):
                connection.execute(
                    f"INSERT OR REPLACE INTO {bucket} VALUES (?, ?)", (f"key{i}", value)
                )
        connection.execute(
            "INSERT INTO runs VALUES (CAST(x'ff00fe' AS TEXT), CAST(x'ff00fe' AS TEXT))"
        )
    connection.close()
    runs, _, said, _, again = look(path, run_id)
    assert run_id in [one.id for one in runs]
    assert "better" in said
    assert again.fits == 0
    shown = CliRunner().invoke(app, ["runs", str(path)])
    assert shown.exit_code == 0
    assert "bayes better than dummy" in shown.output
