"""Trees on binned features, one by one: a node adds up the bins of its own training examples."""

import numpy as np

from evenfold_lab.fast.compiled._numba import Numbers, compiled, compiled_inline

_LEAST = np.float32(1e-6)  # of a weight by which sums are divided, as in the array path


def grow(
    number: Numbers,
    weights: Numbers,
    slope: Numbers,
    curvature: Numbers,
    *,
    bins: int,
    depth: int,
    leaf: int,
    allowed: list[Numbers] | None = None,
) -> Numbers:
    """Grow one tree per data set and split; the array path's arguments, values (R, S, n)."""
    R, _, n = number.shape
    S = weights.shape[1]
    if allowed is None:
        some = np.empty((0, 0, 0), dtype=np.bool_)
    else:
        some = np.concatenate(allowed, axis=1)
    places = np.array(number, dtype=np.int64, order="C")
    values = np.empty((R, S, n), dtype=np.float32)
    w, g, h = (_copy_to(per_example, (R, S, n)) for per_example in (weights, slope, curvature))
    grow_all(places, w, g, h, some, bins, depth, np.float32(leaf), values)
    return values


def _copy_to(x: Numbers, shape: tuple[int, ...]) -> Numbers:
    """A copy, so that one kind of array alone is compiled."""
    return np.array(np.broadcast_to(x, shape), dtype=np.float32, order="C")


@compiled
def grow_all(
    number: Numbers,
    weights: Numbers,
    slope: Numbers,
    curvature: Numbers,
    allowed: Numbers,
    bins: int,
    depth: int,
    leaf: np.float32,
    values: Numbers,
) -> None:
    """Grow the tree of every data set and split, and write its values (R, S, n)."""
    R, p, n = number.shape
    S = weights.shape[1]
    most = 2**depth
    sums = np.empty((bins, 3), dtype=np.float32)
    node = np.empty(n, dtype=np.int64)
    order = np.empty(n, dtype=np.int64)
    start = np.empty(most + 1, dtype=np.int64)
    feature = np.empty(most, dtype=np.int64)
    cut = np.empty(most, dtype=np.int64)
    for r in range(R):
        for s in range(S):
            node[:] = 0
            w, g, h = weights[r, s], slope[r, s], curvature[r, s]
            for level in range(depth):
                nodes = 2**level
                _order_by_node(node, w, nodes, start, order)
                for k in range(nodes):
                    best = np.float32(0.0)
                    feature[k] = 0
                    cut[k] = bins
                    members = order[start[k] : start[k + 1]]
                    for f in range(p):
                        if len(allowed) > 0 and not allowed[s, nodes - 1 + k, f]:
                            continue
                        gain, b = _best_cut(number[r, f], members, w, g, h, leaf, sums)
                        if gain > best:
                            best = gain
                            feature[k] = f
                            cut[k] = b
                for i in range(n):
                    k = node[i]
                    node[i] = 2 * k + (number[r, feature[k], i] > cut[k])
            _leaf_values(node, g, h, most, values[r, s])


@compiled
def _order_by_node(node: Numbers, w: Numbers, nodes: int, start: Numbers, order: Numbers) -> None:
    """Put the training examples into the order of their nodes; where those of each start."""
    start[: nodes + 1] = 0
    for i in range(len(node)):
        if w[i] > 0:
            start[node[i] + 1] += 1
    for k in range(nodes):
        start[k + 1] += start[k]
    for i in range(len(node)):
        if w[i] > 0:
            order[start[node[i]]] = i
            start[node[i]] += 1
    for k in range(nodes, 0, -1):
        start[k] = start[k - 1]
    start[0] = 0


@compiled_inline
def _best_cut(
    bin_of: Numbers,
    members: Numbers,
    w: Numbers,
    g: Numbers,
    h: Numbers,
    leaf: np.float32,
    sums: Numbers,
) -> tuple[np.float32, int]:
    """The gain of the first best cut of a feature in a node, and its bin; 0 where there is none."""
    bins = len(sums)
    for b in range(bins):
        for k in range(3):
            sums[b, k] = 0
    all_w = all_g = all_h = np.float32(0.0)
    for i in members:
        b = bin_of[i]
        sums[b, 0] += w[i]
        sums[b, 1] += g[i]
        sums[b, 2] += h[i]
        all_w += w[i]
        all_g += g[i]
        all_h += h[i]
    best = np.float32(0.0)
    place = 0
    left_w = left_g = left_h = np.float32(0.0)
    for b in range(bins - 1):
        left_w += sums[b, 0]
        left_g += sums[b, 1]
        left_h += sums[b, 2]
        if left_w < leaf:
            continue
        if all_w - left_w < leaf:
            break
        right_g = all_g - left_g
        right_h = all_h - left_h
        gain = left_g * left_g / max(left_h, _LEAST) + right_g * right_g / max(right_h, _LEAST)
        if gain > best:
            best = gain
            place = b
    return best, place


@compiled
def _leaf_values(node: Numbers, g: Numbers, h: Numbers, leaves: int, values: Numbers) -> None:
    total = np.zeros(leaves, dtype=np.float32)
    weight = np.zeros(leaves, dtype=np.float32)
    for i in range(len(node)):
        total[node[i]] += g[i]
        weight[node[i]] += h[i]
    for i in range(len(node)):
        k = node[i]
        values[i] = total[k] / max(weight[k], _LEAST)
