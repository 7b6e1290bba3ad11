"""The range of an estimand, inside which an interval stays and which no interval shrinks to 0."""

import math
from dataclasses import replace

import numpy as np

from evenfold.core.estimate import Bounds, Estimate, PivotEstimate, PosteriorEstimate, TestEstimate
from evenfold.core.losses import Losses
from evenfold.infer.data_sets.signs import equal_signs_test
from evenfold.infer.inputs.values import tested_times

# relative to the ends of an interval: the mean of differences of ±1 is not always exactly 0
_ROUNDING = 1e-12
_VALUES_ROUNDING = 16 * float(np.finfo(float).eps)  # relative to the values behind the differences


def limits(estimate: Estimate) -> tuple[float, float, float]:
    """Return value, low and high of a test or a posterior; a value that is only rounding is 0."""
    if isinstance(estimate, PosteriorEstimate):
        value = float(estimate.mean)
        low, high = estimate.interval()
    else:
        assert isinstance(estimate, TestEstimate)
        value = float(estimate.value)
        low, high = estimate.confidence_interval()
    reach = max((abs(end) for end in (low, high) if math.isfinite(end)), default=0.0)
    if abs(value) < _ROUNDING * reach:
        value = 0.0
    return value, float(low), float(high)


def limit_to_range(estimate: Estimate, losses: Losses, *, alone: bool) -> Estimate:
    """Return a test that knows the range of its estimand."""
    if not isinstance(estimate, TestEstimate):
        return estimate
    quantity = losses.quantity
    low, high = -quantity.width, quantity.width
    if alone:
        low, high = quantity.low, quantity.high
    bounds = Bounds(low=low, high=high, units=independent_units(losses), alone=alone)
    if not alone and _is_flat(estimate, losses):
        if bounds.units and math.isfinite(high - low):
            estimate = replace(
                estimate,
                standard_error=np.zeros_like(estimate.value),
                statistic=bounds.statistic(estimate.value, estimate.null),
            )
        elif isinstance(estimate, PivotEstimate):
            estimate = equal_signs_test(estimate, losses, bounds.units)
    return replace(estimate, bounds=bounds)


def independent_units(losses: Losses) -> int:
    """Return how many independent units were tested: sources, clusters, times or examples."""
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


def _is_flat(test: TestEstimate, losses: Losses) -> bool:
    """Whether the differences vary by no more than the rounding of the values behind them."""
    if not isinstance(test, PivotEstimate):
        return bool(test.standard_error == 0)
    size = float(np.nanmax(np.abs(losses.values), initial=0.0))
    return bool(test.standard_error <= _VALUES_ROUNDING * max(size, abs(float(test.value))))
