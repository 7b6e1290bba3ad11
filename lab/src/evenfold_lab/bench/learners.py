"""
Learners that take weights fit all models of many data sets together, on NumPy or a GPU.

A learner is a function of features ``X`` (R, n, p), targets ``y`` (R, n) and training weights ``w``
(S, n), how often each example trains in each split (0 where it is tested or sits out). It returns
scores (R, S, n) of all examples by all models: the probability of class 1, or the predicted number.
Only the scores of examples that did not train are looked at.

Everything is a matrix product of weights with features of the examples: sums over training sets for
linear models and naive Bayes, histograms of binned features for trees. The methods are the usual
ones, except that penalties are fixed shares of the training size, so that no learner is tuned.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from evenfold_lab.arrays import Array, array_like, counting, namespace
from evenfold_lab.bench.trees import boost_trees, forest, tree

Floats = np.ndarray[Any, np.dtype[np.float64]]
NEIGHBOURS = 7
_LOOKED_AT = 160  # nearest examples among which the k nearest that train are looked for
_STEPS = 10  # of Newton's method


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class LearningTask:
    """
    What a learner may know besides the examples.

    Attributes
    ----------
    classes : bool
        Whether targets are classes 0 and 1; otherwise they are numbers.
    edges : array, shape (p, bins − 1)
        Where features are cut into bins for trees. They belong to the population, not to the data
        set.
    rng : numpy generator
        The source of randomness in a learner.
    """

    classes: bool
    edges: Floats
    rng: np.random.Generator


Fit = Callable[[Array, Array, Array, LearningTask], Array]


@dataclass(frozen=True, eq=False, kw_only=True, slots=True)
class Learner:
    """
    A learner and its name.

    Attributes
    ----------
    key : str
        Its name in the results.
    fit : callable
        From (X, y, w, task) to scores (R, S, n).
    probabilities : bool
        Whether its scores are probabilities; otherwise it has no log loss or Brier score.
    heavy : bool
        Whether a fit costs much, so that it is left out of leave-one-out.
    luck : str
        Learners with the same luck draw the same random numbers; by default each draws its own.
    """

    key: str
    fit: Fit
    probabilities: bool = True
    heavy: bool = False
    luck: str = ""


def _products(X: Array) -> Array:
    """Return the flattened outer product of every example: (R, n, p·p)."""
    R, n, p = X.shape
    return namespace(X).reshape(X[..., :, None] * X[..., None, :], (R, n, p * p))


def _solve(A: Array, b: Array) -> Array:
    """
    Solve A x = b for positive definite A and the last axis of b, by elimination.

    On a GPU, libraries solve thousands of small systems one by one; a step of elimination for all
    of them at once is far faster.
    """
    xp = namespace(A)
    if isinstance(A, np.ndarray):
        return np.linalg.solve(A, b[..., None])[..., 0]
    M = xp.concat([A, xp.broadcast_to(b[..., None], (*A.shape[:-1], 1))], axis=-1)
    for k in range(A.shape[-1]):
        row = M[..., k : k + 1, k:] / M[..., k : k + 1, k : k + 1]
        others = xp.astype(counting(A, A.shape[-2]) != k, A.dtype)[:, None]
        M[..., :, k:] = M[..., :, k:] - others * M[..., :, k : k + 1] * row
        M[..., k : k + 1, k:] = row
    return M[..., -1]


def _eye(X: Array) -> Array:
    xp = namespace(X)
    return xp.eye(X.shape[-1], dtype=X.dtype, device=X.device)


def _append_ones(X: Array) -> Array:
    xp = namespace(X)
    return xp.concat([X, xp.ones_like(X[..., :1])], axis=-1)


def _scores(X: Array, coefficients: Array) -> Array:
    """Multiply X (R, n, p) by coefficients (R, S, p), giving (R, S, n)."""
    xp = namespace(X)
    return xp.matmul(coefficients, xp.matrix_transpose(X))


def _sigmoid(x: Array) -> Array:
    xp = namespace(x)
    return 1 / (1 + xp.exp(-xp.clip(x, min=-35.0, max=35.0)))


def mean(X: Array, y: Array, w: Array, task: LearningTask) -> Array:
    """Predict the mean of the training targets, which classifies by the majority."""
    del X, task
    xp = namespace(y)
    average = xp.matmul(w, y[..., None]) / xp.sum(w, axis=-1)[:, None]
    return xp.broadcast_to(average, (*average.shape[:2], y.shape[1]))


def _centred_moments(X: Array, y: Array, w: Array) -> tuple[Array, Array, Array, Array]:
    """Return the means of features and target, and their centred second moments."""
    xp = namespace(X)
    R, _, p = X.shape
    size = xp.sum(w, axis=-1)[:, None]
    x_bar = xp.matmul(w, X) / size
    y_bar = xp.matmul(w, y[..., None]) / size
    xx = xp.reshape(xp.matmul(w, _products(X)) / size, (R, w.shape[0], p, p))
    xy = xp.matmul(w, X * y[..., None]) / size
    return (
        x_bar,
        y_bar,
        xx - x_bar[..., :, None] * x_bar[..., None, :],
        xy - x_bar * y_bar,
    )


def least_squares(penalty: float) -> Fit:
    """Return least squares with an intercept and ``penalty`` per example on squared slopes."""

    def fit(X: Array, y: Array, w: Array, task: LearningTask) -> Array:
        del task
        x_bar, y_bar, xx, xy = _centred_moments(X, y, w)
        slope = _solve(xx + (penalty + 1e-9) * _eye(X), xy)
        offset = y_bar - namespace(X).sum(slope * x_bar, axis=-1)[..., None]
        return _scores(X, slope) + offset

    return fit


def lasso(penalty: float, sweeps: int = 40) -> Fit:
    """Return coordinate descent on half the mean squared error plus ``penalty`` · Σ |slopes|."""

    def fit(X: Array, y: Array, w: Array, task: LearningTask) -> Array:
        del task
        xp = namespace(X)
        x_bar, y_bar, xx, xy = _centred_moments(X, y, w)
        slope = xp.zeros_like(xy)
        for _ in range(sweeps):
            for j in range(X.shape[-1]):
                square = xx[..., j, j]
                rest = xy[..., j] - xp.sum(xx[..., j, :] * slope, axis=-1) + square * slope[..., j]
                shrunk = xp.clip(xp.abs(rest) - penalty, min=0.0)
                slope[..., j] = xp.sign(rest) * shrunk / xp.clip(square, min=1e-12)
        return _scores(X, slope) + (y_bar - xp.sum(slope * x_bar, axis=-1)[..., None])

    return fit


def _newton(X: Array, y: Array, w: Array, penalty: float, step: Callable[..., Any]) -> Array:
    """Minimise a convex loss with an unpenalised intercept and return the scores (R, S, n)."""
    xp = namespace(X)
    Z = _append_ones(X)
    R, _, p = Z.shape
    S = w.shape[0]
    products = _products(Z)
    size = xp.sum(w, axis=-1)
    ridge = penalty * xp.ones(p, dtype=X.dtype, device=X.device)
    ridge = xp.where(counting(X, p) == p - 1, xp.full_like(ridge, 1e-8), ridge)
    ridge = ridge[None, :] * size[:, None]
    b = xp.zeros((R, S, p), dtype=X.dtype, device=X.device)
    for _ in range(_STEPS):
        slope, curvature = step(_scores(Z, b), y[:, None, :], w)
        gradient = xp.matmul(slope, Z) + ridge * b
        hessian = xp.reshape(xp.matmul(curvature, products), (R, S, p, p))
        hessian = hessian + ridge[..., None] * _eye(Z)
        b = b - _solve(hessian, gradient)
    return _scores(Z, b)


def _logistic_step(margin: Array, y: Array, w: Array) -> tuple[Array, Array]:
    chance = _sigmoid(margin)
    # A curvature that is too large only shortens the step: Newton's method does not run away.
    return w * (chance - y), w * namespace(margin).clip(chance * (1 - chance), min=1e-3)


def _hinge_step(margin: Array, y: Array, w: Array) -> tuple[Array, Array]:
    xp = namespace(margin)
    sign = 2 * y - 1
    short = xp.clip(1 - sign * margin, min=0.0)
    inside = xp.astype(short > 0, margin.dtype)
    return -2 * w * sign * short, 2 * w * (inside + 1e-6)


def logistic(penalty: float) -> Fit:
    """Return logistic regression with ``penalty``/2 per training example on squared slopes."""

    def fit(X: Array, y: Array, w: Array, task: LearningTask) -> Array:
        del task
        return _sigmoid(_newton(X, y, w, penalty, _logistic_step))

    return fit


def svm(penalty: float) -> Fit:
    """
    Return a linear support vector machine with squared hinge loss.

    Scores are margins, mapped into (0, 1) by a sigmoid.
    """

    def fit(X: Array, y: Array, w: Array, task: LearningTask) -> Array:
        del task
        return _sigmoid(_newton(X, y, w, penalty, _hinge_step))

    return fit


def shift_coefficients(base: float, size: float, sign: int) -> Fit:
    """
    Add a random vector to the coefficients of ridge logistic regression (Sci. Rep. 15, 28745).

    By symmetry, ``sign`` +1 and −1 with the same vector are equally good on any table.
    """

    def fit(X: Array, y: Array, w: Array, task: LearningTask) -> Array:
        R, _, p = X.shape
        vector = task.rng.normal(size=(R, w.shape[0], p)) * (sign * size)
        margin = _newton(X, y, w, base, _logistic_step) + _scores(X, array_like(X, vector))
        return _sigmoid(margin)

    return fit


def _class_means(X: Array, w: Array) -> tuple[Array, Array]:
    """Return the size (R, S, 1) and means (R, S, p) of a class with weights (R, S, n)."""
    xp = namespace(X)
    size = xp.clip(xp.sum(w, axis=-1), min=1e-9)[..., None]
    return size, xp.matmul(w, X) / size


def naive_bayes(X: Array, y: Array, w: Array, task: LearningTask) -> Array:
    """Gaussian naive Bayes, with variances smoothed by 1e-9 of the largest."""
    del task
    xp = namespace(X)
    away = []
    spread = _class_means(X * X, w[None, ...])[1] - _class_means(X, w[None, ...])[1] ** 2
    smoothing = 1e-9 * xp.max(spread, axis=-1)[..., None]
    for of_class in (1 - y, y):
        size, middle = _class_means(X, w * of_class[:, None, :])
        square = _class_means(X * X, w * of_class[:, None, :])[1]
        variance = xp.clip(square - middle * middle, min=0.0) + smoothing + 1e-12
        precise = 1 / variance
        distance = _scores(X * X, precise) - 2 * _scores(X, middle * precise)
        constant = xp.sum(middle * middle * precise + xp.log(variance), axis=-1)[..., None]
        away.append(xp.log(size) - (distance + constant) / 2)
    return _sigmoid(away[1] - away[0])


def lda(X: Array, y: Array, w: Array, task: LearningTask) -> Array:
    """Linear discriminant analysis with the pooled covariance."""
    del task
    xp = namespace(X)
    R, _, p = X.shape
    S = w.shape[0]
    pooled = xp.reshape(xp.matmul(w, _products(X)), (R, S, p, p))
    sides = []
    for of_class in (1 - y, y):
        size, middle = _class_means(X, w * of_class[:, None, :])
        pooled = pooled - size[..., None] * middle[..., :, None] * middle[..., None, :]
        sides.append((size, middle))
    pooled = pooled / (xp.sum(w, axis=-1)[None, :, None, None] - 2)
    pooled = pooled + 1e-6 * _eye(X)
    (size0, middle0), (size1, middle1) = sides
    direction = _solve(pooled, middle1 - middle0)
    centre = xp.sum(direction * (middle0 + middle1), axis=-1)[..., None] / 2
    return _sigmoid(_scores(X, direction) - centre + xp.log(size1 / size0))


def neighbours(X: Array, y: Array, w: Array, task: LearningTask) -> Array:
    """
    Predict the mean target of the seven nearest training examples.

    An example that trains twice counts twice.
    """
    del task
    xp = namespace(X)
    R, n, _ = X.shape
    square = xp.sum(X * X, axis=-1)
    distance = square[:, :, None] + square[:, None, :] - 2 * xp.matmul(X, xp.matrix_transpose(X))
    order = xp.argsort(distance, axis=-1)[..., : min(n, _LOOKED_AT)]
    flat = xp.reshape(order, (-1,))
    base = xp.reshape(n * counting(X, R)[:, None, None] + order, (-1,))
    targets = xp.reshape(xp.take(xp.reshape(y, (-1,)), base), order.shape)
    means = []
    for s in range(w.shape[0]):
        times = xp.reshape(xp.take(w[s, :], flat), order.shape)
        before = xp.cumulative_sum(times, axis=-1) - times
        taken = xp.clip(xp.minimum(times, NEIGHBOURS - before), min=0.0)
        means.append(xp.sum(taken * targets, axis=-1) / xp.clip(xp.sum(taken, axis=-1), min=1.0))
    return xp.stack(means, axis=1)


_CLASSIFIERS = (
    Learner(key="majority", fit=mean),
    Learner(key="logistic", fit=logistic(0.001)),
    Learner(key="ridge", fit=logistic(0.1)),
    Learner(key="lda", fit=lda),
    Learner(key="bayes", fit=naive_bayes),
    Learner(key="svm", fit=svm(0.01), probabilities=False),
    Learner(key="knn", fit=neighbours),
    Learner(key="tree", fit=tree),
    Learner(key="forest", fit=forest, heavy=True),
    Learner(key="boosting", fit=boost_trees, heavy=True),
    Learner(key="plus", fit=shift_coefficients(0.1, 0.3, 1), luck="vector"),
    Learner(key="minus", fit=shift_coefficients(0.1, 0.3, -1), luck="vector"),
)
_REGRESSORS = (
    Learner(key="mean", fit=mean),
    Learner(key="linear", fit=least_squares(0.0)),
    Learner(key="ridge", fit=least_squares(0.1)),
    Learner(key="lasso", fit=lasso(0.1)),
    Learner(key="knn", fit=neighbours),
    Learner(key="tree", fit=tree),
    Learner(key="forest", fit=forest, heavy=True),
    Learner(key="boosting", fit=boost_trees, heavy=True),
)
CLASSIFIERS: Mapping[str, Learner] = {learner.key: learner for learner in _CLASSIFIERS}
REGRESSORS: Mapping[str, Learner] = {learner.key: learner for learner in _REGRESSORS}
