"""
Methods of the sources keep the political ratio of their source on the design that they get here.

The ratio of the variance of the estimate to the mean of its estimate is a matter of the method and
of its design. Each is asked for by name, as users do, and the ratio is computed exactly for the
splits that ``compare`` made.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.comparison.mean_model import (
    METHODS,
    Matrix,
    compare,
    example_covariance,
    holdout_covariance,
    ratio_of_source,
)

import evenfold as ef
from evenfold.core.losses import Losses

N = 80
SEEDS = range(6)


def _exact(losses: Losses, key: str) -> tuple[float, float]:
    """
    Variance of the estimate, and mean of the estimated variance.

    Both are quadratic forms in the values: with Σ = LL' their expectations are the sums of the
    forms over the columns of L. Turning L at random leaves the sums as they are, and avoids columns
    in which a method would see no spread.
    """
    if key == "holdout-t":
        covariance, _ = example_covariance(losses.partition, N)
    else:
        covariance = holdout_covariance(losses.partition, N)
    columns = _turned_root(covariance)
    values = columns[None]
    if key == "holdout-t":
        values = columns.mean(axis=-1, keepdims=True)[None]
    drawn = replace(losses, values=values, examples=[[columns]], outcomes=None)
    e: Any = ef.infer.estimate(drawn, key, challenger=0, baseline=None)
    return float(np.square(e.value).sum()), float(np.square(e.standard_error).sum())


def _turned_root(covariance: Matrix) -> Matrix:
    eigenvalues, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(eigenvalues, 0.0))
    turn, _ = np.linalg.qr(np.random.default_rng(0).normal(size=covariance.shape))
    columns: Matrix = (root @ turn).T
    return columns


def _ratio(key: str) -> tuple[float, float, Losses]:
    """Political ratio on the default design, its Monte Carlo error from the cuts, and a run."""
    runs = [compare(key, N, seed).losses for seed in SEEDS]
    true, estimated = np.array([_exact(losses, key) for losses in runs]).T
    ratio = true.mean() / estimated.mean()
    error = np.std(true - ratio * estimated, ddof=1) / np.sqrt(len(SEEDS)) / estimated.mean()
    return float(ratio), float(error), runs[0]


@pytest.mark.parametrize("key", METHODS)
def test_the_political_ratio_on_the_default_design_is_that_of_the_source(key: str) -> None:
    ratio, error, losses = _ratio(key)
    assert ratio == pytest.approx(
        ratio_of_source(METHODS[key], losses.partition), abs=4 * error + 1e-9
    )


@pytest.mark.parametrize("key", METHODS)
def test_the_default_design_does_not_look_at_the_numbers_it_is_to_judge(key: str) -> None:
    """Balancing a numeric target would make the hold-out values alike, and the ratio larger."""
    one, other = (compare(key, 16, 0, data=data).losses.partition for data in (1, 2))
    assert all(np.array_equal(a, b) for a, b in zip(one.test, other.test, strict=True))


@pytest.mark.parametrize("key", ["conservative-z", "conservative-t"])
def test_the_variance_from_halves_is_too_large_as_nadeau_and_bengio_conjecture(key: str) -> None:
    ratio, error, _ = _ratio(key)
    assert 0.3 < ratio + 4 * error < 1


def test_the_test_would_notice_even_splits() -> None:
    """BRLT, once the default of this method, makes the values less correlated than they are."""
    losses = compare("resampled-t", N, 0).losses
    source = ratio_of_source(METHODS["resampled-t"], losses.partition)
    true, estimated = _exact(
        replace(losses, partition=ef.BRLT(15, 0.9, random_state=0).partition(N)), "resampled-t"
    )
    assert true / estimated < 0.85 * source
