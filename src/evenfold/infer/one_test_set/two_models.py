"""The test on the losses of one hold-out set (NB section 4, method 1)."""

from evenfold.core.estimate import Floats, Normal
from evenfold.core.partition import HOLDOUT
from evenfold.infer._base import Pivot, method
from evenfold.infer._spread import mean_and_variance
from evenfold.infer._valid import ONE_SPLIT
from evenfold.infer.theory import ratios


@method(
    valid=ONE_SPLIT,
    liberal="knows the spread of test points but not that of training sets; it is right for this one model",
    source="NB section 4, method 1, eq. 14",
    default_for=(HOLDOUT,),
    joint="normal",
    ratio=lambda n_test, rho0: ratios.exchangeable(n_test, rho0),
)
def holdout_t(losses: Floats) -> Pivot:
    """
    Test the mean of the loss differences on one test set.

    *Formula.* Mean, variance S²/n2, reference N(0, 1).

    *Validity.* Liberal for the algorithms, because another training set would give another model and that
    is not in the variance; the more so the larger the test set. It is right for the two models at hand.
    The normal reference wants n2 above 50 or so. Use it where one split is all there is.

    >>> e = ef.infer.holdout_t([0, 1, 0, -1, 1, 1, 0, 1])
    >>> round(float(e.statistic), 6), round(float(e.pvalue), 6)
    (1.425573, 0.153992)
    """
    mean, s2 = mean_and_variance(losses)
    return Pivot(mean, s2 / losses.shape[-1], Normal())
