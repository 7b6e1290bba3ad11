"""What a gate says of its own power: in words, in Markdown, in JSON."""

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import evenfold as ef
from evenfold.report.formats.text import to_summary

RIGHT = np.arange(1319) >= 300
BROKEN = RIGHT.copy()
BROKEN[300:312] = False
ASKED: dict[str, Any] = {"rows": "examples", "measure": "accuracy"}


def judged(**keywords: Any) -> Any:
    return ef.judge({"main": RIGHT, "branch": BROKEN}, **ASKED, **keywords)


def test_a_gate_says_what_it_would_have_caught() -> None:
    c = judged(margin=0.01, alternative="not-worse")
    (power,) = c.facts.power
    assert power.drop > 0.01  # relative to the margin
    assert 0.75 < power.caught < 0.95
    asked: Any = {"n": 1319, "null": -0.01, "level": 0.05}
    differ = max(12 / 1319, power.drop)
    assert power.caught == ef.infer.tango_power(
        -power.drop, differ=differ, alternative="less", **asked
    )
    assert power.passed == ef.infer.tango_power(
        0.0, differ=12 / 1319, alternative="greater", **asked
    )
    drop = f"a candidate that is worse by {power.drop:.3g} would have been caught with"
    assert f"power     {drop} probability {100 * power.caught:.0f}%" in str(c)
    assert f"- Power: {drop}" in to_summary(c.facts)
    assert f"<dt>Power</dt><dd>{drop}" in c.to_html()
    assert json.loads(c.to_json())["power"][0]["caught"] == power.caught
    assert ef.Comparison.from_json(c.to_json()).facts.power == c.facts.power


def answers_that_differ(n: int, share: float) -> dict[str, Any]:
    """Return right and wrong answers of two models, of which a share differs, half each way."""
    main = np.arange(n) % 10 < 7
    right, wrong = np.flatnonzero(main), np.flatnonzero(~main)
    branch = main.copy()
    branch[right[: round(n * share / 2)]] = False
    branch[wrong[: round(n * share / 2)]] = True
    return {"main": main, "branch": branch}


def test_the_power_of_a_gate_is_said_once_and_of_its_margin() -> None:
    table = answers_that_differ(600, 0.29)
    for alternative in ("not-worse", "two-sided"):
        c = ef.judge(table, margin=0.02, alternative=alternative, **ASKED)
        assert "could have been found" not in str(c)
        assert str(c).count("would have been caught") == 1
        (power,) = c.facts.power
        assert power.drop > 0.06
        assert power.caught == pytest.approx(0.8, abs=0.05)


def test_a_gate_that_stops_most_candidates_without_a_difference_says_so_first() -> None:
    table = answers_that_differ(600, 0.29)
    c = ef.judge(table, margin=0.02, alternative="not-worse", **ASKED)
    first = str(c).splitlines()[0]
    (power,) = c.facts.power
    assert power.passed is not None
    assert power.passed < 0.5
    stopped = f"This gate stops {100 * (1 - power.passed):.0f}% of the candidates whose true"
    assert stopped in first
    assert f"{stopped} difference is 0" in c.pairs[0].sentence
    assert power.enough_margin is not None
    assert power.enough_examples is not None
    remedy = (
        f"a margin of about {power.enough_margin:.2g} or about {power.enough_examples:.2g} times"
    )
    assert remedy in first
    wide = ef.judge(table, margin=power.enough_margin, alternative="not-worse", **ASKED)
    assert wide.facts.power[0].passed == pytest.approx(0.8, abs=0.05)
    assert "This gate stops" not in str(wide)
    many = ef.infer.tango_power(
        0.0,
        n=round(600 * power.enough_examples),
        differ=0.29,
        null=-0.02,
        level=0.05,
        alternative="greater",
    )
    assert many == pytest.approx(0.8, abs=0.05)


def test_the_power_of_a_drop_that_was_asked_for() -> None:
    (power,) = judged(power_at=0.01).facts.power
    assert power.drop == 0.01
    assert power.passed is None
    assert power.caught == ef.infer.tango_power(
        -0.01, n=1319, differ=0.01, level=0.025, alternative="less"
    )
    assert judged().facts.power == ()
    with pytest.raises(ef.EvenfoldError, match="power_at must be above 0"):
        judged(power_at=0.0)


def test_without_a_margin_the_drop_is_said_that_is_mostly_caught() -> None:
    (power,) = judged(alternative="not-worse").facts.power
    assert power.caught == pytest.approx(0.8, abs=0.01)


def test_graded_values_have_the_power_of_the_noncentral_t() -> None:
    rng = np.random.default_rng(0)
    table = {"a": rng.random(40), "b": rng.random(40)}
    gate: Any = {
        "rows": "examples",
        "higher_is_better": True,
        "margin": 0.1,
        "alternative": "not-worse",
    }
    c: Any = ef.judge(table, method="paired-t", **gate)
    (power,) = c.facts.power
    error = float(c.estimate.standard_error)
    threshold = stats.t.isf(0.05, 39)
    beyond = (power.drop - 0.1) / error
    assert power.caught == pytest.approx(stats.nct.sf(threshold, 39, beyond), abs=1e-6)
    assert power.caught == pytest.approx(0.8, abs=0.02)
    assert power.passed == pytest.approx(stats.nct.sf(threshold, 39, 0.1 / error), abs=1e-6)
    assert power.differ is None


def test_the_power_of_a_bound_is_about_what_it_passes() -> None:
    """Graded answers that do not change are passed about as often as the gate says."""
    gate: Any = {
        "rows": "examples",
        "measure": "accuracy",
        "margin": 0.1,
        "alternative": "not-worse",
    }
    passed = []
    said = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        old = rng.random(150)
        new = np.clip(old + rng.normal(0, 0.35, 150) * (rng.random(150) < 0.5), 0, 1)
        c: Any = ef.judge({"a": old, "b": new}, **gate)
        assert c.facts.method.key == "bounded-mean"
        passed.append(str(c.verdict.outcome) in ("not worse", "equivalent", "better"))
        (power,) = c.facts.power
        said.append(power.passed)
    assert np.mean(said) == pytest.approx(np.mean(passed), abs=0.2)


def test_several_candidates_have_a_power_each() -> None:
    c = ef.judge({"main": RIGHT, "x": BROKEN, "y": RIGHT}, baseline="main", margin=0.02, **ASKED)
    assert [one.challenger for one in c.facts.power] == ["x", "y"]
    assert "x against main: a candidate that is worse by" in str(c)


def test_the_share_that_differs_stands_beside_the_chance_it_belongs_to() -> None:
    """
    A drop needs as many answers that differ.

    a model without a change was computed with those seen.
    """
    (power,) = judged(margin=0.01, alternative="not-worse").facts.power
    assert power.differ is not None
    assert (
        f"(if {100 * power.differ:.2g}% of the answers differ), and one whose true "
        f"difference is 0 would have passed with probability {_of(power.passed)}" in str(power)
    )


def _of(chance: float) -> str:
    return "more than 99%" if chance > 0.995 else f"{100 * chance:.0f}%"


def test_where_the_sign_is_known_no_size_is_said_that_could_have_been_found() -> None:
    found = judged(margin=0.01, alternative="not-worse").verdict
    assert str(found).startswith("branch is worse than main; whether by more than 0.01 is open: ")
    assert "could have been found" not in str(found)


ROOT = Path(__file__).parents[2]


def test_the_advice_on_margins_is_what_the_test_does() -> None:
    page = (ROOT / "docs" / "you-already-have-results.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| ([\d,]+) \| (0\.\d+) \| (0\.\d+) \| (0\.\d+) \| (0\.\d+) \|$", page, re.M
    )
    assert len(rows) == 4
    for items, *margins in rows:
        n = int(items.replace(",", ""))
        for share, margin in zip((0.02, 0.05, 0.1, 0.3), map(float, margins), strict=True):
            assert margin == round(2.5 * math.sqrt(share / n), 3)
    for n, share, margin, chance in ((1000, 0.1, 0.025, 0.8), (2500, 0.04, 0.01, 0.8)):
        asked: Any = {"n": n, "differ": share, "null": -margin, "alternative": "greater"}
        assert ef.infer.tango_power(0.0, **asked) == pytest.approx(chance, abs=0.02)
    for place in ("README.md", "action.yml"):
        words = " ".join((ROOT / place).read_text(encoding="utf-8").split())
        assert "2.5" in words
        assert "true difference is 0" in words
