"""The influence test with looks: reference numbers, stops, few examples and whole models."""

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import special
from scipy.linalg import hadamard

import evenfold as ef
from evenfold.core.errors import DegenerateData, InvalidInput
from evenfold.core.estimate import Alternative
from evenfold.infer.halves.influence import Halvings

looking_t = ef.infer.mx2_influence_sequential_t
SIDES = np.repeat(hadamard(16)[:, 1:10].T > 0, 8, axis=1)


def _case(seed: int) -> np.ndarray:
    """Test points, whole models, flips: in four proportions."""
    rng = np.random.default_rng(seed)
    own, luck = rng.normal(size=(1, 128)), rng.normal(size=(9, 1))
    mean, points, models, flips = [
        (0.2, 1.0, 0.02, 0.5), (0.3, 0.3, 0.3, 0.3), (0.0, 1.0, 0.02, 1.0), (0.25, 0.0, 0.05, 1.0)
    ][seed]  # fmt: skip
    shifted = models * luck * np.where(SIDES, 1, 0.5)
    e: np.ndarray = mean + own * points + shifted + rng.normal(size=(9, 128)) * flips
    return e


def _batch(batch: tuple[int, ...] = (50,), seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    e: np.ndarray = rng.normal(0.1, 1.0, size=(*batch, 1, 128)) + 0.6 * rng.normal(
        size=(*batch, 9, 128)
    )
    return e


# What ``sequential`` of the study in papers/sharp says: rejected, stopped_at, futile, whole models,
# mean, standard error, df, lower limit, p-value.
REFERENCE = {
    (0, "two-sided"): (True, 5, False, False, 0.23633896, 0.09129667, 173.268, 0.0129998834,
                       0.0338662162),
    (0, "greater"): (True, 5, False, False, 0.23633896, 0.09129667, 173.268, 0.0376234416,
                     0.0169331081),
    (1, "two-sided"): (True, 9, False, True, 0.20523044, 0.09023753, 16.7031638, 0.014587834,
                       0.0364396521),
    (1, "greater"): (True, 9, False, True, 0.20523044, 0.09023753, 16.7031638, 0.0480919705,
                     0.0182198261),
    (2, "two-sided"): (False, 3, True, False, -0.07547067236, 0.1372370663, 232.7146068,
                       -0.4596015432, 1.0),
    (3, "two-sided"): (True, 3, False, False, 0.37831496, 0.04674205, 127.0, 0.246450244,
                       3.63331624e-12),
}  # fmt: skip
GROUPED = {
    0: (True, 5, 0.236338961, 0.09160328124, 35.57346331, 0.003253489767, 0.04588003246),
    1: (True, 9, 0.2052304443, 0.08434906984, 12.83446167, 0.02276615079, 0.03036981972),
    2: (False, 3, -0.07547067236, 0.1412719658, 67.06403514, -0.4802869438, 1.0),
    3: (True, 3, 0.3783149573, 0.04569424312, 31.0, 0.2421206841, 2.132871551e-08),
}


@pytest.mark.parametrize(("seed", "alternative"), REFERENCE)
def test_reference_numbers(seed: int, alternative: Alternative) -> None:
    e = looking_t(_case(seed), SIDES, alternative=alternative)
    signs = bool(e.rejected), int(e.stopped_at), bool(e.futile), bool(e.whole_models)
    assert signs == REFERENCE[seed, alternative][:4]
    numbers = e.value, e.standard_error, e.df, e.confidence_interval()[0], e.pvalue
    assert_allclose(numbers, REFERENCE[seed, alternative][4:], rtol=1e-7)


@pytest.mark.parametrize("seed", GROUPED)
def test_reference_numbers_with_groups(seed: int) -> None:
    e = looking_t(_case(seed), SIDES, clusters=np.arange(128) // 4)
    found = (
        e.rejected,
        e.stopped_at,
        e.value,
        e.standard_error,
        e.df,
        e.confidence_interval()[0],
        e.pvalue,
    )
    assert_allclose(np.array(found, dtype=float), GROUPED[seed], rtol=1e-8)


def test_each_look_is_the_fixed_test_at_its_share_of_the_level() -> None:
    e = _batch()
    found = looking_t(e, SIDES)
    assert set(found.stopped_at) == {3, 5, 7, 9}
    for m in (3, 5, 7, 9):
        here, fixed = found.stopped_at == m, ef.infer.mx2_influence_t(e[:, :m], SIDES[:m])
        assert_allclose(found.value[here], fixed.value[here], rtol=1e-12)
        confidence = 1 - 0.05 * (m / 9) ** 2
        for mine, theirs in zip(
            found.confidence_interval(), fixed.confidence_interval(confidence), strict=True
        ):
            assert_allclose(mine[here], theirs[here], rtol=1e-9)
        # which rejects where the test of this look alone would, at this share
        assert_array_equal(found.rejected[here], (fixed.pvalue < 1 - confidence)[here])


def test_batch_shift_scale_and_sign() -> None:
    e = _batch((3, 4))
    one = looking_t(e, SIDES)
    for i in np.ndindex(3, 4):
        alone = looking_t(e[i], SIDES)
        assert_allclose(
            [alone.pvalue, alone.stopped_at], [one.pvalue[i], one.stopped_at[i]], rtol=1e-9
        )
    for changed, null in ((e + 2, 2.0), (e * 1e149, 0.0), (-e, 0.0)):
        assert_allclose(looking_t(changed, SIDES, null=null).pvalue, one.pvalue, rtol=1e-8)


def test_other_looks_and_shares() -> None:
    e = _batch()
    assert set(looking_t(e, SIDES, looks=(3, 9)).stopped_at) <= {3, 9}
    all_at_once = looking_t(e, SIDES, looks=(9,))
    assert_allclose(all_at_once.pvalue, ef.infer.mx2_influence_t(e, SIDES).pvalue, rtol=1e-9)
    strict = looking_t(e, SIDES, looks=(3, 9), shares=(1e-9, 1.0))
    assert not strict.rejected[strict.stopped_at == 3].any()
    assert looking_t(e, SIDES, most=8).plan.looks == (3, 5, 7, 8)
    so_far = looking_t(e[:, :5], SIDES[:5])
    assert so_far.stopped_at.max() == 5
    assert not so_far.stopped.all()


def test_where_whole_models_shift_only_the_last_look_decides() -> None:
    rng = np.random.default_rng(0)
    luck = np.where(SIDES, rng.normal(size=(500, 9, 1)), rng.normal(size=(500, 9, 1)))
    losses = 0.4 + 0.3 * luck + 0.05 * rng.normal(size=(500, 9, 128))
    found = looking_t(losses, SIDES)
    assert found.whole_models.mean() > 0.9
    assert found.rejected.any()
    assert (found.stopped_at[found.rejected & found.whole_models] == 9).all()
    assert (found.may_decide == ~found.whole_models | (found.stopped_at == 9)).all()
    early = looking_t(losses[:, :5], SIDES[:5])
    low, _ = early.confidence_interval()
    assert (low[early.whole_models] <= 0).all()  # though the mean is .4
    assert not early.rejected[early.whole_models].any()
    vague = looking_t(losses[0] - losses[0].mean(), SIDES)  # after the last look none is to come
    assert vague.whole_models
    assert vague.remark == ""
    assert "only the last look may decide" in looking_t(losses[0, :5], SIDES[:5]).remark


@pytest.mark.parametrize("k", [1, 3, 5, 9, 10])
def test_few_examples_that_differ_get_the_safe_test(k: int) -> None:
    e = np.zeros((9, 128))
    e[:, np.arange(k) * 27 % 128] = 1.0
    found = looking_t(e, SIDES)
    assert bool(found.rejected) == (k >= 5)
    assert ("the conservative test was used" in found.remark) == (k < 10)
    low, high = found.confidence_interval()
    assert (low <= 0 <= high) == (found.pvalue > 0.05)


def test_equal_losses_are_undecided() -> None:
    with pytest.warns(DegenerateData):
        found = looking_t(np.zeros((9, 128)), SIDES)
    assert [float(found.pvalue), float(found.value)] == [1, 0]
    assert found.undecided


def test_futile_stops_cost_hardly_any_rejection() -> None:
    rng = np.random.default_rng(3)
    e = 0.25 + rng.normal(size=(2000, 1, 128)) + 0.6 * rng.normal(size=(2000, 9, 128))
    found = looking_t(e, SIDES)
    at_last = ef.infer.mx2_influence_t(e, SIDES).pvalue < 0.05
    given_up = found.futile & at_last
    assert found.futile.mean() > 0.02
    assert given_up.mean() < 0.01


def test_latest_goes_on_to_the_last_look() -> None:
    e = _case(3)
    found = looking_t(e, SIDES)
    last = found.latest()
    assert [int(found.stopped_at), int(last.stopped_at)] == [3, 9]
    assert_allclose(last.value, e.mean(), rtol=1e-12)
    fixed = ef.infer.mx2_influence_t(e, SIDES)
    assert_allclose(last.confidence_interval(), fixed.confidence_interval(), rtol=1e-9)


@pytest.mark.parametrize("m", [3, 5, 7, 9])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_latest_look_is_judged_by_itself(m: int, alternative: Alternative) -> None:
    """Its p-value is that of the fixed test over its share, whatever earlier looks said."""
    e = _batch((400,), seed=2)
    found = looking_t(e[:, :m], SIDES[:m], alternative=alternative)
    last = found.latest()
    fixed = ef.infer.mx2_influence_t(e[:, :m], SIDES[:m], alternative=alternative)
    own = np.where(last.may_decide, np.minimum(fixed.pvalue / (m / 9) ** 2, 1), 1)
    assert_allclose(last.pvalue, own, rtol=1e-9)
    assert_allclose(last.value, fixed.value, rtol=1e-12)
    assert_array_equal(last.rejected, last.pvalue <= 0.05)
    assert (last.stopped_at == m).all()
    assert_array_equal(last.at(0.2).rejected, last.pvalue <= 0.2)
    assert not (last.futile & (found.stopped_at < m)).any()


def test_an_early_rejection_that_the_last_look_does_not_confirm_is_none() -> None:
    rng = np.random.default_rng(8)
    e = 0.2 + rng.normal(size=(3000, 1, 128)) + rng.normal(size=(3000, 9, 128))
    found = looking_t(e, SIDES)
    lost = found.rejected & ~found.latest().rejected
    assert lost.any()
    assert (found.latest().pvalue[lost] > 0.05).all()
    assert (found.pvalue[lost] <= 0.05).all()


@pytest.mark.parametrize("m", [3, 5, 7, 9])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("margin", [0.0, 0.1])
def test_a_look_that_is_given_up_has_the_whole_level_and_holds_what_it_did_not_reject(
    m: int, alternative: Alternative, margin: float
) -> None:
    e = _batch((400,), seed=6)
    look = looking_t(e[:, :m], SIDES[:m], alternative=alternative).latest()
    low, high = look.confidence_interval()
    ended = look.including(-margin, 0.0, margin).confidence_interval()
    fixed = ef.infer.mx2_influence_t(
        e[:, :m], SIDES[:m], alternative=alternative
    ).confidence_interval()
    for null in (-margin, 0.0, margin):  # the words do not change
        assert_array_equal((ended[0] <= null) & (null <= ended[1]), (low <= null) & (null <= high))
    assert ((low <= ended[0]) & (ended[1] <= high)).all()
    free = (fixed[0] <= -margin) & (margin <= fixed[1])  # nothing to be widened for
    assert free.any()
    for mine, theirs in zip(ended, fixed, strict=True):
        assert_allclose(mine[free], theirs[free], rtol=1e-9)
    assert_array_equal((ended[0] <= 0) & (ended[1] >= 0), look.pvalue > 0.05)


def test_no_stop_is_futile_while_the_interval_is_a_caricature() -> None:
    """Three models that disagree: test points alone would give an interval half as wide."""
    e = _batch((400,), seed=4)[:, :3] + 0.15 * np.random.default_rng(4).normal(size=(400, 3, 1))
    found = looking_t(e, SIDES[:3])
    fixed = ef.infer.mx2_influence_t(e, SIDES[:3])
    wide = np.diff(fixed.confidence_interval(), axis=0)[0]
    alone = 2 * special.ndtri(0.975) * e.mean(axis=1).std(axis=-1, ddof=1) / np.sqrt(128)
    assert_array_equal(found.blurred, wide > 2 * alone)
    assert 0.1 < found.blurred.mean() < 0.9
    assert not (found.futile & found.blurred).any()
    assert found.futile.any()


def test_what_a_few_outweigh_is_not_rejected_whatever_its_p_value() -> None:
    e = np.full((9, 128), -0.05)
    e[:, np.arange(8) * 15] = 3.0
    found = looking_t(e + 0.01 * np.random.default_rng(0).normal(size=e.shape), SIDES)
    for one in (found, found.latest(), found.latest().at(0.2)):
        assert one.pvalue <= one.level
        assert not one.claimable
        assert not one.rejected
        assert one.undecided.startswith("a few examples outweigh all others")


def test_a_run_is_not_given_up_while_its_interval_is_a_caricature() -> None:
    """Though nothing that the last look might see would decide."""
    e = _batch((60,), seed=4)[:, :3] + 0.15 * np.random.default_rng(4).normal(size=(60, 3, 1))
    given_up = {False: 0, True: 0}
    for one in e:
        found = looking_t(one, SIDES[:3]).latest()
        if any(low > 0 or high < 0 for low, high in found.prospects):
            continue
        hopeless = found.is_hopeless(lambda low, high: low > 0 or high < 0, 9)
        assert hopeless == (not found.blurred)
        given_up[hopeless] += 1
    assert all(given_up.values())


def test_prospects_reach_as_far_as_the_mean_may_move_and_as_near_zero_as_it_may() -> None:
    """Whether "equivalent" is in reach is asked of the one that is nearest to 0."""
    found = looking_t(_batch((400,), seed=9)[:, :5], SIDES[:5]).latest()
    move = found.looks.move[-1]
    lowest, nearest, highest = ((low + high) / 2 for low, high in found.prospects)
    assert_allclose(lowest, found.value - move, rtol=1e-9)
    assert_allclose(highest, found.value + move, rtol=1e-9)
    assert_allclose(
        nearest, np.sign(found.value) * np.maximum(np.abs(found.value) - move, 0), atol=1e-12
    )
    assert (nearest == 0).any()
    assert (nearest != 0).any()


def test_the_last_look_is_never_futile() -> None:
    found = looking_t(_batch((400,), seed=4), SIDES)
    last = found.stopped_at == 9
    assert (last & ~found.rejected).any()
    assert not found.futile[last].any()


def test_futility_is_two_standard_deviations_of_what_is_to_come() -> None:
    """The rule by hand: |μ̂| + 2√(P(1/m − 1/M)) below z√(T − W(1/m − 1/M))."""
    e = _batch((400,), seed=9)[:, :5]
    found = looking_t(e[:, :5], SIDES[:5], looks=(5, 9))
    parts = Halvings(e, SIDES[:5]).parts(5)
    left = 1 / 5 - 1 / 9
    hope = np.abs(parts.mean) + 2 * np.sqrt(parts.pooled * left)
    short = hope < special.ndtri(0.975) * np.sqrt(parts.test - parts.flips * left)
    assert_array_equal(found.futile, short & ~found.rejected & ~found.blurred)
    # what one standard deviation would say
    near = np.abs(parts.mean) + np.sqrt(parts.pooled * left)
    assert ((near < special.ndtri(0.975) * np.sqrt(parts.test - parts.flips * left)) & ~short).any()


def test_prospects_are_those_of_the_futility_rule() -> None:
    found = looking_t(_batch((300,), seed=5)[..., :3, :], SIDES[:3])
    ends = np.array(found.prospects)
    excludes = (ends[:, 0] > 0) | (ends[:, 1] < 0)
    assert 0 < found.blurred.mean() < 0.1
    assert_array_equal(found.futile, ~excludes.any(axis=0) & ~found.rejected & ~found.blurred)


def test_another_level_keeps_the_stop() -> None:
    found = looking_t(_case(0), SIDES)
    other = found.at(0.03)
    assert other.stopped_at == found.stopped_at
    assert not other.rejected
    assert other.confidence_interval()[0] < 0 < found.confidence_interval()[0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"looks": (5, 3)}, "looks must be increasing"),
        ({"looks": (2, 3)}, "looks must be"),
        ({"looks": ()}, "looks must be increasing"),
        ({"looks": (3, 3)}, "looks must be increasing"),
        ({"looks": (3, 4096)}, "looks must be"),
        ({"most": 2}, "most must be"),
        ({"shares": (0.5, 1.0)}, "shares must be one for each of the looks"),
        ({"shares": 0.5}, "shares must be one for each of the looks"),
        ({"looks": (11, 13)}, "number of repetitions must be at least 11"),
        ({"level": 0.7}, "level must be"),
    ],
)
def test_bad_schedules_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        looking_t(_case(0), SIDES, **options)


def test_shares_may_be_an_array_and_the_first_look_the_last() -> None:
    e = _case(0)
    given = (0.1, 1.0)
    by_tuple = looking_t(e, SIDES, looks=(3, 9), shares=given)
    by_array = looking_t(e, SIDES, looks=(3, 9), shares=np.array(given))
    assert by_tuple.pvalue == by_array.pvalue
    assert looking_t(e[:3], SIDES[:3], most=3).plan.looks == (3,)


def test_losses_without_spread_are_p_1_at_the_null_and_0_elsewhere() -> None:
    e = np.full((9, 128), 0.25)
    with pytest.warns(DegenerateData):
        assert looking_t(e, SIDES, null=0.25).pvalue == 1
    with pytest.warns(DegenerateData):
        assert looking_t(e, SIDES).pvalue == 0


def test_many_data_sets_at_once() -> None:
    e = np.random.default_rng(0).normal(size=(20_000, 9, 16))
    sides = hadamard(16)[:, 1:10].T > 0
    found = looking_t(e, sides)
    assert found.pvalue.shape == (20_000,)
    assert found.rejected.mean() < 0.06


def test_looks_that_follow_each_other_are_the_test_in_one_piece() -> None:
    e = _batch()
    found: Any = None
    for m in (3, 5, 7, 9):
        since = 0 if found is None else found.since
        later = looking_t(e[:, :m], SIDES[:m], since=since)
        assert later.looks.m.tolist() == [m]
        found = later if found is None else later.following(found)
        whole = looking_t(e[:, :m], SIDES[:m])
        assert_array_equal(found.stopped_at, whole.stopped_at)
        assert_array_equal(found.rejected, whole.rejected)
        assert_allclose(found.pvalue, whole.pvalue, rtol=1e-12)
        assert_allclose(found.confidence_interval(), whole.confidence_interval(), rtol=1e-12)
    with pytest.raises(
        InvalidInput, match="number of repetitions must be at least 7, the next look, but"
    ):
        looking_t(e[:, :5], SIDES[:5], since=5)
