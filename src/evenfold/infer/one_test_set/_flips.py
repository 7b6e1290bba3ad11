"""
Exact probabilities of paired right/wrong answers (METHODS 18).

Of n examples B fixed b (A wrong, B right) and broke c (A right, B wrong); δ = P(fixed) − P(broke). Tests are
of δ ≤ δ0 against δ > δ0; the other side swaps b and c and turns the sign of δ0. A table is ordered by Tango's
score z, and what is not known beside δ0 is θ = P(fixed) + P(broke), the share of answers that differ. With d
answers that differ, d ~ Bin(n, θ) and b | d ~ Bin(d, (1 + δ0/θ)/2), and z rises with b at every d: the tables
that are at least as extreme as one are b ≥ t(d), and t(d + 1) is t(d) or t(d) + 1. So all tails at one θ
follow from one another by adding single probabilities.
"""

from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.estimate import Floats

Counts = NDArray[np.int64]

_TIED = 1e-9  # scores that differ by less are equal
_REACH = 8.0  # standard deviations: what lies beyond has a probability below 1e-14
_LEAST_SHARE = 1e-12
_NEAR = 20  # shares θ that are tried near the one that was seen,
_BEYOND = (5, 12)  # and below and above these
_CLOSER = 7  # and about the best of all
_NEARNESS = 5e-7  # error of each end of the interval that is near
_IMPOSSIBLE = 1e-200
_AT_ONCE = 2**19  # numbers that are held in memory together


def score(fixed: Any, broke: Any, n: Any, null: Any) -> Floats:
    """
    Return Tango's score statistic of δ = null (Tango 1998, Statistics in Medicine 17: 891).

    The variance is the one at the restricted maximum-likelihood estimate q of P(broke).

    Examples
    --------
    >>> round(float(score(0, 1, 100, -0.03)), 4), round(float(score(2, 9, 200, -0.02)), 4)
    (1.1724, -0.9608)
    """
    delta = -np.asarray(null, dtype=float)
    B = fixed + broke + delta * (2 * n - fixed + broke)
    root = np.sqrt(np.maximum(B * B - 8 * n * broke * delta * (1 + delta), 0.0))
    q = np.clip((B + root) / (4 * n), np.maximum(delta, 0.0), (1 + delta) / 2)
    variance = n * (2 * q - delta - delta * delta)
    excess = fixed - broke + n * delta
    excess = np.where(np.abs(excess) <= _TIED * n, 0.0, excess)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = excess / np.sqrt(np.maximum(variance, 0.0))
    return cast("Floats", np.where(excess == 0, 0.0, z)[()])


def _thresholds(n: int, null: Floats, z: Floats, d: Counts) -> Counts:
    """Return t (K, D): the fewest fixed of d that are as extreme as z; d + 1 where none are."""
    z, null = z[:, None] - _TIED * np.maximum(np.abs(z), 1.0)[:, None], null[:, None]
    fixed = d / 2 * np.ones_like(null)
    for _ in range(2):  # a fixed point: the variance hardly changes with how the d are shared out
        spread = _spread(fixed, d - fixed, n, null)
        fixed = np.clip((d + n * null + z * spread) / 2, 0.0, d)
    t = np.ceil(fixed).astype(np.int64)
    for _ in range(2 + int(d[-1])):
        short = (t <= d) & (score(np.minimum(t, d), d - np.minimum(t, d), n, null) < z)
        below = np.maximum(t - 1, 0)
        over = (t > 0) & ~short & (score(below, d - below, n, null) >= z)
        if not (short.any() or over.any()):
            break
        t = t + short - over
    return t


def _spread(fixed: Floats, broke: Floats, n: int, null: Floats) -> Floats:
    """The standard deviation of fixed − broke under the null, as the score has it."""
    delta = -null
    B = fixed + broke + delta * (2 * n - fixed + broke)
    root = np.sqrt(np.maximum(B * B - 8 * n * broke * delta * (1 + delta), 0.0))
    q = np.clip((B + root) / (4 * n), np.maximum(delta, 0.0), (1 + delta) / 2)
    return cast("Floats", np.sqrt(np.maximum(n * (2 * q - delta - delta * delta), 0.0)))


@lru_cache(maxsize=16)
def _log_factorials(n: int) -> Floats:
    return cast("Floats", special.gammaln(np.arange(1.0, n + 3)))


def null_tails(n: int, null: Floats, z: Floats, shares: Floats, delta: Floats | None = None) -> Floats:
    """
    Return P(score ≥ z) where a share of the answers differs: (K, Q) for z (K,), shares (K, Q).

    The score is about δ = null; so is the truth, unless another δ is given.
    """
    spread = np.sqrt(n * shares * (1 - shares))
    first = max(int((n * shares - _REACH * spread).min()) - 8, 0)
    last = min(int((n * shares + _REACH * spread).max()) + 12, n)
    tails = np.empty(shares.shape)
    step = max(1, _AT_ONCE // ((last - first + 1) * shares.shape[1]))
    d = np.arange(first, last + 1)
    for start in range(0, len(z), step):
        rows = slice(start, start + step)
        truth = null[rows] if delta is None else delta[rows]
        tails[rows] = _tails(n, _thresholds(n, null[rows], z[rows], d), truth, shares[rows], d)
    return tails


def _tails(n: int, t: Counts, delta: Floats, shares: Floats, d: Counts) -> Floats:
    log = _log_factorials(n)
    of_fixed = np.clip(
        (1 + delta[:, None] / shares) / 2, 0.0, 1.0
    )  # the chance that one that differs was fixed
    extreme = np.empty((*shares.shape, len(d)))
    extreme[..., 0] = _first_tail(t[:, :1], int(d[0]), of_fixed)
    extreme[..., 1:] = _steps(t, d[:-1], of_fixed, log)
    np.cumsum(extreme, axis=-1, out=extreme)
    extreme *= np.exp(_log_binomial(n, d, shares[..., None], log[n] - log[d] - log[n - d]))
    return cast("Floats", extreme.sum(axis=-1))


def _first_tail(t: Counts, d: int, of_fixed: Floats) -> Floats:
    inside = special.betainc(np.clip(t, 1, d + 1), np.maximum(d - t + 1, 1), of_fixed)
    return np.where(t <= 0, 1.0, np.where(t > d, 0.0, inside))


def _steps(t: Counts, d: Counts, of_fixed: Floats, log: Floats) -> Floats:
    """What P(b ≥ t(d)) changes by from each d to the next."""
    stays = t[:, 1:] == t[:, :-1]
    k = t[:, :-1] - stays  # the one count of fixed that crosses the threshold
    possible = (k >= 0) & (k <= d)
    k = np.clip(k, 0, d)
    ways = np.where(possible, log[d] - log[k] - log[d - k], -np.inf)
    p = of_fixed[..., None]
    single = np.exp(_log_binomial(d, k[:, None, :], p, ways[:, None, :]))
    single *= np.where(stays[:, None, :], p, p - 1)
    return single


def _log_binomial(n: Counts | int, k: Counts, p: Floats, ways: Floats) -> Floats:
    """Log of the probability of k of n; ``ways`` is the log of their number."""
    with np.errstate(divide="ignore", invalid="ignore"):
        yes = k * np.log(p)
        no = (n - k) * np.log1p(-p)
    if not (p.min() > 0 and p.max() < 1):  # 0·log 0 is 0
        yes = np.where(k == 0, 0.0, yes)
        no = np.where(n == k, 0.0, no)
    return ways + yes + no


def pvalues(fixed: Floats, broke: Floats, n: int, null: Floats) -> Floats:
    """
    Return sup over θ of P(score ≥ what was seen) where δ = null; all (K,) but n.

    Examples
    --------
    >>> zero, margin = np.zeros(1), np.full(1, -0.03)
    >>> round(float(pvalues(zero, zero, 100, margin)[0]), 4)  # .97 to the power of 100
    0.0476
    """
    return worst_tails(n, null, score(fixed, broke, n, null), fixed + broke)


def worst_tails(n: int, null: Floats, z: Floats, differ: Floats) -> Floats:
    """Return sup over θ of P(score ≥ z) where δ = null; ``differ`` says which θ are possible at all."""
    angles, groups = _tried(differ, n, null)
    tails = np.empty(angles.shape)
    for group in groups:
        tails[:, group] = _at_angles(n, null, z, angles[:, group])
    best = tails.argmax(axis=1)
    found = tails.max(axis=1)
    for group in groups:
        rows = np.flatnonzero((best >= group.start) & (best < group.stop))
        if len(rows):
            closer = _between(angles[rows], best[rows])
            found[rows] = np.maximum(found[rows], _top(_at_angles(n, null[rows], z[rows], closer)))
    return cast("Floats", np.minimum(found, 1.0))


def _tried(differ: Floats, n: int, null: Floats) -> tuple[Floats, list[slice]]:
    """
    Return the shares θ to try, as angles (K, Q) in rising order, and which of them to try together.

    Most are near the share that was seen. Shares so large that so few answers that differ would have a
    probability below 1e-200 are left out, which costs as much (Berger & Boos 1994): near 1 single tables
    weigh more than elsewhere.
    """
    low = special.betaincinv(np.maximum(differ, 1), n - differ + 1, _NEARNESS) * (differ > 0)
    least = np.maximum(np.abs(null), _LEAST_SHARE)
    low = np.maximum(low, least)
    high = np.maximum(_largest_share(differ, n, _NEARNESS), low)
    most = np.maximum(_largest_share(differ, n, _IMPOSSIBLE), high)
    below, above = _BEYOND
    parts = [
        _from_to(least, low, below + 1)[:, :-1],
        _from_to(low, high, _NEAR),
        _from_to(high, most, above + 1)[:, 1:],
    ]
    near = below + _NEAR
    # far shares have far numbers of answers that differ: each is tried by itself
    groups = [slice(0, near), *(slice(near + k, near + k + 1) for k in range(above))]
    return np.concatenate(parts, axis=1), groups


def _largest_share(differ: Floats, n: int, error: float) -> Floats:
    """Clopper and Pearson's upper limit of θ, at this error."""
    rest = special.betaincinv(np.maximum(n - differ, 1), differ + 1, error)
    known = np.nan_to_num(rest)  # scipy has no answer where it is as good as 0
    return cast("Floats", np.where(differ < n, 1 - known, 1.0))


def _from_to(low: Any, high: Any, points: int) -> Floats:
    """Shares as angles, on which scale a share has the same standard error everywhere."""
    start, end = (np.arcsin(np.sqrt(np.minimum(share, 1.0)))[:, None] for share in (low, high))
    return cast("Floats", start + (end - start) * np.linspace(0.0, 1.0, points))


def _between(angles: Floats, best: NDArray[np.intp]) -> Floats:
    """Angles from the one before the best to the one after it."""
    rows = np.arange(len(best))
    start = angles[rows, np.maximum(best - 1, 0)][:, None]
    end = angles[rows, np.minimum(best + 1, angles.shape[1] - 1)][:, None]
    return cast("Floats", start + (end - start) * np.linspace(0.0, 1.0, _CLOSER))


def _at_angles(n: int, null: Floats, z: Floats, angles: Floats) -> Floats:
    shares = np.minimum(np.sin(angles) ** 2, 1.0)
    return null_tails(n, null, z, np.maximum(shares, np.abs(null)[:, None]))


def _top(tails: Floats) -> Floats:
    """The largest of a row of tails, or the top of the parabola through it and its neighbours."""
    rows = np.arange(len(tails))
    best = np.clip(tails.argmax(axis=1), 1, tails.shape[1] - 2)
    left = tails[rows, best - 1]
    top = tails[rows, best]
    right = tails[rows, best + 1]
    bend = left - 2 * top + right
    inside = (bend < 0) & (np.maximum(left, right) <= top)
    with np.errstate(divide="ignore", invalid="ignore"):
        vertex = top - (left - right) ** 2 / (8 * bend)
    return cast("Floats", np.where(inside, vertex, tails.max(axis=1)))
