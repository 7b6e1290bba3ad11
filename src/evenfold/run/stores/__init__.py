"""
A store holds buckets of bytes, which outlive a run and may be shared by processes.

A run looks for fits by a hash of their inputs. The store sees only keys and bytes. The module
:mod:`evenfold.run.records.stored` knows what they mean, and whether they are damaged, so a store of
your own is short.

Other packages announce theirs as entry points of the group ``evenfold.stores``: the scheme of a
URL, and a function from the URL to a :class:`Store`.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from threading import Lock
from zlib import crc32

from evenfold.core.checks import is_writable_text, refuse, refuse_value, short_repr
from evenfold.core.environment import require
from evenfold.core.registry import Registry
from evenfold.core.words import hide_password, is_url, one_line

Address = tuple[str, bytes]  # bucket, key


_UNSEEN = re.compile(r"[\s\x00-\x1f\x7f]")
BUCKETS = ("cells", "answers", "faults", "runs", "arrays", "chunks")


class Store(ABC):
    """
    Buckets of bytes by key: ``cells``, ``answers``, ``faults``, ``runs``, ``arrays``, ``chunks``.

    Write these four methods for a store of your own; :func:`evenfold.testing.check_store` says
    whether they keep the contract. A store that several processes share also writes ``claim`` and
    ``release``, so that they do not do the same work. To be found by its URL, ``my-store://…``, a
    function from the URL to the store is announced as an entry point of the group
    ``evenfold.stores``.

    Notes
    -----
    *Validity.* If a store loses items, the fits are run again, which only costs time. If it returns
    other bytes, the checksums detect that, and the fit is run again.

    Examples
    --------
    >>> from evenfold.run import Store
    >>> class Shoebox(Store):
    ...     def __init__(self):
    ...         self.items = {}
    ...     def read(self, bucket, keys):
    ...         return {key: self.items[bucket, key] for key in keys if (bucket, key) in self.items}
    ...     def write(self, items):
    ...         self.items.update(items)
    ...     def remove(self, addresses):
    ...         for address in addresses:
    ...             self.items.pop(address, None)
    ...     def keys(self, bucket):
    ...         return [key for place, key in self.items if place == bucket]
    >>> box = Shoebox()
    >>> box.write({("cells", b"key"): b"content"})
    >>> box.read("cells", [b"key", b"other"])
    {b'key': b'content'}
    """

    @abstractmethod
    def read(self, bucket: str, keys: Collection[bytes]) -> Mapping[bytes, bytes]:
        """Return the contents of those keys that the bucket has."""

    @abstractmethod
    def write(self, items: Mapping[Address, bytes]) -> None:
        """Keep all items or none; what was under a key before is replaced."""

    @abstractmethod
    def remove(self, addresses: Iterable[Address]) -> None:
        """Remove items; those that are not there are no error."""

    @abstractmethod
    def keys(self, bucket: str) -> Iterable[bytes]:
        """Return all keys of a bucket."""

    def claim(self, keys: Collection[bytes]) -> set[bytes]:
        """
        Claim fits, and return those that no other process has claimed.

        Writing the results gives the claims back.
        """
        return set(keys)

    def release(self, keys: Iterable[bytes]) -> None:  # noqa: B027  (nobody else works here)
        """Give back fits that were claimed and not written."""

    def close(self) -> None:  # noqa: B027  (nothing is open)
        """Close everything that is open; the store may be used again."""


STORES: Registry[Callable[[str], Store]] = Registry("store", "evenfold.stores")


def open_store(store: object) -> Store:
    """
    Return the store behind a path (SQLite), a URL, or the store itself.

    Examples
    --------
    >>> type(open_store("memory://")).__name__
    'MemoryStore'
    """
    if isinstance(store, Store):
        return store
    named = check_store_name(store)
    return STORES[scheme_of(named)](named)


def check_store_name(store: object) -> str:
    """Return the path or URL of a store as text, or refuse it."""
    if isinstance(store, Path):
        store = str(store)
    if not isinstance(store, str) or not store:
        refuse_value("store", store, "a path, a URL or a Store")
    named = short_repr(store_name(store))
    if not is_writable_text(store):
        refuse("store", f"store must be a path, a URL or a Store but got {named}.")
    if is_url(store) and _UNSEEN.search(store):
        refuse(
            "store",
            f"store must be a URL without blanks and line breaks but got {named}.",
            "Write them as %20 and %0A.",
        )
    scheme = scheme_of(store)
    if scheme not in STORES:
        refuse(
            "store",
            f"store must be a path or a URL of {', '.join(STORES)} but got "
            f"{hide_password(scheme)}://….",
        )
    return store


def scheme_of(store: str) -> str:
    """Return the scheme of a URL without its driver, or the scheme of SQLite for a path."""
    if is_url(store):
        return store.partition("://")[0].partition("+")[0]
    return "sqlite"


def store_name(store: object) -> str:
    """Name a store in messages, without its password."""
    if isinstance(store, Store):
        return type(store).__name__
    return one_line(hide_password(str(store)))


# Checksums detect a store that returns other bytes than were written.


_BYTES = 4
_BUCKET = {name: crc32(name.encode()) for name in BUCKETS}


def add_checksums(items: Mapping[Address, bytes]) -> dict[Address, bytes]:
    """Put a checksum of address and content before every content."""
    checked = {}
    for (bucket, key), content in items.items():
        checksum = crc32(content, crc32(key, _BUCKET[bucket]))
        checked[bucket, key] = checksum.to_bytes(_BYTES, "little") + content
    return checked


def check_and_strip_checksums(bucket: str, contents: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
    """Return the contents that match their checksums, without these; the others are damaged."""
    start = _BUCKET[bucket]
    whole = {}
    for key, content in contents.items():  # written out because there may be a hundred thousand
        rest = content[_BYTES:]
        if crc32(rest, crc32(key, start)) == int.from_bytes(content[:_BYTES], "little"):
            whole[key] = rest
    return whole


# A store that lasts as long as the process, for tests and for calls that share their fits.


class MemoryStore(Store):
    """
    Buckets as dictionaries, which threads may share.

    Parameters
    ----------
    shared : MemoryStore, optional
        A store whose buckets are used, with claims of its own.
    """

    def __init__(self, shared: "MemoryStore | None" = None) -> None:
        self._buckets: dict[str, dict[bytes, bytes]] = {bucket: {} for bucket in BUCKETS}
        self._owners: dict[bytes, MemoryStore] = {}
        self._lock = Lock()
        if shared is not None:
            self._buckets = shared._buckets
            self._owners = shared._owners
            self._lock = shared._lock

    def read(self, bucket: str, keys: Collection[bytes]) -> Mapping[bytes, bytes]:
        contents = self._buckets[bucket]
        return {key: contents[key] for key in keys if key in contents}

    def write(self, items: Mapping[Address, bytes]) -> None:
        with self._lock:
            for (bucket, key), content in items.items():
                self._buckets[bucket][key] = content
                self._owners.pop(key, None)

    def remove(self, addresses: Iterable[Address]) -> None:
        with self._lock:
            for bucket, key in addresses:
                self._buckets[bucket].pop(key, None)

    def keys(self, bucket: str) -> Iterable[bytes]:
        return list(self._buckets[bucket])

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


_DATABASES = ("sqlite", "postgresql")


def _sql(url: str, *, create: bool = True) -> Store:
    """Open a database; the library for it is loaded on first use."""
    require("sqlalchemy", "a store in a file or a database")
    from evenfold.run.stores.sql import SQLStore

    return SQLStore(url, create=create)


def open_stored(store: object) -> Store:
    """
    Return the store behind a path or URL, or itself.

    A store that does not exist is refused and not made.
    """
    if isinstance(store, Store):
        return store
    name = check_store_name(store)
    if scheme_of(name) not in _DATABASES:
        return open_store(name)
    return _sql(name, create=False)


for _scheme in _DATABASES:
    STORES.add(_scheme, _sql)


def stores() -> Mapping[str, Callable[[str], Store]]:
    """
    Return the functions that open a store, by the scheme of its URL.

    Stores of other packages are included.

    Examples
    --------
    >>> sorted(stores())
    ['memory', 'postgresql', 'sqlite']
    """
    return STORES
