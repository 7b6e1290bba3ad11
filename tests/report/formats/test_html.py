"""
The structure of the page.

One file, headings in order, tables with headers, everything escaped.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest
from tests.report.conftest import twenty

from evenfold.core.facts.bibliography import WORKS
from evenfold.core.facts.comparison import Facts
from evenfold.core.losses import Failure
from evenfold.report import to_fragment
from evenfold.report.formats.html import to_html

pytestmark = pytest.mark.quick

Scenario = Callable[[str], Facts]
VOID = {"meta", "link", "col", "br", "img"}
LIMIT = 2_000_000


class Page(HTMLParser):
    """Elements in order, and the text of the page; fails where tags do not nest."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return "".join(self.words)

    def tags(self) -> list[str]:
        return [tag for tag, _ in self.elements]

    def named(self, *tags: str) -> list[dict[str, str | None]]:
        return [attrs for tag, attrs in self.elements if tag in tags]


@cache
def _html(json: str) -> str:
    return to_html(Facts.from_json(json))


def html(facts: Facts) -> str:
    """Return the page of some facts, made once for all tests."""
    return _html(facts.to_json())


def test_the_page_is_whole(facts: Facts) -> None:
    page = Page(html(facts))
    assert page.named("html") == [{"lang": "en"}]
    assert page.tags().count("title") == page.tags().count("h1") == page.tags().count("main") == 1
    for pair in facts.pairs:
        assert pair.sentence in page.text
    for words in (
        facts.call,
        facts.method.source,
        facts.method.why,
        facts.created[:10],
        *map(str, facts.notes),
    ):
        assert words in page.text


def test_headings_are_in_order(facts: Facts) -> None:
    levels = [int(tag[1]) for tag in Page(html(facts)).tags() if re.fullmatch(r"h[1-6]", tag)]
    assert levels[0] == 1
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))


def test_links_and_labels_lead_somewhere_and_ids_are_unique(facts: Facts) -> None:
    page = Page(html(facts))
    ids = [str(attrs["id"]) for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    targets = [str(a["href"]) for a in page.named("a", "use") if "href" in a]
    assert targets
    assert all(target.startswith("#") and target[1:] in ids for target in targets)
    assert all(
        attrs["aria-labelledby"] in ids for _, attrs in page.elements if "aria-labelledby" in attrs
    )


def test_figures_have_words_and_tables_have_headers(facts: Facts) -> None:
    page = Page(html(facts))
    assert page.named("svg")
    assert all(svg["role"] == "img" and svg["aria-label"] for svg in page.named("svg"))
    assert all("scope" in th for th in page.named("th"))
    assert page.tags().count("caption") == page.tags().count("table")


def test_nothing_is_loaded_and_nothing_runs(facts: Facts) -> None:
    text = html(facts)
    page = Page(text)
    assert not {"script", "iframe", "object", "embed"} & set(page.tags())
    assert not re.search(r"https?:|@import|url\((?!#)", text)
    assert all(not name.startswith("on") for _, attrs in page.elements for name in attrs)
    sources = [a.get("href") or a.get("src") for a in page.named("link", "img", "image")]
    assert all(str(source).startswith("data:") for source in sources)


def test_names_of_users_are_text(scenario: Scenario) -> None:
    facts = scenario("hostile")
    for text in (html(facts), to_fragment(facts)):
        assert "<script" not in text
        for name in facts.algorithms:
            assert name in Page(text).text


def test_failures_are_listed_with_their_tracebacks_folded(scenario: Scenario) -> None:
    facts = scenario("failing")
    page = Page(html(facts))
    assert facts.failures[0].traceback in page.text
    assert "forest, repetition 3, fold 2: ValueError" in page.text
    folded = [
        attrs for attrs in page.named("details") if str(attrs.get("id", "")).startswith("failure-")
    ]
    assert [attrs["id"] for attrs in folded] == ["failure-1", "failure-2"]
    assert all("open" not in attrs for attrs in folded)
    assert [a["href"] for a in page.named("a")].count("#failure-2") == 1


def test_every_cell_is_in_the_table(scenario: Scenario) -> None:
    facts = scenario("sequential")
    text = Page(html(facts)).text
    for row in facts.values:
        for value in row:
            assert f"{value:.3f}" in text


def test_the_balance_of_features_is_rounded(scenario: Scenario) -> None:
    facts = scenario("failing")
    even = {**(facts.design.certificate or {}), "chi_square": 0.200487}
    text = Page(html(replace(facts, design=replace(facts.design, certificate=even)))).text
    assert re.search(r"at most 1 is balanced\)\s*0\.2(?!\d)", text)


def test_the_certificate_and_the_card_are_explained(scenario: Scenario) -> None:
    text = Page(html(scenario("failing"))).text
    assert "Hadamard matrix of order 8" in text
    assert "smallest worst distance that any partition can have" in text
    assert "Measured calibration" in text
    assert "do not base a decision on it" in text


def test_works_are_cited_in_full(scenario: Scenario) -> None:
    assert "Doctoral thesis, Shanxi University" in Page(html(scenario("sequential"))).text


def test_works_are_those_of_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "sources.md").read_text(encoding="utf-8")
    documented = dict(re.findall(r"^(\w+)\n: ((?:.+\n?(?:  .+\n?)*))", page, flags=re.MULTILINE))
    assert documented
    for tag, text in documented.items():
        assert " ".join(text.replace("*", "").split()).startswith(WORKS[tag])


def test_a_long_run_with_many_failures_stays_small(scenario: Scenario) -> None:
    """Leave-one-out on 5000 examples, a thousand failures with long tracebacks."""
    facts, n = scenario("sequential"), 5000
    design = replace(
        facts.design,
        repetition=(0,) * n,
        fold=tuple(range(n)),
        train_sizes=(n - 1,) * n,
        test_sizes=(1,) * n,
        overlaps=(),
    )
    pair = replace(facts.pairs[0], differences=tuple((k % 3 - 1) * 1.0 for k in range(n)), path=())
    failure = Failure(
        algorithm="tree", split=1, kind="E", message="m" * 100, traceback="line of a file\n" * 9000
    )
    facts = replace(
        facts,
        design=design,
        values=((0.0,) * n, (1.0,) * n),
        fit_seconds=((0.01,) * n,) * 2,
        pairs=(pair,),
        failures=(failure,) * 1000,
    )
    text = to_html(facts)
    assert len(text.encode()) < LIMIT
    assert "of 5000 splits" in text
    assert "The first 40 of 1000" in text


def test_a_ranking_opens_the_page_and_pairs_follow() -> None:
    text = to_html(twenty())
    page = Page(text)
    assert len(text.encode()) < LIMIT
    headings = re.findall(r"<h2[^>]*>([^<]*)", text)
    assert headings[:3] == ["Ranking", "Figures", "Pairs"]
    assert text.index("ranks first") < text.index("true rank") < text.index("All 190 pairs")
    assert page.text.count("true rank") == 1
    cell = to_fragment(twenty())
    assert cell.index("ranks first") < cell.index("true rank") < cell.index("All 190 pairs")


def test_long_tables_are_folded_and_differences_keep_on_one_line(scenario: Scenario) -> None:
    facts = replace(scenario("ranked"), flips=scenario("ranked").flips * 31)
    assert "All 31 rows" in to_html(facts)
    for text in (to_html(facts), to_fragment(facts)):
        assert "B\u00a0−\u00a0A (negative: B better)</" in text


def test_many_algorithms_stay_small(scenario: Scenario) -> None:
    facts = scenario("many")
    names = tuple(f"algorithm {k}" for k in range(20))
    pairs = tuple(
        replace(facts.pairs[(i + j) % 6], baseline=names[i], challenger=names[j])
        for i in range(20)
        for j in range(i + 1, 20)
    )
    facts = replace(
        facts,
        algorithms=names,
        values=facts.values * 5,
        fit_seconds=facts.fit_seconds * 5,
        pairs=pairs,
    )
    text = to_html(facts)
    assert len(text.encode()) < LIMIT
    assert "The verdicts of all 190 pairs" in text


def test_a_fragment_keeps_its_styles_to_itself(facts: Facts) -> None:
    text = to_fragment(facts)
    style = text[text.index("<style>") + 7 : text.index("</style>")]
    rules = re.findall(r"([^{}]+)\{", style.replace("@media (prefers-color-scheme: dark) {", ""))
    selectors = [selector.split() for rule in rules for selector in rule.split(",")]
    assert all(".evenfold-report" in parts for parts in selectors)
    assert len(text) < 60_000
    assert facts.pairs[0].sentence in Page(text).text
