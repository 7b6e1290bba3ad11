"""K-fold cross-validation inside K-fold cross-validation, for the nested interval."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from evenfold.core import kind as kinds
from evenfold.core.checks import integer
from evenfold.core.partition import IndexCut, Indices, Partition
from evenfold.core.rng import stream
from evenfold.design._base import MOST_SPLITS, BalancedDesign
from evenfold.design.folds import KFold


@dataclass(frozen=True, eq=False, repr=False)
class NestedKFold(BalancedDesign):
    """
    Repeated k-fold, with k-fold on the other folds inside each: the design of ``nested-cv``.

    An inner model leaves out two folds, the outer one and the inner one. Which of them is called outer makes
    no difference to the model, so each pair of folds is fitted once and tested on both: k + k(k−1)/2 fits per
    repetition where k² are written down.

    The outer splits come first, repetition by repetition, marked by ``repetition`` −1; then the pairs, in
    the order (0, 1), (0, 2), …, with the number of the pair in ``fold``. Every example is tested k times in
    each repetition, whether or not k divides n.

    Parameters
    ----------
    n_splits : int
        Number of folds k, at least 3.
    n_repeats : int
        Number of repetitions with other folds; the variance needs ten or more.
    balance, features, random_state
        See :class:`~evenfold.design.BalancedDesign`.

    Examples
    --------
    >>> partition = NestedKFold(5, 10, random_state=0).partition(100)
    >>> len(partition), sorted(set(partition.train_sizes.tolist()))
    (150, [60, 80])

    References
    ----------
    Bates, Hastie and Tibshirani (2023), algorithm 1.
    """

    kind = kinds.NESTED_KFOLD

    n_splits: int
    n_repeats: int

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("n_splits", self.n_splits, low=3)
        integer("n_repeats", self.n_repeats, low=1, high=MOST_SPLITS)

    @property
    def parts(self) -> tuple[int, str]:
        """The folds."""
        return self.n_splits, "folds"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return R·k(k+1)/2."""
        return self.n_repeats * self.n_splits * (self.n_splits + 1) // 2

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        integer("n_splits", self.n_splits, low=3, high=n, remedy=f"there are only {n} examples")
        self._require_room(n)
        k, repeats = self.n_splits, range(self.n_repeats)
        folds = [self._folds(n, seed, r, y, groups, features) for r in repeats]
        pairs = list(combinations(range(k), 2))
        tests = [(r, [j]) for r in repeats for j in range(k)] + [(r, list(p)) for r in repeats for p in pairs]
        cuts = [_cut(folds[r], left_out) for r, left_out in tests]
        outer = self.n_repeats * k
        return Partition(
            kind=self.kind,
            seed=seed,
            cut=IndexCut(n=n, trains=tuple(cut[0] for cut in cuts), tests=tuple(cut[1] for cut in cuts)),
            repetition=np.concatenate([np.full(outer, -1), np.repeat(np.arange(self.n_repeats), len(pairs))]),
            fold=np.concatenate([np.arange(outer), np.tile(np.arange(len(pairs)), self.n_repeats)]),
        )

    def _folds(self, n: int, seed: int, r: int, y: Any, groups: Any, features: Any) -> Indices:
        """Fold of each example in repetition r."""
        own = int(stream(seed, "nested", r).integers(2**63))
        design = KFold(self.n_splits, balance=self.balance, features=self.features, random_state=own)
        folds = np.empty(n, dtype=np.intp)
        for j, test in enumerate(design._partition(n, own, y, groups, features).test):
            folds[test] = j
        return folds


def _cut(folds: Indices, left_out: list[int]) -> tuple[Indices, Indices]:
    tested = np.isin(folds, left_out)
    return np.flatnonzero(~tested), np.flatnonzero(tested)
