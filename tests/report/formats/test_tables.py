"""Data frames, Markdown and LaTeX."""

import math
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from evenfold.core.facts.comparison import Facts
from evenfold.report.formats.data import to_frame
from evenfold.report.formats.latex import to_latex
from evenfold.report.formats.markdown import to_markdown
from evenfold.report.formats.text import to_summary, to_text

pytestmark = pytest.mark.quick

Scenario = Callable[[str], Facts]


def test_a_frame_has_a_row_for_each_pair(facts: Facts) -> None:
    frame = to_frame(facts)
    assert len(frame) == len(facts.pairs)
    assert list(frame.columns[:7]) == [
        "baseline",
        "challenger",
        "outcome",
        "value",
        "low",
        "high",
        "level",
    ]
    assert frame["value"].dtype == float
    for row, pair in zip(frame.itertuples(), facts.pairs, strict=True):
        assert row.challenger == pair.challenger
        assert row.low == pair.low or (math.isnan(row.low) and math.isnan(pair.low))


def test_frames_can_be_stacked(scenario: Scenario) -> None:
    import pandas as pd

    stacked = pd.concat([to_frame(scenario("sequential")), to_frame(scenario("bayes"))])
    assert stacked["method"].tolist() == ["mx2-sequential-t", "bayes-f1"]
    assert stacked["probability"].notna().tolist() == [False, True]


def test_markdown_rows_have_the_same_number_of_cells(facts: Facts) -> None:
    tables = [table.splitlines() for table in to_markdown(facts).split("\n\n")]
    assert [len(lines) - 2 for lines in tables] == _sizes(facts)
    assert all(
        len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1 for lines in tables
    )


def _sizes(facts: Facts) -> list[int]:
    return [
        len(rows) for rows in (facts.candidates, facts.pairs, facts.others, facts.flips) if rows
    ]


def test_a_ranking_opens_every_form(scenario: Scenario) -> None:
    facts = scenario("ranked")
    assert to_markdown(facts).splitlines()[2:6] == [
        "|    1 | boosting  | 0.057 |    1 to 2 | a    | yes         |",
        "|    2 | forest    | 0.058 |    1 to 3 | ab   | yes         |",
        "|    3 | knn       | 0.066 |    2 to 3 | b    | no          |",
        "|    4 | tree      | 0.079 |         4 | c    | no          |",
    ]
    latex = to_latex(facts)
    assert latex.index(r"1 & boosting & 0.057 & 1 to 2 & a & yes \\") < latex.index(
        "tree & forest & "
    )
    assert "simultaneous 95\\% confidence sets" in latex
    assert to_summary(facts).startswith("### boosting ranks first: error 0.057 (its own 95% CI ")
    assert to_text(facts).splitlines()[4].split() == [
        "1",
        "boosting",
        "0.057",
        "1",
        "to",
        "2",
        "a",
        "yes",
    ]


def test_flips_are_in_markdown_and_latex(scenario: Scenario) -> None:
    facts = scenario("ranked")
    assert r"|     2 |     1 | 3, 5           | x\_9            |" in to_markdown(facts)
    assert r"tree & forest & 2 & 1 & 3, 5 & x\_9 \\" in to_latex(facts)
    assert to_summary(facts).count("fixed examples") == 1


def test_markdown_escapes_names(scenario: Scenario) -> None:
    text = to_markdown(scenario("hostile"))
    assert "<script>" not in text
    assert r"b\_c%" in text
    sample = scenario("sequential")
    pair = replace(sample.pairs[0], challenger="a|b*`")
    assert r"a\|b\*\`" in to_markdown(replace(sample, pairs=(pair,)))


def test_latex_rows_have_the_same_number_of_cells(facts: Facts) -> None:
    rows = to_latex(facts, full=False).splitlines()
    assert len(rows) == len(facts.pairs)
    assert all(row.endswith(r" \\") for row in rows)
    assert len({len(re.findall(r"(?<!\\)&", row)) for row in rows}) == 1


def test_latex_escapes_names(scenario: Scenario) -> None:
    text = to_latex(scenario("hostile"), full=False)
    assert r"a \& b\_c\%" in text
    assert r"\$x\$" in text
    assert "<" not in text.replace("$<$", "")


def test_latex_backslashes_cannot_run() -> None:
    from evenfold.report.sample import sample

    pair = replace(sample().pairs[0], challenger=r"[\input{x}]^~#")
    row = to_latex(replace(sample(), pairs=(pair,)), full=False)
    escaped = r"{[}\textbackslash{}input\{x\}{]}\textasciicircum{}\textasciitilde{}\#"
    assert escaped in row


def test_a_full_table_uses_booktabs(facts: Facts) -> None:
    text = to_latex(facts)
    for rule in (
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
        r"\begin{tabular}",
        r"\end{table}",
        r"\caption{",
    ):
        assert text.count(rule) == len(_sizes(facts))


def test_one_sided_limits_are_words(scenario: Scenario) -> None:
    assert "at most $-$0.011" in to_latex(scenario("one_sided"))
    assert "at most −0.011" in to_markdown(scenario("one_sided"))


def test_captions_name_the_method_and_not_its_key(facts: Facts) -> None:
    named = replace(facts, method=replace(facts.method, name="the test of the example"))
    captions = [line for line in to_latex(named).splitlines() if r"\caption{" in line]
    assert captions
    for caption in captions:
        assert "; the test of the example. " in caption
        assert facts.method.key not in caption
