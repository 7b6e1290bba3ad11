"""Estimators with any bias (G13 proposition 1), parts of the variance of block means (eq. 2, 7)."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import evenfold as ef
from evenfold.infer.theory.blocks import variance_parts, variance_with_bias

RNG = np.random.default_rng(2013)
FOLDS = [RNG.normal(0.3, 1.0, size=(4, size)) for size in (7, 7, 8)]


@pytest.mark.parametrize(
    ("method", "biases"),
    [
        (ef.infer.cv_theta1, {}),
        (ef.infer.cv_theta2, {"omega": -1.0}),
        (ef.infer.cv_theta3, {"gamma": -1.0}),
        (ef.infer.cv_theta5, {"omega": 1.0, "gamma": -2.0}),
    ],
)
def test_the_estimators_of_g13_are_those_with_their_biases(
    method: Callable[..., Any], biases: dict[str, float]
) -> None:
    assert_allclose(variance_with_bias(FOLDS, **biases), method(FOLDS).value, atol=1e-12)


def test_an_estimator_has_the_bias_that_was_asked_for() -> None:
    """σ² = 3, ω = 2, γ = 1.5, μ = .7; α1 + α2 + α3 − α4 = −1."""
    R, K, M = 40_000, 4, 5
    shared, own = RNG.normal(size=(R, 1, 1)), RNG.normal(size=(R, K, 1))
    losses = 0.7 + np.sqrt(1.5) * shared + np.sqrt(0.5) * own + RNG.normal(size=(R, K, M))
    alpha = {"sigma2": 0.2, "omega": -0.6, "gamma": 0.3}
    fourth = sum(alpha.values()) + 1
    truth = 3 / 20 + 4 / 20 * 2 + 15 / 20 * 1.5
    expected = truth + 0.2 * 3 - 0.6 * 2 + 0.3 * 1.5 + fourth * 0.49
    found = variance_with_bias([losses[:, k] for k in range(K)], **alpha)
    assert abs(found.mean() - expected) < 4 * found.std() / np.sqrt(R)
    parts = variance_parts([losses[:, k] for k in range(K)])
    assert_allclose(parts.sigma2, 3, rtol=0.05)
    assert_allclose(parts.omega, 2, rtol=0.05)
    assert_allclose(parts.gamma[np.triu_indices(K, 1)], 1.5, rtol=0.06)
    assert_allclose(parts.variance, losses.mean(axis=(1, 2)).var(ddof=1), rtol=1e-9)


def test_one_data_set_has_no_parts() -> None:
    with pytest.raises(ef.EvenfoldError, match="losses must be arrays of shape"):
        variance_parts([np.zeros((1, 5)), np.zeros((1, 5))])
