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
from evenfold.infer._inputs import finite
from evenfold.infer.inputs._base import Input, Question, Row

HORIZON = (
    "int, default 1",
    "How many times ahead of what was known the farthest forecast is, the gap included: differences may be "
    "correlated below that many times.",
)


@dataclass(frozen=True, slots=True)
class AlongPath(Row):
    """
    Differences in the order of time, one per time.

    array of shape (..., T)
        Loss of B less loss of A at each time, in order.
    """

    names = ("path",)
    keywords = MappingProxyType({"horizon": HORIZON})

    def read(self, asked: Question) -> tuple[Any, ...]:
        """One value per window, or per time of forecasts that exist already."""
        return (along(asked),)

    def further(self, asked: Question) -> dict[str, Any]:
        """How far ahead the design tests."""
        return {"horizon": horizon_of(asked.partition)}


@dataclass(frozen=True, slots=True)
class AllAlongPath(Input):
    """
    Losses of k forecasters in the order of time.

    array of shape (..., k, T)
        Loss of each of k ≥ 2 forecasters at each time, lower is better.
    """

    names = ("paths",)
    sizes = ((3, 40),)
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
        return {"horizon": horizon_of(asked.partition)}


def along(asked: Question) -> Floats:
    """
    B − A, or B alone, in order (..., T): one value per window, or per time of forecasts that exist already.

    Times of one window share a model and the surprises since it was trained; those of different windows do
    not, so that windows without a gap are uncorrelated where forecasts leave nothing to learn.
    """
    values = by_time(asked) if len(asked.partition) == 1 else asked.differences()
    if values.shape[-1] < 2:
        asked.refuse("needs two windows or more: take shorter ones")
    return values


def by_time(asked: Question) -> Floats:
    """B − A at each tested time in order, the mean over what happened then."""
    when = np.concatenate([times_of(asked.partition)[test] for test in asked.partition.test])
    values = np.concatenate(asked.examples(), axis=-1)
    order = np.argsort(when, kind="stable")
    starts = np.flatnonzero(np.diff(when[order], prepend=-1))
    means: Floats = np.add.reduceat(values[..., order], starts, axis=-1) / np.diff(starts, append=len(when))
    return means


def horizon_of(partition: Partition) -> int:
    """How many times ahead forecasts are; in windows, where a window gives one value."""
    cut, when = partition.cut, times_of(partition)
    if len(partition) == 1:
        return int(getattr(cut, "horizon", 1))
    ends = np.array([(when[train].max(), when[test].max()) for train, test in partition])
    return -(-int((ends[:, 1] - ends[:, 0]).max()) // int(np.diff(ends[:, 1]).min()))


def times_of(partition: Partition) -> NDArray[np.intp]:
    """The time of every example, by number; its place where the partition does not know times."""
    times: NDArray[np.intp] = getattr(partition.cut, "times", np.arange(partition.n))
    return times


def tested_times(partition: Partition) -> int:
    """How many times are tested."""
    when = times_of(partition)
    return len(np.unique(np.concatenate([when[test] for test in partition.test])))
