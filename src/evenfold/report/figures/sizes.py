"""The difference, and every algorithm by itself, against the training size, where a run had several sizes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from evenfold.core.facts.comparison import Facts, Pair
from evenfold.core.words import listed, one_line, short, shown
from evenfold.report.figures import ink
from evenfold.report.figures._base import Info, IntervalsInfo, intervals, with_interval
from evenfold.report.figures.axis import Axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = (ink.ORANGE, ink.BLUE, ink.GREEN, ink.MUTED)  # with the next two, 24 curves that differ
_STROKES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1.2)))
_MARKERS = "osD^v<>p"


@dataclass(frozen=True, kw_only=True, slots=True)
class SizesInfo(IntervalsInfo):
    """The estimate at each training size, with its interval and what it decides."""

    n_train: tuple[int, ...]
    outcomes: tuple[str | None, ...]

    @classmethod
    def of(cls, facts: Facts, pair: Pair) -> Self | None:
        """Return the info of one pair, or None where there was one training size."""
        if pair.sizes is None:
            return None
        axis, at, digits = Axis.of(facts, pair), pair.sizes.at, pair.sizes.digits
        points = "; ".join(f"on {one.n_train} training examples {with_interval(one, digits)}" for one in at)
        return cls(
            title=f"Training size: {one_line(pair.sizes.sentence).partition(' (')[0]}",
            alt=f"{axis.label} against the training size: {points}.",
            axis=axis,
            n_train=tuple(one.n_train for one in at),
            **intervals(at),
            outcomes=tuple(one.outcome for one in at),
        )

    def draw(self, ax: "Axes") -> None:
        """Draw the estimates from the smallest training size to the largest."""
        ax.set_ylim(ink.limits([*self.value, *self.low, *self.high], self.axis))
        ink.clean(ax, grid="y")
        ink.ground(ax, self.axis, along="y")
        ax.plot(self.n_train, self.value, color=ink.MUTED, linewidth=1.2, zorder=1.8)
        for n, value, low, high, outcome in zip(
            self.n_train, self.value, self.low, self.high, self.outcomes, strict=True
        ):
            style = ink.look(outcome)
            ink.bar(ax, n, low, high, along="y", color=style["color"], linewidth=3)
            ax.plot(n, value, markersize=8, markeredgewidth=1.8, **style)
        _along_sizes(ax, self.n_train, right=0.3)
        ax.set_ylabel(ink.verbatim(self.axis.label), **ink.LABEL)
        ink.sides(ax, self.axis, along="y")
        ink.ticked(ax, along="y")


@dataclass(frozen=True, kw_only=True, slots=True)
class LearningInfo(Info):
    """The mean hold-out value of every algorithm at each training size."""

    label: str
    n_train: tuple[int, ...]
    names: tuple[str, ...]
    means: tuple[tuple[float, ...], ...]

    @classmethod
    def of(cls, facts: Facts, pair: Pair | None = None) -> Self | None:
        """Return the curves of a pair, or of all algorithms; one alone is drawn with its interval."""
        asked = facts.pairs if pair is None else (pair,)
        judged = [(one, one.sizes) for one in asked if one.baseline is not None and one.sizes is not None]
        if not judged:
            return None
        curves = {
            name: tuple(at.means[k] for at in sizes.at)
            for one, sizes in judged
            for k, name in enumerate((str(one.baseline), one.challenger))
        }
        n_train, digits = tuple(at.n_train for at in judged[0][1].at), facts.value_digits
        paths = "; ".join(
            f"{one_line(name)} {' → '.join(shown(mean, digits=digits) for mean in means)}"
            for name, means in curves.items()
        )
        words, whose = one_line(facts.measure_words), "both" if len(curves) == 2 else "each"
        return cls(
            title=f"Learning curves: the {words} of {whose} by training size",
            alt=f"Mean {words} on {listed(map(str, n_train))} training examples: {paths}.",
            label=f"mean hold-out {short(facts.measure_words)}",
            n_train=n_train,
            names=tuple(curves),
            means=tuple(curves.values()),
        )

    def draw(self, ax: "Axes") -> None:
        """Draw one line for every algorithm, named where it ends."""
        ink.clean(ax, grid="y")
        _along_sizes(ax, self.n_train, right=0.55)
        for k, (name, means) in enumerate(zip(self.names, self.means, strict=True)):
            ax.plot(
                self.n_train,
                means,
                color=_COLOURS[k % len(_COLOURS)],
                linestyle=_STROKES[k % len(_STROKES)],
                marker=_MARKERS[k % len(_MARKERS)],
                linewidth=1.8,
                markersize=7,
                label=ink.verbatim(short(name, 16)),
            )
        ax.legend(frameon=False, fontsize=ink.SMALL, labelcolor=ink.INK, loc="center right", handlelength=2.4)
        ax.set_ylabel(ink.verbatim(self.label), **ink.LABEL)
        ink.ticked(ax, along="y")


def _along_sizes(ax: "Axes", n_train: tuple[int, ...], *, right: float) -> None:
    width = n_train[-1] - n_train[0]
    ax.set_xlim(n_train[0] - 0.3 * width, n_train[-1] + right * width)
    ax.set_xticks(n_train)
    ax.set_xlabel("training examples", loc="right", **ink.LABEL)
