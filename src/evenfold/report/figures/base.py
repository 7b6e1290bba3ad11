"""The base of all figures: a caption, a description in words, a height, and the drawing."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from evenfold.core.environment import require
from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.answers import Pair
from evenfold.core.facts.comparison import Facts
from evenfold.core.words import format_number, interval, shorten_name
from evenfold.report import tables

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Along = Literal["x", "y"]  # the axis of the values


# The axis that figures of a difference share.


@dataclass(frozen=True, kw_only=True, slots=True)
class Axis:
    """
    The axis of a difference, or of a value.

    ``null`` and ``margin`` are what the estimate is judged against; one algorithm alone has no
    null. ``low_side`` and ``high_side`` say who is better on each side.
    """

    label: str
    null: float | None
    margin: float
    low_side: str
    high_side: str

    @classmethod
    def of(cls, facts: Facts, pair: Pair | None = None) -> Self:
        """Return the axis of a pair, or of all pairs together."""
        if pair is None:
            return cls.between(facts, "A", "B")
        b = shorten_name(pair.challenger)
        if pair.baseline is None:
            label = f"{shorten_name(tables.compared_words(facts))} of {b}"
            return cls(label=label, null=None, margin=0.0, low_side="", high_side="")
        return cls.between(facts, shorten_name(pair.baseline), b)

    @classmethod
    def between(cls, facts: Facts | AcrossFacts, a: str, b: str) -> Self:
        """Return the axis of B − A, or of B / A, with these names of A and B."""
        is_ratio = False
        measure = facts.measure_words
        if isinstance(facts, Facts):
            is_ratio = facts.quantity.ratio
            measure = tables.compared_words(facts)
        low, high = (b, a) if facts.lower_is_better else (a, b)
        return cls(
            label=f"{shorten_name(measure)}: {b} {'/' if is_ratio else '−'} {a}",
            null=1.0 if is_ratio else 0.0,
            margin=facts.margin,
            low_side=f"{low} better",
            high_side=f"{high} better",
        )


# Colours, sizes and the few strokes that all figures share.
#
# The colours are Okabe and Ito's, darkened until text in them has enough contrast on white; on a
# dark ground the HTML report swaps each for a lighter one (see `drawing`). Outcomes differ in shape
# as well as in colour.


INK = "#1c2127"
MUTED = "#59636e"
RULE = "#d3d9df"
BAND = "#eceff2"
GROUND = "#ffffff"
BLUE = "#0067a5"
ORANGE = "#b84a00"
GREEN = "#00735c"
# Labels by which displays find the lines that users restyle. Legends skip labels with this prefix.
POINT = "_estimate"
INTERVAL = "_interval"
WIDTH = 4.8  # inches: legible at the width of a phone
TEXT = 10.5
SMALL = 9.5
LABEL: dict[str, Any] = {"fontsize": TEXT, "color": INK}  # of an axis
ASIDE: dict[str, Any] = {"fontsize": SMALL, "color": MUTED, "style": "italic"}
LEGEND: dict[str, Any] = {"frameon": False, "fontsize": SMALL, "labelcolor": INK}
TITLE: dict[str, Any] = {"x": 0.02, "ha": "left", "weight": "bold", **LABEL}
LOOKS: dict[str | None, tuple[str, str]] = {  # outcome: colour, marker
    None: (BLUE, "o"),
    "better": (GREEN, "o"),
    "worse": (ORANGE, "s"),
    "not worse": (GREEN, "^"),
    "equivalent": (BLUE, "D"),
}


def look(outcome: str | None) -> dict[str, Any]:
    """Return the colour and the marker of an outcome. Undecided outcomes are hollow."""
    color, marker = LOOKS.get(outcome, (MUTED, "o"))
    hollow = outcome in ("inconclusive", "not applicable")
    return {"color": color, "marker": marker, "markerfacecolor": GROUND if hollow else color}


def verbatim(text: str) -> str:
    """Keep matplotlib from reading dollars in a name as mathematics."""
    return text.replace("$", r"\$")


def clean(ax: "Axes", *, grid: Along | Literal["both"]) -> None:
    """Leave light lines across the value axis, and no box."""
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color=RULE, linewidth=0.6)
    ax.tick_params(length=0, pad=6, labelsize=SMALL, labelcolor=MUTED)
    ax.set_facecolor("none")
    for spine in ax.spines.values():
        spine.set_visible(False)


def clean_rows(ax: "Axes", names: Sequence[str]) -> None:
    """Prepare axes with a row for each name, the first at the top."""
    ax.set_ylim(len(names) - 0.4, -0.6)
    clean(ax, grid="x")
    _name_rows(ax, names)


def clean_square(ax: "Axes", names: Sequence[str], **ticks: Any) -> None:
    """Prepare axes for a square of cells, with columns numbered in the order of the rows."""
    clean(ax, grid="both")
    ax.xaxis.tick_top()
    ax.set_xticks(range(len(names)), [str(j + 1) for j in range(len(names))], **ticks)
    _name_rows(ax, names)


def _name_rows(ax: "Axes", names: Sequence[str]) -> None:
    ax.set_yticks(range(len(names)), [verbatim(name) for name in names])
    ax.tick_params(axis="y", labelcolor=INK)


def clean_axis(ax: "Axes", axis: Axis, values: Sequence[float], *, along: Along) -> None:
    """Set the limits of an axis around all finite values, the null and the margin."""
    if axis.null is not None:
        values = [*values, axis.null, axis.null - axis.margin, axis.null + axis.margin]
    finite = [x for x in values if math.isfinite(x)] or [0.0, 1.0]
    low = min(finite)
    high = max(finite)
    air = 0.09 * (high - low) or 0.1 * abs(high) or 1.0
    getattr(ax, f"set_{along}lim")(low - air, high + air)
    clean(ax, grid=along)


def draw_null_and_margin(ax: "Axes", axis: Axis, *, along: Along) -> None:
    """Draw the null as a line and the margin as a band."""
    if axis.null is None:
        return
    line, span = (ax.axhline, ax.axhspan) if along == "y" else (ax.axvline, ax.axvspan)
    if axis.margin:
        span(axis.null - axis.margin, axis.null + axis.margin, color=BAND, linewidth=0, zorder=0.5)
    line(axis.null, color=INK, linewidth=1.1, zorder=1)


def draw_interval(
    ax: "Axes", at: float, low: float, high: float, *, along: Along, **stroke: Any
) -> None:
    """Draw an interval; an infinite limit runs to the edge and ends in an arrow."""
    upright = along == "y"
    edges = sorted(getattr(ax, f"get_{along}lim")())
    inside = 0.03 * (edges[1] - edges[0])
    ends = (max(low, edges[0] + inside), min(high, edges[1] - inside))
    xy = ((at, at), ends) if upright else (ends, (at, at))
    ax.plot(*xy, solid_capstyle="butt", label=INTERVAL, **stroke)
    for limit, x, y, marker in zip((low, high), *xy, "v^" if upright else "<>", strict=True):
        if math.isinf(limit):
            ax.plot(x, y, marker=marker, markersize=7, color=stroke["color"], clip_on=False)


def draw_estimate(
    ax: "Axes",
    at: float,
    value: float,
    ends: tuple[float, float],
    outcome: str | None,
    *,
    along: Along,
    linewidth: float = 3.0,
    markersize: float = 8.0,
    markeredgewidth: float = 1.8,
) -> None:
    """Draw an estimate with its interval, in the look of its outcome."""
    style = look(outcome)
    draw_interval(ax, at, *ends, along=along, color=style["color"], linewidth=linewidth)
    point = (at, value) if along == "y" else (value, at)
    size: dict[str, Any] = {"markersize": markersize, "markeredgewidth": markeredgewidth}
    ax.plot(*point, label=POINT, **size, **style)


def name_axis(ax: "Axes", axis: Axis, label: str, *, along: Along) -> None:
    """Label the axis of a difference, and say at both ends who is better there."""
    getattr(ax, f"set_{along}label")(label, **LABEL)
    set_value_ticks(ax, along=along)
    if axis.null is None:
        return
    low = verbatim(axis.low_side)
    high = verbatim(axis.high_side)
    if along == "x":
        ax.set_title(f"← {low}", loc="left", **ASIDE)
        ax.set_title(f"{high} →", loc="right", **ASIDE)
    else:
        place = {"xycoords": "axes fraction", "textcoords": "offset points", **ASIDE}
        ax.annotate(f"↑ {high}", (0, 1), (0, 0), va="bottom", **place)
        ax.annotate(f"↓ {low}", (0, 0), (0, -19), va="top", **place)


def set_value_ticks(ax: "Axes", *, along: Along) -> None:
    """Write few ticks on the value axis, without offsets."""
    from matplotlib.ticker import FixedLocator, ScalarFormatter

    ticks = getattr(ax, f"{along}axis")
    ticks.set_major_formatter(ScalarFormatter(useOffset=False))
    if not isinstance(ticks.get_major_locator(), FixedLocator):
        ax.locator_params(axis=along, nbins=6 if along == "y" else 4)


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


def draw(*shown: Info, titles: bool = True) -> "Figure":
    """
    Draw info values below each other.

    Parameters
    ----------
    *shown : info values
        Infos of :mod:`evenfold.report.figures`. Without any, the figure says that there is nothing
        to draw.
    titles : bool, default True
        Whether to write the title of each above it; a page that has captions needs none.

    Returns
    -------
    matplotlib.figure.Figure
    """
    require("matplotlib", "plot()")
    from evenfold.report.figures.drawing import draw_figure

    return draw_figure(shown, titles=titles)


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

    @property
    def ends(self) -> list[tuple[float, float]]:
        """The interval of each."""
        return list(zip(self.low, self.high, strict=True))

    @property
    def numbers(self) -> tuple[float, ...]:
        """All estimates and ends."""
        return (*self.value, *self.low, *self.high)


def columns(rows: Sequence[Any], *names: str) -> dict[str, tuple[Any, ...]]:
    """Return these attributes of all rows, each as a tuple."""
    return {name: tuple(getattr(row, name) for row in rows) for name in names}


def intervals(rows: Sequence[Any]) -> dict[str, tuple[float, ...]]:
    """Return the estimates of all rows, with the ends of their intervals."""
    return columns(rows, "value", "low", "high")


def value_with_interval(estimate: Any, digits: int) -> str:
    """Write an estimate, or anything that has a value, and its interval."""
    return (
        f"{format_number(estimate.value, digits=digits)}, CI "
        f"{interval(estimate.low, estimate.high, digits=digits)}"
    )


def in_words(value: float, low: float, high: float, digits: int, *, neutral: float = 0.0) -> str:
    """Write an estimate with its interval in parentheses."""
    ends = interval(low, high, digits=digits, neutral=neutral)
    return f"{format_number(value, digits=digits)} ({ends})"


def band(axis: Axis) -> str:
    """Say in a caption what the grey band means, if there is one."""
    if axis.margin:
        return f" (grey: differences up to {axis.margin:g} do not matter)"
    return ""


def labels(order: Sequence[str], most: int) -> dict[str, str]:
    """
    Return a short form of every name. If two would look alike, all are numbered in this order.

    Examples
    --------
    >>> labels(["tree", "forest"], 12)
    {'tree': 'tree', 'forest': 'forest'}
    >>> list(labels(["forest of one hundred trees", "forest of two hundred trees"], 12).values())
    ['1 fores…trees', '2 fores…trees']
    """
    plain = {name: shorten_name(name, most) for name in order}
    if len(set(plain.values())) == len(plain):
        return plain
    return {name: f"{k} {shorten_name(name, most - 2)}" for k, name in enumerate(order, start=1)}


def best_first(facts: Facts) -> list[str]:
    """Return all names in the order of the ranking; those that it leaves out come last."""
    ranked = [candidate.name for candidate in facts.candidates]
    return ranked + [name for name in facts.algorithms if name not in ranked]
