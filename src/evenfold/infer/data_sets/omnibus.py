"""
Several algorithms on several data sets: tests whether all rank alike.

Each takes a table with one row per data set and one value per algorithm, the mean over whatever
splits there were, so the blocks are independent. The estimand is not a size but an order: who ranks
first on a new data set of the same kind.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from evenfold.core.checks import flag, fraction, integer, refuse
from evenfold.core.estimate import Floats
from evenfold.core.losses import rounding
from evenfold.core.ranking import midranks
from evenfold.core.ranking import ranks as ranked
from evenfold.infer.data_sets._tables import (
    DataSetTable,
    Pairs,
    PairTestResult,
    RankPairs,
    pair_test,
    rank_pairs,
    table,
)

# Tests of pairs by mean ranks: after Friedman, Conover and Quade, and by aligned ranks. What such a
# test says of two algorithms depends on which others are in the table.


_MANY = 1000  # scipy has no law of the range of more algorithms


def critical_difference(algorithms: int, data_sets: int, *, level: float = 0.05) -> float:
    """
    Return the difference of mean ranks from which Nemenyi's test tells two algorithms apart.

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
    from scipy.stats import studentized_range  # takes longer to load than this whole package

    K = integer("algorithms", algorithms, low=2, high=_MANY)
    N = integer("data_sets", data_sets, low=2)
    quantile = studentized_range.isf(fraction("level", level), K, np.inf)
    return float(quantile / np.sqrt(2)) * _rank_error(K, N)


def nemenyi(values: Any, *, lower_is_better: bool = True) -> RankPairs:
    """
    Compare all pairs of algorithms by their mean ranks, allowing for all of them at once.

    Parameters
    ----------
    values : array (data sets, algorithms)
        One value per data set and algorithm.
    lower_is_better : bool, default True
        Whether small values are good.

    Returns
    -------
    RankPairs

    Notes
    -----
    *Validity.* It is conservative: it allows for a range of unrelated ranks. Like all tests on mean
    ranks, what it says of two algorithms depends on which others are in the table;
    :func:`wilcoxon_holm` does not.

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


def friedman_holm(
    values: Any, *, baseline: int | None = None, lower_is_better: bool = True
) -> RankPairs:
    """
    Compare mean ranks with a normal reference and Holm's adjustment.

    Algorithms are compared with a baseline, or all pairs are compared.

    Parameters
    ----------
    values : array (data sets, algorithms)
        One value per data set and algorithm.
    baseline : int, optional
        Position of the algorithm that all others are compared with; all pairs if not given.
    lower_is_better : bool, default True
        Whether small values are good.

    Returns
    -------
    RankPairs

    Notes
    -----
    *Validity.* It is as valid as :func:`nemenyi`, and with a baseline it has more power. The normal
    reference is rough below about ten data sets.

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


def _mean_differences(mean: Floats, pairs: Pairs) -> Floats:
    return np.array([mean[b] - mean[a] for a, b in pairs])


def _rank_error(K: int, N: int) -> float:
    """Return the standard error of a difference of two mean ranks under the null (Demšar 2006)."""
    return float(np.sqrt(K * (K + 1) / (6 * N)))


def _compare_by_normal(mean: Floats, error: float, pairs: Pairs) -> PairTestResult:
    d = _mean_differences(mean, pairs)
    if error > 0:
        z = d / error
    else:
        z = np.zeros_like(d)
    return PairTestResult(difference=d, gain=-z, pvalue=2 * special.ndtr(-np.abs(z)))


@pair_test(
    "mean ranks",
    conservative="the normal reference is rough below ten data sets, and ties are not allowed for",
    source="Demšar 2006, section 3.2.2",
)
def _friedman(data: DataSetTable, pairs: Pairs) -> PairTestResult:
    N, K = data.values.shape
    mean = ranked(data.values, lower_is_better=data.lower_is_better).mean(axis=0)
    return _compare_by_normal(mean, _rank_error(K, N), pairs)


@pair_test(
    "Nemenyi's test",
    conservative="it allows for a range of unrelated ranks",
    source="Demšar 2006, section 3.2.2",
    adjusts=False,
)
def _nemenyi(data: DataSetTable, pairs: Pairs) -> PairTestResult:
    from scipy.stats import studentized_range

    result = _friedman(data, pairs)
    K = data.values.shape[1]
    law = studentized_range.sf(np.abs(result.gain) * np.sqrt(2), K, np.inf)
    return result._replace(adjusted=np.asarray(law, dtype=float))


def _compare_by_t(scores: Floats, pairs: Pairs) -> PairTestResult:
    """
    Compare mean scores as in Conover (1999), section 5.8.

    The variance is that which the means of the scores leave unexplained.
    """
    N, K = scores.shape
    df = (N - 1) * (K - 1)
    mean = scores.mean(axis=0)
    within = scores - scores.mean(axis=1, keepdims=True)
    left = float(np.square(within).sum() - N * np.square(mean - mean.mean()).sum())
    d = _mean_differences(mean, pairs)
    if left <= 1e-9 * float(np.square(within).sum()):  # all data sets agree, or all are ties
        t = np.where(d == 0, 0.0, np.copysign(np.inf, d))
        return PairTestResult(
            difference=d, gain=-t, pvalue=np.where(d == 0, 1.0, chance_to_agree(scores))
        )
    t = d / np.sqrt(2 * left / (N * df))
    return PairTestResult(difference=d, gain=-t, pvalue=2 * special.stdtr(df, -np.abs(t)))


@pair_test(
    "Conover's test",
    liberal="its variance is pooled: beside one that is clearly worse it errs up to .24 about the "
    "others",
    source="Conover 1999, section 5.8",
)
def _conover(data: DataSetTable, pairs: Pairs) -> PairTestResult:
    return _compare_by_t(ranked(data.values, lower_is_better=data.lower_is_better), pairs)


@pair_test(
    "Quade's weighted mean ranks",
    liberal="as Conover's, but less; values must be comparable between data sets, whose ranges "
    "are weights",
    source="Quade 1979; Conover 1999, section 5.8",
)
def _quade(data: DataSetTable, pairs: Pairs) -> PairTestResult:
    """
    Compare ranks that are weighted by the rank of the range of each data set.

    The difference is that of weighted means.
    """
    rank = ranked(data.values, lower_is_better=data.lower_is_better)
    weight = weights(data.values)
    result = _compare_by_t(weight[:, None] * (rank - rank.mean()), pairs)
    return result._replace(difference=result.difference * len(weight) / weight.sum())


@pair_test(
    "mean aligned ranks",
    depends="the normal reference is rough below ten data sets; values must be comparable between "
    "them",
    source="Hodges and Lehmann 1962; García et al. 2010, section 3.1",
)
def _aligned(data: DataSetTable, pairs: Pairs) -> PairTestResult:
    """
    Compare mean ranks among all values, each less the mean of its data set.

    The variance is that of permutations.
    """
    rank = align_ranks(data.values, lower_is_better=data.lower_is_better)
    N, K = rank.shape
    within = float(np.square(rank - rank.mean(axis=1, keepdims=True)).sum())
    return _compare_by_normal(rank.mean(axis=0), float(np.sqrt(2 * within / (K - 1))) / N, pairs)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class FriedmanTest:
    """
    Whether all algorithms rank alike.

    Attributes
    ----------
    ranks : array (algorithms,)
        Mean rank of each algorithm, 1 for the best.
    statistic, df, pvalue : float
        Friedman's χ², its degrees of freedom, and the p-value.
    f_statistic, f_df, f_pvalue : float, (float, float), float
        Iman and Davenport's F, which has more power, with its degrees of freedom.
    data_sets : int
        Number of data sets.
    """

    ranks: Floats
    statistic: float
    df: int
    pvalue: float
    f_statistic: float
    f_df: tuple[int, int]
    f_pvalue: float
    data_sets: int


def friedman(values: Any, *, lower_is_better: bool = True) -> FriedmanTest:
    """
    Test whether three or more algorithms rank alike over several data sets.

    Parameters
    ----------
    values : array (data sets, algorithms)
        One value per data set and algorithm.
    lower_is_better : bool, default True
        Whether small values are good.

    Returns
    -------
    FriedmanTest

    Notes
    -----
    *Validity.* The blocks must be independent: data sets are, the splits of one data set are not,
    and a run's losses are refused. χ² is conservative for few data sets, Iman and Davenport's F
    nearly exact; where all data sets agree F is infinite, and its p-value the chance of that,
    (1/K!)^(N − 1). Ties are allowed for, as in scipy and R: on the example of Demšar (2006), whose
    9.28 ignores them, χ² is 9.73. The estimand is the order on new data sets of the same kind, at
    the training sizes of these.

    References
    ----------
    Friedman (1937), JASA 32; Iman and Davenport (1980), Commun. Statist. A 9; Demšar (2006), JMLR
    7.

    Examples
    --------
    >>> import evenfold as ef
    >>> values = [[0.10, 0.12, 0.20], [0.31, 0.30, 0.40], [0.05, 0.06, 0.09], [0.2, 0.21, 0.3]]
    >>> test = ef.infer.friedman(values)
    >>> test.ranks.tolist(), round(test.statistic, 3), round(test.f_pvalue, 4)
    ([1.25, 1.75, 3.0], 6.5, 0.0066)
    """
    array = table("values", values, algorithms=3)
    N, K = array.shape
    rank = ranked(array, lower_is_better=flag("lower_is_better", lower_is_better))
    chi2 = _friedman_chi2(rank)
    f, f_df, f_pvalue = _f_test(rank, chi2, N * (K - 1))
    return FriedmanTest(
        ranks=rank.mean(axis=0),
        statistic=chi2,
        df=K - 1,
        pvalue=float(special.chdtrc(K - 1, chi2)),
        f_statistic=f,
        f_df=f_df,
        f_pvalue=f_pvalue,
        data_sets=N,
    )


def _f_test(rank: Floats, between: float, total: float) -> tuple[float, tuple[int, int], float]:
    """Return F from the part of a total that lies between algorithms, its df and the p-value."""
    N, K = rank.shape
    df = (K - 1, (K - 1) * (N - 1))
    left = total - between
    if left > 1e-9 * total:
        f = (N - 1) * between / left
        return f, df, float(special.fdtrc(*df, f))
    if total > 0:
        return np.inf, df, chance_to_agree(rank)
    return 0.0, df, 1.0


def chance_to_agree(scores: Floats) -> float:
    """
    Return the chance that data sets rank equal algorithms alike, where an F test has no answer.

    (1/K!)^(N − 1) without ties (Conover 1999, section 5.8): two data sets that agree on three
    algorithms do so one time in six.

    Examples
    --------
    >>> round(chance_to_agree(np.array([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])), 4)
    0.1667
    """
    N, K = scores.shape
    tied = np.unique(scores[0], return_counts=True)[1]
    return float((special.factorial(tied).prod() / special.factorial(K)) ** (N - 1))


def _friedman_chi2(rank: Floats) -> float:
    """Return Friedman's χ² with ties: (K − 1)·Σ(rank sum − mean)² over the spread of all ranks."""
    N, K = rank.shape
    spread = float(((rank - (K + 1) / 2) ** 2).sum())
    between = float(((rank.mean(axis=0) - (K + 1) / 2) ** 2).sum())
    return N**2 * (K - 1) * between / spread if spread > 0 else 0.0


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class RanksTest:
    """
    Whether all algorithms do alike, by ranks of one kind or another.

    Attributes
    ----------
    method : str
        ``"quade"``, ``"aligned-ranks"`` or ``"skillings-mack"``.
    ranks : array (algorithms,)
        What is compared, small for the best: weighted mean ranks, mean aligned ranks, or mean ranks
        as they would be without holes (see :func:`mean_ranks`).
    statistic, df, pvalue : float, tuple of int, float
        F with two degrees of freedom, or χ² with one.
    data_sets : int
        Number of data sets.
    """

    method: str
    ranks: Floats
    statistic: float
    df: tuple[int, ...]
    pvalue: float
    data_sets: int


def quade(values: Any, *, lower_is_better: bool = True) -> RanksTest:
    """
    Test whether three or more algorithms rank alike, data sets with larger ranges weighing more.

    Parameters
    ----------
    values : array (data sets, algorithms)
        One value per data set and algorithm.
    lower_is_better : bool, default True
        Whether small values are good.

    Returns
    -------
    RanksTest

    Notes
    -----
    *Validity.* It is nearly exact (F reference). The range of the values on a data set says how
    much it weighs, so they must be comparable between data sets; errors are, squared errors of
    targets in other units are not. It has more power than Friedman's test with few algorithms (five
    at most), and less with many.

    References
    ----------
    Quade (1979), JASA 74; Conover (1999), section 5.8.

    Examples
    --------
    >>> import evenfold as ef
    >>> values = [[0.10, 0.12, 0.20], [0.31, 0.30, 0.40], [0.05, 0.06, 0.09], [0.2, 0.21, 0.3]]
    >>> test = ef.infer.quade(values)
    >>> round(test.statistic, 3), test.df, round(test.pvalue, 4)
    (7.182, (2, 6), 0.0256)
    """
    array = table("values", values, algorithms=3)
    N, K = array.shape
    rank = ranked(array, lower_is_better=flag("lower_is_better", lower_is_better))
    weight = weights(array)
    S = weight[:, None] * (rank - (K + 1) / 2)
    between = float(np.square(S.sum(axis=0)).sum() / N)
    f, df, pvalue = _f_test(rank, between, float(np.square(S).sum()))
    return RanksTest(
        method="quade",
        ranks=(weight[:, None] * rank).sum(axis=0) / weight.sum(),
        statistic=f,
        df=df,
        pvalue=pvalue,
        data_sets=N,
    )


def weights(array: Floats) -> Floats:
    """Return the ranks of the data sets by the range of their values."""
    spread = array.max(axis=1) - array.min(axis=1)
    return midranks(spread, rounding(np.abs(array).max(axis=1)))


def aligned_ranks(values: Any, *, lower_is_better: bool = True) -> RanksTest:
    """
    Friedman's test on aligned ranks.

    Values are ranked over all data sets, each less the mean of its own.

    Parameters
    ----------
    values : array (data sets, algorithms)
        One value per data set and algorithm.
    lower_is_better : bool, default True
        Whether small values are good.

    Returns
    -------
    RanksTest

    Notes
    -----
    *Validity.* For K ≥ 3 algorithms: χ² with K − 1 df, conservative for few data sets. Differences
    must be comparable between data sets. It has more power than Friedman's test with few
    algorithms, since ranks within a data set of three values say little.

    References
    ----------
    Hodges and Lehmann (1962), Annals of Mathematical Statistics 33; García et al. (2010),
    Information Sciences 180, section 3.1.

    Examples
    --------
    >>> import evenfold as ef
    >>> values = [[0.10, 0.12, 0.20], [0.31, 0.30, 0.40], [0.05, 0.06, 0.09], [0.2, 0.21, 0.3]]
    >>> test = ef.infer.aligned_ranks(values)
    >>> test.ranks.tolist(), round(test.statistic, 3), round(test.pvalue, 4)
    ([3.75, 5.25, 10.5], 6.091, 0.0476)
    """
    array = table("values", values, algorithms=3)
    N, K = array.shape
    rank = align_ranks(array, lower_is_better=flag("lower_is_better", lower_is_better))
    total = rank.sum(axis=0)
    left = float(np.square(rank - rank.mean(axis=1, keepdims=True)).sum())
    spread = float(np.square(total - total.mean()).sum())
    if left > 0:
        chi2 = (K - 1) * spread / left
    else:
        chi2 = 0.0
    return _chi2_ranks_test("aligned-ranks", rank.mean(axis=0), chi2, K - 1, N)


def _chi2_ranks_test(method: str, ranks: Floats, chi2: float, df: int, data_sets: int) -> RanksTest:
    if df:
        p = float(special.chdtrc(df, chi2))
    else:
        p = 1.0
    return RanksTest(
        method=method, ranks=ranks, statistic=chi2, df=(df,), pvalue=p, data_sets=data_sets
    )


def align_ranks(array: Floats, *, lower_is_better: bool) -> Floats:
    """Return the ranks among all values of a table, each less the mean of its row."""
    centred = array - array.mean(axis=1, keepdims=True)
    rank = midranks(
        (centred if lower_is_better else -centred).ravel(), rounding(np.abs(array).max())
    )
    return rank.reshape(array.shape)


def skillings_mack(values: Any, *, lower_is_better: bool = True) -> RanksTest:
    """
    Test whether several algorithms rank alike, where some were not run on all data sets.

    Parameters
    ----------
    values : array (data sets, algorithms)
        One value per data set and algorithm, NaN where an algorithm was not run; at least three
        algorithms.
    lower_is_better : bool, default True
        Whether small values are good.

    Returns
    -------
    RanksTest

    Notes
    -----
    *Validity.* χ² reference, conservative for few data sets; without holes it is Friedman's test.
    Why a value is missing must have nothing to do with what it would have been. Ties within a data
    set are given mean ranks and not allowed for, which is conservative.

    References
    ----------
    Skillings and Mack (1981), Technometrics 23.

    Examples
    --------
    >>> import evenfold as ef
    >>> values = [
    ...     [0.10, 0.12, 0.20],
    ...     [0.31, 0.30, float("nan")],
    ...     [0.05, 0.06, 0.09],
    ...     [0.2, 0.21, 0.3],
    ... ]
    >>> test = ef.infer.skillings_mack(values)
    >>> round(test.statistic, 3), round(test.pvalue, 3)
    (4.964, 0.084)
    """
    array = table("values", values, algorithms=3, holes=True)
    lower = flag("lower_is_better", lower_is_better)
    used = array[np.isfinite(array).sum(axis=1) >= 2]
    there = np.isfinite(used)
    A = _centred_rank_sums(used, there, lower)
    shared = there.T.astype(float) @ there
    covariance = np.diag(shared.sum(axis=1) - np.diag(shared)) - (shared - np.diag(np.diag(shared)))
    chi2 = float(A @ np.linalg.pinv(covariance) @ A)
    df = int(np.linalg.matrix_rank(covariance))
    return _chi2_ranks_test(
        "skillings-mack", mean_ranks(array, lower_is_better=lower), chi2, df, len(used)
    )


def _centred_rank_sums(array: Floats, there: Any, lower: bool) -> Floats:
    """Return Σ √(12/(k + 1))·(rank − (k + 1)/2) over the data sets of each, with k run there."""
    total = np.zeros(array.shape[1])
    for row, known in zip(array, there, strict=True):
        k = int(known.sum())
        total[known] += np.sqrt(12 / (k + 1)) * (
            ranked(row[known], lower_is_better=lower) - (k + 1) / 2
        )
    return total


def mean_ranks(values: Any, *, lower_is_better: bool = True) -> Floats:
    """
    Return the mean rank of each algorithm, as it would be if all were run on all data sets.

    Parameters
    ----------
    values : array (data sets, algorithms)
        One value per data set and algorithm, NaN where an algorithm was not run.
    lower_is_better : bool, default True
        Whether small values are good.

    Returns
    -------
    array (algorithms,)
        1 plus, over all others, the share of common data sets on which the other is better, ties
        counted half: without holes, the mean rank. NaN for one that shares no data set with some
        other.

    Notes
    -----
    *Validity.* For each pair, the data sets that both were run on must be like the others. Mean
    ranks among those that are present would favour who was run with weak ones only.

    Examples
    --------
    >>> import evenfold as ef
    >>> nan = float("nan")
    >>> values = [[0.1, 0.2, 0.3], [0.1, 0.3, 0.2], [nan, 0.1, 0.2], [0.1, nan, 0.2]]
    >>> ef.infer.mean_ranks(values).round(3).tolist()
    [1.0, 2.333, 2.667]
    """
    array = table("values", values, holes=True)
    lower = flag("lower_is_better", lower_is_better)
    K = array.shape[1]
    beaten = np.zeros((K, K))
    for a in range(K):
        for b in range(a + 1, K):
            both = array[np.isfinite(array[:, [a, b]]).all(axis=1)][:, [a, b]]
            if len(both):
                share = ranked(both, lower_is_better=lower).mean(axis=0) - 1
            else:
                share = (np.nan, np.nan)
            beaten[a, b], beaten[b, a] = share
    ranks = np.asarray(1 + beaten.sum(axis=1))
    if np.isnan(ranks).all():
        refuse(
            "values",
            "values must be of algorithms that share data sets but got no two that were run on "
            "the same data set.",
        )
    return ranks
