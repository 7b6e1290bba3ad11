"""
Biases of θ1..θ5, θA, θB and the naive estimators on simulated block-exchangeable losses.

tests/infer/test_blocks.py proves the same biases exactly, from the matrices of the quadratic forms;
this one draws skewed, dependent losses and looks at averages.
"""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import evenfold as ef

pytestmark = pytest.mark.guarantee

Floats = NDArray[np.float64]
REPLICATIONS = 200_000
BATCH = 20_000
SIZES = [(10, 10, 10, 10, 10), (4, 12, 7, 20, 9)]


def _centred_gamma(rng: np.random.Generator, size: tuple[int, ...]) -> Floats:
    """Mean 0, variance 1, skewness 1.4."""
    draws: Floats = (rng.standard_gamma(2.0, size=size) - 2) / np.sqrt(2)
    return draws


def _losses(
    rng: np.random.Generator,
    sizes: tuple[int, ...],
    common: float,
    fold: Floats,
    noise: Floats,
    mean: Floats,
) -> list[Floats]:
    """e_ki = μ_k + common·Z + fold_k·Y_k + noise_k·X_ki."""
    shared = common * _centred_gamma(rng, (BATCH, 1))
    return [
        mean[k]
        + shared
        + fold[k] * _centred_gamma(rng, (BATCH, 1))
        + noise[k] * _centred_gamma(rng, (BATCH, M))
        for k, M in enumerate(sizes)
    ]


def _check(
    sizes: tuple[int, ...],
    common: float,
    fold: Floats,
    noise: Floats,
    mean: Floats,
    bias: dict[str, float],
    **extra: Any,
) -> None:
    """
    Compare mean(θ̂) − Var μ̂ with the formula.

    Var μ̂ is known, so only the mean of θ̂ has an error.
    """
    rng, K, M = np.random.default_rng(13), len(sizes), np.array(sizes)
    truth = common**2 + np.sum(fold**2 + noise**2 / M) / K**2
    values: dict[str, list[Floats]] = {key: [] for key in bias}
    for _ in range(REPLICATIONS // BATCH):
        losses = _losses(rng, sizes, common, fold, noise, mean)
        for key in bias:
            keywords = extra.get(key, {})
            values[key].append(getattr(ef.infer, key)(losses, **keywords).value)
    for key, expected in bias.items():
        v = np.concatenate(values[key])
        error = v.std() / np.sqrt(len(v))
        assert abs(v.mean() - truth - expected) < 4 * error, key


@pytest.mark.parametrize("sizes", SIZES)
def test_biases_of_the_thetas(sizes: tuple[int, ...]) -> None:
    K, mu = len(sizes), 0.5
    gamma, omega = 0.1**2, 0.1**2 + 0.2**2
    same = np.ones(K)
    _check(
        sizes, 0.1, 0.2 * same, 0.7 * same, mu * same,
        {
            "cv_theta1": mu**2,
            "cv_theta2": -omega,
            "cv_theta3": -gamma,
            "cv_theta4": -omega / K - (K - 1) * gamma / K,
            "cv_theta5": omega - 2 * gamma,
        },
    )  # fmt: skip


@pytest.mark.parametrize("sizes", SIZES)
def test_biases_for_sources(sizes: tuple[int, ...]) -> None:
    K, M = len(sizes), np.array(sizes)
    common, fold, noise = 0.1, np.linspace(0.1, 0.3, K), np.linspace(0.5, 1.0, K)
    mean = np.linspace(0.2, 0.6, K)
    gamma, omega = common**2, common**2 + fold**2
    spread = float(np.var(mean, ddof=1))
    pairs = K * (K - 1) * gamma
    _check(
        sizes, common, fold, noise, mean,
        {
            "sources_theta_a": -(omega.sum() + pairs) / K**2,
            "sources_theta_b": (np.sum(noise**2 / M) - omega.sum() - pairs) / K**2,
            "sources_theta_omega": -omega.mean() - (K - 1) / K * spread,
            "sources_theta_gamma": -gamma + spread / K,
            "sources_theta_omega1": -omega[2] + mean.mean() ** 2 - mean[2] ** 2,
            "sources_theta_gamma1": -gamma + mean.mean() ** 2 - mean[0] * mean[3],
        },
        sources_theta_omega1={"source": 2},
        sources_theta_gamma1={"pair": (0, 3)},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("M", "new", "b", "a"),
    [(50, 0.95, 0.96, 0.81), (200, 0.95, 0.81, 0.59), (2000, 0.94, 0.33, 0.20)],
)
def test_only_the_spread_between_sources_covers_the_error_of_a_new_source(
    M: int, new: float, b: float, a: float
) -> None:
    # K = 10 sources whose means differ by sd .16, losses of sd 1 within; the mean on a new source
    # is 0
    rng, K, replications, batch = np.random.default_rng(14), 10, 4000, 200
    covered = np.zeros(3)
    for _ in range(replications // batch):
        losses = list(0.16 * rng.normal(size=(K, batch, 1)) + rng.normal(size=(K, batch, M)))
        e = ef.infer.sources_new_t(losses)
        low, high = e.confidence_interval()
        reach_b = stats.t.ppf(0.975, K - 1) * np.sqrt(ef.infer.sources_theta_b(losses).value)
        reach_a = stats.norm.ppf(0.975) * np.sqrt(ef.infer.sources_theta_a(losses).value)
        size = np.abs(e.value)
        covered += [
            np.mean((low < 0) & (high > 0)),
            np.mean(size < reach_b),
            np.mean(size < reach_a),
        ]
    np.testing.assert_allclose(covered * batch / replications, [new, b, a], atol=0.03)


@pytest.mark.parametrize(
    ("common", "fold", "expected"),
    [
        (0.0, 0.0, 0.994),  # independent losses: θB is twice the variance
        (0.01, 0.03, 0.989),  # a sixth of the variance from training sets, shared and own
        (0.022, 0.071, 0.950),  # half of it: θB is right
        (0.05, 0.1, 0.809),  # more than half: liberal
    ],
)
def test_these_sources_are_covered_as_far_as_shared_training_allows(
    common: float, fold: float, expected: float
) -> None:
    # K = 10 sources of 100 losses of sd 1 whose means differ by design, and stay
    rng, K, M, replications, batch = np.random.default_rng(15), 10, 100, 20_000, 1000
    mean, covered = np.linspace(-1, 1, K), 0.0
    for _ in range(replications // batch):
        shared = common * rng.normal(size=(batch, 1))
        losses = [
            mean[k] + shared + fold * rng.normal(size=(batch, 1)) + rng.normal(size=(batch, M))
            for k in range(K)
        ]
        low, high = ef.infer.sources_these_t(losses).confidence_interval()
        covered += float(np.mean((low < 0) & (high > 0)))
    ratio = 2 / (M * K) / (common**2 + fold**2 / K + 1 / (M * K))  # θB over Var μ̂
    theory = 2 * stats.norm.cdf(1.96 * np.sqrt(ratio)) - 1
    assert expected == pytest.approx(theory, abs=0.005)
    # 4 standard errors of .95
    assert covered * batch / replications == pytest.approx(theory, abs=0.006)
