"""The .632 and .632+ bootstrap: by their definitions, and the standard error by simulation."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import evenfold as ef
from evenfold.core.errors import InvalidInput, NotApplicable

RNG = np.random.default_rng(0)
B, N = 60, 25
COUNTS = RNG.multinomial(N, np.full(N, 1 / N), size=B)
OUT, OWN = (RNG.random((B, N)) < 0.4).astype(float), (RNG.random(N) < 0.2).astype(float)
OUTSIDE = float(np.mean([OUT[COUNTS[:, i] == 0, i].mean() for i in range(N)]))


def test_632_by_its_definition() -> None:
    found = ef.infer.bootstrap_632(OUT, OWN, COUNTS)
    assert_allclose(found.value, 0.6321205588285577 * OUTSIDE + 0.36787944117144233 * OWN.mean())


@pytest.mark.parametrize("gamma", [0.5, 0.3])
def test_632_plus_by_its_definition(gamma: float) -> None:
    found = ef.infer.bootstrap_632_plus(OUT, OWN, COUNTS, no_information=gamma)
    R = (min(OUTSIDE, gamma) - OWN.mean()) / (gamma - OWN.mean())
    w = 0.6321205588285577 / (1 - 0.36787944117144233 * R)
    assert_allclose(found.weight, w)
    assert_allclose(found.value, (1 - w) * OWN.mean() + w * OUTSIDE)
    assert ef.infer.bootstrap_632_plus(
        OUT, OWN, COUNTS, no_information=0.0
    ).weight == pytest.approx(0.632, abs=1e-3)


def test_the_standard_error_is_about_right() -> None:
    """Nearest class means of two Gaussians, n = 40: within a third of what 150 data sets show."""
    values, errors = [], []
    for r in range(150):
        rng = np.random.default_rng(r)
        y = np.repeat([0, 1], 20)
        X = rng.normal(size=(40, 2)) + 1.2 * y[:, None]
        counts = rng.multinomial(40, np.full(40, 1 / 40), size=80)
        out = np.array([_wrong(X, y, drawn) for drawn in counts])
        found = ef.infer.bootstrap_632(out, _wrong(X, y, np.ones(40)), counts)
        values.append(float(found.value))
        errors.append(float(found.standard_error))
    assert np.std(values) / 1.35 < np.mean(errors) < 1.35 * np.std(values), (
        np.std(values),
        np.mean(errors),
    )


def _wrong(X: np.ndarray, y: np.ndarray, weight: Any) -> np.ndarray:
    centres = [np.average(X[y == k], axis=0, weights=weight[y == k] + 1e-9) for k in (0, 1)]
    far = [np.square(X - centre).sum(axis=1) for centre in centres]
    return np.asarray((far[1] < far[0]) != y, dtype=float)


def test_refusals() -> None:
    with pytest.raises(InvalidInput, match="counts must leave every example out"):
        ef.infer.bootstrap_632(OUT, OWN, COUNTS + 1)
    with pytest.raises(InvalidInput, match="apparent must be of shape"):
        ef.infer.bootstrap_632(OUT, OWN[1:], COUNTS)
    with pytest.raises(InvalidInput, match="out_of_bag must be of shape"):
        ef.infer.bootstrap_632(OUT[1:], OWN, COUNTS)
    with pytest.raises(InvalidInput, match="counts must be a regular array of numbers"):
        ef.infer.bootstrap_632(OUT, OWN, [[1, 2], [3]])


X, Y = np.vstack([RNG.normal(size=(30, 2)), RNG.normal(size=(30, 2)) + 1]), np.repeat([0, 1], 30)
TWO = {"bayes": GaussianNB(), "near": KNeighborsClassifier(1)}


def test_compare_runs_the_samples() -> None:
    design = ef.design.OutOfBag(25, random_state=3)
    c = ef.compare(TWO, X, Y, design=design, random_state=0)
    *samples, (everyone, _) = design.partition(60)
    wrong = np.zeros((2, 25, 60))
    for a, model in enumerate(TWO.values()):
        for b, (train, _) in enumerate(samples):
            wrong[a, b] = model.fit(X[train], Y[train]).predict(X) != Y
    own = [model.fit(X, Y).predict(X) != Y for model in TWO.values()]
    counts = np.stack([np.bincount(train, minlength=60) for train, _ in samples])
    expected = ef.infer.bootstrap_632(wrong[1] - wrong[0], own[1].astype(float) - own[0], counts)
    found: Any = c.estimate
    assert (c.facts.method.key, c.fits, len(everyone)) == ("bootstrap-632", 52, 60)
    assert_allclose([found.value, found.standard_error], [expected.value, expected.standard_error])
    alone: Any = ef.compare(
        {"bayes": GaussianNB()}, X, Y, method="bootstrap-632", design=design
    ).estimate
    assert_allclose(
        alone.value, ef.infer.bootstrap_632(wrong[0], own[0].astype(float), counts).value
    )


def test_too_few_samples_are_refused_before_a_fit() -> None:
    with pytest.raises(
        InvalidInput, match=r"of at least one sample, but the example .* Draw more samples\."
    ):
        ef.compare(TWO, X, Y, design=ef.design.OutOfBag(2, random_state=0))


def test_compare_runs_everything_again() -> None:
    design = ef.design.Reruns(4, 3, 0.8, random_state=0)
    d = ef.run.run(TWO, design.partition(60), X, Y, measures="zero-one", seed=0)[
        "zero-one"
    ].differences()
    again = d[3:].reshape(4, 3).mean(axis=1)
    plain: Any = ef.compare(TWO, X, Y, design=design, method="bootstrap", random_state=0).estimate
    expected = ef.infer.bootstrap(d[:3], again)
    assert_allclose([plain.value, plain.pvalue], [expected.value, expected.pvalue])
    usual: Any = ef.compare(TWO, X, Y, design=design, random_state=0).estimate
    corrected = ef.infer.corrected_bootstrap(d[:3], again, n_train=48, n_test=12)
    assert usual.method == "corrected-bootstrap"
    assert_allclose(usual.pvalue, corrected.pvalue)
    with pytest.raises(
        NotApplicable, match=r"'bootstrap' does not fit .* Use the method 'corrected-resampled-t'"
    ):
        ef.compare(TWO, X, Y, design="rlt:5:0.9", method="bootstrap")


def test_it_is_conservative_where_samples_are_few() -> None:
    """
    Two equal least-squares classifiers, 50 samples of 60 examples.

    0 to 2 errors in 60 data sets.
    """
    wrong = 0
    for r in range(60):
        rng = np.random.default_rng(r)
        x = rng.normal(size=(60, 6))
        y = np.where(x.sum(axis=1) + rng.normal(size=60) > 0, 1.0, -1.0)
        counts = rng.multinomial(60, np.full(60, 1 / 60), size=50)
        drawn = np.vstack([counts, np.ones((1, 60))])
        d = _least_squares(x[:, 3:], y, drawn) - _least_squares(x[:, :3], y, drawn)
        wrong += bool(ef.infer.bootstrap_632(d[:-1], d[-1], counts).pvalue < 0.05)
    assert wrong <= 2, wrong


def _least_squares(x: np.ndarray, y: np.ndarray, weight: np.ndarray) -> np.ndarray:
    gram, target = np.einsum("bn,ni,nj->bij", weight, x, x), np.einsum("bn,ni,n->bi", weight, x, y)
    beta = np.linalg.solve(gram + 1e-9 * np.eye(x.shape[1]), target[..., None])[..., 0]
    return np.asarray((beta @ x.T) * y <= 0, dtype=float)
