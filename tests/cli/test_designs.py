"""Designs as text."""

import pytest

from evenfold.cli.designs import FORMS, parse
from evenfold.core.errors import InvalidInput


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
        ("holdout:0.7", "Holdout(train_size=0.7)"),
        ("loo", "LeaveOneOut()"),
        ("sources", "LeaveOneSourceOut()"),
        ("kfold-as-sources", "SourceSizedKFold()"),
    ],
)
def test_every_design_can_be_written(text: str, shown: str) -> None:
    assert repr(parse(text)) == shown


def test_every_example_is_right() -> None:
    for form in FORMS.values():
        assert isinstance(parse(form.example, seed=3), form.make)
        assert parse(form.example, seed=3).random_state == 3


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mx2-bvc:7", "there is no design 'mx2-bvc'; did you mean 'mx2-bcv'"),
        ("", "there is no design ''; see evenfold design --help"),
        ("mx2-bcv", r"written as mx2-bcv:m\[:balance\] but got 'mx2-bcv'; for example mx2-bcv:7"),
        ("mx2:5:labels", "written as mx2:m but got"),
        ("loo:3", "written as loo but got"),
        ("kfold:ten", "n_splits must be a number but got 'ten'"),
        ("kfold:2.5", "n_splits must be an integer"),
        ("kfold:1", "n_splits must be an integer ≥ 2"),
        ("kfold:5:label", "balance must be one of .* did you mean 'labels'"),
        ("kfold:5:labels+labels", "balance must be free of repeated conditions"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        parse(text)
