"""A store that lasts as long as the process: for tests, and for calls that share their fits."""

from collections.abc import Collection, Iterable, Mapping
from threading import Lock

from evenfold.run.stores._base import DRAWERS, STORES, Address, Store


class MemoryStore(Store):
    """
    Drawers as dictionaries, which threads may share.

    Parameters
    ----------
    shared : MemoryStore, optional
        One whose drawers it opens, as an owner of its own claims.
    """

    def __init__(self, shared: "MemoryStore | None" = None) -> None:
        self._drawers: dict[str, dict[bytes, bytes]] = {drawer: {} for drawer in DRAWERS}
        self._owners: dict[bytes, MemoryStore] = {}
        self._lock = Lock()
        if shared is not None:
            self._drawers = shared._drawers
            self._owners = shared._owners
            self._lock = shared._lock

    def read(self, drawer: str, keys: Collection[bytes]) -> Mapping[bytes, bytes]:
        found = self._drawers[drawer]
        return {key: found[key] for key in keys if key in found}

    def write(self, items: Mapping[Address, bytes]) -> None:
        with self._lock:
            for (drawer, key), content in items.items():
                self._drawers[drawer][key] = content
                self._owners.pop(key, None)

    def remove(self, addresses: Iterable[Address]) -> None:
        with self._lock:
            for drawer, key in addresses:
                self._drawers[drawer].pop(key, None)

    def keys(self, drawer: str) -> Iterable[bytes]:
        return list(self._drawers[drawer])

    def claim(self, keys: Collection[bytes]) -> set[bytes]:
        with self._lock:
            return {key for key in keys if self._owners.setdefault(key, self) is self}

    def release(self, keys: Iterable[bytes]) -> None:
        with self._lock:
            for key in keys:
                if self._owners.get(key) is self:
                    del self._owners[key]

    def close(self) -> None:
        """Give back all claims."""
        self.release([key for key, owner in list(self._owners.items()) if owner is self])


_shared = MemoryStore()
STORES.add("memory", lambda _: MemoryStore(_shared))
