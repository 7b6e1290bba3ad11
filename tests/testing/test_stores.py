"""Every store keeps the contract, and a broken one is told which rule it breaks."""

from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

import pytest

import evenfold as ef
from evenfold.run.stores import Address, open_store
from evenfold.run.stores.memory import MemoryStore
from evenfold.testing import BrokenContract, check_store


class Shoebox(ef.run.Store):
    """The shortest store there is."""

    def __init__(self) -> None:
        self.items: dict[Address, bytes] = {}

    def read(self, drawer: str, keys: Collection[bytes]) -> Mapping[bytes, bytes]:
        return {key: self.items[drawer, key] for key in keys if (drawer, key) in self.items}

    def write(self, items: Mapping[Address, bytes]) -> None:
        self.items.update(items)

    def remove(self, addresses: Iterable[Address]) -> None:
        for address in addresses:
            self.items.pop(address, None)

    def keys(self, drawer: str) -> Iterable[bytes]:
        return [key for place, key in self.items if place == drawer]


def test_sqlite_keeps_the_contract(tmp_path: Path) -> None:
    check_store(lambda: open_store(tmp_path / "runs.db"), lasting=True, shared=True)


@pytest.mark.parametrize("make", [Shoebox, MemoryStore])
def test_stores_in_memory_keep_the_contract(make: Callable[[], ef.run.Store]) -> None:
    check_store(make)
    store = make()
    check_store(lambda: store, lasting=True)


class Forgetful(Shoebox):
    def write(self, items: Mapping[Address, bytes]) -> None:
        for address, content in items.items():
            self.items.setdefault(address, content)


class Careless(Shoebox):
    def keys(self, drawer: str) -> Iterable[bytes]:  # noqa: ARG002
        return [key for _, key in self.items]


class Short(Shoebox):
    def write(self, items: Mapping[Address, bytes]) -> None:
        self.items.update({address: content[:1000] for address, content in items.items()})


class Raising(Shoebox):
    def remove(self, addresses: Iterable[Address]) -> None:
        for address in addresses:
            del self.items[address]


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        (Forgetful, "what is written again is replaced"),
        (Careless, "it lists its keys, each once"),
        (Short, "contents come back byte for byte"),
        (Raising, "it reads and writes without an error"),
        (dict, "it is a Store"),
    ],
)
def test_a_broken_rule_is_named(kind: Callable[[], ef.run.Store], rule: str) -> None:
    with pytest.raises(BrokenContract, match=f"breaks a rule: {rule}"):
        check_store(kind)


def test_two_that_claim_the_same_are_not_shared() -> None:
    store = Shoebox()
    with pytest.raises(BrokenContract, match="nobody else can claim what is claimed"):
        check_store(lambda: store, shared=True)
