"""Random splits: hold-out, repeated learning-testing, and its nested form."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core import kind as kinds
from evenfold.core.checks import integer, refuse, size
from evenfold.core.partition import IndexCut, Indices, Partition
from evenfold.core.rng import stream
from evenfold.design._base import MOST_SPLITS, StratifiedDesign


@dataclass(frozen=True, eq=False, repr=False)
class RLT(StratifiedDesign):
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
    *Validity.* Estimates speak of models trained on n1 examples. Overlaps vary from pair to pair (they are
    hypergeometric); :class:`~evenfold.design.BRLT` makes them equal.

    Examples
    --------
    >>> RLT(15, 0.9, random_state=0).partition(100).n_train
    90
    """

    kind = kinds.RLT

    n_splits: int
    train_size: float

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("n_splits", self.n_splits, low=1, high=MOST_SPLITS)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""
        return self.n_splits

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        self._require_room(n)
        n1, classes = size("train_size", self.train_size, n=n), self._classes(n, y)
        pairs = [_random_pair(np.arange(n), n1, classes, seed, j) for j in range(self.n_splits)]
        return _split_partition(
            self.kind, seed, n, pairs, np.arange(self.n_splits), np.zeros(self.n_splits, np.int64)
        )


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

    train_size: float

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return 1."""
        return 1

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        n1 = size("train_size", self.train_size, n=n)
        pair = _random_pair(np.arange(n), n1, self._classes(n, y), seed, 0)
        return _split_partition(self.kind, seed, n, [pair], np.zeros(1, np.int64), np.zeros(1, np.int64))


@dataclass(frozen=True, eq=False, repr=False)
class NestedRLT(StratifiedDesign):
    """
    Random halvings of the data, with repeated learning-testing inside each half.

    The two halves of one halving are disjoint data sets of size n/2, so their estimates are independent:
    that is what the conservative Z needs. Splits come halving by halving, first half then second;
    ``repetition`` is the halving and ``fold`` counts the 2J splits within it.

    Parameters
    ----------
    n_halvings : int
        Number of halvings M (5 to 10 are usual).
    n_splits : int
        Number of splits J inside each half.
    test_size : int or float
        Test set size n2, a count or a fraction of the *whole* data; the rest of a half trains.
    balance, random_state
        See :class:`~evenfold.design.StratifiedDesign`.

    Examples
    --------
    >>> partition = NestedRLT(5, 15, 10, random_state=0).partition(100)
    >>> len(partition), partition.n_train, partition.n_test
    (150, 40, 10)

    References
    ----------
    NB section 3.2.
    """

    kind = kinds.NESTED_RLT

    n_halvings: int
    n_splits: int
    test_size: float

    def __post_init__(self) -> None:
        super().__post_init__()
        integer("n_halvings", self.n_halvings, low=1, high=MOST_SPLITS)
        integer("n_splits", self.n_splits, low=1, high=MOST_SPLITS)

    @property
    def parts(self) -> tuple[int, str]:
        """Two halves, each with a training and a test set."""
        return 4, "training and test sets of two halves"

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return 2MJ."""
        return 2 * self.n_halvings * self.n_splits

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        self._require_room(n)
        n2, classes = size("test_size", self.test_size, n=n), self._classes(n, y)
        if n2 >= n // 2:
            refuse("test_size", f"less than half of the {n} examples", self.test_size)
        pairs = []
        for halving in range(self.n_halvings):
            halves = _halves(n, classes, stream(seed, "halving", halving))
            for which, half in enumerate(halves):
                pairs += [
                    _random_pair(half, n // 2 - n2, classes, seed, halving, which, j)
                    for j in range(self.n_splits)
                ]
        repetition = np.repeat(np.arange(self.n_halvings), 2 * self.n_splits)
        fold = np.tile(np.arange(2 * self.n_splits), self.n_halvings)
        return _split_partition(self.kind, seed, n, pairs, repetition, fold)


def _halves(n: int, classes: Indices | None, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Draw two disjoint halves of equal size; of an odd number one example is in neither."""
    first, rest = _drawn(np.arange(n), n // 2, classes, rng)
    if classes is not None and n % 2:
        rest = np.delete(rest, rng.integers(len(rest)))
    return first, rest[: n // 2]


def _random_pair(
    among: Indices, n_train: int, classes: Indices | None, seed: int, *address: int
) -> tuple[Indices, Indices]:
    train, test = _drawn(among, n_train, classes, stream(seed, "split", *address))
    return np.sort(train), np.sort(test)


def _drawn(
    among: Indices, count: int, classes: Indices | None, rng: np.random.Generator
) -> tuple[Indices, Indices]:
    """
    Draw ``count`` examples; return them and the rest.

    With classes it is a systematic sample of the examples ordered by class: any run of L of them holds
    L·count/n, rounded down or up, and each example is drawn with the same probability.
    """
    shuffled = rng.permutation(among)
    if classes is None:
        return shuffled[:count], shuffled[count:]
    ordered = shuffled[np.argsort(classes[shuffled], kind="stable")]
    n = len(ordered)
    reached = (np.arange(n + 1) * count + rng.integers(n)) // n
    drawn = np.diff(reached) == 1
    return ordered[drawn], ordered[~drawn]


def _split_partition(
    kind: kinds.Kind, seed: int, n: int, pairs: list[tuple[Indices, Indices]], repetition: Any, fold: Any
) -> Partition:
    trains, tests = zip(*pairs, strict=True)
    return Partition(
        kind=kind, seed=seed, cut=IndexCut(n=n, trains=trains, tests=tests), repetition=repetition, fold=fold
    )
