"""Arrays in a store: by name, compressed, never as pickles, with every version of numpy."""

from io import BytesIO

import numpy as np
import pytest

from evenfold.run.records.encoding import from_npz, to_npz

pytestmark = pytest.mark.quick


def test_arrays_come_back_by_their_names_and_numpy_reads_them() -> None:
    arrays = {
        "values": np.arange(6.0).reshape(2, 3),
        "of none": np.zeros((0, 2)),
        "whole": np.array([2**60]),
    }
    written = to_npz(arrays)
    with np.load(BytesIO(written), allow_pickle=False) as loaded:
        assert set(loaded) == set(arrays)  # numpy 2.1 kept its own option as an array beside them
    found = from_npz(written)
    assert set(found) == set(arrays)
    for name, array in arrays.items():
        np.testing.assert_array_equal(found[name], array, strict=True)


def test_an_object_is_never_written() -> None:
    with pytest.raises(ValueError, match="Object arrays cannot be saved"):
        to_npz({"x": np.array([object()], dtype=object)})
