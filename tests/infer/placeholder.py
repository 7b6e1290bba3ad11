"""
Losses of no meaning, which a method is asked about before anything is fitted.

They have the shape of those to come, the design, the measure and the weights. What a method
refuses about them, it would refuse after the last fit.
"""

from functools import partial
from typing import Any

import numpy as np

from evenfold.core.estimate import Floats
from evenfold.core.losses import F1, Losses, Quantity
from evenfold.core.partition import LazySequence, Partition
from evenfold.core.rng import stream

_SHARE = 0.5  # of made-up mistakes: enough of both for methods that count them


def placeholder_losses(
    quantity: Quantity, partition: Partition, names: tuple[str, ...], weights: Any
) -> Losses:
    """
    Return losses of no meaning.

    Values of single examples are made when a method asks for them.
    """
    shape = len(names), len(partition)
    singles: Any = tuple(
        LazySequence(len(partition), partial(_single, quantity, partition, a))
        for a in range(len(names))
    )
    each: dict[str, Any] = {}
    if quantity.per_example == "outcomes":
        each = {"outcomes": singles, "score": F1, "counts": _counts(shape, partition)}
    elif quantity.per_example != "none":
        each = {"examples": singles}
    return Losses(
        quantity=quantity,
        algorithms=names,
        partition=partition,
        values=_values(quantity, partition, shape),
        fit_seconds=np.zeros(shape),
        predict_seconds=np.zeros(shape),
        weights=None if weights is None else np.asarray(weights, dtype=float),
        **each,
    )


def _values(quantity: Quantity, partition: Partition, shape: tuple[int, int]) -> Floats:
    if quantity.counts_wrong:
        odd = np.add.outer(np.arange(shape[0]), np.arange(shape[1])) % 2
        return np.asarray((partition.test_sizes + odd) // 2 / partition.test_sizes)
    return _unit(quantity, stream(0, "rehearsal").uniform(size=shape))


def _unit(quantity: Quantity, share: Floats) -> Floats:
    """Turn shares of 1 into values of the range, away from its ends."""
    low = 0.0
    if np.isfinite(quantity.low):
        low = quantity.low
    if np.isfinite(quantity.high):
        high = quantity.high
    else:
        high = low + 1.0
    values: Floats = low + (high - low) * (0.2 + 0.2 * share)
    return values


def _single(quantity: Quantity, partition: Partition, algorithm: int, split: int) -> Floats:
    share = stream(0, "rehearsal", algorithm, split).uniform(size=len(partition.test[split]))
    if quantity.per_example == "outcomes":  # three parts right, one part false, one part missed
        return np.equal.outer(np.digitize(share, [0.6, 0.8]), np.arange(3)).astype(float)
    if quantity.counts_wrong:
        return (share < _SHARE).astype(float)
    return _unit(quantity, share)


def _counts(shape: tuple[int, int], partition: Partition) -> Floats:
    tested = np.multiply.outer(np.maximum(partition.test_sizes, 5), [0.6, 0.2, 0.2])
    return np.broadcast_to(tested, (*shape, 3)).copy()
