"""What ``print`` shows."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from tests.report.conftest import twenty

from evenfold.core.facts.comparison import Facts
from evenfold.core.words import width
from evenfold.report.formats.text import to_text

pytestmark = pytest.mark.quick

Scenario = Callable[[str], Facts]


def test_every_sentence_and_the_training_size_are_there(facts: Facts) -> None:
    text = to_text(facts, details=True)
    for pair in facts.pairs:
        assert pair.sentence in text
    assert "training size 285" in text
    assert all(str(note) in text for note in facts.notes)


def test_facts_come_back_from_json_and_say_the_same(facts: Facts) -> None:
    back = Facts.from_json(facts.to_json())
    assert to_text(back) == to_text(facts)
    assert back.to_json() == facts.to_json()


def test_of_many_pairs_only_the_decided_ones_are_shown() -> None:
    facts = twenty()
    decided = sum(pair.outcome != "inconclusive" for pair in facts.pairs)
    text = to_text(facts)
    assert "ranks first" in text.splitlines()[0]
    assert "with 95% confidence, any of the 20 may be the best" in text
    assert "inconclusive" not in text
    assert f"{decided} of 190 were decided" in text


def test_five_to_ten_algorithms_get_a_square_of_differences() -> None:
    facts = twenty()
    names = [one.name for one in facts.candidates[:6]]
    some = [pair for pair in facts.pairs if {pair.baseline, pair.challenger} <= set(names)]
    text = to_text(replace(facts, candidates=facts.candidates[:6], pairs=tuple(some)))
    (start,) = [k for k, line in enumerate(text.splitlines()) if line.startswith("row − column")]
    assert text.splitlines()[start].split()[3:] == ["2", "3", "4", "5", "6"]
    assert text.splitlines()[start + 2].startswith(f"1 {names[0]}")
    assert "challenger B" not in text
    assert "challenger B" in to_text(
        replace(facts, candidates=facts.candidates[:6], pairs=tuple(some)), details=True
    )


def test_a_bound_that_excludes_0_is_never_written_as_0(scenario: Scenario) -> None:
    facts = replace(scenario("ranked"), margin=0.0)
    decided = next(pair for pair in facts.pairs if pair.outcome == "better")
    beside = replace(decided, high=-0.000004)
    pairs = tuple(beside if pair is decided else pair for pair in facts.pairs)
    for text in (
        to_text(replace(facts, pairs=pairs), details=details) for details in (False, True)
    ):
        assert re.search(r"−0\.0\d+ to −0\.000004|0\.000004 to 0\.0\d+", text), text
        assert not re.search(r" to −?0\.0+(?!\d)", text)


def test_several_pairs_get_an_aligned_table(scenario: Scenario) -> None:
    lines = to_text(scenario("many")).splitlines()
    rule = next(k for k, line in enumerate(lines) if line.startswith("──"))
    starts = [
        k for k, c in enumerate(lines[rule]) if c == "─" and (k == 0 or lines[rule][k - 1] == " ")
    ]
    for line in lines[rule - 1 : rule + 7]:
        assert all(start == 0 or line[start - 1] == " " for start in starts)
    assert lines[rule + 1].split()[:3] == ["tree", "forest", "−0.0210"]


def test_wide_characters_keep_the_columns(scenario: Scenario) -> None:
    lines = to_text(scenario("hostile")).splitlines()
    rule = next(k for k, line in enumerate(lines) if line.startswith("──"))
    before = [line[: line.index("  −0.0")] for line in lines[rule + 1 : rule + 4]]
    assert len({width(line) for line in before}) == 1


def test_a_method_that_is_not_recommended_is_named_as_such(scenario: Scenario) -> None:
    text = to_text(scenario("failing"))
    assert "for comparison only" in text
    assert "forest failed on 2 of" in text


def test_one_algorithm_has_no_b_minus_a(scenario: Scenario) -> None:
    assert "B − A" not in to_text(scenario("single"))
    assert "expected error of forest at training size 285" in to_text(scenario("single"))


def test_more_pairs_than_can_be_read_are_left_to_the_table(scenario: Scenario) -> None:
    many = scenario("many")
    text = to_text(replace(many, pairs=many.pairs * 2))
    assert many.pairs[0].sentence not in text
    assert text.count("inconclusive") == 4
