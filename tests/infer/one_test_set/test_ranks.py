"""What examples are worth to a ranking has heavy tails where one class is rare."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.core.ranking import placements
from evenfold.infer._base import ranks_t

Floats = np.ndarray[Any, np.dtype[np.float64]]


def _scores(rng: np.random.Generator, sets: int, n: int, positives: int) -> tuple[Any, ...]:
    y = np.arange(n) < positives
    both = rng.normal(size=(sets, n)) + 1.5 * y
    a, b = both + 0.5 * rng.normal(size=(2, sets, n))
    return a, b, y


def _worth(a: Floats, b: Floats, y: Any) -> Floats:
    """The values whose mean is the difference of the areas, and whose variance is DeLong's."""
    worth = np.empty(a.shape)
    for side, ours, theirs in zip((y, ~y), placements(a, y), placements(b, y), strict=True):
        d = theirs - ours
        mean = d.mean(axis=-1, keepdims=True)
        worth[..., side] = mean + len(y) / side.sum() * (d - mean)
    return worth


def test_the_degrees_of_freedom_are_those_that_the_fourth_moment_leaves() -> None:
    a, b, y = _scores(np.random.default_rng(0), 1, 1000, 10)
    worth = _worth(a, b, y)[0]
    found = ranks_t(worth).test(0.0, "two-sided")
    away = (worth - worth.mean()) / worth.std(ddof=1)
    assert_allclose(found.df, 2000 / (np.mean(away**4) - 1))
    assert found.df < 40
    delong = ef.infer.delong(a[0], b[0], y)
    assert_allclose(found.value, delong.value)
    assert_allclose(found.standard_error, delong.standard_error, rtol=0.06)


def test_a_run_on_one_split_uses_them() -> None:
    X, y = make_classification(400, weights=[0.9], random_state=0)
    two = {"bayes": GaussianNB(), "linear": LogisticRegression()}
    design = ef.design.Holdout(0.5, random_state=0)
    found = ef.compare(two, X, y, measure="auc", design=design).estimate
    assert found.method == "delong"
    assert 1 < found.df < 199


@pytest.mark.guarantee
@pytest.mark.parametrize("positives", [10, 30, 55])
def test_few_positives_err_no_more_often_than_the_level(positives: int) -> None:
    sets = 2000
    a, b, y = _scores(np.random.default_rng(positives), sets, 1000, positives)
    rejected = ranks_t(_worth(a, b, y)).test(0.0, "two-sided").pvalue <= 0.05
    assert rejected.mean() <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / sets)
