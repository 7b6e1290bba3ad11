"""
Trees, forests and boosting on binned features: histograms as matrix products, level by level.

All trees of all splits grow together. A level costs one matrix product of the weights by node and
the indicators of bins, which suits a GPU. The edges of bins come from the population, never from
the data set. On NumPy's arrays a compiled kernel grows the same trees, one by one, where Numba is
installed.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from evenfold_lab.arrays import Array, array_like, namespace
from evenfold_lab.fast import compiled

if TYPE_CHECKING:
    from evenfold_lab.bench.learners import LearningTask

DEPTH = 4  # of the single tree
LEAF = 5  # the least number of training examples in a leaf
TREES = 50
FOREST_DEPTH = 5
FOREST_LEAF = 2
ROUNDS = 30
RATE = 0.3
BOOST_DEPTH = 2
_POISSON = 2**16  # equally likely numbers behind a bootstrap count


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class _Binned:
    """
    Features in bins.

    Attributes
    ----------
    number : array, shape (R, p, n)
        The bin of each example.
    bins : int
        How many there are.
    below : array, shape (R, n, p·bins), or None
        Who is at or below each bin, in single precision; the compiled kernel does without.
    """

    number: Array
    bins: int
    below: Array | None


def _bin_features(X: Array, edges: np.ndarray[Any, Any]) -> _Binned:
    """Put every feature into its bins, with indicators where no compiled kernel is used."""
    xp = namespace(X)
    R, n, p = X.shape
    cuts = array_like(X, edges)  # (p, bins − 1)
    number = xp.sum(xp.astype(X[..., None] > cuts, xp.int64), axis=-1)
    bins = edges.shape[1] + 1
    below = None
    if not compiled.usable(X):
        places = xp.arange(bins, dtype=xp.int64, device=X.device)
        below = xp.astype(number[..., None] <= places, xp.float32)
        below = xp.reshape(below, (R, n, p * bins))
    return _Binned(number=xp.permute_dims(number, (0, 2, 1)), bins=bins, below=below)


def _grow(
    binned: _Binned,
    w: Array,
    slope: Array,
    curvature: Array,
    *,
    depth: int,
    leaf: int,
    allowed: list[Array] | None = None,
) -> Array:
    """
    Grow one tree per split and return its values (R, S, n).

    Parameters
    ----------
    binned : _Binned
        Bins of the examples.
    w, slope, curvature : arrays, shapes (1 or R, S, n)
        Training weights, and the weighted slopes and curvatures. A leaf's value is Σ slope /
        Σ curvature; splits maximise the sum of (Σ slope)² / Σ curvature over the two sides.
    depth, leaf : int
        The largest depth, and the least weight of a leaf.
    allowed : list of arrays, shape (S, nodes, p), optional
        Which features may split the nodes of each level.
    """
    number, below, bins = binned.number, binned.below, binned.bins
    if below is None:
        from evenfold_lab.fast.compiled import binned as kernel

        options: Any = {"bins": bins, "depth": depth, "leaf": leaf, "allowed": allowed}
        return kernel.grow(number, w, slope, curvature, **options)
    xp = namespace(below)
    R, p, n = number.shape
    S = w.shape[-2]
    node = xp.zeros((R, S, n), dtype=xp.int64, device=below.device)
    for level in range(depth):
        nodes = 2**level
        inside = _node_indicators(node, nodes)
        left_w, all_w = _sums_left(inside, w, below, p, bins)
        left_g, all_g = _sums_left(inside, slope, below, p, bins)
        left_h, all_h = (
            (left_w, all_w) if curvature is w else _sums_left(inside, curvature, below, p, bins)
        )
        right_w, right_g, right_h = all_w - left_w, all_g - left_g, all_h - left_h
        gain = left_g**2 / xp.clip(left_h, min=1e-6) + right_g**2 / xp.clip(right_h, min=1e-6)
        valid = (left_w >= leaf) & (right_w >= leaf)
        if allowed is not None:
            valid = valid & allowed[level][None, ..., None]
        gain = xp.where(valid, gain, xp.full_like(gain, -1.0))
        flat = xp.reshape(gain, (R, S, nodes, p * bins))
        best = xp.argmax(flat, axis=-1)
        useful = xp.max(flat, axis=-1) > 0
        feature = best // bins
        cut = xp.where(useful, best % bins, xp.full_like(best, bins))
        own_feature = xp.take_along_axis(feature, node, axis=2)
        own_cut = xp.take_along_axis(cut, node, axis=2)
        value = xp.take_along_axis(number, own_feature, axis=1)
        node = 2 * node + xp.astype(value > own_cut, xp.int64)
    inside = _node_indicators(node, 2**depth)
    total = xp.sum(inside * slope[..., None, :], axis=-1)
    weight = xp.sum(inside * curvature[..., None, :], axis=-1)
    value = total / xp.clip(weight, min=1e-6)
    return xp.take_along_axis(value, node, axis=2)


def _node_indicators(node: Array, nodes: int) -> Array:
    """Return indicators (R, S, nodes, n) of the node that each example is in."""
    xp = namespace(node)
    places = xp.arange(nodes, dtype=xp.int64, device=node.device)
    return xp.astype(node[:, :, None, :] == places[:, None], xp.float32)


def _sums_left(
    inside: Array, weights: Array, below: Array, p: int, bins: int
) -> tuple[Array, Array]:
    """Return sums (R, S, nodes, p, bins) of weights up to each bin, and of whole nodes."""
    xp = namespace(below)
    R, S, nodes, n = inside.shape
    weighted = xp.reshape(inside * weights[..., None, :], (R, S * nodes, n))
    left = xp.reshape(xp.matmul(weighted, below), (R, S, nodes, p, bins))
    return left, left[..., -1:]


def _single(x: Array) -> Array:
    xp = namespace(x)
    return xp.astype(x, xp.float32)


def tree(X: Array, y: Array, w: Array, task: "LearningTask") -> Array:
    """
    Grow one tree of depth 4 with leaves of at least five examples.

    For classes this is the Gini tree, whose leaves predict the share of class 1.
    """
    binned = _bin_features(X, task.edges)
    weights = _single(w)[None, ...]
    slope = weights * _single(y)[:, None, :]
    values = _grow(binned, weights, slope, weights, depth=DEPTH, leaf=LEAF)
    return namespace(X).astype(values, X.dtype)


def forest(X: Array, y: Array, w: Array, task: "LearningTask") -> Array:
    """
    Grow fifty trees on bootstrap samples and average their predictions.

    A node may be split by √p random features for classes, and by p/3 for numbers.
    """
    xp = namespace(X)
    binned = _bin_features(X, task.edges)
    S, n = w.shape
    p = X.shape[-1]
    tried = max(1, round(np.sqrt(p))) if task.classes else max(1, p // 3)
    counts = array_like(X, _bootstrap_table())
    target = _single(y)[:, None, :]
    total: Any = 0.0
    for _ in range(TREES):
        drawn = task.rng.integers(_POISSON, size=S * n, dtype=np.int64)
        times = xp.reshape(xp.take(counts, array_like(w, drawn)), (S, n))
        weights = _single(w * times)[None, ...]
        allowed = [
            array_like(w, _some_features(task.rng, S, 2**d, p, tried)) for d in range(FOREST_DEPTH)
        ]
        options: Any = {"depth": FOREST_DEPTH, "leaf": FOREST_LEAF, "allowed": allowed}
        total = total + _grow(binned, weights, weights * target, weights, **options)
    return xp.astype(total / TREES, X.dtype)


def _bootstrap_table() -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return how often a Poisson bootstrap draws an example, by a uniform random number."""
    from scipy import special

    ends = special.pdtr(np.arange(12), 1.0) * _POISSON
    return np.searchsorted(ends, np.arange(_POISSON), side="right").astype(np.float64)


def _some_features(
    rng: np.random.Generator, S: int, nodes: int, p: int, tried: int
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    luck = rng.random((S, nodes, p), dtype=np.float32)
    if tried >= p:
        return np.ones(luck.shape, dtype=bool)
    last = np.partition(luck, tried - 1, axis=-1)[..., tried - 1 : tried]
    return luck <= last


def boost_trees(X: Array, y: Array, w: Array, task: "LearningTask") -> Array:
    """Boost thirty trees of depth 2 on gradients, with a learning rate of 0.3."""
    xp = namespace(X)
    binned = _bin_features(X, task.edges)
    weights = _single(w)[None, ...]
    target = _single(y)[:, None, :]
    start = xp.sum(weights * target, axis=-1) / xp.sum(weights, axis=-1)
    if task.classes:
        start = xp.clip(start, min=0.01, max=0.99)
        start = xp.log(start / (1 - start))
    value = xp.broadcast_to(start[..., None], (y.shape[0], w.shape[0], y.shape[1]))
    for _ in range(ROUNDS):
        if task.classes:
            chance = 1 / (1 + xp.exp(-xp.clip(value, min=-30.0, max=30.0)))
            slope = weights * (target - chance)
            curvature = weights * xp.clip(chance * (1 - chance), min=1e-3)
        else:
            slope = weights * (target - value)
            curvature = weights + xp.zeros_like(value)
        value = value + RATE * _grow(
            binned, weights, slope, curvature, depth=BOOST_DEPTH, leaf=LEAF
        )
    if task.classes:
        value = 1 / (1 + xp.exp(-xp.clip(value, min=-30.0, max=30.0)))
    return xp.astype(value, X.dtype)
