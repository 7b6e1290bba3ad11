"""Two algorithms on several data sets: the hierarchical model of Corani et al., by quadrature."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from scipy import special

from evenfold.core.checks import fraction, number, refuse
from evenfold.core.estimate import Floats
from evenfold.infer._inputs import finite
from evenfold.infer.data_sets._tables import column, measured

_LEAST = 4  # data sets from which on a flat prior of σ0 leaves a law
_ALPHA, _BETA = (1.0, 2.0), (0.01, 0.1)  # of the prior of ν − 1, as in baycomp
_NU = np.array([1.5, 2.5, 4.0, 7.0, 12.0, 20.0, 35.0, 60.0, 120.0, 250.0])
_SPREADS, _MEANS, _MIXED = 40, 61, 8  # nodes of σ0, of δ0, and of each gamma that mixes normals
_REACH = 8.0  # standard errors on either side of the mean


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class HierarchicalPosterior:
    """
    What differences B − A over data sets, each with its own error, say about their mean and a further one.

    Attributes
    ----------
    mean : float
        Posterior mean of δ0, the mean difference over data sets.
    lower, same, higher : float
        Posterior probability that on a further data set B − A is most likely below −margin, within ±margin,
        or above margin; they add up to 1.
    mean_lower, mean_same, mean_higher : float
        The same of δ0 itself.
    next_lower, next_same, next_higher : float
        Predictive probabilities of the true difference on a further data set.
    spread : float
        Posterior median of σ0, the scale of the true differences.
    margin, level : float
        As asked.
    at, weight : arrays
        Nodes of δ0, ascending, and their posterior probabilities.
    """

    mean: float
    lower: float
    same: float
    higher: float
    mean_lower: float
    mean_same: float
    mean_higher: float
    next_lower: float
    next_same: float
    next_higher: float
    spread: float
    margin: float
    level: float
    at: Floats
    weight: Floats

    def interval(self, confidence_level: float | None = None) -> tuple[float, float]:
        """Credible interval of the mean difference, as much on either side."""
        share = (1 - fraction("confidence_level", confidence_level)) if confidence_level else self.level
        return _quantile(self.at, self.weight, share / 2), _quantile(self.at, self.weight, 1 - share / 2)


def bayes_hierarchical(
    d: Any, variance: Any, *, df: Any = None, margin: float = 0.0, level: float = 0.05
) -> HierarchicalPosterior:
    """
    Posterior of the mean difference over data sets, with a region of differences that do not matter.

    Parameters
    ----------
    d : array (data sets,)
        The difference B − A on each of at least four data sets.
    variance : array (data sets,)
        The variance of each: the square of its standard error by a method that knows that splits overlap.
    df : float or array (data sets,), optional
        Degrees of freedom of those standard errors; they are taken as known if not given.
    margin : float, default 0
        Differences up to this size do not matter.
    level : float, default 0.05
        Error level of the interval.

    Returns
    -------
    HierarchicalPosterior

    Notes
    -----
    The difference measured on data set i is δ_i with Student's t error; δ_i has Student's law with ν degrees
    of freedom about δ0 with scale σ0. δ0 and σ0 are flat, ν − 1 is Γ(α, β) with α uniform in (1, 2) and β in
    (.01, .1). Both t laws are mixtures of normals, so what a data set says is a sum of normal densities; the
    sum over δ0, σ0 and ν is taken on a grid. Nothing is drawn.

    *Model.* Corani et al. (and baycomp) start from the folds of cross-validation with a known correlation
    and a flat prior of each data set's own σ_i; here each data set comes with an estimate, a standard error
    and its df, which is the same but for that prior (J − 1 instead of J − 2 df for J folds), and may come
    from a better method than correlated folds. They also cut δ0 and σ0 off, far out.

    *Validity.* It takes the data sets as a sample. Conservative with few of them, by the flat prior of σ0:
    with eight data sets the interval of δ0 covered .967 (normal differences, standard error .015) and .987
    (t with 3 df, standard error .009) of nominal .95 in 150 samples each.

    References
    ----------
    Corani, Benavoli, Demšar, Mangili, Zaffalon (2017), Machine Learning 106; Benavoli, Corani, Demšar,
    Zaffalon (2017), JMLR 18.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = [-0.02, -0.01, -0.03, 0.005, -0.02, -0.015, -0.01, -0.025]
    >>> p = ef.infer.bayes_hierarchical(d, [1e-4] * 8, df=9, margin=0.005)
    >>> round(p.mean, 3), p.mean_lower > 0.95, round(p.lower + p.same + p.higher, 9)
    (-0.016, True, 1.0)
    """
    d = column("d", d, data_sets=_LEAST)
    margin, level = number("margin", margin, low=0), fraction("level", level)
    s2 = measured(_given("variance", variance, len(d), 0.0))
    f = None if df is None else _given("df", df, len(d), 1.0)
    unit = float(np.sqrt(d.var(ddof=1) + s2.mean()))
    if not unit > 0:
        refuse("d", "differences that differ, or variances above 0,", d)
    grid = _Grid.of(d / unit, s2 / unit**2)
    weight = grid.posterior(d / unit, s2 / unit**2, f)
    regions = grid.regions(margin / unit)
    at, own = _marginal(grid.delta * unit, weight)
    shares = np.einsum("rijk,ijk->r", regions, weight)
    won = np.einsum("rijk,ijk->r", _largest(regions), weight)
    mean = [float(own[at < -margin].sum()), 0.0, float(own[at > margin].sum())]
    return HierarchicalPosterior(
        mean=float(at @ own),
        lower=float(won[0]),
        same=float(won[1]),
        higher=float(won[2]),
        mean_lower=mean[0],
        mean_same=max(0.0, 1 - mean[0] - mean[2]),
        mean_higher=mean[2],
        next_lower=float(shares[0]),
        next_same=float(shares[1]),
        next_higher=float(shares[2]),
        spread=unit * _quantile(grid.sigma, weight.sum(axis=(0, 2)), 0.5),
        margin=margin,
        level=level,
        at=at,
        weight=own,
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Grid:
    """Nodes of δ0 (given σ0), σ0 and ν, in units of the spread of the data, and prior weights."""

    delta: Floats  # (δ0, σ0)
    sigma: Floats
    prior: Floats  # (δ0, σ0, ν)

    @classmethod
    def of(cls, d: Floats, s2: Floats) -> "_Grid":
        x, w = np.polynomial.legendre.leggauss(_SPREADS)
        x, w = (x + 1) / 2, w / 2
        sigma = x / (1 - x)  # 0 to ∞, half of the nodes below the spread of the data
        z, wz = np.polynomial.legendre.leggauss(_MEANS)
        error = np.sqrt((s2.mean() + sigma**2) / len(d))
        delta = d.mean() + _REACH * z[:, None] * error
        inside = (w / (1 - x) ** 2)[None, :] * wz[:, None] * error
        return cls(delta, sigma, inside[:, :, None] * _prior_nu())

    def posterior(self, d: Floats, s2: Floats, df: Floats | None) -> Floats:
        """Probabilities of the nodes, given the differences."""
        log = np.zeros(self.prior.shape)
        for k, nu in enumerate(_NU):
            w, of_w = _mixing(float(nu))
            for i, difference in enumerate(d):
                v, of_v = (np.ones(1), np.ones(1)) if df is None else _mixing(float(df[i]))
                variance = s2[i] / v[:, None] + self.sigma[:, None, None] ** 2 / w
                away = (difference - self.delta)[:, :, None, None] ** 2 / variance
                density = np.exp(-away / 2) / np.sqrt(variance)
                log[:, :, k] += np.log(np.einsum("abvw,v,w->ab", density, of_v, of_w) + 1e-300)
        weight = self.prior * np.exp(log - log.max())
        return np.asarray(weight / weight.sum())

    def regions(self, margin: float) -> Floats:
        """Chance that the difference on a further data set is below, inside, above, at every node."""
        delta, sigma = self.delta[:, :, None], self.sigma[None, :, None]
        below = special.stdtr(_NU, (-margin - delta) / sigma)
        above = special.stdtr(_NU, (delta - margin) / sigma)
        return np.stack([below, np.maximum(0.0, 1 - below - above), above])


def _given(name: str, values: Any, n: int, low: float) -> Floats:
    array = finite(name, values)
    if array.shape not in ((), (n,)) or array.min() < low:
        refuse(name, f"≥ {low:g}, one or one per data set ({n})", values)
    return np.broadcast_to(array, n)


@cache
def _prior_nu() -> Floats:
    """Probability of each node of ν: Γ(α, β) for ν − 1, over the middle of its cell, α and β averaged."""
    edges = np.concatenate([[1.0], np.sqrt(_NU[1:] * _NU[:-1]), [np.inf]]) - 1
    alpha, beta = (np.linspace(*ends, 21)[:, None, None] for ends in (_ALPHA, _BETA))
    below = special.gammainc(alpha, beta.reshape(1, -1, 1) * edges)
    return np.asarray(np.diff(below, axis=-1).mean(axis=(0, 1)))


@cache
def _mixing(df: float) -> tuple[Floats, Floats]:
    """Nodes and weights of the Γ(df/2, df/2) by which normals are mixed to Student's t."""
    if df > 300:
        return np.ones(1), np.ones(1)
    x, w = special.roots_genlaguerre(_MIXED, df / 2 - 1)
    return 2 * x / df, w / w.sum()


def _marginal(delta: Floats, weight: Floats) -> tuple[Floats, Floats]:
    """Nodes of δ0 in order, with their probabilities."""
    own = weight.sum(axis=2).ravel()
    order = np.argsort(delta.ravel(), kind="stable")
    return delta.ravel()[order], own[order]


def _largest(regions: Floats) -> Floats:
    """Which of the three is the most likely, at every node."""
    best = regions >= regions.max(axis=0)
    return np.asarray(best / best.sum(axis=0))


def _quantile(at: Floats, weight: Floats, p: float) -> float:
    """Where the distribution function of weighted nodes crosses p, straight between them."""
    middle = np.cumsum(weight) - weight / 2
    return float(np.interp(p, middle, at))
