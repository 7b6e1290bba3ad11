"""Tables that are wrong get one line, before anything is computed."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from evenfold.core.errors import InvalidInput
from evenfold.core.inputs import Results
from evenfold.core.words import list_first_values
from evenfold.read.results import read_results


def good(**changed: Any) -> pd.DataFrame:
    frame = pd.DataFrame(
        {"algorithm": list("aabb"), "example": [1, 2, 1, 2], "value": [0.0, 1.0, 1.0, 1.0]}
    )
    return frame.assign(**changed)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (good(example=[1, "x", 1, "x"]), "must hold either integers or texts, but it has "
                                         "integers and texts"),
        (good(example=[1.0, 2.0, 1.0, 2.0]), "must hold integers or texts, but it has numbers "
                                             r"such as 1\.0\. Write ids as integers"),
        (good(example=["x", None, "x", "y"]), "an id in every row, but row 1 has none"),
        (good(group=["u", " ", "u", "v"]), "Column 'group' must have an id in every row"),
        (good(algorithm=["a", None, "b", "b"]), "Column 'algorithm' must have an id in every row"),
        (good(value=[0.0, np.nan, 1.0, 1.0]), r"but 1 row has none: example 2\. Pass "
                                              r"on_missing='drop' to leave such rows out\.$"),
        (good(value=["0", "x", "1", "1"]), "Column 'value' must hold finite numbers, but row 1 has "
                                           "'x'"),
        (good(value=[0.0, np.inf, 1.0, 1.0]), "Column 'value' must hold finite numbers, but row 1 "
                                              "has inf"),
        (good(value=[1j, 1j, 1j, 1j]), "Column 'value' must hold finite numbers"),
        (good().drop(columns="value"), "have a column 'value', or 'truth' and 'prediction'"),
        (good().drop(columns="example"), "have a column that says what varied"),
        (good().head(0), "The table has no rows"),
        (good().rename(columns={"example": "value"}), "a DataFrame, cannot be read: Expected "
                                                      "unique column names"),
        (good().rename(columns={"algorithm": "learner"}), r"such as 'a'\. Pass "
                                                          "columns={'algorithm': 'learner'"),
        (pd.DataFrame({"fold": range(10), "a": np.inf}), "finite numbers, but row 0 has inf"),
        (pd.DataFrame({"idx": range(10), "a": 0.5}), r"only numbers the rows, .* Pass "
                                                     "columns={'example': 'idx'}"),
        (good().rename(columns={"algorithm": "m"}).assign(m=[None, *"abb"]), r"such as 'a'\. Pass "
                                                                             "columns"),
        (pd.DataFrame({"fold": range(3), "a": [None] * 3}), "a value in every row, but 3 rows "
                                                            "have none: algorithm a"),
        (pd.DataFrame({"idx": range(10), "truth": 0.5, "a": 1.0}), "Column 'idx' only numbers "
                                                                   "the rows"),
    ],
)  # fmt: skip
def test_a_bad_frame_gets_one_line(table: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message) as caught:
        read_results(table)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        (
            "t.csv",
            "algorithm,example,value,value\na,1,0,0\n",
            "different names, but t.csv has 'value' twice",
        ),
        (
            "t.csv",
            "algorithm,example,value\na,1,0,7,8\nb,1\n",
            "t.csv has rows that do not fit its header",
        ),
        ("t.csv", "", "t.csv is empty"),
        ("t.csv", "algorithm,example,value\n", "t.csv has 3 columns but no rows"),
        ("t.csv", "value\n1\n", "several columns, separated by ',', but t.csv has only 'value'"),
        ("t.jsonl", '{"a": 1}\n[2]\n', "one JSON object per line, but line 2 of t.jsonl is none"),
        ("t.jsonl", "\n\n", "t.jsonl has no rows"),
        (
            "t.jsonl",
            '{"a": 1\n',
            "one JSON object per line, but line 1 of t.jsonl is none: Expecting",
        ),
        ("t.parquet", "no parquet", "t.parquet is not a Parquet file"),
        (
            "t.csv",
            "idx,a,b\n" + "".join(f"{i},0,1\n" for i in range(12)),
            "Column 'idx' only numbers the rows",
        ),
        ("t.txt", "x", r"The path of a file of results ends in \.csv, \.tsv, \.parquet or"),
    ],
)
def test_a_bad_file_gets_one_line(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InvalidInput, match=message) as caught:
        read_results(str(tmp_path / name))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["t.csv", "t.jsonl"])
def test_fifty_megabytes_of_one_line_are_not_parsed(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    with path.open("wb") as file:
        file.truncate(50 * 2**20)
    with pytest.raises(InvalidInput, match="a file with lines below 1,048,576 bytes"):
        read_results(path)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"there is no file .*no\.csv"):
        read_results(str(tmp_path / "no.csv"))
    with pytest.raises(InvalidInput, match="is a folder"):
        read_results(tmp_path)


def test_a_polars_frame_with_gaps_is_told_alike() -> None:
    with pytest.raises(InvalidInput, match="1 row has none: example 2"):
        read_results(pl.from_pandas(good(value=[0.0, None, 1.0, 1.0])))


def test_rows_without_a_value_are_dropped_and_counted() -> None:
    found = read_results(good(value=[0.0, np.nan, 1.0, 1.0]), on_missing="drop")
    assert len(found) == 3
    (left_out,) = found.notes
    assert left_out.partial
    assert str(left_out) == "Rows without a value were left out: 1."
    with pytest.raises(InvalidInput, match="on_missing must be one of 'refuse', 'drop'"):
        read_results(good(), on_missing="ignore")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: read_results(good(), columns={"model": "algorithm"}),
            "columns must map evenfold.s names of columns to yours",
        ),
        (
            lambda: read_results(good(), columns={"algorithm": "mdel"}),
            r"The column of 'algorithm' must be one of",
        ),
        (lambda: read_results(good(), columns=["x"]), "columns must map roles to names"),  # type: ignore[arg-type]  # what is refused
        (lambda: read_results({"a": [1]}, rows="items"), "rows must be one of 'examples'"),
        (lambda: read_results({"a": [1, 2]}, rows="folds", n=1), "n must be an integer ≥ 2"),
        (
            lambda: read_results({"a": [1, 2]}, rows="folds", n=3),
            "at least 4, two examples per fold",
        ),
        (
            lambda: read_results({"a": [1, 2]}, rows="splits"),
            "cv must be the splitter of these splits",
        ),
        (
            lambda: read_results({"a": np.zeros((2, 2, 2))}, rows="runs"),
            "one axis, or two axes runs × examples",
        ),
    ],
)
def test_what_is_said_of_a_table_is_checked(make: Callable[[], Results], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        make()


def test_labels_are_numbers_where_all_are() -> None:
    frame = good(truth=["1", "0", "1", "0"], prediction=["1.0", "0", "0", "0"]).drop(
        columns="value"
    )
    found = read_results(frame)
    assert found.truth is not None
    assert (found.truth == found.prediction).tolist() == [True, True, False, True]
    texts = read_results(frame.assign(truth=["1", "x", "1", "x"]))
    assert texts.truth is not None
    assert texts.truth.tolist() == ["1", "x", "1", "x"]


def test_probabilities_are_named_by_class() -> None:
    frame = good(truth=[1, 0, 1, 0], prediction=1, **{"p:0": 0.25, "p:1": 0.75}).drop(
        columns="value"
    )
    assert list(read_results(frame).probabilities) == [0, 1]
    with pytest.raises(
        InvalidInput, match="must be called p:NUMBER, but they are called p:no, p:1"
    ):
        read_results(frame.rename(columns={"p:0": "p:no"}))


def test_probabilities_stand_for_a_prediction() -> None:
    frame = good(truth=[1, 0, 1, 0], **{"p:0": [0.25, 0.6, 0.5, 0.1], "p:1": [0.75, 0.4, 0.5, 0.9]})
    found = read_results(frame.drop(columns="value"))
    assert found.prediction is not None
    assert found.prediction.tolist() == [1, 0, 0, 1]
    texts = (
        frame.drop(columns="value")
        .assign(truth=["y", "n", "y", "n"])
        .rename(columns={"p:0": "p:n", "p:1": "p:y"})
    )
    named = read_results(texts)
    assert named.prediction is not None
    assert named.prediction.tolist() == ["y", "n", "n", "y"]
    assert list(named.probabilities) == ["n", "y"]


def test_wide_ids_that_lie_far_apart_and_close() -> None:
    far = read_results(good(example=[10**15, -5, 10**15, -5]))
    assert far.example is not None
    assert far.example.labels.tolist() == [-5, 10**15]
    assert far.example.values().tolist() == [10**15, -5, 10**15, -5]


def test_five_are_listed() -> None:
    assert list_first_values(np.arange(7)) == "0, 1, 2, 3, 4 and 2 more"
    assert list_first_values([1]) == "1"


def test_some_rows_of_a_table() -> None:
    found = read_results(good(**{"truth": 1, "prediction": 1, "p:1": [0.1, 0.2, 0.3, 0.4]}))
    part = found.take(np.array([True, False, True, False]))
    assert part.varied == ()
    assert part.names == ("a", "b")
    assert part.probabilities[1].tolist() == [0.1, 0.3]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        (
            {"p:0": [25.0, 60, 50, 10], "p:1": [75.0, 40, 50, 90]},
            r"got 25 in row 0\. Divide percentages by 100",
        ),
        ({"p:0": [0.25, 1.2, 0.5, 0.1], "p:1": [0.75, -0.2, 0.5, 0.9]}, "got 1.2 in row 1"),
        ({"p:0": [0.9, 0.9, 0.5, 0.1], "p:1": [0.9, 0.4, 0.5, 0.9]}, "got a sum of 1.8 in row 0"),
        ({"p:0": [0.2, 0.4, 0.5, 0.1], "p:1": [0.3, 0.6, 0.5, 0.9]}, "got a sum of 0.5 in row 0"),
    ],
)
def test_columns_that_hold_no_probabilities_are_refused(
    columns: dict[str, Any], message: str
) -> None:
    """Per cents once gave "Brier score is higher by 6281 (95% CI 2 to 2)"."""
    frame = good(truth=[1, 0, 1, 0], prediction=1, **columns).drop(columns="value")
    with pytest.raises(InvalidInput, match=message):
        read_results(frame)


def test_probabilities_of_two_decimals_need_not_sum_to_1_exactly() -> None:
    thirds = {"p:0": 0.33, "p:1": 0.33, "p:2": 0.33}
    frame = good(truth=[1, 0, 2, 0], prediction=1, **thirds).drop(columns="value")
    assert len(read_results(frame).probabilities) == 3
