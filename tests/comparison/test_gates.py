"""What a gate says of its own power: in words, in Markdown, in JSON."""

import json
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
    assert power.drop == 0.02
    asked: Any = {"n": 1319, "null": -0.01, "level": 0.05}
    assert power.caught == ef.infer.tango_power(-0.02, differ=0.02, alternative="less", **asked)
    assert power.passed == ef.infer.tango_power(
        0.0, differ=12 / 1319, alternative="greater", **asked
    )
    caught = f"would have been caught with probability {100 * power.caught:.0f}%"
    assert f"power     a drop of 0.02 {caught}" in str(c)
    assert "- Power: a drop of 0.02 would have been caught with" in to_summary(c.facts)
    assert "<dt>Power</dt><dd>a drop of 0.02 would have been caught with" in c.to_html()
    assert json.loads(c.to_json())["power"][0]["caught"] == power.caught
    assert ef.Comparison.from_json(c.to_json()).facts.power == c.facts.power


def test_the_power_of_a_drop_that_was_asked_for() -> None:
    (power,) = judged(power_at=0.01).facts.power
    assert power.drop == 0.01
    assert power.passed is None
    assert power.caught == ef.infer.tango_power(
        -0.01, n=1319, differ=0.01, level=0.025, alternative="less"
    )
    assert judged().facts.power == ()
    with pytest.raises(ef.EvenfoldError, match="power_at must be a drop above 0"):
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
    assert power.caught == pytest.approx(stats.nct.sf(threshold, 39, 0.1 / error), abs=1e-6)
    assert power.passed == pytest.approx(power.caught)
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
    assert "x against main: a drop of" in str(c)


def test_the_share_that_differs_stands_beside_the_chance_it_belongs_to() -> None:
    """
    A drop needs as many answers that differ.

    a model without a change was computed with those seen.
    """
    (power,) = judged(margin=0.01, alternative="not-worse").facts.power
    assert (
        f"(if 2% of the answers differ), and an unchanged model passed with probability "
        f"{_of(power.passed)}" in str(power)
    )


def _of(chance: float) -> str:
    return "more than 99%" if chance > 0.995 else f"{100 * chance:.0f}%"


def test_where_the_sign_is_known_no_size_is_said_that_could_have_been_found() -> None:
    found = judged(margin=0.01, alternative="not-worse").verdict
    assert str(found).startswith("branch is worse than main; whether by more than 0.01 is open: ")
    assert "could have been found" not in str(found)
