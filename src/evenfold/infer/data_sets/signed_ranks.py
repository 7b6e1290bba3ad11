"""Two algorithms on several data sets: the Bayesian signed-rank test."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.checks import integer, number, refuse
from evenfold.core.estimate import Floats
from evenfold.core.ranking import rounding
from evenfold.core.rng import stream
from evenfold.infer._inputs import finite
from evenfold.infer.data_sets._tables import column

_DRAWS = 100_000_000  # weights that are drawn at most, a gigabyte


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class SignedRankPosterior:
    """
    What differences B − A over data sets say about a further one.

    Attributes
    ----------
    lower, same, higher : float
        Posterior probability that on a further data set B − A is most likely below −margin, within ±margin,
        or above margin. They add up to 1.
    error : float
        Largest Monte Carlo standard error of the three.
    margin : float
        Differences up to this size do not matter.
    draws : array (draws, 3)
        Posterior draws of the chances of the three regions.
    """

    lower: float
    same: float
    higher: float
    error: float
    margin: float
    draws: Floats


def bayes_signed_rank(
    d: Any,
    *,
    margin: float = 0.0,
    scale: Any = None,
    prior: float = 0.5,
    draws: int = 50_000,
    seed: int = 0,
) -> SignedRankPosterior:
    """
    Bayesian version of Wilcoxon's test, with a region of differences that do not matter.

    Parameters
    ----------
    d : array (data sets,)
        The difference B − A on each data set, one value per data set.
    margin : float, default 0
        Differences up to this size do not matter.
    scale : float or array (data sets,), optional
        Size of the values that were subtracted: what rounding of such values may do is no difference. The
        size of ``d`` itself if not given.
    prior : float, default 0.5
        Weight of one made-up data set with difference 0.
    draws : int, default 50 000
        Posterior draws.
    seed : int
        Of the draws.

    Returns
    -------
    SignedRankPosterior

    Notes
    -----
    The data sets and the made-up one get Dirichlet weights w; the chance of "higher" is Σ_ij w_i w_j over
    the pairs with d_i + d_j > 2·margin (half for equality), and so on; the answer is how often each of the
    three chances is the largest, shared where two are equal.

    *Validity.* It takes the data sets as a sample, and each difference as known: how exactly each was
    measured does not enter. Use :func:`random_effects` where that matters.

    References
    ----------
    Benavoli, Mangili, Corani, Zaffalon, Ruggeri (2014), ICML; Benavoli, Corani, Demšar, Zaffalon (2017),
    JMLR 18.

    Examples
    --------
    >>> import evenfold as ef
    >>> p = ef.infer.bayes_signed_rank([-0.02, -0.01, -0.03, 0.005, -0.02, -0.015, -0.01], margin=0.001)
    >>> p.lower > 0.95, round(p.lower + p.same + p.higher, 9)
    (True, 1.0)
    """
    d = column("d", d)
    margin, prior = number("margin", margin, low=0), number("prior", prior, low=1e-6, high=1e6)
    seed = integer("seed", seed, low=0)
    draws = integer("draws", draws, low=1, high=_DRAWS // (len(d) + 1))
    noise = rounding(d, margin, _scale(scale, len(d)))
    z = np.concatenate([[0.0], np.where(np.abs(d) <= noise, 0.0, d)])
    noise = np.concatenate([[0.0], noise])
    edges = 2 * margin, np.maximum(noise[:, None], noise)
    sums = z[:, None] + z
    higher, lower = _above(sums, *edges), _above(-sums, *edges)
    w = _weights(len(d), prior, draws, seed)
    chances = np.empty((draws, 3))
    chances[:, 0] = np.einsum("ni,ni->n", w @ lower, w)
    chances[:, 2] = np.einsum("ni,ni->n", w @ higher, w)
    chances[:, 1] = 1 - chances[:, 0] - chances[:, 2] if margin > 0 else 0.0
    first = _largest(chances)
    return SignedRankPosterior(
        lower=float(first[0]),
        same=float(first[1]),
        higher=float(first[2]),
        error=float(np.sqrt(first * (1 - first) / draws).max()),
        margin=margin,
        draws=chances,
    )


def _scale(scale: Any, data_sets: int) -> Floats:
    if scale is None:
        return np.zeros(data_sets)
    sizes = finite("scale", scale)
    if sizes.shape not in ((), (data_sets,)):
        refuse("scale", f"a number, or one per data set ({data_sets})", f"shape {sizes.shape}")
    return np.broadcast_to(sizes, data_sets)


def _above(sums: Floats, edge: float, noise: Floats) -> Floats:
    """1 above the edge, ½ on it."""
    on = np.abs(sums - edge) <= noise
    return np.where(on, 0.5, sums > edge)


def _largest(chances: Floats) -> Floats:
    """How often each chance is the largest; those that are equally large share."""
    best = chances >= chances.max(axis=1, keepdims=True) - rounding(1.0)
    shares: Floats = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares


def _weights(data_sets: int, prior: float, draws: int, seed: int) -> Floats:
    """Dirichlet weights, the made-up data set first: exponentials, and one gamma, over their sum."""
    rng = stream(seed, "signed-rank")
    w = np.empty((draws, data_sets + 1))
    w[:, 0] = rng.standard_gamma(prior, size=draws)
    w[:, 1:] = rng.standard_exponential(size=(draws, data_sets))
    w /= w.sum(axis=1, keepdims=True)
    return w
