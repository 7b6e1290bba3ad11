"""
What each figure shows, as small values that a test can check; ``figures`` only draws them.

Every info value has ``title`` (a caption) and ``alt`` (the figure in words, for those who cannot see it).
"""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Self

from evenfold.core.facts.comparison import Curve, Facts, Pair
from evenfold.core.words import count, decimals, interval, listed, one_line, percent, precision, short, shown
from evenfold.report.figures._cliques import Groups, cliques
from evenfold.report.figures._labels import best_first, labels
from evenfold.report.figures.along import AlongInfo
from evenfold.report.figures.axis import Axis
from evenfold.report.figures.matrix import MatrixInfo
from evenfold.report.figures.sizes import LearningInfo, SizesInfo

_DECIDED = ("better", "worse")
_JOINED = "a bar joins algorithms that were not told apart"
_PAIRS_IN_DETAIL = 6
_PAIRS_IN_A_FOREST = 30  # more are read in a square
_MOST_SPLITS = 128  # of an overlap map that can still be read


@dataclass(frozen=True, kw_only=True, slots=True)
class DifferencesInfo:
    """Hold-out differences (or values) by repetition, with the estimate and its interval."""

    title: str
    alt: str
    axis: Axis
    by: str
    groups: tuple[tuple[float, ...], ...]
    value: float
    low: float
    high: float
    outcome: str | None

    @classmethod
    def of(cls, facts: Facts, pair: Pair) -> Self | None:
        """Return the info of one pair, or None where no cell succeeded."""
        by, groups = _grouped(facts, pair.differences)
        if not any(groups):
            return None
        axis = Axis.of(facts, pair)
        what = "ratios" if facts.quantity.ratio else "differences"
        what = "values" if pair.baseline is None else what
        judged = math.isfinite(pair.value)
        found = (
            f"estimate {shown(pair.value, digits=pair.digits)}, {_interval(pair)}"
            if judged
            else "no estimate"
        )
        title = f"Hold-out {what} by {by}" + (
            f", with the estimate and its interval{_band(axis)}" if judged else ""
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


@dataclass(frozen=True, kw_only=True, slots=True)
class PathInfo:
    """The estimate of a sequential test after each look, up to where it stopped."""

    title: str
    alt: str
    axis: Axis
    m: tuple[int, ...]
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    stopped_at: int
    most: int
    outcome: str | None

    @classmethod
    def of(cls, facts: Facts, pair: Pair) -> Self | None:
        """Return the info of one pair, or None where the method was not sequential."""
        if not pair.path:
            return None
        axis, last = Axis.of(facts, pair), pair.path[-1]
        most = max(facts.most_repetitions or last.m, last.m)
        looks = "; ".join(
            f"after {look.m} repetitions {shown(look.value, digits=pair.digits)}, "
            f"interval {interval(look.low, look.high, digits=pair.digits)}"
            for look in pair.path
        )
        return cls(
            title=f"The estimate at each look: {_stop(last.m, most)}{_band(axis)}",
            alt=f"Path of the sequential test, {axis.label}: {looks}.",
            axis=axis,
            m=tuple(look.m for look in pair.path),
            value=tuple(look.value for look in pair.path),
            low=tuple(look.low for look in pair.path),
            high=tuple(look.high for look in pair.path),
            stopped_at=last.m,
            most=most,
            outcome=pair.outcome,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class PosteriorInfo:
    """Posterior densities of the scores, the baseline's first."""

    title: str
    alt: str
    label: str
    curves: tuple[Curve, ...]

    @classmethod
    def of(cls, facts: Facts, pair: Pair) -> Self | None:
        """Return the info of one pair, or None where there is no posterior."""
        if not pair.curves:
            return None
        words = one_line(facts.measure_words)
        whose = "each" if len(pair.curves) > 1 else one_line(pair.challenger)
        digits = max(precision(c.mean, c.low, c.high) for c in pair.curves)
        rows = listed(
            f"{one_line(c.name)} mean {shown(c.mean, digits=digits)}, "
            f"interval {interval(c.low, c.high, digits=digits)}"
            for c in pair.curves
        )
        return cls(
            title=f"What the data say about the {words} of {whose}: posterior density, mean and interval",
            alt=f"Posterior densities of the {words}: {rows}.",
            label=words,
            curves=pair.curves,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class ForestInfo:
    """All pairs below each other: name, estimate, interval and outcome of each."""

    title: str
    alt: str
    axis: Axis
    names: tuple[str, ...]
    value: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
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
            f"{_versus(pair)} {shown(pair.value, digits=decimals)} "
            f"({interval(pair.low, pair.high, digits=decimals)}), {pair.outcome}"
            for pair in pairs
        )
        return cls(
            title=f"Every pair: estimate and interval of B − A{_band(axis)}",
            alt=f"Forest plot of {len(pairs)} pairs: {rows}.",
            axis=axis,
            names=tuple(f"{names[pair.challenger]} − {names[pair.baseline or '']}" for pair in pairs),
            value=tuple(pair.value for pair in pairs),
            low=tuple(pair.low for pair in pairs),
            high=tuple(pair.high for pair in pairs),
            outcomes=tuple(pair.outcome for pair in pairs),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class GroupsInfo:
    """
    Algorithms from best to worst, and the groups that could not be told apart.

    ``groups`` holds positions in that order; every two members of a group have a verdict that is neither
    better nor worse, and no group can be enlarged. ``low`` and ``high`` are intervals that hold together,
    empty where there are none; ``among_best`` says who is in the confidence set of the best.
    """

    title: str
    alt: str
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
        groups = _not_told_apart(order, judged) if complete else ()
        return cls(
            title=_groups_title(facts, groups, complete=complete),
            alt=_groups_alt(order, means, groups, complete=complete),
            label=f"mean hold-out {short(facts.measure_words)}",
            names=tuple(labels(best_first(facts), 18)[name] for name in order),
            means=tuple(means[name] for name in order),
            groups=groups,
            **_singles(facts, order),
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class OverlapInfo:
    """How many training examples every two splits share."""

    title: str
    alt: str
    overlaps: tuple[tuple[int, ...], ...]

    @classmethod
    def of(cls, facts: Facts) -> Self | None:
        """Return the info, or None where there are too few or too many splits to look at."""
        phi = facts.design.overlaps
        if not 2 <= len(phi) <= _MOST_SPLITS:
            return None
        apart = [phi[i][j] for i, j in combinations(range(len(phi)), 2)]
        return cls(
            title="Training examples that every two splits share",
            alt=f"Heat map of {len(phi)} by {len(phi)} splits; two training sets share "
            f"{min(apart)} to {max(apart)} of {facts.design.n_train} examples.",
            overlaps=phi,
        )


Info = (
    DifferencesInfo
    | PathInfo
    | PosteriorInfo
    | ForestInfo
    | GroupsInfo
    | MatrixInfo
    | OverlapInfo
    | SizesInfo
    | AlongInfo
    | LearningInfo
)


def infos(facts: Facts) -> tuple[Info, ...]:
    """
    Return what is worth drawing for an answer, the most telling first.

    Parameters
    ----------
    facts : Facts
        What a comparison found.

    Returns
    -------
    tuple of info values
        Best to worst, all pairs and learning curves where there are several, else path, posteriors, what
        training sizes do, and differences.

    Examples
    --------
    >>> from evenfold.report.sample import sample
    >>> [type(info).__name__ for info in infos(sample())]
    ['PathInfo', 'DifferencesInfo']
    """
    if len(facts.pairs) > 1:
        square = MatrixInfo.of(facts) if len(facts.pairs) > _PAIRS_IN_A_FOREST else None
        found: tuple[Info | None, ...] = (
            GroupsInfo.of(facts),
            square or ForestInfo.of(facts),
            LearningInfo.of(facts),
        )
    else:
        found = tuple(info for pair in facts.pairs for info in pair_infos(facts, pair))
    return tuple(info for info in found if info is not None)


def pair_infos(facts: Facts, pair: Pair) -> tuple[Info, ...]:
    """Return what is worth drawing for one pair."""
    kinds: tuple[Any, ...] = (PathInfo, PosteriorInfo, SizesInfo, LearningInfo, AlongInfo, DifferencesInfo)
    found = (kind.of(facts, pair) for kind in kinds)
    return tuple(info for info in found if info is not None)


def detailed(facts: Facts) -> tuple[tuple[str, tuple[Info, ...]], ...]:
    """Return name and infos of each pair, where several pairs are still few enough to look at each."""
    if not 1 < len(facts.pairs) <= _PAIRS_IN_DETAIL:
        return ()
    return tuple((_versus(pair), pair_infos(facts, pair)) for pair in facts.pairs)


def _grouped(facts: Facts, values: tuple[float, ...]) -> tuple[str, tuple[tuple[float, ...], ...]]:
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


def _interval(pair: Pair) -> str:
    return f"{percent(pair.level)} interval {interval(pair.low, pair.high, digits=pair.digits)}"


def _stop(m: int, most: int) -> str:
    return f"stopped after {m} of at most {most} repetitions" if m < most else f"all {most} repetitions"


def _band(axis: Axis) -> str:
    return f" (grey: differences up to {axis.margin:g} do not matter)" if axis.margin else ""


def _versus(pair: Pair) -> str:
    name = one_line(pair.challenger)
    return name if pair.baseline is None else f"{name} − {one_line(pair.baseline)}"


def _not_told_apart(order: list[str], judged: dict[frozenset[str | None], str | None]) -> Groups:
    joined = [
        {j for j, b in enumerate(order) if i != j and judged[frozenset((a, b))] not in _DECIDED}
        for i, a in enumerate(order)
    ]
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
        words.append(_JOINED if groups else "all were told apart")
    return "; ".join(words)


def _groups_alt(order: list[str], means: dict[str, float], groups: Groups, *, complete: bool) -> str:
    digits = decimals(max(means.values()) - min(means.values()))
    ranks = ", ".join(f"{one_line(name)} {shown(means[name], digits=digits)}" for name in order)
    sets = "; ".join(listed(one_line(order[i]) for i in group) for group in groups)
    said = f"Not told apart: {sets}." if sets else "All were told apart." if complete else ""
    return f"From best to worst: {ranks}. {said}".rstrip()
