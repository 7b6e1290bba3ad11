"""
Classes rarer than the parts of a design are warned of.

Random splits can keep the shares of classes.
"""

import warnings

import numpy as np
import pytest
from tests.design.every import DESIGNS, N, groups_for

import evenfold as ef
from evenfold.core.errors import InvalidInput, RareClass
from evenfold.design import RLT, Design, Holdout, KFold, Mx2, NestedRLT

RARE = np.where(np.arange(N) == 0, "rare", np.where(np.arange(N) % 2, "a", "b"))


@pytest.mark.parametrize("design", [one for one in DESIGNS if "counts" not in repr(one)], ids=repr)
def test_every_design_says_how_rare_a_class_is(design: Design) -> None:
    with pytest.warns(
        RareClass, match=r"^Class 'rare' has 1 example, fewer than the \d+ "
    ) as caught:
        design.partition(N, y=RARE, groups=groups_for(design))
    assert len(caught) == 1
    assert design.cautions(RARE) == [str(caught[0].message)]


def test_the_count_and_the_parts_are_said() -> None:
    y = np.repeat([0, 1, 2], [4, 3, 41])
    message = (
        "Class 1 has 3 examples, fewer than the 5 folds, so some of them have none (and 1 more)."
    )
    assert KFold(5).cautions(y) == [message]
    assert Mx2(3).cautions(y) == []


@pytest.mark.parametrize(
    "y",
    [
        np.linspace(0, 1, N),  # numbers
        np.arange(N),  # counts: many different whole numbers
        [["B", "O"], ["O"]] * (N // 2),  # tags
        np.zeros((N, 2)),  # a table
        None,
    ],
)
def test_what_is_no_class_is_not_warned_of(y: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        KFold(10, random_state=0).partition(N, y=y)


def test_compare_puts_it_beside_the_verdict() -> None:
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    X = np.random.default_rng(0).normal(size=(N, 2))
    for design in (KFold(3, random_state=0), None):
        done = ef.compare([DummyClassifier(), GaussianNB()], X, RARE, design=design, random_state=0)
        assert sum("Class 'rare' has 1 example" in str(note) for note in done.facts.notes) == 1


@pytest.mark.parametrize("seed", range(20))
def test_stratified_splits_have_the_share_of_each_class(seed: int) -> None:
    y = np.random.default_rng(seed).permutation(np.repeat(["a", "b", "c"], [50, 31, 20]))
    for design, n1 in (
        (RLT(4, 0.7, balance="labels", random_state=seed), 71),
        (Holdout(40, balance="labels", random_state=seed), 40),
    ):
        for train, test in design.partition(101, y=y):
            assert len(train) == n1
            assert sorted([*train, *test]) == list(range(101))
            for label, count in zip(*np.unique(y, return_counts=True), strict=True):
                assert abs((y[train] == label).sum() - count * n1 / 101) < 1


def test_stratified_halvings_are_stratified_on_both_floors() -> None:
    y = np.repeat(["a", "b"], [60, 41])
    partition = NestedRLT(3, 4, 0.1, balance="labels", random_state=0).partition(101, y=y)
    for first, second in zip(range(4, len(partition), 8), range(8, len(partition), 8), strict=True):
        inside = [np.concatenate([partition.train[j], partition.test[j]]) for j in (first, second)]
        assert not set(inside[0]) & set(inside[1])
        assert all(abs((y[half] == "b").sum() - 41 / 2) <= 1 for half in inside)
    for train, test in partition:
        assert abs((y[train] == "b").sum() - len(train) * 41 / 101) < 2
        assert abs((y[test] == "b").sum() - len(test) * 41 / 101) < 2


def test_every_example_is_drawn_equally_often() -> None:
    y = np.repeat([0, 1], [7, 5])
    trains = RLT(6000, 5, balance="labels", random_state=0).partition(12, y=y)
    share = trains.occurrences() / 6000
    assert np.abs(share - 5 / 12).max() < 0.03  # 4.7 standard errors


def test_random_splits_know_one_balance() -> None:
    with pytest.raises(InvalidInput, match="balance must be one of 'labels' but got 'groups'"):
        RLT(3, 0.5, balance="groups")
    with pytest.raises(InvalidInput, match="y must be given with balance='labels'"):
        Holdout(0.5, balance="labels").partition(12)
