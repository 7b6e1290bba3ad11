"""
Pairs of algorithms over data sets by their mean ranks: after Friedman, Conover, Quade, and by aligned ranks.

What such a test says of two algorithms depends on which others are in the table.
"""

from typing import Any

import numpy as np
from scipy import special

from evenfold.core.checks import fraction, integer
from evenfold.core.estimate import Floats
from evenfold.core.ranking import ranks as ranked
from evenfold.infer.data_sets._pair_tests import Compared, Pairs, RankPairs, Table, pair_test, rank_pairs
from evenfold.infer.data_sets._tables import of_table
from evenfold.infer.data_sets.omnibus import aligned, chance_to_agree, weights

_MANY = 1000  # algorithms; the law of a larger range is not to be had


def critical_difference(algorithms: int, data_sets: int, *, level: float = 0.05) -> float:
    """
    The difference of mean ranks from which Nemenyi's test tells two algorithms apart.

    Parameters
    ----------
    algorithms, data_sets : int
        How many there are.
    level : float, default 0.05
        Chance of any wrong difference among all pairs.

    References
    ----------
    Demšar (2006), JMLR 7, section 3.2.2.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(ef.infer.critical_difference(4, 14), 2)
    1.25
    """
    from scipy.stats import studentized_range  # takes longer to load than this whole room

    K, N = integer("algorithms", algorithms, low=2, high=_MANY), integer("data_sets", data_sets, low=2)
    quantile = studentized_range.isf(fraction("level", level), K, np.inf)
    return float(quantile / np.sqrt(2)) * _rank_error(K, N)


@of_table
def nemenyi(values: Any, *, lower_is_better: bool = True) -> RankPairs:
    """
    Compare all pairs of algorithms by their mean ranks, allowing for all of them at once.

    Notes
    -----
    *Validity.* Conservative: it allows for a range of unrelated ranks. Like all tests on mean ranks, what it
    says of two algorithms depends on which others are in the table; :func:`wilcoxon_holm` does not.

    References
    ----------
    Nemenyi (1963), thesis; Demšar (2006), JMLR 7; for the critique Benavoli, Corani,
    Mangili (2016), JMLR 17.

    Examples
    --------
    >>> import evenfold as ef
    >>> values = [[0.10, 0.12, 0.20], [0.31, 0.30, 0.40], [0.05, 0.06, 0.09], [0.2, 0.21, 0.3]]
    >>> ef.infer.nemenyi(values).adjusted.round(4).tolist()
    [0.7593, 0.0356, 0.1805]
    """
    return rank_pairs(values, "nemenyi", lower_is_better=lower_is_better)


@of_table
def friedman_holm(values: Any, *, baseline: int | None = None, lower_is_better: bool = True) -> RankPairs:
    """
    Compare mean ranks with a normal reference and Holm's adjustment: against a baseline, or all pairs.

    Notes
    -----
    *Validity.* As :func:`nemenyi`; with a baseline more powerful than that. The normal reference is rough
    below about ten data sets.

    References
    ----------
    Demšar (2006), JMLR 7, section 3.2.2; Holm (1979), Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> import evenfold as ef
    >>> values = [[0.10, 0.12, 0.20], [0.31, 0.30, 0.40], [0.05, 0.06, 0.09], [0.2, 0.21, 0.3]]
    >>> ef.infer.friedman_holm(values, baseline=2).adjusted.round(4).tolist()
    [0.0267, 0.0771]
    """
    return rank_pairs(values, "friedman-holm", baseline=baseline, lower_is_better=lower_is_better)


def _apart(mean: Floats, pairs: Pairs) -> Floats:
    return np.array([mean[b] - mean[a] for a, b in pairs])


def _rank_error(K: int, N: int) -> float:
    """Standard error of a difference of two mean ranks under the null (Demšar 2006)."""
    return float(np.sqrt(K * (K + 1) / (6 * N)))


def _by_normal(mean: Floats, error: float, pairs: Pairs) -> Compared:
    d = _apart(mean, pairs)
    z = d / error if error > 0 else np.zeros_like(d)
    return Compared(difference=d, gain=-z, pvalue=2 * special.ndtr(-np.abs(z)))


@pair_test(
    "mean ranks",
    conservative="the normal reference is rough below ten data sets, and ties are not allowed for",
    source="Demšar 2006, section 3.2.2",
)
def _friedman(of: Table, pairs: Pairs) -> Compared:
    N, K = of.values.shape
    mean = ranked(of.values, lower_is_better=of.lower_is_better).mean(axis=0)
    return _by_normal(mean, _rank_error(K, N), pairs)


@pair_test(
    "Nemenyi's test",
    conservative="it allows for a range of unrelated ranks",
    source="Demšar 2006, section 3.2.2",
    adjusts=False,
)
def _nemenyi(of: Table, pairs: Pairs) -> Compared:
    from scipy.stats import studentized_range

    found, K = _friedman(of, pairs), of.values.shape[1]
    law = studentized_range.sf(np.abs(found.gain) * np.sqrt(2), K, np.inf)
    return found._replace(adjusted=np.asarray(law, dtype=float))


def _by_t(scores: Floats, pairs: Pairs) -> Compared:
    """Conover (1999), section 5.8: what the means of the scores leave unexplained is their variance."""
    N, K = scores.shape
    df, mean = (N - 1) * (K - 1), scores.mean(axis=0)
    within = scores - scores.mean(axis=1, keepdims=True)
    left = float(np.square(within).sum() - N * np.square(mean - mean.mean()).sum())
    d = _apart(mean, pairs)
    if left <= 1e-9 * float(np.square(within).sum()):  # all data sets agree, or none says anything
        t = np.where(d == 0, 0.0, np.copysign(np.inf, d))
        return Compared(difference=d, gain=-t, pvalue=np.where(d == 0, 1.0, chance_to_agree(scores)))
    t = d / np.sqrt(2 * left / (N * df))
    return Compared(difference=d, gain=-t, pvalue=2 * special.stdtr(df, -np.abs(t)))


@pair_test(
    "Conover's test",
    liberal="its variance is pooled: beside one that is clearly worse it errs up to .24 about the others",
    source="Conover 1999, section 5.8",
)
def _conover(of: Table, pairs: Pairs) -> Compared:
    return _by_t(ranked(of.values, lower_is_better=of.lower_is_better), pairs)


@pair_test(
    "Quade's weighted mean ranks",
    liberal="as Conover's, but less; values must be comparable between data sets, whose ranges are weights",
    source="Quade 1979; Conover 1999, section 5.8",
)
def _quade(of: Table, pairs: Pairs) -> Compared:
    """Ranks weighted by the rank of the range of each data set; the difference is that of weighted means."""
    rank, weight = ranked(of.values, lower_is_better=of.lower_is_better), weights(of.values)
    found = _by_t(weight[:, None] * (rank - rank.mean()), pairs)
    return found._replace(difference=found.difference * len(weight) / weight.sum())


@pair_test(
    "mean aligned ranks",
    depends="the normal reference is rough below ten data sets; values must be comparable between them",
    source="Hodges and Lehmann 1962; García et al. 2010, section 3.1",
)
def _aligned(of: Table, pairs: Pairs) -> Compared:
    """Mean ranks among all values, each less its data set's mean; the variance is that of permutations."""
    rank = aligned(of.values, lower_is_better=of.lower_is_better)
    N, K = rank.shape
    within = float(np.square(rank - rank.mean(axis=1, keepdims=True)).sum())
    return _by_normal(rank.mean(axis=0), float(np.sqrt(2 * within / (K - 1))) / N, pairs)
