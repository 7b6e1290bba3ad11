"""Means and sums of squares that several methods share."""

import numpy as np

from evenfold.core.estimate import Floats

_SHORT = 64


def mean_last(d: Floats) -> Floats:
    """Mean over the last axis: plain sums where it is short (four times faster), pairwise ones else."""
    if d.shape[-1] > _SHORT:
        return np.asarray(d.mean(axis=-1))[()]
    mean: Floats = np.einsum("...j->...", d) / d.shape[-1]
    return mean


def mean_and_variance(d: Floats) -> tuple[Floats, Floats]:
    """Mean and sample variance S² (divisor J − 1) over the last axis."""
    mean = mean_last(d)
    centred = d - mean[..., None]
    return mean, np.einsum("...j,...j->...", centred, centred) / (d.shape[-1] - 1)


def welch_df(v_a: Floats, df_a: Floats, v_b: Floats, df_b: Floats) -> Floats:
    """Welch's degrees of freedom of a sum of two variances; those of the pooled test where both are 0."""
    total = np.asarray(v_a + v_b)
    share = np.divide(v_a, total, out=np.full_like(total, 0.5), where=total > 0)
    df: Floats = 1 / (share**2 / df_a + (1 - share) ** 2 / df_b)
    return df[()]


def mean_mx2(d: Floats) -> Floats:
    """μ̂, the mean of all 2m hold-out values."""
    return mean_last(_flat(d))


def mean_and_v2(d: Floats) -> tuple[Floats, Floats]:
    """μ̂ of an m×2 design and V2 = (1/2m)·ΣΣ(μ̂_k^(i) − μ̂)² (R19 eq. 5.12)."""
    m2 = 2 * d.shape[-2]
    mean, s2 = mean_and_variance(_flat(d))
    return mean, s2 * ((m2 - 1) / m2)


def safe_variance(v2: Floats, m: int) -> Floats:
    """Ĉ_m²·V2, the variance of μ̂ where ρ1 = ρ2 = ½ and above it where they are less (R19 section 5.2)."""
    return (2 * m + 1) / (2 * m - 1) * v2


def within(d: Floats) -> Floats:
    """ΣS_i², where S_i² = Σ_k (μ̂_k^(i) − μ̂^(i))² is half the squared difference of the halves."""
    difference = d[..., 0] - d[..., 1]
    squares: Floats = np.einsum("...i,...i->...", difference, difference) / 2
    return squares


def mean_and_between(d: Floats) -> tuple[Floats, Floats]:
    """μ̂ and Σ_i (μ̂^(i) − μ̂)², the spread of the means of the repetitions."""
    mean, s2 = mean_and_variance((d[..., 0] + d[..., 1]) / 2)
    return mean, s2 * (d.shape[-2] - 1)


def _flat(d: Floats) -> Floats:
    return d.reshape(*d.shape[:-2], 2 * d.shape[-2])
