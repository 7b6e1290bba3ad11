import numpy as np
import pytest

from evenfold.core.errors import InvalidInput
from evenfold.design import Mx2BCV
from evenfold.design.search.halvings import hadamard, has_hadamard


@pytest.mark.parametrize("order", [1, 2, *range(4, 257, 4)])
def test_every_order_up_to_256_is_made(order: int) -> None:
    assert has_hadamard(order)
    H = hadamard(order).astype(int)
    assert set(np.unique(H)) <= {-1, 1}
    assert np.array_equal(H.T @ H, order * np.eye(order, dtype=int))
    assert (H[0] == 1).all()
    assert (H[:, 0] == 1).all()


def test_an_order_out_of_reach_is_refused_with_the_nearest() -> None:
    assert not has_hadamard(260)
    with pytest.raises(InvalidInput, match=r"but got 260\. The nearest are 256 and 264"):
        hadamard(260)


def test_a_designed_partition_may_use_them() -> None:
    partition = Mx2BCV(91, random_state=0).partition(92)
    assert partition.certificate is not None
    assert (partition.certificate.overlap_error, partition.certificate.construction) == (
        0.0,
        "a Hadamard matrix of order 92",
    )


@pytest.mark.parametrize("order", [10**20, 4100, 3, 6, 10, 0, -4])
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
