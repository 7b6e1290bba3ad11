"""Folds, sources, and random splits."""

import numpy as np
import pytest

from evenfold.core.errors import InvalidInput
from evenfold.design import (
    RLT,
    Design,
    Holdout,
    KFold,
    LeaveOneOut,
    LeaveOneSourceOut,
    Mx2BCV,
    NestedRLT,
    SourceSizedKFold,
)


@pytest.mark.parametrize("k", [2, 3, 7, 10, 53])
def test_folds_are_disjoint_cover_and_differ_by_at_most_one(k: int) -> None:
    partition = KFold(k, random_state=0).partition(53)
    assert sorted(np.concatenate(list(partition.test))) == list(range(53))
    assert np.ptp(partition.test_sizes) <= 1
    phi = partition.overlaps()[np.triu_indices(k, 1)]
    certificate = partition.certificate
    assert certificate is not None
    assert certificate.overlap_error == pytest.approx(np.abs(phi - phi.mean()).max(), abs=0.2)
    assert certificate.overlap_error == pytest.approx(np.abs(phi - certificate.overlap_target).max())
    assert certificate.overlap_bound == pytest.approx(certificate.overlap_error)


def test_kfold_is_shuffled() -> None:
    assert not np.array_equal(KFold(5, random_state=0).partition(50).test[0], np.arange(10))


def test_leave_one_out_is_cheap_to_store() -> None:
    partition = LeaveOneOut().partition(70_000)
    assert partition.cut.folds.nbytes == 4 * 70_000  # type: ignore[attr-defined]
    assert partition.test[69_999].tolist() == [69_999]
    assert len(partition.train[5]) == 69_999
    assert partition.seed is None


def test_leave_one_source_out_tests_each_source_once() -> None:
    groups = np.array(["b", "a", "c", "a", "b", "b"])
    partition = LeaveOneSourceOut().partition(6, groups=groups)
    assert [set(groups[test]) for test in partition.test] == [{"a"}, {"b"}, {"c"}]
    assert LeaveOneSourceOut().get_n_splits(groups=groups) == 3


def test_random_folds_of_the_sizes_of_the_sources() -> None:
    groups = np.repeat([0, 1, 2], [50, 30, 20])
    partition = SourceSizedKFold(random_state=0).partition(100, groups=groups)
    assert partition.test_sizes.tolist() == [50, 30, 20]
    assert len(set(groups[partition.test[2]])) > 1


@pytest.mark.parametrize("design", [LeaveOneSourceOut(), SourceSizedKFold()])
def test_sources_are_needed(design: Design) -> None:
    with pytest.raises(InvalidInput, match="groups must be given"):
        design.partition(5)
    with pytest.raises(InvalidInput, match="at least two different sources but got 1 source"):
        design.partition(3, groups=[1, 1, 1])


@pytest.mark.parametrize(
    "design", [Mx2BCV(3), KFold(2), RLT(3, 0.5), Holdout(0.5), NestedRLT(2, 2, 2), LeaveOneOut()], ids=repr
)
def test_groups_are_never_ignored(design: Design) -> None:
    with pytest.raises(InvalidInput, match=r"groups must be None for .* but got an array of shape"):
        design.partition(12, groups=np.arange(12))


def test_random_splits_have_the_asked_sizes_and_differ() -> None:
    partition = RLT(20, 0.9, random_state=0).partition(50)
    assert set(partition.train_sizes) == {45}
    assert len({tuple(test) for test in partition.test}) > 15
    assert np.array_equal(partition.train[3], RLT(4, 0.9, random_state=0).partition(50).train[3])  # addressed


def test_a_holdout_is_one_split() -> None:
    partition = Holdout(30, random_state=0).partition(40)
    assert (len(partition), partition.n_train, partition.n_test) == (1, 30, 10)


@pytest.mark.parametrize(
    ("design", "message"),
    [
        (lambda: KFold(1), "n_splits must be an integer ≥ 2 but got 1"),
        (
            lambda: KFold(11).partition(10),
            "n_splits must be an integer from 2 to 10 but got 11; there are only 10 examples",
        ),
        (lambda: Holdout(1.5).partition(10), "train_size must be an integer from 1 to 9 or a fraction"),
        (lambda: RLT(0, 0.5), "n_splits must be an integer from 1 to 1000000 but got 0"),
        (lambda: KFold(2).partition(1), "n must be an integer from 2 to 1000000000 but got 1"),
        (lambda: LeaveOneOut().get_n_splits(), "X must be given"),
    ],
)
def test_wrong_use_is_answered_in_one_line(design: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        design()  # type: ignore[operator]
    assert "\n" not in str(caught.value)
