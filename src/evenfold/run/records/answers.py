"""Predictions in a store: read when somebody asks, and some splits ahead, for the next is asked for next."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evenfold.core.errors import NotApplicable, StoreError
from evenfold.run.records.encoding import from_bytes
from evenfold.run.stores import Store, unsealed

_AHEAD = 32  # answers that are kept of each algorithm


def answer_key(key: bytes, response: str) -> bytes:
    """Return where the answer of a cell lies."""
    return key + response.encode()


def answer_from(content: bytes | None) -> Any:
    """Read an answer; None where there is none or its bytes are something else."""
    try:
        found = None if content is None else from_bytes(content)
    except Exception:  # whatever the header of an array from elsewhere provokes
        return None
    return None if isinstance(found, np.ndarray) and not found.ndim else found


class Answers:
    """
    The answers of cells in a store; ``series`` and ``splits`` are the hashes of the cells.

    ``let_go`` says that nobody else needs the store, so that no connection stays open after a look.
    """

    def __init__(
        self, store: Store, series: Sequence[bytes], splits: Sequence[bytes], *, let_go: bool
    ) -> None:
        self._store, self._series, self._splits = store, series, splits
        self.let_go = let_go
        self._ahead: dict[tuple[int, str], Mapping[bytes, bytes]] = {}

    def __call__(self, algorithm: int, split: int, response: str) -> Any:
        place = self._place(algorithm, split, response)
        ahead = self._ahead.get((algorithm, response), {})
        if place not in ahead:
            ahead = self._ahead[algorithm, response] = self._read(algorithm, split, response)
        if place not in ahead:
            raise NotApplicable(f"the store has no {response} of this cell: it failed")
        found = answer_from(unsealed("answers", {place: ahead[place]}).get(place))
        if found is None:
            raise StoreError(f"the {response} of this cell is damaged in the store; run it again")
        return found

    def _place(self, algorithm: int, split: int, response: str) -> bytes:
        return answer_key(self._series[algorithm] + self._splits[split], response)

    def _read(self, algorithm: int, split: int, response: str) -> Mapping[bytes, bytes]:
        following = range(split, min(split + _AHEAD, len(self._splits)))
        try:
            return self._store.read("answers", [self._place(algorithm, j, response) for j in following])
        finally:
            if self.let_go:
                self._store.close()
