"""``compare`` with designs that are scikit-learn's, numbers, texts or pairs."""

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import Ridge
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
)
from sklearn.naive_bayes import GaussianNB

import evenfold as ef

X, y = load_iris(return_X_y=True)
TWO = {"dummy": DummyClassifier(), "bayes": GaussianNB()}
GROUPS = np.arange(len(y)) % 15


@pytest.mark.parametrize(
    ("design", "method"),
    [
        (StratifiedKFold(5), "corrected-kfold-t"),
        (ShuffleSplit(5), "corrected-resampled-t"),
        (RepeatedKFold(n_splits=5, n_repeats=2), "corrected-resampled-t"),
        (list(KFold(5, shuffle=True, random_state=0).split(X)), "corrected-kfold-t"),
        (5, "corrected-kfold-t"),
        ("repeated-kfold:5:2", "corrected-resampled-t"),
    ],
    ids=lambda one: type(one).__name__,
)
def test_a_splitter_gets_the_method_of_its_kind(design: Any, method: str) -> None:
    c = ef.compare(TWO, X, y, design=design, random_state=0)
    assert c.facts.method.key == method
    liberal = [note for note in c.facts.notes if "liberal" in str(note)]
    assert bool(liberal) == (c.partition.kind == "repeated-kfold")


def test_the_same_call_makes_the_same_splits_and_can_be_pasted() -> None:
    design = KFold(5, shuffle=True)
    one, other = (ef.compare(TWO, X, y, design=design, random_state=3) for _ in range(2))
    assert np.array_equal(one.losses.values, other.losses.values)
    assert (
        "design=sklearn.model_selection.KFold(n_splits=5, random_state=3, shuffle=True)"
        in one.facts.call
    )
    pairs = ef.compare(TWO, X, y, design=list(KFold(3, shuffle=True).split(X)), random_state=3)
    assert pairs.facts.call.endswith("# with your own design")


def test_a_number_of_folds_keeps_classes_and_groups() -> None:
    c = ef.compare(TWO, X, y, design=5, groups=GROUPS, random_state=0)
    for train, test in c.partition:
        assert not np.intersect1d(GROUPS[train], GROUPS[test]).size
    stratified = ef.compare(TWO, X, y, design=5, random_state=0).partition
    assert {tuple(np.bincount(y[test])) for test in stratified.test} == {(10, 10, 10)}


def test_groups_reach_the_splitter() -> None:
    c = ef.compare(TWO, X, y, design=GroupKFold(5), groups=GROUPS, random_state=0)
    assert c.partition.kind == "kfold"


def test_everything_is_refused_before_a_fit() -> None:
    def unfit(*_: Any) -> Any:
        raise AssertionError("fitted")

    two = {"a": unfit, "b": unfit}
    with pytest.raises(ef.EvenfoldError, match="every group on one side"):
        ef.compare(two, X, y, design=KFold(5), groups=GROUPS, on_failure="raise")
    with pytest.raises(ef.EvenfoldError, match="does not fit design 'kfold'"):
        ef.compare(two, X, y, design=KFold(5), method="mx2-t", on_failure="raise")


SALES = np.random.default_rng(0).normal(size=121).cumsum()
SERIES: tuple[Any, Any] = (SALES[:-1, None], SALES[1:])
FORECASTS = {"mean": DummyRegressor(), "ridge": Ridge()}


@pytest.mark.parametrize(("longest", "kind"), [(None, "growing"), (20, "rolling")])
def test_splits_in_time_are_judged_as_forecasts(longest: int | None, kind: str) -> None:
    c = ef.compare(
        FORECASTS, *SERIES, design=TimeSeriesSplit(20, max_train_size=longest, test_size=5)
    )
    assert (c.partition.kind, c.facts.method.key) == (kind, "diebold-mariano")
    assert "along this path" in str(c.verdict)


def test_a_splitter_that_cuts_rows_wants_rows_in_the_order_of_time() -> None:
    in_order, splitter = np.arange(120), TimeSeriesSplit(10)
    assert (
        ef.compare(FORECASTS, *SERIES, design=splitter, order=in_order).partition.kind == "growing"
    )
    for order in (in_order[::-1], in_order // 2):
        with pytest.raises(ef.EvenfoldError, match="sorted, with a different time in each row"):
            ef.compare(FORECASTS, *SERIES, design=splitter, order=order)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"design": StratifiedKFold(5)},
            "at must be 'half' where a design is given but got 'full'",
        ),
        ({"design": 5}, "Leave the design out"),
        (
            {"method": "mx2-t"},
            r"Method 'mx2-t' cannot answer at='full'\. Use 'full-size-t', or leave at out",
        ),
        ({"order": np.arange(len(y))}, "at must be 'half' for ordered data"),
    ],
    ids=str,
)
def test_a_training_size_is_asked_for_without_a_design(options: Any, message: str) -> None:
    with pytest.raises(ef.EvenfoldError, match=message):
        ef.compare(TWO, X, y, at="full", random_state=0, **options)
