"""Figures of many: all pairs below each other, and algorithms from best to worst."""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

from evenfold.core.facts.comparison import Facts, Pair
from evenfold.core.ranking import cliques
from evenfold.core.words import decimals, interval, listed, one_line, percent, short, shown
from evenfold.report.figures import ink
from evenfold.report.figures._base import Info, IntervalsInfo, band, best_first, intervals, labels
from evenfold.report.figures.axis import Axis

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Groups = tuple[tuple[int, ...], ...]
JOINED = "a bar joins algorithms that were not told apart"
_DECIDED = ("better", "worse")


@dataclass(frozen=True, kw_only=True, slots=True)
class ForestInfo(IntervalsInfo):
    """All pairs below each other: name, estimate, interval and outcome of each."""

    names: tuple[str, ...]
    outcomes: tuple[str | None, ...]

    @classmethod
    def of(cls, facts: Facts) -> Self | None:
        """Return the info of all pairs that were judged, or None for fewer than two."""
        pairs = [pair for pair in facts.pairs if pair.baseline is not None and math.isfinite(pair.value)]
        if len(pairs) < 2:
            return None
        decimals, axis = facts.digits, Axis.of(facts)
        names = labels(best_first(facts), 12)
        rows = "; ".join(
            f"{versus(pair)} {shown(pair.value, digits=decimals)} "
            f"({interval(pair.low, pair.high, digits=decimals)}), {pair.outcome}"
            for pair in pairs
        )
        return cls(
            title=f"Every pair: estimate and interval of B − A{band(axis)}",
            alt=f"Forest plot of {len(pairs)} pairs: {rows}.",
            axis=axis,
            names=tuple(f"{names[pair.challenger]} − {names[pair.baseline or '']}" for pair in pairs),
            **intervals(pairs),
            outcomes=tuple(pair.outcome for pair in pairs),
        )

    @property
    def height(self) -> float:
        return 1.2 + len(self.names) * (0.34 if len(self.names) <= 20 else 0.22)

    def draw(self, ax: "Axes") -> None:
        ax.set_xlim(ink.limits([*self.value, *self.low, *self.high], self.axis))
        ax.set_ylim(len(self.names) - 0.4, -0.6)
        ink.clean(ax, grid="x")
        ink.ground(ax, self.axis, along="x")
        for row, outcome in enumerate(self.outcomes):
            style = ink.look(outcome)
            ink.bar(ax, row, self.low[row], self.high[row], along="x", color=style["color"], linewidth=2.4)
            ax.plot(self.value[row], row, markersize=7, markeredgewidth=1.6, **style)
        ax.set_yticks(range(len(self.names)), [ink.verbatim(name) for name in self.names])
        ax.tick_params(axis="y", labelcolor=ink.INK)
        ax.set_xlabel(ink.verbatim(self.axis.label), **ink.LABEL)
        ink.sides(ax, self.axis, along="x")
        ink.ticked(ax, along="x")


def versus(pair: Pair) -> str:
    """Name a pair: B − A, or one algorithm alone."""
    name = one_line(pair.challenger)
    return name if pair.baseline is None else f"{name} − {one_line(pair.baseline)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupsInfo(Info):
    """
    Algorithms from best to worst, and the groups that could not be told apart.

    ``groups`` holds positions in that order; every two members of a group have a verdict that is neither
    better nor worse, and no group can be enlarged. ``low`` and ``high`` are intervals that hold together,
    empty where there are none; ``among_best`` says who is in the confidence set of the best.
    """

    label: str
    names: tuple[str, ...]
    means: tuple[float, ...]
    groups: tuple[tuple[int, ...], ...]
    low: tuple[float, ...] = ()
    high: tuple[float, ...] = ()
    among_best: tuple[bool | None, ...] = ()

    @classmethod
    def of(cls, facts: Facts) -> Self | None:
        """Return the info of at least three algorithms; groups only where all their pairs were judged."""
        judged = {frozenset((pair.baseline, pair.challenger)): pair.outcome for pair in facts.pairs}
        means = {one.name: one.mean for one in facts.summaries}
        complete = all(frozenset(two) in judged for two in combinations(means, 2))
        if len(means) < 3 or not all(map(math.isfinite, means.values())):
            return None
        if not (complete or facts.candidates):
            return None
        order = sorted(means, key=lambda name: means[name] if facts.lower_is_better else -means[name])
        groups = _not_told_apart(order, facts, judged) if complete else ()
        return cls(
            title=_groups_title(facts, groups, complete=complete),
            alt=_groups_alt(order, means, groups, complete=complete),
            label=f"mean hold-out {short(facts.measure_words)}",
            names=tuple(labels(best_first(facts), 18)[name] for name in order),
            means=tuple(means[name] for name in order),
            groups=groups,
            **_singles(facts, order),
        )

    @property
    def height(self) -> float:
        return 0.9 + 0.36 * len(self.names)

    def draw(self, ax: "Axes") -> None:
        rows = range(len(self.names))
        low, high = min((*self.means, *self.low)), max((*self.means, *self.high))
        air = (high - low) or 0.1 * abs(high) or 1.0
        ax.set_ylim(len(self.names) - 0.4, -0.6)
        ink.clean(ax, grid="x")
        step = 0.075 * air
        ax.set_xlim(low - 0.08 * air, high + 0.2 * air + len(self.groups) * step)
        for row in range(len(self.low)):
            ink.bar(ax, row, self.low[row], self.high[row], along="x", color=ink.BLUE, linewidth=2.4)
        for row, mean in enumerate(self.means):
            hollow = bool(self.among_best) and self.among_best[row] is False
            face = ink.GROUND if hollow else ink.BLUE
            ax.plot(mean, row, "o", color=ink.BLUE, markerfacecolor=face, markersize=8, markeredgewidth=1.6)
        for k, group in enumerate(self.groups):
            x = high + 0.12 * air + k * step
            ax.plot((x, x), (group[0], group[-1]), color=ink.INK, linewidth=2)
            ax.plot([x] * len(group), group, "o", color=ink.INK, markersize=6)
        ax.set_yticks(rows, [ink.verbatim(name) for name in self.names])
        ax.tick_params(axis="y", labelcolor=ink.INK)
        ax.set_xlabel(ink.verbatim(self.label), **ink.LABEL)
        ax.locator_params(axis="x", nbins=5)
        ax.set_xticks([x for x in ax.get_xticks() if low - 0.08 * air <= x <= high + 0.05 * air])
        ink.ticked(ax, along="x")


def _not_told_apart(
    order: list[str], facts: Facts, judged: dict[frozenset[str | None], str | None]
) -> Groups:
    """The sets that share a letter of the ranking; where it has none, those that no verdict tells apart."""
    letters = {one.name: one.letters for one in facts.candidates if one.ties}

    def tied(a: str, b: str) -> bool:
        if a in letters and b in letters:
            return bool(letters[a] & letters[b])
        return judged[frozenset((a, b))] not in _DECIDED

    joined = [{j for j, b in enumerate(order) if i != j and tied(a, b)} for i, a in enumerate(order)]
    return tuple(sorted(group for group in cliques(joined) if len(group) > 1))


def _singles(facts: Facts, order: list[str]) -> dict[str, tuple[Any, ...]]:
    """Intervals and places in the set of the best, in order; nothing where someone has none."""
    found = {one.name: one for one in facts.candidates}
    if set(order) - set(found):
        return {}
    rows = [found[name] for name in order]
    if not all(math.isfinite(one.high - one.low) for one in rows):
        return {}
    return {
        "low": tuple(one.low for one in rows),
        "high": tuple(one.high for one in rows),
        "among_best": tuple(one.among_best for one in rows),
    }


def _groups_title(facts: Facts, groups: Groups, *, complete: bool) -> str:
    words = ["Best to worst"]
    if any(math.isfinite(one.high - one.low) for one in facts.candidates):
        words.append(f"with intervals that hold together ({percent(facts.level)})")
    if any(one.among_best for one in facts.candidates):
        words.append("filled: may be the best")
    if complete:
        words.append(JOINED if groups else "all were told apart")
    return "; ".join(words)


def _groups_alt(order: list[str], means: dict[str, float], groups: Groups, *, complete: bool) -> str:
    digits = decimals(max(means.values()) - min(means.values()))
    ranks = ", ".join(f"{one_line(name)} {shown(means[name], digits=digits)}" for name in order)
    sets = "; ".join(listed(one_line(order[i]) for i in group) for group in groups)
    said = f"Not told apart: {sets}." if sets else "All were told apart." if complete else ""
    return f"From best to worst: {ranks}. {said}".rstrip()
