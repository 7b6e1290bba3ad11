"""Losses that come in blocks, folds or sources: what every variance of section 6 is made of."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from evenfold.core.estimate import Floats
from evenfold.infer._spread import mean_and_variance


@dataclass(frozen=True, eq=False, kw_only=True)
class Blocks:
    """
    The sufficient numbers of K blocks of losses.

    G13 writes its estimators in the moments s^σ, s^ω, s^γ (mean square, mean product within a block, mean
    product between two blocks). With block means ē_k and variances S_k² they are s_k^ω = ē_k² − S_k²/M_k,
    s_k^σ = s_k^ω + S_k² and s_kl^γ = ē_k·ē_l, which holds for unequal sizes M_k too.

    Attributes
    ----------
    means : array of shape (..., K)
        ē_k.
    sizes : array of shape (K,)
        M_k.
    losses : sequence of arrays of shape (..., M_k)
        What they are the means of.
    """

    means: Floats
    sizes: Floats
    losses: Sequence[Floats]

    @cached_property
    def noise(self) -> Floats:
        """S_k²/M_k, the variance of ē_k if the losses of a block were independent; 0 if one has one loss."""
        if self.sizes.min() < 2:
            return np.zeros_like(self.means)
        return np.stack([mean_and_variance(one)[1] / one.shape[-1] for one in self.losses], axis=-1)

    @property
    def K(self) -> int:  # noqa: N802  (the paper's symbol)
        """Number of blocks."""
        return int(self.means.shape[-1])

    @property
    def estimate(self) -> Floats:
        """μ̂ = (1/K)·Σ ē_k, the mean of the hold-out means (G13 eq. 1)."""
        mean: Floats = self.means.mean(axis=-1)
        return mean

    @property
    def within(self) -> Floats:
        """W = (1/K²)·Σ S_k²/M_k, the variance of μ̂ if all losses were independent."""
        w: Floats = self.noise.mean(axis=-1) / self.K
        return w

    @property
    def within_df(self) -> Floats:
        """Welch's degrees of freedom of W; all of them, Σ(M_k − 1), where no block has any spread."""
        squares = (self.noise**2 / (self.sizes - 1)).sum(axis=-1)
        flat = squares == 0
        welch = self.noise.sum(axis=-1) ** 2 / np.where(flat, 1.0, squares)
        df: Floats = np.where(flat, (self.sizes - 1).sum(), welch)[()]
        return df

    @property
    def between(self) -> Floats:
        """S²(ē_k), the sample variance of the block means."""
        return mean_and_variance(self.means)[1]

    @property
    def without_omega(self) -> Floats:
        """μ̂² − (1/K)·Σ s_k^ω = K·W − (1 − 1/K)·S²(ē_k), in the form in which the means do not cancel."""
        return self.K * self.within - (1 - 1 / self.K) * self.between

    @property
    def product_within(self) -> Floats:
        """s_k^ω of each block."""
        s: Floats = self.means**2 - self.noise
        return s


def summed(losses: Sequence[Floats]) -> Blocks:
    """Sum up K arrays of losses."""
    means = np.stack([array.mean(axis=-1) for array in losses], axis=-1)
    sizes = np.array([array.shape[-1] for array in losses], dtype=float)
    return Blocks(means=means, sizes=sizes, losses=losses)
