"""Losses without the example itself and without one more, from one fit, beside refits."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import clone
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import (
    BaggingClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Lasso, LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

import evenfold as ef
from evenfold.core.errors import InvalidInput

N = 14
SMOOTHERS = [
    LinearRegression(),
    Ridge(3.0),
    Ridge(0.5, fit_intercept=False),
    KernelRidge(alpha=0.5, kernel="rbf"),
    KNeighborsRegressor(3),
    DummyRegressor(),
    make_pipeline(PolynomialFeatures(2), Ridge(5.0)),
]


def _regression(seed: int = 0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 4))
    return X, X[:, 0] + rng.normal(size=N)


CASES = [*((one, "squared") for one in SMOOTHERS), (Ridge(3.0), "absolute")]


@pytest.mark.parametrize(
    ("smoother", "measure"),
    CASES,
    ids=lambda one: getattr(one, "strip", type(one).__name__.strip)(),
)
def test_smoothers_are_what_refits_are(smoother: Any, measure: str) -> None:
    X, y = _regression()
    found = ef.run.left_out(smoother, X, y, measure=measure)
    power = {"squared": 2, "absolute": 1}[measure]
    table = np.empty((N, N))
    for j in range(N):
        for i in range(j + 1):
            rest = np.setdiff1d(np.arange(N), [i, j])
            said = clone(smoother).fit(X[rest], y[rest]).predict(X[[i, j]])
            table[j, i], table[i, j] = np.abs(y[[i, j]] - np.ravel(said)) ** power
    own = table.diagonal()
    assert_allclose(found.losses, own, rtol=0, atol=1e-10)
    assert_allclose(found.changes, (table - own).sum(axis=1) / (N - 1), rtol=0, atol=1e-10)


@pytest.mark.parametrize(
    ("estimator", "why"),
    [
        (make_pipeline(StandardScaler(), Ridge(5.0)), "differs from the formula"),
        (Lasso(0.1), "differs from the formula"),
        (DecisionTreeRegressor(), "leverage 1"),
        (GaussianNB(), "several targets"),
        (KNeighborsRegressor(3, weights="distance"), "equal weight"),
        (KNeighborsRegressor(N), "n − 2"),
        (ExtraTreesRegressor(), "bootstrap=True"),
        (RandomForestRegressor(20), "n_estimators"),
    ],
    ids=lambda one: one if isinstance(one, str) else type(one).__name__,
)
def test_what_gives_nothing_away_is_refused(estimator: Any, why: str) -> None:
    X, y = _regression()
    target = np.rint(y) if isinstance(estimator, GaussianNB) else y
    with pytest.raises(InvalidInput, match=why):
        ef.run.left_out(estimator, X, target, measure="squared")


def test_a_measure_without_values_is_refused() -> None:
    with pytest.raises(InvalidInput, match="values per example"):
        ef.run.left_out(Ridge(), *_regression(), measure="rmse")


def test_copies_of_an_example_do_not_hide_it() -> None:
    X, y = _regression()
    X = np.repeat(X[:2], N // 2, axis=0)
    found = ef.run.left_out(KNeighborsRegressor(2), X, y)
    assert np.isfinite(found.losses).all()


def _classes(n: int = 60) -> tuple[Any, Any]:
    rng = np.random.default_rng(1)
    y = rng.choice(["a", "b", "c"], size=n)
    return rng.normal(size=(n, 3)) + (y == "a")[:, None], y


@pytest.mark.parametrize(
    "forest",
    [
        RandomForestClassifier(150, oob_score=True, random_state=0),
        BaggingClassifier(n_estimators=150, max_features=0.7, oob_score=True, random_state=0),
    ],
    ids=lambda one: type(one).__name__,
)
def test_the_loss_outside_the_bag_is_the_learners_own(forest: Any) -> None:
    X, y = _classes()
    found = ef.run.left_out(forest, X, y)
    assert found.changes.shape == (2, len(y))
    assert_allclose(1 - found.losses.mean(), clone(forest).fit(X, y).oob_score_, atol=1e-12)


def test_regression_outside_the_bag() -> None:
    X, y = _regression()
    forest = RandomForestRegressor(120, oob_score=True, random_state=0)
    found = ef.run.left_out(forest, X, y)
    own = clone(forest).fit(X, y).oob_prediction_
    assert_allclose(found.losses, (y - own) ** 2, atol=1e-12)


def test_changes_outside_the_bag_are_those_of_trees_that_saw_neither() -> None:
    X, y = _regression()
    forest = RandomForestRegressor(120, random_state=0).fit(X, y)
    found = ef.run.left_out(forest, X, y)
    said = np.array([tree.predict(X) for tree in forest.estimators_])[:60]
    out = np.array([~np.isin(np.arange(N), drawn) for drawn in forest.estimators_samples_])[:60]
    j = 5
    without = [(y[i] - said[out[:, i] & out[:, j], i].mean()) ** 2 for i in range(N) if i != j]
    own = [(y[i] - said[out[:, i], i].mean()) ** 2 for i in range(N) if i != j]
    assert_allclose(found.changes[0, j], np.mean(without) - np.mean(own), atol=1e-12)


def test_bagged_learners_without_probabilities_vote() -> None:
    X, y = _classes()
    bags = BaggingClassifier(LinearSVC(), n_estimators=150, oob_score=True, random_state=0)
    found = ef.run.left_out(bags, X, y)
    assert_allclose(1 - found.losses.mean(), clone(bags).fit(X, y).oob_score_, atol=1e-12)
