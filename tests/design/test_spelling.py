"""Designs by key and as text."""

import numpy as np
import pytest

import evenfold as ef
from evenfold import design as design_room
from evenfold.core.errors import InvalidInput
from evenfold.design import Design, Holdout, design_from, designs


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("mx2-bcv:7", "Mx2BCV(m=7)"),
        ("mx2-bcv:7:labels", "Mx2BCV(m=7, balance='labels')"),
        ("blocked-3x2", "Blocked3x2()"),
        ("blocked-3x2:counts", "Blocked3x2(balance='counts')"),
        ("mx2:5", "Mx2(m=5)"),
        ("kfold:10:labels+groups", "KFold(n_splits=10, balance=('labels', 'groups'))"),
        ("rlt:15:0.9", "RLT(n_splits=15, train_size=0.9)"),
        ("brlt:15:90", "BRLT(n_splits=15, train_size=90)"),
        ("nested-rlt:5:15:0.1", "NestedRLT(n_halvings=5, n_splits=15, test_size=0.1)"),
        ("nested-kfold:5:10", "NestedKFold(n_splits=5, n_repeats=10)"),
        ("folds-and-halves:10:9:labels", "FoldsAndHalves(n_splits=10, m=9, balance='labels')"),
        ("folds-and-halves:10:9:quarters=5", "FoldsAndHalves(n_splits=10, m=9, quarters=5)"),
        ("holdout:0.7", "Holdout(train_size=0.7)"),
        ("loo", "LeaveOneOut()"),
        ("sources", "LeaveOneSourceOut()"),
        ("kfold-as-sources", "SourceSizedKFold()"),
        ("growing:100:12", "GrowingWindow(train_size=100, horizon=12)"),
        (
            "rolling:0.5:1:gap=2:windows=9",
            "RollingWindow(train_size=0.5, horizon=1, gap=2, windows=9)",
        ),
    ],
)
def test_every_design_can_be_written(text: str, shown: str) -> None:
    assert repr(design_from(text)) == shown
    assert design_from(text).spelling == text


def test_every_example_is_right() -> None:
    for kind in designs().values():
        assert isinstance(design_from(kind.example, random_state=3), kind)
        assert design_from(kind.example, random_state=3).random_state == (
            3 if kind.shuffle else None
        )


def test_a_size_may_be_a_quotient() -> None:
    design = design_from("holdout:2/3")
    assert isinstance(design, Holdout)
    assert design.train_size == 2 / 3


def test_a_wished_balance_is_kept_as_far_as_the_design_can() -> None:
    def balance(text: str) -> object:
        return getattr(design_from(text, balance=("labels", "groups")), "balance", "none")

    assert [balance(text) for text in ("kfold:3", "holdout:0.5", "mx2:5", "kfold:3:counts")] == [
        ("labels", "groups"),
        "labels",
        "none",
        "counts",
    ]


def test_compare_takes_the_spelling() -> None:
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    X, y = np.random.default_rng(0).normal(size=(40, 2)), np.arange(40) % 2
    done = ef.compare(
        [DummyClassifier(), GaussianNB()], X, y, design="kfold:4:labels", random_state=1
    )
    assert done.facts.design.name == "KFold(n_splits=4, random_state=1, balance='labels')"
    with pytest.raises(InvalidInput, match="Did you mean 'kfold'"):
        ef.compare([DummyClassifier(), GaussianNB()], X, y, design="kfolds:4")


def test_every_design_of_the_room_is_registered() -> None:
    room = [getattr(design_room, name) for name in design_room.__all__]
    ours = {kind for kind in room if isinstance(kind, type) and issubclass(kind, Design)}
    assert {kind for kind in ours if not kind.__abstractmethods__} == set(designs().values())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mx2-bvc:7", "design must be one of .* but got 'mx2-bvc'. Did you mean 'mx2-bcv'"),
        ("", "design must be one of .* but got ''"),
        (3, "design must be a text such as 'kfold:10' but got 3"),
        ("holdout:1/0", "train_size must be a number but got '1/0'"),
        ("mx2-bcv", r"written as mx2-bcv:m\[:balance\] but got 'mx2-bcv'. An example is mx2-bcv:7"),
        ("mx2:5:labels", "written as mx2:m but got"),
        ("loo:3", "written as loo but got"),
        ("kfold:ten", "n_splits must be a number but got 'ten'"),
        ("kfold:2.5", "n_splits must be an integer"),
        ("kfold:1", "n_splits must be an integer ≥ 2"),
        ("kfold:5:label", "balance must be one of .* Did you mean 'labels'"),
        ("growing:9", r"written as growing:train_size:horizon\[:step=…\]"),
        (
            "growing:9:1:gab=2",
            "design must be one of 'step', 'gap', 'windows' but got 'gab'. Did you mean 'gap'",
        ),
        ("growing:9:1:gap=2:gap=3", "design must give each option only once"),
        ("growing:9:1:gap=two", "gap must be a number but got 'two'"),
        ("kfold:5:labels+labels", "balance must name each condition only once"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        design_from(text)
