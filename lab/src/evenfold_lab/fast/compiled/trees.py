"""Exact CART trees, one by one; each feature of a data set is sorted once for all training sets."""

from dataclasses import astuple

import numpy as np

from evenfold_lab.fast.compiled._layout import (
    DRAWN,
    INVERSE,
    LIMIT,
    ROW,
    WAITING,
    XLOGX,
    CompiledData,
    CompiledFeatureSampling,
    CompiledSplitRule,
    Node,
    Space,
)
from evenfold_lab.fast.compiled._numba import Numbers
from evenfold_lab.fast.compiled._ranks import rank_all
from evenfold_lab.fast.compiled._trees import grow_all
from evenfold_lab.fast.trees import _grow as arrays

# Kernels get these as arguments, because compiled code would keep outdated constants.
APART = np.float32(arrays.APART)
STEP = np.uint64(arrays.STEP)
MIX = tuple((shift, np.uint64(factor % 2**64)) for shift, factor in arrays.MIX)
# Features are kept in order if they are at most so many times as many as may split a node;
# otherwise the drawn ones are sorted in each node.
SORTED = 8


class Grower:
    """
    Trees of R data sets, whose features are sorted once for all of them.

    Parameters
    ----------
    X, y : arrays, shapes (R, n, p) and (R, n)
        The data sets.
    tests : array of bool, shape (R or 1, J, n)
        The test sets.
    rule : SplitRule
        The rule of the array path.
    """

    def __init__(self, X: Numbers, y: Numbers, tests: Numbers, rule: arrays.SplitRule) -> None:
        words, *limits = astuple(rule)
        limits += [APART, arrays.SLACK]
        self.rule = CompiledSplitRule(words == "entropy", *limits)
        self.data = _sort_features(X, y, labels=rule.n_classes > 0)
        self.tests = np.array(tests, order="C")  # compiled only for writable arrays in C order

    def __call__(self, times: Numbers, luck: arrays.FeatureSampling | None = None) -> Numbers:
        """Predict the test examples (R, J, n) by trees with training counts (R or 1, J, n)."""
        R, p, n = self.data.x.shape
        data = self.data._replace(times=np.ascontiguousarray(times, dtype=np.uint32))
        some, start = (0, 0) if luck is None or luck.count >= p else (luck.count, luck.start)
        few = CompiledFeatureSampling(some, start, STEP, MIX)
        out = np.zeros((R, times.shape[1], n))
        grow_all(data, self.tests, self.rule, few, _space(data, self.rule, few), out)
        return out


def _sort_features(X: Numbers, y: Numbers, labels: bool) -> CompiledData:
    """Sort every feature, with ties in the order of the data set."""
    x = np.array(np.swapaxes(X, 1, 2), dtype=np.float32, order="C")
    x += np.float32(0.0)  # no negative zeros
    bits = x.view(np.int32)
    # Read as integers, floats keep their order, except that negative ones are reversed. The lower
    # half of a key is the place.
    keys = (bits ^ (bits >> 31 & 0x7FFFFFFF)).astype(np.int64) << 32 | np.arange(x.shape[-1])
    keys.sort(axis=-1)
    order = np.empty(x.shape, dtype=np.uint32)
    rank = np.empty(x.shape, dtype=np.uint32)
    tied = np.empty(x.shape[:2], dtype=np.bool_)
    rank_all(x, keys, APART, order, rank, tied)
    return CompiledData(
        x=x,
        order=order,
        rank=rank,
        tied=tied,
        labels=np.array(y if labels else np.zeros_like(y), dtype=np.uint32, order="C"),
        numbers=np.array(y, dtype=np.float64, order="C"),
        times=np.empty((0, 0, 0), dtype=np.uint32),
    )


def _space(data: CompiledData, rule: CompiledSplitRule, luck: CompiledFeatureSampling) -> Space:
    """Make the work space of a tree, in which all features count as drawn at first."""
    p, n = data.x.shape[1:]
    size, weight = ((z.sum(axis=-1).max(initial=0)) for z in (data.times > 0, data.times))
    width = max(n, p, 2 * int(weight) + 1)
    whole = np.empty((WAITING + len(Node._fields), width), dtype=np.int64)
    whole[[DRAWN, ROW], :p] = np.arange(p)
    kept = 1 + luck.some if p > SORTED * luck.some > 0 else p
    whole[ROW, : luck.some] += 1
    floats = np.empty((LIMIT + 1, width))
    count = np.arange(weight + 1.0)
    floats[INVERSE, : len(count)] = 1 / np.maximum(count, 1)
    floats[XLOGX, : len(count)] = count * np.log(np.maximum(count, 1))
    return Space(
        table=np.empty((kept, size + 1), dtype=np.uint32),
        spare=np.empty(size + 1, dtype=np.uint32),
        counts=np.empty((2 * size + 2, max(1, rule.n_classes)), dtype=np.int64),
        whole=whole,
        floats=floats,
        bits=np.zeros(n // 64 + 1, dtype=np.uint64),
    )
