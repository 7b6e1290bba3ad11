"""Equal up to rounding is equal: ranks, signed ranks, edges of a region, counts of wins."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.dummy import DummyClassifier

import evenfold as ef
from evenfold.core.losses import difference, rounding
from evenfold.core.ranking import midranks, ranks

# The same five error counts in other folds: equal means, but for the last digit.
NOISY = np.array(
    [[0.20000000000000004, 0.19999999999999998], [0.30000000000000004, 0.3], [0.1, 0.1]] * 2
)


@settings(deadline=None, max_examples=60)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 12), rows=st.integers(1, 4))
def test_midranks_are_those_of_scipy(seed: int, n: int, rows: int) -> None:
    values = np.random.default_rng(seed).integers(0, 6, size=(rows, n)) / 7
    assert_array_equal(midranks(values), stats.rankdata(values, axis=1))


def test_ranks_tie_what_rounding_parts_whatever_the_scale() -> None:
    for scale in (1.0, 1000.0, 1e-30, 1e30):
        assert_array_equal(ranks(NOISY * scale, lower_is_better=True), 1.5)
    assert_array_equal(ranks([[0.2, 0.2 + 1e-9]], lower_is_better=True), [[1, 2]])
    assert_array_equal(difference(NOISY[:, 1], NOISY[:, 0]), 0)
    assert rounding(1.0) < 1e-13


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(2, 9))
def test_wilcoxon_counts_all_signs_with_ties_and_zeros_too(seed: int, n: int) -> None:
    d = np.random.default_rng(seed).integers(-3, 4, size=n).astype(float)
    found = ef.infer.wilcoxon_holm(np.column_stack([np.zeros(n), d])).pvalue[0]
    rank = stats.rankdata(np.abs(d[d != 0]))
    centre = rank.sum() / 2
    sums = np.array([np.dot(signs, rank) for signs in product((0, 1), repeat=len(rank))])
    seen = abs(rank[d[d != 0] > 0].sum() - centre)
    assert_allclose(found, np.mean(np.abs(sums - centre) >= seen - 1e-9), rtol=1e-9)


def test_wilcoxon_on_very_many_data_sets_is_scipys_normal_one() -> None:
    d = np.random.default_rng(0).integers(-4, 6, size=300).astype(float)
    found = ef.infer.wilcoxon_holm(np.column_stack([np.zeros(300), d])).pvalue[0]
    assert_allclose(found, stats.wilcoxon(d[d != 0], method="approx").pvalue, rtol=1e-9)


@pytest.mark.parametrize("scale", [1.0, 1000.0])
def test_noise_in_the_last_digit_is_no_evidence(scale: float) -> None:
    values = NOISY * scale
    assert ef.infer.wilcoxon_holm(values).pvalue[0] == 1
    assert_array_equal(ef.infer.wilcoxon_holm(values).difference, 0)
    three = ef.infer.friedman(np.column_stack([values, values[:, 0]]))
    assert (three.statistic, three.pvalue) == (0, 1)
    assert_allclose(ef.infer.friedman_holm(values).pvalue, 1)
    d = values[:, 1] - values[:, 0]
    known = ef.infer.bayes_signed_rank(d, scale=values.max(axis=1))
    assert (known.lower, known.higher) == (0.5, 0.5)


def test_sizes_that_rounding_parts_are_ties_of_wilcoxon() -> None:
    values = np.array([[0.1, 0.4], [0.2, 0.5], [0.3, 0.6], [0.5, 0.2], [0.7, 0.4], [0.1, 0.2]])
    assert len(set(np.abs(values[:, 1] - values[:, 0]))) > 2  # .3 in several spellings
    exact = np.array([[1, 4], [2, 5], [3, 6], [5, 2], [7, 4], [1, 2]])
    assert_allclose(
        ef.infer.wilcoxon_holm(values).pvalue, ef.infer.wilcoxon_holm(exact).pvalue, rtol=1e-12
    )


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32 - 1), factor=st.sampled_from([1000.0, 1e-3, 3.7]))
def test_scaling_all_data_changes_nothing(seed: int, factor: float) -> None:
    values = np.random.default_rng(seed).integers(0, 30, size=(7, 3)) / 100
    moved = values * factor
    assert_allclose(
        ef.infer.friedman(moved).statistic, ef.infer.friedman(values).statistic, rtol=1e-12
    )
    assert_allclose(
        ef.infer.wilcoxon_holm(moved).pvalue, ef.infer.wilcoxon_holm(values).pvalue, rtol=1e-12
    )
    d, size = values[:, 1] - values[:, 0], values.max(axis=1)
    known = ef.infer.bayes_signed_rank(d, margin=0.05, scale=size, draws=500)
    again = ef.infer.bayes_signed_rank(
        d * factor, margin=0.05 * factor, scale=size * factor, draws=500
    )
    assert_allclose(
        (known.lower, known.same, known.higher), (again.lower, again.same, again.higher), rtol=1e-12
    )


def test_signed_ranks_of_zeros_are_even_and_edges_count_half() -> None:
    zeros = ef.infer.bayes_signed_rank(np.zeros(6))
    assert (zeros.lower, zeros.same, zeros.higher) == (0.5, 0.0, 0.5)
    assert ef.infer.bayes_signed_rank(np.zeros(6), margin=0.1).same == 1
    # 0.3 − 0.2 is 0.09999999999999998: on the edge of ±0.1, as 3 − 2 is on that of ±1
    edge = ef.infer.bayes_signed_rank([0.3 - 0.2, 0.4 - 0.3, 0.5 - 0.4], margin=0.1)
    whole = ef.infer.bayes_signed_rank([1.0, 1.0, 1.0], margin=1.0)
    assert_allclose(edge.draws, whole.draws, rtol=1e-12)


class ErrsOnAThird(DummyClassifier):  # type: ignore[misc]  # scikit-learn has no types
    """Wrong where the first column, a place, leaves the rest ``phase`` when divided by 3."""

    def __init__(self, phase: int = 0) -> None:
        super().__init__()
        self.phase = phase

    def predict(self, X: np.ndarray) -> np.ndarray:
        place = np.rint(X[:, 0]).astype(int)
        return np.asarray(np.where(place % 3 == self.phase, 1 - place % 2, place % 2))


def test_across_does_not_decide_on_rounding() -> None:
    # both err on 20 of 60 examples, in other folds: the means of the folds differ in their last
    # digits
    rng = np.random.default_rng(1)
    places = {name: rng.permutation(60) for name in "abcdef"}
    data = {name: (place[:, None].astype(float), place % 2) for name, place in places.items()}
    design = ef.KFold(10, random_state=0)
    c = ef.across([ErrsOnAThird(0), ErrsOnAThird(1)], data, design=design, random_state=0)
    assert any(np.ptp(one.losses.means()) > 0 for one in c.comparisons.values())
    pair = c.facts.pairs[0]
    assert (pair.wins, pair.ties, pair.losses) == (0, 6, 0)
    assert (pair.outcome, pair.pvalue, pair.rank_difference) == ("inconclusive", 1.0, 0.0)
    assert (pair.better, pair.worse) == (0.5, 0.5)
