"""
What is said, or refused, where a question is known to go wrong.

Failure classes, ids, clusterers.
"""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.linear_model import LassoCV, LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.mixture import GaussianMixture
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.comparison.choose import known_failures
from evenfold.core.facts.card import classes, summary, table

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 3))
Y = (X[:, 0] > 0).astype(int)


def notes(algorithms: Any, X: Any, y: Any, **options: Any) -> str:
    design = options.pop("design", ef.Mx2BCV(3))
    c = ef.compare(algorithms, X, y, design=design, random_state=0, **options)
    return " | ".join(map(str, c.notes))


def test_naive_bayes_on_near_constant_columns_is_told() -> None:
    digits, labels = (part[:200] for part in load_digits(return_X_y=True))
    two = {"bayes": make_pipeline(StandardScaler(), GaussianNB()), "ridge": RidgeClassifier()}
    said = notes(two, digits, labels, method="mx2-influence-t")
    assert "naive Bayes on tables with near-constant features (bayes)" in said
    assert "reached 0.34 at a level of 0.05 there" in said
    assert "naive Bayes" not in notes(two, *load_breast_cancer(return_X_y=True))


def test_naive_bayes_on_a_series_of_texts_is_compared() -> None:
    texts = pd.Series([f"{'good' if label else 'bad'} word{k % 5}" for k, label in enumerate(Y)])
    count = CountVectorizer()
    dense = FunctionTransformer(_dense, accept_sparse=True)
    two = {
        "bayes": make_pipeline(count, dense, GaussianNB()),
        "ridge": make_pipeline(count, RidgeClassifier()),
    }
    assert "naive Bayes" not in notes(two, texts, Y, method="mx2-influence-t")


def _dense(X: Any) -> Any:
    return X.toarray()


def test_lasso_paths_are_told() -> None:
    y = X[:, 0] + RNG.normal(size=80)
    two = {"lasso": LassoCV(), "ols": LinearRegression()}
    method = "mx2-influence-t"
    assert "lasso paths (lasso)" in notes(two, X, y, method=method)
    assert "lasso paths" not in notes(two, X, y, design=ef.KFold(5))
    assert "lasso paths" not in notes({"ols": LinearRegression()}, X, y, method=method)
    searched = GridSearchCV(LogisticRegression(l1_ratio=1.0, solver="liblinear"), {"C": [1.0]})
    question: Any = type("Task", (), {"X": X, "y": Y, "target": "labels"})()
    entry = ef.infer.methods()[method]
    assert len([*known_failures({"sparse": searched}, question, entry)]) == 1
    assert [*known_failures({"dense": LogisticRegression()}, question, entry)] == []


def test_trees_on_interactions_are_told_and_elsewhere_not() -> None:
    two = {"tree": DecisionTreeClassifier(), "ridge": RidgeClassifier()}
    method = "mx2-influence-t"
    interaction = (X[:, 0] * X[:, 1] > 0).astype(int)
    assert "trees on interactions (tree)" in notes(two, X, interaction, method=method)
    assert "trees on interactions" not in notes(two, X, Y, method=method)


def test_lda_and_trees_on_digits_are_told() -> None:
    digits, labels = (part[:200] for part in load_digits(return_X_y=True))
    two = {"lda": LinearDiscriminantAnalysis(), "tree": DecisionTreeClassifier(max_depth=3)}
    half = notes(two, digits, labels, design=ef.Mx2BCV(3), method="mx2-influence-t")
    assert "LDA with near-constant features (lda)" in half
    full = notes(two, digits, labels, design=ef.design.FoldsAndHalves(5, 3))
    assert "trees on six classes or more (tree)" in full
    cancer = load_breast_cancer(return_X_y=True)
    assert "six classes" not in notes(two, *cancer, design=ef.design.FoldsAndHalves(5, 3))


def test_a_card_names_the_worst_class() -> None:
    card = ef.infer.methods()["mx2-influence-t"].card
    worst = max(classes(card), key=lambda one: one["size"])
    assert worst["size"] > max(row["size"] for row in (card or {})["measured"])
    assert f"for {worst['name']}" in summary(card)
    assert any(worst["name"] in row[0] for row in table(card or {})[1])
    error = (worst["size"] * (1 - worst["size"]) / worst["replications"]) ** 0.5
    assert worst["size_se"] == pytest.approx(error, rel=0.01)


def test_a_column_that_numbers_the_rows_is_told() -> None:
    two = {"tree": DecisionTreeClassifier(), "logistic": LogisticRegression()}
    frame = pd.DataFrame(X, columns=list("abc")).assign(patient=RNG.permutation(5000)[:80])
    assert "Column 'patient' of X has a different whole number in every row" in notes(two, frame, Y)
    assert "Column 3 of X has a different whole number in every row" in notes(
        two, frame.to_numpy(), Y
    )
    counts = frame.assign(patient=RNG.integers(0, 50, size=80))
    assert "whole number" not in notes(two, counts, Y)


@pytest.mark.parametrize(
    "clusterer",
    [KMeans(2), DBSCAN(), GaussianMixture(2), make_pipeline(StandardScaler(), KMeans(2))],
)
def test_clusterers_are_refused_with_where_to_go(clusterer: Any) -> None:
    with pytest.raises(
        ef.EvenfoldError, match=r"must predict y but .* is a clusterer.*ef\.judge\(rows='runs'\)"
    ):
        ef.compare([LogisticRegression(), clusterer], X, Y)
