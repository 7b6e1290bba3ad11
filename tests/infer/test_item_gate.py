"""
The gate that looks after every item.

Capital by hand, level, how soon it stops, and judge with it.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.infer.anytime import STAKES, log_capital

VALUES = np.array([-1.0, 0.0, 1.0])


def stream_of(broke: float, fixed: float, *, n: int = 1319, seed: int = 0) -> Any:
    u = np.random.default_rng(seed).random(n)
    return np.where(u < broke, -1.0, np.where(u < broke + fixed, 1.0, 0.0))


def answers(d: Any) -> Iterator[tuple[float, float]]:
    return ((float(x < 0), float(x > 0)) if x else (1.0, 1.0) for x in d)


def capital(d: Any, m: float) -> float:
    """The same product written as the bets are made, one after the other."""
    shares = STAKES * (1 - STAKES)
    purses = shares / shares.sum()
    for x in d:
        purses = purses * (1 + STAKES / (m + 1) * (x - m))
    return float(purses.sum())


def test_the_capital_is_that_of_bets_made_one_after_the_other() -> None:
    d = stream_of(0.03, 0.02, n=300)
    e = ef.infer.item_gate(d, low=-1, high=1, null=-0.03, alternative="greater")
    assert e.pvalue == pytest.approx(min(1.0, 1 / capital(d, -0.03)), rel=1e-9)
    mirrored = ef.infer.item_gate(-d, low=-1, high=1, null=0.03, alternative="less")
    assert mirrored.pvalue == pytest.approx(e.pvalue, rel=1e-9)


def test_the_capital_is_one_in_the_mean_where_the_mean_is_right() -> None:
    broke, fixed, m = 0.3, 0.2, -0.1
    bets = [
        log_capital(VALUES, one, np.asarray(m), low=-1.0, high=1.0, above=True) for one in np.eye(3)
    ]
    assert np.dot([broke, 1 - broke - fixed, fixed], np.exp(bets)) == pytest.approx(1.0)


def test_p_and_limits_agree() -> None:
    d = stream_of(0.05, 0.03, n=500)
    for limit in ef.infer.item_gate(d, low=-1, high=1).confidence_interval():
        there = ef.infer.item_gate(d, low=-1, high=1, null=float(limit))
        assert there.pvalue == pytest.approx(0.05, rel=1e-6)


def test_the_iterator_stops_where_the_limit_passes_the_margin() -> None:
    d = stream_of(0.02, 0.02, seed=3)
    *_, last = ef.infer.gate_items(answers(d), margin=0.03)
    assert last.settled == "not worse"
    here = ef.infer.item_gate(d[: last.n], low=-1, high=1, null=-0.03, alternative="greater")
    before = ef.infer.item_gate(d[: last.n - 1], low=-1, high=1, null=-0.03, alternative="greater")
    assert here.pvalue <= 0.05 < before.pvalue
    assert last.capital == pytest.approx(1 / float(here.pvalue))
    assert last.improvement == pytest.approx(d[: last.n].mean())


def test_nothing_is_asked_for_after_the_decision() -> None:
    asked = []

    def made() -> Iterator[tuple[int, int]]:
        for i in range(10_000):
            asked.append(i)
            yield 1, 1

    *_, last = ef.infer.gate_items(made(), margin=0.03)
    assert len(asked) == last.n < 200


def gate(broke: float, fixed: float, streams: int) -> tuple[float, float, float]:
    """The share of 1319 items that is looked at, and of streams that pass and fail, margin .03."""
    rng = np.random.default_rng(28)
    u = rng.random((streams, 1319))
    kinds = [u < broke, u >= broke + fixed, (u >= broke) & (u < broke + fixed)]
    counts = np.cumsum(np.stack(kinds, axis=-1), axis=1, dtype=float)
    ends = []
    for above in (True, False):
        won = log_capital(
            VALUES, counts, np.asarray(-0.03), low=-1.0, high=1.0, above=above
        ) >= np.log(20)
        ends.append(np.where(won.any(axis=1), won.argmax(axis=1) + 1, 1320))
    up, down = ends
    used = np.minimum(np.minimum(up, down), 1319) / 1319
    return float(used.mean()), float((up < down).mean()), float((down < up).mean())


def test_it_stops_after_less_than_three_tenths_of_the_items_where_models_are_alike() -> None:
    used, passed, failed = gate(0.02, 0.02, 200)
    assert used < 0.30
    assert passed > 0.98
    assert failed == 0


@pytest.mark.parametrize(("broke", "fixed"), [(0.03, 0.0), (0.05, 0.02), (0.265, 0.235)])
def test_it_holds_its_level_where_b_is_worse_by_the_margin(broke: float, fixed: float) -> None:
    _, passed, failed = gate(broke, fixed, 300)
    error = 3 * np.sqrt(0.05 * 0.95 / 300)
    assert passed < 0.05 + error
    assert failed < 0.05 + error


def test_losses_are_better_where_they_are_lower() -> None:
    wrong = ((1 - a, 1 - b) for a, b in answers(stream_of(0.02, 0.02, seed=3)))
    *_, turned = ef.infer.gate_items(wrong, margin=0.03, higher_is_better=False)
    *_, plain = ef.infer.gate_items(answers(stream_of(0.02, 0.02, seed=3)), margin=0.03)
    assert turned.n == plain.n
    assert turned.capital == pytest.approx(plain.capital)


@pytest.mark.parametrize(
    ("items", "asked", "message"),
    [
        ([(1, 2)], {"margin": 0.1}, "2 at item 1"),
        ([(1, 0), ("x", 0)], {"margin": 0.1}, "at item 2"),
        ([3], {"margin": 0.1}, "pairs of numbers"),
        ([(0, 0)], {"margin": 1.0}, "below the range"),
        ([(0, 0)], {"margin": 0.1, "low": 1, "high": 0}, "high must be above low"),
        ([(float("nan"), 0)], {"margin": 0.1}, "nan at item 1"),
    ],
)
def test_refusals(items: Any, asked: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        list(ef.infer.gate_items(items, **asked))


def table(d: Any) -> dict[str, Any]:
    a, b = np.array(list(answers(d))).T
    return {"main": a, "branch": b}


GATE: dict[str, Any] = {
    "rows": "examples", "measure": "accuracy", "alternative": "not-worse", "margin": 0.03,
    "stop_early": True,
}  # fmt: skip


def test_judge_stops_early_and_says_where() -> None:
    c = ef.judge(table(stream_of(0.02, 0.02)), **GATE)
    assert c.estimate.method == "item-gate"
    assert c.verdict.outcome.value in ("not worse", "equivalent")
    n = c.losses.partition.n
    assert n < 900
    assert any(
        f"{n} of 1,319 items were looked at in random order (seed 0)" in str(note)
        for note in c.notes
    )
    assert c.facts.power == ()  # of so few items it says nothing: the gate would have gone on
    other = ef.judge(table(stream_of(0.02, 0.02)), **GATE, random_state=5)
    assert "stop_early=True" in other.facts.call
    assert "random_state=5" in other.facts.call


def test_judge_finds_what_is_worse_early() -> None:
    c = ef.judge(table(stream_of(0.09, 0.0)), **GATE)
    assert c.verdict.outcome.value == "worse"
    assert c.losses.partition.n < 500


def test_judge_leaves_open_what_no_item_settles() -> None:
    c = ef.judge(table(stream_of(0.03, 0.0, n=100)), **GATE)
    assert c.verdict.outcome.value == "inconclusive"
    assert any("They leave the question open" in str(note) for note in c.notes)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"alternative": "two-sided"}, "stop_early answers whether B is not worse"),
        ({"measure": "squared"}, "known range"),
        ({"power_at": 0.06}, "power_at must be left out with stop_early but got 0.06"),
    ],
)
def test_what_cannot_stop_early_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        ef.judge(table(stream_of(0.02, 0.02, n=50)), **{**GATE, **change})


def test_three_algorithms_do_not_stop_early() -> None:
    three = {**table(stream_of(0.02, 0.02, n=50)), "third": np.ones(50)}
    with pytest.raises(
        InvalidInput, match="stop_early compares two algorithms but the table has 3"
    ):
        ef.judge(three, **GATE)
