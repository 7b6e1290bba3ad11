"""Sums over the training sets of all splits: the sufficient statistics of linear models."""

from dataclasses import dataclass

import numpy as np

from evenfold.lab.algorithm import Floats
from evenfold.lab.splits import Splits

FEW = 8  # features up to which products of pairs are written out, for one matrix product over all data sets


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

    count: Floats
    x: Floats
    t: Floats
    xx: Floats
    xt: Floats


def moments(x: Floats, t: Floats, splits: Splits) -> Moments:
    """
    Moments of features and targets over every training set.

    Parameters
    ----------
    x, t : arrays, shapes (p, R, n) and (T, R, n)
        Already centred by the means of their data set, so that the sums lose no digits.
    splits : Splits
        Who trains.
    """
    masks = splits.trains.astype(np.float64)
    count = np.atleast_2d(masks.sum(axis=-1))
    sum_x, sum_t = training_sums(x, masks), training_sums(t, masks)
    mean_x, mean_t = sum_x / count, sum_t / count
    xt = training_sums(x[:, None] * t, masks)
    xt -= mean_x[:, None] * sum_t
    xx = _pair_sums(x, masks) if len(x) <= FEW else _grams(x, splits)
    xx -= sum_x[:, None] * mean_x
    return Moments(
        count=count,
        x=np.moveaxis(mean_x, 0, -1),
        t=np.moveaxis(mean_t, 0, -1),
        xx=np.moveaxis(xx, (0, 1), (-2, -1)),
        xt=np.moveaxis(xt, (0, 1), (-2, -1)),
    )


def training_sums(z: Floats, masks: Floats) -> Floats:
    """Sum each of the quantities (..., R, n) over every training set: (..., R, J)."""
    *many, R, n = z.shape
    if masks.ndim == 2:
        return (z.reshape(-1, n) @ masks.T).reshape(*many, R, -1)
    sums = np.empty((int(np.prod(many)), R, masks.shape[1]))
    by_set = np.moveaxis(z.reshape(-1, R, n), 0, 1)
    sums[:] = np.moveaxis(by_set @ np.swapaxes(masks, 1, 2), 1, 0)
    return sums.reshape(*many, R, -1)


def _pair_sums(x: Floats, masks: Floats) -> Floats:
    p = len(x)
    a, b = np.triu_indices(p)
    upper = training_sums(x[a] * x[b], masks)
    xx = np.empty((p, p, *upper.shape[1:]))
    xx[a, b] = upper
    xx[b, a] = upper
    return xx


def _grams(x: Floats, splits: Splits) -> Floats:
    """Matrices of products (p, p, R, J), in the memory of an array (R, J, p, p)."""
    p, R, _ = x.shape
    rows = np.ascontiguousarray(np.moveaxis(x, 0, -1))  # (R, n, p)
    grams = np.empty((R, splits.count, p, p))
    if splits.shared:
        _fill_grams(rows, splits, grams)
    else:
        for r in range(R):
            own = Splits(trains=splits.trains[r], tests=splits.tests[r])
            _fill_grams(rows[r : r + 1], own, grams[r : r + 1])
    return np.moveaxis(grams, (-2, -1), (0, 1))


def _fill_grams(rows: Floats, splits: Splits, grams: Floats) -> None:
    """Add up the matrices of atoms where they are few, else go split by split over the smaller side."""
    R, n, p = rows.shape
    atom, patterns = splits.atoms()
    if 2 * patterns.shape[1] <= n:
        parts = np.empty((R, patterns.shape[1], p, p))
        for a in range(patterns.shape[1]):
            _gram(rows[:, atom == a], parts[:, a])
        flat = parts.reshape(R, -1, p * p)
        np.matmul(patterns.astype(np.float64), flat, out=grams.reshape(R, -1, p * p))
        return
    total = np.swapaxes(rows, 1, 2) @ rows
    for j, train in enumerate(splits.trains):
        if 2 * train.sum() <= n:
            _gram(rows[:, train], grams[:, j])
        else:
            _gram(rows[:, ~train], grams[:, j])
            np.subtract(total, grams[:, j], out=grams[:, j])


def _gram(rows: Floats, out: Floats) -> None:
    np.matmul(np.swapaxes(rows, 1, 2), rows, out=out)
