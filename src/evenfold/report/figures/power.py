"""The figure of a plan: power against examples and against repetitions."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenfold.core.environment import require
from evenfold.core.words import decimals, format_count, format_number
from evenfold.report.figures import base

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_STROKES = ((base.ORANGE, "-"), (base.BLUE, (0, (5, 1.5))))


@dataclass(frozen=True, kw_only=True, slots=True)
class PowerInfo:
    """Power by number of examples and of repetitions, one curve per case of correlations."""

    method: str
    difference: float
    wanted: float
    n: int
    m: int
    names: tuple[str, ...]
    sizes: tuple[int, ...]
    by_size: tuple[tuple[float, ...], ...]
    counts: tuple[int, ...]
    by_count: tuple[tuple[float, ...], ...]

    @property
    def title(self) -> str:
        """The caption of the figure."""
        size = format_number(self.difference, digits=decimals(self.difference))
        return f"Power of {self.method} to find a difference of {size}"

    @property
    def alt(self) -> str:
        """The figure in words."""
        ends = f"{self.sizes[0]} to {self.sizes[-1]} examples"
        return (
            f"{self.title}: from {min(self.by_size[0]):.2f} to {min(self.by_size[-1]):.2f} for "
            f"{ends} with {self.m} repetitions; {min(self.by_count[-1]):.2f} with "
            f"{self.counts[-1]} repetitions on {self.n} examples."
        )


def plot(info: PowerInfo) -> "Figure":
    """Draw both curves side by side."""
    require("matplotlib", "plot()")
    from matplotlib import style

    from evenfold.report.figures.drawing import NotebookFigure

    with style.context("default"):
        figure = NotebookFigure(figsize=(1.5 * base.WIDTH, 3.2), layout="constrained")
        figure.set_facecolor(base.GROUND)
        left, right = figure.subplots(1, 2, sharey=True)
        _curves(left, info, info.sizes, info.by_size, info.n)
        left.set_xscale("log")
        left.set_xlabel(f"examples, {info.m} repetitions", **base.LABEL)
        left.set_ylabel("power", **base.LABEL)
        _curves(right, info, info.counts, info.by_count, info.m)
        right.set_xlabel(f"repetitions, {info.n} examples", **base.LABEL)
        _plain_ticks(left, info)
        if len(info.names) > 1:
            left.legend(loc="lower right", **base.LEGEND)
        figure.suptitle(info.title, **base.TITLE)
    return figure


def _curves(
    ax: "Axes", info: PowerInfo, x: tuple[int, ...], rows: tuple[tuple[float, ...], ...], now: int
) -> None:
    base.clean(ax, grid="y")
    ax.set_ylim(0, 1.03)
    ax.axhline(info.wanted, color=base.INK, linewidth=1.1)
    ax.axvline(now, color=base.RULE, linewidth=2.4, zorder=0.6)
    ax.annotate("now", (now, 0.02), (3, 0), textcoords="offset points", **base.ASIDE)
    for k, curve in enumerate(zip(*rows, strict=True)):
        color, dashes = _STROKES[k % 2]
        ax.plot(x, curve, color=color, linewidth=2, linestyle=dashes, label=info.names[k])


def _plain_ticks(ax: "Axes", info: PowerInfo) -> None:
    """Write numbers of examples in full: 1, 2 and 5 times powers of ten."""
    low = info.sizes[0]
    high = info.sizes[-1]
    nice = [k * 10**e for e in range(10) for k in (1, 2, 5) if low <= k * 10**e <= high]
    step = -(-len(nice) // 5) or 1
    shown = nice[::step]
    ax.set_xticks(shown, list(map(format_count, shown)))
    ax.minorticks_off()
