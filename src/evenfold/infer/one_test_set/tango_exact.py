"""
The exact test of paired right/wrong answers, ordered by Tango's score (docs/infer/holdout).

Of n examples B fixed b (A wrong, B right) and broke c (A right, B wrong); δ = P(fixed) − P(broke).
Tests are of δ ≤ δ0 against δ > δ0; the other side swaps b and c and turns the sign of δ0. A table
is ordered by Tango's score z. What remains unknown is θ = P(fixed) + P(broke), the share of answers
that differ. With d answers that differ, d ~ Bin(n, θ) and b | d ~ Bin(d, (1 + δ0/θ)/2), and z rises
with b at every d: the tables that are at least as extreme as one are b ≥ t(d), and t(d + 1) is t(d)
or t(d) + 1. So all tails at one θ follow from one another by adding single probabilities.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.checks import fraction, integer, number, refuse, refuse_value
from evenfold.core.estimate import Alternative, Floats, PivotEstimate
from evenfold.core.partition import HOLDOUT, TEST_SET
from evenfold.infer._arrays import ArrayLike, bisect, floats, hypothesis
from evenfold.infer._base import OneSidedTests, mean_t, method
from evenfold.infer._designs import MODELS
from evenfold.infer.inputs import FlipCounts, Question
from evenfold.infer.one_test_set.flips import exact_pvalue

Counts = NDArray[np.int64]

_TIED = 1e-9  # scores that differ by less are equal
_REACH = 7.0  # standard deviations: what lies beyond has a probability below 1e-11
_LEAST_SHARE = 1e-12
_NEAR = 20  # shares θ that are tried near the one that was seen,
_BEYOND = (5, 12)  # and below and above these
_CLOSER = 7  # and about the best of all
_ZERO = 1e-40  # stands for a chance of 0, whose logarithm is no number
_DOUBT = 2.0  # last steps of an iteration; of 3000 random tables none was off by .4 of a step
_NEARNESS = 5e-7  # error of each end of the interval that is near
_IMPOSSIBLE = 1e-200
_AT_ONCE = 2**20  # numbers that are held in memory together


def score(fixed: Any, broke: Any, n: Any, null: Any) -> Floats:
    """
    Return Tango's score statistic of δ = null (Tango 1998, Statistics in Medicine 17: 891).

    The variance is the one at the restricted maximum-likelihood estimate q of P(broke).

    Examples
    --------
    >>> round(float(score(0, 1, 100, -0.03)), 4), round(float(score(2, 9, 200, -0.02)), 4)
    (1.1724, -0.9608)
    """
    null = np.asarray(null, dtype=float)
    excess = fixed - broke - n * null
    excess = np.where(np.abs(excess) <= _TIED * n, 0.0, excess)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = excess / _spread(fixed, broke, n, null)
    return cast("Floats", np.where(excess == 0, 0.0, z)[()])


def _thresholds(n: int, null: Floats, z: Floats, d: Counts) -> Counts:
    """Return t (K, D): the fewest fixed of d that are as extreme as z; d + 1 where none are."""
    z = z - _TIED * np.maximum(np.abs(z), 1.0)
    middle = d + n * null[:, None]
    fixed = (middle + z[:, None] * np.sqrt(d)) / 2
    for _ in range(3):  # a fixed point: the variance hardly changes with how the d are shared out
        before = np.minimum(np.maximum(fixed, 0.0), d)
        fixed = (middle + z[:, None] * _spread(before, d - before, n, null[:, None])) / 2
    change = np.abs(np.minimum(np.maximum(fixed, 0.0), d) - before)
    t = np.ceil(np.minimum(np.maximum(fixed, 0.0), d + 1)).astype(np.int64)
    doubtful = np.abs(fixed - np.rint(fixed)) <= _DOUBT * change + _TIED * n
    row, column = np.nonzero(doubtful)
    while len(row):  # what has moved is looked at again
        here = t[row, column]
        of = d[column]
        at = np.minimum(here, of)
        below = np.maximum(here - 1, 0)
        short = (here <= of) & (score(at, of - at, n, null[row]) < z[row])
        over = (here > 0) & ~short & (score(below, of - below, n, null[row]) >= z[row])
        t[row, column] = here + short - over
        moved = short | over
        row = row[moved]
        column = column[moved]
    return t


def _spread(fixed: Any, broke: Any, n: Any, null: Floats) -> Floats:
    """Return the standard deviation of fixed − broke under the null, as the score has it."""
    delta = -null
    product = n * delta * (1 + delta)
    B = fixed + broke + delta * (2 * n - fixed + broke)
    root = np.sqrt(np.maximum(B * B - 8 * product * broke, 0.0))
    nq2 = np.maximum((B + root) / 2, 2 * n * np.maximum(delta, 0.0))  # 2nq
    variance = np.minimum(nq2, n * (1 + delta)) - product
    return cast("Floats", np.sqrt(np.maximum(variance, 0.0)))


@lru_cache(maxsize=16)
def _log_factorials(n: int) -> Floats:
    return cast("Floats", special.gammaln(np.arange(1.0, n + 3)))


@lru_cache(maxsize=16)
def _log_ways(n: int) -> Floats:
    """Return the logarithms of the numbers of ways to choose 0 to n of n."""
    log = _log_factorials(n)[: n + 1]
    return cast("Floats", log[-1] - log - log[::-1])


def null_tails(
    n: int, null: Floats, z: Floats, shares: Floats, delta: Floats | None = None
) -> Floats:
    """
    Return P(score ≥ z) where a share of the answers differs: (K, Q) for z (K,), shares (K, Q).

    The score is about δ = null; so is the truth, unless another δ is given.
    """
    first, last = _reach(n, shares)
    tails = np.empty(shares.shape)
    for rows in _rows_at_once(len(z), (last.max() - first.min() + 1) * shares.shape[1]):
        region = _Region.of(n, null[rows], z[rows], int(first.min()), int(last.max()))
        if delta is None:
            truth = null[rows]
        else:
            truth = delta[rows]
        tails[rows] = region.tails(shares[rows], truth)
    return tails


def _reach(n: int, shares: Floats) -> tuple[Counts, Counts]:
    """Return the fewest and the most answers that may differ if these shares of them do."""
    spread = _REACH * np.sqrt(n * shares * (1 - shares))
    first = np.maximum((n * shares - spread).astype(np.int64) - 8, 0)
    last = np.minimum((n * shares + spread).astype(np.int64) + 12, n)
    return first, last


def _rows_at_once(rows: int, numbers: int) -> Iterator[slice]:
    """Return parts of the rows that fit into memory, if each row has so many numbers."""
    step = max(1, int(_AT_ONCE // numbers))
    return (slice(start, start + step) for start in range(0, rows, step))


@dataclass(frozen=True, eq=False, slots=True)
class _Region:
    """
    The tables of n answers that are at least as extreme as a score, for K tests.

    From d answers that differ to d + 1 the chance of b ≥ t(d) changes by ±C·p^b·(1 − p)^(d + 1 − b)
    because of the tables that cross the threshold, where p is the chance that an answer that
    differs was fixed.

    Attributes
    ----------
    first : int
        The smallest of D numbers d, which follow one another.
    t : array (K, D)
        The thresholds.
    sign, ways, fixed : array (K, D - 1)
        The sign, log C and b.
    """

    n: int
    first: int
    t: Counts
    sign: Floats
    ways: Floats
    fixed: Floats

    @classmethod
    def of(cls, n: int, null: Floats, z: Floats, first: int, last: int) -> Self:
        d = np.arange(first, last + 1)
        t = _thresholds(n, null, z, d)
        d = d[:-1]
        rises = t[:, 1:] == t[:, :-1]
        k = t[:, :-1] - rises  # the count of fixed that crosses the threshold
        possible = (k >= 0) & (k <= d)
        k = np.minimum(np.maximum(k, 0), d)
        log = _log_factorials(n)
        ways = np.where(possible, log[d] - log[k] - log[d - k], -np.inf)
        return cls(n, first, t, np.where(rises, 1.0, -1.0), ways, (k + rises).astype(float))

    def tails(self, shares: Floats, delta: Floats) -> Floats:
        """Return P(table in the region) where shares (K, Q) of the answers differ, at δ (K,)."""
        p = np.minimum(np.maximum((1 + delta[:, None] / shares) / 2, 0.0), 1.0)
        no = _log(1 - p)
        odds = _log(p) - no
        first, last = _reach(self.n, shares)
        first = first.min(axis=0)
        last = last.max(axis=0)
        tails = _first_tail(self.t[:, first - self.first], first, p)
        d = np.arange(self.first + 1.0, self.first + self.t.shape[1])
        for q in range(len(first)):  # arrays of one share at a time fit into the processor's cache
            more = _chances_of_more(self.n, shares[:, q], int(first[q]), int(last[q]))
            at = slice(first[q] - self.first, last[q] - self.first)
            change = self.fixed[:, at] * odds[:, q, None]
            change += self.ways[:, at]
            change += d[at] * no[:, q, None]
            np.exp(change, out=change)
            change *= self.sign[:, at]
            tails[:, q] *= more[..., 0]
            tails[:, q] += np.einsum("...d,...d->...", change, more[..., 1:])
        return tails


def _log(p: Floats) -> Floats:
    """Return the logarithm of a chance; that of 0 is so small that it stands for −∞."""
    return np.log(np.maximum(p, _ZERO))


def _first_tail(t: Counts, d: Counts, p: Floats) -> Floats:
    inside = special.betainc(np.maximum(np.minimum(t, d + 1), 1), np.maximum(d - t + 1, 1), p)
    return np.where(t <= 0, 1.0, np.where(t > d, 0.0, inside))


def _chances_of_more(n: int, shares: Floats, first: int, last: int) -> Floats:
    """Return the chance that d or more answers differ, for d from ``first`` to ``last``."""
    if (shares == shares[0]).all():
        return _chance_of_more(n, float(shares[0]), first, last)
    return _upper_tails(n, shares, first, last)


@lru_cache(maxsize=1024)
def _chance_of_more(n: int, share: float, first: int, last: int) -> Floats:
    return _upper_tails(n, np.array(share), first, last)


def _upper_tails(n: int, shares: Floats, first: int, last: int) -> Floats:
    no = _log(1 - shares)[..., None]
    chance = np.arange(first, last + 1.0) * (_log(shares)[..., None] - no)
    chance += _log_ways(n)[first : last + 1]
    chance += n * no
    np.exp(chance, out=chance)
    return np.cumsum(chance[..., ::-1], axis=-1)[..., ::-1]


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

    The counts ``differ`` limit the possible θ.
    """
    worst = np.empty(len(z))
    angles = _angles_to_try(differ, n, null)
    for rows in _rows_at_once(len(z), (n + 1) * angles.shape[1]):
        worst[rows] = _worst_tails(n, null[rows], z[rows], angles[rows])
    return worst


def _worst_tails(n: int, null: Floats, z: Floats, angles: Floats) -> Floats:
    shares = _shares(angles, null)
    first, last = _reach(n, shares)
    region = _Region.of(n, null, z, int(first.min()), int(last.max()))
    tails = region.tails(shares, null)
    best = tails.argmax(axis=1)
    closer = _shares(_angles_around_best(angles, best), null)
    peak = _peak_of_tails(region.tails(closer, null))
    return cast("Floats", np.minimum(np.maximum(tails.max(axis=1), peak), 1.0))


def _angles_to_try(differ: Floats, n: int, null: Floats) -> Floats:
    """
    Return the shares θ to try, as angles (K, Q) in rising order.

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
    return np.concatenate(parts, axis=1)


def _largest_share(differ: Floats, n: int, error: float) -> Floats:
    """Return Clopper and Pearson's upper limit of θ, at this error."""
    rest = special.betaincinv(np.maximum(n - differ, 1), differ + 1, error)
    known = np.nan_to_num(rest)  # scipy has no answer where it is as good as 0
    return cast("Floats", np.where(differ < n, 1 - known, 1.0))


def _from_to(low: Any, high: Any, points: int) -> Floats:
    """Return shares as angles: on that scale the standard error is the same everywhere."""
    start, end = (np.arcsin(np.sqrt(np.minimum(share, 1.0))) for share in (low, high))
    return np.linspace(start, end, points, axis=-1)


def _angles_around_best(angles: Floats, best: NDArray[np.intp]) -> Floats:
    """Return angles from the one before the best to the one after it."""
    rows = np.arange(len(best))
    start = angles[rows, np.maximum(best - 1, 0)]
    end = angles[rows, np.minimum(best + 1, angles.shape[1] - 1)]
    return np.linspace(start, end, _CLOSER, axis=-1)


def _shares(angles: Floats, null: Floats) -> Floats:
    shares = np.minimum(np.sin(angles) ** 2, 1.0)
    return cast("Floats", np.maximum(shares, np.abs(null)[:, None]))


def _peak_of_tails(tails: Floats) -> Floats:
    """Return the largest of a row of tails, or the top of the parabola about it."""
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
_AT_FIRST = 0.6  # scores that are looked at together
# p-values rise in waves: of any that were seen, none was 2.2 times as large as one further above
_WAVES = 3.0
_PARTS = 8
_ROUNDS = 4  # so often a way between two points is divided into parts
_TINY = 1e-300
_BISECTIONS = 40
_SAME = 1e-12
_END = 1e-9  # nearer to the end of the range a limit is the end

# A search yields differences, is sent their p-values, and returns a limit.
_Search = Generator[Floats, Floats, float]


def upper_pvalue(fixed: int, broke: int, n: int, null: float) -> float:
    """Return the p-value of δ ≤ null against δ > null."""
    if fixed + broke > MOST_EXACT:
        return float(special.ndtr(-score(fixed, broke, n, null)))
    return _exact_pvalue(fixed, broke, n, null)


@lru_cache(maxsize=4096)
def _exact_pvalue(fixed: int, broke: int, n: int, null: float) -> float:
    """Return the largest p-value of the null and of points below it."""
    step = _step(n)
    first = int(np.ceil(float(score(fixed, broke, n, null)) / step))
    points = np.arange(first, first + round(_FURTHER / step)) * step
    below = _difference_of_score(fixed, broke, n, points)
    nulls = np.array([null, *below[below < null]])
    largest = 0.0
    together = 1 + round(_AT_FIRST / step)
    for start in range(0, len(nulls), together):
        p = _pvalues_of_tables([(fixed, broke)], n, [nulls[start : start + together]])[0]
        largest = max(largest, float(p.max()))
        if p[-1] * _WAVES < largest:
            break
    return largest


def smaller_pvalue(fixed: int, broke: int, n: int, null: float) -> float:
    """Return the smaller p-value of the two sides, or a number above 1/2 if both are."""
    sides = [(fixed, broke, n, null), (broke, fixed, n, -null)]
    sides.sort(key=lambda side: -float(score(*side)))
    p = upper_pvalue(*sides[0])
    if p <= 0.5:  # the other is at least 1 − p, because P(score ≤ z) ≥ 1 − P(score ≥ z)
        return p
    return upper_pvalue(*sides[1])


def limits(fixed: int, broke: int, n: int, error: float, null: float) -> tuple[float, float]:
    """Return the smallest and the largest δ that tests at level ``error`` do not reject."""
    tables = (fixed, broke), (broke, fixed)
    if fixed + broke > MOST_EXACT:
        z = np.array([-special.ndtri(error)])
        low, high = (float(_difference_of_score(*table, n, z)[0]) for table in tables)
        return low, -high
    low, high = _exact_limits(tables, n, error)
    p_above, p_below = _pvalues_or_bounds(fixed, broke, n, null, error)
    return _agree(low, null, p_above, error), -_agree(high, -null, p_below, error)


def _agree(limit: float, null: float, p: float, error: float) -> float:
    """Return the limit on that side of the null where the p-value has it."""
    if abs(p - error) <= _SAME * error:  # the interval at 1 − p ends at the null
        return null
    if p > error:
        return min(limit, null)
    return max(limit, float(np.nextafter(null, np.inf)))


def _pvalues_or_bounds(
    fixed: int, broke: int, n: int, null: float, error: float
) -> tuple[float, float]:
    """
    Return the p-values of both sides, or for the larger one a lower bound that exceeds ``error``.

    The bound is 1 less the smaller p-value, because P(score ≤ z) ≥ 1 − P(score ≥ z).
    """
    if score(fixed, broke, n, null) < 0:
        below, above = _pvalues_or_bounds(broke, fixed, n, -null, error)
        return above, below
    above = _exact_pvalue(fixed, broke, n, null)
    below = 1 - above
    if below <= (1 + _SAME) * error:
        below = _exact_pvalue(broke, fixed, n, -null)
    return above, below


@lru_cache(maxsize=4096)
def _exact_limits(tables: tuple[tuple[int, int], ...], n: int, error: float) -> list[float]:
    """Run all searches side by side, because many p-values at once cost little more than one."""
    searches = {table: _limit(*table, n, error) for table in tables}
    points = {table: next(search) for table, search in searches.items()}
    limits: dict[tuple[int, int], float] = {}
    while points:
        answers = _pvalues_of_tables(list(points), n, list(points.values()))
        for table, p in zip(list(points), answers, strict=True):
            try:
                points[table] = searches[table].send(p)
            except StopIteration as end:
                limits[table] = end.value
                del points[table]
    return [limits[table] for table in tables]


def _limit(fixed: int, broke: int, n: int, error: float) -> _Search:
    """Go through the points from below until a p-value exceeds ``error``, then in between."""
    step = _step(n)
    together = 1 + round(_AT_FIRST / step)
    normal = -special.ndtri(error)
    first = int(np.ceil((normal + _FURTHER) / step))
    scores = np.arange(first, -first - 2 * _PARTS, -1) * step
    points = np.array([-1.0, *_difference_of_score(fixed, broke, n, scores), 1.0])
    for away in (_AT_FIRST, 2 * _AT_FIRST, _FURTHER):
        start = 1 + first - int(np.ceil((normal + away) / step))
        p = yield points[start : start + together]
        if p[0] * _WAVES <= error:  # none below exceeds it
            break
    before = 0.0
    while not (p > error).any():
        start += len(p)
        before = float(p[-1])
        if start == len(points) - 1:
            p = np.ones(1)
        else:
            p = yield points[start : min(start + together, len(points) - 1)]
    k = int(np.argmax(p > error))
    p = np.array([before, *p])[k : k + 2]
    return (yield from _crossing(error, points[start + k - 1 : start + k + 1], p))


def _step(n: int) -> float:
    """Return how far apart the scores are at which p-values are looked at."""
    if n <= _FEW:
        return 0.05
    return 0.1


def _crossing(error: float, ends: Floats, p: Floats) -> _Search:
    """Return where between two δ p-values begin to exceed ``error``: at the second they do."""
    resolution = (ends[1] - ends[0]) / _PARTS**_ROUNDS
    parts = np.arange(1, _PARTS)
    while ends[1] - ends[0] > resolution:
        points = np.linspace(ends[0], ends[1], _PARTS + 1)
        inside = yield points[parts]
        points = np.array([ends[0], *points[parts], ends[1]])
        p = np.array([p[0], *inside, p[1]])
        k = int(np.argmax([*(inside > error), True]))
        ends = points[k : k + 2]
        p = p[k : k + 2]
        parts = _parts_near_crossing(error, p)
    if ends[1] > -1 + _END:
        return float(ends[1])
    return -1.0


def _parts_near_crossing(error: float, p: Floats) -> Counts:
    """Return the three parts about the one where a straight line of the logarithms crosses."""
    low, level, high = np.log(np.maximum([p[0], error, p[1]], _TINY))
    guess = _PARTS * (level - low) / (high - low)
    return int(np.clip(np.rint(guess), 2, _PARTS - 2)) + np.arange(-1, 2)


def _pvalues_of_tables(
    tables: Sequence[tuple[int, int]], n: int, nulls: Sequence[Floats]
) -> list[Floats]:
    """Return the p-values of each table at its own nulls."""
    sizes = [len(each) for each in nulls]
    fixed, broke = np.repeat(np.array(tables, dtype=float), sizes, axis=0).T
    return np.split(pvalues(fixed, broke, n, np.concatenate(nulls)), np.cumsum(sizes)[:-1])


def _difference_of_score(fixed: int, broke: int, n: int, scores: Any) -> Floats:
    """Return the δ at which the score has these values; it falls as δ rises."""
    ends = np.full(len(scores), -1.0), np.ones(len(scores))
    return bisect(lambda null: score(fixed, broke, n, null) > scores, *ends, steps=_BISECTIONS)[1]


_FEW_FLIPS = 40  # answers that differ, up to which McNemar's exact p-value is said, too


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class FlipsEstimate(OneSidedTests):
    """
    The outcome of the exact test of paired right/wrong answers.

    Attributes
    ----------
    up, down : array
        Examples that raise the value and that lower it: fixed and broken ones where the value is an
        accuracy, broken and fixed ones where it is an error.
    n : array
        All examples.
    """

    up: Floats
    down: Floats
    n: Floats

    @property
    def exact(self) -> NDArray[np.bool_]:
        """
        Whether probabilities are exact.

        Otherwise Tango's normal approximation is used, where hundreds of answers differ.
        """
        return np.asarray(self.up + self.down <= MOST_EXACT)[()]

    @property
    def mcnemar(self) -> Floats:
        """
        McNemar's exact two-sided p-value of no difference.

        It is conditional on how many answers differ, and less powerful than the exact Tango test.
        """
        return exact_pvalue(self.up, self.down)

    def _pvalue_against(self, *, larger: bool) -> Floats:
        null = self.null
        if larger:
            return self._ask_each_table(lambda up, down, n: upper_pvalue(up, down, n, null))
        return self._ask_each_table(lambda up, down, n: upper_pvalue(down, up, n, -null))

    def _smaller_pvalue(self) -> Floats:
        null = self.null
        return self._ask_each_table(lambda up, down, n: smaller_pvalue(up, down, n, null))

    def _limits(self, error: float) -> tuple[Floats, Floats]:
        both = self._ask_each_table(lambda up, down, n: limits(up, down, n, error, self.null), (2,))
        return both[..., 0][()], both[..., 1][()]

    @property
    def note(self) -> str:
        """
        Which law was used, where it is not the exact one.

        If few answers differ, the note has McNemar's p-value.
        """
        if np.ndim(self.up):
            return ""
        differ = int(self.up + self.down)
        if not self.exact:
            return (
                f"{differ} answers differ: Tango's normal law is used, not the exact one (to "
                f"{MOST_EXACT})"
            )
        if not 0 < differ <= _FEW_FLIPS:
            return ""
        plain = float(replace(self, null=0.0, alternative="two-sided").pvalue)
        answers = "answer that differs" if differ == 1 else f"{differ} answers that differ"
        return (
            f"the test of no difference at all has p = {plain:.2g}; McNemar's exact test, which "
            f"looks at nothing but the {answers}, p = {float(self.mcnemar):.2g}"
        )

    def _ask_each_table(
        self, of: Callable[[int, int, int], Any], shape: tuple[int, ...] = ()
    ) -> Floats:
        """Ask about each table once; an answer has the shape ``shape``."""
        tables = np.stack(np.broadcast_arrays(self.up, self.down, self.n), axis=-1).astype(np.int64)
        single, place = np.unique(tables.reshape(-1, 3), axis=0, return_inverse=True)
        answers = np.array([of(*table) for table in single.tolist()]).reshape(-1, *shape)
        return cast("Floats", answers[place.ravel()].reshape(tables.shape[:-1] + shape)[()])


def _single_answer(
    question: Question, *, null: float, alternative: Alternative
) -> PivotEstimate | None:
    """
    Test the accuracy of one algorithm alone, which has no answers that differ from another's.

    The result is None for a question about two algorithms.
    """
    if question.a is not None:
        return None
    return mean_t(question.rows()[0]).test(null, alternative)


@method(
    name="Tango's score test in its exact form",
    valid=MODELS,
    takes=FlipCounts(),
    conservative="It never exceeds its level for these two models, whatever share of the answers "
    "differs. It says nothing about other training sets.",
    source="Tango 1998; Berger 1994",
    default_for=(TEST_SET, HOLDOUT),
    counted="accuracy",
    joint="normal",
    run=_single_answer,
    no_card="for the two models at hand its error is at most its level by proof and by "
    "enumeration, which tests do; for the algorithms it is that of holdout-t",
)
def tango_exact(
    fixed: ArrayLike,
    broke: ArrayLike,
    n: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> FlipsEstimate:
    """
    Test the difference of two models from the answers that one gets right and the other wrong.

    Parameters
    ----------
    fixed : int or array of shape (...)
        Number of examples that A gets wrong and B right.
    broke : int or array of shape (...)
        Number of examples that A gets right and B wrong.
    n : int or array of shape (...)
        Number of all examples, those included on which A and B agree.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    FlipsEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    Most answers of two models are alike, so that a mean difference rests on a few: there the paired
    t-test passes a model that *is* worse by a margin far too often, in up to .195 of the cases at a
    level of .05.

    *Formula.* δ = P(fixed) − P(broke), estimated by (b − c)/n. Tango's score at δ0 = −Δ is z = (b −
    c + nΔ)/√(n(2q − Δ − Δ²)), q the maximum-likelihood estimate of P(broke) under δ = δ0. One-sided
    p = sup over P(broke) of P(z(X) ≥ z) with X trinomial, the largest over all Δ' ≥ Δ; two-sided
    twice the smaller. Either limit of the interval inverts its one-sided test. Where more than 1000
    answers differ, z is taken for normal.

    *Validity.* The answer is about these two models on new examples of this kind, which must be
    independent. The error is at most the level for every n, margin and share of answers that
    differ; power is within .05 of that of Tango's normal law, which errs up to .059. On zero-one
    losses the value is the error of B less that of A: (c − b)/n.

    *How it errs.* It is conservative. It never exceeds its level for these two models, whatever
    share of the answers differs. It says nothing about other training sets. It estimates the
    expected difference B − A of these models on new examples.

    References
    ----------
    Tango 1998; Berger 1994. Tango, T. (1998). Equivalence test and confidence interval for the
    difference in proportions for the paired-sample design. Statistics in Medicine 17. Berger, R.
    L., Boos, D. D. (1994). P values maximized over a confidence set for the nuisance parameter.
    Journal of the American Statistical Association 89.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.tango_exact(1, 1, 100, null=-0.03, alternative="greater")
    >>> round(float(e.statistic), 4), round(float(e.pvalue), 4)
    (1.4919, 0.0752)
    >>> e = ef.infer.tango_exact(0, 4, 1000)
    >>> round(float(e.pvalue), 3), round(float(e.mcnemar), 3)
    (0.047, 0.125)
    >>> [round(float(x), 4) for x in e.confidence_interval()]
    [-0.0102, -0.0001]
    """
    fixed = floats(fixed)
    broke = floats(broke)
    n = floats(n)
    _require_shares(null)
    value = (fixed - broke) / n
    variance = (fixed + broke - (fixed - broke) ** 2 / n) / n**2
    return FlipsEstimate(
        value=value[()],
        standard_error=np.sqrt(np.maximum(variance, 0.0))[()],
        statistic=score(fixed, broke, n, null),
        up=fixed[()],
        down=broke[()],
        n=n[()],
        null=null,
        alternative=alternative,
    )


def _require_shares(null: float) -> None:
    """Refuse a null value that no two shares can differ by."""
    if not -1 < null < 1:
        refuse_value("null", null, "a difference of two shares, above −1 and below 1,")


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
        refuse(
            "differ",
            f"differ must be at least the size of the difference, {abs(difference):g}, but got "
            f"{share:g}.",
        )
    null, side = hypothesis(null, alternative)
    _require_shares(null)
    error = fraction("level", level) / (2 if side == "two-sided" else 1)
    power = 0.0
    if side != "less":
        power += _rejects(n, null, error, difference, share)
    if side != "greater":
        power += _rejects(n, -null, error, -difference, share)
    return power


def _rejects(n: int, null: float, error: float, delta: float, share: float) -> float:
    """Return the chance that δ ≤ null is rejected."""
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
