"""Figures of one pair: hold-out differences, the path of a sequential test, posteriors."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from evenfold.core.facts.comparison import Curve, Facts, Pair
from evenfold.core.words import (
    count,
    format_number,
    interval,
    join_words,
    one_line,
    precision,
    shorten_name,
)
from evenfold.report._content import interval_title
from evenfold.report.figures import _base as ink
from evenfold.report.figures._base import (
    Axis,
    AxisInfo,
    Info,
    IntervalsInfo,
    band,
    intervals,
    value_with_interval,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferencesInfo(AxisInfo):
    """Hold-out differences (or values) by repetition, with the estimate and its interval."""

    by: str
    groups: tuple[tuple[float, ...], ...]
    value: float
    low: float
    high: float
    outcome: str | None

    @classmethod
    def of(cls, facts: Facts, pair: Pair) -> Self | None:
        """Return the info of one pair, or None where no cell succeeded."""
        by, groups = _group_values(facts, pair.differences)
        if not any(groups):
            return None
        axis = Axis.of(facts, pair)
        if facts.quantity.ratio:
            what = "ratios"
        else:
            what = "differences"
        if pair.baseline is None:
            what = "values"
        judged = math.isfinite(pair.value)
        if judged:
            found = (
                f"estimate {format_number(pair.value, digits=pair.digits)}, "
                f"{_interval(facts, pair)}"
            )
        else:
            found = "no estimate"
        title = f"Hold-out {what} by {by}" + (
            f", with the estimate and its interval{band(axis)}" if judged else ""
        )
        return cls(
            title=title,
            alt=f"Dot plot, {axis.label}. {count(sum(map(len, groups)), 'hold-out value')} in "
            f"{count(len(groups), by)}; {found}.",
            axis=axis,
            by=by,
            groups=groups,
            value=pair.value,
            low=pair.low,
            high=pair.high,
            outcome=pair.outcome,
        )

    def draw(self, ax: "Axes") -> None:
        flat = [y for group in self.groups for y in group]
        ax.set_ylim(ink.limits([*flat, self.value, self.low, self.high], self.axis))
        ink.clean(ax, grid="y")
        ink.draw_null_and_margin(ax, self.axis, along="y")
        dots: dict[str, Any] = {"color": ink.MUTED, "alpha": 0.8, "rasterized": len(flat) > 400}
        for x, group in enumerate(self.groups, start=1):
            if len(group) > 1:
                ends = (min(group), max(group))
                ax.plot(
                    (x, x),
                    ends,
                    color=ink.RULE,
                    linewidth=2.2,
                    zorder=1.5,
                    rasterized=dots["rasterized"],
                )
        points = [(x, y) for x, group in enumerate(self.groups, start=1) for y in group]
        ax.plot(
            *zip(*points, strict=True), "o", markersize=5.5 if len(points) <= 60 else 3.0, **dots
        )
        _estimate(ax, self, at=len(self.groups) + max(1.0, 0.12 * len(self.groups)))
        ax.set_ylabel(ink.verbatim(self.axis.label), **ink.LABEL)
        ax.set_xlabel(self.by, loc="right", **ink.LABEL)
        ink.sides(ax, self.axis, along="y")
        ink.set_value_ticks(ax, along="y")


def _group_values(
    facts: Facts, values: tuple[float, ...]
) -> tuple[str, tuple[tuple[float, ...], ...]]:
    """
    Group what succeeded by repetition, or by split where there is only one repetition.

    Splits that only serve the variance are left out; the others are marked by repetition −1.
    """
    repetition = facts.design.repetition
    marked = any(r < 0 for r in repetition)
    about = [one for one in zip(repetition, values, strict=False) if one[0] < 0 or not marked]
    by_split = len({r for r, _ in about}) == 1
    groups: dict[int, list[float]] = {}
    for k, (r, value) in enumerate(about):
        groups.setdefault(k if by_split else r, []).extend([value] if math.isfinite(value) else [])
    return "split" if by_split else "repetition", tuple(tuple(groups[k]) for k in sorted(groups))


def _interval(facts: Facts, pair: Pair) -> str:
    return f"{interval_title(facts)} {interval(pair.low, pair.high, digits=pair.digits)}"


def _estimate(ax: "Axes", info: DifferencesInfo, *, at: float) -> None:
    style = ink.look(info.outcome)
    size = len(info.groups)
    step = math.ceil(len(info.groups) / 9)
    numbered = list(range(1, size + 1, step))
    if not math.isfinite(info.value):
        ax.set_xticks(numbered)
        ax.set_xlim(0.5, size + 0.5)
        return
    ink.draw_interval(ax, at, info.low, info.high, along="y", color=style["color"], linewidth=3)
    ax.plot(at, info.value, markersize=8, markeredgewidth=1.8, linestyle="none", **style)
    ax.annotate(
        format_number(info.value, digits=precision(info.value, info.low, info.high)),
        (at, info.value),
        (8, 0),
        textcoords="offset points",
        va="center",
        fontsize=ink.TEXT,
        color=style["color"],
        weight="bold",
        bbox={"facecolor": ink.GROUND, "edgecolor": "none", "pad": 0.5},
    )
    ax.set_xticks([*numbered, at], [*map(str, numbered), "all"])
    ax.set_xlim(1 - 0.06 * at, at + 0.24 * at)


@dataclass(frozen=True, kw_only=True, slots=True)
class PathInfo(IntervalsInfo):
    """The estimate of a sequential test after each look, up to where it stopped."""

    m: tuple[int, ...]
    stopped_at: int
    most: int
    outcome: str | None

    @classmethod
    def of(cls, facts: Facts, pair: Pair) -> Self | None:
        """Return the info of one pair, or None where the method was not sequential."""
        if not pair.path:
            return None
        axis = Axis.of(facts, pair)
        last = pair.path[-1]
        most = max(facts.most_repetitions or last.m, last.m)
        looks = "; ".join(
            f"after {look.m} repetitions {value_with_interval(look, pair.digits)}"
            for look in pair.path
        )
        return cls(
            title=f"The estimate at each look: {_stop(last.m, most)}{band(axis)}",
            alt=f"Path of the sequential test, {axis.label}: {looks}.",
            axis=axis,
            m=tuple(look.m for look in pair.path),
            **intervals(pair.path),
            stopped_at=last.m,
            most=most,
            outcome=pair.outcome,
        )

    def draw(self, ax: "Axes") -> None:
        ax.set_ylim(ink.limits([*self.value, *self.low, *self.high], self.axis))
        ink.clean(ax, grid="y")
        ink.draw_null_and_margin(ax, self.axis, along="y")
        style = ink.look(self.outcome)
        ax.plot(self.m, self.value, color=ink.MUTED, linewidth=1.2, zorder=1.8)
        for k, m in enumerate(self.m):
            last = m == self.stopped_at
            if last:
                color = style["color"]
            else:
                color = ink.MUTED
            ink.draw_interval(
                ax,
                m,
                self.low[k],
                self.high[k],
                along="y",
                color=color,
                linewidth=3 if last else 1.8,
            )
            if last:
                mark = style
            else:
                mark = {"color": ink.MUTED, "marker": "o"}
            ax.plot(m, self.value[k], markersize=8 if last else 5, markeredgewidth=1.8, **mark)
        if self.most > self.stopped_at:
            ax.axvspan(
                self.stopped_at + 0.5, self.most + 0.5, color=ink.BAND, linewidth=0, zorder=0.4
            )
            middle = (self.stopped_at + self.most + 1) / 2
            ax.text(
                middle,
                0.03,  # at the bottom: the line at zero may cross the middle
                "not\nneeded",
                transform=ax.get_xaxis_transform(),
                ha="center",
                va="bottom",
                fontsize=ink.SMALL,
                color=ink.MUTED,
                style="italic",
            )
        ax.set_xlim(self.m[0] - 0.5, self.most + 0.5)
        ax.set_xticks(range(self.m[0], self.most + 1, math.ceil((self.most - self.m[0] + 1) / 12)))
        ax.set_ylabel(ink.verbatim(self.axis.label), **ink.LABEL)
        ax.set_xlabel("repetitions so far", loc="right", **ink.LABEL)
        ink.sides(ax, self.axis, along="y")
        ink.set_value_ticks(ax, along="y")


def _stop(m: int, most: int) -> str:
    if m < most:
        return f"stopped after {m} of at most {most} repetitions"
    return f"all {most} repetitions"


@dataclass(frozen=True, kw_only=True, slots=True)
class PosteriorInfo(Info):
    """Posterior densities of the scores, the baseline's first."""

    label: str
    curves: tuple[Curve, ...]

    @classmethod
    def of(cls, facts: Facts, pair: Pair) -> Self | None:
        """Return the info of one pair, or None where there is no posterior."""
        if not pair.curves:
            return None
        words = one_line(facts.measure_words)
        if len(pair.curves) > 1:
            whose = "each"
        else:
            whose = one_line(pair.challenger)
        digits = max(precision(c.mean, c.low, c.high) for c in pair.curves)
        rows = join_words(
            f"{one_line(c.name)} mean {format_number(c.mean, digits=digits)}, "
            f"interval {interval(c.low, c.high, digits=digits)}"
            for c in pair.curves
        )
        return cls(
            title=f"What the data say about the {words} of {whose}: posterior density, mean and "
            "interval",
            alt=f"Posterior densities of the {words}: {rows}.",
            label=words,
            curves=pair.curves,
        )

    def draw(self, ax: "Axes") -> None:
        ink.clean(ax, grid="x")
        top = max(max(curve.density) for curve in self.curves)
        rows = [-(0.14 + 0.17 * k) * top for k in range(len(self.curves))]
        for k, (curve, row) in enumerate(zip(self.curves, rows, strict=True)):
            color = (ink.ORANGE, ink.BLUE)[k % 2]
            ax.fill_between(curve.x, curve.density, color=color, alpha=0.22, linewidth=0)
            ax.plot(
                curve.x,
                curve.density,
                color=color,
                linewidth=1.8,
                linestyle=("-", (0, (5, 1.5)))[k % 2],
            )
            ax.plot(
                (curve.low, curve.high), (row, row), color=color, linewidth=3, solid_capstyle="butt"
            )
            ax.plot(curve.mean, row, marker="so"[k % 2], color=color, markersize=7.5)
        ax.axhline(0, color=ink.MUTED, linewidth=0.8)
        ax.set_xlim(*_mass(self))
        ax.set_ylim(rows[-1] - 0.12 * top, 1.05 * top)
        ax.set_yticks(rows, [ink.verbatim(shorten_name(curve.name, 16)) for curve in self.curves])
        for k, label in enumerate(ax.get_yticklabels()):
            label.set(color=(ink.ORANGE, ink.BLUE)[k % 2], fontsize=ink.TEXT, weight="bold")
        ax.set_xlabel(ink.verbatim(self.label), **ink.LABEL)
        ink.set_value_ticks(ax, along="x")


def _mass(info: PosteriorInfo) -> tuple[float, float]:
    """Return limits that hold all visible mass and all intervals."""
    seen = [
        x
        for curve in info.curves
        for x, y in zip(curve.x, curve.density, strict=True)
        if y > 2e-3 * max(curve.density)
    ]
    ends = [end for curve in info.curves for end in (curve.low, curve.high)]
    return min(*seen, *ends), max(*seen, *ends)
