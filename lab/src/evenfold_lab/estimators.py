"""
The algorithms of the sources, under short names, with the parameters that the sources state.

If a source states no parameter, it is the default of the software used, or our choice, and then the
docstring says so. scikit-learn lacks ``S-plus tree`` and ``triangular kNN``.
"""

from evenfold_lab.algorithm import Algorithm, Refitted
from evenfold_lab.fast import (
    KNN,
    LDA,
    OLS,
    SVM,
    GaussianNB,
    Lasso,
    Line,
    Logistic,
    Mean,
    OLSClassifier,
    Ridge,
    SplusTree,
    TriangularKNN,
)


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
    """Ridge regression (R19's ``rid``, which states no penalty: α = 1 is our choice)."""
    return Ridge(alpha)


def lasso(alpha: float = 0.1) -> Algorithm:
    """The lasso (R19's ``lso``, which states no penalty: α = .1 is our choice)."""
    return Lasso(alpha)


def ols_classifier() -> Algorithm:
    """Least squares on labels with an intercept, cut at ½ (NB 5, footnote 11; W14 6.1)."""
    return OLSClassifier()


def regression_tree() -> Algorithm:
    """Least-squares tree on labels, cut at ½ (NB 5; W14 6.1)."""
    return SplusTree(least_squares=True)


def classification_tree() -> Algorithm:
    """Classification tree (NB 5; W14 1, 2.3, 3, 4, 6.2; R19 5.8.2)."""
    return SplusTree()


def nearest_neighbour(weights: tuple[float, ...] | None = None) -> Algorithm:
    """1-NN, in a distorted metric if the features have ``weights`` (NB 5)."""
    return KNN(1, metric_weights=weights)


def triangular_knn() -> Algorithm:
    """5-NN with a triangular kernel (R19 3.5.1)."""
    return TriangularKNN(k=5)


def svm() -> Algorithm:
    """
    SVM with R e1071's defaults (W14 1, 4; R19 3.5.1).

    Features are scaled, the kernel is radial, γ = 1/p, and C = 1.
    """
    return SVM()


def linear_svm() -> Algorithm:
    """SVM with a linear kernel, C = 1 (G13 6, the check of its naive Bayes results)."""
    return SVM(kernel="linear")


def logistic() -> Algorithm:
    """
    Logistic regression by maximum likelihood (W14 experiment 2; R19 example 6.1).

    A negligible penalty (C = 10⁶) makes the fit exist on separable training sets.
    """
    return Logistic(C=1e6)


def lda() -> Algorithm:
    """Linear discriminant analysis (W14 6.6)."""
    return LDA()


def naive_bayes() -> Algorithm:
    """Gaussian naive Bayes (W14 experiment 3 and 6.6; G13 6)."""
    return GaussianNB()


def mlp(hidden: int = 5, *, seed: int = 0) -> Algorithm:
    """
    A network with one hidden layer (W14 experiment 3 and 6.5: two of one size make the null true).

    W14 has 3, 5, 10 or 20 hidden units on UCI data (tables 8 and 9), and states nothing else. Our
    choices are five units by default, a weight decay of .01, and L-BFGS. For a true null, use two
    seeds: such networks differ only in their starting weights. For W14's single-layer perceptron
    use :func:`logistic`.
    """
    from sklearn.neural_network import MLPClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    network = MLPClassifier(
        (hidden,), solver="lbfgs", alpha=0.01, tol=1e-3, max_iter=2000, random_state=seed
    )
    return Refitted(name=f"mlp-{hidden}-{seed}", prototype=make_pipeline(StandardScaler(), network))


def is_mean(algorithm: Algorithm) -> bool:
    """Say whether an algorithm predicts the mean of the training targets, whatever its name."""
    if not isinstance(algorithm, Refitted):
        return isinstance(algorithm, Mean)
    from sklearn.dummy import DummyRegressor

    estimator = algorithm.prototype
    return isinstance(estimator, DummyRegressor) and estimator.strategy == "mean"


def is_ols(algorithm: Algorithm) -> bool:
    """Say whether an algorithm is least squares with an intercept, whatever its name."""
    if not isinstance(algorithm, Refitted):
        return isinstance(algorithm, OLS)
    from sklearn.linear_model import LinearRegression

    estimator = algorithm.prototype
    plain = isinstance(estimator, LinearRegression) and not estimator.positive
    return plain and bool(estimator.fit_intercept)


def source_algorithms() -> dict[str, Algorithm]:
    """Return all algorithms of the sources by name, with their default parameters."""
    makers = (
        mean, line, ols, ridge, lasso, ols_classifier, regression_tree, classification_tree,
        nearest_neighbour, triangular_knn, svm, linear_svm, logistic, lda, naive_bayes, mlp,
    )  # fmt: skip
    return {algorithm.name: algorithm for algorithm in (make() for make in makers)}
