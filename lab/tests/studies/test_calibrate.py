"""Calibration on the user's own data."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import evenfold as ef
from evenfold_lab.studies.calibrate import spread

X, Y = load_iris(return_X_y=True)


def test_rows_words_and_the_power_to_see_the_obvious() -> None:
    found = ef.lab.calibrate(
        {"dummy": DummyClassifier(), "bayes": GaussianNB()}, X, Y,
        methods=["5x2-combined-t", "mcnemar"],
        replications=12, random_state=0,
    )  # fmt: skip
    frame = found.to_frame()
    assert frame["method"].tolist() == ["5x2-combined-t", "mcnemar"]
    assert (frame["power"] == 1).all()
    assert (frame["difference"] < -0.5).all()
    assert str(found).startswith("on data like yours '5x2-combined-t' errs ")
    assert "finds a difference of −0." in str(found)
    assert found.plot().axes[0].get_xlim()[1] <= 1.05, "a share has no bar above 1"


def test_the_same_seed_on_two_workers_and_from_a_store(tmp_path: Path) -> None:
    pair = [GaussianNB(), KNeighborsClassifier(1)]
    ask: dict[str, Any] = {"methods": ["5x2-t", "kfold-t"], "replications": 4, "random_state": 1}
    alone = ef.lab.calibrate(pair, X, Y, **ask)
    both = ef.lab.calibrate(pair, X, Y, n_jobs=2, store=tmp_path / "s.db", **ask)
    assert alone.to_frame().equals(both.to_frame())


@pytest.mark.parametrize(
    "design", [ef.Mx2BCV(3), ef.KFold(4), ef.design.RLT(3, 0.5), ef.design.LeaveOneOut()]
)
def test_copies_stay_on_one_side(design: ef.design.Design) -> None:
    unit = np.repeat(np.arange(20), np.arange(20) % 3 + 1)
    wide = spread(design.partition(20), unit)
    for train, test in wide:
        assert not set(unit[train]) & set(unit[test])
        assert set(unit[train]) | set(unit[test]) == set(range(20))
        assert len(train) + len(test) == len(unit)


@pytest.mark.parametrize(
    ("pair", "data", "message"),
    [
        ([GaussianNB()], (X, Y), "two, the baseline and the challenger"),
        ([GaussianNB()] * 2, (X[::10], Y[::10]), "at least 30"),
    ],
)
def test_refusals(pair: list[object], data: tuple[object, object], message: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=message):
        ef.lab.calibrate(pair, *data)


def test_the_null_is_about_the_splits_that_the_estimate_is_about() -> None:
    """
    B is right on small training sets only.

    The conservative Z trains on large ones, besides on halves.
    """

    def zero(_X: object, _y: object, X_test: np.ndarray) -> np.ndarray:
        return np.zeros(len(X_test), dtype=int)

    def small(X_train: np.ndarray, _y: object, X_test: np.ndarray) -> np.ndarray:
        if len(X_train) > 40:
            return np.zeros(len(X_test), dtype=int)
        return X_test[:, 0].astype(int)

    y = np.arange(60) % 2
    found = ef.lab.calibrate(
        {"a": zero, "b": small}, y[:, None].astype(float), y, methods=["conservative-z"],
        replications=3,
        random_state=0,
    )  # fmt: skip
    assert found.rows[0]["null"] == 0


def test_the_default_stops_where_its_verdict_is_stable() -> None:
    pair = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
    asked: Any = {"methods": ["mx2-influence-t"], "replications": 3, "random_state": 0}
    (clear,) = ef.lab.calibrate(pair, X, Y, **asked).rows
    assert (clear["power"], clear["fits"]) == (1, 20)
    few = slice(None, None, 5)
    (small,) = ef.lab.calibrate(pair, X[few], Y[few], **asked).rows
    assert small["fits"] >= 20, "resamples of 30 examples have too few different ones for 27 halves"


def test_the_default_of_compare_goes_first() -> None:
    pair = [GaussianNB(), GaussianNB(var_smoothing=0.1)]
    asked: Any = {"replications": 2, "random_state": 0}
    found = ef.lab.calibrate(pair, X, Y, **asked)
    assert found.rows[0]["method"] == ef.infer.recommended("mx2-bcv")
    assert len({row["method"] for row in found.rows}) == 7
    scored = ef.lab.calibrate(pair, X, Y, measure="adjusted_rand_score", **asked)
    assert scored.rows[0]["method"] == "mx2-sequential-t"
