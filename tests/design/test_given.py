"""Splitters and index pairs: each is recognised as what it is, or refused with the reason."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import (
    GroupKFold,
    GroupShuffleSplit,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    LeavePOut,
    PredefinedSplit,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    StratifiedShuffleSplit,
    TimeSeriesSplit,
)

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.design import as_design

N = 60
y = np.tile([0, 0, 1], N // 3)
GROUPS = np.repeat(np.arange(12), 5)
X = np.zeros((N, 1))

KNOWN: list[tuple[Any, bool, str]] = [
    (KFold(5), False, "kfold"),
    (KFold(5, shuffle=True), False, "kfold"),
    (StratifiedKFold(10), False, "kfold"),
    (GroupKFold(5), True, "kfold"),
    (GroupKFold(12), True, "sources"),
    (StratifiedGroupKFold(4), True, "kfold"),
    (RepeatedKFold(n_splits=5, n_repeats=3), False, "repeated-kfold"),
    (RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=1), False, "repeated-kfold"),
    (RepeatedKFold(n_splits=2, n_repeats=5), False, "mx2"),
    (ShuffleSplit(8, test_size=0.1), False, "rlt"),
    (ShuffleSplit(8, test_size=0.1, train_size=0.4), False, "rlt"),
    (ShuffleSplit(1, test_size=0.1), False, "holdout"),
    (StratifiedShuffleSplit(8, test_size=0.2), False, "rlt"),
    (GroupShuffleSplit(8, test_size=0.25), True, "rlt"),
    (LeaveOneOut(), False, "loo"),
    (LeaveOneGroupOut(), True, "sources"),
    (LeavePOut(59), False, "rlt"),
    (PredefinedSplit(np.arange(N) % 3), False, "kfold"),
    (PredefinedSplit(np.arange(N) % 3 - 1), False, "rlt"),
    (PredefinedSplit(np.where(np.arange(N) < 40, -1, 0)), False, "holdout"),
]


@pytest.mark.parametrize(("splitter", "grouped", "kind"), KNOWN, ids=lambda one: str(one)[:40])
def test_a_splitter_is_recognised_by_its_sets(splitter: Any, grouped: bool, kind: str) -> None:
    groups = GROUPS if grouped else None
    design = as_design(splitter, N, X=X, y=y, groups=groups, random_state=0)
    assert design.kind == kind
    assert ef.infer.recommended(design.kind)
    partition = design.partition(N, y=y, groups=groups)
    assert len(partition) == splitter.get_n_splits(X, y, groups) == design.get_n_splits()
    for train, test in partition:
        assert not np.intersect1d(train, test).size


@pytest.mark.parametrize(
    "splitter", [KFold(5, shuffle=True, random_state=7), ShuffleSplit(5, random_state=7)]
)
def test_the_seed_of_a_splitter_is_honoured(splitter: Any) -> None:
    partition = as_design(splitter, N, y=y, random_state=0).partition(N)
    for (train, test), (own_train, own_test) in zip(partition, splitter.split(X), strict=True):
        assert np.array_equal(train, np.sort(own_train))
        assert np.array_equal(test, np.sort(own_test))
    assert partition.seed == 7


def test_a_splitter_without_a_seed_gets_one_and_stays_as_it_was() -> None:
    splitter = KFold(5, shuffle=True)
    one, other, third = (as_design(splitter, N, random_state=seed) for seed in (1, 1, 2**40 + 3))
    assert splitter.random_state is None
    assert np.array_equal(one.partition(N).test[0], other.partition(N).test[0])
    assert not np.array_equal(one.partition(N).test[0], third.partition(N).test[0])
    assert "random_state=1" in one.code
    assert np.array_equal(one.partition(N).test[0], one.partition(N).test[0])


def test_pairs_may_be_a_generator_lists_or_masks() -> None:
    first = np.arange(N) < 30
    pairs = ((train, test) for train, test in [(first, ~first), (~first, first)])
    assert as_design(pairs, N).kind == "kfold"
    lists = [(train.tolist(), test.tolist()) for train, test in KFold(3).split(X)]
    assert as_design(lists, N).partition(N).n_train == 40


def test_halvings_of_ours_given_as_pairs_are_halvings() -> None:
    design = as_design(list(ef.Mx2BCV(5, random_state=0).split(X)), N)
    assert (design.kind, design.partition(N).overlaps()[0, 2]) == ("mx2", 15)


def test_ours_stay_as_they_are() -> None:
    design = ef.KFold(5)
    assert as_design(design, N) is design
    assert repr(as_design(5, N, balance=("labels",))) == "KFold(n_splits=5, balance=('labels',))"
    assert repr(as_design("5", N)) == "KFold(n_splits=5)"


def test_what_was_given_pickles_and_says_what_it_is() -> None:
    design = as_design(list(KFold(5).split(X)), N)
    again = pickle.loads(pickle.dumps(design))
    assert (repr(again), again.code) == ("<kfold of 5, as given>", "")
    known = as_design(StratifiedKFold(5), N, y=y)
    assert repr(known) == "StratifiedKFold(n_splits=5, random_state=None, shuffle=False)"
    assert known.code == f"sklearn.model_selection.{known!r}"


CUT = np.arange(N)
REFUSED: list[tuple[Any, bool, str]] = [
    ([], False, "at least one pair of index arrays"),
    ([1, 2], False, r"pairs \(train, test\) of index arrays but split 0 is 1"),
    ([([0], [])], False, "none of them empty, but split 0 has"),
    ([([0.5], [1])], False, "pairs of arrays of positions"),
    ([([0], [N])], False, "positions from 0 to 59"),
    ([([0, 0], [1])], False, "each example at most once in a set, but split 0 repeats some"),
    ([([0, 1], [1, 2])], False, "not test on examples of the training set, but split 0 does"),
    ([(CUT[5:], CUT[:5]), (CUT[:30], CUT[30:40])], False, "training sets of similar sizes"),
    ([(CUT[30:], CUT[:5]), (CUT[:30], CUT[30:50])], False, "test sets of similar sizes"),
    (
        [(CUT[20:40], CUT[:5]), (CUT[30:50], CUT[:5])],
        False,
        "different test sets, but all splits have the same test set",
    ),
    (KFold(5), True, "every group on one side, but split 0 has a group on both"),
    (GroupKFold(5), False, "'groups' parameter should not be None"),
    (StratifiedKFold(50), False, "n_splits=50 cannot be greater"),
    (KFold, False, "Pass KFold"),
    (object(), False, "a design, a splitter or pairs of index arrays"),
    (True, False, "a design, a splitter or pairs of index arrays"),
    (1, False, "n_splits must be an integer ≥ 2"),
    ("kfolds:10", False, "Did you mean 'kfold'"),
]


@pytest.mark.parametrize(
    ("given", "grouped", "message"), REFUSED, ids=[message for *_, message in REFUSED]
)
def test_what_is_no_design_is_refused_with_the_reason(
    given: Any, grouped: bool, message: str
) -> None:
    with pytest.raises(InvalidInput, match=message) as refusal:
        as_design(given, N, X=X, y=y, groups=GROUPS if grouped else None, random_state=0)
    assert "\n" not in str(refusal.value)


def test_splits_of_other_data_are_refused() -> None:
    with pytest.raises(
        InvalidInput, match="n must be 60, the number of examples of these splits, but got 61"
    ):
        as_design(KFold(5), N).partition(61)


@pytest.mark.parametrize(
    ("splitter", "kind"),
    [
        (TimeSeriesSplit(4), "growing"),
        (TimeSeriesSplit(4, gap=3, test_size=5), "growing"),
        (TimeSeriesSplit(4, max_train_size=10), "rolling"),
    ],
)
def test_splits_in_order_are_windows(splitter: Any, kind: str) -> None:
    design = as_design(splitter, N)
    assert design.kind == kind
    for (train, test), (own_train, own_test) in zip(
        design.partition(N), splitter.split(X), strict=True
    ):
        assert (train.tolist(), test.tolist()) == (own_train.tolist(), own_test.tolist())


def test_windows_with_holes_are_refused() -> None:
    with pytest.raises(InvalidInput, match="training and test sets without gaps inside them"):
        as_design([(CUT[:10:2], CUT[10:20]), (CUT[:20:2], CUT[20:30])], N)


def test_folds_as_given_keep_the_contract_of_designs() -> None:
    folds = list(KFold(4).split(np.zeros((48, 1))))
    ef.testing.check_design(as_design(folds, 48), registered=False)
