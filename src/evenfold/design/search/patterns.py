"""
Which examples train in which splits of :class:`BRLT`, as a table of patterns.

A *pattern* is a row of J bits that marks the splits in which an example trains. n examples need n
patterns of weight ⌊J·n1/n⌋ or one more. Each split must hold n1 of them, and all pairs of splits
should share the same number (R19 2.5.2). R19 gives three closed constructions. For other sizes the
patterns are found by a search. For many rows, most patterns come from *flat* tables, which are
small tables with exactly equal overlaps, so the cost of the search does not grow with n.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from math import floor, gcd
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evenfold.core.rng import stream
from evenfold.design.search.halvings import hadamard, has_hadamard, sample_rows

Bits = NDArray[np.bool_]
Floats = NDArray[np.floating[Any]]
Window = tuple[float, float]
Tables = list[tuple[Bits, int]]  # patterns, and how often the whole table is taken


# Search for patterns with equal overlaps, by exchanges that keep the weight of rows and columns.
#
# The search may ask for symmetry: let the cyclic shift σ of order g act on the columns (as many
# cycles of g columns as fit, at most one column fixed) and take all g shifts of each *base row*.
# Then the overlaps of a whole class of column pairs are equal by construction, and only J²/2g of
# them have to be made equal.


Move = tuple[NDArray[np.intp], Floats, Floats, Floats]

_STEPS = 4_000
_SYMMETRIC_STEPS = 800
_MANY = 30  # with more splits a full search would take long, so it is shortened
_SIDE = 64  # rows on either side that a step considers


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Attempt:
    """
    The settings of one search for patterns.

    Attributes
    ----------
    steps : int
        Number of exchanges.
    window : tuple of float or None
        Lowest and highest overlap that is accepted; None for the integers next to the mean.
    uphill : float
        Probability of an exchange that makes overlaps less even.
    """

    steps: int
    window: Window | None = None
    uphill: float = 0.0

    @property
    def spread(self) -> int:
        """The overlap spread at which the search stops."""
        if self.window is None:
            return 1
        return 2


def overlap_spread(rows: Bits) -> int:
    """Return the largest minus the smallest overlap of two splits."""
    J = rows.shape[1]
    overlaps = (rows.astype(float).T @ rows)[np.triu_indices(J, 1)]
    if J > 1:
        return int(np.ptp(overlaps))
    return 0


@dataclass(frozen=True, eq=False)
class Symmetry:
    """The shift σ of order g on J columns: cycles of columns, classes of column pairs."""

    J: int
    g: int
    # results of _touched_pair_classes
    moves: dict[tuple[int, int], Move] = field(default_factory=dict)

    @cached_property
    def sigma(self) -> NDArray[np.intp]:
        columns = np.arange(self.J)
        cycles = columns[: self.J // self.g * self.g].reshape(-1, self.g)
        return np.concatenate([np.roll(cycles, -1, axis=1).ravel(), columns[cycles.size :]])

    @cached_property
    def cycle(self) -> NDArray[np.intp]:
        """Cycle of each column; the fixed column, if any, is a separate cycle."""
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
                    i = self.sigma[i]
                    j = self.sigma[j]
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
        rows = [base > 0]
        for _ in range(self.g - 1):
            rows.append(rows[-1][:, self.sigma])
        return np.concatenate(rows)


def search(n: int, n1: int, J: int, g: int, *, thorough: bool = True) -> Bits | None:
    """
    Return n patterns with the most equal overlaps found, or None if g does not suit the sizes.

    A search that is not thorough makes only one attempt, which aims at a spread of 1.
    """
    rng = stream(0, "patterns", n, n1, J, g)
    symmetry = Symmetry(J, g)
    low, high = divmod(J * n1, n)
    weights = np.repeat([low, low + 1], [(n - high) // g, high // g])
    mean = (weights * (weights - 1)).sum() * g / max(J * (J - 1), 1)
    best: Bits | None = None
    for attempt in _attempts(mean, g, J)[: None if thorough else 1]:
        start = _fill_rows(weights, n1, symmetry, rng)
        if start is None:
            return None
        rows = symmetry.expand(_improve_rows(start, symmetry, attempt, rng))
        if best is None or overlap_spread(rows) < overlap_spread(best):
            best = rows
        if overlap_spread(best) <= attempt.spread:
            break
    return best


def _attempts(mean: float, g: int, J: int) -> list[Attempt]:
    """
    Return the attempts of a search, in order.

    With symmetry there is little to arrange, so two short attempts and one with uphill exchanges
    suffice. Without symmetry a long attempt aims at a spread of 1. Rows that are stuck near the
    mean are a bad start for a spread of 2, so new attempts aim at it. Their windows are the three
    integers that surround the mean best, and the next best three.
    """
    if J > _MANY:
        return [Attempt(steps=_STEPS // 4)]
    if g > 1:
        short = Attempt(steps=_SYMMETRIC_STEPS)
        return [short, short, Attempt(steps=5 * _SYMMETRIC_STEPS, uphill=0.02)]
    low = floor(mean) - (mean % 1 < 0.5)
    other = 2 * floor(mean) - 1 - low
    wide = [
        Attempt(steps=_STEPS, window=(float(first), first + 2.0))
        for first in (low, other, low, other)
    ]
    return [Attempt(steps=_STEPS), *wide]


def _fill_rows(
    weights: NDArray[np.intp], n1: int, symmetry: Symmetry, rng: np.random.Generator
) -> Floats | None:
    """
    Fill row by row in a few rounds, and return None if the columns cannot be completed.

    Columns that lack the most entries come first, then those that overlap least.
    """
    J = symmetry.J
    g = symmetry.g
    cycle = symmetry.cycle
    size = np.bincount(cycle)
    need = n1 * size / g
    base = np.zeros((len(weights), J), dtype=np.float32)
    overlap = np.zeros((J, J))
    for row, weight in zip(base, rng.permutation(weights), strict=True):
        cost = rng.random(J)
        for part in np.array_split(np.arange(weight), 4):  # later columns avoid earlier ones
            wanted = np.where(row > 0, np.inf, cost - 1e6 * np.ceil(need / size - 1e-9)[cycle])
            chosen = wanted.argsort()[: len(part)]
            row[chosen] = 1
            need -= np.bincount(cycle[chosen], minlength=len(size))
            cost += overlap[chosen].sum(axis=0)
        overlap += symmetry.spread(row)
    if not need.any():
        return base
    return None


def _improve_rows(
    base: Floats, symmetry: Symmetry, attempt: Attempt, rng: np.random.Generator
) -> Floats:
    """
    Exchange entries until all overlaps lie in the window.

    If the steps run out before that, the result is the rows of least spread that occurred.
    """
    J = symmetry.J
    size = symmetry.class_size
    if J < 3:
        return base
    overlap = symmetry.overlaps(base)
    mean = float(overlap @ size) / float(size.sum())
    low, high = attempt.window or (np.floor(mean + 1e-4), np.ceil(mean - 1e-4))
    pairs = np.argwhere(np.triu(np.ones((J, J)), 1))
    classes = symmetry.pair_class[pairs[:, 0], pairs[:, 1]]
    best = base.copy()
    least = np.ptp(overlap)
    for _ in range(attempt.steps):
        outside = (overlap < low) | (overlap > high)
        if np.ptp(overlap) < least:
            best = base.copy()
            least = np.ptp(overlap)
        if not outside.any():
            return base
        wrong = pairs[outside[classes]]
        i = int(wrong[rng.integers(len(wrong)), rng.integers(2)])
        k = int(rng.integers(J - 1))
        window = attempt.window or (mean, mean)
        _exchange(base, overlap, i, k + (k >= i), symmetry, window, attempt.uphill, rng)
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
    """Move a 1 from column i to k in one base row and, if cycles differ, back in another row."""
    touched, gain, both, weight = _touched_pair_classes(symmetry, i, k)
    same_cycle = symmetry.cycle[i] == symmetry.cycle[k]
    give = sample_rows(np.flatnonzero(base[:, i] > base[:, k]), _SIDE, rng)
    take = sample_rows(np.flatnonzero(base[:, i] < base[:, k]), _SIDE, rng)
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
    """Return the change of Σ (distance of overlaps from the window)² for every pair of moves."""
    low, high = window
    if low == high:  # for a point the square can be multiplied out, which is much faster
        y = overlap - np.float32(low)
        separate = ((step * (2 * y + step)) @ weight)[:, None] + (back * (2 * y + back)) @ weight
        change: Floats = separate + 2 * (step * weight) @ back.T
        return change
    moved = overlap + step[:, None] + back[None]
    before, after = (x - np.clip(x, np.float32(low), np.float32(high)) for x in (overlap, moved))
    return np.asarray((after * after) @ weight - (before * before) @ weight)


def _touched_pair_classes(symmetry: Symmetry, i: int, k: int) -> Move:
    """
    Return the pair classes that a move of a 1 from column i to column k touches.

    The other arrays are ``gain``, how much column j adds to each class if it is set; ``both``, what
    the pair {i, k} must not add; and the sizes of the classes.
    """
    known = symmetry.moves.get((i, k))
    if known is None:
        label = symmetry.pair_class
        touched = np.unique(np.concatenate([label[i], label[k]]))[1:]
        size = symmetry.class_size[touched]
        worth = symmetry.g / size
        more, less = ((label[column][:, None] == touched) * worth for column in (k, i))
        gain = (more - less).astype(np.float32)
        both = ((touched == label[i, k]) * worth).astype(np.float32)
        known = symmetry.moves[i, k] = touched, gain, both, size
    return known


def _choose(cost: Floats, uphill: float, rng: np.random.Generator) -> tuple[int, int] | None:
    """
    Return one of the cheapest moves, or None.

    A move that lowers the cost is always made, a neutral move with probability ½, and a move that
    raises the cost with probability ``uphill``.
    """
    least = cost.min()
    chance = uphill
    if least < -0.01:
        chance = 1.0
    elif least < 0.01:
        chance = 0.5
    if rng.random() >= chance:
        return None
    cheapest = np.argwhere(cost <= least + 0.01)
    a, b = cheapest[rng.integers(len(cheapest))]
    return int(a), int(b)


def _shift(base: Floats, row: np.intp, symmetry: Symmetry, rng: np.random.Generator) -> None:
    """Represent an orbit by another of its rows, so that the next exchange sees other columns."""
    for _ in range(int(rng.integers(symmetry.g))):
        base[row] = base[row, symmetry.sigma]


_POOL = 1200  # rows that a search may have to arrange


@lru_cache(maxsize=128)
def pattern_table(n: int, n1: int, J: int) -> tuple[Bits, NDArray[np.int64], str]:
    """
    Return the distinct patterns, how many examples take each, and how the table was made.

    The table depends on the sizes alone and never on a seed, so its certificate holds for all
    seeds.
    """
    tables = _closed_form_tables(n, n1, J)
    name = "orthogonal array"
    if J * (n - n1) <= n:
        name = "disjoint test sets"
    if tables is None:
        tables = _search_tables(n, n1, J)
        name = "exchange"
    rows = np.concatenate([table for table, _ in tables])
    times = np.concatenate([np.full(len(table), copies) for table, copies in tables])
    patterns, place = np.unique(rows, axis=0, return_inverse=True)
    return patterns, np.bincount(place.ravel(), weights=times).astype(np.int64), name


def _closed_form_tables(n: int, n1: int, J: int) -> Tables | None:
    """Return R19's constructions, or None unless their flat tables make up n rows exactly."""
    tables: Tables = []
    for weight, count in _counts(n, n1, J).items():
        table = _flat_from_array(J, weight)
        if table is None or count % len(table):
            return None
        tables.append((table, count // len(table)))
    return tables


@cache
def _flat_from_array(J: int, weight: int) -> Bits | None:
    """Return a small set of patterns of one weight whose columns overlap equally (closed form)."""
    if 2 * weight < J - 1:
        mirrored = _flat_from_array(J, J - weight)
        if mirrored is None:
            return None
        return ~mirrored
    if weight == J:
        return np.ones((1, J), dtype=bool)
    if weight == J - 1:  # R19 2.2.1: disjoint test sets
        return ~np.eye(J, dtype=bool)
    order = {0: 2 * J, 1: 2 * J + 2}.get(abs(2 * weight - J), 0)
    if not order or not has_hadamard(order):
        return None
    # R19 algorithms 2.1 and 2.2: the constant row and column are dropped, and the columns with one
    # sign in the next row are kept. For even J it is the sign that occurs J times, for odd J the
    # other sign.
    rest = hadamard(order)[1:, 1:]
    plus = rest[1:, rest[0] == (-1 if 2 * weight == J else 1)] > 0
    if plus[0].sum() == weight:
        return plus
    return ~plus


def _search_tables(n: int, n1: int, J: int) -> Tables:
    """Return flat tables for most rows, and the most even table found for the rest."""
    best: Tables = []
    for tables in _candidates(n, n1, J):
        if not best or overlap_spread(tables[0][0]) < overlap_spread(best[0][0]):
            best = tables
        if overlap_spread(best[0][0]) <= 1:
            break
    return best


def _candidates(n: int, n1: int, J: int) -> Iterator[Tables]:
    """
    Yield tables, the searched one first, from cheap to thorough.

    If all rows have the same weight with one split more, and J + 1 splits have flat tables, the
    first candidate is such a table without its last column. Its weights differ by one, as they
    should, and the overlaps stay the same.
    """
    if (J + 1) * n1 % n == 0 and (more := _flat_tables(_counts(n, n1, J + 1), J + 1, eager=True)):
        yield [
            (rows[:, :J], copies)
            for rows, copies in _complete_tables(n, n1, J + 1, more, thorough=False)
        ]
    eager, lazy = (_flat_tables(_counts(n, n1, J), J, eager=eager) for eager in (True, False))
    if len(eager) > len(lazy):
        yield _complete_tables(n, n1, J, eager, thorough=False)
    yield _complete_tables(n, n1, J, lazy, thorough=True)


def _counts(n: int, n1: int, J: int) -> dict[int, int]:
    """Return how many rows there are of each weight."""
    low, high = divmod(J * n1, n)
    return {weight: count for weight, count in ((low, n - high), (low + 1, high)) if count}


def _complete_tables(n: int, n1: int, J: int, flat: Tables, *, thorough: bool) -> Tables:
    """Return flat tables, preceded by a searched table of the rows that they do not cover."""
    rest = n - sum(len(table) * copies for table, copies in flat)
    ones = n1 * J - sum(int(table.sum()) * copies for table, copies in flat)
    return [(_best(rest, ones // J, J, thorough=thorough), 1), *flat]


def _flat_tables(counts: dict[int, int], J: int, *, eager: bool) -> Tables:
    """
    Return flat tables that cover most rows.

    Weights with a table in closed form are covered if ``eager``. Other weights are covered only if
    they have more rows than a search may have to arrange.
    """
    tables: Tables = []
    for weight, count in counts.items():
        closed = _flat_from_array(J, weight)
        if eager and closed is not None and count > len(closed):
            tables.append((closed, (count - 1) // len(closed)))
        elif count > _POOL:
            table = _flat_table(J, weight)
            tables.append((table, (count - _POOL // 2) // len(table)))
    return tables


@cache
def _flat_table(J: int, weight: int) -> Bits:
    """
    Return patterns of one weight whose columns overlap exactly equally.

    The patterns are all shifts of a few base rows.
    """
    closed = _flat_from_array(J, weight)
    if closed is not None:
        return closed
    least = (J - 1) // gcd(weight * (weight - 1), J - 1)
    for count in range(least, 100 * least, least):
        rows = search(count * J, count * weight, J, J)
        if rows is not None and overlap_spread(rows) == 0:
            return rows
    raise AssertionError(f"no flat table of weight {weight} for {J} splits")


def _best(n: int, n1: int, J: int, *, thorough: bool) -> Bits:
    """Return the best rows of a search under several symmetries, which stops at a spread of 1."""
    best: Bits | None = None
    for g in _symmetries(n, n1, J):
        rows = search(n, n1, J, g, thorough=thorough)
        if rows is not None and (best is None or overlap_spread(rows) < overlap_spread(best)):
            best = rows
        if best is not None and overlap_spread(best) <= 1:
            break
    assert best is not None  # without symmetry the rows can always be filled (Gale and Ryser)
    return best


def _symmetries(n: int, n1: int, J: int) -> list[int]:
    """
    Return the two largest orders g of σ, at least 5, that suit the sizes, and 1.

    Order 1 means no symmetry.
    """
    high = J * n1 % n
    usable = [
        g
        for g in range(J, 4, -1)
        if n % g == 0 and high % g == 0 and (J % g == 0 or (J % g == 1 and n1 % g == 0))
    ]
    return [*usable[:2], 1]
