"""Reference values of the tests on hold-out values: scipy, peers, and formulas written out."""

import math
import statistics
from collections.abc import Iterator
from itertools import chain, cycle
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import stats as scipy_stats

import evenfold as ef
from evenfold.core.errors import DegenerateData, InvalidInput
from evenfold.core.estimate import Alternative, Normal, StudentT

RNG = np.random.default_rng(20)
D6 = RNG.normal(0.2, 0.5, size=6)
D52 = RNG.normal(0.2, 0.5, size=(5, 2))
RTOL = 1e-12
stats: Any = scipy_stats  # its types ask for literals where these tests go through lists of names


def assert_allclose(actual: Any, expected: Any, *, rtol: float = RTOL, atol: float = 0.0) -> None:
    np.testing.assert_allclose(actual, expected, rtol=rtol, atol=atol)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("method", [ef.infer.resampled_t, ef.infer.kfold_t])
def test_uncorrected_t_tests_are_scipys_one_sample_t(method: Any, alternative: Alternative) -> None:
    e, r = (
        method(D6, null=0.1, alternative=alternative),
        stats.ttest_1samp(D6, 0.1, alternative=alternative),
    )
    assert_allclose([e.statistic, e.pvalue, e.df], [r.statistic, r.pvalue, r.df])
    assert_allclose(e.confidence_interval(0.9), r.confidence_interval(0.9))


def test_holdout_t_is_the_z_test_with_the_sample_variance() -> None:
    losses = RNG.integers(-1, 2, size=50).astype(float)
    z = losses.mean() / (losses.std(ddof=1) / 50**0.5)
    e = ef.infer.holdout_t(losses)
    assert_allclose([e.statistic, e.pvalue], [z, 2 * stats.norm.sf(abs(z))])
    assert e.df == np.inf


def test_corrected_resampled_t_by_hand_and_by_baycomp() -> None:
    from baycomp.single import CorrelatedTTest

    e = ef.infer.corrected_resampled_t(D6, n_train=50, n_test=10, alternative="greater")
    variance = (1 / 6 + 10 / 50) * D6.var(ddof=1)
    t = D6.mean() / variance**0.5
    assert_allclose([e.statistic, e.pvalue], [t, stats.t.sf(t, 5)])
    # baycomp's posterior is this test with ρ = 1/folds, so n2/(n1+n2) = 1/6; it gives P(left),
    # P(right)
    left, right = CorrelatedTTest.probs(np.zeros(6), D6)
    assert_allclose([e.pvalue, 1 - e.pvalue], [left, right], rtol=1e-9)


def test_corrected_kfold_t_by_hand_and_by_baycomp() -> None:
    from baycomp.single import CorrelatedTTest

    e = ef.infer.corrected_kfold_t(D6, alternative="greater")
    assert_allclose(e.standard_error**2, D6.var(ddof=1) * (1 / 6 + (1 / 6) / (5 / 6)))
    assert_allclose(e.pvalue, CorrelatedTTest.probs(np.zeros(6), D6)[0], rtol=1e-9)


def test_corrected_kfold_t_with_two_folds_has_one_and_a_half_times_s2() -> None:
    e = ef.infer.corrected_kfold_t(D6[:2])  # docs/papers/errata: W14 prints 3 S²
    assert_allclose(e.standard_error**2, 1.5 * D6[:2].var(ddof=1))
    assert_allclose(ef.infer.corrected_kfold_t(D6, rho=0.0).pvalue, ef.infer.kfold_t(D6).pvalue)
    with pytest.raises(InvalidInput, match="rho must be"):
        ef.infer.corrected_kfold_t(D6, rho=1.0)


def test_bootstraps_and_conservative_z_by_hand() -> None:
    reruns, halves = RNG.normal(size=7), RNG.normal(size=(4, 2))
    e = ef.infer.bootstrap(D6, reruns)
    assert_allclose(e.statistic, D6.mean() / reruns.std(ddof=1))
    assert e.df == 6
    c = ef.infer.corrected_bootstrap(D6, reruns, n_train=90, n_test=10)
    assert_allclose(c.standard_error / e.standard_error, (1 + 6 * 10 / 90) ** 0.5)
    z = ef.infer.conservative_z(D6, halves)  # NB eq. 11, written out
    variance = sum((a - b) ** 2 for a, b in halves.tolist()) / (2 * 4)
    assert_allclose(z.standard_error**2, variance)
    assert_allclose(z.pvalue, 2 * stats.norm.sf(abs(D6.mean()) / variance**0.5))
    t = ef.infer.conservative_t(D6, halves)
    assert_allclose(t.pvalue, 2 * stats.t(4).sf(abs(D6.mean()) / variance**0.5))
    with pytest.raises(
        InvalidInput, match=r"batch shape of reruns must be \(\), that of the splits, but got"
    ):
        ef.infer.bootstrap(D6, RNG.normal(size=(2, 7)))


class _Scores:
    """Two "estimators" and a scorer that hands out given scores in mlxtend's order."""

    def __init__(self, d: np.ndarray) -> None:
        zero_and_difference = [(0.0, float(x)) for x in d.ravel()]  # estimator 1 scores 0
        self.turns: Iterator[float] = cycle(chain.from_iterable(zero_and_difference))
        self._estimator_type = "classifier"

    def fit(self, X: Any, y: Any) -> "_Scores":  # noqa: ARG002
        return self


def _mlxtend(function: Any, d: np.ndarray) -> tuple[float, float]:
    scores = _Scores(d)

    def scorer(estimator: Any, X: Any, y: Any) -> float:  # noqa: ARG001
        return next(scores.turns)

    X, y = np.zeros((10, 1)), np.tile([0, 1], 5)
    t, p = function(scores, scores, X, y, scoring=scorer, random_seed=1)
    return float(t), float(p)


def test_five_by_two_tests_of_mlxtend() -> None:
    from mlxtend.evaluate import combined_ftest_5x2cv, paired_ttest_5x2cv

    t, p = _mlxtend(paired_ttest_5x2cv, D52)
    e = ef.infer.five_by_two_t(D52)
    assert_allclose([abs(e.statistic), e.pvalue], [abs(t), p])
    f, p = _mlxtend(combined_ftest_5x2cv, D52)
    e5 = ef.infer.five_by_two_f(D52)
    assert_allclose([e5.statistic, e5.pvalue], [f, p])


def test_five_by_two_family_written_out() -> None:
    rows = D52.tolist()
    s2 = [(a - (a + b) / 2) ** 2 + (b - (a + b) / 2) ** 2 for a, b in rows]
    first, mean1, mean = rows[0][0], sum(rows[0]) / 2, sum(map(sum, rows)) / 10
    expected = {
        "five_by_two_t": (first / (sum(s2) / 5) ** 0.5, 5),
        "five_by_two_t_independent": (first / (sum(s2[1:]) / 4) ** 0.5, 4),
        "five_by_two_t_mean": (mean1 / (sum(s2) / 10) ** 0.5, 5),
        "five_by_two_t_others": (first / statistics.variance(D52.ravel().tolist()[1:]) ** 0.5, 8),
        "five_by_two_combined_t": (mean / (sum(s2) / 50) ** 0.5, 5),
    }
    for name, (t, df) in expected.items():
        e = getattr(ef.infer, name)(D52)
        assert_allclose([e.statistic, e.pvalue], [t, 2 * stats.t.sf(abs(t), df)])


def test_f_interval_holds_what_is_not_rejected_and_may_be_empty() -> None:
    low, high = ef.infer.five_by_two_f(D52).confidence_interval(0.95)
    for limit in (low, high):
        assert_allclose(ef.infer.five_by_two_f(D52, null=float(limit)).pvalue, 0.05, rtol=1e-9)
    # rejected everywhere
    apart = np.array([[0.0, 0.1], [9.0, 9.1], [0.0, 0.1], [9.0, 9.1], [0.0, 0.1]])
    assert np.isnan(ef.infer.five_by_two_f(apart).confidence_interval(0.95)).all()
    with pytest.raises(InvalidInput, match="'two-sided' for method '5x2-f'"):
        ef.infer.five_by_two_f(D52, alternative="less")


def test_mx2_tests_written_out() -> None:
    m, x = 5, D52.ravel().tolist()
    mean = sum(x) / 10
    s2 = sum((a - b) ** 2 / 2 for a, b in D52.tolist())
    v2 = sum((a - mean) ** 2 for a in x) / 10
    expected = {
        "mx2_paired_t": (x[0] / (s2 / m) ** 0.5, m),
        "mx2_combined_t": (mean / (s2 / (2 * m**2)) ** 0.5, m),
        "mx2_t": (mean / (v2 * 11 / 9) ** 0.5, 9),
        "mx2_block_t": (mean / v2**0.5, 9),
    }
    for name, (t, df) in expected.items():
        e = getattr(ef.infer, name)(D52)
        assert_allclose([e.statistic, e.pvalue], [t, 2 * stats.t.sf(abs(t), df)])


def test_m_of_five_is_the_five_by_two_test() -> None:
    assert_allclose(ef.infer.mx2_paired_t(D52).pvalue, ef.infer.five_by_two_t(D52).pvalue)
    assert_allclose(
        ef.infer.mx2_combined_t(D52).pvalue, ef.infer.five_by_two_combined_t(D52).pvalue, rtol=RTOL
    )


def test_blocked_3x2_t_written_out() -> None:
    d = D52[:3]
    means = d.mean(axis=1)
    within, between = sum((a - b) ** 2 / 2 for a, b in d), sum((means - means.mean()) ** 2)
    for lam, df in ((0.0, 3), (2 / 3, 5), (4 / 3, 5), (1.0, 5)):
        e = ef.infer.blocked_3x2_t(d, lam=lam)
        assert_allclose(e.standard_error**2, within / 6 + lam * between / 2)
        assert e.df == df
    # λ = ⅔ is ⅙ΣΣ(μ̂_k^(i) − μ̂)², that is V2 of m = 3 (W14 eq. 4.3)
    assert_allclose(ef.infer.blocked_3x2_t(d).pvalue, ef.infer.mx2_block_t(d).pvalue)
    with pytest.raises(InvalidInput, match=r"shape \(\.\.\., 3, 2\)"):
        ef.infer.blocked_3x2_t(D52)
    with pytest.raises(InvalidInput, match="lam must be"):
        ef.infer.blocked_3x2_t(d, lam=-1)


def test_oracle_is_mx2_t_at_one_half_and_block_t_where_its_constant_is_one() -> None:
    d = D52[:3]
    assert_allclose(ef.infer.mx2_oracle_t(d, rho1=0.5, rho2=0.5).pvalue, ef.infer.mx2_t(d).pvalue)
    e = ef.infer.mx2_oracle_t(d, rho1=0.0, rho2=0.5)
    assert_allclose([e.statistic, e.df], [ef.infer.mx2_block_t(d).statistic, 3])
    for rho in ((1.0, 0.2), (0.0, 0.6), (0.0, -0.3)):
        with pytest.raises(InvalidInput, match="correlation structure"):
            ef.infer.mx2_oracle_t(d, rho1=rho[0], rho2=rho[1])


def test_variances_written_out() -> None:
    m, means = 5, D52.mean(axis=1)
    v1 = sum((a - b) ** 2 / 2 for a, b in D52) / (2 * m)
    v3 = v1 + (m + 1) / (m * (m - 1)) * sum((means - means.mean()) ** 2)
    got = [f(D52).value for f in (ef.infer.mx2_v1, ef.infer.mx2_v2, ef.infer.mx2_v3)]
    assert_allclose(got, [v1, D52.var(), v3])


TABLES = [
    (0, 1),
    (1, 0),
    (5, 5),
    (15, 5),
    (3, 30),
    (8, 9),
    (0, 7),
    (400, 460),
    (10**6, 10**6 + 3000),
]


@pytest.mark.parametrize(("n10", "n01"), TABLES)
def test_mcnemar_pvalues_of_statsmodels(n10: int, n01: int) -> None:
    from statsmodels.stats.contingency_tables import mcnemar

    table = [[1, n10], [n01, 1]]
    asymptotic = mcnemar(table, exact=False, correction=False)
    corrected = mcnemar(table, exact=False, correction=True)
    exact = mcnemar(table, exact=True)
    e = ef.infer.mcnemar(n10, n01)
    assert_allclose(
        [e.statistic**2, e.pvalue], [asymptotic.statistic, asymptotic.pvalue], rtol=1e-11
    )
    if n10 != n01:  # statsmodels corrects |0| to −1 and so finds p < 1 for equal counts
        c = ef.infer.mcnemar(n10, n01, variant="corrected")
        assert_allclose(
            [c.statistic**2, c.pvalue], [corrected.statistic, corrected.pvalue], rtol=1e-11
        )
    assert_allclose(ef.infer.mcnemar(n10, n01, variant="exact").pvalue, exact.pvalue, rtol=1e-9)


def test_mid_p_of_equal_counts_is_fagerlands() -> None:
    counts = np.array([1, 3, 10])  # Fagerland et al. 2013: 1 − ½ of the chance of the table
    p = ef.infer.mcnemar(counts, counts, variant="mid-p").pvalue
    assert_allclose(p, [0.75, 0.84375, 0.9119], atol=5e-5)


@pytest.mark.parametrize(("n10", "n01"), TABLES)
def test_mid_p_is_the_exact_p_less_half_the_weight_of_the_table(n10: int, n01: int) -> None:
    n, k = n10 + n01, min(n10, n01)
    both = 2 * stats.binom.cdf(k, n, 0.5) if n10 != n01 else 1 + stats.binom.pmf(k, n, 0.5) / 2
    expected = both - stats.binom.pmf(k, n, 0.5)  # Fagerland et al. 2013
    assert_allclose(ef.infer.mcnemar(n10, n01, variant="mid-p").pvalue, expected, rtol=1e-9)
    up = ef.infer.mcnemar(n10, n01, variant="mid-p", alternative="greater").pvalue
    down = ef.infer.mcnemar(n10, n01, variant="mid-p", alternative="less").pvalue
    assert_allclose(up + down, 1, rtol=1e-9)


@pytest.mark.parametrize(("n10", "n01"), TABLES)
@pytest.mark.parametrize(
    ("variant", "name"), [("asymptotic", "wilson"), ("corrected", "wilsoncc"), ("exact", "exact")]
)
def test_mcnemar_intervals_of_scipy(n10: int, n01: int, variant: str, name: str) -> None:
    for alternative in ("two-sided", "greater", "less"):
        r = stats.binomtest(n10, n10 + n01, alternative=alternative).proportion_ci(0.9, method=name)
        e = ef.infer.mcnemar(n10, n01, variant=variant, alternative=alternative)
        assert_allclose(
            e.confidence_interval(0.9), [2 * r.low - 1, 2 * r.high - 1], rtol=1e-8, atol=1e-8
        )


@pytest.mark.parametrize("variant", ["asymptotic", "corrected", "exact", "mid-p"])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_mcnemar_interval_agrees_with_its_pvalue_and_swaps(
    variant: str, alternative: Alternative
) -> None:
    n10, n01 = np.meshgrid(np.arange(0, 25), np.arange(1, 25))
    e = ef.infer.mcnemar(n10, n01, variant=variant, alternative=alternative)
    low, high = e.confidence_interval(0.95)
    assert_array_equal((low > 0) | (high < 0), e.pvalue < 0.05)
    mirrored: dict[Alternative, Alternative] = {
        "two-sided": "two-sided",
        "greater": "less",
        "less": "greater",
    }
    f = ef.infer.mcnemar(n01, n10, variant=variant, alternative=mirrored[alternative])
    assert_allclose(f.pvalue, e.pvalue)
    assert_allclose(f.value, -e.value)
    assert_allclose(f.statistic, -e.statistic)
    assert_allclose(f.confidence_interval(0.95)[0], -high, rtol=1e-9, atol=1e-12)


def test_mcnemar_without_discordant_examples_knows_nothing() -> None:
    for variant in ("asymptotic", "corrected", "exact", "mid-p"):
        for alternative in ("two-sided", "greater", "less"):
            with pytest.warns(DegenerateData):
                e = ef.infer.mcnemar(0, 0, variant=variant, alternative=alternative)
            assert e.pvalue == 1
            assert_array_equal(e.confidence_interval(), (-1, 1))


def test_mcnemar_refuses_what_are_not_counts() -> None:
    with pytest.raises(InvalidInput, match=r"n10 must be a whole number ≥ 0 but got 1\.5"):
        ef.infer.mcnemar(1.5, 2)
    with pytest.raises(
        InvalidInput, match="n01 must hold whole numbers ≥ 0 but has -1 at position 1"
    ):
        ef.infer.mcnemar(1, [2, -1])
    with pytest.raises(InvalidInput, match="null must be 0 for method 'mcnemar'"):
        ef.infer.mcnemar(1, 2, null=0.1)


def test_references_are_accurate_in_the_far_tails() -> None:
    for df in (1, 2, 3, 5, 9, 29, 61, 1000, 4.3):
        x = np.array([-40.0, -3.0, -0.1, 0.0, 0.5, 2.0, 9.0, 60.0])
        assert_allclose(StudentT(df).sf(x), stats.t.sf(x, df), rtol=1e-10)
        q = np.array([1e-12, 1e-5, 0.025, 0.3, 0.5])
        assert_allclose(StudentT(df).isf(q), stats.t.isf(q, df), rtol=1e-9, atol=1e-12)
    assert_allclose(Normal().sf(np.array([30.0, -1.0])), stats.norm.sf([30.0, -1.0]))


def test_shapes_are_refused_with_the_shape() -> None:
    with pytest.raises(
        InvalidInput, match=r"d must be of shape \(\.\.\., m, 2\) with m ≥ 2 but got shape \(6,\)"
    ):
        ef.infer.mx2_t(D6)
    with pytest.raises(
        InvalidInput, match=r"d must be of shape \(\.\.\., J\) with J ≥ 2 but got shape \(1,\)"
    ):
        ef.infer.resampled_t([0.1])
    with pytest.raises(InvalidInput, match="d must be a regular array of numbers"):
        ef.infer.resampled_t([[0.1, 0.2], [0.3]])
    with pytest.raises(InvalidInput, match="n_train must be an integer ≥ 1 but got 0"):
        ef.infer.corrected_resampled_t(D6, n_train=0, n_test=1)
    with pytest.raises(
        InvalidInput, match="confidence_level must be a number between 0 and 1 but got 95"
    ):
        ef.infer.resampled_t(D6).confidence_interval(95)


def test_long_test_sets_lose_no_digits() -> None:
    losses = 1e6 + RNG.normal(size=100_000)
    e = ef.infer.holdout_t(losses, null=1e6)
    exact = math.fsum(losses - 1e6) / 100_000
    assert_allclose(e.value - 1e6, exact, rtol=0, atol=1e-9)  # a millionth of a millionth of a loss
    with pytest.warns(DegenerateData):
        e = ef.infer.holdout_t(np.full(100_000, 0.1), null=0.1)
    assert (float(e.pvalue), float(e.standard_error)) == (1.0, 0.0)


def test_degrees_of_freedom_are_told() -> None:
    assert ef.infer.five_by_two_f(D52).df == (10, 5)
    assert ef.infer.mcnemar(3, 4).df == np.inf
    assert ef.infer.mx2_t(D52).df == 9
    assert ef.infer.mx2_sequential_t(D52).df == ef.infer.mx2_sequential_t(D52).stopped_at
    assert ef.infer.mx2_sequential_t(D52, boundary="thesis").df % 2 == 1


@pytest.mark.parametrize(
    ("method", "d"),
    [
        (ef.infer.five_by_two_t_independent, [[0.1, -0.1], [0, 0], [0, 0], [0, 0], [0, 0]]),
        (
            ef.infer.five_by_two_combined_t,
            [[0.1, 0.1], [-0.1, -0.1], [0.2, 0.2], [0, 0], [0.3, 0.3]],
        ),
        (ef.infer.five_by_two_f, [[0.1, 0.1], [-0.1, -0.1], [0.2, 0.2], [0, 0], [0.3, 0.3]]),
        (ef.infer.mx2_combined_t, [[0.1, 0.1], [-0.1, -0.1], [0.2, 0.2]]),
    ],
)
def test_a_variance_that_sees_nothing_of_values_that_differ_decides_nothing(
    method: Any, d: Any
) -> None:
    with pytest.warns(DegenerateData):
        e = method(d)
    assert e.pvalue == 1
    assert e.confidence_interval() == (-np.inf, np.inf)


def test_equal_repetitions_decide_a_sequential_test_only_at_its_last_look() -> None:
    with pytest.warns(DegenerateData):
        e = ef.infer.mx2_sequential_t(np.full((9, 2), 0.1))
    assert e.rejected
    assert e.stopped_at == 9
    assert e.pvalue == 0
    mixed = np.vstack([np.full((3, 2), 0.1), np.tile([0.3, -0.3], (6, 1))])
    with pytest.warns(DegenerateData):
        assert not ef.infer.mx2_sequential_t(mixed).rejected


@pytest.mark.parametrize("confidence_level", [0.3, 0.5, 0.95])
def test_an_unknown_error_leaves_the_interval_without_end(confidence_level: float) -> None:
    # repetitions differ, halves do not: the method sees no spread
    with pytest.warns(DegenerateData):
        e = ef.infer.mx2_combined_t([[0, 0], [1, 1], [0, 0]], alternative="greater")
    assert_array_equal(e.confidence_interval(confidence_level), (-np.inf, np.inf))
