"""
Asking the method about made-up losses first: what it would refuse is refused before anything is fitted.

The losses have the shape of those to come, the design, the measure and the weights, and values of no meaning.
One pair is asked about: what a method refuses is not about who is compared.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from evenfold.comparison.answer import Names, Rule, answer, complete, estimated
from evenfold.comparison.wording.notes import without_warnings
from evenfold.core.losses import Floats, Losses, Quantity
from evenfold.core.partition import LazySequence, Partition
from evenfold.core.rng import stream
from evenfold.core.scores import F1

_SHARE = 0.5  # of made-up mistakes: enough of both for methods that count them


def rehearse(
    quantity: Quantity,
    partition: Partition,
    names: Sequence[str],
    pairs: Sequence[Names],
    rule: Rule,
    *,
    weights: Any,
) -> None:
    """Raise what the method would say of losses of this measure on this partition, if anything."""
    losses = made_up(quantity, partition, tuple(names), weights)
    with without_warnings():
        found = {pairs[0]: estimated(losses, pairs[0], rule, rule.asked.share(len(pairs)))}
        answer(losses, complete(found), rule, cost="")


def made_up(quantity: Quantity, partition: Partition, names: tuple[str, ...], weights: Any) -> Losses:
    """Return losses of no meaning; values of single examples are made when a method asks for them."""
    shape = len(names), len(partition)
    singles: Any = tuple(
        LazySequence(len(partition), partial(_single, quantity, partition, a)) for a in range(len(names))
    )
    outcomes = quantity.per_example == "outcomes"
    return Losses(
        quantity=quantity,
        algorithms=names,
        partition=partition,
        values=_values(quantity, partition, shape),
        fit_seconds=np.zeros(shape),
        predict_seconds=np.zeros(shape),
        examples=singles if quantity.per_example in ("values", "placements") else None,
        outcomes=singles if outcomes else None,
        score=F1 if outcomes else None,
        counts=_counts(shape, partition) if outcomes else None,
        weights=None if weights is None else np.asarray(weights, dtype=float),
    )


def _values(quantity: Quantity, partition: Partition, shape: tuple[int, int]) -> Floats:
    if quantity.counts_wrong:
        odd = np.add.outer(np.arange(shape[0]), np.arange(shape[1])) % 2
        return np.asarray((partition.test_sizes + odd) // 2 / partition.test_sizes)
    return _unit(quantity, stream(0, "rehearsal").uniform(size=shape))


def _unit(quantity: Quantity, share: Floats) -> Floats:
    """Turn shares of 1 into values of the range, away from its ends."""
    low = quantity.low if np.isfinite(quantity.low) else 0.0
    high = quantity.high if np.isfinite(quantity.high) else low + 1.0
    values: Floats = low + (high - low) * (0.2 + 0.2 * share)
    return values


def _single(quantity: Quantity, partition: Partition, algorithm: int, split: int) -> Floats:
    share = stream(0, "rehearsal", algorithm, split).uniform(size=len(partition.test[split]))
    if quantity.per_example == "outcomes":  # three parts right, one part false, one part missed
        return np.stack([share < 0.6, (share >= 0.6) & (share < 0.8), share >= 0.8], axis=-1).astype(float)
    if quantity.counts_wrong:
        return (share < _SHARE).astype(float)
    return _unit(quantity, share)


def _counts(shape: tuple[int, int], partition: Partition) -> Floats:
    tested = np.maximum(partition.test_sizes, 5)
    return np.broadcast_to(np.stack([0.6 * tested, 0.2 * tested, 0.2 * tested], axis=-1), (*shape, 3)).copy()
