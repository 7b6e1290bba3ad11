"""The difference along a path: its sum so far, which falls or rises while one of the two is better."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from evenfold.core.facts.comparison import Facts, Pair
from evenfold.core.words import decimals, shown
from evenfold.report.figures import ink
from evenfold.report.figures._base import AxisInfo
from evenfold.report.figures.axis import Axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True, slots=True)
class AlongInfo(AxisInfo):
    """The sum of the differences up to each tested time, or to some of them."""

    at: tuple[float, ...]
    sums: tuple[float, ...]

    @classmethod
    def of(cls, facts: Facts, pair: Pair) -> Self | None:
        """Return the info of one pair, or None where the data have no order."""
        if not pair.along or pair.baseline is None:
            return None
        axis = Axis.of(facts, pair)
        at, sums = (tuple(part) for part in zip(*pair.along, strict=True))
        digits = decimals(max(sums) - min(sums))
        quarters = [sums[(len(sums) - 1) * k // 4] for k in range(1, 5)]
        path = ", ".join(shown(one, digits=digits) for one in quarters)
        return cls(
            title="Along the path: the sum of the differences so far",
            alt=f"Sum of {axis.label} after each quarter of {at[-1]:.0f} times: {path}.",
            axis=axis,
            at=at,
            sums=sums,
        )

    def draw(self, ax: "Axes") -> None:
        """Draw the path from its beginning to its end."""
        ax.set_ylim(ink.limits([0.0, *self.sums], self.axis))
        ink.clean(ax, grid="y")
        ax.axhline(0.0, color=ink.INK, linewidth=1.1, zorder=1)
        ax.plot(self.at, self.sums, color=ink.BLUE, linewidth=1.8, zorder=2)
        ax.set_xlim(0, self.at[-1] * 1.02)
        ax.set_xlabel("tested times", loc="right", **ink.LABEL)
        ax.set_ylabel("sum of the differences", **ink.LABEL)
        ink.sides(ax, self.axis, along="y")
        ink.ticked(ax, along="y")
