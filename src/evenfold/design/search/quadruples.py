"""
Hadamard matrices of Goethals and Seidel: four circulants whose autocorrelations add up to zero.

Paley's fields and Kronecker products leave gaps. Four rows of ±1 of length v with
Σ_rows Σ_i x_i x_{i+s} = 0 for every shift s ≠ 0 (i + s modulo v) fill the gap at order 4v.
"""

import numpy as np
from numpy.typing import NDArray

# Digit i holds the signs at place i of the four rows, the first row in the highest bit, 1 for −.
# 92, 116, 188 and 236 come from Turyn-type sequences of length 8, 10, 16 and 20 (Best, Đoković, Kharaghani
# and Ramp 2013) by way of T-sequences; 156 and 172 from a search among rows that are constant on the orbits
# of x → 16x modulo 39 and of x → 4x modulo 43.
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
