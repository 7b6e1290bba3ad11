"""What searches inside algorithms chose, fit by fit."""

import pickle
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import evenfold as ef
from evenfold.core.errors import NotApplicable
from evenfold.run.algorithms import CHOSEN, chosen_answer, chosen_parameters_of_all

RNG = np.random.default_rng(0)
y = np.tile([0, 1], 30)
X = RNG.normal(size=(60, 3)) + y[:, None]
SEARCH = GridSearchCV(LogisticRegression(), {"C": [0.01, 1.0]}, cv=2)
TWO = {"bayes": GaussianNB(), "tuned": SEARCH}


def compare(**options: Any) -> ef.Comparison:
    return ef.compare(TWO, X, y, design=ef.Mx2BCV(3), random_state=0, **options)


def test_what_was_chosen_is_there_for_every_fit(tmp_path: Path) -> None:
    c = compare()
    assert list(c.chosen) == ["tuned"]
    assert [set(one) for one in c.chosen["tuned"]] == [{"C"}] * 6
    for j, (train, _) in enumerate(c.partition):
        assert SEARCH.fit(X[train], y[train]).best_params_ == c.chosen["tuned"][j]
    line = next(line for line in str(c).splitlines() if line.startswith("  chosen"))
    assert "tuned: C=" in line
    assert " of 6 fits" in line
    assert "What searches chose" in c.to_html()
    again: Any = ef.load(c.save(tmp_path / "c.json"))
    assert again.chosen == c.chosen
    assert pickle.loads(pickle.dumps(c)).chosen == c.chosen


def test_a_store_keeps_what_was_chosen(tmp_path: Path) -> None:
    store = tmp_path / "runs.db"
    first, again = compare(store=store), compare(store=store)
    assert (again.fits, again.chosen) == (0, first.chosen)
    assert first.facts.run_id is not None
    assert ef.reopen(store, first.facts.run_id).chosen == first.chosen


def test_without_a_search_nothing_is_said() -> None:
    c = ef.compare([GaussianNB()], X, y, design=ef.Mx2BCV(3), random_state=0)
    assert c.chosen == {}
    assert "chosen" not in str(c)
    assert "What searches chose" not in c.to_html()


def test_a_failed_fit_chose_nothing() -> None:
    def answer(algorithm: int, split: int) -> Any:
        if algorithm == 0 or split == 1:
            raise NotApplicable("the store has none of this fit: it failed")
        return np.array(['{"C": 1}'])

    assert chosen_parameters_of_all(["plain", "tuned"], 3, answer) == {
        "tuned": ({"C": 1}, {}, {"C": 1})
    }


def test_searches_are_found_in_pipelines_and_wrappers() -> None:
    wrapped = TransformedTargetRegressor(GridSearchCV(Ridge(), {"alpha": [1.0]}, cv=2), func=None)
    for estimator in (
        SEARCH,
        make_pipeline(StandardScaler(), SEARCH),
        ef.run.UnderSampled(SEARCH),
        wrapped,
    ):
        answer = chosen_answer(estimator.fit(X, y))
        assert answer[CHOSEN].shape == (1,)


def test_what_is_no_number_is_written_as_text() -> None:
    odd = SimpleNamespace(
        best_params_={"kernel": np.float64(2), "steps": [StandardScaler()], 3: None}
    )
    assert (
        str(chosen_answer(odd)[CHOSEN][0])
        == '{"kernel": 2.0, "steps": "[StandardScaler()]", "3": null}'
    )
