"""Small partitions and data for the tests of the room."""

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from evenfold.core.partition import MX2_BCV, BlockCut, Partition
from evenfold.core.rng import stream

Halvings = Callable[..., Partition]
XY = tuple[NDArray[np.float64], NDArray[np.int64]]


def halvings_of(n: int, m: int, *, seed: int = 0) -> Partition:
    """The first m ≤ 7 repetitions of one nested block design."""
    blocks = (stream(seed, "blocks").permutation(n) % 8).astype(np.uint8)
    signs = np.array([[(b & i).bit_count() % 2 == 0 for i in range(1, m + 1)] for b in range(8)])
    trains = np.repeat(signs, 2, axis=1)
    trains[:, 1::2] ^= True
    return Partition(
        kind=MX2_BCV,
        seed=seed,
        cut=BlockCut(blocks=blocks, trains=trains),
        repetition=np.repeat(np.arange(m), 2),
        fold=np.tile([0, 1], m),
    )


@pytest.fixture
def halvings() -> Halvings:
    return halvings_of


@pytest.fixture
def xy() -> XY:
    rng = stream(0, "test data")
    y = rng.integers(2, size=80)
    return rng.normal(size=(80, 3)) + y[:, None], y
