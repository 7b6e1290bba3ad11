"""The joint law of several t-tests, against closed forms and a plain simulation."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

import evenfold as ef
from evenfold.core.errors import InvalidInput, NotApplicable


def _orthogonal(k: int, J: int = 40, seed: int = 0) -> np.ndarray:
    """k centred vectors of length 1 at right angles: algorithms that know nothing of each other."""
    centred = np.random.default_rng(seed).normal(size=(J, k))
    return np.asarray(np.linalg.qr(centred - centred.mean(axis=0))[0].T)


def _pairs(rows: np.ndarray) -> np.ndarray:
    return np.array([rows[j] - rows[i] for i, j in combinations(range(len(rows)), 2)])


@pytest.mark.parametrize("k", [3, 5, 10])
@pytest.mark.parametrize("q", [2.4, 3.0, 4.5])
def test_all_pairs_of_unrelated_algorithms_give_the_studentized_range(k: int, q: float) -> None:
    joint = ef.infer.MaxT(values=_pairs(_orthogonal(k)), df=np.inf)
    expected = stats.studentized_range.sf(q * np.sqrt(2), k, np.inf)
    assert_allclose(joint.overall(2 * stats.norm.sf(q)), expected, rtol=0.015)


@pytest.mark.parametrize("k", [2, 4])
def test_one_sided_tests_against_a_baseline_give_the_multivariate_normal(k: int) -> None:
    rows = _orthogonal(k + 1)
    joint = ef.infer.MaxT(values=rows[1:] - rows[0], df=np.inf, alternative="greater")
    together = stats.multivariate_normal(cov=0.5 * np.eye(k) + 0.5)
    assert_allclose(
        joint.overall(stats.norm.sf(2.2)), 1 - together.cdf(np.full(k, 2.2)), rtol=0.015
    )


def test_unrelated_tests_give_sidak_and_equal_ones_count_once() -> None:
    apart = ef.infer.MaxT(values=_orthogonal(6), df=np.inf)
    assert_allclose(apart.overall(0.02), 1 - 0.98**6, rtol=0.01)
    row = np.random.default_rng(1).normal(size=12)
    same = ef.infer.MaxT(values=[row, row + 3, 2 * row, -row])
    assert_allclose(same.overall(0.02), 0.02, rtol=1e-9)
    assert_allclose(same.per_test(0.05), 0.05, rtol=1e-6)
    mirrored = ef.infer.MaxT(values=[row, -row], alternative="greater")
    assert_allclose(mirrored.overall(0.02), 0.04, rtol=1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
def test_few_splits_agree_with_random_directions(alternative: str) -> None:
    rng = np.random.default_rng(2)
    d = _pairs(rng.normal(size=(4, 6)) + 0.8 * rng.normal(size=6))
    joint = ef.infer.MaxT(values=d, alternative=alternative)
    centred = d - d.mean(axis=1, keepdims=True)
    centred /= np.linalg.norm(centred, axis=1, keepdims=True)
    u = rng.normal(size=(400_000, 6))
    cosine = u @ centred.T / np.linalg.norm(u, axis=1, keepdims=True)
    t = cosine * np.sqrt(5 / (1 - cosine**2))
    largest = (np.abs(t) if alternative == "two-sided" else t).max(axis=1)
    for p in (0.005, 0.02, 0.2):
        edge = stats.t.isf(p / 2 if alternative == "two-sided" else p, 5)
        found = (largest > edge).mean()
        error = np.sqrt(found / 400_000)
        assert abs(joint.overall(p) - found) < 4 * error + 0.01 * found


@settings(deadline=None, max_examples=25)
@given(
    seed=st.integers(0, 2**32 - 1),
    k=st.integers(2, 6),
    J=st.integers(3, 20),
    p=st.floats(1e-9, 0.5),
)
def test_the_union_lies_between_one_test_and_bonferroni(
    seed: int, k: int, J: int, p: float
) -> None:
    joint = ef.infer.MaxT(values=np.random.default_rng(seed).normal(size=(k, J)))
    assert p * (1 - 1e-9) <= joint.overall(p) <= min(1, k * p) * (1 + 1e-9)
    level = joint.per_test(0.05)
    assert 0.05 / k * (1 - 1e-9) <= level <= 0.05
    assert joint.overall(level) <= 0.05 * (1 + 1e-9)


def test_adjusted_pvalues_and_levels_say_the_same() -> None:
    rng = np.random.default_rng(3)
    d = _pairs(rng.normal(size=(4, 10))) + rng.normal(size=(6, 1))
    joint = ef.infer.MaxT(values=d)
    p = [float(ef.infer.resampled_t(row).pvalue) for row in d]
    level = joint.per_test(0.05)
    assert 0.05 / 6 <= level <= 0.05
    for own in p:
        adjusted = joint.overall(own)
        assert (adjusted <= 0.05) == (own <= level)
        assert own <= adjusted <= min(1, 6 * own)


def test_bounds_have_half_of_the_level_on_the_side_that_is_asked() -> None:
    """Pairs of one-sided bounds: any upper bound errs with half of the level, by simulation."""
    rng = np.random.default_rng(7)
    rows = _orthogonal(4)
    joint = ef.infer.MaxT(values=_pairs(rows), df=np.inf, alternative="greater")
    level = joint.shared_by_bounds.per_test(0.1)
    z = _pairs(rng.normal(size=(4, 200_000))) / np.sqrt(2)
    errs = (z.max(axis=0) > stats.norm.isf(level / 2)).mean()
    assert_allclose(errs, 0.05, atol=0.002)


def test_a_test_without_spread_is_added_up() -> None:
    row = np.random.default_rng(4).normal(size=8)
    joint = ef.infer.MaxT(values=[row, row, np.ones(8)])
    assert_allclose(joint.overall(0.01), 0.02, rtol=1e-9)
    assert_allclose(ef.infer.MaxT(values=np.ones((3, 8))).overall(0.01), 0.03, rtol=1e-9)


def test_limits_and_refusals() -> None:
    joint = ef.infer.MaxT(values=np.random.default_rng(5).normal(size=(3, 5)))
    assert joint.overall(0.0) == 0
    assert joint.overall(1.0) == 1
    with pytest.raises(InvalidInput, match="values must be of shape"):
        ef.infer.MaxT(values=[1.0, 2.0, 3.0])
    with pytest.raises(InvalidInput, match="alternative"):
        ef.infer.MaxT(values=np.ones((2, 3)), alternative="up")
    with pytest.raises(InvalidInput, match="df"):
        ef.infer.MaxT(values=np.ones((2, 3)), df=0.5)


def test_methods_that_do_not_divide_by_the_spread_of_all_have_no_joint_law() -> None:
    from sklearn.datasets import load_iris
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    algorithms = {"a": DummyClassifier(), "b": GaussianNB(), "c": GaussianNB(var_smoothing=0.1)}
    blunt = ef.compare(algorithms, X, y, method="mx2-paired-t", adjust="max-t", random_state=0)
    assert blunt.facts.adjust == "bonferroni"
    assert [pair.level for pair in blunt.pairs] == pytest.approx([0.05 / 3] * 3)
    with pytest.raises(
        NotApplicable,
        match=r"'mx2-paired-t' .* Use the method 'mx2-influence-t'.* 'mx2-t'",
    ):
        ef.infer.jointly(blunt.losses, "mx2-paired-t", [("a", "b"), ("a", "c")])
    c = ef.compare(algorithms, X, y, method="holdout-t", adjust="max-t", random_state=0)
    assert c.facts.adjust == "max-t"
    assert len(c.pairs) == 3
