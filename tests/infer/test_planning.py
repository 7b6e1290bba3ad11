"""How many examples or runs: the numbers are the fewest whose test has the power that is wanted."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.power import TTestIndPower, TTestPower

from evenfold.infer.planning import Spread, runs_needed, units_needed
from evenfold.infer.tables.kernels import parts

positive = st.floats(1e-3, 10)
ASKED: Any = {"level": 0.05, "power": 0.8}


@given(positive, positive, positive, st.floats(0.05, 2))
def test_what_is_needed_is_enough_and_no_more(
    unit: float, run: float, both: float, difference: float
) -> None:
    spread = Spread(unit=unit, run=run, both=both, units=200, runs=5)
    units = units_needed(spread, difference, **ASKED)
    if units is None:
        assert spread.power(difference, units=10**9, runs=5, level=0.05) < 0.8
    else:
        assert spread.power(difference, units=units, runs=5, level=0.05) >= 0.8
        assert units == 2 or spread.power(difference, units=units - 1, runs=5, level=0.05) < 0.8
    runs = runs_needed(spread, difference, **ASKED)
    if runs is None:
        assert spread.power(difference, units=200, runs=10**9, level=0.05) < 0.8
    else:
        assert spread.power(difference, units=200, runs=runs, level=0.05) >= 0.8
        assert runs == 2 or spread.power(difference, units=200, runs=runs - 1, level=0.05) < 0.8


def test_seeds_have_the_power_of_a_noncentral_t() -> None:
    """Reference values of docs/planning: the normal law said that two runs have .80."""
    seeds = Spread(unit=0.0, run=0.0096**2, units=1)
    found = [seeds.power(0.02, units=1, runs=S, level=0.05) for S in (2, 3, 4, 5)]
    assert found == pytest.approx([0.18, 0.50, 0.785, 0.93], abs=0.005)
    assert runs_needed(seeds, 0.02, **ASKED) == 5


@pytest.mark.parametrize("count", [2, 3, 5, 12, 200])
@pytest.mark.parametrize("side", ["two-sided", "larger"])
def test_powers_are_those_of_statsmodels(count: int, side: str) -> None:
    effect = 0.8
    two_sided = side == "two-sided"
    wanted = TTestPower().power(effect, count, 0.05, alternative=side)
    seeds = Spread(unit=0.0, run=1.0, units=1)
    examples = Spread(unit=1.0, units=count)
    one = seeds.power(effect, units=1, runs=count, level=0.05, two_sided=two_sided)
    assert one == pytest.approx(wanted, abs=1e-9)
    assert examples.power(
        effect, units=count, runs=1, level=0.05, two_sided=two_sided
    ) == pytest.approx(one)
    apart = Spread(unit=0.0, run=2.0, units=1, of_each=(0.5, 0.5))
    welch = TTestIndPower().power(effect, count, 0.05, alternative=side)
    assert apart.power(
        effect, units=1, runs=count, level=0.05, two_sided=two_sided
    ) == pytest.approx(welch, abs=1e-9)


def test_runs_and_examples_have_the_power_that_is_said() -> None:
    """Power of crossed-t by simulation, 2000 tables of each: Monte Carlo error .011."""
    from evenfold.infer import crossed_t

    rng = np.random.default_rng(0)
    spread = Spread(unit=1.0, run=0.02, both=1.0, units=60, runs=4)
    said = spread.power(0.5, units=60, runs=4, level=0.05)
    d = 0.5 + rng.normal(size=(2000, 1, 60)) + rng.normal(size=(2000, 4, 60))
    d += np.sqrt(0.02) * rng.normal(size=(2000, 4, 1))
    found = float((crossed_t(np.zeros_like(d), d).pvalue < 0.05).mean())
    assert found == pytest.approx(said, abs=0.06)


def test_the_spread_of_a_table_gives_its_own_variance_back() -> None:
    rng = np.random.default_rng(0)
    y = rng.normal(size=(6, 80)) + rng.normal(size=80) + rng.normal(size=(6, 1))
    found = parts(y)
    spread = Spread.of(found, units=80, runs=6)
    assert spread.variance(80, 6) == pytest.approx(float(found.A + found.R - found.E))
