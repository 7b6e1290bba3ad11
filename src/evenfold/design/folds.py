"""Designs of folds: k-fold, leave-one-out, folds with halvings, and folds inside halves."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, cast

import numpy as np
from numpy.typing import NDArray

from evenfold.core import partition as kinds
from evenfold.core.checks import examples, integer, refuse
from evenfold.core.partition import (
    BlockCut,
    Certificate,
    Cut,
    FoldCut,
    IndexCut,
    Indices,
    Partition,
    require_partition,
    smallest_unsigned,
)
from evenfold.core.registry import ParameterRule
from evenfold.core.rng import stream
from evenfold.design._base import (
    BalancedDesign,
    Design,
    DesignUnits,
    register,
    split_partition,
)
from evenfold.design.halves import MOST_REPETITIONS, Mx2BCV
from evenfold.design.search.halvings import flat_rows, part_groups, round_robin


@dataclass(frozen=True, eq=False, repr=False)
class OfFolds(BalancedDesign):
    """A design that cuts the data into k folds, once or several times."""

    n_splits: Annotated[int, ParameterRule(integer, low=2)]

    @property
    def parts(self) -> tuple[int, str]:
        """The number of parts that the data are cut into at a time, and the noun for them."""
        return self.n_splits, "folds"

    @property
    def once(self) -> "KFold":
        """The design of a single run of folds with the same balance."""
        return KFold(self.n_splits, balance=self.balance, features=self.features)


_MOST_RUNS = 1000
_SEARCHED = 10_000  # folds whose balance is searched for, because the search needs a k × k table


@register
@dataclass(frozen=True, eq=False, repr=False)
class KFold(OfFolds):
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
    *Validity.* Estimates speak of models trained on (k−1)n/k examples. The training sets of two
    folds share a fraction (k−2)/(k−1) of their examples, so fold estimates are correlated: a plain
    t-test on them is liberal.

    Examples
    --------
    >>> KFold(5, random_state=0).partition(12).test_sizes
    array([3, 3, 2, 2, 2])
    """

    kind = kinds.KFOLD
    example = "kfold:10"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of folds."""
        return self.n_splits

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        units = self._units(n, y, groups, features)
        remedy = f"There are only {len(units)} {units.words}."
        integer("n_splits", self.n_splits, low=2, high=len(units), remedy=remedy)
        cut = fold_cut(units.spread(self._folds(units, seed)), self.n_splits)
        return fold_partition(self.kind, seed, cut, units.chi_square(cut))

    def _folds(self, units: DesignUnits, seed: int) -> NDArray[np.intp]:
        k = self.n_splits
        rng = stream(seed, "folds")
        searched = units.of_example is not None or units.traits is not None
        if searched:
            integer(
                "n_splits",
                k,
                low=2,
                high=_SEARCHED,
                remedy="With more folds, groups and features cannot be balanced.",
            )
        # only a search for balance reads this table, and a k × k table may not fit into memory
        trains = ~np.eye(k if searched else 1, dtype=bool)
        if units.of_example is not None:
            folds = part_groups(units, np.arange(len(units)), trains, rng)
        else:
            folds = flat_rows(units, round_robin(k, len(units), units, rng), trains, rng, run=k)
        # Larger folds come first, as in scikit-learn.
        sizes = np.bincount(units.spread(folds), minlength=k)
        rank = np.empty(k, dtype=np.intp)
        rank[np.argsort(-sizes, kind="stable")] = np.arange(k)
        return rank[folds]


@register
@dataclass(frozen=True, eq=False, repr=False)
class LeaveOneOut(Design):
    """
    Leave-one-out cross-validation: each of n splits tests one example. Nothing is random.

    Examples
    --------
    >>> [int(test[0]) for train, test in LeaveOneOut().partition(4)]
    [0, 1, 2, 3]
    """

    kind = kinds.LOO
    example = "loo"
    shuffle = False

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of examples of X."""
        if X is None:
            refuse(
                "X", "X must be given, because leave-one-out has as many splits as X has examples."
            )
        return examples("X", X)

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        return fold_partition(self.kind, None, fold_cut(np.arange(n), n))


def fold_cut(folds: NDArray[np.integer], k: int) -> FoldCut:
    """Return the cut in which each of k folds is tested once."""
    return FoldCut(folds=folds.astype(smallest_unsigned(k)), n_splits=k)


def fold_partition(
    kind: kinds.Kind, seed: int | None, cut: FoldCut, chi_square: float | None = None
) -> Partition:
    """Return the partition of disjoint test sets, with its certificate."""
    k = cut.n_splits
    sizes = np.sort(cut.sizes()[1])
    # mean size of two test sets together; their training sets share the rest
    doubled = 2 * cut.n / k
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
    low = 2 * (n // k) + max(0, 2 - (k - larger))
    high = 2 * (n // k) + min(2, larger)
    return max(high - 2 * n / k, 2 * n / k - low)


# Folds for the estimate and halvings for its variance, in one partition: the design of
# `full-size-t`.


_FEWEST = 3  # halvings that the influence test needs


@register
@dataclass(frozen=True, eq=False, repr=False)
class FoldsAndHalves(OfFolds):
    """
    Runs of k folds for the estimate, and m halvings for the variance between training sets.

    The halvings come first and are those of :class:`Mx2BCV` with the same seed, so a store that
    already holds them need not repeat them. The folds of :class:`KFold` follow, marked by
    ``repetition`` −1.

    Parameters
    ----------
    n_splits : int
        Number of folds k; models train on (k−1)n/k examples.
    m : int
        Number of halvings.
    quarters : int, optional
        Number of halvings, from 3 to m, for which models are also trained on a quarter of the
        examples: on those of the half that train in the next halving too. They are tested on the
        other half.
    runs : int, default 1
        Number of runs of folds. Each run has different folds.
    balance, features, random_state
        See :class:`~evenfold.design.BalancedDesign`.

    Notes
    -----
    *Validity.* Estimates speak of models trained on (k−1)n/k examples. Of the sizes that were
    measured, 10 folds and 9 halvings were best. They need 28 fits per algorithm, or 10 if the
    halvings are already stored.

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
    named = ("quarters", "runs")
    grows_by = "runs"
    repeated = "runs of folds"

    m: Annotated[int, ParameterRule(integer, low=1, high=MOST_REPETITIONS)]
    quarters: int | None = field(default=None, kw_only=True)
    runs: Annotated[int, ParameterRule(integer, low=1, high=_MOST_RUNS)] = field(
        default=1, kw_only=True
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.quarters is not None:
            remedy = "Each pair of quarters is made from a halving."
            integer("quarters", self.quarters, low=_FEWEST, high=self.m, remedy=remedy)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return 2m + k·runs, and two for every halving with quarters."""
        return 2 * (self.m + (self.quarters or 0)) + self.n_splits * self.runs

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        halvings = Mx2BCV(self.m, balance=self.balance, features=self.features)
        halves = halvings._partition(n, seed, y, groups, features)
        runs = [
            self.once._partition(n, run_seed, y, groups, features) for run_seed in self._seeds(seed)
        ]
        k = self.n_splits
        quartered = slice(2 * (self.quarters or 0))
        if self.quarters or self.runs > 1:
            cut: Cut = _in_turn(halves, runs, quartered)
        else:
            cut = _join_cuts(cast("BlockCut", halves.cut), cast("FoldCut", runs[0].cut))
        of_folds = -1 - np.repeat(np.arange(self.runs), k)
        return Partition(
            kind=self.kind,
            seed=seed,
            cut=cut,
            repetition=np.concatenate([halves.repetition, halves.repetition[quartered], of_folds]),
            fold=np.concatenate(
                [halves.fold, halves.fold[quartered], np.tile(np.arange(k), self.runs)]
            ),
            certificate=_combined_certificate(halves, runs[0]),
        )

    def _seeds(self, seed: int) -> list[int]:
        """Return the seed of each run of folds; the first run has the seed of the design."""
        later = (stream(seed, "run", r) for r in range(1, self.runs))
        return [seed, *(int(rng.integers(2**31)) for rng in later)]

    def extend(
        self,
        partition: Partition,
        runs: int,
        *,
        y: Any = None,
        groups: Any = None,
        features: Any = None,
    ) -> Partition:
        """Continue a partition until it has ``runs`` runs of folds; the earlier runs are kept."""
        require_partition(partition)
        longer = replace(self, runs=runs, random_state=partition.seed)
        return longer.partition(partition.n, y=y, groups=groups, features=features)


def _in_turn(halves: Partition, runs: Sequence[Partition], quartered: slice) -> IndexCut:
    """Return a cut with the halvings, then the quarters of some halvings, then the folds."""
    quarters = [(_quarter(halves, j), halves.test[j]) for j in range(quartered.stop)]
    folds = [pair for run in runs for pair in run]
    return IndexCut.of_pairs(halves.n, [*halves, *quarters, *folds])


def _quarter(halves: Partition, split: int) -> Indices:
    """Return the examples, a quarter of all, that train in this split and in the next halving."""
    following = halves.train[(split + 2) % len(halves)]
    return np.intersect1d(halves.train[split], following, assume_unique=True)


def _join_cuts(halves: BlockCut, folds: FoldCut) -> BlockCut:
    """Return a cut whose blocks are the pairs of block and fold that occur."""
    per_fold = len(halves.trains)
    k = folds.n_splits
    used, blocks = np.unique(folds.folds * np.int64(per_fold) + halves.blocks, return_inverse=True)
    fold, block = np.divmod(used, per_fold)
    return BlockCut(
        blocks=blocks.astype(smallest_unsigned(len(used))),
        trains=np.hstack([halves.trains[block], fold[:, None] != np.arange(k)]),
    )


def worst_ratio(certificates: Sequence[Certificate]) -> float | None:
    """Return the largest χ²/L of several certificates, None where no features are balanced."""
    ratios = [certificate.chi_square for certificate in certificates]
    return max((ratio for ratio in ratios if ratio is not None), default=None)


def _combined_certificate(halves: Partition, folds: Partition) -> Certificate:
    """Return the certificate of the halvings, with the larger χ² of the two partitions."""
    of_halves = cast("Certificate", halves.certificate)
    of_folds = cast("Certificate", folds.certificate)
    construction = f"{of_halves.construction}, and {len(folds)} folds"
    worst = worst_ratio([of_halves, of_folds])
    return replace(of_halves, construction=construction, chi_square=worst)


@register
@dataclass(frozen=True, eq=False, repr=False)
class FoldsInHalves(Design):
    """
    m halvings of the data, with k-fold cross-validation inside each half: for ``split-halves-t``.

    The two halves of a halving are disjoint and of equal size, so the cross-validation estimates
    of the two halves are independent. The halvings are those of :class:`Mx2BCV`: halves of any two
    halvings share a quarter of the examples. Splits are ordered by halving: the k folds of the
    first half come before those of the second half.

    Parameters
    ----------
    m : int
        Number of halvings, at least 2.
    n_splits : int
        Number of folds k inside each half, at least 2.
    random_state
        See :class:`~evenfold.design.Design`.

    Notes
    -----
    *Validity.* Estimates speak of models trained on (k−1)n/(2k) examples, which is 40% of the data
    for five folds. The design cannot be balanced, because the theorem behind ``split-halves-t``
    needs halves that do not depend on the data. If the number of examples is odd, one example is
    drawn at random and left out.

    Examples
    --------
    >>> partition = FoldsInHalves(9, 5, random_state=0).partition(100)
    >>> len(partition), partition.n_train, partition.n_test
    (90, 40, 10)
    """

    kind = kinds.FOLDS_IN_HALVES
    example = "folds-in-halves:9:5"

    m: Annotated[int, ParameterRule(integer, low=2, high=MOST_REPETITIONS)]
    n_splits: Annotated[int, ParameterRule(integer, low=2)]

    @property
    def parts(self) -> tuple[int, str]:
        """The number of parts that the data are cut into at a time, and the noun for them."""
        return 2 * self.n_splits, "folds of two halves"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return 2mk."""
        return 2 * self.m * self.n_splits

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        remedy = f"The halves have {n // 2} examples."
        integer("n_splits", self.n_splits, low=2, high=n // 2, remedy=remedy)
        self._require_room(n)
        kept = np.arange(n)
        if n % 2:
            kept = np.delete(kept, stream(seed, "left out").integers(n))
        halvings = Mx2BCV(self.m)._partition(len(kept), seed, None, None, None)
        pairs: list[tuple[Indices, Indices]] = []
        for j, half in enumerate(halvings.test):
            shuffled = stream(seed, "folds", j).permutation(kept[half])
            tests = np.array_split(shuffled, self.n_splits)
            pairs += [(np.setdiff1d(shuffled, test), np.sort(test)) for test in tests]
        repetition = np.repeat(np.arange(self.m), 2 * self.n_splits)
        fold = np.tile(np.arange(2 * self.n_splits), self.m)
        return split_partition(self.kind, seed, n, pairs, repetition, fold)
