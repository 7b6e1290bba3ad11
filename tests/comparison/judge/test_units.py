"""The verdict does not depend on the unit, nor on how rounding fell in it."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import evenfold as ef

UNITS = (1.0, 0.1, 0.3, 0.7, 1e-6, 3.0, 100 / 3, 1 / 49, 1e6, 1e-150, 1e100)


def _apart(unit: float, offset: float, rows: Any) -> Any:
    a = offset + np.random.default_rng(0).normal(size=30)
    given: Any = {"folds": {"n": 300}, "runs": {"paired": True}}.get(rows, {})
    table = {"A": a * unit, "B": (a + 0.1) * unit}
    return ef.judge(table, rows=rows, higher_is_better=True, **given)


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("offset", [0.0, 3.0, 1000.0])
@pytest.mark.parametrize("rows", ["examples", "folds", "runs"])
def test_a_constant_difference_is_one_in_every_unit(unit: float, offset: float, rows: str) -> None:
    c = _apart(unit, offset, rows)
    plain = _apart(1.0, 0.0, rows)
    assert c.verdict.outcome is plain.verdict.outcome
    assert c.pairs[0].pvalue == plain.pairs[0].pvalue
    assert float(c.estimate.value) / unit == pytest.approx(0.1, rel=1e-6)


@pytest.mark.parametrize("asked", [{"higher_is_better": True}, {"measure": "accuracy"}])
@pytest.mark.parametrize(
    ("runs", "paired", "pvalue"),
    [
        (2, True, 1 / 2),
        (5, True, 1 / 16),
        (2, False, 2 / 6),
        (3, False, 2 / 20),
        (5, False, 2 / 252),
    ],
)
def test_runs_that_never_vary_are_as_sure_as_they_are_many(
    asked: Any, runs: int, paired: bool, pvalue: float
) -> None:
    """One run, written down twice, proves nothing: exact tests of signs and of permutations."""
    c = ef.judge({"A": [0.5] * runs, "B": [0.6] * runs}, rows="runs", paired=paired, **asked)
    (pair,) = c.pairs
    assert pair.pvalue == pytest.approx(pvalue)
    assert (str(pair.outcome) == "better") == (pvalue < 0.05)
    assert pair.low < 0.1 < pair.high


def _forecasts(unit: float, order: Any) -> Any:
    rng = np.random.default_rng(1)
    y = rng.normal(size=40)
    parts = [
        pd.DataFrame(
            {"algorithm": name, "example": range(40), "truth": y * unit, "prediction": p * unit}
        )
        for name, p in (("a", y + 0.3 * rng.normal(size=40)), ("b", y + 0.5 * rng.normal(size=40)))
    ]
    return pd.concat(parts).iloc[order]


@pytest.mark.parametrize("measure", ["squared", "absolute", "r2"])
def test_a_measure_does_not_depend_on_the_order_of_rows(measure: str) -> None:
    plain = ef.judge(_forecasts(1.0, slice(None)), measure=measure)
    mixed = ef.judge(_forecasts(1.0, np.random.default_rng(0).permutation(80)), measure=measure)
    assert float(plain.estimate.value) == float(mixed.estimate.value)


@pytest.mark.parametrize("unit", [1e-60, 1e19, 1e60])
def test_regression_far_from_1_is_what_it_is_near_it(unit: float) -> None:
    plain = ef.judge(_forecasts(1.0, slice(None)), measure="absolute")
    far = ef.judge(_forecasts(unit, slice(None)), measure="absolute")
    assert far.verdict.outcome is plain.verdict.outcome
    assert far.pairs[0].pvalue == pytest.approx(plain.pairs[0].pvalue, rel=1e-9)


@pytest.mark.parametrize("unit", [1e80, 1e308])
def test_numbers_whose_squares_are_infinite_are_refused(unit: float) -> None:
    with pytest.raises(ef.EvenfoldError, match=r"at most 1e\+1[25]0 .* Use another unit"):
        ef.judge(_forecasts(unit / 10, slice(None)), measure="squared")


def test_integers_beyond_64_bits_are_numbers() -> None:
    rows = [
        {"algorithm": name, "example": i, "truth": 10**19 + i, "prediction": (10**19 + i) * factor}
        for name, factor in (("a", 1), ("b", 5))
        for i in range(9)
    ]
    rows[0]["prediction"] = 2 * 10**19
    c: Any = ef.judge(pd.DataFrame(rows), measure="absolute")
    assert c.verdict.outcome.value == "worse"
