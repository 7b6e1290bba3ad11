"""
Majority votes of the nearest training examples, in all splits at once.

The splits in which an example trains are the bits of a word, 64 splits to a word. Counters are
sliced by bits: plane b holds bit b of the counters of all splits, so that one logical operation
counts in 64 splits.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from evenfold_lab.masks import Mask

Words = NDArray[np.uint64]
CHECK_EVERY = 4  # neighbours between two checks whether all splits have k votes


def words(masks: Mask) -> Words:
    """Pack masks (..., J, n) into words (..., n, ⌈J/64⌉), split j in bit j."""
    *many, J, n = masks.shape
    padded = np.zeros((*many, n, -(-J // 64) * 8), dtype=np.uint8)
    padded[..., : -(-J // 8)] = np.packbits(np.swapaxes(masks, -1, -2), axis=-1, bitorder="little")
    return padded.view(np.uint64)


def bits(packed: Words, J: int) -> NDArray[np.uint8]:
    """Unpack words (..., W) into zeros and ones (..., J)."""
    return np.unpackbits(packed.view(np.uint8), axis=-1, count=J, bitorder="little")


def vote(
    neighbours: Iterable[tuple[Words, NDArray[np.intp]]], n_classes: int, waiting: Words, k: int
) -> Words:
    """
    Count the labels of the first k neighbours that train, split by split.

    Parameters
    ----------
    neighbours : iterable of pairs of arrays, shapes (m, W) and (m,)
        For m examples, the splits in which the next nearest neighbour trains, and its label.
    n_classes : int
        Number of labels C.
    waiting : array, shape (m, W)
        Splits that need votes; on return, those that have fewer than k.
    k : int
        Number of votes.

    Returns
    -------
    array, shape (planes, C, m, W)
        Counts by class.
    """
    planes = k.bit_length()
    classes = np.arange(n_classes)[:, None]
    counts = np.zeros((planes, n_classes, *waiting.shape), dtype=np.uint64)
    seen = np.zeros((planes, *waiting.shape), dtype=np.uint64)
    for step, (trains, labels) in enumerate(neighbours):
        new = trains & waiting
        _count(counts, new * (labels == classes)[..., None])
        _count(seen, new)
        waiting &= ~_equals(seen, k)
        if step % CHECK_EVERY == 0 and not waiting.any():
            break
    return counts


def _count(counter: Words, new: Words) -> None:
    """Add 1 to the counters whose bits are set in ``new``, by carries through the planes."""
    for plane in counter[:-1]:
        carry = plane & new
        plane ^= new
        new = carry
    counter[-1] ^= new


def _equals(counter: Words, k: int) -> Words:
    same: Words = counter[0] if k & 1 else ~counter[0]
    for b in range(1, len(counter)):
        same = same & (counter[b] if k >> b & 1 else ~counter[b])
    return same


def winners(counts: Words, J: int) -> NDArray[np.uint8]:
    """Return the labels with most votes (m, J), the smallest of equals, as in scikit-learn."""
    best = counts[:, 0].copy()
    label = np.zeros((*best.shape[1:-1], J), dtype=np.uint8)
    for c in range(1, counts.shape[1]):
        more = _greater(counts[:, c], best)
        best ^= (best ^ counts[:, c]) & more
        label[bits(more, J).view(bool)] = c
    return label


def _greater(a: Words, b: Words) -> Words:
    greater: Words = a[-1] & ~b[-1]
    same = ~(a[-1] ^ b[-1])
    for x, y in zip(a[-2::-1], b[-2::-1], strict=True):
        greater |= same & x & ~y
        same &= ~(x ^ y)
    return greater
