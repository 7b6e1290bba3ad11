"""Functions that return more than labels."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

import evenfold as ef
from evenfold.run.cells import answers_of_function
from evenfold.run.data import as_target

RNG = np.random.default_rng(0)
y = np.array(["blue", "green", "red"])[np.arange(60) % 3]
X = RNG.normal(size=(60, 2)) + (np.arange(60) % 3)[:, None]
TWO = np.where(y == "red", "red", "not")


def bayes(give: Callable[[Any, Any], Any]) -> Any:
    """A function that fits naive Bayes and returns what ``give`` makes of model and test data."""

    def function(X_train: Any, y_train: Any, X_test: Any) -> Any:
        return give(GaussianNB().fit(X_train, y_train), X_test)

    return function


FULL = bayes(lambda m, X: {"labels": m.predict(X), "probabilities": m.predict_proba(X)})
SOFT = bayes(lambda m, X: {"labels": None, "probabilities": m.predict_proba(X)})


def values(algorithm: Any, measure: str, target: Any = y, **options: Any) -> Any:
    done = ef.compare(
        [algorithm],
        X,
        target,
        measure=measure,
        design=ef.KFold(3, balance="labels"),
        random_state=0,
        **options,
    )
    assert not done.failures
    return done.losses.values


@pytest.mark.parametrize("measure", ["zero-one", "log", "brier"])
@pytest.mark.parametrize("function", [FULL, SOFT], ids=["both", "probabilities only"])
def test_a_function_is_worth_what_the_estimator_is(function: Any, measure: str) -> None:
    assert np.allclose(values(function, measure), values(GaussianNB(), measure))


@pytest.mark.parametrize(
    "give",
    [
        lambda m, X: {"probabilities": m.predict_proba(X)},
        lambda m, X: {"probabilities": m.predict_proba(X)[:, 1]},
        lambda m, X: {"probabilities": m.predict_proba(X)[:, 1:].astype(np.float32)},
        lambda m, X: {"labels": m.predict(X), "scores": np.log(m.predict_proba(X)[:, 1])},
        lambda m, X: {"scores": m.predict_log_proba(X)},
    ],
)
def test_two_classes_rank_by_one_column_two_or_scores(give: Any) -> None:
    assert np.allclose(
        values(bayes(give), "auc", TWO, positive="red"),
        values(GaussianNB(), "auc", TWO, positive="red"),
    )
    assert np.allclose(values(bayes(give), "zero-one", TWO), values(GaussianNB(), "zero-one", TWO))


class Tensor:
    """What torch's tensors are like."""

    def __init__(self, values: Any) -> None:
        self.values, self.free = values, False

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("Can't call numpy() on Tensor that requires grad")

    def detach(self) -> "Tensor":
        return self

    def cpu(self) -> "Tensor":
        return self

    def numpy(self) -> Any:
        return self.values


def test_tensors_are_taken_as_they_are() -> None:
    given = bayes(lambda m, X: {"probabilities": Tensor(m.predict_proba(X))})
    assert np.allclose(values(given, "log"), values(GaussianNB(), "log"))


@pytest.mark.parametrize(
    ("given", "asked", "message"),
    [
        ({"proba": 1}, "predict", "use the keys 'labels', 'probabilities', 'scores'"),
        ({}, "predict", "use the keys"),
        ({"labels": None}, "predict", "return labels"),
        (["red", "red"], "predict_proba", "the function returned only labels"),
        ({"labels": ["red", "red"]}, "decision_function", "the function returned only labels"),
        ({"scores": np.eye(3)[:2]}, "predict_proba", "the function returned only scores"),
        ({"probabilities": np.eye(3)}, "predict_proba", "3 predictions for 2 test examples"),
        (
            {"probabilities": np.eye(2)},
            "predict_proba",
            r"shape \(2, 2\) for 2 examples and 3 classes",
        ),
        (
            {"probabilities": [0.1, 0.2]},
            "predict_proba",
            r"shape \(2,\) for 2 examples and 3 classes",
        ),
        ({"probabilities": 3 * np.eye(3)[:2]}, "predict_proba", "sum to 1"),
        ({"probabilities": np.full((2, 3), np.nan)}, "predict_proba", "NaN or infinite"),
        (np.eye(3)[:2], "predict", r"have shape \(2, 3\)"),
    ],
)
def test_what_cannot_be_used_is_said_in_one_line(given: Any, asked: str, message: str) -> None:
    with pytest.raises(Exception, match=message) as refusal:
        answers_of_function(given, (asked,), as_target(y), 2)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_function_without_probabilities_is_refused_at_its_first_cell_with_the_remedy(
    n_jobs: int,
) -> None:
    labels = bayes(lambda m, X: m.predict(X))
    message = (
        "Algorithm 'a' must give predict_proba for measure log but the function returned only "
        "labels. Return {"
    )
    with pytest.raises(ef.EvenfoldError, match=re.escape(message)):
        ef.compare({"a": labels, "b": SOFT}, X, y, measure="log", design=ef.KFold(3), n_jobs=n_jobs)


class Boastful(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Says per cents where probabilities are asked for."""

    def predict_proba(self, X: Any) -> Any:
        return 100 * super().predict_proba(X)


def test_what_an_estimator_gives_must_be_probabilities_too() -> None:
    rng = np.random.default_rng(0)
    y = np.tile([0, 1], 40)
    X = rng.normal(size=(80, 2)) + y[:, None]
    done = ef.run.run(
        [Boastful()], ef.Mx2BCV(3, random_state=0).partition(80), X, y, measures="brier"
    )
    said = [failure.message for failure in done["brier"].failures]
    assert len(said) == 6
    assert all("sum to 1 over all classes but got" in one for one in said)
    assert all("Divide percentages by 100" in one for one in said)
