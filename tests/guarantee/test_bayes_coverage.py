"""
Coverage of the posterior intervals on R19's example 6.1: the known limit that the docstrings state.

Two Gaussians, ½ apart on each axis, logistic regression, n = 600, blocked 3×2 cross-validation,
nominal 95%.
"""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special

import evenfold as ef

pytestmark = pytest.mark.guarantee

Floats = NDArray[np.float64]
N = 600
REPLICATIONS = 2000
PAIRS = [((0, 1), (2, 3)), ((0, 2), (1, 3)), ((0, 3), (1, 2))]  # the three ways to pair four blocks


def _fit(X: Floats, y: Floats) -> Floats:
    """Maximum-likelihood logistic regression of many data sets at once, by Newton's method."""
    w = np.zeros((len(X), X.shape[-1]))
    for _ in range(8):
        p = special.expit(np.einsum("rnj,rj->rn", X, w))
        gradient = np.einsum("rnj,rn->rj", X, y - p)
        hessian = np.einsum("rnj,rn,rnk->rjk", X, p * (1 - p), X)
        w = w + np.linalg.solve(hessian, gradient[..., None])[..., 0]
    return w


def _population(w: Floats) -> Floats:
    """True recall and false-positive rate of linear rules, averaged over training sets."""
    size = np.linalg.norm(w[:, :2], axis=1)
    recall = special.ndtr((w[:, 2] + 0.5 * (w[:, 0] + w[:, 1])) / size)
    false_positive = special.ndtr(w[:, 2] / size)
    return np.array([recall.mean(), false_positive.mean()])


def _experiment(fixed: bool) -> dict[str, float]:
    rng = np.random.default_rng(61)
    y = (
        np.tile(np.arange(N) % 2, (REPLICATIONS, 1))
        if fixed
        else rng.integers(0, 2, size=(REPLICATIONS, N))
    )
    X = rng.normal(size=(REPLICATIONS, N, 2)) + 0.5 * y[..., None]
    X = np.concatenate([X, np.ones((REPLICATIONS, N, 1))], axis=-1)
    block = np.arange(N) // 2 % 4  # both classes evenly in all blocks where their counts are fixed
    counts, truth = np.zeros((REPLICATIONS, 3)), []
    for pair in [half for halves in PAIRS for half in (halves, halves[::-1])]:
        train, test = np.isin(block, pair[0]), np.isin(block, pair[1])
        w = _fit(X[:, train], y[:, train].astype(float))
        truth.append(_population(w))
        positive, label = np.einsum("rnj,rj->rn", X[:, test], w) > 0, y[:, test] == 1
        counts += np.stack(
            [(positive & label).sum(1), (positive & ~label).sum(1), (~positive & label).sum(1)],
            axis=-1,
        )
    recall, false_positive = np.mean(truth, axis=0)
    precision = recall / (recall + false_positive)
    truths = {
        "precision": precision,
        "recall": recall,
        "f1": 2 * precision * recall / (precision + recall),
    }
    coverage = {}
    for measure in ("precision", "recall", "f1"):
        low, high = ef.infer.score_posterior(measure, counts, m=3).interval(0.95)
        coverage[measure] = float(np.mean((low < truths[measure]) & (truths[measure] < high)))
    return coverage


def test_intervals_cover_where_class_counts_are_fixed() -> None:
    coverage = _experiment(fixed=True)
    assert coverage["f1"] == pytest.approx(0.965, abs=0.015)
    assert coverage["recall"] == pytest.approx(0.98, abs=0.015)
    assert coverage["precision"] == pytest.approx(0.99, abs=0.01)


def test_intervals_of_recall_and_f1_do_not_cover_where_labels_are_random() -> None:
    coverage = _experiment(fixed=False)
    assert coverage["f1"] == pytest.approx(0.815, abs=0.03)
    assert coverage["recall"] == pytest.approx(0.715, abs=0.03)
    assert coverage["precision"] == pytest.approx(0.99, abs=0.01)
