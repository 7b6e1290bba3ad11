"""The small tables behind block-regularized repeated learning-testing."""

import numpy as np
import pytest

from evenfold.design.search.patterns import _flat_from_array, _flat_table, overlap_spread, search


@pytest.mark.parametrize("J", range(2, 31))
def test_arrays_in_closed_form_are_exactly_flat(J: int) -> None:
    found = 0
    for weight in range(J + 1):
        table = _flat_from_array(J, weight)
        if table is not None:
            found += 1
            assert overlap_spread(table) == 0
            assert set(table.sum(axis=1)) == {weight}
            assert np.ptp(table.sum(axis=0)) == 0
    assert found >= min(J + 1, 4)  # weights 0, 1, J − 1, J at least


def test_shifted_rows_are_exactly_flat() -> None:
    table = _flat_table(10, 7)
    assert overlap_spread(table) == 0
    assert set(table.sum(axis=1)) == {7}


def test_a_symmetric_search_keeps_its_symmetry() -> None:
    rows = search(60, 40, 20, 20)
    assert rows is not None
    shifted = np.roll(rows, 1, axis=1)
    assert sorted(map(bytes, rows)) == sorted(map(bytes, shifted))
