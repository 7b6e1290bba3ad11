"""Who is near to whom: squared distances, and candidates sorted from near to far."""

import numpy as np
from numpy.typing import NDArray

from evenfold_lab.algorithm import Floats
from evenfold_lab.fast._base import WORK
from evenfold_lab.fast._moments import Room

# up to here differences are squared one by one: products would lose near neighbours' digits
FEW_FEATURES = 3
FEW_EXAMPLES = 256  # up to here sorting whole rows is cheapest
SAMPLE = 128  # distances per row from which the reach of the candidates is estimated
NOBODY = np.iinfo(np.int64).max  # farther than everyone
Keys = NDArray[np.int64]
Rows = slice | NDArray[np.intp]


def low_bits(n: int) -> int:
    """The bits that hold an example's number, all ones; that number itself belongs to nobody."""
    return (1 << n.bit_length()) - 1


def distances(X: Floats, w: Floats, rows: Rows, room: Room) -> Floats:
    """
    Squared distances (S, m, n) of some rows.

    Exact for integers, as the origin is moved to an example.
    """
    X = X - X[:, :1]
    if X.shape[-1] <= FEW_FEATURES:
        return _sum_differences(X, w, rows)
    weighted = w * X
    squares = np.einsum("snp,snp->sn", X, weighted)[..., None]
    one = np.ones_like(squares)
    left = np.concatenate([-2.0 * weighted[:, rows], one[:, rows], squares[:, rows]], axis=-1)
    right = np.concatenate([X, squares, one], axis=-1)
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
    Distance and number of an example in one integer, which sorts by distance, then by number.

    The bits of a float that is not negative sort like the float; its last bits give way to the
    number. The sign of a rounding error around 0 is dropped.
    """
    packed = square.view(np.int64) & (NOBODY - low_bits(n))
    packed |= numbers
    return packed


def sort_all_keys(square: Floats) -> Keys:
    """Keys of all examples, sorted, for each row of squared distances."""
    n = square.shape[1]
    packed = keys(square, np.arange(n), n)
    packed.sort(axis=1)
    return packed


def candidates(X: Floats, w: Floats, rows: slice, many: int, room: Room) -> Keys:
    """
    Sorted keys of the nearest of some rows, data set after data set.

    Everyone, or in most rows ``many``.

    Rows end with nobody where others have more.
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
    Every how manieth of n distances is looked at, and the rank among them of the reach.

    All reach if 0.
    """
    stride = -(-n // SAMPLE)
    hits = many / stride
    rank = int(np.ceil(hits + 1.5 * np.sqrt(hits))) + 1  # 1.5 standard deviations more than wanted
    return stride, rank if rank <= n // stride else 0


def products(X: Floats, w: Floats, rows: slice) -> tuple[Floats, Floats]:
    """
    Products (m, n) of some examples with all, and squares (n,).

    Squared distances are the squares of both less twice the product; where these would lose digits,
    or features have weights, squares are 0.
    """
    n, p = X.shape
    if p <= FEW_FEATURES or (w != 1).any():
        return -0.5 * distances(X[None], w, rows, Room())[0], np.zeros(n)
    X = X - X[0]
    if rows == slice(0, n):  # the first by half the work
        found = X @ X.T
    else:
        found = X[rows] @ X.T
    return found, found.diagonal().copy() if len(found) == n else np.einsum("np,np->n", X, X)


def _within_reach(square: Floats, many: int) -> Keys:
    """Read the reach off a sample of the row: a partition of the whole costs ten times as much."""
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
