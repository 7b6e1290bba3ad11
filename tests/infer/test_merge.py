"""One p-value from those of several splits."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.stats import cauchy, norm

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.infer.merge import Merging

P = [0.01, 0.20, 0.03, 0.04, 0.02]


def test_the_exchangeable_median_looks_at_all_beginnings() -> None:
    """Twice the medians of the first 1 … 5: .02, .02, .06, .06, .06."""
    assert_allclose(ef.infer.merge(P), 0.02)
    assert_allclose(ef.infer.merge([0.2, 0.01, 0.03, 0.04, 0.02]), 0.02)
    assert_allclose(ef.infer.merge([0.2, 0.3, 0.04, 0.02, 0.01]), 0.08)


def test_medians_of_even_numbers_are_the_lower_ones() -> None:
    assert_allclose(ef.infer.merge([0.1, 0.2, 0.3, 0.4], "median"), 0.4)
    assert_allclose(ef.infer.merge([0.1, 0.2, 0.4], "median"), 0.4)


def test_the_mean_is_doubled_and_at_most_1() -> None:
    assert_allclose(ef.infer.merge(P, "mean"), 0.12)
    assert_allclose(ef.infer.merge([0.7, 0.9], "mean"), 1.0)


def test_cauchy_is_that_of_scipys_distribution() -> None:
    mean = np.mean(cauchy.isf(P))
    assert_allclose(ef.infer.merge(P, "cauchy"), cauchy.sf(mean))
    assert_allclose(ef.infer.merge([1e-30, 0.5], "cauchy"), 2e-30)
    assert ef.infer.merge([0.0, 0.5, 1.0], "cauchy") == 0


@pytest.mark.parametrize("how", ["exchangeable-median", "median", "mean", "cauchy"])
def test_one_p_value_or_many_batches(how: Merging) -> None:
    batch = np.array([P, P[::-1]])
    merged = ef.infer.merge(batch, how)
    assert merged.shape == (2,)
    assert_allclose(merged, [ef.infer.merge(row, how) for row in batch])


@pytest.mark.parametrize("how", ["exchangeable-median", "median", "mean"])
@pytest.mark.parametrize("shared", [0.0, 0.5, 0.95])
def test_merged_p_values_of_exchangeable_tests_hold_the_level(how: Merging, shared: float) -> None:
    rng = np.random.default_rng(1)
    common = rng.standard_normal((40_000, 1))
    z = shared**0.5 * common + (1 - shared) ** 0.5 * rng.standard_normal((40_000, 9))
    merged = ef.infer.merge(2 * norm.sf(np.abs(z)), how)
    assert (merged <= 0.05).mean() <= 0.05 + 4 * (0.05 * 0.95 / 40_000) ** 0.5


@pytest.mark.parametrize(
    ("given", "how", "message"),
    [
        ([], "median", "pvalues must be at least one p-value"),
        (0.5, "median", "pvalues must be at least one p-value"),
        ([0.2, 1.2], "median", "pvalues must be numbers from 0 to 1 but got 1.2"),
        ([0.2], "fisher", "how must be one of"),
    ],
)
def test_what_cannot_be_merged_is_refused(given: object, how: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ef.infer.merge(given, how)  # type: ignore[arg-type]
