"""
The kernel of trees; one module, because Numba compiles again only when a function's own file has changed.

A table has the examples of a tree in the order of each feature, a column per feature; a node is some rows of
it, which a split divides and keeps in order. All features go down their columns together, as processors like
it. Where only some features may split a node, one column of members is kept, and these features sort it by
themselves. Scores, ties and thresholds are those of :mod:`evenfold.lab.fast.trees`.
"""

import numpy as np

from evenfold.lab.fast.compiled._layout import (
    AWAY,
    CHILD,
    CURSOR,
    DRAWN,
    FEATURE,
    GAIN,
    GOES,
    INVERSE,
    LIMIT,
    LUCK,
    SAID,
    SCALE,
    SUM,
    THRESHOLD,
    TOP,
    WAITING,
    XLOGX,
    Data,
    Luck,
    Node,
    Rule,
    Space,
)
from evenfold.lab.fast.compiled._numba import Numbers, bare, swept
from evenfold.lab.fast.trees import _grow as arrays
from evenfold.lab.fast.trees._grow import SLACK

APART = np.float32(arrays.APART)
NEAR = 1e-9  # gains that are worse by more have no use for their last bit
# The place of the only bit of a word, by Leiserson, Prokop and Randall (1998).
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
PLACES = np.zeros(64, dtype=np.int64)
PLACES[[(0x03F79D71B4CB0A89 << i) % 2**64 >> 58 for i in range(64)]] = np.arange(64)
ONE, TWO, STEP = np.uint64(1), np.uint64(2), np.uint64(arrays.STEP)
FACTORS = np.array([factor % 2**64 for _, factor in arrays.MIX], dtype=np.uint64)


@bare
def grow_all(
    data: Data, times: Numbers, tests: Numbers, rule: Rule, luck: Luck, space: Space, out: Numbers
) -> None:
    """Grow a tree on every training set of every data set, and predict the test examples."""
    for r in range(len(data.x)):
        one = Data(data.x[r], data.order[r], data.rank[r], data.tied[r], data.labels[r], data.numbers[r])
        for j in range(times.shape[1]):
            _grow(one, times[r % len(times), j], rule, luck, space)
            _say(one.x, tests[r % len(tests), j], space.whole, space.floats, out[r, j])


@bare
def _say(x: Numbers, tests: Numbers, whole: Numbers, floats: Numbers, out: Numbers) -> None:
    for i in range(len(tests)):
        if tests[i]:
            node = 0
            while whole[FEATURE, node] >= 0:
                node = whole[CHILD, node] + (x[whole[FEATURE, node], i] > floats[THRESHOLD, node])
            out[i] = floats[SAID, node]


@bare
def _grow(data: Data, times: Numbers, rule: Rule, luck: Luck, space: Space) -> None:
    """Grow one tree, depth first."""
    tables, whole = space.tables, space.whole
    size = _begin(data.order, times, tables[0])
    made, waiting = 1, _look(data, Node(0, 0, 0, size, np.uint64(0)), rule, space, 0)
    while waiting:
        waiting -= 1
        node = _next(whole, waiting)
        size = _split(data, times, node, rule, luck, space)
        if size == 0:
            continue
        whole[CHILD, node.number] = made
        here, there = tables[node.depth % 2], tables[1 - node.depth % 2]
        _divide(here[:, :1], there[:, :1], node, size, whole)
        first, depth, before = node.first + size, node.depth + 1, waiting
        right = Node(made + 1, depth, first, node.size - size, _mixed(TWO * node.path + ONE))
        waiting = _look(data, right, rule, space, waiting)
        left = Node(made, depth, node.first, size, _mixed(TWO * node.path))
        waiting = _look(data, left, rule, space, waiting)
        made += 2
        if waiting > before:
            _divide(here[:, 1:], there[:, 1:], node, size, whole)


@bare
def _next(whole: Numbers, place: int) -> Node:
    told = whole[WAITING:, place]
    return Node(told[0], told[1], told[2], told[3], np.uint64(told[4]))


@bare
def _mixed(word: np.uint64) -> np.uint64:
    """Numbers that look random, as in the array path; only words without sign may overflow."""
    word = (word ^ np.uint64(np.int64(word) >> 30)) * FACTORS[0]
    word = (word ^ np.uint64(np.int64(word) >> 27)) * FACTORS[1]
    return word ^ np.uint64(np.int64(word) >> 31)


@bare
def _begin(order: Numbers, times: Numbers, table: Numbers) -> int:
    """Write those who train into the table, as often as they do, in the order of each feature."""
    size = 0
    for f in range(table.shape[1]):
        size = 0
        for place in range(order.shape[1]):
            i = order[f, place]
            table[size, f] = i
            for k in range(1, times[i]):
                table[size + k, f] = i
            size += times[i]
    return size


@bare
def _divide(here: Numbers, there: Numbers, node: Node, size: int, whole: Numbers) -> None:
    """Put those who go left before those who go right, in order; without a branch, as nobody foresees it."""
    for f in range(here.shape[1]):
        whole[CURSOR, f] = node.first
    for place in range(node.first, node.first + node.size):
        for f in range(here.shape[1]):
            i, left = here[place, f], whole[CURSOR, f]
            goes = whole[GOES, i]
            there[left + goes * (size + place + node.first - 2 * left), f] = i
            whole[CURSOR, f] = left + 1 - goes


# What is known of a node -----------------------------------------------------------------------------------


@bare
def _look(data: Data, node: Node, rule: Rule, space: Space, waiting: int) -> int:
    """Make a leaf of a node, which waits to be split if it may be; return how many wait."""
    table, counts, floats, whole = space.tables[node.depth % 2], space.counts, space.floats, space.whole
    members, number, size = table[node.first : node.first + node.size, 0], node.number, node.size
    whole[FEATURE, number] = -1
    if rule.n_classes == 0:
        mean, deviance = _moments(data.numbers, members)
        floats[SAID, number], pure = mean, deviance <= 1e-15 * (1 + mean * mean) * size
    else:
        most = _count(data.labels, members, counts[number])
        floats[SAID, number], pure = most, counts[number, most] == size
        deviance = _deviance(counts[number], size, rule, floats[XLOGX])
    if number == 0:
        floats[LIMIT, 0] = rule.least_deviance * deviance
    small = size < max(rule.min_samples_split, 2 * rule.min_samples_leaf) or node.depth >= rule.max_depth
    if small or pure or deviance < floats[LIMIT, 0]:
        return waiting
    place = whole[WAITING:, waiting]
    place[0], place[1], place[2], place[3] = number, node.depth, node.first, size
    place[4] = np.int64(node.path)
    return waiting + 1


@bare
def _moments(numbers: Numbers, members: Numbers) -> tuple[float, float]:
    """The mean, and the sum of squared deviations from it."""
    total, rest, squares = 0.0, 0.0, 0.0
    for i in members:
        total += numbers[i]
    for i in members:
        rest += numbers[i] - total / len(members)
    mean = total / len(members) + rest / len(members)
    for i in members:
        squares += (numbers[i] - mean) ** 2
    return mean, squares


@bare
def _count(labels: Numbers, members: Numbers, counts: Numbers) -> int:
    """Count the labels; return the one with most examples, the smallest of equals."""
    for label in range(len(counts)):
        counts[label] = 0
    for i in members:
        counts[labels[i]] += 1
    most = 0
    for label in range(1, len(counts)):
        most = label if counts[label] > counts[most] else most
    return most


@bare
def _deviance(counts: Numbers, size: int, rule: Rule, xlogx: Numbers) -> float:
    total = 0.0
    for count in counts:
        total += xlogx[count] if rule.entropy else float(count * count)
    return xlogx[size] - total if rule.entropy else size - total / size


# The best split --------------------------------------------------------------------------------------------


@bare
def _split(data: Data, times: Numbers, node: Node, rule: Rule, luck: Luck, space: Space) -> int:
    """Find the best split, and who goes right; return how many go left, 0 where there is no split."""
    table, whole = space.tables[node.depth % 2, node.first : node.first + node.size], space.whole
    members = table[:, 0]
    _prepare(data.numbers, members, node, rule, space)
    if luck.some:
        table = space.drawn[: node.size]
        _draw(node.path + np.uint64(luck.start), luck.some, len(data.x), whole)
        for k in range(luck.some):
            f = whole[DRAWN, k]
            _sort(members, times, data.rank[f], data.order[f], space.bits, table[:, k])
    size, column = _best(data, table, node, rule, space)
    if size:
        feature = whole[DRAWN, column]
        x, whole[FEATURE, node.number] = data.x[feature], feature
        low, high = x[table[size - 1, column]], x[table[size, column]]
        middle = float(low) / 2 + float(high) / 2  # half-way to the next value, as scikit-learn has it
        space.floats[THRESHOLD, node.number] = low if middle >= high else middle
        for i in members:
            whole[GOES, i] = x[i] > low
    return size


@bare
def _best(data: Data, table: Numbers, node: Node, rule: Rule, space: Space) -> tuple[int, int]:
    """How many go left by the best split, and the column of its feature; 0 where there is none."""
    line, best, size, column = _tops(data, table, node, rule, space), -np.inf, 0, -1
    for k in range(table.shape[1]):
        if space.floats[TOP, k] >= line:
            x = data.x[space.whole[DRAWN, k]]
            score, place = _find(data, table[:, k], x, node, rule, space, line, best)
            if place >= 0:
                best, size, column = score, place + 1, k
            if size and (rule.n_classes == 0 or node.size == 2):  # all others are as good
                break
    return size, column


@bare
def _prepare(numbers: Numbers, members: Numbers, node: Node, rule: Rule, space: Space) -> None:
    """What all features need: how far examples are from the mean of the node, and the scale of gains."""
    floats, least = space.floats, rule.min_samples_leaf
    center = floats[SAID, node.number]
    if rule.n_classes:
        center = space.counts[node.number, -1] / node.size
    for i in members:
        floats[AWAY, i] = numbers[i] - center
    for place in range(node.size - 1):
        enough = least <= place + 1 <= node.size - least
        floats[SCALE, place] = floats[INVERSE, place + 1] * floats[INVERSE, node.size - 1 - place] * enough


@bare
def _draw(start: np.uint64, count: int, p: int, whole: Numbers) -> None:
    """Write down the features with the smallest of numbers that depend on the node and the feature."""
    for f in range(p):
        value, place = np.int64(_mixed(start + np.uint64(f) * STEP)), min(f, count)
        whole[LUCK, f] = value
        while place > 0 and whole[DRAWN, place - 1] > value:
            whole[DRAWN, place] = whole[DRAWN, place - 1]
            place -= 1
        whole[DRAWN, place] = value
    limit, found = whole[DRAWN, count - 1], 0
    for f in range(p):
        if whole[LUCK, f] <= limit:
            whole[DRAWN, found] = f
            found += 1


@bare
def _sort(
    members: Numbers, times: Numbers, rank: Numbers, order: Numbers, bits: Numbers, row: Numbers
) -> None:
    """Sort the members of a node by a feature: their ranks as bits, which are read in order."""
    for i in members:
        bits[rank[i] >> 6] |= ONE << np.uint64(rank[i] & 63)
    size = 0
    for word in range(len(bits)):
        left = bits[word]
        while left:
            lowest = left & (~left + ONE)
            i = order[64 * word + PLACES[(lowest * DE_BRUIJN) >> np.uint64(58)]]
            row[size] = i
            for k in range(1, times[i]):
                row[size + k] = i
            size += times[i]
            left ^= lowest
        bits[word] = 0


@bare
def _tops(data: Data, table: Numbers, node: Node, rule: Rule, space: Space) -> float:
    """Write down the most that each column gains, roughly; return what the best split must gain."""
    floats, plain, most = space.floats, not rule.entropy and rule.n_classes <= 2, -np.inf
    if plain:
        _sweep(table, floats[AWAY], floats[SCALE], floats[SUM], floats[TOP])
    for k in range(table.shape[1]):
        f = space.whole[DRAWN, k]
        if data.tied[f] or not plain:
            _gains(data, table[:, k], data.x[f], data.tied[f], node, rule, space)
            floats[TOP, k] = -np.inf
            for place in range(rule.min_samples_leaf - 1, node.size - rule.min_samples_leaf):
                floats[TOP, k] = max(floats[TOP, k], floats[GAIN, place])
        most = max(most, floats[TOP, k])
    return most - (NEAR * (1 + abs(most)) if rule.n_classes else SLACK * most)


@swept
def _sweep(table: Numbers, away: Numbers, scale: Numbers, total: Numbers, top: Numbers) -> None:
    """Square sums of two sides that differ by their sign: of two labels, half of what Gini's index loses."""
    for k in range(table.shape[1]):
        total[k], top[k] = 0.0, 0.0
    for place in range(len(table) - 1):
        for k in range(table.shape[1]):
            total[k] += away[table[place, k]]
            gain = total[k] * total[k] * scale[place]
            top[k] = gain if gain > top[k] else top[k]


@bare
def _gains(data: Data, row: Numbers, x: Numbers, tied: bool, node: Node, rule: Rule, space: Space) -> None:
    """What is gained in one column by a split behind each place, nothing between values not told apart."""
    floats, total = space.floats, 0.0
    if rule.entropy or rule.n_classes > 2:
        _label_gains(data.labels, row, space.counts[node.number], space.counts[-1], rule.entropy, floats)
    else:
        for place in range(node.size - 1):
            total += floats[AWAY, row[place]]
            floats[GAIN, place] = total * total * floats[SCALE, place]
    for place in range(node.size - 1 if tied else 0):
        if not x[row[place + 1]] > x[row[place]] + APART:
            floats[GAIN, place] = -np.inf


@bare
def _label_gains(
    labels: Numbers, row: Numbers, total: Numbers, left: Numbers, entropy: bool, floats: Numbers
) -> None:
    gain, inverse, xlogx = floats[GAIN], floats[INVERSE], floats[XLOGX]
    size, here, there = len(row), 0.0, 0.0
    for label in range(len(total)):
        left[label] = 0
        there += xlogx[total[label]] if entropy else float(total[label] ** 2)
    for place in range(size - 1):
        label = labels[row[place]]
        before, after = left[label], total[label] - left[label]
        left[label] += 1
        if entropy:
            here += xlogx[before + 1] - xlogx[before]
            there += xlogx[after - 1] - xlogx[after]
            gain[place] = here + there - xlogx[place + 1] - xlogx[size - 1 - place]
        else:
            here += 2 * before + 1
            there -= 2 * after - 1
            gain[place] = here * inverse[place + 1] + there * inverse[size - 1 - place]


@bare
def _find(
    data: Data, row: Numbers, x: Numbers, node: Node, rule: Rule, space: Space, line: float, best: float
) -> tuple[float, int]:
    """The first of the best splits of one feature, if it is better than the best so far; its place or −1."""
    floats, found = space.floats, -1
    _gains(data, row, x, False, node, rule, space)
    for place in range(rule.min_samples_leaf - 1, node.size - rule.min_samples_leaf):
        if floats[GAIN, place] >= line and x[row[place + 1]] > x[row[place]] + APART:
            score = floats[GAIN, place]
            if rule.n_classes:
                _count(data.labels, row[: place + 1], space.counts[-1])
                score = _score(space.counts, node, place + 1, rule.entropy, floats[XLOGX])
            if score > best:
                best, found = score if rule.n_classes else score * (1 + SLACK), place
    return best, found


@bare
def _score(counts: Numbers, node: Node, size: int, entropy: bool, xlogx: Numbers) -> float:
    """The score to the last bit as in the array path, so that equally good splits are the same there."""
    score, rest = 0.0, node.size - size
    for label in range(counts.shape[1]):
        here, there = counts[-1, label], counts[node.number, label] - counts[-1, label]
        if entropy:
            score = score + xlogx[here] + xlogx[there]
        else:
            score = score + float(here * here) / size + float(there * there) / rest
    return score - xlogx[size] - xlogx[rest] if entropy else score
