"""McNemar's test on effective counts."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import load_breast_cancer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from statsmodels.stats.contingency_tables import mcnemar as statsmodels_mcnemar

import evenfold as ef
from evenfold.core.errors import DegenerateData, InvalidInput

RNG = np.random.default_rng(4)
N10, N01 = RNG.integers(5, 20, size=(5, 2)), RNG.integers(3, 12, size=(5, 2))


@pytest.mark.parametrize("corrected", [False, True])
def test_it_is_mcnemar_of_20_elevenths_of_the_mean_table(corrected: bool) -> None:
    table = 20 / 11 * np.array([[50.0, N01.mean()], [N10.mean(), 50.0]])
    theirs = statsmodels_mcnemar(table, exact=False, correction=corrected)
    ours = ef.infer.five_by_two_mcnemar(
        N10, N01, variant="corrected" if corrected else "asymptotic"
    )
    assert_allclose([ours.statistic**2, ours.pvalue], [theirs.statistic, theirs.pvalue], rtol=1e-12)


def test_correlations_of_one_leave_one_table_and_of_zero_all() -> None:
    mean = ef.infer.five_by_two_mcnemar(N10, N01, rho=(1.0, 1.0))
    assert_allclose([mean.only_b, mean.only_a], [N10.mean(), N01.mean()], rtol=1e-12)
    whole = ef.infer.five_by_two_mcnemar(N10, N01, rho=(0.0, 0.0))
    assert_allclose(
        whole.pvalue, ef.infer.mcnemar(int(N10.sum()), int(N01.sum())).pvalue, rtol=1e-12
    )


def test_batches_swaps_sides_and_intervals() -> None:
    a, b = RNG.integers(1, 20, size=(4, 5, 2)), RNG.integers(1, 20, size=(4, 5, 2))
    e = ef.infer.five_by_two_mcnemar(a, b)
    for i in range(4):
        assert_allclose(ef.infer.five_by_two_mcnemar(a[i], b[i]).pvalue, e.pvalue[i], rtol=1e-12)
    assert_allclose(ef.infer.five_by_two_mcnemar(b, a).value, -e.value, rtol=1e-12)
    up, down = (
        ef.infer.five_by_two_mcnemar(a, b, alternative=s).pvalue for s in ("greater", "less")
    )
    assert_allclose(up + down, 1, rtol=1e-12)
    low, high = e.confidence_interval(0.95)
    np.testing.assert_array_equal((low > 0) | (high < 0), e.pvalue < 0.05)


def test_agreement_everywhere_and_wrong_input() -> None:
    with pytest.warns(DegenerateData):
        e = ef.infer.five_by_two_mcnemar(np.zeros((5, 2), int), np.zeros((5, 2), int))
    assert e.pvalue == 1
    assert_allclose(e.confidence_interval(), (-1, 1))
    with pytest.raises(InvalidInput, match=r"n10 must be of shape \(..., 5, 2\)"):
        ef.infer.five_by_two_mcnemar(N10[:3], N01)
    with pytest.raises(InvalidInput, match="variant must be one of"):
        ef.infer.five_by_two_mcnemar(N10, N01, variant="exact")
    with pytest.raises(InvalidInput, match="null must be 0 for method '5x2-mcnemar'"):
        ef.infer.five_by_two_mcnemar(N10, N01, null=0.1)


def test_compare_counts_on_every_half() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    models = {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}
    c = ef.compare(models, X, y, method="5x2-mcnemar", random_state=0)
    assert c.partition.kind == "mx2-bcv"
    assert len(c.partition) == 10
    assert c.losses.examples is not None
    tree, bayes = (np.array([sum(row[j]) for j in range(10)]) for row in c.losses.examples)
    found = c.estimate
    summed = found.only_b - found.only_a
    assert_allclose(summed, 2 / 11 * (bayes - tree).sum(), rtol=1e-12)
    assert "error where they differ" in str(c.verdict)
