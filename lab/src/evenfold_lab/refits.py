"""
Estimators of the sources that scikit-learn lacks, refitted one by one.

The fast paths give the same predictions.
"""

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from evenfold_lab.algorithm import Floats
from evenfold_lab.fast.neighbours.triangular import TINY

# the defaults of tree() in S-plus and R
MINSIZE = 10
MINCUT = 5
MINDEV = 0.01


class RefittedSplusTree(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """
    The estimator that :class:`~evenfold_lab.fast.SplusTree` equals.

    The labels of classes must be numbers.
    """

    def __init__(self, *, least_squares: bool = False) -> None:
        self.least_squares = least_squares

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Grow the tree, then turn nodes of little deviance into leaves."""
        if self.least_squares:
            kind = DecisionTreeRegressor
        else:
            kind = partial(DecisionTreeClassifier, criterion="log_loss")
        # Input checks cost more than a small tree, and scikit-learn's trees use float32 anyway.
        single = np.asarray(X, dtype=np.float32)
        target = np.asarray(y, dtype=float)
        model = kind(min_samples_split=MINSIZE, min_samples_leaf=MINCUT, random_state=0)
        self.model_ = model.fit(single, target, check_input=False)
        self.classes_ = np.unique(target)
        tree = self.model_.tree_
        deviance = tree.weighted_n_node_samples * tree.impurity
        small = deviance < MINDEV * deviance[0]
        tree.children_left[small] = tree.children_right[small] = -1
        return self

    def predict(self, X: ArrayLike) -> Floats:
        leaves: Floats = self.model_.tree_.predict(np.asarray(X, dtype=np.float32))
        if self.least_squares:
            return (leaves[:, 0] > 0.5).astype(float)
        predicted: Floats = self.classes_[leaves.argmax(axis=1)]
        return predicted


class RefittedTriangularKNN(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """
    k nearest neighbours, weighted by a triangular kernel as R's ``kknn`` does (R19 3.5.1: k = 5).

    Features are scaled to unit variance; a neighbour at distance d weighs 1 − d/d', where d' is the
    distance of neighbour k + 1.
    """

    def __init__(self, *, k: int = 5) -> None:
        self.k = k

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        self.scaler_ = StandardScaler().fit(X)
        self.X_ = self.scaler_.transform(X)
        self.classes_, self.codes_ = np.unique(y, return_inverse=True)
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        distances = cdist(self.scaler_.transform(X), self.X_)
        order = np.argsort(distances, axis=1, kind="stable")[:, : self.k + 1]
        near = np.take_along_axis(distances, order, axis=1)
        scaled = near[:, : self.k] / np.maximum(near[:, -1:], TINY)
        weights = np.maximum(1 - scaled, TINY)
        labels = self.codes_[order[:, : self.k]]
        votes = np.stack(
            [(weights * (labels == c)).sum(axis=1) for c in range(len(self.classes_))], axis=1
        )
        winners: NDArray[Any] = self.classes_[votes.argmax(axis=1)]
        return winners
