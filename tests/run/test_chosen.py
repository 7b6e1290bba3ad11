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
from evenfold.core.facts.comparison import Chosen
from evenfold.report.words.chosen import choice_words
from evenfold.run.algorithms import (
    CHOSEN,
    choices_of_all,
    chosen_answer,
)

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

    chosen = choices_of_all(["plain", "tuned"], 3, answer)["chosen"]
    assert chosen == {"tuned": ({"C": 1}, {}, {"C": 1})}


def test_searches_are_found_in_pipelines_and_wrappers() -> None:
    wrapped = TransformedTargetRegressor(GridSearchCV(Ridge(), {"alpha": [1.0]}, cv=2), func=None)
    for estimator in (
        SEARCH,
        make_pipeline(StandardScaler(), SEARCH),
        ef.run.UnderSampled(SEARCH),
        wrapped,
    ):
        answer = chosen_answer(estimator.fit(X, y))
        assert answer[CHOSEN].shape == (2,)


def test_every_search_of_scikit_learn_shows_its_choice_and_its_time() -> None:
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401
    from sklearn.model_selection import (
        HalvingGridSearchCV,
        RandomizedSearchCV,
        TunedThresholdClassifierCV,
    )

    settings = {"C": [0.01, 1.0]}
    searches: dict[str, Any] = {
        "random": RandomizedSearchCV(LogisticRegression(), settings, n_iter=2, cv=2),
        "halving": HalvingGridSearchCV(LogisticRegression(), settings, cv=2, min_resources=12),
        "threshold": TunedThresholdClassifierCV(LogisticRegression(), cv=2),
        "both": TunedThresholdClassifierCV(SEARCH, cv=2),
    }
    c = ef.compare(searches, X, y, design=ef.Mx2BCV(3), random_state=0)
    chosen = {name: [set(one) for one in each] for name, each in c.chosen.items()}
    assert chosen == {
        "random": [{"C"}] * 6,
        "halving": [{"C"}] * 6,
        "threshold": [{"threshold"}] * 6,
        "both": [{"C", "threshold"}] * 6,
    }
    seconds = {one.algorithm: one.tuning_seconds for one in c.facts.chosen}
    assert np.isnan(seconds["threshold"]).all()  # it does not tell what its last fit took
    for name in ("random", "halving", "both"):
        fits = c.losses.fit_seconds[c.losses.algorithms.index(name)]
        assert np.all((np.array(seconds[name]) > 0) & (seconds[name] < fits))
    assert " of it tuning" in str(c)


def test_the_time_of_tuning_is_all_but_the_last_fit(tmp_path: Path) -> None:
    searched = SimpleNamespace(best_params_={"C": 1}, refit_time_=0.25)
    assert chosen_answer(searched, 1.0)[CHOSEN].tolist() == ['{"C": 1}', "0.75"]
    assert chosen_answer(SimpleNamespace(best_params_={"C": 1}), 1.0)[CHOSEN][1] == "nan"
    c = compare(store=tmp_path / "runs.db")
    assert c.facts.run_id is not None
    (kept,) = ef.reopen(tmp_path / "runs.db", c.facts.run_id).facts.chosen
    (fresh,) = c.facts.chosen
    assert kept.tuning_seconds == fresh.tuning_seconds
    (loaded,) = ef.Comparison.from_json(c.to_json()).facts.chosen
    assert loaded == fresh


def test_what_earlier_stores_keep_has_no_time() -> None:
    def answer(algorithm: int, split: int) -> Any:  # noqa: ARG001
        return np.array(['{"C": 1}'])

    (seconds,) = choices_of_all(["tuned"], 2, answer)["tuning_seconds"].values()
    assert np.isnan(seconds).all()


def test_stability_is_told_parameter_by_parameter() -> None:
    picks: tuple[dict[str, Any], ...] = (
        {"C": 0.1, "kernel": "rbf"},
        {},
        {"C": 10, "kernel": "rbf"},
        {"C": 0.1, "kernel": "p"},
    )
    c, kernel = Chosen(algorithm="tuned", parameters=picks).stability
    assert (c.name, c.most_frequent, c.times, c.fits, c.low, c.high) == ("C", 0.1, 2, 3, 0.1, 10)
    assert (kernel.most_frequent, kernel.times, kernel.low) == ("rbf", 2, None)
    words = "tuned: other settings in each of 3 fits; C from 0.1 to 10, kernel='rbf' in 2"
    assert choice_words(Chosen(algorithm="tuned", parameters=picks)) == words


def test_what_is_no_number_is_written_as_text() -> None:
    odd = SimpleNamespace(
        best_params_={"kernel": np.float64(2), "steps": [StandardScaler()], 3: None}
    )
    assert (
        str(chosen_answer(odd)[CHOSEN][0])
        == '{"kernel": 2.0, "steps": "[StandardScaler()]", "3": null}'
    )
