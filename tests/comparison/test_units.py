"""No unit of the target or of the values changes an answer."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import Ridge

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.core.losses import F1, WEIGHTED_MEAN, Ratio, Score
from evenfold.run.measures import MEASURES

N = 60
# relative errors have a floor, as those of scikit-learn have, and so a unit
WITH_A_UNIT = {"percentage", "symmetric-percentage"}
EQUIVARIANT = sorted(
    {key for key in MEASURES if MEASURES[key].quantity.target == "numbers"} - WITH_A_UNIT
)
WITHOUT_WEIGHTS = {"fpa", "ndcg"}
SCORERS = ["neg_median_absolute_error", "d2_absolute_error_score"]
POWERS = [-100, -40, -8, 12, 15, 16, 40, 100]
FEW_POWERS = [-100, 16, 100]  # of what is resampled, which takes long


def _predictions(power: int, *, weighted: bool = False) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    y = 10 + 3 * rng.normal(size=N)
    said = {"a": y + rng.normal(size=N), "b": y + 1.3 * rng.normal(size=N)}
    weight = rng.integers(1, 4, size=N).astype(float)
    unit = 10.0**power
    parts = [
        pd.DataFrame({"algorithm": name, "example": range(N), "truth": y * unit, "prediction": p})
        for name, p in ((name, p * unit) for name, p in said.items())
    ]
    frame = pd.concat(parts)
    if weighted:
        frame["weight"] = np.tile(weight, 2)
    return frame


def test_every_measure_of_numbers_is_looked_at() -> None:
    assert {"squared", "absolute", "rmse", "r2", "explained-variance"} <= set(EQUIVARIANT)


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize("measure", [*EQUIVARIANT, *SCORERS])
def test_no_unit_of_the_target_changes_a_p_value(measure: str, weighted: bool) -> None:
    if weighted and measure in WITHOUT_WEIGHTS:
        pytest.skip("it has no weighted form")
    expected = ef.judge(_predictions(0, weighted=weighted), measure=measure)
    for power in FEW_POWERS if measure in SCORERS else POWERS:
        table = _predictions(power, weighted=weighted)
        if measure == "squared" and power == 100:
            with pytest.raises(InvalidInput, match="Use another unit"):
                ef.judge(table, measure=measure)
            continue
        found = ef.judge(table, measure=measure)
        assert found.estimate.pvalue == pytest.approx(expected.estimate.pvalue, rel=1e-6), power
        assert found.verdict.outcome is expected.verdict.outcome


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_no_unit_of_values_changes_a_p_value(weighted: bool) -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(loc=[[0.0], [0.3]], size=(2, N))
    weight = np.tile(rng.random(N) + 0.5, 2)

    def answer(power: int) -> Any:
        names = np.repeat(["a", "b"], N)
        of_rows = {"value": values.ravel() * 10.0**power}
        if weighted:
            of_rows["weight"] = weight
        table = pd.DataFrame({"algorithm": names, "example": np.tile(range(N), 2), **of_rows})
        return ef.judge(table, higher_is_better=True).estimate.pvalue

    for power in POWERS:
        assert answer(power) == pytest.approx(answer(0), rel=1e-6), power


@pytest.mark.parametrize("measure", ["rmse", "r2", "explained-variance", "absolute"])
def test_no_unit_of_y_changes_a_comparison(measure: str) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(80, 3))
    y = X @ [1.0, 2.0, 0.0] + rng.normal(size=80)
    models = {"weak penalty": Ridge(alpha=1e-3), "strong penalty": Ridge(alpha=30)}

    def answer(power: int) -> Any:
        own = ef.compare(
            models, X, y * 2.0**power, measure=measure, design=ef.Mx2BCV(5), random_state=0
        )
        return own.estimate.pvalue

    for power in (-100, 50, 100):  # powers of two, which no learner rounds
        assert answer(power) == pytest.approx(answer(0), rel=1e-6), power


@pytest.mark.parametrize("score", [F1, WEIGHTED_MEAN, Ratio((1.0, 2.0), (3.0, 1.0))])
def test_slopes_by_the_quotient_rule_are_those_of_the_complex_step(score: Ratio) -> None:
    sums = np.random.default_rng(0).random((20, len(score.above)))
    np.testing.assert_allclose(score.slopes(sums), Score.slopes(score, sums), rtol=1e-12)
    small = np.full(len(score.above), 1e-9)
    small[0] = 1e60
    exact = (np.array(score.above) - score(small) * np.array(score.below)) / (
        small @ np.array(score.below)
    )
    np.testing.assert_allclose(score.slopes(small), exact, rtol=1e-12)
