"""Fits that are never done twice."""

import sqlite3
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from time import sleep
from typing import Any, cast

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.errors import EvenfoldError, InvalidInput, NotReused, StoreError
from evenfold.core.partition import KFOLD, FoldCut, IndexCut, Partition
from evenfold.core.words import hide_password
from evenfold.run.records.encoding import from_bytes, to_bytes
from evenfold.run.stores import MemoryStore

Halvings = Callable[..., Partition]
XY = tuple[Any, Any]

TREE = {"tree": DecisionTreeClassifier(max_features=1)}
BOTH = {**TREE, "bayes": GaussianNB()}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "runs.db"


def count(store: Path, table: str) -> int:
    with sqlite3.connect(store) as connection:
        number: int = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
    connection.close()
    return number


def test_a_second_call_fits_nothing(halvings: Halvings, xy: XY, store: Path) -> None:
    first = ef.run.run(BOTH, halvings(80, 3), *xy, seed=0, store=store)
    second = ef.run.run(BOTH, halvings(80, 3), *xy, seed=0, store=str(store))
    assert (first.fits, first.reused, second.fits, second.reused) == (12, 0, 0, 12)
    assert first.id == second.id
    np.testing.assert_array_equal(first["zero-one"].values, second["zero-one"].values)
    np.testing.assert_array_equal(first["zero-one"].fit_seconds, second["zero-one"].fit_seconds)
    examples = second["zero-one"].examples
    assert examples is not None
    assert examples[1][3].mean() == second["zero-one"].values[1, 3]


class CountingStore(MemoryStore):
    """Knows how often it was asked for predictions."""

    looks = 0

    def read(self, bucket: str, keys: Collection[bytes]) -> Mapping[bytes, bytes]:
        self.looks += bucket == "answers"
        return super().read(bucket, keys)


def test_a_function_has_the_same_run_id_wherever_it_lies_in_memory(
    halvings: Halvings, xy: XY, store: Path
) -> None:
    def function() -> Any:
        def largest(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
            return [max(y_train)] * len(X_test)

        return largest

    first, second = function(), function()
    assert repr(first) != repr(second)
    ids = {
        ef.run.run([one], halvings(80, 1), *xy, seed=0, store=store).id for one in (first, second)
    }
    assert len(ids) == 1


def test_predictions_are_read_some_splits_ahead(halvings: Halvings, xy: XY) -> None:
    store = CountingStore()
    done = ef.run.run(BOTH, halvings(80, 7), *xy, seed=0, store=store)
    for losses in (done["zero-one"], ef.run.load(store, str(done.id))["zero-one"]):
        store.looks, examples = 0, losses.examples
        assert examples is not None
        means = [[one.mean() for one in row] for row in examples]
        np.testing.assert_array_equal(means, losses.values)
        assert store.looks == len(BOTH)


def test_only_what_is_missing_is_run(halvings: Halvings, xy: XY, store: Path) -> None:
    X, y = xy
    assert ef.run.run(TREE, halvings(80, 2), X, y, seed=0, store=store).fits == 4
    more_repetitions = ef.run.run(TREE, halvings(80, 5), X, y, seed=0, store=store)
    assert (more_repetitions.fits, more_repetitions.reused) == (6, 4)
    another_algorithm = ef.run.run(BOTH, halvings(80, 5), X, y, seed=0, store=store)
    assert (another_algorithm.fits, another_algorithm.reused) == (10, 10)
    another_measure = ef.run.run(
        BOTH, halvings(80, 5), X, y, seed=0, store=store, measures=["f1", "absolute"]
    )
    assert (another_measure.fits, another_measure.reused) == (0, 20)
    direct = ef.run.run(BOTH, halvings(80, 5), X, y, seed=0, measures=["f1", "absolute"])
    np.testing.assert_array_equal(another_measure["f1"].counts, direct["f1"].counts)
    np.testing.assert_array_equal(another_measure["absolute"].values, direct["absolute"].values)


def test_nothing_is_fitted_twice_for_another_measure(
    halvings: Halvings, xy: XY, store: Path
) -> None:
    """Probabilities and scores are kept where the estimator has them, asked for or not."""
    three = {**BOTH, "svm": SVC()}
    ef.run.run(three, halvings(80, 2), *xy, seed=0, store=store)
    for measures in (["auc"], ["zero-one", "f1"]):
        again = ef.run.run(three, halvings(80, 2), *xy, seed=0, store=store, measures=measures)
        assert again.fits == 0
        fresh = ef.run.run(three, halvings(80, 2), *xy, seed=0, measures=measures)
        for name in fresh:
            np.testing.assert_array_equal(again[name].values, fresh[name].values)
    log = ef.run.run(BOTH, halvings(80, 2), *xy, seed=0, store=store, measures="log")
    assert (log.fits, log.reused) == (0, 8)


def test_what_a_function_gives_is_kept(halvings: Halvings, xy: XY, store: Path) -> None:
    ef.run.run(chances, halvings(80, 2), *xy, seed=0, store=store)
    assert ef.run.run(chances, halvings(80, 2), *xy, seed=0, store=store, measures="log").fits == 0


def chances(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001  (an algorithm's signature)
    share = np.clip(X_test[:, 0] / 4 + 0.3, 0.1, 0.9)
    return {"labels": None, "probabilities": np.stack([1 - share, share], axis=1)}


class Moody(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Cannot give what nobody asked for."""

    def predict_proba(self, X: Any) -> Any:  # noqa: ARG002  (scikit-learn's signature)
        raise RuntimeError("not today")


def test_what_nobody_asked_for_fails_no_fit(
    halvings: Halvings, xy: XY, store: Path, caplog: pytest.LogCaptureFixture
) -> None:
    done = ef.run.run([Moody()], halvings(80, 1), *xy, seed=0, store=store)
    assert done.failures == ()
    again = ef.run.run([Moody()], halvings(80, 1), *xy, seed=0, store=store, measures="log")
    assert again.fits == 2
    assert "2 stored fits are fitted again, because their predict_proba was not kept" in caplog.text


def test_a_large_answer_that_nobody_asked_for_is_not_kept(
    halvings: Halvings, xy: XY, store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evenfold.run.cells._SMALL_BYTES", 100)
    ef.run.run(TREE, halvings(80, 1), *xy, seed=0, store=store)
    assert ef.run.run(TREE, halvings(80, 1), *xy, seed=0, store=store, measures="log").fits == 2


def test_what_is_kept_costs_no_time_in_measures(halvings: Halvings, xy: XY, store: Path) -> None:
    """The time of a prediction is that of what was asked."""

    class Slow(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
        def predict_proba(self, X: Any) -> Any:
            sleep(0.05)
            return super().predict_proba(X)

    done = ef.run.run([Slow()], halvings(80, 1), *xy, seed=0, store=store, version="1")
    assert done["zero-one"].predict_seconds.max() < 0.05


def test_live_scorers_are_recognised_by_their_code(halvings: Halvings, xy: XY, store: Path) -> None:
    def leaves(estimator: Any, X: Any, y: Any) -> float:  # noqa: ARG001
        return float(estimator.get_n_leaves())

    def fitted(scorer: Any) -> int:
        asked = ef.run.measure(scorer, higher_is_better=False)
        return ef.run.run(TREE, halvings(80, 1), *xy, seed=0, store=store, measures=asked).fits

    fits = [fitted(leaves) for _ in "12"]

    def other(estimator: Any, X: Any, y: Any) -> float:  # noqa: ARG001
        return float(estimator.get_depth())

    other.__name__ = "leaves"
    fits.append(fitted(other))
    assert fits == [2, 0, 2]


@pytest.mark.parametrize(
    "change", ["data", "target", "parameter", "seed", "split", "name", "weights"]
)
def test_whatever_changes_the_result_changes_the_key(
    halvings: Halvings, xy: XY, store: Path, change: str
) -> None:
    X, y = xy[0].copy(), xy[1].copy()
    arguments: dict[str, Any] = {
        "algorithms": TREE,
        "partition": halvings(80, 1),
        "seed": 0,
        "store": store,
    }
    ef.run.run(X=X, y=y, **arguments)
    if change == "data":
        X[3, 1] += 1e-9
    elif change == "target":
        y[3] = 1 - y[3]
    elif change == "parameter":
        arguments["algorithms"] = {"tree": DecisionTreeClassifier(max_features=2)}
    elif change == "seed":
        arguments["seed"] = 1
    elif change == "split":
        arguments["partition"] = halvings(80, 1, seed=1)
    elif change == "name":
        arguments["algorithms"] = {"arbre": TREE["tree"]}
    else:
        arguments["sample_weight"] = np.ones(80)
    assert ef.run.run(X=X, y=y, **arguments).fits == 2


def test_a_closure_is_run_each_time_unless_it_has_a_version(
    halvings: Halvings, xy: XY, store: Path
) -> None:
    shift = 1

    def closure(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        return np.full(len(X_test), shift)

    options: dict[str, Any] = {"store": store, "seed": 0}
    for _ in range(2):  # run, never taken from the store, and said
        with pytest.warns(
            NotReused, match=r"'closure', which closes over shift.*\. Pass version="
        ) as said:
            done = ef.run.run(closure, halvings(80, 1), *xy, **options)
        assert (done.fits, done.reused) == (2, 0)
        assert len(said) == 1
        assert "\n" not in str(said[0].message)
        assert done.id is not None
        again = ef.run.load(store, done.id).losses["zero-one"]
        assert np.array_equal(again.values, done.losses["zero-one"].values)
    assert ef.run.run(closure, halvings(80, 1), *xy, version={"closure": "1"}, **options).fits == 2
    assert ef.run.run(closure, halvings(80, 1), *xy, version="1", **options).fits == 0
    assert ef.run.run(closure, halvings(80, 1), *xy, version="2", **options).fits == 2


def test_an_algorithm_that_cannot_be_known_again_does_not_hold_up_the_others(
    halvings: Halvings, xy: XY, store: Path
) -> None:
    shift = 1

    def closure(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        return np.full(len(X_test), shift)

    both = {"bayes": GaussianNB(), "closure": closure}
    counts = []
    for _ in range(2):
        with pytest.warns(NotReused, match="Algorithm 'closure' is fitted again in each call"):
            done = ef.run.run(both, halvings(80, 1), *xy, store=store, seed=0)
        counts.append((done.fits, done.reused))
    assert counts == [(4, 0), (2, 2)]


def test_data_without_content_are_refused_a_store(halvings: Halvings, store: Path) -> None:
    rows = [open(store.parent / str(i), "w") for i in range(8)]  # noqa: PTH123, SIM115
    with pytest.raises(InvalidInput, match="X must hold arrays, frames, texts"):
        ef.run.run([GaussianNB()], halvings(8, 1), rows, [0, 1] * 4, store=store)
    for row in rows:
        row.close()


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        (99, r"has schema 99, newer than 2\. Update evenfold to use it\."),
        (1, r"has schema 1, older than 2\. Begin a new store\."),
    ],
)
def test_a_store_of_another_schema_is_left_alone(
    halvings: Halvings, xy: XY, store: Path, schema: int, words: str
) -> None:
    ef.run.run(TREE, halvings(80, 1), *xy, seed=0, store=store)
    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE evenfold SET schema = ?", (schema,))
    connection.close()
    with pytest.raises(StoreError, match=words):
        ef.run.run(TREE, halvings(80, 1), *xy, seed=0, store=store)


def test_other_databases_and_files_are_left_alone(halvings: Halvings, xy: XY, store: Path) -> None:
    with sqlite3.connect(store) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(
        InvalidInput, match=r"store must be a store of evenfold.*holds other tables"
    ):
        ef.run.run(TREE, halvings(80, 1), *xy, store=store)
    text = store.with_name("notes.txt")
    text.write_text("these are my notes, " * 100)
    with pytest.raises(StoreError, match="file is not a database"):
        ef.run.run(TREE, halvings(80, 1), *xy, store=text)
    assert text.read_text().startswith("these are my notes")


def test_a_run_is_loaded_by_its_id(halvings: Halvings, xy: XY, store: Path) -> None:
    difference = ef.run.measure(lambda truth, predicted: truth - predicted, higher_is_better=False)
    measures: list[Any] = ["zero-one", "log", "f1", difference]
    done = ef.run.run(BOTH, halvings(80, 2), *xy, seed=0, store=store, measures=measures)
    assert done.id is not None
    again = ef.run.load(store, done.id)
    assert (again.fits, again.reused, again.seed, again.id) == (0, 8, 0, done.id)
    assert list(again) == list(done)
    for name in done:
        np.testing.assert_array_equal(again[name].values, done[name].values)
    np.testing.assert_array_equal(again["f1"].counts, done["f1"].counts)
    for name in ("zero-one", "log"):
        ours, theirs = again[name].examples, done[name].examples
        assert ours is not None
        assert theirs is not None
        np.testing.assert_array_equal(ours[1][2], theirs[1][2])
    assert again["<lambda>"].examples is None
    for (a, b), (c, d) in zip(again.partition, done.partition, strict=True):
        np.testing.assert_array_equal(a, c)
        np.testing.assert_array_equal(b, d)
    with pytest.raises(
        InvalidInput, match=f"run_id must be the id of a run in .* runs are {done.id}"
    ):
        ef.run.load(store, "nonsense")


@pytest.mark.parametrize("kind", ["folds", "indices"])
def test_every_kind_of_partition_is_kept(xy: XY, store: Path, kind: str) -> None:
    folds = (np.arange(80) % 4).astype(np.uint8)
    parts = [np.flatnonzero(folds == k) for k in range(4)]
    rests = [np.flatnonzero(folds != k) for k in range(4)]
    indices = IndexCut(n=80, trains=tuple(rests), tests=tuple(parts))
    partition = Partition(
        kind=KFOLD,
        seed=None,
        cut=FoldCut(folds=folds, n_splits=4) if kind == "folds" else indices,
        repetition=np.zeros(4, dtype=int),
        fold=np.arange(4),
    )
    done = ef.run.run([LogisticRegression()], partition, *xy, seed=0, store=store)
    assert done.id is not None
    loaded = ef.run.load(store, done.id).partition
    assert type(loaded.cut) is type(partition.cut)
    for k in range(4):
        np.testing.assert_array_equal(loaded.test[k], parts[k])


def test_failures_are_loaded_too(halvings: Halvings, xy: XY, store: Path) -> None:
    def fails(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        raise RuntimeError("no")

    done = ef.run.run(fails, halvings(80, 1), *xy, seed=0, store=store)
    assert done.id is not None
    assert ef.run.load(store, done.id).failures[0].kind == "raised"
    assert count(store, "faults") == 2


def test_everything_claimed_is_given_back(halvings: Halvings, xy: XY, store: Path) -> None:
    ef.run.run(BOTH, halvings(80, 3), *xy, seed=0, store=store)
    assert (count(store, "claims"), count(store, "owners"), count(store, "cells")) == (0, 0, 12)


def test_no_pickle_is_read_or_written(halvings: Halvings, xy: XY, store: Path) -> None:
    ef.run.run(TREE, halvings(80, 1), *xy, seed=0, store=store, measures=["zero-one", "log"])
    with sqlite3.connect(store) as connection:
        blobs = [row[0] for row in connection.execute("SELECT content FROM answers")]
    connection.close()
    assert len(blobs) == 4
    assert all(blob[4:].startswith(b"\x93NUMPY") for blob in blobs)  # after the checksum
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        to_bytes(np.array([object()]))
    evil = b"cos\nsystem\n(S'true'\ntR."
    with pytest.raises(ValueError, match="pickle"):
        from_bytes(evil)


@pytest.mark.parametrize(
    "answer", [[], [[]], [["B-X", "O"], [], ["O"]], np.array(["a", "bcd"]), np.zeros((0, 2))]
)
def test_answers_survive_as_bytes(answer: Any) -> None:
    again = from_bytes(to_bytes(answer))
    if isinstance(answer, list):
        assert again == answer
    else:
        np.testing.assert_array_equal(again, answer)


def test_labels_and_tags_survive_the_store(halvings: Halvings, store: Path) -> None:
    tags = [["B-X", "O"], ["O", "B-X"], ["O"], ["B-Y"]] * 4

    def parrot(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001
        return X_test

    first = ef.run.run(parrot, halvings(16, 1), tags, tags, seed=0, store=store, measures="f1")
    second = ef.run.run(
        parrot, halvings(16, 1), tags, tags, seed=0, store=store, measures=["recall", "zero-one"]
    )
    assert (first.fits, second.fits) == (2, 0)
    assert (second["recall"].values == 1).all()
    assert (second["zero-one"].values == 0).all()


def test_the_seed_of_a_partition_may_be_numpys(halvings: Halvings, xy: XY, store: Path) -> None:
    partition = replace(halvings(80, 1), seed=cast("int", np.int64(3)))
    done = ef.run.run(BOTH, partition, *xy, seed=0, store=store)
    assert ef.run.load(store, str(done.id)).partition.seed == 3


SECRETIVE = [
    "postgresql://me:secret@127.0.0.1:1/x",
    "postgresql://127.0.0.1:1/x?user=me&password=secret",
    "postgresql://127.0.0.1:1/x?user=me&PASSWORD=secret",
    "postgresql://127.0.0.1:1/x?passwd=secret",
    "postgresql://127.0.0.1:1/x?pass%77ord=secret",
    "postgresql://127.0.0.1:1/x?password=a&secret",
    "postgresql://127.0.0.1:1/x?sslpassword=a@secret",
    "mysql://me:secret@127.0.0.1:1/x",
    "post gres://me:secret@127.0.0.1:port/x",
    "postgresql://me:a@secret@127.0.0.1:1/x",
    "postgresql://me:a/secret@127.0.0.1:1/x",
    "postgresql://me:a?secret@127.0.0.1:1/x",
    "postgresql://me:a#secret@127.0.0.1:1/x",
    "postgresql://me:secret\n@127.0.0.1:1/x",
    "postgresql://me:secret\0@127.0.0.1:1/x",
    "postgresql://me:\nsecret@127.0.0.1:1/x\n",
    "postgresql://me@127.0.0.1:secret/x",
    "postgresql://127.0.0.1:secret",
    "postgresql://:secret@127.0.0.1:1/x",
    "postgresql+psycopg://me:secret@[::1]:1/x",
    "sqlite+nothing://me:secret@h/x.db",
    "postgresql:me:secret@127.0.0.1",
    "host=127.0.0.1 password=secret port=1",
]


def said_by(error: BaseException | None) -> str:
    """What a traceback says of an error and of those that led to it."""
    if error is None:
        return ""
    return f"{error} {said_by(error.__cause__)} {said_by(error.__context__)}"


@pytest.mark.parametrize("store", SECRETIVE)
def test_messages_hold_no_password(
    halvings: Halvings, xy: XY, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("evenfold.run.stores.sql"), "_OPENING_SECONDS", 0.0)
    for ask in (
        lambda: ef.run.run(BOTH, halvings(80, 1), *xy, seed=0, store=store),
        lambda: ef.reopen(store, "x"),
        lambda: ef.runs(store),
    ):
        with pytest.raises(EvenfoldError) as caught:
            ask()
        assert "secret" not in said_by(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("store", SECRETIVE)
def test_a_url_is_shown_without_its_password(store: str) -> None:
    assert "secret" not in hide_password(store)
    assert hide_password(store).startswith(store.partition(":")[0].partition(" ")[0])


def test_what_holds_no_password_is_shown_as_it_is() -> None:
    for name in (
        "runs.db",
        "C:/a@b:c.db",
        "sqlite:///runs.db",
        "postgresql://me@[::1]:5432/x?sslmode=require",
    ):
        assert hide_password(name) == name


@pytest.mark.parametrize(
    "name", ["none.db", "sqlite:///none.db", "sqlite:///file:none.db?uri=true"]
)
def test_what_is_not_there_is_not_made_by_reading_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    for ask in (
        lambda: ef.run.load(name, "x"),
        lambda: ef.reopen(name, "x"),
        lambda: ef.runs(name),
    ):
        with pytest.raises(InvalidInput, match="There is no store"):
            ask()
    assert list(tmp_path.iterdir()) == []
    Path("none.db").touch()
    with pytest.raises(InvalidInput, match="the database is empty"):
        ef.reopen(name, "x")
    assert Path("none.db").stat().st_size == 0


@pytest.mark.parametrize(
    "name",
    [
        "a" * 300,
        "sqlite:///" + "a" * 300,
        "~nobody-of-that-name/x.db",
        "sqlite://",
        "postgresql://host:port/x",
        "postgresql://host:99999/x",
        "postgresql://[::1",
        "sqlite+nothing:///a.db",
        "sqlite:///a.db?timeout=soon",
    ],
)
def test_a_store_that_cannot_be_is_refused_in_one_line(
    halvings: Halvings, xy: XY, name: str
) -> None:
    with pytest.raises(InvalidInput, match=r"^store must be "):
        ef.run.run(BOTH, halvings(80, 1), *xy, seed=0, store=name)


def test_a_store_object_is_used_and_left_open(halvings: Halvings, xy: XY) -> None:
    store = MemoryStore()
    first, second = (ef.run.run(BOTH, halvings(80, 2), *xy, seed=0, store=store) for _ in range(2))
    assert (first.fits, second.fits, second.reused) == (8, 0, 8)
    assert (
        ef.run.load(store, str(first.id))["zero-one"].values.tolist()
        == first["zero-one"].values.tolist()
    )
    assert store.claim([b"anything"]) == {b"anything"}
    examples = second["zero-one"].examples
    assert examples is not None
    assert examples[0][0].mean() == second["zero-one"].values[0, 0]


def test_stores_are_found_by_their_scheme(halvings: Halvings, xy: XY) -> None:
    for _ in range(2):
        done = ef.run.run({"only here": GaussianNB()}, halvings(80, 1), *xy, store="memory://")
    assert (done.fits, done.reused) == (0, 2)


def test_another_packages_store_is_found_by_its_scheme(
    halvings: Halvings, xy: XY, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def shoebox(url: str) -> MemoryStore:
        asked.append(url)
        return MemoryStore()

    monkeypatch.setitem(cast("Any", ef.run.stores())._things, "shoebox", shoebox)
    assert ef.run.run(BOTH, halvings(80, 1), *xy, store="shoebox://attic").fits == 4
    assert asked == ["shoebox://attic"]


@pytest.mark.parametrize("bucket", ["cells", "answers"])
def test_what_is_damaged_is_said_and_made_again(
    halvings: Halvings, xy: XY, store: Path, bucket: str, caplog: Any
) -> None:
    plain = ef.run.run(BOTH, halvings(80, 2), *xy, seed=0, measures=["zero-one", "f1"])
    ef.run.run(BOTH, halvings(80, 2), *xy, seed=0, store=store)
    with sqlite3.connect(store) as connection:
        rows = connection.execute(f"SELECT key, content FROM {bucket} ORDER BY key").fetchall()
        read = [row for row in rows if bucket != "answers" or row[0].endswith(b"predict")]
        for number, (key, content) in enumerate(read[:3]):
            bit = (37 * number) % len(content)
            changed = bytes(b ^ 4 if i == bit else b for i, b in enumerate(content))
            connection.execute(f"UPDATE {bucket} SET content = ? WHERE key = ?", (changed, key))
    connection.close()
    done = ef.run.run(BOTH, halvings(80, 2), *xy, seed=0, store=store, measures=["zero-one", "f1"])
    assert f"3 stored {bucket} are damaged and are computed again" in caplog.text
    assert done.fits == 3
    for name in done:
        np.testing.assert_array_equal(done[name].values, plain[name].values)
    caplog.clear()
    again = ef.run.run(BOTH, halvings(80, 2), *xy, seed=0, store=store, measures=["zero-one", "f1"])
    assert (again.fits, caplog.text) == (0, "")


@pytest.mark.parametrize("seed", range(40))
def test_no_flipped_byte_gives_a_wrong_answer(
    halvings: Halvings, xy: XY, store: Path, seed: int
) -> None:
    plain = ef.run.run(BOTH, halvings(80, 2), *xy, seed=0, measures=["zero-one", "log"])
    ef.run.run(BOTH, halvings(80, 2), *xy, seed=0, store=store, measures=["zero-one", "log"])
    rng = np.random.default_rng(seed)
    content = bytearray(store.read_bytes())
    for place in rng.integers(4096, len(content), size=20):
        content[place] ^= 1 << int(rng.integers(8))
    store.write_bytes(content)
    try:
        done = ef.run.run(
            BOTH, halvings(80, 2), *xy, seed=0, store=store, measures=["zero-one", "log"]
        )
    except StoreError:
        return  # the database itself says that it is broken
    for name in done:
        np.testing.assert_array_equal(done[name].values, plain[name].values)


def test_a_damaged_run_is_not_loaded(halvings: Halvings, xy: XY, store: Path) -> None:
    done = ef.run.run(TREE, halvings(80, 1), *xy, seed=0, store=store)
    with sqlite3.connect(store) as connection:
        connection.execute("UPDATE arrays SET content = x'00112233445566'")
    connection.close()
    with pytest.raises(StoreError, match=r"is damaged in .*\. Run the comparison again"):
        ef.run.load(store, str(done.id))
