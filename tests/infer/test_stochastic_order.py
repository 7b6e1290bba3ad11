"""Almost stochastic order: deepsig's recorded value, a plain integral, and how often it errs."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import evenfold as ef
from evenfold.core.errors import InvalidInput


def test_it_is_deepsigs_bound() -> None:
    """deepsig 1.2.6, aso(a, b, num_bootstrap_iterations=2000, seed=1) gave .346 for these."""
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=12), rng.normal(size=12) - 0.2
    found = ef.infer.almost_stochastic_order(b, a, resamples=20_000)
    assert_allclose(found.upper, 0.346, atol=0.03)  # its 2000 resamples leave about .02


@pytest.mark.parametrize(("n", "m"), [(7, 7), (5, 8), (12, 9)])
def test_the_ratio_is_the_integral(n: int, m: int) -> None:
    rng = np.random.default_rng(n)
    a, b = rng.normal(size=n), rng.normal(size=m) + 0.3
    t = (np.arange(n * m * 200) + 0.5) / (n * m * 200)
    apart = np.sort(a)[(t * n).astype(int)] - np.sort(b)[(t * m).astype(int)]
    expected = np.sum(np.maximum(apart, 0) ** 2) / np.sum(apart**2)
    found = ef.infer.almost_stochastic_order(a, b)
    assert_allclose(found.ratio, expected, rtol=1e-9)
    other = ef.infer.almost_stochastic_order(-a, -b, lower_is_better=True)
    assert (other.ratio, other.upper) == (found.ratio, found.upper)
    assert_allclose(ef.infer.almost_stochastic_order(b, a).ratio, 1 - expected)


def test_it_errs_more_often_than_its_level() -> None:
    """Measured .198 (s.e. .006) of nominal .05 for ten runs of equal algorithms, threshold ½."""
    rng, replications = np.random.default_rng(1), 300
    upper = [
        ef.infer.almost_stochastic_order(*rng.normal(size=(2, 10)), resamples=200, seed=i).upper
        for i in range(replications)
    ]
    assert 0.12 < np.mean(np.array(upper) < 0.5) < 0.28


def test_equal_samples_have_no_order_and_bad_input_is_refused() -> None:
    assert ef.infer.almost_stochastic_order([1, 2, 3], [1, 2, 3]).ratio == 0.5
    with pytest.raises(InvalidInput, match="a must be of shape"):
        ef.infer.almost_stochastic_order([1], [1, 2])
