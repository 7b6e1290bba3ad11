"""The t-tests on one test set whose examples come in clusters, or in several runs."""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from scipy import special

from evenfold.core.checks import fraction, integer, number
from evenfold.core.errors import HiddenVariance
from evenfold.core.estimate import Alternative, Bounds, Floats, PivotEstimate, StudentT
from evenfold.core.partition import CLUSTERED_RUNS, CLUSTERS, RUNS, SEEDS, TEST_SET
from evenfold.core.rng import stream
from evenfold.infer._arrays import ArrayLike, floats, mean_last, sized
from evenfold.infer._base import Pivot, mean_t, method, welch
from evenfold.infer._designs import BY_RUN, IN_CLUSTERS, IN_RUNS, MODELS
from evenfold.infer.effects import t_power, threshold_of
from evenfold.infer.one_test_set.resampling import (
    OrderEstimate,
    answer_from_draws,
    check_draws,
    draw_means,
    subsets,
    weight_batches,
)
from evenfold.infer.one_test_set.tango_exact import tango_power
from evenfold.infer.tables.intraclass import IntraclassCorrelation, intraclass_correlation
from evenfold.infer.tables.kernels import (
    Codes,
    belong_together,
    cluster_sums,
    clustered_variance,
    compare_runs,
    cr2_variance,
    fair_variance,
    optional_codes,
)

# With fewer degrees of freedom than this, by unequal sizes, the measured error was above .06 at
# .05.
_FEW = 25.0
_UNEVEN = 0.7


@method(
    name="the t-test with a cluster-robust variance",
    valid=IN_CLUSTERS,
    liberal="It is exact for clusters of equal size. With few clusters of very different sizes "
    "the largest ones decide.",
    source="Liang 1986",
    recommended=False,
)
def clustered_t(
    losses: ArrayLike,
    clusters: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Test the mean difference of two models on examples that come in clusters.

    Parameters
    ----------
    losses : array of shape (..., n)
        Value of B less value of A at each example.
    clusters : array of shape (n,)
        The cluster of each example: a document, a patient. G ≥ 2 of them.
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
    *Formula.* Mean, variance Σ_g (Σ_{i∈g} (d_i − d̄))²/n² · G/(G−1), reference t with G − 1 df: the
    default cluster-robust test of an intercept.

    *Validity.* The answer is about these two models on new clusters. On 50 clusters of 10
    right-or-wrong differences with intraclass correlation .57 it errs .048 ± .003 at .05, where the
    paired t-test errs .44. With clusters of 1 to 20 examples it errs .083, .066, .057, .051 with
    10, 20, 50, 200 clusters. Where a tenth of the clusters holds half of the examples: .25, .26,
    .11, .07. :func:`clustered_cr2_t` is the same where sizes are equal and errs less where they are
    not; this one is kept because other programs print it.

    *How it errs.* It is liberal. It is exact for clusters of equal size. With few clusters of very
    different sizes the largest ones decide. It estimates the expected difference B − A of these
    models on new clusters.

    References
    ----------
    Liang 1986. Liang, K.-Y., Zeger, S. L. (1986). Longitudinal data analysis using generalized
    linear models. Biometrika 73.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.clustered_t([1, 1, 0, 0, -1, 0, 1, 1], [1, 1, 2, 2, 3, 3, 4, 4])
    >>> round(float(e.standard_error), 6), round(float(e.pvalue), 6)
    (0.375, 0.391002)
    """
    mean, centred, codes = _centre(losses, clusters)
    remedy = (
        "There this test is liberal; the one corrected for few clusters (clustered-cr2-t) is less "
        "so."
    )
    _warn_of_sizes(centred, codes, remedy)
    variance = clustered_variance(centred, codes)
    return Pivot(mean, variance, StudentT(int(codes.max()))).test(null, alternative)


def _centre(losses: ArrayLike, clusters: ArrayLike) -> tuple[Floats, Floats, Codes]:
    """Return the mean, the deviations from it, and the cluster of each example."""
    d = floats(losses)
    mean = mean_last(d)
    return mean, d - mean[..., None], np.asarray(clusters, dtype=np.intp)


def _warn_of_sizes(centred: Floats, clusters: Codes, consequence: str) -> None:
    """Warn where a few clusters hold most of the examples."""
    count = int(clusters.max()) + 1
    if fair_variance(centred, clusters)[1] < min(_FEW, _UNEVEN * (count - 1)):
        share = np.bincount(clusters).max() / len(clusters)
        warnings.warn(
            f"The largest of {count} clusters holds {share:.0%} of the examples. {consequence}",
            HiddenVariance,
            stacklevel=5,
        )


@method(
    name="the t-test with a cluster-robust variance corrected for few clusters",
    valid=IN_CLUSTERS,
    depends="It is exact for clusters of equal size and normal values. It is somewhat liberal, at "
    "worst .13 at .05 where it was measured, where a few clusters whose examples agree hold most "
    "of the examples.",
    source="Bell 2002; Pustejovsky 2018",
    default_for=(CLUSTERS,),
)
def clustered_cr2_t(
    losses: ArrayLike,
    clusters: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Test the mean difference of two models on examples in clusters, small-sample corrected.

    Parameters
    ----------
    losses : array of shape (..., n)
        Value of B less value of A at each example.
    clusters : array of shape (n,)
        The cluster of each example: a document, a patient. G ≥ 2 of them.
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
    *Formula.* Mean, variance CR2 = Σ_g (Σ_{i∈g} (d_i − d̄))²/(n²(1 − w_g)) with the shares w_g of
    the examples, reference t with 1/(Σw² + (Σw²/(1−w))² − Σw⁴/(1−w)²) df, Satterthwaite's for
    independent working errors: what clubSandwich prints for an intercept. All as in
    :func:`clustered_t` where sizes are equal.

    *Validity.* The answer is about these two models on new clusters. On right-or-wrong differences
    with intraclass correlation .57 it errs .052, .048, .048, .051 at .05 with 10, 20, 50, 200
    clusters of 10; .071, .059, .053, .051 with clusters of 1 to 20; and .052, .129, .086, .060
    where a tenth of the clusters holds half of the examples (± .004), where :func:`clustered_t`
    errs .25, .26, .11, .07. There :func:`clustered_fair_t` errs .059 at most but hardly decides
    anything with 20 clusters or fewer; a :class:`HiddenVariance` warning says so. Skewed values
    need more clusters: .080 with 20 of 10 examples each.

    *How it errs.* It is exact for clusters of equal size and normal values. It is somewhat liberal,
    at worst .13 at .05 where it was measured, where a few clusters whose examples agree hold most
    of the examples. It estimates the expected difference B − A of these models on new clusters.

    References
    ----------
    Bell 2002; Pustejovsky 2018. Bell, R. M., McCaffrey, D. F. (2002). Bias reduction in standard
    errors for linear regression with multi-stage samples. Survey Methodology 28. Pustejovsky, J.
    E., Tipton, E. (2018). Small-sample methods for cluster-robust variance estimation and
    hypothesis testing in fixed effects models. Journal of Business and Economic Statistics 36.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.clustered_cr2_t([1, 1, 1, 1, -1, 0, 1, 0], [1, 1, 1, 1, 2, 2, 3, 3])
    >>> round(float(e.df), 3), round(float(e.pvalue), 3)
    (1.8, 0.398)
    """
    mean, centred, codes = _centre(losses, clusters)
    _warn_of_sizes(
        centred,
        codes,
        "There clustered-cr2-t may be liberal; clustered-fair-t is the cautious test, which seldom "
        "decides.",
    )
    variance, df = cr2_variance(centred, codes)
    return Pivot(mean, variance, StudentT(df)).test(null, alternative)


@method(
    name="the t-test with a cluster-robust variance for clusters of unequal sizes",
    valid=IN_CLUSTERS,
    depends="It is near its level: it errs .059 ± .002 at .05 where 5 of 50 clusters hold half of "
    "the examples, and far less with fewer clusters.",
    source="after Bell 2002",
    recommended=True,
)
def clustered_fair_t(
    losses: ArrayLike,
    clusters: ArrayLike,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Test the mean difference of two models on examples that come in clusters of very different size.

    Parameters
    ----------
    losses : array of shape (..., n)
        Value of B less value of A at each example.
    clusters : array of shape (n,)
        The cluster of each example: a document, a patient. G ≥ 2 of them.
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
    *Formula.* Mean, variance Σ w_g²(m_g − d̄)²/(1 − 2w_g + Σw²) of the cluster means m_g with
    shares w_g, reference t with Satterthwaite's df; all as in :func:`clustered_t` where sizes are
    equal.

    *Validity.* The answer is about these two models on new clusters. On the tables of
    :func:`clustered_t` it errs .048 to .056 with clusters of 10 and of 1 to 20, and .001, .003,
    .055, .052 where a tenth of 10, 20, 50, 200 clusters holds half of the examples (± .004).

    *How it errs.* It is near its level: it errs .059 ± .002 at .05 where 5 of 50 clusters hold half
    of the examples, and far less with fewer clusters. It estimates the expected difference B − A of
    these models on new clusters.

    References
    ----------
    after Bell 2002. Bell, R. M., McCaffrey, D. F. (2002). Bias reduction in standard errors for
    linear regression with multi-stage samples. Survey Methodology 28.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.clustered_fair_t([1, 1, 1, 1, -1, 0, 1, 0], [1, 1, 1, 1, 2, 2, 3, 3])
    >>> round(float(e.df), 3), round(float(e.pvalue), 3)
    (1.446, 0.446)
    """
    mean, centred, codes = _centre(losses, clusters)
    variance, df = fair_variance(centred, codes)
    return Pivot(mean, variance, StudentT(df)).test(null, alternative)


@method(
    name="the bootstrap of clusters",
    valid=IN_CLUSTERS,
    depends="It resamples whole clusters. With few clusters of unequal sizes their spread is "
    "hardly known.",
    source="Efron 1987",
)
def clustered_bootstrap(
    losses: ArrayLike,
    clusters: ArrayLike,
    *,
    draws: int = 9999,
    random_state: int = 0,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> OrderEstimate:
    """
    Test the mean difference of two models by resampling clusters of examples.

    Parameters
    ----------
    losses : array of shape (..., n)
        Value of B less value of A at each example.
    clusters : array of shape (n,)
        The cluster of each example: a document, a patient. G ≥ 2 of them.
    draws : int, default 9999
        Resamples.
    random_state : int, default 0
        Seed of the draws. It is fixed, so that the same data give the same p-value.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    OrderEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* Mean; BCa interval between two means over resampled clusters. The statistic and the
    standard error are those of :func:`clustered_t`, for information.

    *Validity.* The answer is about these two models on new clusters. On right-or-wrong differences
    with intraclass correlation .57 it errs .04 at .05 with 10, 20 and 50 clusters of 10, and .07,
    .05, .05 with clusters of 1 to 20 (± .005), but .10 where 5 of 50 hold half of the examples;
    :func:`clustered_t` needs no draws.

    *How it errs.* It resamples whole clusters. With few clusters of unequal sizes their spread is
    hardly known. It estimates the expected difference B − A of these models on new clusters.

    References
    ----------
    Efron 1987. Efron, B. (1987). Better bootstrap confidence intervals. Journal of the American
    Statistical Association 82.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.clustered_bootstrap(
    ...     [1, 1, 0, 0, -1, 0, 1, 1, 1, 0], [1, 1, 2, 2, 3, 3, 4, 4, 5, 5]
    ... )
    >>> [round(float(x), 2) for x in (e.value, *e.confidence_interval())]
    [0.4, -0.2, 0.9]
    """
    losses = floats(losses)
    clusters = np.asarray(clusters, dtype=np.intp)
    count = int(clusters.max()) + 1
    rng = stream(integer("random_state", random_state, low=0), "cluster bootstrap", count)

    def times(rows: int) -> Floats:
        drawn = rng.integers(count, size=(rows, count)) + count * np.arange(rows)[:, None]
        return np.bincount(drawn.ravel(), minlength=rows * count).reshape(rows, count).astype(float)

    drawn = weight_batches(check_draws(draws), count, times)
    return _answer(losses, clusters, drawn, null, alternative, bca=True)


@method(
    name="the permutation test on clusters",
    valid=IN_CLUSTERS,
    conservative="It never exceeds its level for these two models where clusters are independent "
    "and differences symmetric. Few clusters and ties keep it below.",
    source="Hartigan 1969; Phipson 2010",
)
def clustered_permutation(
    losses: ArrayLike,
    clusters: ArrayLike,
    *,
    draws: int = 9999,
    random_state: int = 0,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> OrderEstimate:
    """
    Test the mean difference of two models by swapping A and B in whole clusters.

    Parameters
    ----------
    losses : array of shape (..., n)
        Value of B less value of A at each example.
    clusters : array of shape (n,)
        The cluster of each example: a document, a patient. G ≥ 2 of them.
    draws : int, default 9999
        Random swaps; all 2^G are taken where there are no more.
    random_state : int, default 0
        Seed of the draws. It is fixed, so that the same data give the same p-value.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    OrderEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    Swapping A and B in some clusters changes the signs of their sums. The swapped mean is at least
    the observed one if, and only if, the mean over the swapped clusters is at most Δ. So the means
    over random sets of clusters give the p-value of every Δ and the interval, as in
    :func:`permutation`.

    *Formula.* Mean; p-value (1 + number of swaps at least as extreme)/(draws + 1), interval by
    inversion. The statistic and the standard error are those of :func:`clustered_t`, for
    information.

    *Validity.* It is never above its level for the two models at hand if cluster sums are symmetric
    about Δ times their size; on the tables of :func:`clustered_bootstrap` it errs .04 and .06, .05,
    .05. Below 6 clusters nothing can be significant at .05.

    *How it errs.* It is conservative. It never exceeds its level for these two models where
    clusters are independent and differences symmetric. Few clusters and ties keep it below. It
    estimates the expected difference B − A of these models on new clusters.

    References
    ----------
    Hartigan 1969; Phipson 2010. Hartigan, J. A. (1969). Using subsample values as typical values.
    Journal of the American Statistical Association 64. Phipson, B., Smyth, G. K. (2010).
    Permutation p-values should never be zero. Statistical Applications in Genetics and Molecular
    Biology 9.

    Examples
    --------
    >>> import evenfold as ef
    >>> d, clusters = [1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 1], [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6]
    >>> float(ef.infer.clustered_permutation(d, clusters).pvalue)
    0.0625
    """
    losses = floats(losses)
    clusters = np.asarray(clusters, dtype=np.intp)
    count = int(clusters.max()) + 1
    rng = stream(integer("random_state", random_state, low=0), "cluster permutation", count)
    swaps = subsets(
        check_draws(draws), count, lambda rows: rng.integers(2, size=(rows, count)).astype(float)
    )
    return _answer(losses, clusters, swaps, null, alternative)


def _answer(
    d: Floats,
    clusters: Codes,
    draws: Iterable[Floats],
    null: float,
    alternative: Alternative,
    *,
    bca: bool = False,
) -> OrderEstimate:
    """Return the mean with its means over drawn clusters."""
    sizes = np.bincount(clusters).astype(float)
    means, empty = draw_means(cluster_sums(d, clusters), sizes, draws)
    mean = mean_last(d)
    centred = d - mean[..., None]
    variance = clustered_variance(centred, clusters)
    influence = cluster_sums(centred, clusters) if bca else None
    return answer_from_draws(
        mean, variance, null, alternative, means, identities=empty, influence=influence
    )


TWO_RUNS = (
    "With two runs of each algorithm, the error rate of this test can reach 9% at a level of 5%. "
    "Add a third run of each algorithm."
)


@method(
    name="the t-test for runs crossed with examples",
    valid=IN_RUNS,
    depends="It is near its level from three runs on. With two runs that matter it errs .09 at "
    ".05.",
    source="Searle 1992",
    default_for=(RUNS, CLUSTERED_RUNS),
)
def crossed_t(
    a: ArrayLike,
    b: ArrayLike,
    *,
    paired: bool = True,
    clusters: Any = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Test the mean difference of two learning procedures over new runs and new examples.

    Parameters
    ----------
    a : array of shape (..., S, n)
        Values of A in S ≥ 2 runs (seeds, samplings) on n examples.
    b : array of shape (..., S, n)
        Those of B on the same examples.
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
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    A value of example i in run s shares its example with the other runs and its run with the other
    examples. Clusters are summed within, runs that are not paired add the parts of A and of B.

    *Formula.* Mean; variance A + R − E of examples, runs and residuals, and not below the largest
    of the three; the critical value is √((A·t²_{n−1} + (V−A)·t²_{S−1})/V).

    *Validity.* The answer is about the learning procedures: a new seed and new examples. With 200
    examples and runs that matter it errs .09, .05, then ≤ .05 at S = 2, 3, ≥ 4 (Satterthwaite's
    degrees of freedom .15, .09, .07); where runs do not matter .04 to .05. Averaging over runs
    first, as if they were one, errs up to .99 where runs are what varies. Not paired: .01 to .05.
    Clusters × runs: .03 to .05, .08 with two runs. Two runs say little of a third: a
    :class:`HiddenVariance` warning says so.

    *How it errs.* It is near its level from three runs on. With two runs that matter it errs .09 at
    .05. It estimates the expected difference B − A of these learning procedures over runs on new
    examples.

    References
    ----------
    Searle 1992. Searle, S. R., Casella, G., McCulloch, C. E. (1992). Variance Components. Wiley.

    Examples
    --------
    >>> import evenfold as ef
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> a, b = (rng.normal(m, 1, size=(4, 50)) for m in (0.0, 0.5))
    >>> e = ef.infer.crossed_t(a, b)
    >>> round(float(e.value), 3), bool(e.pvalue < 0.05)
    (0.396, True)
    """
    a = floats(a)
    b = floats(b)
    if min(a.shape[-2], b.shape[-2]) == 2:
        warnings.warn(TWO_RUNS, HiddenVariance, stacklevel=4)
    codes = optional_codes("clusters", clusters, b.shape[-1])
    return Pivot(*compare_runs(a, b, codes, paired=paired)).test(null, alternative)


@method(
    name="the t-test on the scores of the runs",
    valid=BY_RUN,
    exact="It is right for these learning procedures on this test set. Its variance does not "
    "include that of new examples.",
    source="Student 1908; Welch 1947",
    default_for=(SEEDS,),
)
def runs_t(
    a: ArrayLike,
    b: ArrayLike,
    *,
    paired: bool = True,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> PivotEstimate:
    """
    Test the mean difference of two learning procedures over runs (seeds), given one score per run.

    Parameters
    ----------
    a : array of shape (..., S)
        Scores of the runs of A, S ≥ 2.
    b : array of shape (..., S)
        Those of B; as many where runs are paired.
    paired : bool, default True
        Whether run s of A and run s of B belong together; runs that do not may be paired all the
        same.
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
    *Formula.* Mean difference; paired: variance S²/S, reference t with S − 1 df; not paired: the
    sum of both variances, reference t with Welch's df.

    *Validity.* The answer is about new runs on this test set. Scores on another test set would
    differ by more than this interval says: keep the values of the single examples and use
    :func:`crossed_t`.

    *How it errs.* It is exact. It is right for these learning procedures on this test set. Its
    variance does not include that of new examples. It estimates the expected difference B − A of
    these learning procedures over runs on this test set.

    References
    ----------
    Student 1908; Welch 1947. Student (1908). The probable error of a mean. Biometrika 6. Welch, B.
    L. (1947). The generalization of Student's problem when several different population variances
    are involved. Biometrika 34.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.runs_t([0.71, 0.74, 0.70], [0.78, 0.75, 0.77, 0.79], paired=False)
    >>> round(float(e.value), 4), round(float(e.df), 3), round(float(e.pvalue), 4)
    (0.0558, 3.871, 0.0205)
    """
    a = floats(a)
    b = floats(b)
    pivot = mean_t(b - a) if belong_together(a, b, axis=-1, paired=paired) else welch(a, b)
    return pivot.test(null, alternative)


@method(
    name="the paired t-test on single examples",
    valid=MODELS,
    depends="It is right for these two models where many examples differ. Where losses are rare "
    "and large, a gate errs up to .81 at .05.",
    source="Student 1908",
    default_for=(TEST_SET,),
    joint="t",
)
def paired_t(
    losses: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean difference of two models on the same examples.

    Parameters
    ----------
    losses : array of shape (..., n2)
        Loss of B less loss of A at each test point.
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
    *Formula.* Mean, variance S²/n, reference t with n − 1 df.

    *Validity.* The answer is about these two models on new examples of this kind, which must be
    independent: where they come in clusters use :func:`clustered_t`. It knows nothing of the
    training: another training set, or another seed, would give other models. Where few examples
    differ, and by much, a gate passes what is worse by the whole margin in .81, .60, .36 and .16 of
    the tables of 20, 50, 100 and 200 examples at worst, instead of .05: :func:`bounded_mean` holds
    there.

    *How it errs.* It is right for these two models where many examples differ. Where losses are
    rare and large, a gate errs up to .81 at .05. It estimates the expected difference B − A of
    these models on new examples.

    References
    ----------
    Student 1908. Student (1908). The probable error of a mean. Biometrika 6.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.paired_t([0, 1, 0, -1, 1, 1, 0, 1])
    >>> round(float(e.statistic), 6), round(float(e.pvalue), 6)
    (1.425573, 0.197022)
    """
    return mean_t(floats(losses)).test(null, alternative)


_CONFIDENCE = 0.95
_TWO_RUNS_REACH = 1.959964 * 2**0.5  # standard errors of one run to the 95% limit of a difference
_REACH = 9.0  # standard deviations of a number of answers


@dataclass(frozen=True, kw_only=True, slots=True)
class Chance:
    """A chance, with its 95% interval by the noise of these runs."""

    value: float
    low: float
    high: float

    def __str__(self) -> str:
        value = _percent(self.value)
        ends = [_percent(self.low), _percent(self.high)]
        if ends == [value, value]:
            return value
        return f"{value} ({' to '.join(ends)})"


def _percent(share: float) -> str:
    if share < 0.001:
        if share:
            return "less than 0.1%"
        return "0%"
    if share < 0.995:
        return f"{100 * share:.2g}%"
    return f"{100 * share:.4g}%"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunNoise:
    """
    The noise of an evaluation, measured from runs of one model.

    Attributes
    ----------
    runs, n : int
        Runs, and examples that each of them met.
    score : float
        Mean value over all of them.
    between_runs : float
        Standard deviation of the score of a run, on these examples.
    differ : Chance or None
        The share of answers on which two runs differ, if answers are right or wrong.
    margin, level : float
        The margin and the level of the gate.
    alarm : Chance
        How often the gate calls a new run worse, although nothing changed.
    passed : Chance or None
        How often it passes it as not worse; None where there is no margin.
    threshold : Chance
        How often a run scores lower than another by more than the margin: the false alarms of a
        gate that compares two scores and nothing else.
    intraclass : IntraclassCorrelation or None
        The share of the variance of an answer that lies between examples, not between runs; None
        where all values are equal.
    """

    runs: int
    n: int
    score: float
    between_runs: float
    differ: Chance | None
    margin: float
    level: float
    alarm: Chance
    passed: Chance | None
    threshold: Chance
    intraclass: IntraclassCorrelation | None = None

    @property
    def within_noise(self) -> float:
        """Return how far apart two runs are by noise alone at most, in 95 of 100 cases."""
        return _TWO_RUNS_REACH * self.between_runs

    def __str__(self) -> str:
        head = f"{self.runs} runs of one model on {self.n} examples; mean score {self.score:.4g}"
        noise = f"the score of a run varies by {self.between_runs:.2g} (standard deviation)"
        if self.differ is not None:
            noise += f"; two runs differ in {self.differ} of the answers"
        margin = ""
        more = ""
        if self.margin:
            margin = f" with a margin of {self.margin:g}"
            more = f" by more than {self.margin:g}"
        gate = (
            f"this gate{margin}, level {self.level:g}: calls an unchanged model worse in "
            f"{self.alarm}"
        )
        if self.passed is not None:
            gate += f", passes it in {self.passed}"
        plain = (
            f"a gate that fails whenever the score drops{more}: false alarms in {self.threshold}"
        )
        lines = [head, f"  noise  {noise}", f"  items  {self._items}", f"  gate   {gate}"]
        lines += [f"  plain  {plain}", f"  single {self._single_run}"]
        if self.alarm.high > self.level:
            lines.append("the gate flips more often than its level says")
        return "\n".join(lines)

    @property
    def _items(self) -> str:
        icc = self.intraclass
        if icc is None:
            return "all values are equal, so that there is no intraclass correlation"
        return (
            f"intraclass correlation {icc.value:.2f} (95% CI {icc.low:.2f} to {icc.high:.2f}): the "
            "share of the variance that lies between examples; the rest is noise between runs"
        )

    @property
    def _single_run(self) -> str:
        return (
            f"with one run per side, scores up to {self.within_noise:.2g} apart are within the "
            "noise between runs (95%); a single run cannot show that noise, so that only a larger "
            "difference says that the models differ on these examples"
        )


def run_noise(values: Any, *, margin: float = 0.0, level: float = 0.05) -> RunNoise:
    """
    Measure the noise of an evaluation from runs of one model, and the errors of a gate on it.

    Parameters
    ----------
    values : array of shape (S, n)
        Values of n examples, higher is better, in S ≥ 2 runs of one and the same model; right or
        wrong where all are 0 or 1.
    margin, level : float
        The margin and the level of the one-sided gate "not worse by more than the margin?".

    Returns
    -------
    RunNoise
        Prints as a few lines.

    Notes
    -----
    *Validity.* The answer is about new runs of this model on these examples. Chances are those of
    the exact test of right/wrong answers (:func:`tango_exact`) where a share of the answers differs
    by chance, as seen, and at both ends of the 95% interval of that share; of other values those of
    the paired t. Runs are taken to be alike and answers to be independent of one another.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> easy = rng.random(500) < 0.8
    >>> runs = [np.where(rng.random(500) < 0.03, ~easy, easy) for _ in range(3)]
    >>> noise = run_noise(runs, margin=0.02)
    >>> (
    ...     noise.runs,
    ...     round(noise.differ.value, 3),
    ...     noise.alarm.value < 0.01,
    ...     round(noise.threshold.value, 2),
    ... )
    (3, 0.076, True, 0.04)
    """
    table = sized("values", values, "(S, n) with at least two runs and two examples", axes=2)
    margin = number("margin", margin, low=0)
    level = fraction("level", level, high=0.5)
    runs, n = table.shape
    spread = table.var(axis=0, ddof=1)  # the variance of each example between runs
    noise = _noise_of_answers if np.isin(table, (0.0, 1.0)).all() else _noise_of_values
    return RunNoise(
        runs=runs,
        n=n,
        score=float(table.mean()),
        between_runs=float(np.sqrt(spread.mean() / n)),
        margin=margin,
        level=level,
        intraclass=intraclass_correlation(table),
        **noise(spread, margin, level),
    )


def _limits(values: Floats, *, high: float) -> tuple[float, float, float]:
    """Return the mean over examples and its interval, which is Wilson's for shares."""
    n = len(values)
    unit = float(values.max()) or 1.0  # squares of variances may be too large for a float
    spread = unit * float((values / unit).std(ddof=1))
    quantile = threshold_of(1 - _CONFIDENCE, n - 1)
    reach = quantile * spread / np.sqrt(n)
    share = bool(np.isfinite(high))
    bounds = Bounds(low=0.0, high=high, units=n if share else 0, alone=share)
    low, top = bounds.limits(values.mean(), reach, quantile)
    return float(values.mean()), max(float(low), 0.0), float(top)


def _noise_of_answers(spread: Floats, margin: float, level: float) -> dict[str, Any]:
    """Return the errors on answers; two runs differ with twice the variance between runs."""
    n = len(spread)
    shares = _limits(np.minimum(2 * spread, 1.0), high=1.0)
    power = partial(tango_power, 0.0, n=n, null=-margin, level=level)
    alarms = [power(differ=share, alternative="less") for share in shares]
    passes = [power(differ=share, alternative="greater") for share in shares]
    return {
        "differ": _chance(shares),
        "alarm": _chance(alarms),
        "passed": _chance(passes) if margin else None,
        "threshold": _chance([_drops(n, share, margin) for share in shares]),
    }


def _drops(n: int, share: float, margin: float) -> float:
    """Return P(broke − fixed > n·margin) where a share of n answers differs by chance."""
    if share == 0:
        return 0.0
    reach = _REACH * np.sqrt(n * share) + _REACH
    d = np.arange(max(int(n * share - reach), 0), min(int(n * share + reach), n) + 1)
    logs = special.gammaln(n + 1) - special.gammaln(d + 1) - special.gammaln(n - d + 1)
    chance = np.exp(logs + special.xlogy(d, share) + special.xlogy(n - d, 1 - share))
    broke = np.floor((d + n * margin) / 2 + 1e-9)  # more than this many of d are broken
    tail = np.where(broke < d, special.bdtrc(np.minimum(broke, d), d, 0.5), 0.0)
    return float((chance * tail).sum())


def _noise_of_values(spread: Floats, margin: float, level: float) -> dict[str, Any]:
    """Return the errors on values; the difference of two runs has twice the variance of one."""
    n = len(spread)
    errors = [float(np.sqrt(2 * variance / n)) for variance in _limits(spread, high=np.inf)]
    threshold = threshold_of(level, n - 1, two_sided=False)
    shifts = [0.0] * 3  # the margin in standard errors
    if margin:
        shifts = [margin / error if error else np.inf for error in errors]
    alarms = [t_power(-shift, threshold, n - 1, two_sided=False) for shift in shifts]
    passes = [t_power(shift, threshold, n - 1, two_sided=False) for shift in shifts]
    return {
        "differ": None,
        "alarm": _chance(alarms),
        "passed": _chance(passes) if margin else None,
        "threshold": _chance([float(special.ndtr(-shift)) for shift in shifts]),
    }


def _chance(three: Any) -> Chance:
    """Return the chance at the observed noise, with the range over both ends of its interval."""
    value, *ends = (float(min(max(x, 0.0), 1.0)) for x in three)
    return Chance(value=value, low=min(value, *ends), high=max(value, *ends))
