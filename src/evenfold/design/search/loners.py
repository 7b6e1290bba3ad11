"""
Signs of the examples that do not fit into equal blocks.

With n = q·B + r, B equal blocks overlap exactly evenly and r < B loners are left. Giving them to blocks
cannot keep the halves equal in all repetitions (by Parseval the squared differences would add up to
r(B−r)), so each loner gets a row of signs of its own: every column balanced to within one, the products of
two columns as small as found. The signs depend on r and B alone, never on the seed, and the signs for B
contain those for B/2, so that designs grow without redoing a repetition.
"""

from functools import cache

import numpy as np
from numpy.typing import NDArray

from evenfold.core.rng import stream
from evenfold.design.search.hadamard import Signs, hadamard

_SWEEPS = 12
_LOOKS = 768  # rows on either side times columns that one step looks at


@cache
def loner_signs(r: int, order: int) -> Signs:
    """Return the (r, order − 1) signs of r loners beside ``order`` blocks."""
    is_power = order & (order - 1) == 0
    if is_power and order > 4:
        parent = order // 2
        known = loner_signs(r % parent, parent)
        if r >= parent:  # the blocks had odd size: one example of each has just become a loner
            known = np.concatenate([hadamard(parent)[:, 1:], known])
    else:
        known = np.empty((r, 0), dtype=np.int8)
    return _extended(known, order - 1 - known.shape[1], stream(0, "loners", r, order))


def _extended(known: Signs, count: int, rng: np.random.Generator) -> Signs:
    """Add balanced columns, then improve each against all others until nothing gets better."""
    r, fixed = known.shape
    fresh = np.resize(np.array([1, -1], dtype=np.int8), (count, r))
    fresh = rng.permuted(fresh, axis=1).T * rng.choice(np.array([1, -1], dtype=np.int8), count)
    signs = np.concatenate([known, fresh], axis=1).astype(float)
    for _ in range(_SWEEPS if count <= 64 else 1 if count <= 256 else 0):  # beyond, chance is even enough
        changed = [_improve_column(signs, c, rng) for c in range(fixed, fixed + count)]
        if not any(changed):
            break
    return signs.astype(np.int8)


def _improve_column(signs: NDArray[np.float64], c: int, rng: np.random.Generator) -> bool:
    """Swap a + and a − of column c while that lowers the sum of fourth powers of its column products."""
    others = np.delete(signs, c, axis=1)
    product = others.T @ signs[:, c]
    changed = False
    while True:
        plus, minus = (_some(np.flatnonzero(signs[:, c] == s), signs.shape[1], rng) for s in (1, -1))
        if not (plus.size and minus.size and others.size):
            return changed
        trial = product + 2 * (others[minus][None, :, :] - others[plus][:, None, :])
        cost = (trial**4).sum(axis=2)
        p, q = np.unravel_index(cost.argmin(), cost.shape)
        if cost[p, q] >= (product**4).sum():
            return changed
        signs[plus[p], c], signs[minus[q], c] = -1, 1
        product = trial[p, q]
        changed = True


def _some(rows: NDArray[np.intp], columns: int, rng: np.random.Generator) -> NDArray[np.intp]:
    most = max(6, _LOOKS // columns)
    return rows if len(rows) <= most else rng.choice(rows, most, replace=False)
