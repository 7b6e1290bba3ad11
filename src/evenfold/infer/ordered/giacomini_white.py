"""Giacomini and White's tests of forecasting methods at a fixed window length."""

import warnings

import numpy as np

from evenfold.core.errors import HiddenVariance
from evenfold.core.estimate import Estimand, Floats, Normal
from evenfold.infer._base import Answer, Pivot, method
from evenfold.infer._spread import mean_last
from evenfold.infer._valid import ROLLING_WINDOWS
from evenfold.infer.one_test_set.several import OmnibusEstimate
from evenfold.infer.ordered._long_run import horizon_within, long_run_variance, of_path

_FEW = 30  # values below which a normal reference was measured to err .06 and more at .05
_CONDITIONS = 2  # a constant, and the difference that was seen last


@method(
    valid=ROLLING_WINDOWS,
    liberal="a limit law: it errs above the level on short paths, and where the horizon is long for them",
    source="Giacomini 2006",
    recommended=True,
)
def giacomini_white(d: Floats, *, horizon: int = 1) -> Pivot:
    """
    Test the mean difference of two forecasting methods, each trained on a rolling window of fixed length.

    *Formula.* Mean of T, variance Σ_{|k|<h} γ_k / T, normal reference; Bartlett's weights where the sum is
    not positive.

    *Validity.* About the methods at this window length, their estimation included, on this kind of series;
    not applicable to growing windows, whose models change with time for good. The window length must stay
    fixed while T grows. McCracken (2020) shows that with a window that is fixed *in place* (one model, never
    trained again) the statistic may diverge: windows must roll. Normal, so liberal on short paths: use
    :func:`diebold_mariano` there.

    >>> d = np.tile([0.3, -0.1, 0.4, 0.2, 0.1, 0.5, -0.2, 0.3, 0.2, 0.4], 4)
    >>> e = ef.infer.giacomini_white(d, horizon=2)
    >>> [round(float(x), 4) for x in (e.value, e.statistic)]
    [0.21, 9.7986]
    """
    T, h = of_path(d, horizon)
    if T < _FEW:
        warnings.warn(
            f"a limit law on {T} values errs above its level: 'diebold-mariano' allows for their number",
            HiddenVariance,
            stacklevel=4,
        )
    return Pivot(mean_last(d), long_run_variance(d, h) / T, Normal())


@method(
    valid=ROLLING_WINDOWS,
    estimand=Estimand(words="whether the last known difference tells anything of the next"),
    depends="a limit law in two dimensions: below the level on short paths, above it at long horizons",
    source="Giacomini 2006",
)
def giacomini_white_conditional(d: Floats, *, horizon: int = 1) -> Answer[OmnibusEstimate]:
    """
    Test whether the difference can be foreseen: by a constant, and by what the difference was last.

    A small p-value says that one of the two is better on average, or that one can tell beforehand which will
    be; look at the mean to tell which.

    *Formula.* W = T·Z̄′Ω̂⁻¹Z̄ with Z_t = (1, d_{t−h})′d_t, Ω̂ their second moments with h − 1 lags and
    Bartlett's weights, against χ² with 2 df; no interval.

    *Validity.* As :func:`giacomini_white`. Equal methods almost never have differences that cannot be
    foreseen at all (Zhu and Timmermann 2020): a rejection is no proof that one is better. The formula is that
    of Giacomini's own program, in which Ω̂ is not centred and Bartlett's weights are used beyond one step;
    measured at .05 where nothing can be foreseen: .02 to .05 at horizon 1, up to .08 at horizon 4 and 12.

    >>> d = [0.3, -0.1, 0.4, 0.2, 0.1, 0.5, -0.2, 0.3, 0.2, 0.4]
    >>> q = ef.infer.giacomini_white_conditional(d)
    >>> round(float(q.statistic), 4), q.df, round(float(q.pvalue), 4)
    (4.4872, 2, 0.1061)
    """
    h = horizon_within(horizon, d.shape[-1])
    Z = np.stack([d[..., h:], d[..., :-h] * d[..., h:]], axis=-1)
    T, mean = Z.shape[-2], Z.mean(axis=-2)
    omega = np.einsum("...ti,...tj->...ij", Z, Z) / T
    for k in range(1, min(h, T)):
        lagged = np.einsum("...ti,...tj->...ij", Z[..., k:, :], Z[..., : T - k, :]) / T
        omega += (1 - k / h) * (lagged + np.swapaxes(lagged, -1, -2))
    flat = np.linalg.matrix_rank(omega, hermitian=True) < _CONDITIONS
    safe = np.where(flat[..., None, None], np.eye(_CONDITIONS), omega)
    solved = np.linalg.solve(safe, mean[..., None])[..., 0]
    statistic = np.where(flat, 0.0, T * (mean * solved).sum(axis=-1))[()]
    return Answer(OmnibusEstimate, statistic=statistic, df=_CONDITIONS, flat=flat)
