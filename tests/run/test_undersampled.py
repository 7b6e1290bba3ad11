"""Under-sampling happens in fit, on the training set, and nowhere else."""

import warnings
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone, is_classifier
from sklearn.ensemble import RandomForestClassifier
from sklearn.exceptions import SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

import evenfold as ef
from evenfold.core.errors import InvalidInput
from evenfold.core.rng import stream
from evenfold.run import UnderSampled


def _rare(n: int = 400, share: float = 0.1) -> tuple[np.ndarray, np.ndarray]:
    rng = stream(5, "rare")
    y = (rng.random(n) < share).astype(int)
    return rng.normal(size=(n, 3)) + 1.5 * y[:, None], y


class Seen(GaussianNB):  # type: ignore[misc]  # scikit-learn has no types
    """Remembers the labels it was fitted on."""

    def fit(self, X: np.ndarray, y: np.ndarray) -> "Seen":
        self.seen_ = Counter(y.tolist())
        self.rows_ = X
        super().fit(X, y)
        return self


def test_the_classifier_sees_equally_many_of_each_class_and_real_rows_only() -> None:
    X, y = _rare()
    y = np.where(X[:, 0] > 1.2, "b", np.where(y == 1, "c", "a"))
    model = UnderSampled(Seen(), random_state=0).fit(X, y)
    fewest = min(Counter(y.tolist()).values())
    assert model.estimator_.seen_ == dict.fromkeys("abc", fewest)
    assert len(np.unique(model.sample_indices_)) == 3 * fewest
    np.testing.assert_array_equal(model.estimator_.rows_, X[model.sample_indices_])
    assert model.classes_.tolist() == ["a", "b", "c"]


def test_the_sample_changes_with_the_seed_only() -> None:
    X, y = _rare()
    draws = [
        UnderSampled(GaussianNB(), random_state=s).fit(X, y).sample_indices_.tolist()
        for s in (0, 0, 1)
    ]
    assert draws[0] == draws[1] != draws[2]


def test_it_offers_what_the_classifier_offers_and_predicts_every_row() -> None:
    X, y = _rare()
    logistic, svm = UnderSampled(LogisticRegression()), UnderSampled(LinearSVC())
    assert hasattr(logistic, "predict_proba")
    assert hasattr(svm, "decision_function")
    assert not hasattr(svm, "predict_proba")
    assert not hasattr(UnderSampled(RandomForestClassifier()), "decision_function")
    fitted = logistic.fit(X, y)
    assert len(fitted.predict(X)) == len(X)
    assert fitted.predict_proba(X).shape == (len(X), 2)
    assert fitted.decision_function(X).shape == (len(X),)


@pytest.mark.parametrize("form", [pd.DataFrame, sparse.csr_matrix, np.ndarray.tolist])
def test_frames_sparse_matrices_and_lists(form: Callable[..., Any]) -> None:
    X, y = _rare()
    made = form(X)
    dense = UnderSampled(LogisticRegression(), random_state=0).fit(X, y).predict(X)
    assert UnderSampled(LogisticRegression(), random_state=0).fit(made, y).predict(
        made
    ).tolist() == list(dense)


def test_it_is_a_classifier_that_can_be_cloned() -> None:
    model = UnderSampled(LogisticRegression(C=3.0), random_state=7)
    assert is_classifier(model)
    copy = clone(model)
    assert copy.get_params()["estimator__C"] == 3.0
    assert copy.random_state == 7


@pytest.mark.parametrize("classifier", [LogisticRegression(), GaussianNB()])
def test_it_is_a_proper_estimator(classifier: object) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SkipTestWarning)
        check_estimator(UnderSampled(classifier))


def test_rows_without_labels_are_refused() -> None:
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        UnderSampled(GaussianNB()).fit(np.zeros((60, 2)), np.arange(40) % 2)


def test_one_class_is_refused() -> None:
    with pytest.raises(InvalidInput, match="y must have at least two classes"):
        UnderSampled(GaussianNB()).fit([[0.0], [1.0]], [1, 1])


def test_a_run_draws_anew_on_each_split_and_repeats_itself() -> None:
    X, y = _rare()
    a, b = (
        ef.compare(UnderSampled(GaussianNB()), X, y, measure="f1", random_state=1).losses.counts
        for _ in range(2)
    )
    assert a is not None
    np.testing.assert_array_equal(a, b)
    tp, _, fn = a[0].sum(axis=0)
    assert tp + fn == 9 * y.sum()  # every positive row is tested, nine times


def test_drawn_before_the_split_f1_is_that_of_other_data() -> None:
    X, y = _rare(2000, 0.1)
    rows = UnderSampled(GaussianNB(), random_state=0).fit(X, y).sample_indices_
    inside = ef.compare(UnderSampled(GaussianNB()), X, y, measure="f1", random_state=0)
    before = ef.compare(GaussianNB(), X[rows], y[rows], measure="f1", random_state=0)
    assert before.estimate.value > inside.estimate.value + 0.2
    assert any("equally frequent" in str(note) for note in before.facts.notes)
    assert not any("equally frequent" in str(note) for note in inside.facts.notes)
