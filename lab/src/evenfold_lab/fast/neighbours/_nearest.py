"""Squared distances between examples, and candidates sorted from near to far."""

import numpy as np
from numpy.typing import NDArray

from evenfold_lab.algorithm import Floats
from evenfold_lab.fast._base import WORK
from evenfold_lab.fast._moments import Room

# With so few features, products of examples would lose the digits of small distances.
FEW_FEATURES = 3
FEW_EXAMPLES = 256  # with so few examples, sorting whole rows is cheapest
SAMPLE = 128  # distances per row from which the reach of the candidates is estimated
NOBODY = np.iinfo(np.int64).max  # farther than everyone
Keys = NDArray[np.int64]
Rows = slice | NDArray[np.intp]


def low_bits(n: int) -> int:
    """Return the bits that hold an example's number, as a number that no example has."""
    return (1 << n.bit_length()) - 1


def distances(X: Floats, w: Floats, rows: Rows, room: Room) -> Floats:
    """
    Return the squared distances (S, m, n) of some rows.

    They are exact for integers, because the origin is moved to an example.
    """
    X = X - X[:, :1]
    if X.shape[-1] <= FEW_FEATURES:
        return _sum_differences(X, w, rows)
    weighted = w * X
    squares = np.einsum("snp,snp->sn", X, weighted)[..., None]
    ones = np.ones_like(squares)
    left = np.concatenate([-2.0 * weighted[:, rows], ones[:, rows], squares[:, rows]], axis=-1)
    right = np.concatenate([X, squares, ones], axis=-1)
    square = room.array("distances", *left.shape[:2], X.shape[1])
    np.matmul(left, np.swapaxes(right, 1, 2), out=square)
    return square


def _sum_differences(X: Floats, w: Floats, rows: Rows) -> Floats:
    total = np.zeros((len(X), X[:, rows].shape[1], X.shape[1]))
    for column, weight in zip(np.moveaxis(X, -1, 0), w, strict=True):
        apart = column[:, rows, None] - column[:, None, :]
        np.square(apart, out=apart)
        apart *= weight
        total += apart
    return total


def keys(square: Floats, numbers: NDArray[np.intp], n: int) -> Keys:
    """
    Pack distance and number of an example into an integer that sorts by distance, then by number.

    The bits of a float that is not negative sort like the float, and its last bits are replaced by
    the number. The sign of a rounding error around 0 is dropped.
    """
    packed = square.view(np.int64) & (NOBODY - low_bits(n))
    packed |= numbers
    return packed


def sort_all_keys(square: Floats) -> Keys:
    """Sort the keys of all examples, for each row of squared distances."""
    n = square.shape[1]
    packed = keys(square, np.arange(n), n)
    packed.sort(axis=1)
    return packed


def candidates(X: Floats, w: Floats, rows: slice, many: int, room: Room) -> Keys:
    """
    Return sorted keys of some rows' nearest examples, data set after data set.

    Small data sets give all examples; otherwise most rows have at least ``many``. Rows are padded
    with ``NOBODY``.
    """
    n = X.shape[1]
    if n <= FEW_EXAMPLES:
        return sort_all_keys(distances(X, w, rows, room).reshape(-1, n))
    step = max(1, WORK // n)
    parts = [
        _within_reach(
            distances(X, w, slice(i, min(i + step, rows.stop)), room).reshape(-1, n), many
        )
        for i in range(rows.start, rows.stop, step)
    ]
    widest = max(part.shape[1] for part in parts)
    return np.concatenate(
        [
            np.pad(part, ((0, 0), (0, widest - part.shape[1])), constant_values=NOBODY)
            for part in parts
        ]
    )


def sampling_step(n: int, many: int) -> tuple[int, int]:
    """
    Return the stride of the sample of n distances, and the rank of the reach among the sample.

    A rank of 0 means that all examples are within reach.
    """
    stride = -(-n // SAMPLE)
    hits = many / stride
    rank = int(np.ceil(hits + 1.5 * np.sqrt(hits))) + 1  # 1.5 standard deviations above the mean
    return stride, rank if rank <= n // stride else 0


def products(X: Floats, w: Floats, rows: slice) -> tuple[Floats, Floats]:
    """
    Return the products (m, n) of some examples with all, and the squares (n,).

    Squared distances are the squares of both less twice the product. If that would lose digits, or
    features have weights, the squares are 0 and the products are −½ of the squared distances.
    """
    n, p = X.shape
    if p <= FEW_FEATURES or (w != 1).any():
        return -0.5 * distances(X[None], w, rows, Room())[0], np.zeros(n)
    X = X - X[0]
    if rows == slice(0, n):
        inner = X @ X.T  # a symmetric product takes half the work
        return inner, inner.diagonal().copy()
    return X[rows] @ X.T, np.einsum("np,np->n", X, X)


def _within_reach(square: Floats, many: int) -> Keys:
    """Find the keys within a reach that a sample gives, ten times as fast as a partition."""
    m, n = square.shape
    stride, rank = sampling_step(n, many)
    if rank == 0:
        return sort_all_keys(square)
    sample = np.sort(square[:, ::stride], axis=1)
    near = square <= sample[:, rank - 1, None]
    flat = np.flatnonzero(near)
    held = np.count_nonzero(near, axis=1)
    packed = np.full((m, int(held.max())), NOBODY)
    packed[np.arange(packed.shape[1]) < held[:, None]] = keys(square.reshape(-1)[flat], flat % n, n)
    packed.sort(axis=1)
    return packed
