"""Every store keeps the contract, and a broken one is told which rule it breaks."""

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from pathlib import Path
from threading import Thread
from time import sleep
from typing import Any

import numpy as np
import pytest

import evenfold as ef
from evenfold.run.stores import Address, MemoryStore, open_store
from evenfold.testing import BrokenContract, check_store


class Shoebox(ef.run.Store):
    """The shortest store there is."""

    def __init__(self) -> None:
        self.items: dict[Address, bytes] = {}

    def read(self, bucket: str, keys: Collection[bytes]) -> Mapping[bytes, bytes]:
        return {key: self.items[bucket, key] for key in keys if (bucket, key) in self.items}

    def write(self, items: Mapping[Address, bytes]) -> None:
        self.items.update(items)

    def remove(self, addresses: Iterable[Address]) -> None:
        for address in addresses:
            self.items.pop(address, None)

    def keys(self, bucket: str) -> Iterable[bytes]:
        return [key for place, key in self.items if place == bucket]


def test_sqlite_keeps_the_contract(tmp_path: Path) -> None:
    check_store(partial(open_store, tmp_path / "runs.db"), lasting=True, shared=True, killed=True)


def test_memory_that_several_runs_share_keeps_it_too() -> None:
    one = MemoryStore()
    check_store(lambda: MemoryStore(one), lasting=True, shared=True)


class Stopped:
    """Is stopped by hand while a file is there; what it is does not depend on that."""

    def __init__(self, file: str) -> None:
        self.file = file

    def __call__(self, X: Any, y: Any, X_test: Any) -> Any:  # noqa: ARG002  (learns nothing)
        if Path(self.file).exists():
            raise KeyboardInterrupt
        return np.zeros(len(X_test))


def test_a_run_that_is_stopped_gives_back_what_it_claimed_in_memory(tmp_path: Path) -> None:
    file, y = tmp_path / "stop", np.arange(24) % 2
    file.touch()
    partition = ef.KFold(3, random_state=0).partition(24)
    words: tuple[Any, ...] = {"zeros": Stopped(str(file))}, partition, y[:, None], y
    with pytest.raises(KeyboardInterrupt):
        ef.run.run(*words, seed=0, store="memory://")
    file.unlink()
    found: list[int] = []

    def finish() -> None:
        found.append(ef.run.run(*words, seed=0, store="memory://").fits)

    again = Thread(target=finish, daemon=True)
    again.start()
    again.join(timeout=20)
    assert found == [3], "it waits for what nobody works on"


class Racy(MemoryStore):
    """Looks first and claims then, as if nobody came in between."""

    def claim(self, keys: Collection[bytes]) -> set[bytes]:
        mine = {key for key in keys if self._owners.get(key, self) is self}
        sleep(0.01)
        self._owners.update(dict.fromkeys(mine, self))
        return mine


def test_a_race_is_seen() -> None:
    one = Racy()
    with pytest.raises(BrokenContract, match="of racers one claims a cell"):
        check_store(lambda: Racy(one), shared=True)


def test_a_store_of_one_process_is_none_of_another() -> None:
    with pytest.raises(BrokenContract, match="what a killed process wrote is there"):
        check_store(MemoryStore, killed=True)


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
    def keys(self, bucket: str) -> Iterable[bytes]:  # noqa: ARG002
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
