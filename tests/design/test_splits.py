"""Random splits, and block-regularized repeated learning-testing for every (n, n1, J)."""

import numpy as np
import pytest

from evenfold.core.errors import InvalidInput
from evenfold.core.partition import Partition
from evenfold.design import BRLT, RLT, Holdout, KFold, OutOfBag, ideal_overlap
from evenfold.design.search.patterns import pattern_table


def overlaps(partition: Partition) -> np.ndarray:
    return partition.overlaps()[np.triu_indices(len(partition), 1)]


def check(partition: Partition, n1: int, spread: int) -> None:
    assert (partition.train_sizes == n1).all()
    assert np.ptp(partition.occurrences()) <= 1
    assert np.ptp(overlaps(partition)) <= spread
    assert overlaps(partition).mean() == pytest.approx(
        ideal_overlap(partition.n, n1, len(partition))
    )


# (100,70,7) … (1000,667,12): trials of docs/design/grid; the others sample the grid of
# tests/guarantee.
@pytest.mark.parametrize(
    ("n", "n1", "J"),
    [
        (100, 70, 7), (100, 90, 15), (200, 150, 10), (300, 200, 13), (40, 28, 9), (200, 180, 15),
        (1000, 667, 12), (40, 20, 12), (60, 36, 10), (60, 40, 20), (100, 80, 16), (200, 140, 21),
        (300, 200, 26), (60, 30, 30), (41, 17, 5), (1000, 500, 9), (97, 60, 11), (2000, 1300, 6),
    ],
)  # fmt: skip
def test_overlaps_are_within_one(n: int, n1: int, J: int) -> None:
    check(BRLT(J, n1, random_state=0).partition(n), n1, spread=1)


@pytest.mark.parametrize(("n", "n1", "J"), [(60, 36, 25), (40, 20, 28), (100, 67, 27)])
def test_overlaps_are_within_two_where_nothing_better_is_found(n: int, n1: int, J: int) -> None:
    check(BRLT(J, n1, random_state=0).partition(n), n1, spread=2)


def test_half_sampling_by_orthogonal_array() -> None:
    partition = BRLT(6, 0.5, random_state=0).partition(20)  # R19 figure 2.2, last column
    assert set(overlaps(partition)) == {4}
    assert set(partition.occurrences()) == {3}
    assert partition.certificate is not None
    assert partition.certificate.construction == "orthogonal array"


def test_three_fifths_by_orthogonal_array() -> None:
    partition = BRLT(5, 0.6, random_state=0).partition(10)  # R19 table 2.6
    assert set(overlaps(partition)) == {3}
    assert set(partition.occurrences()) == {3}


def test_disjoint_test_sets_and_kfold_as_the_special_case() -> None:
    partition = BRLT(7, 90, random_state=0).partition(100)
    assert set(overlaps(partition)) == {80}
    assert len(np.unique(np.concatenate(list(partition.test)))) == 70
    fold = BRLT(10, 0.9, random_state=0).partition(100)
    assert sorted(np.concatenate(list(fold.test))) == list(range(100))
    assert np.array_equal(fold.overlaps(), KFold(10).partition(100).overlaps())


def test_cost_does_not_grow_with_n() -> None:
    patterns, counts, _ = pattern_table(10**9, 7 * 10**8, 10)
    assert len(patterns) < 5000
    assert counts.sum() == 10**9
    assert (counts @ patterns == 7 * 10**8).all()


def test_the_table_does_not_depend_on_the_seed_but_the_examples_do() -> None:
    a, b = (BRLT(8, 0.7, random_state=s).partition(50) for s in (1, 2))
    assert sorted(overlaps(a)) == sorted(overlaps(b))
    assert not np.array_equal(a.train[0], b.train[0])
    assert np.array_equal(a.train[0], BRLT(8, 0.7, random_state=1).partition(50).train[0])


def test_one_split_is_a_holdout() -> None:
    partition = BRLT(1, 0.7, balance="labels", random_state=0).partition(100, y=np.arange(100) % 4)
    assert partition.train_sizes.tolist() == [70]
    assert set(np.bincount(partition.train[0] % 4)) <= {17, 18}


@pytest.mark.parametrize(("J", "n1"), [(5, 0), (5, 10), (0, 5), (2.5, 5), (5, 1.5)])
def test_impossible_sizes_are_refused(J: int, n1: float) -> None:
    with pytest.raises(InvalidInput, match=r"(train_size|n_splits) must be"):
        BRLT(J, n1).partition(10)


def test_random_splits_have_the_asked_sizes_and_differ() -> None:
    partition = RLT(20, 0.9, random_state=0).partition(50)
    assert set(partition.train_sizes) == {45}
    assert len({tuple(test) for test in partition.test}) > 15
    # addressed
    assert np.array_equal(partition.train[3], RLT(4, 0.9, random_state=0).partition(50).train[3])


def test_a_holdout_is_one_split() -> None:
    partition = Holdout(30, random_state=0).partition(40)
    assert (len(partition), partition.n_train, partition.n_test) == (1, 30, 10)


def test_samples_leave_out_whom_they_test_and_all_meet_themselves_last() -> None:
    design = OutOfBag(40, random_state=1)
    partition = design.partition(60)
    *samples, (train, test) = partition
    assert np.array_equal(train, np.arange(60))
    assert np.array_equal(test, np.arange(60))
    assert not partition.about[-1]
    assert all(len(bag) == 60 and len(np.unique(bag)) + len(left) == 60 for bag, left in samples)
    assert all(not np.intersect1d(bag, left).size for bag, left in samples)
    assert np.mean([len(left) for _, left in samples]) == pytest.approx(
        60 * (1 - 1 / 60) ** 60, abs=1.5
    )
    given = list(design.split(np.zeros((60, 1))))  # what scikit-learn gets tests nobody on himself
    assert len(given) == design.get_n_splits() == 40
    assert all(len(left) for _, left in OutOfBag(200, random_state=0).partition(2))
    with pytest.raises(InvalidInput, match="n_samples must be an integer from 2"):
        OutOfBag(1)
