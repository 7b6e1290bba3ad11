"""Logistic regression, each model to its end: Newton's steps, or conjugate gradients for many features."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.lab.fast.compiled._numba import compiled

Numbers = NDArray[Any]
FLAT = 1e-12  # of its diagonal element: what a pivot has at least
DONE = 1e-14  # half of it is about what the loss may still fall
MOST = 60  # conjugate gradients; where they do not suffice the steps are Newton's


@compiled
def descend(
    basis: Numbers,
    y: Numbers,
    trains: Numbers,
    starts: Numbers,
    factors: Numbers,
    penalty: Numbers,
    steps: int,
) -> Numbers:
    """
    Coefficients (R, J, q) at the minima of Σ log(1 + e^z) − y z + ½ Σ penalty w², where z = w · basis.

    Parameters
    ----------
    basis, y : arrays, shapes (R, n, q) and (R, n)
        Functions of the features, and labels 0 and 1.
    trains : bool array, shape (R, J, n)
        Who trains.
    starts : array, shape (R, q)
        Where to begin, in all splits of a data set.
    factors : array, shape (R, J, q, q) or (R, 0, q, q)
        R in the upper triangle, for Hessians RᵀR there; or none, and every step makes its own.
    penalty : array, shape (q,)
        As above.
    steps : int
        Of Newton at most.
    """
    R, J, n = trains.shape
    q = basis.shape[2]
    x, each, work = np.empty((n, q)), np.empty((4, n)), np.empty((5, q))
    own, out = np.empty((q, q)), np.empty((R, J, q))
    for r in range(R):
        for j in range(J):
            m = 0
            for i in range(n):
                if trains[r, j, i]:
                    _add(0.0, x[m], 1.0, basis[r, i])
                    each[0, m] = y[r, i]
                    m += 1
            _add(0.0, out[r, j], 1.0, starts[r])
            told = (x[:m], each[0, :m], out[r, j], penalty, each[1, :m], each[2, :m], each[3, :m], work)
            if factors.shape[1] == 0 or not _conjugate(factors[r, j], *told):
                _newton(own, steps, *told)
    return out


@compiled
def _newton(
    hessian: Numbers,
    steps: int,
    x: Numbers,
    t: Numbers,
    w: Numbers,
    penalty: Numbers,
    z: Numbers,
    chance: Numbers,
    along: Numbers,
    work: Numbers,
) -> None:
    """Move w to the minimum by steps that are halved until they do not go far beyond that of their line."""
    gradient, step = work[0], work[1]
    np.dot(x, w, z)
    _slope(x, t, w, penalty, z, chance, along, gradient)
    for _ in range(steps):
        _bend(x, chance, penalty, hessian)
        _factorise(hessian, work[2])
        _add(0.0, step, 1.0, gradient)
        _divide(hessian, step)
        ahead = np.dot(gradient, step)
        for _ in range(30):
            _add(1.0, w, -1.0, step)
            np.dot(x, w, z)
            _slope(x, t, w, penalty, z, chance, along, gradient)
            if np.dot(gradient, step) >= -0.25 * ahead:
                break
            _add(1.0, w, 1.0, step)
            _add(0.5, step, 0.0, gradient)
        if not ahead > DONE:
            break


@compiled
def _conjugate(
    factor: Numbers,
    x: Numbers,
    t: Numbers,
    w: Numbers,
    penalty: Numbers,
    z: Numbers,
    chance: Numbers,
    along: Numbers,
    work: Numbers,
) -> bool:
    """Move w to the minimum by conjugate gradients (Polak and Ribière's), a Hessian as preconditioner."""
    gradient, near, way, last = work[0], work[1], work[2], work[3]
    _mirror(factor)
    np.dot(x, w, z)
    _slope(x, t, w, penalty, z, chance, along, gradient)
    size = 0.0
    for _ in range(MOST):
        _add(0.0, near, 1.0, gradient)
        _divide(factor, near)
        old, size = size, np.dot(gradient, near)
        if size <= DONE:
            return True
        turn = max(0.0, size - np.dot(last, near)) / old if old > 0 else 0.0
        _add(turn, way, 1.0, near)
        _add(0.0, last, 1.0, gradient)
        if not _searched(x, t, w, penalty, z, chance, along, gradient, way):
            return False
    return False


@compiled
def _searched(
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
    """Put ax + by in the place of x, whatever that was where a is 0."""
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
def _bend(x: Numbers, chance: Numbers, penalty: Numbers, A: Numbers) -> None:
    """Fill in the upper triangle of the second derivatives."""
    q = len(penalty)
    for a in range(q):
        _add(0.0, A[a], 0.0, penalty)
    for i in range(len(x)):
        weight = chance[i] * (1 - chance[i])
        for a in range(q):
            part = weight * x[i, a]
            for b in range(a, q):
                A[a, b] += part * x[i, b]
    for a in range(q):
        A[a, a] += penalty[a]


@compiled
def _factorise(A: Numbers, scale: Numbers) -> None:
    """Put R of A = RᵀR in the place of the upper triangle of A; what rounding has eaten has a floor."""
    q = len(A)
    for i in range(q):
        A[i, i] += 1e-10
        scale[i] = A[i, i]
    for i in range(q):
        root = 1 / np.sqrt(max(A[i, i], FLAT * scale[i]))
        A[i, i] = 1 / root
        for j in range(i + 1, q):
            A[i, j] *= root
        for k in range(i + 1, q):
            above = A[i, k]
            for j in range(k, q):
                A[k, j] -= above * A[i, j]
    _mirror(A)


@compiled
def _mirror(A: Numbers) -> None:
    """Write the upper triangle into the lower."""
    for i in range(len(A)):
        for j in range(i):
            A[i, j] = A[j, i]


@compiled
def _divide(R: Numbers, b: Numbers) -> None:
    """Put A⁻¹b in the place of b, for A = RᵀR; Rᵀ is in the lower triangle."""
    q = len(b)
    for i in range(q):
        part = b[i] / R[i, i]
        b[i] = part
        for j in range(i + 1, q):
            b[j] -= R[i, j] * part
    for i in range(q - 1, -1, -1):
        part = b[i] / R[i, i]
        b[i] = part
        for j in range(i):
            b[j] -= R[i, j] * part
