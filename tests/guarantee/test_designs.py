"""The promise of the designs over whole grids."""

import numpy as np
import pytest

from evenfold.design import BRLT, Mx2BCV
from evenfold.design.halves import block_order

pytestmark = pytest.mark.guarantee

FRACTIONS = (1 / 2, 0.6, 2 / 3, 0.7, 0.75, 0.8, 0.9)


@pytest.mark.parametrize("n", [40, 60, 100, 200, 300, 1000])
def test_brlt_on_the_grid(n: int) -> None:
    spreads = []
    for J in range(2, 31):
        for fraction in FRACTIONS:
            partition = BRLT(J, fraction, random_state=0).partition(n)
            assert (partition.train_sizes == round(fraction * n)).all()
            assert np.ptp(partition.occurrences()) <= 1
            spreads.append(np.ptp(partition.overlaps()[np.triu_indices(J, 1)]))
    print(
        f"n={n}: overlap spread ≤ 1 in {np.mean(np.array(spreads) <= 1):.1%} of {len(spreads)} "
        "designs"
    )
    assert max(spreads) <= 2
    assert np.mean(np.array(spreads) <= 1) >= WITHIN_ONE[n]


# Measured, and exact because the tables do not depend on a seed. The aim is .98;
# docs/design/grid.md says what was tried and why the rest, near-integer φ* with many splits, is out
# of reach of a search.
WITHIN_ONE = {40: 0.70, 60: 0.72, 100: 0.82, 200: 0.89, 300: 0.93, 1000: 0.94}


@pytest.mark.parametrize(
    "n", [*range(4, 140), 199, 200, 211, 256, 257, 400, 401, 402, 403, 499, 997, 1000, 1009]
)
def test_mx2_for_every_m_up_to_31(n: int) -> None:
    for m in range(1, min(31, n // 4 * 4 - 1) + 1):
        certificate = Mx2BCV(m, random_state=0).partition(n).certificate
        assert certificate is not None
        assert certificate.size_error <= 0.5
        order = block_order(m, n)
        assert certificate.overlap_error <= (0 if n % order == 0 else order / 4)
