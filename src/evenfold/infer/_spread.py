"""Means and sums of squares that several methods share."""

import numpy as np

from evenfold.core.estimate import Floats


def mean_and_variance(d: Floats) -> tuple[Floats, Floats]:
    """Mean and sample variance S² (divisor J − 1) over the last axis."""
    mean = d.mean(axis=-1)
    centred = d - mean[..., None]
    return mean, np.einsum("...j,...j->...", centred, centred) / (d.shape[-1] - 1)


def within(d: Floats) -> Floats:
    """S_i² = Σ_k (μ̂_k^(i) − μ̂^(i))² of each repetition: half the squared difference of its halves."""
    half: Floats = (d[..., 0] - d[..., 1]) ** 2 / 2
    return half


def between(d: Floats) -> Floats:
    """Σ_i (μ̂^(i) − μ̂)², the spread of the means of the repetitions."""
    means = d.mean(axis=-1)
    centred = means - means.mean(axis=-1, keepdims=True)
    squares: Floats = np.einsum("...i,...i->...", centred, centred)
    return squares


def mean_and_v2(d: Floats) -> tuple[Floats, Floats]:
    """μ̂ of an m×2 design and V2 = (1/2m)·ΣΣ(μ̂_k^(i) − μ̂)² (R19 eq. 5.12)."""
    m2 = 2 * d.shape[-2]
    mean, s2 = mean_and_variance(d.reshape(*d.shape[:-2], m2))
    return mean, s2 * ((m2 - 1) / m2)
