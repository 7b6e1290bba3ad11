"""Nested cross-validation: the algorithm as printed, loop by loop, and what must hold of it."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.linear_model import LinearRegression

import evenfold as ef
from evenfold.core.errors import DegenerateData, InvalidInput, NotApplicable

RNG = np.random.default_rng(2)


def _folds(R: int, K: int, n: int) -> np.ndarray:
    return np.array([RNG.permutation(np.arange(n) % K) for _ in range(R)])


def _printed(L: np.ndarray, folds: np.ndarray) -> tuple[float, float]:
    """
    Bates, Hastie and Tibshirani (2023), algorithm 1, written as it is printed.

    Value and variance.
    """
    R, K, n = L.shape
    es: list[float] = []
    a_list, b_list, outer = [], [], []
    for r in range(R):
        for k in range(K):
            e_out = [L[r, k, i] for i in range(n) if folds[r, i] == k]
            e_in = [L[r, k, i] for i in range(n) if folds[r, i] != k]
            a_list.append((np.mean(e_in) - np.mean(e_out)) ** 2)
            b_list.append(np.var(e_out, ddof=1) / len(e_out))
            es += e_in
            outer += e_out
    mse = (K - 1) / K * (np.mean(a_list) - np.mean(b_list))
    low = np.var(es, ddof=1) / n
    bias = (1 + (K - 2) / K) * (np.mean(es) - np.mean(outer))
    return float(np.mean(es) - bias), float(min(max(mse, low), K * low))


@pytest.mark.parametrize(("R", "K", "n"), [(1, 3, 9), (4, 5, 23), (2, 4, 16)])
def test_it_is_the_printed_algorithm(R: int, K: int, n: int) -> None:
    folds = _folds(R, K, n)
    effect = RNG.normal(size=n)  # shared by all models, so that the variance is not always cut off
    L = effect + 0.2 * RNG.normal(size=(R, K, n)) + 0.5 * RNG.normal(size=(R, K, 1))
    e = ef.infer.nested_cv(L, folds)
    value, variance = _printed(L, folds)
    assert_allclose(e.value, value, rtol=1e-12)
    assert_allclose(e.standard_error**2, variance, rtol=1e-12)
    assert f"training size {n}" in e.estimand


def test_the_variance_is_cut_off_at_both_ends() -> None:
    folds = _folds(3, 5, 50)
    noise = RNG.normal(size=(3, 5, 50))
    naive = ef.infer.nested_cv(noise, folds)
    own = folds[:, None, :] == np.arange(5)[:, None]
    floor = np.var(noise[~own], ddof=1) / 50
    assert_allclose(naive.standard_error**2, floor, rtol=1e-12)
    moved = noise + 5.0 * own  # outer losses far from inner ones: no cross-validation is that wrong
    assert_allclose(ef.infer.nested_cv(moved, folds).standard_error ** 2, 5 * floor, rtol=1e-12)


@pytest.mark.parametrize("K", [3, 5, 10])
def test_the_published_bias_term_is_exact_for_errors_that_fall_like_one_over_n(K: int) -> None:
    n, a, b = 10 * K, 0.2, 3.0

    def error(fraction: float) -> float:
        return a + b / (fraction * n)

    folds = _folds(1, K, n)
    own = folds[:, None, :] == np.arange(K)[:, None]
    L = np.where(own, error((K - 1) / K), error((K - 2) / K)) + 1e-3 * RNG.choice(
        [-1, 1], size=(1, K, n)
    )
    # exact means again
    L -= np.where(own, (L * own).sum() / own.sum(), (L * ~own).sum() / (~own).sum())
    L += np.where(own, error((K - 1) / K), error((K - 2) / K))
    assert_allclose(ef.infer.nested_cv(L, folds).value, error(1.0), rtol=1e-12)
    # the exponent 1.5 of the authors' program corrects less
    cv, ncv = error((K - 1) / K), error((K - 2) / K)
    assert ncv - (1 + ((K - 2) / K) ** 1.5) * (ncv - cv) > error(1.0)


def test_batches_shifts_scales_and_signs() -> None:
    folds = _folds(2, 4, 18)
    L = RNG.normal(0.2, 1.0, size=(3, 2, 4, 18))
    e = ef.infer.nested_cv(L, folds)
    for i in range(3):
        one = ef.infer.nested_cv(L[i], folds)
        assert_allclose(
            [one.value, one.standard_error, one.pvalue],
            [e.value[i], e.standard_error[i], e.pvalue[i]],
        )
    f = ef.infer.nested_cv(-3.0 * L - 2.0, folds, null=-2.0)
    assert_allclose(f.value, -3 * e.value - 2, rtol=1e-9)
    assert_allclose(f.statistic, -e.statistic, rtol=1e-9)
    with pytest.warns(DegenerateData):
        assert ef.infer.nested_cv(np.zeros((2, 4, 18)), folds).pvalue == 1


@pytest.mark.parametrize(
    ("losses", "folds", "message"),
    [
        (np.zeros((2, 6)), np.zeros((1, 6), int), "losses must be of shape"),
        (np.zeros((1, 2, 6)), np.zeros((1, 6), int), "K ≥ 3"),
        (np.zeros((1, 3, 6)), np.zeros((2, 6), int), "folds must be integers of shape"),
        (np.zeros((1, 3, 6)), np.array([[0, 0, 1, 1, 2, 3]]), "folds must be 0 to 2"),
        (np.zeros((1, 3, 6)), np.array([[0, 0, 0, 1, 1, 2]]), "at least twice"),
    ],
)
def test_what_it_refuses(losses: np.ndarray, folds: np.ndarray, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ef.infer.nested_cv(losses, folds)


def test_the_design_fits_every_pair_once_and_tests_every_row() -> None:
    n, K, R = 47, 5, 3  # K does not divide n
    partition = ef.design.NestedKFold(K, R, random_state=0).partition(n)
    assert len(partition) == R * (K + K * (K - 1) // 2)
    for r in range(R):
        outer = [partition.test[j] for j in range(r * K, (r + 1) * K)]
        assert sorted(np.concatenate(outer).tolist()) == list(range(n))
        inner = np.flatnonzero(partition.repetition == r)
        for j, (first, second) in zip(inner, combinations(range(K), 2), strict=True):
            assert sorted([*outer[first], *outer[second]]) == partition.test[int(j)].tolist()
            assert len(partition.train[int(j)]) + len(partition.test[int(j)]) == n
    assert not np.array_equal(partition.test[0], partition.test[K])  # repetitions differ


def _data(n: int) -> tuple[np.ndarray, np.ndarray]:
    X = RNG.normal(size=(n, 4))
    return X, X @ [1.0, 0.5, 0.0, 0.0] + RNG.normal(size=n)


def _by_hand(
    design: Any, X: np.ndarray, y: np.ndarray, columns: list[int]
) -> tuple[np.ndarray, np.ndarray]:
    """Fit every model of the definition, also those that the design fits once for two."""
    partition = design.partition(len(y))
    K, R = design.n_splits, design.n_repeats
    folds = np.empty((R, len(y)), int)
    for j in range(K * R):
        folds[j // K, partition.test[j]] = j % K
    L = np.empty((R, K, len(y)))
    for r, k, j in np.ndindex(R, K, K):
        train, test = (folds[r] != k) & (folds[r] != j), folds[r] == j
        predicted = (
            LinearRegression().fit(X[train][:, columns], y[train]).predict(X[test][:, columns])
        )
        L[r, k, test] = (y[test] - predicted) ** 2
    return L, folds


def _columns(*which: int) -> Any:
    def algorithm(X_train: Any, y_train: Any, X_test: Any) -> Any:
        return LinearRegression().fit(X_train[:, which], y_train).predict(X_test[:, which])

    return algorithm


def test_compare_gives_what_refitting_everything_gives() -> None:
    X, y = _data(53)
    design = ef.design.NestedKFold(4, 2, random_state=5)
    c = ef.compare({"a": _columns(0), "b": _columns(0, 1)}, X, y, design=design, measure="squared")
    (first, folds), (second, _) = _by_hand(design, X, y, [0]), _by_hand(design, X, y, [0, 1])
    expected = ef.infer.nested_cv(second - first, folds)
    found: Any = c.estimate
    assert c.facts.method.key == "nested-cv"
    assert_allclose(
        [found.value, found.standard_error], [expected.value, expected.standard_error], rtol=1e-9
    )
    assert "trained on 53 examples" in str(c.verdict)
    assert c.fits == 2 * 2 * 10
    alone: Any = ef.compare({"b": _columns(0, 1)}, X, y, design=design, measure="squared").estimate
    assert_allclose(alone.value, ef.infer.nested_cv(second, folds).value, rtol=1e-9)


def test_a_method_alone_gets_its_design() -> None:
    X, y = _data(40)
    c = ef.compare(
        {"a": _columns(0), "b": _columns(0, 1)}, X, y, method="nested-cv", random_state=0
    )
    assert c.partition.kind == "nested-kfold"
    assert c.facts.design.name.startswith("NestedKFold(n_splits=5, n_repeats=10")


def test_measures_without_values_per_example_are_refused() -> None:
    X, y = _data(60)
    design = ef.design.NestedKFold(3, 1, random_state=0)
    whole = ef.run.measure(lambda t, p: float(np.mean(np.abs(t - p))), higher_is_better=False)
    with pytest.raises(NotApplicable, match="'nested-cv' needs values per example"):
        ef.compare({"a": _columns(0), "b": _columns(1)}, X, y, design=design, measure=whole)
