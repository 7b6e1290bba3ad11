"""What users of scikit-learn switch on for themselves works inside a comparison, too."""

from time import perf_counter
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import evenfold as ef
from evenfold.core.errors import InvalidInput

RNG = np.random.default_rng(0)
N = 80
y = np.tile([0, 1], N // 2)
X = RNG.normal(size=(N, 3)) + y[:, None]
FRAME = pd.DataFrame(X, columns=["a", "b", "c"])
WEIGHTS = np.linspace(0.1, 1.0, N)
GROUPS = np.arange(N) // 4


def compare(algorithms: Any, data: Any = X, **options: Any) -> ef.Comparison:
    return ef.compare(algorithms, data, y, **{"design": ef.Mx2BCV(3), "random_state": 0, **options})


class TakesFrames(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Naive Bayes that refuses what is not a frame with the names of the columns."""

    def fit(self, rows: Any, labels: Any) -> "TakesFrames":
        self.bayes_ = GaussianNB().fit(self._values(rows), labels)
        self.classes_ = self.bayes_.classes_
        return self

    def predict(self, rows: Any) -> NDArray[np.int64]:
        labels: NDArray[np.int64] = self.bayes_.predict(self._values(rows))
        return labels

    def _values(self, rows: Any) -> Any:
        assert list(rows.columns) == ["a", "b", "c"]
        return rows.to_numpy()


def test_pipelines_of_frames_keep_them() -> None:
    scaler = StandardScaler().set_output(transform="pandas")
    plain = make_pipeline(StandardScaler(), GaussianNB())
    c = compare({"frames": make_pipeline(scaler, TakesFrames()), "plain": plain}, FRAME)
    assert c.failures == ()
    assert np.array_equal(*c.losses.values)


def test_frames_may_be_the_setting_of_all_of_scikit_learn() -> None:
    models = {"frames": make_pipeline(StandardScaler(), TakesFrames()), "plain": GaussianNB()}
    with sklearn.config_context(transform_output="pandas"):
        assert compare(models, FRAME).failures == ()


def test_weights_go_where_metadata_routing_sends_them() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        scaler = StandardScaler().set_fit_request(sample_weight=False)
        weighing = LogisticRegression().set_fit_request(sample_weight=True)
        plain = LogisticRegression().set_fit_request(sample_weight=False)
        models = {"weighing": make_pipeline(scaler, weighing), "plain": plain}
        c = compare(models, sample_weight=WEIGHTS)
    for j, (train, test) in enumerate(c.partition):
        scaled = StandardScaler().fit(X[train])
        fits: Any = (
            (clone(weighing), scaled.transform, {"sample_weight": WEIGHTS[train]}),
            (clone(plain), np.asarray, {}),
        )
        for a, (model, change, metadata) in enumerate(fits):
            model.fit(change(X[train]), y[train], **metadata)
            wrong = model.predict(change(X[test])) != y[test]
            assert c.losses.values[a, j] == pytest.approx(np.average(wrong, weights=WEIGHTS[test]))


def test_weights_of_which_an_estimator_says_nothing_are_refused() -> None:
    with (
        sklearn.config_context(enable_metadata_routing=True),
        pytest.raises(InvalidInput, match=r"sample_weight.*set_fit_request"),
    ):
        compare({"silent": GaussianNB()}, sample_weight=WEIGHTS)


def test_groups_reach_a_search_by_metadata_routing() -> None:
    with sklearn.config_context(enable_metadata_routing=True):
        search = GridSearchCV(GaussianNB(), {"var_smoothing": [1e-9, 1.0]}, cv=GroupKFold(2))
        design = ef.Mx2BCV(3, balance="groups")
        c = compare({"search": search, "plain": GaussianNB()}, design=design, groups=GROUPS)
        assert c.failures == ()
        for (train, _), chosen in zip(c.partition, c.chosen["search"], strict=True):
            fitted = clone(search).fit(X[train], y[train], groups=GROUPS[train])
            assert chosen == fitted.best_params_


class StudySearch(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """
    A search that leaves what Optuna's ``OptunaSearchCV`` leaves.

    Its ``best_params_`` and ``trials_`` are properties that ask the study, and
    ``best_estimator_`` is fitted last, which ``refit_time_`` times.
    """

    def fit(self, rows: Any, labels: Any) -> "StudySearch":
        trials = []
        for smoothing in (1e-9, 1.0):
            scores = cross_val_score(GaussianNB(var_smoothing=smoothing), rows, labels, cv=2)
            attributes = {f"split{j}_test_score": score for j, score in enumerate(scores)}
            trials.append(
                SimpleNamespace(
                    params={"var_smoothing": smoothing},
                    value=scores.mean(),
                    state=SimpleNamespace(name="COMPLETE"),
                    user_attrs=attributes,
                )
            )
        best = max(trials, key=lambda trial: float(trial.value))
        self.study_ = SimpleNamespace(
            trials=trials, best_trial=best, direction=SimpleNamespace(name="MAXIMIZE")
        )
        start = perf_counter()
        self.best_estimator_ = GaussianNB(**self.best_params_).fit(rows, labels)
        self.refit_time_ = perf_counter() - start
        self.classes_ = self.best_estimator_.classes_
        return self

    @property
    def trials_(self) -> Any:
        return self.study_.trials

    @property
    def best_params_(self) -> Any:
        return self.study_.best_trial.params

    def predict(self, rows: Any) -> NDArray[np.int64]:
        labels: NDArray[np.int64] = self.best_estimator_.predict(rows)
        return labels


def test_a_search_of_optuna_is_tuned_within_each_training_set() -> None:
    c = compare({"study": StudySearch(), "plain": GaussianNB()})
    assert c.failures == ()
    for j, (train, test) in enumerate(c.partition):
        search = StudySearch().fit(X[train], y[train])
        assert c.chosen["study"][j] == search.best_params_
        assert c.losses.values[0, j] == np.mean(search.predict(X[test]) != y[test])
    (chosen,) = c.facts.chosen
    tuning = np.array(chosen.tuning_seconds)
    assert np.all((tuning > 0) & (tuning < c.losses.fit_seconds[0]))
    assert " of it tuning" in str(c)


def test_a_fitted_search_of_optuna_is_judged_by_its_trials() -> None:
    search = StudySearch().fit(X, y)
    c = ef.judge(search, n=N)
    assert c.losses.algorithms == tuple(f"var_smoothing={one}" for one in (1e-9, 1.0))
    assert len(search.trials_) == len(c.losses.algorithms)
    assert [one.code for one in c.notes].count("searched") == 1
