"""
What is different stays different.

Masks, large integers, names that print alike, categories, '1_0'.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.core.inputs import is_number, label_text
from evenfold.read.results import read_results

RNG = np.random.default_rng(0)
A = RNG.normal(size=40)
B = A + 0.5 + 0.1 * RNG.normal(size=40)
OWN: dict[str, Any] = {"measure": "mine", "higher_is_better": False}


def means(table: Any, **options: Any) -> dict[str, float]:
    return {one.name: one.mean for one in ef.judge(table, **options).facts.summaries}


def long(truth: Any, *predicted: Any) -> pd.DataFrame:
    n = len(truth)
    columns = {
        "algorithm": np.repeat(["a", "b"][: len(predicted)], n),
        "example": np.tile(np.arange(n), len(predicted)),
        "truth": np.tile(truth, len(predicted)),
        "prediction": np.concatenate(predicted),
    }
    return pd.DataFrame(columns)


@pytest.mark.parametrize("kind", [float, int])
def test_masked_values_are_missing(kind: type) -> None:
    a: Any = (100 * A).astype(kind)
    b: Any = np.ma.array((100 * B).astype(kind), mask=np.arange(40) % 4 == 0)
    table = {"a": a, "b": b}
    with pytest.raises(InvalidInput, match="a value in every row, but 10 rows have none"):
        ef.judge(table, rows="examples", **OWN)
    left = ef.judge(table, rows="examples", on_missing="drop", **OWN)
    hidden = np.ma.getmaskarray(b)
    plain = ef.judge({"a": a[~hidden], "b": b.data[~hidden]}, rows="examples", **OWN)
    assert left.estimate.confidence_interval() == plain.estimate.confidence_interval()
    scores = {name: {"test_score": one[:10]} for name, one in table.items()}
    with pytest.raises(InvalidInput, match="a value in every row"):
        ef.judge(scores, n=100)


@pytest.mark.parametrize("as_text", [False, True])
def test_labels_beyond_floats_are_told_apart(as_text: bool) -> None:
    truth = 2**60 + np.arange(60) % 3
    other = np.roll(truth, 1)
    frame = long(truth, truth, other)
    wide = pd.DataFrame({"example": np.arange(60), "truth": truth, "a": truth, "b": other})
    if as_text:
        frame = frame.astype({"truth": str, "prediction": str})
        wide = wide.astype({"truth": str, "a": str, "b": str})
    assert means(frame, measure="accuracy") == {"a": 1.0, "b": 0.0}
    assert means(wide, measure="accuracy") == {"a": 1.0, "b": 0.0}
    mixed = frame.astype({"prediction": object})
    assert means(mixed, measure="accuracy") == {"a": 1.0, "b": 0.0}


def test_probabilities_of_labels_beyond_floats_are_told_apart() -> None:
    truth = 2**60 + np.arange(60) % 2
    frame = long(truth, truth, truth).drop(columns="prediction")
    right = np.where(truth == 2**60, 0.9, 0.1)
    frame[f"p:{2**60}"] = np.r_[right, 1 - right]
    frame[f"p:{2**60 + 1}"] = 1 - frame[f"p:{2**60}"]
    found = means(frame, measure="log")
    assert found["a"] == pytest.approx(-np.log(0.9))
    assert found["b"] == pytest.approx(-np.log(0.1))


def test_ids_beyond_64_bits_are_told_apart() -> None:
    frame = pd.DataFrame(
        {"algorithm": ["a"] * 3, "example": np.arange(3, dtype=np.uint64) + 2**63, "value": 1.0}
    )
    assert len(read_results(frame).example or ()) == 3


def test_large_labels_that_are_predicted_as_floats_are_told_apart() -> None:
    y = 2**60 + 512 * (np.arange(40) % 2)
    first = lambda X_train, y_train, X_test: np.full(len(X_test), float(2**60))  # noqa: ARG005, E731
    halves = ef.Mx2BCV(1, random_state=0).partition(40)
    near = ef.run.run({"f": first}, halves, np.zeros((40, 1)), 2**60 + np.arange(40) % 2, seed=0)
    far = ef.run.run({"f": first}, halves, np.zeros((40, 1)), y, seed=0)
    np.testing.assert_array_equal(near["zero-one"].values, far["zero-one"].values)
    assert near["zero-one"].values.min() > 0.3


def test_labels_beyond_floats_are_compared_exactly() -> None:
    y = 2**60 + 1 + 2 * (np.arange(40) % 2)
    halves = ef.Mx2BCV(1, random_state=0).partition(40)
    X = np.zeros((40, 1))

    def wrong(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001  (a signature)
        return np.full(len(X_test), 2.0**60)

    def half(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001  (a signature)
        return np.resize([0.5, 2.0**60], len(X_test))

    found = ef.run.run({"wrong": wrong}, halves, X, y, seed=0)
    assert found["zero-one"].values.tolist() == [[1.0, 1.0]]
    [failure, _] = ef.run.run({"half": half}, halves, X, y, seed=0)["zero-one"].failures
    assert "labels beyond 2**53" in failure.message
    # numbers to predict may be as large: nanoseconds since 1970
    numbers = ef.run.run({"half": half}, halves, X, y, seed=0, measures="absolute")
    assert numbers["absolute"].failures == ()


def test_floats_beside_labels_beyond_floats_are_refused() -> None:
    truth = 2**60 + 1 + 2 * (np.arange(40) % 2)
    table = pd.DataFrame(
        {
            "algorithm": np.repeat(["a", "b"], 40),
            "example": np.tile(range(40), 2),
            "truth": np.tile(truth, 2),
            "prediction": np.full(80, 2.0**60),
        }
    )
    with pytest.raises(InvalidInput, match="1152921504606846976, none of the labels of the truth"):
        ef.judge(table, measure="accuracy")
    table["prediction"] = np.resize([0.5, 2.0**60], 80)
    with pytest.raises(
        InvalidInput, match="y must be class labels for measure 'accuracy' but is continuous"
    ):
        ef.judge(table, measure="accuracy")
    with pytest.raises(
        InvalidInput, match="y must be class labels for measure 'accuracy' but is continuous"
    ):
        ef.judge(table.astype({"truth": float}), measure="accuracy")


def test_names_that_are_one_text_are_refused() -> None:
    with pytest.raises(InvalidInput, match="Two algorithms have the name '1'"):
        ef.judge({1: A, "1": B}, rows="examples", **OWN)
    scores = {1: {"test_score": A}, "1": {"test_score": B}}
    with pytest.raises(InvalidInput, match="Two algorithms have the name"):
        ef.judge(scores, n=100)


def test_minus_zero_is_another_name_than_zero() -> None:
    assert set(means({"-0": A, "0": B}, rows="examples", **OWN)) == {"-0", "0"}
    ids = [*map(str, range(1, 39)), "-0", "0"]
    frame = pd.DataFrame({"algorithm": "a", "example": ids, "value": A})
    assert len(read_results(frame).example or ()) == 40


def test_the_character_nul_is_refused() -> None:
    with pytest.raises(
        InvalidInput, match="column 'algorithm' must be texts without the character NUL"
    ):
        ef.judge({"a": A, "a\0": B}, rows="examples", **OWN)
    frame = pd.DataFrame(
        {"algorithm": ["a"] * 20 + ["a\0"] * 20, "example": [*range(20)] * 2, "value": A}
    )
    with pytest.raises(
        InvalidInput, match="column 'algorithm' must be texts without the character NUL"
    ):
        ef.judge(frame, **OWN)
    labels = np.array(["x", "x\0"] * 20, dtype=object)
    with pytest.raises(
        InvalidInput, match="column 'truth' must be texts without the character NUL"
    ):
        ef.judge(long(labels, labels, labels), measure="accuracy")


class Alike:
    """One of several things that print alike."""

    def __repr__(self) -> str:
        return "alike"


@pytest.mark.parametrize("params", [[{"x": Alike()}, {"x": Alike()}], [{"x": 1}, {"x": "1"}]])
def test_candidates_that_print_alike_are_numbered(params: list[Any]) -> None:
    found = {"params": params} | {
        f"split{j}_test_score": np.array([0.1 + j / 99, 0.9]) for j in range(4)
    }
    text = f"x={params[0]['x']}"
    assert set(means(found, n=100)) == {text, f"{text} 2"}


def test_a_line_below_is_no_part_of_a_number() -> None:
    frame = pd.DataFrame(
        {"algorithm": "a", "example": range(40), "value": ["1_0", *map(str, A[1:])]}
    )
    with pytest.raises(
        InvalidInput, match="Column 'value' must hold finite numbers, but row 0 has '1_0'"
    ):
        ef.judge(frame, **OWN)
    labels = np.array(["1_0", "10"] * 20, dtype=object)
    assert means(long(labels, np.array(["10"] * 40, dtype=object)), measure="accuracy") == {
        "a": 0.5
    }


LABELS = np.array(["x", "y"] * 20)
FRAMES = {
    "long": long(LABELS, LABELS, np.roll(LABELS, 1)),
    "wide": pd.DataFrame({"example": range(40), "truth": LABELS, "a": LABELS,
                          "b": np.roll(LABELS, 1)}),
    "numbers": pd.DataFrame({"algorithm": ["a"] * 40 + ["b"] * 40, "example": [*range(40)] * 2}
                            | {"value": np.r_[A, B].round(1), "weight": [1.0, 2.0] * 40}),
    "wide numbers": pd.DataFrame({"example": range(40), "a": A.round(1), "b": B.round(1)}),
}  # fmt: skip


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("in_file", [False, True])
def test_columns_may_be_categories(name: str, in_file: bool, tmp_path: Path) -> None:
    frame = FRAMES[name]
    options = OWN if "numbers" in name else {"measure": "accuracy"}
    table: Any = frame.astype("category")
    if in_file:
        table.to_parquet(tmp_path / "t.parquet")
        table = tmp_path / "t.parquet"
    assert means(table, **options) == means(frame, **options)


def test_a_gap_among_categories_is_one() -> None:
    frame = FRAMES["long"].astype({"truth": "category", "prediction": "category"})
    frame.loc[0, "prediction"] = np.nan
    with pytest.raises(InvalidInput, match="a value in every row, but 1 row has none"):
        ef.judge(frame, measure="accuracy")


def hidden(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001  (an algorithm's signature)
    return np.ma.array(np.zeros(len(X_test), dtype=int), mask=np.arange(len(X_test)) % 2 == 0)


def hidden_chances(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001  (as above)
    return {"labels": None, "probabilities": np.ma.array(np.full((len(X_test), 2), 0.5), mask=True)}


@pytest.mark.parametrize("function", [hidden, hidden_chances])
def test_masked_predictions_are_no_predictions(function: Any) -> None:
    halves = ef.Mx2BCV(1, random_state=0).partition(40)
    done = ef.run.run(function, halves, np.zeros((40, 1)), np.arange(40) % 2, seed=0)
    assert {failure.kind for failure in done.failures} == {"masked predictions"}


def test_large_labels_are_written_exactly() -> None:
    assert [label_text(one) for one in (2**60 + 1, str(2**60 + 1), "007")] == [
        f"{2**60 + 1}"
    ] * 2 + ["7"]
    assert not is_number("1_0")
