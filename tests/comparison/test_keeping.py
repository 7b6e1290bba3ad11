"""
Everything a user gets pickles, copies, and comes back from JSON.

What is no JSON of ours is refused.
"""

import copy
import json
import math
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

import evenfold as ef
from evenfold.core.facts.across import AcrossFacts
from evenfold.core.facts.comparison import Facts
from evenfold.core.json import from_typed, to_typed

RNG = np.random.default_rng(3)
N = 60
y = np.tile([0, 1, 1], N // 3)
X = RNG.normal(size=(N, 2)) + y[:, None]
ALGORITHMS: dict[str, Any] = {
    "NaN": DummyClassifier(),
    "Infinity": GaussianNB(),
    "knn": KNeighborsClassifier(),
}
CASES: dict[str, dict[str, Any]] = {
    "sequential": {},
    "posterior": {"measure": "f1", "method": "influence-f1"},
    "score": {"measure": "f1"},
    "folds": {"design": ef.KFold(5)},
    "one split": {"design": ef.design.Holdout(0.6)},
    "measures": {"measure": ["zero-one", "brier"], "design": ef.Mx2BCV(3)},
    "influence": {"method": "mx2-influence-t"},
    "random splits": {"design": ef.design.RLT(4, 0.7)},
}


def compare(case: str, **options: Any) -> ef.Comparison:
    return ef.compare(ALGORITHMS, X, y, **({"random_state": 0} | CASES[case] | options))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("how", ["pickle", "copy", "deepcopy", "json"])
def test_a_comparison_comes_back(case: str, how: str) -> None:
    c = compare(case)
    ways: dict[str, Callable[[], ef.Comparison]] = {
        "pickle": lambda: pickle.loads(pickle.dumps(c)),
        "copy": lambda: copy.copy(c),
        "deepcopy": lambda: copy.deepcopy(c),
        "json": lambda: ef.Comparison.from_json(c.to_json()),
    }
    back = ways[how]()
    assert str(back) == str(c)
    assert back.facts == c.facts
    assert back.losses.algorithms == ("NaN", "Infinity", "knn")
    assert np.array_equal(back.losses.values, c.losses.values)
    for (train, test), (old_train, old_test) in zip(back.partition, c.partition, strict=True):
        assert np.array_equal(train, old_train)
        assert np.array_equal(test, old_test)
    for new, old in zip(back.pairs, c.pairs, strict=True):
        assert new.verdict is not None
        assert old.verdict is not None
        assert new.verdict.outcome is old.verdict.outcome
        interval = "interval" if case == "posterior" else "confidence_interval"
        assert getattr(new.estimate, interval)() == getattr(old.estimate, interval)()
    assert back.to_json() == c.to_json()
    assert back.measures == c.measures
    if how != "json" and c.losses.examples is not None:
        assert back.losses.examples is not None
        assert np.array_equal(back.losses.examples[0][0], c.losses.examples[0][0])


def test_what_an_answer_is_about_comes_back() -> None:
    rng = np.random.default_rng(0)
    right = {name: (rng.random(80) < share) * 1.0 for name, share in (("a", 0.7), ("b", 0.8))}
    c = ef.judge(right, rows="examples", measure="accuracy")
    back = ef.Comparison.from_json(c.to_json())
    assert back.partition.kind.about == c.partition.kind.about != ""
    assert back.estimate.estimand.varied == c.estimate.estimand.varied == "test points"
    with pytest.raises(ef.NotApplicable, match="has no values of single examples, because JSON"):
        ef.plan(0.05, pilot=back)


def test_failed_cells_come_back_too() -> None:
    class Breaks(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
        def fit(self, *args: Any, **more: Any) -> Any:  # noqa: ARG002
            raise RuntimeError("no luck")

    c = ef.compare({"a": DummyClassifier(), "b": Breaks()}, X, y, random_state=0)
    for back in (pickle.loads(pickle.dumps(c)), ef.Comparison.from_json(c.to_json())):
        assert str(back) == str(c)
        assert math.isnan(back.facts.pairs[0].value)
        assert back.failures[0].message == c.failures[0].message


def test_an_answer_over_data_sets_comes_back(tmp_path: Path) -> None:
    a = ef.across(ALGORITHMS, {"one": (X, y), "two": (X[::-1] ** 2, y[::-1])}, random_state=0)
    a.to_json(tmp_path / "a.json")
    back = ef.load(tmp_path / "a.json")
    assert isinstance(back, ef.AcrossDataSets)
    assert str(back) == str(a)
    assert back.friedman == a.friedman or back.friedman is not None
    assert AcrossFacts.from_json(a.facts.to_json()) == a.facts
    assert str(pickle.loads(pickle.dumps(a))) == str(a)
    assert str(back.comparisons["two"]) == str(a.comparisons["two"])


@pytest.mark.parametrize("design", [ef.Mx2BCV(3), ef.KFold(4), ef.design.RLT(3, 0.5)], ids=repr)
def test_partitions_come_back(design: Any) -> None:
    partition = design.partition(30)
    for back in (
        pickle.loads(pickle.dumps(partition)),
        copy.deepcopy(partition),
        from_typed(json.loads(json.dumps(to_typed(partition)))),
    ):
        assert back.kind == partition.kind
        assert back.kind.shape == partition.kind.shape
        assert np.array_equal(back.overlaps(), partition.overlaps())


@pytest.mark.parametrize(
    "text",
    ["", "x", "[]", "{}", "null", "1", '{"evenfold": 2}', '{"evenfold": true}', "NaN", '{"a": NaN}',
     "[" * 10**5,
     '{"evenfold": 1}', '{"evenfold": 3}', '{"evenfold": 4}',
     '{"evenfold": 2, "quantity": 3}', b"\xff\xfe\x00", "\x00", '{"evenfold": [2]}'],
)  # fmt: skip
@pytest.mark.parametrize("read", [Facts.from_json, AcrossFacts.from_json, ef.Comparison.from_json])
def test_what_is_no_json_of_ours_is_refused_in_one_line(read: Any, text: Any) -> None:
    with pytest.raises(ef.EvenfoldError) as caught:
        read(text)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ef.EvenfoldError, match="path must be a file that can be read"):
        ef.load(tmp_path / "none.json")


_WRONG = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(allow_nan=False),
    st.text(max_size=5),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=3), st.integers(), max_size=2),
)  # fmt: skip


@settings(max_examples=50)
@given(st.data())
def test_damaged_json_is_answered_or_refused_in_one_line(data: st.DataObject) -> None:
    """
    One place of a true file is replaced by anything.

    It gives a comparison, or an error of ours.
    """
    _require_an_answer_or_one_line(data)


@pytest.mark.guarantee
@settings(max_examples=1000)
@given(st.data())
def test_much_damaged_json_is_answered_or_refused_in_one_line(data: st.DataObject) -> None:
    _require_an_answer_or_one_line(data)


def _require_an_answer_or_one_line(data: st.DataObject) -> None:
    found = json.loads(_TEXT)
    place: Any = found
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        key = data.draw(st.sampled_from(keys))
        inner = place[key]
        if not isinstance(inner, (dict, list)) or not inner or data.draw(st.booleans()):
            break
        place = inner
    place[key] = data.draw(_WRONG)
    for read in (Facts.from_json, ef.Comparison.from_json):
        try:
            read(json.dumps(found))
        except ef.EvenfoldError as refusal:
            assert "\n" not in str(refusal)  # noqa: PT017


_TEXT = ef.compare(ALGORITHMS, X[:24], y[:24], random_state=0).to_json()
