"""The page about other libraries says what was measured in one run, and nothing else."""

import json
from typing import Any

import pytest
from papers.studies.peers import (
    FIRST,
    PACKAGES,
    PAGE,
    PEERS,
    RESULTS,
    short_table,
    tables,
    with_table,
    written,
)

FOUND: dict[str, Any] = json.loads(RESULTS.read_text("utf-8"))


def test_the_page_is_that_of_the_results() -> None:
    page = PAGE.read_text("utf-8")
    assert written(page, FOUND) == page, "python -m papers.studies.peers --page"


def test_the_first_screen_has_error_and_power_of_the_same_run() -> None:
    first = FIRST.read_text("utf-8")
    assert with_table(first, "short", short_table(FOUND)) == first, "python -m papers.studies.peers --page"


def test_the_run_asked_everybody() -> None:
    assert list(FOUND["versions"]) == list(PACKAGES)
    for rates in ("equal algorithms", "different algorithms"):
        assert [row[0] for row in FOUND[rates]] == list(PEERS)
    assert min(count for _, _, count in FOUND["equal algorithms"]) >= 60
    assert {row[0] for row in FOUND["question"]} == {row[0] for row in FOUND["troubles"]}


def test_other_results_make_another_page() -> None:
    changed = {**FOUND, "equal runs": [["somebody", 3, 10]]}
    assert "| somebody | **30.0 ± 14.5%** | 10 |" in tables(changed)["equal runs"]
    with pytest.raises(ValueError, match="must have one place"):
        written("nothing", FOUND)
