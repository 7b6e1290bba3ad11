"""How many examples or runs: the numbers are those at which the variance is small enough."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenfold.infer.tables._crossed import parts
from evenfold.infer.tables._needed import Spread, runs_needed, standard_error_needed, units_needed

positive = st.floats(1e-4, 10)


@given(positive, positive, positive, st.floats(0.05, 2))
def test_what_is_needed_is_enough_and_no_more(
    unit: float, run: float, both: float, difference: float
) -> None:
    spread = Spread(unit=unit, run=run, both=both, units=200, runs=5)
    wanted = standard_error_needed(difference, level=0.05, power=0.8) ** 2
    units = units_needed(spread, difference, level=0.05, power=0.8)
    if np.isfinite(units):
        assert spread.variance(units, 5) == pytest.approx(wanted)
    else:
        assert run / 5 >= wanted
    runs = runs_needed(spread, difference, level=0.05, power=0.8)
    if np.isfinite(runs):
        assert spread.variance(200, runs) == pytest.approx(wanted)
    else:
        assert unit / 200 >= wanted


def test_the_spread_of_a_table_gives_its_own_variance_back() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=(6, 80)) + rng.normal(size=80) + rng.normal(size=(6, 1))
    found = parts(y)
    spread = Spread.of(found, units=80, runs=6)
    assert spread.variance(80, 6) == pytest.approx(float(found.A + found.R - found.E))
