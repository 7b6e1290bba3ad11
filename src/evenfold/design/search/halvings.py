"""Halvings that overlap evenly: Hadamard matrices, and the assignment of examples to their rows."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from heapq import heapify, heapreplace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import integer, refuse
from evenfold.core.partition import smallest_unsigned
from evenfold.core.rng import stream
from evenfold.design._base import Codes, DesignUnits, Floats, with_traits

# Exchanges: swap units between slots until their traits are spread evenly over the splits.


_ALL_PAIRS = 90  # up to so many slots every pair is tried, beyond a sample
_SAMPLE = 2048
_APPLIED = 16  # swaps taken from one sample
_PATIENCE = 6  # samples without a gain before giving up
_MAX_ROUNDS = 400


def exchange(
    traits: Floats,
    rows: Codes,
    trains: NDArray[np.bool_] | Floats,
    rng: np.random.Generator,
    stratum: Codes | None = None,
) -> Codes:
    """
    Return the order of units in slots after swaps that lower Σ ‖training total − fair share‖².

    Parameters
    ----------
    traits : array, shape (slots, levels)
        Traits of the unit that starts in each slot.
    rows : array, shape (slots,)
        Row of ``trains`` (block) to which each slot belongs. The rows never change, so sizes and
        overlaps are kept.
    trains : array, shape (rows, splits)
        Whether a block trains in a split, times the square root of the weight of the split.
    rng : numpy generator
        Generator that samples pairs.
    stratum : array, optional
        Only units of the same stratum are swapped, so an exact balance of the strata is kept.
    """
    traits, order = traits.copy(), np.arange(len(traits))
    member = trains[rows].astype(float)
    excess = _excess(traits, member)
    grain = _rounding_tolerance(traits)
    stalled = 0
    for u, v in _candidate_pairs(rows, stratum, rng):
        gain = _change(member[v] - member[u], traits[u] - traits[v], excess)
        swapped = False
        for best in np.argsort(np.rint(gain / grain), kind="stable")[:_APPLIED]:
            a = u[best]
            b = v[best]
            step = member[b] - member[a]
            shift = traits[a] - traits[b]
            if _change(step[None], shift[None], excess)[0] < -grain:
                excess += np.outer(step, shift)
                traits[[a, b]], order[[a, b]] = traits[[b, a]], order[[b, a]]
                swapped = True
        stalled = 0 if swapped else stalled + 1
        if stalled >= (1 if len(rows) <= _ALL_PAIRS else _PATIENCE):
            break
    return order


def unevenness(traits: Floats, rows: Codes, trains: NDArray[np.bool_] | Floats) -> int:
    """Return Σ_splits ‖training total − fair share‖² in units of the rounding tolerance."""
    excess = _excess(traits, trains[rows].astype(float))
    return round(float(np.square(excess).sum()) / _rounding_tolerance(traits))


def _rounding_tolerance(traits: Floats) -> float:
    """
    Return the largest difference of two sums of squares that counts as equal.

    Of equal sums the first is chosen. So neither rounding nor the sorting of a processor decides,
    and a seed gives the same cut on all machines.
    """
    return 1e-9 * float((traits**2).sum() + 1)


def _excess(traits: Floats, member: Floats) -> Floats:
    """Return by how much the training total of each split exceeds its share of all traits."""
    excess: Floats = member.T @ traits - member.mean(axis=0)[:, None] * traits.sum(axis=0)
    return excess


def _change(step: Floats, shift: Floats, excess: Floats) -> Floats:
    """Return the change of ‖excess‖² when excess moves by step ⊗ shift, for many swaps."""
    squared_move = (step**2).sum(axis=1) * (shift**2).sum(axis=1)
    change: Floats = 2 * ((step @ excess) * shift).sum(axis=1) + squared_move
    return change


def _candidate_pairs(
    rows: Codes, stratum: Codes | None, rng: np.random.Generator
) -> Iterator[tuple[Codes, Codes]]:
    """Yield pairs of units of one class in different rows: all pairs of few units, else samples."""
    if stratum is None:
        stratum = np.zeros(len(rows), dtype=np.intp)
    if len(rows) <= _ALL_PAIRS:
        every = np.triu_indices(len(rows), 1)
    else:
        every = None
    by_stratum = np.argsort(stratum, kind="stable")
    size = np.bincount(stratum)
    start = np.cumsum(size) - size
    for _ in range(_MAX_ROUNDS):
        if every is not None:
            u, v = every
        else:
            u = rng.integers(len(rows), size=_SAMPLE)
            v = by_stratum[start[stratum[u]] + rng.integers(size[stratum[u]])]
        useful = (rows[u] != rows[v]) & (stratum[u] == stratum[v])
        if useful.any():
            yield u[useful], v[useful]
        elif every is not None:
            return


def even_sizes(sizes: NDArray[np.int64], parts: int) -> Codes:
    """Deal units of unequal size to parts, the largest first, each to the smallest part so far."""
    heap = [(0, part) for part in range(parts)]
    heapify(heap)
    part_of = np.zeros(len(sizes), dtype=np.intp)
    for unit in np.argsort(-sizes, kind="stable"):
        total, part = heap[0]
        part_of[unit] = part
        heapreplace(heap, (total + int(sizes[unit]), part))
    return part_of


Signs = NDArray[np.int8]


# Hadamard matrices of Goethals and Seidel: four circulants whose autocorrelations add up to zero.
#
# Paley's fields and Kronecker products leave gaps. Four rows of ±1 of length v with
# Σ_rows Σ_i x_i x_{i+s} = 0 for every shift s ≠ 0 (i + s modulo v) fill the gap at order 4v.


# Digit i holds the signs at place i of the four rows, the first row in the highest bit, 1 for −.
# 92, 116, 188 and 236 come from Turyn-type sequences of length 8, 10, 16 and 20 (Best, Đoković,
# Kharaghani and Ramp 2013) by way of T-sequences; 156 and 172 from a search among rows that are
# constant on the orbits of x → 16x modulo 39 and of x → 4x modulo 43.
_ROWS = {
    92: "78877778222d22d14e4e4e1",
    116: "7777878788222dd22d21111e4bb41",
    156: "00b21b4e2212d7c4074a2e07e152acdabeecde7",
    172: "00d90973de709eee0e3990d77e3d3337d930e97d70d",
    188: "77778878787877882222dd22d2d2dd2111144be41ee4441",
    236: "777787888877887887782222d222ddd2d22d2dd11111be141be4b1b4b41",
}

ORDERS = frozenset(_ROWS)
"""The orders that four rows are known for here."""


def goethals_seidel(order: int) -> NDArray[np.int8]:
    """Return the Hadamard matrix of one of ``ORDERS``: Goethals and Seidel (1967), theorem 1."""
    places = np.array([int(digit, 16) for digit in _ROWS[order]])
    shift = (np.arange(len(places))[None, :] - np.arange(len(places))[:, None]) % len(places)
    A, B, C, D = (1 - 2 * (places >> bit & 1)[shift] for bit in (3, 2, 1, 0))
    RB, RC, RD = (circulant[:, ::-1] for circulant in (B, C, D))
    TB, TC, TD = (circulant.T[:, ::-1] for circulant in (B, C, D))
    blocks = [[A, RB, RC, RD], [-RB, A, TD, -TC], [-RC, -TD, A, TB], [-RD, TC, -TB, A]]
    return np.block(blocks).astype(np.int8)


_LARGEST = 4096  # 16 MB; nothing here asks for more


def hadamard(order: int) -> Signs:
    """
    Return a Hadamard matrix with constant + first row and + first column.

    Constructions: Sylvester for powers of two, Paley I and II, Goethals and Seidel for 92, 116,
    156, 172, 188 and 236, and Kronecker products of these. They reach every order up to 256, and
    most larger orders.
    Without its first column the matrix is the orthogonal array OA(order, 2^(order−1)): any two
    columns share each pair of signs equally often.

    Parameters
    ----------
    order : int
        The order: 1, 2 or a multiple of 4, at most 4096.

    Returns
    -------
    array of int8, shape (order, order)
        Entries ±1 with mutually orthogonal columns.

    Raises
    ------
    InvalidInput
        If the constructions do not reach this order (260 is the smallest); the message names the
        nearest orders that they do reach.

    Examples
    --------
    >>> hadamard(4)
    array([[ 1,  1,  1,  1],
           [ 1, -1,  1, -1],
           [ 1,  1, -1, -1],
           [ 1, -1, -1,  1]], dtype=int8)

    References
    ----------
    Paley, R. E. A. C. (1933). On orthogonal matrices. J. Math. Phys. 12, 311-320.

    Goethals, J. M., Seidel, J. J. (1967). Orthogonal matrices with zero diagonal. Canad. J. Math.
    19, 1001-1010.

    Best, D., Đoković, D. Ž., Kharaghani, H., Ramp, H. (2013). Turyn-type sequences: classification,
    enumeration, and construction. J. Combin. Des. 21, 24-35.
    """
    integer("order", order, low=1, high=_LARGEST)
    matrix = _construct(order)
    if matrix is None:
        below = next(size for size in range(order - 1, 0, -1) if has_hadamard(size))
        above = next(size for size in range(order + 1, 2 * order + 4) if has_hadamard(size))
        refuse(
            "order",
            "order must be one that Sylvester, Paley, Goethals-Seidel or a Kronecker product of "
            f"them reaches but got {order}.",
            f"The nearest are {below} and {above}.",
        )
    return matrix.copy()


@cache
def has_hadamard(order: int) -> bool:
    """Whether :func:`hadamard` can make this order (decided without building the matrix)."""
    if order in (1, 2):
        return True
    if order % 4:
        return False
    if order in ORDERS:
        return True
    return _paley_field(order) is not None or _kronecker_factor(order) is not None


@cache
def _construct(order: int) -> Signs | None:
    if order in (1, 2):
        return np.array([[1, 1], [1, -1]], dtype=np.int8)[:order, :order]
    if not has_hadamard(order):
        return None
    if order & (order - 1) and (field := _paley_field(order)) is not None:
        return _normalise_signs(_paley(order, *field))
    if order in ORDERS:
        return _normalise_signs(goethals_seidel(order))
    factor = _kronecker_factor(order) or 2
    # The larger factor varies fastest: doubling is [[H, H], [H, −H]] and keeps the first columns
    # (R19 3.3).
    doubled: Signs = np.kron(hadamard(factor), hadamard(order // factor))
    return doubled


@cache
def _kronecker_factor(order: int) -> int | None:
    """Smallest order a with both a and order/a available."""
    factors = (a for a in (2, *range(4, order // 2 + 1, 4)) if order % a == 0)
    return next((a for a in factors if has_hadamard(a) and has_hadamard(order // a)), None)


@cache
def _paley_field(order: int) -> tuple[int, int] | None:
    """
    Return (p, k) such that GF(p^k) gives this order.

    The order of the field is order−1 (type I) or order/2−1 (type II).
    """
    for q, residue in ((order - 1, 3), (order // 2 - 1, 1)):
        if q % 4 == residue and (field := _prime_power(q)) is not None:
            return field
    return None


def _prime_power(q: int) -> tuple[int, int] | None:
    """Return the prime p and the exponent k of q = p^k, or None if q is no power of a prime."""
    if q < 3:
        return None
    p = next((d for d in range(2, int(q**0.5) + 1) if q % d == 0), q)
    k = 0
    while q % p == 0:
        q = q // p
        k = k + 1
    if q == 1:
        return (p, k)
    return None


def _paley(order: int, p: int, k: int) -> Signs:
    q = p**k
    Q = _jacobsthal(p, k)
    border = np.ones((1, q), dtype=np.int8)
    corner = np.zeros((1, 1), dtype=np.int8)
    if order == q + 1:  # type I: I + S with S skew
        S = np.block([[corner, border], [-border.T, Q]])
        return np.asarray(np.eye(order) + S, dtype=np.int8)
    # type II: S symmetric
    S = np.block([[corner, border], [border.T, Q]])
    paired = np.kron(S, [[1, 1], [1, -1]]) + np.kron(np.eye(q + 1), [[1, -1], [-1, -1]])
    return np.asarray(paired, dtype=np.int8)


def _jacobsthal(p: int, k: int) -> Signs:
    """
    Q[a, b] = χ(a − b), χ the quadratic character of GF(p^k).

    χ is +1 on squares, −1 on other elements and 0 at 0.
    """
    powers = _powers_of_primitive_element(p, k)
    digits = np.array(list(product(range(p), repeat=k)))
    weights = p ** np.arange(k)[::-1]
    chi = np.zeros(p**k, dtype=np.int8)
    chi[powers @ weights] = np.resize([1, -1], len(powers))  # squares are the even powers
    difference: NDArray[np.intp] = (digits[:, None, :] - digits[None, :, :]) % p @ weights
    return chi[difference]


def _powers_of_primitive_element(p: int, k: int) -> NDArray[np.int64]:
    """All q−1 powers of x modulo the first polynomial x^k = Σ c_i x^i that keeps them distinct."""
    for c in product(range(p), repeat=k):
        element = (*([0] * (k - 1)), 1)
        powers = []
        seen = set()
        while element not in seen:
            seen.add(element)
            powers.append(element)
            shifted = (*element[1:], 0)
            element = tuple((s + element[0] * ci) % p for s, ci in zip(shifted, c, strict=True))
        if len(powers) == p**k - 1 and (0,) * k not in seen:
            return np.array(powers)
    raise AssertionError("every finite field has a primitive element")


def _normalise_signs(matrix: Signs) -> Signs:
    matrix = matrix * matrix[0]
    return matrix * matrix[:, :1]


_ORDERS_TRIED = 64  # orders of halves tried for the sake of even classes
_EMPTY_SLOTS = 6  # per part: with them a swap can also move a single group


def order_units(units: DesignUnits, rng: np.random.Generator) -> Codes:
    """
    Return the units in random order, sorted by what is balanced.

    Neighbours go to different blocks.
    """
    order = rng.permutation(len(units))
    for key in (units.value, _stratum(units)):
        if key is not None:
            order = order[np.argsort(key[order], kind="stable")]
    return order


def _stratum(units: DesignUnits) -> NDArray[np.integer] | None:
    """Class of each unit, or the rarest level it carries, as in iterative stratification."""
    if units.stratum is not None:  # small types sort by radix
        return units.stratum.astype(smallest_unsigned(int(units.stratum.max()) + 1))
    if units.table is None or units.of_example is not None:
        return None
    rarest: Codes = np.where(units.table > 0, units.table.sum(axis=0), np.inf).argmin(axis=1)
    return rarest


def nested_blocks(units: DesignUnits, order: int, seed: int) -> NDArray[np.unsignedinteger]:
    """
    Deal single examples to ``order`` = 4, 8, 16, … blocks.

    Returns
    -------
    array
        Block of each example. The n mod order examples left over are numbered after the blocks, one
        by one, those left over last first.
    """
    q, loners = divmod(len(units), order)
    kind = smallest_unsigned(order + loners)
    numbers = np.concatenate(
        [np.tile(np.arange(order, dtype=kind), q), np.arange(order, order + loners, dtype=kind)]
    )
    if units.stratum is None and units.value is None and units.traits is None:
        # the same places whatever the numbers: finer cuts refine
        stream(seed, "deal").shuffle(numbers)
        return numbers
    block = np.empty_like(numbers)
    block[_nested_order(units, order, seed)] = numbers
    return block


def _nested_order(units: DesignUnits, order: int, seed: int) -> Codes:
    """
    Return the units such that every run of ``order`` holds one of each block.

    Units without neighbours come last.
    """
    grid = order_units(units, stream(seed, "deal"))[:, None]
    loners = np.empty(0, dtype=grid.dtype)
    while grid.shape[1] < order:
        rng = stream(seed, "halve", grid.shape[1])
        left = grid[len(grid) // 2 * 2 :].ravel()
        grid = _halve(grid, units, rng)
        loners = np.concatenate([left, loners])
    return np.concatenate([grid.ravel(), loners])


def _halve(grid: Codes, units: DesignUnits, rng: np.random.Generator) -> Codes:
    """
    Split each column of the grid into its two halves.

    Neighbours in a column go to different halves.
    """
    q = len(grid) // 2
    B = grid.shape[1]
    pairs = grid[: 2 * q].reshape(q, 2, B)
    # Within a class the choice must be constant so that class counts stay within 1; along a numeric
    # target it must be fresh for each pair so that no block always gets the larger one.
    fresh = units.value is not None
    if fresh:
        swap = rng.random((q, B)) < 0.5
    else:
        swap = _fair_swaps(pairs, units, rng)[None]
    halves = np.where(swap[:, None], pairs[:, ::-1], pairs)
    if units.traits is not None:
        for b in range(B):
            halves[:, :, b] = _even_out_traits(halves[:, :, b], units, rng)
    return np.concatenate([halves[:, 0], halves[:, 1]], axis=1)


def _fair_swaps(pairs: Codes, units: DesignUnits, rng: np.random.Generator) -> NDArray[np.bool_]:
    """
    Draw which half of each block comes first, and keep the draw with the most even classes.

    Where a class has an odd number of members in block b, its halves differ by D_b = ±1. The new
    repetitions add these up with the signs of the old ones, so the class counts of their halves
    differ by Hᵀ D.
    """
    B = pairs.shape[2]
    draws = rng.choice(np.array([1, -1]), (_ORDERS_TRIED, B))
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


def _even_out_traits(halves: Codes, units: DesignUnits, rng: np.random.Generator) -> Codes:
    """Even out the traits of two halves by swaps that keep classes, or neighbours, apart."""
    assert units.traits is not None
    slots = halves.ravel()
    stratum: Codes | None = None
    if units.value is not None:
        stratum = np.repeat(np.arange(len(halves)), 2)
    elif units.stratum is not None:
        stratum = units.stratum[slots]
    rows = np.tile([0, 1], len(halves))
    swapped = exchange(units.traits[slots], rows, np.array([[True], [False]]), rng, stratum)
    return slots[swapped].reshape(halves.shape)


def nested_groups(units: DesignUnits, order: int, seed: int) -> Codes:
    """
    Return the block of each group.

    Every block is halved so that sizes and traits come out even.
    """
    block = np.zeros(len(units), dtype=np.intp)
    B = 1
    while B < order:  # noqa: SIM300  (B is the variable here)
        for b in range(B):
            inside = np.flatnonzero(block == b)
            rng = stream(seed, "halve", B, b)
            block[inside] += B * part_groups(units, inside, np.eye(2, 1, dtype=bool), rng)
        B *= 2
    return block


def part_groups(
    units: DesignUnits, inside: Codes, trains: NDArray[np.bool_], rng: np.random.Generator
) -> Codes:
    """Return the part of each group in ``inside``; the parts are the rows of ``trains``."""
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


def round_robin(parts: int, count: int, units: DesignUnits, rng: np.random.Generator) -> Codes:
    """
    Return ``count`` parts in turn, round after round, in random order.

    The order is the same in every round, so that class counts stay within one, unless a numeric
    target is balanced: then it is fresh in every round, so that no part always gets the smallest
    value.
    """
    rounds = -(-count // parts)
    if units.value is None:
        return np.tile(rng.permutation(parts), rounds)[:count]
    return rng.permuted(np.tile(np.arange(parts), (rounds, 1)), axis=1).ravel()[:count]


def flat_rows(
    units: DesignUnits,
    rows: Codes,
    trains: NDArray[np.bool_] | Floats,
    rng: np.random.Generator,
    *,
    run: int | None,
) -> Codes:
    """
    Return the row of ``trains`` that each unit takes.

    ``rows`` lists one row per unit in dealing order, and ``run`` is the number of rows in a round.
    Neighbours among the ordered units take neighbouring entries, and exchanges keep the balance of
    classes and rounds. If ``run`` is None, any two units may be exchanged.
    """
    slots = order_units(units, rng)
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


_MOST = 75  # with more examples, blocks keep R19's bound up to 15 repetitions
# Weights of the unevenness of the first 3, 7, 15 and 31 repetitions; later ones have no weight.
_WEIGHTS = np.repeat([7.0, 5.0, 3.0, 1.0], [3, 4, 8, 16])
_STARTS_TRIED = 4  # the result of the exchanges depends on the start, so the best of some is kept


def is_small_search(units: DesignUnits) -> bool:
    """Whether the units are few single examples, whose number is not a power of two."""
    n = len(units)
    return 4 < n <= _MOST and n & (n - 1) != 0 and units.of_example is None


def single_rows(units: DesignUnits, signs: Signs, rng: np.random.Generator) -> Codes:
    """
    Return the row of ``signs`` that each example takes.

    Rows are assigned at random, or so that traits are even. The unevenness of all columns together
    does not depend on the assignment (Parseval), so the first columns are made even.
    """
    n = len(units)
    traits = with_traits(units).traits
    if traits is None:
        return rng.permutation(n)
    if traits.shape[1] > n:  # distances are all that counts, and n axes hold those of n points
        traits = np.transpose(np.linalg.qr(traits.T).R)
    weights = _WEIGHTS[: signs.shape[1]]
    early = (signs[:, : len(weights)] > 0) * np.sqrt(weights)
    even = replace(units, traits=traits)
    draws = [
        flat_rows(even, rng.permutation(n), early, rng, run=None) for _ in range(_STARTS_TRIED)
    ]
    return min(draws, key=lambda rows: unevenness(traits, rows, early))


@cache
def single_signs(n: int) -> tuple[int, Signs]:
    """
    Return the order of the matrix and the signs, shape (n, order − 1), of n examples.

    Any two columns share each pair of signs n/4 times, to within ½ for even n and ¾ for odd n, the
    least that whole numbers allow: n = 4k + 1 adds an example to a matrix of order 4k, n = 4k + 2
    two of opposite signs, n = 4k + 3 leaves one out of order 4k + 4.
    """
    over = n % 4
    order = (n + 1) // 4 * 4
    signs = hadamard(order)[:, 1:]
    if over == 3:
        return order, signs[:-1]
    extra = np.resize(np.array([1, -1], dtype=np.int8), order - 1)
    return order, np.concatenate([signs, *([extra], [-extra])[:over]])


_SWEEPS = 12
_LOOKS = 768  # rows on either side times columns that a step considers


@cache
def loner_signs(r: int, order: int) -> Signs:
    """Return the (r, order − 1) signs of r loners, which go with ``order`` blocks."""
    is_power = order & (order - 1) == 0
    if is_power and order > 4:
        parent = order // 2
        known = loner_signs(r % parent, parent)
        if r >= parent:  # the blocks had odd size: one example of each has just become a loner
            known = np.concatenate([hadamard(parent)[:, 1:], known])
    else:
        known = np.empty((r, 0), dtype=np.int8)
    return _extend_signs(known, order - 1 - known.shape[1], stream(0, "loners", r, order))


def _extend_signs(known: Signs, count: int, rng: np.random.Generator) -> Signs:
    """Add balanced columns, then improve each against all others until nothing gets better."""
    r, fixed = known.shape
    fresh = np.resize(np.array([1, -1], dtype=np.int8), (count, r))
    fresh = rng.permuted(fresh, axis=1).T * rng.choice(np.array([1, -1], dtype=np.int8), count)
    signs = np.concatenate([known, fresh], axis=1).astype(float)
    sweeps = 0  # very many columns are even enough by chance
    if count <= 64:
        sweeps = _SWEEPS
    elif count <= 256:
        sweeps = 1
    for _ in range(sweeps):
        changed = [_improve_column(signs, c, rng) for c in range(fixed, fixed + count)]
        if not any(changed):
            break
    return signs.astype(np.int8)


def _improve_column(signs: NDArray[np.float64], c: int, rng: np.random.Generator) -> bool:
    """Swap a + and a − of column c while that lowers Σ (products with other columns)⁴."""
    others = np.delete(signs, c, axis=1)
    product = others.T @ signs[:, c]
    most = max(6, _LOOKS // signs.shape[1])
    changed = False
    while True:
        plus, minus = (sample_rows(np.flatnonzero(signs[:, c] == s), most, rng) for s in (1, -1))
        if not (plus.size and minus.size and others.size):
            return changed
        trial = product + 2 * (others[minus][None, :, :] - others[plus][:, None, :])
        cost = (trial**4).sum(axis=2)
        p, q = np.unravel_index(cost.argmin(), cost.shape)
        if cost[p, q] >= (product**4).sum():
            return changed
        signs[plus[p], c] = -1
        signs[minus[q], c] = 1
        product = trial[p, q]
        changed = True


def sample_rows(rows: Codes, most: int, rng: np.random.Generator) -> Codes:
    """Return all rows, or a random sample of them if there are more than ``most``."""
    if len(rows) <= most:
        return rows
    return rng.choice(rows, most, replace=False)
