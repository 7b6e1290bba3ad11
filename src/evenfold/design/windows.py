"""Designs for ordered data: train on what was known at a time, test on what came after."""

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evenfold.core import partition as kinds
from evenfold.core.checks import examples, integer, refuse, size, vector
from evenfold.core.partition import Certificate, Integers, Partition, WindowCut
from evenfold.design._base import MOST_SPLITS, Design, class_codes, register


@dataclass(frozen=True, eq=False, repr=False)
class _Windows(Design):
    """
    What growing and rolling windows share.

    The last window tests the last times; the others come before it, ``step`` times apart, as long
    as there is enough to train on.
    """

    uses_groups = True
    shuffle = False
    named: ClassVar[tuple[str, ...]] = ("step", "gap", "windows")

    train_size: float
    horizon: int = 1
    step: int | None = field(default=None, kw_only=True)
    gap: int = field(default=0, kw_only=True)
    windows: int | None = field(default=None, kw_only=True)

    @abstractmethod
    def _starts(self, stops: Integers, trained: int) -> Integers:
        """The first training time of windows whose training ends before ``stops``."""

    @abstractmethod
    def _training_phrase(self, edges: Integers) -> str:
        """What trains on what."""

    def __post_init__(self) -> None:
        horizon = integer("horizon", self.horizon, low=1)
        if self.step is not None:
            remedy = "A shorter step would test some times twice."
            integer("step", self.step, low=horizon, remedy=remedy)
        integer("gap", self.gap, low=0)
        if self.windows is not None:
            integer("windows", self.windows, low=1, high=MOST_SPLITS)

    def get_n_splits(self, X: Any = None, y: Any = None, groups: Any = None) -> int:
        """Return the number of windows on the examples of X, or on the times in ``groups``."""
        if X is None and groups is None:
            refuse(
                "X",
                "X must be given, because the number of windows depends on the number of times.",
            )
        if groups is None:
            return len(self._edges(examples("X", X)))
        return len(self._edges(int(_times(groups, None).max()) + 1))

    def _partition(self, n: int, seed: int, y: Any, groups: Any, features: Any) -> Partition:
        times = np.arange(n) if groups is None else _times(groups, n)
        edges = self._edges(int(times.max()) + 1)
        cut = WindowCut(times=times, edges=edges)
        return Partition(
            kind=self.kind,
            seed=None,
            cut=cut,
            repetition=np.zeros(len(edges), np.int64),
            fold=np.arange(len(edges)),
            certificate=self._certificate(cut),
        )

    def _edges(self, count: int) -> Integers:
        """First and one past the last time of training and test of each window."""
        trained = size("train_size", self.train_size, n=count)
        step = self.step or self.horizon
        most = (count - trained - self.gap - self.horizon) // step + 1
        if most < 1:
            needed = trained + self.gap + self.horizon
            refuse(
                "X",
                f"X must have at least {needed:,} times for {self!r} but has {count:,}.",
                "Take shorter windows, a shorter horizon or a shorter gap.",
            )
        integer("step", step, low=-(-count // MOST_SPLITS))
        tests = count - self.horizon - step * np.arange(min(most, self.windows or most))[::-1]
        stops = tests - self.gap
        return np.stack([self._starts(stops, trained), stops, tests, tests + self.horizon], axis=1)

    def _certificate(self, cut: WindowCut) -> Certificate:
        """Return what follows from the order of time, and how far ahead the windows test."""
        J = cut.n_splits
        edges = cut.edges
        sizes, _ = cut.sizes()
        often = cut.occurrences()
        target = float(sizes[0])
        if J > 1:  # R19 eq. 2.2
            target = float((often * (often - 1)).sum() / (J * (J - 1)))
        largest = cut.count_shared(np.arange(J - 1), np.arange(1, J))
        least = cut.count_shared(0, J - 1)
        error = max(target - float(least), float(largest.max(initial=0)) - target)
        return Certificate(
            construction=f"windows that train on {self._training_phrase(edges)}",
            overlap_target=target,
            overlap_error=error,
            overlap_bound=error,
            size_error=float(np.abs(sizes - sizes.mean()).max()),
            occurrence_spread=int(np.ptp(often)),
            ahead=(int((edges[:, 2] - edges[:, 1]).min()) + 1, cut.horizon),
        )


@register
@dataclass(frozen=True, eq=False, repr=False)
class GrowingWindow(_Windows):
    """
    Train on all that is known at a time, test on the times after it, go on with more to train on.

    Parameters
    ----------
    train_size : int or float
        How many times the first window trains on at least, a count or a fraction of them. If
        some times are left over before the first test, it trains on them, too.
    horizon : int, default 1
        How many times a window tests.
    step : int, optional
        From one window to the next, at least the horizon, so that each time is tested once; the
        horizon if not given.
    gap : int, default 0
        How many times between training and test are left out, because their outcomes are not known
        yet.
    windows : int, optional
        At most so many windows, the last ones.

    Notes
    -----
    Examples are in the order of time, unless ``groups`` say the time of each: then what happened at
    one time is never cut, and sizes count times.

    *Validity.* An answer is about forecasts along this path, by models whose training sets grow:
    there is no one training size. Nothing is random, and no model sees its future; the certificate
    counts it.

    Examples
    --------
    >>> for train, test in GrowingWindow(4, 2, gap=1).partition(10):
    ...     print(train.tolist(), test.tolist())
    [0, 1, 2, 3, 4] [6, 7]
    [0, 1, 2, 3, 4, 5, 6] [8, 9]
    >>> GrowingWindow(4, 2, gap=1).partition(10).certificate.ahead
    (2, 3)
    """

    kind = kinds.GROWING
    example = "growing:0.5:1"

    def _starts(self, stops: Integers, trained: int) -> Integers:
        return np.zeros_like(stops)

    def _training_phrase(self, edges: Integers) -> str:
        first, last = edges[[0, -1], 1].tolist()
        return f"all times before their test, {first} to {last} of them"


@register
@dataclass(frozen=True, eq=False, repr=False)
class RollingWindow(_Windows):
    """
    Train on the latest so many times, test on the times after them, go on.

    Parameters
    ----------
    train_size : int or float
        How many times a window trains on, a count or a fraction of them.
    horizon, step, gap, windows
        As in :class:`~evenfold.design.GrowingWindow`.

    Notes
    -----
    *Validity.* All models are trained on as many times, so that an answer may be about the method
    at this window length (:func:`evenfold.infer.giacomini_white`), or about the forecasts along
    this path.

    Examples
    --------
    >>> for train, test in RollingWindow(4, 3).partition(10):
    ...     print(train.tolist(), test.tolist())
    [0, 1, 2, 3] [4, 5, 6]
    [3, 4, 5, 6] [7, 8, 9]
    """

    kind = kinds.ROLLING
    example = "rolling:0.5:1"

    def _starts(self, stops: Integers, trained: int) -> Integers:
        return stops - trained

    def _training_phrase(self, edges: Integers) -> str:
        return f"the latest {edges[0, 1] - edges[0, 0]} times before their test"


def _times(groups: Any, n: int | None) -> NDArray[np.intp]:
    return class_codes(vector("groups", groups, n=n))
