"""Tables under the names that people give their columns, in Python, in files and in the shell."""

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import evenfold as ef
from evenfold.cli import app
from evenfold.core.errors import InvalidInput

ITEMS = 40


def answers(runs: int = 1) -> pd.DataFrame:
    """Return right and wrong answers of two models under the names of evenfold."""
    rng = np.random.default_rng(3)
    keys = itertools.product(("base", "new"), range(ITEMS), range(runs))
    rows = pd.DataFrame(keys, columns=["algorithm", "example", "run"])
    rows["value"] = (rng.random(len(rows)) < 0.7).astype(int)
    return rows if runs > 1 else rows.drop(columns="run")


FORMS: dict[str, tuple[int, dict[str, str]]] = {
    "plain": (1, {"algorithm": "model", "example": "id", "value": "correct"}),
    "questions": (1, {"algorithm": "model", "example": "question_id", "value": "is_correct"}),
    "tasks": (1, {"algorithm": "model_name", "example": "task_id", "value": "passed"}),
    "agents": (1, {"algorithm": "agent", "example": "instance_id", "value": "resolved"}),
    "matches": (1, {"algorithm": "model", "example": "doc_id", "value": "exact_match"}),
    "seeds": (3, {"algorithm": "model", "example": "item_id", "run": "seed", "value": "correct"}),
    "runs": (3, {"algorithm": "system", "example": "id", "run": "run_id", "value": "success"}),
}


@pytest.mark.parametrize("words", [int, bool, lambda v: {1: "True", 0: "False"}[v]])
@pytest.mark.parametrize("form", FORMS)
def test_columns_are_known_by_their_usual_names(form: str, words: Any, tmp_path: Path) -> None:
    runs, names = FORMS[form]
    own = answers(runs)
    expected = ef.judge(own, measure="accuracy")
    named = own.rename(columns=names)
    named[names["value"]] = named[names["value"]].map(words)
    paths = [tmp_path / f"answers.{ending}" for ending in ("csv", "jsonl")]
    named.to_csv(paths[0], index=False)
    named.to_json(paths[1], orient="records", lines=True)
    for table in (named, *paths):
        c = ef.judge(table)
        assert (c.value, c.interval) == (expected.value, expected.interval)
        assert c.facts.measure == "accuracy"
        assert ef.judge(table, measure="accuracy").value == expected.value
    each = {
        name: part.drop(columns=names["algorithm"])
        for name, part in named.groupby(names["algorithm"])
    }
    assert ef.judge(each).value == expected.value


def test_the_shell_knows_them_too(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    table = answers().rename(columns=FORMS["plain"][1])
    table["doc"] = [f"d{i // 4}" for i in table["id"]]
    table.to_csv(path, index=False)
    done = CliRunner().invoke(app, ["judge", str(path)])
    assert done.exit_code == 0, done.output
    assert "accuracy of new" in done.output
    assert "--column group=doc" in done.output  # what may belong together is told, not guessed
    grouped = CliRunner().invoke(app, ["judge", str(path), "--groups", "doc"])
    long = CliRunner().invoke(app, ["judge", str(path), "--column", "group=doc"])
    assert grouped.output == long.output
    assert "doc" in grouped.output.splitlines()[0]


def test_two_columns_that_may_be_the_value_are_named_with_the_option(tmp_path: Path) -> None:
    table = answers().rename(columns=FORMS["plain"][1])
    table["score"] = 0.5
    with pytest.raises(
        InvalidInput, match=r"'correct', 'score'\. Pass columns=\{'value': 'correct'"
    ):
        ef.judge(table)
    assert ef.judge(table, columns={"value": "correct"}, measure="accuracy").value
    path = tmp_path / "t.csv"
    table.to_csv(path, index=False)
    done = CliRunner().invoke(app, ["judge", str(path)])
    assert done.exit_code == 2
    assert "--column value=correct" in done.output


def test_a_column_called_as_the_measure_is_still_the_value() -> None:
    table = answers().rename(columns={"value": "f1"})
    table["correct"] = 1 - table["f1"]
    expected = ef.judge(answers(), higher_is_better=True)
    assert ef.judge(table, measure="f1", higher_is_better=True).value == expected.value


def test_boards_take_tasks_and_models_from_the_index() -> None:
    rng = np.random.default_rng(0)
    values = pd.DataFrame(rng.random((12, 3)), columns=["m1", "m2", "m3"])
    tasks = [f"task {i}" for i in range(12)]
    expected = ef.board(values.assign(task=tasks), higher_is_better=True)
    for name in (None, "task", "dataset", "anything"):
        indexed = values.set_axis(pd.Index(tasks, name=name), axis=0)
        found = ef.board(indexed, higher_is_better=True)
        assert [one.name for one in found.ranking] == [one.name for one in expected.ranking]
    turned = values.set_axis(pd.Index(tasks), axis=0).T.rename_axis(index="model")
    found = ef.board(turned, higher_is_better=True)
    assert [one.name for one in found.ranking] == [one.name for one in expected.ranking]


def test_runs_takes_its_store_by_the_option_of_the_other_commands(tmp_path: Path) -> None:
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    X = np.random.default_rng(0).normal(size=(40, 2))
    store = tmp_path / "runs.db"
    ef.compare([DummyClassifier(), GaussianNB()], X, X[:, 0] > 0, design="kfold:2", store=store)
    by_option = CliRunner().invoke(app, ["runs", "--store", str(store)])
    assert by_option.exit_code == 0
    assert by_option.output == CliRunner().invoke(app, ["runs", str(store)]).output
    assert CliRunner().invoke(app, ["runs"]).exit_code == 2


def test_messages_about_columns_name_them_and_the_option(tmp_path: Path) -> None:
    table = answers()
    path = tmp_path / "t.csv"

    def refused(columns: dict[str, str], *options: str) -> tuple[str, str]:
        named = table.rename(columns=columns)
        named.to_csv(path, index=False)
        with pytest.raises(InvalidInput) as refusal:
            ef.judge(named, columns={"group": options[1]} if options else None)
        done = CliRunner().invoke(app, ["judge", str(path), *options])
        assert done.exit_code == 2
        return str(refusal.value), done.output

    python, shell = refused({"algorithm": "model", "example": "id", "value": "reward"})
    assert "evenfold does not know what column 'model' contains" in python
    assert "Pass columns={'algorithm': 'model', 'value': 'reward'}" in python
    assert "--column algorithm=model --column value=reward" in shell
    python, shell = refused({"example": "idx"})
    assert "pass columns={'example': 'idx'}" in python
    assert "--column example=idx" in shell
    python, shell = refused({}, "--groups", "docs")
    assert "The column of 'group' must be one of 'algorithm', 'example', 'value'" in python
    assert "columns[" not in shell
    with pytest.raises(TypeError, match=r"columns=\{'group': …\}"):
        ef.judge(table, groups="docs")  # type: ignore[call-overload]


def test_no_note_on_answers_speaks_of_training() -> None:
    for method in ("permutation", "paired-bootstrap"):
        c = ef.judge(answers(), measure="accuracy", method=method)
        assert any(note.code == "comparison-only" for note in c.notes)
        assert not any("train" in str(note) or "fitted" in str(note) for note in c.notes)
