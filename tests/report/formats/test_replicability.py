"""How likely a verdict is to last: in every form, and never as certain."""

import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.report.conftest import twenty

from evenfold.core.facts.comparison import Facts
from evenfold.report.formats.data import to_frame
from evenfold.report.formats.html import to_fragment, to_html
from evenfold.report.formats.latex import to_latex
from evenfold.report.formats.markdown import to_markdown
from evenfold.report.formats.text import to_summary, to_text
from evenfold.report.methods_text import methods_text

pytestmark = pytest.mark.quick

Scenario = Callable[[str], Facts]
CHANCES = (1.0, 0.947, 0.62, None, 0.8, 0.91)
LEAST = (
    "If the data were partitioned again at random, the least certain of the 5 verdicts, knn "
    "against tree, would be the same in about 62% of cases."
)


def lasting(facts: Facts, *, goal: float | None = 0.8) -> Facts:
    """The same facts, of a run that stopped when its verdicts would last."""
    pairs = tuple(replace(pair, replicability=CHANCES[k % 6]) for k, pair in enumerate(facts.pairs))
    return replace(facts, pairs=pairs, goal=goal, most_repetitions=31)


def against_a_baseline(facts: Facts) -> Facts:
    """The same facts if the tree had been the baseline."""
    pairs = tuple(pair for pair in facts.pairs if pair.baseline == "tree")
    return replace(facts, pairs=pairs, candidates=(), baseline="tree", flips=())


def everywhere_failed(facts: Facts) -> Facts:
    """The same facts with an algorithm whose every fit failed."""
    none = (math.nan,) * len(facts.values[0])
    broken = replace(
        facts.pairs[0],
        challenger="broken",
        outcome="not applicable",
        sentence="not applicable: broken failed.",
        value=math.nan,
        low=math.nan,
        high=math.nan,
        pvalue=None,
        adjusted_pvalue=None,
        differences=none,
    )
    return replace(
        facts,
        algorithms=(*facts.algorithms, "broken"),
        values=(*facts.values, none),
        fit_seconds=(*facts.fit_seconds, none),
        pairs=(*facts.pairs, broken),
    )


def test_every_table_of_pairs_has_it_and_no_verdict_is_certain(scenario: Scenario) -> None:
    facts = lasting(scenario("ranked"))
    for text in (to_text(facts, details=True), to_markdown(facts), to_html(facts)):
        assert "same verdict" in text
        assert not re.search(r"(>|  )100%", text)
        for share in ("98%", "95%", "62%"):
            assert share in text
    rows = to_latex(facts, full=False).splitlines()
    assert {row.rpartition(" & ")[2] for row in rows} == {
        rf"{share} \\" for share in (r"98\%", r"95\%", r"62\%", "--", r"80\%", r"91\%")
    }
    frame = to_frame(facts)
    assert set(frame["replicability"].dropna()) == {one for one in CHANCES if one is not None}


def test_where_it_is_not_known_there_is_no_column(scenario: Scenario) -> None:
    facts = scenario("ranked")
    for text in (to_text(facts, details=True), to_markdown(facts), to_latex(facts), to_html(facts)):
        assert "same verdict" not in text
        assert "partitioned again" not in text


def test_a_page_of_one_pair_has_it_among_its_numbers(scenario: Scenario) -> None:
    facts = lasting(scenario("sequential"))
    assert "<div><dt>same verdict</dt><dd>98%</dd></div>" in to_html(facts)


def test_below_the_ranking_stands_the_least_certain_verdict(scenario: Scenario) -> None:
    facts = lasting(scenario("ranked"))
    for text in (to_text(facts), to_markdown(facts), to_html(facts), to_fragment(facts)):
        assert LEAST in text
    assert LEAST.replace("%", r"\%") in to_latex(facts)
    assert "partitioned again" not in to_text(lasting(scenario("sequential")))


def test_a_table_of_28_pairs_fits_into_a_terminal() -> None:
    facts = twenty()
    short = {one.name: f"model {k}" for k, one in enumerate(facts.candidates[:8])}
    pairs = tuple(
        replace(pair, baseline=short[pair.baseline or ""], challenger=short[pair.challenger])
        for pair in facts.pairs
        if {pair.baseline, pair.challenger} <= set(short)
    )
    ranked = tuple(replace(one, name=short[one.name]) for one in facts.candidates[:8])
    few = lasting(replace(facts, pairs=pairs, candidates=ranked))
    lines = to_text(few, details=True).splitlines()
    (start,) = [k for k, line in enumerate(lines) if line.startswith("baseline A")]
    table = lines[start : start + 30]
    assert len(table) == 30
    assert max(map(len, table)) <= 130


def test_the_methods_paragraph_says_when_the_run_stopped(scenario: Scenario) -> None:
    rule = (
        "would be the same with a probability of at least {} if the data were partitioned again at "
        "random, or until there were 31 repetitions."
    )
    two = methods_text(lasting(scenario("sequential"), goal=0.9))
    assert f"Repetitions were added until the verdict {rule.format(0.9)}" in two
    four = methods_text(lasting(scenario("ranked")))
    assert f"Repetitions were added until each verdict {rule.format(0.8)}" in four
    many = methods_text(lasting(twenty()))
    assert f"until each of at least nine in ten verdicts {rule.format(0.8)}" in many
    assert "Repetitions were added" not in methods_text(lasting(scenario("sequential"), goal=None))


def test_intervals_of_a_ranking_are_each_algorithm_s_own(scenario: Scenario) -> None:
    facts = scenario("ranked")
    assert "boosting ranks first: error 0.057 (its own 95% CI 0.047 to 0.067)" in to_text(facts)
    page = to_html(facts)
    assert "Best to worst; each with its own 95% interval" in page
    assert "simultaneous 95% intervals" not in page


@pytest.mark.parametrize("write", [to_text, to_summary, to_html, to_fragment])
def test_with_a_baseline_there_are_no_ranks_and_the_headline_is_about_it(
    scenario: Scenario, write: Callable[[Facts], str]
) -> None:
    text = write(against_a_baseline(lasting(scenario("ranked"))))
    assert "against the baseline tree (margin 0.005): forest, boosting and knn better" in text
    assert "the least certain of the 3 verdicts, knn against tree, would be the same" in text
    for word in ("true rank", "ranks first", "may be best", "share a letter"):
        assert word not in text


@pytest.mark.parametrize("baseline", [True, False])
@pytest.mark.parametrize("write", [to_text, to_summary, to_html, to_fragment])
def test_the_headline_names_who_failed_on_every_split(
    scenario: Scenario, write: Callable[[Facts], str], baseline: bool
) -> None:
    facts = scenario("ranked")
    if baseline:
        facts = against_a_baseline(facts)
    said = "broken failed on every split and was not compared."
    assert said not in write(facts)
    text = write(everywhere_failed(facts))
    assert said in text
    assert "without an answer" not in text
