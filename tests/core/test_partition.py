"""The three forms of a cut say the same of the same splits."""

import numpy as np
import pytest

from evenfold.core.partition import (
    KFOLD,
    MX2,
    BlockCut,
    Cut,
    FoldCut,
    IndexCut,
    Partition,
    smallest_unsigned,
)

pytestmark = pytest.mark.quick


def _cuts() -> list[Cut]:
    folds = np.array([0, 1, 2, 0, 1, 2, 0], dtype=np.uint8)
    tests = tuple(np.flatnonzero(folds == j) for j in range(3))
    trains = tuple(np.flatnonzero(folds != j) for j in range(3))
    return [
        FoldCut(folds=folds, n_splits=3),
        BlockCut(blocks=folds, trains=~np.eye(3, dtype=bool)),
        IndexCut(n=7, trains=trains, tests=tests),
    ]


@pytest.mark.parametrize("cut", _cuts(), ids=lambda cut: type(cut).__name__)
def test_every_form_agrees_with_plain_sets(cut: Cut) -> None:
    pairs = list(cut.pairs())
    assert cut.n == 7
    assert cut.n_splits == len(pairs) == 3
    for j, (train, test) in enumerate(pairs):
        assert train.tolist() == cut.train(j).tolist() == sorted(train)
        assert test.tolist() == cut.test(j).tolist() == sorted(test)
        assert sorted([*train, *test]) == list(range(7))
    sets = [set(train.tolist()) for train, _ in pairs]
    assert cut.overlaps().tolist() == [[len(a & b) for b in sets] for a in sets]
    assert cut.occurrences().tolist() == [sum(i in s for s in sets) for i in range(7)]
    assert cut.sizes()[0].tolist() == [len(s) for s in sets]
    assert cut.sizes()[1].tolist() == [7 - len(s) for s in sets]


def test_a_partition_is_a_sequence_of_splits() -> None:
    cut = _cuts()[0]
    partition = Partition(
        kind=KFOLD, seed=1, cut=cut, repetition=np.zeros(3, int), fold=np.arange(3)
    )
    assert len(partition) == 3
    assert [t.tolist() for t in partition.train] == [t.tolist() for t, _ in partition]
    assert partition.test[-1].tolist() == [2, 5]
    assert [t.tolist() for t in partition.test[1:]] == [[1, 4], [2, 5]]
    with pytest.raises(IndexError):
        partition.test[3]
    assert (partition.n, partition.n_train, partition.n_test) == (7, 5, 2)
    assert repr(partition) == "Partition(kind='kfold', n=7, splits=3, seed=1)"


def test_training_size_of_uneven_halves_is_rounded_up() -> None:
    cut = BlockCut(
        blocks=np.array([0, 0, 1], dtype=np.uint8), trains=np.array([[True, False], [False, True]])
    )
    partition = Partition(kind=MX2, seed=0, cut=cut, repetition=np.zeros(2, int), fold=np.arange(2))
    assert (partition.n_train, partition.n_test) == (2, 2)


def test_the_second_half_shares_the_arrays_of_the_first() -> None:
    cut = BlockCut(
        blocks=np.array([0, 1, 0, 1], dtype=np.uint8),
        trains=np.array([[True, False], [False, True]]),
    )
    (a, b), (c, d) = cut.pairs()
    assert a is d
    assert b is c


@pytest.mark.parametrize(("count", "bytes_"), [(1, 1), (255, 1), (256, 1), (257, 2), (65_537, 4)])
def test_blocks_are_numbered_with_as_few_bytes_as_possible(count: int, bytes_: int) -> None:
    assert smallest_unsigned(count).itemsize == bytes_


def test_large_overlaps_are_counted_exactly() -> None:
    n = 3_000_000  # beyond what single precision counts without a mistake when summed in one go
    everyone = np.arange(n)
    cut = IndexCut(n=n, trains=(everyone, everyone[1:]), tests=(everyone[:0], everyone[:1]))
    assert cut.overlaps().tolist() == [[n, n - 1], [n - 1, n - 1]]
