"""
The kernel of trees; one module, because Numba compiles again only when the file of a function has changed.

A node is a segment of rows of examples, one row per feature in the order of that feature; a split divides
every row in place and keeps its order. Where only some features may split a node, one row of members is kept
and sorted by these features alone. Scores, ties and thresholds are those of :mod:`evenfold.lab.fast.trees`.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evenfold.lab.fast.compiled._numba import compiled
from evenfold.lab.fast.trees import _grow as arrays
from evenfold.lab.fast.trees._grow import SLACK

Numbers = NDArray[Any]
APART = np.float32(arrays.APART)
NEAR = 1e-6  # scores that are worse by more have no use for their last bit
# The place of the only bit of a word, by Leiserson, Prokop and Randall (1998).
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
PLACES = np.zeros(64, dtype=np.int64)
PLACES[[(0x03F79D71B4CB0A89 << i) % 2**64 >> 58 for i in range(64)]] = np.arange(64)
ONE, TWO, STEP = np.uint64(1), np.uint64(2), np.uint64(arrays.STEP)
FACTORS = np.array([factor % 2**64 for _, factor in arrays.MIX], dtype=np.uint64)


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
    """Data sets, or one of them: features by example and by feature, their orders, targets."""

    X: Numbers  # float32 (..., n, p)
    columns: Numbers  # float32 (..., p, n)
    order: Numbers  # int32 (..., p, n)
    rank: Numbers  # int32 (..., p, n), its inverse
    labels: Numbers  # int32 (..., n), or empty
    numbers: Numbers  # float64 (..., n), or empty


class Node(NamedTuple):
    """One that is looked at."""

    number: int
    first: int  # of its members in the rows
    end: int
    size: int  # with members as often as they train
    mean: float  # of numbers
    path: np.uint64


class Space(NamedTuple):
    """What is written over by every tree: its nodes, and what it takes to make them."""

    feature: Numbers  # int32: of nodes; −1 for leaves
    threshold: Numbers  # float64
    right: Numbers  # int32: the child on the right; that on the left is next to its parent
    said: Numbers  # float64
    rows: Numbers  # int32: examples, in the order of each feature
    spare: Numbers  # int32: those that go right
    goes: Numbers  # int32: whether an example does
    waiting: Numbers  # int64: nodes to come: first, end, depth, parent, path
    counts: Numbers  # int64: labels in the node, and left of a place
    bits: Numbers  # uint64: ranks of the members
    luck: Numbers  # int64: of the features, and which have most of it
    inverse: Numbers  # float64: 1 / k
    xlogx: Numbers  # float64: k log k


@compiled
def grow_all(
    data: Data, times: Numbers, tests: Numbers, rule: Rule, luck: Luck, space: Space, out: Numbers
) -> None:
    for r in range(len(data.X)):
        one = Data(data.X[r], data.columns[r], data.order[r], data.rank[r], data.labels[r], data.numbers[r])
        for j in range(times.shape[1]):
            _grow(one, times[r % len(times), j], rule, luck, space)
            _say(one.X, tests[r % len(tests), j], space, out[r, j])


@compiled
def _say(X: Numbers, tests: Numbers, tree: Space, out: Numbers) -> None:
    """Predict the test examples."""
    for i in range(len(X)):
        if tests[i]:
            k = 0
            while tree.feature[k] >= 0:
                k = k + 1 if X[i, tree.feature[k]] <= tree.threshold[k] else tree.right[k]
            out[i] = tree.said[k]


@compiled
def _grow(data: Data, times: Numbers, rule: Rule, luck: Luck, space: Space) -> None:
    """Grow one tree, depth first."""
    waiting, rows = space.waiting, space.rows[:1] if luck.some else space.rows
    _wait(waiting[0], 0, _begin(data.order, times, rows), 0, -1, np.uint64(0))
    limit, made, top = 0.0, 0, 1
    while top:
        top -= 1
        first, end, depth, parent, path = _next(waiting[top])
        if parent >= 0:
            space.right[parent] = made
        leaf, size, mean, deviance = _look(data, times, rows[0, first:end], rule, space, made)
        limit = limit if made else rule.least_deviance * deviance
        node, made = Node(made, first, end, size, mean, path), made + 1
        if leaf or depth >= rule.max_depth or deviance < limit:
            continue
        count = _split(data, times, node, rule, luck, space)
        if count:
            _divide(rows[:, first:end], space)
            _wait(waiting[top], first + count, end, depth + 1, node.number, _mixed(TWO * path + ONE))
            _wait(waiting[top + 1], first, first + count, depth + 1, -1, _mixed(TWO * path))
            top += 2


@compiled
def _wait(place: Numbers, first: int, end: int, depth: int, parent: int, path: np.uint64) -> None:
    place[0], place[1], place[2], place[3], place[4] = first, end, depth, parent, np.int64(path)


@compiled
def _next(place: Numbers) -> tuple[int, int, int, int, np.uint64]:
    return place[0], place[1], place[2], place[3], np.uint64(place[4])


@compiled
def _mixed(word: np.uint64) -> np.uint64:
    """Numbers that look random, as in the array path; only words without sign may overflow."""
    word = (word ^ np.uint64(np.int64(word) >> 30)) * FACTORS[0]
    word = (word ^ np.uint64(np.int64(word) >> 27)) * FACTORS[1]
    return word ^ np.uint64(np.int64(word) >> 31)


@compiled
def _begin(order: Numbers, times: Numbers, rows: Numbers) -> int:
    """Write those who train into the rows, in the order of each feature; return their number."""
    size = 0
    for f in range(len(rows)):
        size = 0
        for i in order[f]:
            rows[f, size] = i
            size += times[i] > 0
    return size


# What is known of a node -----------------------------------------------------------------------------------


@compiled
def _look(
    data: Data, times: Numbers, members: Numbers, rule: Rule, space: Space, node: int
) -> tuple[bool, int, float, float]:
    """Make a leaf of a node; return whether it must stay one, its size, its mean and its deviance."""
    space.feature[node] = -1
    size = 0
    for i in members:
        size += times[i]
    small = size < max(rule.min_samples_split, 2 * rule.min_samples_leaf)
    if rule.n_classes == 0:
        mean, squares = _moments(data.numbers, times, members, size)
        space.said[node] = mean
        return small or squares <= 1e-15 * (1 + mean * mean) * size, size, mean, squares
    counts = space.counts[0]
    for label in range(len(counts)):
        counts[label] = 0
    for i in members:
        counts[data.labels[i]] += times[i]
    most = 0
    for label in range(1, len(counts)):
        most = label if counts[label] > counts[most] else most
    space.said[node] = most
    return small or counts[most] == size, size, 0.0, _deviance(counts, size, rule, space.xlogx)


@compiled
def _moments(numbers: Numbers, times: Numbers, members: Numbers, size: int) -> tuple[float, float]:
    """The mean, and the sum of squared deviations from it."""
    total, rest, squares = 0.0, 0.0, 0.0
    for i in members:
        total += times[i] * numbers[i]
    for i in members:
        rest += times[i] * (numbers[i] - total / size)
    mean = total / size + rest / size
    for i in members:
        squares += times[i] * (numbers[i] - mean) ** 2
    return mean, squares


@compiled
def _deviance(counts: Numbers, size: int, rule: Rule, xlogx: Numbers) -> float:
    total = 0.0
    for count in counts:
        total += xlogx[count] if rule.entropy else float(count * count)
    return xlogx[size] - total if rule.entropy else size - total / size


# The best split --------------------------------------------------------------------------------------------


@compiled
def _split(data: Data, times: Numbers, node: Node, rule: Rule, luck: Luck, space: Space) -> int:
    """Find the best split, and who goes right; return how many members go left, 0 where there is no split."""
    members = space.rows[0, node.first : node.end]
    best, count, chosen, low, high = -np.inf, 0, -1, APART, APART
    few = _draw(node.path + np.uint64(luck.start), luck.some, space.luck) if luck.some else len(data.order)
    for k in range(few):
        f = space.luck[1, k] if luck.some else k
        row = space.rows[1 if luck.some else f, node.first : node.end]
        if luck.some:
            _sort(members, data.rank[f], data.order[f], space.bits, row)
        score, place = _scan(data, times, row, data.columns[f], node, rule, space, best)
        if place >= 0:
            best, count, chosen = score, place + 1, f
            low, high = data.columns[f, row[place]], data.columns[f, row[place + 1]]
    if count:
        middle = float(low) / 2 + float(high) / 2  # half-way to the next value, as scikit-learn has it
        space.feature[node.number] = chosen
        space.threshold[node.number] = low if middle >= high else middle
        for i in members:
            space.goes[i] = data.columns[chosen, i] > low
    return count


@compiled
def _draw(start: np.uint64, count: int, luck: Numbers) -> int:
    """Write down the features with the smallest of numbers that depend on the node and the feature."""
    for f in range(luck.shape[1]):
        value, place = np.int64(_mixed(start + np.uint64(f) * STEP)), min(f, count)
        luck[0, f] = value
        while place > 0 and luck[1, place - 1] > value:
            luck[1, place] = luck[1, place - 1]
            place -= 1
        luck[1, place] = value
    limit, found = luck[1, count - 1], 0
    for f in range(luck.shape[1]):
        if luck[0, f] <= limit:
            luck[1, found] = f
            found += 1
    return found


@compiled
def _sort(members: Numbers, rank: Numbers, order: Numbers, bits: Numbers, row: Numbers) -> None:
    """Sort the members of a node by a feature: their ranks as bits, which are read in order."""
    for i in members:
        bits[rank[i] >> 6] |= ONE << np.uint64(rank[i] & 63)
    found = 0
    for word in range(len(bits)):
        left = bits[word]
        while left:
            lowest = left & (~left + ONE)
            row[found] = order[64 * word + PLACES[(lowest * DE_BRUIJN) >> np.uint64(58)]]
            found += 1
            left ^= lowest
        bits[word] = 0


@compiled
def _scan(
    data: Data, times: Numbers, row: Numbers, x: Numbers, node: Node, rule: Rule, space: Space, best: float
) -> tuple[float, int]:
    """The best split of one feature that beats the best so far: its score, and its place or −1."""
    if rule.n_classes == 0:
        return _scan_numbers(data, times, row, x, node, rule, space, best)
    if rule.entropy:
        return _scan_entropy(data, times, row, x, node, rule, space, best)
    return _scan_gini(data, times, row, x, node, rule, space, best)


@compiled
def _fits(size: int, node: Node, rule: Rule) -> bool:
    return size >= rule.min_samples_leaf and node.size - size >= rule.min_samples_leaf


@compiled
def _scan_gini(
    data: Data, times: Numbers, row: Numbers, x: Numbers, node: Node, rule: Rule, space: Space, top: float
) -> tuple[float, int]:
    total, left, inverse = space.counts[0], space.counts[1], space.inverse
    squares_left, squares_right, size, chosen = 0, 0, 0, -1
    for label in range(len(total)):
        left[label] = 0
        squares_right += total[label] * total[label]
    high = x[row[0]]
    for place in range(len(row) - 1):
        i = row[place]
        label, often = data.labels[i], times[i]
        before = left[label]
        squares_left += often * (2 * before + often)
        squares_right -= often * (2 * (total[label] - before) - often)
        left[label] = before + often
        size += often
        low, high = high, x[row[place + 1]]
        score = squares_left * inverse[size] + squares_right * inverse[node.size - size]
        if score > top - NEAR and high > low + APART and _fits(size, node, rule):
            score = _gini(total, left, float(size), float(node.size - size))
            if score > top:
                top, chosen = score, place
    return top, chosen


@compiled
def _gini(total: Numbers, left: Numbers, left_size: float, right_size: float) -> float:
    """The score to the last bit as in the array path, so that equally good splits are the same there."""
    score = 0.0
    for label in range(len(total)):
        here, there = float(left[label]), float(total[label] - left[label])
        score = score + here * here / left_size + there * there / right_size
    return score


@compiled
def _scan_entropy(
    data: Data, times: Numbers, row: Numbers, x: Numbers, node: Node, rule: Rule, space: Space, top: float
) -> tuple[float, int]:
    total, left, xlogx = space.counts[0], space.counts[1], space.xlogx
    for label in range(len(total)):
        left[label] = 0
    size, chosen = 0, -1
    for place in range(len(row) - 1):
        i = row[place]
        left[data.labels[i]] += times[i]
        size += times[i]
        if _fits(size, node, rule) and x[row[place + 1]] > x[i] + APART:
            score = 0.0
            for label in range(len(total)):
                score = score + xlogx[left[label]] + xlogx[total[label] - left[label]]
            score = score - xlogx[size] - xlogx[node.size - size]
            if score > top:
                top, chosen = score, place
    return top, chosen


@compiled
def _scan_numbers(
    data: Data, times: Numbers, row: Numbers, x: Numbers, node: Node, rule: Rule, space: Space, top: float
) -> tuple[float, int]:
    left, size, chosen = 0.0, 0, -1
    high = x[row[0]]
    for place in range(len(row) - 1):
        i = row[place]
        left += times[i] * (data.numbers[i] - node.mean)
        size += times[i]
        low, high = high, x[row[place + 1]]
        score = left * left * (space.inverse[size] + space.inverse[node.size - size])
        if score > top and high > low + APART and _fits(size, node, rule):
            top, chosen = score * (1 + SLACK), place
    return top, chosen


# The next nodes --------------------------------------------------------------------------------------------


@compiled
def _divide(rows: Numbers, space: Space) -> None:
    """Put those who go left before those who go right, and keep their order."""
    for f in range(len(rows)):
        left, right = 0, 0
        for place in range(rows.shape[1]):
            i = rows[f, place]
            rows[f, left] = i
            space.spare[right] = i
            right += space.goes[i]
            left += 1 - space.goes[i]
        for k in range(right):
            rows[f, left + k] = space.spare[k]
