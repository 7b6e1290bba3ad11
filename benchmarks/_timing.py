"""The one way to time a call."""

from collections.abc import Callable
from time import process_time
from typing import Any


def seconds(
    function: Callable[[], Any], repeats: int = 3, clock: Callable[[], float] = process_time
) -> float:
    """Return what the quickest of a few calls took; others' work does not blur processor time."""
    return min(_once(function, clock) for _ in range(repeats))


def _once(function: Callable[[], Any], clock: Callable[[], float]) -> float:
    begin = clock()
    function()
    return clock() - begin
