"""How much of the variance of an answer lies between items, and how much between runs."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from evenfold.core.checks import fraction
from evenfold.infer._arrays import sized


@dataclass(frozen=True, kw_only=True, slots=True)
class IntraclassCorrelation:
    """
    The share of the variance of an answer that lies between items, with its confidence interval.

    Attributes
    ----------
    value, low, high : float
        1 where every run gives an item the same value, about 0 where runs of an item differ as
        much as items do. Estimates below 0 can occur and mean 0.
    level : float
        One minus the confidence of the interval.

    Examples
    --------
    See :func:`intraclass_correlation`.
    """

    value: float
    low: float
    high: float
    level: float


def intraclass_correlation(values: Any, *, level: float = 0.05) -> IntraclassCorrelation | None:
    """
    Estimate the correlation of two runs on one item: ICC(1) of a one-way analysis of variance.

    Parameters
    ----------
    values : array of shape (S, n)
        Values of n ≥ 2 items in S ≥ 2 runs of one and the same model.
    level : float, default 0.05
        One minus the confidence of the interval.

    Returns
    -------
    IntraclassCorrelation or None
        None where all values are equal, so that there is no variance to share.

    Notes
    -----
    *Formula.* (B − W)/(B + (S − 1)W) with the mean squares B between items and W within them; the
    interval is that of the ratio B/W, which has an F distribution.

    *Validity.* Runs must be alike. The interval is exact for Gaussian values; of right and wrong
    answers it is approximate.

    References
    ----------
    Shrout, P. E., Fleiss, J. L. (1979). Intraclass correlations: uses in assessing rater
    reliability. Psychological Bulletin 86.

    Examples
    --------
    >>> import evenfold as ef
    >>> runs = [[9, 6, 8, 7, 10, 6], [2, 1, 4, 1, 5, 2], [5, 3, 6, 2, 6, 4], [8, 2, 8, 6, 9, 7]]
    >>> icc = ef.infer.intraclass_correlation(runs)
    >>> round(icc.value, 2), round(icc.low, 2), round(icc.high, 2)
    (0.17, -0.13, 0.72)
    """
    table = sized("values", values, "(S, n) with at least two runs and two items", axes=2)
    level = fraction("level", level)
    runs, items = table.shape
    unit = float(np.abs(table).max()) or 1.0  # squares of large values would overflow
    means = (table / unit).mean(axis=0)
    between = runs * float(means.var(ddof=1))
    within = float((table / unit).var(axis=0, ddof=1).mean())
    if between == within == 0:
        return None
    df = items - 1, items * (runs - 1)
    upper = special.fdtri(*df, 1 - level / 2)
    lower = special.fdtri(*df[::-1], 1 - level / 2)
    return IntraclassCorrelation(
        value=_share(between, within, runs),
        low=_share(between / upper, within, runs),
        high=_share(between * lower, within, runs),
        level=level,
    )


def _share(between: float, within: float, runs: int) -> float:
    return float((between - within) / (between + (runs - 1) * within))
