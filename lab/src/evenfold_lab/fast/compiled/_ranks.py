"""The orders and ranks of the features of many data sets."""

import numpy as np

from evenfold_lab.fast.compiled._numba import Numbers, compiled_inline


@compiled_inline
def rank_all(
    x: Numbers, keys: Numbers, apart: np.float32, order: Numbers, rank: Numbers, tied: Numbers
) -> None:
    """Read off sorted keys the orders, the ranks, and whether values are tied."""
    for r in range(len(x)):
        for f in range(x.shape[1]):
            last = np.float32(-np.inf)
            tied[r, f] = False
            for place in range(x.shape[2]):
                i = keys[r, f, place] & 0xFFFFFFFF
                order[r, f, place] = i
                rank[r, f, i] = place
                tied[r, f] |= not x[r, f, i] > last + apart
                last = x[r, f, i]
