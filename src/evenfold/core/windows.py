"""Windows in time: splits that train on a stretch of times and test on a later one, in compact form."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.partition import Indices, Integers


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class WindowCut:
    """
    Windows over examples that have a time.

    Attributes
    ----------
    times : array (n,)
        The time of each example, numbered 0, 1, 2, … without holes.
    edges : array (splits, 4)
        Split j trains on the times from ``edges[j, 0]`` to before ``edges[j, 1]``, and tests on those from
        ``edges[j, 2]`` to before ``edges[j, 3]``.
    """

    times: NDArray[np.intp]
    edges: Integers

    @property
    def n(self) -> int:
        return len(self.times)

    @property
    def n_splits(self) -> int:
        return len(self.edges)

    @property
    def horizon(self) -> int:
        """How many times ahead of the last training time the farthest tested time is."""
        return int((self.edges[:, 3] - self.edges[:, 1]).max())

    def train(self, split: int) -> Indices:
        return self._between(*self.edges[split, :2])

    def test(self, split: int) -> Indices:
        return self._between(*self.edges[split, 2:])

    def _between(self, start: int, stop: int) -> Indices:
        return np.flatnonzero((self.times >= start) & (self.times < stop))

    def pairs(self) -> Iterator[tuple[Indices, Indices]]:
        for j in range(self.n_splits):
            yield self.train(j), self.test(j)

    def sizes(self) -> tuple[Integers, Integers]:
        before = self._before()[self.edges]
        return before[:, 1] - before[:, 0], before[:, 3] - before[:, 2]

    def overlaps(self) -> Integers:
        splits = np.arange(self.n_splits)
        return self.shared(splits[:, None], splits[None, :])

    def shared(self, one: Any, other: Any) -> Integers:
        """How many examples train in both of two splits, or of many pairs of them."""
        before, (start, stop) = self._before(), self.edges[:, :2].T
        first = np.maximum(start[one], start[other])
        last = np.maximum(np.minimum(stop[one], stop[other]), first)
        both: Integers = before[last] - before[first]
        return both

    def occurrences(self) -> Integers:
        steps = np.zeros(self.times.max() + 2, dtype=np.int64)
        np.add.at(steps, self.edges[:, 0], 1)
        np.add.at(steps, self.edges[:, 1], -1)
        return np.cumsum(steps)[self.times]

    def _before(self) -> Integers:
        """How many examples come before each time, and before the end."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.times))])
