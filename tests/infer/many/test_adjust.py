"""Adjusted p-values against statsmodels, a published table and closed testing, and what is refused."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.special import ndtr
from statsmodels.stats.multitest import multipletests

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.infer.many.adjust import ADJUSTMENTS, shared_level

PLAIN = [key for key, one in ADJUSTMENTS.items() if not one.joint]
PEER = {"holm": "holm", "bonferroni": "bonferroni", "hochberg": "simes-hochberg"}


@pytest.mark.parametrize("how", PEER)
@pytest.mark.parametrize("k", [1, 2, 7, 40])
def test_agrees_with_statsmodels(how: str, k: int) -> None:
    p = np.random.default_rng(k).uniform(size=k) ** 3
    assert_allclose(ef.infer.adjustment(p, how), multipletests(p, method=PEER[how])[1], rtol=1e-12)


def test_none_changes_nothing() -> None:
    assert ef.infer.adjustment([0.2, 0.01], "none").tolist() == [0.2, 0.01]


# Typed from memory, not yet checked against the paper.
# García and Herrera (2008), JMLR 9, their worked example: mean ranks of C4.5, 1-NN, naive Bayes, Kernel and
# CN2 on 30 data sets, and the adjusted p-values as printed there, hypotheses sorted by p-value.
RANKS = np.array([2.100, 3.250, 2.200, 4.333, 3.117])
PRINTED = {
    "bonferroni": [4.486e-7, 1.736e-6, 0.0288, 0.0485, 0.0796, 0.1011, 0.1276, 0.2474, 1.0, 1.0],
    "holm": [4.486e-7, 1.563e-6, 0.0231, 0.0339, 0.0478, 0.0506, 0.0511, 0.0742, 1.0, 1.0],
    "shaffer": [4.486e-7, 1.042e-6, 0.0173, 0.0291, 0.0478, 0.0478, 0.0511, 0.0742, 1.0, 1.0],
    "bergmann-hommel": [4.486e-7, 1.042e-6, 0.0115, 0.0291, 0.0319, 0.0319, 0.0383, 0.0383, 1.0, 1.0],
}


@pytest.mark.parametrize("how", PRINTED)
def test_agrees_with_the_table_of_garcia_and_herrera(how: str) -> None:
    z = np.array([abs(RANKS[a] - RANKS[b]) for a, b in combinations(range(5), 2)]) / np.sqrt(5 * 6 / (6 * 30))
    p = 2 * ndtr(-z)
    adjusted = ef.infer.adjustment(p, how)[np.argsort(p)]
    # they let adjusted values never fall with p, which closed testing does not ask for;
    # ranks of three decimals give p-values of two or three digits
    assert_allclose(np.maximum.accumulate(adjusted), PRINTED[how], rtol=0.015)


def _closed(p: np.ndarray, K: int) -> list[float]:
    """Closed testing by Bonferroni over sets of pairs that can be true: each set with all that follows."""
    pairs = list(combinations(range(K), 2))

    def follows(chosen: tuple[int, ...]) -> frozenset[int]:
        block = list(range(K))
        for i in chosen:
            a, b = (block[side] for side in pairs[i])
            block = [a if one == b else one for one in block]
        return frozenset(i for i, (a, b) in enumerate(pairs) if block[a] == block[b])

    every = {follows(c) for size in range(1, len(pairs) + 1) for c in combinations(range(len(pairs)), size)}
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


@pytest.mark.parametrize("how", PLAIN)
def test_levels_decide_as_adjusted_pvalues_do(how: str) -> None:
    rng = np.random.default_rng(3)
    for _ in range(200):
        p = rng.uniform(size=10) ** 4
        adjusted, levels = shared_level(p.tolist(), 0.05, how)
        assert [x <= level for x, level in zip(p, levels, strict=True)] == [q <= 0.05 for q in adjusted if q]
    assert shared_level([0.01, None, 0.2], 0.05, how)[0][1] is None


def test_each_refines_the_one_before() -> None:
    p = np.random.default_rng(4).uniform(size=(100, 10)) ** 2
    steps = [ef.infer.adjustment(p, how) for how in ("bonferroni", "holm", "shaffer", "bergmann-hommel")]
    assert all((b <= a).all() for a, b in pairwise(steps))


@pytest.mark.parametrize("bad", [[], [1.2], [-0.1], [np.nan], 0.1, "p", None])
def test_what_is_no_list_of_pvalues_is_refused(bad: object) -> None:
    with pytest.raises(InvalidInput, match="pvalues"):
        ef.infer.adjustment(bad)


@pytest.mark.parametrize("how", ["shaffer", "bergmann-hommel"])
def test_what_needs_all_pairs_refuses_others(how: str) -> None:
    with pytest.raises(InvalidInput, match=r"pvalues must be those of all pairs .* but got 5 of them"):
        ef.infer.adjustment([0.1] * 5, how)


def test_ten_algorithms_are_too_many_for_bergmann_and_hommel() -> None:
    assert ef.infer.adjustment([0.001] * 36, "bergmann-hommel") == pytest.approx([0.036] * 36)
    with pytest.raises(InvalidInput, match=r"how must be one that can do 10 algorithms .* 115975 for 10"):
        ef.infer.adjustment([0.1] * 45, "bergmann-hommel")


def test_max_t_needs_more_than_pvalues() -> None:
    with pytest.raises(InvalidInput, match=r"how must be one of .*'holm', .* but got 'max-t'"):
        ef.infer.adjustment([0.1], "max-t")
