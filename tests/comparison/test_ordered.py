"""
Comparisons of ordered data.

Windows, what the verdict is about, what is said where order is ignored.
"""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import LinearRegression, Ridge

import evenfold as ef
from evenfold.comparison.request import number_times
from evenfold.core.errors import HiddenVariance, InvalidInput, NotApplicable
from evenfold.infer.inputs.values import horizon_of

N = 120
RNG = np.random.default_rng(0)
DAYS = pd.date_range("2024-01-01", periods=N, freq="D")
X = pd.DataFrame(RNG.normal(size=(N, 2)), columns=["a", "b"], index=DAYS)
Y = X["a"].to_numpy() + RNG.normal(size=N)
PAIR: dict[str, Any] = {"mean": DummyRegressor(), "line": LinearRegression()}


def test_order_is_an_index_a_column_or_an_array() -> None:
    by_index = ef.compare(PAIR, X, Y, order=X.index, random_state=0)
    by_column = ef.compare(PAIR, X.reset_index(names="day"), Y, order="day", random_state=0)
    by_array = ef.compare(PAIR, X.to_numpy(), Y, order=np.arange(N), random_state=0)
    frame = pl.from_pandas(X.reset_index(names="day"))
    by_another = ef.compare(PAIR, frame, Y, order="day", random_state=0)
    for c in (by_index, by_column, by_array, by_another):
        assert c.facts.method.key == "diebold-mariano"
        assert c.facts.design.name == "GrowingWindow(train_size=0.5, horizon=3)"
        assert c.estimate.value == pytest.approx(by_index.estimate.value)
    assert "for these forecasts along this path" in str(by_index.verdict)
    assert any("Ordered data are split by time" in str(note) for note in by_index.notes)
    assert "order=order" in by_index.facts.call


def test_the_report_shows_the_sum_of_differences_along_the_path() -> None:
    c = ef.compare(PAIR, X, Y, order=X.index, random_state=0)
    (pair,) = c.facts.pairs
    assert pair.along[-1] == pytest.approx((60, 60 * c.estimate.value))
    assert "Along the path: the sum of the differences so far" in c.to_html()
    assert ef.Comparison.from_json(c.to_json()).facts.pairs[0].along == pair.along
    assert (
        not ef.compare(PAIR, X.to_numpy(), Y, design="kfold:3", random_state=0).facts.pairs[0].along
    )


def test_times_as_texts_are_dates_and_nothing_else() -> None:
    days = X.index.strftime("%Y-%m-%d").to_numpy()
    written, moments = (
        ef.compare(PAIR, X.to_numpy(), Y, order=one, random_state=0) for one in (days, X.index)
    )
    assert np.array_equal(written.losses.values, moments.losses.values)
    for texts in (X.index.strftime("%d.%m.%Y").to_numpy(), np.arange(len(Y)).astype(str)):
        with pytest.raises(
            InvalidInput, match="order must be numbers or ISO dates such as 2024-01-31"
        ):
            ef.compare(PAIR, X.to_numpy(), Y, order=texts)
    for odd in ("", "NaT", "nan", "2000Q1"):
        late = np.array([*X.index.strftime("%Y-%m-%d")[:-1], odd])
        with pytest.raises(
            InvalidInput,
            match=rf"got \W*'{odd}' at position {N - 1}\W+If the times sort correctly as texts",
        ):
            ef.compare(PAIR, X.to_numpy(), Y, order=late)


def test_times_may_have_different_offsets_from_universal_time() -> None:
    texts = ["2024-01-01T00:30+01:00", "2024-01-01T00:00+00:00", "2023-12-31T23:45+00:00"]
    codes: Any = number_times(None, texts, 3)
    assert codes.tolist() == [0, 2, 1]


def test_rows_may_be_in_any_order() -> None:
    mixed = np.random.default_rng(1).permutation(N)
    straight = ef.compare(PAIR, X, Y, order=X.index, random_state=0)
    c = ef.compare(PAIR, X.iloc[mixed], Y[mixed], order=X.index[mixed], random_state=0)
    assert c.estimate.value == pytest.approx(straight.estimate.value)
    assert float(c.estimate.pvalue) == pytest.approx(float(straight.estimate.pvalue))
    windows = ef.compare(PAIR, X.iloc[mixed], Y[mixed], design="growing:0.5:3", random_state=0)
    # the index says the order
    assert windows.estimate.value == pytest.approx(straight.estimate.value)


def test_the_estimate_is_the_method_on_the_values_of_each_window() -> None:
    twice = np.repeat(np.arange(N // 2), 2)  # two examples at each time
    rolling = ef.design.RollingWindow(20, 1, gap=2)
    c = ef.compare(PAIR, X.to_numpy(), Y, order=twice, design=rolling, random_state=0)
    d = c.losses.differences()
    assert len(d) == 38
    assert any(
        "The path is short for its horizon (38 times, horizon 3)" in str(note) for note in c.notes
    )
    with pytest.warns(HiddenVariance):
        by_hand = ef.infer.diebold_mariano(d, horizon=3)  # the gap counts
    assert float(c.estimate.pvalue) == pytest.approx(float(by_hand.pvalue))
    assert "of models trained on the latest 40 examples" in str(c.verdict)


@pytest.mark.parametrize(
    ("horizon", "gap", "windows"), [(1, 0, 1), (4, 0, 1), (4, 1, 2), (1, 3, 4), (4, 8, 3)]
)
def test_the_horizon_counts_in_windows(horizon: int, gap: int, windows: int) -> None:
    assert horizon_of(ef.design.RollingWindow(20, horizon, gap=gap).partition(120)) == windows


def test_the_method_at_its_window_length() -> None:
    c = ef.compare(PAIR, X, Y, order=X.index, method="giacomini-white", random_state=0)
    assert c.facts.design.name.startswith("RollingWindow")
    assert "for models trained on the latest 60 examples" in str(c.verdict)


def test_a_measure_without_values_per_example_is_judged_by_window() -> None:
    from sklearn.linear_model import LogisticRegression

    models = {"a": LogisticRegression(C=1e-6), "b": LogisticRegression()}
    c = ef.compare(models, X, Y > 0, design="growing:40:8", measure="f1", random_state=0)
    d = c.losses.differences()
    assert len(d) == 10
    assert float(c.estimate.pvalue) == pytest.approx(float(ef.infer.diebold_mariano(d).pvalue))
    looked = ef.compare(models, X, Y > 0, order=X.index, method="anytime", random_state=0)
    assert looked.facts.design.kind == "growing"


def test_a_run_is_read_back_with_its_windows(tmp_path: Any) -> None:
    store = str(tmp_path / "runs.db")
    c = ef.compare(PAIR, X, Y, order=X.index, random_state=0, store=store)
    again = ef.reopen(store, str(c.facts.run_id))
    assert str(again.verdict).split(";")[0] == str(c.verdict).split(";")[0]
    assert float(again.estimate.pvalue) == pytest.approx(float(c.estimate.pvalue))


def test_many_forecasters_and_their_confidence_set() -> None:
    c = ef.compare({**PAIR, "ridge": Ridge()}, X, Y, order=X.index, random_state=0)
    found = ef.infer.estimate(c.losses, "model-confidence-set")
    assert isinstance(found, ef.infer.ModelConfidenceSet)
    assert found.inside().tolist() == [False, True, True]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (X, "X is indexed by time"),
        (X.reset_index(names="day"), "column 'day' of X rises with time"),
        (
            X.reset_index(drop=True).assign(year=np.arange(len(X))),
            "column 'year' of X rises with time",
        ),
        (
            X.reset_index(drop=True).assign(on=X.index.astype(str)),
            "column 'on' of X rises with time",
        ),
    ],
)
def test_shuffling_what_has_times_is_said(rows: Any, said: str) -> None:
    def mean(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001 - looks at y only
        return np.full(len(X_test), y_train.mean())

    def median(X_train: Any, y_train: Any, X_test: Any) -> Any:  # noqa: ARG001 - looks at y only
        return np.full(len(X_test), np.median(y_train))

    c = ef.compare({"mean": mean, "median": median}, rows, Y, design="kfold:3", random_state=0)
    assert any(
        str(note).startswith(said) and "answers another question" in str(note) for note in c.notes
    )


@pytest.mark.parametrize(
    "column",
    [
        {"number": np.arange(len(X))},  # a count of rows may be anything
        {"year": np.arange(len(X))[::-1]},
        {"year": np.zeros(len(X))},
        {"day": pd.array([None, *range(1, len(X))], dtype="Int64")},
        {"word": ["2020-01", *["b"] * (len(X) - 1)]},
        {"mixed": ["2020-01", *[3] * (len(X) - 1)]},
    ],
)
def test_what_is_no_time_is_not_taken_for_one(column: dict[str, Any]) -> None:
    from evenfold.run.data import Data

    rows = X.reset_index(drop=True).assign(**column)
    assert Data(X=rows, kind="number", y=np.asarray(Y)).timed == ""


def test_what_is_refused() -> None:
    with pytest.raises(
        InvalidInput, match=r"order must be left out with KFold.*which does not keep the order"
    ):
        ef.compare(PAIR, X, Y, order=X.index, design="kfold:5")
    with pytest.raises(
        NotApplicable, match=r"'mx2-t' is not valid for ordered data\. Use 'diebold-mariano'"
    ):
        ef.compare(PAIR, X, Y, order=X.index, method="mx2-t")
    with pytest.raises(NotApplicable, match="'diebold-mariano' needs two windows or more"):
        ef.compare(PAIR, X, Y, design="growing:119:1")
    with pytest.raises(InvalidInput, match="groups must be left out where data are cut by time"):
        ef.compare(PAIR, X, Y, order=X.index, groups=np.arange(N) % 4)
    with pytest.raises(InvalidInput, match="groups must be left out where data are cut by time"):
        ef.compare(PAIR, X, Y, design="growing:0.5:1", groups=np.arange(N) % 4)
    with pytest.raises(InvalidInput, match="order must be one of 'a', 'b' but got 'day'"):
        ef.compare(PAIR, X, Y, order="day")
    with pytest.raises(InvalidInput, match="order can name a column only where X is a frame"):
        ef.compare(PAIR, X.to_numpy(), Y, order="day")
    with pytest.raises(InvalidInput, match="order must be one value per example"):
        ef.compare(PAIR, X, Y, order=X.index[:-1])
    with pytest.raises(InvalidInput, match="order must hold at least two different times"):
        ef.compare(PAIR, X, Y, order=np.zeros(N))
    with pytest.raises(InvalidInput, match="at must be 'half' for ordered data"):
        ef.compare(PAIR, X, Y, order=X.index, at="full")
    with pytest.raises(InvalidInput, match="order must have the index of X"):
        ef.compare(PAIR, X, Y, order=pd.Series(np.arange(N)))
