"""A t-test of your own: K folds with the factor that Nadeau and Bengio give random splits."""

import numpy as np
from numpy.typing import ArrayLike

from evenfold.extend import (
    Alternative,
    Estimand,
    Kind,
    Pivot,
    PivotEstimate,
    StudentT,
    Valid,
    method,
)

FOLDS = Valid(
    kinds=(Kind("kfold", shape="folds"),), shapes=("folds",), estimand=Estimand(size="(K−1)n/K")
)


@method(
    name="the cautious t-test on folds",
    valid=FOLDS,
    depends="Its factor was derived for random splits, not for folds.",
    source="Nadeau and Bengio (2003), eq. 6, with n2/n1 = 1/(K − 1)",
)
def cautious_kfold_t(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean of K folds with the variance of random splits.

    Parameters
    ----------
    d : array of shape (..., K)
        The difference B − A of each fold.
    null : float, default 0
        The difference that is tested.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery.

    Returns
    -------
    PivotEstimate
        The estimate, with its test of ``null``.

    Notes
    -----
    *Formula.* Mean of K, variance S²·(1/K + 1/(K − 1)), reference t with K − 1 df.

    *Validity.* Nobody has proved it for folds.

    Examples
    --------
    >>> float(cautious_kfold_t([0.1, 0.3, 0.2]).value)
    0.2
    """
    values = np.asarray(d, dtype=float)
    K = values.shape[-1]
    variance = values.var(axis=-1, ddof=1) * (1 / K + 1 / (K - 1))
    return Pivot(values.mean(axis=-1), variance, StudentT(K - 1)).test(null, alternative)
