"""
Search for patterns with equal overlaps, by exchanges that keep the weight of rows and columns.

The search may ask for symmetry: let the cyclic shift σ of order g act on the columns (as many cycles of g
columns as fit, at most one column fixed) and take all g shifts of each *base row*. Then the overlaps of a
whole class of column pairs are equal by construction, and only J²/2g of them have to be made equal.
"""

from dataclasses import dataclass, field
from functools import cached_property
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.rng import stream

Bits = NDArray[np.bool_]
Floats = NDArray[np.floating[Any]]
Window = tuple[float, float]
Move = tuple[NDArray[np.intp], Floats, Floats, Floats]

_STEPS, _SYMMETRIC_STEPS = 4_000, 800
_MANY = 30  # splits beyond which a search would take long: it is cut short
_SIDE = 64  # rows on either side that one step looks at


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Attempt:
    """How long to search, for overlaps in which window (by default: next to their mean), how boldly."""

    steps: int
    window: Window | None = None
    uphill: float = 0.0

    @property
    def spread(self) -> int:
        """The overlap spread that this attempt is after."""
        return 1 if self.window is None else 2


def overlap_spread(rows: Bits) -> int:
    """Return the largest minus the smallest overlap of two splits."""
    J = rows.shape[1]
    overlaps = (rows.astype(float).T @ rows)[np.triu_indices(J, 1)]
    return int(np.ptp(overlaps)) if J > 1 else 0


@dataclass(frozen=True, eq=False)
class Symmetry:
    """The shift σ of order g on J columns: cycles of columns, classes of column pairs."""

    J: int
    g: int
    moves: dict[tuple[int, int], Move] = field(default_factory=dict)  # what _touched has worked out so far

    @cached_property
    def sigma(self) -> NDArray[np.intp]:
        columns = np.arange(self.J)
        cycles = columns[: self.J // self.g * self.g].reshape(-1, self.g)
        return np.concatenate([np.roll(cycles, -1, axis=1).ravel(), columns[cycles.size :]])

    @cached_property
    def cycle(self) -> NDArray[np.intp]:
        """Cycle of each column; the fixed column, if any, is a cycle of its own."""
        return np.arange(self.J) // self.g

    @cached_property
    def pair_class(self) -> NDArray[np.intp]:
        """Class of each pair of columns (−1 on the diagonal)."""
        label = np.full((self.J, self.J), -1)
        for i, j in zip(*np.triu_indices(self.J, 1), strict=True):
            if label[i, j] < 0:
                new = label.max() + 1
                while label[i, j] < 0:
                    label[i, j] = label[j, i] = new
                    i, j = self.sigma[i], self.sigma[j]
        return label

    @cached_property
    def class_size(self) -> Floats:
        return np.bincount(self.pair_class[np.triu_indices(self.J, 1)]).astype(np.float32)

    def overlaps(self, base: Floats) -> Floats:
        """Overlap of the pairs in each class when all shifts of the base rows are taken."""
        upper = np.triu_indices(self.J, 1)
        together = np.bincount(self.pair_class[upper], weights=(base.T @ base)[upper])
        return (self.g * together / self.class_size).astype(np.float32)

    def spread(self, row: Floats) -> Floats:
        """Overlaps that all shifts of one base row add, as a table of columns."""
        if self.g == 1:
            return np.outer(row, row)
        return self.overlaps(row[None])[self.pair_class]

    def expand(self, base: Floats) -> Bits:
        rows, shifted = [], base
        for _ in range(self.g):
            rows.append(shifted > 0)
            shifted = shifted[:, self.sigma]
        return np.concatenate(rows)


def search(n: int, n1: int, J: int, g: int, *, thorough: bool = True) -> Bits | None:
    """
    Return n patterns whose overlaps are as equal as found, or None where g does not allow the sizes.

    A search that is not thorough gives up where it misses a spread of 1.
    """
    rng = stream(0, "patterns", n, n1, J, g)
    symmetry = Symmetry(J, g)
    low, high = divmod(J * n1, n)
    weights = np.repeat([low, low + 1], [(n - high) // g, high // g])
    mean = (weights * (weights - 1)).sum() * g / max(J * (J - 1), 1)
    best: Bits | None = None
    for attempt in _attempts(mean, g, J)[: None if thorough else 1]:
        start = _filled(weights, n1, symmetry, rng)
        if start is None:
            return None
        rows = symmetry.expand(_improved(start, symmetry, attempt, rng))
        if best is None or overlap_spread(rows) < overlap_spread(best):
            best = rows
        if overlap_spread(best) <= attempt.spread:
            break
    return best


def _attempts(mean: float, g: int, J: int) -> list[Attempt]:
    """
    Return how to begin, again and again.

    With symmetry little has to be arranged: two short attempts, then a bolder one. Without, a long one for a
    spread of 1; then, because rows that are stuck near the mean are no good start for it, new ones for a
    spread of 2: the three integers that surround the mean best, and the next best.
    """
    if J > _MANY:
        return [Attempt(steps=_STEPS // 4)]
    if g > 1:
        short = Attempt(steps=_SYMMETRIC_STEPS)
        return [short, short, Attempt(steps=5 * _SYMMETRIC_STEPS, uphill=0.02)]
    low = floor(mean) - (mean % 1 < 0.5)
    other = 2 * floor(mean) - 1 - low
    wide = [Attempt(steps=_STEPS, window=(float(first), first + 2.0)) for first in (low, other, low, other)]
    return [Attempt(steps=_STEPS), *wide]


def _filled(
    weights: NDArray[np.intp], n1: int, symmetry: Symmetry, rng: np.random.Generator
) -> Floats | None:
    """Fill row by row in a few rounds: columns that lack most come first, then those that overlap least."""
    J, g, cycle = symmetry.J, symmetry.g, symmetry.cycle
    size = np.bincount(cycle)
    need = n1 * size / g
    base = np.zeros((len(weights), J), dtype=np.float32)
    overlap = np.zeros((J, J))
    for row, weight in zip(base, rng.permutation(weights), strict=True):
        cost = rng.random(J)
        for take in _portions(weight):
            wanted = np.where(row > 0, np.inf, cost - 1e6 * np.ceil(need / size - 1e-9)[cycle])
            chosen = wanted.argsort()[:take]
            row[chosen] = 1
            need -= np.bincount(cycle[chosen], minlength=len(size))
            cost += overlap[chosen].sum(axis=0)
        overlap += symmetry.spread(row)
    return base if not need.any() else None


def _portions(weight: int) -> list[int]:
    """Split a weight into at most four rounds, so that later columns can avoid earlier ones."""
    return [len(part) for part in np.array_split(np.arange(weight), 4) if len(part)]


def _improved(base: Floats, symmetry: Symmetry, attempt: Attempt, rng: np.random.Generator) -> Floats:
    """Exchange until all overlaps lie in the window; return the rows of least spread that were seen."""
    J, size = symmetry.J, symmetry.class_size
    if J < 3:
        return base
    overlap = symmetry.overlaps(base)
    mean = float(overlap @ size) / float(size.sum())
    low, high = attempt.window or (np.floor(mean + 1e-4), np.ceil(mean - 1e-4))
    pairs = np.argwhere(np.triu(np.ones((J, J)), 1))
    classes = symmetry.pair_class[pairs[:, 0], pairs[:, 1]]
    best, least = base.copy(), np.ptp(overlap)
    for _ in range(attempt.steps):
        outside = (overlap < low) | (overlap > high)
        if np.ptp(overlap) < least:
            best, least = base.copy(), np.ptp(overlap)
        if not outside.any():
            return base
        wrong = pairs[outside[classes]]
        i = int(wrong[rng.integers(len(wrong)), rng.integers(2)])
        k = int(rng.integers(J - 1))
        _exchange(
            base, overlap, i, k + (k >= i), symmetry, attempt.window or (mean, mean), attempt.uphill, rng
        )
    return best


def _exchange(
    base: Floats,
    overlap: Floats,
    i: int,
    k: int,
    symmetry: Symmetry,
    window: Window,
    uphill: float,
    rng: np.random.Generator,
) -> None:
    """Move a one from column i to column k in one base row and, if their cycles differ, back in another."""
    touched, gain, both, weight = _touched(symmetry, i, k)
    same_cycle = symmetry.cycle[i] == symmetry.cycle[k]
    give = _some(np.flatnonzero(base[:, i] > base[:, k]), rng)
    take = _some(np.flatnonzero(base[:, i] < base[:, k]), rng)
    if not give.size or not (take.size or same_cycle):
        return
    step = base[give] @ gain - both
    back = np.zeros((1, len(touched)), np.float32) if same_cycle else -(base[take] @ gain) - both
    choice = _choose(_change(overlap[touched], step, back, weight, window), uphill, rng)
    if choice is None:
        return
    a, b = choice
    overlap[touched] += step[a] + back[b]
    base[give[a], [i, k]] = 0, 1
    if not same_cycle:
        base[take[b], [i, k]] = 1, 0
        for row in (give[a], take[b]):
            _shift(base, row, symmetry, rng)


def _change(overlap: Floats, step: Floats, back: Floats, weight: Floats, window: Window) -> Floats:
    """Change of Σ (distance of overlaps from the window)² for every pair of moves."""
    low, high = window
    if low == high:  # a point: the square can be multiplied out, which is much faster
        y = overlap - np.float32(low)
        own = ((step * (2 * y + step)) @ weight)[:, None] + (back * (2 * y + back)) @ weight
        change: Floats = own + 2 * (step * weight) @ back.T
        return change
    moved = overlap + step[:, None] + back[None]
    before, after = (x - np.clip(x, np.float32(low), np.float32(high)) for x in (overlap, moved))
    return np.asarray((after * after) @ weight - (before * before) @ weight)


def _touched(symmetry: Symmetry, i: int, k: int) -> Move:
    """
    Return the pair classes that a move of a one from column i to column k touches.

    With them: how much column j, if set, adds to each (``gain``), what the pair {i, k} itself must not add
    (``both``), and the class sizes.
    """
    known = symmetry.moves.get((i, k))
    if known is None:
        label = symmetry.pair_class
        touched = np.unique(np.concatenate([label[i], label[k]]))[1:]
        size = symmetry.class_size[touched]
        worth = symmetry.g / size
        gain = ((label[k][:, None] == touched) * worth - (label[i][:, None] == touched) * worth).astype(
            np.float32
        )
        both = ((touched == label[i, k]) * worth).astype(np.float32)
        known = symmetry.moves[i, k] = touched, gain, both, size
    return known


def _choose(cost: Floats, uphill: float, rng: np.random.Generator) -> tuple[int, int] | None:
    """Return a cheapest move: always if it gains, by a coin if it costs nothing, else with a chance."""
    least = cost.min()
    chance = 1.0 if least < -0.01 else 0.5 if least < 0.01 else uphill
    if rng.random() >= chance:
        return None
    cheapest = np.argwhere(cost <= least + 0.01)
    a, b = cheapest[rng.integers(len(cheapest))]
    return int(a), int(b)


def _shift(base: Floats, row: np.intp, symmetry: Symmetry, rng: np.random.Generator) -> None:
    """Represent an orbit by another of its rows: the next exchange then sees other columns of it."""
    for _ in range(int(rng.integers(symmetry.g))):
        base[row] = base[row, symmetry.sigma]


def _some(rows: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
    return rows if len(rows) <= _SIDE else rng.choice(rows, _SIDE, replace=False)
