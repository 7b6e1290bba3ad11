"""The splits of many data sets as masks, which the algorithms of the lab take."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from evenfold.core.partition import Partition
from evenfold_lab.arrays import Array, Place, namespace

Mask = NDArray[np.bool_]


@dataclass(frozen=True, eq=False, kw_only=True)
class Splits:
    """
    The training and test sets of J splits.

    Attributes
    ----------
    trains, tests : bool arrays, shape (J, n) or (R, J, n)
        With two axes, all R data sets are cut alike. Examples may be in neither set.
    """

    trains: Array
    tests: Array

    @classmethod
    def of(cls, partitions: Sequence[Partition]) -> "Splits":
        """Make splits of one partition per data set, or of a partition that all share."""
        masks = [_masks(partition) for partition in partitions]
        if len(masks) == 1:
            return cls(trains=masks[0][0], tests=masks[0][1])
        return cls(trains=np.stack([m[0] for m in masks]), tests=np.stack([m[1] for m in masks]))

    @property
    def shared(self) -> bool:
        """Whether all data sets are cut alike."""
        return bool(self.trains.ndim == 2)

    @property
    def count(self) -> int:
        """The number of splits J."""
        return int(self.trains.shape[-2])

    def on(self, place: Place) -> "Splits":
        """Move the splits to another place."""
        return Splits(trains=place.put(self.trains), tests=place.put(self.tests))

    def smallest(self) -> int:
        """Return the size of the smallest training set."""
        xp = namespace(self.trains)
        return int(xp.min(xp.sum(xp.astype(self.trains, xp.int64), axis=-1)))

    def largest(self) -> int:
        """Return the size of the largest training set."""
        xp = namespace(self.trains)
        return int(xp.max(xp.sum(xp.astype(self.trains, xp.int64), axis=-1)))

    def part(self, sets: slice, some: slice) -> "Splits":
        """Return some splits of some data sets."""
        some = slice(some.start, min(some.stop, self.count))
        if self.shared and some == slice(0, self.count):
            return self
        if self.shared:
            return Splits(trains=self.trains[some, :], tests=self.tests[some, :])
        return Splits(trains=self.trains[sets, some, :], tests=self.tests[sets, some, :])

    def by_set(self) -> "Splits":
        """Return the splits with an axis of data sets, of length 1 if all are cut alike."""
        if self.shared:
            return Splits(trains=self.trains[None, ...], tests=self.tests[None, ...])
        return self

    def of_set(self, r: int) -> "Splits":
        """Return the splits of one data set."""
        if self.shared:
            return self
        return Splits(trains=self.trains[r, ...], tests=self.tests[r, ...])

    @cached_property  # the pieces of a study share their splits
    def atoms(self) -> tuple[NDArray[np.intp], Mask]:
        """
        The atom of each example, and which atoms train in which split, for shared splits.

        An atom is a largest set of examples that always train together, such as a block of a block
        design or a fold. Sums over training sets are sums over few atoms.
        """
        packed = np.packbits(self.trains, axis=0)
        atom = np.zeros(packed.shape[1], dtype=np.intp)
        first = np.zeros(1, dtype=np.intp)
        for byte in packed:  # much faster than comparing whole columns
            _, first, atom = np.unique(atom * 256 + byte, return_index=True, return_inverse=True)
        return atom, self.trains[:, first]


def _masks(partition: Partition) -> tuple[Mask, Mask]:
    trains = np.zeros((len(partition), partition.n), dtype=bool)
    tests = np.zeros_like(trains)
    for j, (train, test) in enumerate(partition):
        trains[j, train] = True
        tests[j, test] = True
    return trains, tests
