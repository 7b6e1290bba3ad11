"""Every reader on a small table in the real format, and all of them on the same table."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB

from evenfold.core.errors import InvalidInput, NotInstalled
from evenfold.core.inputs import IDS, Results
from evenfold.read.results import READERS, read_results

LONG = pd.DataFrame(
    {
        "algorithm": ["b", "a", "b", "a", "a", "b"],
        "example": ["9", "9", "10", "10", "007x", "007x"],
        "value": [1.0, 0.0, 0.25, 1e-3, 1 / 3, 1.0],
    }
)


def rows(found: Results) -> list[tuple[Any, ...]]:
    """Every row as plain values, in an order of its own."""
    columns = [np.array(found.names)[found.algorithm]]
    columns += [ids.values() for role in IDS if (ids := found.ids(role)) is not None]
    columns += [
        column for column in (found.value, found.truth, found.prediction) if column is not None
    ]
    return sorted(zip(*[column.tolist() for column in columns], strict=True))


def written(path: Path, frame: Any) -> Path:
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".jsonl":
        path.write_text(
            "".join(json.dumps(row) + "\n" for row in frame.to_dict("records")), encoding="utf-8"
        )
    else:
        frame.to_csv(path, sep="\t" if path.suffix == ".tsv" else ",", index=False)
    return path


@pytest.mark.parametrize(
    "make", [pl.from_pandas, pa.Table.from_pandas, lambda f: pl.from_pandas(f).lazy()]
)
def test_frames_of_any_library_are_read_alike(make: Any) -> None:
    assert rows(read_results(make(LONG))) == rows(read_results(LONG))


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.jsonl"])
def test_files_are_read_as_the_frame(tmp_path: Path, name: str) -> None:
    assert rows(read_results(written(tmp_path / name, LONG))) == rows(read_results(LONG))
    assert rows(read_results(str(tmp_path / name))) == rows(read_results(LONG))


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "cp1252"])
@pytest.mark.parametrize(
    ("name", "separator", "decimal"),
    [
        ("t.csv", ";", ","),
        ("t.csv", "\t", "."),
        ("t.tsv", ",", "."),
        ("t.csv.gz", "|", ","),
        ("t.tsv", "\t", ","),
    ],
)
def test_separator_decimals_and_encoding_are_found(
    tmp_path: Path, name: str, separator: str, decimal: str, encoding: str
) -> None:
    frame = LONG.assign(algorithm=LONG.algorithm.map({"a": "Bäume", "b": "Wald"}))
    frame.to_csv(tmp_path / name, sep=separator, decimal=decimal, encoding=encoding, index=False)
    assert rows(read_results(tmp_path / name)) == rows(read_results(frame))


def test_ids_stay_texts_and_gaps_stay_gaps_beside_decimal_commas(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(
        "algorithm;example;value\na;007;0,5\na;1,5x;\nb;007;1\nb;1,5x;0,25\n", encoding="utf-8"
    )
    found = read_results(path, on_missing="drop")
    assert rows(found) == [("a", "007", 0.5), ("b", "007", 1.0), ("b", "1,5x", 0.25)]


def test_the_row_numbers_of_pandas_are_no_algorithm(tmp_path: Path) -> None:
    pd.DataFrame({"tree": [0, 1, 1], "forest": [1, 1, 0]}).to_csv(tmp_path / "wide.csv")
    assert read_results(tmp_path / "wide.csv", rows="examples").names == ("tree", "forest")


def test_one_file_per_algorithm_is_joined_by_id(tmp_path: Path) -> None:
    parts = {
        name: written(
            tmp_path / f"{name}.csv", LONG[LONG.algorithm == name].drop(columns="algorithm")
        )
        for name in ("b", "a")
    }
    found = read_results(parts)
    assert found.names == ("b", "a")  # a mapping has an order
    assert rows(found) == rows(read_results(LONG))


def test_the_only_other_column_of_a_file_is_its_value(tmp_path: Path) -> None:
    frame = LONG[LONG.algorithm == "a"].drop(columns="algorithm").rename(columns={"value": "score"})
    found = read_results({"a": frame, "b": written(tmp_path / "b.parquet", frame)})
    assert found.value is not None
    assert len(found.value) == 6


def test_files_with_other_columns_are_refused() -> None:
    one = pd.DataFrame({"example": [1], "value": [1.0]})
    with pytest.raises(InvalidInput, match="All tables must have the same columns"):
        read_results({"a": one, "b": one.assign(run=1)})
    with pytest.raises(InvalidInput, match="table of 'a' must have a column of ids"):
        read_results({"a": one[["value"]]})
    with pytest.raises(InvalidInput, match="table of 'a' must have a column 'value'"):
        read_results({"a": one.rename(columns={"value": "x"}).assign(y=1.0)})


def test_wide_frames_with_and_without_ids() -> None:
    wide = pd.DataFrame({"example": ["x", "y"], "tree": [0.0, 1.0], "forest": [1.0, 1.0]})
    found = read_results(wide)
    assert found.names == ("tree", "forest")
    assert rows(found) == [
        ("forest", "x", 1.0),
        ("forest", "y", 1.0),
        ("tree", "x", 0.0),
        ("tree", "y", 1.0),
    ]
    with pytest.raises(InvalidInput, match=r"rows must be given, one of 'examples'"):
        read_results(wide.drop(columns="example"))
    assert read_results(wide.drop(columns="example"), rows="runs").varied == ("run",)


def test_a_forecast_may_count_the_rows() -> None:
    wide = pd.DataFrame(
        {"example": range(20), "truth": np.arange(20) ** 1.1, "trend": range(20), "mean": 9.0}
    )
    assert read_results(wide).names == ("trend", "mean")


def test_a_wide_frame_with_the_truth_holds_predictions() -> None:
    wide = pd.DataFrame(
        {"example": [1, 2], "truth": ["n", "y"], "tree": ["n", "n"], "forest": ["y", "y"]}
    )
    found = read_results(wide)
    assert rows(found)[0] == ("forest", 1, "n", "y")
    assert found.value is None


def test_arrays_need_to_know_what_a_row_is() -> None:
    with pytest.raises(InvalidInput, match="rows must be given"):
        read_results({"a": [1, 2], "b": [2, 3]})
    found = read_results({"b": [1, 2], "a": [2, 3]}, rows="examples")
    assert found.names == ("b", "a")
    assert found.varied == ("example",)


def test_arrays_of_two_axes_are_runs_of_examples() -> None:
    found = read_results({"a": np.zeros((3, 4)), "b": np.ones((3, 4))})
    assert found.varied == ("example", "run")
    assert len(found) == 24
    with pytest.raises(InvalidInput, match="rows must be 'runs' where arrays have two axes"):
        read_results({"a": np.zeros((3, 4))}, rows="folds")


def test_only_runs_may_differ_in_number() -> None:
    with pytest.raises(InvalidInput, match="the same length unless rows='runs'"):
        read_results({"a": [1, 2], "b": [1, 2, 3]}, rows="examples")
    found = read_results({"a": [1, 2], "b": [1, 2, 3]}, rows="runs")
    assert found.run is not None
    assert len(found.run) == 5  # other runs


def test_cross_validate_with_its_splitter() -> None:
    X, y = load_iris(return_X_y=True)
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    table = {
        name: cross_validate(one, X, y, cv=cv)
        for name, one in {"none": DummyClassifier(), "bayes": GaussianNB()}.items()
    }
    found = read_results(table, cv=cv, n=len(y))
    assert found.varied == ("fold",)
    assert found.n_train is not None
    assert set(found.n_train) == {120.0}
    assert found.higher_is_better
    assert rows(found) == rows(read_results(table, n=len(y)))
    with pytest.raises(
        InvalidInput, match="n must be the number of examples that were cut into folds"
    ):
        read_results(table)
    with pytest.raises(InvalidInput, match="as many splits as there are scores"):
        read_results(table, cv=StratifiedKFold(4), n=len(y))


def test_repeated_folds_and_random_splits_are_told_apart() -> None:
    table = {name: {"test_score": np.arange(6.0)} for name in "ab"}
    repeated = read_results(table, cv=RepeatedKFold(n_splits=2, n_repeats=3, random_state=0), n=11)
    assert repeated.varied == ("repetition", "fold")
    splits = read_results(table, cv=ShuffleSplit(6, test_size=0.25, random_state=0), n=100)
    assert splits.varied == ("split",)
    assert splits.n_test is not None
    assert set(splits.n_test) == {25.0}


def test_cross_val_predict_with_its_splitter() -> None:
    X, y = load_iris(return_X_y=True)
    cv = StratifiedKFold(5, shuffle=True, random_state=0)
    models = {"none": DummyClassifier(), "bayes": GaussianNB()}
    wide = pd.DataFrame(
        {"truth": y} | {name: cross_val_predict(one, X, y, cv=cv) for name, one in models.items()}
    )
    found = read_results(wide, rows="examples", cv=cv)
    assert found.varied == ("example", "fold")
    assert found.fold is not None
    for j, (_, test) in enumerate(cv.split(X, y)):
        assert (found.fold.codes[:150][test] == j).all()
    assert rows(found) == rows(read_results(wide, rows="examples", cv=list(cv.split(X, y))))
    with pytest.raises(
        InvalidInput, match="cv must be a splitter that makes the same splits again"
    ):
        read_results(wide, rows="examples", cv=StratifiedKFold(5, shuffle=True))
    with pytest.raises(InvalidInput, match="cv must test every example once"):
        read_results(wide, rows="examples", cv=ShuffleSplit(3, random_state=0))
    with pytest.raises(InvalidInput, match="cv cannot split these rows"):
        read_results(wide, rows="examples", cv=GroupKFold(3))
    assert (
        read_results(wide.assign(group=np.arange(150) // 5), rows="examples", cv=GroupKFold(3)).fold
        is not None
    )


def test_a_group_tells_no_rows_apart() -> None:
    wide = pd.DataFrame({"group": [1, 1, 2, 2], "a": [0, 1, 1, 0], "b": [1, 1, 1, 0]})
    with pytest.raises(InvalidInput, match="rows must be given"):
        read_results(wide)
    assert read_results(wide, rows="examples").varied == ("example", "group")


def test_pairs_stand_for_a_splitter() -> None:
    pairs = [(np.arange(5, 10), np.arange(5)), (np.arange(5), np.arange(5, 10))]
    assert read_results({"a": [1, 2], "b": [2, 3]}, cv=pairs).varied == ("fold",)
    with pytest.raises(InvalidInput, match="cv must be a splitter, a number of folds or a list"):
        read_results({"a": [1, 2]}, cv=object())


def test_one_of_several_scores_must_be_named() -> None:
    table = {"a": {"test_f1": [1.0, 2.0], "test_acc": [1.0, 2.0]}}
    with pytest.raises(InvalidInput, match="measure must be one of 'f1', 'acc'"):
        read_results(table, n=10)
    assert read_results(table, n=10, measure="acc").measure == "acc"


def test_a_grid_search_is_its_candidates() -> None:
    X, y = load_iris(return_X_y=True)
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-2]}, cv=3).fit(X, y)
    found = read_results(search, n=len(y))
    assert found.names == ("var_smoothing=1e-09", "var_smoothing=0.01")
    assert found.varied == ("fold",)
    assert rows(found) == rows(read_results(search.cv_results_, n=len(y)))
    assert [one.code for one in found.notes] == ["searched"]


def study(direction: str, *scores: tuple[float, ...]) -> Any:
    """Return what Optuna 5.0 has of a study, the attributes named as by its OptunaSearchCV."""
    trials = [
        SimpleNamespace(
            state=SimpleNamespace(name="COMPLETE" if folds else "PRUNED"),
            params={"alpha": 0.1 * k},
            user_attrs={f"split{j}_test_score": score for j, score in enumerate(folds)}
            | {"mean_test_score": 0.0},
        )
        for k, folds in enumerate(scores)
    ]
    return SimpleNamespace(
        trials=trials, best_trial=trials[0], direction=SimpleNamespace(name=direction)
    )


def test_a_study_of_optuna_is_its_finished_trials() -> None:
    found = read_results(study("MAXIMIZE", (0.5, 0.75), (), (0.25, 0.5)), n=20)
    assert found.names == ("alpha=0.0", "alpha=0.2")
    assert found.higher_is_better is True
    assert [one.code for one in found.notes] == ["searched"]
    search = SimpleNamespace(study_=study("MAXIMIZE", (0.5, 0.75), (0.25, 0.5)), cv=2)
    assert rows(read_results(search, n=20))[0] == rows(found)[0]
    assert read_results(study("MINIMIZE", (0.5, 0.75)), n=20).higher_is_better is False
    for trials in ([()], [(0.5, 0.75), (0.5,)]):
        with pytest.raises(InvalidInput, match="keep the score of each split"):
            read_results(study("MAXIMIZE", *trials), n=20)


class Unfinished:
    """A study of Optuna whose best trial cannot be asked for."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.trials: list[Any] = []

    @property
    def best_trial(self) -> Any:
        raise self.error


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ValueError("No trials are completed yet."), "keep the score of each split"),
        (RuntimeError("A single best trial cannot be retrieved"), "a study of one objective"),
    ],
)
def test_a_study_without_a_best_trial_is_refused_in_a_sentence(
    error: Exception, words: str
) -> None:
    with pytest.raises(InvalidInput, match=words):
        read_results(Unfinished(error))


ARENA = pd.DataFrame(
    {
        "dataset": ["a", "a", "a", "a", "b", "b"],
        "fold": [0, 1, 0, 1, 0, 0],
        "method": ["GBM", "GBM", "RF", "RF", "GBM", "RF"],
        "metric_error": [0.1, 0.2, 0.25, 0.25, 0.5, 0.75],
        "metric": "rmse",
        "time_train_s": 1.0,
    }
)


@pytest.mark.parametrize("name", ["method", "framework"])
def test_results_of_tabarena_are_one_value_per_data_set(name: str, tmp_path: Path) -> None:
    """Columns as TabArena 2025 writes them; the framework is what it called methods before."""
    frame = ARENA.rename(columns={"method": name})
    found = read_results(frame)
    assert found.varied == ("dataset",)
    assert found.names == ("GBM", "RF")
    assert found.higher_is_better is False
    assert found.measure == "rmse error"
    assert rows(found) == rows(
        read_results(
            pd.DataFrame(
                {
                    "algorithm": ["GBM", "GBM", "RF", "RF"],
                    "dataset": ["a", "b", "a", "b"],
                    "value": [0.15000000000000002, 0.5, 0.25, 0.75],
                }
            )
        )
    )
    frame.to_csv(tmp_path / "results.csv", index=False)
    assert rows(read_results(tmp_path / "results.csv")) == rows(found)
    with pytest.raises(InvalidInput, match="All rows must have the same metric"):
        read_results(frame.assign(metric=["rmse"] * 5 + ["log_loss"]))
    with pytest.raises(InvalidInput, match="measure must be one of 'rmse error'"):
        read_results(frame, measure="rmse")
    for uneven in (frame.iloc[1:], pd.concat([frame, frame])):
        with pytest.raises(InvalidInput, match="All methods must have the same folds"):
            read_results(uneven)


def harness(path: Path, right: list[int], *, task: str = "arc_easy", **changed: Any) -> Path:
    """Write what lm-evaluation-harness 0.4.13 writes with --log_samples, prompts shortened."""
    file = path / f"samples_{task}_2026-11-15T12-00-00.123456.jsonl"
    file.parent.mkdir(parents=True, exist_ok=True)
    lines = []
    for i, one in enumerate(right):
        sample = {
            "doc_id": i,
            "doc": {"id": f"Mercury_{i}", "question": "Which …?", "answerKey": "A"},
            "target": "0",
            "arguments": {"gen_args_0": {"arg_0": "Question: Which …?\nAnswer:", "arg_1": " A"}},
            "resps": [[["-1.5", "False"]], [["-2.5", "False"]]],
            "filtered_resps": [["-1.5", "False"], ["-2.5", "False"]],
            "filter": "none",
            "metrics": ["acc", "acc_norm"],
            "doc_hash": f"{task}{i}",
            "prompt_hash": "0" * 64,
            "target_hash": "1" * 64,
            "acc": float(one),
            "acc_norm": float(one),
        }
        lines.append(json.dumps({**sample, **changed}))
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return file


def test_samples_of_the_language_model_harness(tmp_path: Path) -> None:
    table = {
        "small": harness(tmp_path / "small", [0, 1, 1]),
        "large": [harness(tmp_path / "large", [1, 1, 1])],
    }
    found = read_results(table, measure="acc")
    assert found.names == ("small", "large")
    assert rows(found)[0] == ("large", "arc_easy/0", 1.0)
    assert found.higher_is_better
    folders = {name: tmp_path / name for name in table}
    assert rows(read_results(folders, measure="acc,none")) == rows(found)
    with pytest.raises(InvalidInput, match="measure must be one of 'acc', 'acc_norm'"):
        read_results(table)
    with pytest.raises(
        InvalidInput, match="samples of 'small' must have the filter 'strict', but they have 'none'"
    ):
        read_results(table, measure="acc,strict")


def test_tasks_of_the_harness_are_data_sets_if_said(tmp_path: Path) -> None:
    for name in ("small", "large"):
        for task in ("arc_easy", "piqa"):
            harness(tmp_path / name, [0, 1], task=task)
    table = {name: tmp_path / name for name in ("small", "large")}
    assert read_results(table, measure="acc").varied == ("example",)
    assert read_results(table, measure="acc", rows="data sets").varied == ("example", "dataset")


def test_other_documents_under_the_same_number_are_refused(tmp_path: Path) -> None:
    table = {
        "small": harness(tmp_path / "small", [0, 1]),
        "large": harness(tmp_path / "large", [1, 1], doc_hash="another"),
    }
    with pytest.raises(
        InvalidInput, match="same documents, but the samples of 'large' have another"
    ):
        read_results(table, measure="acc")


def inspect_frame() -> pd.DataFrame:
    """Make what samples_df(columns=EvalModel + SampleSummary) of inspect_ai 0.3.285 gives."""
    keys = [(model, i, epoch) for model in ("mini", "large") for i in (1, 2, 3) for epoch in (1, 2)]
    frame = pd.DataFrame(keys, columns=["model", "id", "epoch"])
    frame["score_match"] = [
        "I" if (i + epoch + len(model)) % 3 == 0 else "C" for model, i, epoch in keys
    ]
    frame["eval_id"], frame["input"], frame["target"] = "e" + frame["model"], "q", "t"
    frame["model"] = "openai/" + frame["model"]
    frame["id"] = frame["id"].astype(str)
    return frame


def test_frames_of_inspect() -> None:
    found = read_results(inspect_frame())
    assert found.varied == ("example", "run")
    assert found.names == ("openai/large", "openai/mini")
    assert found.higher_is_better
    assert found.value is not None
    assert set(found.value) == {0.0, 1.0}
    assert read_results(inspect_frame().assign(score_match=0.25)).higher_is_better is None
    with pytest.raises(InvalidInput, match="table must have a column 'model'"):
        read_results(inspect_frame().drop(columns="model"))
    with pytest.raises(InvalidInput, match="measure must be one of 'match', 'other'"):
        read_results(inspect_frame().assign(score_other=1.0))
    with pytest.raises(InvalidInput, match=r"have a column score_\*"):
        read_results(inspect_frame().drop(columns="score_match"))


class Page(list[Any]):
    """A page of MLflow's search: a list with a token."""

    token: str | None = None


def mlflow_run(i: int, model: str, **metrics: float) -> Any:
    """Make a run with the attributes of mlflow.entities.Run (MLflow 3.17)."""
    return SimpleNamespace(
        info=SimpleNamespace(run_id=f"r{i}", run_name=f"{model}-{i}"),
        data=SimpleNamespace(metrics=metrics, params={"model": model}, tags={"algorithm": model}),
    )


RUNS = [mlflow_run(i, model, acc=0.5 + i / 10) for i, model in enumerate(["a", "b", "a", "b"])]


def test_runs_of_mlflow() -> None:
    found = read_results(RUNS)
    assert found.names == ("a", "b")
    assert found.varied == ("run",)
    assert found.measure == "acc"
    assert rows(read_results(RUNS, columns={"algorithm": "params.model"})) == rows(found)
    with pytest.raises(InvalidInput, match="measure must be one of 'acc', 'loss'"):
        read_results([*RUNS, mlflow_run(9, "a", loss=0.1)])
    with pytest.raises(InvalidInput, match="columns must be one of 'tags', 'params'"):
        read_results(RUNS, columns={"algorithm": "metrics.acc"})


def test_an_experiment_of_mlflow_is_read_page_by_page(monkeypatch: pytest.MonkeyPatch) -> None:
    class Client:
        def get_experiment_by_name(self, name: str) -> Any:
            return SimpleNamespace(experiment_id="7") if name == "digits" else None

        def search_runs(self, experiments: list[str], *, page_token: str | None) -> Page:
            assert experiments == ["7"]
            page = Page(RUNS[2:] if page_token else RUNS[:2])
            page.token = None if page_token else "next"
            return page

    tracking = SimpleNamespace(MlflowClient=Client)
    monkeypatch.setitem(__import__("sys").modules, "mlflow", SimpleNamespace(tracking=tracking))
    monkeypatch.setitem(__import__("sys").modules, "mlflow.tracking", tracking)
    assert rows(read_results("mlflow:digits")) == rows(read_results(RUNS))
    with pytest.raises(InvalidInput, match="MLflow knows no experiment 'letters'"):
        read_results("mlflow:letters")


def test_mlflow_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "mlflow", None)
    with pytest.raises(NotInstalled, match=r'pip install "evenfold\[mlflow\]"$'):
        read_results("mlflow:digits")


class CrossValidationReport:
    """
    What skore 0.28 has of a cross-validation.

    Splits, the truth, and predictions split by split.
    """

    def __init__(self, shift: int) -> None:
        self.y = np.array([0, 1, 1, 0, 1, 0])
        self.split_indices = tuple(
            (np.flatnonzero(np.arange(6) % 2 != j), np.arange(j, 6, 2)) for j in (0, 1)
        )
        self.shift = shift

    def get_predictions(self, *, data_source: str, response_method: str = "predict") -> list[Any]:
        assert (data_source, response_method) == ("test", "predict")
        return [(self.y[test] + self.shift) % 2 for _, test in self.split_indices]


def test_reports_of_skore() -> None:
    reports = {"good": CrossValidationReport(0), "bad": CrossValidationReport(1)}
    found = read_results(SimpleNamespace(reports_=reports))
    assert found.names == ("good", "bad")
    assert found.varied == ("example", "fold")
    assert rows(found) == rows(read_results(reports))
    assert found.truth is not None
    assert (found.truth == found.prediction).sum() == 6


def test_one_test_set_of_skore_has_no_ids() -> None:
    one = SimpleNamespace(y_test=[0, 1], get_predictions=lambda data_source: np.array([0, 0]))  # noqa: ARG005
    with pytest.raises(InvalidInput, match="rows must be 'examples' for reports of one test set"):
        read_results({"a": one, "b": one})
    assert read_results({"a": one, "b": one}, rows="examples").varied == ("example",)


def test_every_reader_says_what_it_takes() -> None:
    with pytest.raises(InvalidInput) as caught:
        read_results(object())
    assert all(reader.takes in str(caught.value) for reader in READERS.values())
