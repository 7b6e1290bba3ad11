"""The average precision of two classes is scikit-learn's, and quick enough to be resampled."""

from time import process_time

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import average_precision_score

import evenfold as ef
from evenfold.run.measures.scorers import average_precision

N = 800


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_it_is_that_of_scikit_learn(ties: bool, weighted: bool) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        y = rng.random(50) < 0.3
        scores = rng.normal(size=50) + y
        if ties:
            scores = scores.round(0)
        weights = rng.integers(0, 3, size=50).astype(float) if weighted else None
        expected = average_precision_score(y, scores, sample_weight=weights)
        assert average_precision(y, scores, weights) == pytest.approx(expected, rel=1e-12)
    assert average_precision(np.zeros(3, dtype=bool), np.arange(3.0)) == 0.0


def _table() -> pd.DataFrame:
    rng = np.random.default_rng(1)
    y = (rng.random(N) < 0.3).astype(int)
    chances = 1 / (1 + np.exp(-(np.r_[y, 1.2 * y] + rng.normal(size=2 * N))))
    names = np.repeat(["a", "b"], N)
    table = pd.DataFrame({"algorithm": names, "example": np.tile(range(N), 2)})
    return table.assign(**{"truth": np.tile(y, 2), "p:0": 1 - chances, "p:1": chances})


@pytest.mark.parametrize("positive", [None, 0])
def test_a_table_is_judged_by_it(positive: int | None) -> None:
    table = _table()
    ef.judge(table, measure="auc")  # what is imported on first use is no part of the time
    began = process_time()
    found = ef.judge(table, measure="average_precision", positive=positive)
    assert process_time() - began < 3.0  # it took 7 to 15 s when every resample was replayed
    label = 1 if positive is None else positive
    means = [
        average_precision_score(one.truth == label, one[f"p:{label}"])
        for _, one in table.groupby("algorithm")
    ]
    assert float(found.estimate.value) == pytest.approx(means[1] - means[0])
