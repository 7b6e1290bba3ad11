"""
Trees, the lasso, logistic regression and weighted neighbours.

The predictions of scikit-learn.
"""

import numpy as np
import pytest

from evenfold.core.errors import InvalidInput
from evenfold_lab import arrays
from evenfold_lab.algorithm import Algorithm
from evenfold_lab.fast import Forest, Lasso, Logistic, SplusTree, Tree, TriangularKNN
from evenfold_lab.masks import Splits

from ._tasks import LABEL_TREES, NUMBER_TREES, Task, on_tests, ours, refitted, task

SEEDS = range(4)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("algorithm", NUMBER_TREES, ids=lambda a: f"{a.name}")
def test_trees_of_one_feature_are_those_of_scikit_learn(algorithm: Algorithm, seed: int) -> None:
    """One feature and numbers as targets leave no ties."""
    given = task(seed, p=1)
    np.testing.assert_allclose(ours(algorithm, given), refitted(algorithm, given), rtol=1e-12)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("algorithm", LABEL_TREES, ids=lambda a: f"{a.name}")
def test_trees_differ_from_scikit_learn_as_its_seeds_do(algorithm: Algorithm, seed: int) -> None:
    """
    Ties are common with labels.

    Share of predictions that differ, against that of two of its seeds.
    """
    given = task(seed, classes=2 + seed % 2)
    first = refitted(algorithm, given)
    if isinstance(algorithm, SplusTree):
        assert np.mean(ours(algorithm, given) != first) <= 0.05
        return
    others = [refitted(algorithm, given, random_state=s) for s in range(1, 6)]
    own = max(np.mean(other != first) for other in others)
    assert np.mean(ours(algorithm, given) != first) <= own + 0.02


def test_the_first_split_is_as_good_as_scikit_learns() -> None:
    """Ties or not: after one split the weighted impurity of the training set is the same."""
    given = task(5, classes=3, p=6)
    trains = given.splits.trains
    everyone = Task(given.X, given.y, Splits(trains=trains, tests=trains))
    for criterion in ("gini", "entropy"):
        algorithm = Tree(criterion=criterion, max_depth=1)
        assert np.mean(ours(algorithm, everyone) == refitted(algorithm, everyone)) > 0.99


@pytest.mark.parametrize("least_squares", [True, False])
def test_s_plus_trees_stop_by_deviance(least_squares: bool) -> None:
    """
    Of 1000 examples a few differ at the far end of one node.

    Below .01 of the deviance at the root.
    """
    x = np.arange(1000.0)[None, :, None]
    y = (x[..., 0] >= 500).astype(float)
    y[0, -6:] = 0.0
    train = np.ones((1, 1000), dtype=bool)
    given = Task(x, y, Splits(trains=train, tests=train))
    algorithm = SplusTree(least_squares=least_squares)
    np.testing.assert_array_equal(ours(algorithm, given), refitted(algorithm, given))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_lasso_is_scikit_learns_carried_further(seed: int) -> None:
    given = task(seed)
    for alpha in (0.05, 0.5):
        found = ours(Lasso(alpha), given)
        np.testing.assert_allclose(
            found, refitted(Lasso(alpha), given, tol=1e-12, max_iter=10**5), rtol=1e-7
        )
        np.testing.assert_allclose(found, refitted(Lasso(alpha), given), rtol=2e-3)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("C", [1e6, 0.1])
def test_logistic_regression_is_scikit_learns(seed: int, C: float) -> None:
    given = task(seed, classes=2)
    assert np.mean(ours(Logistic(C=C), given) != refitted(Logistic(C=C), given)) == 0


def test_logistic_regression_knows_two_classes_or_one() -> None:
    given = task(0, classes=2)
    one = Task(given.X, np.ones_like(given.y), given.splits)
    assert (ours(Logistic(), one) == 1).all()
    with pytest.raises(InvalidInput, match="labels 0 and 1"):
        Logistic().predict(given.X, given.y + 1, given.splits)


@pytest.mark.parametrize("seed", SEEDS)
def test_weighted_neighbours_are_their_definition(seed: int) -> None:
    given = task(seed, classes=3)
    np.testing.assert_array_equal(ours(TriangularKNN(), given), refitted(TriangularKNN(), given))
    again = task(seed, classes=3)
    # copies, as drawn with replacement
    again.X[:, 20:] = again.X[:, np.arange(20, again.X.shape[1]) % 20]
    assert np.mean(ours(TriangularKNN(), again) != refitted(TriangularKNN(), again)) <= 0.02


def test_forests_err_as_often_as_scikit_learns() -> None:
    def excess(seed: int, algorithm: Algorithm) -> float:
        given = task(seed, classes=2, p=4)
        truth = on_tests(np.broadcast_to(given.y[:, None], (2, 4, given.y.shape[1])), given.splits)
        return float(
            np.mean(ours(algorithm, given) != truth) - np.mean(refitted(algorithm, given) != truth)
        )

    kinds = Forest(n_trees=15, max_features=2), Forest(n_trees=15)
    wrong = [excess(seed, kind) for seed in range(12) for kind in kinds]
    assert abs(np.mean(wrong)) < 3 * np.std(wrong) / np.sqrt(len(wrong)) + 1e-3


def test_forests_of_numbers_average_their_trees() -> None:
    given = task(3)
    one, many = (Forest(n_trees=k, criterion="squared") for k in (1, 40))
    assert one.name == "bagged-trees"
    assert np.corrcoef(ours(many, given), refitted(many, given))[0, 1] > 0.95
    assert np.corrcoef(ours(one, given), refitted(many, given))[0, 1] < 0.95


@pytest.mark.parametrize(
    "algorithm",
    [
        Tree(),
        SplusTree(),
        Lasso(0.1),
        TriangularKNN(),
        Forest(n_trees=3, max_features=1),
        Logistic(),
    ],
    ids=lambda a: a.name,
)
def test_pieces_do_not_change_the_predictions(
    algorithm: Algorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = task(3, classes=2)
    whole = ours(algorithm, given)
    monkeypatch.setattr(arrays, "ON_HOST", 1)
    np.testing.assert_allclose(ours(algorithm, given), whole, rtol=1e-9)


def test_trees_stop_where_features_do_not_differ() -> None:
    given = task(2, classes=2)
    flat = Task(np.zeros_like(given.X), given.y, given.splits)
    majority = ours(Tree(), flat)
    assert set(np.unique(majority)) <= {0.0, 1.0}


def test_wrong_parameters_are_refused() -> None:
    for wrong in (
        lambda: Tree(criterion="luck"),
        lambda: Tree(max_depth=-1),
        lambda: Tree(min_samples_split=1),
        lambda: Forest(n_trees=0),
        lambda: Lasso(-1.0),
        lambda: Logistic(C=0.0),
        lambda: TriangularKNN(k=0),
    ):
        with pytest.raises(InvalidInput):
            wrong()
    given = task(0, classes=3)
    with pytest.raises(InvalidInput, match="labels 0 and 1"):
        ours(SplusTree(least_squares=True), given)
