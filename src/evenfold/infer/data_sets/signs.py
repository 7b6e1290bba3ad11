"""
Pairs of algorithms over data sets by signs and signed ranks of their differences.

What such a test says of two algorithms does not depend on the others, and each pair may have its
own data sets.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import comb
from typing import Any, cast

import numpy as np
from scipy import special

from evenfold.core.checks import integer, number
from evenfold.core.estimate import Floats, PivotEstimate
from evenfold.core.losses import Losses, rounding
from evenfold.core.losses import difference as subtracted
from evenfold.core.ranking import midranks
from evenfold.core.rng import stream
from evenfold.infer._arrays import finite, refuse_shape, require_shape
from evenfold.infer.data_sets._tables import (
    DataSetTable,
    Pairs,
    PairTestResult,
    RankPairs,
    column,
    pair_test,
    rank_pairs,
    table,
)

# From differences, and how far rounding may part them, to a p-value and a statistic that is above 0
# where B is higher.
Judge = Callable[[Floats, Floats], tuple[float, float]]

_EXACT = 200  # data sets up to which all signs are counted
_MOST_SIGNS = 1000  # the chance of more equal signs underflows


def wilcoxon_holm(values: Any, *, baseline: int | None = None) -> RankPairs:
    """
    Compare algorithms pair by pair with Wilcoxon's signed-rank test and Holm's adjustment.

    Parameters
    ----------
    values : array (data sets, algorithms)
        One value per data set and algorithm.
    baseline : int, optional
        Position of the algorithm that all others are compared with; all pairs if not given.

    Returns
    -------
    RankPairs

    Notes
    -----
    *Validity.* It is exact for up to 200 data sets, with ties too, and tests whether differences
    are symmetric about 0; zeros are left out. Differences that rounding alone may have made are
    zeros, and sizes that it alone may have parted are ties. What it says of two algorithms does not
    depend on the others. Below six data sets no p-value can fall under .05.

    References
    ----------
    Wilcoxon (1945), Biometrics 1; Benavoli, Corani, Mangili (2016), JMLR 17.

    Examples
    --------
    >>> import evenfold as ef
    >>> values = [[0.10, 0.12], [0.31, 0.33], [0.05, 0.09], [0.20, 0.21], [0.15, 0.18], [0.4, 0.45]]
    >>> ef.infer.wilcoxon_holm(values).pvalue.tolist()
    [0.03125]
    """
    return rank_pairs(table("values", values), "wilcoxon-holm", baseline=baseline)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class SignTest:
    """
    How often B is above A, and how often below.

    Attributes
    ----------
    higher, lower, ties : arrays of int
        Data sets on which B − A is above, below and equal to 0.
    pvalue : array
        The two-sided p-value.
    """

    higher: Any
    lower: Any
    ties: Any
    pvalue: Any


def sign_test(d: Any) -> SignTest:
    """
    Test whether B is above A as often as below, on new data sets.

    Parameters
    ----------
    d : array (..., data sets)
        The difference B − A on each data set.

    Returns
    -------
    SignTest

    Notes
    -----
    *Validity.* It is exact, and so conservative: with ten data sets it errs at most 2.1% of the
    time at 5%. Ties are left out. It asks for the sign only, and so has less power than Wilcoxon's
    test where differences are about symmetric; it needs no symmetry.

    References
    ----------
    Demšar (2006), JMLR 7, section 3.1.4; Conover (1999), section 3.4.

    Examples
    --------
    >>> import evenfold as ef
    >>> float(ef.infer.sign_test([0.1, 0.2, 0.05, 0.3, 0.1, 0.0, 0.4, 0.2, 0.1, -0.1]).pvalue)
    0.0390625
    """
    array = finite("d", d)
    fits = array.ndim >= 1 and array.size > 0
    require_shape("d", array.shape, "(..., data sets ≥ 1)", fits=fits)
    return _signs(array)


def _signs(d: Floats) -> SignTest:
    """Test by twice the smaller tail of a fair coin, thrown for each data set that is no tie."""
    higher = (d > 0).sum(axis=-1)
    lower = (d < 0).sum(axis=-1)
    tail = special.bdtr(np.minimum(higher, lower), higher + lower, 0.5)
    return SignTest(
        higher=higher, lower=lower, ties=(d == 0).sum(axis=-1), pvalue=np.minimum(1.0, 2 * tail)[()]
    )


def equal_signs_test(estimate: PivotEstimate, losses: Losses, units: int) -> PivotEstimate:
    """
    Give equal differences, of a measure without a range, the p-value of so many equal signs.

    They have no spread, and a t of infinity would be certain although three equal numbers are no
    proof. All have one sign, and for that the sign test, exact for any symmetric law, has the
    p-value 2^(1−n). Runs that are not paired have the p-value of the permutation test. The standard
    error is the one that gives this p-value, so the interval agrees with it and neither depends on
    the unit.
    """
    away = estimate.value - estimate.null
    if not away:
        none = np.zeros_like(estimate.value)
        return replace(estimate, standard_error=none, statistic=none)
    size = estimate.reference.isf(_chance_of_one_sign(losses, units))
    return replace(estimate, standard_error=np.abs(away) / size, statistic=np.copysign(size, away))


def _chance_of_one_sign(losses: Losses, units: int) -> float:
    """
    Return the chance that all differences have one given sign.

    There is one difference per split, or per unit of a single test set. Runs that are not paired
    could have been in as many orders as there are ways to choose those of A.
    """
    splits = len(losses.partition)
    if losses.absent is not None:
        runs = min(int((~losses.absent).sum(axis=-1).min()), _MOST_SIGNS // 2)
        return 1 / comb(2 * runs, runs)
    if not units:  # runs are all that varies
        return 0.5 ** min(splits, _MOST_SIGNS)
    return 0.5 ** min(units if splits == 1 else min(units, splits), _MOST_SIGNS)


def _common(data: DataSetTable, a: int, b: int) -> tuple[Floats, Floats]:
    """Return B − A on the data sets that have both, and how far rounding may part them."""
    both = data.values[np.isfinite(data.values[:, [a, b]]).all(axis=1)]
    return subtracted(both[:, b], both[:, a]), rounding(both[:, b], both[:, a])


def _each_pair(words: str, **known: Any) -> Callable[[Judge], Judge]:
    """Register a test that judges every pair by itself, on the data sets that both have."""

    def add(judge: Judge) -> Judge:
        def compare(data: DataSetTable, pairs: Pairs) -> PairTestResult:
            differences = [_common(data, a, b) for a, b in pairs]
            statistic, p = np.array([judge(d, noise) for d, noise in differences]).T
            return PairTestResult(
                difference=np.array([np.median(d) if len(d) else np.nan for d, _ in differences]),
                gain=-statistic if data.lower_is_better else statistic,
                pvalue=p,
            )

        compare.__name__ = judge.__name__
        pair_test(words, holes=True, **known)(compare)
        return judge

    return add


@_each_pair(
    "Wilcoxon signed-rank test",
    exact="all signs are counted; differences must be symmetric about 0 where the algorithms are "
    "alike",
    source="Wilcoxon 1945; Benavoli et al. 2016",
)
def _wilcoxon(d: Floats, tolerance: Floats) -> tuple[float, float]:
    """Return the sum of the signed ranks of differences that are not 0, and its p-value."""
    different = d != 0
    rank = midranks(np.abs(d[different]), tolerance[different])
    above = float(rank[d[different] > 0].sum())
    signed = 2 * above - float(rank.sum())
    if len(rank) > _EXACT:
        z = signed / np.sqrt(np.square(rank).sum())
        return signed, float(2 * special.ndtr(-abs(z)))
    law = _signed_rank_law(rank)
    place = round(2 * above)
    return signed, float(min(1.0, 2 * min(law[: place + 1].sum(), law[place:].sum())))


def _signed_rank_law(rank: Floats) -> Floats:
    """
    Return the law of twice the sum of the ranks with a plus sign, if all signs are equally likely.

    The ranks may have ties.
    """
    steps = np.rint(2 * rank).astype(int)
    law = np.zeros(int(steps.sum()) + 1)
    law[0] = 1.0
    for step in steps:
        moved = np.zeros_like(law)
        moved[step:] = law[: len(law) - step]
        law = (law + moved) / 2
    return law


@_each_pair(
    "the sign test",
    conservative="exact for signs, of which few data sets have few",
    source="Demšar 2006, section 3.1.4",
)
def _sign(d: Floats, _: Floats) -> tuple[float, float]:
    test = _signs(d)
    return float(test.higher - test.lower), float(test.pvalue)


_DRAWS = 10_000_000  # the most that may be asked for
_TOGETHER = 1_000_000  # weights that are held in memory at a time


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class SignedRankPosterior:
    """
    The posterior of the sign of B − A on a new data set, from the differences on several.

    Attributes
    ----------
    lower, same, higher : float
        Posterior probability that on a new data set B − A is most likely below −margin, within
        ±margin, or above margin. They add up to 1.
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
        Size of the values that were subtracted: what rounding of such values may do is no
        difference. The size of ``d`` itself if not given.
    prior : float, default 0.5
        Weight of one made-up data set with difference 0.
    draws : int, default 50 000
        Posterior draws.
    seed : int
        The seed of the draws.

    Returns
    -------
    SignedRankPosterior

    Notes
    -----
    The data sets and the made-up one get Dirichlet weights w; the chance of "higher" is Σ_ij w_i
    w_j over the pairs with d_i + d_j > 2·margin (half for equality), and so on; the answer is how
    often each of the three chances is the largest, shared where two are equal.

    *Validity.* It takes the data sets as a sample, and each difference as known: how exactly each
    was measured does not enter. Use :func:`random_effects` where that matters.

    References
    ----------
    Benavoli, Mangili, Corani, Zaffalon, Ruggeri (2014), ICML; Benavoli, Corani, Demšar, Zaffalon
    (2017), JMLR 18.

    Examples
    --------
    >>> import evenfold as ef
    >>> p = ef.infer.bayes_signed_rank(
    ...     [-0.02, -0.01, -0.03, 0.005, -0.02, -0.015, -0.01], margin=0.001
    ... )
    >>> p.lower > 0.95, round(p.lower + p.same + p.higher, 9)
    (True, 1.0)
    """
    d = column("d", d)
    margin = number("margin", margin, low=0)
    prior = number("prior", prior, low=1e-6, high=1e6)
    seed = integer("seed", seed, low=0)
    draws = integer("draws", draws, low=1, high=_DRAWS)
    noise = rounding(d, margin, _scale(scale, len(d)))
    z = np.concatenate([[0.0], np.where(np.abs(d) <= noise, 0.0, d)])
    order = np.argsort(z)
    above = _Partners(z[order], 2 * margin, float(noise.max()))
    below = _Partners(-z[order][::-1], 2 * margin, float(noise.max()))
    chances = np.zeros((draws, 3))
    done = 0
    for w in _weights(len(d), prior, draws, seed):
        w = w[:, order]
        rows = slice(done, done + len(w))
        chances[rows, 0] = below.chance(w[:, ::-1])
        chances[rows, 2] = above.chance(w)
        done += len(w)
    if margin > 0:
        chances[:, 1] = 1 - chances[:, 0] - chances[:, 2]
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
        refuse_shape("scale", sizes.shape, f"one number, or one per data set ({data_sets}),")
    return np.broadcast_to(sizes, data_sets)


class _Partners:
    """The pairs of sorted numbers whose sum is above an edge; a sum on the edge counts half."""

    def __init__(self, z: Floats, edge: float, noise: float) -> None:
        self._beyond = np.searchsorted(z, edge - z + noise, side="right")
        self._from = np.searchsorted(z, edge - z - noise, side="left")

    def chance(self, w: Floats) -> Floats:
        """
        Return Σ_ij w_i w_j over such pairs, by sums of the largest weights.

        This takes N steps for each draw and not N².
        """
        tails = np.zeros((len(w), w.shape[1] + 1))
        tails[:, :-1] = np.cumsum(w[:, ::-1], axis=1)[:, ::-1]
        both = tails[:, self._beyond]
        both += tails[:, self._from]
        return cast("Floats", np.einsum("ni,ni->n", w, both) / 2)


def _largest(chances: Floats) -> Floats:
    """Return how often each chance is the largest; equally large ones share a draw."""
    best = chances >= chances.max(axis=1, keepdims=True) - rounding(1.0)
    return cast("Floats", (best / best.sum(axis=1, keepdims=True)).mean(axis=0))


def _weights(data_sets: int, prior: float, draws: int, seed: int) -> Iterator[Floats]:
    """
    Yield Dirichlet weights in pieces, with the made-up data set first.

    They are one gamma variable and exponential variables, divided by their sum.
    """
    rng = stream(seed, "signed-rank")
    first = rng.standard_gamma(prior, size=draws)
    piece = max(1, _TOGETHER // (data_sets + 1))
    for start in range(0, draws, piece):
        made_up = first[start : start + piece]
        others = rng.standard_exponential(size=(len(made_up), data_sets))
        w = np.column_stack([made_up, others])
        yield w / w.sum(axis=1, keepdims=True)
