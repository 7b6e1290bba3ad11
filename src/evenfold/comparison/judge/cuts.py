"""Who trained and who was tested, as far as a table says it."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evenfold.core.errors import NotApplicable
from evenfold.core.partition import Indices, Integers


class _Unknown:
    """What no table says: who trained together, and how often."""

    __slots__ = ()

    def overlaps(self) -> Integers:
        """An empty table: unknown."""
        return np.empty((0, 0), dtype=np.int64)

    def occurrences(self) -> Integers:
        """An empty vector: unknown."""
        return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class SizesCut(_Unknown):
    """Splits of which only the sizes are known; n is 0 where nobody said how many examples there are."""

    n: int
    train_sizes: Integers
    test_sizes: Integers

    @property
    def n_splits(self) -> int:
        return len(self.train_sizes)

    def train(self, split: int) -> Indices:
        raise NotApplicable(f"the table does not say which examples trained in split {split}")

    def test(self, split: int) -> Indices:
        raise NotApplicable(f"the table does not say which examples were tested in split {split}")

    def pairs(self) -> Iterator[tuple[Indices, Indices]]:
        yield from ((self.train(j), self.test(j)) for j in range(self.n_splits))

    def sizes(self) -> tuple[Integers, Integers]:
        return self.train_sizes, self.test_sizes


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TestedCut(_Unknown):
    """Runs of models trained elsewhere: every split tests all n examples, nobody says who trained."""

    n: int
    n_splits: int

    def train(self, split: int) -> Indices:  # noqa: ARG002  (one signature)
        return np.empty(0, dtype=np.intp)

    def test(self, split: int) -> Indices:  # noqa: ARG002  (one signature)
        return np.arange(self.n)

    def pairs(self) -> Iterator[tuple[Indices, Indices]]:
        yield from ((self.train(j), self.test(j)) for j in range(self.n_splits))

    def sizes(self) -> tuple[Integers, Integers]:
        return np.zeros(self.n_splits, dtype=np.int64), np.full(self.n_splits, self.n)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class PathCut(TestedCut):
    """Forecasts made elsewhere, so many times ahead, of examples that have times (0, 1, 2, …)."""

    times: Indices
    horizon: int


def halving_blocks(folds: NDArray[np.integer]) -> tuple[NDArray[np.unsignedinteger], NDArray[np.bool_]]:
    """
    Return the block of every example, and which blocks train in which split, from the halves (m, n).

    Examples
    --------
    >>> blocks, trains = halving_blocks(np.array([[0, 0, 1, 1], [0, 1, 1, 0]]))
    >>> blocks.tolist(), trains[0].tolist()
    ([0, 1, 3, 2], [False, True, False, True])
    """
    patterns, blocks = np.unique(folds.T, axis=0, return_inverse=True)
    trains = np.empty((len(patterns), 2 * len(folds)), dtype=bool)
    trains[:, 0::2], trains[:, 1::2] = patterns != 0, patterns != 1
    return blocks.astype(np.min_scalar_type(len(patterns))), trains
