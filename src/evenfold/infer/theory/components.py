"""Parts of variances: R19's estimators, correlations of a difference, and what is estimable."""

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenfold.core.checks import integer, number, refuse_value
from evenfold.infer._arrays import broadcast_finite, repetitions, scalar, sized
from evenfold.infer.theory.gaussian import structure

Floats = NDArray[np.float64]


def weighted_variance(d: ArrayLike, *, lam1: float, lam2: float) -> Floats:
    """
    Estimate the variance of the mean of m×2 hold-out values by R19's eq. 5.8, with any λ1 and λ2.

    Parameters
    ----------
    d : array_like, shape (..., m, 2)
        Hold-out values.
    lam1, lam2 : float
        Weights of the spread within repetitions and of that between them. λ1 = m/2 with λ2 = 0 is
        V1, with (m − 1)/m it is V2, with (m + 1)/m V3.

    Examples
    --------
    >>> d = [[[1.0, 2.0], [0.0, 4.0], [2.0, 2.0]]]
    >>> weighted_variance(d, lam1=1.5, lam2=2 / 3).round(4).tolist()  # V2
    [1.4722]

    Notes
    -----
    *Validity*: no choice of λ1 and λ2 is unbiased for all correlations; see
    :func:`weighted_variance_mean`.
    """
    values = repetitions("d", d)
    m = values.shape[-2]
    repetition = values.mean(axis=-1)
    within = np.sum((values - repetition[..., None]) ** 2, axis=(-1, -2))
    between = np.var(repetition, axis=-1, ddof=1)
    w1, w2 = _weights(lam1, lam2)
    estimate: Floats = w1 * within / m**2 + w2 * between
    return estimate


def _weights(lam1: float, lam2: float) -> tuple[float, float]:
    """Check λ1 and λ2; the limits keep products with large values finite."""
    first = number("lam1", lam1, low=-1e6, high=1e6)
    return first, number("lam2", lam2, low=-1e6, high=1e6)


def weighted_variance_mean(
    m: int, rho1: ArrayLike, rho2: ArrayLike, *, lam1: float, lam2: float, sigma2: float = 1.0
) -> Floats:
    """
    Return the mean of :func:`weighted_variance`: σ²[λ1(1 − ρ1)/m + λ2((1 + ρ1)/2 − ρ2)].

    Parameters
    ----------
    m : int
        Repetitions.
    rho1 : array_like
        Correlation of the halves of a repetition.
    rho2 : array_like
        Correlation across repetitions.
    lam1, lam2 : float
        The weights, as in :func:`weighted_variance`.
    sigma2 : float
        Variance of a hold-out value.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> float(
    ...     weighted_variance_mean(3, 0.0, 0.5, lam1=1.5, lam2=2 / 3)
    ... )  # V2 where R19's tests are exact
    0.5
    """
    integer("m", m, low=2)
    _, within, between = structure(m, rho1, rho2)
    w1, w2 = _weights(lam1, lam2)
    mean: Floats = w1 * within / m + w2 * between / 2
    return scalar("sigma2", sigma2, low=0) * mean


def difference_correlation(
    rho_a: ArrayLike,
    rho_b: ArrayLike,
    *,
    same: ArrayLike,
    other: ArrayLike,
    variance_a: ArrayLike = 1.0,
    variance_b: ArrayLike = 1.0,
) -> Floats:
    """
    Return the correlation of B − A in two splits, from those of A and of B (R19 lemma 5.4).

    Parameters
    ----------
    rho_a, rho_b : array_like
        Correlations of A's values in two splits, and of B's.
    same, other : array_like
        Covariance of A and B in one split, and of A in one and B in the other.
    variance_a, variance_b : array_like
        Variances of their values in one split.

    Examples
    --------
    >>> float(difference_correlation(0.3, 0.4, same=0.2, other=0.2).round(4))
    0.1875
    >>> float(difference_correlation(0.3, 0.3, same=0.8, other=0.2))
    0.5

    Notes
    -----
    *Validity*: it holds for any two algorithms. R19 supposes that ``same`` equals ``other``; then
    the correlation is at most the larger of the two, and between them where both are 0. Algorithms
    that err on the same examples have ``same`` above ``other``, and the bound may fail, as in the
    second example.
    """
    of_a, of_b, once, across, va, vb = broadcast_finite(
        rho_a=rho_a,
        rho_b=rho_b,
        same=same,
        other=other,
        variance_a=variance_a,
        variance_b=variance_b,
    )
    below = va + vb - 2 * once
    if np.any(below <= 0):
        refuse_value("same", same, "a covariance with which the variance of B − A is above 0")
    above = va * of_a + vb * of_b - 2 * across
    return above / below


def variance_of_splits(J: int, rho: ArrayLike, *, sigma1: ArrayLike = 1.0) -> Floats:
    """
    Return the variance of the mean of J random splits, σ1(ρ + (1 − ρ)/J) (NB eq. 8).

    Parameters
    ----------
    J : int
        Splits.
    rho : array_like
        Correlation of two hold-out values, σ2/σ1.
    sigma1 : array_like
        Variance of one.

    Examples
    --------
    >>> [
    ...     round(float(variance_of_splits(J, 0.1)), 2) for J in (1, 3, 9, 10**9)
    ... ]  # NB 5.2: at J = 15 enough
    [1.0, 0.4, 0.2, 0.1]

    Notes
    -----
    *Validity*: splits drawn independently of each other, of one size. ρ cannot be estimated from
    one data set (:func:`estimable`).
    """
    splits = integer("J", J, low=1)
    correlation, variance = broadcast_finite(rho=rho, sigma1=sigma1)
    if np.any(np.abs(correlation) > 1):
        refuse_value("rho", rho, "a correlation from −1 to 1")
    if np.any(variance < 0):
        refuse_value("sigma1", sigma1, "a variance ≥ 0")
    return variance * (correlation + (1 - correlation) / splits)


class Estimable(NamedTuple):
    """What one data set shows without bias: σ0 − σ3 and σ3 − σ2 of NB."""

    sigma0_less_sigma3: Floats
    sigma3_less_sigma2: Floats


def estimable(losses: ArrayLike) -> Estimable:
    """
    Estimate σ0 − σ3 and σ3 − σ2 from the losses of J splits of one data set (NB section 2).

    σ0 is the variance of a loss, σ3 the covariance of two losses of one split, σ2 that of the means
    of two splits. No other linear combination can be estimated without bias (NB proposition 3), so
    no unbiased estimate of Var μ̂ = σ2 + (σ3 − σ2)/J + (σ0 − σ3)/(n2·J) exists.

    Parameters
    ----------
    losses : array_like, shape (..., J, n2)
        Losses of the n2 test examples of each of J random splits.

    Examples
    --------
    >>> parts = estimable([[1.0, 3.0], [2.0, 6.0]])
    >>> float(parts.sigma0_less_sigma3), float(parts.sigma3_less_sigma2)
    (5.0, -0.5)

    Notes
    -----
    *Validity*: splits drawn independently; test sets of equal size. The second may be negative.
    """
    rule = "(..., J, n2) with J and n2 at least 2"
    values = sized("losses", losses, rule, axes=2, batch=True)
    first = values.var(axis=-1, ddof=1).mean(axis=-1)
    spread = values.mean(axis=-1).var(axis=-1, ddof=1)
    return Estimable(first, spread - first / values.shape[-1])
