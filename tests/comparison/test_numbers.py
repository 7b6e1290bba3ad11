"""Numbers at the ends of what a float can hold, and orders of rows that mean nothing."""

import json
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.tree import DecisionTreeRegressor

import evenfold as ef
from evenfold.core.errors import EvenfoldError, EvenfoldWarning, InvalidInput

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = X @ [1.0, 2.0, 3.0] + RNG.normal(size=60)
Y /= np.abs(Y).max()
TWO = {"dummy": DummyRegressor(), "tree": DecisionTreeRegressor(max_depth=3, random_state=0)}


def compared(scale: float, measure: str | None) -> ef.Comparison:
    design = ef.KFold(3, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", EvenfoldWarning)
        return ef.compare(TWO, X, Y * scale, measure=measure, design=design, random_state=0)


@pytest.mark.parametrize("measure", ["squared", "absolute", "r2", "rmse"])
@pytest.mark.parametrize("scale", [1.7e308, 1e308, 1e200, 1e-200, 1e-310, 5e-324])
def test_numbers_whose_squares_are_none_are_refused_with_the_remedy(
    scale: float, measure: str
) -> None:
    with pytest.raises(InvalidInput, match=r"y must be .* in size.*\. Use another unit") as refusal:
        compared(scale, measure)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("measure", ["squared", "absolute", "r2", "rmse"])
@pytest.mark.parametrize("scale", [1e140, 1e100, 1e70, 1e-70, 1e-100, 1e-140])
def test_other_numbers_are_answered_or_refused_in_a_line_without_a_warning(
    scale: float, measure: str
) -> None:
    try:
        c = compared(scale, measure)
    except EvenfoldError as refusal:
        said = str(refusal)
    else:
        said = "answered"
        assert str(ef.Comparison.from_json(c.to_json())) == str(c)
    assert "\n" not in said


def test_what_was_written_with_the_largest_numbers_is_read_again() -> None:
    c = ef.judge(
        {"a": [0.1, 0.4, 0.3, 0.2], "b": [0.5, 0.1, 0.2, 0.6]},
        rows="folds",
        n=40,
        higher_is_better=True,
    )
    facts = replace(c.facts, seconds=1.7e308, margin=np.finfo(float).max)
    again = type(facts).from_json(facts.to_json())
    assert (again.seconds, again.margin) == (1.7e308, np.finfo(float).max)
    told = json.dumps({**json.loads(facts.to_json()), "seconds": -7.5})
    beyond = told.replace("-7.5", "1e999")
    with pytest.raises(InvalidInput, match="seconds must be a number"):
        type(facts).from_json(beyond)


@pytest.mark.parametrize("measure", ["r2", "explained-variance", "rmse", "squared"])
def test_the_order_of_rows_changes_no_bit(measure: str) -> None:
    n = 200
    rng = np.random.default_rng(0)
    truth = 100 + 3 * rng.normal(size=n)
    columns = {"example": np.arange(n), "fold": np.arange(n) % 5, "truth": truth}
    frames = [
        pd.DataFrame({"algorithm": name, **columns, "prediction": truth + rng.normal(size=n)})
        for name in ("a", "b")
    ]
    table = pd.concat(frames, ignore_index=True)
    found: set[Any] = set()
    for seed in range(6):
        c = ef.judge(table.sample(frac=1, random_state=seed), measure=measure, rows="folds")
        pair = c.pairs[0]
        found.add((c.facts.values, pair.value, pair.low, pair.high, pair.pvalue))
    assert len(found) == 1
