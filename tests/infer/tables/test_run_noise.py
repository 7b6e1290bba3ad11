"""Runs of one model: how far they differ, and what gates make of it, against simulation."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from typer.testing import CliRunner

import evenfold as ef
from evenfold.cli.app import app


def answers(rng: Any, runs: int, n: int, share: float) -> Any:
    """Runs in which two answers to one example differ with the chance ``share`` on average."""
    unsure = rng.random(n) < 2 * share
    sure = rng.random(n) < 0.8
    return np.where(unsure, rng.random((runs, n)) < 0.5, sure)


def test_the_share_that_differs_is_that_of_pairs_of_runs() -> None:
    table = answers(np.random.default_rng(0), 4, 600, 0.05)
    noise = ef.infer.run_noise(table, margin=0.02)
    pairs = [(table[i] != table[j]).mean() for i in range(4) for j in range(i)]
    assert noise.differ is not None
    assert noise.differ.value == pytest.approx(np.mean(pairs))
    assert noise.differ.low < 0.05 < noise.differ.high
    n, differ = 600, noise.differ.value
    asked: Any = {"n": n, "differ": differ, "null": -0.02, "level": 0.05}
    assert noise.alarm.value == pytest.approx(
        ef.infer.tango_power(0.0, alternative="less", **asked)
    )
    assert noise.passed is not None
    assert noise.passed.value == pytest.approx(
        ef.infer.tango_power(0.0, alternative="greater", **asked)
    )
    assert noise.alarm.high <= noise.level


def test_false_alarms_are_those_of_further_runs() -> None:
    """A third of 4000 simulated pairs drops by more than the margin where the noise says so."""
    rng = np.random.default_rng(1)
    n, margin, share = 500, 0.01, 0.06
    unsure = rng.random(n) < 2 * share
    one, other = (np.where(unsure, rng.random((4000, n)) < 0.5, True) for _ in range(2))
    drops = (one.mean(axis=1) - other.mean(axis=1) > margin + 1e-12).mean()
    noise = ef.infer.run_noise(one[:200], margin=margin)
    error = np.sqrt(drops * (1 - drops) / 4000)
    assert noise.threshold.value == pytest.approx(drops, abs=4 * error + 0.01)
    spread = one.mean(axis=1).std()
    assert noise.between_runs == pytest.approx(spread, rel=0.06)


def test_runs_that_agree_leave_what_so_many_examples_leave() -> None:
    table = np.ones((2, 100))
    noise = ef.infer.run_noise(table, margin=0.05)
    assert noise.differ is not None
    assert (noise.differ.value, noise.between_runs) == (0.0, 0.0)
    assert 0.01 < noise.differ.high < 0.1
    assert "two runs differ in 0%" in str(noise)


def test_graded_values() -> None:
    rng = np.random.default_rng(2)
    table = rng.random(300) + rng.normal(0, 0.1, size=(3, 300))
    noise = ef.infer.run_noise(table, margin=0.02)
    assert noise.differ is None
    assert noise.between_runs == pytest.approx(0.1 / np.sqrt(300), rel=0.1)
    assert noise.passed is not None
    assert noise.passed.value > 0.7
    assert ef.infer.run_noise(table).alarm.value == pytest.approx(0.05)


# Six targets and four judges of Shrout and Fleiss (1979), table 2. ICC(1,1) is .17 in table 4,
# and its interval −.13 to .72 in the documentation of R's package psych.
SHROUT_FLEISS = [[9, 6, 8, 7, 10, 6], [2, 1, 4, 1, 5, 2], [5, 3, 6, 2, 6, 4], [8, 2, 8, 6, 9, 7]]


def test_the_intraclass_correlation_is_the_published_one() -> None:
    icc = ef.infer.intraclass_correlation(SHROUT_FLEISS)
    assert icc is not None
    assert [round(x, 2) for x in (icc.value, icc.low, icc.high)] == [0.17, -0.13, 0.72]


def test_the_intraclass_correlation_follows_from_an_analysis_of_variance() -> None:
    table = np.random.default_rng(5).normal(size=30) + np.random.default_rng(6).normal(size=(4, 30))
    F = stats.f_oneway(*table.T).statistic  # groups are items
    icc = ef.infer.intraclass_correlation(1e150 * table / 10)
    assert icc is not None
    assert icc.value == pytest.approx((F - 1) / (F + 3))
    below = F / stats.f.isf(0.025, 29, 90)
    above = F * stats.f.isf(0.025, 90, 29)
    assert icc.low == pytest.approx((below - 1) / (below + 3))
    assert icc.high == pytest.approx((above - 1) / (above + 3))


def test_the_intraclass_correlation_at_its_ends() -> None:
    same = ef.infer.intraclass_correlation([[0, 1, 1], [0, 1, 1]])
    assert same is not None
    assert (same.value, same.low, same.high) == (1.0, 1.0, 1.0)
    assert ef.infer.intraclass_correlation(np.ones((3, 5))) is None
    noise = ef.infer.intraclass_correlation(np.random.default_rng(0).normal(size=(4, 2000)))
    assert noise is not None
    assert noise.low < 0 < noise.high
    with pytest.raises(ef.EvenfoldError, match="at least two runs and two items"):
        ef.infer.intraclass_correlation([[1, 2, 3]])


def test_the_text_says_what_one_run_per_side_can_show() -> None:
    rng = np.random.default_rng(2)
    items = rng.random(300)
    noise = ef.infer.run_noise(items + rng.normal(0, 0.1, size=(3, 300)), margin=0.02)
    assert noise.intraclass is not None
    assert "intraclass correlation 0." in str(noise)
    assert "with one run per side, scores up to 0.016 apart" in str(noise)
    apart = np.diff((items + rng.normal(0, 0.1, size=(4000, 2, 300))).mean(axis=2), axis=1)
    share = (np.abs(apart) < noise.within_noise).mean()
    assert share == pytest.approx(0.95, abs=0.02)


def test_refusals() -> None:
    with pytest.raises(ef.EvenfoldError, match="values must be of shape"):
        ef.infer.run_noise([[1, 0, 1]])
    with pytest.raises(ef.EvenfoldError, match="margin must be"):
        ef.infer.run_noise([[1, 0], [1, 1]], margin=-1)


@pytest.mark.parametrize("form", ["runs", "algorithms", "wide"])
def test_the_command_reads_every_form(tmp_path: Path, form: str) -> None:
    table = answers(np.random.default_rng(3), 2, 200, 0.05).astype(int)
    path = tmp_path / "aa.csv"
    if form == "wide":
        frame = pd.DataFrame({"example": np.arange(200), "first": table[0], "second": table[1]})
    else:
        name = "run" if form == "runs" else "algorithm"
        parts = [
            pd.DataFrame({name: f"r{i}", "example": np.arange(200), "value": table[i]})
            for i in (0, 1)
        ]
        frame = pd.concat(parts)
    frame.to_csv(path, index=False)
    asked = ["judge", "--aa", str(path), "--measure", "accuracy", "--margin", "0.03"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    assert done.output.startswith("2 runs of one model on 200 examples")
    noise = ef.infer.run_noise(table, margin=0.03)
    assert str(noise) in done.output
    more = CliRunner().invoke(app, [*asked, "--baseline", str(path)])
    assert more.exit_code == 2


def test_one_run_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.csv"
    pd.DataFrame({"example": range(9), "value": [1, 0, 1] * 3}).to_csv(path, index=False)
    done = CliRunner().invoke(app, ["judge", "--aa", str(path), "--measure", "accuracy"])
    assert done.exit_code == 2


def test_a_chance_whose_ends_read_alike_is_said_once() -> None:
    rng = np.random.default_rng(1)
    right = rng.random(1319) < 0.8
    runs = np.where(rng.random((4, 1319)) < 0.02, ~right, right).astype(float)
    noise = ef.infer.run_noise(runs, margin=0.02)
    assert noise.alarm.low < noise.alarm.high
    assert "calls an unchanged model worse in less than 0.1%, passes it" in str(noise)
