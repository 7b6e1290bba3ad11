"""
Deal units to blocks.

*Nested* dealing halves every block again and again (1 → 2 → 4 → 8 → …), so a finer cut always refines a
coarser one: block j becomes blocks j and j + B (R19 3.3). Blocks keep exactly equal size; a unit that has
no partner in its block becomes a *loner* and is dealt by hand. Halving is also the right way to balance:
the squared imbalance of all new repetitions together is proportional to the sum over blocks of the squared
difference of the two halves (Parseval), so each block may be halved on its own.
"""

import numpy as np
from numpy.typing import NDArray

from evenfold.core.partition import smallest_unsigned
from evenfold.core.rng import stream
from evenfold.design._units import Codes, Floats, Units
from evenfold.design.search.exchange import even_sizes, exchange
from evenfold.design.search.hadamard import hadamard

_DRAWS = 64  # orders of halves tried for the sake of even classes
_EMPTY_SLOTS = 6  # per part: with them a swap can also move a single group


def ordered(units: Units, rng: np.random.Generator) -> Codes:
    """Return the units in random order, sorted by what is balanced: neighbours go to different blocks."""
    order = rng.permutation(len(units))
    for key in (units.value, _stratum(units)):
        if key is not None:
            order = order[np.argsort(key[order], kind="stable")]
    return order


def _stratum(units: Units) -> NDArray[np.integer] | None:
    """Class of each unit, or the rarest level it carries, as in iterative stratification."""
    if units.stratum is not None:
        return units.stratum.astype(
            smallest_unsigned(int(units.stratum.max()) + 1)
        )  # small types sort by radix
    if units.table is None or units.of_example is not None:
        return None
    rarest: Codes = np.where(units.table > 0, units.table.sum(axis=0), np.inf).argmin(axis=1)
    return rarest


def nested_blocks(units: Units, order: int, seed: int) -> NDArray[np.unsignedinteger]:
    """
    Deal single examples to ``order`` = 4, 8, 16, … blocks.

    Returns
    -------
    array
        Block of each example. The n mod order examples left over are numbered after the blocks, one by one,
        those left over last first.
    """
    q, loners = divmod(len(units), order)
    kind = smallest_unsigned(order + loners)
    numbers = np.concatenate(
        [np.tile(np.arange(order, dtype=kind), q), np.arange(order, order + loners, dtype=kind)]
    )
    if units.stratum is None and units.value is None and units.traits is None:
        stream(seed, "deal").shuffle(numbers)  # the same places whatever the numbers: finer cuts refine
        return numbers
    block = np.empty_like(numbers)
    block[_nested_order(units, order, seed)] = numbers
    return block


def _nested_order(units: Units, order: int, seed: int) -> Codes:
    """Return the units such that every run of ``order`` holds one of each block; loners come last."""
    grid = ordered(units, stream(seed, "deal"))[:, None]
    loners = np.empty(0, dtype=grid.dtype)
    while grid.shape[1] < order:
        rng = stream(seed, "halve", grid.shape[1])
        left = grid[len(grid) // 2 * 2 :].ravel()
        grid, loners = _halve(grid, units, rng), np.concatenate([left, loners])
    return np.concatenate([grid.ravel(), loners])


def _halve(grid: Codes, units: Units, rng: np.random.Generator) -> Codes:
    """Split each column of the grid into its two halves; neighbours in a column go to different halves."""
    q, B = len(grid) // 2, grid.shape[1]
    pairs = grid[: 2 * q].reshape(q, 2, B)
    # Within a class the choice must be constant so that class counts stay within 1; along a numeric target
    # it must be fresh for each pair so that no block always gets the larger one.
    fresh = units.value is not None
    swap = rng.random((q, B)) < 0.5 if fresh else _fair_swaps(pairs, units, rng)[None]
    halves = np.where(swap[:, None], pairs[:, ::-1], pairs)
    if units.traits is not None:
        for b in range(B):
            halves[:, :, b] = _evened(halves[:, :, b], units, rng)
    return np.concatenate([halves[:, 0], halves[:, 1]], axis=1)


def _fair_swaps(pairs: Codes, units: Units, rng: np.random.Generator) -> NDArray[np.bool_]:
    """
    Draw which half of each block comes first, of many draws the one with the most even classes.

    Where a class has an odd number of members in block b, its halves differ by D_b = ±1. The new repetitions
    add these up with the signs of the old ones, so the class counts of their halves differ by Hᵀ D.
    """
    B = pairs.shape[2]
    draws = rng.choice(np.array([1, -1]), (_DRAWS, B))
    best = 0
    if units.stratum is not None:
        best = _most_even(draws, pairs, units.stratum)
    swap: NDArray[np.bool_] = draws[best] < 0
    return swap


def _most_even(draws: Codes, pairs: Codes, stratum: Codes) -> int:
    """Return which draw of signs makes the class counts of the new halves most even."""
    B = pairs.shape[2]
    classes = int(stratum.max()) + 1
    code = stratum[pairs] * B + np.arange(B)
    first, second = (np.bincount(code[:, half].ravel(), minlength=classes * B) for half in (0, 1))
    odd = (first - second).reshape(classes, B)
    uneven = (draws[:, None, :] * odd) @ hadamard(B).astype(float)
    return int((uneven**4).sum(axis=(1, 2)).argmin())


def _evened(halves: Codes, units: Units, rng: np.random.Generator) -> Codes:
    """Even out the traits of two halves by swaps that keep classes, or neighbours, apart."""
    assert units.traits is not None
    slots = halves.ravel()
    if units.value is not None:
        stratum: Codes | None = np.repeat(np.arange(len(halves)), 2)
    else:
        stratum = None if units.stratum is None else units.stratum[slots]
    rows = np.tile([0, 1], len(halves))
    swapped = exchange(units.traits[slots], rows, np.array([[True], [False]]), rng, stratum)
    return slots[swapped].reshape(halves.shape)


def nested_groups(units: Units, order: int, seed: int) -> Codes:
    """Return the block of each group: every block is halved so that sizes and traits come out even."""
    block = np.zeros(len(units), dtype=np.intp)
    B = 1
    while B < order:  # noqa: SIM300  (B is the variable here)
        for b in range(B):
            inside = np.flatnonzero(block == b)
            block[inside] += B * part_groups(
                units, inside, np.eye(2, 1, dtype=bool), stream(seed, "halve", B, b)
            )
        B *= 2
    return block


def part_groups(units: Units, inside: Codes, trains: NDArray[np.bool_], rng: np.random.Generator) -> Codes:
    """Return the part of each of some groups, parts being the rows of ``trains``."""
    assert units.traits is not None
    parts = len(trains)
    inside = rng.permutation(inside)  # ties in size are broken by chance
    part = even_sizes(units.sizes[inside], parts)
    rows = np.concatenate([part, np.repeat(np.arange(parts), _EMPTY_SLOTS)])
    empty = np.zeros((parts * _EMPTY_SLOTS, units.traits.shape[1]))
    order = exchange(np.concatenate([units.traits[inside], empty]), rows, trains, rng)
    row_of = np.empty(len(order), dtype=np.intp)
    row_of[order] = rows
    return row_of[: len(inside)][np.argsort(inside)]


def round_robin(parts: int, count: int, units: Units, rng: np.random.Generator) -> Codes:
    """
    Return ``count`` parts in turn, round after round, in random order.

    The order is the same in every round, so that class counts stay within one, unless a numeric target is
    balanced: then it is fresh in every round, so that no part always gets the smallest value.
    """
    rounds = -(-count // parts)
    if units.value is None:
        return np.tile(rng.permutation(parts), rounds)[:count]
    return rng.permuted(np.tile(np.arange(parts), (rounds, 1)), axis=1).ravel()[:count]


def flat_rows(
    units: Units,
    rows: Codes,
    trains: NDArray[np.bool_] | Floats,
    rng: np.random.Generator,
    *,
    run: int | None,
) -> Codes:
    """
    Return the row of ``trains`` that each unit takes.

    ``rows`` lists one row per unit in dealing order, ``run`` of them a round: neighbours among the ordered
    units take neighbouring entries, and exchanges leave classes and rounds as they were dealt. Without a
    ``run`` nothing was dealt exactly, and exchanges are free.
    """
    slots = ordered(units, rng)
    if units.traits is not None:
        stratum: Codes | None = None
        if run is not None and units.value is not None:
            stratum = np.arange(len(slots)) // run
        elif run is not None and units.stratum is not None:
            stratum = units.stratum[slots]
        slots = slots[exchange(units.traits[slots], rows, trains, rng, stratum)]
    row_of = np.empty(len(slots), dtype=np.intp)
    row_of[slots] = rows
    return row_of
