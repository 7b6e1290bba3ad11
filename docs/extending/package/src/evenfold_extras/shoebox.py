"""A store of your own: a dict, kept as long as the program runs."""

from collections.abc import Collection, Iterable, Mapping

from evenfold.extend import Store


class Shoebox(Store):
    """Drawers of bytes in one dict."""

    def __init__(self) -> None:
        self.items: dict[tuple[str, bytes], bytes] = {}

    def read(self, drawer: str, keys: Collection[bytes]) -> Mapping[bytes, bytes]:
        """Return the contents of those keys that the drawer has."""
        return {key: self.items[drawer, key] for key in keys if (drawer, key) in self.items}

    def write(self, items: Mapping[tuple[str, bytes], bytes]) -> None:
        """Keep all items."""
        self.items.update(items)

    def remove(self, addresses: Iterable[tuple[str, bytes]]) -> None:
        """Forget items."""
        for address in addresses:
            self.items.pop(address, None)

    def keys(self, drawer: str) -> list[bytes]:
        """Return all keys of a drawer."""
        return [key for place, key in self.items if place == drawer]


_BOXES: dict[str, Shoebox] = {}


def shoebox(url: str) -> Shoebox:
    """Return the box of a URL such as ``shoebox://left``: one URL, one box."""
    return _BOXES.setdefault(url, Shoebox())
