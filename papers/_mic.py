"""
The maximal information coefficient (Reshef et al. 2011).

minepy, the one library that has it, does not build on the Pythons of today (its issues 45 and 46),
and is under the GPL. What is needed here is short. As in Reshef's ApproxMaxMI one side of a grid is
filled equally, the other is chosen by dynamic programming; here over all cuts, where theirs joins
examples to superclumps.
"""

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import xlogy

Floats = NDArray[np.float64]


def maximal_information(X: Floats, y: Floats) -> Floats:
    """
    MIC of each column of X with y: a scorer for ``SelectKBest``.

    Models on one training set share it.
    """
    columns = np.ascontiguousarray(np.asarray(X, dtype=float).T)
    return np.array(_of_columns(columns.tobytes(), np.asarray(y, dtype=float).tobytes()))


@lru_cache(maxsize=512)
def _of_columns(columns: bytes, y: bytes) -> tuple[float, ...]:
    target = np.frombuffer(y)
    return tuple(mic(x, target) for x in np.frombuffer(columns).reshape(-1, len(target)))


def mic(x: Floats, y: Floats, alpha: float = 0.6) -> float:
    """
    The largest mutual information of a grid, over the logarithm of the shorter side of the grid.

    Grids have at most n^alpha cells; one side has equally many examples in each row, the other is
    the best.
    """
    cells = max(len(x) ** alpha, 4.0)
    return max(_one_way(x, y, cells), _one_way(y, x, cells))


def _one_way(x: Floats, y: Floats, cells: float) -> float:
    """Rows by y, equally filled; columns by x, the best."""
    best = 0.0
    for rows in range(2, int(cells // 2) + 1):
        row = equal_rows(y, rows)
        for columns, information in enumerate(best_columns(x, row, int(cells // rows)), start=2):
            best = max(best, information / np.log(min(rows, columns)))
    return best


def equal_rows(y: Floats, rows: int) -> NDArray[np.intp]:
    """The row of each example: as equally filled as equal values, which stay together, allow."""
    values, which, counts = np.unique(y, return_inverse=True, return_counts=True)
    row = np.zeros(len(values), dtype=np.intp)
    at, filled, left = 0, 0, len(y)
    for i, count in enumerate(counts):
        wanted = left / (rows - at)
        if filled and abs(filled + count - wanted) >= abs(filled - wanted) and at < rows - 1:
            left, at, filled = left - filled, at + 1, 0
        row[i], filled = at, filled + count
    return row[which]


def best_columns(x: Floats, row: NDArray[np.intp], most: int) -> list[float]:
    """The largest information of 2, 3, ..., ``most`` columns, by dynamic programming over x."""
    n = len(x)
    values, which = np.unique(x, return_inverse=True)
    counts = np.zeros((len(values) + 1, row.max() + 1))
    np.add.at(counts, (which + 1, row), 1)
    before = counts.cumsum(axis=0)  # by cut and row, how many lie below
    inside = before[None, :, :] - before[:, None, :]
    total = inside.sum(axis=-1)
    gain = (
        xlogy(inside, np.maximum(inside, 1)).sum(axis=-1) - xlogy(total, np.maximum(total, 1))
    ) / n
    # of the column between two cuts: −n_c/n · H(row | column)
    gain = np.where(total > 0, gain, -np.inf)
    share = before[-1] / n
    entropy = -float(xlogy(share, share).sum())
    reach, found = gain[0], []
    for _ in range(2, most + 1):
        reach = np.max(reach[:, None] + gain, axis=0)
        found.append(max(0.0, entropy + float(reach[-1])))
    return found
