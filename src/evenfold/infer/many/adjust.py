"""Several tests at once: how they share an error level."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from evenfold.core.checks import one_of, refuse
from evenfold.core.estimate import Floats
from evenfold.infer._inputs import finite
from evenfold.infer.many import logical, steps  # both fill the shelf
from evenfold.infer.many._adjustments import ADJUSTMENTS, Adjustment
from evenfold.infer.many.max_t import MaxT

__all__ = ["ADJUSTMENTS", "BEST", "Adjustment", "Family", "adjustment", "logical", "shared_level"]

# where the joint law cannot be had, Holm's steps are used
ADJUSTMENTS.add("max-t", replace(steps.HOLM, key="max-t", words="max-t", joint=True))

BEST = Adjustment(
    key="best",
    words="the tests against each algorithm share the level",
    why="the best is left out with chance at most the level, whatever the dependence of the tests: only the "
    "one-sided tests against the best itself can leave it out",
    # K − 1 one-sided tests against each of K algorithms; the p-value is that of both sides
    rule=lambda p: np.minimum(p * (logical.algorithms_of(p.shape[-1]) - 1) / 2, 1.0),
    share_of=lambda k, level: 2 * level / (logical.algorithms_of(k) - 1),
    all_pairs=True,
)
"""How the pairs share the level where only the best is asked for; no rule for p-values in general."""


def adjustment(pvalues: Any, how: str = "holm") -> Floats:
    """
    Adjust p-values for their number, so that each may be compared with the level of the whole family.

    Parameters
    ----------
    pvalues : array of shape (..., k)
        One p-value per test. For ``"shaffer"`` and ``"bergmann-hommel"`` those of all pairs of algorithms, in
        the order (1, 2), (1, 3), …, (2, 3), ….
    how : {"holm", "bonferroni", "hochberg", "hommel", "finner", "shaffer", "bergmann-hommel", "none"}
        Holm's steps are never larger than Bonferroni's factor k, Hochberg's never larger than Holm's,
        Hommel's never larger than Hochberg's. Shaffer's are never larger than Holm's, and Bergmann and
        Hommel's never larger than Shaffer's; the last is for nine algorithms at most. ``"max-t"`` needs the
        data, not only p-values: see :func:`evenfold.infer.jointly`.

    Returns
    -------
    array of shape (..., k)

    Notes
    -----
    *Validity.* The chance of any false rejection is at most the level, if each p-value keeps its own: for
    Bonferroni, Holm, Shaffer and Bergmann–Hommel whatever the dependence of the tests, for Hochberg, Hommel
    (Simes' test, closed) and Finner if they are independent or positively dependent (else liberal, if by
    little).

    References
    ----------
    Holm (1979), Scandinavian Journal of Statistics 6; Hochberg (1988), Biometrika 75; Hommel (1988),
    Biometrika 75; Wright (1992), Biometrics 48; Finner (1993), JASA 88; Shaffer (1986), JASA 81; Bergmann and
    Hommel (1988), Multiple Hypotheses Testing; García and Herrera (2008), JMLR 9.

    Examples
    --------
    >>> import evenfold as ef
    >>> ef.infer.adjustment([0.01, 0.04, 0.03], "holm").round(3).tolist()
    [0.03, 0.06, 0.06]
    >>> ef.infer.adjustment([0.01, 0.04, 0.03], "shaffer").round(3).tolist()
    [0.03, 0.04, 0.03]
    """
    p = finite("pvalues", pvalues)
    if p.ndim < 1 or not p.size or p.min() < 0 or p.max() > 1:
        refuse("pvalues", "one or more numbers from 0 to 1", pvalues)
    known = [key for key, one in ADJUSTMENTS.items() if not one.joint]
    return ADJUSTMENTS[one_of("how", how, known)].rule(p)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Family:
    """
    What several tests decide together.

    Attributes
    ----------
    adjusted : list of float or None
        The adjusted p-value of each test that has a p-value.
    share : float
        The level at which intervals of all of them hold together.
    levels : list of float
        The level at which each test by itself decides as the family does: the share, or more where steps gave
        more to a test that rejects.
    """

    adjusted: list[float | None]
    share: float
    levels: list[float]


def shared_level(
    pvalues: Sequence[float | None], level: float, adjust: Adjustment, *, joint: MaxT | None = None
) -> Family:
    """
    Let several tests share a level: adjusted p-values, and the level of simultaneous intervals.

    Steps give more than the equal share to a test where others have rejected, but only to its decision: there
    are no intervals that hold together, decide as Holm's steps do, and say more than the sign (Strassburger
    and Bretz 2008; Guilbaud 2008). So the intervals have the equal share. A test without a p-value is counted
    as one that does not reject; ``"max-t"`` needs the ``joint`` law of the tests that have one.

    Examples
    --------
    >>> family = shared_level([0.01, 0.04, 0.02], 0.05, ADJUSTMENTS["holm"])
    >>> family.adjusted, round(family.share, 4), [round(level, 4) for level in family.levels]
    ([0.03, 0.04, 0.04], 0.0167, [0.0167, 0.05, 0.025])
    """
    if len(pvalues) == 1:
        return Family(adjusted=list(pvalues), share=level, levels=[level])
    adjusted, share = _together(pvalues, level, adjust, joint)
    both = zip(pvalues, adjusted, strict=True)
    levels = [share if p is None else _own_level(p, q, level, share) for p, q in both]
    return Family(adjusted=adjusted, share=share, levels=levels)


def _together(
    pvalues: Sequence[float | None], level: float, adjust: Adjustment, joint: MaxT | None
) -> tuple[list[float | None], float]:
    """Return the adjusted p-values, and the share of each interval."""
    count = len(pvalues)
    if joint is None:
        p = np.array([1.0 if one is None else one for one in pvalues])
        stepped = zip(pvalues, adjust.rule(p).tolist(), strict=True)
        return [None if raw is None else q for raw, q in stepped], adjust.share_of(count, level)
    known = [i for i, p in enumerate(pvalues) if p is not None]
    adjusted: list[float | None] = [None] * count
    if known:
        for i, q in zip(known, joint.stepwise([pvalues[i] for i in known]), strict=True):
            adjusted[i] = min(1.0, q * count / len(known))
    return adjusted, joint.per_test(level * joint.k / count)


def _own_level(p: float, adjusted: float | None, level: float, share: float) -> float:
    """Return the level at which a test that only the steps reject does so by itself; else the share."""
    if p <= share or not adjusted or adjusted > level:
        return share
    return max(share, level * p / adjusted)
