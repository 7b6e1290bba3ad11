"""
Many exact CART trees at once, a level at a time, by sorting and segmented cumulative sums.

All training sets lie one after the other in a long row. A node is a segment of it, the same in the
order of every feature. A level costs a few passes over the examples of the nodes that may still be
split, whatever the number of trees. Arrays of p features by E places are kept flat, because every
library is fast at one long cumulative sum.
"""

from dataclasses import dataclass, replace
from math import inf
from typing import Any

from evenfold_lab.arrays import Array, counting, namespace
from evenfold_lab.fast._lacking import put, segment_max, segments

APART = 1e-7  # values of a feature that are nearer count as equal (scikit-learn's rule)
SLACK = 1e-9  # splits are equally good if their sums of numbers differ by less, relatively
STEP = 0x9E3779B97F4A7C1  # from the luck of a feature to that of the next
MIX = (30, -0x40A7B892E31B1A47), (27, -0x6B2FB644ECCEEE15)  # shifts and factors of SplitMix64


@dataclass(frozen=True, kw_only=True, slots=True)
class SplitRule:
    """
    The rule by which nodes are split.

    Attributes
    ----------
    criterion : {"gini", "entropy", "squared"}
        The impurity that splits reduce.
    n_classes : int
        Number of labels; 0 for numbers.
    max_depth : int
        Largest depth of a leaf; the root has depth 0.
    min_samples_split, min_samples_leaf : int
        The least number of examples in a node that is split, and in each side.
    least_deviance : float
        A node with a smaller share of the root's deviance is a leaf (S-plus's ``mindev``).
    """

    criterion: str
    n_classes: int
    max_depth: int
    min_samples_split: int
    min_samples_leaf: int
    least_deviance: float


@dataclass(frozen=True, kw_only=True, slots=True)
class FeatureSampling:
    """
    Features that are drawn anew in every node, which only they may split.

    Attributes
    ----------
    count : int
        Number of features.
    start : int
        A random number that differs from tree to tree.
    """

    count: int
    start: int

    def allows(self, path: Array, p: int) -> Array:
        """Say which of p features may split the nodes at the ends of K paths: (p, K)."""
        xp = namespace(path)
        luck = mix_words(path + self.start + counting(path, p)[:, None] * STEP)
        return xp.argsort(xp.argsort(luck, axis=0), axis=0) < self.count


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Level:
    """
    The nodes of one depth that are to be split, and their examples.

    Attributes
    ----------
    order, x : arrays, shape (p·E,)
        For each feature, the examples in its order within nodes, and their values.
    target : array, shape (E,)
        Labels or numbers by example.
    node : array, shape (E,)
        The node of each place.
    first, size : arrays, shape (K,)
        Where nodes begin, and how many examples they have.
    limit : array, shape (K,)
        The deviance below which a node of this tree is a leaf.
    tests, at : arrays, shape (M,)
        Places in the table of features of the test examples that are not in a leaf yet, and their
        nodes.
    number : array, shape (M,)
        The places of their predictions.
    path : array of int, shape (K,)
        A number that depends on the way to the node, from which its random features are drawn.
    """

    order: Array
    x: Array
    target: Array
    node: Array
    first: Array
    size: Array
    limit: Array
    tests: Array
    at: Array
    number: Array
    path: Array


def grow(
    level: Level, table: Array, p: int, rule: SplitRule, luck: FeatureSampling | None
) -> tuple[Array, Array]:
    """
    Grow all trees, and return the places of the predictions and the predictions.

    Parameters
    ----------
    level : Level
        The roots.
    table : array, shape (rows·p,)
        Features of all examples, from the places ``tests`` on.
    p : int
        Number of features.
    rule : SplitRule
        When to split.
    luck : FeatureSampling, optional
        The features that may split a node; by default all.
    """
    xp = namespace(level.order)
    numbers: list[Array] = []
    predictions: list[Array] = []
    sums = _sums(level, rule)
    level = replace(level, limit=rule.least_deviance * _deviance(level, sums, rule))
    leaf = _is_leaf(level, sums, 0, rule)
    level, sums = _keep_open_nodes(level, sums, leaf, rule, numbers, predictions)
    depth = 0
    while level.size.shape[0]:
        allowed = None if luck is None else luck.allows(level.path, p)
        score = _scores(level, sums, rule)
        chosen, divided = _best(level, _valid(level, score, p, rule, allowed), p, rule)
        level = _divide_nodes(level, table, p, chosen, divided)
        depth += 1
        sums = _sums(level, rule)
        leaf = _is_leaf(level, sums, depth, rule) | ~_pairs(divided, divided)
        level, sums = _keep_open_nodes(level, sums, leaf, rule, numbers, predictions)
    return xp.concat(numbers), xp.concat(predictions)


# What is known of nodes -------------------------------------------------------------------------


def _totals(values: Array, first: Array, size: Array) -> Array:
    """Sum over segments, some of which may be empty; the sums are exact for counts."""
    xp = namespace(values)
    sums = xp.concat([xp.zeros_like(values[:1]), xp.cumulative_sum(values)])
    return xp.take(sums, first + size) - xp.take(sums, first)


def _sums(level: Level, rule: SplitRule) -> list[Array]:
    """
    Return the counts of all classes in each node.

    For numbers, return their means and sums of squared deviations.
    """
    xp = namespace(level.order)
    if rule.n_classes:
        return [
            _totals(xp.astype(level.target == c, xp.float64), level.first, level.size)
            for c in range(rule.n_classes)
        ]
    size = xp.astype(xp.where(level.size > 0, level.size, xp.ones_like(level.size)), xp.float64)
    mean = _totals(level.target, level.first, level.size) / size
    away = level.target - xp.take(mean, level.node)
    mean = mean + _totals(away, level.first, level.size) / size  # restore digits of the long sum
    away = level.target - xp.take(mean, level.node)
    return [mean, _totals(away * away, level.first, level.size)]


def _deviance(level: Level, sums: list[Array], rule: SplitRule) -> Array:
    xp = namespace(level.order)
    if not rule.n_classes:
        return sums[1]
    size = xp.astype(level.size, xp.float64)
    if rule.criterion == "entropy":
        return _xlogx(size) - sum(_xlogx(count) for count in sums)
    return size - sum(count * count for count in sums) / xp.where(
        size > 0, size, xp.ones_like(size)
    )


def _xlogx(x: Array) -> Array:
    xp = namespace(x)
    return x * xp.log(xp.where(x > 1, x, xp.ones_like(x)))


def _is_leaf(level: Level, sums: list[Array], depth: int, rule: SplitRule) -> Array:
    xp = namespace(level.order)
    least = max(rule.min_samples_split, 2 * rule.min_samples_leaf)
    small = level.size < least
    if depth >= rule.max_depth:
        return small | ~small
    if rule.n_classes:
        size = xp.astype(level.size, xp.float64)
        pure = xp.zeros_like(small)
        for count in sums:
            pure = pure | (count == size)
    else:
        mean, squares = sums
        pure = squares <= 1e-15 * (1 + mean * mean) * xp.astype(level.size, xp.float64)
    return small | pure | (_deviance(level, sums, rule) < level.limit)


def _node_prediction(sums: list[Array], rule: SplitRule) -> Array:
    """Return the label with most examples, the smallest of equals, or the mean of numbers."""
    if not rule.n_classes:
        return sums[0]
    xp = namespace(sums[0])
    best = sums[0]
    label = xp.zeros_like(sums[0])
    for c, count in enumerate(sums[1:], start=1):
        label = xp.where(count > best, xp.full_like(label, float(c)), label)
        best = xp.maximum(best, count)
    return label


# The best split ---------------------------------------------------------------------------------


def _scores(level: Level, sums: list[Array], rule: SplitRule) -> Array:
    """Score the split behind each place in the order of each feature, (p, E); larger is better."""
    xp = namespace(level.order)
    E = level.node.shape[0]
    start = xp.take(level.first, level.node)
    left_size = xp.astype(counting(start, E) - start + 1, xp.float64)
    size = xp.astype(xp.take(level.size, level.node), xp.float64)
    right_size = xp.where(left_size < size, size - left_size, xp.ones_like(size))
    target = xp.take(level.target, level.order)
    score: Any = 0.0
    for part, whole in _parts(target, level, sums, rule):
        total = xp.cumulative_sum(part)
        before = xp.take(xp.reshape(total - part, (-1, E)), start, axis=1)
        left = xp.reshape(total, (-1, E)) - before
        right = whole - left
        if rule.criterion == "entropy":
            score = score + _xlogx(left) + _xlogx(right)
        else:
            score = score + left * left / left_size + right * right / right_size
    if rule.criterion == "entropy":
        score = score - _xlogx(left_size) - _xlogx(right_size)
    return score


def _parts(target: Array, level: Level, sums: list[Array], rule: SplitRule) -> Any:
    """Yield what is summed on both sides of a split, by example, and its total by node."""
    xp = namespace(target)
    if rule.n_classes:
        for c, count in enumerate(sums):
            yield xp.astype(target == c, xp.float64), xp.take(count, level.node)
        return
    mean = xp.take(sums[0], level.node)
    E = mean.shape[0]
    yield xp.reshape(xp.reshape(target, (-1, E)) - mean, (-1,)), xp.zeros_like(mean)


def _valid(level: Level, score: Array, p: int, rule: SplitRule, allowed: Array | None) -> Array:
    """Return the scores where a node may be split, and −∞ elsewhere."""
    xp = namespace(score)
    E = level.node.shape[0]
    places = counting(score, E)
    left = places - xp.take(level.first, level.node) + 1
    enough = (left >= rule.min_samples_leaf) & (
        xp.take(level.size, level.node) - left >= rule.min_samples_leaf
    )
    x = xp.reshape(level.x, (p, E))
    nearer = xp.concat(
        [x[:, 1:] > x[:, :-1] + APART, xp.zeros((p, 1), dtype=xp.bool, device=score.device)], axis=1
    )
    valid = enough & nearer
    if allowed is not None:
        valid = valid & xp.take(allowed, level.node, axis=1)
    return xp.where(valid, score, xp.full_like(score, -inf))


def _best(level: Level, score: Array, p: int, rule: SplitRule) -> tuple[Array, Array]:
    """
    Return the best split of each node, and whether there is one.

    A split behind place i in the order of feature f is the number f·E + i, and the smallest number
    wins a tie.
    """
    xp = namespace(score)
    E = level.node.shape[0]
    best = segment_max(xp.max(score, axis=0), level.node, level.first)
    equal = best * (1.0 if rule.n_classes else 1 - SLACK)
    here = (score >= xp.take(equal, level.node)) & (score > -inf)
    code = xp.reshape(counting(score, p * E), (p, E))
    code = xp.min(xp.where(here, code, xp.full_like(code, p * E)), axis=0)
    return -segment_max(-code, level.node, level.first), best > -inf


# The next level ---------------------------------------------------------------------------------


def _divide_nodes(level: Level, table: Array, p: int, chosen: Array, divided: Array) -> Level:
    """Divide every node in two; a node without a split keeps all examples on the left."""
    xp = namespace(level.order)
    E = level.node.shape[0]
    chosen = xp.where(divided, chosen, level.first + level.size - 1)
    feature = chosen // E
    at = chosen % E
    places = counting(at, E)
    split = xp.take(at, level.node)
    behind = places > split
    ids = xp.take(level.order, xp.take(feature, level.node) * E + places)
    new = _stable(level, put(behind, ids), split - xp.take(level.first, level.node) + 1, p)
    threshold = _threshold(level.x, chosen, p * E)
    value = xp.astype(xp.take(table, level.tests + xp.take(feature, level.at)), xp.float64)
    right = xp.take(divided, level.at) & (value > xp.take(threshold, level.at))
    left_size = at - level.first + 1
    renumbered = xp.take(new[:E], level.order)
    flat = new[E:] + xp.reshape(
        xp.zeros((p, E), dtype=xp.int64, device=new.device) + E * counting(new, p)[:, None], (-1,)
    )
    return Level(
        order=put(renumbered, flat),
        x=put(level.x, flat),
        target=put(level.target, new[:E]),
        node=2 * level.node + xp.astype(behind, xp.int64),
        first=_pairs(level.first, at + 1),
        size=_pairs(left_size, level.size - left_size),
        limit=_pairs(level.limit, level.limit),
        tests=level.tests,
        at=2 * level.at + xp.astype(right, xp.int64),
        number=level.number,
        path=_pairs(mix_words(2 * level.path), mix_words(2 * level.path + 1)),
    )


def mix_words(x: Array) -> Array:
    """Mix words by Steele's SplitMix64; products wrap around in every library."""
    xp = namespace(x)
    for shift, factor in MIX:
        x = (x ^ (xp.bitwise_right_shift(x, xp.full_like(x, shift)))) * factor
    return x ^ xp.bitwise_right_shift(x, xp.full_like(x, 31))


def _pairs(left: Array, right: Array) -> Array:
    xp = namespace(left)
    return xp.reshape(xp.stack([left, right], axis=1), (-1,))


def _threshold(x: Array, chosen: Array, end: int) -> Array:
    """Return the threshold half-way to the next value, as in scikit-learn."""
    xp = namespace(x)
    low = xp.astype(xp.take(x, chosen), xp.float64)
    high = xp.astype(xp.take(x, xp.clip(chosen + 1, max=end - 1)), xp.float64)
    middle = low / 2 + high / 2
    return xp.where(middle >= high, low, middle)


def _stable(level: Level, right: Array, left_size: Array, p: int) -> Array:
    """
    Return the examples' new places, by number and then in the order of each feature.

    Examples that go left come first. Examples keep their order within a side, so that features stay
    sorted.
    """
    xp = namespace(level.order)
    E = right.shape[0]
    goes = xp.astype(xp.concat([right, xp.take(right, level.order)]), xp.int64)
    before = xp.reshape(xp.cumulative_sum(goes) - goes, (p + 1, E))
    start = xp.take(level.first, level.node)
    before = before - xp.take(before, start, axis=1)
    inside = counting(start, E) - start
    place = start + xp.where(xp.reshape(goes, (p + 1, E)) > 0, left_size + before, inside - before)
    return xp.reshape(place, (-1,))


def _keep_open_nodes(
    level: Level,
    sums: list[Array],
    leaf: Array,
    rule: SplitRule,
    numbers: list[Array],
    predictions: list[Array],
) -> tuple[Level, list[Array]]:
    """Append the predictions of leaves, and return the other nodes."""
    xp = namespace(level.order)
    if not bool(xp.any(leaf)):
        return level, sums
    arrived = xp.take(leaf, level.at)
    numbers.append(level.number[arrived])
    predictions.append(xp.take(_node_prediction(sums, rule), level.at[arrived]))
    E = level.node.shape[0]
    stays = ~xp.take(leaf, level.node)
    places = xp.nonzero(stays)[0]
    order = xp.take(xp.reshape(level.order, (-1, E)), places, axis=1)
    fewer = xp.cumulative_sum(xp.astype(stays, xp.int64)) - 1
    size = level.size[~leaf]
    on_way = ~arrived
    first, node = segments(size)
    renumbered = xp.cumulative_sum(xp.astype(~leaf, xp.int64)) - 1
    kept = Level(
        order=xp.take(fewer, xp.reshape(order, (-1,))),
        x=xp.reshape(xp.take(xp.reshape(level.x, (-1, E)), places, axis=1), (-1,)),
        target=xp.take(level.target, places),
        node=node,
        first=first,
        size=size,
        limit=level.limit[~leaf],
        tests=level.tests[on_way],
        at=xp.take(renumbered, level.at[on_way]),
        number=level.number[on_way],
        path=level.path[~leaf],
    )
    return kept, [total[~leaf] for total in sums]
