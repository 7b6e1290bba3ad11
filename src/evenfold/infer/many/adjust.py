"""Several tests at once: how they share an error level."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evenfold.core.checks import one_of, refuse
from evenfold.core.estimate import Floats
from evenfold.infer._inputs import finite
from evenfold.infer.many import logical, steps  # both fill the shelf
from evenfold.infer.many._adjustments import ADJUSTMENTS
from evenfold.infer.many.max_t import MaxT

__all__ = ["ADJUSTMENTS", "adjustment", "logical", "shared_level"]

# where the joint law cannot be had, Holm's steps are used
ADJUSTMENTS.add("max-t", replace(steps.HOLM, key="max-t", words="max-t", joint=True))


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
    if len(pvalues) == 1:
        return list(pvalues), [level]
    if joint is not None:
        return _max_t(pvalues, level, joint)
    entry = ADJUSTMENTS[adjust]
    p = np.array([1.0 if one is None else one for one in pvalues])
    adjusted = zip(pvalues, entry.rule(p).tolist(), strict=True)
    return [None if raw is None else q for raw, q in adjusted], entry.levels(p, level).tolist()


def _max_t(
    pvalues: Sequence[float | None], level: float, joint: MaxT
) -> tuple[list[float | None], list[float]]:
    known = [i for i, p in enumerate(pvalues) if p is not None]
    share = level * len(known) / len(pvalues)
    adjusted: list[float | None] = [None] * len(pvalues)
    for i, p in zip(known, joint.adjusted([pvalues[i] for i in known]), strict=True):
        adjusted[i] = min(1.0, p * len(pvalues) / len(known))
    return adjusted, [joint.per_test(share)] * len(pvalues)
