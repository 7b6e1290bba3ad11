"""What a prompt shows: verdicts, pairs, estimates that fit a screen, names told apart."""

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import evenfold as ef
from evenfold.run.algorithms import default_names

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
Y = (X[:, 0] + RNG.normal(size=80) > 0).astype(int)
SCREEN = 800  # ten lines of eighty characters


@pytest.fixture(scope="module")
def two() -> ef.Comparison:
    return ef.compare([SVC(C=1), SVC(C=100)], X, Y, design=ef.Mx2BCV(3), random_state=0)


def test_a_prompt_shows_the_verdict(two: ef.Comparison) -> None:
    assert repr(two) == two.verdict.sentence
    assert two.verdict.sentence in repr(two.verdict)
    three = ef.compare([SVC(C=1), SVC(C=100), LogisticRegression()], X, Y, random_state=0)
    assert repr(three) == str(three).splitlines()[0]
    one = ef.compare([SVC()], X, Y, design=ef.Mx2BCV(3), random_state=0)
    assert repr(one).startswith("the error of SVC is")


@pytest.mark.parametrize("method", [None, "mx2-t", "mx2-sequential-t", "mx2-influence-t"])
def test_pairs_and_estimates_fit_a_screen(method: str | None) -> None:
    c = ef.compare([SVC(C=1), SVC(C=100)], X, Y, method=method, random_state=0)
    assert len(repr(c.pairs)) <= SCREEN
    assert c.pairs[0].sentence in repr(c.pairs)
    assert len(repr(c.estimate)) <= SCREEN
    assert f"method={c.facts.method.key!r}" in repr(c.estimate)
    assert "card" not in repr(c.estimate)
    turned = c["SVC(C=100)", "SVC(C=1)"]
    assert len(repr(turned.estimate)) <= SCREEN


def test_estimates_of_many_data_sets_name_their_shape() -> None:
    many: Any = ef.infer.paired_t(RNG.normal(size=(5000, 30)))
    assert "pvalue=array of shape (5000,)" in repr(many)
    assert len(repr(many)) <= SCREEN


def test_unnamed_estimators_are_told_apart_by_what_differs(two: ef.Comparison) -> None:
    assert two.losses.algorithms == ("SVC(C=1)", "SVC(C=100)")

    def piped(last: Any) -> Any:
        return make_pipeline(StandardScaler(), last)

    assert default_names([SVC(), LogisticRegression()]) == ["SVC", "LogisticRegression"]
    assert default_names([piped(SVC()), piped(LogisticRegression())]) == [
        "Pipeline(SVC)",
        "Pipeline(LogisticRegression)",
    ]
    assert default_names([piped(SVC(C=1)), piped(SVC(C=2, kernel="linear"))]) == [
        "Pipeline(C=1, kernel='rbf')",
        "Pipeline(C=2, kernel='linear')",
    ]
    assert default_names([piped(SVC()), make_pipeline(SVC())]) == [
        "Pipeline(StandardScaler, SVC)",
        "Pipeline(SVC)",
    ]
    assert default_names([piped(SVC(C=1)), piped(SVC(C=2)), piped(LogisticRegression())]) == [
        "Pipeline(SVC, C=1)",
        "Pipeline(SVC, C=2)",
        "Pipeline(LogisticRegression)",
    ]
    assert default_names([piped(SVC(C=1)), piped(SVC(C=2)), make_pipeline(SVC(C=1.0))]) == [
        "Pipeline(StandardScaler, SVC, C=1)",
        "Pipeline(StandardScaler, SVC, C=2)",
        "Pipeline(SVC)",
    ]
    assert default_names([SVC(), SVC()]) == ["SVC", "SVC"]  # numbered by whoever takes them
