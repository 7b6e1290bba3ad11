"""Bounds for means of graded answers, which hold where few examples differ, and by much."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from evenfold.core.checks import flag, refuse
from evenfold.core.estimate import Alternative, Floats, StudentT, TestEstimate, on_side
from evenfold.core.partition import CLUSTERED_RUNS, CLUSTERS, RUNS, TEST_SET
from evenfold.infer._base import Answer, method, standardise
from evenfold.infer._inputs import scalar
from evenfold.infer._spread import mean_and_variance, mean_last
from evenfold.infer._valid import IN_CLUSTERS, IN_RUNS, MODELS
from evenfold.infer.bounded._units import Units, examples
from evenfold.infer.inputs import ClusteredInRange, CrossedInRange, InRange
from evenfold.infer.tables._clusters import Codes, cluster_codes, cluster_sums, clustered_variance
from evenfold.infer.tables._crossed import MixedT, unpaired
from evenfold.infer.tables._crossed import paired as of_pairs

_ROUNDS = 40  # of halvings of the way from the null to the mean: to twelve digits
_ROUNDING = 1e-9  # of the range: differences of decimal numbers are off by less

_CONJECTURE = "never above its level where it was measured, and at it where losses are all or nothing"


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class BoundedEstimate(TestEstimate):
    """
    A mean of bounded values, whose limits do not lean on their distribution.

    Attributes
    ----------
    of : Units
        The examples or clusters, with the range of single values.
    """

    of: Units

    @property
    def pvalue(self) -> Floats:
        """The share of weighted means beyond the null; twice the smaller of both if two-sided."""
        return _on_alternative(self._share, self.alternative)

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """All means that the test does not reject; inside the range."""
        error = self.error_per_side(confidence_level)
        low = self._limit(error, lower=True)
        high = self._limit(error, lower=False)
        return on_side(low, high, self.alternative)

    def _share(self, *, below: bool) -> Floats:
        return self.of.share(np.asarray(self.null), below=below)

    def _limit(self, error: float, *, lower: bool) -> Floats:
        return self.of.limit(error, lower=lower)[()]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class CrossedBoundedEstimate(BoundedEstimate):
    """
    The same where runs vary as well.

    A limit is as far from the mean as the root of two squares: how far the limit of the examples is, and how
    far that of the runs.

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
        """How far runs alone would reach at this error, squared."""
        quantiles = [np.maximum(StudentT(df).isf(error), 0.0) for df in self.dfs]
        return cast("Floats", sum(self.runs[..., j] * q**2 for j, q in enumerate(quantiles)))

    def _limit(self, error: float, *, lower: bool) -> Floats:
        reach = np.sqrt((self.value - self.of.limit(error, lower=lower)) ** 2 + self._square(error))
        limit = self.value - reach if lower else self.value + reach
        return np.clip(limit, self.of.low, self.of.high)[()]

    def _share(self, *, below: bool) -> Floats:
        """The error at which the limit is the null, found by halving between the null and the mean."""
        null = np.full(self.value.shape, self.null)
        wrong = null >= self.value if below else null <= self.value
        far = np.where(wrong, self.value, null)
        distance = (self.value - far) ** 2
        near = self.value
        for _ in range(_ROUNDS):
            middle = (far + near) / 2
            error = self.of.share(middle, below=below)
            beyond = (self.value - middle) ** 2 + self._square(error) > distance
            far = np.where(beyond, middle, far)
            near = np.where(beyond, near, middle)
        found = np.where(wrong, self.of.share(null, below=below), self.of.share(far, below=below))
        return cast("Floats", found[()])


def _on_alternative(share: Callable[..., Floats], alternative: Alternative) -> Floats:
    if alternative == "greater":
        return share(below=True)
    if alternative == "less":
        return share(below=False)
    both = np.minimum(share(below=True), share(below=False))
    return cast("Floats", np.minimum(2 * both, 1.0)[()])


@method(
    valid=MODELS,
    takes=InRange(),
    conservative=f"{_CONJECTURE}; far below it where losses are small beside the range",
    source="Gaffke 2005; Learned-Miller 2019",
    recommended=True,
    gate_for=(TEST_SET,),
)
def bounded_mean(d: Floats, *, low: float, high: float, null: float) -> Answer[BoundedEstimate]:
    """
    Test the mean difference of two models whose answers are graded between two ends.

    Rare large losses skew the mean: the t-test passes a model that is worse by the whole margin, because most
    tables hold too few of them. Here one more example at the end of the range stands for what was not seen.

    *Formula.* Mean; p is the share of means Σ w_i d_i + w_0·low below Δ with weights of a flat Dirichlet
    distribution (with ``high`` against smaller values), computed by a contour integral; limits invert it. The
    statistic and the standard error are those of :func:`paired_t`, for information.

    *Validity.* About these two models on further examples, which must be independent. With right and wrong
    answers of one model it is the exact binomial test. That it errs nowhere above its level is conjectured,
    not proved. Losses on 1 to 20 % of 20 to 200 examples, all of it, uniform or of two Beta laws, with and
    without gains and small noise: it errs .047 at most at .05, where :func:`paired_t` errs .81. The price
    is about (high − low)/n in each limit, which vanishes with n: with many examples that differ, and as many
    gains as losses, :func:`paired_t` is sharper and right.

    >>> d = [0] * 96 + [-0.5, -0.25, 0.25, 0.5]
    >>> e = ef.infer.bounded_mean(d, low=-1, high=1, null=-0.05, alternative="greater")
    >>> round(float(e.pvalue), 4), round(float(e.confidence_interval()[0]), 4)
    (0.0084, -0.0328)
    """
    low, high, d = _in_range("d", d, low, high)
    value, s2 = mean_and_variance(d)
    return _answer(value, s2 / d.shape[-1], null, examples(d, low, high))


@method(
    valid=IN_CLUSTERS,
    takes=ClusteredInRange(),
    conservative=f"{_CONJECTURE}; far below it where losses are small beside the range",
    source="after Gaffke 2005",
    recommended=True,
    gate_for=(CLUSTERS,),
)
def clustered_bounded_mean(
    losses: Floats, clusters: Codes, *, low: float, high: float, null: float
) -> Answer[BoundedEstimate]:
    """
    Test the mean difference of two models on graded answers that come in clusters.

    *Formula.* As :func:`bounded_mean`, with means Σ w_g S_g/Σ w_g n_g of cluster sums S_g and sizes n_g; the
    cluster that was not seen is as large as the largest that was.

    *Validity.* About these two models on further clusters. Where 1 to 20 % of 20 to 100 clusters of 5 and 10
    examples are lost it errs .04 at most at .05, where :func:`clustered_t` errs .19.

    >>> d, clusters = [0] * 92 + [-0.5] * 4 + [0.5] * 4, [i // 4 for i in range(100)]
    >>> e = ef.infer.clustered_bounded_mean(d, clusters, low=-1, high=1)
    >>> [round(float(x), 3) for x in e.confidence_interval()]
    [-0.147, 0.147]
    """
    low, high, losses = _in_range("losses", losses, low, high)
    mean, count = mean_last(losses), int(clusters.max()) + 1
    variance = clustered_variance(losses - mean[..., None], clusters, count)
    return _answer(mean, variance, null, _clusters(losses, clusters, low, high))


@method(
    valid=IN_RUNS,
    takes=CrossedInRange(),
    conservative="below its level where losses are rare; with two runs that matter it errs as crossed-t does",
    source="after Gaffke 2005; Zou 2008",
    recommended=True,
    gate_for=(RUNS, CLUSTERED_RUNS),
)
def crossed_bounded_mean(
    a: Floats, b: Floats, *, low: float, high: float, null: float, paired: bool = True, clusters: Any = None
) -> Answer[CrossedBoundedEstimate]:
    """
    Test the mean difference of two recipes on graded answers, over further runs and further examples.

    *Formula.* Mean; a limit is √((d̄ − L)² + (V − A)·t²_{S−1}) away from it, L the limit of
    :func:`bounded_mean` for the examples' means over runs, V and A as in :func:`crossed_t`; p inverts it.

    *Validity.* About the recipes: a further run and further examples. Where 1 to 20 % of 20 to 100 examples
    are lost in three runs it errs .047 at most at .05, where :func:`crossed_t` errs .17.

    >>> rng = np.random.default_rng(0)
    >>> a = rng.uniform(0.4, 0.8, size=(3, 60))
    >>> e = ef.infer.crossed_bounded_mean(a, a + 0.1, low=0, high=1)
    >>> [round(float(x), 3) for x in e.confidence_interval()]
    [0.034, 0.154]
    """
    if flag("paired", paired) and a.shape[-2] != b.shape[-2]:
        refuse("a", f"of {b.shape[-2]} runs like b", f"shape {a.shape}", "or say paired=False")
    low, high, a = _in_range("a", a, low, high)
    _, _, b = _in_range("b", b, low, high)
    codes = None if clusters is None else cluster_codes("clusters", clusters, b.shape[-1])
    count = 0 if codes is None else int(codes.max()) + 1
    value, V, mixed = of_pairs(b - a, codes, count) if paired else unpaired(a, b, codes, count)
    d = b.mean(axis=-2) - a.mean(axis=-2)
    width = high - low
    of = examples(d, -width, width) if codes is None else _clusters(d, codes, -width, width)
    assert isinstance(mixed, MixedT)
    runs = V[..., None] * mixed.shares[..., 1:]
    found = _answer(value, V, null, of)
    return Answer(CrossedBoundedEstimate, **found.fields, runs=runs, dfs=mixed.dfs[1:])


def _in_range(name: str, values: Floats, low: object, high: object) -> tuple[float, float, Floats]:
    """Check a range, and that all values lie in it; what is off by rounding is put at its end."""
    least, most = scalar("low", low), scalar("high", high)
    if not least < most:
        refuse("high", f"above low ({least:g})", most)
    slack = _ROUNDING * (most - least)
    outside = (values < least - slack) | (values > most + slack)
    if outside.any():
        refuse(name, f"between low ({least:g}) and high ({most:g})", float(values[outside][0]))
    return least, most, np.clip(values, least, most)


def _clusters(values: Floats, codes: Codes, low: float, high: float) -> Units:
    sizes = np.bincount(codes).astype(float)
    sums = cluster_sums(values, codes, len(sizes))
    return Units(
        sums=sums, sizes=sizes, times=np.ones(len(sizes)), low=low, high=high, largest=float(sizes.max())
    )


def _answer(value: Floats, variance: Floats, null: float, of: Units) -> Answer[BoundedEstimate]:
    statistic, error, _ = standardise(value, variance, null)
    return Answer(BoundedEstimate, value=value, standard_error=error, statistic=statistic, of=of)
