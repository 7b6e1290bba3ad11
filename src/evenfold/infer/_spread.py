"""Sums of squares that several methods share."""

import numpy as np

from evenfold.core.estimate import Floats


def mean_and_variance(d: Floats) -> tuple[Floats, Floats]:
    """Mean and sample variance S² (divisor J − 1) over the last axis."""
    mean = d.mean(axis=-1)
    centred = d - mean[..., None]
    return mean, np.einsum("...j,...j->...", centred, centred) / (d.shape[-1] - 1)
