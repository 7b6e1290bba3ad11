"""
P-values and confidence limits of δ = P(fixed) − P(broke) that agree with each other (METHODS 18).

The p-value of δ ≤ δ0 is not monotone in δ0, because tables overtake one another. Taken is the largest at δ0
or below: at points whose scores are multiples of .1 or .05, the same ones for all questions about a table, so
that the limit of an interval is where the p-value crosses its level.
"""

from functools import lru_cache
from typing import Any, cast

import numpy as np
from scipy import special

from evenfold.core.estimate import Floats
from evenfold.infer.one_test_set._flips import pvalues, score

MOST_EXACT = 1000  # answers that differ; beyond, the normal law takes over: its error is at most .052 at .05

_FEW = 300  # examples up to which single tables weigh so much that p-values are looked at more closely
_FURTHER = 2.0  # how far below a null, in scores: p-values there are smaller by a factor of 50 or more
_PARTS = 8
_ROUNDS = 4  # each divides what is left of the way between two points into parts
_BISECTIONS = 40
_SAME = 1e-12
_END = 1e-9  # nearer to the end of the range a limit is the end


def upper_pvalue(fixed: int, broke: int, n: int, null: float) -> float:
    """Return the p-value of δ ≤ null against δ > null."""
    if fixed + broke > MOST_EXACT:
        return float(special.ndtr(-score(fixed, broke, n, null)))
    return _exact_pvalue(fixed, broke, n, null)


def lower_limit(fixed: int, broke: int, n: int, error: float, null: float) -> float:
    """Return the smallest δ that a test at level ``error`` does not reject; ``null`` is on its right side."""
    if fixed + broke > MOST_EXACT:
        return float(_where_score(fixed, broke, n, np.array([-special.ndtri(error)]))[0])
    limit = _exact_limit(fixed, broke, n, error)
    p = _exact_pvalue(fixed, broke, n, null)
    if abs(p - error) <= _SAME * error:  # the interval at 1 − p ends at the null
        return null
    if p > error:
        return min(limit, null)
    return max(limit, float(np.nextafter(null, np.inf)))


@lru_cache(maxsize=4096)
def _exact_pvalue(fixed: int, broke: int, n: int, null: float) -> float:
    z = float(score(fixed, broke, n, null))
    step = _step(n)
    first = int(np.ceil(z / step))
    points = np.arange(first, first + round(_FURTHER / step)) * step
    below = _where_score(fixed, broke, n, points)
    nulls = np.array([null, *below[below < null]])
    return float(_at(fixed, broke, n, nulls).max())


@lru_cache(maxsize=4096)
def _exact_limit(fixed: int, broke: int, n: int, error: float) -> float:
    """Go through the points from below until a p-value is above ``error``, then between the last two."""
    step = _step(n)
    first = int(np.ceil((-special.ndtri(error) + _FURTHER) / step))
    last = -1.0
    for start in range(first, -first - 2 * _PARTS, -_PARTS):
        points = _where_score(fixed, broke, n, np.arange(start, start - _PARTS, -1) * step)
        above = np.flatnonzero(_at(fixed, broke, n, points) > error)
        if len(above):
            low = last if above[0] == 0 else float(points[above[0] - 1])
            return _crossing(fixed, broke, n, error, low, float(points[above[0]]))
        last = float(points[-1])
    return _crossing(fixed, broke, n, error, last, 1.0)


def _step(n: int) -> float:
    """How far apart the scores are at which p-values are looked at."""
    return 0.05 if n <= _FEW else 0.1


def _crossing(fixed: int, broke: int, n: int, error: float, low: float, high: float) -> float:
    """Return the first δ between two at which the p-value is above ``error``; at ``high`` it is."""
    for _ in range(_ROUNDS):
        points = np.linspace(low, high, _PARTS + 1)
        above = _at(fixed, broke, n, points[1:-1]) > error
        k = int(np.argmax([*above, True]))
        low = float(points[k])
        high = float(points[k + 1])
    return high if high > -1 + _END else -1.0


def _at(fixed: int, broke: int, n: int, nulls: Floats) -> Floats:
    ones = np.ones_like(nulls)
    return pvalues(fixed * ones, broke * ones, n, nulls)


def _where_score(fixed: int, broke: int, n: int, scores: Any) -> Floats:
    """Return the δ at which the score has these values; it falls as δ rises."""
    low = np.full(len(scores), -1.0)
    high = np.ones(len(scores))
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        short = score(fixed, broke, n, middle) > scores
        low = np.where(short, middle, low)
        high = np.where(short, high, middle)
    return cast("Floats", high)
