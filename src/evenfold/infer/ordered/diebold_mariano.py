"""Diebold and Mariano's test of forecasts along a path, as Harvey, Leybourne and Newbold made it."""

from evenfold.core.estimate import Floats, StudentT
from evenfold.core.kind import GROWING, PATH, ROLLING
from evenfold.infer._base import Pivot, method
from evenfold.infer._spread import mean_last
from evenfold.infer._valid import WINDOWS
from evenfold.infer.ordered._long_run import long_run_variance, of_path


@method(
    valid=WINDOWS,
    liberal="its variance rests on few autocovariances, so that it errs above the level where the path is "
    "short for the horizon, or differences are correlated beyond it",
    source="Diebold 1995; Harvey 1997",
    default_for=(GROWING, ROLLING, PATH),
)
def diebold_mariano(d: Floats, *, horizon: int = 1) -> Pivot:
    """
    Test the mean difference of two forecasters along a path of T times.

    *Formula.* Mean of T, variance Σ_{|k|<h} γ_k / T over Harvey, Leybourne and Newbold's factor, reference t
    with T − 1 df; Bartlett's weights where the sum is not positive.

    *Validity.* About these forecasts along this path. Differences may be correlated up to the horizon and no
    further: one-step forecasts that leave something to learn break that, and the test is then liberal.
    Measured on 10 000 series (docs, "Ordered data"): at horizon 1 as right as a paired t, which it is; at
    longer horizons somewhat liberal until T is some twenty times the horizon. On the windows of a run each
    window is one of the T, and the horizon counts in windows. It is a test of forecasts, not
    of models: two nested models of which the smaller is true give forecasts that become equal, and no test of
    their difference has the usual reference then.

    >>> import numpy as np
    >>> d = np.tile([0.3, -0.1, 0.4, 0.2, 0.1, 0.5, -0.2, 0.3, 0.2, 0.4], 4)
    >>> e = ef.infer.diebold_mariano(d, horizon=2)
    >>> [round(float(x), 4) for x in (e.value, e.statistic)]
    [0.21, 9.4304]
    """
    T, h = of_path(d, horizon)
    # Harvey, Leybourne and Newbold 1997: what makes the variance of a mean of T correlated values unbiased.
    factor = (T + 1 - 2 * h + h * (h - 1) / T) / T
    return Pivot(mean_last(d), long_run_variance(d, h) / T / factor, StudentT(T - 1))
