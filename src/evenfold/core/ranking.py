"""The area under the ROC curve, taken apart: what every example contributes to it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def placements(scores: Any, positive: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """
    Return the placement values of the positive and of the negative examples.

    That of a positive example is the share of negative ones that score below it, ties counted half; that of
    a negative one the share of positive ones above it. Both have the area under the curve as their mean.

    Parameters
    ----------
    scores : array (..., n)
        Larger for examples that are more likely positive.
    positive : bool array (n,)
        Which examples are positive; at least one is, and at least one is not.

    Examples
    --------
    >>> of_positive, of_negative = placements([0.1, 0.4, 0.35, 0.8], np.array([False, False, True, True]))
    >>> of_positive, of_negative
    (array([0.5, 1. ]), array([1. , 0.5]))
    """
    from scipy.stats import rankdata

    scores = np.asarray(scores, dtype=float)
    m, k = int(positive.sum()), int((~positive).sum())
    ranks = rankdata(scores, axis=-1)
    # Sun and Xu 2014: the rank among all less the rank among one's own counts the others below.
    of_positive = (ranks[..., positive] - rankdata(scores[..., positive], axis=-1)) / k
    of_negative = 1 - (ranks[..., ~positive] - rankdata(scores[..., ~positive], axis=-1)) / m
    return of_positive, of_negative
