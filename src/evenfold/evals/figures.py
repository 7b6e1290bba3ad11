"""Figures of a leaderboard: rank intervals, tiers, who won against whom, one model against one."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Self

from evenfold.core.checks import one_of, refuse
from evenfold.core.facts.board import BoardEntry, BoardFacts
from evenfold.core.words import count, format_confidence, join_words, one_line
from evenfold.report.figures import base

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_ROWS = 60  # models whose names can be read below each other
_MOST_CELLS = 40  # models whose square can be read
_NAMED = 3  # models of a tier that words name


@dataclass(frozen=True, kw_only=True, slots=True)
class _RowsInfo(base.Info):
    """A row for each model."""

    names: tuple[str, ...]

    @property
    def height(self) -> float:
        return 0.7 + 0.19 * len(self.names)


@dataclass(frozen=True, kw_only=True, slots=True)
class RanksInfo(_RowsInfo):
    """The ranks that each model may truly have, the best first."""

    rank: tuple[int, ...]
    first: tuple[int, ...]
    last: tuple[int, ...]
    among_best: tuple[bool, ...]

    @classmethod
    def of(cls, facts: BoardFacts) -> Self:
        """Return the info of the first models of a board."""
        some = facts.entries[:_MOST_ROWS]
        left = len(facts.entries) - len(some)
        ranks = "; ".join(f"{one_line(entry.name)} {entry.first} to {entry.last}" for entry in some)
        return cls(
            title=f"Simultaneous {format_confidence(facts.level)} rank sets; filled: may be the "
            "best" + (f"; {left} further models are not shown" if left else ""),
            alt=f"Rank intervals: {ranks}.",
            names=_short_names(some),
            **base.columns(some, "rank", "first", "last", "among_best"),
        )

    def draw(self, ax: "Axes") -> None:
        """Draw one line per model over its rank set, and a dot at its rank by value."""
        from matplotlib.ticker import MaxNLocator

        base.clean_rows(ax, self.names)
        ax.set_xlim(0.4, max(self.last) + 0.6)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
        for row, ends in enumerate(zip(self.first, self.last, strict=True)):
            base.draw_interval(ax, row, *ends, along="x", color=base.BLUE, linewidth=2.4)
            face = base.BLUE if self.among_best[row] else base.GROUND
            ax.plot(self.rank[row], row, "o", color=base.BLUE, markerfacecolor=face, markersize=6)
        ax.set_xlabel("rank, 1 is the best", **base.LABEL)


@dataclass(frozen=True, kw_only=True, slots=True)
class TiersInfo(_RowsInfo):
    """Values with their intervals, a band for each tier."""

    label: str
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    tier: tuple[int, ...]

    @classmethod
    def of(cls, facts: BoardFacts) -> Self:
        """Return the info of the first models of a board, tier by tier."""
        some = sorted(facts.entries, key=lambda entry: entry.tier)[:_MOST_ROWS]
        members: dict[int, list[str]] = {}
        for entry in some:
            members.setdefault(entry.tier, []).append(one_line(entry.name))
        sets = "; ".join(
            f"tier {tier}: {join_words(names[:_NAMED])}"
            + (f" and {len(names) - _NAMED} more" if len(names) > _NAMED else "")
            for tier, names in members.items()
        )
        return cls(
            title="Tiers: models of one tier are tied; simultaneous "
            f"{format_confidence(facts.level)} intervals",
            alt=f"{count(len(members), 'tier')}. {sets}.",
            label=one_line(facts.measure_words),
            names=_short_names(some),
            **base.columns(some, "value", "low", "high", "tier"),
        )

    def draw(self, ax: "Axes") -> None:
        """Draw values with intervals; every second tier on a grey band."""
        base.clean_rows(ax, [f"{n}  {t}" for n, t in zip(self.names, self.tier, strict=True)])
        ax.set_xlim(_limits([*self.low, *self.high, *self.value]))
        for row, ends in enumerate(zip(self.low, self.high, strict=True)):
            if self.tier[row] % 2 == 0:
                ax.axhspan(row - 0.5, row + 0.5, color=base.BAND, linewidth=0, zorder=0.5)
            base.draw_interval(ax, row, *ends, along="x", color=base.BLUE, linewidth=2.0)
            ax.plot(self.value[row], row, "o", color=base.BLUE, markersize=5)
        ax.set_xlabel(f"{base.verbatim(self.label)}; behind each name its tier", **base.LABEL)
        base.set_value_ticks(ax, along="x")


@dataclass(frozen=True, kw_only=True, slots=True)
class WinsInfo(base.Info):
    """How often model i won against model j, and whether a test decided it."""

    names: tuple[str, ...]
    wins: tuple[tuple[float, ...], ...]
    decided: tuple[tuple[bool, ...], ...]

    @classmethod
    def of(cls, facts: BoardFacts) -> Self | None:
        """Return the info, or None where there are too many models to look at."""
        if not facts.wins or len(facts.wins) > _MOST_CELLS:
            return None
        shown = base.labels(facts.algorithms, 18)
        beaten = [set(row) for row in facts.beats]
        models = range(len(facts.wins))
        return cls(
            title=f"Share of {'tasks' if facts.tasks else 'battles'} that the row won against the "
            "column, in per cent; bold where one was shown to be better",
            alt=f"Square of {len(facts.wins)} models; {sum(map(len, facts.beats))} pairs decided.",
            names=tuple(shown[name] for name in facts.algorithms),
            wins=facts.wins,
            decided=tuple(tuple(j in beaten[i] or i in beaten[j] for j in models) for i in models),
        )

    @property
    def height(self) -> float:
        return 0.6 + 0.24 * len(self.names)

    def draw(self, ax: "Axes") -> None:
        """Write every share into its cell; the colour says who won more."""
        K = len(self.names)
        ax.set_xlim(-0.5, K - 0.5)
        ax.set_ylim(K - 0.5, -0.5)
        base.clean_square(ax, [f"{i} {name}" for i, name in enumerate(self.names, start=1)])
        ax.grid(visible=False)
        centred: dict[str, Any] = {"ha": "center", "va": "center"}
        centred["fontsize"] = base.SMALL - (2.5 if K > 12 else 1)
        for i, j in product(range(K), repeat=2):
            share = self.wins[i][j]
            if not math.isnan(share):
                color = (base.ORANGE, base.MUTED, base.GREEN)[(share >= 0.5) + (share > 0.5)]
                weight = "bold" if self.decided[i][j] else "normal"
                ax.text(j, i, f"{100 * share:.0f}", color=color, weight=weight, **centred)


@dataclass(frozen=True, kw_only=True, slots=True)
class ScatterInfo(base.Info):
    """One model against another on every task."""

    a: str
    b: str
    of_a: tuple[float, ...]
    of_b: tuple[float, ...]

    @classmethod
    def of(cls, facts: BoardFacts, a: str, b: str) -> Self:
        """Return the info of two models, on the tasks that both have."""
        if not facts.values:
            refuse("kind", "kind must be 'ranks', 'tiers' or 'wins' for battles but got 'scatter'.")
        place = {name: i for i, name in enumerate(facts.algorithms)}
        both = zip(facts.values[place[a]], facts.values[place[b]], strict=True)
        known = [(x, y) for x, y in both if math.isfinite(x) and math.isfinite(y)]
        better = sum((y < x) if facts.small_is_good else (y > x) for x, y in known)
        names = [one_line(a), one_line(b)]
        return cls(
            title=f"{names[1]} against {names[0]} on {count(len(known), 'task')}: {facts.of}; "
            "the line is a tie",
            alt=f"Scatter of {count(len(known), 'task')}. {names[1]} is better than {names[0]} on "
            f"{better}.",
            a=names[0],
            b=names[1],
            of_a=tuple(x for x, _ in known),
            of_b=tuple(y for _, y in known),
        )

    @property
    def height(self) -> float:
        return 4.2

    def draw(self, ax: "Axes") -> None:
        """Draw a dot per task and the line of ties."""
        base.clean(ax, grid="both")
        limits = _limits([*self.of_a, *self.of_b])
        ax.set_xlim(limits)
        ax.set_ylim(limits)
        ax.plot(limits, limits, color=base.INK, linewidth=1.1)
        ax.plot(self.of_a, self.of_b, "o", color=base.BLUE, markersize=5, linestyle="none")
        ax.set_xlabel(base.verbatim(self.a), **base.LABEL)
        ax.set_ylabel(base.verbatim(self.b), **base.LABEL)
        base.set_value_ticks(ax, along="x")
        base.set_value_ticks(ax, along="y")


def _short_names(entries: Sequence[BoardEntry]) -> tuple[str, ...]:
    return tuple(base.labels([entry.name for entry in entries], 24).values())


def _limits(values: Sequence[float]) -> tuple[float, float]:
    """Return limits with a little air around all finite values."""
    finite = [x for x in values if math.isfinite(x)]
    air = 0.05 * ((max(finite) - min(finite)) or 1.0)
    return min(finite) - air, max(finite) + air


def board_infos(facts: BoardFacts) -> tuple[base.Info, ...]:
    """Return the figures of a board: ranks, tiers, wins, and the first model against the second."""
    infos: list[base.Info | None] = [RanksInfo.of(facts), TiersInfo.of(facts), WinsInfo.of(facts)]
    if facts.values:
        infos.append(ScatterInfo.of(facts, facts.algorithms[0], facts.algorithms[1]))
    return tuple(info for info in infos if info is not None)


def board_figure(facts: BoardFacts, kind: str | None, pair: tuple[str, str]) -> "Figure":
    """Draw a board: ranks and tiers, or the kind that was asked for."""
    if kind is None:
        return base.draw(RanksInfo.of(facts), TiersInfo.of(facts))
    one_of("kind", kind, ("ranks", "tiers", "wins", "scatter"))
    if kind == "scatter":
        return base.draw(ScatterInfo.of(facts, *pair))
    kinds: dict[str, Any] = {"ranks": RanksInfo, "tiers": TiersInfo, "wins": WinsInfo}
    info = kinds[kind].of(facts)
    if info is None:
        refuse(
            "kind",
            f"kind must be 'ranks', 'tiers' or 'scatter' for more than {_MOST_CELLS} models but "
            f"got {kind!r}.",
        )
    return base.draw(info)
