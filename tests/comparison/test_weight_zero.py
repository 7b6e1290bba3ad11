"""Examples of weight 0 do not count: not in n, not in the degrees of freedom, not in a fit."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge
from sklearn.tree import DecisionTreeRegressor

import evenfold as ef
from evenfold.core.errors import InvalidInput

N = 60


def _predictions() -> pd.DataFrame:
    rng = np.random.default_rng(3)
    y = 10 + 3 * rng.normal(size=N)
    said = {"a": y + rng.normal(size=N), "b": y + 1.3 * rng.normal(size=N)}
    weight = rng.integers(1, 4, size=N).astype(float)
    parts = [
        pd.DataFrame(
            {
                "algorithm": name,
                "example": range(N),
                "truth": y,
                "prediction": prediction,
                "weight": weight,
            }
        )
        for name, prediction in said.items()
    ]
    return pd.concat(parts)


def _with_zeros(frame: pd.DataFrame) -> pd.DataFrame:
    extra = frame[frame.example < 10].assign(
        example=lambda f: f.example + N, prediction=1e3, weight=0.0
    )
    return pd.concat([frame, extra])


@pytest.mark.parametrize("measure", ["squared", "rmse", "d2_absolute_error_score"])
def test_examples_of_weight_0_do_not_count(measure: str) -> None:
    frame = _predictions()
    without = ef.judge(frame, measure=measure)
    found = ef.judge(_with_zeros(frame), measure=measure)
    assert found.estimate.pvalue == without.estimate.pvalue
    assert found.estimate.confidence_interval() == without.estimate.confidence_interval()
    assert found.losses.partition.n == N
    assert "Examples of weight 0 were left out: 10" in " ".join(map(str, found.facts.notes))
    assert "weight 0" not in str(without)


def test_weights_that_differ_between_algorithms_are_still_refused() -> None:
    frame = _predictions()
    frame.loc[(frame.example == 3) & (frame.algorithm == "a"), "weight"] = 0.0
    with pytest.raises(InvalidInput, match="one weight for every example"):
        ef.judge(frame, measure="squared")


def test_a_comparison_leaves_examples_of_weight_0_out() -> None:
    rng = np.random.default_rng(6)
    X = rng.normal(size=(90, 3))
    y = X @ [1.0, 2.0, 0.0] + rng.normal(size=90)
    weight = np.r_[np.ones(40), np.zeros(10), np.full(40, 2.0)]
    models = {"ridge": Ridge(), "tree": DecisionTreeRegressor(max_depth=2, random_state=0)}
    counted = weight > 0
    options: dict[str, Any] = {"design": ef.Mx2BCV(5), "random_state": 0}
    found = ef.compare(models, X, y, sample_weight=weight, **options)
    without = ef.compare(models, X[counted], y[counted], sample_weight=weight[counted], **options)
    assert found.losses.partition.n == 80
    assert found.estimate.pvalue == without.estimate.pvalue
    assert "Examples of weight 0 were left out: 10" in " ".join(map(str, found.facts.notes))
