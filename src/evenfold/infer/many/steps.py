"""Adjustments that look at the order of the p-values only."""

import numpy as np

from evenfold.core.estimate import Floats
from evenfold.infer.many._adjustments import (
    ADJUSTMENTS,
    Adjustment,
    step_down,
    step_up,
    stepping_down,
)

_ALWAYS = "whatever the dependence of the tests"
_POSITIVE = (
    "if the p-values are independent or positively dependent; with negative dependence, as differences of "
    "several algorithms may have, it is liberal at worst by a small amount"
)


def _left(p: Floats) -> Floats:
    """How many tests are left at each step: k, k − 1, …, 1."""
    return np.arange(p.shape[-1], 0, -1, dtype=float)


def _all(p: Floats) -> Floats:
    """All k tests, at each step."""
    return np.full_like(p, p.shape[-1])


def _powers(p: Floats) -> Floats:
    """Exponents k/i of Finner's steps."""
    k = p.shape[-1]
    return np.asarray(k / np.arange(1, k + 1))


def _finner(p: Floats) -> Floats:
    # 1 − (1 − p)^(k/i), without loss of digits where p is small
    with np.errstate(divide="ignore"):
        return step_down(p, lambda q: -np.expm1(_powers(q) * np.log1p(-q)))


def _hommel(p: Floats) -> Floats:
    """
    Hommel's adjusted p-values: Simes' test closed over all intersections, by Wright's algorithm (1992).

    For every size s of an intersection the smallest Simes p-value that one of that size with p_i can have.
    """
    order = np.argsort(p, axis=-1, kind="stable")
    q = np.take_along_axis(p, order, axis=-1)
    k = p.shape[-1]
    rank = np.arange(1, k + 1)
    found = np.broadcast_to((k * q / rank).min(axis=-1, keepdims=True), q.shape).copy()
    floor = found.copy()
    for s in range(k - 1, 1, -1):
        first = k - s + 1  # those tests that are not among the s − 1 largest
        among = (s * q[..., first:] / np.arange(2, s + 1)).min(axis=-1, keepdims=True)
        floor[..., :first] = np.minimum(s * q[..., :first], among)
        floor[..., first:] = floor[..., first - 1 : first]
        found = np.maximum(found, floor)
    found = np.minimum(np.maximum(found, q), 1.0)
    adjusted = np.empty_like(p)
    np.put_along_axis(adjusted, order, found, axis=-1)
    return adjusted


HOLM = stepping_down("holm", "Holm's adjustment", _ALWAYS, _left)
BONFERRONI = stepping_down("bonferroni", "Bonferroni's adjustment", _ALWAYS, _all)
HOCHBERG = Adjustment(
    key="hochberg",
    words="Hochberg's adjustment",
    why=_POSITIVE,
    rule=lambda p: step_up(p, lambda q: q * _left(q)),
)
HOMMEL = Adjustment(key="hommel", words="Hommel's adjustment", why=_POSITIVE, rule=_hommel)
FINNER = Adjustment(
    key="finner",
    words="Finner's adjustment",
    why=_POSITIVE,
    rule=_finner,
    share_of=lambda k, level: float(-np.expm1(np.log1p(-level) / k)),
)
NONE = stepping_down(
    "none",
    "no adjustment",
    "for each test by itself, not for the family",
    np.ones_like,
    share_of=lambda _, level: level,
    shares=False,
)
for _one in (HOLM, BONFERRONI, HOCHBERG, HOMMEL, FINNER, NONE):
    ADJUSTMENTS.add(_one.key, _one)
