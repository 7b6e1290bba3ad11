"""Scores of windows in time are a path, as compare has them, and no resamples."""

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.model_selection import KFold, TimeSeriesSplit, cross_validate

import evenfold as ef

RNG = np.random.default_rng(0)
X = RNG.normal(size=(200, 3))
Y = X[:, 0] + RNG.normal(size=200)
MODELS = {"ridge": Ridge(100), "plain": LinearRegression()}
WINDOWS = TimeSeriesSplit(8)


@pytest.mark.parametrize("cv", [WINDOWS, TimeSeriesSplit(6, gap=30, max_train_size=40)], ids=str)
def test_scores_of_windows_get_the_answer_that_compare_gives(cv: TimeSeriesSplit) -> None:
    scores = {name: cross_validate(one, X, Y, cv=cv) for name, one in MODELS.items()}
    found = ef.judge(scores, cv=cv, n=200, measure="r2")
    expected = ef.compare(MODELS, X, Y, design=cv, measure="r2", random_state=0)
    assert found.facts.method.key == expected.facts.method.key == "diebold-mariano"
    assert found.estimate.pvalue == pytest.approx(expected.estimate.pvalue)
    assert "for these forecasts along this path" in str(found.verdict)
    assert "trained on" not in str(found)
    assert str(ef.Comparison.from_json(found.to_json())) == str(found)
    assert found.to_markdown()


def test_windows_may_be_given_as_pairs_and_folds_are_none() -> None:
    values = {name: RNG.normal(size=8) for name in "ab"}
    pairs = list(WINDOWS.split(X))
    found = ef.judge(values, cv=pairs, n=200, higher_is_better=True)
    assert found.facts.method.key == "diebold-mariano"
    folds = ef.judge(values, cv=KFold(8), n=200, higher_is_better=True)
    assert folds.facts.method.key != "diebold-mariano"
