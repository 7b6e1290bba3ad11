"""
Exact probabilities of paired right/wrong answers (Tango 1998; docs/infer/holdout).

Of n examples B fixed b (A wrong, B right) and broke c (A right, B wrong); δ = P(fixed) − P(broke).
Tests are of δ ≤ δ0 against δ > δ0; the other side swaps b and c and turns the sign of δ0. A table
is ordered by Tango's score z, and what is not known beside δ0 is θ = P(fixed) + P(broke), the share
of answers that differ. With d answers that differ, d ~ Bin(n, θ) and b | d ~ Bin(d, (1 + δ0/θ)/2),
and z rises with b at every d: the tables that are at least as extreme as one are b ≥ t(d), and t(d
+ 1) is t(d) or t(d) + 1. So all tails at one θ follow from one another by adding single
probabilities.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.checks import fraction, integer, number, one_of, refuse
from evenfold.core.estimate import Estimand, Estimate, Floats, Normal, TestEstimate, pvalue
from evenfold.core.rng import stream
from evenfold.infer._arrays import hypothesis, mean_and_variance
from evenfold.infer._base import Answer, method
from evenfold.infer._registry import ONE_SPLIT
from evenfold.infer.inputs import Answers, Discordant
from evenfold.infer.one_test_set.areas import (
    OrderEstimate,
    answer_from_draws,
    check_draws,
    draw_means,
    of_draws,
    subsets,
    weight_batches,
)

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
    z = z[:, None] - _TIED * np.maximum(np.abs(z), 1.0)[:, None]
    null = null[:, None]
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


def null_tails(
    n: int, null: Floats, z: Floats, shares: Floats, delta: Floats | None = None
) -> Floats:
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
        if delta is None:
            truth = null[rows]
        else:
            truth = delta[rows]
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
    """
    Return sup over θ of P(score ≥ z) where δ = null.

    ``differ`` says which θ are possible at all.
    """
    angles, groups = _shares_to_try(differ, n, null)
    tails = np.empty(angles.shape)
    for group in groups:
        tails[:, group] = _tails_at_angles(n, null, z, angles[:, group])
    best = tails.argmax(axis=1)
    found = tails.max(axis=1)
    for group in groups:
        rows = np.flatnonzero((best >= group.start) & (best < group.stop))
        if len(rows):
            closer = _angles_around_best(angles[rows], best[rows])
            found[rows] = np.maximum(
                found[rows], _peak_of_tails(_tails_at_angles(n, null[rows], z[rows], closer))
            )
    return cast("Floats", np.minimum(found, 1.0))


def _shares_to_try(differ: Floats, n: int, null: Floats) -> tuple[Floats, list[slice]]:
    """
    Return the shares θ to try, as angles (K, Q) in rising order, and which of them to try together.

    Most are near the share that was seen. Shares so large that so few answers that differ would
    have a probability below 1e-200 are left out, which costs as much (Berger & Boos 1994): near 1
    single tables weigh more than elsewhere.
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


def _angles_around_best(angles: Floats, best: NDArray[np.intp]) -> Floats:
    """Angles from the one before the best to the one after it."""
    rows = np.arange(len(best))
    start = angles[rows, np.maximum(best - 1, 0)][:, None]
    end = angles[rows, np.minimum(best + 1, angles.shape[1] - 1)][:, None]
    return cast("Floats", start + (end - start) * np.linspace(0.0, 1.0, _CLOSER))


def _tails_at_angles(n: int, null: Floats, z: Floats, angles: Floats) -> Floats:
    shares = np.minimum(np.sin(angles) ** 2, 1.0)
    return null_tails(n, null, z, np.maximum(shares, np.abs(null)[:, None]))


def _peak_of_tails(tails: Floats) -> Floats:
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


# answers that differ; beyond, the normal law takes over: its error is at most .052 at .05
MOST_EXACT = 1000

# examples up to which single tables weigh so much that p-values are looked at more closely
_FEW = 300
# how far below a null, in scores: p-values there are smaller by a factor of 50 or more
_FURTHER = 2.0
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
    """
    Return the smallest δ that a test at level ``error`` does not reject.

    ``null`` is on its right side.
    """
    if fixed + broke > MOST_EXACT:
        return float(_difference_of_score(fixed, broke, n, np.array([-special.ndtri(error)]))[0])
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
    below = _difference_of_score(fixed, broke, n, points)
    nulls = np.array([null, *below[below < null]])
    return float(_pvalues_at_nulls(fixed, broke, n, nulls).max())


@lru_cache(maxsize=4096)
def _exact_limit(fixed: int, broke: int, n: int, error: float) -> float:
    """Go through the points from below until a p-value exceeds ``error``, then in between."""
    step = _step(n)
    first = int(np.ceil((-special.ndtri(error) + _FURTHER) / step))
    last = -1.0
    for start in range(first, -first - 2 * _PARTS, -_PARTS):
        points = _difference_of_score(fixed, broke, n, np.arange(start, start - _PARTS, -1) * step)
        above = np.flatnonzero(_pvalues_at_nulls(fixed, broke, n, points) > error)
        if len(above):
            if above[0] == 0:
                low = last
            else:
                low = float(points[above[0] - 1])
            return _crossing(fixed, broke, n, error, low, float(points[above[0]]))
        last = float(points[-1])
    return _crossing(fixed, broke, n, error, last, 1.0)


def _step(n: int) -> float:
    """How far apart the scores are at which p-values are looked at."""
    if n <= _FEW:
        return 0.05
    return 0.1


def _crossing(fixed: int, broke: int, n: int, error: float, low: float, high: float) -> float:
    """Return the first δ between two at which the p-value is above ``error``; at ``high`` it is."""
    for _ in range(_ROUNDS):
        points = np.linspace(low, high, _PARTS + 1)
        above = _pvalues_at_nulls(fixed, broke, n, points[1:-1]) > error
        k = int(np.argmax([*above, True]))
        low = float(points[k])
        high = float(points[k + 1])
    if high > -1 + _END:
        return high
    return -1.0


def _pvalues_at_nulls(fixed: int, broke: int, n: int, nulls: Floats) -> Floats:
    ones = np.ones_like(nulls)
    return pvalues(fixed * ones, broke * ones, n, nulls)


def _difference_of_score(fixed: int, broke: int, n: int, scores: Any) -> Floats:
    """Return the δ at which the score has these values; it falls as δ rises."""
    low = np.full(len(scores), -1.0)
    high = np.ones(len(scores))
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        short = score(fixed, broke, n, middle) > scores
        low = np.where(short, middle, low)
        high = np.where(short, high, middle)
    return cast("Floats", high)


_VARIANTS = ("asymptotic", "corrected", "exact", "mid-p")
_TAIL_BISECTIONS = 60
ONLY_WRONG = "P(only B wrong) − P(only A wrong), given that one of them is,"
PART = "error where they differ"
ONLY_RIGHT = "P(only B right) − P(only A right), given that one of them is,"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class McNemarEstimate(TestEstimate):
    """
    The outcome of McNemar's test.

    Attributes
    ----------
    only_b, only_a : array
        Examples that count for B only, and for A only: those that it gets right if the function was
        called with its counts, those that it gets wrong if the estimate comes from losses.
    variant : str
        Which of the four p-values and intervals.
    """

    only_b: Floats
    only_a: Floats
    variant: str

    @property
    def pvalue(self) -> Floats:
        """The p-value, computed when asked for."""
        if self.variant in ("asymptotic", "corrected"):
            p = pvalue(self.statistic, Normal(), self.alternative)
        else:
            p = self._binomial_pvalue()
        nothing = self.only_b + self.only_a == 0
        if np.any(nothing):
            return cast("Floats", np.where(nothing, 1.0, p)[()])
        return p[()]

    def _binomial_pvalue(self) -> Floats:
        if self.variant == "exact":
            share = 1.0
        else:
            share = 0.5
        # the larger count has the smaller tail, as p = ½ is symmetric
        if self.alternative == "two-sided":
            larger = np.maximum(self.only_b, self.only_a)
            smaller = np.minimum(self.only_b, self.only_a)
            p = np.minimum(2 * _tail(larger, smaller, 0.5, share), 1.0)
            if share == 1:
                return cast("Floats", p)
            # at equal counts the observed table is one, not one on each side (Fagerland 2013, eq.
            # 8)
            return cast(
                "Floats", np.where(larger == smaller, 1.5 - _tail(larger, smaller, 0.5, 1.0), p)
            )
        if self.alternative == "greater":
            return _tail(self.only_b, self.only_a, 0.5, share)
        return _tail(self.only_a, self.only_b, 0.5, share)

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """
        Interval of the same variant.

        Wilson's score interval, the exact one, or that of the mid-p.
        """
        error = self.error_per_side(confidence_level)
        low = self._lower(self.only_b, self.only_a, error)
        high = self._lower(self.only_a, self.only_b, error)
        nothing = np.zeros_like(low)
        if self.alternative == "less":
            low = nothing
        if self.alternative == "greater":
            high = nothing
        return (2 * low - 1)[()], (1 - 2 * high)[()]

    def _lower(self, k: Floats, other: Floats, error: float) -> Floats:
        """Lower limit of the probability behind k of n = k + other."""
        limits = {
            "asymptotic": _wilson,
            "corrected": _wilson_corrected,
            "exact": _clopper,
            "mid-p": _mid_p,
        }
        with np.errstate(divide="ignore", invalid="ignore"):
            low = limits[self.variant](k, k + other, error)
        return np.where(k == 0, 0.0, low)  # includes n = 0, where nothing is known


def _tail(k: Floats, other: Floats, p: float | Floats, share: float) -> Floats:
    """P(X > k) + share·P(X = k) for X ~ Bin(k + other, p)."""
    at_least = np.where(k > 0, special.betainc(np.maximum(k, 1), other + 1, p), 1.0)
    if share == 1:
        return at_least
    above = np.where(other > 0, special.betainc(k + 1, np.maximum(other, 1), p), 0.0)
    return share * at_least + (1 - share) * above


def _wilson(k: Floats, n: Floats, error: float) -> Floats:
    z = float(Normal().isf(error))
    return (2 * k + z**2 - z * np.sqrt(z**2 + 4 * k * (n - k) / n)) / (2 * (n + z**2))


def _wilson_corrected(k: Floats, n: Floats, error: float) -> Floats:
    """Newcombe (1998), Statistics in Medicine 17, method 4."""
    z = float(Normal().isf(error))
    root = np.sqrt(z**2 - 2 - 1 / n + 4 * k / n * (n - k + 1))
    return (2 * k + z**2 - 1 - z * root) / (2 * (n + z**2))


def _clopper(k: Floats, n: Floats, error: float) -> Floats:
    return cast("Floats", special.betaincinv(np.maximum(k, 1), n - k + 1, error))


def _mid_p(k: Floats, n: Floats, error: float) -> Floats:
    """Solve P(X > k) + ½P(X = k) = error for the probability, by bisection."""
    low = np.zeros(np.shape(k))
    high = np.ones(np.shape(k))
    for _ in range(_TAIL_BISECTIONS):
        middle = (low + high) / 2
        small = _tail(k, n - k, middle, 0.5) < error
        low = np.where(small, middle, low)
        high = np.where(small, high, middle)
    return low


def exact_pvalue(only_b: Floats, only_a: Floats) -> Floats:
    """Two-sided p-value of the exact variant; 1 where no answer differs."""
    larger = np.maximum(only_b, only_a)
    smaller = np.minimum(only_b, only_a)
    return cast("Floats", np.minimum(2 * _tail(larger, smaller, 0.5, 1.0), 1.0)[()])


def _statistic(difference: Floats, n: Floats, variant: str) -> Floats:
    """z, the same with continuity correction, or the plain difference for the exact variants."""
    if variant in ("exact", "mid-p"):
        return difference
    if variant == "corrected":
        difference = np.sign(difference) * np.maximum(np.abs(difference) - 1, 0)
    return difference / np.sqrt(n)


@method(
    valid=ONE_SPLIT,
    takes=Discordant(),
    estimand=Estimand(words=ONLY_WRONG, quantity=PART),
    liberal="right for these two models; it does not know that other training sets would give "
    "others",
    source="NB footnote 5 (McNemar 1947)",
    nulls=False,
    instead="holdout-t",
    counted=ONLY_RIGHT,
)
def mcnemar(n10: Floats, n01: Floats, *, variant: str = "asymptotic") -> Answer[McNemarEstimate]:
    """
    Test whether two classifiers are right equally often, from the examples on which they disagree.

    *Formula.* The value is (n10 − n01)/(n10 + n01), a positive one favours B; z = (n10 − n01)/√(n10
    + n01). Where no example is discordant the value is 0, the p-value 1, and the interval (−1, 1):
    nothing is known of the discordant examples there are not.

    *Validity.* For the two models at hand the exact variant never exceeds its level, mid-p hardly
    ever, the asymptotic one by little. For the algorithms all are liberal, as :func:`holdout_t` is.

    >>> [
    ...     round(float(ef.infer.mcnemar(15, 5, variant=v).pvalue), 4)
    ...     for v in ("asymptotic", "exact", "mid-p")
    ... ]
    [0.0253, 0.0414, 0.0266]

    Parameters
    ----------
    variant : {"asymptotic", "corrected", "exact", "mid-p"}
        Normal reference, the same with continuity correction, binomial, or binomial with half the
        weight on the observed count.
    """
    return discordant(n10, n01, one_of("variant", variant, _VARIANTS))


def discordant(only_b: Floats, only_a: Floats, variant: str) -> Answer[McNemarEstimate]:
    """Return what the examples say that count for B only, and for A only."""
    n = only_b + only_a
    nothing = n == 0
    n = np.maximum(n, 1.0)
    return Answer(
        McNemarEstimate,
        value=((only_b - only_a) / n)[()],
        standard_error=(1 / np.sqrt(n))[()],
        statistic=_statistic(only_b - only_a, n, variant)[()],
        only_b=only_b,
        only_a=only_a,
        variant=variant,
        flat=nothing,
    )


_POWER_PARTS = 24
_POWER_ROUNDS = 3
_HIGHEST = 10.0  # a score that no level asks for
_POWER_REACH = 4.0  # standard deviations of the number of answers that differ


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
    Where some hundred answers differ on average the test is Tango's normal one, and so is its
    power.

    Examples
    --------
    A drop of two points among 1319 answers of which 4% differ, at 1% false alarms:

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
    if side == "less":
        above = 0.0
    else:
        above = _rejects(n, null, error, difference, share)
    if side == "greater":
        below = 0.0
    else:
        below = _rejects(n, -null, error, -difference, share)
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
    """Return the score from which the test rejects, where about this share of answers differs."""
    most = n * share + _POWER_REACH * np.sqrt(n * share * (1 - share)) + _POWER_REACH
    if n * share > MOST_EXACT:
        return float(-special.ndtri(error))
    low = 0.0
    high = _HIGHEST
    differ = np.full(_POWER_PARTS - 1, min(float(np.ceil(most)), float(n)))
    for _ in range(_POWER_ROUNDS):
        points = np.linspace(low, high, _POWER_PARTS + 1)
        small = worst_tails(n, np.full(_POWER_PARTS - 1, null), points[1:-1], differ) <= error
        k = int(np.argmax([*small, True]))
        low = float(points[k])
        high = float(points[k + 1])
    return high


@of_draws(
    liberal="exact for these two models; it does not know that other training sets would give "
    "others",
    source="Hartigan 1969; Phipson 2010",
)
def permutation(
    losses: Floats, *, null: float, draws: int = 9999, random_state: int = 0
) -> Answer[OrderEstimate]:
    """
    Test the mean of the loss differences on one test set by swapping A and B at random.

    Swapping A and B on some points changes the sign of their differences. The swapped mean is at
    least the observed one just if the mean over the swapped points is at most Δ. So the means over
    random subsets, computed once, give the p-value of every Δ and the interval: Hartigan's typical
    values.

    *Formula.* Mean; p-value (1 + number of swaps at least as extreme)/(draws + 1); interval by
    inversion. The statistic and the standard error are those of :func:`holdout_t`, for information.

    *Validity.* Never above its level for the two models at hand if the differences are symmetric
    about Δ (for 0-1 losses: always, and it is the exact McNemar test). Liberal for the algorithms,
    as :func:`holdout_t` is, because one training set says nothing about others. Where n2 is below 6
    nothing can be significant at .05.

    >>> e = ef.infer.permutation([0.3, 0.1, 0.4, -0.1, 0.2, 0.3, 0.1, 0.2])
    >>> float(e.pvalue), [round(float(x), 4) for x in e.confidence_interval(0.95)]
    (0.03125, [0.05, 0.3])

    Parameters
    ----------
    draws : int, default 9999
        Random swaps; all 2^n2 are taken where there are no more.
    """
    draws = check_draws(draws)
    seed = integer("random_state", random_state, low=0)
    n = losses.shape[-1]
    mean, s2 = mean_and_variance(losses)
    rng = stream(seed, "permutation", n)
    swaps = subsets(draws, n, lambda count: _members(rng, count, n))
    means, empty = draw_means(losses, np.ones(n), swaps)
    return answer_from_draws(mean, s2 / n, null, means, identities=empty)


def _members(rng: np.random.Generator, count: int, n: int) -> Floats:
    """Rows of random bits."""
    octets = np.frombuffer(rng.bytes(count * -(-n // 8)), dtype=np.uint8).reshape(count, -1)
    return np.unpackbits(octets, axis=1, count=n).astype(float)


_INTERVALS = ("bca", "percentile")
_MANY = 4  # data sets from which one matrix product is quicker than gathering each


@of_draws(
    liberal="resamples test points only: for these two models it is about right, not for other "
    "training sets",
    source="Efron 1987",
)
def paired_bootstrap(
    losses: Floats, *, null: float, variant: str = "bca", draws: int = 9999, random_state: int = 0
) -> Answer[OrderEstimate]:
    """
    Test the mean of the loss differences on one test set by resampling the test points.

    *Formula.* Mean; interval between two resampled means; the p-value is the level at which the
    interval would end at ``null``. The statistic and the standard error are those of
    :func:`holdout_t`, for information.

    *Validity.* For the two models at hand the error is near its level for n2 above 50 or so and
    somewhat above it for fewer; BCa is better than plain percentiles where differences are skewed.
    Liberal for the algorithms: test points are resampled, training sets are not. A pair of examples
    that agree everywhere has no spread, and a bootstrap of few differing points is coarse.

    >>> e = ef.infer.paired_bootstrap([0.3, 0.1, 0.4, -0.1, 0.2, 0.3, 0.1, 0.2, 0.0, 0.1])
    >>> low, high = e.confidence_interval(0.95)
    >>> print(f"{float(e.value):.2f}, {low:.2f} to {high:.2f}")
    0.16, 0.07 to 0.25

    Parameters
    ----------
    variant : {"bca", "percentile"}
        Bias-corrected and accelerated percentiles, or plain ones.
    """
    variant = one_of("variant", variant, _INTERVALS)
    draws = check_draws(draws)
    seed = integer("random_state", random_state, low=0)
    n = losses.shape[-1]
    mean, s2 = mean_and_variance(losses)
    rng = stream(seed, "bootstrap", n)
    means = np.concatenate(
        list(weight_batches(draws, n, lambda count: _resample_means(losses, rng, count))), axis=-1
    )
    means.sort(axis=-1)
    if variant == "bca":
        influence = losses - mean[..., None]
    else:
        influence = None
    return answer_from_draws(mean, s2 / n, null, means, influence=influence)


def _resample_means(d: Floats, rng: np.random.Generator, count: int) -> Floats:
    """
    Means of ``count`` resamples.

    Gathered one by one, or for many data sets by one matrix product.
    """
    n = d.shape[-1]
    drawn = rng.integers(n, size=(count, n), dtype=np.uint16 if n <= 2**16 else np.uint32)
    if d.size < _MANY * n:
        gathered: Floats = d[..., drawn].sum(axis=-1) / n
        return gathered
    places = drawn + n * np.arange(count)[:, None]
    times = np.bincount(places.ravel(), minlength=count * n).reshape(count, n)
    means: Floats = d @ (times.T / n)
    return means


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class OmnibusEstimate(Estimate):
    """
    A test of all algorithms at once: it says whether they differ, not which do.

    Attributes
    ----------
    statistic : array
        The statistic, χ² under the hypothesis that all are equal.
    df : int
        Its degrees of freedom.
    """

    statistic: Floats
    df: int

    @property
    def pvalue(self) -> Floats:
        """The p-value, computed when asked for."""
        return special.chdtrc(self.df, self.statistic)


@method(
    valid=ONE_SPLIT,
    takes=Answers(),
    estimand=Estimand(words="whether all error rates are equal"),
    liberal="right for these models in large samples; other training sets would give other models",
    source="Cochran 1950",
)
def cochran_q(answers: Floats) -> Answer[OmnibusEstimate]:
    """
    Test whether k classifiers are right equally often on one test set.

    *Formula.* Q and its p-value, from χ² with k − 1 degrees of freedom. Where all classifiers agree
    on every example Q is 0 and the p-value 1.

    *Validity.* For the k models at hand, once some 24/k or more examples are not unanimous; for two
    it is McNemar's asymptotic test. It needs the k classifiers to be interchangeable under the
    hypothesis: equal error rates with unequal correlations make it wrong. Liberal for the
    algorithms, like every test on one split. It says that some differ, not which: compare pairs for
    that.

    >>> right = [[1, 1, 1, 0, 1, 1, 0, 1], [1, 0, 1, 0, 0, 1, 0, 0], [1, 1, 1, 0, 1, 0, 0, 1]]
    >>> q = ef.infer.cochran_q(right)
    >>> round(float(q.statistic), 4), q.df, round(float(q.pvalue), 4)
    (3.5, 2, 0.1738)
    """
    x = answers
    k = answers.shape[-2]
    of_classifier = x.sum(axis=-1)
    of_example = x.sum(axis=-2)
    spread = k * ((of_classifier - of_classifier.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    below = (of_example * (k - of_example)).sum(axis=-1)
    unanimous = below == 0
    statistic = np.where(unanimous, 0.0, (k - 1) * spread / np.where(unanimous, 1.0, below))[()]
    return Answer(OmnibusEstimate, statistic=statistic, df=k - 1, flat=unanimous)
