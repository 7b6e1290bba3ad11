"""The two variances of the central limit theorem for cross-validation."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from statsmodels.stats.weightstats import DescrStatsW, ztest

import evenfold as ef
from evenfold.core.errors import DegenerateData, InvalidInput

RNG = np.random.default_rng(1)
FOLDS = [RNG.normal(0.3, 1.0, size=size) for size in (12, 12, 11, 11)]
EQUAL = [RNG.normal(0.3, 1.0, size=(5, 9)) for _ in range(4)]


def test_all_pairs_is_the_plain_variance_of_all_losses() -> None:
    pooled = np.concatenate(FOLDS)
    e = ef.infer.cv_clt(FOLDS)
    assert_allclose(e.value, pooled.mean(), rtol=1e-12)
    assert_allclose(
        e.standard_error**2, np.mean((pooled - pooled.mean()) ** 2) / len(pooled), rtol=1e-12
    )
    # statsmodels divides by n − 1 where the paper divides by n
    z, _ = ztest(pooled)
    assert_allclose(e.statistic, z * np.sqrt(len(pooled) / (len(pooled) - 1)), rtol=1e-9)


def test_within_folds_is_the_mean_of_the_fold_variances() -> None:
    e = ef.infer.cv_clt_within([fold[0] for fold in EQUAL])
    expected = np.mean([fold[0].var(ddof=1) for fold in EQUAL]) / 36  # (1/K)·ΣS_k², over n
    assert_allclose(e.standard_error**2, expected, rtol=1e-12)


def test_within_folds_is_theta4_and_the_mean_that_of_the_folds() -> None:
    e, theta4 = ef.infer.cv_clt_within(EQUAL), ef.infer.cv_theta4(EQUAL)
    assert_allclose(e.standard_error**2, theta4.value, rtol=1e-12)
    assert_allclose(e.value, np.mean([fold.mean(axis=-1) for fold in EQUAL], axis=0), rtol=1e-12)


def test_unequal_folds_weigh_by_their_sizes() -> None:
    # the variance of a mean of strata with these sizes, each loss once
    expected = sum(len(f) * f.var(ddof=1) for f in FOLDS) / sum(map(len, FOLDS)) ** 2
    assert_allclose(ef.infer.cv_clt_within(FOLDS).standard_error ** 2, expected, rtol=1e-12)
    strata = sum((len(f) / 46) ** 2 * DescrStatsW(f).std_mean ** 2 for f in FOLDS)
    assert_allclose(expected, strata, rtol=1e-12)


@pytest.mark.parametrize("function", [ef.infer.cv_clt, ef.infer.cv_clt_within])
def test_batches_shifts_signs_and_limits(function: object) -> None:
    assert callable(function)
    e = function(EQUAL)
    for i in range(5):
        one = function([fold[i] for fold in EQUAL])
        assert_allclose([one.value, one.pvalue], [e.value[i], e.pvalue[i]], rtol=1e-12)
    moved = function([-fold - 2.0 for fold in EQUAL], null=-2.0)
    assert_allclose(moved.statistic, -e.statistic, rtol=1e-9)
    low, _ = function([fold[0] for fold in EQUAL]).confidence_interval(0.95)
    assert_allclose(function([fold[0] for fold in EQUAL], null=float(low)).pvalue, 0.05, rtol=1e-9)
    with pytest.warns(DegenerateData):
        assert function([np.zeros(3), np.zeros(4)]).pvalue == 1


def test_one_example_per_fold_is_for_all_pairs_only() -> None:
    alone = [[0.1], [0.4], [0.3]]
    assert np.isfinite(ef.infer.cv_clt(alone).pvalue)
    with pytest.raises(InvalidInput, match="M ≥ 2"):
        ef.infer.cv_clt_within(alone)
