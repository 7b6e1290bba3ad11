"""Folds for the estimate and halvings for its variance, in one partition: the design of ``full-size-t``."""

from dataclasses import dataclass, replace
from typing import Annotated, Any, cast

import numpy as np

from evenfold.core import kind as kinds
from evenfold.core.checks import integer
from evenfold.core.partition import BlockCut, Certificate, FoldCut, Partition, smallest_unsigned
from evenfold.core.plumbing.rules import Rule
from evenfold.design._base import register
from evenfold.design.folds import OfFolds
from evenfold.design.halves import Mx2BCV


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
    """

    kind = kinds.FOLDS_AND_HALVES
    example = "folds-and-halves:10:9"

    m: Annotated[int, Rule(integer, low=1, high=Mx2BCV.most)]

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return 2m + k."""
        return 2 * self.m + self.n_splits

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        halvings = Mx2BCV(self.m, balance=self.balance, features=self.features)
        halves, folds = (one._partition(n, seed, y, groups, features) for one in (halvings, self.once))
        k = self.n_splits
        return Partition(
            kind=self.kind,
            seed=seed,
            cut=_joined(cast("BlockCut", halves.cut), cast("FoldCut", folds.cut)),
            repetition=np.concatenate([halves.repetition, np.full(k, -1)]),
            fold=np.concatenate([halves.fold, np.arange(k)]),
            certificate=_together(halves, folds),
        )


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
