"""Planning from a pilot table: what is said to suffice has the power that was asked for."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import evenfold as ef

RNG = np.random.default_rng(5)


def plan(pilot: Any, difference: float) -> Any:
    return ef.plan(difference, pilot=pilot)


def test_examples() -> None:
    table = {"a": RNG.random(200) < 0.5, "b": RNG.random(200) < 0.5}
    found = plan(ef.judge(table, rows="examples", measure="accuracy"), 0.05)
    d = table["b"].astype(float) - table["a"]
    assert found.units == pytest.approx(d.var(ddof=1) * (1.95996 + 0.84162) ** 2 / 0.05**2, rel=0.01)
    assert found.power(units=found.units) == pytest.approx(0.8, abs=0.01)
    assert found.runs is None
    assert str(found).startswith(
        "to find a difference of 0.050 with a power of 80 % (level 0.05): 200 examples have"
    )
    assert str(found).endswith(" examples suffice.")


def test_clusters() -> None:
    ids = {"example": np.arange(200), "group": np.arange(200) // 5}
    parts = [pd.DataFrame({"algorithm": name, **ids, "value": RNG.random(200)}) for name in "ab"]
    frame = pd.concat(parts)
    c: Any = ef.judge(frame, higher_is_better=True)
    found = plan(c, 0.05)
    assert found.word == "clusters"
    assert found.spread.variance(40, 1) == pytest.approx(float(c.estimate.standard_error) ** 2)
    assert "clusters suffice" in str(found)


def test_runs_and_examples() -> None:
    d = RNG.normal(size=(5, 300)) + 0.3 * RNG.normal(size=(5, 1))
    c = ef.judge({"a": np.zeros((5, 300)), "b": d}, higher_is_better=True)
    found = plan(c, 0.3)
    assert found.runs is not None
    assert found.power(runs=found.runs) == pytest.approx(0.8, abs=0.06)
    small = plan(c, 0.01)
    assert small.units is None  # runs alone vary too much
    assert "no number of examples suffices alone" in str(small)


def test_runs_alone() -> None:
    c = ef.judge({"a": RNG.random(6), "b": RNG.random(6)}, rows="runs", higher_is_better=True)
    found = plan(c, 0.1)
    assert found.units is None
    assert found.power(runs=found.runs) >= 0.8
    assert repr(found).startswith("<TablePlan: to find")


def test_refusals() -> None:
    unpaired = ef.judge({"a": RNG.random(3), "b": RNG.random(4)}, rows="runs", higher_is_better=True)
    with pytest.raises(ef.NotApplicable, match="a plan needs a pilot whose runs are paired"):
        plan(unpaired, 0.1)
    same = ef.judge({"a": [1, 0, 1], "b": [1, 0, 1]}, rows="examples", measure="accuracy")
    with pytest.raises(ef.NotApplicable, match="show no spread"):
        plan(same, 0.1)
