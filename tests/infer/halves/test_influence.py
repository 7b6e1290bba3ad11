"""The influence test: its parts by other roads, exact models, and where it refuses."""

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from scipy.linalg import hadamard
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.errors import DegenerateData, InvalidInput, NotApplicable
from evenfold.core.estimate import PivotEstimate
from evenfold.core.losses import Losses
from evenfold.infer.halves.influence import Halvings, Parts
from evenfold.infer.inputs import AllTested, Question

influence_t = ef.infer.mx2_influence_t


def _sides(m: int, n: int) -> np.ndarray:
    """Who is tested first in the full m×2 BCV with m + 1 equal blocks."""
    table = hadamard(m + 1)[:, 1:].T > 0
    sides: np.ndarray = np.repeat(table, n // (m + 1), axis=1)
    return sides


def _losses(m: int = 7, n: int = 40, batch: tuple[int, ...] = (), seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    losses: np.ndarray = (
        0.3
        + rng.normal(size=(*batch, 1, n))
        + rng.normal(size=(*batch, m, 1))
        + rng.normal(size=(*batch, m, n))
    )
    return losses


def _first_order(g: np.ndarray, h: np.ndarray, sides: np.ndarray, mean: float = 0.2) -> np.ndarray:
    """μ + g_i + Σ h_j over the training examples j, which are tested on the other side than i."""
    signs = np.where(sides, 1.0, -1.0)
    trained = (signs[:, :, None] != signs[:, None, :]).astype(float)
    losses: np.ndarray = mean + g + trained @ h
    return losses


def _parts(e: np.ndarray, sides: np.ndarray) -> Parts:
    return Halvings(e, sides).parts(len(sides))


def _by_hand(e: np.ndarray, sides: np.ndarray) -> dict[str, float]:
    """μ̂, T, R, W, U and Q with one loop per sum."""
    m, n = e.shape
    halves = [(e[r][sides[r]].mean(), e[r][~sides[r]].mean()) for r in range(m)]
    means = [(a + b) / 2 for a, b in halves]
    influence, training = [], []
    for k in range(m):
        f = [(e[r][sides[k]].mean() - e[r][~sides[k]].mean()) / 2 for r in range(m)]
        others = np.mean([f[r] for r in range(m) if r != k])
        influence.append((2 * others - f[k]) ** 2)
        training.append((f[k] - others) ** 2)
    return {
        "mean": float(np.mean(means)),
        "test": float(np.var([e[:, i].mean() for i in range(n)], ddof=1) / n),
        "repetition": float(np.var(means, ddof=1)),
        "flips": float(np.mean([np.var(e[:, i], ddof=1) for i in range(n)]) / n),
        "influence": float(np.mean(influence)),
        "training": float(np.mean(training)),
    }


@pytest.mark.parametrize(("m", "n"), [(3, 12), (7, 40), (5, 33)])
def test_parts_are_what_they_are_said_to_be(m: int, n: int) -> None:
    sides = np.random.default_rng(m).permuted(np.arange(n) < n // 2 * np.ones((m, 1)), axis=1)
    e = _losses(m, n)
    parts = _parts(e, sides)
    for name, expected in _by_hand(e, sides).items():
        assert_allclose(getattr(parts, name), expected, rtol=1e-11, err_msg=name)
    e_bar = e.mean(axis=0)
    kurtosis = stats.moment(e_bar, 4) / e_bar.var(ddof=1) ** 2
    assert_allclose(parts.test_df, min(n - 1, 2 * n / (kurtosis - 1)), rtol=1e-12)
    assert_allclose(
        parts.pooled, (m - 1) * (parts.repetition + parts.training) / (2 * m - 1), rtol=1e-12
    )


def test_groups_are_units_of_their_own() -> None:
    sides, groups = _sides(7, 64), np.arange(64) // 4
    e = _losses(7, 64)
    by_group = Halvings(e, sides, clusters=groups).parts(7)
    means = e.reshape(7, 16, 4).mean(axis=2)
    assert_allclose(by_group.test, means.mean(axis=0).var(ddof=1) / 16, rtol=1e-12)
    assert_allclose(by_group.flips, means.var(axis=0, ddof=1).mean() / 16, rtol=1e-12)
    assert_allclose(by_group.repetition, _parts(e, sides).repetition, rtol=1e-12)
    shuffled = np.random.default_rng(0).permutation(64)
    moved = Halvings(e[:, shuffled], sides[:, shuffled], clusters=groups[shuffled] * 7 - 3).parts(7)
    assert_allclose(moved.test, by_group.test, rtol=1e-11)


@pytest.mark.parametrize("m", [3, 7, 15])
def test_influence_part_is_least_squares_on_the_factorial_model(m: int) -> None:
    """U is s²(Î)/B of T_rb = μ + g_b + Σ h_c over the blocks c that trained (least squares)."""
    B = m + 1
    sides, rng = _sides(m, 2 * B), np.random.default_rng(m)
    e = rng.normal(size=(m, 2 * B))
    blocks = e.reshape(m, B, 2).mean(axis=2)
    signs = hadamard(B)[:, 1:].T
    trained = signs[:, :, None] != signs[:, None, :]  # repetition, tested block, training block
    X = np.concatenate([np.broadcast_to(np.eye(B), (m, B, B)), trained], axis=2).reshape(
        m * B, 2 * B
    )
    g, h = np.split(np.linalg.lstsq(X, blocks.ravel(), rcond=None)[0], 2)
    influence = g + B / 2 * h
    assert_allclose(_parts(e, sides).influence, influence.var(ddof=1) / B, rtol=1e-10)


@pytest.mark.parametrize("m", [3, 7])
def test_first_order_losses_have_equal_repetitions_and_exact_influence(m: int) -> None:
    n, rng = 8 * (m + 1), np.random.default_rng(m)
    g, h = rng.normal(size=n), rng.normal(size=n) / n
    sides = _sides(m, n)
    parts = _parts(_first_order(g, h, sides), sides)
    influence = g + n / 2 * h
    assert_allclose(parts.mean, 0.2 + influence.mean(), rtol=1e-12)
    assert_allclose(parts.repetition, 0, atol=1e-28)
    contrasts = np.where(sides, influence, -influence).mean(axis=1)
    assert_allclose(parts.influence, np.mean(contrasts**2), rtol=1e-10)


def test_fewer_repetitions_give_fewer_contrasts_of_the_same_influence() -> None:
    n, rng = 64, np.random.default_rng(1)
    g, h = rng.normal(size=n), rng.normal(size=n) / n
    sides = _sides(15, n)[:5]
    parts = _parts(_first_order(g, h, sides), sides)
    influence = g + n / 2 * h
    contrasts = np.where(sides, influence, -influence).mean(axis=1)
    assert_allclose(parts.influence, np.mean(contrasts**2), rtol=1e-10)


def _second_order(m: int, n: int, **moments: float) -> dict[str, float]:
    """
    Var μ̂, E R, E U and T's share for losses made of k(i, j) and q(j, l), by counting pairs.

    Each of μ̂, the repetition means, the contrasts and ē is a sum Σ a_ij k_ij + Σ b_jl q_jl; only
    the weights are needed.
    """
    signs = np.where(_sides(m, n), 1.0, -1.0)
    same = (signs[:, :, None] == signs[:, None, :]).astype(float)
    opposite, same = 1 - same, same * (1 - np.eye(n))

    def variance(a: np.ndarray, b: np.ndarray) -> float:
        upper = np.triu_indices(n, 1)
        a1, a2, b = a[upper], a.T[upper], b[upper]
        return float(
            moments["kk"] * (a1**2 + a2**2).sum()
            + 2 * moments["swapped"] * (a1 * a2).sum()
            + moments["qq"] * (b**2).sum()
            + 2 * moments["kq"] * (b * (a1 + a2)).sum()
        )

    means = [(opposite[r] / n, same[r] / 2) for r in range(m)]
    mean = np.mean([a for a, _ in means], axis=0), np.mean([b for _, b in means], axis=0)
    contrasts = []
    for k in range(m):
        others = np.delete(opposite, k, axis=0).mean(axis=0) * signs[k][:, None] / n
        own = opposite[k] * signs[k][:, None] / n, -same[k] * signs[k][:, None] / 2
        contrasts.append(variance(2 * others - own[0], -own[1]))
    return {
        "mean": variance(*mean),
        "R": sum(variance(a - mean[0], b - mean[1]) for a, b in means) / (m - 1),
        "U": float(np.mean(contrasts)),
        "T": moments["kk"] * float((opposite.mean(axis=0) ** 2).sum(axis=1).mean()) / n,
    }


@pytest.mark.parametrize("m", [3, 7])
@pytest.mark.parametrize(
    "moments",
    [
        {"kk": 1.0, "swapped": 0.0, "qq": 0.0, "kq": 0.0},
        {"kk": 1.0, "swapped": 0.6, "qq": 0.0, "kq": 0.0},
        {"kk": 0.0, "swapped": 0.0, "qq": 1.0, "kq": 0.0},
        {"kk": 2.0, "swapped": 0.5, "qq": 3.0, "kq": 0.4},
    ],
)
def test_reference_second_order_expectations_of_the_page(m: int, moments: dict[str, float]) -> None:
    n = 256
    scaled = moments | {"qq": moments["qq"] / n**2, "kq": moments["kq"] / n}
    found = _second_order(m, n, **scaled)
    pairs = (moments["kk"] + moments["swapped"]) / 4 + moments["qq"] / 32
    V2, R = pairs + moments["kq"] / 4, pairs - moments["kq"] / 4
    assert_allclose(found["R"], R, rtol=8 / n)
    assert_allclose(found["mean"], V2 + R / m, rtol=8 / n + 0.01)
    assert_allclose(found["T"], (1 + 1 / m) * moments["kk"] / 4, rtol=1e-9)


def test_reference_influence_counts_the_second_order_twice_with_many_repetitions() -> None:
    n = 256
    moments = {"kk": 2.0, "swapped": 0.5, "qq": 3.0 / n**2, "kq": 0.4 / n}
    excess = [
        abs(_second_order(m, n, **moments)["U"] / (2 * (2.5 / 4 + 3 / 32 + 0.1)) - 1)
        for m in (7, 15, 31)
    ]
    assert excess[0] > excess[1] > excess[2]
    assert excess[2] < 0.1


def _made(
    test: float, repetition: float, *, flips: float, training: float = 1.4, influence: Any = 0.0
) -> Parts:
    one = np.ones_like(influence)
    return Parts(
        m=7, mean=0 * one, test=test * one, test_df=100.0 * one, repetition=repetition * one,
        flips=flips * one, influence=influence * one, halves=0 * one, training=training * one,
        differ=50.0 * one, largest=one, held=0 * one,
        trimmed=0 * one, n=100,
    )  # fmt: skip


def _variance(T: float, P: float, W: float, X: float = 0.0, m: int = 7) -> float:
    C, t = max(P - W, 0), max(T - W / m, 0)
    E, D = 2.5 * C + W / 4 + X, max(C - W, 0)
    return T + C / m + float(np.sqrt(t**2 + 2 * t * E + D**2)) - t


@pytest.mark.parametrize(("flips", "U"), [(0.9, 0.0), (0.3, 0.0), (0.3, 3.8), (2.0, 0.0)])
def test_variance_and_df_by_hand(flips: float, U: float) -> None:
    parts = _made(2.0, 1.4, flips=flips, influence=U)
    P, X = 6 * 2.8 / 13, max(U - 1.4 - 2.0, 0)
    variance, df = parts.variance()
    assert_allclose(variance, _variance(2, P, flips, X), rtol=1e-12)
    # Satterthwaite: 2V²/Var V, derivatives taken numerically; X is known better than P and counts
    # as fixed
    dT = (_variance(2 + 1e-6, P, flips, X) - _variance(2 - 1e-6, P, flips, X)) / 2e-6
    dP = (_variance(2, P + 1e-6, flips, X) - _variance(2, P - 1e-6, flips, X)) / 2e-6
    spread = dT**2 * 2 * 2**2 / 100 + dP**2 * 2 * P**2 / 13
    assert_allclose(df, 2 * variance**2 / spread, rtol=1e-5)


def test_a_large_influence_part_overrules_with_m_df() -> None:
    noise = 2 * 8 / 6 * 1.4
    U = np.array([5.0, 50.0, 5000.0])
    usual = np.array([_variance(2, 6 * 2.8 / 13, 0.9, u - 3.4) for u in U])
    allowed = stats.f.ppf(0.9, 7, 1e9) * usual + stats.f.ppf(0.9, 7, 6) * noise
    over = allowed < U
    assert over.tolist() == [False, True, True]
    variance, df = _made(2.0, 1.4, flips=0.9, influence=U).variance()
    assert_allclose(variance, np.where(over, U - noise, usual), rtol=1e-6)
    assert_array_equal(df <= 7, over)


def test_parts_after_more_repetitions_and_examples() -> None:
    parts = _made(2.0, 1.4, flips=0.7)
    assert_allclose(parts.after(9).test, 2 - 0.7 * (1 / 7 - 1 / 9), rtol=1e-12)
    four = parts.after(7, 4.0)
    assert_allclose(four.variance()[0], parts.variance()[0] / 4, rtol=1e-12)
    assert four.n == 400
    fall = "test", "repetition", "flips", "influence", "halves", "training"
    known = replace(parts, halves=parts.test + 1)
    for name in fall:
        assert_allclose(getattr(known.after(7, 4.0), name), getattr(known, name) / 4, rtol=1e-12)
    assert [float(four.differ), float(four.test_df)] == [200, 400]


@pytest.mark.parametrize(("U", "over"), [(30.0, False), (100.0, True)])
def test_what_chance_allows_a_pilot_is_no_sign_with_more_repetitions(U: float, over: bool) -> None:
    """30 is within what three contrasts may show by chance, and far beyond what nine may."""
    pilot = replace(_made(2.0, 1.4, flips=0.7, influence=U), m=3)
    assert (pilot.variance()[1] <= 3) == over
    assert replace(pilot, m=9).variance()[1] <= 9  # as if nine had been seen
    later = pilot.after(9)
    assert (later.variance()[1] <= 9) == over
    assert (later.after(5, 2.0).variance()[1] <= 5) == over
    assert later.variance()[0] <= pilot.variance()[0]


def test_a_step_is_what_two_examples_could_change_and_scores_count_by_their_df() -> None:
    e = _losses()
    found = Halvings(e, _sides(7, 40)).parts(7)
    assert_allclose(found.step, 2 * np.abs(e).max() / 40, rtol=1e-12)
    assert found.differ == 40
    scores = Halvings(e, _sides(7, 40), zeros=False).parts(7)
    assert_allclose(scores.differ, scores.test_df / 2, rtol=1e-12)
    assert Halvings(np.where(np.arange(40) < 6, e, 0.0), _sides(7, 40)).parts(7).differ == 6


def _sparse(k: int, n: int = 64) -> np.ndarray:
    """Losses that differ from 0 on k examples only, one way, in different blocks."""
    e = np.zeros((7, n))
    e[:, np.arange(k) * 13 % n] = 1.0
    return e


@pytest.mark.parametrize("k", [1, 4, 9])
def test_fewer_than_ten_examples_that_differ_get_the_safe_test(k: int) -> None:
    sides = _sides(7, 64)
    e = _sparse(k)
    halves = np.array([[row[s].mean(), row[~s].mean()] for row, s in zip(e, sides, strict=True)])
    few, safe = influence_t(e, sides), ef.infer.mx2_t(halves)
    assert_allclose(few.value, safe.value, rtol=1e-12)
    assert few.standard_error >= safe.standard_error * (1 - 1e-12)
    assert few.df <= 13
    assert few.undecided == ""
    assert few.remark.startswith("the difference rests on fewer than 10 examples in effect, so")
    low, high = few.confidence_interval()
    assert (low <= 0 <= high) == (few.pvalue > 0.05)
    enough = influence_t(_sparse(10), sides)
    assert enough.pvalue < 0.01
    assert enough.remark == ""


def test_a_few_examples_are_nearly_the_sign_test() -> None:
    """Four that differ one way prove nothing, nine do."""
    sides = _sides(7, 64)
    assert influence_t(_sparse(4), sides).pvalue > 0.05
    assert influence_t(_sparse(9), sides).pvalue < 0.05


def _outweighed(n: int = 256, k: int = 8, rest: float = -0.1) -> np.ndarray:
    """K large losses, and the others, which nearly agree, on the other side of 0."""
    e = np.full((7, n), rest) + 0.01 * np.random.default_rng(0).normal(size=n)
    e[:, np.arange(k) * (n // k)] = 20.0
    return e


def test_a_few_that_outweigh_all_others_withhold_the_verdict_and_nothing_else() -> None:
    found = influence_t(_outweighed(), _sides(7, 256))
    assert found.undecided == (
        "a few examples outweigh all others: without the 10 largest the difference has the other "
        "sign, "
        "so that none is claimed"
    )
    assert found.value > 0
    expected = 2 * stats.t.sf(found.value / found.standard_error, found.df)
    assert_allclose(found.pvalue, expected, rtol=1e-9)
    assert found.pvalue < 0.05
    reach = stats.t.ppf(0.975, found.df) * found.standard_error
    assert_allclose(
        found.confidence_interval(), [found.value - reach, found.value + reach], rtol=1e-9
    )


def test_where_the_sign_stays_without_the_largest_nothing_is_withheld() -> None:
    """However large the outliers are: all others say the same."""
    sides = _sides(7, 256)
    assert influence_t(_outweighed(rest=0.1), sides).undecided == ""
    assert influence_t(_outweighed(), sides, null=-0.2).undecided == ""
    assert influence_t(_outweighed(), sides, null=-0.05).undecided
    assert influence_t(_outweighed(k=12), sides).undecided == ""


def test_what_the_test_does_not_reject_is_not_said_to_be_withheld() -> None:
    """Three outliers and others on the other side: the interval holds 0 by itself."""
    found = influence_t(_outweighed(k=3), _sides(7, 256))
    assert not found.decidable
    assert found.pvalue > 0.05
    assert found.undecided == ""
    assert found.at(0.5).undecided


def test_ten_that_agree_and_no_other_that_differs_are_not_outweighed() -> None:
    """Without them nothing is left, which is no other sign."""
    e = np.zeros((7, 256))
    for i in range(10):
        e[: 1 + i % 7, i * 25] = 1.0
    found = influence_t(e, _sides(7, 256))
    assert not found.few
    assert found.decidable


def test_the_mean_without_the_ten_farthest_by_hand() -> None:
    e = _losses(batch=(20,))
    bar = e.mean(axis=-2)
    order = np.argsort(np.abs(bar - bar.mean(axis=-1, keepdims=True)), axis=-1)
    left = np.take_along_axis(bar, order[:, :30], axis=-1).mean(axis=-1)
    assert_allclose(Halvings(e, _sides(7, 40)).parts(7).trimmed, left, rtol=1e-9)


def test_the_guard_begins_where_chance_ends() -> None:
    """At F(.9; m, ∞)·T + F(.9; m, m − 1)·N, by SciPy's own quantiles."""
    T, R, m = 2.0, 1.4, 7
    noise = 2 * (m + 1) / (m - 1) * R
    allowed = stats.chi2.ppf(0.9, m) / m * T + stats.f.ppf(0.9, m, m - 1) * noise
    _, df = _made(T, R, flips=0.9, influence=allowed * np.array([1 - 1e-6, 1 + 1e-6])).variance()
    assert (df <= m).tolist() == [False, True]


def test_the_rule_of_tails_begins_below_the_df_of_ten_examples_and_at_another_sign() -> None:
    """f = 20 is what ten examples alike give T."""
    df = np.array([20 - 1e-9, 20.0])
    parts = replace(_made(2.0, 1.4, flips=0.7, influence=np.zeros(2)), mean=np.ones(2), test_df=df)
    for trimmed, asked in ((-1e-9, [True, False]), (1e-9, [False, False])):
        assert replace(parts, trimmed=np.full(2, trimmed)).is_outweighed(0.0).tolist() == asked
    assert not replace(parts, trimmed=-np.ones(2), differ=np.full(2, 9.0)).is_outweighed(0.0).any()


def test_whole_models_vary_where_shifts_exceed_flips() -> None:
    """P = 6·2.8/13 of these parts, and C = P − W exceeds W below P/2."""
    edge = 6 * 2.8 / 13 / 2
    for flips, whole in ((edge * (1 - 1e-6), True), (edge * (1 + 1e-6), False)):
        assert bool(_made(2.0, 1.4, flips=flips).whole_models) is whole


def test_few_outweigh_all_others_less_and_less_as_examples_are_added() -> None:
    """The same law of losses, the same kurtosis."""
    one = _outweighed()
    for times, silent in ((1, True), (2, False), (32, False)):
        found = influence_t(np.tile(one, times), _sides(7, 256 * times))
        assert bool(found.undecided) == silent


def test_differences_of_right_and_wrong_are_never_outweighed() -> None:
    rng = np.random.default_rng(2)
    e = np.sign(rng.normal(size=(300, 1, 64))) * (
        rng.random((300, 7, 64)) < rng.uniform(0.1, 1, (300, 1, 1))
    )
    assert not influence_t(e, _sides(7, 64)).undecided


def _tailed(n: int, outlier: float) -> np.ndarray:
    e = np.repeat(np.abs(np.random.default_rng(0).normal(size=(1, n))), 7, axis=0)
    e[:, 0] = outlier
    return e


def test_one_example_that_holds_a_third_of_the_spread_is_named() -> None:
    # Σ|d − d̄| of 63 zeros and one outlier is twice the outlier's own part
    found = influence_t(_tailed(64, 1e6), _sides(7, 64))
    assert found.note == "one example holds 50% of the spread, so that the answer hangs on it"
    assert influence_t(_tailed(64, 5.0), _sides(7, 64)).note == ""
    said = []
    for outlier in (8.0, 12.0, 16.0, 20.0, 25.0, 30.0, 60.0):
        e = _tailed(64, outlier)[0]
        away = np.abs(e - e.mean())
        found = influence_t(_tailed(64, outlier), _sides(7, 64))
        assert_allclose(found.held, away.max() / away.sum(), rtol=1e-12)
        assert bool(found.note) == (3 * away.max() > away.sum())
        said.append(bool(found.note))
    assert set(said) == {True, False}
    # of which fewer than ten differ at all
    assert influence_t(_sparse(1), _sides(7, 64)).note == ""


def test_interval_inverts_the_test() -> None:
    e = influence_t(_losses(), _sides(7, 40))
    low, high = e.confidence_interval(0.95)
    for limit in (low, high):
        assert_allclose(
            influence_t(_losses(), _sides(7, 40), null=float(limit)).pvalue, 0.05, rtol=1e-9
        )


def test_value_is_the_mean_of_the_holdouts_for_odd_halves() -> None:
    e, sides = (
        _losses(3, 21),
        np.array([np.arange(21) < 10, np.arange(21) % 2 == 0, np.arange(21) > 9]),
    )
    halves = np.array([[row[s].mean(), row[~s].mean()] for row, s in zip(e, sides, strict=True)])
    assert_allclose(influence_t(e, sides).value, ef.infer.mx2_t(halves).value, rtol=1e-12)


def test_shift_scale_sign_batch_and_alternatives() -> None:
    sides, e = _sides(7, 40), _losses(batch=(3, 4))
    one = influence_t(e, sides)
    moved = influence_t(e + 2.0, sides, null=2.0)
    assert_allclose(moved.standard_error, one.standard_error, rtol=1e-11)
    assert_allclose(moved.pvalue, one.pvalue, rtol=1e-9)
    for factor in (1e-6, 100.0, -1.0, 1e149):
        scaled = influence_t(factor * e, sides)
        assert_allclose(scaled.statistic, np.sign(factor) * one.statistic, rtol=1e-9)
        assert_allclose(scaled.df, one.df, rtol=1e-9)
    assert_allclose(influence_t(e, ~sides).pvalue, one.pvalue, rtol=1e-9)
    for i in np.ndindex(3, 4):
        assert_allclose(influence_t(e[i], sides).pvalue, one.pvalue[i], rtol=1e-9)
    up, down = (influence_t(e, sides, alternative=a).pvalue for a in ("greater", "less"))
    assert_allclose(up + down, 1, rtol=1e-12)
    assert_allclose(one.pvalue, 2 * np.minimum(up, down), rtol=1e-12)


def test_losses_that_are_all_0_decide_nothing() -> None:
    with pytest.warns(DegenerateData):
        found = influence_t(np.zeros((7, 40)), _sides(7, 40), null=1.0)
    assert found.pvalue == 1
    assert found.remark


def test_a_score_to_which_all_examples_matter_is_not_said_to_rest_on_those_that_differ() -> None:
    rng = np.random.default_rng(0)
    e = rng.normal(size=(7, 64)) * np.r_[np.full(4, 30.0), np.ones(60)]
    found = influence_t(e, _sides(7, 64), zeros=False)
    assert "fewer than 10 examples in effect" in found.remark
    assert "differ," not in found.remark


@pytest.mark.parametrize("constant", [0.1, -1e9])
def test_no_spread_is_p_1_at_the_null_and_0_elsewhere(constant: float) -> None:
    e, sides = np.full((2, 7, 40), constant), _sides(7, 40)
    with pytest.warns(DegenerateData, match="2 of 2"):
        same = influence_t(e, sides, null=constant)
    assert_array_equal(same.pvalue, 1)
    assert_allclose(same.confidence_interval(), constant, rtol=1e-12)
    with pytest.warns(DegenerateData):
        assert_array_equal(influence_t(e, sides, null=constant + 1).pvalue, 0)


# of some the mean is not what they are
@pytest.mark.parametrize("constant", [0.1, 0.125, -1e9 / 3])
def test_few_examples_without_spread_decide_nothing_whatever_the_constant(constant: float) -> None:
    sides = _sides(7, 8)
    for test in (influence_t,):
        with pytest.warns(DegenerateData):
            e, unit = test(np.full((7, 8), constant), sides), test(np.ones((7, 8)), sides)
        assert e.pvalue == 1
        assert "too few examples" in e.remark
        ends = sorted(end * constant for end in unit.confidence_interval())
        assert_allclose(e.confidence_interval(), ends, rtol=1e-9)


def test_repetitions_that_differ_as_a_whole_have_the_variance_of_whole_models() -> None:
    e = np.repeat(np.arange(7.0)[:, None], 40, axis=1)  # no spread between examples: T = 0
    found = influence_t(e, _sides(7, 40))
    R = np.arange(7.0).var(ddof=1)
    # both models of a repetition shift alike, so Q = 0; W = R/n; P = (m−1)R/(2m−1)
    C = 6 / 13 * R - R / 40
    assert_allclose(found.standard_error**2, C / 7 + C - R / 40, rtol=1e-12)


def test_bad_inputs_are_refused_by_name() -> None:
    e, sides = _losses(), _sides(7, 40)
    with pytest.raises(InvalidInput, match=r"losses must be of shape \(..., m, n\) with m ≥ 3"):
        influence_t(e[:2], sides[:2])
    with pytest.raises(InvalidInput, match=r"sides must be a bool array of shape \(7, 40\)"):
        influence_t(e, sides[:, :39])
    with pytest.raises(InvalidInput, match="sides must be a bool array"):
        influence_t(e, sides.astype(int))
    with pytest.raises(InvalidInput, match="row 2"):
        influence_t(e, np.where(np.arange(7)[:, None] == 2, True, sides))
    e[1, 3] = np.nan
    with pytest.raises(
        InvalidInput, match=r"losses must be finite but got nan at position \(1, 3\)"
    ):
        influence_t(e, sides)


def _run(design: Any, n: int = 50, measure: str = "zero-one", **keywords: Any) -> Losses:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(n, 2))
    y = (X[:, 0] + rng.normal(size=n) > 0).astype(int)
    pair = {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}
    return ef.compare(
        pair, X, y, design=design, method="mx2-t", measure=measure, random_state=0, **keywords
    ).losses


def _estimate(losses: Losses, **keywords: Any) -> PivotEstimate:
    found = ef.infer.estimate(losses, "mx2-influence-t", **keywords)
    assert isinstance(found, PivotEstimate)
    return found


@pytest.mark.parametrize("n", [48, 50, 53, 101])
def test_on_the_losses_of_a_run_with_loners(n: int) -> None:
    losses = _run(ef.Mx2BCV(7), n)
    found = _estimate(losses)
    assert_allclose(found.value, losses.differences().mean(), rtol=1e-12)
    # by another road: put the losses in place one by one
    e, sides = np.zeros((7, n)), np.zeros((7, n), dtype=bool)
    assert losses.examples is not None
    for j in range(14):
        for place, i in enumerate(losses.partition.test[j]):
            e[j // 2, i] = losses.examples[1][j][place] - losses.examples[0][j][place]
            sides[j // 2, i] = j % 2 == 0
    assert_allclose(found.pvalue, influence_t(e, sides).pvalue, rtol=1e-12)
    alone = _estimate(losses, challenger="tree", baseline=None)
    assert_allclose(alone.value, losses.values[0].mean(), rtol=1e-12)


def test_a_run_grows_from_three_to_seven_repetitions() -> None:
    errors = [_estimate(_run(ef.Mx2BCV(m), 200)).standard_error for m in (3, 7, 15)]
    assert all(0.5 < b / a < 2 for a, b in pairwise(errors))


def test_equal_models_are_not_different() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.arange(60) % 2
    models = [DummyClassifier(), DummyClassifier()]
    c = ef.compare(models, X, y, design=ef.Mx2BCV(7), method="mx2-influence-t", random_state=0)
    with pytest.warns(DegenerateData):
        assert _estimate(c.losses).pvalue == 1
    assert c.verdict.outcome.name == "INCONCLUSIVE"


def test_what_it_cannot_judge_is_refused_with_the_remedy() -> None:
    with pytest.raises(
        NotApplicable, match=r"needs at least 3 repetitions but got 2\. Use ef.Mx2BCV\(3\)"
    ):
        ef.infer.estimate(_run(ef.Mx2BCV(2)), "mx2-influence-t")
    with pytest.raises(NotApplicable, match="needs values per example, which measure 'rand_score'"):
        ef.infer.estimate(_run(ef.Mx2BCV(3), measure="rand_score"), "mx2-influence-t")
    with pytest.raises(NotApplicable, match="does not fit design 'kfold'"):
        ef.infer.select("mx2-influence-t", design="kfold")


def test_groups_of_a_run_are_its_units() -> None:
    rng = np.random.default_rng(0)
    X, y, groups = rng.normal(size=(60, 2)), np.arange(60) % 2, np.arange(60) // 3
    y = (X[:, 0] + rng.normal(size=60) > 0).astype(int)
    design = ef.Mx2BCV(3, balance="groups")
    pair = [GaussianNB(), DecisionTreeClassifier(random_state=0)]
    c = ef.compare(pair, X, y, design=design, groups=groups, random_state=0)
    assert c.facts.method.key == "mx2-influence-t"
    alone = _estimate(replace(c.losses, clusters=None))
    assert c.estimate.standard_error != alone.standard_error
    assert_allclose(c.estimate.value, alone.value)


@pytest.mark.parametrize("measure", ["squared", "f1", "auc"])
def test_weights_count_as_copies_do(measure: str) -> None:
    """
    Equal weights change nothing; the value is that of weighted scores.

    The unlike ones cost precision.
    """
    design, plain = ef.Mx2BCV(3), _estimate(_run(ef.Mx2BCV(3), 120, measure=measure))
    equal = _estimate(_run(design, 120, measure=measure, sample_weight=np.full(120, 2.0)))
    assert_allclose(equal.value, plain.value, rtol=1e-9)
    assert_allclose(equal.standard_error, plain.standard_error, rtol=1e-6)
    weights = np.random.default_rng(0).integers(1, 6, size=120).astype(float)
    losses = _run(design, 120, measure=measure, sample_weight=weights)
    if measure == "f1":
        assert losses.counts is not None
        tp, fp, fn = losses.counts.sum(axis=1).T
        a, b = 2 * tp / (2 * tp + fp + fn)
        assert_allclose(_estimate(losses).value, b - a, rtol=1e-9)
    else:
        assert_allclose(_estimate(losses).value, losses.differences().mean(), rtol=0.1)


@pytest.mark.parametrize("measure", ["f1", "precision", "recall"])
def test_scores_are_judged_by_their_influence_values(measure: str) -> None:
    losses = _run(ef.Mx2BCV(3), 120, measure=measure)
    found = _estimate(losses)
    assert losses.counts is not None
    assert losses.outcomes is not None
    counts = losses.counts.sum(axis=1)
    tp, fp, fn = counts.T
    score = {
        "f1": 2 * tp / (2 * tp + fp + fn),
        "precision": tp / (tp + fp),
        "recall": tp / (tp + fn),
    }[measure]
    assert_allclose(found.value, score[1] - score[0], rtol=1e-9)
    # the jackknife over examples sees the same spread of test points
    outcomes = [np.concatenate([losses.outcomes[a][j] for j in range(6)]) for a in (0, 1)]
    order = np.concatenate([losses.partition.test[j] for j in range(6)])
    left_out = []
    for i in range(120):
        kept = [rows[order != i].sum(axis=0) for rows in outcomes]
        ratio = [
            {"f1": 2 * a / (2 * a + b + c), "precision": a / (a + b), "recall": a / (a + c)}[
                measure
            ]
            for a, b, c in kept
        ]
        left_out.append(ratio[1] - ratio[0])
    jackknife = np.var(left_out) * 119
    parts = Halvings(*AllTested().read(Question.of(losses, 1, 0, "here")), zeros=False).parts(3)
    assert_allclose(parts.test, jackknife, rtol=0.1)


def test_the_area_under_the_curve_is_judged_by_its_placements() -> None:
    losses = _run(ef.Mx2BCV(3), 120, measure="auc")
    assert_allclose(_estimate(losses).value, losses.differences().mean(), rtol=1e-9)
