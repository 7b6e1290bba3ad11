"""The intervals of mlr3inferr, written once more by loops over its definitions."""

from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

import evenfold as ef
from evenfold_lab.bench import definitions as mlr
from evenfold_lab.bench import families as kinds
from evenfold_lab.bench.material import nested_statistics, outside_bag

Z = stats.norm.ppf(0.975)


def test_corrected_t_has_the_factor_of_nadeau_and_bengio() -> None:
    values = np.random.default_rng(0).normal(size=(3, 25))
    estimate, low, high = mlr.corrected_t(values, 90, 10)
    for row, centre, a, b in zip(values, estimate, low, high, strict=True):
        reach = stats.t.ppf(0.975, 24) * np.sqrt(1 / 25 + 10 / 90) * np.std(row, ddof=1)
        assert (centre, a, b) == pytest.approx((row.mean(), row.mean() - reach, row.mean() + reach))
    ours = ef.infer.corrected_resampled_t(values, n_train=90, n_test=10).confidence_interval(0.95)
    np.testing.assert_allclose(ours, (low, high))


def test_conservative_z_halves_the_squared_difference_of_disjoint_halves() -> None:
    rng = np.random.default_rng(1)
    values, halves = rng.normal(size=(2, 5)), rng.normal(size=(2, 10, 2))
    _, low, high = mlr.conservative_z(values, halves)
    for r in range(2):
        variance = sum((a - b) ** 2 for a, b in halves[r]) / (2 * 10)
        assert high[r] - low[r] == pytest.approx(2 * Z * np.sqrt(variance))


def test_wald_divides_by_n_and_holdout_by_one_less() -> None:
    losses = np.random.default_rng(2).exponential(size=(1, 40))
    _, low, high = mlr.wald_cv(losses)
    assert high[0] - low[0] == pytest.approx(2 * Z * np.std(losses) / np.sqrt(40))
    _, low, high = mlr.holdout(losses)
    assert high[0] - low[0] == pytest.approx(2 * Z * np.std(losses, ddof=1) / np.sqrt(40))


def _nested_by_loops(outer: Any, inner: Any, fold: Any) -> tuple[float, float]:
    """One data set: outer (runs, n), inner (runs, K, n), fold (runs, n) numbers."""
    runs, n = outer.shape
    K = inner.shape[1]
    a: list[float] = []
    b: list[float] = []
    everything: list[float] = []
    for r in range(runs):
        for k in range(K):
            left_out = outer[r, fold[r] == k]
            rest = inner[r, k, fold[r] != k]
            a.append((rest.mean() - left_out.mean()) ** 2)
            b.append(np.var(left_out, ddof=1) / len(left_out))
            everything.extend(rest)
    mse = (K - 1) / K * np.mean(np.array(a) - np.array(b))
    least = np.std(everything, ddof=1) / np.sqrt(n)
    error = max(least, min(np.sqrt(max(mse, 0)), least * np.sqrt(K)))
    inside, outside = np.mean(everything), outer.mean()
    return inside - (1 + (K - 2) / K) * (inside - outside), error


def test_nested_cross_validation_is_that_of_the_definition() -> None:
    rng = np.random.default_rng(3)
    runs, n, K = 3, 23, 5
    fold = np.stack([kinds.fold_numbers(n, K, rng) for _ in range(runs)])
    outer = rng.normal(size=(2, runs, n))
    inner = rng.normal(size=(2, runs, K, n))
    hot = fold[:, None, :] == np.arange(K)[:, None]
    inner = np.where(hot, 0.0, inner)
    found = nested_statistics(outer, inner, hot.astype(float))["nested-3"]
    for r in range(2):
        assert tuple(found[r]) == pytest.approx(_nested_by_loops(outer[r], inner[r], fold))


def test_the_bootstraps_delta_method_is_that_of_efron_and_tibshirani() -> None:
    rng = np.random.default_rng(4)
    n, B = 12, 30
    counts = rng.multinomial(n, np.full(n, 1 / n), size=B)
    loss = rng.random((1, B, n))
    mean, delta = outside_bag(loss.astype(np.float32), counts.astype(np.float32))
    out = counts == 0
    each = np.array([loss[0, out[:, i], i].mean() for i in range(n)])
    q = np.array([loss[0, b, out[b]].sum() / n for b in range(B)])
    known = [
        (2 + 1 / (n - 1)) * (each[i] - each.mean()) / n
        + np.sum((counts[:, i] - counts[:, i].mean()) * q) / out[:, i].sum()
        for i in range(n)
    ]
    assert float(mean[0]) == pytest.approx(each.mean(), rel=1e-5)
    np.testing.assert_allclose(delta[0], known, atol=1e-5)


@pytest.mark.parametrize("n", [40, 57, 100])
def test_families_are_those_of_the_definitions(n: int) -> None:
    rng = np.random.default_rng(5)
    size = n - round(0.9 * n)
    random = kinds.random(n, rng)
    assert (random.tests.sum(axis=1) == size).all()
    assert (random.trains + random.tests == 1).all()
    paired = kinds.paired_halvings(n, rng)
    assert len(paired.trains) == 2 * 10 * 5  # with the first five random splits 105 fits
    assert (paired.tests.sum(axis=1) == size).all()
    assert (paired.trains.sum(axis=1) == n // 2 - size).all()
    for halving in (paired.trains + paired.tests).reshape(10, 2, 5, n):
        assert (halving.max(axis=1).sum(axis=0) <= 1).all()  # the two halves have nobody in common
    nested = kinds.nested(n, rng)
    runs = nested.tests.reshape(10, 15, n)
    assert (runs[:, :5].sum(axis=1) == 1).all()
    for run in runs:
        for at, (k, j) in enumerate(combinations(range(5), 2)):
            np.testing.assert_array_equal(run[5 + at], run[k] + run[j])
    folds = kinds.folds(n, rng).tests.reshape(10, 10, n)
    assert (folds.sum(axis=1) == 1).all()
    bags = kinds.bootstraps(n, rng)
    assert (bags.trains.sum(axis=1) == n).all()
    assert ((bags.trains > 0) != (bags.tests > 0)).all()
    later = kinds.later_halvings(n, rng)
    halves = np.concatenate([kinds.halvings(n, rng).tests, later.tests]).reshape(-1, 2, n)
    assert (halves.sum(axis=1) == 1).all()


def test_the_fast_bootstrap_weighs_both_sides() -> None:
    family = kinds.fast_bootstrap(30, np.random.default_rng(6))
    assert len(family.trains) == 400 + 400 * 20
    later = family.trains[400:] + family.tests[400:]
    assert (later.sum(axis=1) == 30).all()
    assert later.max() > 1


def test_no_test_set_of_the_fast_bootstrap_is_empty() -> None:
    # Five places of a hundred are tested: one set in 150 has none that was drawn, and a mean of
    # nothing.
    family = kinds.fast_bootstrap(100, np.random.default_rng(7))
    assert (family.tests.sum(axis=1) > 0).all()
