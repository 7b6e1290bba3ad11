"""The ratio of geometric means against scipy, its families, and the noise floor."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import evenfold as ef
from evenfold.core.change import Change
from evenfold.core.errors import DegenerateData

RNG = np.random.default_rng(7)
BASE = np.exp(RNG.normal(0.0, 0.1, size=9))
HEAD = np.exp(RNG.normal(0.1, 0.2, size=9))


def test_paired_runs_are_those_of_scipy_on_logs() -> None:
    ratio = ef.infer.geometric_mean_ratio(BASE, HEAD, paired=True, level=0.1)
    outside = stats.ttest_rel(np.log(HEAD), np.log(BASE))
    ends = outside.confidence_interval(0.9)
    assert_allclose(ratio.pvalue, outside.pvalue)
    assert_allclose([ratio.low, ratio.high], np.exp([ends.low, ends.high]))
    assert_allclose(ratio.value, stats.gmean(HEAD) / stats.gmean(BASE))


def test_separate_runs_are_those_of_scipy_on_logs() -> None:
    ratio = ef.infer.geometric_mean_ratio(BASE[:5], HEAD)
    outside = stats.ttest_ind(np.log(HEAD), np.log(BASE[:5]), equal_var=False)
    ends = outside.confidence_interval(0.95)
    assert_allclose(ratio.pvalue, outside.pvalue)
    assert_allclose([ratio.low, ratio.high], np.exp([ends.low, ends.high]))
    assert (ratio.runs_a, ratio.runs_b, ratio.paired) == (5, 9, False)


def test_repetitions_inside_a_process_are_averaged_on_the_log_scale() -> None:
    repetitions = np.exp(RNG.normal(size=(4, 3)))
    blocks = np.repeat(np.arange(4), 3).tolist()
    means = ef.infer.geometric_means(repetitions.ravel(), blocks)
    assert_allclose(means, stats.gmean(repetitions, axis=1))


@pytest.mark.parametrize("paired", [True, False])
def test_the_ratio_is_turned_over_where_the_sides_are_exchanged(paired: bool) -> None:
    there = ef.infer.geometric_mean_ratio(BASE, HEAD, paired=paired)
    back = ef.infer.geometric_mean_ratio(HEAD, BASE, paired=paired)
    assert_allclose(
        [there.value, there.low, there.high], 1 / np.array([back.value, back.high, back.low])
    )


def test_units_do_not_matter() -> None:
    seconds = ef.infer.geometric_mean_ratio(BASE, HEAD)
    tiny = ef.infer.geometric_mean_ratio(BASE * 1e-300, HEAD * 1e-300)
    assert_allclose([tiny.value, tiny.low, tiny.high], [seconds.value, seconds.low, seconds.high])


def test_few_or_separate_runs_share_the_level_equally() -> None:
    names = ("parse", "print", "sort")
    base = {name: np.exp(RNG.normal(size=5)) for name in names}
    head = {name: np.exp(RNG.normal(size=5)) for name in names}
    for paired in (True, False):
        ratios = ef.infer.geometric_mean_ratios(base, head, paired=paired)
        assert {ratio.level for ratio in ratios.values()} == {0.05 / 3}


def test_paired_runs_share_the_level_by_their_correlations() -> None:
    drift = RNG.normal(size=12)
    names = [f"b{i}" for i in range(5)]
    base = {name: np.ones(12) * np.exp(0.01 * RNG.normal(size=12)) for name in names}
    head = {name: np.exp(drift + 0.01 * RNG.normal(size=12)) for name in names}
    ratios = ef.infer.geometric_mean_ratios(base, head, paired=True)
    levels = {ratio.level for ratio in ratios.values()}
    assert len(levels) == 1
    assert 0.04 < levels.pop() <= 0.05
    for ratio in ratios.values():
        assert (ratio.adjusted_pvalue <= 0.05) == (not ratio.low <= 1 <= ratio.high)


def test_a_change_must_lie_beyond_the_limit_with_its_whole_interval() -> None:
    ratio = ef.infer.geometric_mean_ratio([1.0, 1.01, 0.99], [1.11, 1.10, 1.12])
    low, high = np.log(ratio.low), np.log(ratio.high)
    assert ratio.change() is Change.REGRESSION
    assert ratio.change(low - 1e-9) is Change.REGRESSION
    assert ratio.change((low + high) / 2) is Change.UNDECIDED
    assert ratio.change(high + 1e-9) is Change.UNCHANGED
    faster = ef.infer.geometric_mean_ratio([1.11, 1.10, 1.12], [1.0, 1.01, 0.99])
    assert faster.change() is Change.IMPROVEMENT
    assert faster.change(high + 1e-9) is Change.UNCHANGED


def test_without_a_limit_nothing_is_unchanged() -> None:
    assert ef.infer.geometric_mean_ratio(BASE, BASE[::-1]).change() is Change.UNDECIDED


def test_runs_without_any_spread_say_so() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateData)
        ratio = ef.infer.geometric_mean_ratio([2.0] * 3, [2.0] * 3)
    assert not ratio.has_spread


@pytest.mark.parametrize(
    ("a", "b", "paired", "said"),
    [
        ([1, 2], [1, 2, 3], False, "at least 3 runs of each version"),
        ([1, 2, 3], [1, 2, 3, 4], True, "as many runs of one version as of the other"),
        ([1, 2, 0], [1, 2, 3], False, "positive"),
        ([1, 2, -1], [1, 2, 3], False, "positive"),
        ([1, 2, np.nan], [1, 2, 3], False, "finite"),
        ([[1, 2, 3]], [1, 2, 3], False, "list of positive numbers"),
    ],
)
def test_what_is_no_measurement_is_refused(
    a: list[float], b: list[float], paired: bool, said: str
) -> None:
    with pytest.raises(ef.InvalidInput, match=said):
        ef.infer.geometric_mean_ratio(a, b, paired=paired)


def test_a_family_is_about_the_same_benchmarks() -> None:
    with pytest.raises(ef.InvalidInput, match="same benchmarks as a"):
        ef.infer.geometric_mean_ratios({"x": BASE}, {"y": HEAD})
    with pytest.raises(ef.InvalidInput, match="same benchmarks as a"):
        ef.infer.geometric_mean_ratios({}, {})


def test_the_floor_is_the_largest_of_nineteen_runs_or_more() -> None:
    logs = np.linspace(-0.04, 0.03, 19)
    assert ef.infer.noise_floor(logs) == 0.04
    with pytest.raises(ef.InvalidInput, match="19 runs"):
        ef.infer.noise_floor(logs[:18])


def test_a_run_without_a_change_exceeds_the_floor_once_in_twenty() -> None:
    draws = np.random.default_rng(1).standard_t(3, size=(20_000, 20))
    exceeded = np.abs(draws[:, 19]) > [ef.infer.noise_floor(row) for row in draws[:, :19]]
    error = np.sqrt(0.05 * 0.95 / len(draws))
    assert abs(exceeded.mean() - 0.05) < 4 * error


def test_an_unchanged_benchmark_rarely_leaves_its_floor() -> None:
    """The small form of the guarantee: at most one false regression in forty."""
    rng = np.random.default_rng(3)
    draws = 300
    regressions = 0
    for _ in range(draws):
        logs = 0.01 * rng.normal(size=(40, 1)) + rng.normal(0, 0.02, size=(40, 6))
        means = logs.mean(axis=1)
        floor = ef.infer.noise_floor(means[1:38:2] - means[0:38:2])
        ratio = ef.infer.geometric_mean_ratio(*np.exp(logs[38:]))
        regressions += ratio.change(floor) is Change.REGRESSION
    assert regressions / draws < 1 / 40 + 3 * np.sqrt(1 / 40 / draws)
