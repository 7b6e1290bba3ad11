"""Cochran's Q: whether several classifiers are right equally often on one test set."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from evenfold.core.checks import refuse
from evenfold.core.estimate import Estimate, Floats
from evenfold.infer._inputs import finite
from evenfold.infer._registry import method, methods
from evenfold.infer._result import warn_degenerate


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class OmnibusEstimate(Estimate):
    """
    A test of all algorithms at once: it says whether they differ, not which do.

    Attributes
    ----------
    statistic : array
        The statistic, χ² under the hypothesis that all are equal.
    df : int
        Its degrees of freedom.
    """

    statistic: Floats
    df: int

    @property
    def pvalue(self) -> Floats:
        """The p-value, computed when asked for."""
        return special.chdtrc(self.df, self.statistic)


@method(
    "cochran-q",
    family="omnibus",
    designs=("holdout",),
    inputs=("answers",),
    estimand="whether all error rates are equal",
    training_size="n1",
    leaning="liberal",
    why="right for these models in large samples; other training sets would give other models",
    source="Cochran 1950",
    recommended=False,
)
def cochran_q(answers: Any) -> OmnibusEstimate:
    """
    Test whether k classifiers are right equally often on one test set.

    Parameters
    ----------
    answers : array of shape (..., k, n2)
        1 where a classifier is right, 0 where it is wrong, or the other way round; k ≥ 2.

    Returns
    -------
    OmnibusEstimate
        Q and its p-value, from χ² with k − 1 degrees of freedom. Where all classifiers agree on every
        example Q is 0 and the p-value 1.

    Notes
    -----
    *Validity.* For the k models at hand, once some 24/k or more examples are not unanimous; for two it is
    McNemar's asymptotic test. It needs the k classifiers to be interchangeable under the hypothesis: equal
    error rates with unequal correlations make it wrong. Liberal for the algorithms, like every test on one
    split. It says that some differ, not which: compare pairs for that.

    References
    ----------
    Cochran (1950), Biometrika 37.

    Examples
    --------
    >>> import evenfold as ef
    >>> right = [[1, 1, 1, 0, 1, 1, 0, 1], [1, 0, 1, 0, 0, 1, 0, 0], [1, 1, 1, 0, 1, 0, 0, 1]]
    >>> q = ef.infer.cochran_q(right)
    >>> round(float(q.statistic), 4), q.df, round(float(q.pvalue), 4)
    (3.5, 2, 0.1738)
    """
    x = finite("answers", answers)
    if x.ndim < 2 or x.shape[-2] < 2 or x.shape[-1] < 1:
        refuse("answers", "of shape (..., k, n2) with k ≥ 2", f"shape {x.shape}")
    if not np.isin(x, (0.0, 1.0)).all():
        refuse("answers", "0 or 1", float(x[~np.isin(x, (0.0, 1.0))][0]))
    k = x.shape[-2]
    of_classifier, of_example = x.sum(axis=-1), x.sum(axis=-2)
    spread = k * ((of_classifier - of_classifier.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    below = (of_example * (k - of_example)).sum(axis=-1)
    unanimous = below == 0
    if np.any(unanimous):
        warn_degenerate(unanimous)
    statistic = np.where(unanimous, 0.0, (k - 1) * spread / np.where(unanimous, 1.0, below))[()]
    entry = methods()["cochran-q"]
    return OmnibusEstimate(
        method=entry.key, estimand=entry.about(), card=entry.card, statistic=statistic, df=k - 1
    )
