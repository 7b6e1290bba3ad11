"""Inputs that are values in the order of time: of a pair along a path, or of all forecasters."""

from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.estimate import Floats
from evenfold.core.partition import Partition
from evenfold.infer._inputs import finite, splits
from evenfold.infer.feeds._base import Batch, Input, Question

HORIZON = (
    "int, default 1",
    "How many times ahead of what was known the farthest forecast is, the gap included: differences may be "
    "correlated below that many times.",
)


@dataclass(frozen=True, slots=True)
class AlongPath(Input):
    """Differences in the order of time, one per time."""

    names = ("path",)
    described = (("array of shape (..., T)", "Loss of B less loss of A at each time, in order."),)
    keywords = MappingProxyType({"horizon": HORIZON})

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """Two times or more."""
        return (splits(names[0], given[0]),)

    def read(self, asked: Question) -> tuple[Any, ...]:
        """The mean over what happened at each time; of measures without values per example, by window."""
        return (along(asked),)

    def further(self, asked: Question) -> dict[str, Any]:
        """How far ahead the design tests."""
        return {"horizon": horizon_of(asked)}

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Forty times."""
        return (rng.normal(0.3, 1.0, size=(*batch, 40)),)

    def differ(self, data: tuple[Any, ...], noise: float) -> NDArray[np.bool_]:
        """Whether times differ."""
        d: Floats = data[0]
        spread: NDArray[np.bool_] = np.ptp(d, axis=-1) > noise * np.abs(d).max(axis=-1)
        return spread


@dataclass(frozen=True, slots=True)
class AllAlongPath(Input):
    """Losses of k forecasters in the order of time."""

    names = ("paths",)
    described = (
        ("array of shape (..., k, T)", "Loss of each of k ≥ 2 forecasters at each time, lower is better."),
    )
    keywords = MappingProxyType({"horizon": HORIZON})

    def check(self, names: Sequence[str], given: Sequence[Any]) -> tuple[Any, ...]:
        """Two forecasters and two times or more."""
        x = finite(names[0], given[0])
        if x.ndim < 2 or min(x.shape[-2:]) < 2:
            refuse(names[0], "of shape (..., k, T) with k ≥ 2 and T ≥ 2", f"shape {x.shape}")
        return (x,)

    def read(self, asked: Question) -> tuple[Any, ...]:
        """Of all algorithms, whatever pair was asked for; scores are turned round."""
        losses = asked.losses
        losses.require_complete()
        each = [along(Question(losses, b, None, asked.method)) for b in range(len(losses.algorithms))]
        return (np.stack(each, axis=-2) * (1.0 if losses.lower_is_better else -1.0),)

    def further(self, asked: Question) -> dict[str, Any]:
        """How far ahead the design tests."""
        return {"horizon": horizon_of(asked)}

    def example(self, rng: np.random.Generator, batch: Batch = ()) -> tuple[Any, ...]:
        """Three forecasters, forty times."""
        return (rng.normal(0.3, 1.0, size=(*batch, 3, 40)),)


def along(asked: Question) -> Floats:
    """B − A, or B alone, at each tested time in order (..., T); by window where examples have no values."""
    if not _by_example(asked):
        return _long_enough(asked, asked.differences())
    when = np.concatenate([times_of(asked.partition)[test] for test in asked.partition.test])
    values = np.concatenate(asked.examples(), axis=-1)
    order = np.argsort(when, kind="stable")
    starts = np.flatnonzero(np.diff(when[order], prepend=-1))
    counts = np.diff(starts, append=len(when))
    return _long_enough(asked, np.add.reduceat(values[..., order], starts, axis=-1) / counts)


def _long_enough(asked: Question, values: Floats) -> Floats:
    if values.shape[-1] < 2:
        asked.refuse("needs two tested times or more: take shorter training windows")
    return values


def horizon_of(asked: Question) -> int:
    """How many times ahead forecasts are; in windows where one window gives one value."""
    cut, partition = asked.partition.cut, asked.partition
    known = getattr(cut, "horizon", None)
    when = times_of(partition)
    last = np.zeros(1) if known else np.array([when[train].max() for train in partition.train])
    ahead = int(known or max(when[test].max() - at for test, at in zip(partition.test, last, strict=True)))
    if _by_example(asked):
        return ahead
    ends = np.array([when[test].max() for test in partition.test])
    return -(-ahead // int(np.diff(ends).min())) if len(ends) > 1 else 1


def times_of(partition: Partition) -> NDArray[np.intp]:
    """The time of every example, by number; its place where the partition does not know times."""
    times: NDArray[np.intp] = getattr(partition.cut, "times", np.arange(partition.n))
    return times


def tested_times(partition: Partition) -> int:
    """How many times are tested."""
    when = times_of(partition)
    return len(np.unique(np.concatenate([when[test] for test in partition.test])))


def _by_example(asked: Question) -> bool:
    losses = asked.losses
    return losses.examples is not None and losses.weights is None and losses.quantity.per_example == "values"
