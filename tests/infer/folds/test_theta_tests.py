"""Tests from the variances of G13: θ5 of random folds and θA of sources."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.datasets import make_classification
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

import evenfold as ef

RNG = np.random.default_rng(0)


def test_theta5_is_that_of_the_moments_of_all_pairs() -> None:
    """G13 section 5, with s1, s2, s3 the mean products of one loss, of one fold, of two folds."""
    K, M = 5, 4
    N = K * M
    e = RNG.normal(size=(K, M)) + 2 * RNG.normal(size=(K, 1))
    fold = np.repeat(np.arange(K), M)
    products = np.outer(e.ravel(), e.ravel())
    same = fold[:, None] == fold
    s1 = np.trace(products) / N
    s2 = (products[same].sum() - np.trace(products)) / (N * (M - 1))
    s3 = products[~same].mean()
    theta5 = s1 / N + (N + M - 1) * s2 / N - (N + M) * s3 / N
    assert theta5 > 0
    found = ef.infer.cv_theta5_t(list(e))
    assert_allclose([found.value, found.standard_error**2], [e.mean(), theta5])
    assert found.df == K - 1


def test_a_negative_theta5_decides_nothing() -> None:
    losses = [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    assert ef.infer.cv_theta5(losses).value < 0
    e = ef.infer.cv_theta5_t(losses)
    assert e.standard_error == np.inf
    assert e.pvalue == 1
    assert_allclose(e.confidence_interval(), [-np.inf, np.inf])


def test_theta_a_is_half_of_theta_b() -> None:
    losses = [RNG.normal(size=size) for size in (5, 7, 9)]
    a, b = ef.infer.sources_theta_a_t(losses), ef.infer.sources_these_t(losses)
    assert_allclose(2 * a.standard_error**2, b.standard_error**2)
    assert_allclose(a.value, b.value)
    assert_allclose(a.df, b.df)


@pytest.mark.parametrize(
    ("key", "kind", "grouped"),
    [("cv-theta5-t", "kfold", False), ("sources-theta-a-t", "sources", True)],
)
def test_compare_takes_them(key: str, kind: str, grouped: bool) -> None:
    X = RNG.normal(size=(60, 2))
    y = 2 * X[:, 0] + RNG.normal(size=60)
    two = {"mean": DummyRegressor(), "line": LinearRegression()}
    groups = np.repeat(np.arange(6), 10) if grouped else None
    c = ef.compare(two, X, y, groups=groups, method=key, random_state=0, progress=False)
    assert (c.losses.partition.kind, c.estimate.method) == (kind, key)
    rows = c.losses.examples
    assert rows is not None
    blocks = [np.asarray(b) - np.asarray(a) for a, b in zip(rows[0], rows[1], strict=True)]
    function = getattr(ef.infer, key.replace("-", "_"))
    assert_allclose(c.estimate.standard_error, function(blocks).standard_error)
    assert str(c)


def test_folds_of_few_groups_have_a_group_each_by_default() -> None:
    """A negative θ5 bounds nothing, so no difference that could have been found is named."""
    X, y = make_classification(160, n_features=8, random_state=0)
    two = {"logistic": LogisticRegression(), "bayes": GaussianNB()}
    groups = np.repeat(np.arange(8), 20)
    c = ef.compare(two, X, y, groups=groups, method="cv-theta5-t", random_state=0, progress=False)
    assert len(c.partition.train) == 8
    assert c.interval == (-1.0, 1.0)
    assert [note.code for note in c.notes if note.code == "detectable"] == []
    assert "could have been found" not in str(c)
