"""What a notebook shows of a comparison, and the table that it hands to other libraries."""

import re
import sys
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.errors import NotInstalled

RNG = np.random.default_rng(0)
y = np.tile([0, 1], 40)
X = RNG.normal(size=(80, 3)) + 0.4 * y[:, None]
MODELS = {
    "dummy": DummyClassifier(),
    "bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(random_state=0),
}


@pytest.fixture(scope="module")
def three() -> ef.Comparison:
    measures = ["zero-one", "brier"]
    return ef.compare(MODELS, X, y, measure=measures, design=ef.Mx2BCV(3), random_state=0)


@pytest.fixture(scope="module")
def two() -> ef.Comparison:
    names = ("dummy", "bayes")
    models = {name: MODELS[name] for name in names}
    return ef.compare(models, X, y, design=ef.Mx2BCV(3), random_state=0)


def test_a_cell_has_the_verdict_then_a_figure_then_the_table(two: ef.Comparison) -> None:
    cell = two._repr_html_() or ""
    places = [cell.index(part) for part in ('ef-verdict">', "<svg", "<table")]
    assert places == sorted(places)
    assert two.pairs[0].sentence.split(" (")[0] in cell
    assert cell.count("<svg") == 1


def test_many_have_their_ranking_first_and_their_pairs_folded(three: ef.Comparison) -> None:
    cell = three._repr_html_() or ""
    places = [cell.index(part) for part in ("ranks first", "may be best", "<svg", "<details>")]
    assert places == sorted(places)
    assert "All 3 pairs" in cell
    shown, folded = cell.split("<details>")
    for pair in three.pairs:
        said = pair.sentence.split(" (")[0]
        assert said in folded
        assert said not in shown


def test_light_and_dark_follow_the_notebook(two: ef.Comparison) -> None:
    cell = two._repr_html_() or ""
    for theme in ("prefers-color-scheme: dark", "data-jp-theme-light", "vscode-dark", "data-theme"):
        assert theme in cell
    drawn = cell[cell.index("<svg") :]
    assert "var(--ink)" in drawn
    assert not re.search(r"(fill|stroke): #", drawn)


def test_ids_of_two_cells_differ(two: ef.Comparison, three: ef.Comparison) -> None:
    first, second = (set(re.findall(r' id="([^"]+)"', c._repr_html_() or "")) for c in (two, three))
    assert first
    assert not first & second


def test_a_cell_without_matplotlib_has_no_figure(
    two: ef.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    cell = two._repr_html_() or ""
    assert "<svg" not in cell
    assert "<table" in cell


def test_the_bundle_has_every_form(two: ef.Comparison) -> None:
    bundle = two._repr_mimebundle_(include=None, exclude=None)
    assert bundle == {
        "text/plain": repr(two),
        "text/html": two._repr_html_(),
        "text/markdown": two._repr_markdown_(),
    }
    assert bundle["text/markdown"].startswith("### ")
    assert two.to_markdown() in bundle["text/markdown"]


def test_a_bundle_without_jinja2_has_no_html(
    two: ef.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jinja2", None)
    assert list(two._repr_mimebundle_()) == ["text/plain", "text/markdown"]


@pytest.mark.parametrize("read", [pl.DataFrame, pa.table, pd.DataFrame.from_arrow])
def test_other_libraries_read_the_table_of_to_frame(three: ef.Comparison, read: Any) -> None:
    frame = three.to_frame()
    table = read(three)
    rows = table if isinstance(table, pd.DataFrame) else table.to_pandas()
    assert [*rows.columns] == [*frame.columns]
    assert len(rows) == len(frame) == 6
    for name in frame.columns:
        ours, theirs = (pd.Series(one[name]).tolist() for one in (frame, rows))
        for one, other in zip(ours, theirs, strict=True):
            assert (pd.isna(one) and pd.isna(other)) or one == other, name


def test_text_is_text_and_numbers_are_numbers(three: ef.Comparison) -> None:
    schema = pl.DataFrame(three).schema
    assert schema["challenger"] == schema["outcome"] == schema["measure"] == pl.String
    assert schema["value"] == schema["pvalue"] == schema["margin"] == pl.Float64


def test_without_pyarrow_one_line_says_what_to_install(
    two: ef.Comparison, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(NotInstalled, match=r'needs pyarrow.*pip install "evenfold\[tables\]"'):
        two.__arrow_c_stream__()
