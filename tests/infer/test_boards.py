"""Rank sets of leaderboards."""

from itertools import product
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.infer.boards import AGGREGATES, pseudo_values

RNG = np.random.default_rng(0)


def board(tasks: int, models: int, spread: float, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    return (
        rng.normal(size=(tasks, 1))
        + np.linspace(0, spread, models)
        + rng.normal(size=(tasks, models))
    )


def test_two_models_are_told_apart_as_by_the_sign_flip_test_that_counts_all_signs() -> None:
    """With one pair the adjusted p-value is that of the exact sign test (Fisher's, two-sided)."""
    values = board(9, 2, 1.5)
    d = values[:, 1] - values[:, 0]
    flips = np.array([*product((-1, 1), repeat=9)]) @ d
    exact = np.mean(np.abs(flips) >= abs(d.sum()) - 1e-12)
    sets = ef.infer.rank_sets(values, lower_is_better=False)
    assert sets.pvalue[1, 0] == pytest.approx(exact)


def test_all_pairs_are_the_largest_of_them_under_all_signs() -> None:
    """The single step against a plain loop over all 2⁸ signs."""
    values = board(8, 4, 0.5)
    signs = np.array([*product((-1, 1), repeat=8)])
    largest = np.zeros(len(signs))
    found = {}
    for i in range(4):
        for j in range(4):
            if i == j:
                continue
            d = values[:, i] - values[:, j]
            largest = np.maximum(largest, signs @ d / np.sqrt((d**2).sum()))
            found[i, j] = d.sum() / np.sqrt((d**2).sum())
    sets = ef.infer.rank_sets(values, lower_is_better=False)
    smallest = min(found, key=lambda pair: -found[pair])  # the first that the steps look at
    expected = np.mean(largest >= found[smallest] - 1e-12)
    assert sets.pvalue[smallest] == pytest.approx(expected)


def test_five_tasks_decide_nothing_and_six_can() -> None:
    assert not ef.infer.rank_sets(board(5, 2, 50.0), lower_is_better=False).better.any()
    assert ef.infer.rank_sets(board(6, 2, 50.0), lower_is_better=False).better[1, 0]


def test_rank_sets_count_decisions_and_tiers_never_join_who_was_told_apart() -> None:
    sets = ef.infer.rank_sets(board(40, 12, 4.0), lower_is_better=False)
    assert (sets.first == 1 + sets.better.sum(axis=0)).all()
    assert (sets.last == 12 - sets.better.sum(axis=1)).all()
    assert (sets.marginal_first >= sets.first).sum() >= 11  # one model by itself is known better
    for i, j in zip(*np.nonzero(sets.better), strict=True):
        assert sets.tiers[i] < sets.tiers[j]
        assert sets.value[i] > sets.value[j]
    assert sets.resolved <= 11


def test_direction_and_units_do_not_matter() -> None:
    values = board(20, 6, 2.0)
    up = ef.infer.rank_sets(values, lower_is_better=False)
    down = ef.infer.rank_sets(1000 - 7 * values, lower_is_better=True)
    assert (up.better == down.better).all()
    assert up.first.tolist() == down.first.tolist()


def test_identical_models_are_tied_and_a_constant_gap_is_not_certain() -> None:
    values = board(5, 1, 0.0)
    same = np.hstack([values, values, values + 1.0])
    sets = ef.infer.rank_sets(same, lower_is_better=False)
    assert not sets.better.any()  # a gap without spread on five tasks has a chance of 1/16
    assert sets.pvalue[2, 0] == pytest.approx(2 / 32)
    assert sets.pvalue[0, 1] == 1


def test_weights_of_zero_leave_tasks_out_and_equal_ones_change_nothing() -> None:
    values = board(10, 4, 2.0)
    assert ef.infer.rank_sets(values, weights=np.full(10, 3.0)).value == pytest.approx(
        values.mean(axis=0)
    )
    half = np.repeat([1.0, 0.0], [8, 2])
    weighted = ef.infer.rank_sets(values, weights=half)
    fewer = ef.infer.rank_sets(values[:8])
    assert weighted.value == pytest.approx(fewer.value)
    assert weighted.pvalue == pytest.approx(fewer.pvalue)


def test_holes_leave_pairs_the_tasks_that_both_have() -> None:
    values = board(10, 3, 2.0)
    holes = values.copy()
    holes[:3, 2] = np.nan
    sets = ef.infer.rank_sets(holes, lower_is_better=False)
    # the gap of two models that both have all tasks is that of their means
    assert sets.value[1] - sets.value[0] == pytest.approx(values[:, 1].mean() - values[:, 0].mean())
    apart = values.copy()
    apart[:5, 1:] = np.nan
    apart[5:, 0] = np.nan
    with pytest.raises(ef.EvenfoldError, match="share no task"):
        ef.infer.rank_sets(apart)


def test_values_with_holes_are_least_squares_of_tasks_and_models() -> None:
    values = board(7, 4, 1.0)
    holes = np.where(np.random.default_rng(1).random(values.shape) < 0.25, np.nan, values)
    rows = []
    known = []
    for t, k in product(range(7), range(4)):
        if np.isfinite(holes[t, k]):
            rows.append(np.concatenate([np.eye(7)[t], np.eye(4)[k]]))
            known.append(holes[t, k])
    fit = np.linalg.lstsq(np.array(rows), np.array(known), rcond=None)[0]
    found = ef.infer.rank_sets(holes).value
    filled = np.where(np.isnan(holes), fit[:7, None] + fit[7:], holes)
    assert found == pytest.approx(filled.mean(axis=0))


@pytest.mark.parametrize("key", AGGREGATES)
def test_every_aggregate_gives_each_task_something_whose_order_is_that_of_values(key: str) -> None:
    values = board(1, 6, 2.0)
    lower = AGGREGATES[key].lower_is_better
    each = ef.infer.on_each_task(values, key, lower_is_better=False)
    turned = -each if lower else each
    assert np.argsort(turned[0]).tolist() == np.argsort(values[0]).tolist()
    low, high = AGGREGATES[key].ends(6)
    assert (each >= low).all()
    assert (each <= high).all()


def test_mean_ranks_are_those_of_scipy() -> None:
    from scipy.stats import rankdata

    values = np.round(board(15, 5, 1.0), 1)
    ours = ef.infer.on_each_task(values, "mean-rank", lower_is_better=True)
    assert ours == pytest.approx(rankdata(values, axis=1))


def test_pseudo_values_of_a_mean_are_the_values() -> None:
    values = board(6, 3, 1.0)
    assert pseudo_values(values, lambda x: x.mean(axis=0)) == pytest.approx(values)
    geometric = pseudo_values(np.exp(values), lambda x: np.log(x).mean(axis=0))
    assert geometric == pytest.approx(values)
    with pytest.raises(ef.EvenfoldError, match="3 finite numbers"):
        pseudo_values(values, lambda x: x.mean())


def test_medians_of_equal_models_are_not_said_to_differ() -> None:
    """Medians jump: leaving one task out decided some pair on every other board."""
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(40):
        values = rng.lognormal(0.0, 0.5, (13, 1)) * rng.lognormal(0.0, 0.3, (13, 6))
        each = pseudo_values(values, lambda x: np.median(x, axis=0))
        assert each.mean(axis=0) == pytest.approx(np.median(values, axis=0))
        wrong += bool(ef.infer.rank_sets(each).better.any())
    assert wrong <= 6  # at .05 more are seen once in a thousand times


def test_estimates_with_a_covariance_have_the_studentised_range_of_scipy() -> None:
    """Independent estimates of one variance: the adjusted p-value of the widest pair is Tukey's."""
    from scipy.stats import studentized_range

    estimates = np.array([0.0, 0.5, 3.3])
    sets = ef.infer.rank_sets_of(estimates, np.eye(3), lower_is_better=False)
    tukey = studentized_range.sf(3.3, 3, np.inf)
    assert sets.pvalue[2, 0] == pytest.approx(
        tukey, abs=4 * np.sqrt(tukey * (1 - tukey) / 4000) + 1e-3
    )
    alone = ef.infer.rank_sets_of([0.0, 2.5], np.eye(2), df=3.0)
    from scipy.stats import t

    p = 2 * t.sf(2.5 / np.sqrt(2), 3)
    assert alone.pvalue[0, 1] == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / 4000) + 1e-3)


def test_a_further_task_lies_between_order_statistics_of_ranks() -> None:
    values = board(39, 4, 1.0)
    low, high = ef.infer.further_ranks(values, lower_is_better=False)
    ranks = np.sort(ef.infer.on_each_task(values, "mean-rank", lower_is_better=False), axis=0)
    assert (low == ranks[0]).all()
    assert (high == ranks[-1]).all()
    low, high = ef.infer.further_ranks(values[:38], lower_is_better=False)
    assert low.tolist() == [1] * 4
    assert high.tolist() == [4] * 4


def test_equal_models_are_seldom_told_apart() -> None:
    rng = np.random.default_rng(7)
    wrong = sum(
        ef.infer.rank_sets(rng.standard_t(3, size=(10, 6))).better.any() for _ in range(200)
    )
    assert wrong <= 20  # 10 expected; more than 20 has a chance below .002


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"values": [[1.0, 2.0]]}, "data sets ≥ 2"),
        ({"values": board(4, 3, 1.0), "level": 2}, "level must be"),
        ({"values": board(4, 3, 1.0), "weights": [1, 2]}, "4 numbers ≥ 0"),
    ],
)
def test_odd_boards_are_refused(options: Any, said: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=said):
        ef.infer.rank_sets(**options)


def test_a_table_without_any_value_is_refused() -> None:
    with pytest.raises(ef.InvalidInput, match="values must hold at least one value"):
        ef.infer.on_each_task(np.full((5, 2), np.nan), "win-rate")
