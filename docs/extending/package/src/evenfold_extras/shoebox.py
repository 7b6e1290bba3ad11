"""A store of your own: a dict, kept as long as the program runs."""

from collections.abc import Collection, Iterable, Mapping

from evenfold.extend import Store


class Shoebox(Store):
    """Buckets of bytes in one dict."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, bytes], bytes] = {}

    def read(self, bucket: str, keys: Collection[bytes]) -> Mapping[bytes, bytes]:
        """Return the contents of those keys that the bucket has."""
        return {key: self.items[bucket, key] for key in keys if (bucket, key) in self.items}

    def write(self, items: Mapping[tuple[str, bytes], bytes]) -> None:
        """Keep all items."""
        self.items.update(items)

    def remove(self, addresses: Iterable[tuple[str, bytes]]) -> None:
        """Forget items."""
        for address in addresses:
            self.items.pop(address, None)

    def keys(self, bucket: str) -> list[bytes]:
        """Return all keys of a bucket."""
        return [key for place, key in self.items if place == bucket]


_BOXES: dict[str, Shoebox] = {}


def shoebox(url: str) -> Shoebox:
    """Return the box of a URL such as ``shoebox://left``: one URL, one box."""
    return _BOXES.setdefault(url, Shoebox())
