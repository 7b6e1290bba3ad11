"""
Splits that the user provides: splitters of scikit-learn, and pairs of index arrays.

A splitter is called once. The kind of its splits, such as folds, halvings or random splits, is
recognised from the index arrays. So an unknown splitter gets the methods that are valid for its
splits, or is refused with a reason.
"""

import copy
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core import partition as kinds
from evenfold.core.checks import is_integer, refuse, refuse_value, short_repr
from evenfold.core.partition import Indices, Partition, WindowCut
from evenfold.core.words import one_line
from evenfold.design._base import Design, class_codes, design_from, split_partition
from evenfold.design.folds import KFold, fold_cut, fold_partition
from evenfold.design.repeated import repeated_folds

_SPLITTERS = "sklearn.model_selection."
_SEEDS = 2**32  # seeds of scikit-learn are smaller
_TRAINING = 1.1  # largest ratio of training set sizes, because an answer is about one size
_TESTED = 2.0  # largest ratio of test set sizes, because all hold-out values have the same weight

Pair = tuple[Indices, Indices]


@dataclass(frozen=True, eq=False, repr=False)
class GivenSplits(Design):
    """
    Splits that the user gave. :func:`as_design` makes this design.

    Parameters
    ----------
    taken : Partition
        The splits.
    text : str
        The expression that makes the splitter; empty if it is not known.
    """

    uses_groups = True
    shuffle = False

    taken: Partition
    text: str = ""

    @property
    def kind(self) -> kinds.Kind:  # type: ignore[override]  # of these very splits
        """The kind of the splits."""
        return self.taken.kind

    @property
    def parts(self) -> tuple[int, str]:
        """The number of parts that the data are cut into at a time, and the noun for them."""
        folds = "folds" in self.kind.shape
        k = int(self.taken.fold.max()) + 1
        if folds and k < self.taken.n:
            return (k, "folds")
        return super().parts

    @property
    def code(self) -> str:
        """The Python expression that makes the splitter; empty if it is not known."""
        return self.text

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of splits."""
        return len(self.taken)

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        if n != self.taken.n:
            refuse(
                "n",
                f"n must be {self.taken.n:,}, the number of examples of these splits, but got "
                f"{n:,}.",
            )
        return self.taken

    def __repr__(self) -> str:
        return self.text.removeprefix(_SPLITTERS) or f"<{self.kind} of {len(self.taken)}, as given>"


def as_design(
    design: Any,
    n: int,
    *,
    X: Any = None,
    y: Any = None,
    groups: Any = None,
    balance: str | tuple[str, ...] | None = None,
    random_state: int | None = None,
) -> Design:
    """
    Return a design from a design, its spelling, a number of folds, a splitter, or index pairs.

    Parameters
    ----------
    design : Design, str, int, splitter, Partition or iterable of (train, test)
        A splitter has a method ``split(X, y, groups)``, which is called once. A Partition keeps
        its kind.
    n : int
        Number of examples.
    X, y, groups : optional
        Arguments for the ``split`` method of a splitter.
    balance : None, str or tuple of str
        Conditions to balance if ``design`` is a number of folds.
    random_state : int, optional
        Seed for a splitter that shuffles and has no seed.

    Notes
    -----
    K disjoint test sets that hold all examples are folds. Several such rounds are repeated folds
    or halvings. One pair is a hold-out. Training sets that all come before their test sets are
    windows of ordered data. Other splits of similar sizes are treated as random.

    Examples
    --------
    >>> from sklearn.model_selection import RepeatedKFold, ShuffleSplit
    >>> as_design("kfold:10", 100), as_design(5, 100)
    (KFold(n_splits=10), KFold(n_splits=5))
    >>> as_design(RepeatedKFold(n_splits=5, n_repeats=2, random_state=0), 100).kind
    'repeated-kfold'
    >>> as_design(ShuffleSplit(10, test_size=0.2), 100, random_state=0)
    ShuffleSplit(n_splits=10, random_state=0, test_size=0.2, train_size=None)
    >>> as_design([([0, 1], [2, 3]), ([2, 3], [0, 1])], 4).kind
    'kfold'
    """
    if isinstance(design, Design):
        return design
    if isinstance(design, Partition):
        return _of_partition(design, n, groups)
    if isinstance(design, str) and not design.strip().isdigit():
        return design_from(design)
    if isinstance(design, str) or is_integer(design):
        return KFold(int(design), balance=balance)
    if isinstance(design, type):
        name = design.__name__
        refuse(
            "design", f"design must be an instance but got the class {name}.", f"Pass {name}(...)."
        )
    if hasattr(design, "split"):
        return _ask_splitter(_seed_splitter(design, random_state), n, X, y, groups)
    if not _is_several(design):
        remedy = "Pass ef.Mx2BCV(7), 'kfold:10', 5, StratifiedKFold(10) or a list of (train, test)."
        refuse_value("design", design, "a design, a splitter or pairs of index arrays", remedy)
    return GivenSplits(recognise_partition(list(design), n, groups))


def _of_partition(partition: Partition, n: int, groups: Any) -> GivenSplits:
    """Return a partition as a design, with the kind that the partition records."""
    if partition.n != n:
        refuse(
            "design",
            f"design must be a partition of {n:,} examples but got one of {partition.n:,}.",
            "Use design.partition(len(X)).",
        )
    if groups is not None:
        _require_whole(class_codes(np.asarray(groups)), list(partition))
    return GivenSplits(partition)


def _is_several(value: Any) -> bool:
    """Whether a value may hold pairs; an array without axes cannot, although it is an Iterable."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Iterable) and not isinstance(value, (bytes, dict))


def _seed_splitter(splitter: Any, seed: int | None) -> Any:
    """Return a splitter with this seed if it shuffles without one, so calls can be repeated."""
    unseeded = getattr(splitter, "random_state", seed) is None and getattr(
        splitter, "shuffle", True
    )
    if not unseeded or seed is None:
        return splitter
    seeded = copy.copy(splitter)
    seeded.random_state = seed % _SEEDS
    return seeded


def _ask_splitter(splitter: Any, n: int, X: Any, y: Any, groups: Any) -> GivenSplits:
    rows = np.empty((n, 0)) if X is None else X
    try:
        with warnings.catch_warnings():
            # scikit-learn warns of rare classes, and a note of the answer does so already
            warnings.simplefilter("ignore", UserWarning)
            pairs = list(splitter.split(rows, y, groups))
    except Exception as reason:  # a splitter of another package may raise any exception
        refuse(
            "design",
            f"The splitter {short_repr(splitter)} cannot cut these data: {one_line(reason)}.",
        )
    seed = getattr(splitter, "random_state", None)
    taken = recognise_partition(pairs, n, groups, seed=int(seed) if is_integer(seed) else None)
    known = type(splitter).__module__.startswith("sklearn.") and " at 0x" not in repr(splitter)
    text = one_line(repr(splitter))
    return GivenSplits(taken, _SPLITTERS + text if known and "..." not in text else "")


def recognise_partition(
    pairs: list[Any], n: int, groups: Any, *, seed: int | None = None
) -> Partition:
    """Return the partition that consists of these pairs of index arrays, or refuse them."""
    if not pairs:
        refuse(
            "design",
            "design must have at least one pair of index arrays but has none.",
            "Pass a list of pairs, because a generator can be read only once.",
        )
    splits = [_pair(pair, j, n) for j, pair in enumerate(pairs)]
    if groups is not None:
        _require_whole(class_codes(np.asarray(groups)), splits)
    folds = _folds(splits, n)
    if folds is None:
        return _partition_of_loose_splits(splits, n, seed)
    if len(folds) > 1:
        kind = kinds.MX2 if folds.max() == 1 else kinds.REPEATED_KFOLD
        return repeated_folds(kind, seed, folds)
    return fold_partition(_kind_of_folds(folds[0], groups), seed, fold_cut(folds[0], len(splits)))


def _pair(pair: Any, j: int, n: int) -> Pair:
    try:
        train, test = pair
    except (TypeError, ValueError):
        refuse(
            "design",
            f"design must be pairs (train, test) of index arrays but split {j} is "
            f"{short_repr(pair)}.",
        )
    sides = _indices(train, j, n), _indices(test, j, n)
    if np.intersect1d(*sides, assume_unique=True).size:
        refuse(
            "design",
            f"design must not test on examples of the training set, but split {j} does.",
        )
    return sides


def _indices(side: Any, j: int, n: int) -> Indices:
    """Return the sorted positions of one side of split j, which may be positions or a mask."""
    positions = np.asarray(side)
    if positions.dtype.kind == "b" and positions.shape == (n,):
        positions = np.flatnonzero(positions)
    if positions.ndim != 1 or positions.dtype.kind not in "iu" or not len(positions):
        refuse(
            "design",
            f"design must be pairs of arrays of positions, none of them empty, but split {j} has "
            f"an array of {positions.dtype} with shape {positions.shape}.",
        )
    ordered = np.sort(positions).astype(np.intp)
    if ordered[0] < 0 or ordered[-1] >= n:
        refuse(
            "design",
            f"design must have positions from 0 to {n - 1} but split {j} has {ordered[0]} to "
            f"{ordered[-1]}.",
        )
    if (np.diff(ordered) == 0).any():
        refuse(
            "design",
            f"design must list each example at most once in a set, but split {j} repeats some.",
            "For bootstrap samples use ef.design.OutOfBag.",
        )
    return ordered


def _require_whole(codes: NDArray[np.intp], splits: list[Pair]) -> None:
    for j, (train, test) in enumerate(splits):
        if np.intersect1d(codes[train], codes[test]).size:
            refuse(
                "design",
                f"design must keep every group on one side, but split {j} has a group on both.",
                "Use GroupKFold(5), ef.KFold(5, balance='groups') or ef.LeaveOneSourceOut().",
            )


def _folds(splits: list[Pair], n: int) -> NDArray[np.intp] | None:
    """
    Return the fold of each example in each round, shape (r, n).

    The result is None unless every round tests each example exactly once.
    """
    tested = sum(len(test) for _, test in splits)
    rounds, rest = divmod(tested, n)
    if rest or not rounds or len(splits) % rounds or len(splits) == rounds:
        return None
    if any(len(train) + len(test) != n for train, test in splits):
        return None
    k = len(splits) // rounds
    folds = np.full((rounds, n), -1)
    for j, (_, test) in enumerate(splits):
        folds[j // k, test] = j % k
    if (folds >= 0).all():
        return folds
    return None


def _kind_of_folds(folds: NDArray[np.intp], groups: Any) -> kinds.Kind:
    k = int(folds.max()) + 1
    if k == len(folds):
        return kinds.LOO
    if groups is not None:
        codes = class_codes(np.asarray(groups))
        together = len(np.unique(codes * np.int64(k) + folds))
        if together == k == codes.max() + 1:
            return kinds.SOURCES
    return kinds.KFOLD


def _partition_of_loose_splits(splits: list[Pair], n: int, seed: int | None) -> Partition:
    """Return the partition of splits that are not folds: a hold-out, windows or random splits."""
    kind = kinds.HOLDOUT
    if len(splits) > 1:
        if all(train[-1] < test[0] for train, test in splits):
            return _windows(splits, n)
        _require_random(splits)
        kind = kinds.RLT
    return split_partition(kind, seed, n, splits)


def _require_random(splits: list[Pair]) -> None:
    trains, tests = zip(*splits, strict=True)
    if all(np.array_equal(test, tests[0]) for test in tests):
        refuse(
            "design",
            "design must have different test sets, but all splits have the same test set.",
            "Pass results of several models on one test set to ef.judge, with a column 'run'.",
        )
    for what, sets, most in (("training", trains, _TRAINING), ("test", tests, _TESTED)):
        small = min(map(len, sets))
        large = max(map(len, sets))
        if large > most * small:
            refuse(
                "design",
                f"design must have {what} sets of similar sizes (at most {most:g} to 1) but they "
                f"have {small:,} to {large:,} examples.",
                "Use folds or ef.RLT.",
            )


def _windows(splits: list[Pair], n: int) -> Partition:
    """Return the partition of splits whose training sets precede their test sets."""
    edges = np.array([[train[0], train[-1] + 1, test[0], test[-1] + 1] for train, test in splits])
    lengths = np.array([[len(train), len(test)] for train, test in splits])
    if (edges[:, 1::2] - edges[:, ::2] != lengths).any() or (edges[1:, 2] < edges[:-1, 3]).any():
        refuse(
            "design",
            "design must have training and test sets without gaps inside them, and test sets in "
            "order, if every training set comes before its test set.",
            "Use ef.design.GrowingWindow or ef.design.RollingWindow.",
        )
    J = len(splits)
    return Partition(
        kind=kinds.GROWING if np.ptp(lengths[:, 0]) else kinds.ROLLING,
        seed=None,
        cut=WindowCut(times=np.arange(n), edges=edges),
        repetition=np.zeros(J, np.int64),
        fold=np.arange(J),
    )
