"""
Estimates: tests, variances and posteriors, each with its estimand.

All numbers are arrays over the leading (batch) axes of the data, or numpy scalars without such
axes. Differences are always B − A in the measure's own units; A is the first algorithm.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NoReturn, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.checks import fraction
from evenfold.core.errors import InvalidInput, NotApplicable
from evenfold.core.sharing import SharedLevel

Floats = NDArray[np.float64]
Form = Literal["difference", "value", "other"]
Varied = Literal[
    "data sets",
    "test points",
    "clusters",
    "runs",
    "runs and test points",
    "times",
    "sources",
    "examples of these sources",
]
Alternative = Literal["two-sided", "greater", "less"]


# Intervals inside the range of the estimand.
#
# An error cannot be below 0, an area under a curve not above 1. For one algorithm, whose value
# lies in a range [a, b], the interval is Wilson's: all p with (v − p)² ≤ reach²·(p − a)(b − p) /
# ((v − a)(b − v)), that is with the spread that p itself would have, in units of the observed
# spread. It always lies inside [a, b]. It is the usual interval if v is far from both ends, and
# wider towards the middle if v is near one. If nothing varied in the data, as with no mistake at
# all, the spread is that of a share of independent units.
#
# Intervals of differences are cut at the width of the range, which costs no coverage. If nothing
# varied in the data, as with two models that answer alike, Wilson's limit is the share of units
# that might differ: the interval reaches as far as it would if those lay at an end of the range.


_ENDLESS = 1e100  # times the spread: an interval that reaches so far is the whole range


@dataclass(frozen=True, kw_only=True, slots=True)
class Bounds:
    """
    The range in which an estimand lies.

    Attributes
    ----------
    low, high : float
        The ends of the range, which may be infinite.
    units : int
        How many independent units were tested, such as examples or sources. If nothing varied, the
        interval follows from them. It is 0 if their number is unknown or only runs vary.
    alone : bool
        Whether the estimand is the value of one algorithm, not a difference.

    Examples
    --------
    No mistake among 100 examples, and ten of them, with the normal quantile of 95%:

    >>> bounds = Bounds(low=0.0, high=1.0, units=100, alone=True)
    >>> [round(float(end), 3) for end in bounds.limits(0.0, 0.0, 1.96)]
    [0.0, 0.037]
    >>> [round(float(end), 3) for end in bounds.limits(0.1, 1.96 * 0.03, 1.96)]
    [0.055, 0.174]

    Two models that are right and wrong on the same of 100 examples:

    >>> bounds = Bounds(low=-1.0, high=1.0, units=100)
    >>> [round(float(end), 3) for end in bounds.limits(0.0, 0.0, 1.96)]
    [-0.037, 0.037]
    """

    low: float
    high: float
    units: int = 0
    alone: bool = False

    def limits(self, value: Any, reach: Any, quantile: Any) -> tuple[Floats, Floats]:
        """Return both limits of an interval that reaches so far, ``quantile`` standard errors."""
        value = np.asarray(value, dtype=float)
        reach = np.asarray(reach, dtype=float)
        below = above = reach
        if self.units and 0 < self.high - self.low < np.inf:
            k = np.square(np.asarray(quantile, dtype=float)) / self.units
            if self.alone:
                return self._wilson(value, reach, k)
            # the largest share of units that may differ although none of these did
            share = k / (1 + k)
            below = np.where(reach > 0, reach, share * (value - self.low))
            above = np.where(reach > 0, reach, share * (self.high - value))
        low, high = (np.clip(end, self.low, self.high) for end in (value - below, value + above))
        return low[()], high[()]

    def statistic(self, value: Any, null: float) -> Floats:
        """Return the quantile at which the interval ends at the null if nothing varied."""
        room = np.where(value > null, value - self.low, self.high - value)
        share = np.abs(value - null) / np.where(room > 0, room, 1.0)
        # no share reaches a null at the end of the range
        with np.errstate(divide="ignore"):
            size: Floats = np.sqrt(self.units * share / (1 - share))
        signed: Floats = np.copysign(size, value - null)[()]
        return signed

    def _wilson(self, value: Floats, reach: Floats, unseen: Floats) -> tuple[Floats, Floats]:
        width = self.high - self.low
        u = np.clip((value - self.low) / width, 0.0, 1.0)
        spread = u * (1 - u)
        seen = (spread > 0) & (reach > 0)
        # q² / effective number of units, from the observed spread if there is one
        k = np.where(seen, (reach / width) ** 2 / np.where(seen, spread, 1.0), unseen)
        k = np.minimum(k, _ENDLESS)
        middle = (u + k / 2) / (1 + k)
        half = np.sqrt(k * (k / 4 + spread)) / (1 + k)
        low = self.low + width * (middle - half)
        high = self.low + width * (middle + half)
        # if u is at an end, the limit is exactly there, whatever rounding says
        return np.where(u == 0, self.low, low)[()], np.where(u == 1, self.high, high)[()]


# What an estimate is about: which quantity, at which training size, and what varied.


class Estimand(str):
    """
    A phrase that has its parts as attributes, so that no code has to read it.

    Parameters
    ----------
    quantity : str
        What is compared, for example "F1". Defaults to the measure's own quantity.
    of : str
        Of what or where, for example "on a new source".
    size : str
        The training size in symbols; :meth:`at` adds it to the phrase.
    names_size : bool
        Whether the phrase names the training size.
    varied : {"data sets", "test points", "clusters", "runs", "times", "sources", …}
        Over what the answer generalises.
    form : {"difference", "value", "other"}
        B − A, one algorithm alone, or something else, which ``words`` describe.
    words : str
        The phrase without the size, for example of a variance.

    Examples
    --------
    >>> about = Estimand(size="n/2")
    >>> about, about.size, about.form, about.varied
    ('expected difference B − A', 'n/2', 'difference', 'data sets')
    >>> about.at(75).alone()
    'expected value at training size 75'
    >>> Estimand(quantity="error").within(about).size
    'n/2'
    """

    __slots__ = ("form", "names_size", "of", "quantity", "size", "varied", "words")

    quantity: str
    of: str
    size: str
    varied: Varied
    form: Form
    words: str
    names_size: bool

    def __new__(
        cls,
        *,
        quantity: str = "",
        of: str = "",
        size: str = "",
        names_size: bool = False,
        varied: Varied = "data sets",
        form: Form = "difference",
        words: str = "",
    ) -> Self:
        if words:
            form = "other"
            phrase = words
        elif form == "value":
            phrase = quantity or "expected value"
        elif quantity:
            phrase = f"difference of {quantity} B − A"
        else:
            phrase = "expected difference B − A"
        if of:
            phrase += f" {of}"
        if names_size and size:
            phrase += f" at training size {size}"
        self = super().__new__(cls, phrase)
        self.quantity = quantity
        self.of = of
        self.size = size
        self.words = words
        self.varied = varied
        self.form = form
        self.names_size = names_size
        return self

    def __getnewargs_ex__(self) -> tuple[tuple[()], dict[str, Any]]:
        return (), self._parts

    @property
    def _parts(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self.__slots__}

    def _replace(self, **changes: Any) -> Self:
        return type(self)(**{**self._parts, **changes})

    def at(self, size: str | int) -> Self:
        """Return the same at a training size, which the phrase then names."""
        return self._replace(size=str(size), names_size=True)

    def within(self, design: "Estimand") -> Self:
        """Return the same with the size and the variation of a design where it has none."""
        varied = design.varied if self.varied == "data sets" else self.varied
        return self._replace(size=self.size or design.size, varied=varied)

    def alone(self) -> Self:
        """Return the estimand of one algorithm if this is a difference, else this one."""
        if self.form == "difference":
            return self._replace(form="value")
        return self

    def counting(self, quantity: str) -> Self:
        """Return the same of another quantity, such as accuracy."""
        return self._replace(quantity=quantity)


_ESTIMAND = Estimand()

ALTERNATIVES: tuple[Alternative, ...] = ("two-sided", "greater", "less")


class Reference(Protocol):
    """A symmetric distribution that a statistic is compared with."""

    @property
    def df(self) -> float | Floats: ...
    def sf(self, x: Floats) -> Floats: ...
    def isf(self, q: float | Floats) -> Floats: ...


def t_tail(df: float | Floats, x: Any) -> Floats:
    """P(T > x) of Student's t with ``df`` degrees of freedom."""
    return cast("Floats", special.stdtr(df, -x))


def t_quantile(df: float | Floats, q: Any) -> Floats:
    """The value that Student's t with ``df`` degrees of freedom exceeds with probability ``q``."""
    return cast("Floats", -special.stdtrit(df, q))


@dataclass(frozen=True, eq=False, slots=True)
class StudentT:
    """Student's t with ``df`` degrees of freedom, which may be an array over the batch."""

    df: float | Floats

    def sf(self, x: Floats) -> Floats:
        """P(T > x)."""
        return t_tail(self.df, x)

    def isf(self, q: float | Floats) -> Floats:
        """The value that T exceeds with probability ``q``."""
        return t_quantile(self.df, q)


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
class Estimate(ABC):  # noqa: B024  (abstract by intention: each kind of estimate is a subclass)
    """
    What all estimates share.

    Attributes
    ----------
    method : str
        Key of the method, as in ``ef.infer.methods()``. This, the estimand and the card are filled
        in by the decorator of methods, :class:`evenfold.infer.method`.
    estimand : Estimand
        What is estimated, at which training size.
    card : mapping or None
        The method's calibration, if it has been measured.
    level : float
        The default error level of intervals.
    shared : SharedLevel or None
        How this test shares the level with the other tests of its family, so that their
        intervals hold simultaneously; None for a test by itself.
    """

    units: ClassVar[Mapping[str, int]] = MappingProxyType({})
    """Fields in the measure's units, and to which power."""

    method: str = ""
    estimand: Estimand = _ESTIMAND
    card: Mapping[str, Any] | None = None
    level: float = 0.05
    shared: SharedLevel | None = None

    def __init_subclass__(cls) -> None:
        # without this, a dataclass writes a repr of all fields, long ones included
        if "__repr__" not in cls.__dict__:
            cls.__repr__ = Estimate.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        names = ("value", "mean", "standard_error", "statistic", "df", "pvalue", "bias", "level")
        facts = [f"method={self.method!r}", f"estimand={str(self.estimand)!r}"]
        facts += [f"{name}={_brief(getattr(self, name))}" for name in names if hasattr(self, name)]
        return f"{type(self).__name__}({', '.join(facts)})"

    def error(self, confidence_level: float | None) -> float:
        """Return the error probability of this interval, which in a family is that of one test."""
        level = self.level
        if confidence_level is not None:
            level = 1.0 - fraction("confidence_level", confidence_level)
        if self.shared is None:
            return level
        return self.shared.per_test(level)

    def at(self, level: float, shared: SharedLevel | None = None) -> Self:
        """Return the same estimate at another level, by itself or as one of a family."""
        return replace(self, level=level, shared=shared)

    def replicability_at(self, limits: Sequence[float]) -> float | None:  # noqa: ARG002  (most cannot know)
        """
        Return the probability that another random partition gives the same verdict, or None.

        It is unknown for most estimates, such as those of results without repetitions.

        Parameters
        ----------
        limits : sequence of float
            The values of B − A that the verdict compares the interval with.
        """
        return None

    @property
    def remark(self) -> str:
        """What a report adds to an inconclusive answer."""
        return ""

    @property
    def note(self) -> str:
        """What a report adds to every answer; empty for most estimates."""
        return ""

    @property
    def undecided(self) -> str:
        """Why no difference may be claimed, whatever the interval; empty for most estimates."""
        return ""


_NOT_READABLE = (
    "This file was written by evenfold 0.2 with a test that no longer exists. Its numbers and "
    "sentences can be read, but its estimate cannot."
)


class EstimateNotReadable(InvalidInput, AttributeError):
    """An estimate has no such attribute, because its type was deleted."""


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class UnreadableEstimate(Estimate):
    """
    An estimate in a file of an earlier version whose type was deleted.

    Attributes
    ----------
    written : mapping
        The estimate as it stands in the file, so that it can be written again.
    """

    written: Mapping[str, Any]

    def __getattr__(self, name: str) -> NoReturn:
        raise EstimateNotReadable(_NOT_READABLE)

    def refuse(self) -> NoReturn:
        """Say in one sentence why nothing can be asked of this estimate."""
        # An AttributeError would be lost in a property of a class that has __getattr__.
        raise InvalidInput(_NOT_READABLE)


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
        On which side of ``null`` the alternative lies.
    bounds : Bounds or None
        The range of the estimand, if it is known; intervals stay inside.
    """

    __test__: ClassVar[bool] = False  # the name begins with "Test", but pytest must not collect it

    value: Floats
    standard_error: Floats
    statistic: Floats
    null: float
    alternative: Alternative
    bounds: Bounds | None = None

    @property
    def df(self) -> float | Floats | tuple[float, float]:
        """Degrees of freedom of the reference distribution; infinite for the normal or none."""
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
        if self.alternative == "two-sided":
            return error / 2
        return error


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class PivotEstimate(TestEstimate):
    """
    A test whose statistic (value − null) / standard_error has a symmetric reference distribution.

    A standard error of zero has defined answers. If the value equals the null, the statistic is 0
    and the p-value 1; otherwise the statistic is infinite and the p-value 0 (or 1, on the wrong
    side).
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
        return np.where(nothing, 1.0, p)[()]

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Lower and upper limit; with a one-sided alternative one of them is infinite."""
        quantile = self.reference.isf(self.error_per_side(confidence_level))
        unknown = np.isinf(self.standard_error)
        scaled = quantile * np.where(unknown, 1.0, self.standard_error)  # 0 · ∞ would be NaN
        reach = np.where(unknown, np.inf, scaled)[()]
        return interval_around(self.value, reach, self.alternative, self.bounds, quantile=quantile)


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

    units = MappingProxyType({"value": 2})

    value: Floats
    bias: str

    def confidence_interval(self, confidence_level: float | None = None) -> NoReturn:  # noqa: ARG002 - one signature
        """Refuse, because one data set says nothing of the distribution of such an estimate."""
        raise NotApplicable(
            f"{self.method} estimates a variance from one data set and has no known distribution, "
            "so it has no interval. For an interval of the mean use a test that fits the design; "
            "ef.infer.methods() lists the tests."
        )


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Hypotheses:
    """
    The probabilities of two hypotheses: that a quantity is at most the null, or exceeds it.

    Attributes
    ----------
    h0, h1 : array
        Posterior probabilities of H0 and of H1; they add up to 1.
    """

    h0: Floats
    h1: Floats

    @property
    def accepts_h1(self) -> Any:
        """Whether H1 is the more probable one; H0 is accepted where both are equally probable."""
        return self.h1 > self.h0


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

    def hypotheses(self, null: float = 0.0) -> Hypotheses:
        """P(H0), P(H1) and the decision of R19 algorithm 6.1, which accepts the more probable."""
        h1 = self.probability(null)
        return Hypotheses(h0=1 - h1, h1=h1)


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


def interval_around(
    value: Floats,
    reach: Floats,
    alternative: Alternative,
    bounds: Bounds | None = None,
    *,
    quantile: Any = 0.0,
) -> tuple[Floats, Floats]:
    """Interval of half-width ``reach``, inside its bounds, open on the side not asked about."""
    if bounds is None:
        return open_interval_side(value - reach, value + reach, alternative)
    return open_interval_side(*bounds.limits(value, reach, quantile), alternative)


def open_interval_side(
    low: Floats, high: Floats, alternative: Alternative
) -> tuple[Floats, Floats]:
    """Open an interval on the side that a one-sided alternative does not limit."""
    if alternative == "less":
        low = np.full_like(low, -np.inf)[()]
    if alternative == "greater":
        high = np.full_like(high, np.inf)[()]
    return low, high
