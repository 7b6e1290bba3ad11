"""A history of nights: last good, alarms that hold over all nights, a trend."""

import itertools
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import evenfold as ef
from evenfold.evals.keep.nights import read_nights, record_night, slope

START = datetime(2026, 1, 1, 3, tzinfo=UTC)


def night(right: Any, other: Any, **asked: Any) -> Any:
    tables = {"main": right, "nightly": other}
    given = {
        "rows": "examples",
        "measure": "accuracy",
        "alternative": "not-worse",
        "margin": 0.02,
        **asked,
    }
    return ef.judge(tables, **given)


def test_the_last_good_night_and_the_alarm(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    right = (rng.random(1000) < 0.8).astype(int)
    broken = right.copy()
    broken[np.flatnonzero(right)[:150]] = 0
    file = tmp_path / "nights.json"
    for day, other in enumerate([right, right, broken, broken]):
        found = record_night(file, night(right, other), START + timedelta(days=day))
    assert [one.outcome for one in found.nights] == ["equivalent", "equivalent", "worse", "worse"]
    assert [one.alarm for one in found.nights] == [False, False, True, True]
    assert found.last_good is not None
    assert found.last_good.when.startswith("2026-01-02")
    assert "4 nights; last good: nightly (2026-01-02); 2 worse beyond chance" in str(found)
    assert found.trend is not None
    assert found.trend[0] < 0
    assert str(read_nights(file)) == str(found)


def test_intervals_grow_with_the_nights_so_that_all_hold_together(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    right, other = (rng.random((2, 500)) < 0.7).astype(int)
    file = tmp_path / "nights.json"
    nights = [record_night(file, night(right, other)).nights[-1] for _ in range(5)]
    widths = [one.high - one.low for one in nights]
    assert all(b > a for a, b in itertools.pairwise(widths))


def test_the_slope_is_that_of_scipy() -> None:
    rng = np.random.default_rng(2)
    y = rng.normal(size=12).cumsum()
    expected = stats.linregress(np.arange(12), y)
    b, low, high = slope(y.tolist(), 0.1)
    reach = stats.t.isf(0.05, 10) * expected.stderr
    assert (b, low, high) == pytest.approx(
        (expected.slope, expected.slope - reach, expected.slope + reach)
    )


def test_another_question_is_refused(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    right, other = (rng.random((2, 500)) < 0.7).astype(int)
    file = tmp_path / "nights.json"
    record_night(file, night(right, other))
    loss = ef.judge({"main": 1 - right, "nightly": 1 - other}, rows="examples", measure="zero-one")
    with pytest.raises(ef.EvenfoldError, match="about the same question"):
        record_night(file, loss)
    three = ef.judge({"a": right, "b": other, "c": other}, rows="examples", measure="accuracy")
    with pytest.raises(ef.EvenfoldError, match="one candidate"):
        record_night(file, three)
    assert len(read_nights(file).nights) == 1
