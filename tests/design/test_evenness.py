from itertools import combinations
from math import comb
from typing import Any

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import dblquad
from scipy.sparse import csr_array
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.design import (
    RLT,
    chi_square,
    chi_square_ratio,
    ideal_overlap,
    random_overlap,
    random_overlap_error,
    repetitions_needed,
    variance_drop,
)


def test_random_overlap_has_the_moments_of_the_sources() -> None:
    n, n1 = 50, 30
    phi = random_overlap(n, n1)
    assert phi.mean() == pytest.approx(n1**2 / n)
    assert phi.var() == pytest.approx(n1**2 * (n - n1) ** 2 / (n**2 * (n - 1)))  # R19 eq. 2.7
    # Independent derivation: the second training set has x of the n1, and n1 − x of the n − n1
    # others.
    pmf = [comb(n1, x) * comb(n - n1, n1 - x) / comb(n, n1) for x in range(n1 + 1)]
    assert phi.pmf(np.arange(n1 + 1)) == pytest.approx(pmf, abs=1e-14)


def test_random_overlap_is_what_random_splits_show() -> None:
    draws = [RLT(2, 12, random_state=s).partition(20).overlaps()[0, 1] for s in range(2000)]
    phi = random_overlap(20, 12)
    assert np.mean(draws) == pytest.approx(phi.mean(), abs=4 * phi.std() / 2000**0.5)


def test_expected_deviation_of_random_halvings() -> None:
    assert random_overlap_error(400) == pytest.approx(3.98, abs=0.005)  # R19 example 3.1
    pmf = [comb(10, x) * comb(10, 10 - x) / comb(20, 10) for x in range(11)]
    assert random_overlap_error(20) == pytest.approx(sum(p * abs(x - 5) for x, p in enumerate(pmf)))
    # normal limit
    assert random_overlap_error(10**6) == pytest.approx(250 * (2 / np.pi) ** 0.5, rel=1e-3)


def test_ideal_overlap_is_the_sum_over_occurrences() -> None:
    # Σ φ = Σ C(ψ, 2); R19 table 2.4: six half-samplings of 10 blocks overlap in 2 blocks.
    assert ideal_overlap(10, 5, 6) == 2
    assert ideal_overlap(10, 6, 5) == 3  # R19 table 2.6
    assert ideal_overlap(60, 40, 20) == 26
    psi = np.array([4] * 10 + [5] * 90)  # 490 = 7·70 places for 100 examples
    assert ideal_overlap(100, 70, 7) == pytest.approx((psi * (psi - 1) / 2).sum() / comb(7, 2))


def test_chi_square_is_pearsons() -> None:
    from scipy.stats import chi2_contingency

    rng = np.random.default_rng(0)
    features = rng.poisson(2.0, (30, 6))
    train, test = np.arange(14), np.arange(14, 30)
    table = np.stack([features[train].sum(axis=0), features[test].sum(axis=0)])
    expected = chi2_contingency(table, correction=False).statistic
    assert chi_square(features, train, test) == pytest.approx(expected)
    assert chi_square(csr_array(features), train, test) == pytest.approx(expected)
    assert chi_square_ratio(features, train, test) == pytest.approx(expected / 6)


@pytest.mark.parametrize("bad", [[[1, -1]], [[np.nan, 1]], [1, 2], [[0, 0]]])
def test_features_must_be_counts(bad: object) -> None:
    with pytest.raises(InvalidInput, match=r"features must (be|have) "):
        chi_square(bad, [0], [0])


@pytest.mark.parametrize(
    ("m", "drop"),
    [
        (2, 0.1554),
        (3, 0.0984),
        (4, 0.0689),
        (5, 0.0515),
        (6, 0.0402),
        (7, 0.0324),
        (11, 0.0168),
        (15, 0.0105),
        (16, 0.0095),
    ],
)  # R19 table 3.5, computed again
def test_variance_drop_averages_as_the_sources_say(m: int, drop: float) -> None:
    assert variance_drop(m) == pytest.approx(drop, abs=5.1e-5)


def test_variance_drop_equals_an_outside_quadrature_and_the_variance_formula() -> None:
    def var(m: int, rho1: float, rho2: float) -> float:
        return (1 + rho1 + 2 * (m - 1) * rho2) / (2 * m)  # docs/infer/theory

    assert variance_drop(3, rho1=0.1, rho2=0.3) == pytest.approx(
        1 - var(4, 0.1, 0.3) / var(3, 0.1, 0.3), rel=1e-12
    )
    mean, _ = dblquad(lambda a, b: 1 - var(4, a, b) / var(3, a, b), 0, 0.5, 0, 0.5)
    assert variance_drop(3) == pytest.approx(4 * mean, rel=1e-10)


def test_choosing_m() -> None:
    assert repetitions_needed(0.05) == 6
    assert repetitions_needed(0.01) == 16
    with pytest.raises(InvalidInput, match=r"drop must be between 0\.00001 and 1 but got 5"):
        repetitions_needed(5)
    with pytest.raises(InvalidInput, match="rho1 and rho2 must be given together"):
        variance_drop(3, rho1=0.1)


def test_candidates_are_screened_by_their_worst_split() -> None:
    words = np.random.default_rng(0).poisson(1.0, size=(40, 6))
    candidates = ef.design.Mx2(8, random_state=1).partition(40)
    worst = [
        max(
            ef.design.chi_square_ratio(words, candidates.train[j], candidates.test[j])
            for j in (2 * r, 2 * r + 1)
        )
        for r in range(8)
    ]
    passed = ef.design.regular_repetitions(candidates, words, threshold=float(np.median(worst)))
    assert passed.tolist() == [value <= np.median(worst) for value in worst]


@pytest.mark.parametrize(
    ("distance", "name"),
    [
        ("pearson", "pearson"),
        ("likelihood", "log-likelihood"),
        ("freeman-tukey", "freeman-tukey"),
        ("cressie-read", "cressie-read"),
    ],
)
def test_distances_are_those_of_scipy(distance: str, name: Any) -> None:
    """Cressie and Read's family, both sides of a split, over the number of levels."""
    words = np.random.default_rng(1).poisson(0.8, size=(40, 6))
    candidates = ef.design.Mx2(8, random_state=1).partition(40)
    worst = []
    for r in range(8):
        both = []
        for j in (2 * r, 2 * r + 1):
            sides = [
                words[index].sum(axis=0) for index in (candidates.train[j], candidates.test[j])
            ]
            share = words.sum(axis=0) / words.sum()
            both.append(
                sum(
                    stats.power_divergence(o, o.sum() * share, lambda_=name).statistic
                    for o in sides
                )
                / 6
            )
        worst.append(max(both))
    c = float(np.median(worst))
    passed = ef.design.regular_repetitions(candidates, words, threshold=c, distance=distance)
    assert passed.tolist() == [value <= c for value in worst]


def test_levels_that_a_side_lacks_are_at_a_finite_distance() -> None:
    words = np.eye(8, dtype=int)
    candidates = ef.Mx2BCV(3, random_state=0).partition(8)
    for distance in ("pearson", "likelihood", "freeman-tukey", "cressie-read"):
        assert ef.design.regular_repetitions(
            candidates, words, threshold=4.0, distance=distance
        ).all()


def test_a_distance_that_is_none_is_refused() -> None:
    candidates = ef.Mx2BCV(3, random_state=0).partition(8)
    with pytest.raises(InvalidInput, match="distance must be one of pearson"):
        ef.design.regular_repetitions(candidates, np.eye(8), distance="manhattan")


def test_a_screened_partition_stays_even_and_goes_to_the_bayes_tests() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
    words = rng.poisson(1.0, size=(120, 8))
    candidates = ef.Mx2BCV(15, random_state=0).partition(120)
    three = ef.design.screened(candidates, words, 3, threshold=0.9)
    assert (three.kind, len(three), three.n_train) == ("mx2-bcv", 6, 60)
    assert max(ef.design.chi_square_ratio(words, train, test) for train, test in three) <= 0.9
    first = [set(train.tolist()) for train in three.train[::2]]
    assert {len(a & b) for a, b in combinations(first, 2)} == {30}
    c = ef.compare(
        {"a": GaussianNB(), "b": LogisticRegression()}, X, y, measure="f1", positive=1,
        design=three,
        method="bayes-f1", random_state=0,
    )  # fmt: skip
    assert c.losses.partition.kind == "mx2-bcv"
    assert 0 <= float(c.estimate.probability()) <= 1


def test_too_few_that_pass_are_refused() -> None:
    words = np.random.default_rng(0).poisson(1.0, size=(40, 8))
    candidates = ef.Mx2BCV(7, random_state=0).partition(40)
    with pytest.raises(InvalidInput, match="so large that 3 repetitions pass but only 0 of 7 do"):
        ef.design.screened(candidates, words, 3, threshold=0.0)


def test_a_partition_of_other_examples_is_refused() -> None:
    X = np.zeros((40, 1))
    with pytest.raises(InvalidInput, match="design must be a partition of 40 examples"):
        ef.compare(
            [GaussianNB(), GaussianNB()], X, np.arange(40) % 2, design=ef.Mx2BCV(3).partition(80)
        )
