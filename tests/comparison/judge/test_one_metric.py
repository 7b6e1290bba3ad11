"""The interval of one metric beside values from elsewhere, which the page about it quotes."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

import evenfold as ef

PAGE = Path(__file__).parents[3] / "docs" / "interval-of-one-metric.md"
# S100B of 113 patients with an aneurysmal subarachnoid haemorrhage, by outcome: Turck et al. (2010)
# Intensive Care Medicine 36:107-115, as in the data set aSAH of pROC.
GOOD = (
    "13 14 10 4 47 18 10 10 4 8 4 9 11 7 17 7 11 13 19 5 16 14 34 9 50 46 16 7 43 45 11 8 9 8 6 13 "
    "10 14 15 6 5 9 4 9 8 16 9 8 33 11 28 7 10 32 7 5 24 38 10 15 8 14 10 7 4 19 15 47 17 15 50 48"
)
POOR = (
    "13 10 16 12 44 71 49 7 33 9 7 41 35 48 96 25 86 52 207 7 77 30 3 9 23 70 27 71 8 26 13 10 11 "
    "22 56 14 58 32 82 74 44"
)
TRUTH = np.repeat([1, 1, 0, 0], [163, 11, 26, 84])
PREDICTED = np.repeat([1, 0, 1, 0], [163, 11, 26, 84])
COUNTS = pd.DataFrame(
    {"algorithm": "bayes", "example": range(284), "truth": TRUTH, "prediction": PREDICTED}
)


def test_auc_has_the_standard_error_of_proc() -> None:
    good, poor = ([int(value) / 100 for value in text.split()] for text in (GOOD, POOR))
    table = pd.DataFrame(
        {
            "algorithm": "s100b",
            "example": range(113),
            "truth": ["good"] * len(good) + ["poor"] * len(poor),
            "score": good + poor,
        }
    )
    c = ef.judge(table, measure="auc", positive="poor")
    assert c.value == pytest.approx(0.7313686, abs=1e-7)
    # "95% CI: 0.6301-0.8326 (DeLong)" of pROC::ci.auc(roc(aSAH$outcome, aSAH$s100b))
    z = stats.norm.isf(0.025)
    standard_error = float(c.estimate.standard_error)
    symmetric = c.value - z * standard_error, c.value + z * standard_error
    assert symmetric == pytest.approx((0.6301, 0.8326), abs=5e-5)
    assert c.interval == pytest.approx((0.619, 0.820), abs=5e-4)


def test_f1_is_near_the_bootstrap_and_another_package() -> None:
    c = ef.judge(COUNTS, measure="f1", positive=1)
    # f1_score(truth, predicted, average="binary", method=…, random_state=0) of confidenceinterval
    # 1.0.5, n_resamples=9999
    assert c.value == pytest.approx(0.8980716253443527, rel=1e-12)
    assert c.interval == pytest.approx((0.8605341246290803, 0.9270833333333333), abs=0.001)  # BCa
    assert c.interval == pytest.approx((0.8636363636363636, 0.9291338582677166), abs=0.004)
    drawn = np.random.default_rng(0).multinomial(284, np.array([163, 11, 26, 84]) / 284, 20_000)
    scores = 2 * drawn[:, 0] / (2 * drawn[:, 0] + drawn[:, 1] + drawn[:, 2])
    assert float(c.estimate.standard_error) == pytest.approx(scores.std(), rel=0.02)


def test_a_pass_rate_has_the_interval_of_wilson() -> None:
    right = (TRUTH == PREDICTED).astype(int)
    c = ef.judge({"bayes": right}, rows="examples", measure="accuracy")
    rate = stats.binomtest(int(right.sum()), len(right))
    wilson = rate.proportion_ci(method="wilson")
    exact = rate.proportion_ci(method="exact")
    assert c.interval == pytest.approx((wilson.low, wilson.high), abs=4e-4)  # by Student's t
    assert exact.low < c.interval[0] < c.interval[1] < exact.high
    # proportion_confint(247, 284) of statsmodels 0.15, "wilson" and "beta"
    assert (wilson.low, wilson.high) == pytest.approx((0.825585537940597, 0.9039827489225398))
    assert (exact.low, exact.high) == pytest.approx((0.8249204069563815, 0.9065845570738389))


def _root_of_mean(squares: Any, axis: int) -> Any:
    return np.sqrt(squares.mean(axis=axis))


def test_rmse_is_near_the_bootstrap() -> None:
    X, y = load_diabetes(return_X_y=True)
    predicted = LinearRegression().fit(X[::2], y[::2]).predict(X[1::2])
    rows = {"example": range(len(predicted)), "truth": y[1::2], "prediction": predicted}
    c = ef.judge(pd.DataFrame({"algorithm": "ols", **rows}), measure="rmse")
    squares = (y[1::2] - predicted) ** 2
    drawn = stats.bootstrap((squares,), _root_of_mean, n_resamples=9999, rng=0, method="percentile")
    assert c.value == pytest.approx(np.sqrt(squares.mean()), rel=1e-12)
    assert float(c.estimate.standard_error) == pytest.approx(drawn.standard_error, rel=0.03)
    assert c.interval == pytest.approx(tuple(drawn.confidence_interval), abs=0.25)


def test_one_estimator_needs_no_list() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    c = ef.compare(GaussianNB(), X[:, :3], y, measure="auc", random_state=0)
    low, high = c.interval
    assert 0.9 < low < c.value < high < 1
    assert c.pairs[0].baseline is None


@pytest.mark.parametrize("name", ["model.csv", "model.jsonl"])
def test_one_file_is_one_model_by_the_name_of_the_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    frame = COUNTS.drop(columns="algorithm")
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_json(path, orient="records", lines=True)
    c = ef.judge(path, measure="f1", positive="1" if path.suffix == ".csv" else 1)
    assert c.losses.algorithms == ("model",)
    assert c.interval == ef.judge(COUNTS, measure="f1", positive=1).interval


def test_the_page_quotes_these_values() -> None:
    page = PAGE.read_text("utf-8")
    for value in ("0.05166", "0.630 to 0.833", "0.864 to 0.929", "0.8256 to 0.9040", "0.8249 to"):
        assert value in page
