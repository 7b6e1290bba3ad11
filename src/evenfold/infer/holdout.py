"""The test on the losses of one hold-out set (NB section 4, method 1)."""

from typing import Any

from evenfold.core.estimate import Normal, PivotEstimate
from evenfold.infer._inputs import splits
from evenfold.infer._registry import method
from evenfold.infer._result import pivot
from evenfold.infer._spread import mean_and_variance


@method(
    "holdout-t",
    designs=("holdout",),
    inputs=("losses",),
    training_size="n1",
    leaning="liberal",
    why="knows the spread of test points but not that of training sets; it is right for this one model",
    source="NB section 4, method 1, eq. 14",
    recommended=True,
)
def holdout_t(losses: Any, *, null: float = 0.0, alternative: str = "two-sided") -> PivotEstimate:
    """
    Test the mean of the loss differences on one test set.

    Parameters
    ----------
    losses : array of shape (..., n2)
        Loss of B less loss of A at each test point.
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.

    Returns
    -------
    PivotEstimate
        Mean, variance S²/n2, reference N(0, 1).

    Notes
    -----
    *Validity.* Liberal for the algorithms, because another training set would give another model and that
    is not in the variance; the more so the larger the test set. It is right for the two models at hand.
    The normal reference wants n2 above 50 or so. Use it where one split is all there is.

    References
    ----------
    Nadeau and Bengio (2003), Machine Learning 52, section 4, method 1.

    Examples
    --------
    >>> import evenfold as ef
    >>> e = ef.infer.holdout_t([0, 1, 0, -1, 1, 1, 0, 1])
    >>> round(float(e.statistic), 6), round(float(e.pvalue), 6)
    (1.425573, 0.153992)
    """
    losses = splits("losses", losses)
    mean, s2 = mean_and_variance(losses)
    return pivot("holdout-t", mean, s2 / losses.shape[-1], Normal(), null=null, alternative=alternative)
