"""Several tests at once: how they share an error level."""

from collections.abc import Sequence

from evenfold.infer.many.max_t import MaxT

ADJUSTMENTS = ("holm", "bonferroni", "max-t", "none")


def adjustment(
    pvalues: Sequence[float | None], level: float, adjust: str, *, joint: MaxT | None = None
) -> tuple[list[float | None], list[float]]:
    """
    Return adjusted p-values, and the level at which each pair's interval agrees with its decision.

    Holm's procedure goes through the p-values from the smallest: the i-th of k is tested at level/(k − i)
    as long as all before it were rejected. ``"max-t"`` needs the ``joint`` law of those tests that have a
    p-value; a test without one is counted as Bonferroni does.

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
