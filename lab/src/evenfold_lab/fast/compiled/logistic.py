"""
Logistic regression, one model after the other.

Models are fitted by Newton's steps, or by conjugate gradients if there are many features.
"""

import numpy as np

from evenfold_lab.fast.compiled._cholesky import divide, factorise, mirror
from evenfold_lab.fast.compiled._numba import Numbers, compiled

LEAST = 1e-10  # added to the curvature, which may be 0
DONE = 1e-14  # the loss may still fall by about half of this
SURE = 1e-8  # a bound on what the loss may still fall, however the Hessian has changed
FEW = 1.5  # examples per coefficient up to which a second Hessian is worth its time
CLOSE = 0.01  # the second Hessian is made when the loss may still fall by about half of this
MOST = 60  # conjugate gradients at most; models that need more use Newton's steps


@compiled
def descend(
    basis: Numbers,
    y: Numbers,
    trains: Numbers,
    starts: Numbers,
    factors: Numbers,
    penalty: Numbers,
    steps: int,
) -> tuple[Numbers, Numbers]:
    """
    Return the w (R, J, q) that minimise Σ log(1 + e^z) − y z + ½ Σ penalty w², with z = w · basis.

    Also return which models (R, J) are in doubt, because their steps did not reach the minimum from
    their start or from 0.

    Parameters
    ----------
    basis, y : arrays, shapes (R, n, q) and (R, n)
        Functions of the features, and labels 0 and 1.
    trains : bool array, shape (R, J, n)
        The training sets.
    starts : array, shape (R, q)
        Where to begin, in all splits of a data set.
    factors : array, shape (R, J, q, q) or (R, 0, q, q)
        R in the upper triangle, for Hessians RᵀR at the start. Without any, every step makes its
        own Hessian.
    penalty : array, shape (q,)
        The penalty on each squared coefficient.
    steps : int
        Newton's steps at most.
    """
    R, J, n = trains.shape
    q = basis.shape[2]
    x = np.empty((n, q))
    scaled = np.empty((n, q))
    each = np.empty((5, n))
    work = np.empty((4, q))
    hessian = np.empty((q, q))
    out = np.empty((R, J, q))
    doubtful = np.zeros((R, J), dtype=np.bool_)
    for r in range(R):
        for j in range(J):
            m = 0
            for i in range(n):
                if trains[r, j, i]:
                    _add(0.0, x[m], 1.0, basis[r, i])
                    each[0, m] = y[r, i]
                    m += 1
            arguments = (
                x[:m],
                each[0, :m],
                out[r, j],
                penalty,
                each[1, :m],
                each[2, :m],
                each[3, :m],
                work,
            )
            _add(0.0, out[r, j], 1.0, starts[r])
            if factors.shape[1] and _conjugate(factors[r, j], scaled[:m], each[4, :m], *arguments):
                continue
            _add(0.0, out[r, j], 1.0, starts[r])
            if not _newton(hessian, scaled[:m], steps, *arguments):
                _add(0.0, out[r, j], 0.0, penalty)
                doubtful[r, j] = not _newton(hessian, scaled[:m], steps, *arguments)
    return out, doubtful


@compiled
def _newton(
    hessian: Numbers,
    scaled: Numbers,
    steps: int,
    x: Numbers,
    t: Numbers,
    w: Numbers,
    penalty: Numbers,
    z: Numbers,
    chance: Numbers,
    along: Numbers,
    work: Numbers,
) -> bool:
    """
    Move w to the minimum by steps that are halved until they do not overshoot it by far.

    Return whether the minimum was reached.
    """
    gradient = work[0]
    step = work[1]
    np.dot(x, w, z)
    _slope(x, t, w, penalty, z, chance, along, gradient)
    for _ in range(steps):
        _fill_curvature(x, chance, penalty, scaled, hessian)
        factorise(hessian)
        _add(0.0, step, 1.0, gradient)
        divide(hessian, step)
        ahead = np.dot(gradient, step)
        if not np.isfinite(ahead):
            return False
        _add(1.0, w, -1.0, step)
        if abs(ahead) <= DONE:
            return True
        np.dot(x, w, z)
        _slope(x, t, w, penalty, z, chance, along, gradient)
        for _ in range(30):
            if np.dot(gradient, step) >= -0.25 * ahead:
                break
            ahead *= 0.5
            _add(0.5, step, 0.0, gradient)
            _add(1.0, w, 1.0, step)
            np.dot(x, w, z)
            _slope(x, t, w, penalty, z, chance, along, gradient)
    return False


@compiled
def _conjugate(
    factor: Numbers,
    scaled: Numbers,
    weights: Numbers,
    x: Numbers,
    t: Numbers,
    w: Numbers,
    penalty: Numbers,
    z: Numbers,
    chance: Numbers,
    along: Numbers,
    work: Numbers,
) -> bool:
    """
    Move w to the minimum by conjugate gradients (Polak, Ribière), preconditioned by a Hessian.

    Return whether the minimum was reached. If examples are few, a second Hessian is made near it.
    """
    gradient = work[0]
    near = work[1]
    way = work[2]
    last = work[3]
    mirror(factor)
    np.dot(x, w, z)
    _slope(x, t, w, penalty, z, chance, along, gradient)
    _weigh(chance, weights)
    size = 0.0
    again = len(t) <= FEW * len(w)
    for _ in range(MOST):
        _add(0.0, near, 1.0, gradient)
        divide(factor, near)
        old = size
        size = np.dot(gradient, near)
        if again and size <= CLOSE:
            again = False
            size = 0.0
            _weigh(chance, weights)
            _fill_curvature(x, chance, penalty, scaled, factor)
            factorise(factor)
            continue
        if abs(size) <= DONE and size <= SURE * _least_curvature(weights, chance):
            return True
        if old > 0:
            turn = max(0.0, size - np.dot(last, near)) / old
        else:
            turn = 0.0
        _add(turn, way, 1.0, near)
        _add(0.0, last, 1.0, gradient)
        if not _search_line(x, t, w, penalty, z, chance, along, gradient, way):
            return False
    return False


@compiled
def _weigh(chance: Numbers, weights: Numbers) -> None:
    for i in range(len(chance)):
        weights[i] = chance[i] * (1 - chance[i])


@compiled
def _least_curvature(weights: Numbers, chance: Numbers) -> float:
    """
    Return the least share of its weight that an example has kept.

    The curvature has kept at least this share in every direction.
    """
    least = 1.0
    for i in range(len(chance)):
        least = min(least, chance[i] * (1 - chance[i]) / weights[i])
    return least


@compiled
def _search_line(
    x: Numbers,
    t: Numbers,
    w: Numbers,
    penalty: Numbers,
    z: Numbers,
    chance: Numbers,
    along: Numbers,
    gradient: Numbers,
    way: Numbers,
) -> bool:
    """Go against a direction to about the minimum along it, by Newton's steps in one dimension."""
    first = np.dot(gradient, way)
    slope = first
    for _ in range(8):
        np.dot(x, way, along)
        bend = 0.0
        for i in range(len(t)):
            bend += chance[i] * (1 - chance[i]) * along[i] * along[i]
        for f in range(len(w)):
            bend += penalty[f] * way[f] * way[f]
        length = slope / bend
        _add(1.0, z, -length, along)
        _add(1.0, w, -length, way)
        _slope(x, t, w, penalty, z, chance, along, gradient)
        slope = np.dot(gradient, way)
        if abs(slope) <= 0.2 * first:
            return True
    return False


@compiled
def _add(a: float, x: Numbers, b: float, y: Numbers) -> None:
    """Put ax + by in the place of x, which may hold anything if a is 0."""
    for i in range(len(x)):
        x[i] = (a * x[i] if a != 0.0 else 0.0) + b * y[i]


@compiled
def _slope(
    x: Numbers,
    t: Numbers,
    w: Numbers,
    penalty: Numbers,
    z: Numbers,
    chance: Numbers,
    away: Numbers,
    gradient: Numbers,
) -> None:
    """Fill in the chances of class 1, and the gradient."""
    for i in range(len(t)):
        chance[i] = 1 / (1 + np.exp(-z[i]))
        away[i] = chance[i] - t[i]
    np.dot(away, x, gradient)
    for f in range(len(w)):
        gradient[f] += penalty[f] * w[f]


@compiled
def _fill_curvature(
    x: Numbers, chance: Numbers, penalty: Numbers, scaled: Numbers, A: Numbers
) -> None:
    """Fill in the second derivatives."""
    for i in range(len(x)):
        _add(0.0, scaled[i], chance[i] * (1 - chance[i]), x[i])
    np.dot(scaled.T, x, A)
    for a in range(len(A)):
        A[a, a] += penalty[a] + LEAST
