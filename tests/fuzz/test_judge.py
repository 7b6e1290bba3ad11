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
    frame = pd.DataFrame(
        {"algorithm": list("aabb"), "example": [1, 2, 1, 2], "value": [1.0, 0, 1, 1]}
    )
    c: Any = ef.judge(frame.assign(**change), measure="accuracy")
    assert float(c.estimate.value) == pytest.approx(0.5)
    other: Any = ef.judge(pl.from_pandas(frame.assign(**change)), measure="accuracy")
    assert float(other.estimate.value) == pytest.approx(0.5)


# What a file may hold in the place of a label, and what a baseline that is right may be turned
# into.
STRANGE: list[Any] = [
    *(
        "nan",
        "None",
        "NA",
        "inf",
        "-inf",
        "1e999",
        "True",
        " 1",
        "1 ",
        "1.0",
        "01",
        "idk",
        "",
        "\u00a01",
    ),
    *(
        float("nan"),
        float("inf"),
        None,
        True,
        1.0,
        np.float32(1),
        2**60 + 1,
        10**400,
        b"1",
        [1],
        {"a": 1},
    ),
]


@pytest.mark.parametrize("odd", STRANGE, ids=shown)
@pytest.mark.parametrize("how_many", [1, 40])
@pytest.mark.parametrize("kind", ["numbers", "words"])
def test_no_spelling_makes_a_worse_candidate_look_better(
    odd: Any, how_many: int, kind: str
) -> None:
    """A baseline that is right everywhere is not beaten by one wrong on every third example."""
    n = 80
    truth = [i % 2 if kind == "numbers" else ("dog", "cat")[i % 2] for i in range(n)]
    good: list[Any] = list(truth)
    bad = [truth[i] if i % 3 else truth[i - 1] for i in range(n)]
    places = [i for i in range(n) if i % 2][:how_many]
    for i in places:
        good[i] = odd
    frame = pd.DataFrame(
        {
            "algorithm": ["main"] * n + ["branch"] * n,
            "example": [*range(n)] * 2,
            "truth": truth * 2,
            "prediction": pd.Series([*good, *bad], dtype=object),
        }
    )
    c: Any = None
    said = ""
    try:
        c = ef.judge(frame, baseline="main")
    except ef.EvenfoldError as reason:
        said = str(reason)
    assert "\n" not in said
    another = kind == "words" or odd == "idk" or (isinstance(odd, int) and odd != 1)
    lost = how_many == 40 and another  # half of the answers are others: then it is worse indeed
    assert c is None or lost or c.verdict.outcome.value in ("worse", "inconclusive")


@pytest.mark.parametrize("unit", [10.0**k / 3 for k in range(-120, 121, 40)])
@pytest.mark.parametrize("rows", ["examples", "runs", "folds"])
def test_no_unit_changes_a_verdict(unit: float, rows: str) -> None:
    rng = np.random.default_rng(5)
    a = rng.normal(size=12)
    given: dict[str, Any] = {"rows": rows, "higher_is_better": True} | (
        {"n": 120} if rows == "folds" else {}
    )
    for b in (a, a + 0.1, a + rng.normal(1, 0.1, size=12)):
        plain: Any = ef.judge({"a": a, "b": b}, **given)
        other: Any = ef.judge({"a": a * unit, "b": b * unit}, **given)
        assert other.verdict.outcome is plain.verdict.outcome
