"""
Who trains and who tests: the value that flows from ``design`` to ``run``.

A :class:`Partition` holds a *cut* in one of three compact forms and makes index arrays when asked:

- :class:`BlockCut`, a block per example and a table "block trains in split": the designed
  partitions;
- :class:`FoldCut`, a fold per example, each fold tested once: k-fold, leave-one-out, sources;
- :class:`IndexCut`, explicit index arrays: random splits, which have no structure to exploit.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol, Self, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

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
    "labelled examples",  # one test set, few of its examples with labels, all with a judge's scores
    "runs",  # several models of each algorithm on one test set
    "seeds",  # scores of several runs of each algorithm, and nothing else
    "sources",  # each source is left out once
    "nested halves",  # splits of the whole data, and splits inside halvings of it
    "nested folds",  # folds inside folds
    "reruns",  # splits of the whole data, and the same again with other splits
    # samples with replacement, tested on whom they left out; last, all tested on themselves
    "out of bag",
    "folds and halves",  # folds of the whole data, and halvings of it
    "folds in halves",  # folds inside each half of several halvings
    "windows",  # training sets that come before their test sets
]
Indices = NDArray[np.intp]
Integers = NDArray[np.int64]


# The kind of a design: its shape, by which methods know whether they fit, and what it is usually
# about.
#
# A kind is a string, its key, that also knows its shape. Methods claim kinds; a design of another
# package makes a kind of its own and is fitted by every method that claims its shape.


class Kind(str):
    """
    A key that knows the shape of its design.

    Examples
    --------
    >>> halvings = Kind("my-halvings", shape="halves")
    >>> halvings == "my-halvings", halvings.shape
    (True, 'halves')
    """

    __slots__ = ("about", "shape")

    shape: Shape
    # which models and examples an answer is about, where no training size says it; {groups} stands
    # for what the user calls groups of examples
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
        """Whether samples with replacement are tested on whom they left out."""
        return self.shape == "out of bag"

    @property
    def is_rerun(self) -> bool:
        """Whether splits are there a second time, drawn anew."""
        return self.shape == "reruns"

    @property
    def is_runs(self) -> bool:
        """Whether several models of each algorithm met one test set."""
        return self.shape == "runs"

    @property
    def is_seeds(self) -> bool:
        """Whether scores of runs are all there is."""
        return self.shape == "seeds"

    def __reduce__(self) -> "tuple[object, tuple[str, Shape, str]]":
        return _kind, (str(self), self.shape, self.about)


def _kind(key: str, shape: Shape, about: str) -> Kind:
    """Make a pickled kind again."""
    return Kind(key, shape=shape, about=about)


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

# Results that exist already: models that were trained elsewhere, nobody knows on how many examples.
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


# Windows in time: splits that train on a stretch of times and test on a later one, in compact
# form.


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class WindowCut:
    """
    Windows over examples that have a time.

    Attributes
    ----------
    times : array (n,)
        The time of each example, numbered 0, 1, 2, … without holes.
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
        """How many times ahead of the last training time the farthest tested time is."""
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

    def count_shared(self, one: Any, other: Any) -> Integers:
        """How many examples train in both of two splits, or of many pairs of them."""
        before = self._examples_before()
        (start, stop) = self.edges[:, :2].T
        first = np.maximum(start[one], start[other])
        last = np.maximum(np.minimum(stop[one], stop[other]), first)
        both: Integers = before[last] - before[first]
        return both

    def occurrences(self) -> Integers:
        steps = np.zeros(self.times.max() + 2, dtype=np.int64)
        np.add.at(steps, self.edges[:, 0], 1)
        np.add.at(steps, self.edges[:, 1], -1)
        return np.cumsum(steps)[self.times]

    def _examples_before(self) -> Integers:
        """How many examples come before each time, and before the end."""
        return np.concatenate([[0], np.cumsum(np.bincount(self.times))])


# Sequences whose items are made when asked for.


T_co = TypeVar("T_co", covariant=True)


class LazySequence(Sequence[T_co]):
    """
    A sequence of ``length`` items, each computed by ``item`` whenever it is asked for.

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
        """Pickle and copy the items themselves: how they are made may hold files and workers."""
        return _lazy_copy, (tuple(map(self._item_or_reason, range(self.length))),)

    def _item_or_reason(self, index: int) -> "T_co | EvenfoldError":
        """Return an item, or why there is none, as where a fit failed."""
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
        found = items[index]
        if isinstance(found, EvenfoldError):
            raise found
        return found

    return LazySequence(len(items), item)


_AT_ONCE = 16  # splits whose membership fits into two bytes per example


def smallest_unsigned(count: int) -> np.dtype[np.unsignedinteger]:
    """
    Return the smallest unsigned type that can number ``count`` things.

    One byte up to 256 blocks.
    """
    return np.dtype(np.min_scalar_type(max(count - 1, 0)))


class Cut(Protocol):
    """
    What a partition needs to know of its splits.

    ``train`` and ``test`` give sorted indices, ``pairs`` all of them in turn, ``sizes`` the
    training and test set sizes, ``overlaps`` Φ and ``occurrences`` Ψ.
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
    """
    ``blocks[i]`` is the block of example i.

    ``trains[b, j]`` says whether block b trains in split j.
    """

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
            # One gather serves many splits: bit j of an example's code says whether it trains in
            # split j.
            bits = 1 << np.arange(min(_AT_ONCE, self.n_splits - start))
            codes = (
                (self.trains[:, start : start + _AT_ONCE] @ bits)
                .astype(np.uint16)
                .take(self.blocks)
            )
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
    How even a designed partition is, beside how even any partition could be.

    Attributes
    ----------
    construction : str
        How the design was made, for example ``"a Hadamard matrix of order 12"``.
    overlap_target : float
        φ*, the overlap that all pairs of training sets would share ideally.
    overlap_error : float
        Worst |φ − φ*| over the pairs of training sets that the design promises to be equal.
    overlap_bound : float
        The smallest overlap_error that any partition of these sizes can have in which all examples
        train equally often, to within one.
    size_error : float
        Worst difference between a training set and its nominal size.
    occurrence_spread : int
        max Ψ − min Ψ: how much more often one example trains than another.
    chi_square : float or None
        Worst χ²/L over the splits where features are balanced (the condition is ≤ 1), else None.
    ahead : (int, int) or None
        Of windows in time: the fewest and the most times from the last training time of a split to
        a time that it tests. That the fewest is 1 or more means that nothing leaks.
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
        Key of the design, by which inference knows what it is given (``"mx2-bcv"``, ``"kfold"``,
        ...).
    seed : int or None
        The seed that was used, recorded also when none was given; None where nothing is random.
    cut : Cut
        The splits in compact form.
    repetition, fold : arrays
        Repetition, and place within it, of each split. Repetition −1 marks the splits that an
        estimate is about where the others only serve its variance.
    certificate : Certificate or None
        How even the design is; None for designs that promise nothing (random splits).
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
        """Sorted index arrays of the training sets, each made when asked for."""
        return LazySequence(len(self), self.cut.train)

    @property
    def test(self) -> Sequence[Indices]:
        """Sorted index arrays of the test sets, each made when asked for."""
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
        """The training size the estimates speak of: the mean over splits, halves rounded up."""
        return int(self.train_sizes[self.about].mean() + 0.5)

    @property
    def n_test(self) -> int:
        """Test set size: the mean over splits, halves rounded up."""
        return int(self.test_sizes[self.about].mean() + 0.5)

    @property
    def about(self) -> NDArray[np.bool_]:
        """Which splits an estimate is about: not those that only serve its variance."""
        marked = self.repetition < 0
        if marked.any():
            return marked
        return ~marked

    def only(self, splits: slice, *, kind: Kind | None = None) -> "Partition":
        """
        Return some of the splits in a row, as a partition of another kind if they are one.

        What was promised of all of them is not repeated.
        """
        cut = self.cut
        if isinstance(cut, BlockCut):
            cut = replace(cut, trains=cut.trains[:, splits])
        else:
            cut = IndexCut(
                n=cut.n, trains=tuple(self.train[splits]), tests=tuple(self.test[splits])
            )
        repetition = self.repetition[splits]
        fold = self.fold[splits]
        kept = replace(self, cut=cut, repetition=repetition, fold=fold, certificate=None)
        if kind is None:
            return kept
        return replace(kept, kind=kind)

    def overlaps(self) -> Integers:
        """Φ: how many examples each pair of training sets shares (sizes on the diagonal)."""
        return self.cut.overlaps()

    def occurrences(self) -> Integers:
        """Ψ: how many training sets hold each example."""
        return self.cut.occurrences()

    def __repr__(self) -> str:
        return f"Partition(kind={self.kind!r}, n={self.n}, splits={len(self)}, seed={self.seed})"
