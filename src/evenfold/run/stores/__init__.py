"""
Stores: one file each; a store keeps bytes by key and may be shared by processes.

Other packages announce theirs as entry points of the group ``evenfold.stores``: the scheme of a
URL, and a function from the URL to a :class:`Store`.
"""

from collections.abc import Callable, Mapping

from evenfold.core.environment import require
from evenfold.run.stores import memory
from evenfold.run.stores._base import (
    STORES,
    Address,
    Store,
    add_checksums,
    check_and_strip_checksums,
    check_store_name,
    open_store,
    scheme_of,
    store_name,
)

__all__ = [
    "STORES",
    "Address",
    "Store",
    "add_checksums",
    "check_and_strip_checksums",
    "memory",
    "open_store",
    "open_stored",
    "store_name",
    "stores",
]

_DATABASES = ("sqlite", "postgresql")


def _sql(url: str) -> Store:
    """Open a database; the library for it is loaded on first use."""
    require("sqlalchemy", "a store in a file or a database")
    from evenfold.run.stores.sql import SQLStore

    return SQLStore(url)


def open_stored(store: object) -> Store:
    """
    Return the store behind a path or URL, or itself.

    One that is not there is refused, not made.
    """
    if isinstance(store, Store):
        return store
    name = check_store_name(store)
    if scheme_of(name) not in _DATABASES:
        return open_store(name)
    require("sqlalchemy", "a store in a file or a database")
    from evenfold.run.stores.sql import SQLStore

    return SQLStore(name, create=False)


for _scheme in _DATABASES:
    STORES.add(_scheme, _sql)


def stores() -> Mapping[str, Callable[[str], Store]]:
    """
    Return what opens a store, by the scheme of its URL; those of other packages are included.

    Examples
    --------
    >>> sorted(stores())
    ['memory', 'postgresql', 'sqlite']
    """
    return STORES
