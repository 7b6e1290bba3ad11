"""The product of two vectors."""

from typing import Any

from numpy.typing import NDArray

from evenfold.lab.fast.compiled._numba import compiled


@compiled
def dot(a: NDArray[Any], b: NDArray[Any]) -> float:
    """Four sums at a time, which a processor adds together."""
    p = len(a)
    s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
    for f in range(0, p - 3, 4):
        s0 += a[f] * b[f]
        s1 += a[f + 1] * b[f + 1]
        s2 += a[f + 2] * b[f + 2]
        s3 += a[f + 3] * b[f + 3]
    for f in range(p - p % 4, p):
        s0 += a[f] * b[f]
    return (s0 + s1) + (s2 + s3)
