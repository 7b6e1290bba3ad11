"""
The kernel of trees.

A row of the table lists the examples of a tree in the order of one feature, each once, however
often it trains. A node is a part of every row, which a split divides without changing the order. If
only few of many features may split a node, one row of members is kept instead and sorted by each of
these features. Scores, ties and thresholds are those of :mod:`evenfold_lab.fast.trees`.
"""

import numpy as np

from evenfold_lab.fast.compiled._layout import (
    AT,
    AWAY,
    CHILD,
    DRAWN,
    FEATURE,
    GAIN,
    GOES,
    INVERSE,
    LIMIT,
    LUCK,
    ROW,
    SAID,
    SCALE,
    THRESHOLD,
    TOP,
    WAITING,
    WHO,
    XLOGX,
    CompiledData,
    CompiledFeatureSampling,
    CompiledSplitRule,
    Node,
    Space,
)
from evenfold_lab.fast.compiled._numba import Numbers, compiled_inline, compiled_without_nan

NEAR = 1e-9  # gains that are worse by more need not be known to the last bit
# The place of the only bit of a word, by Leiserson, Prokop and Randall (1998).
DE_BRUIJN = np.uint64(0x03F79D71B4CB0A89)
PLACES = np.zeros(64, dtype=np.int64)
PLACES[[(0x03F79D71B4CB0A89 << i) % 2**64 >> 58 for i in range(64)]] = np.arange(64)
# Unsigned words are faster as indices.
NONE = np.uint64(0)
ONE = np.uint64(1)
TWO = np.uint64(2)


@compiled_inline
def grow_all(
    data: CompiledData,
    tests: Numbers,
    rule: CompiledSplitRule,
    luck: CompiledFeatureSampling,
    space: Space,
    out: Numbers,
) -> None:
    """Grow a tree on every training set of every data set, and predict the test examples."""
    x, order, rank, tied, labels, numbers, times = data
    for r in range(len(x)):
        for j in range(times.shape[1]):
            often = times[r % len(times), j]
            data_set = CompiledData(x[r], order[r], rank[r], tied[r], labels[r], numbers[r], often)
            _grow(data_set, rule, luck, space)
            _predict_rows(x[r], tests[r % len(tests), j], space.whole, space.floats, out[r, j])


@compiled_inline
def _predict_rows(
    x: Numbers, tests: Numbers, whole: Numbers, floats: Numbers, out: Numbers
) -> None:
    """Move all examples down one node at a time, so that the processor can overlap them."""
    on_way = NONE
    for i in range(len(tests)):
        whole[WHO, on_way] = i
        whole[AT, on_way] = 0
        out[i] = floats[SAID, 0] * tests[i]
        on_way += np.uint64(tests[i] and whole[FEATURE, 0] >= 0)
    while on_way:
        going = on_way
        on_way = NONE
        for k in range(going):
            who = np.uint64(whole[WHO, k])
            node = np.uint64(whole[AT, k])
            right = x[np.uint64(whole[FEATURE, node]), who] > floats[THRESHOLD, node]
            node = np.uint64(whole[CHILD, node]) + np.uint64(right)
            whole[WHO, on_way] = who
            whole[AT, on_way] = node
            out[who] = floats[SAID, node]
            on_way += np.uint64(whole[FEATURE, node] >= 0)


@compiled_inline
def _grow(
    data: CompiledData, rule: CompiledSplitRule, luck: CompiledFeatureSampling, space: Space
) -> None:
    """Grow one tree, depth first."""
    table = space.table
    whole = space.whole
    sorted_all = len(space.table) == len(data.x)
    size = _begin(data.order, data.times, table if sorted_all else table[:1])
    made = 1
    waiting = _look(data, table[0, :size], Node(0, 0, 0, size, 0, NONE), rule, space, 0)
    while waiting:
        waiting -= 1
        node = _next(whole, waiting)
        size, row = _split(data, node, rule, luck, space)
        if size == 0:
            continue
        whole[CHILD, node.number] = made
        members = table[row, node.first : node.first + node.size]
        first = node.first
        depth = node.depth + 1
        path = _mix_words(TWO * node.path + ONE, luck.mix)
        before = waiting
        right = Node(made + 1, depth, first + size, node.size - size, 0, path)
        waiting = _look(data, members[size:], right, rule, space, waiting)
        left = Node(made, depth, first, size, 0, _mix_words(TWO * node.path, luck.mix))
        waiting = _look(data, members[:size], left, rule, space, waiting)
        made += 2
        if waiting > before and sorted_all:
            _divide(table[:, first : first + node.size], row, size, whole[GOES], space.spare)
        elif waiting > before:
            _copy(members, table[0, first : first + node.size])


@compiled_inline
def _next(whole: Numbers, place: int) -> Node:
    fields = whole[WAITING:, place]
    return Node(fields[0], fields[1], fields[2], fields[3], fields[4], np.uint64(fields[5]))


@compiled_inline
def _mix_words(word: np.uint64, mix: tuple[tuple[int, np.uint64], ...]) -> np.uint64:
    """Mix words as in the array path; they are unsigned because only these may overflow."""
    for shift, factor in mix:
        word = (word ^ np.uint64(np.int64(word) >> shift)) * factor
    return word ^ np.uint64(np.int64(word) >> 31)


@compiled_inline
def _begin(order: Numbers, times: Numbers, table: Numbers) -> int:
    """Write the training examples into the table, in the order of each feature."""
    size = NONE
    for f in range(len(table)):
        size = NONE
        for i in order[f]:
            table[f, size] = i
            size += np.uint64(times[i] > 0)
    return int(size)


@compiled_inline
def _divide(table: Numbers, row: int, size: int, goes: Numbers, spare: Numbers) -> None:
    """
    Put the examples that go left before those that go right, in order.

    There is no branch, because a processor could not predict it.
    """
    for place in range(table.shape[1]):
        goes[table[row, place]] = place >= size
    for f in range(len(table)):
        if f != row:
            left = NONE
            right = NONE
            for i in table[f]:
                table[f, left] = spare[right] = i
                left += ONE - np.uint64(goes[i])
                right += np.uint64(goes[i])
            _copy(spare[: table.shape[1] - size], table[f, size:])


@compiled_inline
def _copy(here: Numbers, there: Numbers) -> None:
    for k in range(len(here)):
        there[k] = here[k]


# What is known of a node ------------------------------------------------------------------------


@compiled_inline
def _look(
    data: CompiledData,
    members: Numbers,
    node: Node,
    rule: CompiledSplitRule,
    space: Space,
    waiting: int,
) -> int:
    """Make a node a leaf, queue it if it may be split, and return how many nodes wait."""
    counts = space.counts
    floats = space.floats
    whole = space.whole
    number = node.number
    weight = 0
    whole[FEATURE, number] = -1
    if rule.n_classes == 0:
        weight, mean, deviance = _moments(data, members)
        floats[SAID, number] = mean
        pure = deviance <= 1e-15 * (1 + mean * mean) * weight
    else:
        most, weight = _count(data, members, counts[number])
        floats[SAID, number], pure = most, counts[number, most] == weight
        deviance = _deviance(counts[number], weight, rule, floats[XLOGX])
    if number == 0:
        floats[LIMIT, 0] = rule.least_deviance * deviance
    small = (
        weight < max(rule.min_samples_split, 2 * rule.min_samples_leaf)
        or node.depth >= rule.max_depth
    )
    if small or pure or deviance < floats[LIMIT, 0]:
        return waiting
    place = whole[WAITING:, waiting]
    place[0] = number
    place[1] = node.depth
    place[2] = node.first
    place[3] = node.size
    place[4] = weight
    place[5] = np.int64(node.path)
    return waiting + 1


@compiled_inline
def _moments(data: CompiledData, members: Numbers) -> tuple[int, float, float]:
    """Return the members' weight, their mean, and the sum of squared deviations from it."""
    weight = 0
    total = 0.0
    rest = 0.0
    squares = 0.0
    for i in members:
        weight += data.times[i]
        total += data.times[i] * data.numbers[i]
    for i in members:
        rest += data.times[i] * (data.numbers[i] - total / weight)
    mean = total / weight + rest / weight
    for i in members:
        squares += data.times[i] * (data.numbers[i] - mean) ** 2
    return weight, mean, squares


@compiled_inline
def _count(data: CompiledData, members: Numbers, counts: Numbers) -> tuple[int, int]:
    """Count the labels; return the most frequent one, the smallest of equals, and the sum."""
    for label in range(len(counts)):
        counts[label] = 0
    for i in members:
        counts[data.labels[i]] += data.times[i]
    most = 0
    weight = counts[0]
    for label in range(1, len(counts)):
        if counts[label] > counts[most]:
            most = label
        weight += counts[label]
    return most, weight


@compiled_inline
def _deviance(counts: Numbers, weight: int, rule: CompiledSplitRule, xlogx: Numbers) -> float:
    total = 0.0
    for count in counts:
        total += xlogx[count] if rule.entropy else float(count * count)
    return xlogx[weight] - total if rule.entropy else weight - total / weight


# The best split ---------------------------------------------------------------------------------


@compiled_inline
def _split(
    data: CompiledData,
    node: Node,
    rule: CompiledSplitRule,
    luck: CompiledFeatureSampling,
    space: Space,
) -> tuple[int, int]:
    """Find the best split; return how many go left, 0 without a split, and the table's row."""
    table = space.table[:, node.first : node.first + node.size]
    whole = space.whole
    _prepare(data, table[0], node, rule, space)
    if luck.some:
        _draw(node.path + np.uint64(luck.start), luck, len(data.x), whole)
        if len(table) < len(data.x):
            for k in range(luck.some):
                f = whole[DRAWN, k]
                _sort(table[0], data.rank[f], data.order[f], space.bits, table[1 + k])
        else:
            _copy(whole[DRAWN, : luck.some], whole[ROW])
    size, k = _best(data, table, luck.some if luck.some else len(data.x), node, rule, space)
    row = whole[ROW, k]
    if size:
        whole[FEATURE, node.number], x = whole[DRAWN, k], data.x[whole[DRAWN, k]]
        low = x[table[row, size - 1]]
        high = x[table[row, size]]
        # The threshold is half-way to the next value, as in scikit-learn.
        middle = float(low) / 2 + float(high) / 2
        if middle >= high:
            space.floats[THRESHOLD, node.number] = low
        else:
            space.floats[THRESHOLD, node.number] = middle
    return size, row


@compiled_inline
def _best(
    data: CompiledData,
    table: Numbers,
    count: int,
    node: Node,
    rule: CompiledSplitRule,
    space: Space,
) -> tuple[int, int]:
    """Return how many go left by the best split, 0 without a split, and the splitting feature."""
    line = _bound_gains(data, table, count, node, rule, space)
    best = -np.inf
    size = 0
    which = 0
    for k in range(count):
        if space.floats[TOP, k] >= line:
            x = data.x[space.whole[DRAWN, k]]
            row = table[space.whole[ROW, k]]
            score, place = _find(data, row, x, node, rule, space, line, best)
            if place >= 0:
                best = score
                size = place + 1
                which = k
            if size and (rule.n_classes == 0 or node.size == 2):  # all others are as good
                break
    return size, which


@compiled_inline
def _prepare(
    data: CompiledData, members: Numbers, node: Node, rule: CompiledSplitRule, space: Space
) -> None:
    """Fill in what all features need: distances from the node's mean, and the scale of gains."""
    floats = space.floats
    least = rule.min_samples_leaf
    share = space.counts[node.number, -1] / node.weight
    if rule.n_classes:
        center = share
    else:
        center = floats[SAID, node.number]
    for i in members:
        floats[AWAY, i] = data.times[i] * (data.numbers[i] - center)
    for left in range(1, node.weight):
        enough = least <= left <= node.weight - least
        floats[SCALE, left] = floats[INVERSE, left] * floats[INVERSE, node.weight - left] * enough


@compiled_inline
def _draw(start: np.uint64, luck: CompiledFeatureSampling, p: int, whole: Numbers) -> None:
    """Write down the features with the smallest numbers, which depend on node and feature."""
    count = luck.some
    for f in range(p):
        whole[LUCK, f] = np.int64(_mix_words(start + np.uint64(f) * luck.step, luck.mix))
    for f in range(p):
        value = whole[LUCK, f]
        place = min(f, count)
        while place > 0 and whole[DRAWN, place - 1] > value:
            whole[DRAWN, place] = whole[DRAWN, place - 1]
            place -= 1
        whole[DRAWN, place] = value
    limit = whole[DRAWN, count - 1]
    drawn = 0
    for f in range(p):
        if whole[LUCK, f] <= limit:
            whole[DRAWN, drawn] = f
            drawn += 1


@compiled_inline
def _sort(members: Numbers, rank: Numbers, order: Numbers, bits: Numbers, row: Numbers) -> None:
    """Sort the members of a node by a feature: their ranks as bits, which are read in order."""
    for i in members:
        bits[rank[i] >> 6] |= ONE << np.uint64(rank[i] & 63)
    size = 0
    for word in range(len(bits)):
        left = bits[word]
        while left:
            lowest = left & (~left + ONE)
            row[size] = order[64 * word + PLACES[(lowest * DE_BRUIJN) >> np.uint64(58)]]
            size += 1
            left ^= lowest
        bits[word] = 0


@compiled_inline
def _bound_gains(
    data: CompiledData,
    table: Numbers,
    count: int,
    node: Node,
    rule: CompiledSplitRule,
    space: Space,
) -> float:
    """Fill in about the largest gain of each feature; return what the best split must gain."""
    floats = space.floats
    plain = not rule.entropy and rule.n_classes <= 2
    most = -np.inf
    for k in range(count):
        f = space.whole[DRAWN, k]
        row = table[space.whole[ROW, k]]
        if plain and not data.tied[f]:
            top = _sweep(row, floats[AWAY], data.times, floats[SCALE])
        else:
            top = _gains(data, row, data.x[f], node, rule, space)
        floats[TOP, k] = top
        most = max(most, top)
    return most - (NEAR * (1 + abs(most)) if rule.n_classes else rule.slack * most)


@compiled_without_nan
def _sweep(row: Numbers, away: Numbers, times: Numbers, scale: Numbers) -> float:
    """
    Return the largest gain of a split, by the squared sum of one side of centred numbers.

    The sums of the two sides differ only by their sign. With two labels, the gain is half the
    decrease of Gini's index.
    """
    total = 0.0
    left = NONE
    top = 0.0
    for i in row[:-1]:
        total += away[i]
        left += np.uint64(times[i])
        gain = total * total * scale[left]
        if gain > top:
            top = gain
    return top


@compiled_inline
def _gains(
    data: CompiledData, row: Numbers, x: Numbers, node: Node, rule: CompiledSplitRule, space: Space
) -> float:
    """Fill in the gain of every valid split, behind each place, and return the largest."""
    floats = space.floats
    total = 0.0
    left = 0
    most = -np.inf
    by_label = rule.entropy or rule.n_classes > 2
    if by_label:
        _label_gains(data, row, space.counts[node.number], space.counts[-1], rule.entropy, floats)
    for place in range(node.size - 1):
        i = row[place]
        total += floats[AWAY, i]
        left += data.times[i]
        if by_label:
            gain = floats[GAIN, place]
        else:
            gain = total * total * floats[SCALE, left]
        enough = rule.min_samples_leaf <= left <= node.weight - rule.min_samples_leaf
        if enough and x[row[place + 1]] > x[i] + rule.apart:
            floats[GAIN, place] = gain
        else:
            floats[GAIN, place] = -np.inf
        most = max(most, floats[GAIN, place])
    return most


@compiled_inline
def _label_gains(
    data: CompiledData, row: Numbers, total: Numbers, left: Numbers, entropy: bool, floats: Numbers
) -> None:
    gain = floats[GAIN]
    inverse = floats[INVERSE]
    xlogx = floats[XLOGX]
    here = 0.0
    there = 0.0
    before = 0
    after = 0
    for label in range(len(total)):
        left[label] = 0
        after += total[label]
        there += xlogx[total[label]] if entropy else float(total[label] ** 2)
    for place in range(len(row) - 1):
        label = data.labels[row[place]]
        times = data.times[row[place]]
        mine = left[label]
        rest = total[label] - left[label]
        left[label] += times
        before += times
        after -= times
        if entropy:
            here += xlogx[mine + times] - xlogx[mine]
            there += xlogx[rest - times] - xlogx[rest]
            gain[place] = here + there - xlogx[before] - xlogx[after]
        else:
            here += times * (2 * mine + times)
            there -= times * (2 * rest - times)
            gain[place] = here * inverse[before] + there * inverse[after]


@compiled_inline
def _find(
    data: CompiledData,
    row: Numbers,
    x: Numbers,
    node: Node,
    rule: CompiledSplitRule,
    space: Space,
    line: float,
    best: float,
) -> tuple[float, int]:
    """
    Return the best score and the place of one feature's first best split.

    The place is −1 if no split is better than the best so far.
    """
    floats = space.floats
    where = -1
    _gains(data, row, x, node, rule, space)
    for place in range(node.size - 1):
        if -np.inf < floats[GAIN, place] >= line:
            score = floats[GAIN, place]
            if rule.n_classes:
                _, weight = _count(data, row[: place + 1], space.counts[-1])
                score = _score(space.counts, node, weight, rule.entropy, floats[XLOGX])
            if score > best:
                if rule.n_classes:
                    best = score
                else:
                    best = score * (1 + rule.slack)
                where = place
    return best, where


@compiled_inline
def _score(counts: Numbers, node: Node, weight: int, entropy: bool, xlogx: Numbers) -> float:
    """Return the score as in the array path, to the last bit, so that ties agree."""
    score = 0.0
    rest = node.weight - weight
    for label in range(counts.shape[1]):
        here = counts[-1, label]
        there = counts[node.number, label] - counts[-1, label]
        if entropy:
            score = score + xlogx[here] + xlogx[there]
        else:
            score = score + float(here * here) / weight + float(there * there) / rest
    return score - xlogx[weight] - xlogx[rest] if entropy else score
