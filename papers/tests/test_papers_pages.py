"""One page per source: what it calls by name is found here, and every name on the right exists."""

import inspect
import re
from typing import Any

import pytest
from papers import ledger, pages

import evenfold as ef

SOURCES = ("w14", "r19", "g13", "nb", "t15")
_CHAPTERS = tuple(f"r19-{number}" for number in range(2, 8))
METHODS = ef.infer.methods()
# What issue and readers ask for by name, and must be found on the left.
NAMED = {
    "w14": ("L estimator", "AL estimator", "t_CV", "t_5×2", "t_CCV", "F_5×2", "t_B3×2",
            "replicability"),
    "r19": (
        "BRHS", "RLT", "BRLT", "algorithm 5.1", "ARRCI", "T_S", "V1, V2, V3", "algorithm 6.1",
        "T_P",
        "theorem 5.2", "Dietterich", "Alpaydin", "Yildiz", "FPA", "maximal information coefficient",
    ),
    "g13": ("CVS", "CVR", "out-of-source", "θ5", "θA", "θB", "proposition 1"),
    "nb": (
        "1. t-test", "2. resampled t", "3. Dietterich", "4. conservative Z", "5. bootstrap",
        "6. corrected resampled t", "7. corrected bootstrap", "eq. 8",
    ),
    "t15": ("theorem 1", "theorem 2", "theorem 3", "theorem 4", "definition 1"),
}  # fmt: skip


def rows(source: str) -> list[tuple[str, str]]:
    """Left and right of the table of names of a page."""
    text = (pages.PAGES / f"{source}.md").read_text(encoding="utf-8")
    section = text.partition("## In the paper, and here")[2].partition("\n## ")[0]
    lines = [
        line.strip("| ").split(" | ") for line in section.splitlines() if line.startswith("| ")
    ]
    return [(left, right) for left, right in lines[2:]]


def resolve(name: str) -> Any:
    """What a dotted name means."""
    found: Any = ef
    for part in name.removeprefix("ef.").split("."):
        found = getattr(found, part)
    return found


@pytest.mark.parametrize("source", SOURCES)
def test_every_name_on_the_right_exists(source: str) -> None:
    for left, right in rows(source):
        named = re.findall(r"`([^`]+)`", right)
        assert named or "none:" in right or "an example" in right, left
        for name in named:
            if name.startswith("ef."):
                dotted, _, option = name.rstrip(")").partition("(")
                thing = resolve(dotted)
                if option:
                    assert option.rstrip("=") in inspect.signature(thing).parameters, name
            elif "-" in name:
                assert name in METHODS, name
            else:
                assert name in {*METHODS, "signal"}, name


@pytest.mark.parametrize("source", SOURCES)
def test_every_name_of_the_source_is_found_on_the_left(source: str) -> None:
    left = " ".join(one for one, _ in rows(source))
    for name in NAMED[source]:
        assert name in left, name


@pytest.mark.parametrize("source", SOURCES)
def test_a_page_says_how_its_experiments_ended_by_the_ledger(source: str) -> None:
    mine = [row for row in ledger.read() if row["source"] == source.upper()]
    assert ledger.status_of(mine) in (pages.PAGES / f"{source}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", list(dict.fromkeys([*SOURCES, *_CHAPTERS])))
def test_a_page_opens_with_what_is_proposed_how_to_use_it_and_where_we_differ(name: str) -> None:
    text = (pages.PAGES / f"{name}.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert re.fullmatch(r"What the (paper|thesis|chapter) proposes", heads[0])
    assert heads[1:3] == ["How to use it here", "Where we differ"]
    code = text.partition("```python\n")[2].partition("```")[0]
    assert len([line for line in code.splitlines() if line.strip()]) <= 5
