"""
Partitions: which examples train and which are tested in every split of a design.

A :class:`Partition` holds a *cut* in one of four compact forms and makes index arrays on access:

- :class:`BlockCut`, a block per example and a table of the blocks that train in each split, for
  designed partitions;
- :class:`FoldCut`, a fold per example, each tested once, for k-fold, leave-one-out and sources;
- :class:`WindowCut`, a time per example and the limits of windows, for ordered data;
- :class:`IndexCut`, explicit index arrays, for random splits, which have no structure.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse_value
from evenfold.core.errors import EvenfoldError

Shape = Literal[
    "halves",  # repetitions of a halving, each half trains once
    "folds",  # every example is tested once
    "folds apart",  # every algorithm on folds of its own
    "repeated folds",  # every example is tested once in each repetition
    "splits",  # test sets that may overlap
    "one split",  # one training set, one test set
    "clusters",  # one test set, its examples in clusters
    "two test sets",  # every algorithm on examples of its own
    "labelled examples",  # one test set with a judge's scores, few examples with labels
    "runs",  # several models of each algorithm on one test set
    "seeds",  # scores of several runs of each algorithm, and nothing else
    "sources",  # each source is left out once
    "nested halves",  # splits of the whole data, and splits inside halvings of it
    "nested folds",  # folds inside folds
    "reruns",  # splits of the whole data, and the same again with other splits
    # samples with replacement, tested on the others; the last split tests all on themselves
    "out of bag",
    "folds and halves",  # folds of the whole data, and halvings of it
    "folds in halves",  # folds inside each half of several halvings
    "windows",  # training sets that come before their test sets
]
Indices = NDArray[np.intp]
Integers = NDArray[np.int64]


# Kinds of designs.
#
# A kind is a string, its key, that also has a shape. Methods name the kinds that they accept.
# A design of another package makes its own kind, and every method for that shape accepts it.


class Kind(str):
    """
    The key of a design, with its shape.

    Examples
    --------
    >>> halvings = Kind("my-halvings", shape="halves")
    >>> halvings == "my-halvings", halvings.shape
    (True, 'halves')
    """

    __slots__ = ("about", "shape")

    shape: Shape
    # the models and examples that an answer is about, if no training size says it; {groups} stands
    # for the user's name of groups of examples
    about: str

    def __new__(cls, key: str, *, shape: Shape, about: str = "") -> Self:
        self = super().__new__(cls, key)
        self.shape = shape
        self.about = about
        return self

    @property
    def is_halving(self) -> bool:
        """Whether the data are cut into two halves, each tested by the other."""
        return self.shape == "halves"

    @property
    def is_folds(self) -> bool:
        """Whether every example is tested once."""
        return self.shape == "folds"

    @property
    def is_repeated_folds(self) -> bool:
        """Whether every example is tested once in each of several repetitions."""
        return self.shape == "repeated folds"

    @property
    def is_folds_and_halves(self) -> bool:
        """Whether folds give the answer and halvings its variance."""
        return self.shape == "folds and halves"

    @property
    def is_ordered(self) -> bool:
        """Whether training sets come before their test sets."""
        return self.shape == "windows"

    @property
    def is_by_source(self) -> bool:
        """Whether each source is left out once."""
        return self.shape == "sources"

    @property
    def is_one_split(self) -> bool:
        """Whether there is one training set and one test set."""
        return self.shape == "one split"

    @property
    def is_two_test_sets(self) -> bool:
        """Whether every algorithm has a test set of its own."""
        return self.shape == "two test sets"

    @property
    def is_out_of_bag(self) -> bool:
        """Whether samples with replacement are tested on the examples that they left out."""
        return self.shape == "out of bag"

    @property
    def is_rerun(self) -> bool:
        """Whether all splits were drawn again several times."""
        return self.shape == "reruns"

    @property
    def is_runs(self) -> bool:
        """Whether several models of each algorithm were tested on one test set."""
        return self.shape == "runs"

    @property
    def is_seeds(self) -> bool:
        """Whether only the scores of runs are known."""
        return self.shape == "seeds"

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, str]]:
        return (str(self),), {"shape": self.shape, "about": self.about}


MX2_BCV = Kind("mx2-bcv", shape="halves")
MX2 = Kind("mx2", shape="halves")
KFOLD = Kind("kfold", shape="folds")
LOO = Kind("loo", shape="folds")
FOLDS_APART = Kind("folds-apart", shape="folds apart")
REPEATED_KFOLD = Kind("repeated-kfold", shape="repeated folds")
RLT = Kind("rlt", shape="splits")
BRLT = Kind("brlt", shape="splits")
HOLDOUT = Kind("holdout", shape="one split")
SOURCES = Kind("sources", shape="sources")
NESTED_RLT = Kind("nested-rlt", shape="nested halves")
NESTED_KFOLD = Kind("nested-kfold", shape="nested folds")
RERUNS = Kind("reruns", shape="reruns")
OUT_OF_BAG = Kind("out-of-bag", shape="out of bag")
FOLDS_AND_HALVES = Kind("folds-and-halves", shape="folds and halves")
FOLDS_IN_HALVES = Kind("folds-in-halves", shape="folds in halves")
_PATH = "for these forecasts along this path"
GROWING = Kind("growing", shape="windows", about=_PATH)
ROLLING = Kind("rolling", shape="windows")

# Results that exist already, of models that were trained elsewhere on unknown numbers of examples.
_MODELS = "for these models"
_RUNS = "for new runs of these models"
_CLUSTERS = "on new {groups}"
TEST_SET = Kind("test-set", shape="one split", about=f"{_MODELS}, on new examples")
_APART = f"{_MODELS}, each on new examples like its own"
TWO_TEST_SETS = Kind("two-test-sets", shape="two test sets", about=_APART)
TWO_TEST_SETS_RIGHT = Kind("two-test-sets-right", shape="two test sets", about=_APART)
CLUSTERS = Kind("clusters", shape="clusters", about=f"{_MODELS}, {_CLUSTERS}")
RUNS = Kind("runs", shape="runs", about=f"{_RUNS}, on new examples")
CLUSTERED_RUNS = Kind("clustered-runs", shape="runs", about=f"{_RUNS}, {_CLUSTERS}")
PATH = Kind("path", shape="windows", about=_PATH)
LABELLED = Kind("labelled-part", shape="labelled examples", about=f"{_MODELS}, on new examples")
LABELLED_CLUSTERS = Kind(
    "labelled-clusters", shape="labelled examples", about=f"{_MODELS}, {_CLUSTERS}"
)
SEEDS = Kind("seeds", shape="seeds", about=f"{_RUNS}, on this test set")


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class WindowCut:
    """
    Windows in time: splits that train on some times and test on later ones.

    Attributes
    ----------
    times : array (n,)
        The time of each example, numbered 0, 1, 2, … without gaps.
    edges : array (splits, 4)
        Split j trains on the times from ``edges[j, 0]`` to before ``edges[j, 1]``, and tests on
        those from ``edges[j, 2]`` to before ``edges[j, 3]``.
    """

    times: NDArray[np.intp]
    edges: Integers

    @property
    def n(self) -> int:
        return len(self.times)

    @property
    def n_splits(self) -> int:
        return len(self.edges)

    @property
    def horizon(self) -> int:
        """The largest number of times from the last training time to a tested time."""
        return int((self.edges[:, 3] - self.edges[:, 1]).max())

    def train(self, split: int) -> Indices:
        return self._examples_between(*self.edges[split, :2])

    def test(self, split: int) -> Indices:
        return self._examples_between(*self.edges[split, 2:])

    def _examples_between(self, start: int, stop: int) -> Indices:
        return np.flatnonzero((self.times >= start) & (self.times < stop))

    def pairs(self) -> Iterator[tuple[Indices, Indices]]:
        for j in range(self.n_splits):
            yield self.train(j), self.test(j)

    def sizes(self) -> tuple[Integers, Integers]:
        before = self._examples_before()[self.edges]
        return before[:, 1] - before[:, 0], before[:, 3] - before[:, 2]

    def overlaps(self) -> Integers:
        splits = np.arange(self.n_splits)
        return self.count_shared(splits[:, None], splits[None, :])

    def count_shared(self, i: Any, j: Any) -> Integers:
        """Return how many examples train in both splits i and j, which may be arrays."""
        before = self._examples_before()
        start, stop = self.edges[:, :2].T
        first = np.maximum(start[i], start[j])
        last = np.maximum(np.minimum(stop[i], stop[j]), first)
        shared: Integers = before[last] - before[first]
        return shared

    def occurrences(self) -> Integers:
        steps = np.zeros(self.times.max() + 2, dtype=np.int64)
        np.add.at(steps, self.edges[:, 0], 1)
        np.add.at(steps, self.edges[:, 1], -1)
        return np.cumsum(steps)[self.times]

    def _examples_before(self) -> Integers:
        """Return how many examples come before each time, and before the end."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.times))])


T_co = TypeVar("T_co", covariant=True)


class LazySequence(Sequence[T_co]):
    """
    A sequence of ``length`` items, each computed by ``item`` on every access.

    Examples
    --------
    >>> squares = LazySequence(4, lambda j: j * j)
    >>> squares[-1], squares[1:3], list(squares)
    (9, [1, 4], [0, 1, 4, 9])
    """

    __slots__ = ("item", "length")

    def __init__(self, length: int, item: Callable[[int], T_co]) -> None:
        self.length = length
        self.item = item

    def __len__(self) -> int:
        return self.length

    def __reduce__(self) -> "tuple[object, tuple[tuple[T_co | EvenfoldError, ...]]]":
        """Pickle and copy the items themselves, because ``item`` may hold files and workers."""
        return _lazy_copy, (tuple(map(self._item_or_reason, range(self.length))),)

    def _item_or_reason(self, index: int) -> "T_co | EvenfoldError":
        """Return an item, or the error that says why there is none."""
        try:
            return self.item(index)
        except EvenfoldError as reason:
            return reason

    @overload
    def __getitem__(self, index: int) -> T_co: ...
    @overload
    def __getitem__(self, index: slice) -> list[T_co]: ...
    def __getitem__(self, index: int | slice) -> T_co | list[T_co]:
        if isinstance(index, slice):
            return [self.item(j) for j in range(self.length)[index]]
        return self.item(range(self.length)[index])


def _lazy_copy(items: "tuple[T_co | EvenfoldError, ...]") -> "LazySequence[T_co]":
    """Make a pickled sequence again."""

    def item(index: int) -> T_co:
        value = items[index]
        if isinstance(value, EvenfoldError):
            raise value
        return value

    return LazySequence(len(items), item)


_AT_ONCE = 16  # splits whose membership fits into two bytes per example


def smallest_unsigned(count: int) -> np.dtype[np.unsignedinteger]:
    """Return the smallest unsigned type that can number ``count`` things from 0."""
    return np.dtype(np.min_scalar_type(max(count - 1, 0)))


class Cut(Protocol):
    """
    The splits of a partition.

    ``train`` and ``test`` return sorted indices, ``pairs`` yields both for all splits, ``sizes``
    returns the sizes of training and test sets, ``overlaps`` Φ and ``occurrences`` Ψ.
    """

    @property
    def n(self) -> int: ...
    @property
    def n_splits(self) -> int: ...
    def train(self, split: int) -> Indices: ...
    def test(self, split: int) -> Indices: ...
    def pairs(self) -> Iterator[tuple[Indices, Indices]]: ...
    def sizes(self) -> tuple[Integers, Integers]: ...
    def overlaps(self) -> Integers: ...
    def occurrences(self) -> Integers: ...


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class BlockCut:
    """``blocks[i]`` is the block of example i; ``trains[b, j]``: block b trains in split j."""

    blocks: NDArray[np.unsignedinteger]
    trains: NDArray[np.bool_]

    @property
    def n(self) -> int:
        return len(self.blocks)

    @property
    def n_splits(self) -> int:
        return int(self.trains.shape[1])

    def train(self, split: int) -> Indices:
        return self._trains(split).nonzero()[0]

    def test(self, split: int) -> Indices:
        return np.logical_not(self._trains(split)).nonzero()[0]

    def _trains(self, split: int) -> NDArray[np.bool_]:
        return self.trains[:, split].take(self.blocks)

    def pairs(self) -> Iterator[tuple[Indices, Indices]]:
        """All (train, test) pairs; the halves of a repetition share their arrays."""
        train = test = np.empty(0, dtype=np.intp)
        for start in range(0, self.n_splits, _AT_ONCE):
            # One gather serves many splits: bit j of an example's code is whether it trains in
            # split j.
            bits = 1 << np.arange(min(_AT_ONCE, self.n_splits - start))
            codes_of_blocks = self.trains[:, start : start + _AT_ONCE] @ bits
            codes = codes_of_blocks.astype(np.uint16).take(self.blocks)
            for j, bit in enumerate(bits.astype(np.uint16), start):
                if j and np.array_equal(self.trains[:, j], ~self.trains[:, j - 1]):
                    train, test = test, train
                else:
                    mask = (codes & bit) != 0
                    train = np.flatnonzero(mask)
                    test = np.flatnonzero(np.logical_not(mask, out=mask))
                yield train, test

    def block_sizes(self) -> Integers:
        """Number of examples in each block."""
        return np.bincount(self.blocks, minlength=len(self.trains))

    def sizes(self) -> tuple[Integers, Integers]:
        train: Integers = self.block_sizes() @ self.trains
        return train, self.n - train

    def overlaps(self) -> Integers:
        trains = self.trains.astype(float)  # through BLAS; exact below 2**53
        phi: NDArray[np.float64] = (trains * self.block_sizes()[:, None]).T @ trains
        return np.rint(phi).astype(np.int64)

    def occurrences(self) -> Integers:
        times: Integers = np.count_nonzero(self.trains, axis=1)
        return times.take(self.blocks)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class FoldCut:
    """``folds[i]`` is the fold of example i; split j tests fold j and trains on the others."""

    folds: NDArray[np.unsignedinteger]
    n_splits: int

    @property
    def n(self) -> int:
        return len(self.folds)

    def train(self, split: int) -> Indices:
        return np.flatnonzero(self.folds != split)

    def test(self, split: int) -> Indices:
        return np.flatnonzero(self.folds == split)

    def pairs(self) -> Iterator[tuple[Indices, Indices]]:
        for j in range(self.n_splits):
            yield self.train(j), self.test(j)

    def sizes(self) -> tuple[Integers, Integers]:
        test = np.bincount(self.folds, minlength=self.n_splits)
        return self.n - test, test

    def overlaps(self) -> Integers:
        test = self.sizes()[1]
        phi = self.n - test[:, None] - test[None, :]
        np.fill_diagonal(phi, self.n - test)
        return phi

    def occurrences(self) -> Integers:
        return np.full(self.n, self.n_splits - 1)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class IndexCut:
    """Explicit index arrays of every split; train and test need not cover all ``n`` examples."""

    n: int
    trains: tuple[Indices, ...]
    tests: tuple[Indices, ...]

    @classmethod
    def of_pairs(cls, n: int, pairs: Iterable[tuple[Indices, Indices]]) -> Self:
        """Return the cut with these training and test sets."""
        trains, tests = zip(*pairs, strict=True)
        return cls(n=n, trains=trains, tests=tests)

    @property
    def n_splits(self) -> int:
        return len(self.trains)

    def train(self, split: int) -> Indices:
        return self.trains[split]

    def test(self, split: int) -> Indices:
        return self.tests[split]

    def pairs(self) -> Iterator[tuple[Indices, Indices]]:
        yield from zip(self.trains, self.tests, strict=True)

    def sizes(self) -> tuple[Integers, Integers]:
        return np.array([len(t) for t in self.trains]), np.array([len(t) for t in self.tests])

    def overlaps(self) -> Integers:
        member = np.zeros((self.n_splits, self.n), dtype=np.float32)
        for j, train in enumerate(self.trains):
            member[j, train] = 1
        phi = np.zeros((self.n_splits, self.n_splits))
        for start in range(0, self.n, 2**20):  # each partial sum stays exact in single precision
            part = member[:, start : start + 2**20]
            phi += part @ part.T
        return np.rint(phi).astype(np.int64)

    def occurrences(self) -> Integers:
        return np.bincount(np.concatenate(self.trains), minlength=self.n)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Certificate:
    """
    How even a designed partition is, and how even any partition of these sizes can be.

    Attributes
    ----------
    construction : str
        How the design was made, for example ``"a Hadamard matrix of order 12"``.
    overlap_target : float
        φ*, the ideal number of examples that two training sets share.
    overlap_error : float
        Worst |φ − φ*| over the pairs of training sets whose overlaps should be equal.
    overlap_bound : float
        The smallest possible overlap_error of these sizes if all examples train equally often, to
        within one.
    size_error : float
        Worst difference between a training set and its nominal size.
    occurrence_spread : int
        max Ψ − min Ψ: how much more often one example trains than another.
    chi_square : float or None
        Worst χ²/L over the splits if features are balanced (it should be at most 1), else None.
    ahead : (int, int) or None
        For windows, the smallest and largest number of times from the last training time of a split
        to a time that it tests. Nothing leaks if the smallest is 1 or more.
    """

    construction: str
    overlap_target: float
    overlap_error: float
    overlap_bound: float
    size_error: float
    occurrence_spread: int
    chi_square: float | None = None
    ahead: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Partition:
    """
    The splits of one design on n examples.

    Iterating gives ``(train, test)`` index arrays, repetition by repetition; in an m×2 design the
    second half of a repetition follows the first.

    Attributes
    ----------
    kind : Kind
        Key of the design, such as ``"mx2-bcv"`` or ``"kfold"``, by which methods know it.
    seed : int or None
        The seed that was used, given or drawn; None if nothing is random.
    cut : Cut
        The splits in compact form.
    repetition, fold : arrays
        Repetition of each split, and its place in the repetition. Repetition −1 marks the splits
        of the estimate if the others only serve its variance.
    certificate : Certificate or None
        How even the design is; None for random splits.
    """

    kind: Kind
    seed: int | None
    cut: Cut
    repetition: Integers
    fold: Integers
    certificate: Certificate | None = None

    @property
    def n(self) -> int:
        """Number of examples."""
        return self.cut.n

    def __len__(self) -> int:
        return self.cut.n_splits

    def __iter__(self) -> Iterator[tuple[Indices, Indices]]:
        return self.cut.pairs()

    @property
    def train(self) -> Sequence[Indices]:
        """Sorted index arrays of the training sets, each made on access."""
        return LazySequence(len(self), self.cut.train)

    @property
    def test(self) -> Sequence[Indices]:
        """Sorted index arrays of the test sets, each made on access."""
        return LazySequence(len(self), self.cut.test)

    @property
    def train_sizes(self) -> Integers:
        """Training set size of each split."""
        return self.cut.sizes()[0]

    @property
    def test_sizes(self) -> Integers:
        """Test set size of each split."""
        return self.cut.sizes()[1]

    @property
    def n_train(self) -> int:
        """The training size of the estimates: the mean over splits, halves rounded up."""
        return int(self.train_sizes[self.about].mean() + 0.5)

    @property
    def n_test(self) -> int:
        """Test set size: the mean over splits, halves rounded up."""
        return int(self.test_sizes[self.about].mean() + 0.5)

    @property
    def about(self) -> NDArray[np.bool_]:
        """Which splits belong to the estimate; the others only serve its variance."""
        marked = self.repetition < 0
        if marked.any():
            return marked
        return ~marked

    def only(self, splits: slice | NDArray[np.intp], *, kind: Kind | None = None) -> "Partition":
        """Return some splits as a partition without certificate, maybe of another kind."""
        cut = self.cut
        if isinstance(cut, BlockCut):
            cut = replace(cut, trains=cut.trains[:, splits])
        else:
            numbers = np.arange(len(self))[splits].tolist()
            cut = IndexCut.of_pairs(cut.n, [(cut.train(j), cut.test(j)) for j in numbers])
        return replace(
            self,
            kind=kind or self.kind,
            cut=cut,
            repetition=self.repetition[splits],
            fold=self.fold[splits],
            certificate=None,
        )

    def overlaps(self) -> Integers:
        """Φ: how many examples each pair of training sets shares (sizes on the diagonal)."""
        return self.cut.overlaps()

    def occurrences(self) -> Integers:
        """Ψ: how many training sets hold each example."""
        return self.cut.occurrences()

    def __repr__(self) -> str:
        return f"Partition(kind={self.kind!r}, n={self.n}, splits={len(self)}, seed={self.seed})"


def require_partition(partition: object) -> None:
    """Refuse anything but a partition."""
    if not isinstance(partition, Partition):
        refuse_value("partition", partition, "a Partition", "Use design.partition(n).")
