"""The lasso by coordinate descent, each model to its end, with exact steps between the sweeps."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.lab.fast.compiled._numba import compiled

Numbers = NDArray[Any]
MOST = 10  # sweeps to the next exact step; it is taken sooner where a sweep turns no sign
FLAT = 1e-10  # of a diagonal element: a pivot below leaves the step to the sweeps


@compiled
def descend(grams: Numbers, moments: Numbers, alphas: Numbers, tol: float, sweeps: int) -> Numbers:
    """Slopes (P, p) at the minima of ½ wᵀGw − mᵀw + α|w|₁, for G (P, p, p), m (P, p) and α (P,)."""
    P, p = moments.shape
    slopes = np.zeros((P, p))
    rest, factor = np.empty(p), np.empty((p, p))
    active, target = np.empty(p, dtype=np.int64), np.empty(p)
    for k in range(P):
        gram, w = grams[k], slopes[k]
        rest[:] = moments[k]
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
    moved, widest, turned = 0.0, 0.0, 0
    for j in range(p):
        curve, old, new = gram[j, j], w[j], 0.0
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
    p, q = len(w), 0
    for j in range(p):
        if w[j] != 0.0:
            active[q] = j
            target[q] = moment[j] - (alpha if w[j] > 0 else -alpha)
            q += 1
    for a in range(q):  # G = LLᵀ, the rows of L in turn, and L⁻¹ applied to the target on the way
        for b in range(a + 1):
            factor[b, a] = gram[active[a], active[b]]
    for b in range(q):
        pivot = factor[b, b]
        if pivot <= FLAT * gram[active[b], active[b]]:
            return
        root = 1 / np.sqrt(pivot)
        target[b] *= root
        for a in range(b, q):
            factor[b, a] *= root
        for c in range(b + 1, q):
            above = factor[b, c]
            for a in range(c, q):
                factor[c, a] -= above * factor[b, a]
            target[c] -= above * target[b]
    for b in range(q - 1, -1, -1):
        for a in range(b + 1, q):
            target[b] -= factor[b, a] * target[a]
        target[b] /= factor[b, b]
    share, last = 1.0, -1
    for a in range(q):
        old = w[active[a]]
        if old * target[a] < 0 and old / (old - target[a]) < share:
            share, last = old / (old - target[a]), a
    for a in range(q):
        j = active[a]
        w[j] = 0.0 if a == last else w[j] + share * (target[a] - w[j]) if share < 1 else target[a]
    for i in range(p):
        rest[i] = moment[i]
    for a in range(q):
        slope = w[active[a]]
        for i in range(p):
            rest[i] -= gram[active[a], i] * slope
