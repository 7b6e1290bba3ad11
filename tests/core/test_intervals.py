"""
Intervals of differences where nothing was seen to vary.

The table of docs/ranges.md, computed.
"""

import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import evenfold as ef
from evenfold.core.errors import DegenerateData
from evenfold.core.estimate import Bounds

N = 100


def _coverage(p: float, bounds: Bounds) -> tuple[float, float]:
    """How often the interval of paired-t holds p, and its mean width; B is wrong on a share p."""
    wrong = np.arange(30)  # of 100; more have no chance
    d = (np.arange(N) < wrong[:, None]).astype(float)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateData)
        low, high = replace(ef.infer.paired_t(d), bounds=bounds).confidence_interval()
    chance = stats.binom.pmf(wrong, N, p)
    return float(chance @ ((low <= p) & (p <= high))), float(chance @ (high - low))


@pytest.mark.parametrize("p", [0.001, 0.01, 0.03])
def test_the_page_says_how_often_intervals_hold(p: float) -> None:
    page = (Path(__file__).parents[2] / "docs" / "ranges.md").read_text(encoding="utf-8")
    (row,) = re.findall(rf"^\| {p:g} \| (.*) \|$", page, flags=re.MULTILINE)
    told = [float(x) for x in re.findall(r"\d\.\d+", row)]
    found = [_coverage(p, Bounds(low=-1.0, high=1.0, units=units)) for units in (0, N)]
    assert told == pytest.approx([(1 - p) ** N, *found[0], *found[1]], abs=0.006)


def test_the_statistic_is_where_the_interval_ends_at_the_null() -> None:
    bounds = Bounds(low=-1.0, high=1.0, units=20)
    for value, null in ((1.0, 0.0), (0.2, 0.1), (-0.3, 0.0), (0.0, 0.4)):
        statistic = float(bounds.statistic(value, null))
        assert np.sign(statistic) == np.sign(value - null)
        ends = bounds.limits(value, 0.0, statistic)
        assert min(abs(float(end) - null) for end in ends) < 1e-12
    assert bounds.statistic(0.3, 0.3) == 0
