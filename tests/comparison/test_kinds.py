"""Classifiers need classes, and a regressor beside a classifier is worth a note."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import evenfold as ef
from evenfold.core.errors import InvalidInput

DIABETES = load_diabetes(return_X_y=True)
CLASSIFIERS = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
QUICK: dict[str, Any] = {"design": ef.Mx2BCV(3), "random_state": 0}


@pytest.mark.parametrize("shift", [0.0, 0.5], ids=["whole numbers", "fractions"])
@pytest.mark.parametrize("measure", [None, "accuracy", "squared"])
def test_classifiers_of_a_continuous_target_are_refused(measure: Any, shift: float) -> None:
    X, y = DIABETES
    with pytest.raises(
        InvalidInput, match=r"the classifier 'logistic' but got 214 different .*\. Use regressors"
    ):
        ef.compare(CLASSIFIERS, X, y + shift, measure=measure, **QUICK)


def test_a_classifier_beside_a_regressor_is_refused_there_too() -> None:
    X, y = DIABETES
    mixed = {"ridge": Ridge(), "search": make_pipeline(StandardScaler(), LogisticRegression())}
    with pytest.raises(InvalidInput, match="the classifier 'search'"):
        ef.compare(mixed, X, y, **QUICK)


def test_many_classes_that_have_examples_are_classes() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(160) % 40
    X = rng.normal(size=(160, 2)) + y[:, None]
    assert ef.compare({"bayes": GaussianNB()}, X, y, **QUICK).estimate is not None
    names = (np.arange(60) // 2).astype(str)  # two examples each, by name
    options = {**QUICK, "design": ef.KFold(2)}
    assert ef.compare({"bayes": GaussianNB()}, X[:60], names, **options).facts.pairs


def test_a_regressor_against_a_classifier_gets_a_note() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    mixed = ef.compare({"logistic": logistic, "ridge": Ridge()}, X, y, **QUICK)
    [note] = [str(one) for one in mixed.facts.notes if "regressor" in str(one)]
    assert note.startswith("logistic is a classifier and ridge a regressor")
    assert "measure='brier'" in note
    alike = ef.compare({"ridge": Ridge(), "strong": Ridge(100)}, X, y, **QUICK)
    assert not any("classifier" in str(one) for one in alike.facts.notes)
