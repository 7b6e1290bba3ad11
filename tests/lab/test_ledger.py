"""The ledger of the sources' experiments: complete, and what its pages say."""

import re
from collections import Counter

import pytest
from benchmarks.reproduce import ledger, pages
from benchmarks.reproduce._table import kept

ROWS = ledger.read()
# What an audit of the five sources found in them.
TABLES = {
    "W14": ("2", "3", "4", "6", "7", "8", "9", "10"),
    "R19": (
        "2.8", "2.9", "2.10", "2.11", "2.12", "3.5", "3.6", "3.7", "3.8", "3.9", "3.10",
        "4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7",
        "5.2", "5.3", "5.4", "5.6", "5.7", "5.8", "5.9", "5.10", "5.11", "5.12",
        "6.1", "6.2", "6.3", "6.4", "7.1", "7.2", "7.3",
    ),
    "NB": ("2", "3", "4"),
}  # fmt: skip
FIGURES = {
    "W14": tuple(map(str, range(1, 12))),
    "R19": (
        "2.2", "2.3", "2.4", "3.2", "3.3", "4.1", "4.2", "5.1", "5.2", "5.3", "5.4", "5.5", "5.6",
        "6.1", "6.2", "6.3", "7.1",
    ),
    "NB": tuple(map(str, range(1, 27))),
    "G13": ("2", "3", "4", "5", "6"),
}  # fmt: skip
OTHERS = {("R19", "example 6.1"), ("G13", "linear SVM"), ("T15", "example 1"), ("T15", "example 2")}


def test_every_experiment_of_the_sources_is_there_once() -> None:
    expected = {(source, f"table {n}") for source, numbers in TABLES.items() for n in numbers}
    expected |= {(source, f"figure {n}") for source, numbers in FIGURES.items() for n in numbers} | OTHERS
    assert len(expected) == 109
    assert Counter((row["source"], row["experiment"]) for row in ROWS) == Counter(expected)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['source']} {row['experiment']}")
def test_a_row_is_what_its_page_says(row: ledger.Row) -> None:
    assert row["status"] in ledger.STATUSES
    assert row["why"]
    assert ledger.counted(row) == row
    assert (row["status"] == "absent") == (row["here"] == "0")


@pytest.mark.parametrize("row", [row for row in ROWS if row["marks"]], ids=lambda row: row["experiment"])
def test_as_many_data_sets_are_said_as_on_the_page(row: ledger.Row) -> None:
    mark = f"<!-- {row['marks'].split()[0].partition('#')[0]} -->"
    block = (ledger.PAGES / row["page"]).read_text(encoding="utf-8").partition(mark)[2].partition("<!-- /")[0]
    note = re.search(r"Data sets: (\d+)|(\d[\d ]*) (?:data sets|draws per cell|random|runs)", block)
    assert note is None or (note[1] or note[2]).replace(" ", "") in row["here"]


def test_a_row_of_one_figure_counts_the_claims_on_it_alone() -> None:
    claims = ("figures 6 and 9: a | .1: .2 | **no**", "figure 16: b | c | yes", "6: d | e | cannot tell")
    lines = [f"| {claim} |" for claim in claims]
    text = "\n".join(("<!-- x -->", *lines, "1 of 3 claims hold, 1 cannot be told.", "<!-- /x -->"))
    assert ledger._block(text, "x", "6") == (0, 1, 1)
    assert ledger._block(text, "x", "9") == (0, 1, 0)
    assert ledger._block(text, "x", "16") == (1, 0, 0)
    assert ledger._block(text, "x", "") == (1, 1, 1)


def test_the_page_of_the_ledger_is_the_ledger() -> None:
    text = (ledger.PAGES / "ledger.md").read_text(encoding="utf-8")
    assert ledger.page(ROWS) in text


def test_pages_hold_what_was_kept() -> None:
    """Every kept table stands in its page, as it was kept."""
    for source in sorted(path for path in pages.RESULTS.iterdir() if path.is_dir()):
        text = (pages.PAGES / f"{source.name}.md").read_text(encoding="utf-8")
        for file in sorted(source.glob("*.json")):
            if "cells" in pages.read(file):
                assert kept(file).markdown() in text, file
            else:
                assert (pages.PAGES / "figures" / f"{file.stem}.svg").is_file()
