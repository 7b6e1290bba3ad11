"""Nearest neighbours for any array library: sort the nearest of each example, then vote."""

from math import ceil, sqrt

from evenfold_lab.arrays import Array, counting, namespace, room
from evenfold_lab.fast._batched import n_labels
from evenfold_lab.masks import Splits

_GRAINS = 2.0**40  # distances are rounded to the largest of the data set divided by this


def squared_distances(X: Array, w: Array) -> Array:
    """
    Return squared distances (S, n, n), weighted by feature.

    The origin is moved to an example so that no digits are lost.
    """
    xp = namespace(X)
    X = X - X[:, :1, :]
    weighted = w * X
    squares = xp.sum(X * weighted, axis=-1)
    square = (
        squares[..., None] + squares[:, None, :] - 2 * xp.matmul(weighted, xp.matrix_transpose(X))
    )
    return xp.where(square > 0, square, xp.zeros_like(square))


def _nearest_by_distance(X: Array, w: Array, many: int) -> Array:
    """Return each example's nearest ones; ties keep the order of the data set."""
    xp = namespace(X)
    square = squared_distances(X, w)
    largest = xp.max(square, axis=(1, 2), keepdims=True)
    grains = _GRAINS / xp.where(largest > 0, largest, xp.ones_like(largest))
    return xp.argsort(xp.round(square * grains), axis=-1, stable=True)[..., :many]


def knn(X: Array, y: Array, splits: Splits, *, k: int, w: Array, share: float) -> Array:
    """
    Return the majority label of the k nearest training examples, (R, J, n).

    Parameters
    ----------
    X, y, splits
        As in every ``predict``.
    k : int
        Number of neighbours.
    w : array, shape (p,)
        Weights of the features.
    share : float
        The least share of a data set that trains. It sets the number of neighbours that are sorted,
        which contain k training examples but for a chance below 1e-9.
    """
    xp = namespace(X)
    R, n, _ = X.shape
    near = min(n, ceil((k + 8 * sqrt(k) + 30) / share))
    classes = n_labels(y)
    sets = max(1, room(X) // (n * max(n, near * min(splits.count, 8))))
    winners = []
    for r in range(0, R, sets):
        part = slice(r, min(r + sets, R))
        order = _nearest_by_distance(X[part, ...], w, near)
        some = max(1, room(X) // (order.shape[0] * n * near))
        row = [
            _votes(order, y[part, :], splits.part(part, slice(j, j + some)), k, classes)
            for j in range(0, splits.count, some)
        ]
        winners.append(row[0] if len(row) == 1 else xp.concat(row, axis=1))
    if len(winners) == 1:
        return winners[0]
    return xp.concat(winners)


def _votes(order: Array, y: Array, splits: Splits, k: int, classes: int) -> Array:
    xp = namespace(y)
    S, n, L = order.shape
    J = splits.count
    sets = counting(y, S)[:, None, None]
    flat = xp.reshape(order + n * sets, (-1,))
    label = xp.reshape(xp.take(xp.reshape(y, (-1,)), flat), (S, 1, n, L))
    offsets = n * (counting(y, J)[:, None, None] + (0 if splits.shared else J * sets[..., None]))
    cells = xp.reshape(xp.broadcast_to(order[:, None, ...] + offsets, (S, J, n, L)), (-1,))
    trains = xp.reshape(xp.take(xp.reshape(splits.trains, (-1,)), cells), (S, J, n, L))
    if k == 1:
        first = xp.argmax(xp.astype(trains, xp.uint8), axis=-1)[..., None]
        return xp.take_along_axis(xp.broadcast_to(label, (S, J, n, L)), first, axis=-1)[..., 0]
    trains = trains & (xp.cumulative_sum(xp.astype(trains, xp.int32), axis=-1) <= k)
    best = xp.sum(xp.astype(trains & (label == 0.0), xp.int32), axis=-1)
    winner = xp.zeros((S, J, n), dtype=xp.float64, device=y.device)
    for c in range(1, classes):
        votes = xp.sum(xp.astype(trains & (label == float(c)), xp.int32), axis=-1)
        winner = xp.where(votes > best, xp.full_like(winner, float(c)), winner)
        best = xp.maximum(best, votes)
    return winner
