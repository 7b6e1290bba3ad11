"""
P(ν_B − ν_A > Δ) for two independent scores, by quadrature of the two densities on the logit scale.

A score is ν = expit(L + c) with expit(L) ~ Be(a, b): c = 0 for precision and recall; c = ln 2 for F1, since
F1 = 2/(2 + B') with B' = (1 − V)/V and V ~ Be(a, b) means logit F1 = logit V + ln 2.

On the logit scale every Beta density is analytic and log-concave with exponential tails, whatever its
shapes, so the only question is where to put the nodes: both densities give breakpoints that follow their
width and their tails, and between breakpoints a Gauss–Legendre rule is exact to rounding. With Δ > 0 the
variable is t = logit(ν_A/(1 − Δ)), in which both ends of the allowed range are exponential tails again.
Densities are taken relative to their peak and normalised by the same rule: nothing of the order of the counts
is ever subtracted.
"""

import math
from functools import cache
from typing import cast

import numpy as np
from numpy.polynomial import legendre
from scipy import special

from evenfold.core.estimate import Floats

_ORDER = 24  # nodes per panel
_REACH = np.array([3.0, 8.2])  # breakpoints, in standard deviations; exp(−8.2²/2) = 2.5e-15
_TAIL = np.array([2.0, 8.0, 20.0])  # breakpoints in a tail that falls like exp(−t)
_ROWS = 64  # tables per pass: the working arrays stay in the cache
_LARGEST_EXPONENT = 700.0


def _rule(order: int) -> tuple[Floats, Floats, Floats]:
    """Nodes and weights on [0, 2], and C with f·C·g = ∫ g(x) ∫_0^x f(y) dy dx on node values."""
    x, w = legendre.leggauss(order)
    degrees = np.arange(order)
    values = legendre.legvander(x, order)
    integrals = np.empty((order, order))
    integrals[:, 0] = x + 1
    integrals[:, 1:] = (values[:, 2:] - values[:, : order - 1]) / (2 * degrees[1:] + 1)
    coefficients = (values[:, :order] * w[:, None] * (degrees + 0.5)).T
    return x + 1, w, (w[:, None] * (integrals @ coefficients)).T


_NODES, _WEIGHTS, _CUMULATE = _rule(_ORDER)


def exceedance(shapes: Floats, *, margin: Floats, shift: float) -> Floats:
    """
    P(ν_B − ν_A > margin), to an absolute error below 1e-10.

    Parameters
    ----------
    shapes : array of shape (2, 2, n)
        Shapes a (first) and b (second) of the Beta distributions of A (first) and B (second).
    margin : array of shape (n,)
        The Δ of each comparison, in (−1, 1).
    shift : float
        The c of the score: 0, or ln 2 for F1.
    """
    moved = bool(margin.any())
    if moved and margin.min() < 0:
        # P(ν_B − ν_A > −Δ) = 1 − P(ν_A − ν_B > Δ): exchange A and B, so that the margin is never negative
        swap = margin < 0
        p = exceedance(np.where(swap, shapes[:, ::-1], shapes), margin=np.abs(margin), shift=shift)
        return np.where(swap, 1 - p, p)
    reach = _reach(_extra(shapes))
    p = np.empty(margin.shape)
    for start in range(0, len(margin), _ROWS):
        rows = slice(start, start + _ROWS)
        ab, delta = shapes[..., rows, None], margin[rows, None]
        p[rows] = _with_margin(ab, delta, shift, reach) if moved else _without_margin(ab, reach)
    return p


def mean(shapes: Floats, *, shift: float) -> Floats:
    """E ν of scores with shapes a (first) and b (second), of shape (2, n)."""
    ab = shapes[..., None]
    half, s = _panels(_breakpoints(ab, shift, _reach(_extra(shapes))))
    f = half * _curve(ab, s, shift)
    answer: Floats = _integral(f * special.expit(s)) / _integral(f)
    return answer


def _extra(shapes: Floats) -> int:
    """How often the nearest breakpoint is halved, because a tail exp(−as) with a ≪ 1 is 1/a wide."""
    return max(0, math.ceil(math.log2(_REACH[0] / (3 * math.sqrt(shapes.min(initial=1.0))))))


@cache
def _reach(extra: int) -> Floats:
    """Distances of the breakpoints from the centre: in bell widths, in left tails, in right tails."""
    right = np.concatenate([_REACH[0] * 0.5 ** np.arange(extra, 0, -1), _REACH])
    bell = np.concatenate([-right[::-1], [0.0], right])
    tail = 0.5 * bell * np.abs(bell)
    return np.stack([np.minimum(tail, 0.0), np.maximum(tail, 0.0), bell])


def _without_margin(ab: Floats, reach: Floats) -> Floats:
    """P(ν_B > ν_A) of one pass, where no shift matters; ab of shape (2, 2, rows, 1)."""
    points = _breakpoints(ab, 0.0, reach)
    half, s = _panels(_sorted(points[0], points[1]))
    f = half * _curve(ab, s, 0.0)
    masses = f @ _WEIGHTS
    return _joint(f, masses, masses.sum(axis=-1))


def _with_margin(ab: Floats, margin: Floats, shift: float, reach: Floats) -> Floats:
    """P(ν_B − ν_A > margin ≥ 0) of one pass; margin of shape (rows, 1)."""
    points = _breakpoints(ab, shift, reach)
    half, s = _panels(points)  # both densities whole, since the margin may cut them off below
    total = _integral(half * _curve(ab, s, shift))
    with np.errstate(divide="ignore"):  # log 0 = −∞: no margin, or a breakpoint right at the end
        half, t = _panels(_edges(points, margin))
        s, slope = _logits_of_t(t, margin[..., None])
    f = half * _curve(ab, s, shift) * slope
    return _joint(f, f @ _WEIGHTS, total)


def _joint(f: Floats, masses: Floats, total: Floats) -> Floats:
    """∫ f_B·F_A from the node values of both densities, their masses in each panel and in all."""
    below = masses[0].cumsum(axis=-1) - masses[0]
    joint = (below * masses[1]).sum(axis=-1) + ((f[0] @ _CUMULATE) * f[1]).sum(axis=(-1, -2))
    p: Floats = np.minimum(np.maximum(joint / (total[0] * total[1]), 0.0), 1.0)
    return p


def _breakpoints(ab: Floats, shift: float, reach: Floats) -> Floats:
    """Points on the logit scale between which a density bends little."""
    # The bend is where it would be with shapes of at least 1; below 1 only the tails exp(as), exp(−bs) grow.
    a, b = np.maximum(ab, 1.0)
    ratio = a / b
    points: Floats = np.log(ratio) + np.sqrt((1 + ratio) / a) * reach[2] + reach[0] / ab[0] + reach[1] / ab[1]
    return points + shift if shift else points


def _sorted(*points: Floats) -> Floats:
    """All breakpoints of a table in one ascending row."""
    row = np.concatenate(points, axis=-1)
    row.sort(axis=-1)
    return row


def _edges(points: Floats, margin: Floats) -> Floats:
    """Breakpoints on the t scale, where each density may be cut off by an end of the allowed range."""
    a_points, b_points = -_t_of_logit(-points[0], margin), _t_of_logit(points[1], margin)
    a_tail = a_points.max(axis=-1, keepdims=True) + _TAIL
    b_tail = b_points.min(axis=-1, keepdims=True) - _TAIL
    low, high = a_points[:, :1], b_points[:, -1:]  # below it F_A = 0, above it f_B = 0
    low, high = np.where(low < high, low, 0.0), np.where(low < high, high, 0.0)
    return np.minimum(np.maximum(_sorted(a_points, b_points, a_tail, b_tail), low), high)


def _panels(edges: Floats) -> tuple[Floats, Floats]:
    """Half the width of each panel, (..., panels, 1), and its nodes, (..., panels, nodes)."""
    low = edges[..., :-1, None]
    half = 0.5 * (edges[..., 1:, None] - low)
    return half, low + half * _NODES


def _integral(f: Floats) -> Floats:
    """Integral of node values that hold the half width of their panel."""
    total: Floats = (f @ _WEIGHTS).sum(axis=-1)
    return total


def _t_of_logit(s: Floats, margin: Floats) -> Floats:
    """
    The t at which ν_B has logit s: e^t = |(1 − Δ)·e^s − Δ|.

    Without the bars it would be undefined for ν_B < Δ. A point beyond the end is reflected instead: a density
    that is cut off bends as near to the end inside as it does outside.
    """
    inner, outer = s + np.log1p(-margin), np.log(margin)
    return cast("Floats", np.maximum(inner, outer) + np.log(-np.expm1(-np.abs(inner - outer))))


def _logits_of_t(t: Floats, margin: Floats) -> tuple[Floats, Floats]:
    """Logits of ν_A = (1 − Δ)·expit(t) and of ν_B = ν_A + Δ, and their derivatives in t."""
    # logit ν_B = ln((e^t + Δ)/(1 − Δ)), and the mirror image for A
    both, log_margin = np.stack([-t, t]), np.log(margin)
    s = np.logaddexp(both, log_margin) - np.log1p(-margin)
    s[0] *= -1
    return s, special.expit(both - log_margin)


def _curve(ab: Floats, s: Floats, shift: float) -> Floats:
    """Density over its peak at the logits ``s``, on the logit scale; ab has one axis less than its s."""
    # With d = s − mode and n = a + b, ln f(d) − ln f(0) = a·d − n·ln(1 + (a/n)(e^d − 1)), and the same with
    # −d and b. The form with the smaller shape c loses no digits when the larger one is huge.
    a, b = ab[..., None]
    n, c = a + b, np.minimum(a, b)
    d = (s - (np.log(a / b) + shift)) * np.copysign(1.0, b - a)
    near = np.minimum(d, _LARGEST_EXPONENT)
    log_f: Floats = c * d - n * (np.log1p(np.expm1(near) * (c / n)) + (d - near))
    return np.exp(log_f, out=log_f)
