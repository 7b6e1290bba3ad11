"""The default rule: repeat until another partition would hardly change the verdict."""

import math
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import stats

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.infer.halves.influence import Halvings

LOOKS = (5, 7, 9, 15, 23, 31)


def halvings(n: int, m: int = 31) -> Any:
    partition = ef.Mx2BCV(m, random_state=0).partition(n)
    sides = np.zeros((m, n), dtype=bool)
    for side, test in zip(sides, partition.test[::2], strict=True):
        side[test] = True
    return sides


SIDES = halvings(60)


def losses(shift: float, data_sets: int, seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    own = rng.normal(shift, 1, size=(data_sets, 1, 60))
    return own + rng.normal(size=(data_sets, 31, 60))


def by_hand(e: Any, null: float, side: str, goal: float) -> tuple[int, bool, float]:
    """Section 23.1 of the methods, for one data set, with Python's own normal distribution."""
    for m in LOOKS:
        parts = Halvings(e, SIDES).parts(m)
        V, df = (float(x) for x in parts.variance())
        R, W = float(parts.repetition), float(parts.flips)
        z = (float(parts.mean) - null) / math.sqrt(V)
        tail = 0.025 if side == "two-sided" else 0.05
        z = {"two-sided": abs(z), "greater": z, "less": -z}[side]
        t = float(stats.t.isf(tail, df))
        s = math.sqrt(max(R, W) / (m * V) + (0.85 * t) ** 2 / (2 * m - 1))
        same = NormalDist().cdf(abs(z - t) / (math.sqrt(2) * s))
        if same >= goal and (z > t or m >= 9):
            break
    return m, z > t, same


@pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("goal", [0.6, 0.8, 0.95])
def test_it_stops_as_the_formula_says(side: str, goal: float) -> None:
    e = losses(0.25, 40)
    found = ef.infer.until_stable(e, SIDES, null=0.02, alternative=side, replicability=goal)
    for k, each in enumerate(e):
        m, rejected, same = by_hand(each, 0.02, side, goal)
        assert int(found.stopped_at[k]) == m
        assert bool(found.rejected[k]) == rejected
        assert float(found.replicability[k]) == pytest.approx(same)


def test_everything_is_that_of_the_fixed_test_at_the_stop() -> None:
    e = losses(0.3, 25, seed=1)
    found = ef.infer.until_stable(e, SIDES)
    low, high = found.confidence_interval()
    for k, m in enumerate(found.stopped_at):
        fixed = ef.infer.mx2_influence_t(e[k, :m], SIDES[:m])
        assert_allclose(found.pvalue[k], fixed.pvalue)
        assert_allclose((low[k], high[k]), fixed.confidence_interval())
        assert_allclose(
            (found.value[k], found.standard_error[k]), (fixed.value, fixed.standard_error)
        )
        assert bool(found.rejected[k]) == (not low[k] <= 0 <= high[k])
    assert set(found.stopped_at) <= set(LOOKS)
    assert len(set(found.stopped_at)) > 2


def test_fewer_repetitions_than_the_last_look_end_with_the_last_there_is() -> None:
    found = ef.infer.until_stable(losses(0.2, 30)[:, :11], SIDES[:11])
    assert set(found.stopped_at) <= {5, 7, 9, 11}


@pytest.mark.filterwarnings("ignore::evenfold.core.errors.DegenerateData")
def test_what_never_varies_is_believed_from_nine_repetitions_on() -> None:
    found = ef.infer.until_stable(np.zeros((31, 60)), SIDES)
    assert (int(found.stopped_at), float(found.replicability)) == (9, 1.0)
    assert not found.rejected


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"replicability": 1.0}, "replicability"),
        ({"replicability": 0.4}, "replicability"),
        ({"looks": (3, 5)}, "looks"),
        ({"looks": (9, 5)}, "looks"),
        ({"looks": ()}, "looks"),
        ({"looks": np.array(5)}, "looks"),
    ],
)
def test_bad_input_is_refused_in_one_line(asked: Any, said: str) -> None:
    with pytest.raises(InvalidInput, match=said) as raised:
        ef.infer.until_stable(losses(0, 1), SIDES, **asked)
    assert "\n" not in str(raised.value)


def test_similar_models_have_no_absurd_intervals() -> None:
    """Two of 200 examples differ: the interval is no wider than some of them could make it."""
    rng = np.random.default_rng(0)
    sides = halvings(200)
    for _ in range(20):
        e = np.zeros((31, 200))
        for i in rng.choice(200, int(rng.integers(1, 30)), replace=False):
            e[:, i] = rng.choice([-1, 1]) * (rng.random(31) < rng.uniform(0.05, 0.6))
        for m in (9, 15, 31):
            found = ef.infer.mx2_influence_t(e[:m], sides[:m]).at(0.05 / 15)
            low, high = found.confidence_interval()
            assert high - low < 0.3


@pytest.mark.filterwarnings("ignore::evenfold.core.errors.DegenerateData")
@pytest.mark.parametrize("differing", [4, 8, 12, 20])
@pytest.mark.parametrize("m", [5, 31])
def test_pairs_that_differ_on_few_examples_keep_the_level(differing: int, m: int) -> None:
    rng = np.random.default_rng(differing)
    sides = halvings(200)[:m]
    shape = (800, 1, 200)
    signs = np.where(rng.random(shape) < 0.5, 1.0, -1.0) * (rng.random(shape) < differing / 200)
    e = signs * (rng.random((800, m, 200)) < rng.random(shape))
    found = ef.infer.mx2_influence_t(e, sides)
    assert np.mean((found.pvalue <= 0.05) & found.decidable) < 0.05
