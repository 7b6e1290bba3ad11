"""Figures of one pair: hold-out differences, the path of a sequential test, posteriors."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from evenfold.core.facts.answers import Curve, Look, Pair
from evenfold.core.facts.comparison import Facts
from evenfold.core.words import (
    count,
    format_number,
    format_replicability,
    interval,
    join_words,
    one_line,
    precision,
    shorten_name,
)
from evenfold.report.figures import base
from evenfold.report.tables import interval_title

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STROKES: tuple[Any, ...] = ((base.ORANGE, "-", "s"), (base.BLUE, (0, (5, 1.5)), "o"))  # of A and B


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferencesInfo(base.AxisInfo):
    """Hold-out differences (or values) by repetition, with the estimate and its interval."""

    by: str
    groups: tuple[tuple[float, ...], ...]
    value: float
    low: float
    high: float
    outcome: str | None

    @classmethod
    def of(cls, facts: Facts, pair: Pair) -> Self | None:
        """Return the info of one pair, or None if no fit succeeded."""
        by, groups = _group_values(facts, pair.differences)
        if not any(groups):
            return None
        axis = base.Axis.of(facts, pair)
        what = "ratios" if facts.quantity.ratio else "differences"
        if pair.baseline is None:
            what = "values"
        title = f"Hold-out {what} by {by}"
        result = "no estimate"
        if math.isfinite(pair.value):
            title += f", with the estimate and its interval{base.band(axis)}"
            neutral = facts.quantity.neutral
            ends = interval(pair.low, pair.high, digits=pair.digits, neutral=neutral)
            result = f"estimate {format_number(pair.value, digits=pair.digits)}, "
            result += f"{interval_title(facts)} {ends}"
        return cls(
            title=title,
            alt=f"Dot plot, {axis.label}. {count(sum(map(len, groups)), 'hold-out value')} in "
            f"{count(len(groups), by)}; {result}.",
            axis=axis,
            by=by,
            groups=groups,
            value=pair.value,
            low=pair.low,
            high=pair.high,
            outcome=pair.outcome,
        )

    def draw(self, ax: "Axes") -> None:
        points = [(x, y) for x, group in enumerate(self.groups, start=1) for y in group]
        values = [y for _, y in points]
        base.clean_axis(ax, self.axis, [*values, self.value, self.low, self.high], along="y")
        base.draw_null_and_margin(ax, self.axis, along="y")
        many: dict[str, Any] = {"rasterized": len(points) > 400}
        for x, group in enumerate(self.groups, start=1):
            if len(group) > 1:
                ends = (min(group), max(group))
                ax.plot((x, x), ends, color=base.RULE, linewidth=2.2, zorder=1.5, **many)
        size = 5.5 if len(points) <= 60 else 3.0
        dots = zip(*points, strict=True)
        ax.plot(*dots, "o", markersize=size, color=base.MUTED, alpha=0.8, **many)
        self._draw_estimate(ax)
        ax.set_xlabel(self.by, loc="right", **base.LABEL)
        base.name_axis(ax, self.axis, base.verbatim(self.axis.label), along="y")

    def _draw_estimate(self, ax: "Axes") -> None:
        """Draw the estimate right of the groups, and number them."""
        size = len(self.groups)
        numbered = list(range(1, size + 1, math.ceil(size / 9)))
        if not math.isfinite(self.value):
            ax.set_xticks(numbered)
            ax.set_xlim(0.5, size + 0.5)
            return
        at = size + max(1.0, 0.12 * size)
        base.draw_estimate(ax, at, self.value, (self.low, self.high), self.outcome, along="y")
        ax.annotate(
            format_number(self.value, digits=precision(self.value, self.low, self.high)),
            (at, self.value),
            (8, 0),
            textcoords="offset points",
            va="center",
            fontsize=base.TEXT,
            color=base.look(self.outcome)["color"],
            weight="bold",
            bbox={"facecolor": base.GROUND, "edgecolor": "none", "pad": 0.5},
        )
        ax.set_xticks([*numbered, at], [*map(str, numbered), "all"])
        ax.set_xlim(1 - 0.06 * at, at + 0.24 * at)


def _group_values(
    facts: Facts, values: tuple[float, ...]
) -> tuple[str, tuple[tuple[float, ...], ...]]:
    """
    Group the finite values by repetition, or by split if there is only one repetition.

    If splits are marked by repetition −1, the others only serve the variance and are left out.
    """
    repetition = facts.design.repetition
    marked = any(r < 0 for r in repetition)
    about = [
        pairs_of_values
        for pairs_of_values in zip(repetition, values, strict=False)
        if pairs_of_values[0] < 0 or not marked
    ]
    by_split = len({r for r, _ in about}) == 1
    groups: dict[int, list[float]] = {}
    for k, (r, value) in enumerate(about):
        groups.setdefault(k if by_split else r, []).extend([value] if math.isfinite(value) else [])
    return "split" if by_split else "repetition", tuple(tuple(groups[k]) for k in sorted(groups))


@dataclass(frozen=True, kw_only=True, slots=True)
class PathInfo(base.IntervalsInfo):
    """
    The estimate after each look at a run that grew, up to where it stopped.

    ``replicability`` has the probability that the verdict of each look would be the same on another
    partition. It is empty if that is not known.
    """

    m: tuple[int, ...]
    stopped_at: int
    most: int
    outcome: str | None
    replicability: tuple[float | None, ...] = ()
    goal: float | None = None

    @classmethod
    def of(cls, facts: Facts, pair: Pair) -> Self | None:
        """Return the info of one pair, or None if there were fewer than two looks."""
        if len(pair.path) < _FEWEST_LOOKS:
            return None
        axis = base.Axis.of(facts, pair)
        last = pair.path[-1]
        most = max(facts.most_repetitions or last.m, last.m)
        known = any(look.replicability is not None for look in pair.path)
        looks = "; ".join(_look_phrase(look, pair.digits, known=known) for look in pair.path)
        stop = f"all {most} repetitions"
        if last.m < most:
            stop = f"stopped after {last.m} of at most {most} repetitions"
        also = ", and how likely the verdict was to be the same on another partition"
        return cls(
            title=f"The estimate at each look{also if known else ''}: {stop}{base.band(axis)}",
            alt=f"Estimates at each look, {axis.label}: {looks}.",
            axis=axis,
            m=tuple(look.m for look in pair.path),
            **base.intervals(pair.path),
            stopped_at=last.m,
            most=most,
            outcome=pair.outcome,
            replicability=tuple(look.replicability for look in pair.path) if known else (),
            goal=facts.goal,
        )

    @property
    def height(self) -> float:
        return 4.7 if self.replicability else 3.2

    def draw(self, ax: "Axes") -> None:
        base.clean_axis(ax, self.axis, self.numbers, along="y")
        base.draw_null_and_margin(ax, self.axis, along="y")
        ax.plot(self.m, self.value, color=base.MUTED, linewidth=1.2, zorder=1.8)
        *before, last = zip(self.m, self.value, self.ends, strict=True)
        for look in before:
            base.draw_estimate(ax, *look, "", along="y", linewidth=1.8, markersize=5)
        base.draw_estimate(ax, *last, self.outcome, along="y")
        lowest = ax
        self._along_repetitions(ax)
        place = ax.get_subplotspec()
        if self.replicability and place is not None:  # axes placed by hand cannot be divided
            rows = place.subgridspec(2, 1, height_ratios=(2, 1))
            ax.set_subplotspec(rows[0])
            lowest = ax.figure.add_subplot(rows[1])
            self._draw_replicability(lowest)
        lowest.set_xlabel("repetitions so far", loc="right", **base.LABEL)
        base.name_axis(ax, self.axis, base.verbatim(self.axis.label), along="y")

    def _along_repetitions(self, ax: "Axes") -> None:
        """Draw the axis of repetitions on a logarithmic scale."""
        ax.set_xscale("log")
        ax.set_xlim(self.m[0] * 0.93, self.most * 1.09)
        step = math.ceil(len(self.m) / _MOST_TICKS)
        shown = sorted({*self.m[::-step], self.most})
        ax.set_xticks(shown, [str(m) for m in shown])
        ax.set_xticks([], minor=True)
        if self.most > self.stopped_at:
            ends = (self.stopped_at * 1.05, self.most * 1.09)
            ax.axvspan(*ends, color=base.BAND, linewidth=0, zorder=0.4)
            ax.text(
                math.sqrt(ends[0] * ends[1]),
                0.03,  # at the bottom: the line at zero may cross the middle
                "not\nneeded",
                transform=ax.get_xaxis_transform(),
                ha="center",
                va="bottom",
                **base.ASIDE,
            )

    def _draw_replicability(self, ax: "Axes") -> None:
        """Draw how likely the verdict of each look was to last, with the goal as a line."""
        base.clean(ax, grid="y")
        looks = zip(self.m, self.replicability, strict=True)
        known = [(m, chance) for m, chance in looks if chance is not None]
        if self.goal is not None:
            ax.axhline(self.goal, color=base.MUTED, linewidth=1.1, linestyle=(0, (4, 2)), zorder=1)
        ax.plot(*zip(*known, strict=True), "o-", color=base.BLUE, linewidth=1.6, markersize=6)
        for m, chance in known:
            ax.annotate(
                format_replicability(chance),
                (m, chance),
                (0, 6),
                textcoords="offset points",
                ha="center",
                fontsize=base.SMALL,
                color=base.INK,
            )
        ax.set_ylim(0.45, 1.16)
        ticks = [0.5, 0.75, 1.0] if self.goal is None else [0.5, self.goal, 1.0]
        names = [f"{100 * tick:.0f}%" for tick in ticks]
        if self.goal is not None:
            names[1] = f"goal {names[1]}"
        ax.set_yticks(ticks, names)
        ax.set_ylabel("same verdict", **base.LABEL)
        self._along_repetitions(ax)


_FEWEST_LOOKS = 2  # of a path that is worth drawing
_MOST_TICKS = 12


def _look_phrase(look: Look, digits: int, *, known: bool) -> str:
    words = f"after {look.m} repetitions {base.value_with_interval(look, digits)}"
    if known:
        words += f", same verdict {format_replicability(look.replicability)}"
    return words


@dataclass(frozen=True, kw_only=True, slots=True)
class PosteriorInfo(base.Info):
    """Posterior densities of the scores, the baseline's first."""

    label: str
    curves: tuple[Curve, ...]

    @classmethod
    def of(cls, facts: Facts, pair: Pair) -> Self | None:
        """Return the info of one pair, or None if there is no posterior."""
        if not pair.curves:
            return None
        words = one_line(facts.measure_words)
        whose = "each" if len(pair.curves) > 1 else one_line(pair.challenger)
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
        base.clean(ax, grid="x")
        top = max(max(curve.density) for curve in self.curves)
        rows = [-(0.14 + 0.17 * k) * top for k in range(len(self.curves))]
        for k, (curve, row) in enumerate(zip(self.curves, rows, strict=True)):
            color, dashes, marker = _STROKES[k % 2]
            ends = (curve.low, curve.high)
            ax.fill_between(curve.x, curve.density, color=color, alpha=0.22, linewidth=0)
            ax.plot(curve.x, curve.density, color=color, linewidth=1.8, linestyle=dashes)
            ax.plot(ends, (row, row), color=color, linewidth=3, solid_capstyle="butt")
            ax.plot(curve.mean, row, marker=marker, color=color, markersize=7.5)
        ax.axhline(0, color=base.MUTED, linewidth=0.8)
        ax.set_xlim(*_visible_range(self))
        ax.set_ylim(rows[-1] - 0.12 * top, 1.05 * top)
        ax.set_yticks(rows, [base.verbatim(shorten_name(curve.name, 16)) for curve in self.curves])
        for k, label in enumerate(ax.get_yticklabels()):
            label.set(color=_STROKES[k % 2][0], fontsize=base.TEXT, weight="bold")
        ax.set_xlabel(base.verbatim(self.label), **base.LABEL)
        base.set_value_ticks(ax, along="x")


def _visible_range(info: PosteriorInfo) -> tuple[float, float]:
    """Return limits that hold all visible mass and all intervals."""
    seen = [
        x
        for curve in info.curves
        for x, y in zip(curve.x, curve.density, strict=True)
        if y > 2e-3 * max(curve.density)
    ]
    ends = [end for curve in info.curves for end in (curve.low, curve.high)]
    return min(*seen, *ends), max(*seen, *ends)
