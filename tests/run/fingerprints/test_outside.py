"""What code reads from outside itself: environment variables, files, metaclasses, any global."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evenfold.run.fingerprints import Unhashable, fingerprint


def reads_a_variable() -> str:
    return os.environ["EVENFOLD_THRESHOLD"]


def reads_a_variable_or_not() -> str | None:
    return os.getenv("EVENFOLD_THRESHOLD")


def reads_a_file() -> str:
    with open("threshold.txt") as file:  # noqa: PTH123  (as users write it)
        return file.read()


def reads_a_path() -> str:
    return Path("threshold.txt").read_text()


def set_variable(value: str) -> None:
    os.environ["EVENFOLD_THRESHOLD"] = value


def write_file(value: str) -> None:
    Path("threshold.txt").write_text(value)


@pytest.mark.parametrize(
    ("function", "change"),
    [
        (reads_a_variable, set_variable),
        (reads_a_variable_or_not, set_variable),
        (reads_a_file, write_file),
        (reads_a_path, write_file),
    ],
)
def test_what_is_read_by_a_text_in_the_code_counts(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    function: Callable[[], Any],
    change: Callable[[str], None],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVENFOLD_THRESHOLD", "")
    found = []
    for value in ("0", "0.5", "0"):
        change(value)
        found.append(fingerprint(function))
    assert found[0] == found[2] != found[1]


def notes_that_it_ran() -> None:
    with open("log.txt", "a") as file:  # noqa: PTH123  (as users write it)
        file.write("ran")


def test_what_code_writes_does_not_count(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    before = fingerprint(notes_that_it_ran)
    notes_that_it_ran()
    assert fingerprint(notes_that_it_ran) == before


class Meta(type):
    threshold = 0.0


class Made(metaclass=Meta):
    """Its metaclass decides."""


def test_a_metaclass_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = fingerprint(Made)
    monkeypatch.setattr(Meta, "threshold", 0.5)
    assert fingerprint(Made) != before


def reads_any_variable(name: int) -> str:
    return os.environ[chr(name)]


def reads_any_global() -> Any:
    return globals()["N"]


def computes_a_text() -> Any:
    return eval("N")


@pytest.mark.parametrize("function", [reads_any_variable, reads_any_global, computes_a_text])
def test_what_only_the_code_can_name_has_no_fingerprint(function: Callable[..., Any]) -> None:
    with pytest.raises(Unhashable, match=function.__name__):
        fingerprint(function)
