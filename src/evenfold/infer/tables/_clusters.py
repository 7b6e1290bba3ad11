"""The variance of a mean over clusters of examples."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import refuse, vector
from evenfold.core.estimate import Floats

Codes = NDArray[np.intp]


def cluster_codes(name: str, clusters: Any, n: int) -> Codes:
    """Return the cluster of every example as a number without gaps; at least two clusters are needed."""
    ids = vector(name, clusters, n=n)
    try:
        labels, codes = np.unique(ids, return_inverse=True)
    except TypeError:
        refuse(name, "ids of one kind", clusters)
    if len(labels) < 2:
        refuse(name, "at least two", len(labels), "the examples of one cluster say nothing of others")
    return codes.astype(np.intp)


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


def cluster_covariance(values: Floats, codes: Codes) -> Floats:
    """
    Covariance of the means of several columns (examples, columns): :func:`clustered_variance` of each.

    Examples
    --------
    >>> cluster_covariance(np.array([[0.0, 1.0], [2.0, 1.0]]), np.array([0, 1])).tolist()
    [[1.0, 0.0], [0.0, 0.0]]
    """
    count = int(codes.max()) + 1
    centred = values - values.mean(axis=0)
    sums = cluster_sums(centred.T, codes, count)
    covariance: Floats = sums @ sums.T / len(values) ** 2 * (count / (count - 1))
    return covariance


def cr2_variance(centred: Floats, codes: Codes, count: int) -> tuple[Floats, float]:
    """
    Var of a mean by CR2 with independent working errors, and Satterthwaite's degrees of freedom.

    Bell and McCaffrey multiply the residuals of cluster g by (I − H_gg)^(−½). Of a mean H_gg is 1/n
    everywhere, so that sums of residuals over a cluster with the share w_g of the examples are divided by √(1
    − w_g). The variance is Σ_g (p_g′d)² with p_g·p_h = (δ_gh·w_g − w_g·w_h)/(n√((1 − w_g)(1 − w_h)));
    Satterthwaite's degrees of freedom (ΣΣ_gg)²/ΣΣ² of that matrix are 1/(Σw² + (Σw²/(1−w))² − Σw⁴/(1−w)²).
    Where all sizes are equal both are those of :func:`clustered_variance` (Bell and McCaffrey 2002;
    Pustejovsky and Tipton 2018).

    Examples
    --------
    >>> codes = np.array([0, 0, 1, 1, 2, 2])
    >>> variance, df = cr2_variance(np.array([-1.0, -1.0, 0.5, 0.5, 0.5, 0.5]), codes, 3)
    >>> round(float(variance), 9), round(df, 9)
    (0.25, 2.0)
    """
    n = centred.shape[-1]
    w = np.bincount(codes, minlength=count) / n
    sums = cluster_sums(centred, codes, count) / n
    variance: Floats = np.einsum("...g,...g->...", sums / (1 - w), sums)
    share = w**2 / (1 - w)
    df = 1 / float(w @ w + share.sum() ** 2 - share @ share)
    return variance, df


def fair_variance(centred: Floats, codes: Codes, count: int) -> tuple[Floats, float]:
    """
    Var of a mean over clusters of unequal size, and its degrees of freedom, where whole clusters agree.

    With shares w_g = n_g/n and cluster means m_g the variance of Σ w_g m_g is estimated by
    Σ w_g² (m_g − d̄)²/(1 − 2w_g + Σw²), which has no bias where the examples of a cluster are as good as one.
    It is a quadratic form m′Cm with C = P′DP, P = I − 1w′, so Satterthwaite's degrees of freedom are
    (tr C)²/tr C². Where all sizes are equal both are those of :func:`clustered_variance` (after Bell and
    McCaffrey 2002).

    Examples
    --------
    >>> codes = np.array([0, 0, 1, 1, 2, 2])
    >>> variance, df = fair_variance(np.array([-1.0, -1.0, 0.5, 0.5, 0.5, 0.5]), codes, 3)
    >>> round(float(variance), 9), round(df, 9)
    (0.25, 2.0)
    """
    n = centred.shape[-1]
    w = np.bincount(codes, minlength=count) / n
    ww = float(w @ w)
    scale = 1 - 2 * w + ww
    sums = cluster_sums(centred, codes, count) / n
    variance: Floats = np.einsum("...g,...g->...", sums / scale, sums)
    # C = diag(D) − Dw′ − wD′ + (ΣD)ww′: its traces without building a matrix of clusters × clusters.
    D = w**2 / scale
    total, dw = float(D.sum()), float(D @ w)
    trace = total - 2 * dw + total * ww
    square = float(D @ D) * (1 + 2 * ww) + 2 * dw**2 + (total * ww) ** 2
    square += 2 * total * float(D @ w**2) - 4 * float(D**2 @ w) - 4 * total * dw * ww
    return variance, trace**2 / square
