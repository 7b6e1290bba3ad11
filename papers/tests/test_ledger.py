"""The ledger of the sources' experiments: complete, and what its pages say."""

import re
from collections import Counter
from itertools import chain

import pytest
from papers import _sections, ledger, pages, transcribed
from papers._table import Cell, Claim, Printed, Table
from papers.ledger import Counts, status

ROWS = ledger.read()
ROOT = ledger.PAGES.parents[1]
# What an audit of the five sources found in them.
TABLES = {
    "W14": ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10"),
    "R19": (
        "2.1", "2.2", "2.3", "2.4", "2.5", "2.6", "2.7", "2.8", "2.9", "2.10", "2.11", "2.12",
        "3.1", "3.2", "3.3", "3.4", "3.5", "3.6", "3.7", "3.8", "3.9", "3.10",
        "4.1", "4.2", "4.3", "4.4", "4.5", "4.6", "4.7",
        "5.1", "5.2", "5.3", "5.4", "5.5", "5.6", "5.7", "5.8", "5.9", "5.10", "5.11", "5.12",
        "6.1", "6.2", "6.3", "6.4", "7.1", "7.2", "7.3",
    ),
    "NB": ("1", "2", "3", "4"),
    "G13": ("1", "2"),
    "T15": ("1",),
}  # fmt: skip
FIGURES = {
    "W14": tuple(map(str, range(1, 12))),
    "R19": (
        "2.1", "2.2", "2.3", "2.4", "3.1", "3.2", "3.3", "4.1", "4.2", "5.1", "5.2", "5.3", "5.4",
        "5.5",
        "5.6", "5.7", "6.1", "6.2", "6.3", "7.1",
    ),
    "NB": tuple(map(str, range(1, 27))),
    "G13": ("1", "2", "3", "4", "5", "6"),
}  # fmt: skip
OTHERS = {("G13", "linear SVM"), ("T15", "example 1"), ("T15", "example 2")}
OTHERS |= {("R19", f"example {number}") for number in ("2.1", "3.1", "3.2", "5.1", "6.1")}


def test_every_experiment_of_the_sources_is_there_once() -> None:
    expected = {(source, f"table {n}") for source, numbers in TABLES.items() for n in numbers}
    expected |= {
        (source, f"figure {n}") for source, numbers in FIGURES.items() for n in numbers
    } | OTHERS
    assert len(expected) == 136
    assert Counter((row["source"], row["experiment"]) for row in ROWS) == Counter(expected)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row['source']} {row['experiment']}")
def test_a_row_follows_from_the_kept_results(row: ledger.Row) -> None:
    assert set(row["lacks"].split()) <= {*ledger.LACKS, *ledger.OPEN}
    assert row["why"]
    assert ledger.counted(row) == row
    assert (row["status"] == "not run") == (row["here"] == "0")


@pytest.mark.parametrize(
    ("given", "counts", "expected"),
    [
        ({}, Counts(values=(90, 10, 0)), "agrees"),
        ({"here": "exact"}, Counts(values=(90, 10, 0)), "exact"),
        ({}, Counts(values=(89, 11, 0)), "partly"),
        ({"slip": "table 1"}, Counts(values=(89, 11, 0)), "slip"),
        ({"slip": "table 1"}, Counts(values=(90, 10, 0)), "agrees"),
        # a sentence that is not met, or that cannot be told
        ({}, Counts(values=(100, 0, 0), claims=(1, 1, 0)), "partly"),
        ({}, Counts(values=(100, 0, 0), claims=(1, 0, 1)), "partly"),
        ({}, Counts(values=(10, 10, 0)), "not met"),
        ({}, Counts(values=(20, 0, 21)), "open"),
        ({}, Counts(claims=(0, 0, 1)), "open"),
        ({}, Counts(claims=(2, 0, 0)), "agrees"),
        ({}, Counts(), "open"),
        # the same lack has the same word, whatever the outcome
        ({"lacks": "svm"}, Counts(values=(100, 0, 0)), "substitute"),
        ({"lacks": "svm"}, Counts(values=(0, 100, 0)), "substitute"),
        ({"lacks": "svm", "slip": "table 1"}, Counts(values=(0, 100, 0)), "slip"),
        ({"lacks": "axis"}, Counts(values=(100, 0, 0)), "open"),
        ({"here": "0"}, Counts(), "not run"),
    ],
)
def test_a_status_is_what_the_rule_says(
    given: dict[str, str], counts: Counts, expected: str
) -> None:
    row = {"here": "1000", "lacks": "", "slip": ""} | given
    assert status(row, counts) == expected


@pytest.mark.parametrize("row", [row for row in ROWS if row["slip"]], ids=lambda row: row["slip"])
def test_a_slip_is_a_line_of_the_errata(row: ledger.Row) -> None:
    page = (ledger.PAGES / "errata.md").read_text(encoding="utf-8")
    part = page.partition(f"\n## {row['source']}\n")[2].partition("\n## ")[0]
    assert f"\n| {row['slip']} | " in part


def _value(source: float, ours: float, se: float) -> Cell:
    told = Printed(text=f"{source:.2f}", value=source, se=se, half=0.005)
    return Cell(row="a", column="b", source=told, ours=ours, se=se)


def test_a_value_with_which_no_effect_agrees_as_well_has_no_power() -> None:
    for cell, expected in (
        (_value(0.36, 0.4, 0.05), True),
        (_value(0.36, 0.4, 1.2), False),  # R19 table 3.8: ± 1.2 around .36
        (_value(0.0, 0.0, 0.0), True),  # exact
    ):
        assert ledger.has_power(cell, [cell]) is expected


def test_a_value_with_which_another_method_s_agrees_as_well_has_no_power() -> None:
    def cell(column: str, source: float) -> Cell:
        told = Printed(text="", value=source, se=0.01, half=0.0)
        return Cell(row="glass", column=column, source=told, ours=source, se=0.01)

    near, far, other = cell("RHS J=6", 2.22), cell("BRHS J=6", 2.10), cell("BCV J=6", 2.21)
    elsewhere = cell("m×2 J=10", 2.22)
    cells = [near, far, other, elsewhere]
    assert ledger.alternatives(near, cells) == [2.10, 2.21]
    assert not ledger.has_power(near, cells)
    assert ledger.has_power(far, cells)
    assert ledger.alternatives(elsewhere, cells) == []
    null = Printed(text="", value=0.9, se=0.0, half=0.0)
    rho = Cell(row="n = 40", column="1 − 2ρ1", source=null, ours=0.9, se=0.01)
    assert ledger.alternatives(rho, [rho]) == [1.0]


def test_the_same_lack_has_the_same_word() -> None:
    for row in ROWS:
        if set(row["lacks"].split()) & set(ledger.LACKS):
            assert row["status"] in ("substitute", "slip")


def test_every_claim_is_counted_in_a_row() -> None:
    """
    What a source concludes counts.

    T15's two formulas are errata, in none of its examples; tag sets on other corpora than R19's are
    a study of ours.
    """
    counted = {
        (ledger.folder(row), mark.partition("#")[0])
        for row in ROWS
        for mark in row["marks"].split()
    }
    kept_claims = {
        (file.parent.name, file.stem)
        for file in pages.RESULTS.glob("*/*.json")
        if pages.read(file).get("claims")
    }
    assert kept_claims - counted == {("t15", "formulas"), ("r19", "tag-sets-words")}


def test_a_figure_counts_the_claims_on_itself_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    says = {"figures 6 and 9: a": False, "figure 16: b": True, "6: d": None, "no figure: e": True}
    claims = [Claim(says=words, holds=holds, here="") for words, holds in says.items()]
    made = Table(name="x", title="", note="", claims=claims)
    monkeypatch.setattr(ledger, "table", lambda source, name: made)  # noqa: ARG005 - one signature
    for mark, expected in (
        ("x#6", (0, 1, 1)),
        ("x#9", (0, 1, 0)),
        ("x#16", (1, 0, 0)),
        ("x", (2, 1, 1)),
    ):
        assert ledger.count({"source": "W14", "marks": mark}).all() == expected


def test_pages_take_the_counts_from_the_ledger() -> None:
    """Wherever the experiments are counted, the counts are those of the ledger."""
    words = ledger.sentence(ROWS)
    quoted = set()
    for file in (ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")):
        text = " ".join(file.read_text(encoding="utf-8").split())
        for found in re.finditer(r"[Oo]f \d+ experiments \d+ agree", text):
            assert text[found.start() + 1 :].startswith(words[1:]), file
            quoted.add(file.name)
    assert quoted >= {"CHANGELOG.md", "index.md"}
    assert f"All {len(ROWS)} tables" in (ledger.PAGES / "ledger.md").read_text(encoding="utf-8")


def test_nothing_is_called_reproduced() -> None:
    """
    The word had meant that a script ran; statuses are those of the ledger.

    One sentence tells of that.
    """
    for file in (ROOT / "README.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")):
        text = file.read_text(encoding="utf-8").replace('called "reproduced"', "")
        assert not re.search(r"\b(reproduced|reproductions?)\b", text, re.IGNORECASE), file


def test_the_page_of_the_ledger_is_the_ledger() -> None:
    text = (ledger.PAGES / "ledger.md").read_text(encoding="utf-8")
    assert ledger.page(ROWS) in text


@pytest.mark.parametrize("name", list(dict.fromkeys(row["page"] for row in ROWS)))
def test_a_page_has_its_experiments_as_they_were_kept(name: str) -> None:
    mine = [row for row in ROWS if row["page"] == name]
    text = (pages.PAGES / name).read_text(encoding="utf-8")
    made = _sections.sections(mine, ledger.tables)
    assert made in text
    assert text.rstrip().endswith(f"{made}\n\n<!-- /experiments -->")  # generated tables come last


def test_every_kept_figure_is_on_a_page() -> None:
    texts = [file.read_text(encoding="utf-8") for file in pages.PAGES.glob("*.md")]
    for file in pages.RESULTS.glob("*/*.json"):
        if "panels" in pages.read(file):
            assert (pages.PAGES / "figures" / f"{file.stem}.svg").is_file()
            assert any(f"figures/{file.stem}.svg" in text for text in texts), file.stem


def test_the_pages_of_the_papers_are_short_enough_to_read() -> None:
    words = [len(file.read_text(encoding="utf-8").split()) for file in pages.PAGES.glob("*.md")]
    assert sum(words) <= 45_000


def test_transcribed_numbers_stand_on_their_pages() -> None:
    defects = (ledger.PAGES / "r19-7.md").read_text(encoding="utf-8")
    for _, _, text, ours, se, spread in chain(transcribed.TABLE_7_1, transcribed.TABLE_7_2):
        digits = len(text.partition(".")[2]) if ours < 0.9 and float(text) < 1 else 2
        numbers = [f"{x:.{digits}f}" for x in (ours, se, spread)]
        shown = "{} ± {} ({})".format(
            *(x.removeprefix("0") if float(text) < 1 else x for x in numbers)
        )
        assert shown in defects
    sources = (ledger.PAGES / "g13.md").read_text(encoding="utf-8")
    for M, values in transcribed.ESTIMATES.items():
        (line,) = re.findall(rf"^\| {M} \| \d+ ± .*$", sources, re.MULTILINE)
        assert all(
            f"{v:.2f}".removeprefix("0") + f" ± {se:.2f}".replace(" 0", " ") in line
            for v, se in values
        )
