"""Tests on the K hold-out values of K-fold cross-validation (W14 sections 5.1 and 5.3)."""

from functools import partial

from evenfold.core.checks import fraction
from evenfold.core.estimate import Floats
from evenfold.core.partition import KFOLD, LOO
from evenfold.infer._base import Pivot, mean_t, method
from evenfold.infer._valid import FOLDS
from evenfold.infer.theory import ratios

_folds = partial(method, valid=FOLDS, joint="t")


@_folds(
    liberal="treats folds whose training sets overlap as independent",
    source="W14 section 5.1; T15",
    ratio=lambda K, rho: ratios.exchangeable(K, rho),
)
def kfold_t(d: Floats) -> Pivot:
    """
    Test the mean of K folds as if they were independent.

    *Formula.* Mean of K, variance S²/K, reference t with K − 1 df.

    *Validity.* Liberal wherever folds are positively correlated: the ratio of the true to the estimated
    variance is 1 + Kρ/(1−ρ). No unbiased estimate of the variance exists (Bengio and Grandvalet 2004).
    For comparison only; use :func:`corrected_kfold_t`, or an m×2 design.

    >>> round(float(ef.infer.kfold_t([0.1, 0.3, 0.2, 0.4]).pvalue), 6)
    0.030466
    """
    return mean_t(d)


@_folds(
    depends="liberal where two folds are correlated by more than the assumed ρ, conservative below",
    source="W14 section 5.3, corrected; NB section 4",
    default_for=(KFOLD, LOO),
    ratio=ratios.corrected_folds,
)
def corrected_kfold_t(d: Floats, *, rho: float | None = None) -> Pivot:
    """
    Test the mean of K folds that are correlated by an assumed ρ.

    *Formula.* Mean of K, variance S²·(1/K + ρ/(1−ρ)), reference t with K − 1 df.

    *Validity.* Exact in the Gaussian model if ρ is right, conservative if it is too large, liberal if too
    small. Grandvalet and Bengio's ½ is meant for K = 2, where the variance is 1.5·S² (W14 prints twice
    that); 1/K is Nadeau and Bengio's n2/(n1+n2).

    >>> round(float(ef.infer.corrected_kfold_t([0.1, 0.3, 0.2, 0.4]).pvalue), 6)
    0.085016

    Parameters
    ----------
    rho : float, optional
        The assumed correlation of two folds: ½ for K = 2 and 1/K otherwise, unless given.
    """
    K = d.shape[-1]
    rho = assumed_correlation(K) if rho is None else fraction("rho", rho, low=-1 / (K - 1))
    return mean_t(d, 1 / K + rho / (1 - rho))


def assumed_correlation(K: int) -> float:
    """
    Return ρ of two of K folds where nothing is known of it.

    Examples
    --------
    >>> assumed_correlation(2), assumed_correlation(10)
    (0.5, 0.1)
    """
    return 0.5 if K == 2 else 1 / K


def folds_variance(d: Floats) -> tuple[Floats, Floats]:
    """Mean of K folds and its variance with the assumed correlation."""
    found = mean_t(d, 1 / d.shape[-1] + 1 / (1 / assumed_correlation(d.shape[-1]) - 1))
    return found.value, found.variance
