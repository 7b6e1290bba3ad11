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
    table = {"a": RNG.random(200), "b": RNG.random(200)}
    found = plan(ef.judge(table, rows="examples", higher_is_better=True), 0.05)
    d = table["b"] - table["a"]
    assert found.units == pytest.approx(
        d.var(ddof=1) * (1.95996 + 0.84162) ** 2 / 0.05**2, rel=0.012
    )
    assert found.power(units=found.units) == pytest.approx(0.8, abs=0.01)
    assert found.runs is None
    assert str(found) == (
        "To find a difference of 0.050 with a power of 80% (the paired t-test on "
        "single examples, level 0.05, two-sided), "
        f"{found.units:,} examples suffice. With 200 examples the power is {found.power():.2f}."
    )


def test_right_and_wrong_answers_are_planned_with_the_exact_test() -> None:
    table = {"a": RNG.random(200) < 0.9, "b": RNG.random(200) < 0.9}
    found = plan(ef.judge(table, rows="examples", measure="accuracy"), 0.05)
    differ = float((table["a"] != table["b"]).mean())
    assert found.method == "tango-exact"
    assert found.differ == pytest.approx(differ)
    assert found.power() == pytest.approx(ef.infer.tango_power(0.05, n=200, differ=differ))
    assert 0.8 <= found.power(units=found.units) < 0.85
    assert "With 200 answers the power is" in str(found)


def test_answers_are_planned_without_a_pilot() -> None:
    found: Any = ef.plan(0.02, differ=0.04, power=0.9, level=0.01, alternative="less")
    assert found.units == pytest.approx(1230, rel=0.01)
    power = ef.infer.tango_power(-0.02, n=found.units, differ=0.04, level=0.01, alternative="less")
    assert 0.9 <= power < 0.91
    assert "4% of the answers differ" in str(found)
    wide: Any = ef.plan(0.02, accuracy=0.8, power=0.9)  # two models that share nothing
    assert wide.differ == pytest.approx(0.8 * 0.22 + 0.78 * 0.2)
    assert wide.units > found.units


def test_a_gate_is_planned_to_pass_a_model_without_a_change() -> None:
    found: Any = ef.plan(0.0, differ=0.04, margin=0.02, power=0.9)
    power = ef.infer.tango_power(0.0, n=found.units, differ=0.04, null=-0.02, alternative="greater")
    assert 0.9 <= power < 0.92
    assert "To pass an unchanged model as not worse by more than 0.02" in str(found)
    with pytest.raises(ef.EvenfoldError, match="difference must be below the margin"):
        ef.plan(0.03, differ=0.04, margin=0.02)
    with pytest.raises(ef.EvenfoldError, match="differ must be at least the difference"):
        ef.plan(0.03, differ=0.01)


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
    assert found.power(runs=found.runs) >= 0.8 > found.power(runs=found.runs - 1)
    small = plan(c, 0.01)
    assert small.units is None  # runs alone vary too much
    assert "no number of examples suffices alone" in str(small)


def test_runs_alone() -> None:
    c = ef.judge({"a": RNG.random(6), "b": RNG.random(6)}, rows="runs", higher_is_better=True)
    found = plan(c, 0.1)
    assert found.units is None
    assert found.power(runs=found.runs) >= 0.8
    assert repr(found).startswith("<TablePlan: To find")


def test_runs_that_do_not_belong_together() -> None:
    a, b = RNG.random(6), RNG.random(9)
    found = plan(ef.judge({"a": a, "b": b}, rows="runs", higher_is_better=True), 0.2)
    assert found.spread.run == pytest.approx(a.var(ddof=1) + b.var(ddof=1))
    assert found.power(runs=found.runs) >= 0.8
    assert "With 6 runs of each the power is" in str(found)
    assert " runs of each suffice. " in str(found)


@pytest.mark.parametrize("group", [None, np.arange(300) // 5])
def test_runs_apart_on_the_same_examples(group: Any) -> None:
    rows = []
    for name, S, shift in (("a", 4, 0.0), ("b", 4, 0.2)):
        y = shift + RNG.normal(size=300) + 0.3 * RNG.normal(size=(S, 1)) + RNG.normal(size=(S, 300))
        for s in range(S):
            ids = {"algorithm": name, "run": f"{name}{s}", "example": np.arange(300), "value": y[s]}
            rows.append(pd.DataFrame(ids if group is None else ids | {"group": group}))
    c: Any = ef.judge(pd.concat(rows), higher_is_better=True)
    found = plan(c, 0.6)
    units = 300 if group is None else 60
    assert found.spread.variance(units, 4) == pytest.approx(
        float(c.estimate.standard_error) ** 2, rel=1e-9
    )
    assert not found.paired


def test_refusals() -> None:
    same = ef.judge({"a": [1, 0, 1], "b": [1, 0, 1]}, rows="examples", measure="accuracy")
    with pytest.raises(ef.NotApplicable, match="show no spread"):
        plan(same, 0.1)


def test_seeds_without_a_pilot_need_five_runs() -> None:
    """The normal law, which a plan used before, said that two suffice."""
    found: Any = ef.plan(0.02, rows="runs", sigma=0.0096)
    assert (found.runs, found.units, found.method) == (5, None, "runs-t")
    assert [round(found.power(runs=S), 2) for S in (2, 3, 4, 5)] == [0.18, 0.50, 0.78, 0.93]
    assert str(found).endswith(
        "(the t-test on the scores of the runs, level 0.05, two-sided), 5 runs suffice."
    )
    three: Any = ef.plan(0.02, rows="runs", sigma=0.0096, n=3)
    assert "5 runs suffice. With 3 runs the power is 0.50." in str(three)


def test_a_pilot_of_seeds_and_their_spread_have_one_plan() -> None:
    runs = {"a": RNG.normal(0.9, 0.01, 8), "b": RNG.normal(0.91, 0.01, 8)}
    c = ef.judge(runs, rows="runs", higher_is_better=True, paired=True)
    spread = float(np.std(runs["b"] - runs["a"], ddof=1))
    piloted: Any = ef.plan(0.01, pilot=c)
    said: Any = ef.plan(0.01, rows="runs", sigma=spread)
    assert piloted.runs == said.runs


def test_graded_examples_without_a_pilot() -> None:
    """A simulation finds as often as is said (Monte Carlo error .013)."""
    found: Any = ef.plan(0.05, rows="examples", sigma=0.4, n=300)
    p = ef.infer.paired_t(RNG.normal(0.05, 0.4, size=(1500, 300))).pvalue
    assert float((p < 0.05).mean()) == pytest.approx(found.power(), abs=0.04)
    assert found.power(units=found.units) >= 0.8
    one: Any = ef.plan(0.05, rows="examples", sigma=0.4, alternative="not-worse")
    assert one.units < found.units


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": "folds", "sigma": 0.1}, "rows must be one of 'runs', 'examples'"),
        ({"rows": "runs"}, "sigma must be given with rows='runs'"),
        ({"rows": "examples"}, "sigma must be given with rows='examples'"),
        (
            {"rows": "runs", "sigma": 0.1, "accuracy": 0.8},
            "goes with sigma, and not with a pilot",
        ),
        ({"rows": "runs", "pilot": "run"}, "goes with sigma, and not with a pilot"),
    ],
)
def test_what_cannot_be_planned_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=message):
        ef.plan(0.02, **options)
