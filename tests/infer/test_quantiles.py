"""Differences of quantiles."""

import numpy as np
import pytest
from scipy.stats import bootstrap, norm

import evenfold as ef


def latencies(n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    z = rng.normal(size=n)
    w = 0.7 * z + np.sqrt(0.51) * rng.normal(size=n)
    return np.exp(0.6 * z), 1.2 * np.exp(0.6 * w)


@pytest.mark.parametrize("q", [0.5, 0.9])
def test_it_is_the_paired_percentile_bootstrap_of_scipy(q: float) -> None:
    a, b = latencies(150, np.random.default_rng(0))
    found = ef.infer.quantile_difference(a, b, q, draws=8000)
    assert found.value == pytest.approx(np.quantile(b, q) - np.quantile(a, q))
    assert (found.of_a, found.of_b) == (np.quantile(a, q), np.quantile(b, q))
    theirs = bootstrap(
        (a, b),
        lambda x, y, axis: np.quantile(y, q, axis=axis) - np.quantile(x, q, axis=axis),
        paired=True,
        vectorized=True,
        method="percentile",
        n_resamples=8000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    width = theirs.high - theirs.low
    assert found.confidence_interval() == pytest.approx((theirs.low, theirs.high), abs=0.06 * width)


def test_the_interval_holds() -> None:
    rng = np.random.default_rng(3)
    quantile = float(np.exp(0.6 * norm.ppf(0.95)))
    held = 0
    for seed in range(150):
        found = ef.infer.quantile_difference(*latencies(100, rng), draws=300, random_state=seed)
        held += found.low <= 0.2 * quantile <= found.high
    assert held / 150 >= 0.95 - 3 * np.sqrt(0.05 * 0.95 / 150)


def test_odd_questions_are_refused() -> None:
    a = np.arange(99.0)
    with pytest.raises(
        ef.EvenfoldError, match=r"a must have at least 100 items for the quantile 0\.95"
    ):
        ef.infer.quantile_difference(a, a)
    with pytest.raises(ef.EvenfoldError, match="one value per item, of the same items"):
        ef.infer.quantile_difference(a, a[1:], 0.5)
    with pytest.raises(ef.EvenfoldError, match="q must be"):
        ef.infer.quantile_difference(a, a, 1.0)
    with pytest.raises(ef.EvenfoldError, match="Ask for a less extreme quantile"):
        ef.infer.quantile_difference(a, a, 5e-311)


def test_judge_does_not_compare_means_under_the_name_of_a_quantile() -> None:
    table = {"a": [1.0, 2.0, 9.0], "b": [1.0, 3.0, 4.0]}
    with pytest.raises(
        ef.EvenfoldError, match=r"Use ef\.infer\.quantile_difference\(a, b, 0\.95\)"
    ):
        ef.judge(table, rows="examples", measure="p95", higher_is_better=False)
