"""
What the kernel of trees is handed, and where in it everything is.

A change here needs one in the kernel's own file too: by that alone Numba knows what to compile again.
"""

from typing import NamedTuple

import numpy as np

from evenfold.lab.fast.compiled._numba import Numbers


class Rule(NamedTuple):
    """When and by what nodes are split, as in the array path."""

    entropy: bool
    n_classes: int
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    least_deviance: float


class Luck(NamedTuple):
    """So many features, drawn anew in every node, may split it, as in the array path; all if 0."""

    some: int
    start: int


class Data(NamedTuple):
    """Data sets, or one of them: features, their orders, targets."""

    x: Numbers  # float32 (..., p, n)
    order: Numbers  # uint32 (..., p, n)
    rank: Numbers  # uint32 (..., p, n)
    tied: Numbers  # bool (..., p): whether some values of a feature are not told apart
    labels: Numbers  # uint32 (..., n)
    numbers: Numbers  # float64 (..., n): numbers, or labels


class Node(NamedTuple):
    """One that is to be split."""

    number: int
    depth: int
    first: int  # of its examples in the table
    size: int
    path: np.uint64


class Space(NamedTuple):
    """What is written over by every tree; few arrays, because every one makes compiling slower."""

    tables: Numbers  # uint32 (2, size, features): at even and at odd depths
    drawn: Numbers  # uint32 (size, features): examples by the features that were drawn
    counts: Numbers  # int64: labels in nodes, and in the last row left of a place
    whole: Numbers  # int64, by the names that follow
    floats: Numbers  # float64, by the names after them
    bits: Numbers  # uint64: ranks of examples


FEATURE, CHILD = 0, 1  # of nodes: −1 for leaves; on the left, that on the right is the next one
GOES = 2  # whether an example goes right
LUCK, DRAWN = 3, 4  # of features, and which of them have most of it
CURSOR = 5  # of columns
WAITING = 6  # nodes to come: as many rows as a node has numbers
THRESHOLD, SAID = 0, 1  # of nodes
AWAY = 2  # of an example, from the mean of its node
GAIN, SCALE = 3, 4  # by a split behind each place; 1 / (k (size − k)), 0 where a side were too small
SUM, TOP = 5, 6  # of columns: what was added up, and the most that is gained
INVERSE, XLOGX = 7, 8  # 1 / k and k log k
LIMIT = 9  # a node with less deviance is a leaf
