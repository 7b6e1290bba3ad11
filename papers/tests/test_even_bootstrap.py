"""Bootstrap samples whose overlaps are even: what they promise."""

import numpy as np
from papers.studies import even_bootstrap as eb

N, R = 48, 6


def test_even_counts_have_the_moments_of_draws_and_even_overlaps() -> None:
    counts = eb.even(N, R, np.random.default_rng(0))
    assert counts.sum(axis=1).tolist() == [N] * R
    assert ((counts - 1) ** 2).sum(axis=1).tolist() == [N] * R
    assert counts.sum(axis=0).tolist() == [R] * N
    overlaps = (counts @ counts.T)[~np.eye(R, dtype=bool)]
    assert np.ptp(overlaps) <= 4
    drawn = eb.balanced(N, R, np.random.default_rng(0))
    assert drawn.sum(axis=0).tolist() == [R] * N
    assert np.ptp((drawn @ drawn.T)[~np.eye(R, dtype=bool)]) > 10


def test_learners_take_counts_as_repeated_examples() -> None:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(N, 3)), (np.arange(N) % 2).astype(float)
    X[y == 1] += 1
    counts = eb.plain(N, 3, rng)
    for row, flat, near in zip(counts, eb.lda(X, y, counts), eb.nearest(X, y, counts), strict=True):
        rows = np.repeat(np.arange(N), row)
        lda = LinearDiscriminantAnalysis().fit(X[rows], y[rows])
        assert np.array_equal(lda.predict(X), flat)
        assert np.array_equal(KNeighborsClassifier(1).fit(X[rows], y[rows]).predict(X), near)


def test_variances_are_compared_on_the_same_data_sets() -> None:
    found = eb.measure(16, 4, 6)
    assert {values.shape for values in found.values()} == {(6, 2)}
    total, own = eb.parts(found["LDA", "plain"])
    assert eb.ratio(total, total) == (1.0, 0.0)
    assert (own >= 0).all()
