"""Sections of the sources that we cite are in them; "R19 5.4.3", which we cited once, is not."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# The numbered sections below the chapters of each source.
SECTIONS = {
    "R19": """
        2.1 2.2 2.2.1 2.2.2 2.2.3 2.2.4 2.2.5 2.3 2.4 2.4.1 2.4.2 2.4.3 2.5 2.5.1 2.5.2 2.5.3 2.5.4
        2.6 3.1 3.2 3.3 3.4 3.5 3.5.1 3.5.2 3.5.3 3.5.4 3.6 3.7 3.7.1 3.7.2 3.7.3 3.8 4.1 4.1.1
        4.1.2 4.1.3 4.1.4 4.2 4.3 4.4 4.4.1 4.4.2 4.4.3 4.5 5.1 5.2 5.2.1 5.2.2 5.2.3 5.2.4 5.2.5
        5.2.5.1 5.2.5.2 5.3 5.4 5.5 5.5.1 5.5.2 5.5.3 5.5.4 5.6 5.7 5.8 5.8.1 5.8.2 5.9 5.9.1 5.9.2
        5.9.3 5.9.4 5.9.5 5.9.6 5.9.7 5.9.7.1 5.9.7.2 5.9.7.3 5.10 6.1 6.2 6.2.1 6.2.2 6.2.3 6.3
        6.4 6.4.1 6.4.2 6.4.3 6.4.4 6.5 6.5.1 6.5.2 6.6 7.1 7.2 7.3 7.4 7.5""",
    "W14": "2.1 2.2 2.3 4.1 4.2 5.1 5.2 5.3 5.4 5.5 6.1 6.2 6.3 6.4 6.5 6.6",
    "G13": "4.1 4.2 4.2.1 4.2.2 4.2.3 6.1 6.2",
    "NB": "3.1 3.2 5.1 5.2 5.3",
    "T15": "4.1 4.2 4.3 4.3.1 4.3.2 4.3.3 4.3.4 5.1 5.2",
}
NUMBER = r"\d+(?:\.\d+)*"
# "R19 2.4 and 3.5", "W14 section 5.3", "R19 (7.3)"; what is "R19 eq. 5.34" is no section.
CITED = re.compile(rf"\b(R19|W14|G13|NB|T15)(?: section| \(|) ?((?:{NUMBER}(?:, | and )?)+)")
WRITTEN = [
    file
    for folder in ("src", "lab", "docs", "papers", "tests")
    for file in sorted((ROOT / folder).rglob("*.*"))
    if file.suffix in (".py", ".md", ".csv") and file != Path(__file__)
]


def cited(text: str) -> set[tuple[str, str]]:
    """The sections that a text cites, by source; whole chapters are left out."""
    return {
        (source, number)
        for source, numbers in CITED.findall(text)
        for number in re.findall(NUMBER, numbers)
        if "." in number
    }


def exist(found: set[tuple[str, str]]) -> bool:
    return all(number in SECTIONS[source].split() for source, number in found)


def test_every_section_cited_is_in_its_source() -> None:
    found = {file: cited(file.read_text(encoding="utf-8")) for file in WRITTEN}
    assert sum(map(len, found.values())) > 50
    assert [(file.name, each) for file, each in found.items() if not exist(each)] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("R19 5.4.3 says", False),
        ("(W14 1, 2.3, 3, 4, 6.2)", True),
        ("(W14 1, 2.4, 3, 4, 6.2)", False),
        ("R19 section 6.7", False),
        ("R19 eq. 5.99 and R19 table 3.12", True),
    ],
)
def test_a_section_that_does_not_exist_is_seen(text: str, expected: bool) -> None:
    assert exist(cited(text)) is expected


def test_the_page_of_errata_names_sections_that_exist() -> None:
    page = (ROOT / "docs" / "papers" / "errata.md").read_text(encoding="utf-8")
    seen = 0
    for part in page.split("\n## ")[1:]:
        source = part.partition("\n")[0]
        where = re.findall(rf"^\| (?:section )?({NUMBER})(?=[ ,])", part, re.MULTILINE)
        if source in SECTIONS:
            sections = {(source, number) for number in where if "." in number}
            assert exist(sections), sections
            seen += len(sections)
    assert seen > 10
