"""The variance of a mean over clusters of examples."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse
from evenfold.core.estimate import Floats

Codes = NDArray[np.intp]


def cluster_codes(clusters: Any, n: int) -> tuple[Codes, int]:
    """Return the cluster of every example as a number, and how many there are; at least two are needed."""
    array = np.asarray(clusters)
    if array.shape != (n,):
        refuse("clusters", f"one id per example ({n})", array)
    labels, codes = np.unique(array, return_inverse=True)
    if len(labels) < 2:
        refuse("clusters", "at least two", len(labels), "the examples of one cluster say nothing of others")
    return codes.astype(np.intp), len(labels)


def cluster_sums(values: Floats, codes: Codes, count: int) -> Floats:
    """
    Sum over the last axis within each cluster.

    Examples
    --------
    >>> cluster_sums(np.array([1.0, 2.0, 4.0]), np.array([0, 1, 0]), 2).tolist()
    [5.0, 2.0]
    """
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(count))
    sums: Floats = np.add.reduceat(values[..., order], starts, axis=-1)
    return sums


def clustered_variance(centred: Floats, codes: Codes, count: int) -> Floats:
    """
    Var of a mean of n values, given their deviations from it: Σ_g (Σ_{i∈g} (d_i − d̄))²/n² · G/(G−1).

    It is the default cluster-robust variance of an intercept (METHODS 14).

    Examples
    --------
    >>> float(clustered_variance(np.array([-1.0, -1.0, 2.0]), np.array([0, 0, 1]), 2))
    1.7777777777777777
    """
    sums = cluster_sums(centred, codes, count)
    n = centred.shape[-1]
    variance: Floats = np.einsum("...g,...g->...", sums, sums) / n**2 * (count / (count - 1))
    return variance
