"""The page of errata: every line names a test or a script, and each of them exists."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "papers" / "errata.md").read_text(encoding="utf-8")
LINES = [
    line
    for line in PAGE.splitlines()
    if line.startswith("| ")
    and not line.startswith(("| ---", "| where", "| claim", "| what we said"))
]


@cache
def functions_of(name: str) -> frozenset[str]:
    """The functions of all test files of this name."""
    trees = (
        ast.parse(file.read_text(encoding="utf-8"))
        for folder in ("tests", "lab/tests", "papers/tests")
        for file in (ROOT / folder).rglob(name)
    )
    return frozenset(
        node.name for tree in trees for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)
    )


@pytest.mark.parametrize("line", LINES, ids=lambda line: line[:40])
def test_every_line_names_a_test_or_a_script_that_exists(line: str) -> None:
    named = re.findall(r"`((?:test_\w+\.py::\w+)|(?:papers/[\w/]+\.py))`", line)
    assert named
    for name in named:
        file, _, function = name.partition("::")
        assert function in functions_of(file) if function else (ROOT / file).is_file(), name


def test_the_page_has_all_sources() -> None:
    assert re.findall(r"^## (\w+)$", PAGE, re.MULTILINE)[:5] == ["T15", "W14", "NB", "G13", "R19"]
    assert len(LINES) > 55


def test_what_was_wrong_of_ours_is_withdrawn_and_not_deleted() -> None:
    told = PAGE.partition("## Withdrawn")[2]
    withdrawn = [line for line in told.splitlines() if "**withdrawn**" in line]
    assert len(withdrawn) == 2
    assert "figures 5.3–5.6" in withdrawn[0]
    assert "tables 3.8, 3.10" in withdrawn[1]
