"""Tests of forecasts along a path: reference values, independent formulas, what they are about."""

import re
import warnings
from typing import Any

import numpy as np
import pytest
from scipy import fft, signal, stats

import evenfold as ef
from evenfold.core.errors import HiddenVariance, InvalidInput, NotApplicable
from evenfold.core.partition import GROWING, PATH, ROLLING
from evenfold.infer.forecasts import long_run_variance
from evenfold.testing import check_method

# One-step errors of ets and auto.arima on R's WWWusage[81:100], the example of forecast::dm.test,
# and what that says of them: recorded in JuliaStats/HypothesisTests.jl, test/diebold_mariano.jl.
ETS = np.array(
    [0.002241270, -0.000661906, -1.200002613, -4.000218178, 3.799373533, 3.401005111, -1.199692125,
     -0.800490048, -1.200048999, 3.399847229, 7.000708948, 2.200989241, -4.800165569, -1.201043375,
     3.400167556, 3.000709085, 0.400267950, -6.800169207, -2.401259050, 1.200112198]
)  # fmt: skip
ARIMA = np.array(
    [0.1209998, 8.0622269, -0.9189429, -1.7952436, 5.3431277, 2.0459823, -0.6073261, 0.5516816,
     -0.7633238,
     4.1229472, 5.8785333, 1.2828331, -3.4854233, 1.1971370, 3.1709314, 2.3408457, 0.4962286,
     -5.9841362,
     0.1537114, 0.4207951]
)  # fmt: skip


@pytest.mark.parametrize(
    ("d", "horizon", "two_sided", "greater"),
    [
        (ETS**2 - ARIMA**2, 1, 0.8871, 0.5565),
        (ETS**2 - ARIMA**2, 10, 0.9362, 0.5319),
        (abs(ETS) - abs(ARIMA), 1, 0.7818, 0.3909),
    ],
)
def test_diebold_mariano_says_what_r_says(
    d: np.ndarray, horizon: int, two_sided: float, greater: float
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HiddenVariance)  # twenty times
        two = ef.infer.diebold_mariano(d, horizon=horizon)
        one = ef.infer.diebold_mariano(d, horizon=horizon, alternative="greater")
    assert float(two.pvalue) == pytest.approx(two_sided, abs=5e-5)
    assert float(one.pvalue) == pytest.approx(greater, abs=5e-5)


def test_an_independent_formula() -> None:
    """
    Harvey, Leybourne and Newbold as a quadratic form.

    d̄'s variance with a band of ones around h.
    """
    d, h = np.random.default_rng(3).normal(size=80).cumsum() * 0.1, 4
    T, e = len(d), d - d.mean()
    band = np.abs(np.subtract.outer(np.arange(T), np.arange(T))) < h
    variance = e @ band @ e / T**2
    t = d.mean() / np.sqrt(variance) * np.sqrt((T + 1 - 2 * h + h * (h - 1) / T) / T)
    with pytest.warns(HiddenVariance, match="correlated beyond the horizon"):  # it is a random walk
        found = ef.infer.diebold_mariano(d, horizon=h)
    assert float(found.statistic) == pytest.approx(t)
    assert float(found.pvalue) == pytest.approx(2 * stats.t.sf(abs(t), T - 1))


def test_at_horizon_one_it_is_the_paired_t() -> None:
    d = np.random.default_rng(0).normal(0.2, 1.0, size=(4, 25))
    ours, t = ef.infer.diebold_mariano(d), ef.infer.paired_t(d)
    assert np.allclose(ours.pvalue, t.pvalue)
    assert np.allclose(ours.confidence_interval(), t.confidence_interval())


def test_bartletts_weights_where_the_sum_is_not_positive() -> None:
    d = np.tile([1.0, 2.0], 20)  # γ_1 < −γ_0/2: the plain sum of two is negative
    e = d - d.mean()
    gamma = np.array([e @ e, e[1:] @ e[:-1]]) / len(d)
    assert gamma[0] + 2 * gamma[1] < 0
    assert float(long_run_variance(d, 2)) == pytest.approx(gamma[0] + gamma[1])
    low, high = ef.infer.diebold_mariano(d, horizon=2).confidence_interval()
    assert low < 1.5 < high


def test_giacomini_white_by_regression() -> None:
    """One step ahead: T·R² of a regression of one on Z, as in Giacomini's program."""
    d = np.random.default_rng(1).normal(0.3, 1.0, size=60)
    Z = np.stack([d[1:], d[1:] * d[:-1]], axis=1)
    one = np.ones(len(Z))
    rest = one - Z @ np.linalg.lstsq(Z, one, rcond=None)[0]
    found = ef.infer.giacomini_white_conditional(d)
    assert float(found.statistic) == pytest.approx(len(Z) * (1 - (rest**2).mean()))
    assert float(found.pvalue) == pytest.approx(stats.chi2.sf(float(found.statistic), 2))


def test_giacomini_white_at_a_longer_horizon() -> None:
    d, h = np.random.default_rng(2).normal(0.3, 1.0, size=60), 3
    Z = np.stack([d[h:], d[h:] * d[:-h]], axis=1)
    T = len(Z)
    weights = np.maximum(1 - np.abs(np.subtract.outer(np.arange(T), np.arange(T))) / h, 0)
    mean = Z.mean(axis=0)
    W = T * mean @ np.linalg.inv(Z.T @ weights @ Z / T) @ mean
    assert float(ef.infer.giacomini_white_conditional(d, horizon=h).statistic) == pytest.approx(W)
    plain = ef.infer.giacomini_white(d, horizon=h)
    longer = ef.infer.diebold_mariano(d, horizon=h)
    n = len(d)
    ratio = float(longer.standard_error / plain.standard_error)
    assert ratio == pytest.approx(((n + 1 - 2 * h + h * (h - 1) / n) / n) ** -0.5)


def _many() -> np.ndarray:
    """Losses of five forecasters, correlated over 120 times."""
    rng = np.random.default_rng(7)
    shared, noise = rng.normal(size=120), rng.normal(size=(5, 120))
    for t in range(1, 120):
        noise[:, t] += 0.4 * noise[:, t - 1]
    losses: np.ndarray = (shared + noise) ** 2 + np.array([0.0, 0.1, 0.3, 0.6, 1.0])[:, None]
    return losses


@pytest.mark.parametrize(
    ("statistic", "theirs"),
    [
        ("max", [0.7048, 1.0, 0.1521, 0.1096, 0.1096]),
        ("range", [0.7048, 1.0, 0.2604, 0.0217, 0.0046]),
    ],
)
def test_the_confidence_set_is_that_of_arch(statistic: str, theirs: list[float]) -> None:
    """arch 8.0: MCS(losses.T, .05, reps=20000, block_size=5, bootstrap="circular", seed=1)."""
    found = ef.infer.model_confidence_set(_many(), statistic=statistic, block=5, draws=20_000)
    # four standard errors of two such bootstraps
    assert found.pvalues == pytest.approx(theirs, abs=0.015)
    assert found.order.tolist() == [4, 3, 2, 0, 1]
    assert found.inside(0.2).tolist()[:2] == [True, True]


def test_resampled_means_are_means_of_the_blocks_that_were_drawn() -> None:
    """
    Block by block, as the bootstrap is defined.

    Three circular blocks of seven and a rest of two.
    """
    from evenfold.infer.forecasts import _resample_counts

    T, lengths = 23, [7, 7, 7, 2]
    starts = np.random.default_rng(0).integers(T, size=(4, 50))
    for drawn, counts in zip(starts.T, _resample_counts(T, starts, lengths), strict=True):
        blocks = [(first + np.arange(of)) % T for first, of in zip(drawn, lengths, strict=True)]
        assert np.array_equal(counts, np.bincount(np.concatenate(blocks), minlength=T))


def test_confidence_sets_of_several_data_sets_at_once() -> None:
    losses = np.stack([_many(), _many()[::-1]])
    both = ef.infer.model_confidence_set(losses, draws=199)
    assert both.pvalues.shape == (2, 5)
    alone = ef.infer.model_confidence_set(losses[1], draws=199)
    assert np.array_equal(both.pvalues[1], alone.pvalues)
    same = ef.infer.model_confidence_set(np.ones((3, 20)), draws=99)
    assert same.inside().all()


@pytest.mark.parametrize("key", ["diebold-mariano", "giacomini-white"])
def test_they_keep_the_contract(key: str) -> None:
    check_method(key)


def test_which_is_for_which_windows() -> None:
    for kind in (GROWING, ROLLING, PATH):
        assert ef.infer.recommended(kind) == "diebold-mariano"
    with pytest.raises(NotApplicable, match="'giacomini-white' does not fit design 'growing'"):
        ef.infer.select("giacomini-white", design=GROWING)
    assert ef.infer.select("anytime", design=PATH).key == "anytime"


def test_a_path_that_is_short_for_its_horizon_is_said_to_be() -> None:
    d = np.random.default_rng(0).normal(size=36)
    with pytest.warns(HiddenVariance, match="36 times, horizon 12"):
        ef.infer.diebold_mariano(d, horizon=12)
    with pytest.warns(HiddenVariance):
        ef.infer.giacomini_white(d, horizon=2)
    with pytest.warns(HiddenVariance, match="errs above its level on a path of 20 times"):
        ef.infer.giacomini_white(d[:20])


def test_what_is_refused() -> None:
    with pytest.raises(
        InvalidInput,
        match=r"horizon must be an integer from 1 to 9 but got 10\. The path has 10 times",
    ):
        ef.infer.diebold_mariano(np.arange(10.0), horizon=10)
    with pytest.raises(InvalidInput, match=r"losses must be of shape \(..., k, T\)"):
        ef.infer.model_confidence_set([[1.0, 2.0]])
    with pytest.raises(InvalidInput, match="statistic must be one of 'max', 'range'"):
        ef.infer.model_confidence_set(_many(), statistic="sq")
    with pytest.raises(InvalidInput, match="block must be an integer from 1 to 120"):
        ef.infer.model_confidence_set(_many(), block=0)


def _autoregressive(rng: Any, paths: int, T: int, r: float) -> Any:
    e = rng.normal(size=(paths, T + 200))
    return signal.lfilter([1.0], [1.0, -r], e, axis=-1)[:, 200:]


def test_differences_that_are_alike_beyond_the_horizon_are_said_with_their_number() -> None:
    d = _autoregressive(np.random.default_rng(0), 1, 200, 0.8)[0]
    own = np.corrcoef(d[1:], d[:-1])[0, 1]
    with pytest.warns(HiddenVariance, match="correlated beyond the horizon") as said:
        ef.infer.diebold_mariano(d)
    message = str(said[0].message)
    at_one = float(re.search(r"by ([\d.]+) at lag 1", message)[1])  # type: ignore[index]
    errs = float(re.search(r"errs about (\d*\.\d+)", message)[1])  # type: ignore[index]
    lag = int(re.search(r"horizon=(\d+)", message)[1])  # type: ignore[index]
    assert at_one == pytest.approx(own, abs=0.03)
    assert 0.4 < errs < 0.6  # .52 was measured at .8
    assert 4 <= lag <= 30
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ef.infer.diebold_mariano_fixed_b(d)
        ef.infer.diebold_mariano(np.random.default_rng(1).normal(size=200))


def test_the_fixed_b_form_is_near_its_level_where_the_other_is_not() -> None:
    rng, paths = np.random.default_rng(0), 4000
    error = np.sqrt(0.05 * 0.95 / paths)
    for r, most in ((0.0, 0.05), (0.5, 0.055), (0.8, 0.07)):
        d = _autoregressive(rng, paths, 200, r)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HiddenVariance)
            plain = (ef.infer.diebold_mariano(d).pvalue < 0.05).mean()
        assert (ef.infer.diebold_mariano_fixed_b(d).pvalue < 0.05).mean() < most + 3 * error
        assert r < 0.5 or plain > 0.2


def test_the_cosines_have_the_long_run_variance_of_scipys_transform() -> None:
    d = np.random.default_rng(3).normal(size=50)
    ours = ef.infer.diebold_mariano_fixed_b(d)
    count = 5  # .4 · 50^⅔ = 5.4, .8 · √50 = 5.7
    parts = fft.dct(d, type=2, norm="ortho")[1 : count + 1]
    assert float(ours.df) == count
    assert float(ours.standard_error) == pytest.approx(np.sqrt((parts**2).mean() / 50), rel=1e-12)
