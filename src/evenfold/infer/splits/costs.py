"""The test of a ratio of times, or sizes, over the fits of a run (ours)."""

from evenfold.core.estimate import Floats
from evenfold.infer._base import Pivot, mean_t, method
from evenfold.infer._valid import SEVERAL_FITS
from evenfold.infer.inputs import Costs


@method(
    valid=SEVERAL_FITS,
    takes=Costs(),
    depends="right or conservative for further fits on this machine under such a load; liberal for other "
    "data, whose training sets it has not seen",
    source="ours: docs/run/measures",
    default_for=SEVERAL_FITS.kinds,
    joint="t",
    no_card="times are of a machine, not of a population; its page says how it erred on invented ones",
)
def cost_ratio_t(d: Floats) -> Pivot:
    """
    Test the mean logarithm of the ratio of two costs, pair by pair of fits on the same training set.

    The estimate is the logarithm of the geometric mean of the ratios; reports show the ratio.

    *Formula.* Mean of J logarithms of ratios, variance S²/J, reference t with J − 1 df.

    *Validity.* What is random is the next fit on this machine, under such a load, on training sets of this
    size from these data. Fits take turns, A and B on each split, so that a load that drifts slows both.
    Simulated at .05 with 6, 10 and 18 fits, 40 000 each (standard error .001): errors of .049–.051 with
    normal noise and with a load that drifts, .020–.025 where one fit in ten is held up, below .02 where the
    first fit warms up: conservative. Splits share training examples, so that it is liberal where the cost
    depends much on the data, and it says nothing of other machines.

    >>> import numpy as np
    >>> e = ef.infer.cost_ratio_t([1.35, 1.41, 1.30, 1.42, 1.38, 1.36])
    >>> float(np.exp(e.value).round(2)), [float(np.exp(x).round(1)) for x in e.confidence_interval()]
    (3.94, [3.8, 4.1])
    """
    return mean_t(d)
