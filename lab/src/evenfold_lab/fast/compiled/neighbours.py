"""Majority votes of the nearest training examples, by example, for all splits that test it."""

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
        Who trains and who is tested.
    k, n_classes : int
        Votes, and labels at most.
    low : int
        The bits of a distance that give way to the number of the example, so that equals come in
        their order.
    stride, rank : int
        Candidates are those no farther than the one of this rank among every ``stride``-th; all, if
        0.
    out : array, shape (J, n)
        Filled where tested.
    """
    J, n = trains.shape
    distances = np.empty(n)
    keys = distances.view(np.int64)
    found = np.empty(n, dtype=np.int64)
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
                    if winner < 0:  # not yet candidates, or too few
                        held = _list_within(keys, _reach(keys, stride, few[:wanted]), found, near)
                        if 4 * wanted * stride >= n:
                            wanted = 0
                        else:
                            wanted = 4 * wanted
                out[s, i] = winner


@compiled
def _reach(keys: Numbers, stride: int, few: Numbers) -> int:
    """The distance of some rank in a sample: the smallest are kept in order."""
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
def _list_within(keys: Numbers, reach: int, found: Numbers, near: Numbers) -> int:
    """Write down who is no farther, from near to far; return how many."""
    held = 0
    for j in range(len(keys)):
        if keys[j] <= reach:
            found[held] = keys[j]
            held += 1
    for a in range(held):  # the place of each is the number of those before it: no branches
        place = 0
        for b in range(held):
            place += found[b] < found[a]
        near[place] = found[a]
    return held


@compiled
def _winner(
    near: Numbers, labels: Numbers, trains: Numbers, k: int, low: int, counts: Numbers
) -> int:
    """The label with most votes, the smallest of equals; −1 where there are fewer than k votes."""
    counts[:] = 0
    found = 0
    for key in near:
        voter = key & low
        found += trains[voter]
        counts[labels[voter]] += trains[voter]
        if found == k:
            best = 0
            for c in range(1, len(counts)):
                if counts[c] > counts[best]:
                    best = c
            return best
    return -1
