"""Splits that may overlap: hold-out, repeated learning-testing (random or block-regularized)."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core import partition as kinds
from evenfold.core.checks import integer, refuse, short_repr, size
from evenfold.core.partition import (
    BlockCut,
    Certificate,
    Indices,
    Partition,
    smallest_unsigned,
)
from evenfold.core.registry import ParameterRule
from evenfold.core.rng import stream
from evenfold.design._base import (
    BalancedDesign,
    Design,
    DesignUnits,
    Many,
    Several,
    StratifiedDesign,
    register,
    split_partition,
    with_traits,
)
from evenfold.design.evenness import ideal_overlap, rounding_error
from evenfold.design.folds import OfFolds
from evenfold.design.search.halvings import flat_rows
from evenfold.design.search.patterns import pattern_table

_MOST_SEARCHED = 100  # splits: the search for even patterns of more takes minutes and gigabytes
_SEARCH_TAKES_LONG = (
    "The search for even patterns of more splits takes minutes. RLT has no such limit."
)


@dataclass(frozen=True, eq=False, repr=False)
class _Splits(Design):
    """J splits with training sets of one size."""

    n_splits: Many
    train_size: float

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""
        return self.n_splits


@register
@dataclass(frozen=True, eq=False, repr=False)
class RLT(_Splits, StratifiedDesign):
    """
    Repeated learning-testing: J independent random splits.

    Parameters
    ----------
    n_splits : int
        Number of splits J.
    train_size : int or float
        Training set size n1, a count or a fraction.
    balance, random_state
        See :class:`~evenfold.design.StratifiedDesign`.

    Notes
    -----
    *Validity.* Estimates speak of models trained on n1 examples. Overlaps vary from pair to pair
    (they are hypergeometric); :class:`~evenfold.design.BRLT` makes them equal.

    Examples
    --------
    >>> RLT(15, 0.9, random_state=0).partition(100).n_train
    90
    """

    kind = kinds.RLT
    example = "rlt:15:0.9"
    even_example = "brlt:15:0.9"
    by_chance = True

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        self._require_room(n)
        n1 = size("train_size", self.train_size, n=n)
        classes = self._classes(n, y)
        pairs = [random_pair(np.arange(n), n1, classes, seed, j) for j in range(self.n_splits)]
        return split_partition(self.kind, seed, n, pairs)


@register
@dataclass(frozen=True, eq=False, repr=False)
class Holdout(StratifiedDesign):
    """
    One random split.

    Parameters
    ----------
    train_size : int or float
        Training set size, a count or a fraction.
    balance, random_state
        See :class:`~evenfold.design.StratifiedDesign`.

    Examples
    --------
    >>> Holdout(2 / 3, random_state=0).partition(30).test_sizes
    array([10])
    """

    kind = kinds.HOLDOUT
    example = "holdout:2/3"

    train_size: float

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return 1."""
        return 1

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        n1 = size("train_size", self.train_size, n=n)
        pair = random_pair(np.arange(n), n1, self._classes(n, y), seed, 0)
        return split_partition(self.kind, seed, n, [pair])


@register
@dataclass(frozen=True, eq=False, repr=False)
class BRLT(_Splits, BalancedDesign):
    """
    Block-regularized repeated learning-testing: J splits whose training sets overlap equally.

    Every example trains equally often, to within one, and all pairs of training sets share φ*
    examples. For up to 30 splits the overlaps are within one of φ*, or within two if the search
    finds nothing better; the certificate says which. With n1 = n/2 this is R19's BRHS, the
    half-sampling of least variance.

    Parameters
    ----------
    n_splits : int
        Number of splits J, at most 100, because the time of the search grows faster than J².
        :class:`RLT` has no such limit.
    train_size : int or float
        Training set size n1, a count or a fraction.
    balance, features, random_state
        See :class:`~evenfold.design.BalancedDesign`.

    Notes
    -----
    *Validity.* Estimates speak of models trained on n1 examples. The variance is smallest among
    designs of equal cost if the covariance of two hold-out estimates is convex in their overlap
    (R19 theorem 2.1).

    Examples
    --------
    >>> partition = BRLT(7, 0.7, random_state=0).partition(100)
    >>> import numpy as np
    >>> overlaps = partition.overlaps()[np.triu_indices(7, 1)]
    >>> int(overlaps.min()), int(overlaps.max()), round(partition.certificate.overlap_target, 2)
    (45, 46, 45.71)

    References
    ----------
    R19 sections 2.2 and 2.5.2.
    """

    kind = kinds.BRLT
    example = "brlt:15:0.9"

    n_splits: Annotated[
        int, ParameterRule(integer, low=1, high=_MOST_SEARCHED, remedy=_SEARCH_TAKES_LONG)
    ]

    def at_random(self) -> RLT:
        """Return as many random splits of these sizes."""
        return RLT(self.n_splits, self.train_size, random_state=self.random_state)

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        units = with_traits(self._units(n, y, groups, features))
        if len(units) < 2:
            refuse(
                "groups",
                "groups must have at least two different groups but all examples are in the same.",
            )
        n1 = size("train_size", self.train_size, n=n)
        units_train = min(max(round(n1 / n * len(units)), 1), len(units) - 1)
        patterns, counts, construction = pattern_table(len(units), units_train, self.n_splits)
        rng = stream(seed, "splits")
        trains = patterns[:, rng.permutation(self.n_splits)]
        even = trains if units.of_example is None else _with_overlaps(trains)
        rows = flat_rows(units, _interleave_patterns(counts, rng), even, rng, run=None)
        cut = BlockCut(
            blocks=units.spread(rows).astype(smallest_unsigned(len(trains))), trains=trains
        )
        J = self.n_splits
        return Partition(
            kind=self.kind,
            seed=seed,
            cut=cut,
            repetition=np.arange(J),
            fold=np.zeros(J, np.int64),
            certificate=_certificate(cut, n1, construction, units),
        )


@register
@dataclass(frozen=True, eq=False, repr=False)
class OutOfBag(Design):
    """
    Samples with replacement, each tested on the examples left out: the .632 bootstrap's design.

    A training set holds n examples, some of them twice or more; about .368·n are left out. The last
    split of a partition trains on all examples and tests the same examples. Its error is too small,
    but ``bootstrap-632`` needs it. ``split`` does not generate this last split.

    Parameters
    ----------
    n_samples : int
        Number of samples B, at least 2. Each example should be left out of several samples.
    random_state
        See :class:`~evenfold.design.Design`.

    Notes
    -----
    *Validity.* A sample has about .632·n different examples, so the out-of-bag error is that of
    models trained on fewer than n examples. The design serves for comparison only.

    Examples
    --------
    >>> design = OutOfBag(100, random_state=0)
    >>> partition = design.partition(50)
    >>> len(partition), design.get_n_splits(), partition.n_train, partition.n_test
    (101, 100, 50, 18)

    References
    ----------
    Efron and Tibshirani (1997), JASA 92.
    """

    kind = kinds.OUT_OF_BAG
    example = "out-of-bag:100"
    by_chance = True

    n_samples: Several

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return B."""
        return self.n_samples

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterator[tuple[Indices, Indices]]:
        """Generate (train, test) index arrays of the samples."""
        yield from list(super().split(X, y, groups))[:-1]

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        self._require_room(n)
        B = self.n_samples
        every = np.arange(n)
        pairs = [*(_bag(n, stream(seed, "sample", b)) for b in range(B)), (every, every)]
        repetition = np.append(np.full(B, -1), 0)
        fold = np.append(np.arange(B), 0)
        return split_partition(self.kind, seed, n, pairs, repetition, fold)


def _bag(n: int, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Draw n examples with replacement, and repeat the draw if no example is left out."""
    while True:
        train = np.sort(rng.integers(n, size=n))
        test = np.flatnonzero(np.bincount(train, minlength=n) == 0)
        if len(test):
            return train, test


def random_pair(
    among: Indices, n_train: int, classes: Indices | None, seed: int, *address: int
) -> tuple[Indices, Indices]:
    """Draw a training set from ``among``; the test set is the rest."""
    train, test = draw_examples(among, n_train, classes, stream(seed, "split", *address))
    return np.sort(train), np.sort(test)


def draw_examples(
    among: Indices, count: int, classes: Indices | None, rng: np.random.Generator
) -> tuple[Indices, Indices]:
    """
    Draw ``count`` examples; return them and the rest.

    With classes this is a systematic sample of the examples ordered by class: any L consecutive
    examples hold L·count/n drawn ones, rounded down or up, and each example is drawn with the same
    probability.
    """
    shuffled = rng.permutation(among)
    if classes is None:
        return shuffled[:count], shuffled[count:]
    ordered = shuffled[np.argsort(classes[shuffled], kind="stable")]
    n = len(ordered)
    reached = (np.arange(n + 1) * count + rng.integers(n)) // n
    drawn = np.diff(reached) == 1
    return ordered[drawn], ordered[~drawn]


def _with_overlaps(trains: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Add a column for each pair of splits, so groups of unequal size also even out overlaps."""
    i, j = np.triu_indices(trains.shape[1], 1)
    return np.concatenate([trains, trains[:, i] & trains[:, j]], axis=1)


def _interleave_patterns(counts: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.intp]:
    """Repeat each pattern by its count, in an order where all parts of the list are similar."""
    rows = np.repeat(np.arange(len(counts)), counts)
    turn = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
    place = (turn + np.repeat(rng.random(len(counts)), counts)) / np.repeat(counts, counts)
    return rows[np.argsort(place, kind="stable")]


def _certificate(cut: BlockCut, n1: int, construction: str, units: DesignUnits) -> Certificate:
    J = cut.n_splits
    target = ideal_overlap(cut.n, n1, J) if J > 1 else float(n1)
    overlaps = cut.overlaps()[np.triu_indices(J, 1)]
    return Certificate(
        construction=construction,
        overlap_target=target,
        overlap_error=float(np.abs(overlaps - target).max(initial=0.0)),
        overlap_bound=rounding_error(target) if J > 1 else 0.0,
        size_error=float(np.abs(cut.sizes()[0] - n1).max()),
        occurrence_spread=int(np.ptp(cut.occurrences())),
        chi_square=units.chi_square(cut),
    )


# Nested designs: folds inside folds for the nested interval, and splits inside halves for the
# conservative Z test.


@register
@dataclass(frozen=True, eq=False, repr=False)
class NestedKFold(OfFolds):
    """
    Repeated k-fold, with k-fold on the other folds inside each: the design of ``nested-cv``.

    An inner model leaves out two folds, the outer fold and the inner fold. The model is the same if
    they change places, so one model is fitted for each pair of folds and tested on both. This takes
    k + k(k−1)/2 fits per repetition instead of k².

    The outer splits come first, ordered by repetition and marked by ``repetition`` −1. The pairs
    follow in the order (0, 1), (0, 2), …, with the number of the pair in ``fold``. Every example is
    tested k times in each repetition, whether or not k divides n.

    Parameters
    ----------
    n_splits : int
        Number of folds k, at least 3.
    n_repeats : int
        Number of repetitions, each with different folds; the variance needs ten or more.
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

    n_splits: Annotated[int, ParameterRule(integer, low=3)]
    n_repeats: Many

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return R·k(k+1)/2."""
        return self.n_repeats * self.n_splits * (self.n_splits + 1) // 2

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        integer("n_splits", self.n_splits, low=3, high=n, remedy=f"There are only {n} examples.")
        self._require_room(n)
        k = self.n_splits
        repeats = range(self.n_repeats)
        folds = [self._folds(n, seed, r, y, groups, features) for r in repeats]
        pairs = list(combinations(range(k), 2))
        cuts = [_cut(folds[r], [j]) for r in repeats for j in range(k)]
        cuts += [_cut(folds[r], list(pair)) for r in repeats for pair in pairs]
        outer = self.n_repeats * k
        inner = np.repeat(np.arange(self.n_repeats), len(pairs))
        repetition = np.concatenate([np.full(outer, -1), inner])
        fold = np.concatenate([np.arange(outer), np.tile(np.arange(len(pairs)), self.n_repeats)])
        return split_partition(self.kind, seed, n, cuts, repetition, fold)

    def _folds(self, n: int, seed: int, r: int, y: Any, groups: Any, features: Any) -> Indices:
        """Return the fold of each example in repetition r."""
        fold_seed = int(stream(seed, "nested", r).integers(2**63))
        cut: Any = self.once._partition(n, fold_seed, y, groups, features).cut
        folds: Indices = cut.folds
        return folds


@register
@dataclass(frozen=True, eq=False, repr=False)
class NestedRLT(StratifiedDesign):
    """
    Repeated learning-testing, repeated inside each half of random halvings for the variance.

    The two halves of one halving are disjoint data sets of size n/2, so their estimates are
    independent, as the conservative Z test requires. The J splits of the whole data, on which the
    estimate is based, come first and are marked by ``repetition`` −1. The splits of the halvings
    follow, those of the first half before those of the second, and ``fold`` counts the 2J splits
    within a halving.

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
        """The number of parts that the data are cut into at a time, and the noun for them."""
        return 4, "training and test sets of two halves"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return J + 2MJ."""
        return (1 + 2 * self.n_halvings) * self.n_splits

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        self._require_room(n)
        n2 = size("test_size", self.test_size, n=n)
        classes = self._classes(n, y)
        if n2 >= n // 2:
            refuse(
                "test_size",
                f"test_size must be less than half of the {n} examples but got "
                f"{short_repr(self.test_size)}.",
            )
        J = self.n_splits
        M = self.n_halvings
        pairs = [random_pair(np.arange(n), n - n2, classes, seed, j) for j in range(J)]
        for halving in range(M):
            for which, half in enumerate(_halves(n, classes, stream(seed, "halving", halving))):
                pairs += [
                    random_pair(half, n // 2 - n2, classes, seed, halving, which, j)
                    for j in range(J)
                ]
        repetition = np.concatenate([np.full(J, -1), np.repeat(np.arange(M), 2 * J)])
        fold = np.concatenate([np.arange(J), np.tile(np.arange(2 * J), M)])
        return split_partition(self.kind, seed, n, pairs, repetition, fold)


def _halves(n: int, classes: Indices | None, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Draw two disjoint halves of equal size; if n is odd, one example is in neither."""
    first, rest = draw_examples(np.arange(n), n // 2, classes, rng)
    if classes is not None and n % 2:
        rest = np.delete(rest, rng.integers(len(rest)))
    return first, rest[: n // 2]


def _cut(folds: Indices, left_out: list[int]) -> tuple[Indices, Indices]:
    tested = np.isin(folds, left_out)
    return np.flatnonzero(~tested), np.flatnonzero(tested)
