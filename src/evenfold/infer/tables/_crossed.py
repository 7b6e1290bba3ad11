"""
The variance of a mean over runs × examples, both of them drawn.

d_is = μ + a_i + r_s + e_is: an example counts in all runs and a run on all examples. With A, R, E the
variances that the means over runs, the means over examples and the residuals alone would give, the variance
of d̄ is A + R − E without bias (METHODS 14).
"""

from dataclasses import dataclass

import numpy as np

from evenfold.core.estimate import Floats, StudentT
from evenfold.infer.tables._clusters import Codes, clustered_variance

_HALVINGS = 80  # of an interval of logarithms: to the last digits
_LEAST = 1e-300  # what is less likely counts as this


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class MixedT:
    """
    The reference of a statistic whose variance has parts with degrees of freedom of their own.

    The critical value is √(Σ share_j · t²_{df_j}): between those of the parts. With few runs it errs less
    than Satterthwaite's degrees of freedom (METHODS 14).

    Attributes
    ----------
    shares : array (..., parts)
        Shares of the variance, which sum to 1.
    dfs : tuple of float
        Degrees of freedom of each part.
    """

    shares: Floats
    dfs: tuple[float, ...]

    @property
    def df(self) -> Floats:
        """Satterthwaite's degrees of freedom, for information."""
        df: Floats = 1 / (self.shares**2 / np.array(self.dfs)).sum(axis=-1)
        return df

    def isf(self, q: float | Floats) -> Floats:
        """The value exceeded with probability ``q``, below ½."""
        quantiles = [StudentT(df).isf(q) for df in self.dfs]
        parts = [self.shares[..., j] * quantile**2 for j, quantile in enumerate(quantiles)]
        return np.sign(quantiles[0]) * np.sqrt(sum(parts))

    def sf(self, x: Floats) -> Floats:
        """P(T > x): the ``q`` whose value is ``x``, by halving between those of the parts."""
        size = np.abs(np.asarray(x, dtype=float))
        tails = np.stack([np.broadcast_to(StudentT(df).sf(size), self.shares.shape[:-1]) for df in self.dfs])
        low, high = (np.log(np.maximum(tail, _LEAST)) for tail in (tails.min(axis=0), tails.max(axis=0)))
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            with np.errstate(over="ignore", invalid="ignore"):
                beyond = self.isf(np.exp(middle)) > size
            low, high = np.where(beyond, middle, low), np.where(beyond, high, middle)
        tail: Floats = np.where(np.isinf(size), 0.0, np.exp((low + high) / 2))
        return np.where(np.asarray(x) < 0, 1 - tail, tail)[()]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Parts:
    """Mean, and the three variances that its own is made of: of examples, of runs, of their residuals."""

    value: Floats
    A: Floats
    R: Floats
    E: Floats


def parts(y: Floats, codes: Codes | None = None, count: int = 0) -> Parts:
    """
    Return the parts of the variance of a mean over runs × examples.

    Parameters
    ----------
    y : array (..., S, n)
        Values of n examples in S ≥ 2 runs.
    codes, count
        The cluster of each example, and the number of clusters.
    """
    S, n = y.shape[-2:]
    by_example, by_run = y.mean(axis=-2), y.mean(axis=-1)
    value = by_run.mean(axis=-1)
    of_run = by_run - value[..., None]
    R = np.einsum("...s,...s->...", of_run, of_run) / (S * (S - 1))
    of_example = by_example - value[..., None]
    residual = y - by_example[..., None, :] - of_run[..., :, None]
    if codes is None:
        A = np.einsum("...i,...i->...", of_example, of_example) / (n * (n - 1))
        E = np.einsum("...si,...si->...", residual, residual) / ((n - 1) * (S - 1) * n * S)
    else:
        A = clustered_variance(of_example, codes, count)
        E = clustered_variance(residual, codes, count).sum(axis=-1) / (S * (S - 1))
    return Parts(value=value, A=A, R=R, E=E)


def paired(d: Floats, codes: Codes | None, count: int) -> tuple[Floats, Floats, MixedT]:
    """
    Return mean, variance and reference of differences whose runs belong together, (..., S, n).

    The variance is A + R − E, and not below the largest of the three.
    """
    found = parts(d, codes, count)
    S, n = d.shape[-2:]
    V = np.maximum.reduce([found.A + found.R - found.E, found.A, found.R, found.E])
    return found.value, V, _reference(V, found.A, [(V - found.A, S - 1)], (count or n) - 1)


def unpaired(a: Floats, b: Floats, codes: Codes | None, count: int) -> tuple[Floats, Floats, MixedT]:
    """
    Return B − A, variance and reference where the runs of A are not those of B, (..., S_a, n), (..., S_b, n).

    The variance is that of the examples' mean differences and, for A and B each, R − E; and not below the
    largest of the three sums.
    """
    n = a.shape[-1]
    of_a, of_b = parts(a, codes, count), parts(b, codes, count)
    d = b.mean(axis=-2) - a.mean(axis=-2)
    value = of_b.value - of_a.value
    centred = d - value[..., None]
    A = (
        np.einsum("...i,...i->...", centred, centred) / (n * (n - 1))
        if codes is None
        else clustered_variance(centred, codes, count)
    )
    R, E = of_a.R + of_b.R, of_a.E + of_b.E
    V = np.maximum.reduce([A + R - E, A, R, E])
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(R > 0, of_a.R / R, 0.5)
    runs = [((V - A) * share, a.shape[-2] - 1), ((V - A) * (1 - share), b.shape[-2] - 1)]
    return value, V, _reference(V, A, runs, (count or n) - 1)


def _reference(V: Floats, A: Floats, runs: list[tuple[Floats, int]], df: int) -> MixedT:
    """√((A t²_{n−1} + (V−A) t²_{S−1})/V)."""
    sizes = np.stack([A, *(size for size, _ in runs)], axis=-1)
    total = np.where(V > 0, V, 1.0)[..., None]
    shares = np.where(V[..., None] > 0, sizes / total, np.eye(sizes.shape[-1])[0])
    return MixedT(shares=shares, dfs=(float(df), *(float(df) for _, df in runs)))
