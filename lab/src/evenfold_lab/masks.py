"""The splits of many data sets at once, as masks: what the algorithms of the lab are fed."""

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
    Who trains and who tests in each of J splits.

    Attributes
    ----------
    trains, tests : bool arrays, shape (J, n) or (R, J, n)
        With two axes all R data sets are cut alike; examples in neither set sit out.
    """

    trains: Array
    tests: Array

    @classmethod
    def of(cls, partitions: Sequence[Partition]) -> "Splits":
        """The splits of one partition per data set, or of one partition shared by all."""
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
        """J, the number of splits."""
        return int(self.trains.shape[-2])

    def on(self, place: Place) -> "Splits":
        """The same in another place."""
        return Splits(trains=place.put(self.trains), tests=place.put(self.tests))

    def smallest(self) -> int:
        """The size of the smallest training set."""
        xp = namespace(self.trains)
        return int(xp.min(xp.sum(xp.astype(self.trains, xp.int64), axis=-1)))

    def largest(self) -> int:
        """The size of the largest training set."""
        xp = namespace(self.trains)
        return int(xp.max(xp.sum(xp.astype(self.trains, xp.int64), axis=-1)))

    def part(self, sets: slice, some: slice) -> "Splits":
        """Some splits of some data sets."""
        some = slice(some.start, min(some.stop, self.count))
        if self.shared and some == slice(0, self.count):
            return self
        if self.shared:
            return Splits(trains=self.trains[some, :], tests=self.tests[some, :])
        return Splits(trains=self.trains[sets, some, :], tests=self.tests[sets, some, :])

    def by_set(self) -> "Splits":
        """The same with an axis of data sets, of length 1 where all are cut alike."""
        if self.shared:
            return Splits(trains=self.trains[None, ...], tests=self.tests[None, ...])
        return self

    def of_set(self, r: int) -> "Splits":
        """Those of one data set."""
        if self.shared:
            return self
        return Splits(trains=self.trains[r, ...], tests=self.tests[r, ...])

    @cached_property  # the pieces of a study share their splits
    def atoms(self) -> tuple[NDArray[np.intp], Mask]:
        """
        The atom of each example, and which atoms train in which split; shared splits only.

        An atom is a largest set of examples that always train together: the blocks of a block
        design, the folds of k-fold. Sums over training sets are sums over few atoms.
        """
        packed = np.packbits(self.trains, axis=0)
        atom = np.zeros(packed.shape[1], dtype=np.intp)
        first = np.zeros(1, dtype=np.intp)
        for byte in packed:  # far faster than comparing whole columns
            _, first, atom = np.unique(atom * 256 + byte, return_index=True, return_inverse=True)
        return atom, self.trains[:, first]


def _masks(partition: Partition) -> tuple[Mask, Mask]:
    trains = np.zeros((len(partition), partition.n), dtype=bool)
    tests = np.zeros_like(trains)
    for j, (train, test) in enumerate(partition):
        trains[j, train] = True
        tests[j, test] = True
    return trains, tests
