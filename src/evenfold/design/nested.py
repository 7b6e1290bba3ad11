"""Designs inside designs: folds in folds for the nested interval, splits in halves for the conservative Z."""

from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any

import numpy as np

from evenfold.core import partition as kinds
from evenfold.core.checks import integer, refuse, size
from evenfold.core.partition import IndexCut, Indices, Partition
from evenfold.core.registry import Rule
from evenfold.core.rng import stream
from evenfold.design._base import Many, StratifiedDesign, register
from evenfold.design.folds import OfFolds
from evenfold.design.splits import drawn, random_pair, split_partition


@register
@dataclass(frozen=True, eq=False, repr=False)
class NestedKFold(OfFolds):
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
    example = "nested-kfold:5:10"

    n_splits: Annotated[int, Rule(integer, low=3)]
    n_repeats: Many

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
        folds = np.empty(n, dtype=np.intp)
        for j, test in enumerate(self.once._partition(n, own, y, groups, features).test):
            folds[test] = j
        return folds


@register
@dataclass(frozen=True, eq=False, repr=False)
class NestedRLT(StratifiedDesign):
    """
    Repeated learning-testing, and again inside each half of random halvings, which serve its variance.

    The two halves of one halving are disjoint data sets of size n/2, so their estimates are independent:
    that is what the conservative Z needs. The J splits of the whole data, which the estimate is about, come
    first, marked by ``repetition`` −1; then halving by halving, first half then second, where ``fold`` counts
    the 2J splits within the halving.

    Parameters
    ----------
    n_halvings : int
        Number of halvings M (5 to 10 are usual).
    n_splits : int
        Number of splits J, of the whole data and inside each half.
    test_size : int or float
        Test set size n2, a count or a fraction of the *whole* data; the rest of a half trains.
    balance, random_state
        See :class:`~evenfold.design.StratifiedDesign`.

    Examples
    --------
    >>> partition = NestedRLT(5, 15, 10, random_state=0).partition(100)
    >>> len(partition), partition.n_train, partition.n_test
    (165, 90, 10)

    References
    ----------
    NB section 3.2.
    """

    kind = kinds.NESTED_RLT
    example = "nested-rlt:5:15:0.1"
    by_chance = True

    n_halvings: Many
    n_splits: Many
    test_size: float

    @property
    def parts(self) -> tuple[int, str]:
        """Two halves, each with a training and a test set."""
        return 4, "training and test sets of two halves"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return J + 2MJ."""
        return (1 + 2 * self.n_halvings) * self.n_splits

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        self._require_room(n)
        n2, classes = size("test_size", self.test_size, n=n), self._classes(n, y)
        if n2 >= n // 2:
            refuse("test_size", f"less than half of the {n} examples", self.test_size)
        J, M = self.n_splits, self.n_halvings
        pairs = [random_pair(np.arange(n), n - n2, classes, seed, j) for j in range(J)]
        for halving in range(M):
            for which, half in enumerate(_halves(n, classes, stream(seed, "halving", halving))):
                pairs += [random_pair(half, n // 2 - n2, classes, seed, halving, which, j) for j in range(J)]
        repetition = np.concatenate([np.full(J, -1), np.repeat(np.arange(M), 2 * J)])
        fold = np.concatenate([np.arange(J), np.tile(np.arange(2 * J), M)])
        return split_partition(self.kind, seed, n, pairs, repetition, fold)


def _halves(n: int, classes: Indices | None, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Draw two disjoint halves of equal size; of an odd number one example is in neither."""
    first, rest = drawn(np.arange(n), n // 2, classes, rng)
    if classes is not None and n % 2:
        rest = np.delete(rest, rng.integers(len(rest)))
    return first, rest[: n // 2]


def _cut(folds: Indices, left_out: list[int]) -> tuple[Indices, Indices]:
    tested = np.isin(folds, left_out)
    return np.flatnonzero(~tested), np.flatnonzero(tested)
