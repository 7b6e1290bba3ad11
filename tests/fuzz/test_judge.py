"""``ef.judge`` answers nonsense in one line of our own errors, whatever is nonsense about it."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import evenfold as ef

NONSENSE: list[Any] = [
    *(None, "", "x", "no.csv", "mlflow:", 5, 2.5, True, [], [1, 2], (), {}, object(), int),
    *({"a": one} for one in (None, "x", [], [[1], [1, 2]], [1, None], [np.inf, 1], np.zeros(0))),
    *({"a": {"test_score": one}} for one in (None, [], [1], "x")),
    *({"params": 1}, {"a": np.array(["x", "y"])}, {"a": pd.DataFrame({"example": [1]})}),
    *(np.zeros(3), np.zeros((2, 2)), pd.Series([1, 2]), pd.DataFrame(), pl.DataFrame()),
    pd.DataFrame({"algorithm": []}),
]
GOOD = {"a": [1.0, 0.0, 1.0, 1.0], "b": [1.0, 1.0, 0.0, 1.0]}
ODD: list[Any] = [
    "x",
    "",
    5,
    -1,
    0,
    2.5,
    [],
    {},
    (1, 2),
    object(),
    np.nan,
    np.array([1, 2]),
    True,
    False,
    b"x",
]
OPTIONS = (
    *("measure", "method", "margin", "level", "alternative", "baseline", "adjust", "positive"),
    *("higher_is_better", "columns", "rows", "cv", "n", "paired", "on_missing"),
)


def shown(value: Any) -> str:
    """Name a case by its value, without addresses: every worker must collect the same tests."""
    return repr(value).split(" at 0x")[0][:30]


@pytest.mark.parametrize("table", NONSENSE, ids=shown)
@pytest.mark.parametrize("rows", [None, "examples", "folds", "runs", "data sets"])
def test_a_table_that_is_none(table: Any, rows: Any) -> None:
    with pytest.raises(ef.EvenfoldError) as caught:
        print(ef.judge(table, rows=rows, n=10, higher_is_better=True))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("odd", ODD, ids=shown)
def test_an_option_that_is_none(option: str, odd: Any) -> None:
    given: dict[str, Any] = {"rows": "examples", "higher_is_better": True, option: odd}
    said = ""
    try:
        ef.judge(GOOD, **given)
    except ef.EvenfoldError as reason:
        said = str(reason)
    assert "\n" not in said


@pytest.mark.parametrize(
    "change",
    [
        {"algorithm": [1, 1, 2, 2]},
        {"example": pd.to_datetime(["2020-01-01", "2020-01-02"] * 2)},
        {"example": pd.Categorical(["x", "y"] * 2)},
        {"example": pd.array([1, 2, 1, 2], dtype="Int64")},
        {"example": pd.array(["x", "y", "x", "y"], dtype="string")},
        {"example": [True, False, True, False]},
        {"value": pd.array([1, 0, 1, 1], dtype="Float64")},
        {"value": pd.array([True, False, True, True], dtype="boolean")},
        {"value": [True, False, True, True]},
        {"value": np.array([1, 0, 1, 1], dtype=np.int8)},
        {"algorithm": pd.Categorical(["a", "a", "b", "b"], categories=["c", "b", "a"])},
    ],
    ids=lambda change: next(iter(change)),
)
def test_types_that_frames_have(change: dict[str, Any]) -> None:
    frame = pd.DataFrame({"algorithm": list("aabb"), "example": [1, 2, 1, 2], "value": [1.0, 0, 1, 1]})
    c: Any = ef.judge(frame.assign(**change), measure="accuracy")
    assert float(c.estimate.value) == pytest.approx(0.5)
    other: Any = ef.judge(pl.from_pandas(frame.assign(**change)), measure="accuracy")
    assert float(other.estimate.value) == pytest.approx(0.5)
