"""Several tests at once: how they share an error level."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from evenfold.core.checks import one_of, refuse
from evenfold.core.estimate import Floats
from evenfold.infer._inputs import finite
from evenfold.infer.many.max_t import MaxT

ADJUSTMENTS = ("holm", "bonferroni", "max-t", "none")


def adjustment(pvalues: Any, how: str = "holm") -> Floats:
    """
    Adjust p-values for their number, so that each may be compared with the level of the whole family.

    Parameters
    ----------
    pvalues : array of shape (k,)
        One p-value per test.
    how : {"holm", "bonferroni", "none"}
        Holm's steps are never larger than Bonferroni's factor k. ``"max-t"`` needs the data, not only
        p-values: see :func:`evenfold.infer.jointly`.

    Returns
    -------
    array of shape (k,)

    Notes
    -----
    *Validity.* Whatever the dependence of the tests, the chance of any false rejection is at most the level,
    if each p-value keeps its own.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.infer.adjustment([0.01, 0.04, 0.03], "holm").round(3).tolist()
    [0.03, 0.06, 0.06]
    """
    p = finite("pvalues", pvalues)
    if p.ndim != 1 or not len(p) or p.min() < 0 or p.max() > 1:
        refuse("pvalues", "one or more numbers from 0 to 1", pvalues)
    one_of("how", how, [name for name in ADJUSTMENTS if name != "max-t"])
    return np.array(shared_level(p.tolist(), 0.05, how)[0], dtype=float)


def shared_level(
    pvalues: Sequence[float | None], level: float, adjust: str, *, joint: MaxT | None = None
) -> tuple[list[float | None], list[float]]:
    """
    Return adjusted p-values, and the level at which each pair's interval agrees with its decision.

    Holm's procedure goes through the p-values from the smallest: the i-th of k is tested at level/(k − i)
    as long as all before it were rejected. ``"max-t"`` needs the ``joint`` law of those tests that have a
    p-value; a test without one is counted as Bonferroni does.

    Examples
    --------
    >>> shared_level([0.01, 0.04, 0.03], 0.05, "holm")
    ([0.03, 0.06, 0.06], [0.016666666666666666, 0.025, 0.025])
    """
    k = len(pvalues)
    if adjust == "none" or k == 1:
        return list(pvalues), [level] * k
    if adjust == "bonferroni":
        return [None if p is None else min(1.0, k * p) for p in pvalues], [level / k] * k
    if adjust == "max-t" and joint is not None:
        return _max_t(pvalues, level, joint)
    adjusted: list[float | None] = [None] * k
    levels = [level] * k
    known = sorted((p, i) for i, p in enumerate(pvalues) if p is not None)
    worst, stopped = 0.0, 0
    for rank, (p, i) in enumerate(known):
        worst = max(worst, min(1.0, (k - rank) * p))
        stopped = stopped or (k - rank if worst > level else 0)
        adjusted[i], levels[i] = worst, level / (stopped or k - rank)
    return adjusted, levels


def _max_t(
    pvalues: Sequence[float | None], level: float, joint: MaxT
) -> tuple[list[float | None], list[float]]:
    known = [i for i, p in enumerate(pvalues) if p is not None]
    share = level * len(known) / len(pvalues)
    adjusted: list[float | None] = [None] * len(pvalues)
    for i, p in zip(known, joint.adjusted([pvalues[i] for i in known]), strict=True):
        adjusted[i] = min(1.0, p * len(pvalues) / len(known))
    return adjusted, [joint.per_test(share)] * len(pvalues)
