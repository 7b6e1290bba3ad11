"""Regions of (ρ1, ρ2) in which the m×2 t-test is conservative."""

import numpy as np
import pytest
from scipy import stats

from evenfold.core.errors import InvalidInput
from evenfold.infer.theory import c_hat, c_m, f_m
from evenfold.infer.theory.regions import is_conservative, is_overly_conservative

GRID = np.meshgrid(np.linspace(0.01, 0.99, 50), np.linspace(0.01, 0.99, 50))


@pytest.mark.parametrize("m", [3, 5, 9])
def test_regions_are_their_definitions(m: int) -> None:
    for rho1, rho2 in ((0.1, 0.2), (0.3, 0.45), (0.2, 0.7), (0.8, 0.3)):
        reach = c_hat(m) * stats.t.ppf(0.95, 2 * m - 1)
        for found, level in ((is_conservative, 0.05), (is_overly_conservative, 0.01)):
            needed = c_m(m, rho1, rho2) * stats.t.ppf(1 - level, f_m(m, rho1, rho2))
            assert bool(found(m, rho1, rho2)) == (reach > needed)


def test_the_overly_conservative_region_is_a_part_and_both_end_below_a_half() -> None:
    for m in (3, 7, 50):
        kept, over = is_conservative(m, *GRID), is_overly_conservative(m, *GRID)
        assert not (over & ~kept).any()
        assert not kept[GRID[1] > 0.6].any()
    assert is_conservative(50, *GRID)[(GRID[1] < 0.48)].all()  # R19: Θ tends to ρ2 < ½


def test_levels_are_checked() -> None:
    with pytest.raises(InvalidInput, match="level must be"):
        is_conservative(3, 0.1, 0.2, level=1.5)
