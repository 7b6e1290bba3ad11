"""Data frames, Markdown and LaTeX."""

import math
import re
from collections.abc import Callable
from dataclasses import replace

from evenfold.core.facts.comparison import Facts
from evenfold.report.formats.frame import to_frame
from evenfold.report.formats.latex import to_latex
from evenfold.report.formats.markdown import to_markdown

Scenario = Callable[[str], Facts]


def test_a_frame_has_a_row_for_each_pair(facts: Facts) -> None:
    frame = to_frame(facts)
    assert len(frame) == len(facts.pairs)
    assert list(frame.columns[:7]) == ["baseline", "challenger", "outcome", "value", "low", "high", "level"]
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
    lines = to_markdown(facts).splitlines()
    assert len(lines) == 2 + len(facts.pairs)
    assert len({len(re.findall(r"(?<!\\)\|", line)) for line in lines}) == 1


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
    for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\begin{tabular}", r"\end{table}", r"\caption{"):
        assert text.count(rule) == 1


def test_one_sided_limits_are_words(scenario: Scenario) -> None:
    assert "at most $-$0.011" in to_latex(scenario("one_sided"))
    assert "at most −0.011" in to_markdown(scenario("one_sided"))
