"""The .632 and .632+ bootstrap: by their definitions, and the standard error by simulation."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

import evenfold as ef
from evenfold.core.errors import InvalidInput

RNG = np.random.default_rng(0)
B, N = 60, 25
COUNTS = RNG.multinomial(N, np.full(N, 1 / N), size=B)
OUT, OWN = (RNG.random((B, N)) < 0.4).astype(float), (RNG.random(N) < 0.2).astype(float)
OUTSIDE = float(np.mean([OUT[COUNTS[:, i] == 0, i].mean() for i in range(N)]))


def test_632_by_its_definition() -> None:
    found = ef.infer.bootstrap_632(OUT, OWN, COUNTS)
    assert_allclose(found.value, 0.6321205588285577 * OUTSIDE + 0.36787944117144233 * OWN.mean())


@pytest.mark.parametrize("gamma", [0.5, 0.3])
def test_632_plus_by_its_definition(gamma: float) -> None:
    found = ef.infer.bootstrap_632_plus(OUT, OWN, COUNTS, no_information=gamma)
    R = (min(OUTSIDE, gamma) - OWN.mean()) / (gamma - OWN.mean())
    w = 0.6321205588285577 / (1 - 0.36787944117144233 * R)
    assert_allclose(found.weight, w)
    assert_allclose(found.value, (1 - w) * OWN.mean() + w * OUTSIDE)
    assert ef.infer.bootstrap_632_plus(OUT, OWN, COUNTS, no_information=0.0).weight == pytest.approx(
        0.632, abs=1e-3
    )


def test_the_standard_error_is_about_right() -> None:
    """Nearest class means of two Gaussians, n = 40: within a third of what 150 data sets show."""
    values, errors = [], []
    for r in range(150):
        rng = np.random.default_rng(r)
        y = np.repeat([0, 1], 20)
        X = rng.normal(size=(40, 2)) + 1.2 * y[:, None]
        counts = rng.multinomial(40, np.full(40, 1 / 40), size=80)
        out = np.array([_wrong(X, y, drawn) for drawn in counts])
        found = ef.infer.bootstrap_632(out, _wrong(X, y, np.ones(40)), counts)
        values.append(float(found.value))
        errors.append(float(found.standard_error))
    assert np.std(values) / 1.35 < np.mean(errors) < 1.35 * np.std(values), (np.std(values), np.mean(errors))


def _wrong(X: np.ndarray, y: np.ndarray, weight: Any) -> np.ndarray:
    centres = [np.average(X[y == k], axis=0, weights=weight[y == k] + 1e-9) for k in (0, 1)]
    far = [np.square(X - centre).sum(axis=1) for centre in centres]
    return np.asarray((far[1] < far[0]) != y, dtype=float)


def test_refusals() -> None:
    with pytest.raises(InvalidInput, match="counts must be 0 for every example in some sample"):
        ef.infer.bootstrap_632(OUT, OWN, COUNTS + 1)
    with pytest.raises(InvalidInput, match="apparent must be of shape"):
        ef.infer.bootstrap_632(OUT, OWN[1:], COUNTS)
    with pytest.raises(InvalidInput, match="out_of_bag must be of shape"):
        ef.infer.bootstrap_632(OUT[1:], OWN, COUNTS)
