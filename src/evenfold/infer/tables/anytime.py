"""A confidence sequence: an interval and a p-value that may be looked at after every example."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from evenfold.core.checks import one_of, refuse
from evenfold.core.estimate import Floats, TestEstimate, on_side
from evenfold.infer._base import Answer, method, standardise
from evenfold.infer._inputs import scalar
from evenfold.infer._spread import mean_and_variance
from evenfold.infer._valid import IN_SOME_ORDER
from evenfold.infer.tables._sequences import (
    bernstein_evidence,
    bernstein_reach,
    betting_evidence,
    betting_limits,
    variance_process,
)

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
        """The anytime-valid p-value: at most α with probability α, however often it was looked at."""
        above, below = self._evidence()
        if self.alternative == "two-sided":
            evidence = np.maximum(above, below) - np.log(2)
        else:
            evidence = above if self.alternative == "greater" else below
        p: Floats = np.exp(-np.maximum(evidence, 0.0))
        return p[()]

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Limits that hold at all times at once; inside the range of the values."""
        error = self.error_per_side(confidence_level)
        if self.constant:
            found = betting_limits(self._scaled(self.data), error)
            low, high = (self.low + self._width * limit for limit in found)
        else:
            reach = bernstein_reach(self._variance(), self._width, error) / self.data.shape[-1]
            low, high = np.maximum(self.value - reach, self.low), np.minimum(self.value + reach, self.high)
        return on_side(low, high, self.alternative)

    @property
    def _width(self) -> float:
        return self.high - self.low

    def _scaled(self, x: Any) -> Any:
        return (x - self.low) / self._width

    def _variance(self) -> Floats:
        return variance_process(self.data, (self.low + self.high) / 2)[..., -1]

    def _evidence(self) -> tuple[Floats, Floats]:
        """Log evidence that the mean is above the null, and below it."""
        if self.constant:
            return betting_evidence(self._scaled(self.data), float(self._scaled(self.null)))
        excess, v = (self.value - self.null) * self.data.shape[-1], self._variance()
        above, below = (bernstein_evidence(v, sign * excess, self._width) for sign in (1, -1))
        return np.where(excess > 0, above, 0.0), np.where(excess < 0, below, 0.0)


@method(
    valid=IN_SOME_ORDER,
    conservative="its interval holds at all numbers of examples at once, which makes it twice as long, and "
    "longer with few examples",
    source="Howard 2021; Choe 2024; Waudby-Smith 2024",
    recommended=True,
)
def anytime(
    d: Floats, *, low: float, high: float, null: float, mean: str = "drift"
) -> Answer[AnytimeEstimate]:
    """
    Test the mean of bounded differences, looked at after every example if you like.

    *Formula.* Mean; limits and p-value that are valid at every number of examples at once. The statistic and
    the standard error are those of :func:`paired_t`, for information.

    *Validity.* No distribution is assumed, only the range and that examples come in an order of which the
    future does not know. Stop whenever you like, go on whenever you like. Looking at the t-test after every
    one of 1000 examples errs .4 at .05; this errs .01 (drift) and .03 (constant). With a number of examples
    that was fixed beforehand :func:`paired_t` is much sharper: of 30, 100 and 1000 wins and losses intervals
    are 2.1, 1.9 and 1.8 times as long as its own (constant: 1.3, 1.5 and 2.0 times). Limits of the betting
    form lie on a grid of 1001 means. Along a path of forecasts the difference may drift, so that ``"drift"``
    is the form to use, whatever the horizon and the correlation: it is about the mean of the differences to
    be expected one time ahead (Choe and Ramdas); ``"constant"`` needs that expectation to be the same at all
    times.

    >>> d = np.tile([1, 0, 1, 0, 0, -1, 1, 0, 1, 0], 40)
    >>> e = ef.infer.anytime(d, low=-1, high=1)
    >>> [round(float(x), 3) for x in (e.value, *e.confidence_interval(), e.pvalue)]
    [0.3, 0.183, 0.417, 0.0]

    Parameters
    ----------
    mean : {"drift", "constant"}
        What is estimated. ``"drift"``: the mean so far of the conditional means, which may change over time
        (empirical Bernstein). ``"constant"``: one conditional mean (betting), which gives shorter intervals
        up to some hundred examples.
    """
    one_of("mean", mean, MEANS)
    low, high = scalar("low", low), scalar("high", high)
    if not low < high:
        refuse("high", f"above low ({low:g})", high)
    if d.size and (d.min() < low or d.max() > high):
        refuse("d", f"between low ({low:g}) and high ({high:g})", d.min() if d.min() < low else d.max())
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
