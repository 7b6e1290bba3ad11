"""
The figures, each drawn from an info value of ``infos``; matplotlib is loaded when the first one is drawn.

Figures are made without ``pyplot``, so no global state is touched and no display is needed.
"""

import math
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.comparison import Facts
from evenfold.core.words import precision, short, shown
from evenfold.report.figures import ink
from evenfold.report.figures.along import AlongInfo, draw_along
from evenfold.report.figures.critical import CriticalInfo, across_infos, draw_critical
from evenfold.report.figures.infos import (
    DifferencesInfo,
    ForestInfo,
    GroupsInfo,
    Info,
    OverlapInfo,
    PathInfo,
    PosteriorInfo,
    infos,
)
from evenfold.report.figures.matrix import MatrixInfo, draw_matrix
from evenfold.report.figures.sizes import LearningInfo, SizesInfo, draw_learning, draw_sizes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot(facts: Facts | AcrossFacts) -> "Figure":
    """
    Draw the answer.

    Parameters
    ----------
    facts : Facts or AcrossFacts
        What a comparison found, or one over data sets.

    Returns
    -------
    matplotlib.figure.Figure
        The pictures that suit it, below each other: for two algorithms the path of a sequential test, the
        posteriors of both scores and the hold-out differences, as far as there are any; for more, a forest
        plot of all pairs and the groups that were not told apart; over data sets the critical-difference
        diagram, or for two algorithms every data set.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> figure = plot(sample())
    >>> [ax.get_ylabel() for ax in figure.axes]
    ['error: forest − tree', 'error: forest − tree']
    """
    return draw(*(across_infos(facts) if isinstance(facts, AcrossFacts) else infos(facts)))


def draw(*shown: Info | CriticalInfo, titles: bool = True) -> "Figure":
    """
    Draw info values below each other.

    Parameters
    ----------
    *shown : info values
        Any of those of :mod:`evenfold.report.figures.infos`; none gives a figure that says so.
    titles : bool, default True
        Whether to write the title of each above it; a page that has captions needs none.

    Returns
    -------
    matplotlib.figure.Figure
    """
    from matplotlib import style

    with style.context("default"):  # not the user's: a figure must not depend on what else is drawn
        return _drawn(shown, titles=titles)


def _drawn(shown: Sequence[Info | CriticalInfo], *, titles: bool) -> "Figure":
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    heights = [_height(info) for info in shown] or [1.0]
    figure = Figure(figsize=(ink.WIDTH, sum(heights)), layout=ConstrainedLayoutEngine(h_pad=0.1))
    figure.set_facecolor(ink.GROUND)
    if not shown:
        figure.text(0.5, 0.5, "nothing to draw: no usable values", ha="center", va="center", color=ink.MUTED)
        return figure
    parts = figure.subfigures(len(shown), 1, height_ratios=heights, squeeze=False)[:, 0]
    for part, info in zip(parts, shown, strict=True):
        ax = part.subplots()
        _DRAW[type(info)](ax, info)
        if titles:
            part.suptitle(
                _wrapped(info.title), x=0.02, ha="left", fontsize=ink.TEXT, color=ink.INK, weight="bold"
            )
    return figure


def _wrapped(title: str) -> str:
    return ink.verbatim(textwrap.fill(title, 50))


def _height(info: Info | CriticalInfo) -> float:
    if isinstance(info, ForestInfo):
        return 1.2 + len(info.names) * (0.34 if len(info.names) <= 20 else 0.22)
    if isinstance(info, MatrixInfo):
        return 0.5 + 0.2 * len(info.names)
    if isinstance(info, GroupsInfo):
        return 0.9 + 0.36 * len(info.names)
    if isinstance(info, CriticalInfo):
        return 1.0 + 0.2 * len(info.names) + 0.18 * len(info.groups)
    return 3.9 if isinstance(info, OverlapInfo) else 3.2


def _differences(ax: "Axes", info: DifferencesInfo) -> None:
    flat = [y for group in info.groups for y in group]
    ax.set_ylim(ink.limits([*flat, info.value, info.low, info.high], info.axis))
    ink.clean(ax, grid="y")
    ink.ground(ax, info.axis, along="y")
    raster = len(flat) > 400
    for x, group in enumerate(info.groups, start=1):
        if len(group) > 1:
            ax.plot(
                (x, x), (min(group), max(group)), color=ink.RULE, linewidth=2.2, zorder=1.5, rasterized=raster
            )
    points = [(x, y) for x, group in enumerate(info.groups, start=1) for y in group]
    size = 5.5 if len(points) <= 60 else 3.0
    ax.plot(*zip(*points, strict=True), "o", color=ink.MUTED, markersize=size, alpha=0.8, rasterized=raster)
    _estimate(ax, info, at=len(info.groups) + max(1.0, 0.12 * len(info.groups)))
    ax.set_ylabel(ink.verbatim(info.axis.label), fontsize=ink.TEXT, color=ink.INK)
    ax.set_xlabel(info.by, fontsize=ink.TEXT, color=ink.INK, loc="right")
    ink.sides(ax, info.axis, along="y")
    ink.ticked(ax, along="y")


def _estimate(ax: "Axes", info: DifferencesInfo, *, at: float) -> None:
    style = ink.look(info.outcome)
    size, step = len(info.groups), math.ceil(len(info.groups) / 9)
    numbered = list(range(1, size + 1, step))
    if not math.isfinite(info.value):
        ax.set_xticks(numbered)
        ax.set_xlim(0.5, size + 0.5)
        return
    ink.bar(ax, at, info.low, info.high, along="y", color=style["color"], linewidth=3)
    ax.plot(at, info.value, markersize=8, markeredgewidth=1.8, linestyle="none", **style)
    ax.annotate(
        shown(info.value, digits=precision(info.value, info.low, info.high)),
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


def _path(ax: "Axes", info: PathInfo) -> None:
    ax.set_ylim(ink.limits([*info.value, *info.low, *info.high], info.axis))
    ink.clean(ax, grid="y")
    ink.ground(ax, info.axis, along="y")
    style = ink.look(info.outcome)
    ax.plot(info.m, info.value, color=ink.MUTED, linewidth=1.2, zorder=1.8)
    for k, m in enumerate(info.m):
        last = m == info.stopped_at
        color = style["color"] if last else ink.MUTED
        ink.bar(ax, m, info.low[k], info.high[k], along="y", color=color, linewidth=3 if last else 1.8)
        mark = style if last else {"color": ink.MUTED, "marker": "o"}
        ax.plot(m, info.value[k], markersize=8 if last else 5, markeredgewidth=1.8, **mark)
    if info.most > info.stopped_at:
        ax.axvspan(info.stopped_at + 0.5, info.most + 0.5, color=ink.BAND, linewidth=0, zorder=0.4)
        middle = (info.stopped_at + info.most + 1) / 2
        ax.text(
            middle,
            0.5,
            "not\nneeded",
            transform=ax.get_xaxis_transform(),
            ha="center",
            va="center",
            fontsize=ink.SMALL,
            color=ink.MUTED,
            style="italic",
        )
    ax.set_xlim(info.m[0] - 0.5, info.most + 0.5)
    ax.set_xticks(range(info.m[0], info.most + 1, math.ceil((info.most - info.m[0] + 1) / 12)))
    ax.set_ylabel(ink.verbatim(info.axis.label), fontsize=ink.TEXT, color=ink.INK)
    ax.set_xlabel("repetitions so far", fontsize=ink.TEXT, color=ink.INK, loc="right")
    ink.sides(ax, info.axis, along="y")
    ink.ticked(ax, along="y")


def _posteriors(ax: "Axes", info: PosteriorInfo) -> None:
    ink.clean(ax, grid="x")
    top = max(max(curve.density) for curve in info.curves)
    rows = [-(0.14 + 0.17 * k) * top for k in range(len(info.curves))]
    for k, (curve, row) in enumerate(zip(info.curves, rows, strict=True)):
        color = (ink.ORANGE, ink.BLUE)[k % 2]
        ax.fill_between(curve.x, curve.density, color=color, alpha=0.22, linewidth=0)
        ax.plot(curve.x, curve.density, color=color, linewidth=1.8, linestyle=("-", (0, (5, 1.5)))[k % 2])
        ax.plot((curve.low, curve.high), (row, row), color=color, linewidth=3, solid_capstyle="butt")
        ax.plot(curve.mean, row, marker="so"[k % 2], color=color, markersize=7.5)
    ax.axhline(0, color=ink.MUTED, linewidth=0.8)
    ax.set_xlim(*_mass(info))
    ax.set_ylim(rows[-1] - 0.12 * top, 1.05 * top)
    ax.set_yticks(rows, [ink.verbatim(short(curve.name, 16)) for curve in info.curves])
    for k, label in enumerate(ax.get_yticklabels()):
        label.set(color=(ink.ORANGE, ink.BLUE)[k % 2], fontsize=ink.TEXT, weight="bold")
    ax.set_xlabel(ink.verbatim(info.label), fontsize=ink.TEXT, color=ink.INK)
    ink.ticked(ax, along="x")


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


def _forest(ax: "Axes", info: ForestInfo) -> None:
    ax.set_xlim(ink.limits([*info.value, *info.low, *info.high], info.axis))
    ax.set_ylim(len(info.names) - 0.4, -0.6)
    ink.clean(ax, grid="x")
    ink.ground(ax, info.axis, along="x")
    for row, outcome in enumerate(info.outcomes):
        style = ink.look(outcome)
        ink.bar(ax, row, info.low[row], info.high[row], along="x", color=style["color"], linewidth=2.4)
        ax.plot(info.value[row], row, markersize=7, markeredgewidth=1.6, **style)
    ax.set_yticks(range(len(info.names)), [ink.verbatim(name) for name in info.names])
    ax.tick_params(axis="y", labelcolor=ink.INK)
    ax.set_xlabel(ink.verbatim(info.axis.label), fontsize=ink.TEXT, color=ink.INK)
    ink.sides(ax, info.axis, along="x")
    ink.ticked(ax, along="x")


def _groups(ax: "Axes", info: GroupsInfo) -> None:
    rows = range(len(info.names))
    low, high = min((*info.means, *info.low)), max((*info.means, *info.high))
    air = (high - low) or 0.1 * abs(high) or 1.0
    ax.set_ylim(len(info.names) - 0.4, -0.6)
    ink.clean(ax, grid="x")
    step = 0.075 * air
    ax.set_xlim(low - 0.08 * air, high + 0.2 * air + len(info.groups) * step)
    for row in range(len(info.low)):
        ink.bar(ax, row, info.low[row], info.high[row], along="x", color=ink.BLUE, linewidth=2.4)
    for row, mean in enumerate(info.means):
        hollow = bool(info.among_best) and info.among_best[row] is False
        face = ink.GROUND if hollow else ink.BLUE
        ax.plot(mean, row, "o", color=ink.BLUE, markerfacecolor=face, markersize=8, markeredgewidth=1.6)
    for k, group in enumerate(info.groups):
        x = high + 0.12 * air + k * step
        ax.plot((x, x), (group[0], group[-1]), color=ink.INK, linewidth=2)
        ax.plot([x] * len(group), group, "o", color=ink.INK, markersize=6)
    ax.set_yticks(rows, [ink.verbatim(name) for name in info.names])
    ax.tick_params(axis="y", labelcolor=ink.INK)
    ax.set_xlabel(ink.verbatim(info.label), fontsize=ink.TEXT, color=ink.INK)
    ax.locator_params(axis="x", nbins=5)
    ax.set_xticks([x for x in ax.get_xticks() if low - 0.08 * air <= x <= high + 0.05 * air])
    ink.ticked(ax, along="x")


def _overlaps(ax: "Axes", info: OverlapInfo) -> None:
    image = ax.imshow(info.overlaps, cmap="cividis", interpolation="none", vmin=0)
    ink.clean(ax, grid="both")
    ax.grid(visible=False)
    size = len(info.overlaps)
    at = range(0, size, math.ceil(size / 10))
    ax.set_xticks(at, [str(j + 1) for j in at])
    ax.set_yticks(at, [str(j + 1) for j in at])
    ax.set_xlabel("split", fontsize=ink.TEXT, color=ink.INK)
    ax.set_ylabel("split", fontsize=ink.TEXT, color=ink.INK)
    legend = ax.figure.colorbar(image, ax=ax, shrink=0.9)
    legend.outline.set_visible(False)
    legend.ax.tick_params(length=0, labelsize=ink.SMALL, labelcolor=ink.MUTED)
    legend.set_label("shared examples", fontsize=ink.TEXT, color=ink.INK)


_DRAW: dict[type, Callable[[Any, Any], None]] = {
    DifferencesInfo: _differences,
    PathInfo: _path,
    PosteriorInfo: _posteriors,
    ForestInfo: _forest,
    GroupsInfo: _groups,
    OverlapInfo: _overlaps,
    MatrixInfo: draw_matrix,
    SizesInfo: draw_sizes,
    AlongInfo: draw_along,
    LearningInfo: draw_learning,
    CriticalInfo: draw_critical,
}
