"""Answers as ``.npy`` bytes: no pickle is ever written or read."""

from io import BytesIO
from typing import Any

import numpy as np


def to_bytes(answer: Any) -> bytes:
    """Write an array, or tag sequences as two arrays: their lengths and all tags in a row."""
    buffer = BytesIO()
    arrays = [answer]
    if isinstance(answer, list):
        lengths = np.array([len(tags) for tags in answer], dtype=np.int64)
        arrays = [lengths, np.array([tag for tags in answer for tag in tags], dtype=str)]
    for array in arrays:
        np.save(buffer, array, allow_pickle=False)
    return buffer.getvalue()


def from_bytes(content: bytes) -> Any:
    """Read what :func:`to_bytes` wrote."""
    buffer = BytesIO(content)
    first = np.load(buffer, allow_pickle=False)
    if buffer.tell() == len(content):
        return first
    tags = np.load(buffer, allow_pickle=False).tolist()
    ends = np.cumsum(first).tolist()
    return [tags[start:end] for start, end in zip([0, *ends], ends, strict=False)]
