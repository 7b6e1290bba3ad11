"""
Splits that somebody else makes: splitters of scikit-learn, and pairs of index arrays.

They are asked once. What they are, folds or halvings or random splits, is read off the sets
themselves, so that a splitter nobody has heard of gets the kind, and the method, of those it is
like; or is refused with the reason.
"""

import copy
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core import partition as kinds
from evenfold.core.checks import is_integer, refuse, short_repr
from evenfold.core.partition import Indices, Partition, WindowCut
from evenfold.core.words import one_line
from evenfold.design._base import Design, class_codes, design_from
from evenfold.design.folds import KFold, fold_cut, fold_partition
from evenfold.design.repeated import repeated_folds
from evenfold.design.splits import split_partition

_SPLITTERS = "sklearn.model_selection."
_SEEDS = 2**32  # scikit-learn's are below
_TRAINING = 1.1  # the largest training set beside the smallest: an answer is about one size
_TESTED = 2.0  # the same of test sets: all hold-out values count alike

Pair = tuple[Indices, Indices]


@dataclass(frozen=True, eq=False, repr=False)
class GivenSplits(Design):
    """
    Splits as they were given; made by :func:`as_design`.

    Parameters
    ----------
    taken : Partition
        The splits.
    text : str
        The expression that makes the splitter, empty where there is none.
    """

    uses_groups = True
    shuffle = False

    taken: Partition
    text: str = ""

    @property
    def kind(self) -> kinds.Kind:  # type: ignore[override]  # of these very splits
        """What the splits are."""
        return self.taken.kind

    @property
    def parts(self) -> tuple[int, str]:
        """The folds, where they are any."""
        folds = "folds" in self.kind.shape
        k = int(self.taken.fold.max()) + 1
        if folds and k < self.taken.n:
            return (k, "folds")
        return super().parts

    @property
    def code(self) -> str:
        """The expression that makes it again, where it is known."""
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
    given: Any,
    n: int,
    *,
    X: Any = None,
    y: Any = None,
    groups: Any = None,
    balance: str | tuple[str, ...] | None = None,
    random_state: int | None = None,
) -> Design:
    """
    Return the design that is meant.

    It may be given as a design, its spelling, a number of folds, a splitter, or index pairs.

    Parameters
    ----------
    given : Design, str, int, splitter, Partition or iterable of (train, test)
        A splitter has ``split(X, y, groups)`` and is asked once; a Partition stays what it is.
    n : int
        Number of examples.
    X, y, groups : optional
        What a splitter may want to know.
    balance : None, str or tuple of str
        What a number of folds balances.
    random_state : int, optional
        Seed of a splitter that shuffles and has none.

    Notes
    -----
    K disjoint test sets that hold all examples are folds, several such rounds are repeated folds or
    halvings; one pair is a hold-out; other splits of like sizes are taken as random. Training sets
    that all come before their test sets are windows of ordered data.

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
    if isinstance(given, Design):
        return given
    if isinstance(given, Partition):
        return _of_partition(given, n, groups)
    if isinstance(given, str) and not given.strip().isdigit():
        return design_from(given)
    if isinstance(given, str) or is_integer(given):
        return KFold(int(given), balance=balance)
    if isinstance(given, type):
        name = given.__name__
        refuse(
            "design", f"design must be an instance but got the class {name}.", f"Pass {name}(...)."
        )
    if hasattr(given, "split"):
        return _ask_splitter(_seed_splitter(given, random_state), n, X, y, groups)
    if not _is_several(given):
        refuse(
            "design",
            "design must be a design, a splitter or pairs of index arrays but got "
            f"{short_repr(given)}.",
            "Pass ef.Mx2BCV(7), 'kfold:10', 5, StratifiedKFold(10) or a list of (train, test).",
        )
    return GivenSplits(recognise_partition(list(given), n, groups))


def _of_partition(given: Partition, n: int, groups: Any) -> GivenSplits:
    """Return a partition as a design: of its own kind, which its sets alone would not tell."""
    if given.n != n:
        refuse(
            "design",
            f"design must be a partition of {n:,} examples but got one of {given.n:,}.",
            "Use design.partition(len(X)).",
        )
    if groups is not None:
        _require_whole(class_codes(np.asarray(groups)), list(given))
    return GivenSplits(given)


def _is_several(given: Any) -> bool:
    """Whether pairs may be in it; an array without axes says that it is iterable, and is not."""
    if isinstance(given, np.ndarray):
        return given.ndim > 0
    return isinstance(given, Iterable) and not isinstance(given, (bytes, dict))


def _seed_splitter(splitter: Any, seed: int | None) -> Any:
    """Give a splitter that shuffles without a seed this one, so that calls can be repeated."""
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
            # of rare classes, which are a note of the answer
            warnings.simplefilter("ignore", UserWarning)
            pairs = list(splitter.split(rows, y, groups))
    except Exception as reason:  # whatever a stranger's splitter says of these data
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
    """Return the partition that these pairs of index arrays are, or say why they are none."""
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


def _indices(given: Any, j: int, n: int) -> Indices:
    """Return sorted positions of some examples, given as numbers or as a mask."""
    found = np.asarray(given)
    if found.dtype.kind == "b" and found.shape == (n,):
        found = np.flatnonzero(found)
    if found.ndim != 1 or found.dtype.kind not in "iu" or not len(found):
        refuse(
            "design",
            f"design must be pairs of arrays of positions, none of them empty, but split {j} has "
            f"an array of {found.dtype} with shape {found.shape}.",
        )
    ordered = np.sort(found).astype(np.intp)
    if ordered[0] < 0 or ordered[-1] >= n:
        refuse(
            "design",
            f"design must have positions from 0 to {n - 1} but split {j} has {ordered[0]} to "
            f"{ordered[-1]}.",
        )
    if (np.diff(ordered) == 0).any():
        refuse(
            "design",
            f"design must have each example once in a set, but split {j} repeats some.",
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
    """Return the fold of each example in each round, (r, n); each round tests everyone once."""
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
    """Return splits that are no folds: one, or as many as random ones of one size."""
    J = len(splits)
    kind = kinds.HOLDOUT
    if J > 1:
        if all(train[-1] < test[0] for train, test in splits):
            return _windows(splits, n)
        _require_random(splits)
        kind = kinds.RLT
    return split_partition(kind, seed, n, splits, np.arange(J), np.zeros(J, np.int64))


def _require_random(splits: list[Pair]) -> None:
    trains, tests = zip(*splits, strict=True)
    if all(np.array_equal(test, tests[0]) for test in tests):
        refuse(
            "design",
            "design must have different test sets, but all splits have the same.",
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
    """Return training sets that precede their test sets as windows over the ordered rows."""
    edges = np.array([[train[0], train[-1] + 1, test[0], test[-1] + 1] for train, test in splits])
    lengths = np.array([[len(train), len(test)] for train, test in splits])
    if (edges[:, 1::2] - edges[:, ::2] != lengths).any() or (edges[1:, 2] < edges[:-1, 3]).any():
        refuse(
            "design",
            "design must have windows without holes and test sets that follow each other where "
            "training comes before testing.",
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
