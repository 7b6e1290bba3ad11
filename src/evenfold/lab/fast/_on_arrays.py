"""Moments, linear systems and largest scores for any array library; NumPy has its own, tuned for a cache."""

from evenfold.lab.arrays import Array, counting, namespace
from evenfold.lab.fast._lacking import forward
from evenfold.lab.fast._moments import Moments
from evenfold.lab.fast._solve import TOLERANCE
from evenfold.lab.masks import Splits

_JITTER = 1e-12  # of a unit diagonal: keeps Cholesky alive on singular matrices, which are then in doubt


def moments_of(rows: Array, t: Array, splits: Splits) -> Moments:
    """
    Moments of features and targets over every training set.

    Parameters
    ----------
    rows, t : arrays, shapes (R, n, p) and (R, n, T)
        Features and targets, about the mean of the data set so that sums lose no digits.
    splits : Splits
        Who trains.
    """
    xp = namespace(rows)
    masks = xp.astype(splits.trains, xp.float64)
    masks = masks if masks.ndim == 3 else masks[None, ...]
    count = xp.sum(masks, axis=-1)
    mean_x = xp.matmul(masks, rows) / count[..., None]
    mean_t = xp.matmul(masks, t) / count[..., None]
    inside = masks[..., None, :] * xp.matrix_transpose(rows)[:, None, ...]  # (R, J, p, n)
    weighted = count[..., None, None] * mean_x[..., None]
    xx = xp.matmul(inside, rows[:, None, ...]) - weighted * mean_x[..., None, :]
    xt = xp.matmul(inside, t[:, None, ...]) - weighted * mean_t[..., None, :]
    return Moments(count=count, x=mean_x, t=mean_t, xx=xx, xt=xt)


def solve_on(A: Array, b: Array) -> tuple[Array, Array]:
    """
    Solve A x = b by Cholesky with unit diagonals and one refinement; say which systems are nearly singular.

    Parameters
    ----------
    A, b : arrays, shapes (..., p, p) and (..., p, T)
        Symmetric matrices and right-hand sides.
    """
    xp = namespace(A)
    unit = xp.eye(A.shape[-1], dtype=A.dtype, device=A.device)
    scale = xp.linalg.diagonal(A)
    root = xp.sqrt(xp.where(scale > 0, scale, xp.ones_like(scale)))
    S = A / (root[..., None] * root[..., None, :])
    L = xp.linalg.cholesky(S + _JITTER * unit)
    right = b / root[..., None]
    x = forward(L, forward(L, right), transposed=True)
    x = x + forward(L, forward(L, right - xp.matmul(S, x)), transposed=True)
    pivots = xp.linalg.diagonal(L)
    return x / root[..., None], xp.min(pivots * pivots, axis=-1) <= TOLERANCE


def indicators_of(y: Array) -> Array:
    """Class indicators (R, n, C) of labels 0, 1, 2, ...."""
    xp = namespace(y)
    classes = xp.astype(counting(y, int(xp.max(y)) + 1), y.dtype)
    return xp.astype(y[..., None] == classes, xp.float64)


def largest_of(basis: Array, weights: Array, intercepts: Array, present: Array) -> Array:
    """
    The class whose score is largest, the smallest label of equals; absent classes never win: (R, J, n).

    Parameters
    ----------
    basis : array, shape (R, q, n)
        Functions of the features.
    weights, intercepts : arrays, shapes (R, J, q, C) and (R, J, C)
        Scores are ``weights · basis + intercepts``.
    present : bool array, shape (R, J, C)
        Classes that have training examples.
    """
    xp = namespace(basis)
    intercepts = xp.where(present, intercepts, xp.full_like(intercepts, -xp.inf))
    best = xp.matmul(weights[..., 0], basis) + intercepts[..., 0][..., None]
    label = xp.zeros_like(best)
    for c in range(1, intercepts.shape[-1]):
        score = xp.matmul(weights[..., c], basis) + intercepts[..., c][..., None]
        label = xp.where(score > best, xp.full_like(label, float(c)), label)
        best = xp.maximum(best, score)
    return label


def standardised(X: Array, masks: Array) -> Array:
    """Features (R, J, n, p) about the mean of each training set, in its standard deviations."""
    xp = namespace(X)
    rows = X - xp.mean(X, axis=1, keepdims=True)
    count = xp.sum(masks, axis=-1)[..., None]
    mean, square = (xp.matmul(masks, z) / count for z in (rows, rows * rows))
    variance = square - mean * mean
    scale = xp.sqrt(xp.where(variance <= 1e-14 * square, xp.ones_like(square), variance))
    return (rows[:, None, ...] - mean[..., None, :]) / scale[..., None, :]
