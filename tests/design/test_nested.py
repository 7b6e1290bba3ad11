"""Folds inside folds, splits inside halves."""

import numpy as np
import pytest

from evenfold.core.errors import InvalidInput
from evenfold.design import RLT, NestedKFold, NestedRLT


def test_nested_splits_stay_inside_their_half() -> None:
    M, J, n, n2 = 3, 4, 41, 5
    partition = NestedRLT(M, J, n2, random_state=0).partition(n)
    assert len(partition) == NestedRLT(M, J, n2).get_n_splits() == J + 2 * M * J
    assert set(partition.train_sizes[:J]) == {n - n2}
    assert set(partition.train_sizes[J:]) == {n // 2 - n2}
    assert set(partition.test_sizes) == {n2}
    for halving in range(M):
        inside = [
            {int(i)
             for j in np.flatnonzero(
                 (partition.repetition == halving) & (partition.fold // J == half))
             for i in [*partition.train[int(j)], *partition.test[int(j)]]}
            for half in (0, 1)
        ]  # fmt: skip
        assert not inside[0] & inside[1]
        assert len(inside[0]) == len(inside[1]) == n // 2
    assert partition.occurrences().sum() == 2 * M * J * (n // 2 - n2) + J * (n - n2)


def test_the_splits_of_the_whole_data_come_first() -> None:
    partition = NestedRLT(3, 4, 5, random_state=7).partition(41)
    whole = RLT(4, 36, random_state=7).partition(41)
    assert (partition.repetition[:4] == -1).all()
    assert all(np.array_equal(partition.train[j], whole.train[j]) for j in range(4))
    assert (partition.n_train, partition.n_test) == (36, 5)


def test_nested_folds_keep_labels_even_and_groups_together() -> None:
    y, groups = np.tile([0, 0, 1], 20), np.repeat(np.arange(12), 5)
    even = NestedKFold(5, 2, balance="labels", random_state=0).partition(60, y=y)
    assert {int(y[even.test[j]].sum()) for j in range(10)} == {4}
    together = NestedKFold(3, 2, balance="groups", random_state=0).partition(60, groups=groups)
    for train, test in together:
        assert not set(groups[train]) & set(groups[test])
    again = NestedKFold(5, 2, balance="labels", random_state=0).partition(60, y=y)
    assert all(np.array_equal(even.test[j], again.test[j]) for j in range(len(even)))
    assert even.n_train == 48
    with pytest.raises(InvalidInput, match="n_splits must be"):
        NestedKFold(2, 5)


def test_nested_test_sets_must_leave_something_to_train_on() -> None:
    with pytest.raises(
        InvalidInput, match="test_size must be less than half of the 20 examples but got 10"
    ):
        NestedRLT(2, 2, 10).partition(20)
