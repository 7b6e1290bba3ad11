"""Majority votes of the nearest training examples, for all splits that test an example."""

import numpy as np

from evenfold_lab.fast.compiled._numba import Numbers, compiled

NOBODY = 0x7FFFFFFFFFFFFFFF  # farther than everyone


@compiled
def vote(
    products: Numbers,
    first: int,
    squares: Numbers,
    labels: Numbers,
    trains: Numbers,
    tests: Numbers,
    k: int,
    n_classes: int,
    low: int,
    stride: int,
    rank: int,
    out: Numbers,
) -> None:
    """
    Fill in the labels that win, for some examples of one data set.

    Parameters
    ----------
    products, squares : arrays, shapes (m, n) and (n,)
        Of examples from the ``first`` on with all others. Squared distances are the squares of both
        less twice the product.
    labels : array, shape (n,)
        Labels 0, 1, 2, ....
    trains, tests : bool arrays, shape (J, n)
        The training and test sets.
    k, n_classes : int
        Number of votes, and of labels.
    low : int
        The bits of a distance that are replaced by the number of the example, so that ties keep the
        order of the data set.
    stride, rank : int
        Candidates are no farther than the example of this rank among every ``stride``-th. If it is
        0, all are candidates.
    out : array, shape (J, n)
        Filled where tested.
    """
    J, n = trains.shape
    distances = np.empty(n)
    keys = distances.view(np.int64)
    within = np.empty(n, dtype=np.int64)
    near = np.empty(n, dtype=np.int64)
    few = np.empty(n, dtype=np.int64)
    counts = np.empty(n_classes, dtype=np.int64)
    for i in range(first, first + len(products)):
        for j in range(n):
            distances[j] = squares[i] + squares[j] - 2 * products[i - first, j]
        for j in range(n):
            keys[j] = (keys[j] & (NOBODY - low)) | j
        wanted = rank
        held = 0
        for s in range(J):
            if tests[s, i]:
                winner = -1
                while winner < 0:
                    winner = _winner(near[:held], labels, trains[s], k, low, counts)
                    if winner < 0:  # there are no candidates yet, or too few
                        held = _list_within(keys, _reach(keys, stride, few[:wanted]), within, near)
                        if 4 * wanted * stride >= n:
                            wanted = 0
                        else:
                            wanted = 4 * wanted
                out[s, i] = winner


@compiled
def _reach(keys: Numbers, stride: int, few: Numbers) -> int:
    """Return the distance of rank ``len(few)`` in a sample, keeping the smallest in order."""
    rank = len(few)
    if rank == 0:
        return NOBODY
    few[:] = NOBODY
    for j in range(0, len(keys), stride):
        key = keys[j]
        if key < few[rank - 1]:
            a = rank - 1
            while a > 0 and few[a - 1] > key:
                few[a] = few[a - 1]
                a -= 1
            few[a] = key
    return few[rank - 1]  # type: ignore[no-any-return]


@compiled
def _list_within(keys: Numbers, reach: int, within: Numbers, near: Numbers) -> int:
    """Write down the keys within reach, from near to far, and return how many they are."""
    held = 0
    for j in range(len(keys)):
        if keys[j] <= reach:
            within[held] = keys[j]
            held += 1
    for a in range(held):  # the place of each is the number of those before it: no branches
        place = 0
        for b in range(held):
            place += within[b] < within[a]
        near[place] = within[a]
    return held


@compiled
def _winner(
    near: Numbers, labels: Numbers, trains: Numbers, k: int, low: int, counts: Numbers
) -> int:
    """Return the label with most votes, the smallest of equals; −1 if there are fewer than k."""
    counts[:] = 0
    votes = 0
    for key in near:
        voter = key & low
        votes += trains[voter]
        counts[labels[voter]] += trains[voter]
        if votes == k:
            best = 0
            for c in range(1, len(counts)):
                if counts[c] > counts[best]:
                    best = c
            return best
    return -1
