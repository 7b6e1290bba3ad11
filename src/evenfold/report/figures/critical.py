"""
Figures over several data sets.

One is the critical-difference diagram, and the other shows the difference on each data set.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from evenfold.core.facts.across import AcrossFacts, AcrossPair
from evenfold.core.words import decimals, format_confidence, format_number, one_line, shorten_name
from evenfold.report.figures import base, many

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_DIAGRAM = 10  # algorithms whose names stand left and right of an axis
_DETAIL = 6  # pairs of which every data set is drawn
_SMALL: dict[str, Any] = {"fontsize": base.SMALL, "color": base.INK}


@dataclass(frozen=True, kw_only=True, slots=True)
class CriticalInfo(base.Info):
    """
    Algorithms on the axis of mean ranks, and bars over those that are tied.

    ``groups`` holds positions in ``names``, which are in the order of their ranks.
    ``critical_difference`` is that of Nemenyi's test, if this test decided.
    """

    names: tuple[str, ...]
    ranks: tuple[float, ...]
    groups: many.Groups
    critical_difference: float | None

    @classmethod
    def of(cls, facts: AcrossFacts) -> Self:
        """Return the info; only bars between algorithms whose pair was judged are drawn."""
        order = sorted(range(len(facts.algorithms)), key=lambda i: facts.ranks[i])
        names = [facts.algorithms[i] for i in order]
        judged = {frozenset((pair.baseline, pair.challenger)): pair.outcome for pair in facts.pairs}
        groups = many.tied_groups(
            names, lambda a, b: judged.get(frozenset((a, b))) == "inconclusive"
        )
        rows = ", ".join(
            f"{one_line(n)} {format_number(facts.ranks[i], digits=2)}"
            for n, i in zip(names, order, strict=True)
        )
        joined = "no two that were compared are tied"
        ties = "No two that were compared are tied."
        if groups:
            joined = many.JOINED
            ties = f"Tied: {many.name_groups(names, groups)}."
        return cls(
            title=f"Mean ranks over {len(facts.data_sets)} data sets, 1 is best; {joined}",
            alt=f"Critical-difference diagram. Mean ranks: {rows}. {ties}",
            names=tuple(base.labels(names, 18).values()),
            ranks=tuple(facts.ranks[i] for i in order),
            groups=groups,
            critical_difference=facts.critical_difference,
        )

    @property
    def height(self) -> float:
        return 1.0 + 0.2 * len(self.names) + 0.18 * len(self.groups)

    def draw(self, ax: "Axes") -> None:
        """Draw ranks along the top, names beside it, and bars over groups (after Demšar 2006)."""
        K = len(self.names)
        half = (K + 1) // 2
        bars = len(self.groups)
        ax.set_xlim(1 - 0.75 * (K - 1), K + 0.75 * (K - 1))
        ax.set_ylim(bars * 0.45 + half * 0.62 + 0.5, -1.35 if self.critical_difference else -0.75)
        ax.axis("off")
        _axis_of_ranks(ax, K)
        if self.critical_difference is not None:
            _ruler(ax, self.critical_difference)
        for row, group in enumerate(self.groups):
            y = 0.35 + 0.45 * row
            # dots say who belongs: a bar may pass over another
            members = [self.ranks[i] for i in group]
            ax.plot((members[0], members[-1]), (y, y), color=base.INK, linewidth=2.6)
            ax.plot(members, [y] * len(members), "o", color=base.INK, markersize=6)
        for i, (name, rank) in enumerate(zip(self.names, self.ranks, strict=True)):
            left = i < half
            away = 1 - K if left else K - 1
            end = (1 if left else K) + 0.08 * away
            y = 0.45 * bars + 0.55 + 0.62 * min(i, K - 1 - i)
            ax.plot((rank, rank, end), (0, y, y), color=base.BLUE, linewidth=1.1)
            ax.plot(rank, 0, "o", color=base.BLUE, markersize=5, clip_on=False)
            align = "right" if left else "left"
            label = base.verbatim(f"{name}  {format_number(rank, digits=2)}")
            ax.text(end + 0.03 * away, y, label, ha=align, va="center", **_SMALL)


class _Row(NamedTuple):
    """One line of a forest plot."""

    name: str
    value: float
    low: float
    high: float
    outcome: str | None = None


def by_data_set(facts: AcrossFacts, pair: AcrossPair) -> many.ForestInfo | None:
    """Return one pair on every data set, its mean, and the prediction for a new data set."""
    rows = [
        _Row(shorten_name(data.name, 20), *ends)
        for data, ends in zip(facts.data_sets, pair.differences, strict=True)
        if all(map(math.isfinite, ends))
    ]
    if not rows or not math.isfinite(pair.low):
        return None
    rows.append(_Row("all data sets", pair.value, pair.low, pair.high, pair.outcome))
    if math.isfinite(pair.predicted_low):
        predicted = pair.predicted_low, pair.predicted_high
        plain = sum(predicted) / 2  # the mean without weights, which is expected of a new one
        rows.append(_Row("a new one", plain, *predicted, "inconclusive"))
    a = shorten_name(pair.baseline)
    b = shorten_name(pair.challenger)
    digits = max(decimals(row.high - row.low) for row in rows)
    rows_in_words = "; ".join(
        f"{row.name} {base.in_words(row.value, row.low, row.high, digits)}" for row in rows
    )
    shows = f"{b} − {a} on every data set, their weighted mean, and a new one"
    return many.ForestInfo(
        title=f"{shows}; {format_confidence(facts.level)} intervals",
        alt=f"Forest plot over data sets: {rows_in_words}.",
        axis=base.Axis.between(facts, a, b),
        names=tuple(row.name for row in rows),
        **base.intervals(rows),
        outcomes=tuple(row.outcome for row in rows),
    )


def _axis_of_ranks(ax: "Axes", K: int) -> None:
    ax.plot((1, K), (0, 0), color=base.MUTED, linewidth=1.1)
    for rank in range(1, K + 1):
        ax.plot((rank, rank), (0, -0.14), color=base.MUTED, linewidth=1.1)
        ax.text(rank, -0.24, str(rank), ha="center", va="bottom", **{**_SMALL, "color": base.MUTED})


def _ruler(ax: "Axes", width: float) -> None:
    ax.plot((1, 1 + width), (-0.95, -0.95), color=base.INK, linewidth=2.2, solid_capstyle="butt")
    label = f"critical difference {format_number(width, digits=2)}"
    ax.text(1 + width / 2, -1.02, label, ha="center", va="bottom", **_SMALL)


def across_infos(facts: AcrossFacts) -> tuple[base.Info, ...]:
    """
    Return the figures of an answer over data sets.

    Many algorithms are drawn as a list and not as a diagram.
    """
    if len(facts.algorithms) == 2:
        forest = by_data_set(facts, facts.pairs[0])
        return () if forest is None else (forest,)
    diagram = CriticalInfo.of(facts)
    if len(diagram.names) <= _DIAGRAM:
        return (diagram,)
    listed = many.GroupsInfo(
        title=diagram.title,
        alt=diagram.alt,
        label="mean rank",
        names=diagram.names,
        means=diagram.ranks,
        groups=diagram.groups,
    )
    return (listed,)


def across_details(facts: AcrossFacts) -> Iterator[tuple[str, many.ForestInfo]]:
    """Yield the name and the figure of each pair if there are few pairs."""
    if len(facts.algorithms) > 2 and len(facts.pairs) <= _DETAIL:
        for pair in facts.pairs:
            forest = by_data_set(facts, pair)
            if forest is not None:
                yield f"{one_line(pair.challenger)} − {one_line(pair.baseline)}", forest
