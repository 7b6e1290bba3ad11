"""``judge`` on battles of two models."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import evenfold as ef


def battles(n: int = 400, *, ties: float = 0.2, seed: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    turn = rng.random(n) < 0.5
    new_wins = rng.random(n) < 0.6
    winner = np.where(rng.random(n) < ties, "tie", np.where(new_wins, "new", "old"))
    return pd.DataFrame(
        {
            "model_a": np.where(turn, "new", "old"),
            "model_b": np.where(turn, "old", "new"),
            "winner": winner,
        }
    )


def test_the_difference_of_win_rates_is_that_of_an_exact_test_of_wins_and_losses() -> None:
    table = battles()
    c = ef.judge(table, baseline="old")
    won, lost = ((table.winner == name).sum() for name in ("new", "old"))
    exact = ef.infer.tango_exact(won, lost, len(table))
    assert c.estimate.value == pytest.approx((won - lost) / len(table))
    assert c.estimate.confidence_interval() == pytest.approx(exact.confidence_interval())
    assert str(c.verdict.outcome) == "better"
    rate = 50 * (1 + (won - lost) / len(table))
    assert f"new is preferred in {rate:.1f}% of the battles" in str(c)
    assert not c.facts.flips


def test_which_model_stands_first_does_not_matter() -> None:
    table = battles()
    turned = table.rename(columns={"model_a": "model_b", "model_b": "model_a"})
    coded = table.assign(winner=np.where(table.winner == table.model_a, "model_a", "model_b"))
    coded.loc[table.winner == "tie", "winner"] = "tie"
    one, two, three = (ef.judge(t, baseline="old").estimate.value for t in (table, turned, coded))
    assert one == two == three


def test_battles_about_one_prompt_are_a_cluster(tmp_path: Path) -> None:
    table = battles()
    table["prompt"] = np.arange(400) // 4
    table.to_csv(tmp_path / "battles.csv", index=False)
    c = ef.judge(tmp_path / "battles.csv", baseline="old")
    d = np.select([table.winner == "new", table.winner == "old"], [1.0, -1.0], 0.0)
    plain = ef.infer.clustered_cr2_t(d, table.prompt.to_numpy())
    assert c.estimate.standard_error == pytest.approx(float(plain.standard_error))
    assert "new groups of examples" in str(c)


def test_more_models_belong_on_a_board() -> None:
    table = pd.concat([battles(), battles().replace("new", "third")])
    with pytest.raises(
        ef.EvenfoldError, match=r"battles of two models, but it has 3 models\. Use ef\.board"
    ):
        ef.judge(table)
