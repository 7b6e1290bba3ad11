"""Fits and answers as bytes: numbers in a row, and ``.npy``; no pickle is ever written or read."""

import struct
import sys
from collections.abc import Mapping
from functools import lru_cache
from io import BytesIO
from math import isfinite, isnan, nan, prod
from typing import Any, Literal
from zipfile import ZIP_DEFLATED, ZipFile

import numpy as np
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from evenfold.run.measures import Evaluated

Values = dict[str, Evaluated]  # by the key of a measure
Arrays = dict[str, NDArray[Any]]
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
    buffer = BytesIO()
    np.save(buffer, array, allow_pickle=False)
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
    row = _row(len(values)).pack(len(values), fit_seconds, predict_seconds, *numbers)
    return row + "\0".join(values).encode()


def cell_from_bytes(content: bytes) -> tuple[float, float, Values] | None:
    """Read the two times and the values that :func:`cell_to_bytes` wrote; None for other bytes."""
    try:
        measures = int.from_bytes(content[:2], "little")
        row = _row(measures)
        _, fit_seconds, predict_seconds, *numbers = row.unpack_from(content)
        keys = _keys(content[row.size :])
    except (struct.error, UnicodeDecodeError):
        return None
    written = [fit_seconds, predict_seconds, *numbers[::4]]
    if len(keys) != measures or not all(map(isfinite, written)) or min(written[:2]) < 0:
        return None
    values: Values = {}
    for i, key in enumerate(keys):
        value, tp, fp, fn = numbers[4 * i : 4 * i + 4]
        values[key] = Evaluated(value, None if isnan(tp) else (tp, fp, fn))
    return fit_seconds, predict_seconds, values


@lru_cache(maxsize=64)
def _row(measures: int) -> struct.Struct:
    """Return the form of a fit: number of measures, two times, and four numbers of each measure."""
    return struct.Struct(f"<H{2 + 4 * measures}d")


@lru_cache(maxsize=64)
def _keys(joined: bytes) -> list[str]:
    """Return the keys of the measures, which many fits share."""
    return joined.decode().split("\0") if joined else []
