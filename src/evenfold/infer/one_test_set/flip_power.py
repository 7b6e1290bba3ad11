"""How often the exact test of right/wrong answers finds a difference: by enumeration of all tables."""

from functools import lru_cache

import numpy as np
from scipy import special

from evenfold.core.checks import fraction, integer, number, refuse
from evenfold.infer._inputs import hypothesis
from evenfold.infer.one_test_set._flip_limits import MOST_EXACT
from evenfold.infer.one_test_set._flips import null_tails, worst_tails

_PARTS = 24
_ROUNDS = 3
_HIGHEST = 10.0  # a score that no level asks for
_REACH = 4.0  # standard deviations of the number of answers that differ


def tango_power(
    difference: float,
    *,
    n: int,
    differ: float,
    null: float = 0.0,
    level: float = 0.05,
    alternative: str = "two-sided",
) -> float:
    """
    Power of ``tango-exact``: the chance that it finds a difference, before any answer is there.

    Parameters
    ----------
    difference : float
        The true δ = P(fixed) − P(broke), the accuracy of B less that of A.
    n : int
        Examples.
    differ : float
        The share of answers that one model gets right and the other wrong; at least the difference.
    null : float, default 0
        The difference that is tested, −Δ for "not worse by Δ".
    level, alternative
        Of the test.

    Returns
    -------
    float
        The sum of the probabilities of all tables that the test rejects.

    Notes
    -----
    Where some hundred answers differ on average the test is Tango's normal one, and so is its power.

    Examples
    --------
    A drop of two points among 1319 answers of which 4 % differ, at 1 % false alarms:

    >>> import evenfold as ef
    >>> round(ef.infer.tango_power(-0.02, n=1319, differ=0.04, level=0.01, alternative="less"), 3)
    0.922
    """
    n = integer("n", n, low=1)
    difference = number("difference", difference, low=-1, high=1)
    share = number("differ", differ, low=0, high=1)
    if share < abs(difference):
        refuse("differ", f"at least the difference, {abs(difference):g}", share)
    null, side = hypothesis(null, alternative)
    if not -1 < null < 1:
        refuse("null", "a difference of two shares, above −1 and below 1", null)
    error = fraction("level", level) / (2 if side == "two-sided" else 1)
    above = 0.0 if side == "less" else _rejects(n, null, error, difference, share)
    below = 0.0 if side == "greater" else _rejects(n, -null, error, -difference, share)
    return above + below


def _rejects(n: int, null: float, error: float, delta: float, share: float) -> float:
    """The chance that δ ≤ null is rejected."""
    if share == 0:  # no answer differs, for sure
        share = 1e-12
    z = critical_score(n, null, error, share)
    at = np.array([null]), np.array([z]), np.array([[share]]), np.array([delta])
    return float(null_tails(n, *at)[0, 0])


@lru_cache(maxsize=1024)
def critical_score(n: int, null: float, error: float, share: float) -> float:
    """Return the score from which on the test rejects, where about such a share of the answers differs."""
    most = n * share + _REACH * np.sqrt(n * share * (1 - share)) + _REACH
    if n * share > MOST_EXACT:
        return float(-special.ndtri(error))
    low = 0.0
    high = _HIGHEST
    differ = np.full(_PARTS - 1, min(float(np.ceil(most)), float(n)))
    for _ in range(_ROUNDS):
        points = np.linspace(low, high, _PARTS + 1)
        small = worst_tails(n, np.full(_PARTS - 1, null), points[1:-1], differ) <= error
        k = int(np.argmax([*small, True]))
        low = float(points[k])
        high = float(points[k + 1])
    return high
