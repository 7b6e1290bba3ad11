"""Folds and halvings in one partition."""

from typing import Any

import numpy as np
import pytest

from evenfold.core.errors import InvalidInput
from evenfold.core.partition import Partition
from evenfold.design import FoldsAndHalves, KFold, Mx2BCV

y = np.tile([0, 0, 1], 21)
GROUPS = np.repeat(np.arange(21), 3)


def _same(one: Partition, other: Partition, start: int) -> bool:
    return all(
        np.array_equal(one.train[start + j], train) and np.array_equal(one.test[start + j], test)
        for j, (train, test) in enumerate(other)
    )


@pytest.mark.parametrize(
    "balance", [None, "labels", "counts", "groups", ("labels", "groups")], ids=repr
)
def test_the_halvings_come_first_as_the_halving_design_has_them_then_the_folds(
    balance: Any,
) -> None:
    options: Any = {"balance": balance, "random_state": 4}
    given = {"y": y, "groups": GROUPS if "groups" in (balance or "") else None}
    both = FoldsAndHalves(10, 9, **options).partition(63, **given)
    assert len(both) == FoldsAndHalves(10, 9).get_n_splits() == 28
    assert _same(both, Mx2BCV(9, **options).partition(63, **given), 0)
    assert _same(both, KFold(10, **options).partition(63, **given), 18)
    assert (both.repetition == [*np.repeat(np.arange(9), 2), *[-1] * 10]).all()
    assert both.about.tolist() == [False] * 18 + [True] * 10


def test_it_is_about_the_training_size_of_the_folds() -> None:
    partition = FoldsAndHalves(10, 9, random_state=0).partition(569)
    assert (partition.n_train, partition.n_test) == (512, 57)


def test_its_certificate_is_that_of_the_halvings() -> None:
    mine, theirs = (d.partition(64).certificate for d in (FoldsAndHalves(5, 7), Mx2BCV(7)))
    assert mine is not None
    assert theirs is not None
    assert mine.construction == f"{theirs.construction}, and 5 folds"
    assert (mine.overlap_error, mine.occurrence_spread) == (0, 0)


def test_the_worst_feature_balance_of_both_is_certified() -> None:
    features = np.random.default_rng(0).poisson(1.0, (60, 3)) + 1
    options: Any = {"balance": "features", "random_state": 0}
    designs: Any = (FoldsAndHalves(5, 3, **options), Mx2BCV(3, **options), KFold(5, **options))
    both, *each = (
        design.partition(60, features=features).certificate.chi_square for design in designs
    )
    assert both == max(each)


@pytest.mark.parametrize(
    ("sizes", "message"),
    [((1, 9), "n_splits must be"), ((10, 0), "m must be"), ((10, 2), "quarters must be")],
)
def test_numbers_that_cannot_be_are_refused(sizes: tuple[int, int], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        FoldsAndHalves(*sizes, quarters=3)


@pytest.mark.parametrize("balance", [None, "labels", ("labels", "groups")], ids=repr)
def test_quarters_train_on_half_of_a_half_and_are_tested_as_it_is(balance: Any) -> None:
    options: Any = {"balance": balance, "random_state": 4}
    given = {"y": y, "groups": GROUPS if "groups" in (balance or "") else None}
    design = FoldsAndHalves(10, 9, quarters=5, **options)
    found, plain = (
        design.partition(63, **given),
        FoldsAndHalves(10, 9, **options).partition(63, **given),
    )
    assert len(found) == design.get_n_splits() == 38
    assert _same(found, plain.only(slice(18)), 0)
    assert _same(found, plain.only(slice(18, None)), 28)
    for j in range(10):
        quarter = found.train[18 + j]
        assert set(quarter) < set(found.train[j])
        assert abs(len(quarter) - 63 / 4) <= (6 if "groups" in (balance or "") else 2)
        assert np.array_equal(found.test[18 + j], found.test[j])
        if balance and "groups" in balance:
            assert not set(GROUPS[quarter]) & set(GROUPS[found.test[j]])
    assert found.n_train == plain.n_train


def test_quarters_of_even_data_are_quarters() -> None:
    sizes = FoldsAndHalves(10, 9, quarters=9, random_state=0).partition(160).train_sizes
    assert sizes[18:36].tolist() == [40] * 18


def test_only_a_partition_can_be_extended() -> None:
    nothing: Any = None
    with pytest.raises(InvalidInput, match="partition must be a Partition"):
        FoldsAndHalves(10, 9).extend(nothing, 2)
