"""The perceptron, one model after the other."""

import numpy as np

from evenfold_lab.fast.compiled._numba import Numbers, compiled


@compiled
def leads(
    rows: Numbers,
    means: Numbers,
    scales: Numbers,
    sign: Numbers,
    trains: Numbers,
    epochs: int,
    tol: float,
    patience: int,
) -> Numbers:
    """
    Return how far examples are on the side of class 1, (R, J, n).

    Parameters
    ----------
    rows, sign : arrays, shapes (R, n, p) and (R, n)
        Features, and −1 or 1 for the classes.
    means, scales : arrays, shape (R, J, p)
        Means and standard deviations of each training set, by which features are standardised.
    trains : bool array, shape (R, J, n)
        The training sets.
    epochs, tol, patience
        As in scikit-learn, whose patience is five epochs.
    """
    R, J, n = trains.shape
    p = rows.shape[2]
    scaled = np.empty((n, p))
    side = np.empty(n)
    w = np.empty(p)
    out = np.empty((R, J, n))
    for r in range(R):
        for j in range(J):
            m = 0
            for i in range(n):
                if trains[r, j, i]:
                    for f in range(p):
                        scaled[m, f] = (rows[r, i, f] - means[r, j, f]) / scales[r, j, f]
                    side[m] = sign[r, i]
                    m += 1
            start = _learn(scaled[:m], side, w, epochs, tol, patience)
            for f in range(p):
                w[f] /= scales[r, j, f]
                start -= w[f] * means[r, j, f]
            for i in range(n):
                out[r, j, i] = _dot(w, rows[r, i]) + start
    return out


@compiled
def _learn(
    rows: Numbers, side: Numbers, w: Numbers, epochs: int, tol: float, patience: int
) -> float:
    """Fill in the slopes; return the intercept."""
    m, p = rows.shape
    start = 0.0
    best = np.inf
    waited = 0
    w[:] = 0.0
    for _ in range(epochs):
        total = 0.0
        for i in range(m):
            margin = side[i] * (_dot(w, rows[i]) + start)
            if margin <= 0:
                total -= margin
                start += side[i]
                for f in range(p):
                    w[f] += side[i] * rows[i, f]
        if total > best - tol * m:
            waited = waited + 1
        else:
            waited = 0
        best = min(best, total)
        if waited == patience:
            break
    return start


@compiled
def _dot(a: Numbers, b: Numbers) -> float:
    """Return the inner product, by four sums that a processor adds in parallel."""
    p = len(a)
    s0 = 0.0
    s1 = 0.0
    s2 = 0.0
    s3 = 0.0
    for f in range(0, p - 3, 4):
        s0 += a[f] * b[f]
        s1 += a[f + 1] * b[f + 1]
        s2 += a[f + 2] * b[f + 2]
        s3 += a[f + 3] * b[f + 3]
    for f in range(p - p % 4, p):
        s0 += a[f] * b[f]
    return (s0 + s1) + (s2 + s3)
