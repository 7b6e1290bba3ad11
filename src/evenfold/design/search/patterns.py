"""
Who trains when, in block-regularized repeated learning-testing: the table behind :class:`BRLT`.

A *pattern* is a row of J bits: the splits in which an example trains. n examples need n patterns of weight
⌊J·n1/n⌋ or one more, each split must hold n1 of them, and all pairs of splits should share equally many
(R19 2.5.2). R19 gives three closed constructions. Everywhere else patterns are searched, and of many rows
most are taken from *flat* tables, small tables whose overlaps are exactly equal, so that the cost does not
grow with n.
"""

from collections.abc import Iterator
from functools import cache, lru_cache
from math import gcd

import numpy as np
from numpy.typing import NDArray

from evenfold.design.search.hadamard import hadamard, has_hadamard
from evenfold.design.search.pattern_search import Bits, overlap_spread, search

Tables = list[tuple[Bits, int]]  # patterns, and how often the whole table is taken

_POOL = 1200  # rows that a search may have to arrange


@lru_cache(maxsize=128)
def pattern_table(n: int, n1: int, J: int) -> tuple[Bits, NDArray[np.int64], str]:
    """
    Return the distinct patterns, how many examples take each, and how the table was made.

    The table depends on the sizes alone, never on a seed: what a certificate says of it holds for all seeds.
    """
    tables, name = _closed(n, n1, J), "orthogonal array"
    if J * (n - n1) <= n:
        name = "disjoint test sets"
    if tables is None:
        tables, name = _searched(n, n1, J), "exchange"
    rows = np.concatenate([table for table, _ in tables])
    times = np.concatenate([np.full(len(table), copies) for table, copies in tables])
    patterns, place = np.unique(rows, axis=0, return_inverse=True)
    return patterns, np.bincount(place.ravel(), weights=times).astype(np.int64), name


def _closed(n: int, n1: int, J: int) -> Tables | None:
    """R19's constructions, where their flat tables make up all n rows exactly."""
    tables: Tables = []
    for weight, count in _counts(n, n1, J).items():
        table = _flat_from_array(J, weight)
        if table is None or count % len(table):
            return None
        tables.append((table, count // len(table)))
    return tables


@cache
def _flat_from_array(J: int, weight: int) -> Bits | None:
    """Return a small set of patterns of one weight whose columns all overlap equally, in closed form."""
    if 2 * weight < J - 1:
        mirrored = _flat_from_array(J, J - weight)
        return None if mirrored is None else ~mirrored
    if weight == J:
        return np.ones((1, J), dtype=bool)
    if weight == J - 1:  # R19 2.2.1: disjoint test sets
        return ~np.eye(J, dtype=bool)
    order = 2 * J if 2 * weight == J else 2 * J + 2 if abs(2 * weight - J) == 1 else 0
    if not order or not has_hadamard(order):
        return None
    # R19 algorithms 2.1 and 2.2: without the constant row and column, and of the next row's columns those
    # of one sign; J of them for even J (the sign that occurs J times), for odd J the other one.
    rest = hadamard(order)[1:, 1:]
    first, rest = rest[0], rest[1:]
    plus = rest[:, first == (-1 if 2 * weight == J else 1)] > 0
    return plus if plus[0].sum() == weight else ~plus


def _searched(n: int, n1: int, J: int) -> Tables:
    """Take flat tables for many rows and search the rest; the search decides how even the whole is."""
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

    Where one split more would give all rows the same weight and there is a closed form for that, its last
    column is dropped: weights then differ by one, as they should, and overlaps stay.
    """
    if (J + 1) * n1 % n == 0 and (more := _flat_tables(_counts(n, n1, J + 1), J + 1, eager=True)):
        yield [(rows[:, :J], copies) for rows, copies in _completed(n, n1, J + 1, more, thorough=False)]
    eager, lazy = (_flat_tables(_counts(n, n1, J), J, eager=eager) for eager in (True, False))
    if len(eager) > len(lazy):
        yield _completed(n, n1, J, eager, thorough=False)
    yield _completed(n, n1, J, lazy, thorough=True)


def _counts(n: int, n1: int, J: int) -> dict[int, int]:
    """Return how many rows there are of each weight."""
    low, high = divmod(J * n1, n)
    return {weight: count for weight, count in ((low, n - high), (low + 1, high)) if count}


def _completed(n: int, n1: int, J: int, flat: Tables, *, thorough: bool) -> Tables:
    """Put the rows that flat tables do not cover before them."""
    rest = n - sum(len(table) * copies for table, copies in flat)
    ones = n1 * J - sum(int(table.sum()) * copies for table, copies in flat)
    return [(_best(rest, ones // J, J, thorough=thorough), 1), *flat]


def _flat_tables(counts: dict[int, int], J: int, *, eager: bool) -> Tables:
    """Cover rows by flat tables: wherever one is known in closed form, or only what exceeds the pool."""
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
    """Return patterns of one weight whose columns overlap exactly equally: all shifts of a few base rows."""
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
    """Search under symmetries that the sizes allow until overlaps are within one; return the best rows."""
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
    """The two largest orders g of σ, from 5 on, that divide what must be divisible; then 1: no symmetry."""
    high = J * n1 % n
    usable = [
        g
        for g in range(J, 4, -1)
        if n % g == 0 and high % g == 0 and (J % g == 0 or (J % g == 1 and n1 % g == 0))
    ]
    return [*usable[:2], 1]
