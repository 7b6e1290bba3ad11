"""Several tests at once: how they share an error level."""

from collections.abc import Sequence

ADJUSTMENTS = ("holm", "bonferroni", "none")


def adjustment(
    pvalues: Sequence[float | None], level: float, adjust: str
) -> tuple[list[float | None], list[float]]:
    """
    Return adjusted p-values, and the level at which each pair's interval agrees with its decision.

    Holm's procedure goes through the p-values from the smallest: the i-th of k is tested at level/(k − i)
    as long as all before it were rejected.

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6.

    Examples
    --------
    >>> adjustment([0.01, 0.04, 0.03], 0.05, "holm")
    ([0.03, 0.06, 0.06], [0.016666666666666666, 0.025, 0.025])
    """
    k = len(pvalues)
    if adjust == "none" or k == 1:
        return list(pvalues), [level] * k
    if adjust == "bonferroni":
        return [None if p is None else min(1.0, k * p) for p in pvalues], [level / k] * k
    adjusted: list[float | None] = [None] * k
    levels = [level] * k
    known = sorted((p, i) for i, p in enumerate(pvalues) if p is not None)
    worst, stopped = 0.0, 0
    for rank, (p, i) in enumerate(known):
        worst = max(worst, min(1.0, (k - rank) * p))
        stopped = stopped or (k - rank if worst > level else 0)
        adjusted[i], levels[i] = worst, level / (stopped or k - rank)
    return adjusted, levels
