"""The sequential m×2 test: stop as soon as the answer is clear (R19 section 5.3, boundary calibrated)."""

from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import flag, fraction, integer, number, one_of, refuse
from evenfold.core.estimate import Alternative, Floats, StudentT, TestEstimate, around
from evenfold.infer._boundary import boundary as calibrated
from evenfold.infer._inputs import hypothesis, repetitions
from evenfold.infer._registry import MX2_ANY_M, method, methods
from evenfold.infer._result import standardise, warn_degenerate
from evenfold.infer._spread import mean_and_v2
from evenfold.infer.theory import c_hat

_BOUNDARIES = ("calibrated", "thesis", "per-look")
_MOST = 31
_LEVELS = (1e-6, 0.2)

Booleans = NDArray[np.bool_]
Decision = Literal["continue", "reject", "do not reject"]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class _Plan:
    """The looks m = start..M and the level that each has on each side."""

    start: int
    M: int
    null: float
    side: Alternative
    level: float
    boundary: str
    futility: bool

    @property
    def sides(self) -> int:
        return 2 if self.side == "two-sided" else 1

    def df(self, m: Any) -> Floats:
        """Degrees of freedom at look m: those of the worst case (0, ½), or R19's."""
        df: Floats = np.asarray(m, dtype=float) if self.boundary == "calibrated" else 2.0 * np.asarray(m) - 1
        return df

    @property
    def per_look(self) -> float:
        """Level per look and side."""
        if self.boundary == "calibrated":
            return calibrated(self.start, self.M).per_look(self.level, sides=self.sides)
        return self.level / 2 if self.boundary == "thesis" else self.level / self.sides

    def overall(self, per_look: Floats) -> Floats:
        """The level at which looks would have the level ``per_look`` on each side."""
        if self.boundary == "calibrated":
            return calibrated(self.start, self.M).error(per_look, sides=self.sides)
        return np.minimum((2 if self.boundary == "thesis" else self.sides) * per_look, 1.0)

    def towards(self, statistic: Floats) -> Floats:
        """The statistic, signed so that large values speak for the alternative."""
        return {"two-sided": np.abs(statistic), "greater": statistic, "less": -statistic}[self.side]


def _plan(
    start: object,
    M: object,
    null: object,
    alternative: object,
    level: object,
    boundary: object,
    futility: object,
) -> _Plan:
    start = integer("start", start, low=2, high=_MOST - 1)
    M = integer("number of repetitions M", M, low=start + 1, high=_MOST)
    boundary = one_of("boundary", boundary, _BOUNDARIES)
    low, high = _LEVELS if boundary == "calibrated" else (1e-9, 0.5)
    level = number("level", level, low=low, high=high)
    value, side = hypothesis(null, alternative)
    return _Plan(
        start=start,
        M=M,
        null=value,
        side=side,
        level=level,
        boundary=boundary,
        futility=flag("futility", futility),
    )


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class SequentialEstimate(TestEstimate):
    """
    The outcome of a sequential test at its stop.

    Attributes
    ----------
    rejected : array of bool
        Whether the boundary was crossed.
    stopped_at : array of int
        The number of repetitions m at the stop.
    futile : array of bool
        Whether the test stopped because it could hardly reject any more.
    boundary : str
        ``"calibrated"``, ``"thesis"`` or ``"per-look"``.
    """

    rejected: Booleans
    stopped_at: NDArray[np.int64]
    futile: Booleans
    boundary: str
    _reach: Floats
    _seen: Floats
    _plan: _Plan

    @property
    def df(self) -> Floats:
        """Degrees of freedom of the reference at the stop."""
        return self._plan.df(self.stopped_at)

    @property
    def pvalue(self) -> Floats:
        """The smallest level at which the test would have rejected by the stop."""
        looks = self._plan.start + np.arange(len(self._seen))
        df = self._plan.df(looks).reshape((-1,) + (1,) * (self._seen.ndim - 1))
        return self._plan.overall(StudentT(df).sf(self._seen).min(axis=0)[()])

    def at(self, level: float) -> Self:
        """Return the estimate at the same stop with another level: the looks hold at any one of them."""
        if level == self.level:
            return self
        plan = replace(self._plan, level=number("level", level, low=_LEVELS[0], high=0.5))
        reach = StudentT(self.df).isf(plan.per_look) * self.standard_error
        rejected = np.asarray(self.pvalue <= level)[()]
        return replace(self, level=level, rejected=rejected, _reach=reach, _plan=plan)

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Interval, or bound, that allows for the stop; it exists at 1 − level only."""
        if confidence_level is not None:
            given = fraction("confidence_level", confidence_level)
            if not np.isclose(given, 1 - self.level, rtol=0, atol=1e-9):
                rule = f"{1 - self.level:g}, for which the test was planned,"
                refuse("confidence_level", rule, given, f"plan the test with level={1 - given:g}")
        quantile = StudentT(self.df).isf(self._plan.per_look)
        return around(self.value, self._reach, self.alternative, self.bounds, quantile=quantile)


@method(
    "mx2-sequential-t",
    designs=MX2_ANY_M,
    inputs=("repetitions",),
    training_size="n/2",
    leaning="conservative",
    why="overall error at most the level for ρ1, ρ2 up to ½; far below it where ρ2 is near .2",
    source="R19 section 5.3 and algorithm 5.1, its boundary replaced by a calibrated one",
    recommended=True,
)
def mx2_sequential_t(
    d: Any,
    *,
    null: float = 0.0,
    alternative: str = "two-sided",
    level: float = 0.05,
    start: int = 3,
    boundary: str = "calibrated",
    futility: bool = False,
) -> SequentialEstimate:
    """
    Test the mean of an m×2 design after each repetition, from ``start`` to M, and stop when it is clear.

    Parameters
    ----------
    d : array of shape (..., M, 2)
        Differences B − A, repetition by repetition, up to the last that may be needed (M ≤ 31).
    null, alternative
        The difference that is tested, and the side of a discovery: see :mod:`evenfold.infer`.
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

    Returns
    -------
    SequentialEstimate
        ``rejected``, ``stopped_at``, and the estimate at the stop: μ̂, standard error Ĉ_m·√V2, the
        interval μ̂ ± q_m·Ĉ_m·√V2, and as p-value the smallest level that would have rejected by the stop.

    Notes
    -----
    The calibrated q_m is a quantile of t_m, the law of the statistic at its worst, (ρ1, ρ2) = (0, ½); all
    looks have the same per-look level, chosen so that under the Gaussian model the overall error is at most
    ``level`` for all ρ1, ρ2 in [0, ½]. As the intervals of all looks hold the truth together with
    probability 1 − level, the one at the stop does, whatever the reason for stopping.

    *Validity.* Conservative for ρ2 below ½, strongly so near .2, where most differences of algorithms are;
    not covered above ½. The estimate itself is biased away from the null, as after every early stop.
    ``"per-look"`` errs up to .09 at .05 one-sided, ``"thesis"`` up to .058 (two-sided both up to .11).

    References
    ----------
    R19 section 5.3.

    Examples
    --------
    >>> import evenfold as ef
    >>> d = [[0.21, 0.25], [0.19, 0.24], [0.22, 0.18], [0.20, 0.23], [0.24, 0.20]]
    >>> e = ef.infer.mx2_sequential_t(d)
    >>> bool(e.rejected), int(e.stopped_at)
    (True, 3)
    >>> [round(float(limit), 3) for limit in e.confidence_interval()]
    [0.115, 0.315]
    """
    d = repetitions("d", d)
    return _evaluate(d, _plan(start, d.shape[-2], null, alternative, level, boundary, futility))


def _evaluate(d: Floats, plan: _Plan) -> SequentialEstimate:
    """Run the test on ``d``, which may hold fewer than M repetitions so far."""
    looks = np.arange(plan.start, d.shape[-2] + 1)
    value, error, statistic, flat = _looks(d, looks, plan.null)
    towards = plan.towards(statistic)
    shape = (-1,) + (1,) * (d.ndim - 2)
    q = StudentT(plan.df(looks)).isf(plan.per_look).reshape(shape)
    # A few equal repetitions of coarse data prove nothing: without spread only the last look decides.
    crossed = (towards > q) & ~(flat & (looks.reshape(shape) < plan.M))
    futile = _futile(towards, looks.reshape(shape), plan) & ~crossed
    stop = _first(crossed | futile)
    seen = np.arange(len(looks)).reshape(shape) <= stop
    says_nothing = ~seen | (flat & ((statistic == 0) | (looks.reshape(shape) < plan.M)))
    if np.any(flat & seen):
        warn_degenerate((flat & seen).any(axis=0), stacklevel=4)
    entry = methods()["mx2-sequential-t"]
    return SequentialEstimate(
        method="mx2-sequential-t",
        estimand=entry.about(),
        card=entry.card,
        value=_at(value, stop),
        standard_error=_at(error, stop),
        statistic=_at(statistic, stop),
        null=plan.null,
        alternative=plan.side,
        rejected=_at(crossed, stop),
        stopped_at=(looks[stop])[()],
        futile=_at(futile, stop),
        level=plan.level,
        boundary=plan.boundary,
        _reach=_at(error * q, stop),
        _seen=np.where(says_nothing, -np.inf, towards),
        _plan=plan,
    )


def _looks(d: Floats, looks: NDArray[np.int64], null: float) -> tuple[Any, ...]:
    """Mean, standard error, statistic and lack of spread at each look, looks first."""
    rows = []
    for m in looks:
        value, v2 = mean_and_v2(d[..., :m, :])
        statistic, error, flat = standardise(value, c_hat(m) ** 2 * v2, null)
        rows.append((value, error, statistic, flat))
    return tuple(np.stack(column) for column in zip(*rows, strict=True))


def _futile(towards: Floats, m: NDArray[np.int64], plan: _Plan) -> Booleans:
    """Whether M repetitions would not reject even if those to come had no spread: V2 falls to V2·m/M."""
    if not plan.futility:
        return np.zeros(towards.shape, dtype=bool)
    last = c_hat(plan.M) * StudentT(plan.df(plan.M)).isf(plan.per_look)
    hopeless: Booleans = (towards * c_hat(m) <= last * np.sqrt(m / plan.M)) & (m < plan.M)
    return hopeless


def _first(stops: Booleans) -> NDArray[np.intp]:
    """Index of the first look that stops, else of the last look."""
    return np.where(stops.any(axis=0), stops.argmax(axis=0), len(stops) - 1)


def _at(values: NDArray[Any], stop: NDArray[np.intp]) -> Any:
    return np.take_along_axis(values, np.asarray(stop)[None], axis=0)[0][()]


def _nothing() -> Floats:
    return np.empty((0, 2))


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class SequentialTest:
    """
    The sequential test as a value that is fed repetition after repetition.

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

    def __post_init__(self) -> None:
        repetitions("values", self.values, low=0)
        self._plan()

    def _plan(self) -> _Plan:
        return _plan(
            self.start, self.M, self.null, self.alternative, self.level, self.boundary, self.futility
        )

    def feed(self, first: float, second: float) -> "SequentialTest":
        """Return the test after one more repetition with these two hold-out differences."""
        if self.stopped:
            refuse("repetition", "fed before the test has stopped", f"number {len(self.values) + 1}")
        row = [[number("first", first), number("second", second)]]
        return replace(self, values=np.concatenate([self.values, row]))

    @property
    def decision(self) -> Decision:
        """``"continue"``, ``"reject"`` or, at M or where it is futile to go on, ``"do not reject"``."""
        if len(self.values) < self.start:
            return "continue"
        estimate = self.estimate
        if estimate.rejected:
            return "reject"
        return "do not reject" if estimate.futile or len(self.values) == self.M else "continue"

    @property
    def stopped(self) -> bool:
        """Whether no more repetitions are wanted."""
        return self.decision != "continue"

    @property
    def estimate(self) -> SequentialEstimate:
        """The estimate after the repetitions so far; there must be ``start`` of them."""
        if len(self.values) < self.start:
            refuse("number of repetitions", f"at least start = {self.start}", len(self.values))
        return _evaluate(self.values, self._plan())
