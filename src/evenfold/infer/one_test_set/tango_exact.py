"""
The exact test of paired right/wrong answers, ordered by Tango's score (docs/infer/holdout).

Of n examples B fixed b (A wrong, B right) and broke c (A right, B wrong); δ = P(fixed) − P(broke).
Tests are of δ ≤ δ0 against δ > δ0; the other side swaps b and c and turns the sign of δ0. A table
is ordered by Tango's score z, and what is not known beside δ0 is θ = P(fixed) + P(broke), the share
of answers that differ. With d answers that differ, d ~ Bin(n, θ) and b | d ~ Bin(d, (1 + δ0/θ)/2),
and z rises with b at every d: the tables that are at least as extreme as one are b ≥ t(d), and t(d
+ 1) is t(d) or t(d) + 1. So all tails at one θ follow from one another by adding single
probabilities.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.checks import fraction, integer, number, refuse
from evenfold.core.estimate import Floats, TestEstimate, open_interval_side
from evenfold.core.partition import HOLDOUT, TEST_SET
from evenfold.infer._arrays import bisect, hypothesis
from evenfold.infer._base import Answer, Pivot, mean_t, method, pvalue_of_tails
from evenfold.infer._registry import MODELS
from evenfold.infer.inputs import FlipCounts, Question
from evenfold.infer.one_test_set.flips import exact_pvalue

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
    null = np.asarray(null, dtype=float)
    excess = fixed - broke - n * null
    excess = np.where(np.abs(excess) <= _TIED * n, 0.0, excess)
    with np.errstate(divide="ignore", invalid="ignore"):
        z = excess / _spread(fixed, broke, n, null)
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


def _spread(fixed: Any, broke: Any, n: Any, null: Floats) -> Floats:
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
    ends = np.full(len(scores), -1.0), np.ones(len(scores))
    return bisect(lambda null: score(fixed, broke, n, null) > scores, *ends, steps=_BISECTIONS)[1]


_FEW_FLIPS = 40  # answers that differ, up to which McNemar's exact p-value is said beside

_MOST_ANSWERS = 2e7  # whose factorials fit into memory


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class FlipsEstimate(TestEstimate):
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

        Tango's normal law elsewhere, where hundreds of answers differ.
        """
        return np.asarray(self.up + self.down <= MOST_EXACT)[()]

    @property
    def mcnemar(self) -> Floats:
        """
        McNemar's exact two-sided p-value of no difference.

        Given how many answers differ, and blunter.
        """
        return exact_pvalue(self.up, self.down)

    @property
    def pvalue(self) -> Floats:
        """The p-value, computed when asked for."""
        return pvalue_of_tails(self._pvalue_above, self._pvalue_below, self.alternative)

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Lower and upper limit, each where a one-sided test begins to reject."""
        error = self.error_per_side(confidence_level)
        low = self._ask_each_table(lambda up, down, n: lower_limit(up, down, n, error, self.null))
        high = self._ask_each_table(
            lambda up, down, n: -lower_limit(down, up, n, error, -self.null)
        )
        return open_interval_side(low, high, self.alternative)

    @property
    def note(self) -> str:
        """
        Which law was used, where it is not the exact one.

        McNemar's p-value where few answers differ.
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

    def _pvalue_above(self) -> Floats:
        return self._ask_each_table(lambda up, down, n: upper_pvalue(up, down, n, self.null))

    def _pvalue_below(self) -> Floats:
        return self._ask_each_table(lambda up, down, n: upper_pvalue(down, up, n, -self.null))

    def _ask_each_table(self, of: Callable[[int, int, int], float]) -> Floats:
        """Ask about each table once."""
        tables = np.stack(np.broadcast_arrays(self.up, self.down, self.n), axis=-1).astype(np.int64)
        single, place = np.unique(tables.reshape(-1, 3), axis=0, return_inverse=True)
        answers = np.array([of(*table) for table in single.tolist()])
        return cast("Floats", answers[place.ravel()].reshape(tables.shape[:-1])[()])


def _single_answer(asked: Question) -> Pivot | None:
    """
    One algorithm alone has no answers that differ from another's.

    Then it is a share as any other.
    """
    if asked.a is not None:
        return None
    return mean_t(asked.examples()[0])


@method(
    valid=MODELS,
    takes=FlipCounts(),
    conservative="never above its level for these two models, whatever share of the answers "
    "differs; it says nothing of other training sets",
    source="Tango 1998; Berger 1994",
    default_for=(TEST_SET, HOLDOUT),
    counted="accuracy",
    run=_single_answer,
    no_card="for the two models at hand its error is at most its level by proof and by "
    "enumeration, which tests do; for the algorithms it is that of holdout-t",
)
def tango_exact(fixed: Floats, broke: Floats, n: Floats, *, null: float) -> Answer[FlipsEstimate]:
    """
    Test the difference of two models from the answers that one gets right and the other wrong.

    Most answers of two models are alike, so that a mean difference rests on a few: there the paired
    t-test passes a model that *is* worse by a margin far too often, in up to .195 of the cases at a
    level of .05.

    *Formula.* δ = P(fixed) − P(broke), estimated by (b − c)/n. Tango's score at δ0 = −Δ is z = (b −
    c + nΔ)/√(n(2q − Δ − Δ²)), q the maximum-likelihood estimate of P(broke) under δ = δ0. One-sided
    p = sup over P(broke) of P(z(X) ≥ z) with X trinomial, the largest over all Δ' ≥ Δ; two-sided
    twice the smaller. Either limit of the interval inverts its one-sided test. Where more than 1000
    answers differ, z is taken for normal.

    *Validity.* About these two models on new examples of this kind, which must be independent. The
    error is at most the level for every n, margin and share of answers that differ; power is within
    .05 of that of Tango's normal law, which errs up to .059. On zero-one losses the value is the
    error of B less that of A: (c − b)/n.

    >>> e = ef.infer.tango_exact(1, 1, 100, null=-0.03, alternative="greater")
    >>> round(float(e.statistic), 4), round(float(e.pvalue), 4)
    (1.4919, 0.0752)
    >>> e = ef.infer.tango_exact(0, 4, 1000)
    >>> round(float(e.pvalue), 3), round(float(e.mcnemar), 3)
    (0.047, 0.125)
    >>> [round(float(x), 4) for x in e.confidence_interval()]
    [-0.0102, -0.0001]
    """
    if not -1 < null < 1:
        refuse("null", "a difference of two shares, above −1 and below 1", null)
    if np.max(n, initial=0.0) > _MOST_ANSWERS:
        rule = f"at most {_MOST_ANSWERS:g} answers"
        refuse("n", rule, f"{np.max(n):g}", "of so many the paired t is right")
    value = (fixed - broke) / n
    variance = (fixed + broke - (fixed - broke) ** 2 / n) / n**2
    return Answer(
        FlipsEstimate,
        value=value[()],
        standard_error=np.sqrt(np.maximum(variance, 0.0))[()],
        statistic=score(fixed, broke, n, null),
        up=fixed[()],
        down=broke[()],
        n=n[()],
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
