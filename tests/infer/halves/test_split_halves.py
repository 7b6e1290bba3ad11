"""The test on cross-validation in disjoint halves, and the theorem that it rests on."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import ttest_1samp
from tests.comparison.mean_model import holdout_covariance

import evenfold as ef
from evenfold.design import FoldsInHalves

RNG = np.random.default_rng(0)


def test_it_keeps_the_contract() -> None:
    ef.testing.check_method("split-halves-t")


def test_the_variance_is_a_quarter_of_the_mean_squared_difference_of_halves() -> None:
    halves = RNG.normal(0.2, 1.0, size=(9, 2))
    e = ef.infer.split_halves_t(halves)
    assert_allclose(e.value, halves.mean())
    assert_allclose(e.standard_error**2, np.mean((halves[:, 0] - halves[:, 1]) ** 2) / 4)
    assert e.df == 9


def test_one_halving_after_the_other_it_is_a_sign_blind_t_test() -> None:
    """If all halvings agree in their means, B/m is the square of scipy's error about 0."""
    differences = RNG.normal(size=9)
    halves = np.stack([0.3 + differences, 0.3 - differences], axis=-1)
    e = ef.infer.split_halves_t(halves)
    signs = np.concatenate([differences, -differences])
    assert_allclose(e.standard_error, np.sqrt(np.mean(signs**2)))
    assert_allclose(e.pvalue, 2 * ef.infer.split_halves_t(halves, alternative="greater").pvalue)
    assert ttest_1samp(signs, 0.0).pvalue == 1


def test_compare_takes_the_mean_over_the_folds_of_each_half() -> None:
    from sklearn.dummy import DummyRegressor
    from sklearn.linear_model import LinearRegression

    X = RNG.normal(size=(60, 2))
    y = X[:, 0] + RNG.normal(size=60)
    two = {"mean": DummyRegressor(), "line": LinearRegression()}
    c = ef.compare(two, X, y, method="split-halves-t", random_state=0, progress=False)
    assert (c.losses.partition.kind, len(c.losses.partition), c.fits) == (
        "folds-in-halves",
        90,
        180,
    )
    halves = (c.losses.values[1] - c.losses.values[0]).reshape(9, 2, 5).mean(axis=-1)
    e = ef.infer.split_halves_t(halves)
    assert_allclose(
        [c.estimate.value, c.estimate.standard_error, c.estimate.pvalue],
        [e.value, e.standard_error, e.pvalue],
    )
    assert "training size 24" in c.estimate.estimand


@pytest.mark.parametrize(("n", "m", "k"), [(48, 9, 5), (49, 9, 4), (64, 3, 2), (80, 15, 5)])
def test_the_theorem_in_the_mean_model(n: int, m: int, k: int) -> None:
    """E(B) ≥ Var μ̂ and E(B − S) = Var μ̂, exactly, by the covariance of all hold-out values."""
    partition = FoldsInHalves(m, k, random_state=1).partition(n)
    # covariance of the 2m cross-validated values, weighing folds alike
    folds = holdout_covariance(partition, n).reshape(2 * m, k, 2 * m, k).mean(axis=(1, 3))
    halves = folds.reshape(m, 2, m, 2)
    first, second = halves[:, 0, :, 0], halves[:, 1, :, 1]
    between = np.einsum("ij->i", np.eye(m) * halves[:, 0, :, 1])
    assert_allclose(between, 0.0, atol=1e-12)  # halves of a halving are independent
    B = np.mean(np.diag(first) + np.diag(second) - 2 * between) / 4
    means = halves.mean(axis=(1, 3))
    variance = means.mean()
    S = np.trace(means) / m - variance
    assert variance <= B
    assert_allclose(B - S, variance)


def test_halves_balanced_by_labels_break_the_theorem() -> None:
    """Whoever always says "1" errs alike in halves of equal class counts: B is 0."""
    y = RNG.permutation(np.repeat([0, 1], 32))
    balanced = ef.Mx2BCV(7, balance="labels", random_state=0).partition(64, y=y)
    halves = np.array([np.mean(y[test] == 0) for test in balanced.test]).reshape(7, 2)
    assert np.ptp(halves) == 0
