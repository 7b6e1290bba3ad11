"""Two algorithms on several data sets: the Bayesian signed-rank test."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold.core.checks import integer, number, refuse
from evenfold.core.estimate import Floats
from evenfold.core.ranking import rounding
from evenfold.core.rng import stream
from evenfold.infer._inputs import finite
from evenfold.infer.data_sets._tables import column

_DRAWS = 10_000_000  # that anybody may ask for
_TOGETHER = 1_000_000  # weights that are held at a time


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
    draws = integer("draws", draws, low=1, high=_DRAWS)
    noise = rounding(d, margin, _scale(scale, len(d)))
    z = np.concatenate([[0.0], np.where(np.abs(d) <= noise, 0.0, d)])
    order = np.argsort(z)
    above = _Partners(z[order], 2 * margin, float(noise.max()))
    below = _Partners(-z[order][::-1], 2 * margin, float(noise.max()))
    chances = np.empty((draws, 3))
    done = 0
    for w in _weights(len(d), prior, draws, seed):
        w = w[:, order]
        rows = slice(done, done + len(w))
        chances[rows, 0] = below.chance(w[:, ::-1])
        chances[rows, 2] = above.chance(w)
        done += len(w)
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


class _Partners:
    """With which of the sorted numbers each of them has a sum above an edge; on it counts half."""

    def __init__(self, z: Floats, edge: float, noise: float) -> None:
        self._beyond = np.searchsorted(z, edge - z + noise, side="right")
        self._from = np.searchsorted(z, edge - z - noise, side="left")

    def chance(self, w: Floats) -> Floats:
        """Σ_ij w_i w_j over such pairs, by sums of the largest weights: N steps for each draw and not N²."""
        tails = np.zeros((len(w), w.shape[1] + 1))
        tails[:, :-1] = np.cumsum(w[:, ::-1], axis=1)[:, ::-1]
        both = tails[:, self._beyond]
        both += tails[:, self._from]
        chances: Floats = np.einsum("ni,ni->n", w, both) / 2
        return chances


def _largest(chances: Floats) -> Floats:
    """How often each chance is the largest; those that are equally large share."""
    best = chances >= chances.max(axis=1, keepdims=True) - rounding(1.0)
    shares: Floats = (best / best.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares


def _weights(data_sets: int, prior: float, draws: int, seed: int) -> Iterator[Floats]:
    """Dirichlet weights, the made-up data set first, in pieces: exponentials, one gamma, over their sum."""
    rng = stream(seed, "signed-rank")
    first = rng.standard_gamma(prior, size=draws)
    piece = max(1, _TOGETHER // (data_sets + 1))
    for start in range(0, draws, piece):
        own = first[start : start + piece]
        w = np.column_stack([own, rng.standard_exponential(size=(len(own), data_sets))])
        yield w / w.sum(axis=1, keepdims=True)
