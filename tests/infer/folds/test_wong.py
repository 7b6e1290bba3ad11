"""Accuracies as proportions against scipy, statsmodels and T15's examples, numbers corrected."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.stats.proportion import proportions_ztest

import evenfold as ef
from evenfold.core.errors import DegenerateData, FoldsLeftOut, InvalidInput, NotApplicable
from evenfold.core.estimate import Alternative

# T15 example 1: five folds of 40; the list that has the mean .76
RIGHT = np.array([32, 28, 30, 30, 32])
OTHER = np.array([33, 30, 30, 31, 33])


def _answer(e: Any) -> list[float]:
    return [float(e.statistic), float(e.pvalue), float(e.df)]


def test_example_1_at_the_level_of_the_data_set() -> None:
    e = ef.infer.wong_proportion(RIGHT, n_test=40)
    assert_allclose([e.value, e.standard_error**2], [0.76, 0.76 * 0.24 / 200], rtol=1e-12)
    assert e.standard_error**2 == pytest.approx(0.000912)  # as printed in T15
    assert e.df == np.inf
    z = stats.norm.ppf(0.975)
    assert_allclose(
        e.confidence_interval(),
        [0.76 - z * e.standard_error, 0.76 + z * e.standard_error],
        rtol=1e-12,
    )


def test_example_1_at_the_level_of_the_fold_with_the_corrected_variance() -> None:
    e = ef.infer.wong_proportion(RIGHT, n_test=40, averaging="fold")
    assert_allclose(e.standard_error**2 * 5, 0.00175, rtol=1e-12)  # .007/4; T15 prints .0007
    assert e.standard_error == pytest.approx(0.0187, abs=5e-5)
    expected = stats.ttest_1samp(RIGHT / 40, 0.7)
    e = ef.infer.wong_proportion(RIGHT, n_test=40, averaging="fold", null=0.7)
    assert_allclose(_answer(e), _answer(expected), rtol=1e-10)


def test_the_first_list_of_example_1_has_another_mean() -> None:
    # T15 prints (32, 28, 30, 32, 28) in the text and (32, 28, 30, 30, 32) in the sum
    assert ef.infer.wong_proportion([32, 28, 30, 32, 28], n_test=40).value == pytest.approx(0.75)


def test_example_2_with_possible_counts() -> None:
    # 80 and 84 right of 100 differ by 4 = n10 − n01, so (30, 44, 26) cannot have s² = .16; (10, 84,
    # 6) does
    e = ef.infer.wong_loo_matched_t(10, 6, n=100)
    assert_allclose([e.value, e.statistic], [0.04, 1.0], rtol=1e-12)  # T15 takes A − B, so −1.0
    assert_allclose(e.standard_error**2 * 100, 0.16, rtol=1e-12)
    assert ef.infer.wong_loo_matched_t(30, 26, n=100).standard_error ** 2 * 100 == pytest.approx(
        0.564, abs=1e-3
    )
    z = ef.infer.wong_loo_independent_z(80, 84, n=100)
    assert_allclose(z.statistic, 0.04 / np.sqrt(2 * 0.82 * 0.18 / 100), rtol=1e-12)
    assert z.statistic == pytest.approx(0.7362, abs=5e-5)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_matched_tests_are_paired_t_tests(alternative: Any) -> None:
    e = ef.infer.wong_kfold_matched_t(RIGHT, OTHER, n_test=40, alternative=alternative)
    expected = stats.ttest_rel(OTHER / 40, RIGHT / 40, alternative=alternative)
    assert_allclose(_answer(e), _answer(expected), rtol=1e-10)
    y = np.repeat([1, -1, 0], [10, 6, 84])
    loo = stats.ttest_1samp(y, 0, alternative=alternative)
    e = ef.infer.wong_loo_matched_t(10, 6, n=100, alternative=alternative)
    assert_allclose(_answer(e), _answer(loo), rtol=1e-10)


def test_the_matched_t_without_left_out_folds_is_kfold_t() -> None:
    e = ef.infer.wong_kfold_matched_t(RIGHT, OTHER, n_test=40)
    k = ef.infer.kfold_t((OTHER - RIGHT) / 40)
    assert_allclose([e.value, e.statistic, e.pvalue], [k.value, k.statistic, k.pvalue], rtol=1e-12)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_independent_t_is_welchs(alternative: Any) -> None:
    b = np.array([33, 30, 30, 31])
    e = ef.infer.wong_kfold_independent_t(RIGHT, b, n_test=40, alternative=alternative)
    expected = stats.ttest_ind(b / 40, RIGHT / 40, equal_var=False, alternative=alternative)
    assert_allclose(_answer(e), _answer(expected), rtol=1e-10)


@pytest.mark.parametrize(
    ("alternative", "side"),
    [("two-sided", "two-sided"), ("greater", "larger"), ("less", "smaller")],
)
def test_independent_z_is_the_test_of_two_proportions(alternative: Alternative, side: str) -> None:
    b, sizes = np.array([25, 24, 25]), np.array([31, 30, 33])
    e = ef.infer.wong_kfold_independent_z(
        RIGHT, b, n_test=40, n_test_b=sizes, alternative=alternative
    )
    z, p = proportions_ztest([b.sum(), RIGHT.sum()], [sizes.sum(), 200], alternative=side)
    assert_allclose([e.statistic, e.pvalue], [z, p], rtol=1e-10)


def test_folds_that_fail_the_condition_are_left_out_and_said_so() -> None:
    right, sizes = np.array([32, 38, 30, 4, 32]), 40
    with pytest.warns(FoldsLeftOut, match="2 of 5 folds have fewer than 5 right or 5 wrong"):
        e = ef.infer.wong_proportion(right, n_test=sizes)
    assert_allclose(
        [e.value, e.standard_error**2], [94 / 120, 94 / 120 * 26 / 120 / 120], rtol=1e-12
    )
    with pytest.warns(FoldsLeftOut):
        e = ef.infer.wong_proportion(right, n_test=sizes, averaging="fold")
    expected = stats.ttest_1samp(np.array([32, 30, 32]) / 40, 0)
    assert_allclose(_answer(e), _answer(expected), rtol=1e-10)
    other = np.array([31, 30, 36, 30, 34])
    with pytest.warns(
        FoldsLeftOut, match="3 of 5"
    ):  # a fold counts only if both algorithms meet the condition
        e = ef.infer.wong_kfold_matched_t(right, other, n_test=sizes)
    assert_allclose(e.value, 0.5 / 40, rtol=1e-12)
    assert e.df == 1


def test_the_selection_that_the_docstring_names() -> None:
    # E(X/100 | X ≤ 95) for X ~ Bin(100, .95); X ≥ 5 is certain
    x = np.arange(5, 96)
    p = stats.binom(100, 0.95).pmf(x)
    kept = ef.infer.wong_proportion(x[:, None], n_test=100).value
    assert (kept * p).sum() / p.sum() == pytest.approx(0.935, abs=1e-3)
    with pytest.raises(NotApplicable):
        ef.infer.wong_proportion([96], n_test=100)


def test_batches_with_different_folds_left_out_equal_the_loop() -> None:
    rng = np.random.default_rng(7)
    a, b = rng.binomial(40, 0.82, size=(2, 6, 3, 5))
    with pytest.warns(FoldsLeftOut):
        results = [
            ef.infer.wong_proportion(a, n_test=40, averaging="fold"),
            ef.infer.wong_kfold_matched_t(a, b, n_test=40),
            ef.infer.wong_kfold_independent_t(a, b, n_test=40),
            ef.infer.wong_kfold_independent_z(a, b, n_test=40),
        ]
    for i in np.ndindex(6, 3):
        keep_a, keep_b = a[i] <= 35, b[i] <= 35
        both = keep_a & keep_b
        singles = [
            ef.infer.wong_proportion(a[i][keep_a], n_test=40, averaging="fold"),
            ef.infer.wong_kfold_matched_t(a[i][both], b[i][both], n_test=40),
            ef.infer.wong_kfold_independent_t(a[i][keep_a], b[i][keep_b], n_test=40),
            ef.infer.wong_kfold_independent_z(a[i][keep_a], b[i][keep_b], n_test=40),
        ]
        for e, one in zip(results, singles, strict=True):
            batch = [e.value[i], e.statistic[i], e.pvalue[i]]
            assert_allclose(batch, [one.value, one.statistic, one.pvalue], rtol=1e-10, atol=1e-14)


CASES: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "wong-kfold-matched-t": (RIGHT, OTHER, {"n_test": 40}),
    "wong-kfold-independent-z": (RIGHT, OTHER, {"n_test": 40}),
    "wong-kfold-independent-t": (RIGHT, OTHER, {"n_test": 40}),
    "wong-loo-matched-t": (10, 6, {"n": 100}),
    "wong-loo-independent-z": (80, 84, {"n": 100}),
}


def test_all_keys_of_section_7_are_registered_as_liberal_or_worse() -> None:
    keys = {key for key in ef.infer.methods() if key.startswith("wong-")}
    assert keys == set(CASES) | {"wong-proportion"}
    for key in keys:
        entry = ef.infer.methods()[key]
        assert not entry.recommended
        assert entry.leaning in ("liberal", "depends")


@pytest.mark.parametrize("key", CASES)
def test_contract_of_the_comparisons(key: str) -> None:
    a, b, keywords = CASES[key]
    function: Any = ef.infer.methods()[key].function
    e, up, down = (
        function(a, b, **keywords, alternative=x) for x in ("two-sided", "greater", "less")
    )
    assert_allclose(up.pvalue + down.pvalue, 1, rtol=1e-12)
    assert_allclose(e.pvalue, 2 * min(up.pvalue, down.pvalue), rtol=1e-12)
    swapped = function(b, a, **keywords)
    assert_allclose([swapped.value, swapped.statistic], [-e.value, -e.statistic], rtol=1e-12)
    for limit in e.confidence_interval(0.9):
        assert_allclose(function(a, b, **keywords, null=float(limit)).pvalue, 0.1, rtol=1e-9)
    assert up.confidence_interval()[1] == np.inf
    batch = function(np.stack([a, b]), np.stack([b, a]), **keywords)
    assert_allclose(batch.pvalue, [e.pvalue, e.pvalue], rtol=1e-12)
    assert np.shape(e.value) == ()
    assert e.estimand.startswith("difference of accuracy B − A at training size")


@pytest.mark.parametrize("key", ["wong-kfold-matched-t", "wong-kfold-independent-t"])
def test_equal_folds_have_defined_answers(key: str) -> None:
    function: Any = ef.infer.methods()[key].function
    with pytest.warns(DegenerateData):
        assert function([30, 30, 30], [30, 30, 30], n_test=40).pvalue == 1
    with pytest.warns(DegenerateData):
        assert function([30, 30, 30], [31, 31, 31], n_test=40).pvalue == 0


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: ef.infer.wong_proportion([0.8, 0.7], n_test=40),
            r"right must hold whole numbers ≥ 0 but has 0\.8 at position 0",
        ),
        (
            lambda: ef.infer.wong_proportion([-1, 7], n_test=40),
            "right must hold whole numbers ≥ 0 but has -1 at position 0",
        ),
        (
            lambda: ef.infer.wong_proportion([30, np.nan], n_test=40),
            "right must be finite but got nan at position 1",
        ),
        (
            lambda: ef.infer.wong_proportion([30, 41], n_test=40),
            r"right must be at most .* got 41 of 40 at",
        ),
        (
            lambda: ef.infer.wong_proportion(30, n_test=40),
            r"right must be of shape \(..., K\) but got shape \(\)",
        ),
        (
            lambda: ef.infer.wong_proportion([30, 31], n_test=[40, 40, 40]),
            "n_test must be one size, or one per",
        ),
        (
            lambda: ef.infer.wong_proportion([30, 0], n_test=[40, 0]),
            "n_test must be ≥ 1 but got 0",
        ),
        (
            lambda: ef.infer.wong_proportion(RIGHT, n_test=40, averaging="folds"),
            "Did you mean 'fold'",
        ),
        (
            lambda: ef.infer.wong_kfold_matched_t(RIGHT, OTHER[:3], n_test=40),
            r"right_b must be of the shape \(5,\)",
        ),
        (
            lambda: ef.infer.wong_kfold_independent_t([RIGHT], OTHER, n_test=40),
            r"right_b must be of the batch",
        ),
        (
            lambda: ef.infer.wong_loo_matched_t(60, 50, n=100),
            r"n10 \+ n01 must be at most n = 100 but got 110",
        ),
    ],
)
def test_bad_counts_are_refused(call: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        call()


def test_too_few_folds_are_not_applicable() -> None:
    with pytest.raises(
        NotApplicable, match=r"'wong-proportion' needs 1 or more folds .* but has 0. Use fewer"
    ):
        ef.infer.wong_proportion([39, 38], n_test=40)
    with pytest.raises(
        NotApplicable, match=r"needs 2 or more folds .* but has 1 in data set \(1,\)"
    ):
        ef.infer.wong_kfold_matched_t([[*RIGHT], [32, 38, 39, 37, 38]], [OTHER, OTHER], n_test=40)
    with pytest.raises(
        NotApplicable, match=r"at least 5 times but has one only 3 times\. Use the method 'mcnemar'"
    ):
        ef.infer.wong_loo_matched_t(10, 3, n=100)
    with pytest.raises(NotApplicable, match="'wong-loo-independent-z' needs 1 or more folds"):
        ef.infer.wong_loo_independent_z(98, 80, n=100)
