"""A test on random splits that one odd split cannot upset."""

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.estimate import Floats, StudentT
from evenfold.infer._base import Pivot, method
from evenfold.infer._registry import SPLITS


@method(
    valid=SPLITS,
    liberal="treats hold-out values that share training and test examples as independent",
    source="Wilcox (2022), section 4.3",
)
def trimmed_resampled_t(d: Floats) -> Pivot:
    """
    Test the mean of J random splits without the smallest and the largest of them.

    *Formula.* Mean of the h = J − 2 values in the middle, variance S²·J/h² with the S² of all
    values after the outer two are replaced by their neighbours, reference t with h − 1 df.

    *Validity.* As liberal as :func:`resampled_t`. For comparison only.

    >>> round(float(ef.infer.trimmed_resampled_t([0.1, 0.3, 0.2, 0.4, 9.0]).value), 6)
    0.3
    """
    J = d.shape[-1]
    if J < 5:
        refuse("number of splits", "at least 5 where two are trimmed", J)
    h = J - 2
    middle = np.sort(d, axis=-1)[..., 1:-1]
    replaced = np.concatenate([middle[..., :1], middle, middle[..., -1:]], axis=-1)
    variance = replaced.var(axis=-1, ddof=1) * J / h**2
    return Pivot(middle.mean(axis=-1), variance, StudentT(h - 1))
