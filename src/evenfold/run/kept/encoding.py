"""Cells and answers as bytes: numbers in a row, and ``.npy``; no pickle is ever written or read."""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from io import BytesIO
from itertools import repeat
from math import isnan, nan, prod
from struct import Struct
from typing import Any

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from evenfold.run.measures import Evaluated

Values = dict[str, Evaluated]  # by the key of a measure
Floats = NDArray[np.float64]
Arrays = dict[str, NDArray[Any]]
_COUNT = Struct("<H")
_MAGIC = b"\x93NUMPY"


def to_bytes(answer: Any) -> bytes:
    """Write an array, or tag sequences as two arrays: their lengths and all tags in a row."""
    if not isinstance(answer, list):
        return _npy(np.asarray(answer))
    lengths = np.array([len(tags) for tags in answer], dtype=np.int64)
    return _npy(lengths) + _npy(np.array([tag for tags in answer for tag in tags], dtype=str))


def from_bytes(content: bytes) -> Any:
    """Read what :func:`to_bytes` wrote."""
    first, end = _array(content, 0)
    if end == len(content):
        return first
    tags = _array(content, end)[0].tolist()
    ends = np.cumsum(first).tolist()
    return [tags[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _npy(array: NDArray[Any]) -> bytes:
    """Write an array as ``numpy.save`` does; headers are remembered, because cells have them in common."""
    if array.dtype.hasobject:
        raise ValueError(f"Object arrays cannot be saved: {array.dtype}")
    return _header(array.dtype, array.shape) + array.tobytes()


@lru_cache(maxsize=256)
def _header(dtype: np.dtype[Any], shape: tuple[int, ...]) -> bytes:
    described = {"descr": npy_format.dtype_to_descr(dtype), "fortran_order": False, "shape": shape}
    buffer = BytesIO()
    npy_format.write_array_header_1_0(buffer, described)
    return buffer.getvalue()


def _array(content: bytes, start: int) -> tuple[NDArray[Any], int]:
    """Read the array at a place and return where it ends."""
    if content[start : start + 6] != _MAGIC:
        raise ValueError("not the bytes of an array; a pickle is never read")
    begin = start + 10 + int.from_bytes(content[start + 8 : start + 10], "little")
    dtype, shape = _described(content[start:begin])
    count = prod(shape)
    end = begin + count * dtype.itemsize
    array = np.frombuffer(content, dtype, count, begin) if count * dtype.itemsize else np.empty(count, dtype)
    return array.reshape(shape).copy(), end


@lru_cache(maxsize=256)
def _described(header: bytes) -> tuple[np.dtype[Any], tuple[int, ...]]:
    shape, fortran, dtype = npy_format.read_array_header_1_0(BytesIO(header[8:]))
    if fortran or dtype.hasobject:
        raise ValueError("Object arrays cannot be read: a pickle is never read")
    return dtype, shape


def to_npz(arrays: Arrays) -> bytes:
    """Write arrays by name, compressed."""
    buffer = BytesIO()
    np.savez_compressed(buffer, allow_pickle=False, **arrays)
    return buffer.getvalue()


def from_npz(content: bytes) -> Arrays:
    """Read what :func:`to_npz` wrote."""
    with np.load(BytesIO(content), allow_pickle=False) as arrays:
        return dict(arrays)


def cell_to_bytes(fit_seconds: float, predict_seconds: float, values: Mapping[str, Evaluated]) -> bytes:
    """Write a cell: how many measures, two times, value, TP, FP, FN of each, then the measures' keys."""
    numbers = [number for value, counts, _ in values.values() for number in (value, *(counts or (nan,) * 3))]
    times = fit_seconds, predict_seconds
    return _COUNT.pack(len(values)) + _doubles(len(values)).pack(*times, *numbers) + _joined(tuple(values))


def cells_from_bytes(
    contents: Mapping[bytes, bytes],
) -> Iterator[tuple[list[bytes], Floats, dict[str, list[Evaluated]]]]:
    """
    Read what :func:`cell_to_bytes` wrote, all cells of the same measures at once.

    Yields the addresses of the cells, their two times, and by the key of a measure all of its values.
    """
    alike: dict[bytes, list[bytes]] = {}
    for address, content in contents.items():  # there may be a hundred thousand
        measures = content[0] + 256 * content[1]
        alike.setdefault(content[_COUNT.size + 8 * (2 + 4 * measures) :], []).append(address)
    for joined, addresses in alike.items():
        keys = _keys(joined)
        row = np.dtype(
            [("count", "<u2"), ("numbers", "<f8", (2 + 4 * len(keys),)), ("keys", f"V{len(joined)}")]
        )
        numbers = np.frombuffer(b"".join(map(contents.__getitem__, addresses)), row)["numbers"]
        columns = np.split(numbers[:, 2:], len(keys), axis=1) if keys else []
        yield addresses, numbers[:, :2], dict(zip(keys, map(_evaluated, columns), strict=True))


def _evaluated(columns: Floats) -> list[Evaluated]:
    """Return values with their counts out of four columns."""
    values, *counts = columns.T.tolist()
    triples: Iterable[Any] = repeat(None, len(values))
    if not np.isnan(columns[:, 1]).all():
        triples = [None if isnan(tp) else (tp, fp, fn) for tp, fp, fn in zip(*counts, strict=True)]
    return list(map(partial(tuple.__new__, Evaluated), zip(values, triples, repeat(False))))


@lru_cache(maxsize=64)
def _doubles(measures: int) -> Struct:
    return Struct(f"<{2 + 4 * measures}d")


@lru_cache(maxsize=64)
def _joined(keys: tuple[str, ...]) -> bytes:
    return "\0".join(keys).encode()


@lru_cache(maxsize=64)
def _keys(joined: bytes) -> list[str]:
    return joined.decode().split("\0") if joined else []
