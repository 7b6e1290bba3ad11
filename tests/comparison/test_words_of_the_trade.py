"""Names that other libraries use are understood, or answered with the right one."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.metrics import mean_absolute_percentage_error
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.errors import InvalidInput

X, y = (part[:120] for part in load_breast_cancer(return_X_y=True))
TWO = {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}
REGRESSORS = {"ridge": Ridge(), "ols": LinearRegression()}


def ask(**more: Any) -> ef.Comparison:
    return ef.compare(TWO, X, y, **{"design": "mx2-bcv:3", **more})


def test_parameters_of_other_libraries_mean_ours() -> None:
    theirs = ef.compare(TWO, X, y, scoring="roc_auc", cv="mx2-bcv:3", seed=1, alpha=0.1)  # type: ignore[call-arg]
    ours = ef.compare(TWO, X, y, measure="roc_auc", design="mx2-bcv:3", random_state=1, level=0.1)
    assert str(theirs.verdict) == str(ours.verdict)
    rows = {"a": [1, 0, 1] * 10, "b": [1, 1, 1] * 10}
    asked: Any = {"metric": "accuracy"}
    assert ef.judge(rows, rows="examples", **asked).losses.measure == "accuracy"
    tasks = pd.DataFrame({"model": ["a", "b", "c"] * 8, "task": np.repeat(np.arange(8), 3)})
    leaders: Any = {"metric": "accuracy", "alpha": 0.1, "seed": 1}
    assert ef.board(tasks.assign(value=[0.1, 0.5, 0.9] * 8), **leaders).facts.level == 0.1
    spread: Any = {"sd": 0.0096}
    assert ef.plan(0.02, rows="runs", **spread).runs == 5
    nothing: Any = {"sead": 1}  # near seed, which plan has no use for
    with pytest.raises(TypeError, match=r"plan has no parameter 'sead'\. See help"):
        ef.plan(0.02, **nothing)


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"levle": 0.1}, "compare has no parameter 'levle'. Did you mean 'level'?"),
        ({"scorings": "auc"}, "Did you mean 'measure'?"),
        ({"seed": 1, "random_state": 2}, "seed means random_state, which was given too."),
        ({"zzz": 1}, "compare has no parameter 'zzz'. See help"),
        ({"confidence": 0.9}, "Pass level=, which is 1 − confidence."),
        ({"question": "best"}, "question= is gone: every comparison has best_set; leave it out."),
        ({"question": "pairs"}, "question= is gone: every comparison has best_set; leave it out."),
    ],
)
def test_unknown_parameters_are_answered_in_one_line(named: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message.replace("?", r"\?")) as caught:
        ask(**named)
    assert isinstance(caught.value, ef.EvenfoldError)


def test_a_stored_run_is_not_asked_the_question_of_version_0_2_either() -> None:
    asked: Any = {"question": "best"}
    with pytest.raises(ef.EvenfoldError, match="question= is gone: every comparison has best_set"):
        ef.reopen("runs.db", "an id", **asked)


@pytest.mark.parametrize(
    "use",
    [
        lambda key: ask(method=key),
        lambda key: ef.reopen("runs.db", "an id", method=key),
        lambda key: ef.infer.methods()[key],
        lambda key: ef.judge({"a": [1, 0], "b": [0, 1]}, rows="examples", method=key),
    ],
)
def test_the_default_method_of_version_0_2_names_the_one_that_replaced_it(use: Any) -> None:
    with pytest.raises(ef.EvenfoldError) as caught:
        use("mx2-influence-sequential-t")
    said = "method 'mx2-influence-sequential-t' is replaced by 'mx2-influence-t', the default."
    assert str(caught.value) == said


def test_the_function_of_version_0_2_names_the_one_that_replaced_it() -> None:
    name = "mx2_influence_sequential_t"
    assert not hasattr(ef.infer, name)
    with pytest.raises(AttributeError, match=r"is replaced by evenfold\.infer\.until_stable\.$"):
        getattr(ef.infer, name)


@pytest.mark.parametrize(
    ("theirs", "ours"),
    [
        ("AUROC", "auc"), ("F1", "f1"), ("MCC", "mcc"), ("ECE", "ece"), ("NDCG", "ndcg"),
        ("PR-AUC", "average_precision"), ("log_loss", "log"), ("Cross-Entropy", "log"),
        ("acc", "accuracy"),
    ],
)  # fmt: skip
def test_measures_by_other_names(theirs: str, ours: str) -> None:
    np.testing.assert_array_equal(
        ask(measure=theirs, random_state=0).losses.values,
        ask(measure=ours, random_state=0).losses.values,
    )


def test_percentage_errors_are_those_of_scikit_learn() -> None:
    A, b = (part[:120] for part in load_diabetes(return_X_y=True))
    c = ef.compare(REGRESSORS, A, b, measure="MAPE", design="holdout:0.5", random_state=0)
    train, test = c.partition.train[0], c.partition.test[0]
    guess = Ridge().fit(A[train], b[train]).predict(A[test])
    assert c.losses.values[0, 0] == pytest.approx(mean_absolute_percentage_error(b[test], guess))
    symmetric = ef.compare(REGRESSORS, A, b, measure="sMAPE", design="holdout:0.5", random_state=0)
    by_hand = np.mean(np.abs(guess - b[test]) / ((np.abs(guess) + np.abs(b[test])) / 2))
    assert symmetric.losses.values[0, 0] == pytest.approx(by_hand)


@pytest.mark.parametrize(
    "name",
    [
        "spearman",
        "specificity",
        "wape",
        "c-index",
        "crps",
        "brier_score",
        "gini",
        "BLEU",
        "recall@5",
    ],
)
def test_what_is_no_measure_by_name_is_answered_with_the_line_that_makes_it(name: str) -> None:
    with pytest.raises(InvalidInput, match=f"There is no measure with the name '{name}'"):
        ask(measure=name)


def test_a_measure_that_nobody_knows_is_answered_without_a_wall_of_names() -> None:
    with pytest.raises(
        InvalidInput, match=r"measure 'lift' is not known\. Common ones are"
    ) as caught:
        ask(measure="lift")
    assert len(str(caught.value)) < 250


def test_two_brier_scores_have_two_names() -> None:
    both = [ask(measure=name, random_state=0) for name in ("brier", "brier_score_loss")]
    assert [c.facts.measure_words for c in both] == ["multiclass Brier score", "Brier score"]
    np.testing.assert_allclose(both[0].losses.values, 2 * both[1].losses.values)


def test_the_area_needs_no_positive_class_and_parts_of_it_do() -> None:
    words = np.where(y == 1, "yes", "no")
    c = ef.compare(TWO, X, words, measure="auc", design="mx2-bcv:3", random_state=0)
    either = ef.compare(
        TWO, X, words, measure="auc", positive="no", design="mx2-bcv:3", random_state=0
    )
    # of bayes 1 − p may round to 1
    np.testing.assert_allclose(c.losses.values[0], either.losses.values[0])
    with pytest.raises(InvalidInput, match="positive must be one of"):
        ef.compare(TWO, X, words, measure="partial-auc:0.1", design="mx2-bcv:3")


def test_targets_of_one_column_are_taken() -> None:
    flat = ask(random_state=0).losses.values
    for shaped in (y[:, None], pd.DataFrame({"y": y})):
        found = ef.compare(TWO, X, shaped, design="mx2-bcv:3", random_state=0)
        np.testing.assert_array_equal(found.losses.values, flat)


SURVIVAL = np.array([(True, 1.0)] * 120, dtype=[("event", bool), ("time", float)])


@pytest.mark.parametrize(
    ("target", "message"),
    [
        (np.c_[y, y], r"Compare one output at a time, as in y\[:, 0\]"),
        (np.where(np.arange(120) == 3, np.nan, y), r"known = pd.notna\(y\)"),
        (SURVIVAL, "survival times"),
    ],
)
def test_targets_that_cannot_be_compared_are_answered_with_what_to_do(
    target: Any, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        ef.compare(TWO, X, target)


def test_columns_of_predictions_by_their_usual_names() -> None:
    n = 60
    long = pd.DataFrame(
        {
            "model": np.repeat(["a", "b"], n),
            "id": np.tile(np.arange(n), 2),
            "y_true": np.tile(y[:n], 2),
            "y_pred": np.r_[y[:n], 1 - y[:n]],
        }
    )
    ours = long.set_axis(["algorithm", "example", "truth", "prediction"], axis=1)
    assert str(ef.judge(long, measure="accuracy").verdict) == str(
        ef.judge(ours, measure="accuracy").verdict
    )
    seeds = pd.DataFrame(
        {"model": ["a"] * 4 + ["b"] * 4, "seed": [*range(4)] * 2, "score": np.arange(8) / 8}
    )
    assert ef.judge(seeds, measure="accuracy").estimate.method == "runs-t"


def test_a_column_called_as_the_measure_holds_its_values() -> None:
    long = pd.DataFrame(
        {
            "system": np.repeat(["bm25", "dense"], 60),
            "query": np.tile([f"q{k}" for k in range(60)], 2),
            "ndcg@10": np.random.default_rng(0).random(120),
        }
    )
    ours = long.set_axis(["algorithm", "example", "value"], axis=1)
    found = ef.judge(long, measure="ndcg@10", higher_is_better=True)
    assert str(found.verdict) == str(
        ef.judge(ours, measure="ndcg@10", higher_is_better=True).verdict
    )
    mapped = ef.judge(
        long.rename(columns={"system": "who"}),
        measure="ndcg@10",
        higher_is_better=True,
        columns={"algorithm": "who"},
    )
    assert str(mapped.verdict) == str(found.verdict)


def test_an_algorithm_may_be_called_model() -> None:
    wide = pd.DataFrame({"model": [1, 0, 1, 1] * 9, "human": [1, 1, 1, 1] * 9})
    c = ef.judge(wide, rows="examples", measure="accuracy")
    assert c.losses.algorithms == ("model", "human")


@pytest.mark.parametrize("stored", [True, False])
def test_an_interruption_says_what_is_kept(stored: bool, tmp_path: Any, capsys: Any) -> None:
    calls = []

    def stopped(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001  (one signature)
        calls.append(len(y_train))
        if len(calls) > 3:
            raise KeyboardInterrupt
        return np.zeros(len(X_test), dtype=int)

    store = str(tmp_path / "runs.db") if stored else None
    with pytest.raises(KeyboardInterrupt):
        ef.compare(
            {"bayes": GaussianNB(), "own": stopped}, X, y, store=store, version="1", random_state=7
        )
    said = capsys.readouterr().err
    kept = "Finished fits are in the store: call again with random_state=7 to continue."
    assert f"evenfold: interrupted. {kept if stored else 'Nothing is kept'}" in said
    assert len(said.splitlines()) == 1
    if stored:

        def goes_on(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001  (one signature)
            return np.zeros(len(X_test), dtype=int)

        again = ef.compare(
            {"bayes": GaussianNB(), "own": goes_on}, X, y, store=store, version="1", random_state=7
        )
        assert again.reused > 0


def test_non_inferiority_is_answered_with_its_name_here() -> None:
    for said in ("non-inferior", "noninferiority", "Non-Inferiority"):
        with pytest.raises(InvalidInput, match="'not-worse', the test of non-inferiority"):
            ef.compare(TWO, X, y, alternative=said, margin=0.1)  # type: ignore[arg-type]  # a mistake


def test_a_path_in_place_of_data_is_answered_with_the_line_that_reads_it() -> None:
    with pytest.raises(InvalidInput, match=r"read_table\('homes.csv', target='sold'\)"):
        ef.compare(TWO, "homes.csv", "sold")


def test_words_in_the_data_are_answered_with_a_way_to_encode_them() -> None:
    job = np.array([["cook", "nurse"][k % 2] for k in range(len(y))])[:, None]
    c = ef.compare(TWO, job, y, random_state=0)
    (note,) = [one for one in c.facts.notes if "X contains words" in str(one)]
    assert "table.prepared(model)" in str(note)
