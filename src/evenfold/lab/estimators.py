"""
The algorithms of the sources, under short names, with the parameters that the sources state.

Where a source states none, the default of the software that it used is taken, or a choice of ours is named as
such. ``S-plus tree`` and ``triangular kNN`` are what scikit-learn lacks.
"""

from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyRegressor
from sklearn.linear_model import Lasso, LinearRegression, LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from evenfold.lab.algorithm import Algorithm, Floats, Refitted
from evenfold.lab.fast import KNN, LDA, OLS, GaussianNB, Line, Mean, OLSClassifier, Ridge

_MINSIZE, _MINCUT, _MINDEV = 10, 5, 0.01  # the defaults of tree() in S-plus and R
_TINY = 1e-6  # the floor that kknn gives to distances and weights


def _single(X: ArrayLike) -> NDArray[np.float32]:
    return np.ascontiguousarray(X, dtype=np.float32)


class SplusTree(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """
    The function ``tree`` of S-plus 4.5 and of R with its defaults and no pruning, as NB, W14 and R19 use it.

    A node is split if it has at least 10 examples and at least .01 of the root's deviance; each side of a
    split keeps at least 5.

    Parameters
    ----------
    least_squares : bool
        A regression tree of labels 0 and 1, cut at ½ (NB 5, W14 6.1); otherwise a classification tree grown
        by deviance (NB 5, W14 6.2, R19 5.8.2), whose labels are numbers too.
    """

    def __init__(self, *, least_squares: bool = False) -> None:
        self.least_squares = least_squares

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Grow the tree; nodes of little deviance are made leaves afterwards, which gives the same tree."""
        kind = (
            DecisionTreeRegressor
            if self.least_squares
            else partial(DecisionTreeClassifier, criterion="log_loss")
        )
        # Checks of the input cost more than a small tree, and the trees of scikit-learn read float32 anyway.
        single, target = np.asarray(X, dtype=np.float32), np.asarray(y, dtype=float)
        model = kind(min_samples_split=_MINSIZE, min_samples_leaf=_MINCUT, random_state=0)
        self.model_ = model.fit(single, target, check_input=False)
        self.classes_ = np.unique(target)
        tree = self.model_.tree_
        deviance = tree.weighted_n_node_samples * tree.impurity
        small = deviance < _MINDEV * deviance[0]
        tree.children_left[small] = tree.children_right[small] = -1
        return self

    def predict(self, X: ArrayLike) -> Floats:
        leaves: Floats = self.model_.tree_.predict(np.asarray(X, dtype=np.float32))
        if self.least_squares:
            return (leaves[:, 0] > 0.5).astype(float)
        predicted: Floats = self.classes_[leaves.argmax(axis=1)]
        return predicted


class TriangularKNN(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
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
        scaled = near[:, : self.k] / np.maximum(near[:, -1:], _TINY)
        weights = np.maximum(1 - scaled, _TINY)
        labels = self.codes_[order[:, : self.k]]
        votes = np.stack([(weights * (labels == c)).sum(axis=1) for c in range(len(self.classes_))], axis=1)
        winners: NDArray[Any] = self.classes_[votes.argmax(axis=1)]
        return winners


def mean() -> Algorithm:
    """The mean of the training targets (NB 5, sample mean)."""
    return Mean()


def line() -> Algorithm:
    """Least squares on one feature, under NB's name (NB 5)."""
    return Line()


def ols() -> Algorithm:
    """Least squares with an intercept (R19's ``lm``)."""
    return OLS()


def ridge(alpha: float = 1.0) -> Algorithm:
    """Ridge regression (R19's ``rid``; no penalty is stated: α = 1 is our choice)."""
    return Ridge(alpha)


def lasso(alpha: float = 0.1) -> Algorithm:
    """The lasso (R19's ``lso``; no penalty is stated: α = .1 is our choice)."""
    return Refitted(name="lasso", prototype=Lasso(alpha=alpha))


def ols_classifier() -> Algorithm:
    """Least squares on labels with an intercept, cut at ½ (NB 5, footnote 11; W14 6.1)."""
    return OLSClassifier()


def regression_tree() -> Algorithm:
    """Least-squares tree on labels, cut at ½ (NB 5; W14 6.1)."""
    return Refitted(name="regression-tree", prototype=SplusTree(least_squares=True))


def classification_tree() -> Algorithm:
    """Classification tree (NB 5; W14 1, 2.2, 3, 6.2; R19 5.8.2)."""
    return Refitted(name="classification-tree", prototype=SplusTree())


def nearest_neighbour(weights: tuple[float, ...] | None = None) -> Algorithm:
    """1-NN, in a distorted metric where ``weights`` of the features are given (NB 5)."""
    return KNN(1, metric_weights=weights)


def triangular_knn() -> Algorithm:
    """5-NN with a triangular kernel (R19 3.5.1)."""
    return Refitted(name="knn", prototype=TriangularKNN(k=5))


def svm() -> Algorithm:
    """SVM with R e1071's defaults: scaled features, radial kernel, γ = 1/p, C = 1 (W14 2.1, 4; R19 3.5.1)."""
    return Refitted(name="svm", prototype=make_pipeline(StandardScaler(), SVC(gamma="auto")))


def linear_svm() -> Algorithm:
    """SVM with a linear kernel, C = 1 (G13 6, the check of its naive Bayes results)."""
    return Refitted(name="linear-svm", prototype=make_pipeline(StandardScaler(), SVC(kernel="linear")))


def logistic() -> Algorithm:
    """
    Logistic regression by maximum likelihood (W14 experiment 2; R19 example 6.1).

    A penalty too small to be seen (C = 10⁶) makes the fit exist on separable training sets.
    """
    model = LogisticRegression(C=1e6, solver="newton-cholesky", max_iter=500)
    return Refitted(name="logistic", prototype=model)


def lda() -> Algorithm:
    """Linear discriminant analysis (W14 6.6)."""
    return LDA()


def naive_bayes() -> Algorithm:
    """Gaussian naive Bayes (W14 experiment 3 and 6.6; G13 6)."""
    return GaussianNB()


def mlp(hidden: int = 5, *, seed: int = 0) -> Algorithm:
    """
    A network with one hidden layer (W14 experiment 3 and 6.5: two of equal size make the null true).

    W14 has 3, 5, 10 or 20 hidden units on UCI data (tables 8 and 9) and says no more; five units by default,
    a weight decay of .01 and L-BFGS are our choice. Give the two of a null different seeds: they differ in
    their starting weights only. For W14's single-layer perceptron take :func:`logistic`.
    """
    network = MLPClassifier((hidden,), solver="lbfgs", alpha=0.01, tol=1e-3, max_iter=2000, random_state=seed)
    return Refitted(name=f"mlp-{hidden}-{seed}", prototype=make_pipeline(StandardScaler(), network))


def is_mean(algorithm: Algorithm) -> bool:
    """Whether an algorithm predicts the mean of the training targets, whatever its name."""
    estimator = algorithm.estimator()
    return isinstance(estimator, DummyRegressor) and estimator.strategy == "mean"


def is_ols(algorithm: Algorithm) -> bool:
    """Whether an algorithm is least squares with an intercept, whatever its name."""
    estimator = algorithm.estimator()
    plain = isinstance(estimator, LinearRegression) and not estimator.positive
    return plain and bool(estimator.fit_intercept)


def source_algorithms() -> dict[str, Algorithm]:
    """All algorithms of the sources by name, with their default parameters."""
    makers = (
        mean, line, ols, ridge, lasso, ols_classifier, regression_tree, classification_tree,
        nearest_neighbour, triangular_knn, svm, linear_svm, logistic, lda, naive_bayes, mlp,
    )  # fmt: skip
    return {algorithm.name: algorithm for algorithm in (make() for make in makers)}
