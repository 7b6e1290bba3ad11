"""Exact CART trees, one after the other, each feature of a data set sorted once for all its training sets."""

from dataclasses import astuple

import numpy as np

from evenfold.lab.fast.compiled._trees import Data, Luck, Numbers, Rule, Space, grow_all
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
        self.tests = np.ascontiguousarray(tests)

    def __call__(self, times: Numbers, luck: arrays.Luck | None = None) -> Numbers:
        """Predict the test examples (R, J, n) by trees in which examples train so often, (R or 1, J, n)."""
        R, n, p = self.data.X.shape
        times = np.ascontiguousarray(times, dtype=np.int32)
        few = Luck(0, 0) if luck is None or luck.count >= p else Luck(luck.count, luck.start)
        space = _space(n, p, int(times.sum(axis=-1).max(initial=0)), self.rule, few)
        out = np.zeros((R, times.shape[1], n))
        grow_all(self.data, times, self.tests, self.rule, few, space, out)
        return out


def _sorted(X: Numbers, y: Numbers, labels: bool) -> Data:
    """Sort every feature, equal values by their place."""
    X = np.ascontiguousarray(X, dtype=np.float32) + np.float32(0.0)  # no negative zeros
    columns = np.ascontiguousarray(np.swapaxes(X, 1, 2))
    bits = columns.view(np.int32).astype(np.int64)
    # As whole numbers floats have their own order, negative ones backwards; the place in the lower half.
    keys = (np.where(bits < 0, bits ^ 0x7FFFFFFF, bits) << 32) | np.arange(X.shape[1])
    keys.sort(axis=-1)
    order = (keys & 0xFFFFFFFF).astype(np.int32)
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(X.shape[1], dtype=np.int32)[None, None], axis=-1)
    none = np.empty((len(X), 0))
    return Data(
        X=X,
        columns=columns,
        order=order,
        rank=rank,
        labels=np.ascontiguousarray(y if labels else none, dtype=np.int32),
        numbers=np.ascontiguousarray(none if labels else y, dtype=np.float64),
    )


def _space(n: int, p: int, size: int, rule: Rule, luck: Luck) -> Space:
    count = np.arange(size + 1.0)
    return Space(
        feature=np.empty(2 * n, dtype=np.int32),
        threshold=np.empty(2 * n),
        right=np.empty(2 * n, dtype=np.int32),
        said=np.empty(2 * n),
        rows=np.empty((2 if luck.some else p, n + 1), dtype=np.int32),
        spare=np.empty(n + 1, dtype=np.int32),
        goes=np.empty(n, dtype=np.int32),
        waiting=np.empty((n + 1, 5), dtype=np.int64),
        counts=np.empty((2, rule.n_classes), dtype=np.int64),
        bits=np.zeros(n // 64 + 1, dtype=np.uint64),
        luck=np.empty((2, p), dtype=np.int64),
        inverse=1 / np.maximum(count, 1),
        xlogx=count * np.log(np.maximum(count, 1)),
    )
