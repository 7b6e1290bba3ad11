"""
Several algorithms on several data sets: tests on ranks and signed ranks.

Each takes a table with one row per data set and one value per algorithm, the mean over whatever splits there
were, so the blocks are independent. The estimand is not a size but an order: who ranks first on a further
data set of the same kind.
"""

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import special

from evenfold.core.checks import flag, fraction, integer
from evenfold.core.estimate import Floats
from evenfold.core.ranking import difference as subtracted
from evenfold.core.ranking import midranks, rounding
from evenfold.core.ranking import ranks as ranked
from evenfold.infer.data_sets._tables import table
from evenfold.infer.many.adjust import adjustment

_EXACT = 200  # data sets up to which all signs are counted
_MANY = 1000  # algorithms; the law of a larger range is not to be had


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


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class RankPairs:
    """
    Pairs of algorithms after (or instead of) Friedman's test.

    Attributes
    ----------
    method : str
        ``"nemenyi"``, ``"friedman-holm"`` or ``"wilcoxon-holm"``.
    pairs : tuple of (int, int)
        Positions of A and B.
    difference : array
        Mean rank of B less that of A (negative: B ranks better), or for Wilcoxon the median difference B − A
        in the measure's own units.
    pvalue, adjusted : arrays
        Two-sided p-values, and the same adjusted for the number of pairs.
    """

    method: str
    pairs: tuple[tuple[int, int], ...]
    difference: Floats
    pvalue: Floats
    adjusted: Floats


def friedman(values: Any, *, lower_is_better: bool = True) -> FriedmanTest:
    """
    Test whether several algorithms rank alike over several data sets.

    Parameters
    ----------
    values : array (data sets, algorithms)
        One value per data set and algorithm, for at least three algorithms.
    lower_is_better : bool, default True
        Whether small values are good.

    Returns
    -------
    FriedmanTest

    Notes
    -----
    *Validity.* The blocks must be independent: data sets are, the splits of one data set are not, and a run's
    losses are refused. χ² is conservative for few data sets, Iman and Davenport's F nearly exact. The
    estimand is the order on further data sets of the same kind, at the training sizes of these.

    References
    ----------
    Friedman (1937), JASA 32; Iman and Davenport (1980), Commun. Statist. A 9; Demšar (2006), JMLR 7.

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
    chi2 = _friedman(rank)
    left = N * (K - 1) - chi2
    f = (N - 1) * chi2 / left if left > 1e-9 * N else np.inf
    f_df = (K - 1, (K - 1) * (N - 1))
    return FriedmanTest(
        ranks=rank.mean(axis=0),
        statistic=chi2,
        df=K - 1,
        pvalue=float(special.chdtrc(K - 1, chi2)),
        f_statistic=float(f),
        f_df=f_df,
        f_pvalue=float(special.fdtrc(*f_df, f)) if np.isfinite(f) else 0.0,
        data_sets=N,
    )


def _friedman(rank: Floats) -> float:
    """Friedman's χ² with ties: (K − 1)·Σ(rank sum − its mean)² over the spread of all ranks."""
    N, K = rank.shape
    spread = float(((rank - (K + 1) / 2) ** 2).sum())
    between = float(((rank.mean(axis=0) - (K + 1) / 2) ** 2).sum())
    return N**2 * (K - 1) * between / spread if spread > 0 else 0.0


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
    from scipy.stats import studentized_range

    array = table("values", values)
    N, K = array.shape
    pairs, difference = _rank_differences(array, None, lower_is_better=lower_is_better)
    z = np.abs(difference) / _rank_error(K, N)
    adjusted = np.asarray(studentized_range.sf(z * np.sqrt(2), K, np.inf), dtype=float)
    return RankPairs(
        method="nemenyi", pairs=pairs, difference=difference, pvalue=2 * special.ndtr(-z), adjusted=adjusted
    )


def friedman_holm(values: Any, *, baseline: int | None = None, lower_is_better: bool = True) -> RankPairs:
    """
    Compare mean ranks with a normal reference and Holm's adjustment: against a baseline, or all pairs.

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
    array = table("values", values)
    pairs, difference = _rank_differences(array, baseline, lower_is_better=lower_is_better)
    z = np.abs(difference) / _rank_error(array.shape[1], array.shape[0])
    p = 2 * special.ndtr(-z)
    return RankPairs(
        method="friedman-holm", pairs=pairs, difference=difference, pvalue=p, adjusted=adjustment(p)
    )


def wilcoxon_holm(values: Any, *, baseline: int | None = None) -> RankPairs:
    """
    Compare algorithms pair by pair with Wilcoxon's signed ranks and Holm's adjustment.

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
    *Validity.* Exact for up to 200 data sets, with ties too, and tests whether differences are symmetric
    about 0; zeros are left out. Differences that rounding alone may have made are zeros, and sizes that it
    alone may have parted are ties. What it says of two algorithms does not depend on the others. Below six
    data sets no p-value can fall under .05.

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
    array = table("values", values)
    pairs = _pairs(array.shape[1], baseline)
    differences = [subtracted(array[:, b], array[:, a]) for a, b in pairs]
    noise = [rounding(array[:, b], array[:, a]) for a, b in pairs]
    p = np.array([_wilcoxon(d, tolerance) for d, tolerance in zip(differences, noise, strict=True)])
    return RankPairs(
        method="wilcoxon-holm",
        pairs=pairs,
        difference=np.array([np.median(d) for d in differences]),
        pvalue=p,
        adjusted=adjustment(p),
    )


def _wilcoxon(d: Floats, tolerance: Floats) -> float:
    """Two-sided p-value of the signed ranks of the differences that are not 0."""
    different = d != 0
    rank = midranks(np.abs(d[different]), tolerance[different])
    above = float(rank[d[different] > 0].sum())
    if len(rank) > _EXACT:
        z = (above - rank.sum() / 2) / np.sqrt(np.square(rank).sum() / 4)
        return float(2 * special.ndtr(-abs(z)))
    law = _signed_rank_law(rank)
    place = round(2 * above)
    return float(min(1.0, 2 * min(law[: place + 1].sum(), law[place:].sum())))


def _signed_rank_law(rank: Floats) -> Floats:
    """Law of twice the sum of the ranks with a plus sign, all signs being equally likely; ties may be."""
    steps = np.rint(2 * rank).astype(int)
    law = np.zeros(int(steps.sum()) + 1)
    law[0] = 1.0
    for step in steps:
        moved = np.zeros_like(law)
        moved[step:] = law[: len(law) - step]
        law = (law + moved) / 2
    return law


def _pairs(K: int, baseline: int | None) -> tuple[tuple[int, int], ...]:
    if baseline is None:
        return tuple(combinations(range(K), 2))
    chosen = integer("baseline", baseline, low=0, high=K - 1)
    return tuple((chosen, b) for b in range(K) if b != chosen)


def _rank_differences(
    array: Floats, baseline: int | None, *, lower_is_better: bool
) -> tuple[tuple[tuple[int, int], ...], Floats]:
    mean = ranked(array, lower_is_better=flag("lower_is_better", lower_is_better)).mean(axis=0)
    pairs = _pairs(array.shape[1], baseline)
    return pairs, np.array([mean[b] - mean[a] for a, b in pairs])


def _rank_error(K: int, N: int) -> float:
    """Standard error of a difference of two mean ranks under the null (Demšar 2006)."""
    return float(np.sqrt(K * (K + 1) / (6 * N)))
