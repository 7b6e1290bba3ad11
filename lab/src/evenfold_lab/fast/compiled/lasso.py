"""The lasso by coordinate descent, each model to its end, with exact steps between the sweeps."""

import numpy as np

from evenfold_lab.fast.compiled._cholesky import settle
from evenfold_lab.fast.compiled._numba import Numbers, compiled

MOST = 10  # sweeps to the next exact step, which is taken sooner if a sweep turns no sign
FLAT = 1e-10  # if a pivot is below this share of the largest diagonal element, A is singular


@compiled
def descend(grams: Numbers, moments: Numbers, alphas: Numbers, tol: float, sweeps: int) -> Numbers:
    """Minimise ½ wᵀGw − mᵀw + α|w|₁ for G (P, p, p), m (P, p) and α (P,); return the w (P, p)."""
    P, p = moments.shape
    slopes = np.zeros((P, p))
    rest = np.empty(p)
    factor = np.empty((p, p))
    active = np.empty(p, dtype=np.int64)
    target = np.empty(p)
    for k in range(P):
        gram = grams[k]
        w = slopes[k]
        _leave(gram, moments[k], w, rest)
        since = 0
        for _ in range(sweeps):
            moved, widest, turned = _sweep(gram, rest, w, alphas[k])
            if moved <= tol * widest:
                break
            since += 1
            if turned == 0 or since == MOST:
                since = 0
                _solve_active(gram, moments[k], rest, w, alphas[k], active, target, factor)
    return slopes


@compiled
def _sweep(gram: Numbers, rest: Numbers, w: Numbers, alpha: float) -> tuple[float, float, int]:
    """
    Move every slope to its own minimum; ``rest`` is m − Gw throughout.

    Return the longest step, the largest slope, and how many slopes came from 0 or went there.
    """
    p = len(w)
    moved = 0.0
    widest = 0.0
    turned = 0
    for j in range(p):
        curve = gram[j, j]
        old = w[j]
        new = 0.0
        pull = rest[j] + curve * old
        if curve > 0 and abs(pull) > alpha:
            new = (pull - alpha if pull > 0 else pull + alpha) / curve
        step = new - old
        if step != 0.0:
            for i in range(p):
                rest[i] -= gram[j, i] * step
            w[j] = new
            turned += (old == 0.0) or (new * old <= 0.0)
            moved = max(moved, abs(step))
        widest = max(widest, abs(new))
    return moved, widest, turned


@compiled
def _solve_active(
    gram: Numbers,
    moment: Numbers,
    rest: Numbers,
    w: Numbers,
    alpha: float,
    active: Numbers,
    target: Numbers,
    factor: Numbers,
) -> None:
    """Go to the minimum over the slopes that are not 0, or to where the first of them gets to 0."""
    q = 0
    for j in range(len(w)):
        if w[j] != 0.0:
            active[q] = j
            target[q] = moment[j] - (alpha if w[j] > 0 else -alpha)
            q += 1
    for a in range(q):
        row = gram[active[a]]
        for b in range(a, q):
            factor[a, b] = row[active[b]]
    rank = _eliminate(factor, target, q)
    if rank == q:
        _substitute(factor, target, q)
        _walk(w, active, target, q)
    else:
        _slide(factor, rank, w, active, target)
    _leave(gram, moment, w, rest)


@compiled
def _leave(gram: Numbers, moment: Numbers, w: Numbers, rest: Numbers) -> None:
    """Fill in m − Gw."""
    for i in range(len(w)):
        rest[i] = moment[i]
    for j in range(len(w)):
        if w[j] != 0.0:
            for i in range(len(w)):
                rest[i] -= gram[j, i] * w[j]


@compiled
def _eliminate(A: Numbers, b: Numbers, q: int) -> int:
    """
    Put R of A = RᵀR in the place of A and R⁻ᵀb in that of b.

    Return the rank, less than q if singular.
    """
    largest = 0.0
    for i in range(q):
        largest = max(largest, A[i, i])
    for i in range(q):
        settle(A, i, q)
        if A[i, i] <= FLAT * largest:
            return i
        root = 1 / np.sqrt(A[i, i])
        b[i] *= root
        A[i, i] *= root
        for j in range(i + 1, q):
            A[i, j] *= root
            b[j] -= A[i, j] * b[i]
    return q


@compiled
def _substitute(R: Numbers, b: Numbers, q: int) -> None:
    """Put R⁻¹b in the place of b."""
    for i in range(q - 1, -1, -1):
        total = b[i]
        for j in range(i + 1, q):
            total -= R[i, j] * b[j]
        b[i] = total / R[i, i]


@compiled
def _walk(w: Numbers, active: Numbers, target: Numbers, q: int) -> None:
    """Move slopes to their targets, all by one share of the way so that none changes its sign."""
    share = 1.0
    last = -1
    for a in range(q):
        old = w[active[a]]
        if old * target[a] < 0 and old / (old - target[a]) < share:
            share = old / (old - target[a])
            last = active[a]
    for a in range(q):
        j = active[a]
        if last < 0:
            w[j] = target[a]
        else:
            w[j] = w[j] + share * (target[a] - w[j])
    if last >= 0:
        w[last] = 0.0


@compiled
def _slide(R: Numbers, rank: int, w: Numbers, active: Numbers, v: Numbers) -> None:
    """
    Move to where a slope becomes 0, in a direction that keeps the fit and adds no penalty.

    The feature of that rank depends on those before it: v is −R⁻¹ times its column, and 1 for
    itself.
    """
    for a in range(rank):
        v[a] = -R[a, rank]
    _substitute(R, v, rank)
    v[rank] = 1.0
    gain = 0.0
    for a in range(rank + 1):
        gain -= v[a] if w[active[a]] > 0 else -v[a]
    if gain >= 0:
        way = 1.0
    else:
        way = -1.0
    nearest = np.inf
    for a in range(rank + 1):
        ahead = way * v[a] * w[active[a]]
        if ahead < 0:
            nearest = min(nearest, -(w[active[a]] ** 2) / ahead)
    for a in range(rank + 1):
        v[a] = w[active[a]] + (2 * way * nearest if nearest < np.inf else 0.0) * v[a]
    _walk(w, active, v, rank + 1)
