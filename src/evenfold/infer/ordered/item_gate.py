"""
A gate that looks after every item and stops when "not worse" or "worse" is settled.

Someone bets on every item that the mean is above m. With the stake c his capital is multiplied by
(1 − c) + c·(x − low)/(m − low), which is 1 in the mean, or less, where the mean is m or less: the
capital exceeds 1/α at any time with probability α at most (Ville 1939), whatever the distribution,
the number of looks and the reason to stop. Nine stakes at once share the capital, so that one of
them is near the best for any share of answers that differ. The capital falls in m: all means that
it refutes lie below a limit.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, cast

import numpy as np

from evenfold.core.checks import flag, fraction, number, refuse
from evenfold.core.estimate import Floats, TestEstimate, open_interval_side
from evenfold.infer._arrays import mean_and_variance, scalar
from evenfold.infer._base import Answer, method, standardise
from evenfold.infer._registry import IN_SOME_ORDER
from evenfold.infer.bounded import crossing

STAKES = np.linspace(0.1, 0.9, 9)
_SHARES = STAKES * (1 - STAKES)  # of the capital: more on the middle ones, which stop soonest
_LOG_SHARES = np.log(_SHARES / _SHARES.sum())
_EXACT = 1e-13  # of the range: how well a limit is known
_MOST = 1e300  # a larger payoff, of a mean at the end of the range, counts as this

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
    # 0/0: the end of the range, and nothing but it
    payoff = np.where(np.isnan(payoff), 1.0, payoff)
    stakes = STAKES[:, None]
    factors = np.log((1 - stakes) + stakes * np.minimum(payoff, _MOST)[..., None, :])
    totals = np.einsum("...k,...jk->...j", times, factors)
    return cast("Floats", np.logaddexp.reduce(_LOG_SHARES + totals, axis=-1))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ItemGateEstimate(TestEstimate):
    """
    What is known after the last item so far, valid whenever that is.

    Attributes
    ----------
    data : array (..., n)
        The differences so far.
    low, high : float
        The range of single ones.
    """

    units = MappingProxyType({"value": 1, "standard_error": 1, "data": 1, "low": 1, "high": 1})

    data: Floats
    low: float
    high: float

    @property
    def pvalue(self) -> Floats:
        """One over the capital: at most α with probability α, however often it was looked at."""
        above = self._log(np.full(self.value.shape, self.null), above=True)
        below = self._log(np.full(self.value.shape, self.null), above=False)
        if self.alternative == "two-sided":
            evidence = np.maximum(above, below) - math.log(2)
        else:
            if self.alternative == "greater":
                evidence = above
            else:
                evidence = below
        return cast("Floats", np.exp(-np.maximum(evidence, 0.0))[()])

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Limits that hold at all numbers of items at once; inside the range."""
        goal = math.log(1 / self.error_per_side(confidence_level))
        ends = np.full(self.value.shape, self.low), np.full(self.value.shape, self.high)
        exact = _EXACT * (self.high - self.low)
        low = crossing(lambda m: goal - self._log(m, above=True), *ends, exact)
        high = crossing(lambda m: goal - self._log(m, above=False), *ends[::-1], exact)
        return open_interval_side(low[()], high[()], self.alternative)

    def _log(self, mean: Floats, *, above: bool) -> Floats:
        once = np.ones(self.data.shape[-1])
        return log_capital(self.data, once, mean, low=self.low, high=self.high, above=above)


@method(
    valid=IN_SOME_ORDER,
    conservative="its limits hold at all numbers of items at once, so that it may stop at any",
    source="after Waudby-Smith 2024; Ville 1939",
    recommended=True,
)
def item_gate(d: Floats, *, low: float, high: float, null: float) -> Answer[ItemGateEstimate]:
    """
    Test the mean of bounded differences after every item, with bets at nine stakes.

    *Formula.* Capital Σ_j v_j Π_i ((1 − c_j) + c_j·(d_i − low)/(Δ − low)), stakes c_j = .1, …, .9
    with shares v_j ∝ c_j(1 − c_j); p is one over it; limits are the means at which it is 1/α. The
    statistic and the standard error are those of :func:`paired_t`, for information.

    *Validity.* Never above its level where the expectation of an item, given those before, is the
    same for all: a stream of independent items, or a file in random order. With 1319 items at most,
    margin .03 and level .05 :func:`gate_items` looks at .27 of them on average where answers differ
    on 4% and the models are alike, and passes .04 of the candidates that are worse by the margin. A
    number of items that was fixed beforehand wants a sharper test.

    >>> d = [0] * 388 + [1, -1] * 6
    >>> e = ef.infer.item_gate(d, low=-1, high=1, null=-0.03, alternative="greater")
    >>> round(float(e.pvalue), 3), round(float(e.confidence_interval()[0]), 4)
    (0.02, -0.0258)
    """
    least = scalar("low", low)
    most = scalar("high", high)
    if not least < most:
        refuse("high", f"above low ({least:g})", most)
    if d.size and (d.min() < least or d.max() > most):
        if d.min() < least:
            off = d.min()
        else:
            off = d.max()
        refuse("d", f"between low ({least:g}) and high ({most:g})", off)
    if not least <= null <= most:
        refuse("null", f"between low ({least:g}) and high ({most:g})", null)
    value, s2 = mean_and_variance(d)
    statistic, error, flat = standardise(value, s2 / d.shape[-1], null)
    return Answer(
        ItemGateEstimate,
        value=value,
        standard_error=error,
        statistic=statistic,
        data=d,
        low=least,
        high=most,
        flat=flat,
    )


@dataclass(frozen=True, kw_only=True, slots=True)
class GateLook:
    """
    What a gate knows after an item.

    Attributes
    ----------
    n : int
        Items so far.
    settled : {"not worse", "worse", "open"}
        What is settled about B.
    improvement : float
        The mean improvement of B over A so far.
    capital : float
        What betting against "worse by the margin" has won, from 1; "not worse" is settled at
        1/level.
    against : float
        What betting against "not worse by the margin" has won; "worse" is settled at 1/level.
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
        The value of A and of B on one item after the other, in random order or as they come.
        Nothing is asked of it after the decision, so that it may make answers as it goes.
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
    *Validity.* As :func:`item_gate`: P(ever "not worse") ≤ level where B is worse by the margin or
    more, and P(ever "worse") ≤ level where it is not, if items are independent or in random order.

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
    width = _width(low, high)
    margin = number("margin", margin, low=0.0, high=width)
    if margin >= width:
        refuse("margin", f"below the range of the values ({width:g})", margin)
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


def _width(low: object, high: object) -> float:
    least = scalar("low", low)
    most = scalar("high", high)
    if not least < most:
        refuse("high", f"above low ({least:g})", most)
    return most - least


def _difference(pair: Any, n: int, low: float, high: float) -> float:
    """B − A of one item, both inside the range."""
    try:
        a, b = pair
        a = float(a)
        b = float(b)
    except (TypeError, ValueError):
        refuse("items", "pairs of numbers, the values of A and of B,", f"{pair!r} at item {n}")
    for value in (a, b):
        if not low <= value <= high:
            refuse(
                "items",
                f"values between low ({low:g}) and high ({high:g})",
                f"{value:g} at item {n}",
            )
    return b - a


def _exp(log: float) -> float:
    return math.exp(min(log, 700.0))
