"""Names that strangers chose: they are shown, and do nothing else, wherever they go."""

import csv
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import Run

import evenfold as ef

NAMES = (
    "::error file=a.py::x",
    "##[error]x",
    "##vso[task.complete result=Succeeded]",
    "##teamcity[buildStop]",
    "\x1b[2J\x1b[31mred",
    "\x9b31mred\x07",
    "\u202eevil\u2066",
    "<img src=x onerror=alert(1)>",
    "@team",
    "=HYPERLINK(1)",
    "+1+1",
    "-2+3",
    "\t=1+1",
    "# heading",
    "1. item",
    "a\r::error::x",
    "a\n::error::x",
)
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
COMMAND = re.compile(r"^\s*(::|##\w*\[)")
FORMULA = re.compile(r"^\s*[=+\-@\t\r]")


def values(name: str, n: int = 40) -> dict[str, list[int]]:
    rng = np.random.default_rng(0)
    return {name: rng.integers(0, 2, n).tolist(), "other": rng.integers(0, 2, n).tolist()}


def require_harmless(text: str) -> None:
    assert not CONTROL.search(text), text
    for line in text.splitlines():
        assert not COMMAND.match(line), line


def cells_of(path: Path) -> list[list[str]]:
    with path.open(newline="") as file:
        return list(csv.reader(file))


@pytest.mark.parametrize("name", [name for name in NAMES if "\r" not in name], ids=ascii)
def test_what_is_printed_is_harmless(evenfold: Run, tmp_path: Path, name: str) -> None:
    table, summary, flips = (tmp_path / one for one in ("t.csv", "s.md", "f.csv"))
    frame = pd.DataFrame(values(name)).assign(example=[f"{name} {i}" for i in range(40)])
    frame.to_csv(table, index=False)
    words = ("judge", table, "--measure", "accuracy", "--summary", summary, "--flips", flips)
    done = evenfold(*words, "--fail-unless", "better", "--baseline", "other")
    assert done.exit_code in (3, 4), done.output
    require_harmless(done.stdout)
    require_harmless(done.stderr)
    text = summary.read_text()
    require_harmless(text)
    assert "<img" not in text
    assert "@team" not in text
    for row in cells_of(flips):
        assert not any(FORMULA.match(cell) for cell in row), row


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_messages_are_harmless(evenfold: Run, name: str) -> None:
    for words in (
        ("judge", f"{name}.csv"),
        ("judge", "t.csv", "--measure", name),
        ("methods", name),
    ):
        done = evenfold(*words)
        assert done.exit_code == 2
        require_harmless(done.stderr)
        assert len(done.stderr.strip().splitlines()) == 1
    with pytest.raises(ef.EvenfoldError) as caught:
        ef.judge(values(name), rows="examples", measure="accuracy", baseline=f"{name}!")
    require_harmless(str(caught.value))


@pytest.mark.parametrize("name", NAMES, ids=ascii)
def test_what_python_prints_and_saves_is_harmless(tmp_path: Path, name: str) -> None:
    c: Any = ef.judge(values(name), rows="examples", measure="accuracy")
    for text in (str(c), str(c.verdict), c.to("markdown"), c.to("summary")):
        require_harmless(text)
    for row in cells_of(c.save(tmp_path / "c.csv")):
        assert not any(FORMULA.match(cell) and not is_number(cell) for cell in row), row
    again: Any = ef.load(c.save(tmp_path / "c.json"))
    assert again.facts.pairs[0].baseline == c.facts.pairs[0].baseline
    assert name in json.loads(c.to_json())["pairs"][0].values()


def is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_a_summary_shows_names_as_they_are() -> None:
    from evenfold.report.formats.markdown import escape_markdown

    assert escape_markdown("a_b *c* [d](e)") == r"a\_b \*c\* \[d\](e)"
    assert escape_markdown("- x").startswith(r"\-")
    assert escape_markdown("12. x") == "12&#8203;. x"
    assert escape_markdown("0.5 and 12") == "0.5 and 12"
