"""The maximal information coefficient: published values, and all grids of few examples."""

from itertools import combinations

import numpy as np
from papers._mic import best_columns, equal_rows, maximal_information, mic


def test_relations_without_noise_have_1() -> None:
    """Reshef et al. 2011, table 1; the third is the example of minepy's documentation."""
    x = np.linspace(0, 1, 300)
    assert np.allclose(
        [mic(x, y) for y in (2 * x + 1, (x - 0.5) ** 2, np.sin(10 * np.pi * x) + x)], 1.0
    )


def test_unrelated_values_have_little_and_a_constant_nothing() -> None:
    rng = np.random.default_rng(0)
    x, y = rng.random((2, 300))
    assert 0.1 < mic(x, y) < 0.25
    assert mic(x, np.ones(300)) == 0
    assert np.allclose(maximal_information(np.column_stack([x, y]), y), [mic(x, y), 1.0])


def _information(column: np.ndarray, row: np.ndarray) -> float:
    joint = np.zeros((column.max() + 1, row.max() + 1))
    np.add.at(joint, (column, row), 1 / len(row))
    alone = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0)
    return float((joint[joint > 0] * np.log(joint[joint > 0] / alone[joint > 0])).sum())


def test_the_columns_are_the_best_of_all() -> None:
    rng = np.random.default_rng(1)
    x, y = rng.integers(0, 7, size=12).astype(float), rng.random(12)
    row = equal_rows(y, 3)
    values = np.unique(x)
    for columns, found in enumerate(best_columns(x, row, 4), start=2):
        cuts = combinations(values[1:], columns - 1)
        assert (
            abs(found - max(_information(np.searchsorted(c, x, side="right"), row) for c in cuts))
            < 1e-12
        )


def test_rows_are_filled_equally_and_equal_values_stay_together() -> None:
    assert np.bincount(equal_rows(np.arange(12.0), 4)).tolist() == [3, 3, 3, 3]
    tied = np.array([0.0] * 6 + [1.0, 2.0, 3.0])
    assert equal_rows(tied, 3).tolist() == [0] * 6 + [1, 2, 2]  # by the rule of Reshef et al.
