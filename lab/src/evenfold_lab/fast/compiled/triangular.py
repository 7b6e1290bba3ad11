"""Neighbours weighted by a triangular kernel, split by split."""

import numpy as np

from evenfold_lab.fast.compiled._numba import Numbers, compiled


@compiled
def vote(
    products: Numbers,
    tested: Numbers,
    trained: Numbers,
    labels: Numbers,
    k: int,
    tiny: float,
    votes: Numbers,
    out: Numbers,
) -> None:
    """
    Fill in the heaviest label of every tested example, the smallest of equals.

    Parameters
    ----------
    products : array, shape (a, b)
        Products of the tested examples with the training examples.
    tested, trained : arrays, shapes (a,) and (b,)
        Their squares; squared distances are the squares of both less twice the product.
    labels : array, shape (b,)
        Labels of the training examples.
    k, tiny
        A neighbour at distance d weighs 1 − d/d', where d' is the distance of neighbour k + 1, but
        at least ``tiny``.
    votes, out : arrays, shapes (C,) and (a,)
        Work space, and the labels.
    """
    b = len(trained)
    near = np.empty(k + 1)
    who = np.zeros(k + 1, dtype=np.int64)  # defined even if all distances are NaN
    for i in range(len(tested)):
        near[:] = np.inf
        last = np.inf
        for j in range(b):
            square = max(tested[i] + trained[j] - 2 * products[i, j], 0.0)
            if square < last:
                a = k
                while a > 0 and near[a - 1] > square:
                    near[a], who[a] = near[a - 1], who[a - 1]
                    a -= 1
                near[a] = square
                who[a] = j
                last = near[k]
        out[i] = _heaviest(near, who, labels, tiny, votes)


@compiled
def _heaviest(near: Numbers, who: Numbers, labels: Numbers, tiny: float, votes: Numbers) -> int:
    k = len(near) - 1
    best = 0
    unit = max(np.sqrt(near[k]), tiny)
    votes[:] = 0.0
    for a in range(k):
        votes[labels[who[a]]] += max(1 - np.sqrt(near[a]) / unit, tiny)
    for c in range(1, len(votes)):
        if votes[c] > votes[best]:
            best = c
    return best
