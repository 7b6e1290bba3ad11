"""
Pairs of algorithms over data sets by signs and signed ranks of their differences.

What such a test says of two algorithms does not depend on the others, and each pair may have its own data
sets.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from evenfold.core.checks import refuse
from evenfold.core.estimate import Floats
from evenfold.core.ranking import difference as subtracted
from evenfold.core.ranking import midranks, rounding
from evenfold.infer._inputs import finite
from evenfold.infer.data_sets._pair_tests import Compared, Pairs, RankPairs, Table, pair_test, rank_pairs
from evenfold.infer.data_sets._tables import of_table, table

# From differences and how far rounding may part them to a statistic above 0 where B is higher, and a p-value.
Judge = Callable[[Floats, Floats], tuple[float, float]]
_EXACT = 200  # data sets up to which all signs are counted


@of_table
def wilcoxon_holm(values: Any, *, baseline: int | None = None) -> RankPairs:
    """
    Compare algorithms pair by pair with Wilcoxon's signed ranks and Holm's adjustment.

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
        Two-sided.
    """

    higher: Any
    lower: Any
    ties: Any
    pvalue: Any


def sign_test(d: Any) -> SignTest:
    """
    Test whether B is above A as often as below, on further data sets.

    Parameters
    ----------
    d : array (..., data sets)
        The difference B − A on each data set.

    Returns
    -------
    SignTest

    Notes
    -----
    *Validity.* Exact, and so conservative: with ten data sets it errs at most 2.1 % of the time at 5 %. Ties
    are left out. It asks for the sign only, and so has less power than Wilcoxon's test where differences are
    about symmetric; it needs no symmetry.

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
    if array.ndim < 1 or not array.size:
        refuse("d", "of shape (..., data sets ≥ 1)", f"shape {array.shape}")
    return _signs(array)


def _signs(d: Floats) -> SignTest:
    """Twice the smaller tail of a fair coin, which falls on each data set that is no tie."""
    higher, lower = (d > 0).sum(axis=-1), (d < 0).sum(axis=-1)
    tail = special.bdtr(np.minimum(higher, lower), higher + lower, 0.5)
    return SignTest(
        higher=higher, lower=lower, ties=(d == 0).sum(axis=-1), pvalue=np.minimum(1.0, 2 * tail)[()]
    )


def _common(of: Table, a: int, b: int) -> tuple[Floats, Floats]:
    """B − A on the data sets that have both, and how far rounding alone may part them."""
    both = of.values[np.isfinite(of.values[:, [a, b]]).all(axis=1)]
    return subtracted(both[:, b], both[:, a]), rounding(both[:, b], both[:, a])


def _each_pair(words: str, **known: Any) -> Callable[[Judge], Judge]:
    """Put a test on the shelf that judges every pair by itself, on the data sets that both have."""

    def add(judge: Judge) -> Judge:
        def compare(of: Table, pairs: Pairs) -> Compared:
            differences = [_common(of, a, b) for a, b in pairs]
            statistic, p = np.array([judge(d, noise) for d, noise in differences]).T
            return Compared(
                difference=np.array([np.median(d) if len(d) else np.nan for d, _ in differences]),
                gain=-statistic if of.lower_is_better else statistic,
                pvalue=p,
            )

        compare.__name__ = judge.__name__
        pair_test(words, holes=True, **known)(compare)
        return judge

    return add


@_each_pair(
    "Wilcoxon's signed ranks",
    exact="all signs are counted; differences must be symmetric about 0 where the algorithms are alike",
    source="Wilcoxon 1945; Benavoli et al. 2016",
)
def _wilcoxon(d: Floats, tolerance: Floats) -> tuple[float, float]:
    """Signed ranks of the differences that are not 0: their sum, and its two-sided p-value."""
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
    """Law of twice the sum of the ranks with a plus sign, all signs being equally likely; ties may be."""
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
    found = _signs(d)
    return float(found.higher - found.lower), float(found.pvalue)
