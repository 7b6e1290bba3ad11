"""A confidence sequence: an interval and a p-value that may be looked at after every example."""

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, cast

import numpy as np
from scipy import special

from evenfold.core.checks import one_of, refuse
from evenfold.core.estimate import Floats, TestEstimate, open_interval_side
from evenfold.infer._arrays import mean_and_variance, scalar
from evenfold.infer._base import Answer, method, standardise
from evenfold.infer._registry import IN_SOME_ORDER

# Confidence sequences for means of bounded values: intervals that hold at all sample sizes at
# once.
#
# - bernstein_reach for a mean that may drift: the running mean of the conditional means
# (Choe and Ramdas, arXiv 2110.00115, after Howard et al. 2021, proposition 9: the gamma-
# exponential mixture). - betting_limits where the conditional mean is constant (Waudby-
# Smith and Ramdas, arXiv 2010.09686, section 4.4: the hedged capital process with predictable
# plug-in bets).


# at which the free parameters are tuned; all levels are valid, and agree with the p-value
_LEVEL = 0.05
# the boundary is tightest where the variance process is so many times the squared range
_BEST_AT = 25.0
_RHO = _BEST_AT / (2 * math.log(2 / _LEVEL) + math.log1p(2 * math.log(2 / _LEVEL)))
_HALVINGS = 100
_GRID = 1001  # candidate means of the betting sequence
_TRUNCATION = 0.5  # bets stay below this share of what could be lost at once


def variance_process(x: Floats, start: float) -> Floats:
    """
    Σ (x_i − x̂_i)² with predictions x̂_i, the mean of ``start`` and what came before.

    (..., n).
    """
    n = x.shape[-1]
    before = np.cumsum(x, axis=-1) - x
    predicted = (start + before) / np.arange(1, n + 1)
    process: Floats = np.cumsum((x - predicted) ** 2, axis=-1)
    return process


def bernstein_reach(variance: Floats, width: float, error: float) -> Floats:
    """
    Return s with Σ(x_i − μ_i) < s at all times, with probability 1 − ``error``, for process v.

    Parameters
    ----------
    variance : array
        The variance process; see :func:`variance_process`.
    width : float
        The range of the values, which lie in an interval of this width.
    error : float
        Error probability of this side.

    Examples
    --------
    >>> float(bernstein_reach(np.array(100.0), 2.0, 0.025).round(1))
    37.1
    """
    v = np.asarray(variance, dtype=float) / width**2
    low = np.zeros_like(v)
    high = np.full_like(v, 8.0)
    for _ in range(_HALVINGS):  # the mixture grows in s
        inside = _log_mixture(high, v) < np.log(1 / error)
        if not inside.any():
            break
        high = np.where(inside, 2 * high, high)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        inside = _log_mixture(middle, v) < np.log(1 / error)
        low = np.where(inside, middle, low)
        high = np.where(inside, high, middle)
    return (high * width)[()]


def _log_mixture(s: Floats, v: Floats) -> Floats:
    """Logarithm of the gamma-exponential mixture, of range 1 (Howard et al. 2021, eq. 67)."""
    constant = _RHO * np.log(_RHO) - special.gammaln(_RHO) - np.log(special.gammainc(_RHO, _RHO))
    shape = v + _RHO
    reached = s + v + _RHO
    lower = special.gammaln(shape) + np.log(special.gammainc(shape, reached))
    return cast("Floats", constant + lower - shape * np.log(reached) + s + v)


def bernstein_evidence(variance: Floats, excess: Floats, width: float) -> Floats:
    """
    Logarithm of the mixture at an observed sum of deviations.

    Evidence against a mean, at any time.
    """
    v = np.asarray(variance) / width**2
    s = np.maximum(np.asarray(excess) / width, 0.0)
    return _log_mixture(s, v)


def betting_limits(x: Floats, error: float) -> tuple[Floats, Floats]:
    """
    Return the limits after the last of x (..., n) in [0, 1].

    The means that no bet so far has refuted.

    ``error`` is that of each side. Limits lie on a grid of 1001 means and are rounded outwards to
    it.
    """
    means = np.linspace(0.0, 1.0, _GRID)
    up, down = _capital(x, means)
    kept = (up < np.log(1 / error)) & (down < np.log(1 / error))
    low = np.maximum(np.argmax(kept, axis=-1) - 1, 0)
    high = np.minimum(_GRID - np.argmax(kept[..., ::-1], axis=-1), _GRID - 1)
    nothing = ~kept.any(axis=-1)
    limits = means[np.where(nothing, 0, low)], means[np.where(nothing, _GRID - 1, high)]
    return limits[0][()], limits[1][()]


def betting_evidence(x: Floats, mean: float) -> tuple[Floats, Floats]:
    """
    Return the log of the largest capital won so far by betting that the mean is above, or below.

    Both start with 1, so that either exceeds 1/α at any time with probability α at most where the
    mean is ``mean``.
    """
    up, down = _capital(x, np.array([mean]))
    return up[..., 0], down[..., 0]


def _capital(x: Floats, means: Floats) -> tuple[Floats, Floats]:
    """The largest log capital of each side at any time so far, (..., means)."""
    bets = _bet_sizes(x)
    up = np.zeros((*x.shape[:-1], len(means)))
    down = up.copy()
    most_up = up.copy()
    most_down = up.copy()
    with np.errstate(divide="ignore"):
        limit_up = _TRUNCATION / means
        limit_down = _TRUNCATION / (1 - means)
    for t in range(x.shape[-1]):
        bet = bets[..., t, None]
        gain = x[..., t, None] - means
        up = up + np.log1p(np.minimum(bet, limit_up) * gain)
        down = down + np.log1p(-np.minimum(bet, limit_down) * gain)
        most_up = np.maximum(most_up, up)
        most_down = np.maximum(most_down, down)
    return most_up, most_down


def _bet_sizes(x: Floats) -> Floats:
    """λ_t = √(2 log(2/α)/(σ̂²_{t−1}·t·log(t + 1))), from what came before (eq. 26)."""
    n = x.shape[-1]
    t = np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(x, axis=-1)) / (t + 1)
    spread = (0.25 + np.cumsum((x - mean) ** 2, axis=-1)) / (t + 1)
    first = np.full((*x.shape[:-1], 1), 0.25)
    before = np.concatenate([first, spread[..., :-1]], axis=-1)
    bets: Floats = np.sqrt(2 * np.log(2 / _LEVEL) / (before * t * np.log1p(t)))
    return bets


MEANS = ("drift", "constant")


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class AnytimeEstimate(TestEstimate):
    """
    What is known after the last value so far, valid whenever that is.

    Attributes
    ----------
    data : array (..., n)
        The values in their order.
    low, high : float
        The range of single values.
    constant : bool
        Whether the conditional mean is taken to be the same at all times.
    """

    units = MappingProxyType({"value": 1, "standard_error": 1, "data": 1, "low": 1, "high": 1})

    data: Floats
    low: float
    high: float
    constant: bool

    @property
    def pvalue(self) -> Floats:
        """
        The anytime-valid p-value.

        At most α with probability α, however often it was looked at.
        """
        above, below = self._evidence()
        if self.alternative == "two-sided":
            evidence = np.maximum(above, below) - np.log(2)
        else:
            if self.alternative == "greater":
                evidence = above
            else:
                evidence = below
        p: Floats = np.exp(-np.maximum(evidence, 0.0))
        return p[()]

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Limits that hold at all times at once; inside the range of the values."""
        error = self.error_per_side(confidence_level)
        if self.constant:
            found = betting_limits(self._scale_to_unit(self.data), error)
            low, high = (self.low + self._width * limit for limit in found)
        else:
            reach = bernstein_reach(self._variance(), self._width, error) / self.data.shape[-1]
            low = np.maximum(self.value - reach, self.low)
            high = np.minimum(self.value + reach, self.high)
        return open_interval_side(low, high, self.alternative)

    @property
    def _width(self) -> float:
        return self.high - self.low

    def _scale_to_unit(self, x: Any) -> Any:
        return (x - self.low) / self._width

    def _variance(self) -> Floats:
        return variance_process(self.data, (self.low + self.high) / 2)[..., -1]

    def _evidence(self) -> tuple[Floats, Floats]:
        """Log evidence that the mean is above the null, and below it."""
        if self.constant:
            return betting_evidence(
                self._scale_to_unit(self.data), float(self._scale_to_unit(self.null))
            )
        excess = (self.value - self.null) * self.data.shape[-1]
        v = self._variance()
        above, below = (bernstein_evidence(v, sign * excess, self._width) for sign in (1, -1))
        return np.where(excess > 0, above, 0.0), np.where(excess < 0, below, 0.0)


@method(
    valid=IN_SOME_ORDER,
    conservative="its interval holds at all numbers of examples at once, which makes it twice as "
    "long, and "
    "longer with few examples",
    source="Howard 2021; Choe 2024; Waudby-Smith 2024",
    recommended=True,
)
def anytime(
    d: Floats, *, low: float, high: float, null: float, mean: str = "drift"
) -> Answer[AnytimeEstimate]:
    """
    Test the mean of bounded differences, looked at after every example if you like.

    *Formula.* Mean; limits and p-value that are valid at every number of examples at once. The
    statistic and the standard error are those of :func:`paired_t`, for information.

    *Validity.* No distribution is assumed, only the range and that examples come in an order of
    which the future does not know. Stop whenever you like, go on whenever you like. Looking at the
    t-test after every one of 1000 examples errs .4 at .05; this errs .01 (drift) and .03
    (constant). With a number of examples that was fixed beforehand :func:`paired_t` is much
    sharper: of 30, 100 and 1000 wins and losses intervals are 2.1, 1.9 and 1.8 times as long as its
    own (constant: 1.3, 1.5 and 2.0 times). Limits of the betting form lie on a grid of 1001 means.
    Along a path of forecasts the difference may drift, so that ``"drift"`` is the form to use,
    whatever the horizon and the correlation: it is about the mean of the differences to be expected
    one time ahead (Choe and Ramdas); ``"constant"`` needs that expectation to be the same at all
    times.

    >>> d = np.tile([1, 0, 1, 0, 0, -1, 1, 0, 1, 0], 40)
    >>> e = ef.infer.anytime(d, low=-1, high=1)
    >>> [round(float(x), 3) for x in (e.value, *e.confidence_interval(), e.pvalue)]
    [0.3, 0.183, 0.417, 0.0]

    Parameters
    ----------
    mean : {"drift", "constant"}
        What is estimated. ``"drift"``: the mean so far of the conditional means, which may change
        over time (empirical Bernstein). ``"constant"``: one conditional mean (betting), which gives
        shorter intervals up to some hundred examples.
    """
    one_of("mean", mean, MEANS)
    low = scalar("low", low)
    high = scalar("high", high)
    if not low < high:
        refuse("high", f"above low ({low:g})", high)
    if d.size and (d.min() < low or d.max() > high):
        refuse(
            "d", f"between low ({low:g}) and high ({high:g})", d.min() if d.min() < low else d.max()
        )
    if not low <= null <= high:
        refuse("null", f"between low ({low:g}) and high ({high:g})", null)
    value, s2 = mean_and_variance(d)
    statistic, error, flat = standardise(value, s2 / d.shape[-1], null)
    return Answer(
        AnytimeEstimate,
        value=value,
        standard_error=error,
        statistic=statistic,
        data=d,
        low=low,
        high=high,
        constant=mean == "constant",
        flat=flat,
    )
