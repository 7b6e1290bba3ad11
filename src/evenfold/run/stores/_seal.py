"""Checksums: a store may give back other bytes than it was given, and then must be found out."""

from collections.abc import Mapping
from zlib import crc32

from evenfold.run.stores._base import DRAWERS, Address

_BYTES = 4
_DRAWER = {name: crc32(name.encode()) for name in DRAWERS}


def sealed(items: Mapping[Address, bytes]) -> dict[Address, bytes]:
    """Put a checksum, of the address too, before every content."""
    return {address: _checksum(address, content) + content for address, content in items.items()}


def unsealed(drawer: str, contents: Mapping[bytes, bytes]) -> dict[bytes, bytes]:
    """Return those contents that fit their checksums, without them; the others are damaged."""
    start, whole = _DRAWER[drawer], {}
    for key, content in contents.items():  # written out because there may be a hundred thousand
        rest = content[_BYTES:]
        if crc32(rest, crc32(key, start)) == int.from_bytes(content[:_BYTES], "little"):
            whole[key] = rest
    return whole


def _checksum(address: Address, content: bytes) -> bytes:
    drawer, key = address
    return crc32(content, crc32(key, _DRAWER[drawer])).to_bytes(_BYTES, "little")
