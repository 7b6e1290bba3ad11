import numpy as np
import pytest

from evenfold.core.errors import InvalidInput
from evenfold.design.hadamard import hadamard, has_hadamard

# The orders below 256 that need other constructions (Williamson, Turyn, ...), from the published tables.
UNREACHED = {92, 116, 156, 172, 184, 188, 232, 236}


@pytest.mark.parametrize("order", [1, 2, *range(4, 257, 4)])
def test_every_order_up_to_256_is_made_or_refused(order: int) -> None:
    assert has_hadamard(order) == (order not in UNREACHED)
    if order in UNREACHED:
        with pytest.raises(InvalidInput, match=f"but got {order}; the nearest are"):
            hadamard(order)
        return
    H = hadamard(order).astype(int)
    assert set(np.unique(H)) <= {-1, 1}
    assert np.array_equal(H.T @ H, order * np.eye(order, dtype=int))
    assert (H[0] == 1).all()
    assert (H[:, 0] == 1).all()


@pytest.mark.parametrize("order", [3, 6, 10, 0, -4])
def test_other_orders_do_not_exist(order: int) -> None:
    with pytest.raises(InvalidInput, match="order must be"):
        hadamard(order)


def test_powers_of_two_are_sylvester_so_that_doubling_keeps_columns() -> None:
    b = np.arange(32)
    assert np.array_equal(hadamard(32), 1 - 2 * (np.bitwise_count(b[:, None] & b) % 2).astype(int))
    assert np.array_equal(hadamard(32)[:16, :16], hadamard(16))
    assert np.array_equal(hadamard(32)[16:, :16], hadamard(16))


def test_a_caller_cannot_change_the_cached_matrix() -> None:
    hadamard(8)[:] = 0
    assert (hadamard(8)[0] == 1).all()
