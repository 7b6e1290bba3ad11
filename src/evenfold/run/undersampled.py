"""
Under-sampling where it belongs.

It happens inside ``fit``, so test sets keep their class shares.
"""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import _safe_indexing, check_random_state, get_tags, indexable
from sklearn.utils.metaestimators import available_if
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_y,
    _num_samples,
    check_consistent_length,
    check_is_fitted,
)

from evenfold.core.checks import refuse
from evenfold.core.errors import InvalidInput


def _has(name: str) -> Any:
    def check(self: "UnderSampled") -> bool:
        # its own error says what is missing
        getattr(getattr(self, "estimator_", self.estimator), name)
        return True

    return check


class UnderSampled(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """
    A classifier that trains on as many examples of each class as the rarest class has.

    The sample is drawn in ``fit``, from the training set alone; whatever is predicted later is left
    as it is. Drawn before the split, test sets would have the wrong share of the rare class, and
    precision and F1 would be those of data that do not exist.

    Parameters
    ----------
    estimator : classifier
        Fitted on the sample; a pipeline learns all its steps from the sample.
    random_state : None, int or numpy generator
        Which examples are drawn. In a run a ``None`` is set anew for each split.

    Attributes
    ----------
    estimator_ : classifier
        The fitted classifier.
    classes_ : array
        The labels.
    sample_indices_ : array
        The training examples that were drawn.

    Notes
    -----
    *Validity.* Scores on the whole test sets are those of the procedure "draw, then fit". A model
    fitted on equal classes gives probabilities for equal classes: judge it by its labels or its
    ranking, not by ``log`` or ``brier``.

    Examples
    --------
    >>> import evenfold as ef
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[0.0], [0.1], [0.2], [0.3], [0.9], [1.0]], [0, 0, 0, 0, 1, 1]
    >>> model = ef.run.UnderSampled(LogisticRegression(), random_state=0).fit(X, y)
    >>> len(model.sample_indices_)
    4
    """

    def __init__(self, estimator: Any, *, random_state: Any = None) -> None:
        self.estimator = estimator
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "UnderSampled":
        """Draw the sample and fit the classifier on it."""
        labels = self._labels(X, y)
        self.classes_, codes, counts = np.unique(labels, return_inverse=True, return_counts=True)
        if len(self.classes_) < 2:
            refuse("y", "y must have at least two classes but has one class.")
        rng = check_random_state(self.random_state)
        drawn = [
            rng.choice(np.flatnonzero(codes == code), counts.min(), replace=False)
            for code in range(len(counts))
        ]
        self.sample_indices_ = np.sort(np.concatenate(drawn))
        sample = _safe_indexing(*indexable(X), self.sample_indices_)
        self.estimator_ = clone(self.estimator).fit(sample, labels[self.sample_indices_])
        return self

    def _labels(self, X: Any, y: Any) -> Any:
        """Check the labels; X is the classifier's to check, but must have as many rows."""
        if y is None:
            raise InvalidInput("UnderSampled requires y to be passed, but the target y is None")
        if not _num_samples(X):
            refuse("X", "X must be non-empty but got 0 sample(s): Found array with 0 sample(s).")
        check_consistent_length(X, y)
        labels = _check_y(y)
        check_classification_targets(labels)
        return labels

    def __sklearn_tags__(self) -> Any:
        """Say of its input what the classifier says."""
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags = inner.input_tags
        tags.classifier_tags = inner.classifier_tags
        return tags

    @property
    def n_features_in_(self) -> int:
        """The number of features that the classifier saw."""
        return int(self.estimator_.n_features_in_)

    @property
    def feature_names_in_(self) -> Any:
        """The names of the features where the classifier saw a frame."""
        return self.estimator_.feature_names_in_

    def predict(self, X: Any) -> Any:
        """Predict labels."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

    @available_if(_has("predict_proba"))  # type: ignore[untyped-decorator]  # nor has its decorator
    def predict_proba(self, X: Any) -> Any:
        """Predict probabilities, those of classes that are equally frequent."""
        check_is_fitted(self)
        return self.estimator_.predict_proba(X)

    @available_if(_has("decision_function"))  # type: ignore[untyped-decorator]  # nor has its decorator
    def decision_function(self, X: Any) -> Any:
        """Return the classifier's scores."""
        check_is_fitted(self)
        return self.estimator_.decision_function(X)
