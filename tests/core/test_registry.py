"""A registry fills itself, refuses in one line, and survives a broken stranger."""

from importlib.metadata import EntryPoint
from types import SimpleNamespace
from typing import Any

import pytest

from evenfold.core import registry
from evenfold.core.errors import EvenfoldWarning, InvalidInput
from evenfold.core.registry import Registry


def offered(monkeypatch: pytest.MonkeyPatch, *points: EntryPoint) -> Registry[Any]:
    monkeypatch.setattr(
        registry, "entry_points", lambda group: [p for p in points if p.group == group]
    )
    return Registry("thing", "evenfold.things")


def test_an_object_of_another_package_is_there_under_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shelf = offered(monkeypatch, EntryPoint("pi", "math:pi", "evenfold.things"))
    shelf.add("own", 1)
    assert list(shelf) == ["own", "pi"]
    assert "pi" in shelf
    assert shelf["pi"] == pytest.approx(3.14159, abs=1e-5)
    assert repr(shelf) == "<2 things: own, pi>"


def test_a_module_of_another_package_adds_its_things_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shelf = offered(monkeypatch, EntryPoint("many", "somewhere", "evenfold.things"))

    def load(_: EntryPoint) -> object:
        shelf.add("two", 2)
        return SimpleNamespace()

    monkeypatch.setattr(EntryPoint, "load", load)
    assert dict(shelf) == {"two": 2}


def test_what_is_ours_is_found_without_asking_strangers(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(group: str) -> list[EntryPoint]:
        raise AssertionError(group)

    monkeypatch.setattr(registry, "entry_points", never)
    shelf: Registry[int] = Registry("thing", "evenfold.things")
    shelf.add("own", 1)
    assert shelf["own"] == 1
    assert shelf.present("own") == 1
    assert shelf.present("other") is None


def test_a_broken_package_is_named_and_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = offered(monkeypatch, EntryPoint("bad", "no_such_module:thing", "evenfold.things"))
    shelf.add("own", 1)
    with pytest.warns(
        EvenfoldWarning, match="thing 'bad' of 'no_such_module:thing' cannot be loaded"
    ):
        assert list(shelf) == ["own"]


def test_wrong_and_taken_keys_are_refused() -> None:
    shelf: Registry[int] = Registry("thing", "evenfold.things", replaced={"old": "use 'first'"})
    shelf.add("first", 1)
    stranger: Any = 3
    assert stranger not in shelf
    with pytest.raises(InvalidInput, match="Did you mean 'first'"):
        shelf["frist"]
    assert shelf.get("frist") is None
    unhashable: Any = {}
    with pytest.raises(InvalidInput, match="thing must be one of 'first'"):
        shelf[unhashable]
    with pytest.raises(
        InvalidInput,
        match="There is a thing 'first' already",
    ):
        shelf.add("first", 2)
    with pytest.raises(InvalidInput, match="must not be empty"):
        shelf.add("", 2)
