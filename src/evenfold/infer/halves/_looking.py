"""Tests that look while repetitions are added: what was seen at each look, and the estimate at the stop."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import number
from evenfold.core.estimate import Alternative, Floats, LookingEstimate

Booleans = NDArray[np.bool_]
T = TypeVar("T", bound=np.generic)


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Looks:
    """
    What was seen at each look, looks first.

    Attributes
    ----------
    m : array of int
        Repetitions.
    value, error, statistic : array
        Of the test at this look alone.
    flat : array of bool
        Whether nothing varied.
    """

    sized: ClassVar[tuple[str, ...]] = ("value", "error")  # what has the measure's unit

    m: NDArray[np.int64]
    value: Floats
    error: Floats
    statistic: Floats
    flat: Booleans

    @classmethod
    def of(cls, m: Sequence[int], rows: Iterable[Sequence[Any]]) -> Self:
        """Put looks together, each a row of all that was seen after so many repetitions."""
        names = [field.name for field in fields(cls)][1:]
        columns = (np.stack(column) for column in zip(*rows, strict=True))
        return cls(m=np.array(m), **dict(zip(names, columns, strict=True)))

    def __mul__(self, unit: float) -> Self:
        return replace(self, **{name: getattr(self, name) * unit for name in self.sized})

    def __add__(self, later: Self) -> Self:
        both = {field.name: (getattr(self, field.name), getattr(later, field.name)) for field in fields(self)}
        return replace(self, **{name: np.concatenate(pair) for name, pair in both.items()})

    def last(self) -> Self:
        """Return the last look alone."""
        return replace(self, **{field.name: getattr(self, field.name)[-1:] for field in fields(self)})

    def each(self, numbers: Any) -> Any:
        """Shape one number per look like the looks."""
        return np.asarray(numbers).reshape((-1,) + (1,) * (self.value.ndim - 1))

    def after(self, m: Any, numbers: NDArray[T]) -> NDArray[T]:
        """Of numbers that every look has, those of the look after m repetitions of a data set."""
        place = np.asarray(np.searchsorted(self.m, m))
        found: NDArray[T] = np.take_along_axis(numbers, place[None], axis=0)[0][()]
        return found


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Timetable:
    """After how many repetitions a test looks, and the error that all looks together may have."""

    levels: ClassVar[tuple[float, float]] = (0.0, 1.0)

    looks: tuple[int, ...]
    side: Alternative
    level: float

    @property
    def M(self) -> int:  # noqa: N802  (the symbol of the last repetition)
        """The last look."""
        return self.looks[-1]

    @property
    def tails(self) -> int:
        """Sides on which a discovery can be."""
        return 2 if self.side == "two-sided" else 1

    def towards(self, away: Floats) -> Floats:
        """What speaks for the alternative, signed so that large values do."""
        return {"two-sided": np.abs(away), "greater": away, "less": -away}[self.side]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class AtStop(LookingEstimate):
    """
    The outcome of a test with looks at its stop, or so far.

    Attributes
    ----------
    looks : Looks
        What was seen at each look, also after the stop where there were more.
    plan : Timetable
        Looks, boundary and level.
    """

    units = MappingProxyType({"value": 1, "standard_error": 1, "looks": 1})

    looks: Looks
    plan: Timetable

    @property
    def stopped(self) -> Booleans:
        """Whether no more repetitions are wanted: rejected, futile, or at M."""
        stopped: Booleans = self.rejected | self.futile | (self.stopped_at == self.plan.M)
        return stopped

    def latest(self) -> Self:
        """Return the estimate at the last look there is, by that look alone: its p-value over its share."""
        looks = self.looks.last()
        m = looks.m[-1]
        found = replace(
            self,
            value=looks.value[-1],
            standard_error=looks.error[-1],
            statistic=looks.statistic[-1],
            stopped_at=np.full_like(self.stopped_at, m)[()],
            futile=self.futile & (self.stopped_at == m),
            looks=looks,
        )
        return found._rejecting(self.level)

    def at(self, level: float) -> Self:
        """Return the estimate at the same stop with another level: the looks hold at any one of them."""
        if level == self.level:
            return self
        low, high = self.plan.levels
        plan = replace(self.plan, level=number("level", level, low=low, high=high))
        return replace(self, level=level, plan=plan)._rejecting(level)

    def _rejecting(self, level: float) -> Self:
        return replace(self, rejected=np.asarray((self.pvalue <= level) & self.claimable)[()])


def stopped(looks: Looks, plan: Timetable, rejected: Booleans, futile: Booleans) -> dict[str, Any]:
    """What the estimate is at the first look that rejects or is futile, else at the last."""
    stops = rejected | futile
    stop = np.where(stops.any(axis=0), stops.argmax(axis=0), len(stops) - 1)
    found = {
        "value": looks.value,
        "standard_error": looks.error,
        "statistic": looks.statistic,
        "rejected": rejected,
        "futile": futile,
    }
    return {
        **{name: np.take_along_axis(each, stop[None], axis=0)[0][()] for name, each in found.items()},
        "stopped_at": looks.m[stop][()],
        "looks": looks,
        "plan": plan,
        "level": plan.level,
    }
