"""Folds, sources, and random splits."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from evenfold.core.errors import InvalidInput
from evenfold.core.partition import FoldCut
from evenfold.design import (
    BRLT,
    RLT,
    Design,
    Holdout,
    KFold,
    LeaveOneOut,
    Mx2BCV,
    NestedRLT,
)

pytestmark = pytest.mark.quick


@pytest.mark.parametrize("k", [2, 3, 7, 10, 53])
def test_folds_are_disjoint_cover_and_differ_by_at_most_one(k: int) -> None:
    partition = KFold(k, random_state=0).partition(53)
    assert sorted(np.concatenate(list(partition.test))) == list(range(53))
    assert np.ptp(partition.test_sizes) <= 1
    phi = partition.overlaps()[np.triu_indices(k, 1)]
    certificate = partition.certificate
    assert certificate is not None
    assert certificate.overlap_error == pytest.approx(np.abs(phi - phi.mean()).max(), abs=0.2)
    assert certificate.overlap_error == pytest.approx(
        np.abs(phi - certificate.overlap_target).max()
    )
    assert certificate.overlap_bound == pytest.approx(certificate.overlap_error)


def test_kfold_is_shuffled() -> None:
    assert not np.array_equal(KFold(5, random_state=0).partition(50).test[0], np.arange(10))


def test_leave_one_out_is_cheap_to_store() -> None:
    partition = LeaveOneOut().partition(70_000)
    assert isinstance(partition.cut, FoldCut)
    assert partition.cut.folds.nbytes == 4 * 70_000
    assert partition.test[69_999].tolist() == [69_999]
    assert len(partition.train[5]) == 69_999
    assert partition.seed is None


@pytest.mark.parametrize(
    "design",
    [Mx2BCV(3), KFold(2), RLT(3, 0.5), Holdout(0.5), NestedRLT(2, 2, 2), LeaveOneOut()],
    ids=repr,
)
def test_groups_are_never_ignored(design: Design) -> None:
    with pytest.raises(InvalidInput, match=r"groups must be None for .* but got an array of shape"):
        design.partition(12, groups=np.arange(12))


@pytest.mark.parametrize(
    ("design", "message"),
    [
        (lambda: KFold(1), "n_splits must be an integer ≥ 2 but got 1"),
        (
            lambda: KFold(11).partition(10),
            "n_splits must be an integer from 2 to 10 but got 11. There are only 10 examples",
        ),
        (
            lambda: Holdout(1.5).partition(10),
            "train_size must be an integer from 1 to 9 or a fraction",
        ),
        (lambda: RLT(0, 0.5), "n_splits must be an integer from 1 to 1000000 but got 0"),
        (
            lambda: BRLT(1000, 0.5),
            "n_splits must be an integer from 1 to 100 but got 1000. .*RLT has no",
        ),
        (lambda: KFold(2).partition(1), "n must be an integer from 2 to 1000000000 but got 1"),
        (lambda: LeaveOneOut().get_n_splits(), "X must be given"),
    ],
)
def test_wrong_use_is_answered_in_one_line(design: Callable[[], Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        design()
    assert "\n" not in str(caught.value)
