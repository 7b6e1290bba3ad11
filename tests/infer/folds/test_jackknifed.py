"""Leave-one-out in closed form, and outside the bag: the jackknife of the estimate."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import evenfold as ef
from evenfold.core.errors import InvalidInput, NotApplicable


def _table(n: int = 30, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Losses without i, and without i and j ``[j, i]``."""
    rng = np.random.default_rng(seed)
    one = rng.normal(0.2, 1.0, size=n)
    two = one + 0.1 * rng.normal(size=(n, n))
    np.fill_diagonal(two, one)
    return one, two


def test_the_variance_is_the_jackknifes() -> None:
    one, two = _table()
    n = len(one)
    without = [np.delete(two[j], j).mean() for j in range(n)]
    variance = (n - 1) / n * np.square(without - np.mean(without)).sum()
    e = ef.infer.leave_one_out_t(one, (two - one).sum(axis=1) / (n - 1))
    assert_allclose(e.value, one.mean())
    assert_allclose(e.standard_error**2, variance)


def test_two_halves_that_agree_are_leave_one_out() -> None:
    one, two = _table()
    a = (two - one).sum(axis=1) / (len(one) - 1)
    exact, halves = ef.infer.leave_one_out_t(one, a), ef.infer.out_of_bag_t(one, np.stack([a, a]))
    assert_allclose(
        halves.standard_error, max(exact.standard_error, one.std(ddof=1) / np.sqrt(len(one)))
    )


def test_the_chance_of_few_trees_is_no_variance() -> None:
    rng = np.random.default_rng(2)
    n, sets = 100, 400
    d, a = rng.normal(size=(sets, n)), rng.normal(size=(sets, 1, n)) / n
    noise = 3 * rng.normal(size=(sets, 2, n)) / n
    honest = ef.infer.out_of_bag_t(d, a + noise).standard_error ** 2
    known = ef.infer.leave_one_out_t(d, a[:, 0]).standard_error ** 2
    assert_allclose(np.mean(honest), np.mean(known), rtol=0.1)


def test_training_examples_that_matter_widen_the_interval() -> None:
    """y = mean: what an example adds to the mean by training is as well known as the mean."""
    rng = np.random.default_rng(3)
    y = rng.normal(size=(2000, 40))
    n = y.shape[1]
    total = y.sum(axis=1, keepdims=True)
    loss = (y - (total - y) / (n - 1)) ** 2
    two = (y[:, None] - (total[..., None] - y[:, None] - y[..., None]) / (n - 2)) ** 2  # [j, i]
    change = two - loss[:, None]
    change[:, np.arange(n), np.arange(n)] = 0.0
    e = ef.infer.leave_one_out_t(loss, change.sum(axis=2) / (n - 1))
    assert_allclose(np.mean(e.standard_error**2), e.value.var(), rtol=0.1)


def test_shapes_are_refused() -> None:
    with pytest.raises(InvalidInput, match="like losses"):
        ef.infer.leave_one_out_t(np.zeros(10), np.zeros((2, 10)))
    with pytest.raises(InvalidInput, match=r"\(2, 10\)"):
        ef.infer.out_of_bag_t(np.zeros(10), np.zeros(10))
    with pytest.raises(InvalidInput, match="n ≥ 4"):
        ef.infer.leave_one_out_t(np.zeros(3), np.zeros(3))


@pytest.mark.parametrize("key", ["leave-one-out-t", "out-of-bag-t"])
def test_a_run_cannot_feed_it(key: str) -> None:
    from sklearn.linear_model import LinearRegression, Ridge

    X = np.random.default_rng(0).normal(size=(20, 2))
    with pytest.raises(NotApplicable, match=r"ef\.run\.left_out"):
        ef.compare([LinearRegression(), Ridge()], X, X[:, 0], method=key)


def test_the_jackknife_over_folds_leaves_out_fold_by_fold() -> None:
    rng = np.random.default_rng(4)
    folds = rng.permutation(np.arange(20) % 4)[None]
    L = rng.normal(size=(1, 4, 20))
    e = ef.infer.fold_jackknife_t(L, folds)
    without = np.array([L[0, k, folds[0] != k].mean() for k in range(4)])
    assert_allclose(e.value, np.mean([L[0, folds[0, i], i] for i in range(20)]))
    assert_allclose(e.standard_error**2, 3 / 4 * np.square(without - without.mean()).sum())


def test_the_jackknife_over_folds_knows_what_training_examples_do() -> None:
    """
    Predict 1 by the mean of y.

    All that varies is training, seen by nobody who looks at losses alone.
    """
    rng = np.random.default_rng(5)
    y = rng.normal(size=(2000, 42))
    folds = np.arange(42) % 7
    L = np.empty((2000, 1, 7, 42))
    for k in range(7):
        for j in range(7):
            rest = (folds != k) & (folds != j)
            L[:, 0, k, folds == j] = (1 - y[:, rest].mean(axis=1))[:, None] ** 2
    e = ef.infer.fold_jackknife_t(L, folds[None])
    assert_allclose(np.mean(e.standard_error**2), e.value.var(), rtol=0.15)


def test_compare_runs_it_on_pairs_of_folds() -> None:
    from sklearn.linear_model import LinearRegression, Ridge

    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 3))
    two = [LinearRegression(), Ridge(5.0)]
    y = X[:, 0] + rng.normal(size=60)
    c = ef.compare(two, X, y, design="nested-kfold:7:1", method="fold-jackknife-t", random_state=0)
    assert c.fits == 56
    assert c.partition.n_train == 51
    assert "for models trained on 51 examples" in str(c.verdict)
