"""K-fold cross-validation inside each half of several halvings."""

import numpy as np
import pytest

from evenfold.core.errors import InvalidInput
from evenfold.design import FoldsInHalves, Mx2BCV, design_from


def test_every_half_is_cross_validated_by_itself() -> None:
    partition = FoldsInHalves(7, 3, random_state=2).partition(48)
    assert len(partition) == FoldsInHalves(7, 3).get_n_splits() == 42
    halves = Mx2BCV(7, random_state=2).partition(48)
    for j, half in enumerate(halves.test):
        folds = slice(3 * j, 3 * j + 3)
        assert np.array_equal(np.sort(np.concatenate(partition.test[folds])), np.sort(half))
        for train, test in zip(partition.train[folds], partition.test[folds], strict=True):
            assert np.array_equal(np.sort(np.concatenate([train, test])), np.sort(half))
    assert partition.repetition.tolist() == np.repeat(np.arange(7), 6).tolist()


@pytest.mark.parametrize("n", [50, 51, 63, 64, 101])
def test_halves_are_of_equal_size_and_treated_alike(n: int) -> None:
    partition = FoldsInHalves(9, 4, random_state=0).partition(n)
    sizes = partition.test_sizes.reshape(9, 2, 4)
    assert (sizes.sum(axis=-1) == n // 2).all()
    assert (sizes == sizes[0, 0]).all()
    left_out = set(range(n)) - {int(i) for test in partition.test for i in test}
    assert len(left_out) == n % 2


def test_it_does_not_look_at_labels_or_groups() -> None:
    y = np.repeat([0, 1], 30)
    design = FoldsInHalves(3, 5, random_state=1)
    plain, labelled = design.partition(60), design.partition(60, y=y)
    assert all(np.array_equal(a, b) for a, b in zip(plain.test, labelled.test, strict=True))
    with pytest.raises(InvalidInput, match="groups must be None"):
        design.partition(60, groups=y)


def test_how_it_is_written_and_what_it_refuses() -> None:
    assert design_from("folds-in-halves:9:5").spelling == "folds-in-halves:9:5"
    with pytest.raises(InvalidInput, match=r"n_splits must be an integer from 2 to 8"):
        FoldsInHalves(3, 9).partition(16)
    with pytest.raises(InvalidInput, match="m must be an integer from 2"):
        FoldsInHalves(1, 5)
