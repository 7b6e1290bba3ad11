"""
What is promised of tests along a path.

Their error on equal forecasters, beside that of an ordinary t.
"""

import warnings

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import HiddenVariance
from evenfold.core.rng import stream
from evenfold.infer.anytime import bernstein_reach, variance_process
from evenfold_lab.populations import Forecasters

pytestmark = pytest.mark.guarantee

SERIES = 10_000
ERROR = 0.0022  # of a share of .05


def _share(key: str, population: Forecasters, T: int, **options: int) -> float:
    d = population.draw_path(T, SERIES, stream(7, key, T, population.horizon))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HiddenVariance)
        return float((getattr(ef.infer, key)(d, **options).pvalue <= 0.05).mean())


@pytest.mark.parametrize(("horizon", "T"), [(1, 30), (1, 1000), (4, 100), (4, 1000), (12, 300)])
def test_diebold_mariano_is_near_its_level_on_paths_long_for_the_horizon(
    horizon: int, T: int
) -> None:
    error = _share("diebold_mariano", Forecasters(horizon=horizon), T, horizon=horizon)
    assert 0.04 - 3 * ERROR < error < 0.06 + 3 * ERROR


@pytest.mark.parametrize(("horizon", "least"), [(4, 0.2), (12, 0.45)])
def test_an_ordinary_t_errs_however_long_the_path(horizon: int, least: float) -> None:
    for T in (100, 1000):
        assert _share("paired_t", Forecasters(horizon=horizon), T) > least


def test_breaks_do_no_harm() -> None:
    for population in (Forecasters(horizon=4, wilder=3.0), Forecasters(horizon=4, turn=2.0)):
        assert _share("diebold_mariano", population, 100, horizon=4) < 0.065


def test_limits_hold_a_mean_that_drifts_at_all_times() -> None:
    rng = stream(7, "drift")
    expected = np.tanh(np.cumsum(rng.standard_normal((2000, 500)), axis=-1) * 0.05)
    d = np.where(rng.random(expected.shape) < (1 + expected) / 2, 1.0, -1.0)
    n = np.arange(1, 501)
    off = np.abs(np.cumsum(d - expected, axis=-1)) / n
    reach = bernstein_reach(variance_process(d, 0.0), 2.0, 0.025) / n
    assert (off <= reach).all(axis=-1).mean() > 0.95
