"""A run that is reopened gives the answer that the comparison gave which made it."""

import sqlite3
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import evenfold as ef
from evenfold.core.errors import InvalidInput, NotApplicable, StoreError
from evenfold.run.records.encoding import from_bytes, to_bytes
from evenfold.run.stores import add_checksums, check_and_strip_checksums

X, y = load_breast_cancer(return_X_y=True)
FEW = slice(0, 200)
TWO = {"stump": DecisionTreeClassifier(max_depth=1), "bayes": GaussianNB()}
THREE = {**TWO, "tree": DecisionTreeClassifier(max_depth=3)}
RNG = np.random.default_rng(0)


@pytest.fixture(autouse=True)
def every_prediction_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """However busy the machine is, probabilities are kept, too: slow predictions are not."""
    monkeypatch.setattr("evenfold.run.cells._QUICK_SECONDS", float("inf"))


def same(one: ef.Comparison, other: ef.Comparison) -> None:
    assert other.facts.method.key == one.facts.method.key
    for a, b in zip(one.pairs, other.pairs, strict=True):
        assert (a.baseline, a.challenger) == (b.baseline, b.challenger)
        assert str(a.verdict.outcome if a.verdict else "") == str(
            b.verdict.outcome if b.verdict else ""
        )
        assert (a.level, a.pvalue, a.adjusted_pvalue) == (b.level, b.pvalue, b.adjusted_pvalue)
        ends: list[Any] = [a.estimate, b.estimate]
        if a.estimate is not None:
            assert ends[0].confidence_interval() == ends[1].confidence_interval()


ASKED: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "three halvings": (TWO, {"design": ef.Mx2BCV(3)}),
    "five halvings": (TWO, {"design": ef.Mx2BCV(5)}),
    "halvings by a method": (TWO, {"design": ef.Mx2BCV(5), "method": "mx2-t"}),
    "halvings that look": (TWO, {"design": ef.Mx2BCV(7), "method": "mx2-sequential-t"}),
    "folds": (TWO, {"design": ef.KFold(5)}),
    "splits": (TWO, {"design": "rlt:10:0.5"}),
    "the default": (TWO, {}),
    "a margin": (TWO, {"margin": 0.05}),
    "not worse": (TWO, {"alternative": "not-worse", "margin": 0.02, "design": ef.Mx2BCV(3)}),
    "a level": (TWO, {"level": 0.2, "design": ef.Mx2BCV(3)}),
    "full size": (TWO, {"at": "full"}),
    "three of them": (THREE, {"baseline": "bayes", "adjust": "bonferroni"}),
    "one alone": ({"bayes": GaussianNB()}, {"design": ef.Mx2BCV(5)}),
    "a score": (TWO, {"measure": "f1", "design": ef.Mx2BCV(5)}),
}


@pytest.mark.parametrize("name", ASKED)
def test_a_run_says_the_same_again(tmp_path: Path, name: str) -> None:
    algorithms, options = ASKED[name]
    store = tmp_path / "runs.db"
    c = ef.compare(algorithms, X[FEW], y[FEW], random_state=1, store=store, **options)
    again = ef.reopen(store, str(c.facts.run_id))
    same(c, again)
    assert ef.compare(algorithms, X[FEW], y[FEW], random_state=1, store=store, **options).fits == 0


def test_every_measure_says_the_same_again(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    for i, design in enumerate((None, ef.Mx2BCV(5))):
        c = ef.compare(
            TWO,
            X[FEW],
            y[FEW],
            measure=["zero-one", "log"],
            design=design,
            random_state=i,
            store=store,
        )
        same(c["log"], ef.reopen(store, str(c.facts.run_id), measure="log"))


def test_numbers_say_the_same_again(tmp_path: Path) -> None:
    store, target = tmp_path / "runs.db", X[FEW, 0] + RNG.normal(size=200)
    two = {"tree": DecisionTreeRegressor(max_depth=2), "ridge": Ridge()}
    c = ef.compare(two, X[FEW, 1:], target, design=ef.Mx2BCV(3), random_state=0, store=store)
    same(c, ef.reopen(store, str(c.facts.run_id)))


def test_what_is_said_now_overrules_what_was_asked(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    c = ef.compare(
        TWO, X[FEW], y[FEW], margin=0.05, design=ef.Mx2BCV(5), random_state=0, store=store
    )
    again = ef.reopen(store, str(c.facts.run_id), margin=0.0, method="mx2-t", level=0.1)
    assert again.facts.margin == 0.0
    assert again.facts.level == 0.1
    assert again.estimate.method == "mx2-t"


def test_a_run_that_does_not_say_how_it_was_judged_gets_the_usual_test(
    tmp_path: Path,
) -> None:
    store, partition = tmp_path / "runs.db", ef.Mx2BCV(5, random_state=0).partition(200)
    done = ef.run.run(TWO, partition, X[FEW], y[FEW], seed=0, store=store)
    assert ef.reopen(store, str(done.id)).estimate.method == "mx2-influence-t"


def test_functions_of_ones_own_are_judged_by_what_is_left(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    wrong = ef.run.measure(
        lambda truth, predicted: truth != predicted, name="wrong", higher_is_better=False
    )
    two = {"bayes": GaussianNB(), "logistic": LogisticRegression(max_iter=5000)}
    c = ef.compare(
        two, X[FEW], y[FEW], measure=wrong, design=ef.Mx2BCV(5), random_state=0, store=store
    )
    assert ef.reopen(store, str(c.facts.run_id)).verdict is not None


def test_another_measure_is_computed_from_what_the_store_has(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    for design in (ef.KFold(5), ef.Mx2BCV(3), None):
        c = ef.compare(TWO, X[FEW], y[FEW], design=design, random_state=0, store=store)
        for measure in ("log", "auc", "f1", "balanced-accuracy"):
            again = ef.reopen(store, str(c.facts.run_id), measure=measure)
            assert again.fits == 0
            fresh = ef.compare(
                TWO, X[FEW], y[FEW], design=design, random_state=0, measure=["zero-one", measure]
            )[measure]
            if design is not None:
                np.testing.assert_array_equal(again.losses.values, fresh.losses.values)
                same(fresh, again)


def test_what_the_store_cannot_give_is_said(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    from sklearn.svm import LinearSVC

    two = {"svm": LinearSVC(), "bayes": GaussianNB()}
    c = ef.compare(two, X[FEW], y[FEW], design=ef.Mx2BCV(3), random_state=0, store=store)
    message = r"The store has no predict_proba of 'svm' for measure 'log'\. Compare again with"
    with pytest.raises(NotApplicable, match=message):
        ef.reopen(store, str(c.facts.run_id), measure="log")
    with pytest.raises(InvalidInput, match="measure 'unheard-of' is not known"):
        ef.reopen(store, str(c.facts.run_id), measure="unheard-of")
    assert ef.reopen(store, str(c.facts.run_id), measure="auc").verdict is not None


def test_cells_that_failed_stay_failed_for_another_measure(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    folds = ef.KFold(4, random_state=0).partition(40)
    done = ef.run.run(
        {"bayes": GaussianNB(), "odd": odd}, folds, X[:40], y[:40], seed=0, store=store
    )
    again = ef.run.load(store, str(done.id), measure="f1")
    assert (
        [one.split for one in again["f1"].failures]
        == [one.split for one in done.failures]
        == [0, 1, 2, 3]
    )
    assert np.isfinite(again["f1"].values[0]).all()


def odd(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001  (an algorithm's signature)
    raise RuntimeError("no")


def _replace_answers(store: Path, change: Any) -> None:
    """Write other answers, with checksums that fit, in place of all that a store has."""
    with sqlite3.connect(store) as connection:
        for key, content in connection.execute("SELECT key, content FROM answers").fetchall():
            answer = from_bytes(check_and_strip_checksums("answers", {key: content})[key])
            items = add_checksums({("answers", key): to_bytes(change(answer))})
            connection.execute(
                "UPDATE answers SET content = ? WHERE key = ?", (items["answers", key], key)
            )
    connection.close()


@pytest.mark.parametrize(
    "change", [lambda answer: answer[:-1], lambda answer: answer[:, None]], ids=["short", "deep"]
)
def test_one_damaged_run_does_not_hide_the_others(tmp_path: Path, change: Any) -> None:
    store = tmp_path / "runs.db"
    options: dict[str, Any] = {"design": ef.Mx2BCV(5), "random_state": 0, "store": store}
    ef.compare(TWO, X[FEW], y[FEW], **options)
    [first] = ef.runs(store)
    _replace_answers(store, change)
    ef.compare(TWO, X[200:400], y[200:400], **options)
    verdicts = {one.id: one.verdict for one in ef.runs(store)}
    assert len(verdicts) == 2
    assert "damaged in the store. Run the comparison again." in verdicts.pop(first.id)
    assert all(verdict and not verdict.startswith("none") for verdict in verdicts.values())
    with pytest.raises(StoreError, match=r"damaged in the store\. Run the comparison again"):
        ef.reopen(store, first.id)


@pytest.mark.parametrize("content", [b"", b"\x00\x01", b"[1, 2]", b'{"seed": 1}'])
def test_the_table_of_runs_names_a_record_that_cannot_be_read(
    tmp_path: Path, content: bytes
) -> None:
    store = tmp_path / "runs.db"
    options: dict[str, Any] = {"design": ef.Mx2BCV(5), "random_state": 0, "store": store}
    ef.compare(TWO, X[FEW], y[FEW], **options)
    [first] = ef.runs(store)
    ef.compare(TWO, X[200:400], y[200:400], **options)
    with sqlite3.connect(store) as connection:
        connection.execute(
            "UPDATE runs SET content = ? WHERE key = ?", (content, first.id.encode())
        )
    connection.close()
    found = ef.runs(store)
    damaged = f"Run '{first.id}' is damaged"
    assert sum(damaged in line for line in str(found).splitlines()) == 1
    assert f"<td>{first.id}</td>" in found._repr_html_()
    assert [run.id == first.id for run in found].count(False) == 1
