"""The sequential m×2 test: stop as soon as the answer is clear (R19 section 5.3, boundary calibrated)."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal, NamedTuple

import numpy as np

from evenfold.core.checks import flag, fraction, integer, number, one_of, refuse
from evenfold.core.estimate import Alternative, Floats, StudentT, around
from evenfold.core.partition import MX2_BCV
from evenfold.infer._base import Answer, method, standardise, warn_degenerate
from evenfold.infer._inputs import hypothesis, repetitions
from evenfold.infer._registry import METHODS
from evenfold.infer._spread import mean_and_v2, safe_variance
from evenfold.infer._valid import HALVES
from evenfold.infer.halves._boundary import boundary as calibrated
from evenfold.infer.halves._looking import AtStop, Booleans, Looks, Timetable, stopped
from evenfold.infer.theory import c_hat

_BOUNDARIES = ("calibrated", "thesis", "per-look")
_MOST = 31
_LEVELS = (1e-6, 0.2)
_SMALL = 1e-100  # whose square is a number with all its digits

Decision = Literal["continue", "reject", "do not reject"]


class Look(NamedTuple):
    """The interval that a sequential test gives after m repetitions."""

    m: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Boundary(Timetable):
    """The looks m = start..M and the level that each has on each side."""

    levels = (_LEVELS[0], 0.5)

    boundary: str
    futility: bool

    @property
    def start(self) -> int:
        """The first look."""
        return self.looks[0]

    def df(self, m: Any) -> Floats:
        """Degrees of freedom at look m: those of the worst case (0, ½), or R19's."""
        df: Floats = np.asarray(m, dtype=float) if self.boundary == "calibrated" else 2.0 * np.asarray(m) - 1
        return df

    @property
    def per_look(self) -> float:
        """Level per look and side."""
        if self.boundary == "calibrated":
            return calibrated(self.start, self.M).per_look(self.level, sides=self.tails)
        return self.level / 2 if self.boundary == "thesis" else self.level / self.tails

    def quantiles(self, m: Any) -> Floats:
        """The boundary at look m, in standard errors."""
        each = StudentT(self.df(self.looks)).isf(self.per_look)  # a few looks, of ever so many data sets
        found: Floats = each[np.asarray(m) - self.start]
        return found

    def overall(self, per_look: Floats) -> Floats:
        """The level at which looks would have the level ``per_look`` on each side."""
        if self.boundary == "calibrated":
            return calibrated(self.start, self.M).error(per_look, sides=self.tails)
        return np.minimum((2 if self.boundary == "thesis" else self.tails) * per_look, 1.0)

    def stops(self, looks: Looks) -> tuple[Booleans, Booleans]:
        """Where the boundary is crossed, and where it is futile to go on, at each look."""
        m, towards = looks.each(looks.m), self.towards(looks.statistic)
        # A few equal repetitions of coarse data prove nothing: without spread only the last look decides.
        crossed = (towards > looks.each(self.quantiles(looks.m))) & ~(looks.flat & (m < self.M))
        if not self.futility:
            return crossed, np.zeros(towards.shape, dtype=bool)
        # M repetitions would not reject even if those to come had no spread: V2 falls to V2·m/M
        last = c_hat(self.M) * self.quantiles(self.M)
        hopeless = (towards * c_hat(m) <= last * np.sqrt(m / self.M)) & (m < self.M)
        return crossed, hopeless & ~crossed


def _plan(
    start: object, M: object, side: Alternative, level: object, boundary: object, futility: object
) -> Boundary:
    start = integer("start", start, low=2, high=_MOST - 1)
    M = integer("number of repetitions M", M, low=start + 1, high=_MOST)
    boundary = one_of("boundary", boundary, _BOUNDARIES)
    low, high = _LEVELS if boundary == "calibrated" else (1e-9, 0.5)
    return Boundary(
        looks=tuple(range(start, M + 1)),
        side=side,
        level=number("level", level, low=low, high=high),
        boundary=boundary,
        futility=flag("futility", futility),
    )


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class SequentialEstimate(AtStop):
    """The outcome of the sequential test of means at its stop, or so far."""

    plan: Boundary

    @property
    def may_decide(self) -> Booleans:
        """A few equal repetitions of coarse data prove nothing: without spread only the last look decides."""
        may: Booleans = (self.standard_error > 0) | (self.stopped_at == self.plan.M)
        return may

    @property
    def boundary(self) -> str:
        """Which boundary the test has."""
        return self.plan.boundary

    @property
    def df(self) -> Floats:
        """Degrees of freedom of the reference at the stop."""
        return self.plan.df(self.stopped_at)

    @property
    def pvalue(self) -> Floats:
        """The smallest level at which the test would have rejected by the stop."""
        looks, m = self.looks, self.looks.each(self.looks.m)
        silent = looks.flat & ((looks.statistic == 0) | (m < self.plan.M))
        seen = np.where(silent | (m > self.stopped_at), -np.inf, self.plan.towards(looks.statistic))
        return self.plan.overall(StudentT(self.plan.df(m)).sf(seen).min(axis=0)[()])

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Interval, or bound, that allows for the stop; it exists at 1 − level only."""
        if confidence_level is not None:
            given = fraction("confidence_level", confidence_level)
            if not np.isclose(given, 1 - self.level, rtol=0, atol=1e-9):
                rule = f"{1 - self.level:g}, for which the test was planned,"
                refuse("confidence_level", rule, given, f"plan the test with level={1 - given:g}")
        return self._interval(self.value, self.standard_error, self.stopped_at)

    def _interval(self, value: Any, error: Any, m: Any) -> tuple[Floats, Floats]:
        quantile = self.plan.quantiles(m)
        return around(value, error * quantile, self.alternative, self.bounds, quantile=quantile)

    @property
    def path(self) -> tuple[Look, ...]:
        """The intervals of all looks up to the stop, of one data set; they hold together."""
        looks, seen = self.looks, self.looks.m <= self.stopped_at
        low, high = self._interval(looks.value[seen], looks.error[seen], looks.m[seen])
        columns = looks.m[seen].tolist(), looks.value[seen].tolist(), low.tolist(), high.tolist()
        return tuple(Look(*row) for row in zip(*columns, strict=True))


def _at_stop(looks: Looks, plan: Boundary) -> dict[str, Any]:
    return stopped(looks, plan, *plan.stops(looks))


def _look(d: Floats, m: int, null: float) -> tuple[Any, ...]:
    """Mean, standard error, statistic and lack of spread of the first m repetitions."""
    value, v2 = mean_and_v2(d[..., :m, :])
    statistic, error, flat = standardise(value, safe_variance(v2, m), null)
    return value, error, statistic, flat


@method(
    valid=HALVES,
    conservative="overall error at most the level for ρ1, ρ2 up to ½; far below it where ρ2 is near .2",
    source="R19 section 5.3 and algorithm 5.1, its boundary replaced by a calibrated one",
    default_for=(MX2_BCV,),
    sequential=True,
    looks=tuple(range(3, 10)),
)
def mx2_sequential_t(
    d: Floats,
    *,
    null: float,
    side: Alternative,
    level: float = 0.05,
    start: int = 3,
    boundary: str = "calibrated",
    futility: bool = False,
    most: int | None = None,
) -> Answer[SequentialEstimate]:
    """
    Test the mean of an m×2 design after each repetition, from ``start`` to M, and stop when it is clear.

    The calibrated q_m is a quantile of t_m, the law of the statistic at its worst, (ρ1, ρ2) = (0, ½); all
    looks have the same per-look level, chosen so that under the Gaussian model the overall error is at most
    ``level`` for all ρ1, ρ2 in [0, ½]. As the intervals of all looks hold the truth together with
    probability 1 − level, the one at the stop does, whatever the reason for stopping.

    *Formula.* ``rejected``, ``stopped_at``, and the estimate at the stop: μ̂, standard error Ĉ_m·√V2, the
    interval μ̂ ± q_m·Ĉ_m·√V2, and as p-value the smallest level that would have rejected by the stop.

    *Validity.* Conservative for ρ2 below ½, strongly so near .2, where most differences of algorithms are;
    not covered above ½. The estimate itself is biased away from the null, as after every early stop.
    ``"per-look"`` errs up to .09 at .05 one-sided, ``"thesis"`` up to .056 (two-sided both up to .11).

    >>> d = [[0.21, 0.25], [0.19, 0.24], [0.22, 0.18], [0.20, 0.23], [0.24, 0.20]]
    >>> e = ef.infer.mx2_sequential_t(d)
    >>> bool(e.rejected), int(e.stopped_at)
    (True, 3)
    >>> [round(float(limit), 3) for limit in e.confidence_interval()]
    [0.115, 0.315]

    Parameters
    ----------
    level : float, default 0.05
        Bound on the overall error, from 1e-6 to .2; below some 6e-5 looks share it as Bonferroni does.
    start : int, default 3
        Number of repetitions at the first look, from 2 to M − 1.
    boundary : {"calibrated", "thesis", "per-look"}
        ``"calibrated"`` keeps the overall error; the other two are R19's, for comparison: t_{level/2} and
        t_level at each look (two-sided both t_{level/2}).
    futility : bool, default False
        Also stop where the interval at M would still hold the null if all repetitions to come repeated
        the present mean without any spread. This never raises the error.
    most : int, optional
        M, where ``d`` holds the repetitions so far; those of ``d`` if not given.
    """
    m = d.shape[-2]
    plan = _plan(start, m if most is None else most, side, level, boundary, futility)
    if not plan.start <= m <= plan.M:
        refuse("number of repetitions", f"from start = {plan.start} to M = {plan.M}", m)
    ready = range(plan.start, m + 1)
    looks = Looks.of(ready, [_look(d, k, null) for k in ready])
    found = _at_stop(looks, plan)
    flat = (looks.flat & (looks.each(looks.m) <= found["stopped_at"])).any(axis=0)
    return Answer(SequentialEstimate, flat=flat, **found)


def _nothing() -> Floats:
    return np.empty((0, 2))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class SequentialTest:
    """
    The sequential test as a value that is fed repetition after repetition; each look is computed once.

    Parameters
    ----------
    M : int, default 9
        The last repetition that may be run.
    null, alternative, level, start, boundary, futility
        As in :func:`mx2_sequential_t`.

    Examples
    --------
    >>> test = SequentialTest(M=9)
    >>> for first, second in [(0.21, 0.25), (0.19, 0.24), (0.22, 0.18)]:
    ...     test = test.feed(first, second)
    >>> test.decision, int(test.estimate.stopped_at)
    ('reject', 3)
    """

    M: int = 9
    null: float = 0.0
    alternative: str = "two-sided"
    level: float = 0.05
    start: int = 3
    boundary: str = "calibrated"
    futility: bool = False
    values: Floats = field(default_factory=_nothing, repr=False)
    _rows: tuple[tuple[Any, ...], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        values = repetitions("values", self.values, low=0)
        if 0 < np.abs(values).max(initial=0.0) < _SMALL:
            refuse("values", f"at least {_SMALL:g} in size, or 0", values, "rescale the data")
        start = self._plan().start
        new = range(start + len(self._rows), values.shape[-2] + 1)
        object.__setattr__(self, "_rows", (*self._rows, *(_look(values, m, float(self.null)) for m in new)))

    def _plan(self) -> Boundary:
        _, side = hypothesis(self.null, self.alternative)
        return _plan(self.start, self.M, side, self.level, self.boundary, self.futility)

    def feed(self, first: float, second: float) -> "SequentialTest":
        """Return the test after one more repetition with these two hold-out differences."""
        if self.stopped:
            refuse("repetition", "fed before the test has stopped", f"number {len(self.values) + 1}")
        row = [[number("first", first), number("second", second)]]
        return replace(self, values=np.concatenate([self.values, row]))

    @property
    def decision(self) -> Decision:
        """``"continue"``, ``"reject"`` or, at M or where it is futile to go on, ``"do not reject"``."""
        if not self._rows:
            return "continue"
        estimate = self._estimate()
        if estimate.rejected:
            return "reject"
        return "do not reject" if estimate.stopped else "continue"

    @property
    def stopped(self) -> bool:
        """Whether no more repetitions are wanted."""
        return self.decision != "continue"

    @property
    def estimate(self) -> SequentialEstimate:
        """The estimate after the repetitions so far; there must be ``start`` of them."""
        if not self._rows:
            refuse("number of repetitions", f"at least start = {self.start}", len(self.values))
        found = self._estimate()
        flat = found.looks.flat & (found.looks.each(found.looks.m) <= found.stopped_at)
        if np.any(flat):
            warn_degenerate(flat.any(axis=0))
        return found

    def _estimate(self) -> SequentialEstimate:
        plan, entry = self._plan(), METHODS["mx2-sequential-t"]
        looks = Looks.of(plan.looks[: len(self._rows)], self._rows)
        return SequentialEstimate(
            method=entry.key,
            estimand=entry.about(),
            card=entry.card,
            null=self.null,
            alternative=plan.side,
            **_at_stop(looks, plan),
        )
