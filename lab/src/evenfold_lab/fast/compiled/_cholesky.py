"""Cholesky factors A = RᵀR of symmetric positive definite matrices, in the place of A."""

import numpy as np

from evenfold_lab.fast.compiled._numba import Numbers, compiled_inline

FLAT = 1e-12  # the least share of its diagonal element that a pivot keeps


@compiled_inline
def factorise(A: Numbers) -> None:
    """Put R in the place of A, and Rᵀ below; pivots lost to rounding get a floor."""
    for i in range(len(A)):
        least = FLAT * A[i, i]
        settle(A, i, len(A))
        A[i, i] = np.sqrt(max(A[i, i], least))
        part = 1 / A[i, i]
        for j in range(i + 1, len(A)):
            A[i, j] *= part
    mirror(A)


@compiled_inline
def settle(A: Numbers, i: int, q: int) -> None:
    """
    Subtract from row ``i``, up to column ``q``, what the rows of R above explain.

    The caller takes the root of the pivot.
    """
    row = A[i, i:q]
    k = 0
    while k + 4 <= i:  # four at a time, as the row is read and written less often
        a = A[k, i:q]
        b = A[k + 1, i:q]
        c = A[k + 2, i:q]
        d = A[k + 3, i:q]
        a0 = a[0]
        b0 = b[0]
        c0 = c[0]
        d0 = d[0]
        for j in range(len(row)):
            row[j] -= a0 * a[j] + b0 * b[j] + c0 * c[j] + d0 * d[j]
        k += 4
    while k < i:
        a = A[k, i:q]
        a0 = a[0]
        for j in range(len(row)):
            row[j] -= a0 * a[j]
        k += 1


@compiled_inline
def mirror(A: Numbers) -> None:
    """Write the upper triangle into the lower."""
    for i in range(len(A)):
        for j in range(i):
            A[i, j] = A[j, i]


@compiled_inline
def divide(R: Numbers, b: Numbers) -> None:
    """Put A⁻¹b in the place of b, for A = RᵀR; Rᵀ is in the lower triangle."""
    q = len(b)
    for i in range(q):
        part = b[i] / R[i, i]
        b[i] = part
        for j in range(i + 1, q):
            b[j] -= R[i, j] * part
    for i in range(q - 1, -1, -1):
        part = b[i] / R[i, i]
        b[i] = part
        for j in range(i):
            b[j] -= R[i, j] * part
