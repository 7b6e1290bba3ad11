"""
A program for a GPU that grows a whole tree, node after node.

The data set is sorted by each feature once for all its trees. A node has some members of that
order, so that cumulative sums over all places are sums over the node. This costs n places for every
node and feature, whatever the node's size, and no memory except a word per example. Splits and ties
are those of ``_grow``, because counts are integers and logarithms come from a table of integers.
"""
# mypy: disable-error-code="misc,no-untyped-def,untyped-decorator,no-untyped-call"
# Triton compiles these functions from its own language, to which Python's types do not apply.

import triton
import triton.language as tl


@triton.jit
def _larger(a, b):
    return tl.maximum(a, b)


@triton.jit
def _mix_words(x):
    x = (x ^ (x >> 30)) * -0x40A7B892E31B1A47
    x = (x ^ (x >> 27)) * -0x6B2FB644ECCEEE15
    return x ^ (x >> 31)


@triton.jit
def _just_below(score, KIND: tl.constexpr):
    """Return the least score that counts as equal, because sums of numbers have rounding errors."""
    if KIND == 2:
        score = score * (1 - 1e-9)
    return score


@triton.jit
def _of_labels(mine, label, size, logs, classes, KIND: tl.constexpr):
    """Return a node's label, whether it is pure, its deviance, Σ count², and class sizes."""
    same = tl.zeros_like(mine)
    most = size * 0
    majority = size * 0
    squares = size * 0
    spread = tl.load(logs + size)
    for c in range(classes):
        count = tl.sum(tl.where(label == c, mine, 0), axis=0)
        same = tl.where(label == c, count, same)
        majority = tl.where(count > most, c, majority)
        most = tl.maximum(most, count)
        squares += count * count
        spread -= tl.load(logs + count)
    deviance = tl.cast(spread, tl.float64)
    if KIND == 0:
        deviance = tl.cast(size, tl.float64) - tl.cast(squares, tl.float64) / tl.cast(
            size, tl.float64
        )
    return tl.cast(majority, tl.float64), most == size, deviance, squares, same


@triton.jit
def _of_numbers(mine, y, size):
    """Return a node's mean, whether its numbers are equal, its deviance, and the distances."""
    count = tl.cast(size, tl.float64)
    w = tl.cast(mine, tl.float64)
    mean = tl.sum(y * w, axis=0) / count
    away = y - mean
    deviance = tl.sum(away * away * w, axis=0)
    return mean, deviance <= 1e-15 * (1 + mean * mean) * count, deviance, away


@triton.jit
def _count_earlier(word, weight, classes):
    """
    Count the members of each example's class that come earlier.

    Four classes are counted in the parts of one number.
    """
    label = (word >> 10) & 255
    seen = tl.cast(weight, tl.int64) * 0
    for c in range(0, classes, 4):
        ours = (label >= c) & (label < c + 4)
        shift = tl.cast(tl.where(ours, label - c, 0) * 16, tl.int64)
        counts = tl.cumsum(tl.where(ours, tl.cast(weight, tl.int64) << shift, 0), axis=0)
        seen = tl.where(ours, (counts >> shift) & 65535, seen)
    return seen - weight


@triton.jit
def _scores(word, weight, away, left, right, squares, logs, classes, KIND: tl.constexpr):
    """Score the splits that begin the right side with each member; larger is better."""
    few = tl.cast(tl.maximum(left, 1), tl.float64)
    rest = tl.cast(tl.maximum(right, 1), tl.float64)
    if KIND == 2:
        moved = tl.cast(weight, tl.float64) * away
        total = tl.cumsum(moved, axis=0) - moved
        return total * total / few + total * total / rest
    w = tl.cast(weight, tl.int64)
    seen = _count_earlier(word, weight, classes)
    ahead = (word >> 18) - seen
    if KIND == 0:
        change = w * (2 * seen + w) + ((w * (2 * ahead - w)) << 32)  # of Σ count² on both sides
        total = tl.cumsum(change, axis=0) - change
        other = tl.cast(squares - (total >> 32), tl.float64)
        return tl.cast(total & 0xFFFFFFFF, tl.float64) / few + other / rest
    is_in = weight > 0
    change = tl.load(logs + seen + w, mask=is_in, other=0) - tl.load(
        logs + seen, mask=is_in, other=0
    )
    change += tl.load(logs + (ahead - w), mask=is_in, other=0) - tl.load(
        logs + ahead, mask=is_in, other=0
    )
    total = tl.cumsum(change, axis=0) - change
    return tl.cast(total - tl.load(logs + left) - tl.load(logs + right), tl.float64)


@triton.jit
def _search_feature(
    order,
    xs,
    words,
    aways,
    size,
    squares,
    logs,
    n,
    classes,
    leaf,
    BLOCK: tl.constexpr,
    KIND: tl.constexpr,
):
    """
    Return the score of a feature's best split, and its place in the feature's order.

    The score is −∞ if there is no split.
    """
    at = tl.arange(0, BLOCK)
    inside = at < n
    behind = (at > 0) & (at < n)
    example = tl.cast(tl.load(order + at, mask=inside, other=0), tl.int32)
    earlier = tl.cast(tl.load(order + (at - 1), mask=behind, other=0), tl.int32)
    x = tl.load(xs + at, mask=inside, other=0.0)
    near = tl.load(xs + (at - 1), mask=behind, other=float("-inf"))
    word = tl.load(words + example, mask=inside, other=0)
    weight = word & 1023
    away = x
    if KIND == 2:
        away = tl.load(aways + example, mask=inside, other=0.0)
    is_in = (tl.load(words + earlier, mask=behind, other=0) & 1023) > 0
    nearest = tl.associative_scan(tl.where(is_in, near, float("-inf")), 0, _larger)
    left = tl.cumsum(weight, axis=0) - weight
    right = size - left
    score = _scores(word, weight, away, left, right, squares, logs, classes, KIND)
    valid = (weight > 0) & (left >= leaf) & (right >= leaf) & (x > nearest + 1e-7)
    score = tl.where(valid, score, float("-inf"))
    best = tl.max(score, axis=0)
    return best, tl.argmax(tl.where(score >= _just_below(best, KIND), 1, 0), axis=0)


@triton.jit
def _split(
    order, xs, words, aways, size, squares, logs, luck, n, p, classes, leaf, drawn, tried,
    BLOCK: tl.constexpr, FEATURES: tl.constexpr, KIND: tl.constexpr,
):  # fmt: skip
    """
    Return the score, feature and place of the best split by ``tried`` features.

    The first feature wins a tie, and the score is −∞ if there is no split.
    """
    features = tl.arange(0, FEATURES)
    best = tl.cast(size * 0, tl.float64) - float("inf")
    feature = size * 0
    place = size * 0
    for i in range(tried):
        f = i
        if drawn < p:
            f = tl.argmin(luck, axis=0)
            luck = tl.where(features == f, 0x7FFFFFFFFFFFFFFF, luck)
        score, there = _search_feature(
            order + f * n,
            xs + f * n,
            words,
            aways,
            size,
            squares,
            logs,
            n,
            classes,
            leaf,
            BLOCK,
            KIND,
        )
        as_good = (score >= _just_below(best, KIND)) & (score > float("-inf"))
        better = (_just_below(score, KIND) > best) | (as_good & (f < feature))
        best = tl.where(better, score, best)
        feature = tl.where(better, f, feature)
        place = tl.where(better, there, place)
    return best, feature, place


@triton.jit
def _goes_right(x, above, mine):
    """Return 1 above the threshold, half-way to ``above`` from the value below, as in ``_grow``."""
    below = tl.max(tl.where((mine > 0) & (x < above), x, float("-inf")), axis=0)
    low = tl.cast(below, tl.float64)
    high = tl.cast(above, tl.float64)
    middle = low / 2 + high / 2
    return tl.where(tl.cast(x, tl.float64) > tl.where(middle >= high, low, middle), 1, 0)


@triton.jit
def tree(
    order, xs, X, y, times, logs, words, aways, out, settings, start, J, n, p, classes, deepest,
    least, leaf,
    drawn, BLOCK: tl.constexpr, FEATURES: tl.constexpr, KIND: tl.constexpr,
):  # fmt: skip
    """
    Grow one tree and send all examples of its data set down to their leaves.

    ``settings`` holds the least share of the root's deviance; KIND is 0 for Gini, 1 for entropy, 2
    for squares; ``start`` holds the number from which the features of nodes are drawn, if not all
    are tried.
    """
    model = tl.cast(tl.program_id(0), tl.int64)
    at = tl.arange(0, BLOCK)
    features = tl.cast(tl.arange(0, FEATURES), tl.int64)
    inside = at < n
    data = (model // J) * p * n
    words = words + model * n
    aways = aways + model * n
    target = tl.load(y + (model // J) * n + at, mask=inside, other=0.0)
    w = tl.load(times + model * n + at, mask=inside, other=0)
    node = tl.where(inside, 0, -1)
    path = tl.cast(node * 0, tl.int64)
    depth = node * 0
    k = 0
    count = 1
    limit = tl.load(settings) * 0.0
    while k < count:
        here = node == k
        mine = tl.where(here, w, 0)
        size = tl.sum(mine, axis=0)
        word = mine
        squares = size
        tl.debug_barrier()  # before words that others may still read are written over
        if KIND == 2:
            prediction, pure, deviance, away = _of_numbers(mine, target, size)
            tl.store(aways + at, away, mask=inside)
        else:
            prediction, pure, deviance, squares, same = _of_labels(
                mine, target, size, logs, classes, KIND
            )
            word = tl.where(mine > 0, mine | (tl.cast(target, tl.int32) << 10) | (same << 18), 0)
        tl.store(words + at, word, mask=inside)
        tl.debug_barrier()  # a warp must see what the others have written
        limit = tl.where(k == 0, tl.load(settings) * deviance, limit)
        deep = tl.max(tl.where(here, depth, 0), axis=0) >= deepest
        tried = tl.where((size < least) | pure | (deviance < limit) | deep, 0, drawn)
        luck = tl.max(tl.where(here, path, -0x8000000000000000), axis=0) + tl.load(start)
        luck = tl.where(
            features < p, _mix_words(luck + features * 0x9E3779B97F4A7C1), 0x7FFFFFFFFFFFFFFF
        )
        best, feature, place = _split(
            order + data, xs + data, words, aways, size, squares, logs, luck, n, p, classes, leaf,
            drawn,
            tried, BLOCK, FEATURES, KIND,
        )  # fmt: skip
        x = tl.load(X + data + feature * n + at, mask=inside, other=0.0)
        goes = _goes_right(x, tl.load(xs + data + feature * n + place), mine)
        children = tl.where(best > float("-inf"), 2, 0)
        moves = tl.where(here, children, 0) > 0
        tl.store(out + model * n + at, prediction, mask=here & (tl.where(moves, 0, 1) > 0))
        node = tl.where(moves, count + goes, node)
        path = tl.where(moves, _mix_words(2 * path + goes), path)
        depth = tl.where(moves, depth + 1, depth)
        k = k + 1
        count = count + children
