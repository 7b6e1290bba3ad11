"""Every design is a scikit-learn cross-validator by its methods."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, cross_validate
from sklearn.naive_bayes import GaussianNB

from evenfold.design import (
    BRLT,
    RLT,
    BalancedDesign,
    Blocked3x2,
    Design,
    Holdout,
    KFold,
    LeaveOneOut,
    LeaveOneSourceOut,
    Mx2,
    Mx2BCV,
    NestedKFold,
    NestedRLT,
    SourceSizedKFold,
)

RNG = np.random.default_rng(0)
N = 48
y = np.tile([0, 1], N // 2)
X = RNG.normal(size=(N, 3)) + y[:, None]
GROUPS = np.repeat(np.arange(12), 4)

DESIGNS: list[Design] = [
    Mx2BCV(3, random_state=0),
    Mx2BCV(7, balance="labels", random_state=0),
    Mx2BCV(3, balance="groups", random_state=0),
    Mx2BCV(3, balance="features", features=RNG.poisson(1.0, (N, 3)), random_state=0),
    Blocked3x2(random_state=0),
    Mx2(5, random_state=0),
    BRLT(5, 0.7, balance="labels", random_state=0),
    RLT(4, 0.8, random_state=0),
    KFold(4, balance="labels", random_state=0),
    LeaveOneOut(),
    NestedRLT(2, 3, 6, random_state=0),
    NestedKFold(3, 2, balance="labels", random_state=0),
    LeaveOneSourceOut(),
    SourceSizedKFold(random_state=0),
    Holdout(0.6, random_state=0),
]


@pytest.fixture(params=DESIGNS, ids=repr)
def design(request: pytest.FixtureRequest) -> Design:
    chosen: Design = request.param
    return chosen


def groups_for(design: Design) -> np.ndarray | None:
    return GROUPS if design.uses_groups_now else None


@pytest.fixture
def routing() -> Iterator[None]:
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_split_yields_as_many_pairs_as_promised(design: Design) -> None:
    groups = groups_for(design)
    pairs = list(design.split(X, y, groups))
    assert len(pairs) == design.get_n_splits(X, y, groups)
    for train, test in pairs:
        assert train.dtype == test.dtype == np.intp
        assert not set(train) & set(test)


def test_a_seeded_design_splits_the_same_way_again(design: Design) -> None:
    groups = groups_for(design)
    for first, second in zip(design.split(X, y, groups), design.split(X, y, groups), strict=True):
        assert np.array_equal(first[1], second[1])


def test_repr_can_be_evaluated_where_it_shows_no_array(design: Design) -> None:
    if isinstance(design, BalancedDesign) and design.features is not None:
        assert "<ndarray of shape" in repr(design)
    else:
        assert repr(eval(repr(design))) == repr(design)


@pytest.mark.parametrize(
    "data", [X, X.tolist(), pd.DataFrame(X), csr_array(X)], ids=["array", "list", "frame", "sparse"]
)
def test_cross_val_score(design: Design, data: Any) -> None:
    estimator: Any = LogisticRegression()
    scores = cross_val_score(estimator, data, y, cv=design, groups=groups_for(design))
    assert len(scores) == design.get_n_splits(X, y, groups_for(design))
    assert scores.mean() > 0.6


def test_cross_validate_and_grid_search(design: Design) -> None:
    groups = groups_for(design)
    result = cross_validate(GaussianNB(), X, y, cv=design, groups=groups)
    assert np.isfinite(result["test_score"]).all()
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=design)
    clone(search).fit(X, y, groups=groups)


@pytest.mark.usefixtures("routing")
def test_metadata_routing(design: Design) -> None:
    params = {} if groups_for(design) is None else {"groups": GROUPS}
    scores = cross_validate(GaussianNB(), X, y, cv=design, params=params)["test_score"]
    assert len(scores) == design.get_n_splits(X, y, groups_for(design))
    request = design.get_metadata_routing()
    assert request.split.requests["groups"] is design.uses_groups_now


@pytest.mark.usefixtures("routing")
def test_groups_are_routed_through_a_search() -> None:
    search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1e-3]}, cv=LeaveOneSourceOut())
    search.fit(X, y, groups=GROUPS)
    assert search.n_splits_ == 12


def test_string_labels_and_boolean_labels() -> None:
    for labels in (np.where(y, "yes", "no"), y.astype(bool), pd.Series(np.where(y, "yes", "no"))):
        partition = Mx2BCV(3, balance="labels", random_state=0).partition(N, y=labels)
        assert partition.certificate is not None
