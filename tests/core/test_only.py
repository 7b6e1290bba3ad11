"""Some splits of a run, as a run by themselves."""

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import evenfold as ef
from evenfold.core.losses import Failure
from evenfold.core.partition import KFOLD, MX2_BCV
from evenfold.design import RLT, Design, FoldsAndHalves, KFold, Mx2BCV

X = np.random.default_rng(0).normal(size=(48, 2))
y = np.tile([0, 1], 24)


@pytest.mark.parametrize("design", [Mx2BCV(3), KFold(4), RLT(5, 0.7)], ids=repr)
def test_a_part_of_any_partition_has_the_same_splits(design: Design) -> None:
    whole = design.partition(48)
    part = whole.only(slice(1, 4))
    assert len(part) == 3
    assert part.kind == whole.kind
    assert part.certificate is None
    for j, (train, test) in enumerate(part, start=1):
        assert np.array_equal(train, whole.train[j])
        assert np.array_equal(test, whole.test[j])
    assert np.array_equal(part.fold, whole.fold[1:4])


def test_parts_of_losses_are_those_of_a_run_of_the_part() -> None:
    algorithms = {"tree": DecisionTreeClassifier(random_state=0), "bayes": GaussianNB()}
    both = FoldsAndHalves(4, 3, random_state=1).partition(48)
    whole = ef.run.run(algorithms, both, X, y, measures="zero-one", seed=0)["zero-one"]
    for part, kind, alone in (
        (slice(6), MX2_BCV, Mx2BCV(3, random_state=1)),
        (slice(6, None), KFOLD, KFold(4, random_state=1)),
    ):
        mine = whole.only(part, kind=kind)
        theirs = ef.run.run(algorithms, alone.partition(48), X, y, measures="zero-one", seed=0)[
            "zero-one"
        ]
        assert mine.partition.kind == theirs.partition.kind
        assert np.array_equal(mine.values, theirs.values)
        assert mine.examples is not None
        assert theirs.examples is not None
        assert all(
            np.array_equal(mine.examples[1][j], theirs.examples[1][j])
            for j in range(len(alone.partition(48)))
        )


def test_failures_keep_their_cells() -> None:
    whole = ef.run.run({"a": GaussianNB()}, KFold(5, random_state=0).partition(48), X, y)[
        "zero-one"
    ]
    failure = Failure(algorithm="a", split=3, kind="raised", message="no")
    part = type(whole)(
        **{name: getattr(whole, name) for name in whole.__slots__} | {"failures": (failure,)}
    ).only(slice(2, 5))
    assert [one.split for one in part.failures] == [1]
    assert not part.only(slice(1)).failures
