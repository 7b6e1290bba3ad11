"""Scores that are no means, from data to verdict: by halvings, on one test set, from a table."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB

import evenfold as ef

RNG = np.random.default_rng(3)
N = 240
Y = RNG.choice(3, size=N, p=[0.5, 0.3, 0.2])
X = RNG.normal(size=(N, 3)) + 1.2 * np.eye(3)[Y]
PEERS: dict[str, Any] = {
    "macro-f1": partial(metrics.f1_score, average="macro"),
    "mcc": metrics.matthews_corrcoef,
    "balanced-accuracy": metrics.balanced_accuracy_score,
    "kappa": metrics.cohen_kappa_score,
    "f-beta:2": partial(metrics.fbeta_score, beta=2, labels=[2], average="micro"),
    "cost:0,1,2/1,0,1/4,2,0": lambda y, p: np.array([[0, 1, 2], [1, 0, 1], [4, 2, 0]])[y, p].mean(),
}


def one_feature(X_train: Any, y_train: Any, X_test: Any) -> Any:
    return GaussianNB().fit(X_train[:, :1], y_train).predict(X_test[:, :1])


PAIR: dict[str, Any] = {"bayes": GaussianNB(), "one feature": one_feature}


@pytest.mark.parametrize("name", list(PEERS))
def test_one_test_set_from_fits_and_from_a_table(name: str) -> None:
    """The variance is that of the jackknife; a table of the same predictions says the same."""
    c = ef.compare(
        PAIR, X, Y, measure=name, design=ef.design.Holdout(0.5), positive=2, random_state=0
    )
    train, test = c.partition.train[0], c.partition.test[0]
    said = [
        GaussianNB().fit(X[train], Y[train]).predict(X[test]),
        one_feature(X[train], Y[train], X[test]),
    ]
    peer, truth = PEERS[name], Y[test]
    value = peer(truth, said[1]) - peer(truth, said[0])
    assert float(c.estimate.value) == pytest.approx(value, rel=1e-9)
    kept = [np.delete(np.arange(len(test)), i) for i in range(len(test))]
    left = np.array([peer(truth[k], said[1][k]) - peer(truth[k], said[0][k]) for k in kept])
    jackknife = np.sqrt((len(test) - 1) / len(test) * ((left - left.mean()) ** 2).sum())
    assert float(c.estimate.standard_error) == pytest.approx(jackknife, rel=0.05)
    rows = [
        pd.DataFrame({"algorithm": who, "example": test, "truth": truth, "prediction": predicted})
        for who, predicted in zip(PAIR, said, strict=True)
    ]
    table = ef.judge(pd.concat(rows), measure=name, positive=2, baseline="bayes")
    assert float(table.estimate.value) == pytest.approx(value, rel=1e-9)
    assert float(table.estimate.standard_error) == pytest.approx(
        float(c.estimate.standard_error), rel=1e-9
    )


@pytest.mark.parametrize(
    "name", ["macro-f1", "mcc", "kappa:quadratic", "g-mean", "auc-ovr", "auc-ovo"]
)
def test_scores_of_three_classes_get_the_sharp_default(name: str) -> None:
    pair = {"dummy": DummyClassifier(strategy="stratified", random_state=0), "bayes": GaussianNB()}
    c = ef.compare(pair, X, Y, measure=name, random_state=0)
    assert c.facts.method.key == "mx2-influence-t"
    assert str(c.verdict.outcome) == "better"
    assert -2 <= c.facts.pairs[0].low <= c.facts.pairs[0].value <= c.facts.pairs[0].high <= 2


def test_scorers_by_name_and_as_objects_are_the_same_measure() -> None:
    pair = {"bayes": GaussianNB(), "logit": LogisticRegression()}
    macro = metrics.make_scorer(metrics.f1_score, average="macro")
    fixed: Any = {"design": ef.Mx2BCV(3), "random_state": 0}
    found = [
        ef.compare(pair, X, Y, measure=one, **fixed) for one in ("macro-f1", "f1_macro", macro)
    ]
    assert {c.facts.method.key for c in found} == {"mx2-influence-t"}
    assert len({float(c.estimate.standard_error) for c in found}) == 1
    assert found[1].facts.measure_words == "macro F1"
    two = ef.compare(
        pair, X, Y == 0, measure=metrics.make_scorer(metrics.fbeta_score, beta=2), **fixed
    )
    assert two.facts.method.key == "mx2-influence-t"


def test_r2_and_the_root_of_squares_are_judged_by_their_examples() -> None:
    y = X.sum(axis=1) + RNG.normal(size=N)
    pair = {"one": Ridge(1e4), "all": LinearRegression()}
    c = ef.compare(pair, X, y, measure=["r2", "rmse", "neg_mean_squared_error"], random_state=0)
    assert {c[name].facts.method.key for name in c.measures} == {"mx2-influence-t"}
    assert c.measures == ("r2", "rmse", "mean_squared_error")
    assert [str(c[name].verdict.outcome) for name in ("r2", "rmse")] == ["better"] * 2


def test_three_measures_of_probabilities_at_once() -> None:
    pair = {"dummy": DummyClassifier(strategy="prior"), "bayes": GaussianNB()}
    c = ef.compare(pair, X, Y == 0, measure=["auc", "log", "brier"], random_state=0)
    assert str(c).startswith("bayes is better than dummy: its AUC is higher")
    for text in (str(c), c.to_markdown(), c.to_html()):
        assert "log loss" in text
        assert "Brier score" in text


def test_weights_are_judged_sharply_and_said() -> None:
    pair = {"dummy": DummyClassifier(strategy="prior"), "bayes": GaussianNB()}
    weights = RNG.integers(1, 4, size=N)
    for name in ("auc", "mcc", "zero-one"):
        c = ef.compare(pair, X, Y == 0, measure=name, sample_weight=weights, random_state=0)
        assert c.facts.method.key == "mx2-influence-t"
        assert "its weighted" in c.verdict.sentence


class Specificity(ef.run.Measure):
    """
    Of zeros and ones, the share of zeros that are found.

    a score of one's own by a function of sums.
    """

    quantity = ef.run.Quantity(
        name="specificity",
        lower_is_better=False,
        low=0.0,
        high=1.0,
        target="labels",
        per_example="outcomes",
    )
    score = ef.run.Ratio((1.0, 0.0), (1.0, 1.0))  # of true negatives and false positives

    def outcomes(self, truth: Any, answer: ef.run.Predictions, weights: Any) -> Any:
        zero, said = truth.astype(int) == 0, answer.values.astype(int) == 0
        cells = np.stack([zero & said, zero & ~said], axis=1).astype(float)
        return cells if weights is None else cells * weights[:, None]


def test_a_score_of_ones_own_needs_a_function_of_sums() -> None:
    ef.testing.check_measure(Specificity(), registered=False)
    pair = {"dummy": DummyClassifier(strategy="stratified", random_state=0), "bayes": GaussianNB()}
    c = ef.compare(pair, X, (Y == 0).astype(int), measure=Specificity(), random_state=0)
    assert c.facts.method.key == "mx2-influence-t"
    outcomes = Specificity().outcomes(
        np.array([0, 0, 1]), ef.run.Predictions("predict", np.array([0, 1, 1])), None
    )
    assert Specificity().score.values([outcomes])[0] == pytest.approx([1.25, -0.25, 0.5])


def test_who_never_predicts_the_class_is_named() -> None:
    pair: dict[str, Any] = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    c = ef.compare(pair, X, Y == 2, measure="precision", positive=True, random_state=0)
    J = len(c.partition)
    said = (
        f"dummy never predicts class True on {J} of {J} test sets, so its precision counts as 0 "
        "there."
    )
    assert [str(note) for note in c.notes if note.code == "never-predicted"] == [said]
    c = ef.compare(pair, X, Y == 2, measure="f1", positive=True, design=c.partition, random_state=0)
    assert (
        f"dummy never predicts class True on {J} of {J} test sets, so its score is 0 there."
        in map(str, c.facts.notes)
    )
    c = ef.compare(
        pair, X, Y == 2, measure="recall", positive=True, design=c.partition, random_state=0
    )
    assert not any("never predicts" in str(note) for note in c.facts.notes)


def test_an_area_that_rests_on_few_examples_names_the_scarce_class(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = rng.permutation(np.arange(2000) < 65).astype(int)
    features = rng.normal(size=(2000, 3))
    features[:, 0] += 6 * y
    features[np.flatnonzero(y)[:3], 0] -= 6  # the AUC differs by these
    models = {"flat": LogisticRegression(C=1e-5), "free": LogisticRegression()}
    store = tmp_path / "runs.db"
    asked: dict[str, Any] = {"measure": "auc", "random_state": 0, "max_repetitions": 5}
    c = ef.compare(models, features, y, store=store, **asked)
    assert "fewer than 10 examples in effect" in str(c)
    assert "only 65 of 2,000 examples are positive" in str(c)
    assert "only 65 of 2,000 examples are positive" in str(ef.reopen(store, str(c.facts.run_id)))
    turned = ef.compare(models, features, 1 - y, **asked)
    assert "only 65 of 2,000 examples are negative" in str(turned)
    names = np.where(y == 1, "ill", "well")
    named = ef.compare(models, features, names, positive="ill", **asked)
    assert "only 65 of 2,000 examples are positive" in str(named)
