"""Designs that know the source of each example."""

import numpy as np
import pytest

from evenfold.core.errors import InvalidInput
from evenfold.design import Design, LeaveOneSourceOut, SourceSizedKFold


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
    with pytest.raises(
        InvalidInput, match="at least two different sources but all examples have the same"
    ):
        design.partition(3, groups=[1, 1, 1])
