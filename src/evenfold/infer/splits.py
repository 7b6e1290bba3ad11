"""Tests on the hold-out values of J random splits (NB sections 3–4)."""

from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

import numpy as np

from evenfold.core.checks import integer, number
from evenfold.core.estimate import (
    Alternative,
    Floats,
    Normal,
    PivotEstimate,
    PosteriorEstimate,
    StudentT,
    t_quantile,
    t_tail,
)
from evenfold.core.partition import BRLT, NESTED_RLT, OUT_OF_BAG, REPEATED_KFOLD, RERUNS, RLT
from evenfold.infer._arrays import (
    ArrayLike,
    floats,
    mean_and_variance,
    mean_last,
    standardise,
    warn_degenerate,
    within_repetitions,
)
from evenfold.infer._base import Pivot, at_size, mean_t, method
from evenfold.infer._designs import (
    NESTED_HALVES,
    RUN_AGAIN,
    SAMPLES,
    SEVERAL_FITS,
    SPLITS_OR_FOLDS,
    SPLITS_OR_REPEATED,
)
from evenfold.infer.inputs import BootstrapRuns, Costs
from evenfold.infer.theory import gaussian

_splits = partial(method, valid=SPLITS_OR_REPEATED, joint="t")


@_splits(
    name="the resampled t-test",
    liberal="It treats hold-out values as independent although they share training and test "
    "examples.",
    source="NB section 3, method 2 (Dietterich 1998)",
    ratio=gaussian.exchangeable,
)
def resampled_t(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean of J random splits as if they were independent.

    Parameters
    ----------
    d : array of shape (..., J)
        Differences B − A on the test part of each split or fold.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* Mean of J, variance S²/J, reference t with J − 1 df.

    *Validity.* It is liberal, grossly so for many splits: the variance goes to 0 as J grows while
    the variance of the mean does not. It is here for comparison only; use
    :func:`corrected_resampled_t`.

    *Design.* ``compare(method="resampled-t")`` draws 15 random splits of 90% (``RLT(15, 0.9)``), as
    the source does, and errs .07 to .30 at .05 on the populations of its card. Even splits
    (``BRLT``) are less correlated: there it errs .00 to .23.

    *How it errs.* It is liberal. It treats hold-out values as independent although they share
    training and test examples. It estimates the expected difference B − A at training size n1.

    References
    ----------
    NB section 3, method 2 (Dietterich 1998). Nadeau, C., Bengio, Y. (1999). Inference for the
    generalization error. CIRANO Scientific Series 99s-25. Dietterich, T. G. (1998). Approximate
    statistical tests for comparing supervised classification learning algorithms. Neural
    Computation 10.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.resampled_t([0.1, 0.3, 0.2, 0.4]).statistic), 6)
    3.872983
    """
    return mean_t(floats(d)).test(null, alternative)


@_splits(
    name="the corrected resampled t-test",
    depends="It is liberal where the correlation of two hold-out values exceeds n2/(n1+n2), and "
    "conservative below.",
    source="NB section 4, method 6",
    default_for=(RLT, BRLT, REPEATED_KFOLD),
    ratio=gaussian.corrected,
)
def corrected_resampled_t(
    d: ArrayLike,
    *,
    n_train: int,
    n_test: int,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Test the mean of J random splits with Nadeau and Bengio's corrected variance.

    Parameters
    ----------
    d : array of shape (..., J)
        Differences B − A on the test part of each split or fold.
    n_train : int
        Size n1 of the training part.
    n_test : int
        Size n2 of the test part.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* Mean of J, variance (1/J + n2/n1)·S², reference t with J − 1 df.

    *Validity.* The correction assumes that two hold-out values are correlated by ρ0 = n2/(n1+n2),
    as if a model did not depend on its training examples but on their number. Where the true ρ is
    larger the test is liberal, where it is smaller conservative (NB 5.2 says the first the wrong
    way round). NB advise J ≥ 10, where 15 is enough, and n2 ≈ n/10. Of r repetitions of K folds J =
    K·r values are taken as if they were random splits: liberal where they are correlated more,
    which was not seen (.030 ± .009 at .05).

    *Design.* ``compare(method="corrected-resampled-t")`` draws 15 random splits of 90%
    (``RLT(15, 0.9)``), as the source does, and errs .01 to .12 at .05 on the populations of its
    card. On even splits (``BRLT``) the values are less correlated than the correction assumes:
    there it errs .00 to .09. Grouped data get even splits of whole groups.

    *How it errs.* It is liberal where the correlation of two hold-out values exceeds n2/(n1+n2),
    and conservative below. It estimates the expected difference B − A at training size n1.

    References
    ----------
    NB section 4, method 6. Nadeau, C., Bengio, Y. (1999). Inference for the generalization error.
    CIRANO Scientific Series 99s-25.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.corrected_resampled_t([0.1, 0.3, 0.2, 0.4], n_train=90, n_test=10)
    >>> e.estimand
    'expected difference B − A at training size 90'
    >>> round(float(e.pvalue), 6)
    0.048491
    """
    d = floats(d)
    n1 = integer("n_train", n_train, low=1)
    n2 = integer("n_test", n_test, low=1)
    return mean_t(d, 1 / d.shape[-1] + n2 / n1, n_train=n1).test(null, alternative)


@method(
    name="the t-test on logarithms of ratios",
    valid=SEVERAL_FITS,
    takes=Costs(),
    depends="It is right or conservative for new fits on this machine under such a load. It is "
    "liberal for other data, because it has not seen their training sets.",
    source="ours: docs/run/measures",
    default_for=SEVERAL_FITS.kinds,
    joint="t",
    no_card="times are of a machine, not of a population; its page says how it erred on invented "
    "ones",
)
def cost_ratio_t(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean logarithm of the ratio of two costs, by pairs of fits on one training set.

    Parameters
    ----------
    d : array of shape (..., J)
        Logarithms of the ratio B / A, one for each of J fits.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    The estimate is the logarithm of the geometric mean of the ratios; reports show the ratio.

    *Formula.* Mean of J logarithms of ratios, variance S²/J, reference t with J − 1 df.

    *Validity.* What is random is the next fit on this machine, under such a load, on training sets
    of this size from these data. Fits take turns, A and B on each split, so that a load that drifts
    slows both. Simulated at .05 with 6, 10 and 18 fits, 40 000 each (standard error .001): errors
    of .049–.051 with normal noise and with a load that drifts, .020–.025 where one fit in ten is
    held up, below .02 where the first fit warms up: conservative. Splits share training examples,
    so that it is liberal where the cost depends much on the data, and it says nothing of other
    machines.

    *How it errs.* It is right or conservative for new fits on this machine under such a load. It is
    liberal for other data, because it has not seen their training sets. It estimates the expected
    difference B − A at training size n1.

    References
    ----------
    ours: docs/run/measures.

    Examples
    --------
    >>> import evenfold as ef
    >>> import numpy as np
    >>> e = ef.infer.cost_ratio_t([1.35, 1.41, 1.30, 1.42, 1.38, 1.36])
    >>> (
    ...     float(np.exp(e.value).round(2)),
    ...     [float(np.exp(x).round(1)) for x in e.confidence_interval()],
    ... )
    (3.94, [3.8, 4.1])
    """
    return mean_t(floats(d)).test(null, alternative)


@method(
    name="the bootstrap test on splits",
    valid=RUN_AGAIN,
    liberal="New runs on the same data show the spread of splits, not that of data sets.",
    source="NB section 4, method 5",
    ratio=gaussian.exchangeable,
)
def bootstrap(
    d: ArrayLike, reruns: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean of J splits with the variance of R more such means on the same data.

    Parameters
    ----------
    d : array of shape (..., J)
        Differences B − A on the test part of each split.
    reruns : array of shape (..., R)
        Means over J other splits, from R more runs: (R+1)J fits of each algorithm in all.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* Mean of J, variance of the R means, reference t with R − 1 df.

    *Validity.* It is liberal, as much as :func:`resampled_t` and at R + 1 times its cost: it errs
    .06 to .28 at .05 on the populations of its card. Means of even splits,
    ``Reruns(splits="even")``, hardly differ from run to run: on them it errs .13 to .45. It is here
    for comparison only. Its name is that of its source: nothing is drawn with replacement, see
    :func:`bootstrap_632` for that.

    *How it errs.* It is liberal. New runs on the same data show the spread of splits, not that of
    data sets. It estimates the expected difference B − A at training size n1.

    References
    ----------
    NB section 4, method 5. Nadeau, C., Bengio, Y. (1999). Inference for the generalization error.
    CIRANO Scientific Series 99s-25.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.bootstrap([0.1, 0.3], [0.1, 0.2, 0.3]).statistic), 6)
    2.0
    """
    reruns = floats(reruns)
    _, variance = mean_and_variance(reruns)
    df = reruns.shape[-1] - 1
    return Pivot(mean_last(floats(d)), variance, StudentT(df)).test(null, alternative)


@method(
    name="the corrected bootstrap test on splits",
    valid=RUN_AGAIN,
    depends="It is liberal where the correlation of two hold-out values exceeds n2/(n1+n2), and "
    "conservative below. On random splits it errs .00 to .10 at .05, on even ones far more often.",
    source="NB section 4, method 7",
    recommended=False,
    default_for=(RERUNS,),
    ratio=gaussian.corrected,
)
def corrected_bootstrap(
    d: ArrayLike,
    reruns: ArrayLike,
    *,
    n_train: int,
    n_test: int,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Test the mean of J splits with the corrected variance of R more such means.

    Parameters
    ----------
    d : array of shape (..., J)
        Differences B − A on the test part of each split.
    reruns : array of shape (..., R)
        Means over J other splits, from R more runs: (R+1)J fits of each algorithm in all.
    n_train : int
        Size n1 of the training part.
    n_test : int
        Size n2 of the test part.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* Mean of J, (1 + J·n2/n1) times the variance of the R means, reference t with R − 1
    df.

    *Validity.* It is as valid as :func:`corrected_resampled_t`, with R + 1 times as many fits, if
    splits are random: it errs .00 to .10 at .05 on the populations of its card. Means of even
    splits, ``Reruns(splits="even")``, hardly differ from run to run: on them it errs .02 to .20. It
    is here for comparison only.

    *How it errs.* It is liberal where the correlation of two hold-out values exceeds n2/(n1+n2),
    and conservative below. On random splits it errs .00 to .10 at .05, on even ones far more often.
    It estimates the expected difference B − A at training size n1.

    References
    ----------
    NB section 4, method 7. Nadeau, C., Bengio, Y. (1999). Inference for the generalization error.
    CIRANO Scientific Series 99s-25.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.corrected_bootstrap([0.1, 0.3], [0.1, 0.2, 0.3], n_train=20, n_test=10)
    >>> round(float(e.statistic), 6)
    1.414214
    """
    d = floats(d)
    reruns = floats(reruns)
    n1 = integer("n_train", n_train, low=1)
    n2 = integer("n_test", n_test, low=1)
    variance = (1 + d.shape[-1] * n2 / n1) * mean_and_variance(reruns)[1]
    return Pivot(mean_last(d), variance, StudentT(reruns.shape[-1] - 1), n1).test(null, alternative)


@method(
    name="the conservative z-test",
    valid=NESTED_HALVES,
    depends="Its variance is that of half as much data, which is larger on average. The normal "
    "quantile does not allow for the few halvings that it rests on: with five it erred up to .10 "
    "at .05 on the lab's populations.",
    source="NB section 4, method 4, eqs. 11 and 17",
    default_for=(NESTED_RLT,),
)
def conservative_z(
    d: ArrayLike, halves: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean of J splits with a variance from independent halves of the data.

    Parameters
    ----------
    d : array of shape (..., J)
        Differences B − A on the test part of each split of all data.
    halves : array of shape (..., M, 2)
        Means of J splits inside the two halves of M random halvings.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* Mean of J, variance (1/2M)·Σ(difference of the two halves)², reference N(0, 1).

    *Validity.* Its variance is conservative by a conjecture that simulations support, too much so
    at n2 = n/2, and more so the more halvings there are; but it rests on M halvings only, which the
    normal quantile does not know: with M = 5 it erred .02 to .10 at .05 on the lab's populations;
    :func:`conservative_t` does know it. It needs J + 2MJ fits; NB advise 5 ≤ M ≤ 10.

    *How it errs.* Its variance is that of half as much data, which is larger on average. The normal
    quantile does not allow for the few halvings that it rests on: with five it erred up to .10 at
    .05 on the lab's populations. It estimates the expected difference B − A at training size n1.

    References
    ----------
    NB section 4, method 4, eqs. 11 and 17. Nadeau, C., Bengio, Y. (1999). Inference for the
    generalization error. CIRANO Scientific Series 99s-25.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.conservative_z([0.2, 0.4], [[0.1, 0.3], [0.4, 0.2]])
    >>> round(float(e.standard_error), 6), round(float(e.pvalue), 6)
    (0.141421, 0.033895)
    """
    variance = _half_variance(floats(halves))
    return Pivot(mean_last(floats(d)), variance, Normal()).test(null, alternative)


@method(
    name="the conservative t-test",
    valid=NESTED_HALVES,
    conservative="Its variance is that of half as much data, and it takes M degrees of freedom "
    "for it.",
    source="ours: docs/open-problems; variance of NB section 4, method 4",
    recommended=True,
)
def conservative_t(
    d: ArrayLike, halves: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test as :func:`conservative_z` does, with Student's law in place of the normal one.

    Parameters
    ----------
    d : array of shape (..., J)
        Differences B − A on the test part of each split of all data.
    halves : array of shape (..., M, 2)
        Means of J splits inside the two halves of M random halvings.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* Mean of J, variance (1/2M)·Σ(difference of the two halves)², reference t with M df.

    *Validity.* It is conservative where it was measured, M = 5 and n2 = n/10: .021 to .034 at .05
    on normal regression, .026 to .043 (± .008) on letters, where :func:`conservative_z` errs up to
    .10; .008 to .037 (± .002) in its card. The squares of the M halvings are not independent, so M
    degrees of freedom are a choice that worked, not a theorem.

    *How it errs.* It is conservative. Its variance is that of half as much data, and it takes M
    degrees of freedom for it. It estimates the expected difference B − A at training size n1.

    References
    ----------
    ours: docs/open-problems; variance of NB section 4, method 4. Nadeau, C., Bengio, Y. (1999).
    Inference for the generalization error. CIRANO Scientific Series 99s-25.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.conservative_t([0.2, 0.4], [[0.1, 0.3], [0.4, 0.2]])
    >>> round(float(e.standard_error), 6), round(float(e.pvalue), 6)
    (0.141421, 0.16795)
    """
    halves = floats(halves)
    reference = StudentT(halves.shape[-2])
    return Pivot(mean_last(floats(d)), _half_variance(halves), reference).test(null, alternative)


def _half_variance(halves: Floats) -> Floats:
    variance: Floats = within_repetitions(halves) / halves.shape[-2]  # NB eq. 11
    return variance


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Region:
    """
    Posterior probabilities to the left of, inside and to the right of ±margin; they add up to 1.

    Attributes
    ----------
    left, rope, right : array
        P(B − A < −margin), P(−margin ≤ B − A ≤ margin), P(B − A > margin). Whether left or right is
        the good side depends on the measure: for a loss B is better on the left.
    """

    left: Floats
    rope: Floats
    right: Floats


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class StudentPosterior(PosteriorEstimate):
    """
    A Student t posterior of a mean.

    Attributes
    ----------
    location, scale : array
        Centre and scale; where the scale is 0 the posterior is a point, which counts half to either
        side of a limit that it lies on.
    df : float
        Degrees of freedom.
    """

    units = MappingProxyType({"location": 1, "scale": 1})

    location: Floats
    scale: Floats
    df: float

    @property
    def mean(self) -> Floats:
        """Posterior mean (the median, for one degree of freedom)."""
        return self.location

    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Equal-tailed credible interval."""
        reach = t_quantile(self.df, self.error(confidence_level) / 2) * self.scale
        return self.location - reach, self.location + reach

    def probability(self, null: float = 0.0) -> Floats:
        """Return the posterior probability that the quantity exceeds ``null``."""
        statistic, _ = standardise(self.location, self.scale**2, number("null", null))
        return t_tail(self.df, -statistic)

    def rope(self, margin: float) -> Region:
        """Return the probabilities of the three regions that ±``margin`` makes."""
        margin = number("margin", margin, low=0.0)
        right = self.probability(margin)
        left = 1 - self.probability(-margin)
        return Region(left=left, rope=np.maximum(1 - left - right, 0.0), right=right)


@method(
    name="the Bayesian correlated t-test",
    valid=SPLITS_OR_FOLDS,
    depends="It is liberal where the correlation of two hold-out values exceeds n2/(n1+n2), and "
    "conservative below.",
    source="Corani 2015, with ρ from the design (NB section 4)",
    recommended=True,
)
def bayes_correlated_t(d: ArrayLike, *, n_train: int, n_test: int) -> StudentPosterior:
    """
    Return the posterior of the mean difference of J correlated hold-out values.

    Parameters
    ----------
    d : array of shape (..., J)
        Differences B − A on the test part of each split or fold.
    n_train : int
        Size n1 of the training part.
    n_test : int
        Size n2 of the test part.

    Returns
    -------
    StudentPosterior
        ``mean``, ``interval()`` and ``probability(null)``, P(H1); ``rope(margin)`` gives the three
        probabilities of a region of practical equivalence.

    Notes
    -----
    *Formula.* Centre: the mean of J. Squared scale: (1/J + n2/n1)·S². J − 1 degrees of freedom.
    ``rope(margin)`` gives the three probabilities of a region of practical equivalence,
    ``probability(null)`` and ``interval(confidence_level)`` the rest.

    *Validity.* Under the matching prior p(μ, σ) ∝ 1/σ this is the corrected resampled t-test
    (:func:`corrected_resampled_t`) read as a posterior: its intervals are the same, and so are its
    errors. ρ is a guess, not an estimate: where hold-out values are correlated more strongly it is
    too sure, elsewhere too timid. Implementations that put ρ = 1/J, as for J folds, are right for J
    folds only: at J = 10 random splits of 70/30 they assume .1 where n2/(n1+n2) is .3, and decide
    for one of two equal algorithms far too often. The answer is about training sets of n1.

    *How it errs.* It is liberal where the correlation of two hold-out values exceeds n2/(n1+n2),
    and conservative below. It estimates the expected difference B − A at training size n1.

    References
    ----------
    Corani 2015, with ρ from the design (NB section 4). Nadeau, C., Bengio, Y. (1999). Inference for
    the generalization error. CIRANO Scientific Series 99s-25. Corani, G., Benavoli, A. (2015). A
    Bayesian approach for comparing cross-validated algorithms on multiple data sets. Machine
    Learning 100.

    Examples
    --------
    >>> import evenfold as ef
    >>> posterior = ef.infer.bayes_correlated_t(
    ...     [0.01, 0.03, 0.02, 0.04, 0.01], n_train=80, n_test=20
    ... )
    >>> region = posterior.rope(0.01)
    >>> [round(float(p), 3) for p in (region.left, region.rope, region.right)]
    [0.011, 0.11, 0.879]
    """
    d = floats(d)
    n1 = integer("n_train", n_train, low=1)
    n2 = integer("n_test", n_test, low=1)
    J = d.shape[-1]
    mean, s2 = mean_and_variance(d)
    _, scale = standardise(mean, (1 / J + n2 / n1) * s2, 0.0)
    warn_degenerate(scale == 0)
    return StudentPosterior(location=mean, scale=scale, df=J - 1, estimand=at_size(n1))


_SHARE = float(1 - np.exp(-1))  # of the examples that a bootstrap sample holds: .632


@method(
    name="the .632 bootstrap",
    valid=SAMPLES,
    conservative="Its standard error also contains the chance of B samples, which is several "
    "times the rest where B is below n. For one algorithm that fits its data closely, such as "
    "1-NN or a tree, the value is too small.",
    source="Efron 1983; Efron 1997",
    recommended=False,
    default_for=(OUT_OF_BAG,),
    no_card="the lab's designs draw without replacement; its page says how it erred",
)
def bootstrap_632(
    out_of_bag: ArrayLike,
    apparent: ArrayLike,
    counts: Any,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Compare two algorithms by the .632 bootstrap.

    Parameters
    ----------
    out_of_bag : array of shape (..., B, n)
        Differences B − A of the losses of the models of each bootstrap sample; those of examples in
        the sample are not looked at.
    apparent : array of shape (..., n)
        The same of the models of all examples, on these.
    counts : int array of shape (B, n)
        How often each example is in each sample; every one is out of some.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* .368·apparent + .632·Err⁽¹⁾, variance Σ D_i² (Efron and Tibshirani's eq. 36),
    reference N(0, 1).

    *Validity.* It is here for comparison only. The mean of losses outside the bag is about models
    of fewer different examples, the apparent one is too small, and .632 mixes them; for learners
    that fit their data perfectly (1-nn, trees) the mix is too small, see
    :func:`bootstrap_632_plus`. It is conservative for the difference of two: eq. 36 adds the luck
    of B samples to the spread of data sets. At n = 200 its variance was 5.0, 2.1 and 1.4 times the
    true one with B = 50, 200 and 800 (two equal least-squares classifiers; 13 and 4.2 times with B
    = 50 and 200 for 1-NN), and it erred 0 of 400, .010 ± .005, .010 ± .007 at .05.

    *How it errs.* It is conservative. Its standard error also contains the chance of B samples,
    which is several times the rest where B is below n. For one algorithm that fits its data
    closely, such as 1-NN or a tree, the value is too small. It estimates the expected difference B
    − A at training size n.

    References
    ----------
    Efron 1983; Efron 1997. Efron, B. (1983). Estimating the error rate of a prediction rule:
    improvement on cross-validation. Journal of the American Statistical Association 78. Efron, B.,
    Tibshirani, R. (1997). Improvements on cross-validation: the .632+ bootstrap method. Journal of
    the American Statistical Association 92.

    Examples
    --------
    >>> import evenfold as ef
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> counts = rng.multinomial(30, np.full(30, 1 / 30), size=50)
    >>> d = rng.normal(-0.2, 1.0, size=(50, 30))
    >>> e = ef.infer.bootstrap_632(d, d[0], counts)
    >>> bool(e.value < 0), e.estimand
    (True, 'expected difference B − A at training size n')
    """
    errors = _Errors(floats(out_of_bag), floats(apparent), counts)
    return Pivot(*errors.mix(_SHARE), Normal()).test(null, alternative)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class BootstrapError:
    """
    The error of one algorithm by the .632+ bootstrap.

    Attributes
    ----------
    value, standard_error : arrays
        The estimate, and its standard error with the weight taken as known.
    weight : array
        ω, the weight of the error outside the bag, from .632 to 1.
    """

    value: Floats
    standard_error: Floats
    weight: Floats


def bootstrap_632_plus(
    out_of_bag: Any, apparent: Any, counts: Any, *, no_information: float
) -> BootstrapError:
    """
    Estimate the error of one algorithm by the .632+ bootstrap.

    Parameters
    ----------
    out_of_bag, apparent, counts : arrays of shape (..., B, n), (..., n) and (B, n)
        As in :func:`bootstrap_632`, the losses of one algorithm.
    no_information : float
        γ, the mean loss if predictions and targets had nothing to do with each other; for classes
        1 − Σ p_k·q_k with the shares of classes among targets and among predictions.

    Returns
    -------
    BootstrapError

    Notes
    -----
    The weight ω = .632/(1 − .368·R̂) grows with the relative overfitting R̂ = (Err⁽¹⁾ − err)/(γ −
    err).

    *Validity.* It is nearly unbiased for the error at the full size. As an interval it leaves the
    spread of ω out, which makes it liberal, and holds the luck of B samples, which makes it
    conservative unless B is several times n. It is here for comparison only, and no method of
    ``compare``: γ needs the predictions, and a run keeps what they cost.

    References
    ----------
    Efron and Tibshirani (1997), JASA 92.

    Examples
    --------
    >>> import numpy as np
    >>> import evenfold as ef
    >>> rng = np.random.default_rng(0)
    >>> counts = rng.multinomial(30, np.full(30, 1 / 30), size=50)
    >>> wrong = rng.random((50, 30)) < 0.4
    >>> e = ef.infer.bootstrap_632_plus(wrong, np.zeros(30), counts, no_information=0.5)
    >>> bool(0.632 < e.weight < 1), bool(0.3 < e.value < 0.45)
    (True, True)
    """
    names = "out_of_bag", "apparent", "counts"
    errors = _Errors(*BootstrapRuns().check(names, (out_of_bag, apparent, counts)))
    weight = errors.weight(number("no_information", no_information))
    value, variance = errors.mix(weight)
    return BootstrapError(value=value, standard_error=np.sqrt(variance), weight=weight)


class _Errors:
    """The error outside the bag, the apparent error, and the influence of each example on both."""

    def __init__(self, losses: Floats, apparent: Floats, counts: Any) -> None:
        n = counts.shape[1]
        out = counts == 0
        q = np.where(out, losses, 0.0)
        of_example = q.sum(axis=-2) / out.sum(axis=0)  # Ê_i
        self.outside = of_example.mean(axis=-1)
        self.apparent = apparent.mean(axis=-1)
        # Efron and Tibshirani (1997), eq. 36: the effect of more weight on an example
        drawn = (counts - counts.mean(axis=0)) / out.sum(axis=0)
        direct = (2 + 1 / (n - 1)) * (of_example - self.outside[..., None]) / n
        # without the mean loss, so that adding a constant changes only the value
        centred = np.where(out, losses - self.outside[..., None, None], 0.0).sum(axis=-1) / n
        self.of_outside = direct + centred @ drawn
        self.of_apparent = (apparent - self.apparent[..., None]) / n

    def weight(self, gamma: float) -> Floats:
        """Return ω of the .632+ rule, with an error outside the bag of at most γ."""
        outside = np.minimum(self.outside, gamma)
        room = gamma - self.apparent
        over = (outside > self.apparent) & (room > 0)
        R = np.where(over, (outside - self.apparent) / np.where(room > 0, room, 1.0), 0.0)
        return np.asarray(_SHARE / (1 - (1 - _SHARE) * np.clip(R, 0.0, 1.0)))[()]

    def mix(self, weight: Any) -> tuple[Floats, Floats]:
        """Return value and variance with this weight of the error outside the bag."""
        w = np.asarray(weight)
        value = w * self.outside + (1 - w) * self.apparent
        influence = w[..., None] * self.of_outside + (1 - w)[..., None] * self.of_apparent
        return value, np.square(influence).sum(axis=-1)
