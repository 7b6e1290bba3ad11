"""
Variances of losses in blocks.

One is an estimator for any bias (G13 proposition 1), the others are the parts of equations 2 and 7.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from evenfold.core.checks import number
from evenfold.infer._arrays import block_arrays, refuse_shape, sum_blocks

Floats = NDArray[np.float64]


def variance_with_bias(
    losses: Sequence[ArrayLike], *, sigma2: float = 0.0, omega: float = 0.0, gamma: float = 0.0
) -> Floats:
    """
    Return the quadratic estimator of Var μ̂ with a requested bias α1σ² + α2ω + α3γ + α4μ².

    By proposition 1 of G13 every bias with α1 + α2 + α3 − α4 = −1 is possible, so three of the four
    may be chosen; here these are α1, α2, α3.

    Parameters
    ----------
    losses : sequence of array_like, each of shape (..., M_k)
        Losses of the K folds.
    sigma2, omega, gamma : float
        α1, α2, α3. (0, 0, 0) leaves μ²: θ1. (0, −1, 0) is θ2, (0, 0, −1) θ3, (0, 1, −2) θ5.

    Examples
    --------
    >>> import evenfold as ef
    >>> folds = [[0.1, 0.3], [0.2, 0.4], [0.0, 0.2]]
    >>> theta5 = variance_with_bias(folds, omega=1.0, gamma=-2.0)
    >>> bool(np.isclose(theta5, ef.infer.cv_theta5(folds).value))
    True

    Notes
    -----
    *Validity*: losses with one mean, one variance σ², covariance ω within folds and γ between them;
    folds of unequal sizes too, μ̂ being the mean of the fold means. The estimate may be negative.
    """
    blocks = sum_blocks(block_arrays("losses", losses, smallest=2))
    a1 = number("sigma2", sigma2)
    a2 = number("omega", omega)
    a3 = number("gamma", gamma)
    K = blocks.K
    h = float(np.mean(1 / blocks.sizes)) / blocks.K
    # E μ̂² = Var μ̂ + μ², E S²(ē_k) = Kh(σ² − ω) + ω − γ, E W = h(σ² − ω): three unknowns, three
    # weights.
    square = 1 + a1 + a2 + a3
    spread = (square - 1) * (1 - 1 / K) - a3
    noise = a1 / h + 1 - square - K * spread
    squares = square * blocks.estimate**2
    return squares + spread * blocks.between + noise * blocks.within


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class VarianceParts:
    """
    The parts of Var μ̂, from many data sets (G13 eq. 7; eq. 2 is the mean over blocks).

    Attributes
    ----------
    sigma2, omega : array of shape (K,)
        σ_k², the variance of a loss of block k, and ω_k, the covariance of two of them.
    gamma : array of shape (K, K)
        γ_kl, the covariance of losses of two blocks; NaN on the diagonal.
    sizes : array of shape (K,)
        M_k.
    """

    sigma2: Floats
    omega: Floats
    gamma: Floats
    sizes: Floats

    @property
    def shares(self) -> tuple[float, float, float]:
        """Return the three terms of Var μ̂: by σ², by ω and by γ."""
        K = len(self.sizes)
        by_sigma2 = float((self.sigma2 / self.sizes).sum()) / K**2
        by_omega = float(((1 - 1 / self.sizes) * self.omega).sum()) / K**2
        return by_sigma2, by_omega, float(np.nansum(self.gamma)) / K**2

    @property
    def variance(self) -> float:
        """Return Var μ̂, the sum of the three."""
        return sum(self.shares)


def variance_parts(losses: Sequence[ArrayLike]) -> VarianceParts:
    """
    Estimate σ_k², ω_k and γ_kl from the losses of K blocks of many data sets, without bias.

    Parameters
    ----------
    losses : sequence of array_like, each of shape (R, M_k)
        Losses of block k (a source or a fold) in each of R independent data sets.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> shared = rng.normal(size=(4000, 1))  # all losses of a data set have a part in common
    >>> blocks = [shared + rng.normal(size=(4000, 5)) for _ in range(3)]
    >>> [round(share, 2) for share in variance_parts(blocks).shares]  # 2/15, 4/15, 2/3
    [0.13, 0.26, 0.66]

    Notes
    -----
    *Validity*: data sets drawn independently; examples of a block exchangeable. One data set alone
    cannot tell ω and γ from the mean (Bengio and Grandvalet 2004).
    """
    blocks = block_arrays("losses", losses, smallest=2)
    if blocks[0].ndim != 2 or len(blocks[0]) < 2:
        refuse_shape("losses", blocks[0].shape, "arrays of shape (R, M_k) with R ≥ 2")
    sizes = np.array([b.shape[1] for b in blocks], dtype=float)
    covariance = np.cov(np.stack([b.mean(axis=1) for b in blocks]))
    within = np.array([b.var(axis=1, ddof=1).mean() for b in blocks])  # σ_k² − ω_k
    omega = np.diag(covariance) - within / sizes
    gamma = np.where(np.eye(len(blocks), dtype=bool), np.nan, covariance)
    return VarianceParts(sigma2=within + omega, omega=omega, gamma=gamma, sizes=sizes)
