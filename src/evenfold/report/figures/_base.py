"""What every figure has: a caption, words for who cannot see it, a height, and how it is drawn."""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

from evenfold.core.facts.comparison import Facts, Pair
from evenfold.core.words import format_number, interval, shorten_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# The axis that figures of a difference share.


@dataclass(frozen=True, kw_only=True, slots=True)
class Axis:
    """
    The axis of a difference, or of a value.

    ``null`` and ``margin`` are what it is judged against (no null for one algorithm alone);
    ``low_side`` and ``high_side`` say who is better there.
    """

    label: str
    null: float | None
    margin: float
    low_side: str
    high_side: str

    @classmethod
    def of(cls, facts: Facts, pair: Pair | None = None) -> Self:
        """Return the axis of a pair, or of all pairs together."""
        words = shorten_name(facts.measure_words)
        a, b = (
            ("A", "B")
            if pair is None
            else (shorten_name(pair.baseline or ""), shorten_name(pair.challenger))
        )
        if pair is not None and pair.baseline is None:
            return cls(label=f"{words} of {b}", null=None, margin=0.0, low_side="", high_side="")
        if facts.lower_is_better:
            sides = (f"{b} better", f"{a} better")
        else:
            sides = (f"{a} better", f"{b} better")
        return cls(
            label=f"{words}: {b} {'/' if facts.quantity.ratio else '−'} {a}",
            null=facts.quantity.neutral,
            margin=facts.margin,
            low_side=sides[0],
            high_side=sides[1],
        )


# Colours, sizes and the few strokes that all figures share.
#
# The colours are Okabe and Ito's, darkened until text in them has enough contrast on white; on a
# dark ground the HTML report swaps each for a lighter one (see `_svg`). Outcomes differ in shape
# as well as in colour.


INK = "#1c2127"
MUTED = "#59636e"
RULE = "#d3d9df"
BAND = "#eceff2"
GROUND = "#ffffff"
BLUE = "#0067a5"
ORANGE = "#b84a00"
GREEN = "#00735c"
WIDTH = 4.8  # inches: legible at the width of a phone
TEXT = 10.5
SMALL = 9.5
LABEL: dict[str, Any] = {"fontsize": TEXT, "color": INK}  # of an axis
LOOKS = {  # outcome: colour, marker
    "better": (GREEN, "o"),
    "worse": (ORANGE, "s"),
    "not worse": (GREEN, "^"),
    "equivalent": (BLUE, "D"),
    "inconclusive": (MUTED, "o"),
}


def look(outcome: str | None) -> dict[str, Any]:
    """Return colour and marker of an outcome; what was not decided is hollow."""
    color, marker = LOOKS.get(outcome or "", (BLUE if outcome is None else MUTED, "o"))
    if outcome in ("inconclusive", "not applicable"):
        fill = GROUND
    else:
        fill = color
    return {"color": color, "marker": marker, "markerfacecolor": fill}


def verbatim(text: str) -> str:
    """Keep matplotlib from reading dollars in a name as mathematics."""
    return text.replace("$", r"\$")


def limits(values: list[float], axis: Axis) -> tuple[float, float]:
    """Return limits with some air around all finite values, the null and the margin."""
    if axis.null is None:
        marks = []
    else:
        marks = [axis.null, axis.null - axis.margin, axis.null + axis.margin]
    finite = [x for x in [*values, *marks] if math.isfinite(x)] or [0.0, 1.0]
    low = min(finite)
    high = max(finite)
    air = 0.09 * (high - low) or 0.1 * abs(high) or 1.0
    return low - air, high + air


def clean(ax: "Axes", *, grid: Literal["x", "y", "both"]) -> None:
    """Leave only what helps to read: light lines across the value axis, no box."""
    ax.set_axisbelow(True)
    ax.grid(axis=grid, color=RULE, linewidth=0.6)
    ax.tick_params(length=0, pad=6, labelsize=SMALL, labelcolor=MUTED)
    ax.set_facecolor("none")
    for spine in ax.spines.values():
        spine.set_visible(False)


def draw_null_and_margin(ax: "Axes", axis: Axis, *, along: str) -> None:
    """Draw the null as a line and the margin as a band; ``along`` is the axis of the values."""
    if axis.null is None:
        return
    line, span = (ax.axhline, ax.axhspan) if along == "y" else (ax.axvline, ax.axvspan)
    if axis.margin:
        span(axis.null - axis.margin, axis.null + axis.margin, color=BAND, linewidth=0, zorder=0.5)
    line(axis.null, color=INK, linewidth=1.1, zorder=1)


def draw_interval(
    ax: "Axes", at: float, low: float, high: float, *, along: str, **stroke: Any
) -> None:
    """Draw an interval; an infinite limit runs to the edge and ends in an arrow."""
    if along == "y":
        edges = ax.get_ylim()
    else:
        edges = ax.get_xlim()
    inside = 0.03 * (max(edges) - min(edges))
    ends = (max(low, min(edges) + inside), min(high, max(edges) - inside))
    arrows = zip((low, high), ends, ("v", "^") if along == "y" else ("<", ">"), strict=True)
    if along == "y":
        xy = ((at, at), ends)
    else:
        xy = (ends, (at, at))
    ax.plot(*xy, solid_capstyle="butt", **stroke)
    for limit, end, marker in arrows:
        if math.isinf(limit):
            if along == "y":
                point = (at, end)
            else:
                point = (end, at)
            ax.plot(*point, marker=marker, markersize=7, color=stroke["color"], clip_on=False)


def sides(ax: "Axes", axis: Axis, *, along: str) -> None:
    """Say at both ends of the value axis who is better there."""
    if axis.null is None:
        return
    low = verbatim(axis.low_side)
    high = verbatim(axis.high_side)
    style: dict[str, Any] = {"fontsize": SMALL, "color": MUTED, "style": "italic"}
    if along == "y":
        frame: dict[str, Any] = {
            "xycoords": "axes fraction",
            "textcoords": "offset points",
            **style,
        }
        ax.annotate(f"↑ {high}", (0, 1), (0, 0), va="bottom", **frame)
        ax.annotate(f"↓ {low}", (0, 0), (0, -19), va="top", **frame)
    else:
        ax.set_title(f"← {low}", loc="left", **style)
        ax.set_title(f"{high} →", loc="right", **style)


def set_value_ticks(ax: "Axes", *, along: Literal["x", "y"]) -> None:
    """Write few ticks on the value axis, in full rather than as offsets."""
    from matplotlib.ticker import FixedLocator, ScalarFormatter

    ticks = ax.yaxis if along == "y" else ax.xaxis
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


def value_with_interval(one: Any, digits: int) -> str:
    """Write an estimate, or anything that has a value, and its interval."""
    return (
        f"{format_number(one.value, digits=digits)}, CI "
        f"{interval(one.low, one.high, digits=digits)}"
    )


def band(axis: Axis) -> str:
    """Say in a caption what the grey band is, where there is one."""
    if axis.margin:
        return f" (grey: differences up to {axis.margin:g} do not matter)"
    return ""


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
    plain = {name: shorten_name(name, most) for name in order}
    if len(set(plain.values())) == len(plain):
        return plain
    return {name: f"{k} {shorten_name(name, most - 2)}" for k, name in enumerate(order, start=1)}


def best_first(facts: Facts) -> list[str]:
    """Return all names in the order of the ranking; those that it leaves out come last."""
    ranked = [one.name for one in facts.candidates]
    return ranked + [name for name in facts.algorithms if name not in ranked]
