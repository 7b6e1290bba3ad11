"""Diebold and Mariano's test of forecasts along a path, as Harvey, Leybourne and Newbold made it."""

from evenfold.core.estimate import Floats, StudentT
from evenfold.core.partition import GROWING, PATH, ROLLING
from evenfold.infer._base import Pivot, method
from evenfold.infer._spread import mean_last
from evenfold.infer._valid import WINDOWS
from evenfold.infer.ordered._long_run import (
    caution_correlated,
    cosine_variance,
    horizon_within,
    long_run_variance,
    of_path,
)


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
    further: one-step forecasts that leave something to learn break that, and the test is then liberal: at
    horizon 1 it errs .25 where neighbours are correlated by .5, .52 at .8. A :class:`HiddenVariance` warning
    says how alike they are, up to which lag, and offers that horizon or :func:`diebold_mariano_fixed_b`.
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
    caution_correlated(d, h)
    # Harvey, Leybourne and Newbold 1997: what makes the variance of a mean of T correlated values unbiased.
    factor = (T + 1 - 2 * h + h * (h - 1) / T) / T
    return Pivot(mean_last(d), long_run_variance(d, h) / T / factor, StudentT(T - 1))


@method(
    valid=WINDOWS,
    depends="near its level where differences are alike over a short part of the path; .09 at .05 where "
    "neighbours of 100 are correlated by .8, .06 of 500",
    source="Coroneo 2020; Lazarus 2018",
    recommended=True,
    no_card="its error depends on the memory of the path: docs, Ordered data, has the table",
)
def diebold_mariano_fixed_b(d: Floats, *, horizon: int = 1) -> Pivot:
    """
    Test the mean difference of two forecasters where differences may be alike beyond the horizon.

    *Formula.* Mean of T; variance Σ_{j≤B} Λ_j² / (B·T) with Λ_j = √(2/T)·Σ_t cos(πj(t − ½)/T)·d_t; reference
    t with B df, B = min(.4·T^⅔, .8·√T) rounded down, 2 at least. No lag is chosen: the B slowest cosines
    carry the long-run variance, and a t with few degrees of freedom says how little is known of it
    (fixed-smoothing or "fixed-b" asymptotics, in the form of equal-weighted cosines).

    *Validity.* About these forecasts along this path. Measured on 10 000 autoregressive paths (± .003): where
    neighbours are correlated by 0, .5, .8, .95 it errs .05, .06, .11, .37 at .05 with T = 50; .05, .06, .09,
    .33 with 100; .05, .05, .07, .24 with 200; .05, .05, .06, .15 with 500, where :func:`diebold_mariano` at
    horizon 1 errs .05, .25, .52, .78 at any T. B is smaller than the .4·T^⅔ of Lazarus and others from T = 64
    on: less power (.80 for .82 at T = 500), fewer errors at .8. The horizon is not used beyond a check that
    the path is longer.

    >>> import numpy as np
    >>> d = np.tile([0.3, -0.1, 0.4, 0.2, 0.1, 0.5, -0.2, 0.3, 0.2, 0.4], 4)
    >>> e = ef.infer.diebold_mariano_fixed_b(d)
    >>> [round(float(x), 4) for x in (e.value, e.df)]
    [0.21, 4.0]
    """
    T = d.shape[-1]
    horizon_within(horizon, T)
    count = max(2, min(int(0.4 * T ** (2 / 3)), int(0.8 * T**0.5)))
    count = min(count, T - 1)
    return Pivot(mean_last(d), cosine_variance(d, count) / T, StudentT(count))
