"""Compiled kernels against the same on arrays, which stay in use where Numba is missing."""

import subprocess
import sys
import warnings
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from evenfold.core.errors import InvalidInput
from evenfold.design import Mx2BCV
from evenfold_lab.algorithm import Algorithm
from evenfold_lab.bench.learners import CLASSIFIERS, REGRESSORS, LearningTask
from evenfold_lab.fast import (
    KNN,
    LDA,
    SVM,
    Forest,
    GaussianNB,
    Lasso,
    Logistic,
    Perceptron,
    SplusTree,
    Tree,
    TriangularKNN,
    compiled,
)
from evenfold_lab.fast.trees import _grow as arrays
from evenfold_lab.masks import Splits

from ._tasks import FORESTS, LABEL_TREES, NUMBER_TREES, Task, ours, refitted, task

FOLDER = Path(compiled.__file__).parent
TREES: list[Algorithm] = [
    *NUMBER_TREES,
    *LABEL_TREES,
    *FORESTS,
    SplusTree(least_squares=True),
    Forest(n_trees=3, max_features=3),
    Forest(n_trees=3, max_features=2, criterion="squared", min_samples_leaf=2),
]


def _on_arrays(algorithm: Algorithm, given: Task, monkeypatch: pytest.MonkeyPatch) -> np.ndarray:
    with monkeypatch.context() as without:
        without.setattr(compiled, "find_spec", lambda _: None)
        return ours(algorithm, given)


@pytest.mark.parametrize("digits", [0, 1, 9])
@pytest.mark.parametrize("algorithm", TREES, ids=lambda a: a.name)
def test_compiled_trees_are_those_of_arrays(
    algorithm: Algorithm, digits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of rounded features many are equal, and so are many splits: the first is taken everywhere."""
    numbers = getattr(algorithm, "criterion", "") == "squared"
    two = getattr(algorithm, "least_squares", False)
    for seed in range(2):
        given = task(seed, classes=0 if numbers else 2 if two else 2 + seed, p=1 + 4 * seed)
        given.X[:] = given.X.round(digits) - 10.0  # negative values, and zeros of both signs
        there = _on_arrays(algorithm, given, monkeypatch)
        np.testing.assert_allclose(ours(algorithm, given), there, rtol=1e-9)


def _wide(seed: int, n: int, p: int, classes: int = 0) -> Task:
    """Half of the features matter; with p = n there are twice as many as training examples."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(2, n, p)) + 3.0
    score = X[..., : p // 2].sum(axis=-1) + rng.normal(size=(2, n))
    if classes:
        levels = np.quantile(score, np.linspace(0, 1, classes + 1)[1:-1])
    else:
        levels = None
    if levels is None:
        y = score
    else:
        y = np.digitize(score, levels).astype(float)
    return Task(X, y, Splits.of([Mx2BCV(3, random_state=seed).partition(n)]))


@pytest.mark.parametrize(("n", "p"), [(40, 3), (40, 20), (40, 40), (80, 30)])
@pytest.mark.parametrize("alpha", [0.0, 0.02, 0.3, 50.0])
def test_the_compiled_lasso_is_scikit_learns(n: int, p: int, alpha: float) -> None:
    """Without a penalty, and more features than examples, there is no unique answer."""
    given = _wide(n + p, n, p)
    if alpha == 0 and 2 * p >= n:
        return
    if alpha:  # a copy
        given.X[0, :, 1] = given.X[0, :, 0]
    found = ours(Lasso(alpha), given)
    exact = refitted(Lasso(alpha), given, tol=1e-14, max_iter=10**6)
    np.testing.assert_allclose(found, exact, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize(("n", "p"), [(60, 4), (60, 25), (60, 60), (300, 30)])
@pytest.mark.parametrize("C", [1e6, 1.0, 0.01])
def test_compiled_logistic_regression_is_scikit_learns(n: int, p: int, C: float) -> None:
    """Conjugate gradients from 20 features on; most of these classes are separable."""
    given = _wide(n + p, n, p, classes=2)
    given.X[...] *= np.geomspace(0.1, 3.0, p)
    exact = refitted(Logistic(C=C), given, tol=1e-10)
    np.testing.assert_array_equal(ours(Logistic(C=C), given), exact)


def test_the_minimum_of_many_features_is_found_to_eight_digits() -> None:
    from sklearn.linear_model import LogisticRegression

    given = _wide(0, 120, 40, classes=2)
    algorithm = Logistic(C=0.5)
    rows = given.X - given.X.mean(axis=1, keepdims=True)
    basis = np.concatenate([rows, np.ones_like(rows[..., :1])], axis=-1)
    found, _ = algorithm._one_by_one(basis, given.y, given.splits)
    for r, j in np.ndindex(found.shape[:2]):
        train = given.splits.trains[j]
        model = LogisticRegression(C=0.5, tol=1e-12, solver="newton-cholesky").fit(
            rows[r, train], given.y[r, train]
        )
        expected = np.append(model.coef_, model.intercept_)
        np.testing.assert_allclose(found[r, j], expected, atol=1e-7 * np.abs(expected).max())


def _losses(model: Any, x: np.ndarray, y: np.ndarray, C: float) -> float:
    z = x @ model[:-1] + model[-1]
    return float(np.sum(np.logaddexp(0.0, z) - y * z) + model[:-1] @ model[:-1] / (2 * C))


@pytest.mark.parametrize("p", [4, 30])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("scale", [1.0, 1e2, 1e4])
def test_no_loss_is_above_that_of_scikit_learn(p: int, C: float, scale: float) -> None:
    """Of large features the minimum is far from 0, and whole steps of Newton do not lead there."""
    given = _wide(0, 60, p, classes=2)
    X = scale * (given.X - given.X.mean(axis=1, keepdims=True))
    basis = np.concatenate([X, np.ones_like(X[..., :1])], axis=-1)
    found, doubtful = Logistic(C=C)._one_by_one(basis, given.y, given.splits)
    assert not doubtful.any()
    exact = Logistic(C=C).estimator().set_params(tol=1e-10)
    for r, j in np.ndindex(doubtful.shape):
        x = X[r, given.splits.trains[j]]
        y = given.y[r, given.splits.trains[j]]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn's solver stops early on the largest
            model = exact.fit(x, y)
        theirs = _losses(np.append(model.coef_, model.intercept_), x, y, C)
        assert _losses(found[r, j], x, y, C) <= theirs + 1e-8


@pytest.mark.parametrize("p", [4, 30])
def test_models_that_need_more_steps_are_left_to_scikit_learn(p: int) -> None:
    given = _wide(1, 60, p, classes=2)
    algorithm = Logistic(C=1.0, steps=0)
    np.testing.assert_array_equal(ours(algorithm, given), refitted(algorithm, given, tol=1e-10))


@pytest.mark.parametrize("p", [3, 30])
@pytest.mark.parametrize("kind", [Logistic, Perceptron])
def test_one_class_alone_is_what_compiled_models_predict(
    kind: Any, p: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first split trains on class 0, the second on class 1, the third on both."""
    given = _wide(3, 60, p, classes=2)
    given.y[:] = np.arange(60) >= 30
    halves = np.stack([given.y[0] == 0, given.y[0] == 1, np.arange(60) % 2 == 0])
    alone = Task(given.X, given.y, Splits(trains=halves, tests=~halves))
    found = kind().predict(*alone)
    assert (found[:, 0, 30:] == 0).all()
    assert (found[:, 1, :30] == 1).all()
    np.testing.assert_array_equal(ours(kind(), alone), _on_arrays(kind(), alone, monkeypatch))


@pytest.mark.parametrize("algorithm", [SVM(), SVM(C=10.0), SVM(kernel="linear"), SVM(scaled=False)])
@pytest.mark.parametrize("classes", [2, 3, 5])
def test_compiled_support_vectors_are_libsvms(algorithm: SVM, classes: int) -> None:
    """LIBSVM stops at a tolerance too: the predictions of examples at the boundary may differ."""
    given = _wide(classes, 150, 4, classes=classes)
    given.X[..., 1] = 4.0  # does not vary
    assert np.mean(ours(algorithm, given) != refitted(algorithm, given)) <= 0.005


def test_classes_that_do_not_train_win_no_pair() -> None:
    given = _wide(1, 60, 3, classes=3)
    few = np.stack([(given.y[0] != 1) & (np.arange(60) % 2 == 0), given.y[0] == 2])
    kept = Task(given.X[:1], given.y[:1], Splits(trains=few, tests=~few))
    found = SVM().predict(*kept)
    two = Task(kept.X, kept.y, Splits(trains=few[:1], tests=~few[:1]))
    np.testing.assert_array_equal(found[:, 0][~few[:1]], refitted(SVM(), two))
    assert (found[:, 1, ~few[1]] == 2).all()  # one class alone


@pytest.mark.parametrize("classes", [2, 3])
def test_compiled_weighted_neighbours_are_those_of_arrays(
    classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = _wide(classes, 50, 4, classes=classes)
    given.X[..., 1] = 4.0  # does not vary
    for algorithm in (TriangularKNN(k=1), TriangularKNN()):
        there = _on_arrays(algorithm, given, monkeypatch)
        np.testing.assert_array_equal(ours(algorithm, given), there)


def test_equally_distant_neighbours_are_those_of_arrays_but_for_rounding(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    differ = []
    for seed in range(20):
        given = _wide(seed, 40, 2 + seed % 2, classes=3)
        given.X[:] = given.X.round()
        differ += [ours(TriangularKNN(), given) != _on_arrays(TriangularKNN(), given, monkeypatch)]
    assert np.mean(differ) <= 0.001


@pytest.mark.parametrize("p", [2, 7])
def test_the_compiled_perceptron_is_that_of_arrays(p: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given = _wide(p, 50, p, classes=2)
    given.X[..., 1] = 4.0  # does not vary
    there = _on_arrays(Perceptron(epochs=12), given, monkeypatch)
    np.testing.assert_array_equal(ours(Perceptron(epochs=12), given), there)


@pytest.mark.parametrize(("n", "p"), [(300, 2), (300, 6), (1500, 4)])
def test_compiled_neighbours_are_those_of_arrays(
    n: int, p: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = _wide(n, n, p, classes=3)
    algorithms = KNN(1), KNN(5), KNN(n // 2), KNN(4, metric_weights=(2.0,) * p)
    for algorithm in algorithms[: 2 if n > 1000 else 4]:
        there = _on_arrays(algorithm, given, monkeypatch)
        np.testing.assert_array_equal(ours(algorithm, given), there)
    given.X[:] = given.X.round()  # many equals, the first in the data set is the nearest
    np.testing.assert_array_equal(ours(KNN(5), given), _on_arrays(KNN(5), given, monkeypatch))


def _binned_task(sets: int, classes: bool) -> tuple[Any, ...]:
    rng = np.random.default_rng(sets)
    X = rng.normal(size=(sets, 90, 7))
    y = X[..., 0] + X[..., 1] ** 2 + rng.normal(size=(sets, 90))
    edges = np.quantile(rng.normal(size=(2000, 7)), np.arange(1, 16) / 16, axis=0).T
    weights = rng.integers(3, size=(5, 90)).astype(float)
    learning = LearningTask(classes=classes, edges=edges, rng=np.random.default_rng(0))
    return X, (y > 1).astype(float) if classes else (8 * y).round() / 8, weights, learning


@pytest.mark.parametrize("key", ["tree", "forest", "boosting"])
def test_compiled_trees_on_bins_are_those_of_arrays(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Classes, and numbers in eighths, add up exactly; what boosting adds up is rounded."""
    for classes, known in ((True, CLASSIFIERS), (False, REGRESSORS)):
        found = known[key].fit(*_binned_task(2, classes))
        with monkeypatch.context() as without:
            without.setattr(compiled, "find_spec", lambda _: None)
            there = known[key].fit(*_binned_task(2, classes))
        if key == "boosting":
            assert np.corrcoef(found.ravel(), there.ravel())[0, 1] > 0.99
            assert np.mean(np.abs(found - there) < 1e-4) > 0.8
        else:
            np.testing.assert_array_equal(found, there)


def test_kernels_are_for_numpy_and_need_numba(monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled.usable(np.zeros(1))
    assert not compiled.usable([0.0])
    monkeypatch.setattr(compiled, "find_spec", lambda _: None)
    assert not compiled.usable(np.zeros(1))


KERNELS: list[Algorithm] = [
    Tree(),
    Forest(n_trees=2, max_features=2),
    Logistic(),
    Perceptron(),
    KNN(5),
    TriangularKNN(),
    SVM(),
    Lasso(0.1),
    Tree(criterion="squared"),
]


@pytest.mark.parametrize("algorithm", KERNELS, ids=lambda a: a.name)
@pytest.mark.parametrize("wrong", [np.nan, np.inf, 1e200])
def test_what_is_no_number_is_refused_with_and_without_numba(
    algorithm: Algorithm, wrong: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    for where in ("X", "y"):
        given = _wide(0, 300, 3, classes=2)
        getattr(given, where)[1, 7] = wrong
        for predict in (ours, partial(_on_arrays, monkeypatch=monkeypatch)):
            with pytest.raises(
                InvalidInput, match=f"{where} must be numbers below 1e\\+150 in size"
            ):
                predict(algorithm, given)


@pytest.mark.parametrize("algorithm", [*KERNELS[:7], LDA(), GaussianNB()], ids=lambda a: a.name)
@pytest.mark.parametrize("label", [-1.0, 0.5])
def test_labels_are_whole_numbers_with_and_without_numba(
    algorithm: Algorithm, label: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = _wide(0, 300, 3, classes=2)
    given.y[given.y == 0] = label
    for predict in (ours, partial(_on_arrays, monkeypatch=monkeypatch)):
        with pytest.raises(InvalidInput, match=r"y must be labels 0, 1, 2, .* but got"):
            predict(algorithm, given)


def test_distances_that_are_not_numbers_crash_nothing() -> None:
    from evenfold_lab.fast.compiled.triangular import vote

    out = np.zeros(2)
    labels = np.array([1, 0, 1, 1])
    for far in (np.nan, np.inf):
        vote(np.zeros((2, 4)), np.full(2, far), np.full(4, far), labels, 2, 1e-6, np.empty(2), out)
        assert set(out) <= {0.0, 1.0}


def test_every_kernel_is_compiled_for_one_kind_of_array() -> None:
    """One data set or two, read-only or not, ordered by rows or by columns, cut alike or not."""
    for algorithm in KERNELS:
        for many in (1, 2):
            given = _wide(0, 300, 3, classes=2)
            X = given.X[:many]
            y = given.y[:many]
            algorithm.predict(X, y, given.splits)
            X = np.asfortranarray(X)
            y = np.asfortranarray(y)
            cut = given.splits.trains, given.splits.tests
            own = [np.array(np.broadcast_to(z, (many, *z.shape))) for z in cut]
            for fixed in (X, y, *own):
                fixed.flags.writeable = False
            algorithm.predict(X, y, Splits(trains=own[0], tests=own[1]))
    for many in (1, 2):
        for key in ("tree", "forest", "boosting"):
            CLASSIFIERS[key].fit(*_binned_task(many, True))
    prefix = "evenfold_lab.fast.compiled."
    loaded = [vars(module) for name, module in sys.modules.items() if name.startswith(prefix)]
    doors = "grow_all", "rank_all", "descend", "leads", "vote"
    kernels = [held[door] for held in loaded for door in doors if door in held]
    assert {len(kernel.signatures) for kernel in kernels} == {1}


def test_numba_is_loaded_by_the_first_kernel() -> None:
    script = """
import sys
import numpy as np
from evenfold_lab.fast import OLS, TriangularKNN
from evenfold_lab.masks import Splits
train = np.arange(12)[None] % 2 == 0
X, y = np.random.default_rng(0).normal(size=(1, 12, 2)), np.arange(12.0)[None] % 2
given = X, y, Splits(trains=train, tests=~train)
OLS().predict(*given)
assert "numba" not in sys.modules
TriangularKNN(k=1).predict(*given)
assert "numba" in sys.modules
"""
    subprocess.run([sys.executable, "-c", script], check=True)


def test_large_leaves_and_copies_of_examples(monkeypatch: pytest.MonkeyPatch) -> None:
    given = task(4, classes=3, p=3)
    given.X[:, 1::2] = given.X[:, : given.X.shape[1] // 2]
    for algorithm in (
        Tree(min_samples_leaf=7),
        Tree(max_depth=0),
        Forest(n_trees=2, min_samples_split=9),
        Forest(n_trees=3, max_features=2, min_samples_leaf=3),
    ):
        there = _on_arrays(algorithm, given, monkeypatch)
        np.testing.assert_array_equal(ours(algorithm, given), there)


def test_kernels_are_compiled_where_nothing_can_be_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    from evenfold_lab.fast.compiled import _numba

    def njit(cache: bool = False, **_: Any) -> Any:
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(_numba, "numba", SimpleNamespace(njit=njit))
    assert _numba.compiled(len) is len


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_few_of_many_features_sort_the_members_of_a_node(
    classes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight times as many features as may split a node are all kept in order, of more none."""
    if classes:
        criterion = "gini"
    else:
        criterion = "squared"
    for p in (16, 17, 40):
        given = _wide(p, 80, p, classes=classes)
        given.X[..., ::3] = given.X[..., ::3].round(1)
        algorithm = Forest(n_trees=2, max_features=2, criterion=criterion)
        there = _on_arrays(algorithm, given, monkeypatch)
        np.testing.assert_allclose(ours(algorithm, given), there, rtol=1e-9)


def test_what_kernels_of_trees_are_told_is_that_of_the_array_path(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Numba caches what it compiles, so a changed number of the array path must be handed over."""
    from evenfold_lab.fast.compiled import trees

    given = _wide(0, 60, 4)
    algorithm = Tree(criterion="squared")
    before = ours(Tree(criterion="squared"), given)
    monkeypatch.setattr(arrays, "APART", 0.5)
    monkeypatch.setattr(trees, "APART", np.float32(0.5))
    found = ours(algorithm, given)
    np.testing.assert_allclose(found, _on_arrays(algorithm, given, monkeypatch), rtol=1e-9)
    assert (found != before).any()


def test_a_change_anywhere_in_the_room_compiles_all_of_it_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from evenfold_lab.fast.compiled import _numba

    assert {name for name, *_ in _numba.STAMP} == {file.name for file in FOLDER.glob("*.py")}
    source = tmp_path / "kernel.py"
    source.write_text("def twice(x):\n    return 2 * x\n")

    def hits() -> int:
        held: dict[str, Any] = {}
        exec(compile(source.read_text(), str(source), "exec"), held)
        kernel: Any = _numba.compiled(held["twice"])
        assert kernel(3) == 6
        return sum(kernel.stats.cache_hits.values())

    assert [hits(), hits()] == [0, 1]
    monkeypatch.setattr(_numba, "STAMP", ("changed",))
    assert [hits(), hits()] == [0, 1]
