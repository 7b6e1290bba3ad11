"""
Designs that know the source of each example.

One source is left out, or folds are as large as sources.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core import partition as kinds
from evenfold.core.checks import refuse, vector
from evenfold.core.partition import Partition
from evenfold.core.rng import stream
from evenfold.design._base import Design, class_codes, register
from evenfold.design.folds import fold_cut, fold_partition


@dataclass(frozen=True, eq=False, repr=False)
class _BySource(Design):
    """A design with as many splits as there are sources."""

    uses_groups = True

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of sources in ``groups``."""
        return _sources(groups)[1]


@register
@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneSourceOut(_BySource):
    """
    Leave one source (group) out: each split tests all examples of one source.

    This is the design for the error on a *new* source; random folds are optimistic on grouped data.
    Sources are tested in sorted order; nothing is random.

    Examples
    --------
    >>> partition = LeaveOneSourceOut().partition(5, groups=["b", "a", "b", "c", "a"])
    >>> [test.tolist() for train, test in partition]
    [[1, 4], [0, 2], [3]]

    References
    ----------
    G13 section 3.
    """

    kind = kinds.SOURCES
    example = "sources"
    shuffle = False

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        folds, count = _sources(groups, n)
        return fold_partition(self.kind, None, fold_cut(folds, count))


@register
@dataclass(frozen=True, eq=False, repr=False)
class SourceSizedKFold(_BySource):
    """
    Random folds as large as the sources, which they ignore.

    They are here to be compared with :class:`LeaveOneSourceOut`.

    Examples
    --------
    >>> SourceSizedKFold(random_state=0).partition(5, groups=["b", "a", "b", "c", "a"]).test_sizes
    array([2, 2, 1])

    References
    ----------
    G13 section 3 (the estimator CVR).
    """

    kind = kinds.KFOLD
    example = "kfold-as-sources"

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        folds, count = _sources(groups, n)
        return fold_partition(
            self.kind, seed, fold_cut(stream(seed, "folds").permutation(folds), count)
        )


def _sources(groups: Any, n: int | None = None) -> tuple[NDArray[np.intp], int]:
    if groups is None:
        refuse("groups", "groups must be given, because they are the source of each example.")
    folds = class_codes(vector("groups", groups, n=n))
    count = int(folds.max()) + 1
    if count < 2:
        refuse(
            "groups",
            "groups must have at least two different sources but all examples have the same.",
        )
    return folds, count
