"""The learners of R19 chapter 7: published values, all grids of few examples, known rates."""

from itertools import combinations

import numpy as np
from papers.learners import NegativeBinomial, best_columns, equal_rows, maximal_information, mic
from sklearn.feature_selection import SelectKBest
from sklearn.pipeline import make_pipeline


def test_relations_without_noise_have_1() -> None:
    """Reshef et al. 2011, table 1; the third is the example of minepy's documentation."""
    x = np.linspace(0, 1, 300)
    assert np.allclose(
        [mic(x, y) for y in (2 * x + 1, (x - 0.5) ** 2, np.sin(10 * np.pi * x) + x)], 1.0
    )


def test_unrelated_values_have_little_and_a_constant_nothing() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.random((2, 300))
    assert 0.1 < mic(x, y) < 0.25
    assert mic(x, np.ones(300)) == 0
    assert np.allclose(maximal_information(np.column_stack([x, y]), y), [mic(x, y), 1.0])


def _information(column: np.ndarray, row: np.ndarray) -> float:
    joint = np.zeros((column.max() + 1, row.max() + 1))
    np.add.at(joint, (column, row), 1 / len(row))
    alone = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    return float((joint[joint > 0] * np.log(joint[joint > 0] / alone[joint > 0])).sum())


def test_the_columns_are_the_best_of_all() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 7, size=12).astype(float), rng.random(12)
    row = equal_rows(y, 3)
    values = np.unique(x)
    for columns, found in enumerate(best_columns(x, row, 4), start=2):
        cuts = combinations(values[1:], columns - 1)
        assert (
            abs(found - max(_information(np.searchsorted(c, x, side="right"), row) for c in cuts))
            < 1e-12
        )


def test_rows_are_filled_equally_and_equal_values_stay_together() -> None:
    assert np.bincount(equal_rows(np.arange(12.0), 4)).tolist() == [3, 3, 3, 3]
    tied = np.array([0.0] * 6 + [1.0, 2.0, 3.0])
    assert equal_rows(tied, 3).tolist() == [0] * 6 + [1, 2, 2]  # by the rule of Reshef et al.


def test_a_negative_binomial_regression_finds_the_rates_that_made_its_counts() -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(4000, 3))
    expected = np.exp(0.5 + 0.8 * X[:, 0] - 0.4 * X[:, 1])
    counts = rng.negative_binomial(2.0, 2.0 / (2.0 + expected))
    model = NegativeBinomial().fit(X, counts)
    assert model.converged_
    # standard errors are about .025
    assert np.allclose(model.coef_, [0.5, 0.8, -0.4, 0.0], atol=0.08)
    assert np.allclose(np.log(model.predict(X)), np.log(expected), atol=0.35)


def test_both_learners_stand_in_a_pipeline() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(120, 4))
    counts = rng.poisson(np.exp(1.2 * X[:, 2]))
    model = make_pipeline(SelectKBest(maximal_information, k=1), NegativeBinomial())
    model.fit(X, counts)
    assert model[0].get_support().tolist() == [False, False, True, False]
    assert np.all(model.predict(X) > 0)
