"""
What inference hands over: a test, a variance or a posterior, each knowing what it is about.

All numbers are arrays over the leading (batch) axes of the data, numpy scalars where there are none.
Differences are always B − A in the measure's own units; A is the first algorithm.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Literal, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.checks import fraction
from evenfold.core.estimand import Estimand
from evenfold.core.intervals import Bounds

Floats = NDArray[np.float64]
Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


class Reference(Protocol):
    """A symmetric distribution that a statistic is compared with."""

    @property
    def df(self) -> float | Floats: ...
    def sf(self, x: Floats) -> Floats: ...
    def isf(self, q: float | Floats) -> Floats: ...


@dataclass(frozen=True, eq=False, slots=True)
class StudentT:
    """Student's t with ``df`` degrees of freedom, which may be an array over the batch."""

    df: float | Floats

    def sf(self, x: Floats) -> Floats:
        """P(T > x)."""
        return cast("Floats", special.stdtr(self.df, -x))

    def isf(self, q: float | Floats) -> Floats:
        """The value that T exceeds with probability ``q``."""
        return cast("Floats", -special.stdtrit(self.df, q))


@dataclass(frozen=True, eq=False, slots=True)
class Normal:
    """The standard normal distribution."""

    @property
    def df(self) -> float:
        """Infinity: the limit of Student's t."""
        return np.inf

    def sf(self, x: Floats) -> Floats:
        """P(Z > x)."""
        return special.ndtr(-x)

    def isf(self, q: float | Floats) -> Floats:
        """The value that Z exceeds with probability ``q``."""
        return cast("Floats", -special.ndtri(q))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Estimate(ABC):
    """
    What all answers share.

    Attributes
    ----------
    method : str
        Key of the method, as in ``ef.infer.methods()``.
    estimand : Estimand
        What is estimated, at which training size.
    card : mapping or None
        The method's measured calibration, where it has been measured.
    level : float
        Error level that intervals have when no other is asked for.
    """

    units: ClassVar[Mapping[str, int]] = MappingProxyType({})
    """Fields in the measure's units, and to which power."""

    method: str
    estimand: Estimand
    card: Mapping[str, Any] | None = None
    level: float = 0.05

    def __init_subclass__(cls) -> None:
        # a dataclass writes a repr of all fields, card and looks included, unless its class has one
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = Estimate.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        names = ("value", "mean", "standard_error", "statistic", "df", "pvalue", "bias", "level")
        there = {name: getattr(self, name) for name in names if hasattr(self, name)}
        facts = [f"method={self.method!r}", f"estimand={str(self.estimand)!r}"]
        facts += [f"{name}={_brief(value)}" for name, value in there.items()]
        return f"{type(self).__name__}({', '.join(facts)})"

    def error(self, confidence_level: float | None) -> float:
        """Error probability of an interval with this confidence level, ``level`` if none is asked for."""
        if confidence_level is None:
            return self.level
        return 1.0 - fraction("confidence_level", confidence_level)

    def at(self, level: float) -> Self:
        """Return the same estimate with another error level of its intervals."""
        return replace(self, level=level)

    @property
    def remark(self) -> str:
        """What must be said beside an answer that decides nothing."""
        return ""

    @property
    def note(self) -> str:
        """What must be said beside every answer, decided or not; mostly nothing."""
        return ""

    @property
    def undecided(self) -> str:
        """Why no difference may be claimed, whatever the interval; empty where one may."""
        return ""


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class TestEstimate(Estimate):
    """
    An estimate with a test of ``null`` and an interval that agrees with it.

    Attributes
    ----------
    value, standard_error, statistic : array
        The estimate, its standard error, and the statistic of the test.
    null : float
        The value Δ that is tested.
    alternative : {"two-sided", "greater", "less"}
        On which side of ``null`` the truth would be a discovery.
    bounds : Bounds or None
        The range that the truth lies in, where it is known; intervals stay inside.
    """

    __test__: ClassVar[bool] = False  # the name begins with "Test"; pytest need not look inside

    value: Floats
    standard_error: Floats
    statistic: Floats
    null: float
    alternative: Alternative
    bounds: Bounds | None = None

    @property
    def df(self) -> float | Floats | tuple[float, float]:
        """Degrees of freedom of the reference distribution; infinite for the normal, or without one."""
        return np.inf

    @property
    @abstractmethod
    def pvalue(self) -> Floats:
        """The p-value, computed when asked for."""

    @abstractmethod
    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Lower and upper limit at 1 − level, or as asked; one-sided if the alternative is."""

    def error_per_side(self, confidence_level: float | None) -> float:
        """Error probability of each finite limit of an interval with this confidence level."""
        error = self.error(confidence_level)
        return error / 2 if self.alternative == "two-sided" else error


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class PivotEstimate(TestEstimate):
    """
    A test whose statistic (value − null) / standard_error has a symmetric reference distribution.

    A standard error of zero has defined answers: where the value equals the null the statistic is 0, the
    p-value 1; elsewhere the statistic is infinite and the p-value 0 (or 1, on the wrong side).
    """

    units = MappingProxyType({"value": 1, "standard_error": 1})

    reference: Reference

    @property
    def df(self) -> float | Floats:
        """Degrees of freedom of the reference distribution; infinite for the normal."""
        return self.reference.df

    @property
    def pvalue(self) -> Floats:
        """The p-value, computed when asked for."""
        p = pvalue(self.statistic, self.reference, self.alternative)
        nothing = (self.standard_error == 0) & (self.statistic == 0)
        some = nothing if nothing.ndim == 0 else nothing.any()
        answer: Floats = np.where(nothing, 1.0, p)[()] if some else p
        return answer

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Lower and upper limit; with a one-sided alternative one of them is infinite."""
        quantile = self.reference.isf(self.error_per_side(confidence_level))
        unknown = np.isinf(self.standard_error)  # whatever the level, that of no reach included
        reach = np.where(unknown, np.inf, quantile * np.where(unknown, 1.0, self.standard_error))[()]
        return around(self.value, reach, self.alternative, self.bounds, quantile=quantile)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class LookingEstimate(TestEstimate):
    """
    The outcome of a test that looks while repetitions are added, at its stop or so far.

    Attributes
    ----------
    rejected : array of bool
        Whether a look rejected.
    stopped_at : array of int
        The number of repetitions m at the stop.
    futile : array of bool
        Whether the test stopped because it could hardly reject any more.
    """

    rejected: NDArray[np.bool_]
    stopped_at: NDArray[np.int64]
    futile: NDArray[np.bool_]

    @property
    @abstractmethod
    def may_decide(self) -> NDArray[np.bool_]:
        """Whether the interval at the stop may decide, whatever it is compared with."""

    @property
    def claimable(self) -> NDArray[np.bool_]:
        """Whether a difference may be claimed at the stop, whatever the p-value."""
        return np.ones_like(self.rejected)

    @abstractmethod
    def latest(self) -> Self:
        """Return the estimate at the last look there is, by that look alone."""

    def given_up(self, *nulls: float) -> Self:  # noqa: ARG002  (this one has the same interval either way)
        """Return the estimate of a look that decides nothing, whose interval holds what it did not reject."""
        return self

    @property
    def blurred(self) -> NDArray[np.bool_]:
        """Whether the interval is still so wide that it is too early to give up."""
        return np.zeros_like(self.rejected)

    @property
    def since(self) -> int | None:
        """The last look, where later ones can be put after it by ``following``; None where they cannot."""
        return None

    @property
    def prospects(self) -> tuple[tuple[Floats, Floats], ...]:
        """Intervals that the last look might have at best; none where nobody can say."""
        return ()


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class VarianceEstimate(Estimate):
    """
    An estimate of a variance.

    Attributes
    ----------
    value : array
        The estimated variance; may be negative where the estimator can be.
    bias : str
        Its bias, in words and symbols.
    """

    value: Floats
    bias: str


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class PosteriorEstimate(Estimate):
    """A posterior distribution of one quantity or of a difference B − A."""

    @property
    @abstractmethod
    def mean(self) -> Floats:
        """Posterior mean."""

    @abstractmethod
    def interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Equal-tailed credible interval at 1 − level, or as asked."""

    @abstractmethod
    def probability(self, null: float = 0.0) -> Floats:
        """Posterior probability that the quantity exceeds ``null``."""


def _brief(value: Any) -> str:
    """Write a number in four digits, and of an array its shape."""
    if isinstance(value, str):
        return repr(value)
    array = np.asarray(value)
    if array.ndim == 0:
        return f"{float(array):.4g}"
    if isinstance(value, tuple):
        return f"({', '.join(map(_brief, value))})"
    return f"array of shape {array.shape}"


def pvalue(statistic: Floats, reference: Reference, alternative: Alternative) -> Floats:
    """P-value of a statistic with a symmetric reference distribution."""
    if alternative == "greater":
        return reference.sf(statistic)
    if alternative == "less":
        return reference.sf(-statistic)
    return 2.0 * reference.sf(np.abs(statistic))


def around(
    value: Floats,
    reach: Floats,
    alternative: Alternative,
    bounds: Bounds | None = None,
    *,
    quantile: Any = 0.0,
) -> tuple[Floats, Floats]:
    """Interval of half-width ``reach``, inside its bounds, open where the alternative does not ask."""
    low, high = (value - reach, value + reach) if bounds is None else bounds.limits(value, reach, quantile)
    return on_side(low, high, alternative)


def on_side(low: Floats, high: Floats, alternative: Alternative) -> tuple[Floats, Floats]:
    """Open an interval where the alternative does not ask."""
    low = np.full_like(low, -np.inf)[()] if alternative == "less" else low
    high = np.full_like(high, np.inf)[()] if alternative == "greater" else high
    return low, high
