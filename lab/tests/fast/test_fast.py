"""Fast paths of the lab: the same numbers as refitting scikit-learn, whatever the splits."""

import warnings
import weakref
from typing import Any

import array_api_strict
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenfold.core.errors import InvalidInput
from evenfold.design import RLT, Design, Holdout, KFold, LeaveOneOut, Mx2, Mx2BCV, NestedRLT
from evenfold_lab.algorithm import Algorithm, Refitted
from evenfold_lab.fast import (
    KNN,
    LDA,
    OLS,
    GaussianNB,
    Line,
    Mean,
    OLSClassifier,
    Ridge,
    _base,
)
from evenfold_lab.fast._solve import shift_diagonal
from evenfold_lab.fast.neighbours import _nearest, knn
from evenfold_lab.masks import Splits

REGRESSIONS: list[Algorithm] = [Mean(), OLS(), Line(), Ridge(), Ridge(30.0)]
CLASSIFIERS: list[Algorithm] = [
    OLSClassifier(),
    LDA(),
    GaussianNB(),
    GaussianNB(0.1),
    KNN(1),
    KNN(3),
    KNN(4),
]
DESIGNS: dict[str, type[Design]] = {
    "mx2-bcv": Mx2BCV,
    "mx2": Mx2,
    "kfold": KFold,
    "rlt": RLT,
    "holdout": Holdout,
    "loo": LeaveOneOut,
    "nested": NestedRLT,
}


def design(kind: str, seed: int) -> Design:
    arguments: dict[str, tuple[Any, ...]] = {
        "mx2-bcv": (5,),
        "mx2": (2,),
        "kfold": (4,),
        "rlt": (3, 0.4),
        "holdout": (0.7,),
        "nested": (2, 2, 0.2),
        "loo": (),
    }
    if kind == "loo":
        seeded = {}
    else:
        seeded = {"random_state": seed}
    return DESIGNS[kind](*arguments[kind], **seeded)


def cut(kind: str, n: int, R: int, *, shared: bool) -> Splits:
    return Splits.of([design(kind, seed).partition(n) for seed in range(1 if shared else R)])


def features(rng: np.random.Generator, R: int, n: int, p: int) -> np.ndarray:
    """Correlated, far from 0 and on different scales."""
    mixed: np.ndarray = rng.normal(size=(R, n, p)) @ (np.eye(p) + 0.3 * rng.normal(size=(p, p)))
    return mixed * np.geomspace(0.1, 10.0, p) + 20.0


def labelled(
    rng: np.random.Generator, R: int, n: int, p: int, C: int
) -> tuple[np.ndarray, np.ndarray]:
    y = np.tile(np.arange(n) % C, (R, 1)).astype(np.float64)
    y = rng.permuted(y, axis=1)
    X = features(rng, R, n, p)
    X[..., 0] += 0.1 * y
    X[..., -1] -= 5.0 * (y == 1)
    return X, y


def refitted(algorithm: Algorithm, X: np.ndarray, y: np.ndarray, splits: Splits) -> np.ndarray:
    found: np.ndarray = Refitted(name="peer", prototype=algorithm.estimator()).predict(X, y, splits)
    return found


def assert_same(algorithm: Algorithm, X: np.ndarray, y: np.ndarray, splits: Splits) -> None:
    ours = algorithm.predict(X, y, splits)
    theirs = refitted(algorithm, X, y, splits)
    assert ours.shape == theirs.shape
    tested = np.broadcast_to(splits.tests, ours.shape)
    np.testing.assert_allclose(ours[tested], theirs[tested], rtol=1e-8, atol=1e-8 * np.abs(y).max())


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize("algorithm", REGRESSIONS, ids=lambda a: a.name)
def test_regressions_equal_refits(algorithm: Algorithm, kind: str, shared: bool) -> None:
    rng = np.random.default_rng(3)
    for n, p in ((40, 3), (31, 1), (61, 12))[: 1 if kind == "loo" else None]:
        X = features(rng, 2, n, p)
        y = 100.0 + X[..., 0] + rng.normal(size=(2, n))
        assert_same(algorithm, X, y, cut(kind, n, 2, shared=shared))


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("kind", DESIGNS)
@pytest.mark.parametrize("algorithm", CLASSIFIERS, ids=lambda a: a.name)
def test_classifiers_equal_refits(algorithm: Algorithm, kind: str, shared: bool) -> None:
    rng = np.random.default_rng(4)
    for n, p, C in ((60, 3, 3), (41, 1, 2), (71, 10, 2))[: 1 if kind == "loo" else None]:
        X, y = labelled(rng, 2, n, p, C)
        assert_same(algorithm, X, y, cut(kind, n, 2, shared=shared))


@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    n=st.integers(24, 60),
    p=st.integers(1, 11),
    C=st.integers(2, 4),
    R=st.integers(1, 3),
    kind=st.sampled_from(sorted(DESIGNS)),
    shared=st.booleans(),
    seed=st.integers(0, 2**32),
    data=st.data(),
)
def test_any_size_equals_refits(
    n: int, p: int, C: int, R: int, kind: str, shared: bool, seed: int, data: st.DataObject
) -> None:
    rng = np.random.default_rng(seed)
    X, labels = labelled(rng, R, n, p, C)
    splits = cut(kind, n, R, shared=shared)
    values = X[..., 0] + rng.normal(size=labels.shape)
    algorithm = data.draw(st.sampled_from(REGRESSIONS + CLASSIFIERS))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn on fewer examples than features
        assert_same(algorithm, X, values if algorithm in REGRESSIONS else labels, splits)


@pytest.mark.parametrize("algorithm", CLASSIFIERS, ids=lambda a: a.name)
def test_classes_absent_from_training_are_never_predicted(algorithm: Algorithm) -> None:
    rng = np.random.default_rng(5)
    X, y = labelled(rng, 3, 40, 2, 2)
    y[:, :2] = 2.0  # in some halves there is none, in some one
    X[:, :2] += 3.0
    splits = cut("mx2", 40, 3, shared=False)
    assert not all((y[r] * train == 2).any() for r in range(3) for train in splits.trains[r])
    assert_same(algorithm, X, y, splits)


@pytest.mark.parametrize(
    "algorithm", [OLSClassifier(), LDA(), GaussianNB(), KNN(3)], ids=lambda a: a.name
)
@pytest.mark.parametrize("label", [0.0, 1.0, 2.0])
def test_one_class_alone_is_predicted(algorithm: Algorithm, label: float) -> None:
    X = np.random.default_rng(6).normal(size=(1, 20, 2))
    y = np.full((1, 20), label)
    splits = cut("mx2-bcv", 20, 1, shared=True)
    assert (algorithm.predict(X, y, splits)[0, splits.tests] == label).all()


@pytest.mark.parametrize("p", [3, 12])
@pytest.mark.parametrize(
    "algorithm", [OLS(), Ridge(1e-9), OLSClassifier(), LDA()], ids=lambda a: a.name
)
def test_singular_fits_are_left_to_scikit_learn(algorithm: Algorithm, p: int) -> None:
    rng = np.random.default_rng(7)
    X, y = labelled(rng, 2, 60, p, 2)
    X[0, :, 1] = X[0, :, 0]  # the second data set is regular
    assert_same(algorithm, X, y, cut("kfold", 60, 2, shared=True))


@pytest.mark.parametrize(
    ("n", "p", "C"), [(50, 30, 2), (60, 30, 3), (60, 28, 3), (60, 29, 3), (41, 90, 2)]
)
@pytest.mark.parametrize("kind", ["mx2-bcv", "kfold", "rlt"])
@pytest.mark.parametrize(
    "algorithm", [OLS(), Ridge(), OLSClassifier(), LDA()], ids=lambda a: a.name
)
def test_as_many_features_as_examples(
    algorithm: Algorithm, kind: str, n: int, p: int, C: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The smallest solution, which scikit-learn finds too, and hardly a refit."""
    X, y = labelled(np.random.default_rng(n + p), 3, n, p, C)
    refits: list[int] = []
    monkeypatch.setattr(_base, "refit", _counted(refits))
    for shared in (True, False):
        splits = cut(kind, n, 3, shared=shared)
        assert_same(algorithm, X, y, splits)
        assert sum(refits) <= 0.4 * 3 * splits.count  # those that are nearly singular besides
        refits.clear()


def _counted(refits: list[int]) -> Any:
    plain = _base.refit

    def refit(model: Any, doubtful: np.ndarray, *told: Any) -> None:
        refits.append(int(doubtful.sum()))
        plain(model, doubtful, *told)

    return refit


def test_classes_and_features_that_do_not_vary_among_few_examples() -> None:
    X, y = labelled(np.random.default_rng(1), 2, 40, 30, 2)
    y[:, :2] = 2.0  # in some halves there is none
    X[..., 3] = 7.0
    splits = cut("mx2", 40, 2, shared=False)
    for algorithm in (OLSClassifier(), LDA()):
        assert_same(algorithm, X, y, splits)
    assert_same(OLS(), X, X[..., 0] + y, splits)


def test_small_singular_values_are_those_of_scikit_learn() -> None:
    """It drops those below 1e-6 of the largest, which pivots do not show."""
    rng = np.random.default_rng(4)
    X, labels = labelled(rng, 2, 60, 29, 3)
    y = X[..., 0] + rng.normal(size=labels.shape)
    assert_same(OLS(), X, y, cut("mx2-bcv", 60, 2, shared=False))


def test_lda_drops_directions_in_which_means_hardly_differ() -> None:
    rng = np.random.default_rng(8)
    noise = rng.normal(size=(1, 30, 2))
    noise -= noise.mean(axis=1, keepdims=True)
    y = np.repeat([0.0, 1.0, 2.0], 30)[None]
    X = np.concatenate([noise, noise + 0.5, noise + 1.0], axis=1)  # three means on a line
    train = np.ones((1, 90), dtype=bool)
    splits = Splits(trains=train, tests=train)
    assert_same(LDA(), X, y, splits)


@pytest.mark.parametrize(
    ("kind", "n"),
    # loo: n refits
    [(kind, n) for kind in ("mx2-bcv", "kfold", "rlt") for n in (300, 700)] + [("loo", 300)],
)
@pytest.mark.parametrize("algorithm", [KNN(1), KNN(5)], ids=lambda a: a.name)
def test_neighbours_among_many_examples(algorithm: Algorithm, kind: str, n: int) -> None:
    X, y = labelled(np.random.default_rng(9), 1, n, 5, 3)
    assert_same(algorithm, X, y, cut(kind, n, 1, shared=True))


def test_neighbours_by_the_distorted_metric() -> None:
    X, y = labelled(np.random.default_rng(10), 2, 50, 4, 2)
    assert_same(
        KNN(1, metric_weights=(17.25, 0.0, 1.0, 0.5)), X, y, cut("mx2", 50, 2, shared=False)
    )


def test_equally_distant_neighbours_come_in_their_order() -> None:
    rng = np.random.default_rng(11)
    X = rng.integers(0, 4, size=(1, 400, 4)).astype(np.float64)  # 256 places for 400 examples
    y = rng.integers(0, 3, size=(1, 400)).astype(np.float64)
    splits = cut("mx2-bcv", 400, 1, shared=True)
    w = np.array([1.0, 5.0, 17.25, 1.0])
    found = KNN(1, metric_weights=tuple(w)).predict(X, y, splits)[0]
    for j, (train, test) in enumerate(zip(splits.trains, splits.tests, strict=True)):
        known = np.flatnonzero(train)
        away = (w * (X[0, test][:, None] - X[0, known]) ** 2).sum(axis=-1)
        assert np.array_equal(found[j, test], y[0, known[away.argmin(axis=1)]])


@pytest.mark.parametrize("p", [1, 2, 4])
def test_rows_with_too_few_candidates_ask_everyone(p: int, monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = labelled(np.random.default_rng(12), 1, 300, p, 2)
    X[0, 150:] += 1e3  # two far clusters, the first of which trains hardly
    trains = np.zeros((2, 300), dtype=bool)
    trains[0, [3, 77, 140]] = trains[0, 150:] = True
    trains[1, :290] = True
    assert_same(KNN(5), X, y, Splits(trains=trains, tests=~trains))
    monkeypatch.setattr(_nearest, "SAMPLE", 4)
    assert_same(KNN(5), X, y, Splits(trains=trains, tests=~trains))


@pytest.mark.parametrize("algorithm", [*REGRESSIONS, *CLASSIFIERS], ids=lambda a: a.name)
def test_pieces_do_not_change_the_numbers(
    algorithm: Algorithm, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = labelled(np.random.default_rng(13), 3, 40, 9, 2)
    splits = cut("rlt", 40, 3, shared=False)
    whole = algorithm.predict(X, y, splits)
    monkeypatch.setattr(_base, "WORK", 300)
    monkeypatch.setattr(_base, "MOST", 300)
    monkeypatch.setattr(knn, "WORK", 300)
    tested = splits.tests
    np.testing.assert_allclose(algorithm.predict(X, y, splits)[tested], whole[tested], rtol=1e-10)


def test_data_and_splits_are_left_alone() -> None:
    X, y = labelled(np.random.default_rng(14), 2, 40, 10, 2)
    splits = cut("mx2-bcv", 40, 2, shared=True)
    kept = X.copy(), y.copy(), splits.trains.copy(), splits.tests.copy()
    for algorithm in REGRESSIONS + CLASSIFIERS:
        algorithm.predict(X, y, splits)
    assert all(
        np.array_equal(a, b) for a, b in zip(kept, (X, y, splits.trains, splits.tests), strict=True)
    )


def test_atoms_tell_training_sets_apart() -> None:
    for kind in DESIGNS:
        splits = cut(kind, 37, 1, shared=True)
        atom, patterns = splits.atoms
        assert np.array_equal(patterns[:, atom], splits.trains)
        assert len(np.unique(patterns, axis=1).T) == patterns.shape[1]


def test_atoms_are_found_once_and_go_with_their_splits() -> None:
    splits = cut("mx2-bcv", 40, 1, shared=True)
    assert splits.atoms[0] is splits.atoms[0]
    masks = weakref.ref(splits.trains)
    del splits
    assert masks() is None


def test_the_splits_of_one_data_set() -> None:
    for shared in (True, False):
        splits = cut("mx2-bcv", 40, 3, shared=shared)
        one = splits.of_set(2)
        every = splits.by_set()
        assert one.shared
        assert len(every.trains) == len(every.tests) == (1 if shared else 3)
        assert np.array_equal(one.trains, every.trains[-1])
        assert np.array_equal(one.tests, every.tests[-1])


@pytest.mark.parametrize("library", [np, array_api_strict])
def test_diagonals_are_shifted_by_a_number_or_by_one_each(library: Any) -> None:
    A = np.arange(12.0).reshape(3, 2, 2)
    each = np.array([[1.0, 2.0]])
    for shift in (0.5, each):
        found = shift_diagonal(
            library.asarray(A.copy()), shift if isinstance(shift, float) else library.asarray(each)
        )
        np.testing.assert_array_equal(
            np.asarray(found), A + np.eye(2) * np.asarray(shift)[..., None]
        )


def test_wrong_parameters_are_refused() -> None:
    X = np.zeros((1, 20, 2))
    y = np.zeros((1, 20))
    splits = cut("mx2-bcv", 20, 1, shared=True)
    with pytest.raises(InvalidInput, match="alpha must be"):
        Ridge(-1.0)
    with pytest.raises(InvalidInput, match="var_smoothing must be"):
        GaussianNB(float("nan"))
    with pytest.raises(
        InvalidInput, match=r"k must be an integer from 1 to 10 but got 11\. The smallest"
    ):
        KNN(11).predict(X, y, splits)
    with pytest.raises(InvalidInput, match="metric_weights must be numbers"):
        KNN(1, metric_weights=(-1.0,))
    with pytest.raises(InvalidInput, match="one number per feature"):
        KNN(1, metric_weights=(1.0,)).predict(X, y, splits)


def test_names_and_speed_are_told() -> None:
    names = [algorithm.name for algorithm in (Mean(), Line(), OLS(), Ridge(2.0), LDA(), KNN(1))]
    assert names == ["mean", "line", "ols", "ridge(2)", "lda", "1-nn"]
    assert KNN(1, metric_weights=(1.0,)).name == "weighted 1-nn"
    assert all(algorithm.fast for algorithm in REGRESSIONS + CLASSIFIERS)
