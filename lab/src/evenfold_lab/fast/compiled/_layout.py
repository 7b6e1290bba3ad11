"""The arguments of the kernel of trees, and the rows of its work space."""

from typing import NamedTuple

import numpy as np

from evenfold_lab.fast.compiled._numba import Numbers


class CompiledSplitRule(NamedTuple):
    """The rule by which nodes are split, as in the array path."""

    entropy: bool
    n_classes: int
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    least_deviance: float
    apart: np.float32  # values of a feature that are nearer count as equal
    slack: float  # sums of numbers that differ by less, relatively, are equally good


class CompiledFeatureSampling(NamedTuple):
    """How features are drawn anew in every node, as in the array path; all may split if 0."""

    some: int
    start: int
    step: np.uint64  # from the luck of a feature to that of the next
    mix: tuple[tuple[int, np.uint64], ...]  # shifts and factors of SplitMix64


class CompiledData(NamedTuple):
    """Data sets, or one of them: features, their orders, targets, and training counts."""

    x: Numbers  # float32 (..., p, n)
    order: Numbers  # uint32 (..., p, n)
    rank: Numbers  # uint32 (..., p, n)
    tied: Numbers  # bool (..., p): whether some values of a feature count as equal
    labels: Numbers  # uint32 (..., n)
    numbers: Numbers  # float64 (..., n): numbers, or labels
    times: Numbers  # uint32 (..., n)


class Node(NamedTuple):
    """A node that is to be split."""

    number: int
    depth: int
    first: int  # of its examples in the table
    size: int
    weight: int  # examples, as often as they train; 0 until they are counted
    path: np.uint64


class Space(NamedTuple):
    """Work space of every tree; its arrays are few because each one slows compilation."""

    table: Numbers  # uint32 (features, size), or (1 + drawn features, size): examples of nodes
    spare: Numbers  # uint32 (size,)
    counts: Numbers  # int64: labels in nodes, and in the last row left of a place
    whole: Numbers  # int64, by the names that follow
    floats: Numbers  # float64, by the names after them
    bits: Numbers  # uint64: ranks of examples


FEATURE, CHILD = 0, 1  # of nodes: −1 for leaves; on the left, that on the right is the next one
GOES = 2  # whether an example goes right
# of features, and which of them have most of it
LUCK = 3
DRAWN = 4
ROW = 5  # of the table, where the examples are in the order of a drawn feature
# examples on their way down, and their nodes
WHO = 6
AT = 7
WAITING = 8  # nodes to come: as many rows as a node has numbers
# of nodes
THRESHOLD = 0
SAID = 1
AWAY = 2  # distance of an example from the mean of its node, times how often it trains
GAIN = 3  # by a split behind each place
SCALE = 4  # 1 / (k (weight − k)) with k examples on the left; 0 if a side would be too small
TOP = 5  # the largest gain of each drawn feature
# 1 / k and k log k
INVERSE = 6
XLOGX = 7
LIMIT = 8  # a node with less deviance is a leaf
