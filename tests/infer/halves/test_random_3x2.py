"""The blocked 3×2 test on halvings that are not blocked."""

import numpy as np
from numpy.testing import assert_allclose
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression

import evenfold as ef

RNG = np.random.default_rng(0)


def test_the_blocked_3x2_test_takes_three_random_halvings() -> None:
    X = RNG.normal(size=(60, 2))
    y = X[:, 0] + RNG.normal(size=60)
    two = {"mean": DummyRegressor(), "line": LinearRegression()}
    c = ef.compare(
        two, X, y, method="blocked-3x2-t", design=ef.design.Mx2(3), random_state=0, progress=False
    )
    assert (c.losses.partition.kind, c.estimate.method) == ("mx2", "blocked-3x2-t")
    d = (c.losses.values[1] - c.losses.values[0]).reshape(3, 2)
    assert_allclose(c.estimate.pvalue, ef.infer.blocked_3x2_t(d).pvalue)


def test_blocks_stay_its_usual_design() -> None:
    entry = ef.infer.methods()["blocked-3x2-t"]
    assert (entry.default_design, entry.repetitions) == ("mx2-bcv", 3)
