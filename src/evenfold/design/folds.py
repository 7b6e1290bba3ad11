"""Designs that test every example once: k-fold, leave-one-out, leave-one-source-out."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core import kind as kinds
from evenfold.core.checks import examples, integer, refuse, vector
from evenfold.core.partition import Certificate, FoldCut, Partition, smallest_unsigned
from evenfold.core.rng import stream
from evenfold.design._base import BalancedDesign, Design
from evenfold.design._deal import flat_rows, part_groups, round_robin
from evenfold.design._units import Units, class_codes
from evenfold.design.measures import worst_chi_square


@dataclass(frozen=True, eq=False, repr=False)
class KFold(BalancedDesign):
    """
    Shuffled k-fold cross-validation; fold sizes differ by at most one.

    Parameters
    ----------
    n_splits : int
        Number of folds k.
    balance, features, random_state
        See :class:`~evenfold.design.BalancedDesign`.

    Notes
    -----
    *Validity.* Estimates speak of models trained on (k−1)n/k examples. The training sets of two folds share
    a fraction (k−2)/(k−1) of their examples, so fold estimates are correlated: a plain t-test on them is
    liberal.

    Examples
    --------
    >>> KFold(5, random_state=0).partition(12).test_sizes
    array([3, 3, 2, 2, 2])
    """

    kind = kinds.KFOLD

    n_splits: int

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("n_splits", self.n_splits, low=2)

    @property
    def parts(self) -> tuple[int, str]:
        """The folds."""
        return self.n_splits, "folds"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        units = self._units(n, y, groups, features)
        what = "examples" if units.of_example is None else "groups"
        integer(
            "n_splits", self.n_splits, low=2, high=len(units), remedy=f"there are only {len(units)} {what}"
        )
        cut = _fold_cut(units.spread(self._folds(units, seed)), self.n_splits)
        chi = None if units.table is None else worst_chi_square(units.table, cut.pairs())
        return _fold_partition(self.kind, seed, cut, chi)

    def _folds(self, units: Units, seed: int) -> NDArray[np.intp]:
        k, rng = self.n_splits, stream(seed, "folds")
        trains = ~np.eye(k, dtype=bool)
        if units.of_example is not None:
            folds = part_groups(units, np.arange(len(units)), trains, rng)
        else:
            folds = flat_rows(units, round_robin(k, len(units), units, rng), trains, rng, run=k)
        # Larger folds first, as people expect from k-fold.
        rank = np.empty(k, dtype=np.intp)
        rank[np.argsort(-np.bincount(units.spread(folds), minlength=k), kind="stable")] = np.arange(k)
        return rank[folds]


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneOut(Design):
    """
    Leave-one-out cross-validation: n splits, each tests one example. Nothing is random.

    Examples
    --------
    >>> [int(test[0]) for train, test in LeaveOneOut().partition(4)]
    [0, 1, 2, 3]
    """

    kind = kinds.LOO
    shuffle = False

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of examples of X."""
        if X is None:
            refuse("X", "given: leave-one-out has as many splits as X has examples", None)
        return examples("X", X)

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        return _fold_partition(self.kind, None, _fold_cut(np.arange(n), n))


@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneSourceOut(Design):
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
    uses_groups = True
    shuffle = False

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of sources in ``groups``."""
        return _sources(groups)[1]

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        folds, count = _sources(groups, n)
        return _fold_partition(self.kind, None, _fold_cut(folds, count))


@dataclass(frozen=True, eq=False, repr=False)
class SourceSizedKFold(Design):
    """
    Random folds as large as the sources, which they ignore: the contrast to :class:`LeaveOneSourceOut`.

    Examples
    --------
    >>> SourceSizedKFold(random_state=0).partition(5, groups=["b", "a", "b", "c", "a"]).test_sizes
    array([2, 2, 1])

    References
    ----------
    G13 section 3 (the estimator CVR).
    """

    kind = kinds.KFOLD
    uses_groups = True

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of sources in ``groups``."""
        return _sources(groups)[1]

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        folds, count = _sources(groups, n)
        return _fold_partition(self.kind, seed, _fold_cut(stream(seed, "folds").permutation(folds), count))


def _sources(groups: Any, n: int | None = None) -> tuple[NDArray[np.intp], int]:
    if groups is None:
        refuse("groups", "given: the source of each example", None)
    folds = class_codes(vector("groups", groups, n=n))
    count = int(folds.max()) + 1
    if count < 2:
        refuse("groups", "at least two different sources", "1 source")
    return folds, count


def _fold_cut(folds: NDArray[np.integer], k: int) -> FoldCut:
    return FoldCut(folds=folds.astype(smallest_unsigned(k)), n_splits=k)


def _fold_partition(
    kind: kinds.Kind, seed: int | None, cut: FoldCut, chi_square: float | None = None
) -> Partition:
    k, sizes = cut.n_splits, np.sort(cut.sizes()[1])
    doubled = 2 * cut.n / k  # mean size of two test sets together; their training sets share the rest
    certificate = Certificate(
        construction="disjoint test sets",
        overlap_target=cut.n - doubled,
        overlap_error=float(max(sizes[-2:].sum() - doubled, doubled - sizes[:2].sum())),
        overlap_bound=_fold_bound(cut.n, k),
        size_error=float(np.abs(sizes - cut.n / k).max()),
        occurrence_spread=0,
        chi_square=chi_square,
    )
    return Partition(
        kind=kind,
        seed=seed,
        cut=cut,
        repetition=np.zeros(k, np.int64),
        fold=np.arange(k),
        certificate=certificate,
    )


def _fold_bound(n: int, k: int) -> float:
    """Worst |φ − φ*| of the most even fold sizes, ⌊n/k⌋ and ⌈n/k⌉."""
    larger = n % k
    low, high = 2 * (n // k) + max(0, 2 - (k - larger)), 2 * (n // k) + min(2, larger)
    return max(high - 2 * n / k, 2 * n / k - low)
