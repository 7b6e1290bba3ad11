"""K-fold cross-validation several times over."""

from itertools import combinations

import numpy as np
import pytest

from evenfold.core.errors import InvalidInput
from evenfold.design import BRLT, RLT, KFold, RepeatedKFold, Reruns, design_from

y = np.tile([0, 0, 1], 20)


def test_the_first_repetition_is_that_of_the_folds_and_the_others_differ() -> None:
    once = KFold(5, balance="labels", random_state=3).partition(60, y=y)
    thrice = RepeatedKFold(5, 3, balance="labels", random_state=3).partition(60, y=y)
    assert len(thrice) == 15
    for j in range(5):
        assert np.array_equal(thrice.test[j], once.test[j])
        assert not np.array_equal(thrice.test[5 + j], once.test[j])
    assert {*thrice.train_sizes.tolist(), *thrice.test_sizes.tolist()} == {48, 12}
    assert {int(y[test].sum()) for test in thrice.test} == {4}


def test_groups_stay_together_in_every_repetition() -> None:
    groups = np.repeat(np.arange(12), 5)
    partition = RepeatedKFold(3, 4, balance="groups", random_state=0).partition(60, groups=groups)
    for train, test in partition:
        assert not np.intersect1d(groups[train], groups[test]).size


def test_more_repetitions_begin_as_fewer() -> None:
    few, many = (RepeatedKFold(4, r, random_state=1).partition(21) for r in (2, 5))
    assert all(np.array_equal(few.test[j], many.test[j]) for j in range(8))


def test_it_is_written_with_both_numbers() -> None:
    assert design_from("repeated-kfold:10:3").spelling == "repeated-kfold:10:3"
    with pytest.raises(InvalidInput, match="repetitions must be an integer from 2"):
        design_from("repeated-kfold:10:1")


@pytest.mark.parametrize(("splits", "once"), [("random", RLT), ("even", BRLT)])
def test_reruns_are_splits_again_and_again(splits: str, once: type[RLT] | type[BRLT]) -> None:
    design = Reruns(3, 5, 0.8, splits=splits, random_state=4)
    partition = design.partition(50)
    assert len(partition) == design.get_n_splits() == 20
    assert partition.about.tolist() == [True] * 5 + [False] * 15
    first = once(5, 0.8, random_state=4).partition(50)
    for (train, test), (own, left) in zip(first, partition, strict=False):
        assert np.array_equal(train, own)
        assert np.array_equal(test, left)
    runs = [[train.tolist() for train in partition.train[5 * r : 5 * r + 5]] for r in range(4)]
    assert all(a != b for a, b in combinations(runs, 2))


def test_reruns_are_random_unless_even_ones_are_asked_for() -> None:
    assert Reruns(3, 5, 0.8).splits == "random"
    assert Reruns(3, 5, 0.8, random_state=4).partition(50).certificate is None
    even = Reruns(3, 5, 0.8, splits="even", random_state=4).partition(50)
    sure = even.certificate
    assert sure is not None
    assert sure.overlap_error == sure.overlap_bound == 0
    assert sure.occurrence_spread == np.ptp(even.occurrences())


def test_even_reruns_are_written_with_their_name() -> None:
    assert design_from("reruns:3:5:0.8").spelling == "reruns:3:5:0.8"
    even = design_from("reruns:3:5:0.8:splits=even:labels")
    assert even.spelling == "reruns:3:5:0.8:splits=even:labels"
    assert isinstance(even, Reruns)
    assert even.splits == "even"


def test_random_reruns_balance_labels_only() -> None:
    partition = Reruns(2, 3, 0.8, balance="labels", random_state=0).partition(60, y=y)
    assert {int(y[test].sum()) for test in partition.test} == {4}
    with pytest.raises(InvalidInput, match="with splits='random' but got 'groups'"):
        Reruns(2, 3, 0.8, balance="groups")
    groups = np.repeat(np.arange(12), 5)
    even = Reruns(2, 3, 0.8, splits="even", balance="groups", random_state=0)
    for train, test in even.partition(60, groups=groups):
        assert not np.intersect1d(groups[train], groups[test]).size


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((1, 5, 0.8), "n_reruns must be an integer from 2"),
        ((3, 0, 0.8), "n_splits must be an integer from 1"),
        ((3, 5, 1.5), "train_size"),
    ],
)
def test_what_cannot_be_rerun_is_refused(given: tuple[int, int, float], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Reruns(*given).partition(50)


def test_even_reruns_have_at_most_a_hundred_splits() -> None:
    assert Reruns(3, 101, 0.8).get_n_splits() == 404
    with pytest.raises(InvalidInput, match="n_splits must be an integer from 1 to 100"):
        Reruns(3, 101, 0.8, splits="even")
    with pytest.raises(InvalidInput, match=r"splits must be one of 'random', 'even'"):
        Reruns(3, 5, 0.8, splits="both")
