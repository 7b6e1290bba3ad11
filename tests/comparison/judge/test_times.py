"""Tables of forecasts that have times: judged along their path, with a horizon."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import evenfold as ef
from evenfold.core.errors import InvalidInput

T = 90
RNG = np.random.default_rng(0)
DAYS = pd.date_range("2024-01-01", periods=T, freq="D").strftime("%Y-%m-%d")
LOSSES = {name: np.convolve(RNG.normal(size=T + 2) + shift, np.ones(3), "valid") ** 2 for name,
          shift in
          (("a", 0.5), ("b", 0.0))}  # fmt: skip


def long(**columns: Any) -> pd.DataFrame:
    parts = [
        pd.DataFrame({"algorithm": name, "time": DAYS, "value": one, **columns})
        for name, one in LOSSES.items()
    ]
    return pd.concat(parts).sample(frac=1, random_state=0)


def test_forecasts_are_judged_along_their_path() -> None:
    c = ef.judge(long(), higher_is_better=False, horizon=3)
    d = LOSSES["b"] - LOSSES["a"]
    expected = ef.infer.diebold_mariano(d, horizon=3)
    assert float(c.estimate.pvalue) == pytest.approx(float(expected.pvalue))
    assert "for these forecasts along this path" in str(c.verdict)
    assert c.facts.design.name == "90 examples at 90 times"
    assert "horizon=3" in c.facts.call
    by_column = ef.judge(long(horizon=3), higher_is_better=False)
    assert float(by_column.estimate.pvalue) == pytest.approx(float(expected.pvalue))


def test_arrays_in_the_order_of_time() -> None:
    c = ef.judge(LOSSES, rows="times", higher_is_better=False, horizon=3)
    expected = ef.infer.diebold_mariano(LOSSES["b"] - LOSSES["a"], horizon=3)
    assert float(c.estimate.pvalue) == pytest.approx(float(expected.pvalue))


def test_without_a_horizon_it_is_the_paired_t() -> None:
    c = ef.judge(long(), higher_is_better=False)
    t = ef.infer.paired_t(LOSSES["b"] - LOSSES["a"])
    assert float(c.estimate.pvalue) == pytest.approx(float(t.pvalue))


def test_what_happens_at_one_time_is_averaged() -> None:
    one, other = (long().assign(example=lambda f, x=x: f.time + x) for x in "xy")
    twice = pd.concat([one, other])
    once = ef.judge(long(), higher_is_better=False, horizon=3)
    c = ef.judge(twice, higher_is_better=False, horizon=3)
    assert float(c.estimate.pvalue) == pytest.approx(float(once.estimate.pvalue))
    assert c.facts.design.name == "180 examples at 90 times"


def test_groups_are_judged_as_groups_and_times_are_mentioned() -> None:
    c = ef.judge(long(group=np.arange(T) // 9), higher_is_better=False)
    assert c.facts.method.key.startswith("clustered")
    assert any("Leave 'group' out to compare by time" in str(note) for note in c.facts.notes)


def test_what_is_refused() -> None:
    with pytest.raises(
        InvalidInput, match="Column 'horizon' must be the same in all rows but got 1, 2"
    ):
        ef.judge(long(horizon=1 + np.arange(T) % 2), higher_is_better=False)
    with pytest.raises(InvalidInput, match="horizon must be left out where examples have no times"):
        ef.judge(long().rename(columns={"time": "example"}), higher_is_better=False, horizon=2)
    with pytest.raises(InvalidInput, match="horizon must be an integer ≥ 1"):
        ef.judge(long(), higher_is_better=False, horizon=0)
    with pytest.raises(InvalidInput, match=r"horizon must be an integer ≥ 1 but got 1\.5"):
        ef.judge(long(horizon=1.5), higher_is_better=False)
