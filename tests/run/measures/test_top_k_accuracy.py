"""The top k accuracy of several classes is scikit-learn's, and quick enough to be resampled."""

from time import process_time

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import top_k_accuracy_score

import evenfold as ef
from evenfold.run.measures.scorers import top_k_accuracy

N = 800
CLASSES = 4


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_that_of_scikit_learn(ties: bool, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    for k in (1, 2, 3):
        for _ in range(10):
            y = np.r_[np.arange(CLASSES), rng.integers(CLASSES, size=50)]
            scores = rng.normal(size=(len(y), CLASSES))
            if ties:
                scores = scores.round(0)
            weights = rng.integers(0, 3, size=len(y)).astype(float) if weighted else None
            expected = top_k_accuracy_score(y, scores, k=k, sample_weight=weights)
            assert top_k_accuracy(y, scores, k, weights) == pytest.approx(expected, rel=1e-12)


def test_what_scikit_learn_refuses_has_no_value() -> None:
    scores = np.eye(CLASSES)
    with pytest.raises(ValueError, match="not every class"):
        top_k_accuracy(np.array([0, 1, 2, 2]), scores, 2)
    scores[0, 0] = np.nan
    with pytest.raises(ValueError, match="no finite numbers"):
        top_k_accuracy(np.arange(CLASSES), scores, 2)


def test_a_table_is_judged_by_it() -> None:
    rng = np.random.default_rng(1)
    y = rng.integers(CLASSES, size=N)
    chances = rng.random((2 * N, CLASSES))
    chances[np.arange(2 * N), np.tile(y, 2)] += np.repeat([0.5, 0.3], N)
    chances /= chances.sum(axis=1, keepdims=True)
    table = pd.DataFrame(chances, columns=[f"p:{label}" for label in range(CLASSES)])
    table = table.assign(algorithm=np.repeat(["a", "b"], N), example=[*range(N)] * 2)
    table["truth"] = np.tile(y, 2)
    ef.judge(table, measure="log")  # what is imported on first use is no part of the time
    began = process_time()
    found = ef.judge(table, measure="top_k_accuracy")
    assert process_time() - began < 1.5  # it took 2 to 6 s when every resample was replayed
    means = [top_k_accuracy_score(y, part, k=2) for part in (chances[:N], chances[N:])]
    assert found.estimate.value == pytest.approx(means[1] - means[0])
