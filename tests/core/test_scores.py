"""Scores of sums: their value, their slopes, and what single examples are worth to them."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from evenfold.core.losses import (
    F1,
    PRECISION,
    RECALL,
    WEIGHTED_MEAN,
    f_score,
    weighted_parts,
    weighted_values,
)

COUNTS = st.lists(st.integers(0, 50), min_size=3, max_size=3).map(
    lambda c: np.array(c, dtype=float)
)


@given(COUNTS, st.floats(0.1, 5.0))
def test_f_beta_is_the_weighted_harmonic_mean_of_precision_and_recall(
    c: np.ndarray, beta: float
) -> None:
    p, r = float(PRECISION(c)), float(RECALL(c))
    harmonic = (1 + beta**2) * p * r / (beta**2 * p + r) if p + r else 0.0
    assert float(f_score(beta)(c)) == pytest.approx(harmonic, rel=1e-12)


@given(COUNTS)
def test_the_complex_step_is_the_derivative_of_a_ratio(c: np.ndarray) -> None:
    above, below = np.array(F1.above), np.array(F1.below)
    if not c @ below:
        assert_allclose(F1.slopes(c), 0.0)
        return
    assert_allclose(F1.slopes(c), (above - F1(c) * below) / (c @ below), rtol=1e-13, atol=1e-16)
    assert F1.slopes(c) @ c == pytest.approx(0.0, abs=1e-12)  # Euler: multiples of c have one score


def test_values_are_pooled_over_test_sets_and_batches() -> None:
    rows = np.random.default_rng(0).integers(0, 3, size=(4, 2, 20, 3)).astype(float)
    values = np.stack(F1.values(list(rows)))
    assert_allclose(values.mean(axis=(0, 2)), F1(rows.sum(axis=(0, 2))), rtol=1e-12)
    assert_allclose(values[:, 1], F1.values(list(rows[:, 1])), rtol=1e-12)
    # the jackknife sees the same influences
    one_by_one = F1(rows.sum(axis=(0, 2))[:, None] - rows[0])
    away = values[0] - values.mean(axis=(0, 2))[:, None]
    assert_allclose(80 * (F1(rows.sum(axis=(0, 2)))[:, None] - one_by_one), away, atol=0.03)


def test_weights_are_a_ratio() -> None:
    rng = np.random.default_rng(0)
    x, w = rng.normal(size=50), rng.random(50) + 0.5
    mean = np.average(x, weights=w)
    assert_allclose(weighted_values(x, w), mean + w * (x - mean) / w.mean(), rtol=1e-12)
    assert float(WEIGHTED_MEAN(weighted_parts(x, w).sum(axis=0))) == pytest.approx(mean, rel=1e-12)


def test_scores_travel_and_say_what_they_rest_on() -> None:
    again = pickle.loads(pickle.dumps(F1))
    assert again == F1
    assert RECALL.rests_on([[1, 0, 0], [0, 1, 0], [0, 0, 1]]) == 2
