"""Regions of (ρ1, ρ2) in which the m×2 t-test is conservative."""

import numpy as np
import pytest
from scipy import stats

from evenfold.core.errors import InvalidInput
from evenfold.infer.theory import c_hat, c_m, f_m
from evenfold.infer.theory.regions import is_conservative, is_overly_conservative

_SIDE = np.linspace(0.01, 0.99, 50)
RHO1, RHO2 = np.array([(r1, r2) for r1 in _SIDE for r2 in _SIDE if r2 <= (1 + r1) / 2]).T


@pytest.mark.parametrize("m", [3, 5, 9])
def test_regions_are_their_definitions(m: int) -> None:
    for rho1, rho2 in ((0.1, 0.2), (0.3, 0.45), (0.2, 0.55), (0.8, 0.3)):
        reach = c_hat(m) * stats.t.ppf(0.95, 2 * m - 1)
        for found, level in ((is_conservative, 0.05), (is_overly_conservative, 0.01)):
            needed = c_m(m, rho1, rho2) * stats.t.ppf(1 - level, f_m(m, rho1, rho2))
            assert bool(found(m, rho1, rho2)) == (reach > needed)


def test_the_overly_conservative_region_is_a_part_and_both_end_near_a_half() -> None:
    for m in (3, 7, 50):
        kept, over = is_conservative(m, RHO1, RHO2), is_overly_conservative(m, RHO1, RHO2)
        assert not (over & ~kept).any()
        assert not kept[RHO2 > 0.53].any()
    assert is_conservative(50, RHO1, RHO2)[RHO2 < 0.48].all()  # R19: Θ tends to ρ2 < ½


def test_levels_are_checked() -> None:
    with pytest.raises(InvalidInput, match="level must be"):
        is_conservative(3, 0.1, 0.2, level=1.5)
