"""Fits and answers as bytes: numbers in a row, and ``.npy``; no pickle is ever written or read."""

import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from io import BytesIO
from itertools import repeat
from math import isnan, nan, prod
from struct import Struct, pack
from typing import Any, Literal
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from evenfold.run.measures import Evaluated

Values = dict[str, Evaluated]  # by the key of a measure
Floats = NDArray[np.float64]
Arrays = dict[str, NDArray[Any]]
_COUNT = Struct("<H")
_MAGIC = b"\x93NUMPY\x01\x00"
_KINDS = "biufcmMUS"  # of numbers, times and texts
_UNPACKED = 2**28  # bytes that any record may have, however small it is when packed
_RATIO = 100  # how much smaller a packed record may be; a better ratio is a bomb


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
    tags, last = _array(content, end)
    fits = first.ndim == tags.ndim == 1 and first.dtype.kind in "iu" and last == len(content)
    if not fits or (first < 0).any() or first.sum() != len(tags):
        raise ValueError("lengths of sequences that are not those of the tags")
    ends = np.cumsum(first).tolist()
    listed = tags.tolist()
    return [listed[start:end] for start, end in zip([0, *ends], ends, strict=False)]


def _npy(array: NDArray[Any]) -> bytes:
    """
    Write an array as ``numpy.save`` does.

    Headers are remembered, because many fits share them.
    """
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
    """Return the array at a position and where it ends. An incomplete array is refused."""
    if content[start : start + len(_MAGIC)] != _MAGIC:
        raise ValueError("not the bytes of an array; a pickle is never read")
    begin = start + 10 + int.from_bytes(content[start + 8 : start + 10], "little")
    dtype, shape, order = _read_header(content[start:begin])
    count = prod(shape)
    end = begin + count * dtype.itemsize
    if end > len(content):
        raise ValueError(f"{len(content) - begin} bytes for {count} items of {dtype}")
    items = np.frombuffer(content, dtype, count, begin)
    if dtype.kind == "U":
        characters = items.view(np.dtype("u4").newbyteorder(dtype.byteorder))
        if (characters > sys.maxunicode).any():
            raise ValueError("texts of characters that do not exist")
    return items.reshape(shape, order=order).copy(), end


@lru_cache(maxsize=256)
def _read_header(header: bytes) -> tuple[np.dtype[Any], tuple[int, ...], Literal["C", "F"]]:
    """Read type and shape. Types of size 0 are refused: any number of them fits anywhere."""
    shape, fortran, dtype = npy_format.read_array_header_1_0(BytesIO(header[8:]))
    if dtype.hasobject:
        raise ValueError("Object arrays cannot be read: a pickle is never read")
    if dtype.kind not in _KINDS or not dtype.itemsize or min(shape, default=0) < 0:
        raise ValueError(f"no array of numbers or texts: {dtype}, {shape}")
    return dtype, shape, "F" if fortran else "C"


def to_npz(arrays: Arrays) -> bytes:
    """Write arrays by name, compressed; numpy's own function refuses pickles only from 2.2 on."""
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as packed:
        for name, array in arrays.items():
            with packed.open(f"{name}.npy", "w", force_zip64=True) as file:
                np.lib.format.write_array(file, np.asanyarray(array), allow_pickle=False)
    return buffer.getvalue()


def from_npz(content: bytes) -> Arrays:
    """Read what :func:`to_npz` wrote. A small file that would become very large is refused."""
    with ZipFile(BytesIO(content)) as packed:
        size = sum(file.file_size for file in packed.infolist())
        if size > max(_UNPACKED, _RATIO * len(content)):
            raise ValueError(f"{len(content)} bytes that would become {size}")
        names = [name for name in packed.namelist() if name.endswith(".npy")]
        return {name.removesuffix(".npy"): _array(packed.read(name), 0)[0] for name in names}


def cell_to_bytes(
    fit_seconds: float, predict_seconds: float, values: Mapping[str, Evaluated]
) -> bytes:
    """Write a fit: number of measures, two times, value, TP, FP, FN of each, then their keys."""
    numbers = [
        number
        for value, counts, _ in values.values()
        for number in (value, *(counts or (nan,) * 3))
    ]
    doubles = pack(f"<{2 + len(numbers)}d", fit_seconds, predict_seconds, *numbers)
    return _COUNT.pack(len(values)) + doubles + "\0".join(values).encode()


def cells_from_bytes(
    contents: Mapping[bytes, bytes],
) -> Iterator[tuple[list[bytes], Floats, dict[str, list[Evaluated]]]]:
    """
    Read what :func:`cell_to_bytes` wrote, all fits of the same measures at once.

    Yields the addresses of the fits, their two times, and by the key of a measure all of its
    values; what is something else is left out.
    """
    alike: dict[tuple[int, bytes], list[bytes]] = {}
    for address, content in contents.items():  # there may be a hundred thousand
        measures = int.from_bytes(content[: _COUNT.size], "little")
        joined = content[_COUNT.size + 8 * (2 + 4 * measures) :]
        alike.setdefault((measures, joined), []).append(address)
    for (measures, joined), addresses in alike.items():
        row = np.dtype(
            [("count", "<u2"), ("numbers", "<f8", (2 + 4 * measures,)), ("keys", f"V{len(joined)}")]
        )
        whole = [address for address in addresses if len(contents[address]) == row.itemsize]
        keys = _keys(joined)
        if not whole or len(keys) != measures:
            continue
        numbers = np.frombuffer(b"".join(map(contents.__getitem__, whole)), row)["numbers"]
        kept = np.flatnonzero(_are_results(numbers))
        columns = np.split(numbers[kept, 2:], max(len(keys), 1), axis=1)[: len(keys)]
        values = dict(zip(keys, map(_read_evaluated, columns), strict=True))
        yield [whole[i] for i in kept], numbers[kept, :2], values


def _are_results(numbers: Floats) -> NDArray[np.bool_]:
    """Return which rows have times ≥ 0 and finite values, as all rows do that were written."""
    times = numbers[:, :2]
    values = numbers[:, 2::4]
    known = np.isfinite(times).all(axis=1) & np.isfinite(values).all(axis=1)
    return np.asarray(known & (times >= 0).all(axis=1))


def _read_evaluated(columns: Floats) -> list[Evaluated]:
    """Return values with their counts out of four columns."""
    values, *counts = columns.T.tolist()
    triples: Iterable[Any] = repeat(None, len(values))
    if not np.isnan(columns[:, 1]).all():
        triples = [None if isnan(tp) else (tp, fp, fn) for tp, fp, fn in zip(*counts, strict=True)]
    return list(map(partial(tuple.__new__, Evaluated), zip(values, triples, repeat(False))))


@lru_cache(maxsize=64)
def _keys(joined: bytes) -> list[str]:
    try:
        return joined.decode().split("\0") if joined else []
    except UnicodeDecodeError:
        return []
