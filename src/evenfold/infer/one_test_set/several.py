"""Cochran's Q: whether several classifiers are right equally often on one test set."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from evenfold.core.estimate import Estimand, Estimate, Floats
from evenfold.infer._base import Answer, method
from evenfold.infer._valid import ONE_SPLIT
from evenfold.infer.inputs import Answers


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
    valid=ONE_SPLIT,
    takes=Answers(),
    estimand=Estimand(words="whether all error rates are equal"),
    liberal="right for these models in large samples; other training sets would give other models",
    source="Cochran 1950",
)
def cochran_q(answers: Floats) -> Answer[OmnibusEstimate]:
    """
    Test whether k classifiers are right equally often on one test set.

    *Formula.* Q and its p-value, from χ² with k − 1 degrees of freedom. Where all classifiers agree on every
    example Q is 0 and the p-value 1.

    *Validity.* For the k models at hand, once some 24/k or more examples are not unanimous; for two it is
    McNemar's asymptotic test. It needs the k classifiers to be interchangeable under the hypothesis: equal
    error rates with unequal correlations make it wrong. Liberal for the algorithms, like every test on one
    split. It says that some differ, not which: compare pairs for that.

    >>> right = [[1, 1, 1, 0, 1, 1, 0, 1], [1, 0, 1, 0, 0, 1, 0, 0], [1, 1, 1, 0, 1, 0, 0, 1]]
    >>> q = ef.infer.cochran_q(right)
    >>> round(float(q.statistic), 4), q.df, round(float(q.pvalue), 4)
    (3.5, 2, 0.1738)
    """
    x, k = answers, answers.shape[-2]
    of_classifier, of_example = x.sum(axis=-1), x.sum(axis=-2)
    spread = k * ((of_classifier - of_classifier.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
    below = (of_example * (k - of_example)).sum(axis=-1)
    unanimous = below == 0
    statistic = np.where(unanimous, 0.0, (k - 1) * spread / np.where(unanimous, 1.0, below))[()]
    return Answer(OmnibusEstimate, statistic=statistic, df=k - 1, flat=unanimous)
