"""
Tests of pairs and of all algorithms over data sets.

Peers, R's printed values, second formulas, holes.
"""

import warnings
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.infer.data_sets import PAIR_TESTS

NAN = np.nan
RNG = np.random.default_rng(0)
TABLE = RNG.normal(size=(12, 4)) + np.array([0, 0, 1, 0.2])

# The example of R's ?quade.test (Conover 1999, p. 375): sales of five brands in seven stores. What
# R prints is recorded in its sources, tests/Examples/stats-Ex.Rout.save.
LOTION = [
    [5, 4, 7, 10, 12], [1, 3, 1, 0, 2], [16, 12, 22, 22, 35], [5, 4, 3, 5, 4], [10, 9, 7, 13, 10],
    [19, 18, 28, 37, 58], [10, 7, 6, 8, 7],
]  # fmt: skip
# The example of R's PMCMRplus::skillingsMackTest and NSM3::pSkilMack (Brady 1969): speech with a
# metronome. No output of theirs is on record where we could read it, so the test goes back to the
# definition.
METRONOME = [
    [3, 5, 15],
    [1, 3, 18],
    [5, 4, 21],
    [2, NAN, 6],
    [0, 2, 17],
    [0, 2, 10],
    [0, 3, 8],
    [0, 2, 13],
]


def test_quade_is_that_of_r() -> None:
    found = ef.infer.quade(LOTION)
    # quade.test(dataFreq): Quade F = 3.8293, num df = 4, denom df = 24, p-value = 0.01519
    assert found.df == (4, 24)
    assert_allclose([found.statistic, found.pvalue], [3.8293, 0.01519], rtol=2e-4)


def test_skillings_and_mack_by_all_orders_of_each_row() -> None:
    """A' Σ⁻ A with Σ not by formula but from every order that a row of values can have."""
    total, covariance = np.zeros(3), np.zeros((3, 3))
    for row in np.array(METRONOME):
        there = np.isfinite(row)
        k = int(there.sum())
        weight = np.sqrt(12 / (k + 1))
        total[there] += weight * (stats.rankdata(row[there]) - (k + 1) / 2)
        orders = np.array(list(permutations(range(1, k + 1)))) - (k + 1) / 2
        covariance[np.ix_(there, there)] += weight**2 * orders.T @ orders / len(orders)
    found = ef.infer.skillings_mack(METRONOME)
    assert found.df == (2,)
    assert_allclose(found.statistic, total @ np.linalg.pinv(covariance) @ total)
    assert_allclose(found.pvalue, stats.chi2.sf(found.statistic, 2))


def test_skillings_and_mack_without_holes_is_friedman() -> None:
    whole, friedman = ef.infer.skillings_mack(TABLE), ef.infer.friedman(TABLE)
    assert_allclose([whole.statistic, whole.pvalue], [friedman.statistic, friedman.pvalue])
    assert_allclose(whole.ranks, friedman.ranks)


def test_aligned_ranks_by_the_formula_of_garcia() -> None:
    found = ef.infer.aligned_ranks(TABLE)
    rank = stats.rankdata(TABLE - TABLE.mean(axis=1, keepdims=True)).reshape(TABLE.shape)
    n, k = TABLE.shape
    of_column, of_row = rank.sum(axis=0), rank.sum(axis=1)
    above = (k - 1) * (np.sum(of_column**2) - k * n**2 / 4 * (k * n + 1) ** 2)
    below = k * n * (k * n + 1) * (2 * k * n + 1) / 6 - np.sum(of_row**2) / k
    assert_allclose(found.statistic, above / below)
    z = ef.infer.rank_pairs(TABLE, "aligned").gain
    assert_allclose(np.sum(z**2), k * found.statistic / 2), "the pairs are parts of the whole"


@pytest.mark.parametrize(
    ("test", "peer"), [("conover", "posthoc_conover_friedman"), ("quade", "posthoc_quade")]
)
def test_pairs_agree_with_scikit_posthocs(test: str, peer: str) -> None:
    posthocs = pytest.importorskip("scikit_posthocs")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = np.asarray(getattr(posthocs, peer)(TABLE))
    found = ef.infer.rank_pairs(TABLE, test, adjust="none")
    assert_allclose(found.pvalue, [expected[pair] for pair in found.pairs], rtol=1e-9)


def test_the_sign_test_is_scipys() -> None:
    d = RNG.integers(-2, 4, size=(5, 3, 11))
    found = ef.infer.sign_test(d)
    for place in np.ndindex(5, 3):
        up, down = int((d[place] > 0).sum()), int((d[place] < 0).sum())
        assert (found.higher[place], found.lower[place], found.ties[place]) == (
            up,
            down,
            11 - up - down,
        )
        assert_allclose(
            found.pvalue[place], stats.binomtest(up, up + down).pvalue if up + down else 1.0
        )
    pairs = ef.infer.rank_pairs(TABLE, "sign")
    assert_allclose(pairs.pvalue[2], ef.infer.sign_test(TABLE[:, 3] - TABLE[:, 0]).pvalue)
    with pytest.raises(InvalidInput, match="d must be of shape"):
        ef.infer.sign_test([])


@pytest.mark.parametrize("test", list(PAIR_TESTS))
def test_every_test_of_pairs_keeps_the_rules(test: str) -> None:
    """
    Who is better does not depend on signs, units or names; alike is alike.

    All agree is agreed.
    """
    found = ef.infer.rank_pairs(TABLE, test)
    mirrored = ef.infer.rank_pairs(5 - 3 * TABLE, test, lower_is_better=False)
    assert_allclose(mirrored.adjusted, found.adjusted)
    assert_array_equal(np.sign(mirrored.gain), np.sign(found.gain))
    assert found.gain[1] < 0, "the third has higher errors"
    swapped = ef.infer.rank_pairs(TABLE[:, [1, 0]], test)
    assert_allclose(-swapped.gain, ef.infer.rank_pairs(TABLE[:, [0, 1]], test).gain)
    same = ef.infer.rank_pairs(np.tile(np.arange(5.0)[:, None], 3), test)
    assert_allclose(same.adjusted, 1)
    clear = ef.infer.rank_pairs(np.arange(3) + np.arange(10)[:, None] / 10, test)
    assert (clear.adjusted[1] < 0.05, clear.gain[1] < 0) == (True, True)
    entry = PAIR_TESTS[test]
    assert entry.why
    assert entry.why_no_card


def test_conover_errs_beside_one_that_is_clearly_worse() -> None:
    """Its variance is pooled: measured .242 (s.e. .010) of nominal .05 with 8 data sets."""
    rng, replications = np.random.default_rng(1), 400
    tables = rng.normal(size=(replications, 8, 3)) + np.array([0, 0, 3])
    wrong = np.mean([ef.infer.rank_pairs(one, "conover").adjusted[0] <= 0.05 for one in tables])
    careful = np.mean([ef.infer.rank_pairs(one, "wilcoxon").adjusted[0] <= 0.05 for one in tables])
    assert wrong > 0.18
    assert careful < 0.09


def test_holes_leave_each_pair_its_own_data_sets() -> None:
    values = TABLE.copy()
    values[:4, 0] = values[2:7, 1] = np.nan
    found = ef.infer.rank_pairs(values, "wilcoxon", adjust="none")
    for (a, b), p in zip(found.pairs, found.pvalue, strict=True):
        d = (values[:, b] - values[:, a])[np.isfinite(values[:, b] - values[:, a])]
        assert_allclose(p, stats.wilcoxon(d, method="exact").pvalue)
    for test in ("conover", "friedman", "nemenyi"):
        with pytest.raises(InvalidInput, match="finite"):
            ef.infer.rank_pairs(values, test)


def test_mean_ranks_with_holes_are_nearer_to_those_without() -> None:
    """Where the best was left out of half the data sets, ranks flatter the second."""
    rng = np.random.default_rng(2)
    naive_off, off = [], []
    for _ in range(100):
        values = rng.normal(size=(30, 4)) + np.arange(4)
        whole = ef.infer.mean_ranks(values)
        assert_allclose(whole, stats.rankdata(values, axis=1).mean(axis=0))
        values[::2, 0] = np.nan
        present = np.nanmean(stats.rankdata(values, axis=1, nan_policy="omit"), axis=0)
        naive_off.append(np.abs(present - whole)[1:].mean())
        off.append(np.abs(ef.infer.mean_ranks(values) - whole)[1:].mean())
    assert np.mean(off) < 0.15 * np.mean(naive_off), (np.mean(off), np.mean(naive_off))


def test_an_algorithm_that_never_met_another_has_no_mean_rank() -> None:
    assert_array_equal(
        np.isnan(ef.infer.mean_ranks([[0.1, NAN, 0.2], [NAN, 0.1, 0.2]])), [True, True, False]
    )


def test_spellings() -> None:
    values = TABLE[:, :3]
    for a, b in combinations(
        [("wilcoxon", None), ("wilcoxon-holm", None), ("wilcoxon", "holm")], 2
    ):
        assert_array_equal(
            ef.infer.rank_pairs(values, a[0], adjust=a[1]).adjusted,
            ef.infer.rank_pairs(values, b[0], adjust=b[1]).adjusted,
        )
    assert (
        ef.infer.rank_pairs(values, "sign", adjust="bergmann-hommel").method
        == "sign-bergmann-hommel"
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "wilcox"}, r"test must be one of .* Did you mean 'wilcoxon'"),
        ({"adjust": "max-t"}, r"adjust must be one of .* but got 'max-t'"),
        (
            {"test": "sign-holm", "adjust": "finner"},
            "adjust must be left out, or be 'holm' as the test says",
        ),
        ({"test": "nemenyi", "adjust": "holm"}, "adjust must be left out with 'nemenyi'"),
        ({"test": "nemenyi", "baseline": 0}, "baseline must be None with 'nemenyi'"),
        (
            {"test": "sign-shaffer", "baseline": 0},
            "adjust must be one that needs no pairs but those with 0",
        ),
        ({"baseline": 4}, "baseline must be an integer from 0 to 3"),
    ],
)
def test_refusals(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ef.infer.rank_pairs(TABLE, **options)


@pytest.mark.parametrize(
    "bad", [[[1, 2], [3]], [["a", "b"], ["c", "d"]], [[1.0, np.inf], [2.0, 3.0]], None]
)
def test_holes_are_no_excuse_for_other_things(bad: object) -> None:
    for function in (ef.infer.mean_ranks, ef.infer.skillings_mack, ef.infer.rank_pairs):
        with pytest.raises(InvalidInput, match="values"):
            function(bad)
