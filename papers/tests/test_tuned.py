"""What the page of tuned models says is what the study found, and the study can be run again."""

import json
from pathlib import Path

import numpy as np
import pytest
from papers.studies import tuned

KEPT = json.loads(tuned.KEPT.read_text(encoding="utf-8"))
PAGE = Path(__file__).parents[2] / "docs" / "tuned-models.md"


def test_the_page_says_what_was_found() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert tuned.table(KEPT) in page
    assert tuned.sentence(KEPT) in " ".join(page.split())
    assert max(one["excess_se"] for one in KEPT["rows"]) <= 0.0013


def test_a_few_data_sets_give_the_first_of_the_kept_differences() -> None:
    truths = tuned.Truths()
    first, within = (
        tuned.measure(way=way, signal=False, n=100, size=1, data_sets=20, truths=truths)
        for way in ("first", "within")
    )
    kept = {one["way"]: one for one in KEPT["rows"][:2]}
    for row in (first, within):
        assert abs(row["excess"] - kept[row["way"]]["excess"]) < 4 * row["excess_se"]
    assert first["excess"] < within["excess"]


def test_the_search_finds_the_columns_that_tell() -> None:
    X, y = tuned.draw(True, 4000, np.random.default_rng(0))
    assert tuned.Search(2).fit(X, y).best_params_ == {"columns": (0, 1)}


@pytest.mark.parametrize("n", [100, 200])
def test_coins_are_fair(n: int) -> None:
    _, y = tuned.draw(False, n, np.random.default_rng(0))
    assert y.sum() == n / 2
