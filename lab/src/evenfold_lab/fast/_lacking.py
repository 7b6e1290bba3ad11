"""
What the array API lacks: a maximum by segments, values put into places, triangular systems.

Each function uses a library's own way if it has one, and the standard for all other libraries.
"""

import numpy as np

from evenfold_lab.arrays import Array, counting, namespace


def _is_torch(x: Array) -> bool:
    return type(x).__module__.partition(".")[0] == "torch"


def segment_max(values: Array, segment: Array, first: Array) -> Array:
    """
    Return the maximum of each segment.

    Parameters
    ----------
    values : array, shape (E,)
        Segment after segment, none of them empty.
    segment : array of int, shape (E,)
        The segment of each value: 0, 1, 2, ....
    first : array of int, shape (K,)
        Where each segment begins.
    """
    if isinstance(values, np.ndarray):
        return np.maximum.reduceat(values, first)
    if _is_torch(values):
        start = values.new_empty(first.shape)
        return start.scatter_reduce_(0, segment, values, "amax", include_self=False)
    return _scan_segment_max(values, segment, first)


def _scan_segment_max(values: Array, segment: Array, first: Array) -> Array:
    """Return the maxima by looking 1, 2, 4, ... places ahead within each segment."""
    xp = namespace(values)
    E = values.shape[0]
    reach = 1
    while reach < E:
        ahead = xp.concat([values[reach:], values[-reach:]])
        same = xp.concat(
            [segment[reach:] == segment[:-reach], xp.zeros_like(segment[-reach:], dtype=xp.bool)]
        )
        if not bool(xp.any(same)):
            break
        values = xp.where(same & (ahead > values), ahead, values)
        reach *= 2
    return xp.take(values, first)


def put(values: Array, where: Array) -> Array:
    """Return the array whose element ``where[i]`` is ``values[i]``, for a permutation ``where``."""
    xp = namespace(values)
    if isinstance(values, np.ndarray) or _is_torch(values) or hasattr(values, "get"):
        out = xp.empty_like(values)
        out[where] = values
        return out
    return xp.take(values, xp.argsort(where))


def contiguous(x: Array) -> Array:
    """Return the array in C order."""
    if isinstance(x, np.ndarray):
        return np.ascontiguousarray(x)
    if hasattr(x, "contiguous"):
        return x.contiguous()
    return x


def forward(L: Array, b: Array, *, transposed: bool = False) -> Array:
    """Solve L x = b or Lᵀ x = b for lower triangles L (..., p, p) and b (..., p, T)."""
    xp = namespace(L)
    A = xp.matrix_transpose(L) if transposed else L
    if _is_torch(L):
        import torch

        return torch.linalg.solve_triangular(A, b, upper=transposed)
    return xp.linalg.solve(A, b)


def segments(sizes: Array) -> tuple[Array, Array]:
    """Return where segments of these sizes begin, and the segment of each place."""
    xp = namespace(sizes)
    return xp.cumulative_sum(sizes) - sizes, xp.repeat(counting(sizes, sizes.shape[0]), sizes)


def smallest(values: Array, count: int) -> Array:
    """
    Return the places of the ``count`` smallest of the last axis, from the smallest on.

    PyTorch may return ties in any order.
    """
    xp = namespace(values)
    if count >= values.shape[-1]:
        return xp.argsort(values, axis=-1, stable=True)
    if _is_torch(values):
        return values.topk(count, dim=-1, largest=False, sorted=True).indices
    if isinstance(values, np.ndarray):
        few = np.sort(np.argpartition(values, count, axis=-1)[..., : count + 1], axis=-1)
        order = np.argsort(np.take_along_axis(values, few, axis=-1), axis=-1, stable=True)
        few = np.take_along_axis(few, order, axis=-1)
        last, next_one = np.moveaxis(np.take_along_axis(values, few[..., -2:], axis=-1), -1, 0)
        # Others may be as small as the last one, and come first.
        few = few[..., :count]
        tied = last == next_one
        few[tied] = np.argsort(values[tied], axis=-1, stable=True)[..., :count]
        return few
    return xp.argsort(values, axis=-1, stable=True)[..., :count]
