"""What every figure has: a caption, words for those who cannot see it, a height, and how it is drawn."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenfold.core.facts.comparison import Facts
from evenfold.core.words import interval, short, shown
from evenfold.report.figures.axis import Axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True, slots=True)
class Info(ABC):
    """
    What a figure shows, as a small value that a test can check.

    Attributes
    ----------
    title : str
        A caption.
    alt : str
        The figure in words.
    """

    title: str
    alt: str

    @property
    def height(self) -> float:
        """In inches."""
        return 3.2

    @abstractmethod
    def draw(self, ax: "Axes") -> None:
        """Draw it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AxisInfo(Info):
    """A figure along the axis of a difference."""

    axis: Axis


@dataclass(frozen=True, kw_only=True, slots=True)
class IntervalsInfo(AxisInfo):
    """Several estimates with their intervals."""

    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]


def intervals(rows: Sequence[Any]) -> dict[str, tuple[float, ...]]:
    """Return the estimates of anything that has them, and their intervals."""
    return {part: tuple(getattr(row, part) for row in rows) for part in ("value", "low", "high")}


def with_interval(one: Any, digits: int) -> str:
    """Write an estimate, or anything that has a value, and its interval."""
    return f"{shown(one.value, digits=digits)}, interval {interval(one.low, one.high, digits=digits)}"


def band(axis: Axis) -> str:
    """Say in a caption what the grey band is, where there is one."""
    return f" (grey: differences up to {axis.margin:g} do not matter)" if axis.margin else ""


def labels(order: Sequence[str], most: int) -> dict[str, str]:
    """
    Return a short form of every name; where two would look alike, all are numbered in this order.

    Examples
    --------
    >>> labels(["tree", "forest"], 12)
    {'tree': 'tree', 'forest': 'forest'}
    >>> list(labels(["forest of one hundred trees", "forest of two hundred trees"], 12).values())
    ['1 fores…trees', '2 fores…trees']
    """
    plain = {name: short(name, most) for name in order}
    if len(set(plain.values())) == len(plain):
        return plain
    return {name: f"{k} {short(name, most - 2)}" for k, name in enumerate(order, start=1)}


def best_first(facts: Facts) -> list[str]:
    """Return all names in the order of the ranking; those that it leaves out come last."""
    ranked = [one.name for one in facts.candidates]
    return ranked + [name for name in facts.algorithms if name not in ranked]
