"""
Learners that take weights.

The numbers of scikit-learn, on all splits of all data sets at once.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import multivariate_normal
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeRegressor

from evenfold_lab.bench.learners import CLASSIFIERS, REGRESSORS, LearningTask
from evenfold_lab.bench.trees import BOOST_DEPTH, DEPTH, LEAF, RATE, ROUNDS

Floats = np.ndarray[Any, np.dtype[np.float64]]
SETS = 2
N = 80
P = 4
SPLITS = 3


def _data(classes: bool) -> tuple[Floats, Floats, Floats, LearningTask]:
    rng = np.random.default_rng(7)
    X = rng.normal(size=(SETS, N, P))
    signal = X[..., 0] + 0.5 * X[..., 1] + rng.normal(size=(SETS, N))
    y = (signal > 0).astype(float) if classes else signal
    w = (rng.random((SPLITS, N)) < 0.6).astype(float)
    edges = np.quantile(rng.normal(size=(2000, P)), np.arange(1, 16) / 16, axis=0).T
    return X, y, w, LearningTask(classes=classes, edges=edges, rng=np.random.default_rng(0))


def _reference(make: Any, X: Floats, y: Floats, w: Floats, score: Any) -> Floats:
    found = np.empty((SETS, SPLITS, N))
    for r in range(SETS):
        for s in range(SPLITS):
            train = w[s] > 0
            found[r, s] = score(make(int(train.sum())).fit(X[r, train], y[r, train]), X[r])
    return found


def _chance(model: Any, X: Floats) -> Any:
    return model.predict_proba(X)[:, 1]


class _Lda:
    """Linear discriminants with the unbiased pooled covariance (scikit-learn divides by n)."""

    def fit(self, X: Floats, y: Floats) -> "_Lda":
        sides = [X[y == k] for k in (0, 1)]
        pooled = sum((len(s) - 1) * np.cov(s.T) for s in sides) / (len(y) - 2)
        self.laws = [(len(s) / len(y), multivariate_normal(s.mean(axis=0), pooled)) for s in sides]
        return self

    def predict_proba(self, X: Floats) -> Floats:
        joint = np.stack([share * law.pdf(X) for share, law in self.laws], axis=1)
        found: Floats = joint / joint.sum(axis=1, keepdims=True)
        return found


CLASS_REFERENCES: dict[str, tuple[Callable[[int], Any], Any, float]] = {
    "logistic": (
        lambda a: LogisticRegression(C=1 / (0.001 * a), tol=1e-10, max_iter=5000),
        _chance,
        1e-4,
    ),
    "ridge": (
        lambda a: LogisticRegression(C=1 / (0.1 * a), tol=1e-10, max_iter=5000),
        _chance,
        1e-6,
    ),
    "lda": (lambda _: _Lda(), _chance, 1e-4),
    "bayes": (lambda _: GaussianNB(), _chance, 1e-6),
    "knn": (lambda _: KNeighborsClassifier(7), _chance, 1e-9),
}


@pytest.mark.parametrize("key", CLASS_REFERENCES)
def test_classifiers_are_those_of_scikit_learn(key: str) -> None:
    make, score, near = CLASS_REFERENCES[key]
    X, y, w, task = _data(classes=True)
    found = CLASSIFIERS[key].fit(X, y, w, task)
    tested = np.broadcast_to(w == 0, found.shape)
    np.testing.assert_allclose(found[tested], _reference(make, X, y, w, score)[tested], atol=near)


def test_the_support_vector_machine_decides_as_scikit_learn_does() -> None:
    X, y, w, task = _data(classes=True)
    found = CLASSIFIERS["svm"].fit(X, y, w, task) > 0.5
    # Its intercept is penalised there, as if it were a feature of size 100: next to nothing.
    make = lambda a: LinearSVC(C=1 / (0.01 * a), intercept_scaling=100.0, tol=1e-9, max_iter=50_000)  # noqa: E731
    known = _reference(make, X, y, w, lambda model, Z: model.decision_function(Z) > 0)
    assert np.mean(found == known) > 0.99


NUMBER_REFERENCES: dict[str, tuple[Callable[[int], Any], float]] = {
    "linear": (lambda _: LinearRegression(), 1e-6),
    "ridge": (lambda a: Ridge(alpha=0.1 * a), 1e-6),
    "lasso": (lambda _: Lasso(alpha=0.1, tol=1e-12, max_iter=100_000), 1e-6),
}


@pytest.mark.parametrize("key", NUMBER_REFERENCES)
def test_regressors_are_those_of_scikit_learn(key: str) -> None:
    make, near = NUMBER_REFERENCES[key]
    X, y, w, task = _data(classes=False)
    found = REGRESSORS[key].fit(X, y, w, task)
    known = _reference(make, X, y, w, lambda model, Z: model.predict(Z))
    np.testing.assert_allclose(found, known, atol=near)


@pytest.mark.parametrize("classes", [True, False])
def test_a_tree_is_that_of_scikit_learn_on_binned_features(classes: bool) -> None:
    X, y, w, task = _data(classes)
    known = CLASSIFIERS if classes else REGRESSORS
    found = known["tree"].fit(X, y, w, task)
    bins = np.stack([np.searchsorted(task.edges[j], X[..., j]) for j in range(P)], axis=-1).astype(
        float
    )
    make = lambda _: DecisionTreeRegressor(max_depth=DEPTH, min_samples_leaf=LEAF, random_state=0)  # noqa: E731
    reference = _reference(make, bins, y, w, lambda model, Z: model.predict(Z))
    # Equally good splits may be told apart differently, in a few nodes.
    assert np.mean(np.abs(found - reference) < 1e-4) > 0.9
    train = w[0] > 0
    own, other = (np.mean((f[:, 0][:, train] - y[:, train]) ** 2) for f in (found, reference))
    assert own == pytest.approx(other, rel=0.02)


def test_an_example_that_trains_twice_is_two_examples() -> None:
    X, y, w, task = _data(classes=True)
    twice = w[:1].copy()
    twice[0, np.flatnonzero(w[0])[:10]] = 2
    again = np.concatenate([X, X[:, np.flatnonzero(w[0])[:10]]], axis=1)
    labels = np.concatenate([y, y[:, np.flatnonzero(w[0])[:10]]], axis=1)
    longer = np.concatenate([w[:1], np.ones((1, 10))], axis=1)
    for key in ("ridge", "bayes", "lda", "knn", "tree", "boosting"):
        fit = CLASSIFIERS[key].fit
        weighted = fit(X, y, twice, task)
        repeated = fit(again, labels, longer, task)[..., :N]
        tested = np.broadcast_to(w[:1] == 0, weighted.shape)
        np.testing.assert_allclose(weighted[tested], repeated[tested], atol=1e-4, err_msg=key)


class _Boosted:
    """Trees of scikit-learn on residuals, one after the other."""

    def fit(self, X: Floats, y: Floats) -> "_Boosted":
        self.start = y.mean()
        self.trees = []
        value = np.full(len(y), self.start)
        for _ in range(ROUNDS):
            tree = DecisionTreeRegressor(
                max_depth=BOOST_DEPTH, min_samples_leaf=LEAF, random_state=0
            )
            self.trees.append(tree.fit(X, y - value))
            value = value + RATE * tree.predict(X)
        return self

    def predict(self, X: Floats) -> Floats:
        found: Floats = self.start + RATE * sum(tree.predict(X) for tree in self.trees)
        return found


def test_boosting_is_that_of_scikit_learns_trees_on_binned_features() -> None:
    X, y, w, task = _data(classes=False)
    found = REGRESSORS["boosting"].fit(X, y, w, task)
    bins = np.stack([np.searchsorted(task.edges[j], X[..., j]) for j in range(P)], axis=-1).astype(
        float
    )
    reference = _reference(lambda _: _Boosted(), bins, y, w, lambda model, Z: model.predict(Z))
    # not 1 by equally good splits
    assert np.corrcoef(found.ravel(), reference.ravel())[0, 1] > 0.99


def test_forest_and_boosting_learn() -> None:
    for classes, known in ((True, CLASSIFIERS), (False, REGRESSORS)):
        X, y, w, task = _data(classes)
        for key in ("forest", "boosting"):
            found = known[key].fit(X, y, w, task)
            tested = np.broadcast_to(w == 0, found.shape)
            truth = np.broadcast_to(y[:, None], found.shape)
            assert np.corrcoef(found[tested], truth[tested])[0, 1] > 0.2, key


def test_plus_and_minus_shift_the_same_model_by_the_same_vector() -> None:
    X, y, w, _ = _data(classes=True)

    def logits(key: str) -> Floats:
        task = LearningTask(classes=True, edges=np.zeros((P, 1)), rng=np.random.default_rng(3))
        chance = CLASSIFIERS[key].fit(X, y, w, task)
        found: Floats = np.log(chance / (1 - chance))
        return found

    middle = (logits("plus") + logits("minus")) / 2
    np.testing.assert_allclose(middle, logits("ridge"), atol=1e-6)
    assert np.abs(logits("plus") - logits("minus")).max() > 0.1
    assert CLASSIFIERS["plus"].luck == CLASSIFIERS["minus"].luck
