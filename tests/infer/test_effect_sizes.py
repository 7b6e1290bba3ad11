"""Effect sizes: R's printed values, second formulas, coverage."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import optimize, stats

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.infer.effects import noncentral_limits

RNG = np.random.default_rng(0)


def test_cliffs_delta_is_that_of_r() -> None:
    # recorded in R's effsize, tests/testthat/testCliff.R (github.com/mtorchiano/effsize): −0.25,
    # 95% from −0.7265846 to 0.3890062, which is its default, cliff.delta(treatment, control)
    treatment, control = [10, 10, 20, 20, 20, 30, 30, 30, 40, 50], [10, 20, 30, 40, 40, 50]
    e = ef.infer.cliff_delta(control, treatment)
    assert_allclose([e.value, *e.confidence_interval()], [-0.25, -0.7265846, 0.3890062], atol=5e-8)
    assert_allclose(ef.infer.a12(control, treatment).value, 0.375)


def test_cohens_d_is_that_of_r() -> None:
    # recorded in R's effsize, tests/testthat/testCohenD.R: cohen.d(a, b) of two groups, 0.63236
    # within .0001
    a = [9.81605624621576, 8.93891560898168, 9.05436620537713, 6.01771305071382, 8.98575772172126,
         7.2595761413452, 13.7537304479165, 9.89861975363729, 7.37246838418731,
         8.33888742066376]  # fmt: skip
    b = [8.62798051757027, 5.25390514295654, 12.0869496333763, 7.20553319908951, 6.99017188584104,
         8.22363490828756, 8.05485287987422, 6.50534569228974, 8.68871033652186,
         4.62897740315003]  # fmt: skip
    assert_allclose(ef.infer.cohen_d(b, a, paired=False).value, 0.63236, rtol=1e-4)


def test_cohens_d_by_its_definitions() -> None:
    a, b = RNG.normal(size=(2, 25))
    d = b - a
    assert_allclose(ef.infer.cohen_d(a, b).value, stats.ttest_1samp(d, 0).statistic / np.sqrt(25))
    average = np.sqrt((a.var(ddof=1) + b.var(ddof=1)) / 2)
    assert_allclose(ef.infer.cohen_d(a, b, by="average").value, d.mean() / average)
    t = stats.ttest_ind(b[:20], a).statistic
    assert_allclose(ef.infer.cohen_d(a, b[:20], paired=False).value, t * np.sqrt(1 / 20 + 1 / 25))


def test_a12_is_the_u_statistic() -> None:
    a, b = RNG.integers(0, 6, size=(2, 30))
    u = stats.mannwhitneyu(b, a).statistic
    assert_allclose(ef.infer.a12(a, b).value, u / 900)
    assert_allclose(ef.infer.a12(a, b, paired=True).value, np.mean((b > a) + (b == a) / 2))


@pytest.mark.parametrize("n", [15, 40])
def test_intervals_cover(n: int) -> None:
    """Within 2 points of .95 at 15 and 40 values (4000 samples, standard error .0035)."""
    a = RNG.normal(size=(4000, n))
    b, c = a / 2 + RNG.normal(size=(4000, n)) + 0.5, RNG.normal(size=(4000, n + 5)) + 0.5
    found = {
        "d_z": (ef.infer.cohen_d(a, b), 0.5 / np.sqrt(1.25)),
        "d_av": (ef.infer.cohen_d(a, b, by="average"), 0.5 / np.sqrt(1.125)),
        "d_s": (ef.infer.cohen_d(a, c, paired=False), 0.5),
        "delta": (ef.infer.cliff_delta(a, c), 2 * stats.norm.cdf(0.5 / np.sqrt(2)) - 1),
        "paired": (ef.infer.a12(a, b, paired=True), stats.norm.cdf(0.5 / np.sqrt(1.25))),
    }
    for name, (e, truth) in found.items():
        low, high = e.confidence_interval()
        assert 0.93 < np.mean((low <= truth) & (truth <= high)) < 0.975, name


def test_batches_are_single_calls_and_ends_are_in_the_range() -> None:
    a, b = RNG.normal(size=(2, 3, 4, 8))
    for function in (ef.infer.cohen_d, ef.infer.cliff_delta, ef.infer.a12):
        whole, one = function(a, b), function(a[1, 2], b[1, 2])
        assert_allclose(
            [whole.value[1, 2], whole.standard_error[1, 2]], [one.value, one.standard_error]
        )
    low, high = ef.infer.cliff_delta([1, 2, 3, 4], [5, 6, 7, 8]).confidence_interval()
    assert_allclose([low, high], [2 * 0.025 ** (1 / 4) - 1, 1])
    assert ef.infer.cohen_d([1.0, 2.0], [1.0, 2.0]).value == 0


def test_refusals() -> None:
    with pytest.raises(InvalidInput, match="b must be of the shape"):
        ef.infer.cohen_d([1, 2, 3], [1, 2])
    with pytest.raises(InvalidInput, match="a must be of shape"):
        ef.infer.a12([1], [1, 2])
    with pytest.raises(InvalidInput, match="by must be one of"):
        ef.infer.cohen_d([1, 2], [1, 2], by="variance")


def test_tables_and_reports_show_them() -> None:
    rng = np.random.default_rng(1)
    right = {"a": rng.random(200) < 0.6, "b": rng.random(200) < 0.8}
    c = ef.judge(right, rows="examples", measure="accuracy", method="paired-t")
    frame = c.to_frame()
    d = right["b"].astype(float) - right["a"]
    assert_allclose(frame["cohen_d"], ef.infer.cohen_d(right["a"], right["b"]).value)
    low, high = c.estimate.confidence_interval()
    t = d.mean() / d.std(ddof=1) * np.sqrt(200)
    ends = (
        optimize.brentq(lambda x: stats.nct.sf(t, 199, x) - 0.025, 0, t),
        optimize.brentq(lambda x: stats.nct.cdf(t, 199, x) - 0.025, t, 3 * t),
    )
    own = frame[["cohen_d_low", "cohen_d_high"]].iloc[0]
    assert_allclose(own, np.array(ends) / np.sqrt(200), rtol=1e-6)
    # of right and wrong the chance to be better says the same as the difference
    assert_allclose(
        frame[["a12", "a12_low", "a12_high"]].iloc[0], 0.5 + np.array([d.mean(), low, high]) / 2
    )
    assert "Effect sizes" in c.to_html()
    wrong = {name: 1 - values.astype(float) for name, values in right.items()}
    errors = ef.judge(wrong, rows="examples", higher_is_better=False, method="paired-t").to_frame()
    assert_allclose(
        errors[["a12", "a12_high", "a12_low"]], 1 - frame[["a12", "a12_low", "a12_high"]]
    )
    assert_allclose(errors["cohen_d"], -frame["cohen_d"])


@pytest.mark.parametrize("higher_is_better", [True, False])
def test_the_report_and_the_function_say_one_a12(higher_is_better: bool) -> None:
    """Both: the chance that the value of B is above that of A, on the side on which d is."""
    rng = np.random.default_rng(2)
    a = rng.normal(size=300)
    b = a + rng.normal(-0.4, 1, size=300)
    c = ef.judge({"a": a, "b": b}, rows="examples", higher_is_better=higher_is_better)
    pair: Any = c.facts.pairs[0]
    assert_allclose(pair.a12, ef.infer.a12(a, b, paired=True).value)
    assert_allclose(pair.cohen_d, ef.infer.cohen_d(a, b).value)
    assert pair.a12_low < pair.a12 < pair.a12_high
    assert (pair.a12 < 0.5) == (pair.value < 0)
    side = "above" if higher_is_better else "below"
    assert f"B is better where d is {side} 0 and A12 {side} ½" in c.to_html()


OPTIONS: list[dict[str, Any]] = [{}, {"by": "average"}, {"paired": False}]


@pytest.mark.parametrize("options", OPTIONS)
# few are exact in sums
@pytest.mark.parametrize("constants", [(1.0, 2.0), (0.1, 0.7), (1e8, 1e8 + 0.1)])
def test_without_spread_d_is_infinite_and_its_error_unknown(
    options: dict[str, Any], constants: tuple[float, float]
) -> None:
    a, b = (np.full(6, constant) for constant in constants)
    e = ef.infer.cohen_d(a, b, **options)
    assert_array_equal(
        [e.value, e.standard_error, *e.confidence_interval()], [np.inf, np.inf, -np.inf, np.inf]
    )
    batch = ef.infer.cohen_d([a, np.arange(6)], [b, [0, 3, 1, 5, 2, 9]], **options)
    alone = ef.infer.cohen_d(np.arange(6), [0, 3, 1, 5, 2, 9], **options)
    assert_allclose(np.array(batch.confidence_interval())[:, 1], alone.confidence_interval())


def test_equal_differences_of_unequal_values_have_no_spread() -> None:
    a = np.arange(8.0)
    assert ef.infer.cohen_d(a, a + 0.1).value == np.inf  # was 4.4e14
    assert ef.infer.cohen_d(a, a + 0.1, by="average").value < 1
    assert ef.infer.cohen_d(np.full(5, 0.1), np.full(7, 0.1), paired=False).value == 0


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("scale", [1e-300, 1e-160, 1e-12, 1e8, 1e149])  # of some the squares vanish
def test_d_has_no_unit(options: dict[str, Any], scale: float) -> None:
    a, b = np.arange(1.0, 7), np.array([2.0, 4, 4, 5, 8, 6])
    e, f = ef.infer.cohen_d(a, b, **options), ef.infer.cohen_d(a * scale, b * scale, **options)
    assert_allclose(
        [f.value, *f.confidence_interval()], [e.value, *e.confidence_interval()], rtol=1e-12
    )
    back = ef.infer.cohen_d(b, a, **options)
    assert_allclose(
        [back.value, *back.confidence_interval()[::-1]],
        [-e.value, *np.negative(e.confidence_interval())],
    )


@pytest.mark.parametrize("size", [1.0, 100.0])
def test_reports_leave_effect_sizes_out_where_differences_are_alike(size: float) -> None:
    a = size * np.random.default_rng(0).random(40)
    frame = ef.judge({"a": a, "b": a + 0.1}, rows="examples", higher_is_better=True).to_frame()
    assert frame.filter(like="cohen").isna().all(axis=None)  # was 3·10¹⁵, the rounding of 0.1


@pytest.mark.parametrize("paired", [True, False])
@pytest.mark.parametrize("size", [ef.infer.a12, ef.infer.cliff_delta])
def test_a_win_throughout_is_no_certainty(size: Any, paired: bool) -> None:
    """The interval was 1 to 1; of ten pairs that are all won Clopper and Pearson's is .692 to 1."""
    low, high = size(np.arange(10.0), np.arange(10.0) + 20, paired=paired).confidence_interval()
    exact = stats.binomtest(10, 10).proportion_ci(0.95, method="exact").low
    assert high == 1
    assert low == pytest.approx(exact if size is ef.infer.a12 else 2 * exact - 1)
    turned = size(np.arange(10.0) + 20, np.arange(10.0), paired=paired).confidence_interval()
    assert turned[0] == (0 if size is ef.infer.a12 else -1)
    assert turned[1] == pytest.approx(1 - exact if size is ef.infer.a12 else 1 - 2 * exact)


@pytest.mark.parametrize("shift", [2.0, 3.0])
def test_the_interval_of_a12_covers_where_samples_are_often_separated(shift: float) -> None:
    """Normal samples of ten: with Cliff's interval alone .83 and .48 of 4000 (A12 = .921, .983)."""
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 4000, 10))
    truth = stats.norm.cdf(shift / np.sqrt(2))
    low, high = ef.infer.a12(a, b + shift).confidence_interval()
    assert np.mean((low <= truth) & (truth <= high)) > 0.94


def test_noncentral_limits_are_those_of_the_law() -> None:
    for t, df in ((0.0, 19), (8.9, 19), (-14.0, 50), (60.0, 999), (3.0, 100_000)):
        low, high = noncentral_limits(t, df, 0.025)
        assert stats.nct.sf(t, df, low) == pytest.approx(0.025, abs=2e-5)
        assert stats.nct.cdf(t, df, high) == pytest.approx(0.025, abs=2e-5)
    near, far = noncentral_limits(199.9, 300, 0.025), noncentral_limits(200.1, 300, 0.025)
    assert_allclose(near, far, rtol=0.02)  # where the normal takes over


def test_cohens_d_of_a_frame_covers_also_where_it_is_large() -> None:
    """With the standard deviation taken as known .75 at d = 2."""
    rng, inside = np.random.default_rng(2), 0
    for _ in range(200):
        a = rng.normal(size=20)
        frame = ef.judge({"a": a, "b": a + rng.normal(2.0, 1.0, size=20)}, rows="examples",
                         higher_is_better=True).to_frame()  # fmt: skip
        row = frame.iloc[0]
        inside += row["cohen_d_low"] <= 2.0 <= row["cohen_d_high"]
        assert (row["cohen_d_low"] > 0) == (row["low"] > 0)
    assert inside / 200 > 0.95 - 3 * np.sqrt(0.95 * 0.05 / 200)


def test_a12_of_a_frame_is_not_certain_either() -> None:
    a = np.random.default_rng(0).normal(size=12)
    noise = 0.1 * np.random.default_rng(1).normal(size=12)
    row = (
        ef.judge({"a": a, "b": a + 1 + noise}, rows="examples", higher_is_better=True)
        .to_frame()
        .iloc[0]
    )
    assert row["a12"] == row["a12_high"] == 1
    assert row["a12_low"] == pytest.approx(0.025 ** (1 / 12))
