"""``judge`` with measures of repeated trials."""

import numpy as np
import pandas as pd
import pytest

import evenfold as ef


def trials(n: int = 60, r: int = 5, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    chance = rng.beta(1, 1, n)
    rows = [
        (name, example, run, float(rng.random() < min(1, chance[example] + gain)))
        for name, gain in (("a", 0.0), ("b", 0.15))
        for example in range(n)
        for run in range(r)
    ]
    return pd.DataFrame(rows, columns=["algorithm", "example", "run", "value"])


@pytest.mark.parametrize("measure", ["pass@1", "pass@3", "pass^3"])
def test_items_are_the_units(measure: str) -> None:
    table = trials()
    c = ef.judge(table, measure=measure)
    won = table.groupby(["algorithm", "example"]).value.sum().unstack(0)
    formula = ef.infer.pass_hat_k if "^" in measure else ef.infer.pass_at_k
    each = {name: formula(won[name].to_numpy(), 5, int(measure[-1])) for name in ("a", "b")}
    by_hand = ef.judge(each, rows="examples", higher_is_better=True, measure="value")
    assert c.estimate.value == pytest.approx(float((each["b"] - each["a"]).mean()))
    assert c.estimate.confidence_interval() == pytest.approx(by_hand.estimate.confidence_interval())
    assert "higher" in str(c.verdict)
    assert measure in str(c)
    assert any("has 5 trials" in str(note) for note in c.facts.notes)


def test_without_such_a_measure_runs_stay_crossed_with_items() -> None:
    c = ef.judge(trials(), measure="accuracy")
    assert c.losses.partition.kind == "runs"


def test_several_measures_and_a_board() -> None:
    c = ef.judge(trials(), measure=["pass@1", "pass^5"])
    assert c["pass^5"].losses.values[0, 0] < c.losses.values[0, 0]
    table = pd.concat([trials(seed=s).assign(task=f"t{s}") for s in range(8)]).rename(
        columns={"algorithm": "model"}
    )
    b = ef.board(table, measure="pass@2")
    assert b.ranking[0].name == "b"
    assert b.ranking[0].first == b.ranking[0].last == 1


def test_what_cannot_be_had_is_refused() -> None:
    table = trials(r=2)
    with pytest.raises(ef.EvenfoldError, match="at least 3 trials of every example"):
        ef.judge(table, measure="pass@3")
    with pytest.raises(ef.EvenfoldError, match="0 or 1 for pass@2"):
        ef.judge(table.assign(value=0.5), measure="pass@2")
    with pytest.raises(ef.EvenfoldError, match="column 'example'"):
        ef.judge(table.groupby(["algorithm", "run"]).value.max().reset_index(), measure="pass@2")
    from sklearn.datasets import load_iris
    from sklearn.naive_bayes import GaussianNB

    X, y = load_iris(return_X_y=True)
    with pytest.raises(ef.NotApplicable, match=r"Pass a table with a column 'run' to ef\.judge"):
        ef.compare([GaussianNB(), GaussianNB(var_smoothing=1e-3)], X, y, measure="pass@2")
