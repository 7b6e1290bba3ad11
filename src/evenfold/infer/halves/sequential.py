"""The sequential m×2 test: stop as soon as the answer is clear (R19 5.3, calibrated boundary)."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Self, cast

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evenfold.core.checks import flag, fraction, integer, number, one_of, refuse, refuse_value
from evenfold.core.environment import recall, remember, user_cache
from evenfold.core.estimate import (
    Alternative,
    Floats,
    TestEstimate,
    interval_around,
    t_quantile,
    t_tail,
)
from evenfold.core.partition import MX2_BCV
from evenfold.core.rng import stream
from evenfold.core.sharing import SharedLevel
from evenfold.infer._arrays import (
    ArrayLike,
    floats,
    hypothesis,
    mean_and_v2,
    repetitions,
    safe_variance,
    standardise,
    warn_degenerate,
)
from evenfold.infer._base import method
from evenfold.infer._designs import HALVES
from evenfold.infer._registry import METHODS
from evenfold.infer.theory.gaussian import c_hat

if TYPE_CHECKING:
    from scipy.interpolate import PchipInterpolator


Booleans = NDArray[np.bool_]
Decision = Literal["continue", "reject", "do not reject"]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Looks:
    """
    What was seen at each look; the first axis of each array is that of the looks.

    Attributes
    ----------
    m : array of int
        Repetitions.
    value, error, statistic : array
        The estimate, its standard error and the statistic of the test at this look alone.
    flat : array of bool
        Whether nothing varied.
    """

    m: NDArray[np.int64]
    value: Floats
    error: Floats
    statistic: Floats
    flat: Booleans

    @classmethod
    def of(cls, m: Sequence[int], rows: Iterable[Sequence[Any]]) -> Self:
        """Put looks together, each a row of all that was seen after so many repetitions."""
        value, error, statistic, flat = (np.stack(column) for column in zip(*rows, strict=True))
        return cls(m=np.array(m), value=value, error=error, statistic=statistic, flat=flat)

    def __mul__(self, unit: float) -> Self:
        return replace(self, value=self.value * unit, error=self.error * unit)

    def last(self) -> Self:
        """Return the last look alone."""
        last = {field.name: getattr(self, field.name)[-1:] for field in fields(self)}
        return replace(self, **last)

    def are_flat_by(self, stopped_at: Any) -> Booleans:
        """Whether nothing varied at any look up to the stop."""
        return cast("Booleans", (self.flat & (self.each(self.m) <= stopped_at)).any(axis=0))

    def each(self, numbers: Any) -> Any:
        """Shape one number per look like the looks."""
        return np.asarray(numbers).reshape((-1,) + (1,) * (self.value.ndim - 1))


# The calibrated boundary of the sequential test: overall error as a function of the level of one
# look.
#
# Under the Gaussian model the halves of an m×2 design have three covariance eigenvalues, so they
# can be written with independent standard normals G, E_i, R_i, where λ1 = 1 − ρ1 and λ2 = 1 + ρ1 −
# 2ρ2, as
#
# - mean of the repetitions up to m: √ρ2·G + √(λ2/2)·R̄_m, - 2m·V2: λ1·ΣE_i² + λ2·Σ(R_i − R̄_m)².
#
# The test crosses its boundary c_m = Ĉ_m·q_m at some look if and only if √ρ2·G exceeds the minimum
# over the looks of c_m·√V2 − √(λ2/2)·R̄_m; given the E and R that probability is exact, so only
# they are simulated, once for all (ρ1, ρ2) and all levels. The error rises in ρ2 and is convex in
# ρ1 along ρ2 = ½, so the worst case is at (0, ½), where all looks share one numerator, or for
# levels of about .1 and more at (½, ½). Levels above the range of the test, of which only p-values
# speak, have their worst case at ρ2 = 0.


# Levels per look and side at which the overall error is known.
NODES: Floats = np.concatenate([np.geomspace(1e-5, 0.4, 28), [0.5, 0.6, 0.7, 0.8, 0.9, 0.97]])
_CORNERS = [(0.0, 0.5), (0.5, 0.5)]
_OTHERS = [(rho1, rho2) for rho2 in (0.0, 0.25) for rho1 in (0.0, 0.25, 0.5)]
_BATCHES = 32
_BATCH = 2048
_RANGE = (1e-9, 1 - 1e-7)  # where probits are finite, and seven digits do not round to 1
# standard errors of the simulation that are added to the error, to be on the safe side
_MARGIN = 3.0
_VERSION = 1  # of the cached files; raise it when anything above changes


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class ErrorCurves:
    """
    The overall error of a sequential test that gives every look the same level.

    Attributes
    ----------
    looks : int
        Number of looks, M − start + 1.
    errors : array of shape (3, 2, nodes)
        Overall error at each corner and the worst elsewhere, one- and two-sided, when each side of
        each look has the level ``NODES``. The three are kept apart because their maximum has kinks.
    """

    looks: int
    errors: Floats

    def error(self, per_look: Floats, *, sides: int) -> Floats:
        """Return the overall error if every look has level ``per_look`` on each side."""
        inside = special.ndtri(np.clip(per_look, NODES[0], NODES[-1]))
        error = special.ndtr(np.max([curve(inside) for curve in _curves(self, sides)], axis=0))
        # Below the nodes the worst case is (0, ½), where each look alone errs at most at its level.
        error = np.where(
            per_look < NODES[0], np.minimum(error, sides * self.looks * per_look), error
        )
        return np.where(per_look > NODES[-1], 1.0, error)[()]

    def per_look(self, level: float, *, sides: int) -> float:
        """Return the level of each side of each look for which the overall error is ``level``."""
        # below the nodes each look alone errs at its level
        if level < self.errors[:, sides - 1, 0].max():
            return level / (sides * self.looks)
        target = special.ndtri(level)
        roots = [curve.solve(target, extrapolate=False).min() for curve in _curves(self, sides)]
        return float(special.ndtr(min(roots)))


@cache
def _curves(boundary: ErrorCurves, sides: int) -> "list[PchipInterpolator]":
    """Return the probits of the errors as functions of the probit of the level per look."""
    from scipy.interpolate import PchipInterpolator  # would make importing this package much slower

    x = special.ndtri(NODES)
    return [PchipInterpolator(x, special.ndtri(error)) for error in boundary.errors[:, sides - 1]]


@cache
def calibrated_errors(start: int, M: int) -> ErrorCurves:
    """
    Return the boundary for looks start..M.

    It is shipped with the package, else read from the user's cache, else computed.
    """
    errors = _shipped_boundaries().get(f"{start}-{M}") or _cached_errors(start, M)
    return ErrorCurves(looks=M - start + 1, errors=np.array(errors))


def _cached_errors(start: int, M: int) -> Any:
    file = user_cache() / f"boundary-v{_VERSION}-{start}-{M}.json"
    errors = recall(file)
    if not _is_table(errors):
        errors = compute(start, M)
        remember(file, errors)
    return errors


def compute(start: int, M: int, *, batches: int = _BATCHES) -> list[list[list[float]]]:
    """Simulate the errors of :class:`ErrorCurves`, with a margin for simulation error."""
    errors = np.array([_errors(paths, start, M) for paths in _paths(start, M, batches)])
    safe = errors.mean(axis=0) + _MARGIN * errors.std(axis=0, ddof=1) / np.sqrt(batches)
    corners, others = np.split(safe, [len(_CORNERS)])
    worst = np.concatenate([corners, others.max(axis=0, keepdims=True)])
    rising = np.clip(np.maximum.accumulate(worst, axis=-1), *_RANGE)
    return [[[float(f"{error:.7g}") for error in curve] for curve in sides] for sides in rising]


def _paths(start: int, M: int, batches: int) -> Iterator[tuple[Floats, ...]]:
    """
    Yield (weights, ΣE², Σ(R − R̄)², R̄) for batches of draws.

    The arrays have one row per look.
    """
    m = np.arange(1, M + 1)[:, None]
    for batch in range(batches):
        rng = stream(0, "sequential boundary", start, M, batch)
        # The error comes from small variances at the first look: strata of ΣE² there, denser near
        # zero.
        v = (np.arange(_BATCH) + rng.random(_BATCH)) / _BATCH
        first = 2 * special.gammaincinv(start / 2, v**2)
        E2 = np.cumsum(np.vstack([first, rng.standard_normal((M - start, _BATCH)) ** 2]), axis=0)
        R = rng.standard_normal((M, _BATCH))
        R_mean = np.cumsum(R, axis=0) / m
        R2 = np.cumsum(R**2, axis=0) - m * R_mean**2
        yield 2 * v, E2, R2[start - 1 :], R_mean[start - 1 :]


def _errors(paths: tuple[Floats, ...], start: int, M: int) -> Floats:
    """Return the overall errors of one batch: correlations × (one-sided, two-sided) × nodes."""
    weights, E2, R2, R_mean = paths
    m = np.arange(start, M + 1.0)[:, None]
    correlations = [*_CORNERS, *_OTHERS]
    errors = np.empty((len(correlations), 2, len(NODES)))
    for i, (rho1, rho2) in enumerate(correlations):
        lambda1 = 1 - rho1
        lambda2 = 1 + rho1 - 2 * rho2
        scale = c_hat(m) * np.sqrt((lambda1 * E2 + lambda2 * R2) / (2 * m))
        shift = np.sqrt(lambda2 / 2) * R_mean
        for j, per_look in enumerate(NODES):
            # q_m is the quantile of t_m, the worst law, (ρ1, ρ2) = (0, ½)
            reach = t_quantile(m, per_look) * scale
            up = _exceeds((reach - shift).min(axis=0), rho2)
            down = _exceeds((reach + shift).min(axis=0), rho2)
            errors[i, 0, j] = np.mean(weights * (up + down)) / 2
            errors[i, 1, j] = np.mean(weights * np.minimum(up + down, 1))
    return errors


def _exceeds(bound: Floats, rho2: float) -> Floats:
    """Return P(√ρ2·G > bound)."""
    return special.ndtr(-bound / np.sqrt(rho2)) if rho2 > 0 else (bound < 0).astype(float)


def _is_table(errors: Any) -> bool:
    with suppress(ValueError):  # lists of several lengths
        return bool(np.shape(errors) == (3, 2, len(NODES)))
    return False


@cache
def _shipped_boundaries() -> dict[str, Any]:
    """Return the errors for start 3 and M from 3 to 31, made with eight times the usual batches."""
    text = (files("evenfold.infer.halves") / "boundaries.json").read_text(encoding="utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


_BOUNDARIES = ("calibrated", "thesis", "per-look")
_MOST = 31
_LEVELS = (1e-6, 0.2)
_SMALL = 1e-100  # whose square is a number with all its digits
FLAT = "the repetitions so far do not vary at all, so that only the last one may decide"


class SequentialLook(NamedTuple):
    """The interval that a sequential test gives after m repetitions."""

    m: int
    value: float
    low: float
    high: float


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Boundary:
    """The looks m = start..M, their overall error, and the level that each has on a side."""

    looks: tuple[int, ...]
    side: Alternative
    level: float
    boundary: str
    futility: bool

    @property
    def M(self) -> int:  # noqa: N802  (the symbol of the last repetition)
        """Return the last look."""
        return self.looks[-1]

    @property
    def tails(self) -> int:
        """Return the number of sides on which a discovery can be."""
        if self.side == "two-sided":
            return 2
        return 1

    def towards(self, away: Floats) -> Floats:
        """Return the evidence for the alternative, signed so that large values speak for it."""
        return {"two-sided": np.abs(away), "greater": away, "less": -away}[self.side]

    @property
    def start(self) -> int:
        """Return the first look."""
        return self.looks[0]

    def df(self, m: Any) -> Floats:
        """Return the degrees of freedom at look m: those of the worst case (0, ½), or R19's."""
        if self.boundary == "calibrated":
            return np.asarray(m, dtype=float)
        return 2.0 * np.asarray(m) - 1

    @property
    def per_look(self) -> float:
        """Return the level per look and side."""
        if self.boundary == "calibrated":
            return calibrated_errors(self.start, self.M).per_look(self.level, sides=self.tails)
        if self.boundary == "thesis":
            return self.level / 2
        return self.level / self.tails

    def quantiles(self, m: Any) -> Floats:
        """Return the boundary at look m, in standard errors."""
        # there are few looks, but there may be many data sets
        each = t_quantile(self.df(self.looks), self.per_look)
        return cast("Floats", each[np.asarray(m) - self.start])

    def overall(self, per_look: Floats) -> Floats:
        """Return the overall level at which looks have the level ``per_look`` on each side."""
        if self.boundary == "calibrated":
            return calibrated_errors(self.start, self.M).error(per_look, sides=self.tails)
        return np.minimum((2 if self.boundary == "thesis" else self.tails) * per_look, 1.0)

    def stops(self, looks: Looks) -> tuple[Booleans, Booleans]:
        """Return where the boundary is crossed, and where it is futile to go on, at each look."""
        m = looks.each(looks.m)
        towards = self.towards(looks.statistic)
        # A few equal repetitions of coarse data prove nothing: without spread only the last look
        # decides.
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
    start = integer("start", start, low=2, high=_MOST)
    # with M = start there is one look; if both are 3, it is R19's blocked 3×2 test
    M = integer("number of repetitions M", M, low=start, high=_MOST)
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
class SequentialEstimate(TestEstimate):
    """
    The outcome of the sequential test of means at its stop, or so far.

    Attributes
    ----------
    rejected : array of bool
        Whether a look rejected.
    stopped_at : array of int
        The number of repetitions m at the stop.
    futile : array of bool
        Whether the test stopped because it could hardly reject any more.
    looks : Looks
        What was seen at each look, also after the stop where there were more.
    plan : Boundary
        Looks, boundary and level.
    """

    units = MappingProxyType({"value": 1, "standard_error": 1, "looks": 1})

    rejected: Booleans
    stopped_at: NDArray[np.int64]
    futile: Booleans
    looks: Looks
    plan: Boundary

    @property
    def stopped(self) -> Booleans:
        """Whether no more repetitions are wanted: rejected, futile, or at M."""
        return cast("Booleans", self.rejected | self.futile | (self.stopped_at == self.plan.M))

    @property
    def undecided(self) -> str:
        """Say why no difference may be claimed at the stop."""
        # A few equal repetitions of coarse data prove nothing.
        if np.all((self.standard_error > 0) | (self.stopped_at == self.plan.M)):
            return ""
        return FLAT

    def latest(self) -> Self:
        """Return the estimate at the last look, by that look alone."""
        looks = self.looks.last()
        m = looks.m[-1]
        latest = replace(
            self,
            value=looks.value[-1],
            standard_error=looks.error[-1],
            statistic=looks.statistic[-1],
            stopped_at=np.full_like(self.stopped_at, m)[()],
            futile=self.futile & (self.stopped_at == m),
            looks=looks,
        )
        return replace(latest, rejected=np.asarray(latest.pvalue <= self.plan.level)[()])

    def at(self, level: float, shared: SharedLevel | None = None) -> Self:
        """Return the estimate at the same stop with another level; the looks hold at any one."""
        per_test = level
        if shared is not None:
            per_test = shared.per_test(level)
        if per_test == self.plan.level:
            if level == self.level and shared is self.shared:
                return self
            return replace(self, level=level, shared=shared)
        plan = replace(self.plan, level=number("level", per_test, low=_LEVELS[0], high=0.5))
        changed = replace(self, level=level, shared=shared, plan=plan)
        return replace(changed, rejected=np.asarray(changed.pvalue <= per_test)[()])

    @property
    def boundary(self) -> str:
        """Return the kind of boundary of the test."""
        return self.plan.boundary

    @property
    def df(self) -> Floats:
        """Return the degrees of freedom of the reference at the stop."""
        return self.plan.df(self.stopped_at)

    @property
    def pvalue(self) -> Floats:
        """Return the smallest level at which the test would have rejected by the stop."""
        looks = self.looks
        m = self.looks.each(self.looks.m)
        silent = looks.flat & ((looks.statistic == 0) | (m < self.plan.M))
        seen = np.where(silent | (m > self.stopped_at), -np.inf, self.plan.towards(looks.statistic))
        return self.plan.overall(t_tail(self.plan.df(m), seen).min(axis=0)[()])

    def confidence_interval(self, confidence_level: float | None = None) -> tuple[Floats, Floats]:
        """Return the interval, or bound, that allows for the stop; it exists at 1 − level only."""
        if confidence_level is not None:
            requested = fraction("confidence_level", confidence_level)
            if not np.isclose(requested, 1 - self.level, rtol=0, atol=1e-9):
                rule = f"{1 - self.level:g}, for which the test was planned,"
                refuse_value(
                    "confidence_level",
                    requested,
                    rule,
                    f"Plan the test with level={1 - requested:g}.",
                )
        return self._interval(self.value, self.standard_error, self.stopped_at)

    def _interval(self, value: Any, error: Any, m: Any) -> tuple[Floats, Floats]:
        quantile = self.plan.quantiles(m)
        return interval_around(
            value, error * quantile, self.alternative, self.bounds, quantile=quantile
        )

    @property
    def path(self) -> tuple[SequentialLook, ...]:
        """Return the simultaneous intervals of all looks up to the stop, of one data set."""
        looks = self.looks
        seen = self.looks.m <= self.stopped_at
        low, high = self._interval(looks.value[seen], looks.error[seen], looks.m[seen])
        columns = looks.m[seen].tolist(), looks.value[seen].tolist(), low.tolist(), high.tolist()
        return tuple(SequentialLook(*row) for row in zip(*columns, strict=True))


def _at_stop(looks: Looks, plan: Boundary) -> dict[str, Any]:
    """Return the fields of the estimate at the first look that stops the test, or at the last."""
    rejected, futile = plan.stops(looks)
    stops = rejected | futile
    stop = np.where(stops.any(axis=0), stops.argmax(axis=0), len(stops) - 1)
    seen = {
        "value": looks.value,
        "standard_error": looks.error,
        "statistic": looks.statistic,
        "rejected": rejected,
        "futile": futile,
    }
    at_stop = {
        name: np.take_along_axis(at_looks, stop[None], axis=0)[0][()]
        for name, at_looks in seen.items()
    }
    known = {"looks": looks, "plan": plan, "level": plan.level}
    return {**at_stop, **known, "stopped_at": looks.m[stop][()]}


def _look(d: Floats, m: int, null: float) -> tuple[Any, ...]:
    """Return mean, standard error, statistic and lack of spread of the first m repetitions."""
    value, v2 = mean_and_v2(d[..., :m, :])
    statistic, error = standardise(value, safe_variance(v2, m), null)
    return value, error, statistic, error == 0


def _plan_of_run(
    m: int,
    most: object = None,
    level: object = 0.05,
    start: object = 3,
    boundary: object = "calibrated",
    alternative: Alternative = "two-sided",
    *,
    futility: object = False,
) -> Boundary:
    """Return the boundary of a test that has seen m repetitions, or refuse them."""
    plan = _plan(start, m if most is None else most, alternative, level, boundary, futility)
    if not plan.start <= m <= plan.M:
        refuse(
            None,
            f"number of repetitions must be from start = {plan.start} to M = {plan.M} but got {m}.",
        )
    return plan


@method(
    name="the sequential m×2 cv t-test",
    valid=HALVES,
    check=_plan_of_run,
    conservative="Its overall error is at most the level for ρ1 and ρ2 up to ½, and far below the "
    "level where ρ2 is near .2.",
    source="R19 section 5.3 and algorithm 5.1, its boundary replaced by a calibrated one",
    default_for=(MX2_BCV,),
    sequential=True,
    looks=tuple(range(3, _MOST + 1)),
)
def mx2_sequential_t(
    d: ArrayLike,
    *,
    level: float = 0.05,
    start: int = 3,
    boundary: str = "calibrated",
    futility: bool = False,
    most: int | None = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
) -> SequentialEstimate:
    """
    Test the mean of an m×2 design after each repetition, from ``start`` to M; stop when clear.

    Parameters
    ----------
    d : array of shape (..., m, 2)
        Differences B − A, repetition by repetition.
    level : float, default 0.05
        Bound on the overall error, from 1e-6 to .2; below some 6e-5 looks share it as Bonferroni
        does.
    start : int, default 3
        Number of repetitions at the first look, from 2 to M. If it equals M, there is one look.
    boundary : {"calibrated", "thesis", "per-look"}
        ``"calibrated"`` keeps the overall error; the other two are R19's, for comparison:
        t_{level/2} and t_level at each look (two-sided both t_{level/2}).
    futility : bool, default False
        Also stop where the interval at M would still hold the null if all repetitions to come
        repeated the present mean without any spread. This never raises the error.
    most : int, optional
        M, where ``d`` holds the repetitions so far; those of ``d`` if not given.
    null : float, default 0
        The difference Δ that is tested, in the units of the data.
    alternative : {"two-sided", "greater", "less"}
        The side of the null on which the truth would be a discovery, about B − A in the measure's
        units.

    Returns
    -------
    SequentialEstimate
        The estimate, with a test of ``null`` and the interval that agrees with it.

    Notes
    -----
    The calibrated q_m is a quantile of t_m, the law of the statistic at its worst, (ρ1, ρ2) = (0,
    ½); all looks have the same per-look level, chosen so that under the Gaussian model the overall
    error is at most ``level`` for all ρ1, ρ2 in [0, ½]. As the intervals of all looks hold the
    truth together with probability 1 − level, the one at the stop does, whatever the reason for
    stopping.

    *Formula.* ``rejected``, ``stopped_at``, and the estimate at the stop: μ̂, standard error
    Ĉ_m·√V2, the interval μ̂ ± q_m·Ĉ_m·√V2, and as p-value the smallest level that would have
    rejected by the stop.

    *Validity.* It is conservative for ρ2 below ½, strongly so near .2, where most differences of
    algorithms are. Nothing is known of ρ2 above ½. The estimate itself is biased away from the
    null, as after every early stop. ``"per-look"`` errs up to .09 at .05 one-sided, ``"thesis"`` up
    to .056 (two-sided both up to .11).

    *How it errs.* It is conservative. Its overall error is at most the level for ρ1 and ρ2 up to ½,
    and far below the level where ρ2 is near .2. It estimates the expected difference B − A at
    training size n/2.

    References
    ----------
    R19 section 5.3 and algorithm 5.1, its boundary replaced by a calibrated one. Wang, R. (2019).
    Regularized cross-validation methods for comparing the predictive performance of supervised
    learning algorithms (in Chinese). Doctoral thesis, Shanxi University.

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
    d = floats(d)
    m = d.shape[-2]
    plan = _plan_of_run(m, most, level, start, boundary, alternative, futility=futility)
    ready = range(plan.start, m + 1)
    looks = Looks.of(ready, [_look(d, k, null) for k in ready])
    at_stop = _at_stop(looks, plan)
    warn_degenerate(looks.are_flat_by(at_stop["stopped_at"]))
    return SequentialEstimate(null=null, alternative=alternative, **at_stop)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class SequentialTest:
    """
    The sequential test as a value that takes one repetition after another.

    Each look is computed once.

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
    values: Floats = field(default_factory=lambda: np.empty((0, 2)), repr=False)
    _rows: tuple[tuple[Any, ...], ...] = field(default=(), repr=False)

    def __post_init__(self) -> None:
        values = repetitions("values", self.values, low=0)
        if 0 < np.abs(values).max(initial=0.0) < _SMALL:
            refuse_value(
                "values", values, f"at least {_SMALL:g} in size, or 0,", "Rescale the data."
            )
        start = self._plan().start
        new = range(start + len(self._rows), values.shape[-2] + 1)
        object.__setattr__(
            self, "_rows", (*self._rows, *(_look(values, m, float(self.null)) for m in new))
        )

    def _plan(self) -> Boundary:
        _, side = hypothesis(self.null, self.alternative)
        return _plan(self.start, self.M, side, self.level, self.boundary, self.futility)

    def feed(self, first: float, second: float) -> "SequentialTest":
        """Return the test after one more repetition with these two hold-out differences."""
        if self.stopped:
            refuse(
                "repetition",
                "repetition must be fed before the test has stopped but got number "
                f"{len(self.values) + 1}.",
            )
        row = [[number("first", first), number("second", second)]]
        return replace(self, values=np.concatenate([self.values, row]))

    @property
    def decision(self) -> Decision:
        """``"continue"``, ``"reject"`` or, at M or where futile, ``"do not reject"``."""
        if not self._rows:
            return "continue"
        estimate = self._estimate()
        if estimate.rejected:
            return "reject"
        if estimate.stopped:
            return "do not reject"
        return "continue"

    @property
    def stopped(self) -> bool:
        """Whether the test needs no more repetitions."""
        return self.decision != "continue"

    @property
    def estimate(self) -> SequentialEstimate:
        """Return the estimate after the repetitions so far, of which there must be ``start``."""
        if not self._rows:
            refuse(
                None,
                f"number of repetitions must be at least start = {self.start} but got "
                f"{len(self.values)}.",
            )
        estimate = self._estimate()
        warn_degenerate(estimate.looks.are_flat_by(estimate.stopped_at), stacklevel=3)
        return estimate

    def _estimate(self) -> SequentialEstimate:
        plan = self._plan()
        entry = METHODS["mx2-sequential-t"]
        looks = Looks.of(plan.looks[: len(self._rows)], self._rows)
        estimate = SequentialEstimate(
            null=self.null, alternative=plan.side, **_at_stop(looks, plan)
        )
        stamped: SequentialEstimate = entry.stamp(estimate, entry.about())
        return stamped
