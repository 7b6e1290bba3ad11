"""
Tables that used to be misread.

Scores for values, probabilities for labels, names without a direction.
"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.errors import InvalidInput

RNG = np.random.default_rng(3)
N = 150
TRUTH = RNG.integers(0, 2, N)
SHARES = {"m1": 0.3, "m2": 0.1}
SCORES = {name: share * TRUTH + (1 - share) * RNG.random(N) for name, share in SHARES.items()}


def long(truth: Any = TRUTH, **columns: Any) -> pd.DataFrame:
    """One row per model and example; a column is what a function makes of the scores."""
    parts = []
    for name, scores in SCORES.items():
        made = {column: of(scores) for column, of in columns.items()}
        parts.append(
            pd.DataFrame({"algorithm": name, "example": np.arange(N), "truth": truth, **made})
        )
    return pd.concat(parts)


def same(s: Any) -> Any:
    return s


@pytest.mark.parametrize("measure", ["roc_auc", "auc", "f1", "r2", "precision", "mcc"])
def test_a_value_per_example_is_refused_for_measures_that_are_no_means(measure: str) -> None:
    with pytest.raises(
        InvalidInput, match=r"no mean of values per example.*'score' beside 'truth'"
    ):
        ef.judge(long(score=same), columns={"value": "score"}, measure=measure)
    bare = long(value=same).drop(columns="truth")
    with pytest.raises(
        InvalidInput, match=r"no mean of values per example.*Give the columns 'truth'"
    ):
        ef.judge(bare, measure=measure)


def test_f1_of_single_answers_may_be_meant_but_no_area_and_no_r2() -> None:
    values = long(value=same).drop(columns="truth")
    assert ef.judge(values, measure="f1", higher_is_better=True).facts.measure == "f1"
    for measure in ("auc", "r2"):
        with pytest.raises(InvalidInput, match=r"no mean of values per example"):
            ef.judge(values, measure=measure, higher_is_better=True)


def test_scores_of_folds_may_be_areas() -> None:
    folds = {"a": [0.7, 0.8, 0.75, 0.7, 0.9], "b": [0.8, 0.8, 0.85, 0.8, 0.9]}
    assert ef.judge(folds, rows="folds", cv=5, n=100, measure="roc_auc").estimate.value > 0


WIDE = pd.DataFrame({"example": np.arange(N), "truth": TRUTH, **SCORES})


@pytest.mark.parametrize(
    "table",
    [
        long(score=same),
        long(**{"p:1": same}),
        long(**{"p:1": same}).rename(columns={"algorithm": "model", "example": "id"}),
        long(**{"p:0": lambda s: 1 - s}),
        long(prediction=same),
        WIDE,
    ],
    ids=["score", "p:1 alone", "p:1 of models", "p:0 alone", "prediction", "wide"],
)
def test_one_score_per_model_is_enough(table: pd.DataFrame) -> None:
    area = ef.judge(table, measure="auc")
    expected = roc_auc_score(TRUTH, SCORES["m2"]) - roc_auc_score(TRUTH, SCORES["m1"])
    assert float(area.estimate.value) == pytest.approx(expected)
    log = ef.judge(table, measure="log")
    expected = log_loss(TRUTH, SCORES["m2"]) - log_loss(TRUTH, SCORES["m1"])
    assert float(log.estimate.value) == pytest.approx(expected, rel=1e-6)


def test_a_score_speaks_for_the_positive_class() -> None:
    words = np.array(["yes", "no"])[TRUTH]  # the scores are large for "no", the first of both
    c = ef.judge(long(truth=words, score=same), measure="auc", positive="no")
    expected = roc_auc_score(TRUTH, SCORES["m2"]) - roc_auc_score(TRUTH, SCORES["m1"])
    assert float(c.estimate.value) == pytest.approx(expected)


def test_one_probability_gives_the_label_too() -> None:
    c = ef.judge(long(**{"p:1": same}), measure="accuracy")
    right = {name: ((s >= 0.5) == TRUTH).mean() for name, s in SCORES.items()}
    assert float(c.estimate.value) == pytest.approx(right["m2"] - right["m1"])
    three = long(truth=np.arange(N) % 3, **{"p:1": same})
    with pytest.raises(
        InvalidInput, match="Column 'p:1' alone gives the probabilities of two classes"
    ):
        ef.judge(three, measure="auc-ovr")


@pytest.mark.parametrize("measure", ["accuracy", "f1", None])
def test_probabilities_are_no_labels(measure: str | None) -> None:
    asked: dict[str, Any] = {} if measure is None else {"measure": measure}
    for table in (
        WIDE,
        long(prediction=same),
        long(truth=np.array(["no", "yes"])[TRUTH], prediction=same),
    ):
        positive = "yes" if table["truth"].dtype.kind not in "iu" else 1
        with pytest.raises(InvalidInput, match="Column 'prediction' must have labels"):
            ef.judge(table, positive=positive, **asked)
    with pytest.raises(InvalidInput, match=r"predicted labels|measure must be given for scores"):
        ef.judge(long(score=same), **asked)


def test_a_score_that_is_no_probability_has_an_area_and_no_log_loss() -> None:
    logits = long(score=lambda s: 10 * s - 5)
    assert ef.judge(logits, measure="auc").estimate is not None
    with pytest.raises(InvalidInput, match="Column 'score' must be a probability"):
        ef.judge(logits, measure="log")


def test_a_score_without_a_truth_is_a_value() -> None:
    c = ef.judge(long(score=same).drop(columns="truth"), higher_is_better=True)
    assert float(c.estimate.value) == pytest.approx(SCORES["m2"].mean() - SCORES["m1"].mean())


def test_who_is_a_is_said_where_the_alphabet_decides() -> None:
    values = long(value=same).drop(columns="truth").replace({"m1": "zeta", "m2": "alpha"})
    c = ef.judge(values, higher_is_better=True)
    assert (
        "A is 'alpha', the first by name. Pass baseline='zeta' to reverse the comparison."
        in map(str, c.notes)
    )
    assert not ef.judge(values, higher_is_better=True, baseline="zeta").notes
    named = {"zeta": SCORES["m1"], "alpha": SCORES["m2"]}
    told = ef.judge(named, rows="examples", higher_is_better=True)
    assert not told.notes
    turned = ef.judge(values, higher_is_better=True, baseline="zeta")
    assert float(told.estimate.value) == pytest.approx(float(turned.estimate.value))


def test_results_of_a_search_as_a_frame() -> None:
    X = np.column_stack(list(SCORES.values()))
    search = GridSearchCV(DecisionTreeClassifier(random_state=0), {"max_depth": [1, 3]}, cv=10).fit(
        X, TRUTH
    )
    plain = ef.judge(search.cv_results_, n=N)
    frame = ef.judge(pd.DataFrame(search.cv_results_), n=N)
    assert str(frame.verdict) == str(plain.verdict)
    assert frame.estimate.confidence_interval() == plain.estimate.confidence_interval()


@pytest.mark.parametrize("name", ["ndcg@10", "loss", "bleu"])
def test_the_direction_of_an_unknown_measure_is_asked_for(name: str) -> None:
    values = long(value=same).drop(columns="truth")
    with pytest.raises(InvalidInput, match=f"evenfold does not know measure '{name}'"):
        ef.judge(values, measure=name)
    assert ef.judge(values, measure=name, higher_is_better=False).facts.measure == name


def test_a_slip_of_the_pen_is_still_asked_about() -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'accuracy'"):
        ef.judge(long(value=same).drop(columns="truth"), measure="acurracy")


def visits(**columns: Any) -> pd.DataFrame:
    """Values of two models on the same examples, with further columns for each example."""
    parts = [
        pd.DataFrame({"algorithm": name, "example": np.arange(N), "value": scores > 0.5, **columns})
        for name, scores in SCORES.items()
    ]
    return pd.concat(parts).astype({"value": int})


PATIENT = np.array([f"P{k}" for k in RNG.integers(0, 30, N)])


@pytest.mark.parametrize(
    ("name", "values"),
    [("patient", PATIENT), ("ward", PATIENT), ("user_id", np.arange(N) // 5)],
)
def test_a_column_that_may_be_groups_is_named_when_nobody_used_it(name: str, values: Any) -> None:
    table = visits(**{name: values})
    (note,) = [one for one in ef.judge(table, measure="accuracy").notes if "not used" in str(one)]
    groups = len(np.unique(values))
    assert str(note).startswith(
        f"Column {name!r} ({groups} values) was not used, and the examples count as"
    )
    assert f"columns={{'group': {name!r}}}" in str(note)
    told = ef.judge(table, measure="accuracy", columns={"group": name}).facts
    assert not any("not used" in str(one) for one in told.notes)
    each = {name: one.drop(columns="algorithm") for name, one in table.groupby("algorithm")}
    assert note in ef.judge(each, measure="accuracy").notes


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("language", np.where(np.arange(N) % 2, "de", "en")),  # kinds of examples
        ("length", np.arange(N) // 5),  # a number that was measured
        ("prompt", [f"text {k}" for k in range(N)]),  # each its own
        ("comment", [None if k % 3 else f"c{k % 10}" for k in range(N)]),  # gaps
        ("tags", [[k % 10] for k in range(N)]),  # lists
    ],
)
def test_other_columns_are_passed_over_in_silence(name: str, values: Any) -> None:
    c = ef.judge(visits(**{name: values}), measure="accuracy")
    assert not any("not used" in str(one) for one in c.notes)


def test_what_differs_between_the_models_is_no_group() -> None:
    table = visits()
    table["output"] = [f"answer {k}" for k in RNG.integers(0, 20, len(table))]
    c = ef.judge(table, measure="accuracy")
    assert not any("not used" in str(one) for one in c.notes)


def test_a_table_of_words_needs_a_truth_and_a_prediction() -> None:
    table = visits().rename(columns={"algorithm": "model", "example": "id"})
    table["label"] = table["pred"] = np.where(table.pop("value") > 0, "cat", "dog")
    with pytest.raises(InvalidInput, match="'algorithm': 'model', 'truth': …, 'prediction': …"):
        ef.judge(table, measure="accuracy")
    with pytest.raises(InvalidInput, match="columns id, y_true and y_pred"):
        ef.judge({"a": [1, 0], "b": [1, 1]}, y_true=[1, 1])  # type: ignore[call-overload]  # a mistake


def test_the_remedy_names_the_only_column_of_numbers() -> None:
    table = visits().rename(columns={"algorithm": "model", "example": "id", "value": "hit"})
    with pytest.raises(InvalidInput, match="'algorithm': 'model', 'value': 'hit'"):
        ef.judge(table, measure="accuracy")
