"""
Bounds for the mean of bounded values, from one sample of fixed size (Gaffke 2005).

Give the n values, and one more at the end of the range, the random weights of a flat Dirichlet
distribution. The share of weighted means below m is the p-value of "the mean is m or less" against
larger ones; the value at the end of the range stands for what was not seen. With right and wrong
answers this is the exact binomial test and Clopper and Pearson's limit. That it never errs above
its level is proved for two-valued data and conjectured for all bounded ones (Learned-Miller and
Thomas, arXiv 1905.06208; Phan, Thomas and Learned-Miller, arXiv 2106.03163); no exception is known.

Weighted means Σ w_j y_j/Σ w_j n_j, with sizes n_j, serve clusters as well.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from scipy import special

from evenfold.core.checks import integer
from evenfold.core.estimate import Alternative, Floats, t_quantile, t_tail
from evenfold.core.partition import CLUSTERED_RUNS, CLUSTERS, KFOLD, LOO, RUNS, TEST_SET
from evenfold.infer._arrays import (
    ArrayLike,
    bisect,
    fields_of_test,
    floats,
    mean_and_variance,
    mean_last,
    require_inside,
    value_range,
)
from evenfold.infer._base import OneSidedTests, method
from evenfold.infer._designs import FOLDS, IN_CLUSTERS, IN_RUNS, MODELS
from evenfold.infer.folds.tests import corrected_mean
from evenfold.infer.inputs import ClusteredInRange, CrossedInRange, FoldsInRange, InRange
from evenfold.infer.tables.kernels import (
    Codes,
    cluster_sums,
    clustered_variance,
    compare_runs,
    optional_codes,
)

_HALVINGS = 60  # of the interval that holds the saddle point, to the last digits
_STEP = 0.0625  # of the trapezoidal rule; its error is below 1e-13 here
_NODES = 192  # the last is 80 000 spreads away, where even two terms are below 1e-15
_SMALLEST = 1e-13  # share of the largest term; smaller positive terms change nothing visible
_NEGLIGIBLE = -40.0  # natural logarithm of a term that is negligible
_ROUNDS = 100  # of the search for a limit, which usually ends after ten
_EXACT = 1e-13  # error of a limit, as a share of the range
_SURE = 1e-300  # replaces smaller shares
ROUNDING = 1e-16


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Units:
    """
    The units of a bounded mean: examples, or clusters of them.

    Attributes
    ----------
    sums, sizes, times : array (..., k)
        The sum and the size of each unit, and how often it occurs.
    low, high : float
        The range of a single value.
    largest : float
        The size of the unseen unit: that of the largest seen one.
    """

    sums: Floats
    sizes: Floats
    times: Floats
    low: float
    high: float
    largest: float = 1.0

    @property
    def mean(self) -> Floats:
        """Return Σ sums / Σ sizes."""
        total = (self.times * self.sizes).sum(axis=-1)
        return cast("Floats", (self.times * self.sums).sum(axis=-1) / total)

    def share(self, mean: Floats, *, below: bool) -> Floats:
        """
        Return the share of weighted means that lie on one side of ``mean``: a one-sided p-value.

        Examples
        --------
        >>> alike = Units(
        ...     sums=np.zeros(1), sizes=np.ones(1), times=np.full(1, 100.0), low=-1.0, high=1.0
        ... )
        >>> round(float(alike.share(np.asarray(-0.03), below=True)), 6), round(0.97**100, 6)
        (0.047553, 0.047553)
        """
        m = np.asarray(mean, dtype=float)[..., None]
        unseen = ((self.low if below else self.high) - m) * self.largest
        centred = self.sums - m * self.sizes
        batch = np.broadcast_shapes(centred.shape[:-1], unseen.shape[:-1])
        parts = [np.broadcast_to(part, (*batch, part.shape[-1])) for part in (centred, unseen)]
        terms = np.concatenate(parts, axis=-1)
        times = np.broadcast_to(np.append(self.times, 1.0), terms.shape)
        return positive_share(-terms if below else terms, times)

    def limit(self, error: float, *, lower: bool) -> Floats:
        """
        Return the mean whose one-sided p-value is ``error``.

        Normal quantiles of the p-value are nearly a straight line, so few steps are needed.
        """
        target = special.ndtri(error)

        def excess(mean: Floats) -> Floats:
            share = np.clip(self.share(mean, below=lower), _SURE, 1 - ROUNDING)
            return special.ndtri(share) - target

        ends = [np.full(self.mean.shape, end) for end in (self.low, self.high)]
        start, stop = ends if lower else ends[::-1]
        return crossing(excess, start, stop, _EXACT * (self.high - self.low))


def crossing(f: Callable[[Floats], Floats], a: Floats, b: Floats, tolerance: float) -> Floats:
    """
    Return where a function that rises from a to b is 0, within the tolerance (Chandrupatla 1997).

    Examples
    --------
    >>> round(float(crossing(lambda x: x**3 - 2, np.asarray(0.0), np.asarray(2.0), 1e-12)), 9)
    1.25992105
    """
    start = a
    f_a = f(a)
    f_b = f(b)
    never = f_a >= 0  # the function is not below 0 even at the start
    t = np.full(a.shape, 0.5)
    for _ in range(_ROUNDS):
        x = a + t * (b - a)
        f_x = f(x)
        same = np.sign(f_x) == np.sign(f_a)
        c = np.where(same, a, b)
        f_c = np.where(same, f_a, f_b)
        b = np.where(same, b, a)
        f_b = np.where(same, f_b, f_a)
        a = x
        f_a = f_x
        with np.errstate(divide="ignore", invalid="ignore"):
            least = np.minimum(tolerance / np.abs(b - a), 0.5)
            xi = (a - b) / (c - b)
            phi = (f_a - f_b) / (f_c - f_b)
            inverse = f_a / (f_b - f_a) * f_c / (f_b - f_c)
            inverse = inverse + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
        if np.all((least >= 0.5) | (f_a == 0) | never):
            break
        smooth = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi) & np.isfinite(inverse)
        t = np.clip(np.where(smooth, inverse, 0.5), least, 1 - least)
    below = np.where(f_a <= 0, a, b)  # the side on which the mean is rejected
    return np.where(never, start, below)


def examples(d: Floats, low: float, high: float) -> Units:
    """
    Return single examples as units; equal ones are counted, in a batch of tables those that are 0.

    Examples
    --------
    >>> examples(np.array([0.0, 0.0, 1.0]), -1.0, 1.0).times.tolist()
    [2.0, 1.0]
    >>> examples(np.array([[0.0, 0.0, 0.5], [0.0, 1.0, 0.0]]), -1.0, 1.0).sums.tolist()
    [[0.5, 0.0], [1.0, 0.0]]
    """
    if d.ndim == 1:
        values, counts = np.unique(d, return_counts=True)
        times = counts.astype(float)
    else:
        n = d.shape[-1]
        k = int((d != 0).sum(axis=-1).max(initial=1))
        largest = np.argsort(-np.abs(d), axis=-1)[..., :k]
        values = np.concatenate(
            [np.take_along_axis(d, largest, axis=-1), np.zeros((*d.shape[:-1], 1))], -1
        )
        times = np.append(np.ones(k), float(n - k))
    return Units(sums=values, sizes=np.ones(values.shape[-1]), times=times, low=low, high=high)


def positive_share(terms: Floats, times: Floats) -> Floats:
    """
    Return P(Σ c_j G_j ≥ 0) with independent G_j of the gamma distribution with shapes ``times``.

    This is the contour integral of exp(K(s))/s, K(s) = −Σ times·log(1 − c_j s), along the vertical
    line through its saddle point, where nothing oscillates.

    Examples
    --------
    >>> round(
    ...     float(positive_share(np.array([1.0, -2.0]), np.ones(2))), 12
    ... )  # of two exponentials: 1/(1 + 2)
    0.333333333333
    """
    terms = np.where(times > 0, terms, 0.0)
    # the sign of the sum has no unit; with the largest term 1 nothing overflows
    largest = np.abs(terms).max(axis=-1)
    terms = terms / np.where(largest > 0, largest, 1.0)[..., None]
    likely = (times * terms).sum(axis=-1) > 0  # then the other side has the small share
    small = _upper_tail(np.where(likely[..., None], -terms, terms), times)
    share = np.where(likely, 1 - small, small)
    return cast("Floats", np.where(largest == 0, 1.0, share)[()])


def _upper_tail(terms: Floats, times: Floats) -> Floats:
    """Return P(Σ c_j G_j > 0) of a sum with a mean of 0 or less."""
    top = terms.max(axis=-1)
    some = top > _SMALLEST
    c = np.where(some[..., None], terms, -1.0)  # without a positive term the share is 0 at the end
    s = _saddle_point(c, times, 1 / np.where(some, top, 1.0))
    room = 1 - s[..., None] * c
    ratio = c / room
    spread = 1 / np.sqrt((times * ratio**2).sum(axis=-1) + 1 / s**2)
    height = -(times * np.log(room)).sum(axis=-1) - np.log(s)
    total = np.zeros_like(s)
    for node in range(_NODES):
        u = node * _STEP
        t = spread * np.sinh(u)
        # |1 − itx| and its angle, as real logarithms are three times as fast as complex ones
        x = t[..., None] * ratio
        size = -0.5 * ((times * np.log1p(x**2)).sum(axis=-1) + np.log1p((t / s) ** 2))
        angle = (times * np.arctan(x)).sum(axis=-1) - np.arctan(t / s)
        weight = np.cosh(u) if node else 0.5
        total += weight * np.exp(size) * np.cos(angle)
        if np.all(size + u < _NEGLIGIBLE):
            break
    share = np.exp(height) * total * spread * _STEP / np.pi
    return np.where(some, np.clip(share, 0.0, 1.0), 0.0)


def _saddle_point(c: Floats, times: Floats, end: Floats) -> Floats:
    """Return the s in (0, end) at which K(s) − log s, which is convex, has its minimum."""

    def is_falling(s: Floats) -> Any:
        return ~((times * c / (1 - s[..., None] * c)).sum(axis=-1) > 1 / s)

    with np.errstate(divide="ignore", over="ignore"):
        low, high = bisect(is_falling, np.zeros_like(end), end, steps=_HALVINGS)
    return (low + high) / 2


_BISECTIONS = 40  # of the way from the null to the mean, to twelve digits
_ROUNDING = 1e-9  # of the range; decimal numbers are rounded by less

_CONJECTURE = (
    "It never exceeded its level where it was measured, and reached it where losses are all or "
    "nothing. It stays far below its level where losses are small beside the range."
)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class BoundedEstimate(OneSidedTests):
    """
    A mean of bounded values, whose limits do not depend on their distribution.

    Attributes
    ----------
    of : Units
        The examples or clusters, with the range of single values.
    """

    of: Units

    def _pvalue_against(self, *, larger: bool) -> Floats:
        """Return the share of weighted means beyond the null."""
        return self.of.share(np.asarray(self.null), below=larger)

    def _limits(self, error: float) -> tuple[Floats, Floats]:
        return self._limit(error, lower=True), self._limit(error, lower=False)

    def _limit(self, error: float, *, lower: bool) -> Floats:
        return self.of.limit(error, lower=lower)[()]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class CrossedBoundedEstimate(BoundedEstimate):
    """
    A mean of bounded values over examples and runs.

    The squared distance of a limit from the mean is the sum of two: that of the limit for the
    examples, and that of the limit for the runs.

    Attributes
    ----------
    runs : array (..., parts)
        The variances that runs add.
    dfs : tuple of float
        Their degrees of freedom.
    """

    runs: Floats
    dfs: tuple[float, ...]

    def _square(self, error: Any) -> Floats:
        """Return the square of how far runs alone would reach at this error."""
        quantiles = [np.maximum(t_quantile(df, error), 0.0) for df in self.dfs]
        return cast("Floats", sum(self.runs[..., j] * q**2 for j, q in enumerate(quantiles)))

    def _limit(self, error: float, *, lower: bool) -> Floats:
        reach = np.sqrt((self.value - self.of.limit(error, lower=lower)) ** 2 + self._square(error))
        limit = self.value - reach if lower else self.value + reach
        return np.clip(limit, self.of.low, self.of.high)[()]

    def _pvalue_against(self, *, larger: bool) -> Floats:
        """Return the error at which the limit is the null, by bisection between null and mean."""
        null = np.full(self.value.shape, self.null)
        wrong = null >= self.value if larger else null <= self.value
        far = np.where(wrong, self.value, null)
        distance = (self.value - far) ** 2

        def is_beyond(mean: Floats) -> Any:
            reach = self._square(self.of.share(mean, below=larger))
            return (self.value - mean) ** 2 + reach > distance

        far, _ = bisect(is_beyond, far, self.value, steps=_BISECTIONS)
        return self.of.share(np.where(wrong, null, far), below=larger)


@method(
    name="a test for means of bounded differences",
    valid=MODELS,
    takes=InRange(),
    conservative=_CONJECTURE,
    source="Gaffke 2005; Learned-Miller 2019",
    recommended=True,
    gate_for=(TEST_SET,),
)
def bounded_mean(
    d: ArrayLike,
    *,
    low: float,
    high: float,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> BoundedEstimate:
    """
    Test the mean difference of two models whose answers are graded between two ends.

    Parameters
    ----------
    d : array of shape (..., n)
        Value of B less value of A at each example.
    low : float
        The smallest that a single difference can be, −1 for right or wrong.
    high : float
        The largest that it can be.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    BoundedEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    Rare large losses skew the mean: the t-test passes a model that is worse by the whole margin,
    because most tables hold too few of them. Here one more example at the end of the range stands
    for what was not seen.

    *Formula.* Mean; p is the share of means Σ w_i d_i + w_0·low below Δ with weights of a flat
    Dirichlet distribution (with ``high`` against smaller values), computed by a contour integral;
    limits invert it. The statistic and the standard error are those of :func:`paired_t`, for
    information.

    *Validity.* The answer is about these two models on new examples, which must be independent.
    With right and wrong answers of one model it is the exact binomial test. That it errs nowhere
    above its level is conjectured, not proved. Losses on 1 to 20% of 20 to 200 examples, all of it,
    uniform or of two Beta laws, with and without gains and small noise: it errs .047 at most at
    .05, where :func:`paired_t` errs .81. The price is about (high − low)/n in each limit, which
    vanishes with n: with many examples that differ, and as many gains as losses, :func:`paired_t`
    is sharper and right.

    *How it errs.* It is conservative. It never exceeded its level where it was measured, and
    reached it where losses are all or nothing. It stays far below its level where losses are small
    beside the range. It estimates the expected difference B − A of these models on new examples.

    References
    ----------
    Gaffke 2005; Learned-Miller 2019.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = [0] * 96 + [-0.5, -0.25, 0.25, 0.5]
    >>> e = ef.infer.bounded_mean(d, low=-1, high=1, null=-0.05, alternative="greater")
    >>> round(float(e.pvalue), 4), round(float(e.confidence_interval()[0]), 4)
    (0.0084, -0.0328)
    """
    low, high, d = _check_range("d", floats(d), low, high)
    value, s2 = mean_and_variance(d)
    fields = fields_of_test(value, s2 / d.shape[-1], null, alternative)
    return BoundedEstimate(of=examples(d, low, high), **fields)


@method(
    name="a test for means of bounded differences in clusters",
    valid=IN_CLUSTERS,
    takes=ClusteredInRange(),
    conservative=_CONJECTURE,
    source="after Gaffke 2005",
    recommended=True,
    gate_for=(CLUSTERS,),
)
def clustered_bounded_mean(
    losses: ArrayLike,
    clusters: ArrayLike,
    *,
    low: float,
    high: float,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> BoundedEstimate:
    """
    Test the mean difference of two models on graded answers that come in clusters.

    Parameters
    ----------
    losses : array of shape (..., n)
        Value of B less value of A at each example.
    clusters : array of shape (n,)
        The cluster of each example: a document, a patient. G ≥ 2 of them.
    low : float
        The smallest that a single difference can be, −1 for scores between 0 and 1.
    high : float
        The largest that it can be.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    BoundedEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* As :func:`bounded_mean`, with means Σ w_g S_g/Σ w_g n_g of cluster sums S_g and sizes
    n_g; the cluster that was not seen is as large as the largest that was.

    *Validity.* The answer is about these two models on new clusters. Where 1 to 20% of 20 to 100
    clusters of 5 and 10 examples are lost it errs .04 at most at .05, where :func:`clustered_t`
    errs .19.

    *How it errs.* It is conservative. It never exceeded its level where it was measured, and
    reached it where losses are all or nothing. It stays far below its level where losses are small
    beside the range. It estimates the expected difference B − A of these models on new clusters.

    References
    ----------
    after Gaffke 2005.

    Examples
    --------
    >>> import evenfold as ef
    >>> d, clusters = [0] * 92 + [-0.5] * 4 + [0.5] * 4, [i // 4 for i in range(100)]
    >>> e = ef.infer.clustered_bounded_mean(d, clusters, low=-1, high=1)
    >>> [round(float(x), 3) for x in e.confidence_interval()]
    [-0.147, 0.147]
    """
    clusters = np.asarray(clusters, dtype=np.intp)
    low, high, losses = _check_range("losses", floats(losses), low, high)
    mean = mean_last(losses)
    variance = clustered_variance(losses - mean[..., None], clusters)
    fields = fields_of_test(mean, variance, null, alternative)
    return BoundedEstimate(of=_clusters(losses, clusters, low, high), **fields)


@method(
    name="a test for means of bounded differences over runs and examples",
    valid=IN_RUNS,
    takes=CrossedInRange(),
    conservative="It stays below its level where losses are rare. With two runs that matter it "
    "errs as often as crossed-t.",
    source="after Gaffke 2005; Zou 2008",
    recommended=True,
    gate_for=(RUNS, CLUSTERED_RUNS),
)
def crossed_bounded_mean(
    a: ArrayLike,
    b: ArrayLike,
    *,
    low: float,
    high: float,
    paired: bool = True,
    clusters: Any = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> CrossedBoundedEstimate:
    """
    Test the mean difference of two learning procedures on graded answers, over runs and examples.

    Parameters
    ----------
    a : array of shape (..., S, n)
        Values of A in S ≥ 2 runs (seeds, samplings) on n examples.
    b : array of shape (..., S, n)
        Those of B on the same examples.
    low : float
        The smallest that a single value can be, 0 for a score between 0 and 1.
    high : float
        The largest that it can be.
    paired : bool, default True
        Whether run s of A and run s of B belong together; runs that do not may be paired all the
        same.
    clusters : array of shape (n,), optional
        The cluster of each example.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    CrossedBoundedEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* Mean; a limit is √((d̄ − L)² + (V − A)·t²_{S−1}) away from it, L the limit of
    :func:`bounded_mean` for the examples' means over runs, V and A as in :func:`crossed_t`; p
    inverts it.

    *Validity.* The answer is about the learning procedures: a new run and new examples. Where 1 to
    20% of 20 to 100 examples are lost in three runs it errs .047 at most at .05, where
    :func:`crossed_t` errs .17.

    *How it errs.* It is conservative. It stays below its level where losses are rare. With two runs
    that matter it errs as often as crossed-t. It estimates the expected difference B − A of these
    learning procedures over runs on new examples.

    References
    ----------
    after Gaffke 2005; Zou 2008.

    Examples
    --------
    >>> import evenfold as ef
    >>> rng = np.random.default_rng(0)
    >>> a = rng.uniform(0.4, 0.8, size=(3, 60))
    >>> e = ef.infer.crossed_bounded_mean(a, a + 0.1, low=0, high=1)
    >>> [round(float(x), 3) for x in e.confidence_interval()]
    [0.034, 0.154]
    """
    low, high, a = _check_range("a", floats(a), low, high)
    _, _, b = _check_range("b", floats(b), low, high)
    codes = optional_codes("clusters", clusters, b.shape[-1])
    value, V, mixed = compare_runs(a, b, codes, paired=paired)
    d = b.mean(axis=-2) - a.mean(axis=-2)
    width = high - low
    if codes is None:
        of = examples(d, -width, width)
    else:
        of = _clusters(d, codes, -width, width)
    runs = V[..., None] * mixed.shares[..., 1:]
    fields = fields_of_test(value, V, null, alternative)
    return CrossedBoundedEstimate(of=of, runs=runs, dfs=mixed.dfs[1:], **fields)


def _check_range(
    name: str, values: Floats, low: object, high: object
) -> tuple[float, float, Floats]:
    """Check a range and that all values lie in it; clip those that exceed it by rounding."""
    least, most = value_range(low, high)
    require_inside(name, values, least, most, rounding=_ROUNDING)
    return least, most, np.clip(values, least, most)


def _clusters(values: Floats, codes: Codes, low: float, high: float) -> Units:
    sizes = np.bincount(codes).astype(float)
    sums = cluster_sums(values, codes)
    return Units(
        sums=sums,
        sizes=sizes,
        times=np.ones(len(sizes)),
        low=low,
        high=high,
        largest=float(sizes.max()),
    )


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class BoundedFoldsEstimate(BoundedEstimate):
    """
    The less sensitive of two tests: that of correlated folds, and a bound for unseen losses.

    Attributes
    ----------
    of : Units
        The folds: sums and sizes.
    """

    @property
    def df(self) -> float:
        """Return the degrees of freedom of the t-test."""
        return float(self.of.sizes.shape[-1] - 1)

    def _pvalue_against(self, *, larger: bool) -> Floats:
        """Return the larger p-value of both tests."""
        t = self.statistic if larger else -self.statistic
        bound = self.of.share(np.asarray(self.null), below=larger)
        return cast("Floats", np.maximum(t_tail(self.df, t), bound)[()])

    def _limit(self, error: float, *, lower: bool) -> Floats:
        """Return the farther limit of both tests, in the range."""
        reach = t_quantile(self.df, error) * self.standard_error
        bound = self.of.limit(error, lower=lower)
        if lower:
            limit = np.minimum(self.value - reach, bound)
        else:
            limit = np.maximum(self.value + reach, bound)
        return np.clip(limit, self.of.low, self.of.high)[()]


@method(
    name="the t-test on folds for bounded examples",
    valid=FOLDS,
    takes=FoldsInRange(),
    conservative="It stays below its level where losses are rare. Where folds are correlated by "
    "more than 1/K it errs as often as corrected-kfold-t.",
    source="NB section 4; after Gaffke 2005",
    recommended=True,
    gate_for=(KFOLD, LOO),
)
def bounded_kfold_t(
    d: ArrayLike,
    *,
    n_test: int,
    low: float,
    high: float,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> BoundedFoldsEstimate:
    """
    Test the mean of K folds whose single examples are graded between two ends.

    Parameters
    ----------
    d : array of shape (..., J)
        Differences B − A on the test part of each split or fold.
    n_test : int
        Test examples of a fold.
    low : float
        The smallest that a single difference can be, −1 for scores between 0 and 1.
    high : float
        The largest that it can be.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    BoundedFoldsEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    If few examples differ, most folds are alike, and a t-test of K values ignores losses that were
    not seen but are possible.

    *Formula.* The larger p-value, and the wider limit, of :func:`corrected_kfold_t` and of a bound:
    means of folds with weights of a flat Dirichlet distribution, and one more example at the end of
    the range.

    *Validity.* The answer is about the algorithms at the training size of the folds. Losses on 1 to
    20% of 20 to 200 examples in 10 folds: it errs .045 at most at .05 where training sets add
    nothing, where :func:`corrected_kfold_t` errs .13.

    *How it errs.* It is conservative. It stays below its level where losses are rare. Where folds
    are correlated by more than 1/K it errs as often as corrected-kfold-t. It estimates the expected
    difference B − A at training size (K−1)n/K.

    References
    ----------
    NB section 4; after Gaffke 2005. Nadeau, C., Bengio, Y. (1999). Inference for the generalization
    error. CIRANO Scientific Series 99s-25.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.bounded_kfold_t([0.0] * 10, n_test=10, low=-1, high=1)
    >>> [round(float(x), 3) for x in e.confidence_interval()]
    [-0.043, 0.043]
    """
    d = floats(d)
    least, most = value_range(low, high)
    require_inside("d", d, least, most)
    K = d.shape[-1]
    sizes = np.full(K, float(integer("n_test", n_test, low=1)))
    of = Units(sums=d * sizes, sizes=sizes, times=np.ones(K), low=least, high=most)
    mean = corrected_mean(d)
    fields = fields_of_test(mean.value, mean.variance, null, alternative)
    return BoundedFoldsEstimate(of=of, **fields)
