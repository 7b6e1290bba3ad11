"""The difference against the training size, where a run had two sizes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from evenfold.core.facts.comparison import Facts, Pair
from evenfold.core.words import interval, one_line, shown
from evenfold.report.figures import ink
from evenfold.report.figures.axis import Axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True, slots=True)
class SizesInfo:
    """The estimate at each training size, with its interval and what it decides."""

    title: str
    alt: str
    axis: Axis
    n_train: tuple[int, ...]
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    outcomes: tuple[str | None, ...]

    @classmethod
    def of(cls, facts: Facts, pair: Pair) -> Self | None:
        """Return the info of one pair, or None where there was one training size."""
        if pair.sizes is None:
            return None
        axis, at, digits = Axis.of(facts, pair), pair.sizes.at, pair.sizes.digits
        points = "; ".join(
            f"on {one.n_train} training examples {shown(one.value, digits=digits)}, "
            f"interval {interval(one.low, one.high, digits=digits)}"
            for one in at
        )
        return cls(
            title=f"Training size: {one_line(pair.sizes.sentence).partition(' (')[0]}",
            alt=f"{axis.label} against the training size: {points}.",
            axis=axis,
            n_train=tuple(one.n_train for one in at),
            value=tuple(one.value for one in at),
            low=tuple(one.low for one in at),
            high=tuple(one.high for one in at),
            outcomes=tuple(one.outcome for one in at),
        )


def draw_sizes(ax: "Axes", info: SizesInfo) -> None:
    """Draw the estimates from the smallest training size to the largest."""
    ax.set_ylim(ink.limits([*info.value, *info.low, *info.high], info.axis))
    ink.clean(ax, grid="y")
    ink.ground(ax, info.axis, along="y")
    ax.plot(info.n_train, info.value, color=ink.MUTED, linewidth=1.2, zorder=1.8)
    for n, value, low, high, outcome in zip(
        info.n_train, info.value, info.low, info.high, info.outcomes, strict=True
    ):
        style = ink.look(outcome)
        ink.bar(ax, n, low, high, along="y", color=style["color"], linewidth=3)
        ax.plot(n, value, markersize=8, markeredgewidth=1.8, **style)
    air = 0.3 * (info.n_train[-1] - info.n_train[0])
    ax.set_xlim(info.n_train[0] - air, info.n_train[-1] + air)
    ax.set_xticks(info.n_train)
    ax.set_ylabel(ink.verbatim(info.axis.label), fontsize=ink.TEXT, color=ink.INK)
    ax.set_xlabel("training examples", fontsize=ink.TEXT, color=ink.INK, loc="right")
    ink.sides(ax, info.axis, along="y")
    ink.ticked(ax, along="y")
