"""Growing and rolling windows: what trains on what, and that nothing leaks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import TimeSeriesSplit, cross_val_score

from evenfold.core.errors import InvalidInput
from evenfold.core.partition import WindowCut
from evenfold.design import Design, GrowingWindow, RollingWindow


@st.composite
def windows(draw: st.DrawFn) -> tuple[Design, int, int]:
    """A design, so many times that it can cut, and its gap."""
    trained, horizon, gap = (
        draw(st.integers(1, 12)),
        draw(st.integers(1, 5)),
        draw(st.integers(0, 4)),
    )
    step = draw(st.none() | st.integers(horizon, horizon + 4))
    most = draw(st.none() | st.integers(1, 6))
    kind = draw(st.sampled_from([GrowingWindow, RollingWindow]))
    times = trained + gap + horizon + draw(st.integers(0, 30))
    return kind(trained, horizon, step=step, gap=gap, windows=most), times, gap


@given(windows(), st.integers(0, 2**32 - 1))
def test_no_training_time_is_later_than_a_test_time_less_the_gap(
    made: tuple[Design, int, int], seed: int
) -> None:
    design, count, gap = made
    rng = np.random.default_rng(seed)
    times = rng.permutation(np.concatenate([np.arange(count), rng.integers(0, count, count)]))
    for when, given_times in ((np.arange(count), None), (times, times)):
        partition = design.partition(len(when), groups=given_times)
        for train, test in partition:
            assert when[train].max() < when[test].min() - gap
        tested = np.concatenate(list(partition.test))
        assert len(np.unique(tested)) == len(tested)
        assert when[tested].max() == count - 1  # the latest time is always tested


@given(windows())
def test_the_compact_cut_counts_what_the_index_arrays_hold(made: tuple[Design, int, int]) -> None:
    design, count, _ = made
    times = np.repeat(np.arange(count), 1 + np.arange(count) % 3)
    partition = design.partition(len(times), groups=times)
    member = np.zeros((len(partition), len(times)), dtype=int)
    for row, train in zip(member, partition.train, strict=True):
        row[train] = 1
    assert np.array_equal(partition.overlaps(), member @ member.T)
    assert np.array_equal(partition.occurrences(), member.sum(axis=0))
    assert np.array_equal(partition.train_sizes, member.sum(axis=1))
    assert partition.test_sizes.tolist() == [len(test) for test in partition.test]
    sure, pairs = partition.certificate, (member @ member.T)[np.triu_indices(len(partition), 1)]
    assert sure is not None
    if len(pairs):
        assert np.isclose(sure.overlap_target, pairs.mean())
        assert np.isclose(sure.overlap_error, np.abs(pairs - pairs.mean()).max())


def test_the_last_window_tests_the_last_times_and_what_is_left_over_trains() -> None:
    growing = GrowingWindow(4, 3).partition(12)
    assert [len(train) for train in growing.train] == [6, 9]
    rolling = RollingWindow(4, 3).partition(12)
    assert [train.tolist() for train in rolling.train] == [[2, 3, 4, 5], [5, 6, 7, 8]]
    assert GrowingWindow(4, 3, windows=1).partition(12).test[0].tolist() == [9, 10, 11]


def test_what_happens_at_one_time_is_never_cut_and_rows_may_be_in_any_order() -> None:
    days = np.array(["2024-01-02", "2024-01-01", "2024-01-03", "2024-01-02"], dtype="datetime64[D]")
    partition = GrowingWindow(1, 1).partition(4, groups=days)
    assert [(train.tolist(), test.tolist()) for train, test in partition] == [
        ([1], [0, 3]),
        ([0, 1, 3], [2]),
    ]


@pytest.mark.parametrize("gap", [0, 2])
def test_scikit_learns_splitter_is_a_growing_window(gap: int) -> None:
    theirs = list(TimeSeriesSplit(n_splits=4, test_size=3, gap=gap).split(np.zeros((20, 1))))
    ours = list(GrowingWindow(20 - 4 * 3 - gap, 3, gap=gap).partition(20))
    assert len(ours) == len(theirs)
    for pair, other in zip(ours, theirs, strict=True):
        assert all(np.array_equal(a, b) for a, b in zip(pair, other, strict=True))


def test_it_is_a_cross_validator() -> None:
    X = np.arange(30.0)[:, None]
    scores = cross_val_score(LinearRegression(), X, 2 * X[:, 0], cv=RollingWindow(5, 5))
    assert len(scores) == RollingWindow(5, 5).get_n_splits(X) == 5
    assert RollingWindow(2, 1).get_n_splits(groups=[1, 1, 2, 3, 3]) == 1


def test_the_horizon_counts_from_the_last_training_time() -> None:
    cut = RollingWindow(5, 4, gap=2).partition(30).cut
    assert isinstance(cut, WindowCut)
    assert cut.horizon == 6


def test_what_is_refused() -> None:
    with pytest.raises(
        InvalidInput, match=r"step must be an integer ≥ 3 but got 2\. A shorter step would test"
    ):
        GrowingWindow(10, 3, step=2)
    with pytest.raises(InvalidInput, match="horizon must be an integer ≥ 1"):
        RollingWindow(10, 0)
    with pytest.raises(InvalidInput, match="windows must be an integer from 1"):
        RollingWindow(10, windows=0)
    with pytest.raises(
        InvalidInput, match=r"X must have at least 12 times for GrowingWindow.* but has 11"
    ):
        GrowingWindow(8, 3, gap=1).partition(11)
    with pytest.raises(
        InvalidInput, match="X must be given, because the number of windows depends"
    ):
        GrowingWindow(8).get_n_splits()
    with pytest.raises(InvalidInput, match="train_size must be an integer from 1 to 9"):
        GrowingWindow(10).partition(10)
