"""A test on random splits that one odd split cannot upset."""

import numpy as np

from evenfold.core.checks import refuse
from evenfold.core.estimate import Alternative, PivotEstimate, StudentT
from evenfold.infer._arrays import ArrayLike, floats
from evenfold.infer._base import Pivot, method
from evenfold.infer._designs import SPLITS


@method(
    name="the trimmed resampled t-test",
    valid=SPLITS,
    liberal="It treats hold-out values as independent although they share examples.",
    source="Wilcox (2022), section 4.3",
)
def trimmed_resampled_t(
    d: ArrayLike, *, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean of J random splits without the smallest and the largest of them.

    Parameters
    ----------
    d : array of shape (..., J)
        Hold-out values of J random splits: differences B − A, or the values of one algorithm.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    PivotEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* Mean of the h = J − 2 values in the middle, variance S²·J/h² with the S² of all
    values after the outer two are replaced by their neighbours, reference t with h − 1 df.

    *Validity.* As liberal as :func:`resampled_t`. For comparison only.

    References
    ----------
    Wilcox, R. R. (2022). Introduction to robust estimation and hypothesis testing, section 4.3.

    Examples
    --------
    >>> import evenfold as ef
    >>> round(float(ef.infer.trimmed_resampled_t([0.1, 0.3, 0.2, 0.4, 9.0]).value), 6)
    0.3
    """
    d = floats(d)
    J = d.shape[-1]
    if J < 5:
        refuse("d", f"d must have at least 5 splits, because two are trimmed, but has {J}.")
    h = J - 2
    middle = np.sort(d, axis=-1)[..., 1:-1]
    replaced = np.concatenate([middle[..., :1], middle, middle[..., -1:]], axis=-1)
    variance = replaced.var(axis=-1, ddof=1) * J / h**2
    return Pivot(middle.mean(axis=-1), variance, StudentT(h - 1)).test(null, alternative)
