"""The kit for readers: ours pass, and broken rules are named."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import evenfold as ef
from evenfold.core.errors import EvenfoldDeprecation
from evenfold.read.results import READERS, LongTable, Reader, ReadingOptions
from evenfold.testing import BrokenContract, check_reader


def _rows(names: tuple[str, ...] = ("a", "b")) -> list[dict[str, Any]]:
    return [
        {
            "provider": name,
            "vars": {"q": f"{i}"},
            "success": i % 2 == 0,
            "score": 1.0,
            "prompt": {"raw": "{{q}}"},
        }
        for i in range(6)
        for name in names
    ]


def test_readers_of_ours_keep_the_contract(tmp_path: Path) -> None:
    long = pd.DataFrame(
        {"algorithm": ["a", "a", "b", "b"], "example": [0, 1, 0, 1], "value": [0.1, 0.2, 0.3, 0.4]}
    )
    check_reader("long", long)
    check_reader("wide", pd.DataFrame({"example": [0, 1], "a": [0.1, 0.2], "b": [0.3, 0.1]}))
    log = tmp_path / "results.json"
    log.write_text(json.dumps({"results": {"results": _rows()}}))
    check_reader("logs", log)


class _Broken(Reader):
    key = "broken"
    takes = "a list of two"
    columns: dict[str, Any] = {}  # noqa: RUF012  (set by tests)

    def knows(self, table: Any, options: ReadingOptions) -> bool:  # noqa: ARG002  (one signature)
        return isinstance(table, tuple)

    def read(self, table: Any, options: ReadingOptions) -> LongTable:  # noqa: ARG002  (one signature)
        return LongTable(columns=self.columns)


@pytest.fixture
def broken() -> Iterator[type[_Broken]]:
    READERS.add("broken", _Broken())
    yield _Broken
    del READERS._things["broken"]


@pytest.mark.parametrize(
    ("columns", "rule"),
    [
        ({"example": [1], "value": [1]}, "algorithm"),
        ({"algorithm": ["a"], "example": [1]}, "a value, or a truth"),
        ({"algorithm": ["a", "b"], "value": [1, 2]}, "rows have ids"),
        ({"algorithm": ["a", "b"], "example": [1], "value": [1, 2]}, "of one length"),
        ({"algorithm": ["a", "a"], "example": [1, 2], "value": [1, 2]}, "finds the algorithms"),
        ({"algorithm": ["a", "b"], "example": [1, 1], "value": [1, 2]}, "what varied"),
    ],
)
def test_a_broken_rule_is_named(broken: type[_Broken], columns: dict[str, Any], rule: str) -> None:
    broken.columns = columns
    with pytest.raises(BrokenContract, match=rule):
        check_reader("broken", ("a", "b"))


def test_a_reader_must_know_its_table_and_no_other(
    broken: type[_Broken], monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BrokenContract, match="it knows its table"):
        check_reader("broken", 3.5)
    monkeypatch.setattr(broken, "knows", lambda *_: True)
    with pytest.raises(BrokenContract, match="does not claim None"):
        check_reader("broken", ("a", "b"))


@pytest.mark.parametrize(("former", "name"), [("Given", "ReadingOptions"), ("Long", "LongTable")])
def test_the_names_of_version_02_warn_and_still_work(former: str, name: str) -> None:
    with pytest.warns(EvenfoldDeprecation, match=f"{former} is called {name} since evenfold 0.3"):
        assert getattr(ef.extend, former) is getattr(ef.extend, name)
