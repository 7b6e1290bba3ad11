"""The dual of support vector machines, one model after the other, a pair of examples at a time."""

import numpy as np

from evenfold_lab.fast.compiled._numba import Numbers, compiled


@compiled
def vote(
    K: Numbers,
    ahead: Numbers,
    labels: Numbers,
    C: float,
    tol: float,
    flat: float,
    most: int,
    votes: Numbers,
    out: Numbers,
) -> None:
    """
    Fill in the label of each tested example that wins most pairs of classes, the smallest of ties.

    Parameters
    ----------
    K, ahead : arrays, shapes (b, b) and (b, a)
        Kernel of the training examples with themselves and with the tested ones.
    labels : array, shape (b,)
        Of the training examples.
    C, tol, flat, most
        As in :func:`evenfold_lab.fast.svm.solve_dual`.
    votes, out : arrays, shapes (a, classes) and (a,)
        Work space, and the labels.
    """
    a, classes = votes.shape
    lead = np.empty(a)
    counts = np.bincount(labels, minlength=classes)
    votes[:] = 0.0
    for low in range(classes):
        for high in range(low + 1, classes):
            if counts[low] > 0 and counts[high] > 0:
                who = np.flatnonzero((labels == low) | (labels == high))
                _lead(K, ahead, who, labels, high, C, tol, flat, most, lead)
                for i in range(a):
                    votes[i, high if lead[i] > 0 else low] += 1
    for i in range(a):
        out[i] = _winner(votes[i], counts)


@compiled
def _winner(votes: Numbers, counts: Numbers) -> int:
    """Return the class with most votes among those that train, the smallest of equals."""
    best = -1
    for c in range(len(votes)):
        if counts[c] > 0 and (best < 0 or votes[c] > votes[best]):
            best = c
    return best


@compiled
def _lead(
    K: Numbers,
    ahead: Numbers,
    who: Numbers,
    labels: Numbers,
    high: int,
    C: float,
    tol: float,
    flat: float,
    most: int,
    lead: Numbers,
) -> None:
    """Fill in how far tested examples are on the side of ``high``, by the examples ``who``."""
    q = len(who)
    b = len(K)
    k = K if q == b else np.empty((q, q))
    f = np.empty(q)
    low_ = np.zeros(q)
    high_ = np.zeros(q)
    for s in range(q):
        if labels[who[s]] == high:
            f[s] = 1.0
            high_[s] = C
        else:
            f[s] = -1.0
            low_[s] = -C
        if q < b:
            for t in range(q):
                k[s, t] = K[who[s], who[t]]
    beta = np.zeros(q)
    start = _solve(k, f, low_, high_, beta, tol, flat, most)
    lead[:] = start
    for s in range(q):
        if beta[s] != 0.0:
            for i in range(len(lead)):
                lead[i] += beta[s] * ahead[who[s], i]


@compiled
def _solve(
    K: Numbers,
    f: Numbers,
    low: Numbers,
    high: Numbers,
    beta: Numbers,
    tol: float,
    flat: float,
    most: int,
) -> float:
    """
    Find the coefficients β = yα between ``low`` and ``high``, and return the intercept.

    ``f`` is y − Kβ throughout. Each step moves LIBSVM's pair: the example that violates the
    conditions most, and the one with which the objective falls most (Fan, Chen and Lin 2005).
    """
    diagonal = np.empty(len(f))
    for t in range(len(f)):
        diagonal[t] = K[t, t]
    for _ in range(most):
        i, j, gap = _pair(K, diagonal, f, low, high, beta, flat)
        if gap <= tol:
            break
        curve = max(diagonal[i] + diagonal[j] - 2 * K[i, j], flat)
        move = min((f[i] - f[j]) / curve, high[i] - beta[i], beta[j] - low[j])
        # A step to a bound must land on it: rounding would keep the example in play for ever.
        if move == high[i] - beta[i]:
            beta[i] = high[i]
        else:
            beta[i] = beta[i] + move
        if move == beta[j] - low[j]:
            beta[j] = low[j]
        else:
            beta[j] = beta[j] - move
        for t in range(len(f)):
            f[t] -= move * (K[i, t] - K[j, t])
    return _intercept(f, low, high, beta)


@compiled
def _pair(
    K: Numbers,
    diagonal: Numbers,
    f: Numbers,
    low: Numbers,
    high: Numbers,
    beta: Numbers,
    flat: float,
) -> tuple[int, int, float]:
    """Return the pair to move, and by how much the conditions are violated."""
    i = 0
    j = 0
    top = -np.inf
    bottom = np.inf
    gain = -np.inf
    for t in range(len(f)):
        if f[t] > top and beta[t] < high[t]:
            top = f[t]
            i = t
    for t in range(len(f)):
        if beta[t] > low[t]:
            bottom = min(bottom, f[t])
            ahead = top - f[t]
            if ahead > 0:
                curve = max(diagonal[i] + diagonal[t] - 2 * K[i, t], flat)
                if ahead * ahead > gain * curve:
                    gain = ahead * ahead / curve
                    j = t
    return i, j, top - bottom


@compiled
def _intercept(f: Numbers, low: Numbers, high: Numbers, beta: Numbers) -> float:
    """Return the mean of f between the bounds, as in LIBSVM, or the middle if there is none."""
    total = 0.0
    count = 0
    top = -np.inf
    bottom = np.inf
    for t in range(len(f)):
        rises = beta[t] < high[t]
        falls = beta[t] > low[t]
        if rises and falls:
            total += f[t]
            count += 1
        if rises:
            top = max(top, f[t])
        if falls:
            bottom = min(bottom, f[t])
    if count > 0:
        return total / count
    return (top + bottom) / 2
