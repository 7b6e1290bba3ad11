"""Whole distributions of two models: their quantiles, and how nearly one is above the other."""

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from evenfold.core.checks import flag, fraction, integer, refuse
from evenfold.core.estimate import Floats, Normal
from evenfold.core.rng import stream
from evenfold.infer._arrays import ordinary_unit, sized, splits
from evenfold.infer.one_test_set.resampling import weight_batches

_FEWEST = 5  # with fewer items beyond a quantile no interval holds


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class QuantileDifference:
    """
    The difference of a quantile of two models, B − A, with a bootstrap interval.

    Attributes
    ----------
    value, low, high : float
        The difference and its interval.
    of_a, of_b : float
        The quantile of each model.
    q : float
        Which quantile: 0.95 is P95.
    level : float
        One minus the confidence of the interval.
    items : int
        How many items both models have values on.

    Examples
    --------
    See :func:`quantile_difference`.
    """

    value: float
    low: float
    high: float
    of_a: float
    of_b: float
    q: float
    level: float
    items: int

    def confidence_interval(self) -> tuple[float, float]:
        """Return the lower and upper limit at 1 − level."""
        return self.low, self.high


def quantile_difference(
    a: Any,
    b: Any,
    q: float = 0.95,
    *,
    level: float = 0.05,
    draws: int = 2000,
    random_state: int = 0,
) -> QuantileDifference:
    """
    Estimate the difference of a quantile of two models that met the same items.

    Parameters
    ----------
    a, b : arrays (items,)
        Values of A and of B on every item, in one order: latencies, costs, lengths.
    q : float, default 0.95
        Which quantile.
    level : float, default 0.05
        One minus the confidence of the interval.
    draws : int, default 2000
        Bootstrap samples.
    random_state : int, default 0
        The seed of the samples.

    Returns
    -------
    QuantileDifference

    Notes
    -----
    *Formula.* Items are resampled, both values of an item together; the interval runs from the α/2
    to the 1 − α/2 quantile of the resampled differences. Quantiles are order statistics,
    interpolated.

    *Validity.* The answer is about these models on further items. At least five items must lie
    beyond the quantile on either side, 100 items for P95; fewer are refused. On correlated
    log-normal and heavy-tailed latencies the interval covers .96 to .98 (± .006) for P50 of 50
    items and for P95 of 100 items, so it is somewhat conservative.

    References
    ----------
    Efron (1979), Annals of Statistics 7.

    Examples
    --------
    >>> import numpy as np, evenfold as ef
    >>> rng = np.random.default_rng(0)
    >>> a = rng.lognormal(0, 0.5, 400)
    >>> found = ef.infer.quantile_difference(a, a * 0.8, 0.5)
    >>> found.low < found.value < found.high < 0
    True
    """
    values_a = splits("a", a)
    values_b = splits("b", b)
    if values_a.ndim != 1 or values_a.shape != values_b.shape:
        refuse(
            "b",
            "a and b must each have one value per item, of the same items, but got shapes "
            f"{values_a.shape} and {values_b.shape}.",
        )
    q = fraction("q", q)
    level = fraction("level", level)
    n = len(values_a)
    beyond = max(min(q, 1 - q), np.finfo(float).eps)  # above 0, for the division below
    if beyond * n < _FEWEST:
        needed = int(np.ceil(_FEWEST / beyond - 1e-9))
        refuse(
            "a",
            f"a must have at least {needed:,} items for the quantile {q:g} but got {n:,}.",
            "Ask for a less extreme quantile.",
        )
    integer("draws", draws, low=100)
    rng = stream(integer("random_state", random_state, low=0), "quantiles")
    resample = partial(_resample_quantiles, values_a, values_b, q, rng)
    differences = np.concatenate(list(weight_batches(draws, n, resample)))
    low, high = np.quantile(differences, [level / 2, 1 - level / 2])
    quantile_a = float(np.quantile(values_a, q))
    quantile_b = float(np.quantile(values_b, q))
    return QuantileDifference(
        value=quantile_b - quantile_a,
        low=float(low),
        high=float(high),
        of_a=quantile_a,
        of_b=quantile_b,
        q=q,
        level=level,
        items=n,
    )


def _resample_quantiles(
    a: Floats, b: Floats, q: float, rng: np.random.Generator, count: int
) -> Floats:
    """Return differences of quantiles of resampled items, with both values of an item together."""
    drawn = rng.integers(len(a), size=(count, len(a)))
    place = q * (len(a) - 1)
    below = int(place)
    above = min(below + 1, len(a) - 1)
    quantiles = []
    for values in (a, b):
        ordered = np.partition(values[drawn], (below, above), axis=1)
        step = ordered[:, above] - ordered[:, below]
        quantiles.append(ordered[:, below] + (place - below) * step)
    return np.asarray(quantiles[1] - quantiles[0])


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class AlmostOrder:
    """
    How much B falls short of being stochastically better than A.

    Attributes
    ----------
    ratio : float
        ε, the share of the squared distance of the two quantile functions where A is the better
        one: 0 if B is better at every quantile, 1 if A is, ½ for no order.
    upper : float
        Upper confidence bound of ε at ``level``, deepsig's ε_min: below the threshold, usually ½ or
        .2, B is called almost stochastically better.
    standard_error : float
        The standard error of ε, by the bootstrap.
    level : float
        The error level of the bound.
    """

    ratio: float
    upper: float
    standard_error: float
    level: float


def almost_stochastic_order(
    a: Any,
    b: Any,
    *,
    lower_is_better: bool = False,
    level: float = 0.05,
    resamples: int = 1000,
    seed: int = 0,
) -> AlmostOrder:
    """
    Bound the share by which B fails to be better than A at every quantile: for comparison only.

    Parameters
    ----------
    a, b : arrays of shape (n,) and (m,)
        Scores of runs (seeds) of A and B, independent of each other.
    lower_is_better : bool, default False
        Whether small values are good.
    level : float, default 0.05
        Error level of the bound.
    resamples : int, default 1000
        Bootstrap samples.
    seed : int
        The seed of the resamples.

    Returns
    -------
    AlmostOrder

    Notes
    -----
    ε = ∫(Q_A − Q_B)₊² / ∫(Q_A − Q_B)² over the quantile functions, as exact sums over the steps of
    both; the bound is ε̂ + z·σ̂ with σ̂ from the bootstrap.

    *Validity.* It is liberal: where A and B are alike ε is 0/0, its estimate is spread over (0, 1),
    and the normal bound does not see that. Of equal normal samples of 5, 10, 20 and 30 runs it
    called B better, at level .05, in .208, .198, .190 and .174 of the cases with threshold ½, in
    .064, .041, .030 and .025 with threshold .2 (4000 samples each, standard error at most .006; for
    either direction, twice that). deepsig computes the same bound. Use :func:`runs_t` to decide.

    References
    ----------
    del Barrio, Cuesta-Albertos, Matrán (2018), The Mathematics of the Uncertain; Dror, Shlomov,
    Reichart (2019), ACL; Ulmer, Hardmeier, Frellsen (2022), arXiv 2204.06815.

    Examples
    --------
    >>> import evenfold as ef
    >>> a, b = [0.71, 0.74, 0.69, 0.72, 0.75], [0.78, 0.74, 0.80, 0.77, 0.81]
    >>> ef.infer.almost_stochastic_order(a, b).ratio
    0.0
    """
    x = sized("a", a, "(n ≥ 2,)", axes=1)
    y = sized("b", b, "(n ≥ 2,)", axes=1)
    if flag("lower_is_better", lower_is_better):
        x = -x
        y = -y
    unit = ordinary_unit(x, y)
    x = x / unit
    y = y / unit
    level = fraction("level", level, high=0.5)
    z = float(Normal().isf(level))
    ratio = float(_violation(x, y))
    rng = stream(integer("seed", seed, low=0), "stochastic-order")
    draws = integer("resamples", resamples, low=10, high=100_000)
    drawn_x = rng.choice(x, size=(draws, len(x)))
    drawn_y = rng.choice(y, size=(draws, len(y)))
    error = float(np.std(_violation(drawn_x, drawn_y)))
    return AlmostOrder(
        ratio=ratio,
        upper=float(np.clip(ratio + z * error, 0, 1)),
        standard_error=error,
        level=level,
    )


def _violation(x: Floats, y: Floats) -> Floats:
    """Return ε of y over x along the last axis, ½ where both are the same."""
    n = x.shape[-1]
    m = y.shape[-1]
    # steps of both, in units of 1/(nm)
    edges = np.union1d(np.arange(n + 1) * m, np.arange(m + 1) * n)
    width = np.diff(edges)
    left = edges[:-1]
    apart = np.sort(x, axis=-1)[..., left // m] - np.sort(y, axis=-1)[..., left // n]
    whole = (np.square(apart) * width).sum(axis=-1)
    above = (np.square(np.maximum(apart, 0)) * width).sum(axis=-1)
    return np.where(whole > 0, above / np.where(whole > 0, whole, 1.0), 0.5)[()]
