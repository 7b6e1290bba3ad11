"""``keep``: levels that add up, decisions that agree with ``judge``, a file that loses nothing."""

import json
from fractions import Fraction
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evenfold as ef
from evenfold.core.verdict import Outcome
from evenfold.infer.adjust import (
    history_weight,
    lond_level,
    remaining_weight,
    spending_weight,
)

N = 400
keep: Any = ef.keep  # proposals are there where the tests look at them


def answers(seed: int, accuracy: float = 0.6, n: int = N) -> Any:
    return (np.random.default_rng(seed).random(n) < accuracy).astype(int)


def changed(right: Any, seed: int, *, fix: int = 0, flip: int = 0) -> Any:
    """Answers with some mistakes mended and some answers turned round."""
    rng = np.random.default_rng(seed)
    out = right.copy()
    turned = rng.choice(len(out), flip, replace=False)
    out[turned] = 1 - out[turned]
    wrong = np.flatnonzero(out == 0)
    out[rng.choice(wrong, min(fix, len(wrong)), replace=False)] = 1
    return out


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "loop.json"


def started(file: Path, right: Any = None, **more: Any) -> Any:
    given = {"rows": "examples", "measure": "accuracy", "shown": "decisions", "horizon": 50, **more}
    return keep(file, baseline=answers(0) if right is None else right, **given)


@pytest.mark.parametrize("horizon", [None, 1, 7, 200])
def test_the_shares_of_all_proposals_sum_to_the_level(horizon: int | None) -> None:
    total = sum(spending_weight(j, horizon) for j in range(1, 100_001))
    assert total <= 1 + 1e-12
    assert total == pytest.approx(1, abs=1e-5)
    assert remaining_weight(3, horizon) == pytest.approx(
        max(0, 1 - sum(spending_weight(j, horizon) for j in (1, 2, 3)))
    )


def test_all_histories_of_decisions_together_spend_no_more_than_the_whole() -> None:
    for before in range(9):
        histories = product([0, 1], repeat=before)
        total = sum(
            Fraction(history_weight(before, sum(one))).limit_denominator(10**12)
            for one in histories
        )
        assert total <= 1
        assert float(total) == pytest.approx(1 - 0.2 ** (before + 1))
    assert history_weight(10, 2) == pytest.approx(0.8 * 0.04 / comb(10, 2))


def test_lond_bounds_the_rate_of_false_keeps_with_dependent_pvalues() -> None:
    """
    A hundred null p-values that are all alike, and a few true discoveries first.

    Reshaped LOND holds.
    """
    rng = np.random.default_rng(0)
    shares = []
    for _ in range(4000):
        keeps, false = 0, 0
        same = rng.random()
        for j in range(1, 61):
            p = 1e-9 if j <= 3 else same
            if p <= lond_level(j, keeps, 0.1, horizon=60):
                keeps += 1
                false += j > 3
        shares.append(false / max(keeps, 1))
    assert np.mean(shares) <= 0.1 + 3 * np.std(shares) / 4000**0.5


def test_a_better_proposal_is_kept_and_becomes_the_best(file: Path) -> None:
    right = answers(0)
    started(file, right)
    useless = keep(file, changed(right, 1, flip=30), name="useless")
    assert useless.kept is False
    assert useless.best == "baseline"
    good = keep(file, changed(right, 2, fix=60), name="good")
    assert good.kept is True
    assert good.best == "good"
    assert [one.kept for one in good.proposals] == [False, True]
    assert good.proposal.against == "baseline"
    third = keep(file, changed(right, 2, fix=60), name="the same again")
    assert third.kept is False
    assert third.proposal.against == "good"
    assert third.improvement.observed == pytest.approx(60 / N)
    assert 0 < third.improvement.bound < 60 / N


def test_a_decision_is_that_of_judge_at_the_proposals_level(file: Path) -> None:
    right = answers(0)
    started(file, right, horizon=20)
    for seed in range(6):
        candidate = changed(right, seed, fix=4 * seed, flip=10)
        result = keep(file, candidate)
        one = result.proposal
        spent = 0.05 / 20
        assert one.level == pytest.approx(spent * 0.8) or sum(p.kept for p in result.proposals[:-1])
        c = result.comparison
        assert one.kept == (c.pairs[0].verdict.outcome is Outcome.BETTER)
        assert one.kept == (one.pvalue <= one.level) == (one.bound > 0)
        alone = ef.judge(
            {"a": right, "b": candidate},
            rows="examples",
            measure="accuracy",
            level=one.level,
            alternative="greater",
        )
        if one.against == "baseline":
            assert one.pvalue == pytest.approx(float(alone.estimate.pvalue))


def test_losses_are_better_when_lower(file: Path) -> None:
    rng = np.random.default_rng(0)
    loss = rng.random(200)
    keep(file, baseline=loss, rows="examples", higher_is_better=False, shown="nothing", horizon=10)
    worse = keep(file, loss + 0.05 + 0.01 * rng.random(200))
    better = keep(file, loss - 0.05 + 0.01 * rng.random(200))
    assert (worse.kept, better.kept) == (False, True)
    assert worse.proposal.value < 0 < better.proposal.value


def test_a_margin_must_be_exceeded(file: Path) -> None:
    right = answers(0)
    started(file, right, margin=0.1)
    assert keep(file, changed(right, 2, fix=40)).kept is False
    assert keep(file, changed(right, 2, fix=120)).kept is True


def test_what_was_shown_decides_what_is_promised(tmp_path: Path) -> None:
    right = answers(0)
    good, better = changed(right, 2, fix=60), changed(right, 2, fix=140)
    said: dict[str, Any] = {}
    for shown in ("nothing", "decisions", "scores"):
        file = tmp_path / f"{shown}.json"
        started(file, right, shown=shown)
        first = keep(file, good)
        second = keep(file, better)
        said[shown] = [first.proposal.guaranteed, second.proposal.guaranteed]
        said[f"{shown}, level"] = second.proposal.level
    assert said["nothing"] == [True, True]
    assert said["decisions"] == [True, True]
    assert said["scores"] == [True, False]
    assert said["nothing, level"] == pytest.approx(0.05 / 50)
    assert said["decisions, level"] == pytest.approx(0.05 / 50 * 0.8 * 0.2 / 1)


def test_without_a_bound_the_answer_says_so_until_items_are_fresh(file: Path) -> None:
    right = answers(0)
    started(file, right, shown="scores")
    first = keep(file, changed(right, 1, flip=20))
    assert first.guarantee.startswith("Guaranteed so far")
    assert "fresh" in first.guarantee
    renewed = keep(file, fresh=answers(5))
    assert renewed.guarantee.startswith("Guaranteed:")
    second = keep(file, changed(answers(5), 1, flip=20))
    assert second.proposal.guaranteed
    third = keep(file, changed(answers(5), 3, flip=20))
    assert not third.proposal.guaranteed
    assert third.guarantee.startswith("No guarantee: 1 of 3 proposals")
    assert third.proposal.level == pytest.approx(0.05 / 50)


def test_what_was_shown_can_be_raised_and_not_lowered(file: Path) -> None:
    right = answers(0)
    started(file, right, shown="decisions")
    keep(file, changed(right, 1, flip=20), shown="scores")
    result = keep(file, changed(right, 3, flip=20), shown="nothing")
    assert result.proposal.shown == "scores"
    assert not result.proposal.guaranteed


def test_the_rate_is_not_promised_once_decisions_after_a_keep_are_known(file: Path) -> None:
    right = answers(0)
    started(file, right, control="rate")
    kept = keep(file, changed(right, 2, fix=60))
    assert kept.kept
    assert kept.guarantee.startswith("Guaranteed so far")
    assert keep(file, changed(right, 2, fix=61)).guarantee.startswith("No guarantee")


def test_held_back_items_decide_nothing_and_tell_the_optimism(file: Path) -> None:
    right = answers(0, n=1000)
    started(file, right, hold_back=0.3)
    candidate = right.copy()
    ledger = json.loads(file.read_text())
    used = ledger["tables"]["baseline"]["example"]
    assert len(used) == 700
    assert not set(used) & set(ledger["reserved"])
    mistakes = [i for i in used if right[i] == 0]
    candidate[mistakes] = 1  # overfitted: better on the items that decide, on no others
    result = keep(file, candidate, name="overfitted")
    assert result.kept
    value, low, high = result.improvement.held_back
    assert (value, result.improvement.optimism) == (0.0, pytest.approx(len(mistakes) / 700))
    assert low < 0 < high


def test_groups_are_held_back_whole(file: Path) -> None:
    frame = pd.DataFrame(
        {"example": range(300), "group": np.arange(300) // 10, "value": answers(0, n=300)}
    )
    keep(file, baseline=frame, measure="accuracy", shown="nothing", hold_back=0.5)
    ledger = json.loads(file.read_text())
    assert len(ledger["reserved"]) == 15
    assert not set(ledger["tables"]["baseline"]["group"]) & set(ledger["reserved"])


def test_predictions_probabilities_and_files_are_read(file: Path, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.choice(["yes", "no"], 200)
    paths = []
    for name, accuracy in (("a", 0.55), ("b", 0.95)):
        wrong = rng.random(200) > accuracy
        prediction = np.where(wrong, np.where(truth == "yes", "no", "yes"), truth)
        path = tmp_path / f"{name}.csv"
        pd.DataFrame({"example": range(200), "truth": truth, "prediction": prediction}).to_csv(
            path, index=False
        )
        paths.append(path)
    keep(file, baseline=paths[0], measure="f1", positive="yes", shown="nothing")
    assert keep(file, paths[1]).kept


def test_a_horizon_ends(file: Path) -> None:
    right = answers(0)
    started(file, right, horizon=2)
    for seed in (1, 2):
        last = keep(file, changed(right, seed, flip=20))
    assert last.level_left == 0
    with pytest.raises(
        ef.EvenfoldError,
        match=r"Nothing of the level is left for proposal 3.*fresh items",
    ):
        keep(file, changed(right, 3, flip=20))
    assert len(keep(file).proposals) == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"shown": None}, "shown must be given at the start"),
        ({"shown": "all"}, "shown must be one of"),
        ({"control": "fdr"}, "control must be one of"),
        ({"level": 0.7}, "level must be"),
        ({"horizon": 0}, "horizon must be"),
        ({"margin": -1}, "margin must be"),
        ({"hold_back": 0.95}, "hold_back must be"),
        ({"measure": len}, "measure must be a name"),
        ({"measure": "acuracy"}, "Did you mean 'accuracy'"),
    ],
)
def test_a_start_that_cannot_be_is_refused_and_leaves_no_file(
    file: Path, given: Any, message: str
) -> None:
    with pytest.raises(ef.EvenfoldError, match=message):
        started(file, **given)
    assert not file.exists()


def test_a_loop_is_started_once_and_before_its_proposals(file: Path) -> None:
    with pytest.raises(ef.EvenfoldError, match="file must be a loop that was started"):
        keep(file, answers(1))
    started(file)
    with pytest.raises(ef.EvenfoldError, match="file must be a new file"):
        started(file)
    with pytest.raises(ef.EvenfoldError, match="Make one call for each"):
        keep(file, answers(1), baseline=answers(0))
    with pytest.raises(ef.EvenfoldError, match="the baseline or the best is called 'baseline'"):
        keep(file, answers(1), name="baseline")


def test_other_items_are_refused_and_cost_nothing(file: Path) -> None:
    started(file)
    asked = f"answer the {N} items of the loop, but it lacks"
    with pytest.raises(ef.EvenfoldError, match=f"{asked} 1 of them and has 0 others"):
        keep(file, answers(1, n=N - 1))
    with pytest.raises(ef.EvenfoldError, match=f"{asked} 0 of them and has 2 others"):
        keep(file, answers(1, n=N + 2))
    others = {"example": list(range(N, 2 * N)), "value": answers(1)}
    with pytest.raises(ef.EvenfoldError, match=f"{asked} {N} of them and has {N} others"):
        keep(file, pd.DataFrame(others))
    assert keep(file).proposals == ()


def _torn(text: str) -> list[str]:
    return [
        text[: len(text) // 2],
        "",
        "[]",
        "{}",
        '{"evenfold": "keep", "version": 9}',
        text.replace('"kept": false', '"kept": true'),
        text.replace('"level": 0.05', '"level": 0.5'),
        "[" * 100_000,
    ]


@pytest.mark.parametrize("which", range(8))
def test_a_torn_or_edited_file_is_refused_in_one_line(file: Path, which: int) -> None:
    started(file)
    keep(file, changed(answers(0), 1, flip=20))
    bad = _torn(file.read_text())[which]
    file.write_text(bad)
    with pytest.raises(ef.EvenfoldError) as caught:
        keep(file)
    assert "\n" not in str(caught.value)
    assert file.read_text() == bad  # nothing is mended behind the user's back


def test_a_file_that_is_no_text_is_refused(file: Path) -> None:
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ef.EvenfoldError, match="not UTF-8"):
        keep(file)


def test_it_prints_the_decision_where_the_loop_stands_and_what_holds(file: Path) -> None:
    right = answers(0)
    started(file, right)
    text = str(keep(file, changed(right, 2, fix=60), name="good"))
    first, second, third = text.splitlines()
    assert first.startswith("good is kept: improvement over baseline 0.150, lower bound 0.")
    assert second.startswith(
        "1 proposal, 1 kept; the best is good, better than baseline by at least 0."
    )
    assert third.startswith(
        "Guaranteed: the chance of any false keep in the whole loop is at most 5%"
    )
