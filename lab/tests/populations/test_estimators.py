"""The algorithms of the sources: against their definitions, and without complaint on small data."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris

from evenfold_lab import estimators
from evenfold_lab.algorithm import Algorithm, Floats
from evenfold_lab.refits import RefittedSplusTree, RefittedTriangularKNN

ALGORITHMS = estimators.source_algorithms()
REGRESSION = ("mean", "line", "ols", "ridge(1)", "lasso")


def _deviance(y: Floats, least_squares: bool) -> float:
    """R's tree: the sum of squares, or −2 Σ n_c log p_c."""
    if least_squares:
        return float(((y - y.mean()) ** 2).sum())
    counts = np.unique(y, return_counts=True)[1]
    return float(-2 * (counts * np.log(counts / len(y))).sum())


def _grow(X: Floats, y: Floats, root: float, least_squares: bool) -> Any:
    """The tree by its definition: a leaf's examples, or (feature, cut, left, right)."""
    here = _deviance(y, least_squares)
    if len(y) < 10 or here < 0.01 * root:
        return y
    best: tuple[float, int, float] = (here - 1e-9, -1, 0.0)
    for feature in range(X.shape[1]):
        values = np.unique(X[:, feature])
        for cut in (values[1:] + values[:-1]) / 2:
            left = X[:, feature] <= cut
            if min(left.sum(), (~left).sum()) >= 5:
                after = _deviance(y[left], least_squares) + _deviance(y[~left], least_squares)
                best = min(best, (after, feature, cut))
    _, feature, cut = best
    if feature < 0:
        return y
    left = X[:, feature] <= cut
    return feature, cut, *(_grow(X[side], y[side], root, least_squares) for side in (left, ~left))


def _leaf(tree: Any, x: Floats) -> Floats:
    while isinstance(tree, tuple):
        feature, cut, left, right = tree
        if x[feature] <= cut:
            tree = left
        else:
            tree = right
    leaf: Floats = tree
    return leaf


def _majority(y: Floats) -> float:
    values, counts = np.unique(y, return_counts=True)
    return float(values[counts.argmax()])


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("least_squares", [True, False])
def test_the_tree_is_that_of_s_plus(seed: int, least_squares: bool) -> None:
    rng = np.random.default_rng(seed)
    if least_squares:
        classes = 2
    else:
        classes = 3
    y = rng.integers(0, classes, size=120).astype(float)
    X = rng.normal(size=(120, 2)) + 2 * y[:, None]
    tree = _grow(X, y, _deviance(y, least_squares), least_squares)
    new = rng.normal(size=(300, 2)) * 2 + 1.5
    leaves = [_leaf(tree, x) for x in new]
    expected = [float(leaf.mean() > 0.5) if least_squares else _majority(leaf) for leaf in leaves]
    found = RefittedSplusTree(least_squares=least_squares).fit(X, y).predict(new)
    np.testing.assert_array_equal(found, expected)


def test_nodes_of_little_deviance_are_not_split() -> None:
    """
    Of 1000 examples 5 + 5 differ at the far end of one node.

    Below .01 of the deviance at the root.
    """
    x = np.arange(1000.0)[:, None]
    y = (x[:, 0] >= 500).astype(float)
    y[-6:] = 0.0
    predicted = RefittedSplusTree().fit(x, y).predict(x)
    grown = RefittedSplusTree().fit(x, y).model_.tree_
    deviance = grown.weighted_n_node_samples * grown.impurity
    assert (deviance[grown.children_left[: len(deviance)] != -1] >= 0.01 * deviance[0]).all()
    assert predicted[:500].max() == 0


def test_triangular_neighbours_by_hand() -> None:
    """Unit variance already; distances from 0: .5, 1, 1.5, 2; with k = 3 weights .75, .5, .25."""
    x = np.array([0.5, -1.0, 1.5, -2.0, 3.0, -3.0])
    scale = x.std()
    centred = x - x.mean()
    y = np.array([1.0, 0.0, 1.0, 0.0, 1.0, 0.0])
    model = RefittedTriangularKNN(k=3).fit(x[:, None], y)
    for new in (-0.6, -0.3, 0.0, 0.4):
        distance = np.abs(centred - (new - x.mean())) / scale
        order = np.argsort(distance)
        weights = 1 - distance[order[:3]] / distance[order[3]]
        expected = float(weights @ (2 * y[order[:3]] - 1) > 0)
        assert model.predict([[new]])[0] == expected


def test_equally_distant_neighbours_vote_equally() -> None:
    x = np.array([-1.0, 1.0, 1.0, -1.0, 1.0, 1.0, -1.0, -1.0])
    model = RefittedTriangularKNN(k=5).fit(x[:, None], (x > 0).astype(float))
    assert set(model.predict([[0.0]])) <= {0.0, 1.0}


@pytest.mark.parametrize("name", [name for name in ALGORITHMS if name not in REGRESSION])
def test_classifiers_learn_labels(name: str) -> None:
    """Warnings are errors here: none may come from small or separable training sets."""
    algorithm: Algorithm = ALGORITHMS[name]
    X, y = load_iris(return_X_y=True)
    two = y < 2  # separable
    predicted = algorithm.estimator().fit(X[two], y[two].astype(float)).predict(X[two])
    assert np.mean(predicted != y[two]) < 0.05
    if name != "regression-tree":
        predicted = algorithm.estimator().fit(X[::2], y[::2].astype(float)).predict(X[1::2])
        assert np.mean(predicted != y[1::2]) < (0.4 if name == "ols-classifier" else 0.1)


@pytest.mark.parametrize("name", REGRESSION)
def test_regressions_learn_numbers(name: str) -> None:
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = 5 + 2 * X[:, 0]
    error = np.mean((ALGORITHMS[name].estimator().fit(X, y).predict(X) - y) ** 2)
    assert error < (5 if name == "mean" else 0.1)


def test_two_networks_of_a_null_differ_in_their_start_only() -> None:
    first = estimators.mlp(seed=0)
    second = estimators.mlp(seed=1)
    assert first.name != second.name
    a = first.estimator()[-1].get_params()
    b = second.estimator()[-1].get_params()
    assert {key for key in a if a[key] != b[key]} == {"random_state"}


def test_what_has_a_closed_form_is_known_by_its_estimator() -> None:
    assert estimators.is_mean(estimators.mean())
    assert estimators.is_ols(estimators.line())
    assert not estimators.is_ols(estimators.ridge())
    assert not estimators.is_mean(estimators.ols())
