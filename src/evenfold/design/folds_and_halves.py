"""Folds for the estimate and halvings for its variance, in one partition: the design of ``full-size-t``."""

from dataclasses import dataclass, field, replace
from typing import Annotated, Any, cast

import numpy as np

from evenfold.core import partition as kinds
from evenfold.core.checks import integer
from evenfold.core.partition import (
    BlockCut,
    Certificate,
    FoldCut,
    IndexCut,
    Indices,
    Partition,
    smallest_unsigned,
)
from evenfold.core.registry import Rule
from evenfold.design._base import register
from evenfold.design.folds import OfFolds
from evenfold.design.halves import Mx2BCV

_FEWEST = 3  # repetitions that the influence test takes


@register
@dataclass(frozen=True, eq=False, repr=False)
class FoldsAndHalves(OfFolds):
    """
    One run of k folds, which the estimate is about, and m halvings, which say how training sets matter.

    The halvings come first and are those of :class:`Mx2BCV` with the same seed, so that a store that has them
    already gives them back; then the folds of :class:`KFold`, marked by ``repetition`` −1.

    Parameters
    ----------
    n_splits : int
        Number of folds k; models train on (k−1)n/k examples.
    m : int
        Number of halvings.
    quarters : int, optional
        For how many of the halvings models of a quarter of the examples are run, too: those that train in the
        next halving as well, tested on the other half; 3 to m of them.
    balance, features, random_state
        See :class:`~evenfold.design.BalancedDesign`.

    Notes
    -----
    *Validity.* Estimates speak of models trained on (k−1)n/k examples. 10 folds and 9 halvings were measured
    best: 28 fits an algorithm, 10 where the halvings are there.

    Examples
    --------
    >>> partition = FoldsAndHalves(10, 9, random_state=0).partition(100)
    >>> len(partition), partition.n_train, int(partition.train_sizes[0])
    (28, 90, 50)
    >>> FoldsAndHalves(10, 9, quarters=9, random_state=0).partition(100).train_sizes[18:21]
    array([25, 25, 25])
    """

    kind = kinds.FOLDS_AND_HALVES
    example = "folds-and-halves:10:9"
    named = ("quarters",)

    m: Annotated[int, Rule(integer, low=1, high=Mx2BCV.most)]
    quarters: int | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.quarters is not None:
            integer("quarters", self.quarters, low=_FEWEST, high=self.m, remedy="each is made of a halving")

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return 2m + k, and two for every halving with quarters."""
        return 2 * (self.m + (self.quarters or 0)) + self.n_splits

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        halvings = Mx2BCV(self.m, balance=self.balance, features=self.features)
        halves, folds = (one._partition(n, seed, y, groups, features) for one in (halvings, self.once))
        k, more = self.n_splits, slice(2 * (self.quarters or 0))
        return Partition(
            kind=self.kind,
            seed=seed,
            cut=_with_quarters(halves, folds, more)
            if self.quarters
            else _joined(cast("BlockCut", halves.cut), cast("FoldCut", folds.cut)),
            repetition=np.concatenate([halves.repetition, halves.repetition[more], np.full(k, -1)]),
            fold=np.concatenate([halves.fold, halves.fold[more], np.arange(k)]),
            certificate=_together(halves, folds),
        )


def _with_quarters(halves: Partition, folds: Partition, more: slice) -> IndexCut:
    """Halvings, quarters and folds in turn; quarters leave out half of those that do not test."""
    quarters = [_quarter(halves, j) for j in range(more.stop)]
    return IndexCut(
        n=halves.n,
        trains=(*halves.train, *quarters, *folds.train),
        tests=(*halves.test, *halves.test[more], *folds.test),
    )


def _quarter(halves: Partition, split: int) -> Indices:
    """Those of a half that train in the same half of the next halving: the array makes them n/4."""
    return np.intersect1d(halves.train[split], halves.train[(split + 2) % len(halves)], assume_unique=True)


def _joined(halves: BlockCut, folds: FoldCut) -> BlockCut:
    """Cut into blocks finer than both: the pairs of block and fold that occur."""
    per_fold, k = len(halves.trains), folds.n_splits
    used, blocks = np.unique(folds.folds * np.int64(per_fold) + halves.blocks, return_inverse=True)
    fold, block = np.divmod(used, per_fold)
    return BlockCut(
        blocks=blocks.astype(smallest_unsigned(len(used))),
        trains=np.hstack([halves.trains[block], fold[:, None] != np.arange(k)]),
    )


def _together(halves: Partition, folds: Partition) -> Certificate:
    """The promises of the halvings; every example trains in all folds but one."""
    mine, theirs = (cast("Certificate", one.certificate) for one in (halves, folds))
    worst = max((one.chi_square for one in (mine, theirs) if one.chi_square is not None), default=None)
    return replace(mine, construction=f"{mine.construction}, and {len(folds)} folds", chi_square=worst)
