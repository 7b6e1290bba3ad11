"""Frames and columns of polars and pyarrow."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.compose import make_column_transformer
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

import evenfold as ef
from evenfold.core.errors import InvalidInput

pl = pytest.importorskip("polars", reason="polars is not installed")
pa = pytest.importorskip("pyarrow", reason="pyarrow is not installed")

RNG = np.random.default_rng(0)
N = 80
COLUMNS: dict[str, Any] = {"a": RNG.normal(size=N), "city": RNG.choice(["Bern", "Genf"], N)}
y = np.where(COLUMNS["a"] + (COLUMNS["city"] == "Bern") > 0.4, "yes", "no")
GROUPS = np.arange(N) // 2
MIXED = make_column_transformer((OneHotEncoder(), ["city"]), remainder="passthrough")
TWO = {"dummy": DummyClassifier(), "logistic": make_pipeline(MIXED, LogisticRegression())}


def compare(X: Any, target: Any, **options: Any) -> ef.Comparison:
    return ef.compare(TWO, X, target, design=ef.Mx2BCV(3), random_state=0, **options)


FRAMES: dict[str, Any] = {
    "polars": pl.DataFrame(COLUMNS),
    "lazy polars": pl.DataFrame(COLUMNS).lazy(),
    "pyarrow": pa.table({name: pa.array(column) for name, column in COLUMNS.items()}),
}
TARGETS: dict[str, Any] = {
    "polars": pl.Series(y),
    "polars categories": pl.Series(y).cast(pl.Categorical),
    "pyarrow column": pa.chunked_array([y.tolist()]),
    "pyarrow array": pa.array(y.tolist()),
}


@pytest.fixture(scope="module")
def expected() -> Any:
    return compare(pd.DataFrame(COLUMNS), y).losses.values


@pytest.mark.parametrize("frame", FRAMES)
def test_a_frame_is_as_good_as_that_of_pandas(frame: str, expected: Any) -> None:
    assert np.array_equal(compare(FRAMES[frame], y).losses.values, expected)


@pytest.mark.parametrize("target", TARGETS)
def test_a_column_is_as_good_as_an_array(target: str, expected: Any) -> None:
    assert np.array_equal(compare(FRAMES["polars"], TARGETS[target]).losses.values, expected)


def test_numbers_groups_and_weights_come_as_columns() -> None:
    X, z = FRAMES["polars"].select("a"), pl.Series(COLUMNS["a"] ** 2)
    plain = {"dummy": DummyClassifier(), "logistic": LogisticRegression()}
    given: Any = {"sample_weight": pl.Series(np.linspace(1, 2, N)), "groups": pa.array(GROUPS)}
    c = ef.compare(plain, X, pl.Series(y), random_state=0, **given)
    assert c.losses.weights is not None
    assert c.losses.clusters is not None
    assert (c.losses.weights[-1], c.losses.clusters.max()) == (2, N // 2 - 1)
    assert ef.compare([LinearRegression()], X, z, random_state=0).losses.measure == "squared"


def test_a_function_gets_the_rows_as_frames_of_their_library() -> None:
    def threshold(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001  (one signature)
        return ["yes" if a > 0 else "no" for a in X_test.get_column("a")]

    assert not ef.compare([threshold], FRAMES["polars"], y, random_state=0).failures


def test_a_store_knows_a_polars_frame_by_its_content(tmp_path: Path) -> None:
    store, frame = tmp_path / "runs.db", FRAMES["polars"]
    assert compare(frame, y, store=store).fits == 12
    assert compare(frame.clone(), y, store=store).fits == 0
    assert compare(frame.with_columns(a=pl.col("a") + 1), y, store=store).fits == 12


def test_several_processes_take_polars() -> None:
    assert not compare(FRAMES["polars"], y, n_jobs=2).failures


@pytest.mark.parametrize(
    ("X", "target", "message"),
    [
        (FRAMES["polars"], FRAMES["polars"], r"a frame with the columns a, city\. Pass one column"),
        (FRAMES["polars"], pl.Series([None, *y[1:].tolist()]), "y must not have missing values"),
        (FRAMES["polars"].head(5), y, "X must have as many rows as y"),
    ],
)
def test_what_is_no_data_is_refused(X: Any, target: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        compare(X, target)
