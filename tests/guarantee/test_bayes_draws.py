"""P(H1) by quadrature against 10⁶ draws on 1000 count tables (R19 algorithm 6.1)."""

import math

import numpy as np
import pytest

import evenfold as ef

pytestmark = pytest.mark.guarantee

TABLES = 1000
DRAWS = 10**6
SEED = 6


@pytest.mark.parametrize("measure", ["precision", "f1"])
def test_quadrature_agrees_with_a_million_draws_on_1000_tables(measure: str) -> None:
    rng = np.random.default_rng(SEED)
    top = 10 ** rng.uniform(0.3, 4, size=(TABLES, 1))
    counts_a = np.floor(top * rng.random((TABLES, 3)))
    # B near A, so that most probabilities are neither 0 nor 1
    counts_b = np.maximum(
        np.rint(counts_a + rng.normal(0, 1, (TABLES, 3)) * np.sqrt(counts_a + 1)), 0
    )
    margin = np.where(np.arange(TABLES) % 2 == 0, 0.0, rng.uniform(-0.05, 0.05, TABLES))
    function = ef.infer.bayes_f1 if measure == "f1" else ef.infer.bayes_precision
    z = np.empty(TABLES)
    for i in range(TABLES):
        p = float(function(counts_a[i], counts_b[i], m=3).probability(float(margin[i])))
        nu_a, nu_b = (
            _draws(rng, measure, ef.infer.kappa(3) * c) for c in (counts_a[i], counts_b[i])
        )
        z[i] = (np.mean(nu_b - nu_a > margin[i]) - p) / max(
            math.sqrt(p * (1 - p) / DRAWS), 1 / DRAWS
        )
    # 1000 standard normal deviates: the largest is below 4.5 and their mean square is 1 within 4
    # errors
    assert np.abs(z).max() < 4.5
    spread = z[(np.abs(z) > 0)]
    assert abs(np.mean(spread**2) - 1) < 4 * math.sqrt(2 / len(spread))


def _draws(rng: np.random.Generator, measure: str, effective: np.ndarray) -> np.ndarray:
    tp, fp, fn = effective
    if measure == "precision":
        return rng.beta(tp + 1, fp + 1, size=DRAWS)
    return 2 / (
        2 + rng.standard_gamma(fp + fn + 2, size=DRAWS) / rng.standard_gamma(tp + 1, size=DRAWS)
    )
