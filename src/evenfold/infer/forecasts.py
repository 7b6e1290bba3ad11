"""Forecasts on a path: Diebold and Mariano's test, and the set of those that may be the best."""

import warnings
from dataclasses import dataclass
from typing import cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.checks import fraction, integer, one_of
from evenfold.core.errors import HiddenVariance
from evenfold.core.estimate import (
    Alternative,
    Estimand,
    Estimate,
    Floats,
    Normal,
    PivotEstimate,
    StudentT,
)
from evenfold.core.losses import safe_ratio
from evenfold.core.partition import GROWING, PATH, ROLLING
from evenfold.core.rng import stream
from evenfold.infer._arrays import ArrayLike, floats, mean_last, warn_degenerate
from evenfold.infer._base import Pivot, method
from evenfold.infer._designs import ROLLING_WINDOWS, WINDOWS
from evenfold.infer.inputs import AllAlongPath
from evenfold.infer.one_test_set.flips import OmnibusEstimate

# The variance of a mean whose terms are correlated up to a horizon.


_MANY = 20  # times the horizon from which errors were measured to be near the level
_LEAST = 1e-12  # of γ0: a sum that rounding may have made
_FARTHEST = 60  # lags that are looked at
_STANDARD_ERRORS = 2.0  # 1/√T each, that a correlation must reach to be said
_Z = 1.959964  # of a two-sided test at .05


def path_length_and_horizon(d: Floats, horizon: object) -> tuple[int, int]:
    """Return the length of a path and its horizon; warn where the path is short for it."""
    T = d.shape[-1]
    h = horizon_within(horizon, T)
    if h > 1 and _MANY * h > T:
        warnings.warn(
            f"The path is short for its horizon ({T} times, horizon {h}), so intervals are too "
            "short: at a level of .05 the test erred .08 to .10 on paths 8 times as long as the "
            "horizon, and .15 on paths 3 times as long.",
            HiddenVariance,
            stacklevel=5,
        )
    return T, h


def horizon_within(horizon: object, T: int) -> int:
    """Return a horizon that is shorter than the path, or refuse it."""
    return integer("horizon", horizon, low=1, high=T - 1, remedy=f"The path has {T:,} times.")


def warn_correlated(d: Floats, horizon: int) -> None:
    """
    Warn of differences that are alike beyond the horizon.

    The warning says by how much, up to which lag, and what it costs.

    The error that is named is that of a mean of first-order autoregressive differences (Φ of
    z·√((1−r)/(1+r))), which was measured to be near the truth at horizon 1: .26 for .25 at a
    correlation of .5, .51 for .52 at .8.
    """
    alike = alike_beyond(d, horizon)
    if alike is None:
        return
    r, lag = alike
    cost = "The test is liberal."
    if horizon == 1:
        error = 2 * special.ndtr(-_Z * np.sqrt((1 - r) / (1 + r)))
        cost = f"At a level of .05 the test errs about {error:.2f}."
    warnings.warn(
        f"Differences are correlated beyond the horizon: by {r:.2f} at lag {horizon}, and above "
        f"chance up to lag {lag}. {cost} Pass horizon={lag + 1}, or "
        "method='diebold-mariano-fixed-b'.",
        HiddenVariance,
        stacklevel=5,
    )


def alike_beyond(d: Floats, horizon: int) -> tuple[float, int] | None:
    """
    Return the correlation at the horizon, and the last lag above chance.

    The result is None if the correlation is within chance.
    """
    T = d.shape[-1]
    most = min(T // 3, _FARTHEST)
    if most <= horizon:
        return None
    near = _correlations(d, horizon + 1)
    beyond = near[horizon:]
    # Bartlett 1946: the standard error of a correlation beyond those that are there by design
    limit = _STANDARD_ERRORS * np.sqrt((1 + 2 * np.square(near[1:horizon]).sum()) / T)
    if min(beyond[0], beyond.sum()) < limit:  # what goes up and down by turns makes a mean steadier
        return None
    low = np.flatnonzero(_correlations(d, most)[horizon:] < limit)
    if len(low):
        lag = horizon + int(low[0]) - 1
    else:
        lag = most
    return float(beyond[0]), lag


def _correlations(d: Floats, lags: int) -> Floats:
    """
    Return the autocorrelations at lags 0, …, lags.

    For several paths it is their mean, and 0 for a path without spread.
    """
    gamma = autocovariances(d, lags).reshape(-1, lags + 1)
    return np.asarray(safe_ratio(gamma, gamma[:, :1]).mean(axis=0))


def autocovariances(d: Floats, lags: int) -> Floats:
    """Return γ_0, …, γ_lags of ``d`` (..., T) as sums over T (Diebold and Mariano 1995)."""
    T = d.shape[-1]
    centred = d - d.mean(axis=-1, keepdims=True)
    return np.stack(
        [
            np.einsum("...t,...t->...", centred[..., k:], centred[..., : T - k]) / T
            for k in range(lags + 1)
        ],
        axis=-1,
    )


def long_run_variance(d: Floats, horizon: int) -> Floats:
    """
    Return γ_0 + 2Σ γ_k over k < ``horizon``, with Bartlett's weights where that is not positive.

    Examples
    --------
    >>> float(long_run_variance(np.array([1.0, 3.0, 1.0, 3.0]), 2).round(3))  # 1 − 2·¾ is negative
    0.25
    """
    gamma = autocovariances(d, horizon - 1)
    k = np.arange(1, horizon)
    plain = gamma[..., 0] + 2 * gamma[..., 1:].sum(axis=-1)
    weighted = gamma[..., 0] + 2 * (gamma[..., 1:] * (1 - k / horizon)).sum(axis=-1)
    positive = plain > _LEAST * gamma[..., 0]
    variance: Floats = np.where(positive, plain, np.maximum(weighted, 0.0))[()]
    return variance


def cosine_variance(d: Floats, count: int) -> Floats:
    """
    Return the long-run variance of ``d`` (..., T) from its ``count`` slowest cosines.

    Λ_j = √(2/T)·Σ cos(πj(t − ½)/T)·d_t are nearly independent, each with the long-run variance,
    whatever the correlation, as long as that is flat over the slowest frequencies.

    Examples
    --------
    >>> float(cosine_variance(np.array([1.0, 3.0, 1.0, 3.0]), 1).round(3))
    0.586
    """
    T = d.shape[-1]
    j = np.arange(1, count + 1)
    waves = np.sqrt(2 / T) * np.cos(np.pi * j[:, None] * (np.arange(T) + 0.5) / T)
    parts = d @ waves.T
    return cast("Floats", np.einsum("...j,...j->...", parts, parts) / count)


@method(
    name="the test of Diebold and Mariano",
    check=horizon_within,
    valid=WINDOWS,
    liberal="Its variance rests on few autocovariances, so it errs above its level where the path "
    "is short for the horizon, or where differences are correlated beyond the horizon.",
    source="Diebold 1995; Harvey 1997",
    default_for=(GROWING, ROLLING, PATH),
)
def diebold_mariano(
    d: ArrayLike, *, horizon: int = 1, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean difference of two forecasters along a path of T times.

    Parameters
    ----------
    d : array of shape (..., T)
        Loss of B less loss of A at each time, in order.
    horizon : int, default 1
        How many times ahead of what was known the farthest forecast is, the gap included:
        differences may be correlated below that many times.
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
    *Formula.* Mean of T, variance Σ_{|k|<h} γ_k / T over Harvey, Leybourne and Newbold's factor,
    reference t with T − 1 df; Bartlett's weights where the sum is not positive.

    *Validity.* The answer is about these forecasts along this path. Differences may be correlated
    up to the horizon and no further: one-step forecasts that leave something to learn break that,
    and the test is then liberal: at horizon 1 it errs .25 where neighbours are correlated by .5,
    .52 at .8. A :class:`HiddenVariance` warning says how alike they are, up to which lag, and
    offers that horizon or :func:`diebold_mariano_fixed_b`. It was measured on 10 000 series (docs,
    "Ordered data"): at horizon 1 it is the paired t-test, and as right; at longer horizons it is
    somewhat liberal until T is some twenty times the horizon. On the windows of a run each window
    is one of the T, and the horizon counts in windows. It is a test of forecasts, not of models:
    two nested models of which the smaller is true give forecasts that become equal, and no test of
    their difference has the usual reference then.

    *How it errs.* It is liberal. Its variance rests on few autocovariances, so it errs above its
    level where the path is short for the horizon, or where differences are correlated beyond the
    horizon. It estimates the expected difference B − A of these forecasts along this path.

    References
    ----------
    Diebold 1995; Harvey 1997. Diebold, F. X., Mariano, R. S. (1995). Comparing predictive accuracy.
    Journal of Business and Economic Statistics 13. Harvey, D., Leybourne, S., Newbold, P. (1997).
    Testing the equality of prediction mean squared errors. International Journal of Forecasting 13.

    Examples
    --------
    >>> import evenfold as ef
    >>> import numpy as np
    >>> d = np.tile([0.3, -0.1, 0.4, 0.2, 0.1, 0.5, -0.2, 0.3, 0.2, 0.4], 4)
    >>> e = ef.infer.diebold_mariano(d, horizon=2)
    >>> [round(float(x), 4) for x in (e.value, e.statistic)]
    [0.21, 9.4304]
    """
    d = floats(d)
    T, h = path_length_and_horizon(d, horizon)
    warn_correlated(d, h)
    # Harvey, Leybourne and Newbold 1997: what makes the variance of a mean of T correlated values
    # unbiased.
    factor = (T + 1 - 2 * h + h * (h - 1) / T) / T
    variance = long_run_variance(d, h) / T / factor
    return Pivot(mean_last(d), variance, StudentT(T - 1)).test(null, alternative)


@method(
    name="the test of Diebold and Mariano with fixed-b asymptotics",
    check=horizon_within,
    valid=WINDOWS,
    depends="It is near its level where differences are alike over a short part of the path. At "
    ".05 it errs .09 where neighbours are correlated by .8 on a path of 100, and .06 on one of "
    "500.",
    source="Coroneo 2020; Lazarus 2018",
    recommended=True,
    no_card="its error depends on the memory of the path: docs, Ordered data, has the table",
)
def diebold_mariano_fixed_b(
    d: ArrayLike, *, horizon: int = 1, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean difference of two forecasters where differences may be alike beyond the horizon.

    Parameters
    ----------
    d : array of shape (..., T)
        Loss of B less loss of A at each time, in order.
    horizon : int, default 1
        How many times ahead of what was known the farthest forecast is, the gap included:
        differences may be correlated below that many times.
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
    *Formula.* Mean of T; variance Σ_{j≤B} Λ_j² / (B·T) with Λ_j = √(2/T)·Σ_t cos(πj(t − ½)/T)·d_t;
    reference t with B df, B = min(.4·T^⅔, .8·√T) rounded down, 2 at least. No lag is chosen: the B
    slowest cosines carry the long-run variance, and a t with few degrees of freedom says how little
    is known of it (fixed-smoothing or "fixed-b" asymptotics, in the form of equal-weighted
    cosines).

    *Validity.* The answer is about these forecasts along this path. It was measured on 10 000
    autoregressive paths (± .003): where neighbours are correlated by 0, .5, .8, .95 it errs .05,
    .06, .11, .37 at .05 with T = 50; .05, .06, .09, .33 with 100; .05, .05, .07, .24 with 200; .05,
    .05, .06, .15 with 500, where :func:`diebold_mariano` at horizon 1 errs .05, .25, .52, .78 at
    any T. B is smaller than the .4·T^⅔ of Lazarus and others from T = 64 on: less power (.80 for
    .82 at T = 500), fewer errors at .8. The horizon is not used beyond a check that the path is
    longer.

    *How it errs.* It is near its level where differences are alike over a short part of the path.
    At .05 it errs .09 where neighbours are correlated by .8 on a path of 100, and .06 on one of
    500. It estimates the expected difference B − A of these forecasts along this path.

    References
    ----------
    Coroneo 2020; Lazarus 2018. Coroneo, L., Iacone, F. (2020). Comparing predictive accuracy in
    small samples using fixed-smoothing asymptotics. Journal of Applied Econometrics 35. Lazarus,
    E., Lewis, D. J., Stock, J. H., Watson, M. W. (2018). HAR inference: recommendations for
    practice. Journal of Business and Economic Statistics 36.

    Examples
    --------
    >>> import evenfold as ef
    >>> import numpy as np
    >>> d = np.tile([0.3, -0.1, 0.4, 0.2, 0.1, 0.5, -0.2, 0.3, 0.2, 0.4], 4)
    >>> e = ef.infer.diebold_mariano_fixed_b(d)
    >>> [round(float(x), 4) for x in (e.value, e.df)]
    [0.21, 4.0]
    """
    d = floats(d)
    T = d.shape[-1]
    horizon_within(horizon, T)
    count = max(2, min(int(0.4 * T ** (2 / 3)), int(0.8 * T**0.5)))
    count = min(count, T - 1)
    variance = cosine_variance(d, count) / T
    return Pivot(mean_last(d), variance, StudentT(count)).test(null, alternative)


# Giacomini and White's tests of forecasting methods at a fixed window length.


_FEW = 30  # values below which a normal reference was measured to err .06 and more at .05
_CONDITIONS = 2  # a constant, and the difference that was seen last


@method(
    name="the test of Giacomini and White",
    check=horizon_within,
    valid=ROLLING_WINDOWS,
    liberal="It rests on a limit law, so it errs above its level on short paths and where the "
    "horizon is long for them.",
    source="Giacomini 2006",
    recommended=True,
)
def giacomini_white(
    d: ArrayLike, *, horizon: int = 1, null: float = 0.0, alternative: Alternative = "two-sided"
) -> PivotEstimate:
    """
    Test the mean difference of two forecasting methods, trained on rolling windows of fixed length.

    Parameters
    ----------
    d : array of shape (..., T)
        Loss of B less loss of A at each time, in order.
    horizon : int, default 1
        How many times ahead of what was known the farthest forecast is, the gap included:
        differences may be correlated below that many times.
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
    *Formula.* Mean of T, variance Σ_{|k|<h} γ_k / T, normal reference; Bartlett's weights where the
    sum is not positive.

    *Validity.* The answer is about the methods at this window length, their estimation included, on
    this kind of series; not applicable to growing windows, whose models change with time for good.
    The window length must stay fixed while T grows. McCracken (2020) shows that with a window that
    is fixed *in place* (one model, never trained again) the statistic may diverge: windows must
    roll. The reference is normal, so the test is liberal on short paths: use
    :func:`diebold_mariano` there.

    *How it errs.* It is liberal. It rests on a limit law, so it errs above its level on short paths
    and where the horizon is long for them. It estimates the expected difference B − A at training
    size w.

    References
    ----------
    Giacomini 2006. Giacomini, R., White, H. (2006). Tests of conditional predictive ability.
    Econometrica 74.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = np.tile([0.3, -0.1, 0.4, 0.2, 0.1, 0.5, -0.2, 0.3, 0.2, 0.4], 4)
    >>> e = ef.infer.giacomini_white(d, horizon=2)
    >>> [round(float(x), 4) for x in (e.value, e.statistic)]
    [0.21, 9.7986]
    """
    d = floats(d)
    T, h = path_length_and_horizon(d, horizon)
    if T < _FEW:
        warnings.warn(
            f"The normal reference errs above its level on a path of {T} times. Use "
            "'diebold-mariano', which allows for their number.",
            HiddenVariance,
            stacklevel=4,
        )
    return Pivot(mean_last(d), long_run_variance(d, h) / T, Normal()).test(null, alternative)


@method(
    name="the conditional test of Giacomini and White",
    check=horizon_within,
    valid=ROLLING_WINDOWS,
    estimand=Estimand(words="whether the last known difference tells anything of the next"),
    depends="It rests on a limit law in two dimensions, so it stays below its level on short "
    "paths and exceeds it at long horizons.",
    source="Giacomini 2006",
)
def giacomini_white_conditional(d: ArrayLike, *, horizon: int = 1) -> OmnibusEstimate:
    """
    Test whether the difference can be foreseen: by a constant, and by what the difference was last.

    Parameters
    ----------
    d : array of shape (..., T)
        Loss of B less loss of A at each time, in order.
    horizon : int, default 1
        How many times ahead of what was known the farthest forecast is, the gap included:
        differences may be correlated below that many times.

    Returns
    -------
    OmnibusEstimate
        The statistic and its p-value.

    Notes
    -----
    A small p-value says that one of the two is better on average, or that one can tell beforehand
    which will be; look at the mean to tell which.

    *Formula.* W = T·Z̄′Ω̂⁻¹Z̄ with Z_t = (1, d_{t−h})′d_t, Ω̂ their second moments with h − 1 lags
    and Bartlett's weights, against χ² with 2 df; no interval.

    *Validity.* It is as valid as :func:`giacomini_white`. Equal methods almost never have
    differences that cannot be foreseen at all (Zhu and Timmermann 2020): a rejection is no proof
    that one is better. The formula is that of Giacomini's own program, in which Ω̂ is not centred
    and Bartlett's weights are used beyond one step; measured at .05 where nothing can be foreseen:
    .02 to .05 at horizon 1, up to .08 at horizon 4 and 12.

    *How it errs.* It rests on a limit law in two dimensions, so it stays below its level on short
    paths and exceeds it at long horizons. It tells whether the last known difference tells anything
    of the next at training size w.

    References
    ----------
    Giacomini 2006. Giacomini, R., White, H. (2006). Tests of conditional predictive ability.
    Econometrica 74.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = [0.3, -0.1, 0.4, 0.2, 0.1, 0.5, -0.2, 0.3, 0.2, 0.4]
    >>> q = ef.infer.giacomini_white_conditional(d)
    >>> round(float(q.statistic), 4), q.df, round(float(q.pvalue), 4)
    (4.4872, 2, 0.1061)
    """
    d = floats(d)
    h = horizon_within(horizon, d.shape[-1])
    Z = np.stack([d[..., h:], d[..., :-h] * d[..., h:]], axis=-1)
    T = Z.shape[-2]
    mean = Z.mean(axis=-2)
    omega = np.einsum("...ti,...tj->...ij", Z, Z) / T
    for k in range(1, min(h, T)):
        lagged = np.einsum("...ti,...tj->...ij", Z[..., k:, :], Z[..., : T - k, :]) / T
        omega += (1 - k / h) * (lagged + np.swapaxes(lagged, -1, -2))
    flat = np.linalg.matrix_rank(omega, hermitian=True) < _CONDITIONS
    safe = np.where(flat[..., None, None], np.eye(_CONDITIONS), omega)
    solved = np.linalg.solve(safe, mean[..., None])[..., 0]
    statistic = np.where(flat, 0.0, T * (mean * solved).sum(axis=-1))[()]
    warn_degenerate(flat)
    return OmnibusEstimate(statistic=statistic, df=_CONDITIONS)


# The model confidence set: the forecasters that may be the best, by a block bootstrap.


STATISTICS = ("max", "range")
_BLOCKS = 3  # times the lags of the correlation: shorter blocks cut off more of it
_MOST_DRAWS = 100_000
_AT_ONCE = 2_000_000  # numbers of a table of who was drawn: 32 megabytes


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ModelConfidenceSet(Estimate):
    """
    Which of k forecasters may be the best.

    Attributes
    ----------
    pvalues : array (..., k)
        The MCS p-value of each: it is in the set at every level up to that. That of the last is 1.
    order : array (..., k)
        The forecasters in the order in which they were eliminated, the last first to stay.
    """

    pvalues: Floats
    order: NDArray[np.intp]

    def inside(self, level: float = 0.05) -> NDArray[np.bool_]:
        """Return who is in the set that holds the best with probability 1 − ``level`` or more."""
        return self.pvalues >= fraction("level", level)


def _block_and_draws(
    T: int,
    horizon: object = 1,
    statistic: object = "max",
    block: object = None,
    draws: object = 999,
    random_state: object = 0,
) -> tuple[int, int]:
    """Return the length of blocks and the number of draws, or refuse the options."""
    one_of("statistic", statistic, STATISTICS)
    default = min(max(_BLOCKS * (horizon_within(horizon, T) - 1), round(T ** (1 / 3))), T)
    length = integer("block", default if block is None else block, low=1, high=T)
    integer("random_state", random_state, low=0)
    return length, integer("draws", draws, low=99, high=_MOST_DRAWS)


@method(
    name="the model confidence set",
    valid=WINDOWS,
    check=_block_and_draws,
    takes=AllAlongPath(),
    estimand=Estimand(words="which forecasters may be the best along this path"),
    depends="It bootstraps blocks, so it errs above its level where blocks are short for the "
    "correlation, and below it where many forecasters are clearly worse.",
    source="Hansen 2011",
    recommended=True,
)
def model_confidence_set(
    losses: ArrayLike,
    *,
    horizon: int = 1,
    statistic: str = "max",
    block: int | None = None,
    draws: int = 1999,
    random_state: int = 0,
) -> ModelConfidenceSet:
    """
    Find the set of forecasters that holds the best one, as an interval holds a number.

    Parameters
    ----------
    losses : array of shape (..., k, T)
        Loss of each of k ≥ 2 forecasters at each time, lower is better.
    horizon : int, default 1
        How many times ahead of what was known the farthest forecast is, the gap included:
        differences may be correlated below that many times.
    statistic : {"max", "range"}
        T_max, the largest t of one against the mean of all, or T_R, the largest t of a pair.
    block : int, optional
        Length of the blocks; if not given the cube root of T, or three times the horizon less one
        where that is more.
    draws : int, default 1999
        Resamples.
    random_state : int, default 0
        Seed of the resamples. It is fixed, so that the same data give the same answer.

    Returns
    -------
    ModelConfidenceSet
        The statistic and its p-value.

    Notes
    -----
    *Formula.* Forecasters are eliminated one by one, the worst by its t first, while all that are
    left being equal is refuted; the p-value of each is the largest so far.

    *Validity.* Along this path, for T that is long for the blocks; losses must be stationary. The
    set is large where data say little: that a forecaster is in it does not make it good. Measured
    at .05 (docs, "Ordered data"): of three to eight equal ones ``"max"`` loses one in .03 to .06 of
    1000 tables, ``"range"`` in .06 to .24, the last with eight of them on a path of 100 times at
    horizon 4.

    *How it errs.* It bootstraps blocks, so it errs above its level where blocks are short for the
    correlation, and below it where many forecasters are clearly worse.

    References
    ----------
    Hansen 2011. Hansen, P. R., Lunde, A., Nason, J. M. (2011). The model confidence set.
    Econometrica 79.

    Examples
    --------
    >>> import evenfold as ef
    >>> rng = np.random.default_rng(0)
    >>> losses = rng.normal(size=(3, 200)) ** 2 + np.array([[0.0], [0.0], [1.5]])
    >>> found = ef.infer.model_confidence_set(losses)
    >>> found.inside(0.05)
    array([ True,  True, False])
    """
    losses = floats(losses)
    T = losses.shape[-1]
    length, B = _block_and_draws(T, horizon, statistic, block, draws, random_state)
    resampled = _resample_block_means(losses, length, B, random_state)
    batch = losses.shape[:-2]
    k = losses.shape[-2]
    mean = losses.mean(axis=-1).reshape(-1, k)
    sets = [
        _eliminate_models(*pair, statistic)
        for pair in zip(mean, resampled.reshape(-1, k, B), strict=True)
    ]
    pvalues, order = (np.array(part).reshape(*batch, k) for part in zip(*sets, strict=True))
    return ModelConfidenceSet(pvalues=pvalues, order=order.astype(np.intp))


def _resample_block_means(losses: Floats, length: int, draws: int, seed: int) -> Floats:
    """
    Return means of circular blocks put together, less the mean.

    The result has the shape (..., k, draws), and all k share the same blocks.
    """
    T = losses.shape[-1]
    rng = stream(seed, "blocks")
    many, rest = divmod(T, length)
    lengths = [length] * many + [rest] * bool(rest)
    starts = np.stack([rng.integers(T, size=draws) for _ in lengths])
    centred = (losses - losses.mean(axis=-1, keepdims=True)).reshape(-1, T)
    step = max(1, _AT_ONCE // T)
    parts = [
        centred @ _resample_counts(T, starts[:, of : of + step], lengths).T
        for of in range(0, draws, step)
    ]
    moved: Floats = np.concatenate(parts, axis=-1) / T
    return moved.reshape(*losses.shape[:-1], draws)


def _resample_counts(T: int, starts: NDArray[np.int64], lengths: list[int]) -> Floats:
    """
    Return how often each of T times is in each resample, (draws, T).

    One matrix product then serves all data sets.
    """
    edges = np.zeros((starts.shape[1], 2 * T + 1))
    draw = np.arange(starts.shape[1])
    for first, length in zip(starts, lengths, strict=True):
        edges[draw, first] += 1
        edges[draw, first + length] -= 1
    around = edges.cumsum(axis=1)
    return np.asarray(around[:, :T] + around[:, T:-1])


def _eliminate_models(mean: Floats, resampled: Floats, statistic: str) -> tuple[Floats, Floats]:
    """Return the p-values of one data set and the order of elimination (Hansen 2011, section 3)."""
    k = len(mean)
    find_worst = {"max": _worst_of_all, "range": _worst_of_pairs}[statistic]
    left = np.arange(k)
    pvalues = np.ones(k)
    order = []
    largest = 0.0
    while len(left) > 1:
        worst, pvalue = find_worst(mean[left], resampled[left])
        largest = max(largest, pvalue)
        order.append(left[worst])
        pvalues[order[-1]] = largest
        left = np.delete(left, worst)
    return pvalues, np.array([*order, left[0]])


def _worst_of_all(mean: Floats, resampled: Floats) -> tuple[int, float]:
    """Return the worst by T_max, which compares each with the mean of all, and its p-value."""
    d = mean - mean.mean()
    drawn = resampled - resampled.mean(axis=0)
    t, null = _standardise_draws(d, drawn)
    return int(np.argmax(t)), _share(null.max(axis=0), t.max())


def _worst_of_pairs(mean: Floats, resampled: Floats) -> tuple[int, float]:
    """Return the worst by T_R, which compares each with each, and its p-value."""
    i, j = np.triu_indices(len(mean), 1)
    t, null = _standardise_draws(mean[i] - mean[j], resampled[i] - resampled[j])
    table = np.zeros((len(mean), len(mean)))
    table[i, j] = t
    table[j, i] = -t
    return int(np.argmax(table.max(axis=1))), _share(np.abs(null).max(axis=0), np.abs(t).max())


def _standardise_draws(d: Floats, drawn: Floats) -> tuple[Floats, Floats]:
    error = np.sqrt((drawn**2).mean(axis=-1))
    return safe_ratio(d, error), safe_ratio(drawn, error[:, None])


def _share(null: Floats, seen: Floats) -> float:
    return float((1 + np.count_nonzero(null >= seen)) / (1 + len(null)))
