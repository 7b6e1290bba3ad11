"""Figures of many: all pairs below each other, and algorithms from best to worst."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Self

from evenfold.core.facts.answers import Candidate, Pair
from evenfold.core.facts.comparison import Facts
from evenfold.core.ranking import cliques
from evenfold.core.words import (
    count,
    decimals,
    format_confidence,
    format_number,
    interval,
    join_words,
    one_line,
    shorten_name,
)
from evenfold.report import tables
from evenfold.report.figures import base
from evenfold.report.words.sizes import size_change

if TYPE_CHECKING:
    from matplotlib.axes import Axes


Groups = tuple[tuple[int, ...], ...]


# The difference along a path: its sum so far, which falls or rises while one of the two is better.


@dataclass(frozen=True, kw_only=True, slots=True)
class AlongInfo(base.AxisInfo):
    """The sum of the differences up to each tested time, or to some of them."""

    at: tuple[float, ...]
    sums: tuple[float, ...]

    @classmethod
    def of(cls, facts: Facts, pair: Pair) -> Self | None:
        """Return the info of one pair, or None where the data have no order."""
        if not pair.along or pair.baseline is None:
            return None
        axis = base.Axis.of(facts, pair)
        at, sums = (tuple(part) for part in zip(*pair.along, strict=True))
        digits = decimals(max(sums) - min(sums))
        quarters = [sums[(len(sums) - 1) * k // 4] for k in range(1, 5)]
        path = ", ".join(format_number(mean, digits=digits) for mean in quarters)
        return cls(
            title="Along the path: the sum of the differences so far",
            alt=f"Sum of {axis.label} after each quarter of {at[-1]:.0f} times: {path}.",
            axis=axis,
            at=at,
            sums=sums,
        )

    def draw(self, ax: "Axes") -> None:
        """Draw the path from its beginning to its end."""
        base.clean_axis(ax, self.axis, (0.0, *self.sums), along="y")
        ax.axhline(0.0, color=base.INK, linewidth=1.1, zorder=1)
        ax.plot(self.at, self.sums, color=base.BLUE, linewidth=1.8, zorder=2)
        ax.set_xlim(0, self.at[-1] * 1.02)
        ax.set_xlabel("tested times", loc="right", **base.LABEL)
        base.name_axis(ax, self.axis, "sum of the differences", along="y")


# Every two of many algorithms in one square: who was told to be better than whom.


_MOST = 40  # algorithms whose square can still be read
_REVERSE = {"better": "worse", "worse": "better", "not worse": None}


@dataclass(frozen=True, kw_only=True, slots=True)
class MatrixInfo(base.Info):
    """
    ``outcomes[i][j]`` is what was said of algorithm i against j.

    The outcome is None if they were not compared.
    """

    names: tuple[str, ...]
    outcomes: tuple[tuple[str | None, ...], ...]

    @classmethod
    def of(cls, facts: Facts) -> Self | None:
        """Return the info of ranked algorithms, the best first, None where there is nothing."""
        order = [candidate.name for candidate in facts.candidates]
        if not 3 <= len(order) <= _MOST:
            return None
        verdicts: dict[tuple[str, str], str | None] = {}
        for pair in facts.pairs:
            a = pair.baseline or ""
            b = pair.challenger
            verdicts[b, a] = pair.outcome
            verdicts[a, b] = _REVERSE.get(pair.outcome or "", pair.outcome)
        won = [(a, b) for (a, b), outcome in verdicts.items() if outcome == "better"]
        shown = base.labels(order, _longest(len(order)))
        return cls(
            title="Row against column, numbered as in the ranking: filled circle better, square "
            "worse, ring tied",
            alt=f"Square of {len(order)} algorithms, {count(len(won), 'pair')} decided. "
            + "; ".join(f"{one_line(a)} better than {one_line(b)}" for a, b in won),
            names=tuple(shown[name] for name in order),
            outcomes=tuple(tuple(verdicts.get((a, b)) for b in order) for a in order),
        )

    @property
    def height(self) -> float:
        return 0.5 + 0.2 * len(self.names)

    def draw(self, ax: "Axes") -> None:
        """Draw one mark for each cell; the diagonal stays empty."""
        K = len(self.names)
        ax.set_xlim(-0.6, K - 0.4)
        ax.set_ylim(K - 0.4, -0.6)
        base.clean_square(ax, self.names, fontsize=base.SMALL - (2.5 if K > 12 else 0))
        for i, row in enumerate(self.outcomes):
            for j, outcome in enumerate(row):
                if outcome is not None:
                    size = 5.5 if outcome in _DECIDED else 3
                    ax.plot(j, i, markersize=size, linestyle="none", **base.look(outcome))


# The difference, and every algorithm by itself, against the training size, where a run had several
# sizes.


_COLOURS = (
    base.ORANGE,
    base.BLUE,
    base.GREEN,
    base.MUTED,
)  # with the next two, 24 curves that differ
_STROKES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1.2)))
_MARKERS = "osD^v<>p"


@dataclass(frozen=True, kw_only=True, slots=True)
class SizesInfo(base.IntervalsInfo):
    """The estimate at each training size, with its interval and what it decides."""

    n_train: tuple[int, ...]
    outcomes: tuple[str | None, ...]

    @classmethod
    def of(cls, facts: Facts, pair: Pair) -> Self | None:
        """Return the info of one pair, or None where there was one training size."""
        if pair.sizes is None:
            return None
        axis = base.Axis.of(facts, pair)
        at = pair.sizes.at
        digits = pair.sizes.digits
        change, _ = size_change(pair.sizes, pair.baseline, pair.challenger, facts.quantity)
        points = "; ".join(
            f"on {at_size.n_train} training examples {base.value_with_interval(at_size, digits)}"
            for at_size in at
        )
        return cls(
            title=f"Training size: {one_line(change)}",
            alt=f"{axis.label} against the training size: {points}.",
            axis=axis,
            n_train=tuple(at_size.n_train for at_size in at),
            **base.intervals(at),
            outcomes=tuple(at_size.outcome for at_size in at),
        )

    def draw(self, ax: "Axes") -> None:
        """Draw the estimates from the smallest training size to the largest."""
        base.clean_axis(ax, self.axis, self.numbers, along="y")
        base.draw_null_and_margin(ax, self.axis, along="y")
        ax.plot(self.n_train, self.value, color=base.MUTED, linewidth=1.2, zorder=1.8)
        for estimate in zip(self.n_train, self.value, self.ends, self.outcomes, strict=True):
            base.draw_estimate(ax, *estimate, along="y")
        _along_sizes(ax, self.n_train, right=0.3)
        base.name_axis(ax, self.axis, base.verbatim(self.axis.label), along="y")


@dataclass(frozen=True, kw_only=True, slots=True)
class LearningInfo(base.Info):
    """The mean hold-out value of every algorithm at each training size."""

    label: str
    n_train: tuple[int, ...]
    names: tuple[str, ...]
    means: tuple[tuple[float, ...], ...]

    @classmethod
    def of(cls, facts: Facts, pair: Pair | None = None) -> Self | None:
        """
        Return the curves of a pair, or of all algorithms.

        A single algorithm is drawn with its interval.
        """
        curves: dict[str, tuple[float, ...]] = {}
        n_train: tuple[int, ...] = ()
        for shown in facts.pairs if pair is None else (pair,):
            if shown.baseline is not None and shown.sizes is not None:
                n_train = n_train or tuple(at.n_train for at in shown.sizes.at)
                for k, name in enumerate((shown.baseline, shown.challenger)):
                    curves[name] = tuple(at.means[k] for at in shown.sizes.at)
        if not curves:
            return None
        digits = facts.value_digits
        paths = "; ".join(
            f"{one_line(name)} {' → '.join(format_number(mean, digits=digits) for mean in means)}"
            for name, means in curves.items()
        )
        words = one_line(facts.measure_words)
        whose = "both" if len(curves) == 2 else "each"
        return cls(
            title=f"Learning curves: the {words} of {whose} by training size",
            alt=f"Mean {words} on {join_words(map(str, n_train))} training examples: {paths}.",
            label=f"mean hold-out {shorten_name(facts.measure_words)}",
            n_train=n_train,
            names=tuple(curves),
            means=tuple(curves.values()),
        )

    def draw(self, ax: "Axes") -> None:
        """Draw one line for every algorithm, named where it ends."""
        base.clean(ax, grid="y")
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
                label=base.verbatim(shorten_name(name, 16)),
            )
        ax.legend(loc="center right", handlelength=2.4, **base.LEGEND)
        ax.set_ylabel(base.verbatim(self.label), **base.LABEL)
        base.set_value_ticks(ax, along="y")


def _along_sizes(ax: "Axes", n_train: tuple[int, ...], *, right: float) -> None:
    width = n_train[-1] - n_train[0]
    ax.set_xlim(n_train[0] - 0.3 * width, n_train[-1] + right * width)
    ax.set_xticks(n_train)
    ax.set_xlabel("training examples", loc="right", **base.LABEL)


JOINED = "a bar joins algorithms that are tied"
_OF_A_PAIR = 16  # characters of each of two names beside a plot
_FEW = 10  # algorithms with room for long names


def _longest(algorithms: int) -> int:
    """How many characters of a name are shown beside a plot of so many."""
    return 28 if algorithms <= _FEW else 18


_DECIDED = ("better", "worse")


@dataclass(frozen=True, kw_only=True, slots=True)
class ForestInfo(base.IntervalsInfo):
    """All pairs below each other: name, estimate, interval and outcome of each."""

    names: tuple[str, ...]
    outcomes: tuple[str | None, ...]

    @classmethod
    def of(cls, facts: Facts) -> Self | None:
        """Return the info of all pairs that were judged, or None for fewer than two."""
        pairs = [
            pair for pair in facts.pairs if pair.baseline is not None and math.isfinite(pair.value)
        ]
        if len(pairs) < 2:
            return None
        decimals = facts.digits
        neutral = facts.quantity.neutral
        axis = base.Axis.of(facts)
        names = base.labels(base.best_first(facts), _OF_A_PAIR)
        rows = "; ".join(
            f"{pair_label(pair)} {format_number(pair.value, digits=decimals)} "
            f"({interval(pair.low, pair.high, digits=decimals, neutral=neutral)}), {pair.outcome}"
            for pair in pairs
        )
        return cls(
            title=f"Every pair: estimate and interval of B − A{base.band(axis)}",
            alt=f"Forest plot of {len(pairs)} pairs: {rows}.",
            axis=axis,
            names=tuple(
                f"{names[pair.challenger]} − {names[pair.baseline or '']}" for pair in pairs
            ),
            **base.intervals(pairs),
            outcomes=tuple(pair.outcome for pair in pairs),
        )

    @property
    def height(self) -> float:
        return 1.2 + len(self.names) * (0.34 if len(self.names) <= 20 else 0.22)

    def draw(self, ax: "Axes") -> None:
        base.clean_axis(ax, self.axis, self.numbers, along="x")
        base.clean_rows(ax, self.names)
        base.draw_null_and_margin(ax, self.axis, along="x")
        mark: dict[str, Any] = {"linewidth": 2.4, "markersize": 7, "markeredgewidth": 1.6}
        for row, estimate in enumerate(zip(self.value, self.ends, self.outcomes, strict=True)):
            base.draw_estimate(ax, row, *estimate, along="x", **mark)
        base.name_axis(ax, self.axis, base.verbatim(self.axis.label), along="x")


def pair_label(pair: Pair) -> str:
    """Name a pair: B − A, or one algorithm alone."""
    name = one_line(pair.challenger)
    if pair.baseline is None:
        return name
    return f"{name} − {one_line(pair.baseline)}"


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupsInfo(base.Info):
    """
    Algorithms from best to worst, and the groups that are tied.

    ``groups`` holds positions in that order; every two members of a group have a verdict that is
    neither better nor worse, and no group can be enlarged. ``low`` and ``high`` are the
    interval of each by itself, empty where there are none; ``among_best`` says who is in the
    confidence set of the best.
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
        """
        Return the info of at least three algorithms.

        It has groups only if all their pairs were judged.
        """
        judged = {frozenset((pair.baseline, pair.challenger)): pair.outcome for pair in facts.pairs}
        means = {candidate.name: candidate.mean for candidate in facts.summaries}
        complete = all(frozenset(two) in judged for two in combinations(means, 2))
        finite = all(map(math.isfinite, means.values()))
        if len(means) < 3 or not finite or not (complete or facts.candidates):
            return None
        order = sorted(means, key=means.__getitem__, reverse=not facts.lower_is_better)
        letters = {
            candidate.name: candidate.letters for candidate in facts.candidates if candidate.ties
        }

        def are_tied(a: str, b: str) -> bool:
            """Whether two share a letter, or without letters no verdict is for one of them."""
            if a in letters and b in letters:
                return bool(letters[a] & letters[b])
            return judged[frozenset((a, b))] not in _DECIDED

        groups = tied_groups(order, are_tied) if complete else ()
        shown = base.labels(base.best_first(facts), _longest(len(order)))
        return cls(
            title=_groups_title(facts, groups, complete=complete),
            alt=_groups_alt(order, means, groups, complete=complete),
            label=f"mean hold-out {shorten_name(facts.measure_words)}",
            names=tuple(shown[name] for name in order),
            means=tuple(means[name] for name in order),
            groups=groups,
            **_own_intervals(facts, order),
        )

    @property
    def height(self) -> float:
        return 0.9 + 0.36 * len(self.names)

    def draw(self, ax: "Axes") -> None:
        low = min((*self.means, *self.low))
        high = max((*self.means, *self.high))
        air = (high - low) or 0.1 * abs(high) or 1.0
        step = 0.075 * air
        base.clean_rows(ax, self.names)
        ax.set_xlim(low - 0.08 * air, high + 0.2 * air + len(self.groups) * step)
        for row, ends in enumerate(zip(self.low, self.high, strict=True)):
            base.draw_interval(ax, row, *ends, along="x", color=base.BLUE, linewidth=2.4)
        for row, mean in enumerate(self.means):
            _draw_candidate(ax, mean, row, best=not self.among_best or self.among_best[row])
        for k, group in enumerate(self.groups):
            x = high + 0.12 * air + k * step
            ax.plot((x, x), (group[0], group[-1]), color=base.INK, linewidth=2)
            ax.plot([x] * len(group), group, "o", color=base.INK, markersize=6)
        ax.set_xlabel(base.verbatim(self.label), **base.LABEL)
        ax.locator_params(axis="x", nbins=5)
        ax.set_xticks([x for x in ax.get_xticks() if low - 0.08 * air <= x <= high + 0.05 * air])
        base.set_value_ticks(ax, along="x")


def _draw_candidate(ax: "Axes", value: float, row: int, *, best: bool | None) -> None:
    """Draw a dot, hollow for one that is known not to be the best."""
    face = base.GROUND if best is False else base.BLUE
    dot: dict[str, Any] = {"color": base.BLUE, "markersize": 8, "markeredgewidth": 1.6}
    ax.plot(value, row, "o", label=base.POINT, markerfacecolor=face, **dot)


# Every candidate against the one that leads.


@dataclass(frozen=True, kw_only=True, slots=True)
class LeaderInfo(base.IntervalsInfo):
    """
    How far every candidate is from the leader, which stands first at no difference.

    ``among_best`` says who is in the confidence set of the best.
    """

    names: tuple[str, ...]
    among_best: tuple[bool | None, ...]

    @classmethod
    def of(cls, facts: Facts) -> Self | None:
        """Return the info of ranked algorithms, None where nobody leads."""
        if not facts.candidates:
            return None
        leader = facts.candidates[0].name
        rows = [
            candidate
            for candidate in facts.candidates
            if candidate.name == leader or _distance_from_leader(facts, candidate, leader)
        ]
        ends = [
            _distance_from_leader(facts, candidate, leader) or (facts.quantity.neutral,) * 3
            for candidate in rows
        ]
        value, low, high = zip(*ends, strict=True)
        words = shorten_name(tables.compared_words(facts))
        shown = base.labels([candidate.name for candidate in rows], _longest(len(rows)))
        sign = "/" if facts.quantity.ratio else "−"
        axis = base.Axis(
            label=f"{words}: candidate {sign} {shorten_name(leader)}",
            null=facts.quantity.neutral,
            margin=facts.margin,
            **base.better_sides(
                shorten_name(leader), "candidate", lower_is_better=facts.lower_is_better
            ),
        )
        best = join_words(one_line(candidate.name) for candidate in rows if candidate.among_best)
        distances = "; ".join(
            f"{one_line(candidate.name)} {format_number(v, digits=facts.digits)} "
            f"({interval(a, b, digits=facts.digits, neutral=facts.quantity.neutral)})"
            for candidate, (v, a, b) in zip(rows[1:], ends[1:], strict=True)
        )
        return cls(
            title=f"Every candidate against {one_line(leader)}, which leads: estimate and interval"
            + ("; filled: may be the best" if best else "")
            + base.band(axis),
            alt=f"{axis.label}: {distances}." + (f" May be the best: {best}." if best else ""),
            axis=axis,
            value=value,
            low=low,
            high=high,
            names=tuple(shown.values()),
            among_best=tuple(candidate.among_best for candidate in rows),
        )

    @property
    def height(self) -> float:
        return 1.2 + 0.36 * len(self.names)

    def draw(self, ax: "Axes") -> None:
        """Draw the leader first, then the others from the best to the worst."""
        base.clean_axis(ax, self.axis, self.numbers, along="x")
        base.clean_rows(ax, self.names)
        base.draw_null_and_margin(ax, self.axis, along="x")
        stroke: dict[str, Any] = {"color": base.BLUE, "linewidth": 2.4}
        for row, ends in enumerate(self.ends[1:], start=1):
            base.draw_interval(ax, row, *ends, along="x", **stroke)
        for row, (value, best) in enumerate(zip(self.value, self.among_best, strict=True)):
            _draw_candidate(ax, value, row, best=best)
        base.name_axis(ax, self.axis, base.verbatim(self.axis.label), along="x")


def _distance_from_leader(
    facts: Facts, candidate: Candidate, leader: str
) -> tuple[float, float, float] | None:
    """Return how far a candidate is from the leader, with its interval; None if nobody knows."""
    for pair in facts.pairs:
        limits = (pair.value, pair.low, pair.high)
        if (pair.baseline, pair.challenger) == (leader, candidate.name):
            return limits
        if (pair.baseline, pair.challenger) == (candidate.name, leader):
            return _turned(*limits, ratio=facts.quantity.ratio)
    return None


def _turned(value: float, low: float, high: float, *, ratio: bool) -> tuple[float, float, float]:
    """Return an estimate and its interval as the other side sees them."""
    if ratio:
        return 1 / value, 1 / high, 1 / low if low else math.inf
    return -value, -high, -low


def tied_groups(order: Sequence[str], are_tied: Callable[[str, str], bool]) -> Groups:
    """Return the largest sets of two or more that are all tied, by their places in the order."""
    joined = [
        {j for j, b in enumerate(order) if i != j and are_tied(a, b)} for i, a in enumerate(order)
    ]
    return tuple(sorted(group for group in cliques(joined) if len(group) > 1))


def _own_intervals(facts: Facts, order: list[str]) -> dict[str, tuple[Any, ...]]:
    """Return the interval of each and who may be the best; nothing where one has no interval."""
    by_name = {candidate.name: candidate for candidate in facts.candidates}
    rows = [by_name[name] for name in order if name in by_name]
    if len(rows) < len(order) or not all(
        math.isfinite(candidate.high - candidate.low) for candidate in rows
    ):
        return {}
    return base.columns(rows, "low", "high", "among_best")


def _groups_title(facts: Facts, groups: Groups, *, complete: bool) -> str:
    words = ["Best to worst"]
    if any(math.isfinite(candidate.high - candidate.low) for candidate in facts.candidates):
        confidence = format_confidence(facts.level)
        if all(candidate.level == facts.level for candidate in facts.candidates):
            words.append(f"each with its own {confidence} interval")
        else:  # only in files of version 0.2
            words.append(f"with simultaneous {confidence} intervals")
    if any(candidate.among_best for candidate in facts.candidates):
        words.append("filled: may be the best")
    if complete:
        words.append(JOINED if groups else "no two are tied")
    return "; ".join(words)


def _groups_alt(
    order: list[str], means: dict[str, float], groups: Groups, *, complete: bool
) -> str:
    digits = decimals(max(means.values()) - min(means.values()))
    ranks = ", ".join(
        f"{one_line(name)} {format_number(means[name], digits=digits)}" for name in order
    )
    words = f"From best to worst: {ranks}."
    if groups:
        return f"{words} Tied: {name_groups(order, groups)}."
    return f"{words} No two are tied." if complete else words


def name_groups(order: Sequence[str], groups: Groups) -> str:
    """Name the members of groups."""
    return "; ".join(join_words(one_line(order[i]) for i in group) for group in groups)
