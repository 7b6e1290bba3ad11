"""Tests on the K hold-out values of K-fold cross-validation (W14 sections 5.1 and 5.3)."""

from typing import Any

from evenfold.core.checks import fraction
from evenfold.core.estimate import PivotEstimate, StudentT
from evenfold.infer._inputs import splits
from evenfold.infer._registry import FOLDS, method
from evenfold.infer._result import pivot
from evenfold.infer._spread import mean_and_variance


@method(
    "kfold-t",
    designs=FOLDS,
    inputs=("splits",),
    training_size="(K−1)n/K",
    leaning="liberal",
    why="treats folds whose training sets overlap as independent",
    source="W14 section 5.1; T15",
    recommended=False,
)
def kfold_t(d: Any, *, null: float = 0.0, alternative: str = "two-sided") -> PivotEstimate:
    """
    Test the mean of K folds as if they were independent.

    Parameters
    ----------
    d : array of shape (..., K)
        Differences B − A on each fold.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean of K, variance S²/K, reference t with K − 1 df.

    Notes
    -----
    *Validity.* Liberal wherever folds are positively correlated: the ratio of the true to the estimated
    variance is 1 + Kρ/(1−ρ). No unbiased estimate of the variance exists (Bengio and Grandvalet 2004).
    For comparison only; use :func:`corrected_kfold_t`, or an m×2 design.

    References
    ----------
    Wang, Wang, Jia and Li (2014), Neural Computation 26, section 5.1.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.kfold_t([0.1, 0.3, 0.2, 0.4]).pvalue), 6)
    0.030466
    """
    d = splits("d", d)
    K = d.shape[-1]
    mean, s2 = mean_and_variance(d)
    return pivot("kfold-t", mean, s2 / K, StudentT(K - 1), null=null, alternative=alternative)


@method(
    "corrected-kfold-t",
    designs=FOLDS,
    inputs=("splits",),
    training_size="(K−1)n/K",
    leaning="depends",
    why="liberal where two folds are correlated by more than the assumed ρ, conservative below",
    source="W14 section 5.3, corrected; NB section 4",
    recommended=True,
)
def corrected_kfold_t(
    d: Any, *, rho: float | None = None, null: float = 0.0, alternative: str = "two-sided"
) -> PivotEstimate:
    """
    Test the mean of K folds that are correlated by an assumed ρ.

    Parameters
    ----------
    d : array of shape (..., K)
        Differences B − A on each fold.
    rho : float, optional
        The assumed correlation of two folds: ½ for K = 2 and 1/K otherwise, unless given.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean of K, variance S²·(1/K + ρ/(1−ρ)), reference t with K − 1 df.

    Notes
    -----
    *Validity.* Exact in the Gaussian model if ρ is right, conservative if it is too large, liberal if too
    small. Grandvalet and Bengio's ½ is meant for K = 2, where the variance is 1.5·S² (W14 prints twice
    that); 1/K is Nadeau and Bengio's n2/(n1+n2).

    References
    ----------
    Wang, Wang, Jia and Li (2014), Neural Computation 26, section 5.3, corrected.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.corrected_kfold_t([0.1, 0.3, 0.2, 0.4]).pvalue), 6)
    0.085016
    """
    d = splits("d", d)
    K = d.shape[-1]
    if rho is None:
        rho = 0.5 if K == 2 else 1 / K
    rho = fraction("rho", rho, low=-1 / (K - 1))
    mean, s2 = mean_and_variance(d)
    variance = s2 * (1 / K + rho / (1 - rho))
    return pivot("corrected-kfold-t", mean, variance, StudentT(K - 1), null=null, alternative=alternative)
