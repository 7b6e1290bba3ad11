"""Exact CART trees, one after the other, each feature of a data set sorted once for all its training sets."""

from dataclasses import astuple

import numpy as np

from evenfold.lab.fast.compiled._layout import (
    DRAWN,
    INVERSE,
    LIMIT,
    WAITING,
    XLOGX,
    Data,
    Luck,
    Node,
    Rule,
    Space,
)
from evenfold.lab.fast.compiled._numba import Numbers
from evenfold.lab.fast.compiled._ranks import rank_all
from evenfold.lab.fast.compiled._trees import grow_all
from evenfold.lab.fast.trees import _grow as arrays


class Grower:
    """
    Trees of R data sets, whose features are sorted once for all of them.

    Parameters
    ----------
    X, y : arrays, shapes (R, n, p) and (R, n)
        The data sets.
    tests : array of bool, shape (R or 1, J, n)
        Who is tested in which split.
    rule : Rule
        That of the array path.
    """

    def __init__(self, X: Numbers, y: Numbers, tests: Numbers, rule: arrays.Rule) -> None:
        words, *limits = astuple(rule)
        self.rule = Rule(words == "entropy", *limits)
        self.data = _sorted(X, y, labels=rule.n_classes > 0)
        self.tests = np.array(tests, order="C")  # one kind of array alone is compiled

    def __call__(self, times: Numbers, luck: arrays.Luck | None = None) -> Numbers:
        """Predict the test examples (R, J, n) by trees in which examples train so often, (R or 1, J, n)."""
        R, p, n = self.data.x.shape
        times = np.ascontiguousarray(times, dtype=np.int64)
        few = Luck(0, 0) if luck is None or luck.count >= p else Luck(luck.count, luck.start)
        space = _space(n, p, int(times.sum(axis=-1).max(initial=0)), self.rule, few)
        # The best split never parts copies of an example, but where a larger leaf stops short of their end.
        copies = self.rule.min_samples_leaf > 1 and bool((times > 1).any())
        data = self.data._replace(tied=np.ones_like(self.data.tied)) if copies else self.data
        out = np.zeros((R, times.shape[1], n))
        grow_all(data, times, self.tests, self.rule, few, space, out)
        return out


def _sorted(X: Numbers, y: Numbers, labels: bool) -> Data:
    """Sort every feature, equal values by their place."""
    x = np.array(np.swapaxes(X, 1, 2), dtype=np.float32, order="C")
    x += np.float32(0.0)  # no negative zeros
    bits = x.view(np.int32)
    # As whole numbers floats have their own order, negative ones backwards; the place in the lower half.
    keys = (bits ^ (bits >> 31 & 0x7FFFFFFF)).astype(np.int64) << 32 | np.arange(x.shape[-1])
    keys.sort(axis=-1)
    order, rank = np.empty(x.shape, dtype=np.uint32), np.empty(x.shape, dtype=np.uint32)
    tied = np.empty(x.shape[:2], dtype=np.bool_)
    rank_all(x, keys, order, rank, tied)
    return Data(
        x=x,
        order=order,
        rank=rank,
        tied=tied,
        labels=np.array(y if labels else np.zeros_like(y), dtype=np.uint32, order="C"),
        numbers=np.array(y, dtype=np.float64, order="C"),
    )


def _space(n: int, p: int, size: int, rule: Rule, luck: Luck) -> Space:
    """Room for one tree; where no features are drawn, all are."""
    width = max(n, p, 2 * size + 1)
    whole = np.empty((WAITING + len(Node._fields), width), dtype=np.int64)
    whole[DRAWN, :p] = np.arange(p)
    floats, count = np.empty((LIMIT + 1, width)), np.arange(size + 1.0)
    floats[INVERSE, : size + 1] = 1 / np.maximum(count, 1)
    floats[XLOGX, : size + 1] = count * np.log(np.maximum(count, 1))
    return Space(
        tables=np.empty((2, size + 1, 1 if luck.some else p), dtype=np.uint32),
        drawn=np.empty((size + 1, luck.some), dtype=np.uint32),
        counts=np.empty((2 * size + 2, max(1, rule.n_classes)), dtype=np.int64),
        whole=whole,
        floats=floats,
        bits=np.zeros(n // 64 + 1, dtype=np.uint64),
    )
