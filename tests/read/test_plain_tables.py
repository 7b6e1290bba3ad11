"""Tables without a frame library: pandas, which reads the same files, is the second opinion."""

import csv
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenfold.core.errors import InvalidInput
from evenfold.read.plain_tables import PlainTable, Ragged, read_texts
from evenfold.read.results.files import read_frame

CELLS = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=8)


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=8),
    st.sampled_from(",;\t|"),
)
def test_it_reads_what_pandas_reads(rows: list[list[str]], separator: str) -> None:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=separator, quoting=csv.QUOTE_ALL)
    writer.writerows([["a", "b", "c"], *rows])
    table = read_texts(io.StringIO(text.getvalue()), separator, "t.csv")
    frame = pd.read_csv(
        io.StringIO(text.getvalue()), sep=separator, dtype=str, keep_default_na=False
    )
    assert table is not None
    assert table.columns == list(frame.columns)
    assert table.rows() == [dict(zip("abc", row, strict=True)) for row in rows]
    assert table.rows() == frame.to_dict(orient="records")


def read(text: str) -> Any:
    return read_texts(io.StringIO(text, newline=""), ",", "t.csv")


def test_rows_that_are_short_empty_or_end_in_a_separator() -> None:
    assert read("a,b\n1\n\n2,3,\n").rows() == [{"a": "1", "b": ""}, {"a": "2", "b": "3"}]
    assert read("") is None
    assert len(read("a,b\n")) == 0
    assert read(",b\n0,x\n").columns == ["Unnamed: 0", "b"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b\n1,2\n1,2,3\n", "row 2 has 3 cells where the header has 2"),
        ("a,b\n1,2,,\n", "row 1 has 4 cells"),
        ('a,b\n"1,2\n', "line 2: unexpected end of data"),
    ],
)
def test_what_does_not_fit_is_named(text: str, message: str) -> None:
    with pytest.raises(Ragged, match=message):
        read(text)


def test_a_cell_may_be_longer_than_csv_allows_and_the_limit_is_put_back() -> None:
    before = csv.field_size_limit()
    assert len(read(f"a,b\n1,{'x' * 200_000}\n")["b"][0]) == 200_000
    assert csv.field_size_limit() == before


def test_columns_have_the_kind_of_their_values() -> None:
    columns: dict[str, list[Any]] = {
        "truth": [True, False],
        "whole": [1, -2],
        "large": [2**70, 1],
        "float": [1, 0.5],
        "huge": [10**400, 0.5],
        "gap": [1, None],
        "lists": [[1, 2], [3, 4]],
        "texts": ["a", "b"],
    }
    table = PlainTable.of(columns)
    assert [table[name].dtype.kind for name in columns] == list("biOfOOOO")
    assert {name: table[name].tolist() for name in columns} == columns
    assert table.drop(columns="gap").columns == [name for name in columns if name != "gap"]


def test_large_whole_numbers_with_gaps_stay_whole(tmp_path: Path) -> None:
    """pandas makes floats of them, and two ids one."""
    path = tmp_path / "t.jsonl"
    path.write_text(
        '{"example": 9007199254740993}\n{"example": 9007199254740992}\n{"x": 1}\n', encoding="utf-8"
    )
    assert read_frame(path)["example"].tolist() == [2**53 + 1, 2**53, None]


def test_row_numbers_that_pandas_wrote_are_no_column(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    pd.DataFrame({"example": [5, 6], "value": [0, 1]}).to_csv(path)
    assert read_frame(path).columns == ["example", "value"]
    path.write_text(",value\n7,0\n8,1\n", encoding="utf-8")
    assert read_frame(path).columns == ["Unnamed: 0", "value"]


def test_decimal_commas_become_points_where_all_are(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("example;value;text\n1;0,5;a,b\n2;;c\n", encoding="utf-8")
    table = read_frame(path)
    np.testing.assert_array_equal(table["value"], ["0.5", ""])
    np.testing.assert_array_equal(table["text"], ["a,b", "c"])


def test_an_open_quote_is_refused_in_one_line(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('example,value\n1,"0\n2,1\n', encoding="utf-8")
    with pytest.raises(
        InvalidInput, match=r"^t\.csv has rows that do not fit its header: line 3: unexpected end"
    ):
        read_frame(path)
