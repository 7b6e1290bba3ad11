"""Tests that may be looked at after every example: confidence sequences and a gate for items."""

import math
from abc import abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, cast

import numpy as np
from scipy import special

from evenfold.core.checks import flag, fraction, number, one_of, refuse, short_repr
from evenfold.core.estimate import Alternative, Floats
from evenfold.infer._arrays import (
    ArrayLike,
    bisect,
    fields_of_test,
    floats,
    mean_and_variance,
    require_inside,
    value_range,
    warn_degenerate,
)
from evenfold.infer._base import OneSidedTests, method
from evenfold.infer._designs import IN_SOME_ORDER
from evenfold.infer.bounded import crossing

# Confidence sequences for means of bounded values: intervals that hold at all sample sizes at once.
#
# A mean that may drift, the running mean of the conditional means, has ``bernstein_reach`` (Choe
# and Ramdas, arXiv 2110.00115, after Howard et al. 2021, proposition 9: the gamma-exponential
# mixture). A constant conditional mean has ``betting_limits`` (Waudby-Smith and Ramdas, arXiv
# 2010.09686, section 4.4: the hedged capital process with predictable plug-in bets).


# The free parameters are tuned at this level; all levels are valid, and agree with the p-value.
_LEVEL = 0.05
# The boundary is tightest where the variance process is this many times the squared range.
_BEST_AT = 25.0
_RHO = _BEST_AT / (2 * math.log(2 / _LEVEL) + math.log1p(2 * math.log(2 / _LEVEL)))
_HALVINGS = 100
_GRID = 1001  # candidate means of the betting sequence
_TRUNCATION = 0.5  # the largest bet, as a share of the bet that could lose everything


def variance_process(x: Floats, start: float) -> Floats:
    """Return Σ (x_i − x̂_i)², (..., n), with x̂_i the mean of ``start`` and the values before x_i."""
    n = x.shape[-1]
    before = np.cumsum(x, axis=-1) - x
    predicted = (start + before) / np.arange(1, n + 1)
    return np.cumsum((x - predicted) ** 2, axis=-1)


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

    def is_inside(s: Floats) -> Any:
        return _log_mixture(s, v) < np.log(1 / error)

    high = np.full_like(v, 8.0)
    for _ in range(_HALVINGS):  # the mixture grows in s
        if not is_inside(high).any():
            break
        high = np.where(is_inside(high), 2 * high, high)
    return (bisect(is_inside, np.zeros_like(v), high, steps=_HALVINGS)[1] * width)[()]


def _log_mixture(s: Floats, v: Floats) -> Floats:
    """Return the log of the gamma-exponential mixture, of range 1 (Howard et al. 2021, eq. 67)."""
    constant = _RHO * np.log(_RHO) - special.gammaln(_RHO) - np.log(special.gammainc(_RHO, _RHO))
    shape = v + _RHO
    reached = s + v + _RHO
    lower = special.gammaln(shape) + np.log(special.gammainc(shape, reached))
    return cast("Floats", constant + lower - shape * np.log(reached) + s + v)


def bernstein_evidence(variance: Floats, excess: Floats, width: float) -> Floats:
    """Return the log of the mixture at a sum of deviations, the evidence against a mean."""
    v = np.asarray(variance) / width**2
    s = np.maximum(np.asarray(excess) / width, 0.0)
    return _log_mixture(s, v)


def betting_limits(x: Floats, error: float) -> tuple[Floats, Floats]:
    """
    Return the limits of the means that no bet has refuted after the last of x (..., n) in [0, 1].

    ``error`` is that of each side. The limits are rounded outwards to a grid of 1001 means.
    """
    means = np.linspace(0.0, 1.0, _GRID)
    goal = np.log(1 / error)
    kept = (_capital(x, means) < goal) & (_capital(1 - x, 1 - means) < goal)
    low = np.maximum(np.argmax(kept, axis=-1) - 1, 0)
    high = np.minimum(_GRID - np.argmax(kept[..., ::-1], axis=-1), _GRID - 1)
    nothing = ~kept.any(axis=-1)
    return means[np.where(nothing, 0, low)][()], means[np.where(nothing, _GRID - 1, high)][()]


def betting_evidence(x: Floats, mean: float) -> tuple[Floats, Floats]:
    """
    Return the log of the largest capital won so far by betting that the mean is above, or below.

    Both start with 1, so that either exceeds 1/α at any time with probability α at most where the
    mean is ``mean``.
    """
    above = _capital(x, np.array([mean]))
    below = _capital(1 - x, np.array([1 - mean]))
    return above[..., 0], below[..., 0]


def _capital(x: Floats, means: Floats) -> Floats:
    """
    Return the largest log capital at any time so far of bets that the mean is above, (..., means).

    A bet that the mean is below is one that the mean of 1 − x is above.
    """
    bets = _bet_sizes(x)
    capital = np.zeros((*x.shape[:-1], len(means)))
    most = capital.copy()
    with np.errstate(divide="ignore"):
        limit = _TRUNCATION / means
    for t in range(x.shape[-1]):
        gain = x[..., t, None] - means
        capital = capital + np.log1p(np.minimum(bets[..., t, None], limit) * gain)
        most = np.maximum(most, capital)
    return most


def _bet_sizes(x: Floats) -> Floats:
    """Return λ_t = √(2 log(2/α)/(σ̂²_{t−1}·t·log(t + 1))), from the values before (eq. 26)."""
    n = x.shape[-1]
    t = np.arange(1, n + 1)
    mean = (0.5 + np.cumsum(x, axis=-1)) / (t + 1)
    spread = (0.25 + np.cumsum((x - mean) ** 2, axis=-1)) / (t + 1)
    first = np.full((*x.shape[:-1], 1), 0.25)
    before = np.concatenate([first, spread[..., :-1]], axis=-1)
    return cast("Floats", np.sqrt(2 * np.log(2 / _LEVEL) / (before * t * np.log1p(t))))


MEANS = ("drift", "constant")


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class _SoFar(OneSidedTests):
    """
    The mean after the last value so far, with an interval that is valid at any time.

    A p-value is one over the evidence, and at most α with probability α, however often you look.

    Attributes
    ----------
    data : array (..., n)
        The values in their order.
    low, high : float
        The range of single values.
    """

    units = MappingProxyType({"value": 1, "standard_error": 1, "data": 1, "low": 1, "high": 1})

    data: Floats
    low: float
    high: float

    @abstractmethod
    def _evidence(self, *, larger: bool) -> Floats:
        """Return the log evidence that the mean is above the null, or below it."""

    def _pvalue_against(self, *, larger: bool) -> Floats:
        return cast("Floats", np.exp(-np.maximum(self._evidence(larger=larger), 0.0))[()])


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class AnytimeEstimate(_SoFar):
    """
    The mean after the last value so far, with an interval that is valid at any time.

    Attributes
    ----------
    constant : bool
        Whether the conditional mean is taken to be the same at all times.
    """

    constant: bool

    def _limits(self, error: float) -> tuple[Floats, Floats]:
        """Return limits that hold at all times at once, inside the range of the values."""
        if self.constant:
            low, high = betting_limits(self._scale_to_unit(self.data), error)
            return self.low + self._width * low, self.low + self._width * high
        reach = bernstein_reach(self._variance(), self._width, error) / self.data.shape[-1]
        return np.maximum(self.value - reach, self.low), np.minimum(self.value + reach, self.high)

    @property
    def _width(self) -> float:
        return self.high - self.low

    def _scale_to_unit(self, x: Any) -> Any:
        return (x - self.low) / self._width

    def _variance(self) -> Floats:
        return variance_process(self.data, (self.low + self.high) / 2)[..., -1]

    def _evidence(self, *, larger: bool) -> Floats:
        if self.constant:
            x = self._scale_to_unit(self.data)
            mean = self._scale_to_unit(np.array([self.null]))
            return (_capital(x, mean) if larger else _capital(1 - x, 1 - mean))[..., 0]
        gain = self.value - self.null if larger else self.null - self.value
        evidence = bernstein_evidence(self._variance(), gain * self.data.shape[-1], self._width)
        return np.where(gain > 0, evidence, 0.0)


def _check_mean(mean: object = "drift") -> None:
    one_of("mean", mean, MEANS)


@method(
    name="a confidence sequence that holds at any time",
    valid=IN_SOME_ORDER,
    conservative="Its interval holds at all numbers of examples at once, so it is twice as long "
    "as an interval for one number, and longer with few examples.",
    source="Howard 2021; Choe 2024; Waudby-Smith 2024",
    check=_check_mean,
    recommended=True,
)
def anytime(
    d: ArrayLike,
    *,
    low: float,
    high: float,
    mean: str = "drift",
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> AnytimeEstimate:
    """
    Test the mean of bounded differences, looked at after every example if you like.

    Parameters
    ----------
    d : array of shape (..., n)
        Value of B less value of A at each example, in order.
    low : float
        The smallest that a single difference can be, −1 for right or wrong.
    high : float
        The largest that it can be.
    mean : {"drift", "constant"}
        What is estimated. ``"drift"``: the mean so far of the conditional means, which may change
        over time (empirical Bernstein). ``"constant"``: one conditional mean (betting), which gives
        shorter intervals up to some hundred examples.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    AnytimeEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
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

    *How it errs.* It is conservative. Its interval holds at all numbers of examples at once, so it
    is twice as long as an interval for one number, and longer with few examples. It estimates the
    expected difference B − A of these models along these examples.

    References
    ----------
    Howard 2021; Choe 2024; Waudby-Smith 2024. Howard, S. R., Ramdas, A., McAuliffe, J., Sekhon, J.
    (2021). Time-uniform, nonparametric, nonasymptotic confidence sequences. Annals of Statistics
    49. Choe, Y. J., Ramdas, A. (2024). Comparing sequential forecasters. Operations Research 72.
    Waudby-Smith, I., Ramdas, A. (2024). Estimating means of bounded random variables by betting.
    Journal of the Royal Statistical Society B 86.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = np.tile([1, 0, 1, 0, 0, -1, 1, 0, 1, 0], 40)
    >>> e = ef.infer.anytime(d, low=-1, high=1)
    >>> [round(float(x), 3) for x in (e.value, *e.confidence_interval(), e.pvalue)]
    [0.3, 0.183, 0.417, 0.0]
    """
    _check_mean(mean)
    fields = _bounded_fields(floats(d), low, high, null, alternative)
    return AnytimeEstimate(constant=mean == "constant", **fields)


def _bounded_fields(
    d: Floats, low: object, high: object, null: float, alternative: Alternative
) -> dict[str, Any]:
    """Check differences and a null in a range; return the fields that both estimates share."""
    least, most = value_range(low, high)
    require_inside("d", d, least, most)
    require_inside("null", null, least, most)
    value, s2 = mean_and_variance(d)
    fields = fields_of_test(value, s2 / d.shape[-1], null, alternative)
    warn_degenerate(fields["standard_error"] == 0, stacklevel=6)
    return {**fields, "data": d, "low": least, "high": most}


# A gate that looks after every item and stops when "not worse" or "worse" is settled.
#
# A player bets on every item that the mean is above m. With the stake c the capital is multiplied
# by (1 − c) + c·(x − low)/(m − low), whose mean is at most 1 if the mean is m or less: the capital
# exceeds 1/α at any time with probability α at most (Ville 1939), whatever the distribution, the
# number of looks and the reason to stop. Nine stakes share the capital, so that one of them is near
# the best for any share of answers that differ. The capital falls in m: all means that it refutes
# lie below a limit.


STAKES = np.linspace(0.1, 0.9, 9)
# The middle stakes stop soonest and get the larger shares of the capital.
_SHARES = STAKES * (1 - STAKES)
_LOG_SHARES = np.log(_SHARES / _SHARES.sum())
_EXACT = 1e-13  # the error of a limit, as a share of the range
_MOST = 1e300  # replaces larger payoffs, of means at the end of the range

Settled = Literal["not worse", "worse", "open"]


def log_capital(
    x: Floats, times: Floats, mean: Floats, *, low: float, high: float, above: bool
) -> Floats:
    """
    Return the logarithm of the capital after betting that the mean is above, or below, ``mean``.

    Parameters
    ----------
    x, times : array (..., k)
        Different values and how often each occurred; the order does not matter.
    mean : array (...)
        The mean that is bet against.

    Examples
    --------
    >>> x, times = np.array([-1.0, 0.0, 1.0]), np.array([0.0, 160.0, 0.0])
    >>> capital = log_capital(x, times, np.asarray(-0.03), low=-1.0, high=1.0, above=True)
    >>> round(float(np.exp(capital)), 1)
    19.6
    """
    m = np.asarray(mean, dtype=float)[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        if above:
            payoff = (x - low) / (m - low)
        else:
            payoff = (high - x) / (high - m)
    payoff = np.where(np.isnan(payoff), 1.0, payoff)  # 0/0: mean and value at the end of the range
    stakes = STAKES[:, None]
    factors = np.log((1 - stakes) + stakes * np.minimum(payoff, _MOST)[..., None, :])
    totals = np.einsum("...k,...jk->...j", times, factors)
    return cast("Floats", np.logaddexp.reduce(_LOG_SHARES + totals, axis=-1))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ItemGateEstimate(_SoFar):
    """The mean after the last item so far, with an interval that is valid at any time."""

    def _evidence(self, *, larger: bool) -> Floats:
        return self._log_capital(np.full(self.value.shape, self.null), above=larger)

    def _limits(self, error: float) -> tuple[Floats, Floats]:
        """Return the means inside the range at which the capital is one over the error."""
        goal = math.log(1 / error)
        ends = np.full(self.value.shape, self.low), np.full(self.value.shape, self.high)
        exact = _EXACT * (self.high - self.low)
        low = crossing(lambda mean: goal - self._log_capital(mean, above=True), *ends, exact)
        high = crossing(
            lambda mean: goal - self._log_capital(mean, above=False), *ends[::-1], exact
        )
        return low[()], high[()]

    def _log_capital(self, mean: Floats, *, above: bool) -> Floats:
        once = np.ones(self.data.shape[-1])
        return log_capital(self.data, once, mean, low=self.low, high=self.high, above=above)


@method(
    name="a sequential test by betting",
    valid=IN_SOME_ORDER,
    conservative="Its limits hold at all numbers of items at once, so it may stop at any of them.",
    source="after Waudby-Smith 2024; Ville 1939",
    recommended=True,
)
def item_gate(
    d: ArrayLike,
    *,
    low: float,
    high: float,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> ItemGateEstimate:
    """
    Test the mean of bounded differences after every item, with bets at nine stakes.

    Parameters
    ----------
    d : array of shape (..., n)
        Value of B less value of A at each example, in order.
    low : float
        The smallest that a single difference can be, −1 for right or wrong.
    high : float
        The largest that it can be.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    ItemGateEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    *Formula.* Capital Σ_j v_j Π_i ((1 − c_j) + c_j·(d_i − low)/(Δ − low)), stakes c_j = .1, …, .9
    with shares v_j ∝ c_j(1 − c_j); p is one over it; limits are the means at which it is 1/α. The
    statistic and the standard error are those of :func:`paired_t`, for information.

    *Validity.* It is never above its level where the expectation of an item, given those before, is
    the same for all: a stream of independent items, or a file in random order. With 1319 items at
    most, margin .03 and level .05 :func:`gate_items` looks at .27 of them on average where answers
    differ on 4% and the models are alike, and passes .04 of the candidates that are worse by the
    margin. If the number of items is fixed beforehand, other tests are sharper.

    *How it errs.* It is conservative. Its limits hold at all numbers of items at once, so it may
    stop at any of them. It estimates the expected difference B − A of these models along these
    examples.

    References
    ----------
    after Waudby-Smith 2024; Ville 1939. Waudby-Smith, I., Ramdas, A. (2024). Estimating means of
    bounded random variables by betting. Journal of the Royal Statistical Society B 86.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = [0] * 388 + [1, -1] * 6
    >>> e = ef.infer.item_gate(d, low=-1, high=1, null=-0.03, alternative="greater")
    >>> round(float(e.pvalue), 3), round(float(e.confidence_interval()[0]), 4)
    (0.02, -0.0258)
    """
    return ItemGateEstimate(**_bounded_fields(floats(d), low, high, null, alternative))


@dataclass(frozen=True, kw_only=True, slots=True)
class GateLook:
    """
    The state of a gate after an item.

    Attributes
    ----------
    n : int
        Items so far.
    settled : {"not worse", "worse", "open"}
        The decision about B, if there is one.
    improvement : float
        The mean improvement of B over A so far.
    capital : float
        The capital after betting against "worse by the margin", from 1; "not worse" is settled at
        1/level.
    against : float
        The capital after betting against "not worse by the margin"; "worse" is settled at 1/level.
    """

    n: int
    settled: Settled
    improvement: float
    capital: float
    against: float


def gate_items(
    items: Iterable[tuple[Any, Any]],
    *,
    margin: float,
    level: float = 0.05,
    low: float = 0.0,
    high: float = 1.0,
    higher_is_better: bool = True,
) -> Iterator[GateLook]:
    """
    Look at a candidate item by item, and stop as soon as "not worse" or "worse" is settled.

    Parameters
    ----------
    items : iterable of pairs
        The value of A and of B on one item after the other, in random order or as they come. After
        the decision no further item is taken, so the iterable may compute answers as it goes.
    margin : float
        How much worse B may be in the mean.
    level : float, default 0.05
        Error level of each decision, whenever it is made.
    low, high : float
        The range of single values; 0 and 1 for right and wrong.
    higher_is_better : bool, default True
        Whether larger values are better.

    Yields
    ------
    GateLook
        One per item; the last one is settled, or the items have ended.

    Notes
    -----
    *Validity.* It is as valid as :func:`item_gate`: P(ever "not worse") ≤ level where B is worse by
    the margin or more, and P(ever "worse") ≤ level where it is not, if items are independent or in
    random order.

    References
    ----------
    Waudby-Smith and Ramdas, Estimating means of bounded random variables by betting, JRSS B 86
    (2024).

    Examples
    --------
    >>> import evenfold as ef
    >>> answers = ((1, 1) for _ in range(1319))  # of two models that agree
    >>> *_, last = ef.infer.gate_items(answers, margin=0.03)
    >>> last.n, last.settled
    (161, 'not worse')
    """
    least, most = value_range(low, high)
    width = most - least
    margin = number("margin", margin, low=0.0, high=width)
    if margin >= width:
        refuse(
            "margin",
            f"margin must be below the range of the values ({width:g}) but got {margin:g}.",
        )
    goal = -math.log(fraction("level", level))
    if flag("higher_is_better", higher_is_better):
        sign = 1.0
    else:
        sign = -1.0
    totals = np.zeros((2, len(STAKES)))
    seen: Counter[float] = Counter()
    for n, pair in enumerate(items, start=1):
        gain = sign * _difference(pair, n, low, high)
        seen[gain] += 1
        payoffs = np.array([(gain + width) / (width - margin), (width - gain) / (width + margin)])
        with np.errstate(divide="ignore"):
            totals += np.log((1 - STAKES) + STAKES * payoffs[:, None])
        won, lost = np.logaddexp.reduce(_LOG_SHARES + totals, axis=-1).tolist()
        settled: Settled = "open"
        if won >= goal:
            settled = "not worse"
        elif lost >= goal:
            settled = "worse"
        mean = sum(value * times for value, times in seen.items()) / n
        yield GateLook(
            n=n, settled=settled, improvement=mean, capital=_exp(won), against=_exp(lost)
        )
        if settled != "open":
            return


def _difference(pair: Any, n: int, low: float, high: float) -> float:
    """Return B − A of one item, whose values must lie in the range."""
    try:
        a, b = pair
        a = float(a)
        b = float(b)
    except (TypeError, ValueError):
        refuse(
            "items",
            "items must be pairs of numbers, the values of A and of B, but got "
            f"{short_repr(pair)} at item {n}.",
        )
    for value in (a, b):
        if not low <= value <= high:
            refuse(
                "items",
                f"items must be values between low ({low:g}) and high ({high:g}) but got "
                f"{value:g} at item {n}.",
            )
    return b - a


def _exp(log: float) -> float:
    return math.exp(min(log, 700.0))
