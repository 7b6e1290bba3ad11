"""Grouped data without a design: many groups are halved, few are left out one by one."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.core.errors import InvalidInput

RNG = np.random.default_rng(0)
# many have one class only, some one visit
PATIENTS = np.repeat(np.arange(190), RNG.integers(1, 7, 190))
ILL = RNG.random(190) < 0.4
y = ILL.astype(int)[PATIENTS]
X = RNG.normal(size=(len(y), 3)) + 0.5 * y[:, None] + 0.7 * RNG.normal(size=(190, 3))[PATIENTS]
TWO = {"bayes": GaussianNB(), "logistic": LogisticRegression()}


def compare(groups: Any, y: Any = y, **options: Any) -> Any:
    return ef.compare(TWO, X, y, groups=groups, random_state=0, **options)


def _cut(c: Any, groups: Any) -> bool:
    return any(np.intersect1d(groups[train], groups[test]).size for train, test in c.partition)


@pytest.mark.parametrize("measure", ["auc", "zero-one", "f1", "log"])
def test_190_patients_are_halved(measure: str) -> None:
    c = compare(PATIENTS, measure=measure)
    assert c.partition.kind == "mx2-bcv"
    assert c.facts.method.key == "mx2-influence-t"
    assert (c.fits <= 36, len(c.failures), _cut(c, PATIENTS)) == (True, 0, False)
    assert c.losses.clusters.max() == 189
    assert ", on new groups, for models trained on 352 examples" in str(c.verdict)
    assert [
        note
        for note in c.facts.notes
        if str(note).startswith("There are 190 groups, enough to split by group")
    ]


def test_a_group_is_a_unit_of_the_test() -> None:
    alone, grouped = (
        compare(groups).estimate.standard_error for groups in (np.arange(len(y)), PATIENTS)
    )
    assert grouped != alone


def test_few_groups_are_left_out_one_by_one() -> None:
    c = compare(PATIENTS % 39)
    assert (c.partition.kind, len(c.partition), c.estimate.method) == (
        "sources",
        39,
        "sources-new-t",
    )
    assert (
        "There are 39 groups, fewer than 40, so each group is left out once. "
        "Every group counts the same." in map(str, c.facts.notes)
    )
    assert compare(PATIENTS % 40).partition.kind == "mx2-bcv"


def test_notes_call_groups_by_the_name_that_the_user_gave() -> None:
    c = compare(pd.Series(PATIENTS, name="patient_id"))
    assert ", on new patients, for models" in str(c.verdict)
    assert [
        note
        for note in c.facts.notes
        if str(note).startswith("There are 190 patients, enough to split by patient")
    ]
    few = compare(pd.Series(PATIENTS % 39, name="ward"))
    assert (
        "There are 39 wards, fewer than 40, so each ward is left out once. "
        "Every ward counts the same." in map(str, few.facts.notes)
    )


def test_groups_without_a_value_of_their_own_are_halved() -> None:
    groups = PATIENTS % 20
    one_class_each = groups % 2
    assert compare(groups, one_class_each, measure="auc").partition.kind == "mx2-bcv"
    assert compare(groups, one_class_each).partition.kind == "sources"
    assert compare(PATIENTS % 5, measure="auc").partition.kind == "sources"


@pytest.mark.parametrize(
    "options", [{"method": "mx2-t"}, {"method": "kfold-t"}, {"at": "full"}], ids=repr
)
def test_what_is_asked_for_keeps_groups_too(options: Any) -> None:
    c = compare(PATIENTS, **options)
    assert not _cut(c, PATIENTS)
    assert "on new groups" in str(c.verdict)
    assert not [note for note in c.facts.notes if "groups" in str(note)]


def test_each_of_many_groups_is_left_out_if_asked_for() -> None:
    c = compare(PATIENTS % 41, method="sources-new-t")
    assert (c.partition.kind, len(c.partition)) == ("sources", 41)


def test_folds_that_cut_groups_are_not_about_new_ones() -> None:
    c = compare(PATIENTS % 5, design="kfold-as-sources")
    assert "new groups" not in str(c.verdict)


@pytest.mark.parametrize("framed", [pd.DataFrame, pl.DataFrame])
def test_groups_and_weights_may_be_columns_which_are_then_no_features(framed: Any) -> None:
    weights = RNG.uniform(1, 2, len(y))
    frame = framed({"a": X[:, 0], "b": X[:, 1], "patient": PATIENTS, "weight": weights})
    named = ef.compare(TWO, frame, y, groups="patient", sample_weight="weight", random_state=0)
    given = ef.compare(TWO, X[:, :2], y, groups=PATIENTS, sample_weight=weights, random_state=0)
    assert np.array_equal(named.losses.values, given.losses.values)
    with pytest.raises(
        InvalidInput, match=r"groups must be one of .*'patient'.* but got 'patients'"
    ):
        ef.compare(TWO, frame, y, groups="patients")
    with pytest.raises(
        InvalidInput, match="groups can name a column only where X is a frame but got 'patient'"
    ):
        compare("patient")


def test_a_column_has_one_role_and_may_be_named_by_a_number() -> None:
    frame = pd.DataFrame(np.column_stack([X[:, :2], PATIENTS, y]))
    named = ef.compare(TWO, frame, "3", groups="2", random_state=0)
    given = ef.compare(TWO, X[:, :2], y.astype(float), groups=PATIENTS, random_state=0)
    assert np.array_equal(named.losses.values, given.losses.values)
    with pytest.raises(
        InvalidInput,
        match=r"^y, groups and sample_weight must be different columns but got 3, 2, 3\.$",
    ):
        ef.compare(TWO, frame, "3", groups="2", sample_weight="3")
