"""Every design is a scikit-learn cross-validator by its methods."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    cross_val_score,
    cross_validate,
)
from sklearn.model_selection._split import _yields_constant_splits
from sklearn.naive_bayes import GaussianNB
from tests.design.every import DESIGNS, GROUPS, N, X, groups_for, y

from evenfold.core.errors import InvalidInput
from evenfold.design import *  # noqa: F403  (what a repr shows can be evaluated)
from evenfold.design import (
    BalancedDesign,
    Design,
    KFold,
    LeaveOneOut,
    LeaveOneSourceOut,
    Mx2BCV,
    NestedKFold,
    NestedRLT,
    OutOfBag,
    Reruns,
)

GRID = {"var_smoothing": [1e-9, 1e-3]}


@pytest.fixture(params=DESIGNS, ids=repr)
def design(request: pytest.FixtureRequest) -> Design:
    chosen: Design = request.param
    return chosen


# A search fits a model for every split: designs with many are searched in small, and as they are
# usually made with the guarantees.
MANY = 20
SMALL = [
    Reruns(2, 3, train_size=0.9, random_state=0),
    NestedKFold(3, 2, random_state=0),
    NestedRLT(2, 3, test_size=0.1, random_state=0),
    OutOfBag(6, random_state=0),
]


def _tier(design: Design) -> tuple[pytest.MarkDecorator, ...]:
    """The tier in which models are fitted on all splits of a design."""
    if design.get_n_splits(X, y, groups_for(design)) > MANY:
        return (pytest.mark.guarantee,)
    return ()


@pytest.fixture(
    params=[*(pytest.param(one, marks=_tier(one)) for one in DESIGNS), *SMALL], ids=repr
)
def fitted(request: pytest.FixtureRequest) -> Design:
    chosen: Design = request.param
    return chosen


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


def test_cross_val_score(fitted: Design) -> None:
    scores = cross_val_score(GaussianNB(), X, y, cv=fitted, groups=groups_for(fitted))
    assert len(scores) == fitted.get_n_splits(X, y, groups_for(fitted))
    assert scores.mean() > 0.6


def test_cross_validate_and_grid_search(fitted: Design) -> None:
    groups = groups_for(fitted)
    result = cross_validate(GaussianNB(), X, y, cv=fitted, groups=groups)
    assert np.isfinite(result["test_score"]).all()
    search = GridSearchCV(GaussianNB(), GRID, cv=fitted)
    clone(search).fit(X, y, groups=groups)


def test_successive_halving(fitted: Design) -> None:
    least = 24 if fitted.kind != "loo" else N  # test sets shrink too, and one example cannot
    search = HalvingGridSearchCV(
        GaussianNB(),
        GRID,
        cv=fitted,
        factor=2,
        min_resources=least,
        random_state=0,
    )
    search.fit(X, y, groups=groups_for(fitted))
    assert search.n_splits_ == fitted.get_n_splits(X, y, groups_for(fitted))


def test_scikit_learn_knows_whether_the_splits_change(design: Design) -> None:
    assert _yields_constant_splits(design)
    if design.shuffle:
        assert not _yields_constant_splits(replace(design, random_state=None))


def test_splits_of_lists_vectors_and_tables_are_the_same(design: Design) -> None:
    groups = groups_for(design)
    expected = list(design.split(X, y, groups))
    for data in (X[:, 0], X.tolist(), pd.DataFrame(X), csr_array(X)):
        for (a, b), (c, d) in zip(design.split(data, y, groups), expected, strict=True):
            assert np.array_equal(a, c)
            assert np.array_equal(b, d)


def test_a_table_of_targets_is_split_or_refused_in_one_line(design: Design) -> None:
    wide = np.column_stack([y, 1 - y])
    if "labels" in repr(design) or "counts" in repr(design):
        with pytest.raises(InvalidInput, match="y must be one value per example"):
            next(design.split(X, wide, groups_for(design)))
    else:
        assert len(next(design.split(X, wide, groups_for(design)))) == 2


def test_the_set_split_request_of_scikit_learn(design: Design) -> None:
    if not design.uses_groups_now:
        assert not hasattr(design, "set_split_request")
        return
    own = replace(design).set_split_request(groups="hospital")
    assert own.get_metadata_routing().split.requests == {"groups": "hospital"}
    assert clone(own, safe=False).get_metadata_routing().split.requests == {"groups": "hospital"}
    assert design.get_metadata_routing().split.requests == {"groups": True}
    with pytest.raises(InvalidInput, match="groups must be True, False, None or a name"):
        own.set_split_request(groups=3)


@pytest.mark.usefixtures("routing")
def test_groups_under_another_name_reach_a_nested_search() -> None:
    own = LeaveOneSourceOut().set_split_request(groups="hospital")
    search = GridSearchCV(GaussianNB(), GRID, cv=own)
    outer = KFold(3, balance="groups", random_state=0).set_split_request(groups="ward")
    params = {"hospital": GROUPS, "ward": GROUPS}
    assert len(cross_val_score(search, X, y, cv=outer, params=params)) == 3


def test_leave_one_out_needs_the_data() -> None:
    with pytest.raises(InvalidInput, match="X must be given"):
        LeaveOneOut().get_n_splits()


@pytest.mark.usefixtures("routing")
def test_metadata_routing(design: Design) -> None:
    params = {} if groups_for(design) is None else {"groups": GROUPS}
    scores = cross_validate(GaussianNB(), X, y, cv=design, params=params)["test_score"]
    assert len(scores) == design.get_n_splits(X, y, groups_for(design))
    request = design.get_metadata_routing()
    assert request.split.requests == ({"groups": True} if design.uses_groups_now else {})


@pytest.mark.usefixtures("routing")
def test_groups_are_routed_through_a_search() -> None:
    search = GridSearchCV(GaussianNB(), GRID, cv=LeaveOneSourceOut())
    search.fit(X, y, groups=GROUPS)
    assert search.n_splits_ == 12


def test_string_labels_and_boolean_labels() -> None:
    for labels in (np.where(y, "yes", "no"), y.astype(bool), pd.Series(np.where(y, "yes", "no"))):
        partition = Mx2BCV(3, balance="labels", random_state=0).partition(N, y=labels)
        assert partition.certificate is not None
