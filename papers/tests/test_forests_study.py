"""
The study of out-of-bag-t, one data set.

Its trees are those of scikit-learn, and chance is the same.
"""

import numpy as np
from papers.studies.forests import TREES, N, left_out, numbers


def test_errors_outside_the_bag_are_those_of_scikit_learns_trees() -> None:
    """Stumps of numbers: no two splits are equally good."""
    from sklearn.tree import DecisionTreeRegressor

    X, y, _ = numbers(np.random.default_rng(0))
    losses, changes = left_out(X, y, 1, np.random.default_rng(1))
    counts = np.random.default_rng(1).multinomial(N, np.full(N, 1 / N), size=TREES)
    stump = DecisionTreeRegressor(max_depth=1)
    said = np.array([stump.fit(X, y, sample_weight=times).predict(X) for times in counts])
    out = counts == 0
    np.testing.assert_allclose(
        losses, (y - (said * out).sum(axis=0) / out.sum(axis=0)) ** 2, rtol=1e-6
    )
    assert changes.shape == (2, N)
