"""The Bayesian correlated t-test, beside baycomp and the corrected resampled t-test."""

import numpy as np
import pytest
from baycomp.single import CorrelatedTTest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import evenfold as ef
from evenfold.core.errors import DegenerateData, InvalidInput

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("K", [2, 5, 10])
@pytest.mark.parametrize("margin", [0.01, 0.2, 1.0])
def test_on_k_folds_it_is_baycomp(K: int, margin: float) -> None:
    # baycomp 1.0.3 assumes ρ = 1/K, which is n2/(n1+n2) for folds of one size
    d = RNG.normal(0.1, 0.5, size=K)
    region = ef.infer.bayes_correlated_t(d, n_train=(K - 1) * 20, n_test=20).rope(margin)
    assert_allclose(
        [region.left, region.rope, region.right],
        CorrelatedTTest.probs(np.zeros(K), d, rope=margin),
        rtol=1e-9,
    )


def test_repeated_folds_are_baycomp_with_runs() -> None:
    d = RNG.normal(0.1, 0.5, size=30)
    ours = ef.infer.bayes_correlated_t(d, n_train=90, n_test=10).rope(0.1)
    theirs = CorrelatedTTest.probs(np.zeros(30), d, rope=0.1, runs=3)
    assert_allclose([ours.left, ours.rope, ours.right], theirs, rtol=1e-9)


def test_random_splits_have_their_own_correlation() -> None:
    d = RNG.normal(0.2, 0.5, size=10)
    posterior = ef.infer.bayes_correlated_t(d, n_train=70, n_test=30)
    reference = stats.t(9, loc=d.mean(), scale=d.std(ddof=1) * np.sqrt(1 / 10 + 30 / 70))
    assert_allclose(posterior.probability(0.1), reference.sf(0.1), rtol=1e-12)
    assert_allclose(posterior.interval(0.9), reference.interval(0.9), rtol=1e-12)
    wider = CorrelatedTTest.probs(np.zeros(10), d, rope=0.1)  # 1/(K−1) = .11 where n2/n1 is .43
    assert posterior.rope(0.1).right < wider[2]


def test_its_interval_is_that_of_the_corrected_t() -> None:
    d = RNG.normal(size=(7, 12))
    posterior = ef.infer.bayes_correlated_t(d, n_train=80, n_test=20)
    test = ef.infer.corrected_resampled_t(d, n_train=80, n_test=20, alternative="greater")
    assert_allclose(posterior.interval(0.9)[0], test.confidence_interval(0.95)[0], rtol=1e-12)
    assert_allclose(1 - posterior.probability(0.0), test.pvalue, rtol=1e-9)
    assert_array_equal(posterior.mean, test.value)


def test_regions_add_up_and_a_batch_is_a_loop() -> None:
    d = RNG.normal(size=(3, 4, 8))
    region = ef.infer.bayes_correlated_t(d, n_train=7, n_test=1).rope(0.3)
    assert_allclose(region.left + region.rope + region.right, 1, rtol=1e-12)
    for i in np.ndindex(3, 4):
        assert_allclose(
            ef.infer.bayes_correlated_t(d[i], n_train=7, n_test=1).rope(0.3).left,
            region.left[i],
            rtol=1e-12,
        )


@pytest.mark.parametrize("value", [0.0, 0.1, 1 / 3])
def test_equal_differences_are_a_point(value: float) -> None:
    with pytest.warns(DegenerateData, match="no spread"):
        posterior = ef.infer.bayes_correlated_t(np.full(10, value), n_train=9, n_test=1)
    assert_allclose(posterior.interval(), value)
    assert posterior.probability(value) == 0.5
    assert posterior.probability(value + 0.1) == 0
    assert posterior.probability(value - 0.1) == 1
    region = posterior.rope(value + 0.05)
    assert_allclose([region.left, region.rope, region.right], [0, 1, 0])


def test_what_it_refuses() -> None:
    with pytest.raises(InvalidInput, match="d must be of shape"):
        ef.infer.bayes_correlated_t([0.1], n_train=9, n_test=1)
    with pytest.raises(InvalidInput, match="n_train must be"):
        ef.infer.bayes_correlated_t([0.1, 0.2], n_train=0, n_test=1)
    with pytest.raises(InvalidInput, match="margin must be"):
        ef.infer.bayes_correlated_t([0.1, 0.2], n_train=9, n_test=1).rope(-0.1)
