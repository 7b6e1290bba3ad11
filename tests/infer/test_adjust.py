"""Adjusted p-values against statsmodels, a published table and closed testing; refusals."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtr
from statsmodels.stats.multitest import multipletests

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.infer.adjust import ADJUSTMENTS

PLAIN = [key for key, one in ADJUSTMENTS.items() if not one.joint]
PEER = {
    "holm": "holm",
    "bonferroni": "bonferroni",
    "hochberg": "simes-hochberg",
    "hommel": "hommel",
}
PEER |= {"benjamini-hochberg": "fdr_bh", "benjamini-yekutieli": "fdr_by"}


@pytest.mark.parametrize("how", PEER)
@pytest.mark.parametrize("k", [1, 2, 7, 40])
def test_agrees_with_statsmodels(how: str, k: int) -> None:
    p = np.random.default_rng(k).uniform(size=k) ** 3
    assert_allclose(ef.infer.adjustment(p, how), multipletests(p, method=PEER[how])[1], rtol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_hommel_is_simes_test_closed_over_all_intersections(seed: int) -> None:
    """By its definition: the largest Simes p-value of all sets of tests that hold this one."""
    p = np.random.default_rng(seed).uniform(size=6) ** 2
    sets = [list(some) for size in range(1, 7) for some in combinations(range(6), size)]
    simes = {tuple(s): min(len(s) * np.sort(p[s]) / np.arange(1, len(s) + 1)) for s in sets}
    expected = [max(value for some, value in simes.items() if i in some) for i in range(6)]
    assert_allclose(ef.infer.adjustment(p, "hommel"), expected, rtol=1e-12)


def test_none_changes_nothing() -> None:
    assert ef.infer.adjustment([0.2, 0.01], "none").tolist() == [0.2, 0.01]


# The worked example of García and Herrera (2008), JMLR 9: C4.5, 1-NN, naive Bayes, Kernel and CN2
# on 30 data sets. R's scmamp carries the data, and its manual prints the p-values of all pairs
# (adjustShaffer, "Example output": rdrr.io/cran/scmamp/man/adjustShaffer.html), here in the order
# of combinations.
RAW = np.array(
    [0.004848763, 8.064959e-01, 4.486991e-08, 0.012763008, 0.010112334, 0.007963489, 0.743971478,
     1.736118e-07, 0.024744672, 0.002880485]
)  # fmt: skip
# By hand, pairs sorted by p: Holm multiplies by 10, 9, 8, …; Shaffer by the most that can be true
# when so many are false.
FACTORS = {
    "bonferroni": [10] * 10,
    "holm": [10, 9, 8, 7, 6, 5, 4, 3, 2, 1],
    "shaffer": [10, 6, 6, 6, 6, 4, 4, 3, 2, 1],
}
# The same pairs by Bergmann and Hommel, to two or three digits: the example of
# correct.for.monotocity in scmamp's R/pvalue_corrections.R, whose third has a zero too many
# (0.00116).
BERGMANN = [4.4870e-07, 1.0416e-06, 0.0116, 0.0288, 0.032, 0.0303, 0.0384, 0.0384, 1, 1]


def test_the_pvalues_of_garcia_and_herrera_are_those_of_mean_ranks() -> None:
    # scmamp's nemenyiTest prints the differences
    mean_ranks = np.array([2.1, 3.25, 2.2, 13 / 3, 3 + 7 / 60])
    z = np.array([mean_ranks[a] - mean_ranks[b] for a, b in combinations(range(5), 2)])
    assert_allclose(2 * ndtr(-abs(z) / np.sqrt(5 * 6 / (6 * 30))), RAW, rtol=1e-6)


@pytest.mark.parametrize("how", FACTORS)
def test_the_example_of_garcia_and_herrera(how: str) -> None:
    expected = np.minimum(np.maximum.accumulate(np.sort(RAW) * FACTORS[how]), 1)
    assert_allclose(ef.infer.adjustment(RAW, how)[np.argsort(RAW)], expected, rtol=1e-12)


def test_the_example_of_garcia_and_herrera_by_bergmann_and_hommel() -> None:
    adjusted = ef.infer.adjustment(RAW, "bergmann-hommel")
    assert_allclose(adjusted, _closed(RAW, 5), rtol=1e-12)
    assert_allclose(adjusted[np.argsort(RAW)], BERGMANN, rtol=0.012)


def _closed(p: np.ndarray, K: int) -> list[float]:
    """
    Closed testing by Bonferroni over sets of pairs that can be true.

    Each set with all that follows.
    """
    pairs = list(combinations(range(K), 2))

    def follows(chosen: tuple[int, ...]) -> frozenset[int]:
        block = list(range(K))
        for i in chosen:
            a, b = (block[side] for side in pairs[i])
            block = [a if one == b else one for one in block]
        return frozenset(i for i, (a, b) in enumerate(pairs) if block[a] == block[b])

    every = {
        follows(c)
        for size in range(1, len(pairs) + 1)
        for c in combinations(range(len(pairs)), size)
    }
    return [
        max(min(1.0, len(one) * min(p[j] for j in one)) for one in every if i in one)
        for i in range(len(pairs))
    ]


@pytest.mark.parametrize("K", [2, 3, 4, 5])
def test_bergmann_and_hommel_is_closed_testing(K: int) -> None:
    p = np.random.default_rng(K).uniform(size=K * (K - 1) // 2) ** 3
    assert_allclose(ef.infer.adjustment(p, "bergmann-hommel"), _closed(p, K), rtol=1e-12)


def test_shaffer_counts_what_can_be_true() -> None:
    p = np.sort(np.random.default_rng(6).uniform(size=15) ** 3)
    S = [0, 1, 2, 3, 4, 6, 7, 10, 15]  # of six algorithms, Shaffer (1986), table 1
    t = [max(s for s in S if s <= 15 - i) for i in range(15)]
    expected = [min(1.0, max(t[j] * p[j] for j in range(i + 1))) for i in range(15)]
    assert_allclose(ef.infer.adjustment(p, "shaffer"), expected, rtol=1e-12)


def test_finner_is_his_formula() -> None:
    p = np.array([0.001, 0.03, 0.019, 0.5])
    steps = [1 - 0.999**4, 1 - 0.981**2, 1 - 0.97 ** (4 / 3), 0.5]
    assert_allclose(ef.infer.adjustment(p, "finner"), np.array(steps)[[0, 2, 1, 3]], rtol=1e-12)
    assert ef.infer.adjustment([1.0, 1.0, 0.0], "finner").tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize("how", PLAIN)
def test_batches_are_single_calls(how: str) -> None:
    p = np.random.default_rng(1).uniform(size=(3, 2, 10)) ** 2
    each = [ef.infer.adjustment(p[i, j], how) for i in range(3) for j in range(2)]
    assert_allclose(ef.infer.adjustment(p, how).reshape(6, 10), each, rtol=0)


def test_each_refines_the_one_before() -> None:
    p = np.random.default_rng(4).uniform(size=(100, 10)) ** 2
    steps = [
        ef.infer.adjustment(p, how) for how in ("bonferroni", "holm", "shaffer", "bergmann-hommel")
    ]
    assert all((b <= a).all() for a, b in pairwise(steps))


@pytest.mark.parametrize("bad", [[], [1.2], [-0.1], [np.nan], 0.1, "p", None])
def test_what_is_no_list_of_pvalues_is_refused(bad: object) -> None:
    with pytest.raises(InvalidInput, match="pvalues"):
        ef.infer.adjustment(bad)


@pytest.mark.parametrize("how", ["shaffer", "bergmann-hommel"])
def test_what_needs_all_pairs_refuses_others(how: str) -> None:
    with pytest.raises(
        InvalidInput, match=r"pvalues must be those of all pairs .* but got 5 of them"
    ):
        ef.infer.adjustment([0.1] * 5, how)


def test_ten_algorithms_are_too_many_for_bergmann_and_hommel() -> None:
    assert ef.infer.adjustment([0.001] * 36, "bergmann-hommel") == pytest.approx([0.036] * 36)
    with pytest.raises(
        InvalidInput, match=r"how must be one that can do 10 algorithms .* 115975 for 10"
    ):
        ef.infer.adjustment([0.1] * 45, "bergmann-hommel")


def test_max_t_needs_more_than_pvalues() -> None:
    with pytest.raises(InvalidInput, match=r"how must be one of .*'holm', .* but got 'max-t'"):
        ef.infer.adjustment([0.1], "max-t")


def test_the_false_discovery_rate_is_kept_where_holm_keeps_any() -> None:
    """Of 40 tests 20 are true: the mean share of false ones among rejections is half the level."""
    rng = np.random.default_rng(0)
    z = rng.normal(size=(2000, 40)) + np.repeat([0.0, 3.0], 20)
    p = 2 * ndtr(-np.abs(z))
    rejected = ef.infer.adjustment(p, "benjamini-hochberg") <= 0.1
    share = rejected[:, :20].sum(axis=1) / np.maximum(rejected.sum(axis=1), 1)
    assert share.mean() == pytest.approx(0.05, abs=4 * share.std() / np.sqrt(2000))
