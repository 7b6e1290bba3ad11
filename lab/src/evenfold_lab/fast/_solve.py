"""Many symmetric positive definite systems at once."""

from dataclasses import dataclass

import numpy as np

from evenfold_lab.algorithm import Floats
from evenfold_lab.arrays import Array, namespace
from evenfold_lab.fast._lacking import forward
from evenfold_lab.masks import Mask

FEW = 8  # up to so many unknowns, eliminating in all systems at once beats LAPACK calls
_JITTER = 1e-12  # added to a unit diagonal, so that Cholesky also works on singular matrices
_SMALL = 1e-4  # if a pivot is below this, the condition number is estimated
_CONDITION = 1e-10  # the least reciprocal condition number of a system that is not in doubt
TOLERANCE = 1e-7  # the least share of a variable's square that earlier ones leave unexplained


def solve(A: Array, b: Array) -> tuple[Array, Array]:
    """
    Solve A x = b by Cholesky, and say which systems are nearly singular, so that x is unusable.

    Parameters
    ----------
    A, b : arrays, shapes (..., p, p) and (..., p, T)
        Both may be overwritten.
    """
    if not isinstance(A, np.ndarray):
        return solve_refined(A, b)
    if A.shape[-1] <= FEW:
        return _eliminate_together(A, b)
    return _one_by_one(A, b)


def shift_diagonal(A: Array, shift: Array | float) -> Array:
    """Add a number, or several (..., p), to the diagonals of A, in place if A is NumPy's."""
    if isinstance(A, np.ndarray):
        np.einsum("...ii->...i", A)[...] += shift  # a pass over the diagonals alone
        return A
    xp = namespace(A)
    beyond = xp.asarray(shift, dtype=A.dtype, device=A.device)
    return A + beyond[..., None] * xp.eye(A.shape[-1], dtype=A.dtype, device=A.device)


def solve_refined(A: Array, b: Array) -> tuple[Array, Array]:
    """Solve by Cholesky with unit diagonals and one refinement, in any array library."""
    xp = namespace(A)
    unit = xp.eye(A.shape[-1], dtype=A.dtype, device=A.device)
    scale = xp.linalg.diagonal(A)
    root = xp.sqrt(xp.where(scale > 0, scale, xp.ones_like(scale)))
    S = A / (root[..., None] * root[..., None, :])
    L = xp.linalg.cholesky(S + _JITTER * unit)
    right = b / root[..., None]
    x = forward(L, forward(L, right), transposed=True)
    x = x + forward(L, forward(L, right - xp.matmul(S, x)), transposed=True)
    pivots = xp.linalg.diagonal(L)
    return x / root[..., None], xp.min(pivots * pivots, axis=-1) <= TOLERANCE


def _eliminate_together(A: Floats, b: Floats) -> tuple[Floats, Mask]:
    """Eliminate without square roots (A = L D Lᵀ), each step over all systems."""
    p = A.shape[-1]
    doubtful = np.zeros(A.shape[:-2], dtype=bool)
    scale = [A[..., k, k].copy() for k in range(p)]
    for k in range(p):
        weak = ~(A[..., k, k] > TOLERANCE * scale[k])
        if weak.any():
            doubtful |= weak
            A[..., k, k][weak] = 1.0
        for i in range(k + 1, p):
            factor = A[..., k, i] / A[..., k, k]
            for j in range(i, p):
                A[..., i, j] -= factor * A[..., k, j]
            b[..., i, :] -= factor[..., None] * b[..., k, :]
    for k in reversed(range(p)):
        for j in range(k + 1, p):
            b[..., k, :] -= A[..., k, j, None] * b[..., j, :]
        b[..., k, :] /= A[..., k, k, None]
    return b, doubtful


def _one_by_one(A: Floats, b: Floats) -> tuple[Floats, Mask]:
    from scipy.linalg.lapack import dpocon, dposv

    doubtful = np.zeros(A.shape[:-2], dtype=bool)
    for where in np.ndindex(doubtful.shape):
        scale = A[where].diagonal().copy()
        factor, b[where], failed = dposv(A[where].T, b[where], overwrite_a=True)
        least = 0.0 if failed else (factor.diagonal() ** 2 / scale).min()
        if least < _SMALL:
            doubtful[where] = least <= TOLERANCE or dpocon(factor, scale.sum())[0] < _CONDITION
    return b, doubtful


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Factor:
    """
    Cholesky factors, for systems whose right-hand sides come one after the other.

    Attributes
    ----------
    L : array, shape (..., p, p)
        Factors; in NumPy's only the upper triangles matter, which are their transposes.
    doubtful : array, shape (...)
        Which matrices are singular but for rounding.
    """

    L: Array
    doubtful: Array

    @classmethod
    def of(cls, A: Array) -> "Factor":
        """Factor matrices; NumPy's are overwritten."""
        xp = namespace(A)
        scale = xp.asarray(xp.linalg.diagonal(A), copy=True)
        if isinstance(A, np.ndarray):
            _factor_one_by_one(A)
            L = A
        else:
            unit = xp.eye(A.shape[-1], dtype=A.dtype, device=A.device)
            L = xp.linalg.cholesky(A + unit * (_JITTER * scale)[..., None])
        pivots = xp.linalg.diagonal(L)
        return cls(L=L, doubtful=xp.any(pivots * pivots <= TOLERANCE * scale, axis=-1))

    def solve(self, b: Array) -> Array:
        """Solve A x = b for b (..., p, T)."""
        if not isinstance(b, np.ndarray):
            return forward(self.L, forward(self.L, b), transposed=True)
        from scipy.linalg.lapack import dpotrs

        x = np.empty_like(b)
        for where in np.ndindex(b.shape[:-2]):
            x[where], _ = dpotrs(self.L[where].T, b[where], lower=True)
        return x


def _factor_one_by_one(A: Floats) -> None:
    from scipy.linalg.lapack import dpotrf

    for where in np.ndindex(A.shape[:-2]):
        _, failed = dpotrf(A[where].T, lower=True, clean=False, overwrite_a=True)
        if failed:
            A[where] = 0.0
