"""Values from a file that somebody edited."""

import tracemalloc

import pytest

from evenfold.core.errors import InvalidInput
from evenfold.core.json import from_typed


def test_texts_are_as_long_as_they_are() -> None:
    tracemalloc.start()
    found = from_typed(
        {"!": "array", "dtype": "<U50000000", "shape": [3], "items": ["a", "b", "cd"]}
    )
    assert tracemalloc.get_traced_memory()[1] < 2**20
    tracemalloc.stop()
    assert found.tolist() == ["a", "b", "cd"]


def test_values_inside_values_without_end_are_refused() -> None:
    deep: object = 1
    for _ in range(5000):
        deep = {"!": "tuple", "items": [deep]}
    with pytest.raises(InvalidInput, match="must be what to_json wrote"):
        from_typed(deep)


@pytest.mark.parametrize("dtype", [",,f8", "<f8,,", "f4,,"])
def test_a_type_that_numpy_cannot_parse_is_refused(dtype: str) -> None:
    with pytest.raises(InvalidInput, match="dtype must be"):
        from_typed({"!": "array", "dtype": dtype, "shape": [1], "items": [1.0]})
