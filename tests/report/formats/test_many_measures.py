"""Several measures of many algorithms: a ranking for each of them, and rows by rank."""

import re
from functools import cache

import numpy as np
import pandas as pd
import pytest

import evenfold as ef
from evenfold.comparison.result import Comparison

pytestmark = pytest.mark.quick


@cache
def eight() -> Comparison:
    """Return eight models by three measures; their names are in another order than their ranks."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 150)
    tables = []
    for k in range(8):
        z = truth * (1.2 - 0.1 * k) + rng.normal(size=len(truth))
        chance = 1 / (1 + np.exp(0.6 - z))
        name = f"m{3 * k % 8}"
        tables.append(
            pd.DataFrame({"model": name, "id": range(len(truth)), "truth": truth, "p:1": chance})
        )
    return ef.judge(pd.concat(tables), measure=["accuracy", "log", "auc"])


def test_every_measure_has_a_ranking_and_a_square_and_no_loose_rows() -> None:
    text = str(eight())
    assert len(re.findall(r"^rank +algorithm", text, re.MULTILINE)) == 3
    assert len(re.findall(r"^row − column", text, re.MULTILINE)) == 3
    assert "By log loss: m" in text
    assert "By AUC: m" in text
    assert "baseline A" not in text  # neither loose pairs nor 28 rows of flips
    assert "baseline A" in eight().details


def test_other_formats_have_a_ranking_of_each_measure_too() -> None:
    c = eight()
    for words in (c.to_markdown(), c.to_html(), c._repr_html_() or "", c.to_latex()):
        assert words.count("true rank") == 3, words[:200]


def test_rows_of_pairs_are_in_the_order_of_ranks() -> None:
    c = eight()
    ranks = {one.name: one.rank for one in c.ranking}
    rows = re.findall(r"^\| (m\d) +\| (m\d) ", c.to_markdown(), re.MULTILINE)
    found = [sorted(ranks[name] for name in row) for row in rows if row[0] in ranks]
    assert found[:28] == sorted(found[:28])


def test_heads_of_intervals_say_their_confidence() -> None:
    page = eight().to_html()
    heads = re.findall(r"<th scope=\"col\"[^>]*>(?:<span[^>]*>)?([^<]*)<", page)
    assert "interval" not in heads
    assert any("95% CI" in head for head in heads)
