"""Sums over the training sets of all splits: the sufficient statistics of linear models."""

from dataclasses import dataclass, field

import numpy as np

from evenfold_lab.algorithm import Floats
from evenfold_lab.arrays import Array, namespace
from evenfold_lab.masks import Splits

# Up to so many features, products of pairs are written out for a matrix product over all data sets.
FEW = 8


@dataclass(frozen=True, eq=False, slots=True)
class Room:
    """Memory that is reused, because fresh memory can cost more than the arithmetic on it."""

    held: dict[str, Floats] = field(default_factory=dict)

    def array(self, name: str, *shape: int) -> Floats:
        """Return an array of arbitrary content; the last of that name must not be in use."""
        size = int(np.prod(shape))
        if name not in self.held or self.held[name].size < size:
            self.held[name] = np.empty(size)
        return self.held[name][:size].reshape(shape)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Moments:
    """
    First and second moments of the training sets, about the training means.

    Attributes
    ----------
    count : array, shape (1 or R, J)
        Training set sizes.
    x, t : arrays, shapes (R, J, p) and (R, J, T)
        Means of features and targets.
    xx, xt : arrays, shapes (R, J, p, p) and (R, J, p, T)
        Sums of centred products.
    """

    count: Array
    x: Array
    t: Array
    xx: Array
    xt: Array


def centre_features(X: Array) -> Array:
    """
    Subtract the mean of each data set.

    In NumPy, the values of a feature are contiguous if features are few, which speeds up sums.
    """
    if not isinstance(X, np.ndarray):
        return X - namespace(X).mean(X, axis=1, keepdims=True)
    R, n, p = X.shape
    rows = np.moveaxis(np.empty((p, R, n)), 0, -1) if p <= FEW else np.empty((R, n, p))
    np.subtract(X, X.mean(axis=1, keepdims=True), out=rows)
    return rows


def moments(rows: Array, t: Array, splits: Splits, room: Room) -> Moments:
    """
    Return the moments of features and targets over every training set.

    Parameters
    ----------
    rows, t : arrays, shapes (R, n, p) and (T, R, n)
        Features after :func:`centre_features`, so that sums lose no digits, and targets.
    splits : Splits
        The training sets.
    room : Room
        Memory for the matrices of NumPy, which the next call overwrites.
    """
    if not isinstance(rows, np.ndarray):
        return _masked_moments(rows, t, splits)
    return (_narrow_moments if rows.shape[-1] <= FEW else _wide_moments)(rows, t, splits, room)


def _masked_moments(rows: Array, t: Array, splits: Splits) -> Moments:
    """Return the moments from masked features of all splits at once, for a GPU's memory."""
    xp = namespace(rows)
    masks = xp.astype(splits.by_set().trains, xp.float64)
    t = xp.permute_dims(t, (1, 2, 0))
    count = xp.sum(masks, axis=-1)
    mean_x = xp.matmul(masks, rows) / count[..., None]
    mean_t = xp.matmul(masks, t) / count[..., None]
    inside = masks[..., None, :] * xp.matrix_transpose(rows)[:, None, ...]  # (R, J, p, n)
    weighted = count[..., None, None] * mean_x[..., None]
    xx = xp.matmul(inside, rows[:, None, ...]) - weighted * mean_x[..., None, :]
    xt = xp.matmul(inside, t[:, None, ...]) - weighted * mean_t[..., None, :]
    return Moments(count=count, x=mean_x, t=mean_t, xx=xx, xt=xt)


def training_sums(z: Array, masks: Array) -> Array:
    """
    Sum each of the quantities (..., R, n) over every training set: (..., R, J).

    It works for any array library.
    """
    xp = namespace(z)
    *many, R, n = z.shape
    if masks.ndim == 2:
        return xp.reshape(
            xp.matmul(xp.reshape(z, (-1, n)), xp.matrix_transpose(masks)), (*many, R, -1)
        )
    by_set = xp.moveaxis(xp.reshape(z, (-1, R, n)), 0, 1)
    sums = xp.moveaxis(xp.matmul(by_set, xp.matrix_transpose(masks)), 1, 0)
    return xp.reshape(sums, (*many, R, -1))


def _narrow_moments(rows: Floats, t: Floats, splits: Splits, room: Room) -> Moments:  # noqa: ARG001 - small
    """Return the moments by one matrix product for all sums of all data sets."""
    x = np.moveaxis(rows, -1, 0)
    masks = splits.trains.astype(np.float64)
    count = np.atleast_2d(masks.sum(axis=-1))
    sum_x = training_sums(x, masks)
    sum_t = training_sums(t, masks)
    mean_x = sum_x / count
    xt = training_sums(x[:, None] * t, masks)
    xt -= mean_x[:, None] * sum_t
    xx = _pair_sums(x, masks)
    xx -= sum_x[:, None] * mean_x
    return Moments(
        count=count,
        x=np.moveaxis(mean_x, 0, -1),
        t=np.moveaxis(sum_t / count, 0, -1),
        xx=np.moveaxis(xx, (0, 1), (-2, -1)),
        xt=np.moveaxis(xt, (0, 1), (-2, -1)),
    )


def _pair_sums(x: Floats, masks: Floats) -> Floats:
    p = len(x)
    a, b = np.triu_indices(p)
    upper = training_sums(x[a] * x[b], masks)
    xx = np.empty((p, p, *upper.shape[1:]))
    xx[a, b] = upper
    xx[b, a] = upper
    return xx


def _wide_moments(rows: Floats, t: Floats, splits: Splits, room: Room) -> Moments:
    """Return the moments by matrices of products of blocks, if these are few."""
    from scipy.linalg.blas import dger

    R, n, _ = rows.shape
    masks = splits.trains.astype(np.float64)
    count = np.atleast_2d(masks.sum(axis=-1))
    sum_t = np.moveaxis(training_sums(t, masks), 0, -1)
    beside = np.concatenate([np.ones((R, n, 1)), np.moveaxis(t, 0, -1)], axis=-1)
    xx, sums = products(rows, beside, splits, room)
    mean_x = sums[..., 0] / count[..., None]
    # Matrices are changed one by one and in place, because one fits into the cache.
    for where in np.ndindex(xx.shape[:2]):
        dger(-1.0, mean_x[where], sums[where][:, 0], a=xx[where].T, overwrite_a=True)
    xt = sums[..., 1:] - mean_x[..., None] * sum_t[..., None, :]
    return Moments(count=count, x=mean_x, t=sum_t / count[..., None], xx=xx, xt=xt)


def products(rows: Floats, beside: Floats, splits: Splits, room: Room) -> tuple[Floats, Floats]:
    """Return XᵀX (R, J, p, p), kept in ``room``, and XᵀB (R, J, p, T) of every training set."""
    R, _, p = rows.shape
    xx = room.array("matrices", R, splits.count, p, p)
    sums = np.empty((R, splits.count, p, beside.shape[-1]))
    for r in range(R):
        sums[r] = _products(rows[r], beside[r], splits.of_set(r), xx[r], room)
    return xx, sums


def _products(rows: Floats, beside: Floats, splits: Splits, grams: Floats, room: Room) -> Floats:
    """
    Fill in XᵀX of every split, and return its XᵀB (J, p, T) with the columns ``beside``.

    If atoms are few, add up their matrices; otherwise go over the smaller side of each split.
    """
    (n, p) = rows.shape
    (atom, patterns) = splits.atoms
    J, A = patterns.shape
    if n >= 2 * A:
        order = np.argsort(atom, kind="stable")
        ends = np.cumsum(np.bincount(atom))
        parts = room.array("parts", A, p, p)
        sides = np.empty((A, p, beside.shape[1]))
        rows = np.take(rows, order, axis=0, out=room.array("sorted", n, p), mode="clip")
        beside = beside[order]
        for a, part in enumerate(np.split(rows, ends[:-1])):
            _gram(part, parts[a])
            np.matmul(part.T, beside[ends[a] - len(part) : ends[a]], out=sides[a])
        weights = patterns.astype(np.float64)
        np.matmul(weights, parts.reshape(A, -1), out=grams.reshape(J, -1))
        return (weights @ sides.reshape(A, -1)).reshape(J, p, -1)
    total = rows.T @ rows
    for train, gram in zip(splits.trains, grams, strict=True):
        if 2 * train.sum() <= n:
            _gram(rows[train], gram)
        else:
            _gram(rows[~train], gram)
            np.subtract(total, gram, out=gram)
    return np.stack([(splits.trains * column) @ rows for column in beside.T], axis=-1)


def _gram(rows: Floats, out: Floats) -> None:
    np.matmul(rows.T, rows, out=out)


def scales(rows: Array, masks: Array) -> tuple[Array, Array]:
    """Return means and standard deviations (R, J, p) of centred features, by split."""
    xp = namespace(rows)
    count = xp.sum(masks, axis=-1)[..., None]
    mean, square = (xp.matmul(masks, z) / count for z in (rows, rows * rows))
    variance = square - mean * mean
    # A tiny variance is a rounding error, and scikit-learn's scaler does not scale such a feature.
    return mean, xp.sqrt(xp.where(variance <= 1e-14 * square, xp.ones_like(square), variance))


def standardise_features(X: Array, masks: Array) -> Array:
    """Standardise features (R, J, n, p) by the mean and deviation of each training set."""
    rows = X - namespace(X).mean(X, axis=1, keepdims=True)
    mean, scale = scales(rows, masks)
    return (rows[:, None, ...] - mean[..., None, :]) / scale[..., None, :]
