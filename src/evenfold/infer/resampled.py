"""Tests on the hold-out values of J random splits (NB sections 3–4)."""

from typing import Any

from evenfold.core.checks import integer
from evenfold.core.estimate import PivotEstimate, StudentT
from evenfold.infer._inputs import splits
from evenfold.infer._registry import RANDOM_SPLITS, method
from evenfold.infer._result import pivot
from evenfold.infer._spread import mean_and_variance


@method(
    "resampled-t",
    designs=RANDOM_SPLITS,
    inputs=("splits",),
    training_size="n1",
    leaning="liberal",
    why="treats hold-out values that share training and test examples as independent",
    source="NB section 3, method 2 (Dietterich 1998)",
    recommended=False,
)
def resampled_t(d: Any, *, null: float = 0.0, alternative: str = "two-sided") -> PivotEstimate:
    """
    Test the mean of J random splits as if they were independent.

    Parameters
    ----------
    d : array of shape (..., J)
        Differences B − A on the test part of each split.
    null : float, default 0
        The difference Δ that is tested.
    alternative : {"two-sided", "greater", "less"}
        On which side of ``null`` a discovery would be.

    Returns
    -------
    PivotEstimate
        Mean of J, variance S²/J, reference t with J − 1 df.

    Notes
    -----
    *Validity.* Liberal, grossly so for many splits: the variance goes to 0 as J grows while the variance of
    the mean does not. For comparison only; use :func:`corrected_resampled_t`.

    References
    ----------
    Nadeau and Bengio (2003), Machine Learning 52, section 3.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.resampled_t([0.1, 0.3, 0.2, 0.4]).statistic), 6)
    3.872983
    """
    d = splits("d", d)
    J = d.shape[-1]
    mean, s2 = mean_and_variance(d)
    return pivot("resampled-t", mean, s2 / J, StudentT(J - 1), null=null, alternative=alternative)


@method(
    "corrected-resampled-t",
    designs=RANDOM_SPLITS,
    inputs=("splits",),
    arguments=("n_train", "n_test"),
    training_size="n1",
    leaning="depends",
    why="liberal where the correlation of two hold-out values exceeds n2/(n1+n2), conservative below",
    source="NB section 4, method 6",
    recommended=True,
)
def corrected_resampled_t(
    d: Any, *, n_train: int, n_test: int, null: float = 0.0, alternative: str = "two-sided"
) -> PivotEstimate:
    """
    Test the mean of J random splits with Nadeau and Bengio's corrected variance.

    Parameters
    ----------
    d : array of shape (..., J)
        Differences B − A on the test part of each split.
    n_train, n_test : int
        Sizes n1 and n2 of the training and the test part.
    null : float, default 0
        The difference Δ that is tested.
    alternative : {"two-sided", "greater", "less"}
        On which side of ``null`` a discovery would be.

    Returns
    -------
    PivotEstimate
        Mean of J, variance (1/J + n2/n1)·S², reference t with J − 1 df.

    Notes
    -----
    *Validity.* The correction assumes that two hold-out values are correlated by ρ0 = n2/(n1+n2), as if a
    model did not depend on its training examples but on their number. Where the true ρ is larger the test
    is liberal, where it is smaller conservative (NB 5.2 says the first the wrong way round). NB advise
    J ≥ 10, where 15 is enough, and n2 ≈ n/10.

    References
    ----------
    Nadeau and Bengio (2003), Machine Learning 52, section 4.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.corrected_resampled_t([0.1, 0.3, 0.2, 0.4], n_train=90, n_test=10)
    >>> e.estimand
    'expected difference B − A at training size 90'
    >>> round(float(e.pvalue), 6)
    0.048491
    """
    d = splits("d", d)
    J = d.shape[-1]
    n1, n2 = integer("n_train", n_train, low=1), integer("n_test", n_test, low=1)
    mean, s2 = mean_and_variance(d)
    variance = (1 / J + n2 / n1) * s2
    return pivot(
        "corrected-resampled-t",
        mean,
        variance,
        StudentT(J - 1),
        null=null,
        alternative=alternative,
        n_train=n1,
    )
