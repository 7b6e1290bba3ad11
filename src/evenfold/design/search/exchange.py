"""Exchanges: swap units between slots until their traits are spread evenly over the splits."""

from collections.abc import Iterator
from heapq import heapify, heapreplace

import numpy as np
from numpy.typing import NDArray

from evenfold.design._base import Codes, Floats

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
    Return the order of units in slots after swaps that lower Σ ‖training total − its share‖².

    Parameters
    ----------
    traits : array, shape (slots, levels)
        Traits of the unit that starts in each slot.
    rows : array, shape (slots,)
        Row of ``trains`` (block) to which each slot belongs; never changes, so sizes and overlaps
        stay.
    trains : array, shape (rows, splits)
        Whether a block trains in a split, times the root of how much the split counts.
    rng : numpy generator
        Where sampled pairs come from.
    stratum : array, optional
        Only units of one stratum are swapped: what was dealt exactly stays exact.
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
        if swapped:
            stalled = 0
        else:
            stalled = stalled + 1
        if stalled >= (1 if len(rows) <= _ALL_PAIRS else _PATIENCE):
            break
    return order


def unevenness(traits: Floats, rows: Codes, trains: NDArray[np.bool_] | Floats) -> int:
    """Σ_splits ‖training total − its share‖² of units in these rows, in grains."""
    return round(
        float(np.square(_excess(traits, trains[rows].astype(float))).sum())
        / _rounding_tolerance(traits)
    )


def _rounding_tolerance(traits: Floats) -> float:
    """
    What sums of squares may differ by and still be equal.

    Of equal ones the first is taken, so that neither rounding nor a processor's own way of sorting
    decides: a seed has the same cut on all machines.
    """
    return 1e-9 * float((traits**2).sum() + 1)


def _excess(traits: Floats, member: Floats) -> Floats:
    """By how much the training total of each split exceeds its share of all traits."""
    excess: Floats = member.T @ traits - member.mean(axis=0)[:, None] * traits.sum(axis=0)
    return excess


def _change(step: Floats, shift: Floats, excess: Floats) -> Floats:
    """Change of ‖excess‖² when excess moves by step ⊗ shift, for many swaps at once."""
    change: Floats = 2 * ((step @ excess) * shift).sum(axis=1) + (step**2).sum(axis=1) * (
        shift**2
    ).sum(axis=1)
    return change


def _candidate_pairs(
    rows: Codes, stratum: Codes | None, rng: np.random.Generator
) -> Iterator[tuple[Codes, Codes]]:
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
