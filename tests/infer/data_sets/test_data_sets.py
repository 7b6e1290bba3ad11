"""Tests over data sets, against scipy, scikit-posthocs, statsmodels, baycomp, published tables."""

import time
import warnings
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import evenfold as ef
from evenfold.core.errors import InvalidInput, NotApplicable

# Demšar (2006), table 6: AUC of four versions of C4.5 on 14 data sets
DEMSAR = np.array(
    [
        [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
        [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
        [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
        [1.000, 1.000, 1.000, 1.000], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
        [0.972, 0.981, 0.9751, 0.975], [0.957, 0.978, 0.946, 0.970],
    ]
)  # fmt: skip


def test_friedman_reproduces_demsars_example() -> None:
    test = ef.infer.friedman(DEMSAR, lower_is_better=False)
    assert_allclose(test.ranks, [3.143, 2.000, 2.893, 1.964], atol=5e-4)
    # Demšar gives χ² = 9.28 and F = 3.69 without the correction for ties; scipy makes it
    expected = stats.friedmanchisquare(*DEMSAR.T)
    assert_allclose(test.statistic, expected.statistic)
    assert_allclose(test.pvalue, expected.pvalue)
    N, K = DEMSAR.shape
    plain = 12 * N / (K * (K + 1)) * (np.sum(test.ranks**2) - K * (K + 1) ** 2 / 4)
    assert_allclose(plain, 9.28, atol=5e-3)
    assert_allclose((N - 1) * plain / (N * (K - 1) - plain), 3.69, atol=5e-3)
    assert test.f_df == (3, 39)
    assert_allclose(test.f_pvalue, stats.f.sf(test.f_statistic, 3, 39))
    assert test.f_pvalue < test.pvalue


def test_critical_difference_of_demsars_example() -> None:
    # Demšar (2006), section 3.2.3: q_.05 = 2.569 for four, CD = 1.25; q_.10 = 2.291, CD = 1.12
    assert_allclose(ef.infer.critical_difference(4, 14), 1.25, atol=5e-3)
    assert_allclose(ef.infer.critical_difference(4, 14, level=0.1), 1.12, atol=5e-3)
    assert_allclose(ef.infer.critical_difference(4, 6) / np.sqrt(4 * 5 / 36), 2.569, atol=1e-3)


def test_nemenyi_agrees_with_scikit_posthocs_and_with_the_critical_difference() -> None:
    posthocs = pytest.importorskip("scikit_posthocs")
    found = ef.infer.nemenyi(DEMSAR, lower_is_better=False)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.asarray(posthocs.posthoc_nemenyi_friedman(DEMSAR))
    assert_allclose(found.adjusted, [expected[i, j] for i, j in found.pairs], atol=1e-8)
    apart = np.abs(found.difference) > ef.infer.critical_difference(4, 14, level=0.1)
    assert_array_equal(apart, found.adjusted < 0.1)


def test_friedman_holm_against_the_first_reproduces_demsar() -> None:
    # Demšar (2006), section 3.2.3: against C4.5, SE = .488; p = .016 (z = 2.416 with cf), .019,
    # .607
    found = ef.infer.friedman_holm(DEMSAR, baseline=0, lower_is_better=False)
    assert found.pairs == ((0, 1), (0, 2), (0, 3))
    assert_allclose(found.pvalue, [0.019, 0.607, 0.016], atol=2e-3)
    first = 3 * found.pvalue[2]  # the second step, 2·.019, is smaller: Holm's p-values never fall
    assert_allclose(found.adjusted, [first, found.pvalue[1], first])
    assert found.difference[0] < 0


def test_wilcoxon_holm_uses_scipys_exact_law() -> None:
    rng = np.random.default_rng(0)
    values = rng.normal(loc=[0, 0, 1.5], size=(9, 3))
    found = ef.infer.wilcoxon_holm(values)
    for (a, b), p, median in zip(found.pairs, found.pvalue, found.difference, strict=True):
        d = values[:, b] - values[:, a]
        assert_allclose(p, stats.wilcoxon(d, method="exact").pvalue)
        assert_allclose(median, np.median(d))
    assert_allclose(np.sort(found.adjusted)[0], min(1, 3 * found.pvalue.min()))
    assert (found.adjusted >= found.pvalue).all()


def test_tables_without_any_difference_have_no_evidence() -> None:
    same = np.tile([[0.1], [0.2], [0.3], [0.4]], 3)
    test = ef.infer.friedman(same)
    assert (test.statistic, test.pvalue, test.f_pvalue) == (0, 1, 1)
    assert_array_equal(ef.infer.wilcoxon_holm(same).adjusted, 1)
    assert_allclose(ef.infer.nemenyi(same).adjusted, 1)
    perfect = ef.infer.friedman(np.arange(3) + np.arange(6)[:, None] / 10)
    assert perfect.f_statistic == np.inf
    assert_allclose(perfect.f_pvalue, 6.0**-5)


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 2**32 - 1), N=st.integers(2, 12), K=st.integers(3, 6))
def test_ranks_add_up_and_turn_round(seed: int, N: int, K: int) -> None:
    values = np.random.default_rng(seed).integers(0, 5, size=(N, K)).astype(float)
    test, mirrored = ef.infer.friedman(values), ef.infer.friedman(-values, lower_is_better=False)
    assert_allclose(test.ranks.sum(), K * (K + 1) / 2)
    assert_allclose(mirrored.ranks, test.ranks)
    reverse = ef.infer.friedman(values, lower_is_better=False)
    assert_allclose(reverse.ranks, K + 1 - test.ranks)
    assert_allclose(reverse.statistic, test.statistic, atol=1e-9)


def test_bayes_signed_rank_agrees_with_baycomp() -> None:
    baycomp = pytest.importorskip("baycomp")
    rng = np.random.default_rng(1)
    x = rng.normal(0, 0.02, size=20)
    y = x + rng.normal(0.004, 0.02, size=20)
    for rope in (0.0, 0.004):
        expected = baycomp.SignedRankTest.probs(x, y, rope=rope, nsamples=20_000, random_state=2)
        found = ef.infer.bayes_signed_rank(y - x, margin=rope)
        ours = (found.lower, found.same, found.higher) if rope else (found.lower, found.higher)
        assert_allclose(ours, expected, atol=4 * np.hypot(found.error, 0.5 / np.sqrt(20_000)))


def test_bayes_signed_rank_is_quick_and_symmetric() -> None:
    d = np.random.default_rng(3).normal(0.3, 1, size=30)
    ef.infer.bayes_signed_rank(d, margin=0.1)
    start = time.process_time()
    one = ef.infer.bayes_signed_rank(d, margin=0.1)
    assert time.process_time() - start < 0.5, "50 000 draws take about .04 s of one core"
    other = ef.infer.bayes_signed_rank(-d, margin=0.1)
    assert_allclose((one.lower, one.higher), (other.higher, other.lower))
    assert_allclose(one.draws.sum(axis=1), 1)
    assert ef.infer.bayes_signed_rank(np.zeros(5)).higher < 1


@pytest.mark.parametrize(
    ("ours", "theirs"), [("paule-mandel", "iterated"), ("dersimonian-laird", "chi2")]
)
@pytest.mark.parametrize("seed", range(6))
def test_random_effects_agree_with_statsmodels(ours: str, theirs: str, seed: int) -> None:
    from statsmodels.stats.meta_analysis import combine_effects

    rng = np.random.default_rng(seed)
    v = rng.uniform(0.01, 0.2, size=9)
    d = 0.3 + rng.normal(0, [0.05, 0.6][seed % 2], size=9) + rng.normal(0, np.sqrt(v))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = combine_effects(d, v, method_re=theirs, use_t=True, atol=1e-12)
        frame = expected.summary_frame(use_t=True)
    found = ef.infer.random_effects(d, v, heterogeneity=ours)
    assert_allclose(found.tau2, max(expected.tau2, 0), atol=1e-6)
    assert_allclose(found.q, expected.q)
    if expected.tau2 < 0:  # statsmodels goes on with a negative variance
        return
    row = frame.loc["random effect wls"]  # the row with Hartung and Knapp's standard error
    assert_allclose(found.value, row["eff"], atol=1e-6)
    assert_allclose(found.standard_error, row["sd_eff"], atol=1e-6)
    assert_allclose(found.confidence_interval(), (row["ci_low"], row["ci_upp"]), atol=1e-5)
    assert_allclose(found.weights.sum(), 1)


def test_equal_variances_give_the_t_test() -> None:
    d = np.random.default_rng(4).normal(0.2, 1, size=8)
    found = ef.infer.random_effects(d, np.full(8, 0.01))
    expected = stats.ttest_1samp(d, 0)
    assert_allclose(found.pvalue, expected.pvalue)
    assert_allclose(found.confidence_interval(0.9)[0], expected.confidence_interval(0.9)[0])
    further = found.measured_interval()
    assert_allclose(further[1], d.mean() + stats.t.isf(0.025, 7) * d.std(ddof=1) * np.sqrt(9 / 8))
    low, high = found.prediction_interval()
    assert_allclose(
        (high - low) / 2,
        stats.t.isf(0.025, 6) * np.hypot(found.standard_error, np.sqrt(found.tau2)),
    )


def test_random_effects_of_data_sets_that_agree() -> None:
    found = ef.infer.random_effects([0.1, 0.1, 0.1], [0.01, 0.04, 0.02])
    assert (found.tau2, found.i2) == (0, 0)
    # not 0, with p = 0
    assert_allclose(found.standard_error, (1 / 0.01 + 1 / 0.04 + 1 / 0.02) ** -0.5)
    nothing = ef.infer.random_effects([0.0, 0.0, 0.0], [0.0, 0.0, 0.0])
    assert (nothing.value, nothing.pvalue) == (0, 1)
    exact = ef.infer.random_effects([0.1, 0.3, 0.2], [0.0, 0.0, 0.0])
    assert_allclose(exact.value, 0.2)


FUNCTIONS: dict[str, Any] = {
    name: getattr(ef.infer, name)
    for name in ("friedman", "nemenyi", "friedman_holm", "wilcoxon_holm")
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_splits_are_refused_with_the_reason(name: str) -> None:
    from sklearn.datasets import load_iris
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    c = ef.compare([DummyClassifier(), GaussianNB()], X, y, design=ef.KFold(5), random_state=0)
    for folds in (c, c.losses, np.zeros((4, 10, 3))):
        with pytest.raises(
            NotApplicable, match=r"one value per data set.* 62% of the time .* ef\.across"
        ):
            FUNCTIONS[name](folds)
    with pytest.raises(NotApplicable, match="one value per data set"):
        ef.infer.bayes_signed_rank(np.zeros((4, 10)))
    with pytest.raises(NotApplicable, match="one value per data set"):
        ef.infer.random_effects(c.losses, [1.0])


@pytest.mark.parametrize("name", FUNCTIONS)
def test_bad_tables_are_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="finite"):
        FUNCTIONS[name]([[1.0, np.nan, 2.0], [1.0, 2.0, 3.0]])
    with pytest.raises(InvalidInput, match="of shape"):
        FUNCTIONS[name]([[1.0, 2.0, 3.0]])
    with pytest.raises(InvalidInput, match="of shape"):
        FUNCTIONS[name]([1.0, 2.0, 3.0])


def test_other_arguments_are_checked() -> None:
    with pytest.raises(InvalidInput, match="baseline"):
        ef.infer.wilcoxon_holm(DEMSAR, baseline=4)
    with pytest.raises(InvalidInput, match="variance"):
        ef.infer.random_effects([0.1, 0.2], [0.1, -0.1])
    with pytest.raises(InvalidInput, match="prediction"):
        ef.infer.random_effects([0.1, 0.2], [0.1, 0.1]).prediction_interval()
    with pytest.raises(InvalidInput, match="margin"):
        ef.infer.bayes_signed_rank([0.1, 0.2], margin=-1.0)
    with pytest.raises(InvalidInput, match="heterogeneity"):
        ef.infer.random_effects([0.1, 0.2], [0.1, 0.1], heterogeneity="reml")


@pytest.mark.parametrize("row", [(1.0, 2.0, 3.0), (1.0, 1.0, 3.0)])
def test_data_sets_that_agree_are_as_sure_as_they_are_many(row: tuple[float, ...]) -> None:
    for N in (2, 3):
        tables = [np.array([row, *others]) for others in product(permutations(row), repeat=N - 1)]
        alike = [np.isinf(ef.infer.friedman(one).f_statistic) for one in tables]
        # ranges are tied, so Quade's F is infinite
        perfect = np.tile(row, (N, 1)) + np.arange(N)[:, None]
        assert_allclose(ef.infer.friedman(perfect).f_pvalue, np.mean(alike))
        assert_allclose(ef.infer.quade(perfect).pvalue, np.mean(alike))
        assert_allclose(
            ef.infer.rank_pairs(perfect, "conover", adjust="none").pvalue[-1], np.mean(alike)
        )
    two = np.tile([1.0, 2.0], (5, 1))  # of two algorithms it is the sign test
    assert_allclose(
        ef.infer.rank_pairs(two, "conover").pvalue, ef.infer.sign_test(np.ones(5)).pvalue
    )


def test_a_data_set_without_spread_does_not_outweigh_all_others() -> None:
    # an easy one: both algorithms always right
    d, v = [0.0, 0.012, 0.008, 0.010], [0.0, 1e-4, 4e-4, 1e-4]
    found = ef.infer.random_effects(d, v)
    # was .98 of all
    assert_allclose(found.weights, ef.infer.random_effects(d, [1e-4, *v[1:]]).weights)
    bayes = ef.infer.bayes_hierarchical(d, v)
    assert_allclose(bayes.mean, ef.infer.bayes_hierarchical(d, [1e-4, *v[1:]]).mean)


def test_random_effects_of_variances_without_inverse() -> None:
    assert ef.infer.random_effects(np.ones(4), np.full(4, 1e-312)).value == pytest.approx(1)


@pytest.mark.parametrize("margin", [0.0, 0.01])
def test_the_signed_rank_posterior_is_its_sum_over_pairs(margin: float) -> None:
    """Sums of tails give Σ_ij w_i w_j 1(z_i + z_j > 2·margin), half on the edge, pair by pair."""
    from evenfold.infer.data_sets.signs import _weights

    # with ties, and sums on the edge
    d = np.round(np.random.default_rng(0).normal(0.005, 0.02, 25), 2)
    found = ef.infer.bayes_signed_rank(d, margin=margin, draws=300)
    z = np.concatenate([[0.0], d])
    sums = np.round(z[:, None] + z, 9)
    w = np.concatenate(list(_weights(25, 0.5, 300, 0)))
    for column, side in ((0, -sums), (2, sums)):
        above = np.where(side == round(2 * margin, 9), 0.5, side > 2 * margin)
        assert found.draws[:, column] == pytest.approx(
            np.einsum("ni,ij,nj->n", w, above, w), abs=1e-12
        )


def test_thousands_of_data_sets_have_a_posterior() -> None:
    found = ef.infer.bayes_signed_rank(np.random.default_rng(0).normal(0.1, 1.0, 3000), draws=200)
    assert found.higher > 0.99
