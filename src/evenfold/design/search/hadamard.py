"""Hadamard matrices, the source of every two-level orthogonal array used here."""

from functools import cache
from itertools import product

import numpy as np
from numpy.typing import NDArray

from evenfold.core.checks import integer
from evenfold.core.errors import InvalidInput
from evenfold.design.search.quadruples import ORDERS, goethals_seidel

Signs = NDArray[np.int8]

_LARGEST = 4096  # 16 MB; nothing here asks for more


def hadamard(order: int) -> Signs:
    """
    Return a Hadamard matrix with constant + first row and + first column.

    Constructions: Sylvester for powers of two, Paley I and II, Goethals and Seidel for 92, 116, 156, 172, 188
    and 236, and Kronecker products of these: every order up to 256, and most beyond. Without its first column
    the matrix is the orthogonal array OA(order, 2^(order−1)): any two columns share each pair of signs
    equally often.

    Parameters
    ----------
    order : int
        1, 2 or a multiple of 4, at most 4096.

    Returns
    -------
    array of int8, shape (order, order)
        Entries ±1 with mutually orthogonal columns.

    Raises
    ------
    InvalidInput
        If the constructions do not reach this order (260 is the smallest); the message names the nearest
        orders that they do reach.

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

    Goethals, J. M., Seidel, J. J. (1967). Orthogonal matrices with zero diagonal. Canad. J. Math. 19,
    1001-1010.

    Best, D., Đoković, D. Ž., Kharaghani, H., Ramp, H. (2013). Turyn-type sequences: classification,
    enumeration, and construction. J. Combin. Des. 21, 24-35.
    """
    integer("order", order, low=1, high=_LARGEST)
    matrix = _construct(order)
    if matrix is None:
        below = next(size for size in range(order - 1, 0, -1) if has_hadamard(size))
        above = next(size for size in range(order + 1, 2 * order + 4) if has_hadamard(size))
        near = f"{below} and {above}"
        raise InvalidInput(
            f"order must be one that Sylvester, Paley, Goethals-Seidel or a Kronecker product of them "
            f"reaches but got {order}; the nearest are {near}"
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
        return _normalised(_paley(order, *field))
    if order in ORDERS:
        return _normalised(goethals_seidel(order))
    factor = _kronecker_factor(order) or 2
    # The larger factor varies fastest: doubling is [[H, H], [H, −H]] and keeps the first columns (R19 3.3).
    doubled: Signs = np.kron(hadamard(factor), hadamard(order // factor))
    return doubled


@cache
def _kronecker_factor(order: int) -> int | None:
    """Smallest order a with both a and order/a available."""
    factors = (a for a in (2, *range(4, order // 2 + 1, 4)) if order % a == 0)
    return next((a for a in factors if has_hadamard(a) and has_hadamard(order // a)), None)


@cache
def _paley_field(order: int) -> tuple[int, int] | None:
    """Return (p, k) such that GF(p^k) gives this order: q = order−1 (type I) or order/2−1 (type II)."""
    for q, residue in ((order - 1, 3), (order // 2 - 1, 1)):
        if q % 4 == residue and (field := _prime_power(q)) is not None:
            return field
    return None


def _prime_power(q: int) -> tuple[int, int] | None:
    if q < 3:
        return None
    p = next((d for d in range(2, int(q**0.5) + 1) if q % d == 0), q)
    k = 0
    while q % p == 0:
        q, k = q // p, k + 1
    return (p, k) if q == 1 else None


def _paley(order: int, p: int, k: int) -> Signs:
    q = p**k
    Q = _jacobsthal(p, k)
    border = np.ones(q, dtype=np.int8)
    if order == q + 1:  # type I: I + S with S skew
        S = np.block([[np.zeros((1, 1), np.int8), border[None]], [-border[:, None], Q]])
        return np.asarray(np.eye(order) + S, dtype=np.int8)
    S = np.block([[np.zeros((1, 1), np.int8), border[None]], [border[:, None], Q]])  # type II: S symmetric
    paired = np.kron(S, [[1, 1], [1, -1]]) + np.kron(np.eye(q + 1), [[1, -1], [-1, -1]])
    return np.asarray(paired, dtype=np.int8)


def _jacobsthal(p: int, k: int) -> Signs:
    """Q[a, b] = χ(a − b), χ the quadratic character of GF(p^k): +1 on squares, −1 on the others, 0 at 0."""
    powers = _powers_of_primitive_element(p, k)
    digits = np.array(list(product(range(p), repeat=k)))
    weights = p ** np.arange(k)[::-1]
    chi = np.zeros(p**k, dtype=np.int8)
    chi[powers @ weights] = np.resize([1, -1], len(powers))  # squares are the even powers
    difference: NDArray[np.intp] = (digits[:, None, :] - digits[None, :, :]) % p @ weights
    return chi[difference]


def _powers_of_primitive_element(p: int, k: int) -> NDArray[np.int64]:
    """All q−1 powers of x modulo the first polynomial x^k = Σ c_i x^i for which they are distinct."""
    for c in product(range(p), repeat=k):
        element, powers = (*([0] * (k - 1)), 1), []
        seen = set()
        while element not in seen:
            seen.add(element)
            powers.append(element)
            shifted = (*element[1:], 0)
            element = tuple((s + element[0] * ci) % p for s, ci in zip(shifted, c, strict=True))
        if len(powers) == p**k - 1 and (0,) * k not in seen:
            return np.array(powers)
    raise AssertionError("every finite field has a primitive element")


def _normalised(matrix: Signs) -> Signs:
    matrix = matrix * matrix[0]
    return matrix * matrix[:, :1]
