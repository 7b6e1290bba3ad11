"""
Estimators and data that are not what they seem.

Our own error before the first fit, or a right answer.
"""

from pathlib import Path
from threading import Thread
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.core.errors import NotReused

y = np.arange(40) % 2
X = np.random.default_rng(0).normal(size=(40, 2)) + y[:, None]
PARTITION = ef.Mx2BCV(2, random_state=0).partition(40)


class Raises(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Raises something else than AttributeError for what it does not have."""

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"no {name}")


class Everything(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Claims to have everything: it looks like a frame."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return lambda *_, **__: None


class Silent(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Cannot say what it is."""

    def __repr__(self, *_: Any, **__: Any) -> str:
        raise ValueError("no words")


class Anything:
    """Answers every question with itself."""

    def __getattr__(self, name: str) -> "Anything":
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: Any, **__: Any) -> "Anything":
        return self


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_an_estimator_without_words_is_run_as_others_are(n_jobs: int | None) -> None:
    plain = ef.run.run([GaussianNB()], PARTITION, X, y, seed=0)["zero-one"].values
    done = ef.run.run([Silent()], PARTITION, X, y, seed=0, n_jobs=n_jobs)
    np.testing.assert_array_equal(done["zero-one"].values, plain)


def test_an_estimator_that_raises_when_asked_fails_in_its_own_cells() -> None:
    both = {"raises": Raises(), "bayes": GaussianNB()}
    done = ef.run.run(both, PARTITION, X, y, seed=0)
    assert {(f.algorithm, f.kind) for f in done.failures} == {("raises", "raised")}
    with pytest.raises(
        ef.EvenfoldError, match=r"must be picklable .* failed with RuntimeError: no __"
    ):
        ef.run.run(both, PARTITION, X, y, seed=0, n_jobs=2)


def test_an_estimator_that_claims_to_be_anything_is_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ef.EvenfoldError) as caught:
        ef.run.run({"odd": Anything()}, PARTITION, X, y, seed=0, store=tmp_path / "runs.db")
    assert "\n" not in str(caught.value)
    assert "Algorithm 'odd'" in str(caught.value)


def test_an_estimator_that_claims_to_have_everything_is_run_each_time(tmp_path: Path) -> None:
    with pytest.warns(NotReused, match="Algorithm 'odd' is fitted again in each call"):
        done = ef.run.run(
            {"odd": Everything()}, PARTITION, X, y, seed=0, store=tmp_path / "runs.db"
        )
    assert done.reused == 0


def test_a_store_takes_an_estimator_that_has_no_words(tmp_path: Path) -> None:
    asked: dict[str, Any] = {"seed": 0, "store": tmp_path / "runs.db", "version": "1"}
    assert ef.run.run([Silent()], PARTITION, X, y, **asked).fits == 4
    assert ef.run.run([Silent()], PARTITION, X, y, **asked).fits == 0


def test_labels_that_numpy_would_make_one_are_refused() -> None:
    labels = np.array(["a", "a\0", "b", "b"], dtype=object)[np.arange(40) % 4]
    with pytest.raises(ef.EvenfoldError, match="Labels of y must not end with NUL"):
        ef.run.run([DummyClassifier()], PARTITION, X, labels)


def test_one_name_for_two_columns_is_refused() -> None:
    with pytest.raises(ef.EvenfoldError, match="The name 'a' stands for several columns of X"):
        ef.run.run([DummyClassifier()], PARTITION, pd.DataFrame(X, columns=["a", "a"]), y)


@pytest.mark.parametrize("shared", [False, True])
def test_threads_may_share_a_file_and_a_store(tmp_path: Path, shared: bool) -> None:
    path = str(tmp_path / "runs.db")
    store: Any = ef.run.stores()["sqlite"](path) if shared else path
    plain = ef.run.run([GaussianNB()], PARTITION, X, y, seed=0)["zero-one"].values
    found: list[Any] = []

    def work() -> None:
        found.append(
            ef.run.run([GaussianNB()], PARTITION, X, y, seed=0, store=store)["zero-one"].values
        )

    threads = [Thread(target=work) for _ in range(6)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert len(found) == 6
    for one_found in found:
        np.testing.assert_array_equal(one_found, plain)


class Stepping(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Has attributes of names that mean something elsewhere."""

    def __init__(self, steps: Any = 100) -> None:
        super().__init__()
        self.steps = steps

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "Stepping":
        super().fit(X, y, sample_weight)
        self.estimator_ = self
        self.regressor_ = 3
        self.best_params_ = 7
        return self

    @property
    def best_estimator_(self) -> Any:
        raise RuntimeError("not yet")


@pytest.mark.parametrize("steps", [100, None, {"a": 1}, [1, 2], "ab", [("a", 1)]])
@pytest.mark.parametrize("weights", [None, np.ones(40)])
def test_attributes_that_no_protocol_promises_are_not_looked_at(steps: Any, weights: Any) -> None:
    plain = ef.run.run([GaussianNB()], PARTITION, X, y, seed=0, sample_weight=weights)
    done = ef.run.run([Stepping(steps)], PARTITION, X, y, seed=0, sample_weight=weights)
    assert done.failures == ()
    np.testing.assert_array_equal(done["zero-one"].values, plain["zero-one"].values)


@pytest.mark.parametrize("steps", [100, [1, 2], [("a", 1)]])
def test_steps_of_what_is_no_pipeline_name_nothing(steps: Any) -> None:
    done = ef.run.run([Stepping(steps), Stepping(steps)], PARTITION, X, y, seed=0)
    assert done.algorithms == ("Stepping", "Stepping 2")


def test_columns_that_are_not_named_by_labels_are_said() -> None:
    class Counted(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
        def predict_proba(self, X: Any) -> Any:
            return np.full((len(X), 2), 0.5)

        def fit(self, X: Any, y: Any) -> "Counted":
            super().fit(X, y)
            self.classes_ = 2
            return self

    done = ef.run.run([Counted()], PARTITION, X, y, seed=0, measures="log")
    assert {failure.kind for failure in done.failures} == {"wrong shape"}
    assert "classes_ must be the labels" in done.failures[0].message
