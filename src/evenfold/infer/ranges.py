"""The range of what an estimate is about: its interval stays inside, and nothing is certain."""

import math
from dataclasses import replace

import numpy as np

from evenfold.core.estimate import (
    Bounds,
    Estimate,
    PivotEstimate,
    PosteriorEstimate,
    TestEstimate,
)
from evenfold.core.losses import Losses
from evenfold.infer.data_sets.signs import equal_signs_test
from evenfold.infer.inputs.values import tested_times

# of the ends of an interval: a mean of zeros and ones does not always come out as 0
_ROUNDING = 1e-12
_VALUES_ROUNDING = 16 * float(np.finfo(float).eps)  # of the values whose differences are judged


def limits(found: Estimate) -> tuple[float, float, float]:
    """Return value, low and high of a test or a posterior; a value that is but rounding is 0."""
    if isinstance(found, PosteriorEstimate):
        value = float(found.mean)
        low, high = found.interval()
    else:
        assert isinstance(found, TestEstimate)
        value = float(found.value)
        low, high = found.confidence_interval()
    reach = max((abs(end) for end in (low, high) if math.isfinite(end)), default=0.0)
    if abs(value) < _ROUNDING * reach:
        value = 0.0
    return value, float(low), float(high)


def limit_to_range(found: Estimate, losses: Losses, *, alone: bool) -> Estimate:
    """Tell a test the range of what it is about."""
    if not isinstance(found, TestEstimate):
        return found
    quantity = losses.quantity
    low, high = -quantity.width, quantity.width
    if alone:
        low, high = quantity.low, quantity.high
    bounds = Bounds(low=low, high=high, units=independent_units(losses), alone=alone)
    if not alone and _is_flat(found, losses):
        if bounds.units and math.isfinite(high - low):
            found = replace(
                found,
                standard_error=np.zeros_like(found.value),
                statistic=bounds.statistic(found.value, found.null),
            )
        elif isinstance(found, PivotEstimate):
            found = equal_signs_test(found, losses, bounds.units)
    return replace(found, bounds=bounds)


def independent_units(losses: Losses) -> int:
    """Return how many independent things were tested: sources, clusters, times, or examples."""
    partition = losses.partition
    if partition.kind.is_by_source:
        return len(partition)
    if partition.kind.is_ordered:
        return tested_times(partition)
    if losses.clusters is not None:
        return int(losses.clusters.max()) + 1
    if partition.kind.is_one_split:
        return partition.n_test
    return partition.n


def _is_flat(found: TestEstimate, losses: Losses) -> bool:
    """Whether the differences vary by no more than the rounding of the values behind them."""
    if not isinstance(found, PivotEstimate):
        return bool(found.standard_error == 0)
    size = float(np.nanmax(np.abs(losses.values), initial=0.0))
    return bool(found.standard_error <= _VALUES_ROUNDING * max(size, abs(float(found.value))))
