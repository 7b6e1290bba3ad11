"""Tests that estimate the variance of a mean of J splits from further runs (NB methods 4, 5 and 7)."""

from typing import Any

from evenfold.core.checks import integer, refuse
from evenfold.core.estimate import Floats, Normal, PivotEstimate, StudentT
from evenfold.infer._inputs import repetitions, splits
from evenfold.infer._registry import RANDOM_SPLITS, method
from evenfold.infer._result import pivot
from evenfold.infer._spread import mean_and_variance, mean_last, within


def _same_batch(name: str, shape: tuple[int, ...], d: Floats) -> None:
    if shape != d.shape[:-1]:
        refuse(f"batch shape of {name}", f"{d.shape[:-1]}, that of d,", f"{shape}")


@method(
    "bootstrap",
    designs=RANDOM_SPLITS,
    inputs=("splits", "reruns"),
    training_size="n1",
    leaning="liberal",
    why="further runs on the same data show the spread of splits, not that of data sets",
    source="NB section 4, method 5",
    recommended=False,
)
def bootstrap(d: Any, reruns: Any, *, null: float = 0.0, alternative: str = "two-sided") -> PivotEstimate:
    """
    Test the mean of J splits with the variance of R more such means on the same data.

    Parameters
    ----------
    d : array of shape (..., J)
        Differences B − A on the test part of each split.
    reruns : array of shape (..., R)
        Means over J other splits, from R more runs: (R+1)J fits of each algorithm in all.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean of J, variance of the R means, reference t with R − 1 df.

    Notes
    -----
    *Validity.* Liberal, as much as :func:`resampled_t` and at R + 1 times its cost. For comparison only.

    References
    ----------
    Nadeau and Bengio (2003), Machine Learning 52, section 4, method 5.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.bootstrap([0.1, 0.3], [0.1, 0.2, 0.3]).statistic), 6)
    2.0
    """
    d, reruns = splits("d", d, low=1), splits("reruns", reruns)
    _same_batch("reruns", reruns.shape[:-1], d)
    _, variance = mean_and_variance(reruns)
    reference = StudentT(reruns.shape[-1] - 1)
    return pivot("bootstrap", mean_last(d), variance, reference, null=null, alternative=alternative)


@method(
    "corrected-bootstrap",
    designs=RANDOM_SPLITS,
    inputs=("splits", "reruns"),
    arguments=("n_train", "n_test"),
    training_size="n1",
    leaning="depends",
    why="liberal where the correlation of two hold-out values exceeds n2/(n1+n2), conservative below",
    source="NB section 4, method 7",
    recommended=False,
)
def corrected_bootstrap(
    d: Any, reruns: Any, *, n_train: int, n_test: int, null: float = 0.0, alternative: str = "two-sided"
) -> PivotEstimate:
    """
    Test the mean of J splits with the corrected variance of R more such means.

    Parameters
    ----------
    d : array of shape (..., J)
        Differences B − A on the test part of each split.
    reruns : array of shape (..., R)
        Means over J other splits, from R more runs.
    n_train, n_test : int
        Sizes n1 and n2 of the training and the test part.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean of J, (1 + J·n2/n1) times the variance of the R means, reference t with R − 1 df.

    Notes
    -----
    *Validity.* As :func:`corrected_resampled_t`, which is as good and needs R + 1 times fewer fits.

    References
    ----------
    Nadeau and Bengio (2003), Machine Learning 52, section 4, method 7.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.corrected_bootstrap([0.1, 0.3], [0.1, 0.2, 0.3], n_train=20, n_test=10)
    >>> round(float(e.statistic), 6)
    1.414214
    """
    d, reruns = splits("d", d, low=1), splits("reruns", reruns)
    _same_batch("reruns", reruns.shape[:-1], d)
    n1, n2 = integer("n_train", n_train, low=1), integer("n_test", n_test, low=1)
    variance = (1 + d.shape[-1] * n2 / n1) * mean_and_variance(reruns)[1]
    reference = StudentT(reruns.shape[-1] - 1)
    return pivot(
        "corrected-bootstrap",
        mean_last(d),
        variance,
        reference,
        null=null,
        alternative=alternative,
        n_train=n1,
    )


@method(
    "conservative-z",
    designs=("nested-rlt",),
    inputs=("splits", "halves"),
    training_size="n1",
    leaning="depends",
    why="its variance, that of half as much data, is larger on average; the normal quantile does not know "
    "that it rests on few halvings: with five it erred up to .10 at .05 on the lab's populations",
    source="NB section 4, method 4, eqs. 11 and 17",
    recommended=True,
)
def conservative_z(
    d: Any, halves: Any, *, null: float = 0.0, alternative: str = "two-sided"
) -> PivotEstimate:
    """
    Test the mean of J splits with a variance from independent halves of the data.

    Parameters
    ----------
    d : array of shape (..., J)
        Differences B − A on the test part of each split of all data.
    halves : array of shape (..., M, 2)
        Means of J splits inside the two halves of M random halvings.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean of J, variance (1/2M)·Σ(difference of the two halves)², reference N(0, 1).

    Notes
    -----
    *Validity.* Its variance is conservative by a conjecture that simulations support, too much so at
    n2 = n/2, and more so the more halvings there are; but it rests on M halvings only, which the normal
    quantile does not know: with M = 5 it erred .02 to .10 at .05 on the lab's populations. It needs J + 2MJ
    fits; NB advise 5 ≤ M ≤ 10.

    References
    ----------
    Nadeau and Bengio (2003), Machine Learning 52, section 4, method 4.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.conservative_z([0.2, 0.4], [[0.1, 0.3], [0.4, 0.2]])
    >>> round(float(e.standard_error), 6), round(float(e.pvalue), 6)
    (0.141421, 0.033895)
    """
    d, halves = splits("d", d, low=1), repetitions("halves", halves, low=1)
    _same_batch("halves", halves.shape[:-2], d)
    variance = within(halves) / halves.shape[-2]  # NB eq. 11
    return pivot("conservative-z", mean_last(d), variance, Normal(), null=null, alternative=alternative)
