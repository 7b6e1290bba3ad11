"""The page about other libraries says what was measured in one run, and nothing else."""

import json
from typing import Any

import pytest
from papers.studies.peers import (
    PACKAGES,
    PAGE,
    PEERS,
    RESULTS,
    completed,
    package_of,
    tables,
    written,
)

FOUND: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))


def test_the_page_is_that_of_the_results() -> None:
    page = PAGE.read_text("utf-8")
    assert written(page, FOUND) == page, "python -m papers.studies.peers --page"


def test_the_run_asked_everybody() -> None:
    assert list(FOUND["versions"]) == list(PACKAGES)
    for rates in ("equal algorithms", "different algorithms"):
        assert [row[0] for row in FOUND[rates]] == list(PEERS)
    assert min(count for _, _, count in FOUND["equal algorithms"]) >= 60
    assert {row[0] for row in FOUND["question"]} == {row[0] for row in FOUND["troubles"]}


def test_other_results_make_another_page() -> None:
    changed = {**FOUND, "equal runs": [["somebody", 3, 10]]}
    assert "| somebody | **30.0\u00a0±\u00a014.5%** | 10 |" in tables(changed)["equal runs"]
    with pytest.raises(ValueError, match="must have one place"):
        written("nothing", FOUND)


def test_rows_belong_to_libraries() -> None:
    for table in ("question", "equal algorithms", "different algorithms", "equal runs", "troubles"):
        assert {package_of(row[0]) for row in FOUND[table]} <= set(PACKAGES)
    assert {package_of(row[0]) for row in FOUND["equal algorithms"]} == set(PACKAGES)


def test_a_library_that_is_not_installed_keeps_its_rows_and_their_date() -> None:
    names = [package for package in PACKAGES if package not in ("autorank", "deepsig")]
    tables_of_rows = (
        "question",
        "equal algorithms",
        "different algorithms",
        "equal runs",
        "troubles",
    )
    part = {
        **FOUND,
        "versions": dict.fromkeys(names, "9"),
        "measured": dict.fromkeys(names, "2030-01-01"),
    }
    for table in tables_of_rows:
        part[table] = [[row[0], *row[1:]] for row in FOUND[table] if package_of(row[0]) in names]
    part["equal algorithms"] = [[name, 1, 700] for name, *_ in part["equal algorithms"]]
    full = completed(part, FOUND)
    assert full["kept"] == ["autorank", "deepsig"]
    for table in tables_of_rows:
        assert [row[0] for row in full[table]] == [row[0] for row in FOUND[table]]
    before = {row[0]: row[1:] for row in FOUND["equal algorithms"]}
    for name, *counts in full["equal algorithms"]:
        assert counts == ([1, 700] if package_of(name) in names else before[name])
    said = tables(full)["run"]
    day = FOUND["measured"]["deepsig"]
    assert f"deepsig {FOUND['versions']['deepsig']} (rows of an earlier run, {day})" in said
    assert "evenfold 9; measured on 2030-01-01;" in said


def test_the_page_speaks_of_fits() -> None:
    assert "cells of" not in PAGE.read_text("utf-8")
