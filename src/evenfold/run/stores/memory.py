"""A store that lasts as long as the process: for tests, and for calls that share their fits."""

from collections.abc import Collection, Iterable, Mapping
from threading import Lock

from evenfold.run.stores._base import DRAWERS, STORES, Address, Store


class MemoryStore(Store):
    """Drawers as dictionaries, which threads may share."""

    def __init__(self) -> None:
        self._drawers: dict[str, dict[bytes, bytes]] = {drawer: {} for drawer in DRAWERS}
        self._claimed: set[bytes] = set()
        self._lock = Lock()

    def read(self, drawer: str, keys: Collection[bytes]) -> Mapping[bytes, bytes]:
        found = self._drawers[drawer]
        return {key: found[key] for key in keys if key in found}

    def write(self, items: Mapping[Address, bytes]) -> None:
        with self._lock:
            for (drawer, key), content in items.items():
                self._drawers[drawer][key] = content
                self._claimed.discard(key)

    def remove(self, addresses: Iterable[Address]) -> None:
        with self._lock:
            for drawer, key in addresses:
                self._drawers[drawer].pop(key, None)

    def keys(self, drawer: str) -> Iterable[bytes]:
        return list(self._drawers[drawer])

    def claim(self, keys: Collection[bytes]) -> set[bytes]:
        with self._lock:
            mine = set(keys) - self._claimed
            self._claimed |= mine
        return mine

    def release(self, keys: Iterable[bytes]) -> None:
        with self._lock:
            self._claimed.difference_update(keys)


_shared = MemoryStore()
STORES.add("memory", lambda _: _shared)
