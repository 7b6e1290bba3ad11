"""The sequential test: stopping, p-value, interval, boundary table and cache."""

import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats

import evenfold as ef
from evenfold.core.errors import DegenerateData, InvalidInput
from evenfold.core.estimate import Alternative
from evenfold.infer.halves import sequential as _boundary

sequential = ef.infer.mx2_sequential_t
BOUNDARIES = ("calibrated", "thesis", "per-look")


def _data(n: int = 300, M: int = 9, shift: float = 0.9) -> np.ndarray:
    rng = np.random.default_rng(7)
    return shift * rng.standard_normal((n, 1, 1)) + 0.7 * rng.standard_normal((n, M, 2))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(_boundary, "compute", partial(_boundary.compute, batches=2))
    _boundary.calibrated_errors.cache_clear()
    yield tmp_path / "evenfold"
    _boundary.calibrated_errors.cache_clear()


def _by_hand(
    d: np.ndarray, df_of: Any, q_level: float, alternative: Alternative
) -> tuple[int, bool, float]:
    """Stop, rejection and interval half-width of one data set, written out look by look."""
    for m in range(3, len(d) + 1):
        x = d[:m].ravel()
        mean, sigma = x.mean(), x.std()
        reach = np.sqrt((2 * m + 1) / (2 * m - 1)) * sigma * stats.t.isf(q_level, df_of(m))
        if {"two-sided": abs(mean), "greater": mean, "less": -mean}[alternative] > reach:
            return m, True, float(reach)
    return len(d), False, float(reach)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_stops_at_the_first_crossing(boundary: str, alternative: Alternative) -> None:
    d, sides = _data(), 2 if alternative == "two-sided" else 1
    if boundary == "calibrated":
        level = _boundary.calibrated_errors(3, 9).per_look(0.05, sides=sides)
    else:
        level = 0.025 if boundary == "thesis" or sides == 2 else 0.05
    e = sequential(d, alternative=alternative, boundary=boundary)
    assert 0.02 < e.rejected.mean() < 0.95
    for i, row in enumerate(d):
        stop, rejected, reach = _by_hand(
            row,
            (lambda m: m) if boundary == "calibrated" else (lambda m: 2 * m - 1),
            level,
            alternative,
        )
        assert (e.stopped_at[i], e.rejected[i]) == (stop, rejected)
        mean = row[:stop].mean()
        low, high = e.confidence_interval()
        assert_allclose(low[i], -np.inf if alternative == "less" else mean - reach, rtol=1e-9)
        assert_allclose(high[i], np.inf if alternative == "greater" else mean + reach, rtol=1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_pvalue_is_the_smallest_level_that_would_have_rejected_by_the_stop(
    boundary: str, alternative: Alternative
) -> None:
    d = _data()
    e = sequential(d, alternative=alternative, boundary=boundary)
    assert_array_equal(e.pvalue < 0.05, e.rejected)
    for i in np.flatnonzero((e.pvalue > 0.0011) & (e.pvalue < 0.19))[:40]:
        p, stop = float(e.pvalue[i]), int(e.stopped_at[i])
        for factor, rejects in ((1 + 1e-6, True), (1 - 1e-6, False)):
            other = sequential(d[i], alternative=alternative, boundary=boundary, level=p * factor)
            assert (bool(other.rejected) and other.stopped_at <= stop) == rejects


@pytest.mark.parametrize("futility", [False, True])
def test_fed_test_equals_the_batch(futility: bool) -> None:
    d = _data(60)
    for alternative in ("two-sided", "less"):
        e = sequential(d, alternative=alternative, futility=futility, level=0.1)
        for i, row in enumerate(d):
            test = ef.infer.SequentialTest(
                M=9, alternative=alternative, futility=futility, level=0.1
            )
            while not test.stopped:
                test = test.feed(*row[len(test.values)])
            one = test.estimate
            assert test.decision == ("reject" if e.rejected[i] else "do not reject")
            assert one.stopped_at == e.stopped_at[i] == len(test.values)
            assert_allclose(
                [one.value, one.pvalue, *one.confidence_interval()],
                [e.value[i], e.pvalue[i], *(limit[i] for limit in e.confidence_interval())],
                rtol=1e-12,
            )


def test_fed_test_says_what_it_wants() -> None:
    test = ef.infer.SequentialTest(M=4)
    assert test.decision == "continue"
    with pytest.raises(
        InvalidInput, match="number of repetitions must be at least start = 3 but got 0"
    ):
        _ = test.estimate
    for row in [(1.0, -1.0)] * 4:
        assert not test.stopped
        test = test.feed(*row)
    assert test.decision == "do not reject"
    with pytest.raises(InvalidInput, match="before the test has stopped but got number 5"):
        test.feed(0.0, 1.0)
    with pytest.raises(InvalidInput, match="first must be a finite number"):
        ef.infer.SequentialTest().feed(np.nan, 0.0)
    with pytest.raises(InvalidInput, match="M must be an integer from 3 to 31"):
        ef.infer.SequentialTest(M=2)


def test_futility_saves_repetitions_and_never_adds_a_rejection() -> None:
    d = _data(2000, shift=0.2)
    plain, saving = sequential(d), sequential(d, futility=True)
    assert not np.any(saving.rejected & ~plain.rejected)
    assert not np.any(saving.rejected & saving.futile)
    assert saving.stopped_at.mean() < 0.7 * plain.stopped_at.mean()
    assert_array_equal(saving.futile, ~saving.rejected & (saving.stopped_at < 9))


def test_interval_exists_at_the_planned_level_only() -> None:
    e = sequential(_data(2), level=0.01)
    assert_array_equal(e.confidence_interval(0.99), e.confidence_interval())
    with pytest.raises(
        InvalidInput, match=r"0\.99, for which the test was planned, but got 0\.95\. Plan"
    ):
        e.confidence_interval(0.95)


@pytest.mark.usefixtures("cache")
def test_limits_of_the_plan() -> None:
    d = _data(1, 31)[0]
    assert sequential(d, start=30).stopped_at >= 30
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"start": 1}, "start must be an integer from 2 to 31"),
        ({"level": 5e-7}, r"level must be a finite number ≥ 1e-06 ≤ 0\.2 but got 5e-07"),
        ({"level": 0.3}, "level must be"),
        ({"boundary": "pocock"}, "boundary must be one of"),
    ]
    for keywords, message in wrong:
        with pytest.raises(InvalidInput, match=message):
            sequential(d, **keywords)
    with pytest.raises(InvalidInput, match="M must be an integer from 3 to 31 but got 2"):
        sequential(d[:2])
    with pytest.raises(InvalidInput, match="M must be an integer from 3 to 31 but got 32"):
        sequential(_data(1, 32)[0])


def test_one_look_has_the_level_of_a_fixed_test() -> None:
    d = _data(200, 3, shift=3.0)
    single = sequential(d)
    assert_array_equal(single.stopped_at, 3)
    # At (ρ1, ρ2) = (0, ½), the worst case of levels below about .1, the statistic times Ĉ_3 has
    # exactly 3 degrees of freedom. The shipped table is simulated and interpolated.
    exact = 2 * stats.t.sf(np.abs(single.statistic) * np.sqrt(7 / 5), 3)
    small = (exact > 1e-3) & (exact < 0.05)
    assert small.sum() > 20
    assert_allclose(single.pvalue[small], exact[small], rtol=3e-4)
    assert np.all(single.pvalue > exact * (1 - 3e-4))
    thesis = sequential(d, boundary="thesis")
    fixed = ef.infer.mx2_t(d)
    assert_allclose(thesis.statistic, fixed.statistic)
    assert_allclose(thesis.pvalue, fixed.pvalue)
    fed = ef.infer.SequentialTest(M=3)
    for row in d[0]:
        fed = fed.feed(*row)
    assert fed.stopped
    assert_array_equal(fed.estimate.pvalue, single.pvalue[0])


def test_data_that_lose_their_spread_warn_only_if_seen() -> None:
    flat = np.zeros((9, 2))
    with pytest.warns(DegenerateData):
        e = sequential(flat, alternative="greater")
    assert_array_equal([e.pvalue, e.rejected, e.stopped_at], [1, False, 9])
    with pytest.warns(DegenerateData):
        e = sequential(flat + 0.1)
    assert_array_equal(
        [e.pvalue, e.rejected, e.stopped_at], [0, True, 9]
    )  # early looks without spread decide nothing


def test_the_error_of_the_boundary_rises_and_bounds_bonferroni_from_below() -> None:
    for start, M in ((3, 9), (3, 31), (3, 4)):
        b = _boundary.calibrated_errors(start, M)
        for sides in (1, 2):
            a = np.geomspace(1e-9, 0.999, 400)
            error = b.error(a, sides=sides)
            assert np.all(np.diff(error) >= 0)
            assert np.all((error >= 0) & (error <= 1))
            assert np.all(
                error <= np.maximum(sides * b.looks * a, error[0]) * (1 + 1e-9) + (a > 0.05)
            )
            for level in (0.001, 0.01, 0.05, 0.2):
                a_level = b.per_look(level, sides=sides)
                assert_allclose(b.error(np.array(a_level), sides=sides), level, rtol=1e-9)
                # Ĉ_m > 1 leaves room at (0, ½)
                assert level / (sides * b.looks) < a_level < 1.1 * level


def test_the_shipped_table_is_what_a_fresh_computation_gives() -> None:
    fresh, shipped = np.array(_boundary.compute(3, 7)), _boundary.calibrated_errors(3, 7)
    used = (_boundary.NODES > 3e-4) & (_boundary.NODES < 0.2)
    worst, table = fresh.max(axis=0), shipped.errors.max(axis=0)
    assert_allclose(worst[:, used], table[:, used], rtol=0.03)  # fewer draws add a wider margin
    assert _boundary.compute(3, 4, batches=2) == _boundary.compute(3, 4, batches=2)
    assert set(_boundary._shipped_boundaries()) == {f"3-{M}" for M in range(3, 32)}


def test_other_boundaries_are_computed_and_cached(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = _boundary.calibrated_errors(2, 4)
    [file] = cache.iterdir()
    _boundary.calibrated_errors.cache_clear()
    monkeypatch.setattr(_boundary, "compute", None)  # must not be needed now
    assert_array_equal(_boundary.calibrated_errors(2, 4).errors, first.errors)
    assert json.loads(file.read_text()) == first.errors.tolist()


def test_a_broken_cache_file_is_replaced(cache: Path) -> None:
    _boundary.calibrated_errors(2, 4)
    [file] = cache.iterdir()
    good = file.read_text()
    for broken in ("{", "[[1], [2]]", good[:100]):
        file.write_text(broken)
        _boundary.calibrated_errors.cache_clear()
        _boundary.calibrated_errors(2, 4)
        assert file.read_text() == good


def test_an_unwritable_cache_does_not_fail(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setattr(_boundary, "compute", partial(_boundary.compute, batches=2))
    _boundary.calibrated_errors.cache_clear()
    assert 0 < _boundary.calibrated_errors(2, 4).per_look(0.05, sides=1) < 0.05
    _boundary.calibrated_errors.cache_clear()


def test_the_path_holds_the_intervals_of_all_looks_up_to_the_stop() -> None:
    d = _data(1, 9)[0]
    e = sequential(d, level=0.05)
    assert [look.m for look in e.path] == list(range(3, int(e.stopped_at) + 1))
    last = e.path[-1]
    assert (last.value, last.low, last.high) == pytest.approx((e.value, *e.confidence_interval()))
    for look in e.path:
        so_far = sequential(d[: look.m], most=9)
        assert (look.value, look.low, look.high) == pytest.approx(
            (so_far.value, *so_far.confidence_interval())
        )
    assert bool(e.stopped)
    wider = e.at(0.01)
    assert wider.stopped_at == e.stopped_at
    assert wider.confidence_interval()[0] < e.confidence_interval()[0]
    assert e.at(0.05) is e


def test_values_whose_squares_vanish_are_refused_where_they_are_fed() -> None:
    with pytest.raises(InvalidInput, match="Rescale the data"):
        ef.infer.SequentialTest(M=9, values=np.full((3, 2), 1e-170))
    tiny = sequential(_data(1, 9)[0] * 1e-170)
    assert tiny.pvalue == pytest.approx(sequential(_data(1, 9)[0]).pvalue)
    low, high = tiny.confidence_interval()
    assert all(one.low < one.high for one in tiny.path)
    assert (tiny.path[-1].low, tiny.path[-1].high) == (float(low), float(high))


def test_every_look_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    from evenfold.infer.halves import sequential as module

    seen: list[int] = []
    look = module._look

    def counted(d: np.ndarray, m: int, null: float) -> Any:
        seen.append(m)
        return look(d, m, null)

    monkeypatch.setattr(module, "_look", counted)
    test = ef.infer.SequentialTest(M=9)
    for first, second in _data(1, 9)[0] * 0.01:
        if test.stopped:
            break
        test = test.feed(float(first), float(second))
    assert test.estimate.pvalue <= 1
    assert test.decision != "continue"
    assert seen == list(range(3, len(test.values) + 1))


def test_a_shipped_boundary_asks_for_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(_boundary, "user_cache", nowhere)
    _boundary.calibrated_errors.cache_clear()
    assert _boundary.calibrated_errors(3, 9).looks == 7
